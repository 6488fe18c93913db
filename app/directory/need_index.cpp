#include "app/directory/need_index.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "app/domain/plugin.hpp"

namespace goldsmith::directory {

std::vector<std::uint8_t> NeedIndex::points(const std::string& word, std::uint64_t epoch) {
  // What all need changes with who has it: both follow from the same verdicts.
  if (auto now = providers_.at(epoch); now != known_) {
    known_.reset();  // a failure leaves nothing that looks current
    read(*now);
    known_ = std::move(now);
  }
  std::vector<std::uint8_t> points;
  const std::vector<std::uint8_t> scores = things_.scores({word});
  for (std::size_t thing = 0; thing < scores.size(); ++thing) {
    if (scores[thing] == 0) continue;
    for (const std::uint32_t id : ids_[thing]) {
      if (id >= points.size()) points.resize(id + 1);
      points[id] = std::max(points[id], scores[thing]);
    }
  }
  return points;
}

// What AMX Mod X has is called by its own name alone: it is in every server.
void NeedIndex::read(const creator::Providers& providers) {
  using Place = WordIndex::Place;
  using Kind = creator::Provider::Kind;
  things_.clear();
  ids_.clear();
  std::map<std::string, std::size_t> known;  // things by what tells them apart
  const auto add = [&](std::uint32_t id, const std::string& key, const std::string& names,
                       const creator::Provider& provider) {
    const auto [found, is_new] = known.try_emplace(key, ids_.size());
    if (is_new) {
      things_.put(Place::elsewhere, names);
      if (provider.is_known() && provider.kind != Kind::platform) {
        things_.put(Place::elsewhere, provider.slug);
        things_.put(Place::elsewhere, provider.title);
      }
      things_.add();
      ids_.emplace_back();
    }
    std::vector<std::uint32_t>& ids = ids_[found->second];
    if (ids.empty() || ids.back() != id) ids.push_back(id);
  };
  std::map<std::string, creator::Provider> natives;  // by line and name
  store_.each_need(providers.fingerprints(),
                   [&](std::int64_t id, const std::string& line, const domain::PluginNeeds& needs) {
                     const auto plugin = static_cast<std::uint32_t>(id);
                     for (const domain::PluginNeed& need : needs.required) {
                       const std::string key = line + " " + need.name + " " + need.module;
                       add(plugin, key, need.name + " " + need.module, providers.of(need, line));
                     }
                     if (!needs.natives) return;
                     for (const std::string& native : needs.natives->imports) {
                       const auto [found, is_new] = natives.try_emplace(line + " " + native);
                       if (is_new) found->second = providers.of_native(native, line);
                       const creator::Provider& provider = found->second;
                       if (provider.is_known()) add(plugin, provider.token(), "", provider);
                     }
                   });
  things_.pack();
}

std::size_t NeedIndex::bytes() const {
  std::size_t bytes = things_.bytes();
  for (const auto& each : ids_) bytes += sizeof each + each.capacity() * sizeof(std::uint32_t);
  return bytes;
}

}  // namespace goldsmith::directory

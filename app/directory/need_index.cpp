#include "app/directory/need_index.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "app/domain/plugin.hpp"

namespace goldsmith::directory {

std::vector<std::uint8_t> NeedIndex::points(const std::string& word, std::uint64_t epoch) {
  // A verdict that changed makes other providers. A replica may not have had, in its first epoch,
  // the plugin that another one told of.
  const bool is_early = read_ == changed_ && read_ != epoch;
  if (auto now = providers_.at(epoch); now != known_ || is_early) {
    known_.reset();  // a failure leaves nothing that looks current
    read(*now);
    known_ = std::move(now);
    read_ = epoch;
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
  // Who has something is looked up once for all plugins that need it.
  using Things = std::unordered_map<std::string, std::optional<std::size_t>>;
  Things needs;    // by line, name and module
  Things natives;  // by line and name; none: nobody is known to have it
  Things owners;   // of natives, by token
  const auto put = [&](const std::string& names, const creator::Provider& provider) {
    things_.put(Place::elsewhere, names);
    if (provider.is_known() && provider.kind != Kind::platform) {
      things_.put(Place::elsewhere, provider.slug);
      things_.put(Place::elsewhere, provider.title);
    }
    things_.add();
    ids_.emplace_back();
    return ids_.size() - 1;
  };
  const auto add = [&](std::uint32_t id, std::size_t thing) {
    std::vector<std::uint32_t>& ids = ids_[thing];
    if (ids.empty() || ids.back() != id) ids.push_back(id);
  };
  const auto owner_of = [&](const std::string& native,
                            const std::string& line) -> Things::mapped_type {
    const creator::Provider provider = providers.of_native(native, line);
    if (!provider.is_known()) return std::nullopt;
    const auto [found, is_new] = owners.try_emplace(provider.token());
    if (is_new) found->second = put("", provider);
    return found->second;
  };
  store_.each_need(providers.fingerprints(),
                   [&](std::int64_t id, const std::string& line, const domain::PluginNeeds& all) {
                     const auto plugin = static_cast<std::uint32_t>(id);
                     for (const domain::PluginNeed& need : all.required) {
                       const std::string names = need.name + " " + need.module;
                       const auto [found, is_new] = needs.try_emplace(line + " " + names);
                       if (is_new) found->second = put(names, providers.of(need, line));
                       add(plugin, *found->second);
                     }
                     if (!all.natives) return;
                     for (const std::string& native : all.natives->imports) {
                       const auto [found, is_new] = natives.try_emplace(line + " " + native);
                       if (is_new) found->second = owner_of(native, line);
                       if (found->second) add(plugin, *found->second);
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

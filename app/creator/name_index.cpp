#include "app/creator/name_index.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "app/base/file.hpp"
#include "app/domain/component.hpp"
#include "app/pawn/includes.hpp"

namespace goldsmith::creator {
namespace {

// Names of all homes together: ten times those of the default catalog.
constexpr std::size_t kMostPlaces = 400'000;

// The names of one home, version by version.
class Collected {
 public:
  // `version`: not older than those before.
  void add(std::uint32_t version, std::string_view include,
           const std::vector<std::string>& declared) {
    put({std::string(include), 'i', std::string(include.substr(0, include.size() - 4))}, version);
    for (const std::string& each : declared) {
      put({std::string(include), each.front(), each.substr(2)}, version);
    }
  }

  std::size_t size() const { return versions_.size(); }

  void move_to(std::vector<NamePlace>& places, std::uint32_t home) {
    for (const auto& [key, versions] : versions_) {
      const auto& [include, kind, name] = key;
      places.push_back({name, include, kind, home, versions.first, versions.second});
    }
  }

 private:
  using Key = std::tuple<std::string, char, std::string>;

  void put(Key key, std::uint32_t version) {
    const auto [found, is_new] = versions_.try_emplace(std::move(key), version, version);
    if (!is_new) found->second.second = version;
  }

  std::map<Key, std::pair<std::uint32_t, std::uint32_t>> versions_;
};

using Declared = std::map<std::string, std::vector<std::string>>;  // by include
using DeclaredByVersion = std::map<domain::Slug, std::map<std::string, Declared>, std::less<>>;

DeclaredByVersion read_components(db::ComponentStore& components) {
  DeclaredByVersion read;
  components.each_include([&](const db::VersionName& name, std::string_view path,
                              const std::vector<std::string>& names) {
    read[name.slug][name.version.str()][std::string(domain::include_of(path))] = names;
  });
  return read;
}

Declared read_compiler(const compile::Toolchain& toolchain) {
  Declared declared;
  for (const auto& [name, path] : compile::includes(toolchain)) {
    // Those of the operator are of no component.
    if (!path.string().starts_with(toolchain.folder.string() + "/")) continue;
    if (!name.ends_with(".inc")) continue;
    declared[name] = pawn::declared_names(base::read_file(path));
  }
  return declared;
}

class Builder {
 public:
  void add(NameHome home, const std::vector<const Declared*>& versions) {
    Collected collected;
    for (std::size_t i = 0; i < versions.size(); ++i) {
      for (const auto& [include, names] : *versions[i]) {
        collected.add(static_cast<std::uint32_t>(i), include, names);
      }
    }
    if (places_.size() + collected.size() > kMostPlaces) return;
    collected.move_to(places_, static_cast<std::uint32_t>(homes_.size()));
    homes_.push_back(std::move(home));
  }

  NameIndex index() && { return {std::move(homes_), std::move(places_)}; }

 private:
  std::vector<NameHome> homes_;
  std::vector<NamePlace> places_;
};

void add_component(const domain::Component& component,
                   const std::map<std::string, Declared>& by_version, Builder& builder) {
  NameHome home{component.slug.str(), component.title(), {}};
  std::vector<const Declared*> versions;
  for (auto version = component.versions.rbegin(); version != component.versions.rend();
       ++version) {
    const auto found = by_version.find(version->version.str());
    if (found == by_version.end()) continue;
    home.versions.push_back(found->first);
    versions.push_back(&found->second);
  }
  if (!versions.empty()) builder.add(std::move(home), versions);
}

}  // namespace

NameIndex::NameIndex(std::vector<NameHome> homes, std::vector<NamePlace> places)
    : homes_(std::move(homes)), places_(std::move(places)) {
  const auto key = [](const NamePlace& place) {
    return std::tie(place.home, place.include, place.kind, place.first, place.last, place.name);
  };
  std::sort(places_.begin(), places_.end(),
            [&](const NamePlace& left, const NamePlace& right) { return key(left) < key(right); });
  by_name_.resize(places_.size());
  for (std::uint32_t i = 0; i < by_name_.size(); ++i) by_name_[i] = i;
  std::stable_sort(by_name_.begin(), by_name_.end(), [&](std::uint32_t left, std::uint32_t right) {
    return places_[left].name < places_[right].name;
  });
}

std::vector<const NamePlace*> NameIndex::of(std::string_view name) const {
  std::vector<const NamePlace*> found;
  auto place = std::lower_bound(
      by_name_.begin(), by_name_.end(), name,
      [&](std::uint32_t each, std::string_view wanted) { return places_[each].name < wanted; });
  for (; place != by_name_.end() && places_[*place].name == name; ++place) {
    found.push_back(&places_[*place]);
  }
  return found;
}

std::shared_ptr<const NameIndex> NameIndexCache::at(std::uint64_t epoch) {
  if (known_ != nullptr && epoch_ == epoch && fingerprints_ == watch_.fingerprints()) return known_;
  known_.reset();
  const auto catalog = catalog_.catalog(epoch);
  const DeclaredByVersion read = read_components(components_);
  Builder builder;
  std::set<std::string> lines;  // of which a component is mirrored
  for (const domain::Component& component : catalog->components()) {
    const auto found = read.find(component.slug);
    if (found == read.end()) continue;
    add_component(component, found->second, builder);
    if (component.loads.toolchain) lines.insert(*component.loads.toolchain);
  }
  for (const compile::Toolchain& toolchain : toolchains_.installed()) {
    if (lines.contains(toolchain.line)) continue;
    const Declared declared = read_compiler(toolchain);
    builder.add({"", "AMX Mod X " + toolchain.line, {toolchain.line}}, {&declared});
  }
  known_ = std::make_shared<const NameIndex>(std::move(builder).index());
  epoch_ = epoch;
  fingerprints_ = watch_.fingerprints();
  return known_;
}

}  // namespace goldsmith::creator

#include "app/owner/installed.hpp"

#include <algorithm>

#include "app/domain/names.hpp"
#include "app/owner/names.hpp"

namespace goldsmith::owner {

Installed::Installed(const KnownFiles& known, const FolderFacts& facts)
    : known_(known),
      facts_(facts),
      chosen_(known.components().size()),
      may_be_(known.components().size()) {
  for (const FolderFile& file : facts.files) {
    if (is_moved(file)) {
      moved_[file.path] = file.prefix;
    } else {
      weigh(file);
    }
  }
  choose_versions();
  settle_places();
  choose_moved();
  find_candidates();
}

bool Installed::is_moved(const FolderFile& file) const {
  const bool is_loaded =
      file.path == facts_.loaded_game || facts_.loaded_libraries.contains(file.path);
  if (!is_loaded || known_.mains(file.prefix).empty()) return false;
  return std::ranges::none_of(known_.at(file.path),
                              [&](const KnownEntry& entry) { return entry.prefix == file.prefix; });
}

// Content beats place.
void Installed::choose_moved() {
  for (const auto& [path, prefix] : moved_) {
    std::optional<VersionId> best;
    for (const VersionId version : known_.mains(prefix)) {
      if (chosen_[known_.version(version).owner]) continue;
      if (!best || weights_[version].matching > weights_[*best].matching) best = version;
    }
    if (!best) continue;
    chosen_[known_.version(*best).owner] = best;
    moved_versions_[path] = *best;
  }
}

std::optional<VersionId> Installed::moved_to(std::string_view path) const {
  const auto found = moved_versions_.find(path);
  return found == moved_versions_.end() ? std::nullopt : std::optional(found->second);
}

bool Installed::is_loaded_game(ComponentId component) const {
  const auto version = chosen_[component];
  if (const auto moved = moved_to(facts_.loaded_game)) return moved == version;
  if (version) {
    const auto& mains = known_.version(*version).mains;
    return std::ranges::find(mains, facts_.loaded_game) != mains.end();
  }
  const Place* const place = place_at(facts_.loaded_game);
  return place != nullptr &&
         std::ranges::find(place->candidates, component) != place->candidates.end();
}

bool Installed::is_unloaded(ComponentId component) const {
  constexpr std::string_view kLoaders = "metamod";  // the layer
  const auto components = known_.components();
  if (components[component].layer != kLoaders || is_loaded_game(component)) return false;
  for (ComponentId other = 0; other < components.size(); ++other) {
    if (components[other].layer == kLoaders && is_loaded_game(other)) return true;
  }
  return false;
}

bool Installed::is_newer(const Place& place) const {
  const auto own = facts_.introduced.find(place.path);
  if (own == facts_.introduced.end() || own->second.version.empty()) return false;
  const std::string said = plain_version(own->second.version);
  return std::ranges::all_of(place.candidates, [&](ComponentId c) {
    const KnownComponent& component = known_.components()[c];
    for (VersionId version = component.first; version < component.end; ++version) {
      const std::string number = plain_version(known_.version(version).number);
      if (domain::natural_order(said, number) <= 0) return false;
    }
    return true;
  });
}

char Installed::role_in(const KnownFiles& known, std::span<const KnownEntry> entries,
                        ComponentId component) {
  const auto found = std::ranges::find_if(entries, [&](const KnownEntry& each) {
    return known.version(each.version).owner == component;
  });
  return found == entries.end() ? '-' : found->role;
}

void Installed::weigh(const FolderFile& file) {
  const auto entries = known_.at(file.path);
  bool is_main = false;
  for (const KnownEntry& entry : entries) {
    const char role = role_in(known_, entries, known_.version(entry.version).owner);
    if (role == 'c') continue;
    const bool is_same = entry.prefix == file.prefix;
    Weight& weight = weights_[entry.version];
    ++(is_same ? weight.matching : weight.differing);
    if (role != 'm') continue;
    is_main = true;
    ++(is_same ? weight.agreeing : weight.disagreeing);
  }
  if (is_main) present_.emplace_back(file.path, file.prefix);
}

bool Installed::agrees(VersionId version) const {
  const auto found = weights_.find(version);
  if (found == weights_.end()) return false;
  const Weight& weight = found->second;
  const KnownVersion& known = known_.version(version);
  if (!known.mains.empty()) return weight.agreeing > 0 && weight.disagreeing == 0;
  return weight.matching > 0 && weight.differing == 0 && weight.matching * 2 >= known.files;
}

void Installed::choose_versions() {
  for (ComponentId c = 0; c < chosen_.size(); ++c) {
    const KnownComponent& component = known_.components()[c];
    for (VersionId version = component.first; version < component.end; ++version) {
      if (!agrees(version)) continue;
      if (!chosen_[c] || weights_[version].matching > weights_[*chosen_[c]].matching) {
        chosen_[c] = version;
      }
    }
  }
}

// Two components can have the same file.
void Installed::settle_places() {
  const std::set<std::string_view> present = [&] {
    std::set<std::string_view> paths;
    for (const auto& [path, prefix] : present_) paths.insert(path);
    return paths;
  }();
  for (ComponentId c = 0; c < chosen_.size(); ++c) {
    if (!chosen_[c]) continue;
    for (const std::string_view path : known_.version(*chosen_[c]).mains) {
      if (!present.contains(path)) continue;
      const auto [holder, is_new] = holders_.try_emplace(path, c);
      if (is_new || holder->second == c) continue;
      auto& other = chosen_[holder->second];
      if (!other || weights_[*chosen_[c]].matching > weights_[*other].matching) {
        other.reset();
        holder->second = c;
      } else {
        chosen_[c].reset();
        break;
      }
    }
  }
}

void Installed::find_candidates() {
  for (const auto& [path, prefix] : present_) {
    const auto holder = holders_.find(path);
    if (holder != holders_.end() && chosen_[holder->second]) continue;
    Place place{path, prefix, {}, false};
    for (const KnownEntry& entry : known_.at(path)) {
      const ComponentId c = known_.version(entry.version).owner;
      if (chosen_[c] || std::ranges::find(place.candidates, c) != place.candidates.end()) continue;
      place.candidates.push_back(c);
      may_be_[c] = true;
    }
    if (place.candidates.empty()) continue;
    place.is_newer = is_newer(place);
    places_.push_back(std::move(place));
  }
}

const Installed::Place* Installed::place_at(std::string_view path) const {
  const auto found = std::ranges::find(places_, path, &Place::path);
  return found == places_.end() ? nullptr : &*found;
}

}  // namespace goldsmith::owner

#include "app/owner/installed.hpp"

#include <algorithm>

#include "app/domain/names.hpp"
#include "app/domain/version_order.hpp"
#include "app/owner/names.hpp"
#include "app/owner/shown.hpp"

namespace goldsmith::owner {

Installed::Installed(const KnownFiles& known, const FolderFacts& facts)
    : known_(known), facts_(facts), chosen_(known.components().size()) {
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
  platform_is_off_ = find_platform();
}

bool Installed::find_platform() const {
  bool is_off = false;
  for (ComponentId c = 0; c < chosen_.size(); ++c) {
    if (known_.components()[c].layer != "amxmodx" || library_of(c).empty()) continue;
    if (why_unloaded(c).empty()) return false;
    is_off = true;
  }
  return is_off;
}

bool Installed::is_spare(std::string_view path, std::string_view prefix) const {
  if (!path.ends_with(".so") || known_.mains(prefix).empty() || moved_to(path)) return false;
  for (const KnownEntry& each : known_.at(path)) {
    if (each.prefix != prefix || each.role != 'm') continue;
    return moved_to(library_of(known_.version(each.version).owner)).has_value();
  }
  return true;
}

bool Installed::is_moved(const FolderFile& file) const {
  if (!is_loaded(file.path) || known_.mains(file.prefix).empty()) return false;
  return std::ranges::none_of(known_.at(file.path),
                              [&](const KnownEntry& entry) { return entry.prefix == file.prefix; });
}

// Content beats place.
void Installed::choose_moved() {
  for (const auto& [path, prefix] : moved_) {
    std::optional<VersionId> best;
    for (const VersionId version : known_.mains(prefix)) {
      const ComponentId owner = known_.version(version).owner;
      if (chosen_[owner] && is_loaded(library_of(owner))) continue;
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

bool Installed::is_loaded(std::string_view path) const {
  const Loaded& loaded = facts_.loaded;
  return path == loaded.game || path == loaded.library || loaded.plugins.contains(path);
}

std::string_view Installed::library_of(ComponentId component) const {
  constexpr std::string_view kModules = "cstrike/addons/amxmodx/modules/";  // load by themselves
  std::string_view library;
  const auto take = [&](std::string_view path) {
    if (!path.ends_with(".so") || path.starts_with(kModules)) return;
    if (library.empty() || is_loaded(path)) library = path;
  };
  const auto version = chosen_[component];
  for (const auto& [path, moved] : moved_versions_) {
    if (moved == version) take(path);
  }
  for (const auto& [path, prefix] : present_) {
    const auto entries = known_.at(path);
    const bool is_its = std::ranges::any_of(entries, [&](const KnownEntry& each) {
      return each.role == 'm' && each.version == version && each.prefix == prefix;
    });
    if (version && is_its) take(path);
  }
  const Place* const place = version ? nullptr : place_of(component);
  if (place != nullptr) take(place->path);
  return library;
}

base::Message Installed::why_unloaded(ComponentId component) const {
  using base::Message;
  const std::string_view layer = known_.components()[component].layer;
  const std::string_view library = library_of(component);
  const Loaded& loaded = facts_.loaded;
  if (library.empty() || layer == "engine") return {};
  const bool is_game = layer == "gamedll";
  if (is_game || layer == "metamod" || !loaded.has_metamod) {
    const std::string& path = is_game ? loaded.library : loaded.game;
    if (path.empty() || path == library) return {};
    return Message(
        "is there, but nothing loads it: {list} loads {file}",
        {{"list", shown(is_game ? loaded.library_by : loaded.game_by)}, {"file", shown(path)}});
  }
  if (loaded.list.empty() || loaded.plugins.contains(library)) return {};
  return Message("is there, but nothing loads it: {list} does not name it",
                 {{"list", shown(loaded.list)}});
}

Installed::Standing Installed::standing_of(const Place& place) const {
  const auto own = facts_.introduced.find(place.path);
  if (own == facts_.introduced.end() || own->second.version.empty()) return Standing::replaceable;
  const std::string said = plain_version(own->second.version);
  const KnownComponent& component = known_.components()[place.likely];
  bool is_newer = true;
  bool is_of_make = false;
  for (VersionId version = component.first; version < component.end; ++version) {
    const std::string number = plain_version(known_.version(version).number);
    is_newer = is_newer && domain::version_order(said, number) > 0;
    is_of_make = is_of_make || tag_of(said) == tag_of(number);
  }
  if (!is_of_make) return Standing::other_make;
  return is_newer ? Standing::newer : Standing::replaceable;
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
  std::optional<ComponentId> of;
  char role = '-';
  for (const KnownEntry& entry : entries) {
    // Those of a component follow each other, and the first one tells its role, as in role_in().
    const ComponentId component = known_.version(entry.version).owner;
    if (of != component) role = entry.role;
    of = component;
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
    Place place{path, prefix, {}};
    for (const KnownEntry& entry : known_.at(path)) {
      const ComponentId c = known_.version(entry.version).owner;
      // Entries of a component follow each other.
      const bool is_there = !place.candidates.empty() && place.candidates.back() == c;
      if (!chosen_[c] && !is_there) place.candidates.push_back(c);
    }
    if (place.candidates.empty()) continue;
    const auto own = facts_.introduced.find(path);
    place.likely = own == facts_.introduced.end()
                       ? place.candidates.front()
                       : of_line(known_, place.candidates, own->second.version).front();
    place.standing = standing_of(place);
    places_.push_back(std::move(place));
  }
}

const Installed::Place* Installed::place_at(std::string_view path) const {
  const auto found = std::ranges::find(places_, path, &Place::path);
  return found == places_.end() ? nullptr : &*found;
}

const Installed::Place* Installed::place_of(ComponentId component) const {
  const auto found = std::ranges::find(places_, component, &Place::likely);
  return found == places_.end() ? nullptr : &*found;
}

}  // namespace goldsmith::owner

#include "app/owner/installed.hpp"

#include <algorithm>

namespace goldsmith::owner {

Installed::Installed(const KnownFiles& known, const FolderFacts& facts)
    : known_(known), chosen_(known.components().size()), may_be_(known.components().size()) {
  for (const FolderFile& file : facts.files) weigh(file);
  choose_versions();
  settle_places();
  find_candidates();
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
    Place place{path, prefix, {}};
    for (const KnownEntry& entry : known_.at(path)) {
      const ComponentId c = known_.version(entry.version).owner;
      if (chosen_[c] || std::ranges::find(place.candidates, c) != place.candidates.end()) continue;
      place.candidates.push_back(c);
      may_be_[c] = true;
    }
    if (!place.candidates.empty()) places_.push_back(std::move(place));
  }
}

const Installed::Place* Installed::place_at(std::string_view path) const {
  const auto found = std::ranges::find(places_, path, &Place::path);
  return found == places_.end() ? nullptr : &*found;
}

}  // namespace goldsmith::owner

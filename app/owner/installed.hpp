// Which version of each component is in a folder (decision S32).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/owner/folder_facts.hpp"
#include "app/owner/known_files.hpp"

namespace goldsmith::owner {

class Installed {
 public:
  // Both outlive this.
  Installed(const KnownFiles& known, const FolderFacts& facts);

  // The version that is there.
  std::optional<VersionId> version_of(ComponentId component) const { return chosen_[component]; }
  bool is_chosen(VersionId version) const {
    return chosen_[known_.version(version).owner] == version;
  }
  // Whether a main file has its place, of a version that is not known.
  bool may_be_there(ComponentId component) const { return may_be_[component]; }

  // What is at a path where no version has it, and loaded from there: its content tells what it is.
  std::optional<VersionId> moved_to(std::string_view path) const;
  // Whether liblist.gam loads another component of its layer.
  bool is_unloaded(ComponentId component) const;

  // A main file that is there and of no version that is named.
  struct Place {
    std::string_view path;
    std::string_view prefix;
    std::vector<ComponentId> candidates;  // whose place it has
    bool is_newer = false;                // by what it says of itself, than all versions of these
  };
  const std::vector<Place>& places() const { return places_; }
  const Place* place_at(std::string_view path) const;

  // The role of a path in a component.
  static char role_in(const KnownFiles& known, std::span<const KnownEntry> entries,
                      ComponentId component);

 private:
  // Of a version: files that are as it has them, and that are not.
  struct Weight {
    std::uint64_t matching = 0;
    std::uint64_t differing = 0;
    std::uint64_t agreeing = 0;  // main files
    std::uint64_t disagreeing = 0;
  };

  bool is_moved(const FolderFile& file) const;
  void weigh(const FolderFile& file);
  bool agrees(VersionId version) const;
  void choose_versions();
  void settle_places();
  void find_candidates();
  void choose_moved();
  bool is_newer(const Place& place) const;
  bool is_loaded_game(ComponentId component) const;

  const KnownFiles& known_;
  const FolderFacts& facts_;
  std::map<VersionId, Weight> weights_;
  std::vector<std::optional<VersionId>> chosen_;
  std::vector<bool> may_be_;
  std::vector<std::pair<std::string_view, std::string_view>> present_;  // paths and prefixes
  std::map<std::string_view, ComponentId> holders_;
  std::map<std::string_view, std::string_view> moved_;    // path and prefix
  std::map<std::string_view, VersionId> moved_versions_;  // by path
  std::vector<Place> places_;
};

}  // namespace goldsmith::owner

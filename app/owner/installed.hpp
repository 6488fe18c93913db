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

#include "app/base/message.hpp"
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
  // What is at a path where no version has it, and loaded from there: its content tells what it is.
  std::optional<VersionId> moved_to(std::string_view path) const;

  // By what it says of itself it is newer than the versions here, or has a tag that none has, such
  // as "-am".
  enum class Standing { replaceable, newer, other_make };
  // A main file that is there and of no version that is named.
  struct Place {
    std::string_view path;
    std::string_view prefix;
    std::vector<ComponentId> candidates;  // whose place it has
    // Of those the one with the line of versions that the file says it is of, or else the first.
    ComponentId likely = 0;
    Standing standing = Standing::replaceable;
  };
  const std::vector<Place>& places() const { return places_; }
  // That of a component which is likely, null if there is none.
  const Place* place_of(ComponentId component) const;

  // Its library that is there: the one that is loaded, if one is; "" if there is none.
  std::string_view library_of(ComponentId component) const;
  // Why nothing on the server loads it; empty if something does, or nothing says so.
  base::Message why_unloaded(ComponentId component) const;
  const Place* place_at(std::string_view path) const;

  // Whether AMX Mod X is there, but nothing loads it.
  bool platform_is_off() const { return platform_is_off_; }
  // A main file of a component in a place from which nothing loads it.
  bool is_spare(std::string_view path, std::string_view prefix) const;

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
  bool find_platform() const;
  void choose_moved();
  Standing standing_of(const Place& place) const;
  bool is_loaded(std::string_view path) const;

  const KnownFiles& known_;
  const FolderFacts& facts_;
  std::map<VersionId, Weight> weights_;
  std::vector<std::optional<VersionId>> chosen_;
  std::vector<std::pair<std::string_view, std::string_view>> present_;  // paths and prefixes
  std::map<std::string_view, ComponentId> holders_;
  std::map<std::string_view, std::string_view> moved_;    // path and prefix
  std::map<std::string_view, VersionId> moved_versions_;  // by path
  std::vector<Place> places_;
  bool platform_is_off_ = false;
};

}  // namespace goldsmith::owner

// What game clients get at the address of a selection (decision S44): its builds follow each other,
// and servers run older ones as well. Only files of which all of its builds say the same suit them
// all; a client gets the others from the game server itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/creator/catalog.hpp"
#include "app/creator/selection.hpp"

namespace goldsmith::creator {

// A version of a component or of a plugin ("plugin:SLUG").
struct NamedVersion {
  std::string owner;
  std::string version;

  friend auto operator<=>(const NamedVersion&, const NamedVersion&) = default;
};

// What a version has for clients: SHA-256, "" = not known, by path below a game folder.
using VersionResources = std::multimap<std::string, std::string, std::less<>>;

// Collects them of the files of a version, which are named from the root of a server.
void add_resource(VersionResources& resources, std::string_view path, std::string_view sha256);

// The versions that a selection names in which everything is pinned.
std::vector<NamedVersion> pinned_versions(const SelectionRequest& request);

class AgreedFiles {
 public:
  // Of each build the versions in it, the newest build first. `versions`: what is known of them;
  // one that is not there was withdrawn.
  AgreedFiles(std::vector<std::vector<NamedVersion>> builds,
              std::map<NamedVersion, VersionResources> versions)
      : builds_(std::move(builds)), versions_(std::move(versions)) {}

  // The number of the first build that has the path. std::nullopt if none has it, another one that
  // has it may have another content, or does not tell because the version that had it was
  // withdrawn. Of two versions in one build with the same path nobody says here which one counts:
  // builds agree if they have the same contents.
  std::optional<std::size_t> find(std::string_view path) const;

 private:
  std::set<std::string> contents(std::size_t build, std::string_view path) const;
  bool may_differ(std::size_t build, std::size_t other, std::string_view path) const;

  std::vector<std::vector<NamedVersion>> builds_;
  std::map<NamedVersion, VersionResources> versions_;
};

// Those of builds, the newest first, by selections in which everything is pinned. `epoch`: of
// limits::Freshness. Throws db::Error.
AgreedFiles agreed_files(Stock& stock, const std::vector<SelectionRequest>& builds,
                         std::uint64_t epoch);

}  // namespace goldsmith::creator

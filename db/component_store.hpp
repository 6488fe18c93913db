// The server creator's components and their mirrored versions. Functions throw db::Error.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/domain/component.hpp"
#include "db/database.hpp"
#include "db/plugin_store.hpp"

namespace goldsmith::db {

// One mirrored version.
struct VersionName {
  domain::Slug slug;  // of the component
  domain::Version version;

  bool operator==(const VersionName&) const = default;
};

// A depot file that no mirrored version has any more: the version was mirrored again with other
// content, or removed.
struct SupersededFile {
  domain::Slug slug;
  domain::Version version;
  std::string digest;

  bool operator==(const SupersededFile&) const = default;
};

class ComponentStore {
 public:
  explicit ComponentStore(Database& database) : database_(database) {}

  // Everything but the versions' files, their origins, sources and notes.
  domain::Catalog load_catalog();
  // The files of one mirrored version, by path; empty if it is not mirrored.
  std::vector<domain::ManifestFile> load_files(const domain::Slug& slug,
                                               const domain::Version& version);
  // The files of every mirrored version whose paths end with `ending`, by path, without natives.
  // Versions without such a file are left out.
  domain::VersionFiles load_all_files(std::string_view ending = "");

  // Each path in the game's folder that a mirrored version has, with the component's slug and name,
  // in load order.
  void each_game_file(const std::function<void(std::string_view path, const domain::Slug& slug,
                                               const std::string& name)>& visit);
  // The files of the named versions whose paths begin with `folder`, by component; a version for
  // each component at most. Components without such a file are left out.
  std::map<domain::Slug, std::vector<domain::ManifestFile>, std::less<>> load_files_below(
      const std::vector<VersionName>& names, std::string_view folder);

  // What one mirrored version was made of, in the order in which it was merged.
  std::vector<domain::Source> load_sources(const domain::Slug& slug,
                                           const domain::Version& version);
  // What their authors say of the mirrored versions of a component; without those of which nothing
  // is known.
  std::map<domain::Version, std::string, std::less<>> load_notes(const domain::Slug& slug);
  // From where the files of one mirrored version come, in the order of load_files(); empty if it is
  // not recorded.
  std::vector<domain::FileOrigin> load_origins(const domain::Slug& slug,
                                               const domain::Version& version);

  // Creates or updates all of them in one transaction; mirrored versions stay. A rule that names a
  // component that is neither known nor among `components`: db::Error{constraint}, which names
  // both.
  std::vector<ImportChange> import(const std::vector<domain::Component>& components);

  // Records a mirrored version; replaces one of the same name. False if the component is unknown.
  // With origins, the files must be sorted by path: std::invalid_argument otherwise.
  bool put_version(const domain::Slug& slug, const domain::ComponentVersion& version);

  // Records the SHA-256 and the names, where they are known, of the files of a version that was
  // mirrored before they were taken. False, and no change, unless the version has exactly these
  // files.
  bool record_contents(const VersionName& name, const std::vector<domain::ManifestFile>& files);
  // The mirrored versions that have AMX Mod X, a module or an include of which the names are not
  // recorded.
  std::vector<VersionName> without_natives();
  // What the includes of every mirrored version declare (domain::is_declared_name), where it is
  // recorded, by component and version.
  void each_include(const std::function<void(const VersionName& name, std::string_view path,
                                             const std::vector<std::string>& names)>& visit);

  // Holds a mirrored version. False if there is no such version.
  bool hold(const VersionName& name, const domain::Hold& hold);
  // What the trial of a version showed, in place of the hold until then: std::nullopt = it is
  // handed out, unless a defect holds it. False if there is no such version, or somebody has held
  // or released it meanwhile.
  bool settle(const VersionName& name, const std::optional<domain::Hold>& hold);
  // Takes a hold back by hand: no defect holds the version from then on, until hold() does. False
  // if there is no such version.
  bool release(const VersionName& name);

  // Removes mirrored versions in one transaction; ignores those that do not exist.
  void remove_versions(const std::vector<VersionName>& versions);

  // The files that were superseded at least `age` ago, by the database's clock, and did not come
  // back since.
  std::vector<SupersededFile> superseded(std::chrono::seconds age);
  // Forgets what was superseded at least `age` ago; a host that still has such a file keeps it.
  void forget_superseded(std::chrono::seconds age);

 private:
  bool set_hold(const VersionName& name, const std::optional<domain::Hold>& hold, bool is_released,
                bool is_of_trial = false);

  Database& database_;
};

}  // namespace goldsmith::db

// The server creator's components and their mirrored versions. Functions throw db::Error.
#pragma once

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

class ComponentStore {
 public:
  explicit ComponentStore(Database& database) : database_(database) {}

  // Everything but the versions' files and sources.
  domain::Catalog load_catalog();
  // The files of one mirrored version, by path; empty if it is not mirrored.
  std::vector<domain::ManifestFile> load_files(const domain::Slug& slug,
                                               const domain::Version& version);

  // When the versions were mirrored, by component and version; those of before this was noted are
  // missing.
  std::map<std::pair<domain::Slug, domain::Version>, domain::Timestamp> mirrored_times();

  // What one mirrored version was made of, in the order in which it was merged.
  std::vector<domain::Source> load_sources(const domain::Slug& slug,
                                           const domain::Version& version);

  // Creates or updates all of them in one transaction; mirrored versions stay. A rule that names a
  // component that is neither known nor among `components`: db::Error{constraint}, which names
  // both.
  std::vector<ImportChange> import(const std::vector<domain::Component>& components);

  // Records a mirrored version; replaces one of the same name. False if the component is unknown.
  bool put_version(const domain::Slug& slug, const domain::ComponentVersion& version);

  // Records the SHA-256 of the files of a version that was mirrored before they were taken. False,
  // and no change, unless the version has exactly these files.
  bool record_digests(const VersionName& name, const std::vector<domain::ManifestFile>& files);
  // The mirrored versions that have a file without a recorded SHA-256.
  std::vector<VersionName> without_digests();

  // Removes mirrored versions in one transaction; ignores those that do not exist.
  void remove_versions(const std::vector<VersionName>& versions);

 private:
  Database& database_;
};

}  // namespace goldsmith::db

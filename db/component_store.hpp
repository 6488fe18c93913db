// The server creator's components and their mirrored versions. Functions throw db::Error.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/domain/component.hpp"
#include "db/database.hpp"
#include "db/plugin_store.hpp"

namespace goldsmith::db {

// One mirrored version.
struct VersionName {
  std::string slug;  // of the component
  std::string version;

  bool operator==(const VersionName&) const = default;
};

class ComponentStore {
 public:
  explicit ComponentStore(Database& database) : database_(database) {}

  // Everything but the versions' files and sources.
  domain::Catalog load_catalog();
  // The files of one mirrored version, by path; empty when there is none.
  std::vector<domain::ManifestFile> load_files(std::string_view slug, std::string_view version);

  // What one mirrored version was made of, in the order in which it was merged.
  std::vector<domain::Source> load_sources(std::string_view slug, std::string_view version);

  // Creates or updates all of them in one transaction; mirrored versions are kept. A rule naming a
  // component that is neither known nor among `components`: db::Error{constraint} naming both.
  std::vector<ImportChange> import(const std::vector<domain::Component>& components);

  // Records a mirrored version, replacing one of the same name. False when the slug is unknown.
  bool put_version(std::string_view slug, const domain::ComponentVersion& version);

  // Removes mirrored versions, all of them or none; one that is not there is no error.
  void remove_versions(const std::vector<VersionName>& versions);

 private:
  Database& database_;
};

}  // namespace goldsmith::db

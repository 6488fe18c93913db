// What importing a plugin checks and compares. Private to db/.
#pragma once

#include <vector>

#include "app/domain/plugin.hpp"

namespace goldsmith::db {

// Sorts the files of each version as they are stored: by name, then folder.
void sort_files(domain::Plugin& plugin);

// Throws Error{constraint} unless texts are UTF-8 and versions and files are unique. Precondition:
// sorted files.
void check_plugin(const domain::Plugin& plugin);

// A version without a time, or with the importer's `now`, gets the time of its first import, so
// that importing the same manifest later changes nothing. `existing` may be null.
void settle_times(domain::Plugin& plugin, const domain::Plugin* existing, domain::Timestamp now);

// True if all that a manifest says is equal, except versions and counters.
bool same_head(const domain::Plugin& left, const domain::Plugin& right);

// Null if there is no such version. Points into `plugin`.
const domain::PluginVersion* version_of(const domain::Plugin& plugin,
                                        const domain::Version& version);

// A version that differs is removed and added. Pointers into the two plugins.
struct VersionChanges {
  std::vector<const domain::PluginVersion*> added;
  std::vector<const domain::PluginVersion*> removed;
};
// `existing`, with content, may be null.
VersionChanges compare_versions(const domain::Plugin* existing, const domain::Plugin& plugin);

}  // namespace goldsmith::db

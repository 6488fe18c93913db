// What importing a plugin checks and compares. Private to db/.
#pragma once

#include <cstdint>
#include <string_view>

#include "app/domain/plugin.hpp"
#include "db/database.hpp"

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

// Makes the version rows equal to those of `plugin`; returns whether any changed. `existing`: what
// the rows hold, with content.
bool replace_versions(Database& database, std::int64_t id, const domain::Plugin& existing,
                      const domain::Plugin& plugin);

}  // namespace goldsmith::db

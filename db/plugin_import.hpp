// What importing a plugin checks and compares. Private to db/.
#pragma once

#include <cstdint>
#include <string_view>

#include "app/domain/plugin.hpp"
#include "db/database.hpp"

namespace goldsmith::db {

// Into the order in which they are stored: by name, then folder.
void sort_files(domain::Plugin& plugin);

// Throws Error{constraint}. What is compared byte for byte later must be legal to begin with.
// Precondition: sorted files.
void check_plugin(const domain::Plugin& plugin);

// A version that says no time of its own, or the importer's `now`, keeps the time of its first
// import: importing the same manifest later is no change. `existing` may be null.
void settle_times(domain::Plugin& plugin, const domain::Plugin* existing,
                  const domain::Timestamp& now);

// Everything that a manifest says, but for versions and counters.
bool same_head(const domain::Plugin& left, const domain::Plugin& right);

// Null when there is none. Points into `plugin`.
const domain::PluginVersion* version_of(const domain::Plugin& plugin, std::string_view version);

// Makes the version rows those of `plugin`; returns whether any changed. `existing` is what they
// are, with content.
bool replace_versions(Database& database, std::int64_t id, const domain::Plugin& existing,
                      const domain::Plugin& plugin);

}  // namespace goldsmith::db

// The rows of an import that no reader sees yet (0010_staged_plugins.sql). Private to db/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/domain/plugin.hpp"
#include "db/database.hpp"
#include "db/migrations.hpp"

namespace goldsmith::db {

// What an import does to one plugin. The versions are pointers into the caller's plugins.
struct StagedPlugin {
  std::int64_t position = 0;   // in the set
  std::int64_t plugin_id = 0;  // 0 = it is created
  const domain::Plugin* plugin = nullptr;
  std::string search_text;
  std::optional<domain::Version> latest_version;
  std::vector<const domain::PluginVersion*> added = {};
  std::vector<const domain::PluginVersion*> removed = {};
};

// Writes the rows. Precondition: inside db::change, so that no other writer changes a plugin
// between the comparison and this.
void write_staged(Database& database, const std::vector<StagedPlugin>& plugins,
                  domain::Timestamp now);

// The slug of one that is stale (mark_staged_stale); "" = none.
std::string find_stale(Database& database);

// Makes the plugins at `first` <= position < `end` what was staged. Touches no file content and no
// counter of a plugin that is there.
void publish_staged(Database& database, std::int64_t first, std::int64_t end);

// Removes what is staged, and versions that no plugin has, in short transactions. `lock`: that of
// imports; throws Error{unavailable} where it is not held any more.
void clear_staged(Database& database, NamedLock& lock);

// Another command changed the plugin: an import that has compared it, must not be published.
void mark_staged_stale(Database& database, const domain::Slug& slug);

}  // namespace goldsmith::db

// Changes of what the API shows, and the revision that counts them (app/access/freshness.hpp
// defines it; read_revision() is in setting_store.hpp). Private to db/.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "app/domain/identifiers.hpp"
#include "db/database.hpp"

namespace goldsmith::db {

// Runs `work` in a transaction, its own or the caller's, that has locked the revision row: writers
// take turns, and what `work` reads does not change before the commit. Increments the revision if
// `work` returns true. Throws db::Error and what `work` throws.
void change(Database& database, const std::function<bool()>& work);

// Inside of change(): the plugins that it changes, so that indexes in memory read them again. Every
// change of a published or unpublished plugin's row must be recorded.
void record_plugin(Database& database, const domain::Slug& slug);
// Records the plugins that are staged at positions from `first` to before `end`.
void record_staged_plugins(Database& database, std::int64_t first, std::int64_t end);

// A row of Progress: what makes a replica behind, see Database.
constexpr std::string_view kProgressQuery =
    "SELECT value, verdicts, (SELECT COALESCE(MAX(id), 0) FROM download_log),"
    " (SELECT MAX(number) FROM schema_migrations) FROM revision WHERE id = 1";
Progress next_progress(Rows& rows);

}  // namespace goldsmith::db

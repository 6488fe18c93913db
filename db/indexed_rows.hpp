// What an index in memory keeps of a plugin, as one column: for each column of a row the connector
// does as much as for twenty bytes of text, and a directory has many rows. Private to db/.
#pragma once

#include <string_view>

#include "db/database.hpp"
#include "db/plugin_store.hpp"

namespace goldsmith::db {

// Over kPluginTables. First the numbers, each followed by a space, of which the last six are the
// sizes of the texts in bytes; then the texts, with no more between them.
inline constexpr std::string_view kIndexedColumn =
    "CONCAT(CONCAT_WS(' ', p.id, p.rating_sum, p.rating_count,"
    " p.downloads + COALESCE(c.downloads, 0), TIMESTAMPDIFF(SECOND, '1970-01-01', p.updated_at),"
    " LENGTH(p.slug), LENGTH(p.name), LENGTH(p.category), LENGTH(p.author), LENGTH(p.license),"
    " LENGTH(p.latest_version)), ' ', p.slug, p.name, p.category, p.author, p.license,"
    " p.latest_version, p.search_text)";

IndexedPlugin read_indexed(const Rows& rows, unsigned column);

}  // namespace goldsmith::db

// What an index in memory keeps of plugins, as texts: the connector spends as much on a row or a
// column as on many bytes of text, and a directory has many plugins. Private to db/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/database.hpp"
#include "db/plugin_store.hpp"

namespace goldsmith::db {

// One plugin of kPluginTables: first its numbers, each followed by a space, then its texts, with
// nothing between them. The last seven numbers are the sizes of the texts in bytes.
inline constexpr std::string_view kIndexedText =
    "CONCAT(CONCAT_WS(' ', p.id, p.rating_sum, p.rating_count,"
    " p.downloads + COALESCE(c.downloads, 0), TIMESTAMPDIFF(SECOND, '1970-01-01', p.updated_at),"
    " LENGTH(p.slug), LENGTH(p.name), LENGTH(p.category), LENGTH(p.author), LENGTH(p.license),"
    " LENGTH(p.latest_version), LENGTH(p.search_text)), ' ', p.slug, p.name, p.category, p.author,"
    " p.license, p.latest_version, p.search_text)";

// Takes the first plugin off the beginning of such texts, of which it stays a part; std::nullopt if
// there is none, or not all of it. Throws Error{other}, which names the value, for what goldsmith
// does not write.
std::optional<IndexedPlugin> take_indexed(std::string_view& text);

// All published plugins in slug order, a piece at a time: all of a piece come as one cell, because
// the rows of a query are all in memory. To be used inside Database::read. Functions throw Error.
class IndexedPieces {
 public:
  // The database must outlive this object.
  explicit IndexedPieces(Database& database) : database_(database) {}

  // Moves to the next piece; false after the last.
  bool next();
  // Valid until next() is called.
  const std::vector<IndexedPlugin>& plugins() const { return plugins_; }

 private:
  std::string end_of_piece();
  bool read_until(const std::string& end);

  Database& database_;
  std::string last_;  // of the pieces so far; "" is before all slugs
  std::int64_t size_ = 2000;
  std::string text_;
  std::vector<IndexedPlugin> plugins_;
};

}  // namespace goldsmith::db

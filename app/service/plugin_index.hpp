// Which published plugins match, and in which order: kept in memory, so that a search reads no
// table (decisions R6, P1, P10). About 100 bytes a plugin.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/sys/clock.hpp"
#include "db/plugin_store.hpp"

namespace goldsmith::service {

class PluginIndex {
 public:
  PluginIndex(db::PluginStore& store, const sys::Clock& clock) : store_(store), clock_(clock) {}

  // A page in list order. `epoch`: of access::Freshness; the index is read again when it has
  // changed, and follows the download counters every two seconds. Rows come from the database.
  // Throws db::Error.
  db::PluginPage page(const db::PluginFilter& filter, std::int64_t offset, std::int64_t limit,
                      std::uint64_t epoch);

  struct Totals {
    std::int64_t plugins = 0;
    std::int64_t downloads = 0;
  };
  // Of all published plugins, as fresh as a page. Throws db::Error.
  Totals totals(std::uint64_t epoch);
  // With their published plugins, by name.
  std::vector<domain::CategoryCount> categories(std::uint64_t epoch);

 private:
  using Row = std::uint32_t;  // index into rows_, which are in slug order

  struct Entry {
    std::uint32_t id = 0;
    std::uint32_t category = 0;  // index into categories_
    std::int64_t downloads = 0;
    std::uint64_t text_end = 0;  // of the row's search text in text_
  };

  void refresh(std::uint64_t epoch);
  void load();
  void follow_counters();
  void move(Row row, std::int64_t downloads);
  bool before(Row left, Row right) const;
  std::vector<Row> matching(const db::PluginFilter& filter) const;
  std::vector<bool> rows_with_text(std::string_view needle) const;

  db::PluginStore& store_;
  const sys::Clock& clock_;
  bool loaded_ = false;
  std::uint64_t epoch_ = 0;
  std::chrono::system_clock::time_point counted_{};
  std::int64_t last_download_ = 0;        // id in the download log
  std::vector<Entry> rows_;               // in slug order
  std::string text_;                      // search texts, in slug order, each ended by U+001F
  std::vector<Row> order_;                // rows in list order: downloads descending, then slug
  std::vector<domain::Slug> categories_;  // those in use
};

}  // namespace goldsmith::service

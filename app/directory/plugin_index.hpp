// The published plugins in list order, and how often each was downloaded: kept in memory, so that a
// list or a search reads no table, and a rendered response is known to be up to date (decisions R6,
// P1, P10, P21).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/clock.hpp"
#include "app/directory/need_index.hpp"
#include "app/directory/packed_index.hpp"
#include "db/plugin_store.hpp"

namespace goldsmith::directory {

class PluginIndex {
 public:
  // `counters` is asked for the downloads of which this host knows already, so it must not be that
  // of a replica.
  // `needs`: what is searched, too; null = not. Must outlive the object.
  PluginIndex(db::PluginStore& store, db::PluginStore& counters, const base::Clock& clock,
              NeedIndex* needs = nullptr)
      : store_(store), counters_(counters), clock_(clock), needs_(needs) {}

  // `epoch`: of limits::Freshness; when it has changed, the index reads the plugins that changed,
  // or all of them if they are many. It follows the download counters every two seconds. Functions
  // throw db::Error.

  // A page in the order that the filter asks for.
  db::PluginPage page(const db::PluginFilter& filter, std::int64_t offset, std::int64_t limit,
                      std::uint64_t epoch);

  // What a list shows of one plugin, as fresh as a page; std::nullopt if it is not published.
  std::optional<domain::PluginSummary> summary(std::string_view slug, std::uint64_t epoch);

  struct Totals {
    std::int64_t plugins = 0;
    std::int64_t downloads = 0;
  };
  // The sums of all published plugins, as fresh as a page.
  Totals totals(std::uint64_t epoch);
  // With their published plugins, by name.
  std::vector<domain::CategoryCount> categories(std::uint64_t epoch);

  // A plugin with its published versions. What lists show of it comes from the index.
  std::optional<domain::Plugin> find(const domain::Slug& slug, std::uint64_t epoch);

  // The memory that it takes, as of the last epoch that it was read in.
  std::size_t bytes() const;

  // A number that moves when any counter does.
  std::uint64_t counters(std::uint64_t epoch);

  // The counter of one plugin; std::nullopt if it is not published. Follows the counters at once
  // when `counted` (limits::SharedState::downloads()) has moved, so that this host's own downloads
  // show at once.
  std::optional<std::int64_t> downloads(std::string_view slug, std::uint64_t epoch,
                                        std::uint64_t counted);

 private:
  using Row = PluginTable::Row;

  void refresh(std::uint64_t epoch, bool with_words = false);
  // `with_words`: what searches by words need, which takes most of the time and memory.
  void load(bool with_words);
  // False if what has changed is not known, or is more than it is worth.
  bool follow_changes();
  // As the plugin of a new row, if the index has words.
  void add_words(Row row, const db::IndexedPlugin& plugin);
  void insert(const db::IndexedPlugin& plugin);
  void erase(Row row);
  bool is_due() const;
  void follow_counters();
  void move(Row row, std::int64_t downloads);
  bool before(Row left, Row right) const;
  // `scores`: of all rows; empty if no words were searched for.
  bool before(Row left, Row right, db::PluginOrder order,
              const std::vector<std::uint8_t>& scores) const;
  // Of all rows, as WordIndex::scores() has them; empty without words.
  std::vector<std::uint8_t> scores_of(const std::vector<std::string>& words);
  // Keep those of the rows that a toolchain compiles, or that need no more than that.
  void keep_compiled(std::vector<Row>& rows, const db::CompiledWith& toolchain);
  void keep_undemanding(std::vector<Row>& rows, const db::NeedsAtMost& needs);
  std::vector<Row>::iterator place_of(Row row);

  db::PluginStore& store_;
  db::PluginStore& counters_;
  const base::Clock& clock_;
  NeedIndex* needs_;
  bool loaded_ = false;
  std::uint64_t epoch_ = 0;
  std::chrono::system_clock::time_point counted_{};
  db::IndexedState state_;
  std::uint64_t counted_here_ = 0;    // downloads of this host, as of counted_
  std::uint64_t moves_ = 0;           // of counters
  std::int64_t total_downloads_ = 0;  // of all plugins
  PluginTable table_;
  std::vector<Row> order_;  // downloads descending, then slug
  bool has_words_ = false;
  WordIndex words_;
  std::vector<WordIndex::Document> documents_;  // in words_, by row; empty without words

  // The plugins for which a condition holds, read when it is asked for.
  template <typename Condition>
  struct Matching {
    Condition condition{};
    std::uint64_t epoch = 0;
    std::vector<bool> ids;  // by the plugin's id
  };
  template <typename Condition, typename Read>
  void keep(std::vector<Row>& rows, Matching<Condition>& known, const Condition& condition,
            Read read);
  // By line and proof.
  std::map<std::pair<std::string, db::CompiledWith::Proof>, Matching<db::CompiledWith>> compiled_;
  std::map<std::string, Matching<db::NeedsAtMost>> undemanding_;  // by lines
};

}  // namespace goldsmith::directory

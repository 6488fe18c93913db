// What an index in memory keeps of plugins.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "db/database.hpp"
#include "db/plugin_rows.hpp"

namespace goldsmith::db {
namespace {

// The columns of an IndexedPlugin, over kPluginTables.
std::string indexed_columns() {
  return std::string(kSummaryColumns) + ", p.id, p.search_text, p.console";
}

IndexedPlugin read_indexed(const Rows& rows, unsigned first) {
  const unsigned more = first + kSummaryWidth;
  return {read_summary(rows, first), rows.integer(more), rows.text(more + 1), rows.text(more + 2)};
}

// Calls visit(rows) for each row of a query that begins with the slug and ends with a condition, a
// piece at a time, because the rows of a query are all in memory. To be used inside Database::read.
template <typename Visit>
void each_row(Database& database, std::string query, Visit visit) {
  constexpr std::int64_t kPiece = 500;
  query += " AND p.slug > ? ORDER BY p.slug LIMIT ?";
  std::string last;
  for (std::int64_t count = kPiece; count == kPiece;) {
    const auto rows = database.query(query, {last, kPiece});
    for (count = 0; rows->next(); ++count) {
      last = rows->text(1);
      visit(*rows);
    }
  }
}

// Joins the plugins p to their latest versions v.
constexpr std::string_view kLatestVersions =
    " JOIN plugin_versions v ON v.plugin_id = p.id AND v.version = p.latest_version"
    " AND v.status = 'published'";

bool needs_no_more(const domain::CompileVerdict& verdict, const NeedsAtMost& most) {
  const auto is_of = [&](const CompiledWith& each) {
    return each.toolchain == verdict.toolchain && each.fingerprint == verdict.fingerprint;
  };
  const auto is_there = [&](const domain::PluginNeed& need) {
    return std::find(most.libraries.begin(), most.libraries.end(), need.name) !=
           most.libraries.end();
  };
  if (std::none_of(most.toolchains.begin(), most.toolchains.end(), is_of)) return false;
  if (verdict.result != domain::CompileResult::ok || !verdict.findings) return false;
  const auto& needs = verdict.findings->needs;
  if (!needs || (needs->natives && !needs->natives->imports.empty())) return false;
  return std::all_of(needs->required.begin(), needs->required.end(), is_there);
}

}  // namespace

IndexedState PluginStore::indexed_state() {
  const auto rows = database_.query("SELECT value, value - recorded FROM revision WHERE id = 1");
  return rows->next() ? IndexedState{rows->integer(1), rows->integer(2)} : IndexedState{};
}

IndexedState PluginStore::each_indexed(const std::function<void(const IndexedPlugin&)>& visit) {
  // Without the hint the server might read and sort all for each piece.
  const std::string query = "SELECT " + indexed_columns() +
                            " FROM plugins p FORCE INDEX (plugins_slug)"
                            " LEFT JOIN plugin_counters c ON c.slug = p.slug"
                            " WHERE p.status = 'published'";
  IndexedState state;
  database_.read([&] {
    state = indexed_state();
    state.download = last_download();
    each_row(database_, query, [&](const Rows& rows) { visit(read_indexed(rows, 1)); });
  });
  return state;
}

std::optional<IndexedState> PluginStore::each_indexed_change(const IndexedState& since,
                                                             std::int64_t most,
                                                             const VisitChange& visit) {
  const std::string sql =
      "SELECT x.slug, p.id, " + indexed_columns() +
      " FROM plugin_changes x"
      " LEFT JOIN plugins p ON p.slug = x.slug AND p.status = 'published'"
      " LEFT JOIN plugin_counters c ON c.slug = p.slug WHERE x.revision > ? LIMIT ?";
  IndexedState state;
  std::vector<std::pair<domain::Slug, std::optional<IndexedPlugin>>> changes;
  database_.read([&] {
    state = indexed_state();
    if (state.unrecorded != since.unrecorded || state.revision == since.revision) return;
    for (const auto rows = database_.query(sql, {since.revision, most + 1}); rows->next();) {
      changes.emplace_back(read_slug(*rows, 1), std::nullopt);
      if (!rows->is_null(2)) changes.back().second = read_indexed(*rows, 3);
    }
  });
  const bool are_known = state.unrecorded == since.unrecorded;
  if (!are_known || std::ssize(changes) > most) return std::nullopt;
  for (const auto& [slug, plugin] : changes) visit(slug, plugin ? &*plugin : nullptr);
  state.download = since.download;  // the counters of all others are as old as before
  return state;
}

// The verdicts are as write_verdicts() writes them: here they need not be read.
std::vector<std::int64_t> PluginStore::compiled_ids(const CompiledWith& toolchain) {
  const std::string verdict = toolchain.toolchain + " " + toolchain.fingerprint + " ok";
  const auto rows = database_.query("SELECT p.id FROM plugins p" + std::string(kLatestVersions) +
                                        " WHERE p.status = 'published'"
                                        " AND LOCATE(?, v.verdicts) > 0",
                                    {verdict});
  std::vector<std::int64_t> ids;
  while (rows->next()) ids.push_back(rows->integer(1));
  return ids;
}

std::vector<std::int64_t> PluginStore::ids_that_need(const NeedsAtMost& most) {
  // LEFT makes the server begin with the plugins: else it might sort all versions for each piece.
  const std::string query =
      "SELECT p.slug, p.id, v.verdicts"
      " FROM plugins p FORCE INDEX (plugins_slug) LEFT" +
      std::string(kLatestVersions) + " WHERE p.status = 'published'";
  std::vector<std::int64_t> ids;
  database_.read([&] {
    each_row(database_, query, [&](const Rows& rows) {
      const auto verdicts = read_verdicts(rows.text(3));
      if (std::any_of(verdicts.begin(), verdicts.end(),
                      [&](const auto& verdict) { return needs_no_more(verdict, most); })) {
        ids.push_back(rows.integer(2));
      }
    });
  });
  return ids;
}

std::int64_t PluginStore::last_download() {
  const auto rows = database_.query("SELECT COALESCE(MAX(id), 0) FROM download_log");
  return rows->next() ? rows->integer(1) : 0;
}

std::vector<std::pair<domain::Slug, std::int64_t>> PluginStore::counters_since(
    std::int64_t download) {
  const auto rows = database_.query("SELECT p.slug, p.downloads + COALESCE(c.downloads, 0) FROM " +
                                        std::string(kPluginTables) +
                                        " WHERE p.status = 'published' AND p.slug IN"
                                        " (SELECT DISTINCT slug FROM download_log WHERE id > ?)",
                                    {download});
  std::vector<std::pair<domain::Slug, std::int64_t>> counters;
  while (rows->next()) counters.emplace_back(read_slug(*rows, 1), rows->integer(2));
  return counters;
}

}  // namespace goldsmith::db

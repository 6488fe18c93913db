// Plugins as rows and back. Private to db/.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/domain/plugin.hpp"
#include "db/database.hpp"
#include "db/plugin_store.hpp"
#include "db/records.hpp"

namespace goldsmith::db {

// Plugins with their counters, which are apart so that downloads and imports don't wait for each
// other; the API shows the sum of both.
inline constexpr std::string_view kPluginTables =
    "plugins p LEFT JOIN plugin_counters c ON c.slug = p.slug";

domain::PluginSummary read_summary(Row& row);  // of kPluginTables
domain::Status read_status(Row& row, std::string_view column);
// Published or not; 0 if there is no such plugin.
std::int64_t find_plugin_id(Database& database, const domain::Slug& slug);

// `(?, ?, …)` for a list of any length would be a statement of its own each, and fill the
// connection's cache of statements: pads the list with `filler`, a value that no row has, to one of
// a few lengths.
void pad_list(std::vector<Parameter>& params, const Parameter& filler);

// The order of a version's files: by name, then folder.
bool comes_before(const domain::PluginFile& left, const domain::PluginFile& right);

struct StoredPlugin {
  std::int64_t id = 0;
  domain::Plugin plugin;
};
enum class Visible { published, all };
// What the API's workers may not read but `without`: `digested` has their SHA-256, `described` also
// what they name.
enum class Content { without, digested, described, with };
std::optional<StoredPlugin> load_plugin(Database& database, const domain::Slug& slug,
                                        Visible visible, Content content);

// `(?, ?, …)` for a statement's parameters. Precondition: not empty.
std::string placeholders(const std::vector<Parameter>& params);

// What `read` reads of the newest published version of each of these plugins that is published and
// has one: of a row of plugins p and plugin_versions v.
template <std::invocable<Row&> Read>
auto read_newest(Database& database, const std::vector<domain::Slug>& slugs, const Read& read) {
  using Found = std::map<domain::Slug, std::invoke_result_t<Read, Row&>>;
  if (slugs.empty()) return Found();
  std::vector<Parameter> params(slugs.begin(), slugs.end());
  pad_list(params, std::string_view());
  const auto read_pair = [&](Row& row) { return std::pair{row.slug("p.slug"), read(row)}; };
  Records rows(database, read_pair,
               "FROM plugins p JOIN plugin_versions v ON v.plugin_id = p.id"
               " AND v.version = p.latest_version AND v.status = 'published'"
               " WHERE p.status = 'published' AND p.slug IN " +
                   placeholders(params),
               params);
  return rows.template all<Found>();
}

// The newest published one (decision P1).
std::optional<domain::Version> latest_version(const std::vector<domain::PluginVersion>& versions);
// Sets the column `latest_version` from the version rows.
void refresh_latest_version(Database& database, std::int64_t plugin_id);

// What is told of a plugin at length, as the column `about` (0022_what_plugins_are.sql).

// "" if there is nothing to tell.
std::string write_about(const domain::PluginAbout& about);
// Throws Error{other} for what is not JSON. What write_about() does not write is left out.
domain::PluginAbout read_about(std::string_view text);

// Where plugins and versions come from, as the columns `upstream` and `origin` (0035_origins.sql);
// "" if it is not known. Reading leaves out what is not as written here.
std::string write_upstream(const domain::PluginUpstream& upstream);
domain::PluginUpstream read_upstream(std::string_view text);
std::string write_origin(const domain::VersionOrigin& origin);
domain::VersionOrigin read_origin(std::string_view text);

}  // namespace goldsmith::db

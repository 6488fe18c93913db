// What is asked of many plugins at once (plugin_store.hpp).
#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "db/database.hpp"
#include "db/plugin_rows.hpp"
#include "db/plugin_store.hpp"

namespace goldsmith::db {

namespace {

// Of plugins p and their versions v.
PluginFamily read_family(Row& row) {
  PluginFamily family{row.text("p.author"), ""};
  const std::string origin = row.text("v.origin");
  if (!origin.empty()) family.repository = read_origin(origin).repository;
  return family;
}

}  // namespace

std::vector<LibraryPlugin> PluginStore::library_plugins() {
  const auto read = [](Row& row) {
    LibraryPlugin plugin{row.slug("p.slug"), row.text("p.name"), row.version("v.version"),
                         read_verdicts(row.text("v.verdicts")), read_family(row)};
    domain::PluginFile entry;
    entry.filename = row.text(
        "(SELECT f.filename FROM plugin_files f WHERE f.version_id = v.id AND f.kind = 'sma'"
        " ORDER BY f.is_primary DESC, f.filename LIMIT 1)");
    if (!entry.filename.empty()) plugin.binary = domain::binary_name(entry);
    return plugin;
  };
  return Records(database_, read,
                 "FROM " + std::string(kPluginTables) +
                     " JOIN plugin_versions v ON v.plugin_id = p.id"
                     " AND v.version = p.latest_version AND v.status = 'published'"
                     " WHERE p.status = 'published'"
                     // As write_findings() writes them.
                     " AND v.verdicts REGEXP ',(registers|offer):'"
                     " ORDER BY p.downloads + COALESCE(c.downloads, 0) DESC, p.slug")
      .all();
}

std::map<domain::Slug, PluginFamily> PluginStore::families(const std::vector<domain::Slug>& slugs) {
  return read_newest(database_, slugs, read_family);
}

std::vector<domain::PluginCvar> PluginStore::cvars(const std::vector<domain::Slug>& slugs) {
  std::vector<domain::PluginCvar> cvars;
  if (slugs.empty()) return cvars;
  std::vector<Parameter> params(slugs.begin(), slugs.end());
  pad_list(params, std::string_view());
  const auto rows = database_.query(
      "SELECT about FROM plugins WHERE about IS NOT NULL AND status = 'published' AND slug IN " +
          placeholders(params),
      params);
  while (rows->next()) {
    std::ranges::move(read_about(rows->text(1)).cvars, std::back_inserter(cvars));
  }
  return cvars;
}

}  // namespace goldsmith::db

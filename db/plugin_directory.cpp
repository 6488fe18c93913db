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

// Two columns: an author, and where a version comes from.
PluginFamily read_family(const Rows& rows, unsigned column) {
  PluginFamily family{rows.text(column), ""};
  if (!rows.is_null(column + 1)) family.repository = read_origin(rows.text(column + 1)).repository;
  return family;
}

}  // namespace

std::vector<LibraryPlugin> PluginStore::library_plugins() {
  // As write_findings() writes them.
  const auto rows = database_.query(
      "SELECT p.slug, p.name, v.version, v.verdicts, p.author, v.origin,"
      " (SELECT f.filename FROM plugin_files f WHERE f.version_id = v.id"
      " AND f.kind = 'sma' ORDER BY f.is_primary DESC, f.filename LIMIT 1) FROM " +
          std::string(kPluginTables) +
          " JOIN plugin_versions v ON v.plugin_id = p.id"
          " AND v.version = p.latest_version"
          " AND v.status = 'published'"
          " WHERE p.status = 'published'"
          " AND v.verdicts REGEXP ',(registers|offer):'"
          " ORDER BY p.downloads + COALESCE(c.downloads, 0) DESC,"
          " p.slug",
      {});
  std::vector<LibraryPlugin> plugins;
  while (rows->next()) {
    plugins.push_back({read_slug(*rows, 1), rows->text(2), read_version(*rows, 3),
                       read_verdicts(rows->text(4)), read_family(*rows, 5)});
    if (rows->is_null(7)) continue;
    domain::PluginFile entry;
    entry.filename = rows->text(7);
    plugins.back().binary = domain::binary_name(entry);
  }
  return plugins;
}

std::map<domain::Slug, PluginFamily> PluginStore::families(const std::vector<domain::Slug>& slugs) {
  std::map<domain::Slug, PluginFamily> families;
  if (slugs.empty()) return families;
  std::vector<Parameter> params(slugs.begin(), slugs.end());
  pad_list(params, std::string_view());
  const auto rows = database_.query(
      "SELECT p.slug, p.author, v.origin FROM plugins p JOIN plugin_versions v ON v.plugin_id = "
      "p.id"
      " AND v.version = p.latest_version AND v.status = 'published'"
      " WHERE p.status = 'published' AND p.slug IN " +
          placeholders(params),
      params);
  while (rows->next()) families.emplace(read_slug(*rows, 1), read_family(*rows, 2));
  return families;
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

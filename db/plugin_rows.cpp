#include "db/plugin_rows.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "db/typed_rows.hpp"

namespace goldsmith::db {
namespace {

// Of plugin_files under the name f. Does not read content that is not needed.
std::string file_columns(Content content) {
  return std::string("f.filename, f.install_dir, f.kind, f.is_primary, f.sha1, f.size_bytes, ") +
         (content == Content::with ? "f.content" : "''");
}

domain::PluginFile read_file(const Rows& rows, unsigned first) {
  domain::PluginFile file;
  file.filename = rows.text(first);
  file.install_dir = rows.text(first + 1);
  file.kind = rows.text(first + 2);
  file.is_primary = rows.integer(first + 3) != 0;
  file.sha1 = rows.text(first + 4);
  file.size_bytes = rows.integer(first + 5);
  file.content = rows.text(first + 6);
  return file;
}

// The first columns of a row that has a version and a file; the file's columns follow.
constexpr unsigned kFileStart = 4;
constexpr unsigned kFileEnd = kFileStart + 7;

domain::PluginVersion read_plugin_version(const Rows& rows) {
  domain::PluginVersion version;
  version.version = read_version(rows, 1);
  version.created_at = read_timestamp(rows, 2);
  version.status = read_status(rows, 3);
  return version;
}

// Rows of (version, created_at, status, file…) in any order: to sort rows that have content, the
// server would write them to a temporary table. A version without files has one row of
// NULLs.
std::vector<domain::PluginVersion> read_versions(Rows& rows) {
  std::map<domain::Version, domain::PluginVersion> by_name;
  while (rows.next()) {
    domain::PluginVersion& version = by_name[read_version(rows, 1)];
    if (version.version.empty()) version = read_plugin_version(rows);
    if (!rows.is_null(kFileStart)) version.files.push_back(read_file(rows, kFileStart));
  }
  std::vector<domain::PluginVersion> versions;
  for (auto& [name, version] : by_name) {
    std::sort(version.files.begin(), version.files.end(), comes_before);
    versions.push_back(std::move(version));
  }
  std::sort(versions.begin(), versions.end(),
            [](const auto& left, const auto& right) { return domain::is_newer(left, right); });
  return versions;
}

std::vector<domain::PluginVersion> load_versions(Database& database, std::int64_t plugin_id,
                                                 Visible visible, Content content) {
  const std::string sql = "SELECT v.version, v.created_at, v.status, " + file_columns(content) +
                          " FROM plugin_versions v LEFT JOIN plugin_files f ON f.version_id = v.id"
                          " WHERE v.plugin_id = ?" +
                          (visible == Visible::published ? " AND v.status = 'published'" : "");
  return read_versions(*database.query(sql, {plugin_id}));
}

std::vector<std::string> load_tags(Database& database, std::int64_t plugin_id) {
  std::vector<std::string> tags;
  const auto rows = database.query(
      "SELECT tag FROM plugin_tags WHERE plugin_id = ? ORDER BY position", {plugin_id});
  while (rows->next()) tags.push_back(rows->text(1));
  return tags;
}

}  // namespace

bool comes_before(const domain::PluginFile& left, const domain::PluginFile& right) {
  return std::tie(left.filename, left.install_dir) < std::tie(right.filename, right.install_dir);
}

domain::Status read_status(const Rows& rows, unsigned column) {
  return rows.text(column) == domain::to_string(domain::Status::published)
             ? domain::Status::published
             : domain::Status::draft;
}

domain::PluginSummary read_summary(const Rows& rows) {
  return {read_slug(rows, 1),
          rows.text(2),
          read_slug(rows, 3),
          rows.text(4),
          rows.text(5),
          read_optional_version(rows, 6),
          {rows.integer(7), rows.integer(8)},
          rows.integer(9),
          read_timestamp(rows, 10)};
}

std::string select_summaries(std::string_view more) {
  std::string sql = "SELECT ";
  sql += kSummaryColumns;
  sql += more;
  sql += " FROM ";
  return sql += kPluginTables;
}

std::int64_t find_plugin_id(Database& database, const domain::Slug& slug) {
  const auto rows = database.query("SELECT id FROM plugins WHERE slug = ?", {slug});
  return rows->next() ? rows->integer(1) : 0;
}

std::optional<StoredPlugin> load_plugin(Database& database, const domain::Slug& slug,
                                        Visible visible, Content content) {
  std::string sql =
      select_summaries(", p.id, p.original_url, p.toolchain, p.status") + " WHERE p.slug = ?";
  if (visible == Visible::published) sql += " AND p.status = 'published'";

  std::optional<StoredPlugin> stored;
  database.read([&] {
    const auto rows = database.query(sql, {slug});
    if (!rows->next()) return;
    domain::PluginSummary summary = read_summary(*rows);
    stored.emplace();
    stored->id = rows->integer(kSummaryWidth + 1);
    domain::Plugin& plugin = stored->plugin;
    plugin.slug = summary.slug;
    plugin.name = std::move(summary.name);
    plugin.category = summary.category;
    plugin.author = std::move(summary.author);
    plugin.license = std::move(summary.license);
    plugin.rating = summary.rating;
    plugin.downloads = summary.downloads;
    plugin.updated_at = summary.updated_at;
    plugin.original_url = rows->text(kSummaryWidth + 2);
    plugin.toolchain = rows->text(kSummaryWidth + 3);
    plugin.status = read_status(*rows, kSummaryWidth + 4);
    plugin.tags = load_tags(database, stored->id);
    plugin.versions = load_versions(database, stored->id, visible, content);
  });
  return stored;
}

std::optional<PublishedVersion> load_published_version(Database& database, const domain::Slug& slug,
                                                       const domain::Version& version) {
  const std::string sql =
      "SELECT v.version, v.created_at, v.status, " + file_columns(Content::with) +
      ", p.toolchain FROM plugins p JOIN plugin_versions v ON v.plugin_id = p.id"
      " LEFT JOIN plugin_files f ON f.version_id = v.id"
      " WHERE p.slug = ? AND p.status = 'published' AND v.version = ? AND v.status = 'published'";
  const auto rows = database.query(sql, {slug, version});
  std::optional<PublishedVersion> found;
  while (rows->next()) {
    if (!found) found.emplace(PublishedVersion{read_plugin_version(*rows), rows->text(kFileEnd)});
    if (!rows->is_null(kFileStart)) found->version.files.push_back(read_file(*rows, kFileStart));
  }
  if (found) std::sort(found->version.files.begin(), found->version.files.end(), comes_before);
  return found;
}

std::map<domain::Slug, std::optional<domain::PluginVersion>> load_newest_versions(
    Database& database, const std::vector<domain::Slug>& slugs) {
  std::map<domain::Slug, std::optional<domain::PluginVersion>> newest;
  if (slugs.empty()) return newest;
  std::vector<Parameter> params(slugs.begin(), slugs.end());
  pad_list(params, std::string_view());
  const std::string sql =
      "SELECT v.version, v.created_at, v.status, " + file_columns(Content::with) +
      ", p.slug FROM plugins p"
      " LEFT JOIN plugin_versions v ON v.plugin_id = p.id AND v.version = p.latest_version"
      " AND v.status = 'published'"
      " LEFT JOIN plugin_files f ON f.version_id = v.id"
      " WHERE p.status = 'published' AND p.slug IN " +
      placeholders(params);
  const auto rows = database.query(sql, params);
  while (rows->next()) {
    auto& version = newest[read_slug(*rows, kFileEnd)];
    if (rows->is_null(1)) continue;
    if (!version) version = read_plugin_version(*rows);
    if (!rows->is_null(kFileStart)) version->files.push_back(read_file(*rows, kFileStart));
  }
  for (auto& [slug, version] : newest) {
    if (version) std::sort(version->files.begin(), version->files.end(), comes_before);
  }
  return newest;
}

void pad_list(std::vector<Parameter>& params, const Parameter& filler) {
  constexpr std::size_t kStep = 25;
  params.resize((params.size() + kStep - 1) / kStep * kStep, filler);
}

std::string placeholders(const std::vector<Parameter>& params) {
  std::string list = "(?";
  for (std::size_t i = 1; i < params.size(); ++i) list += ", ?";
  return list + ")";
}

std::optional<domain::Version> latest_version(const std::vector<domain::PluginVersion>& versions) {
  const domain::PluginVersion* latest = nullptr;
  for (const domain::PluginVersion& version : versions) {
    if (version.status != domain::Status::published) continue;
    if (!latest || domain::is_newer(version, *latest)) latest = &version;
  }
  return latest ? std::optional(latest->version) : std::nullopt;
}

void refresh_latest_version(Database& database, std::int64_t plugin_id) {
  const auto rows = database.query(
      "SELECT version, created_at, status FROM plugin_versions WHERE plugin_id = ?", {plugin_id});
  std::vector<domain::PluginVersion> versions;
  while (rows->next()) {
    versions.push_back(
        {read_version(*rows, 1), read_timestamp(*rows, 2), read_status(*rows, 3), {}});
  }
  const auto latest = latest_version(versions);
  database.execute("UPDATE plugins SET latest_version = ? WHERE id = ?",
                   {text_or_empty(latest), plugin_id});
}

}  // namespace goldsmith::db

#include "db/plugin_rows.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "app/base/json.hpp"
#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/domain/record.hpp"
#include "db/database.hpp"
#include "db/verdict_store.hpp"

namespace goldsmith::db {

namespace {

// Columns of plugin_files, which is f. What is not needed is not read.
std::string file_columns(Content content) {
  std::string columns =
      "f.filename, f.install_dir, f.kind, f.is_primary, f.sha1, f.size_bytes, f.charset,"
      " f.position";
  if (content == Content::digested) columns += ", f.sha256";
  if (content == Content::described) columns += ", f.sha256, f.named";
  if (content == Content::with) columns += ", f.content";
  return columns;
}

constexpr unsigned file_width(Content content) {
  switch (content) {
    case Content::without:
      return 8;
    case Content::described:
      return 10;
    case Content::digested:
    case Content::with:
      break;
  }
  return 9;
}

domain::PluginFile read_file(const Rows& rows, unsigned first, Content content) {
  domain::PluginFile file;
  file.filename = rows.text(first);
  file.install_dir = rows.text(first + 1);
  file.kind = rows.text(first + 2);
  file.is_primary = rows.integer(first + 3) != 0;
  file.sha1 = rows.text(first + 4);
  file.size_bytes = rows.integer(first + 5);
  file.charset = rows.text(first + 6);
  file.position = rows.integer(first + 7);
  if (content == Content::digested) file.sha256 = rows.text(first + 8);
  if (content == Content::described) {
    file.sha256 = rows.text(first + 8);
    if (!file.sha256.empty()) file.named = read_named(rows.text(first + 9));
  }
  if (content == Content::with) file.content = rows.text(first + 8);
  return file;
}

// The first columns of a row that has a version and a file; the file's columns follow.
constexpr unsigned kFileStart = 5;
constexpr unsigned file_end(Content content) { return kFileStart + file_width(content); }

domain::PluginVersion read_plugin_version(const Rows& rows) {
  domain::PluginVersion version;
  version.version = read_version(rows, 1);
  version.created_at = read_timestamp(rows, 2);
  version.status = read_status(rows, 3);
  const std::string verdicts = rows.text(4);
  version.verdicts = read_verdicts(verdicts);
  version.starts = read_starts(verdicts);
  return version;
}

// read_plugin_version(), with the id and the digest of the content in the columns behind.
domain::PluginVersion read_head(const Rows& rows) {
  domain::PluginVersion version = read_plugin_version(rows);
  version.id = rows.integer(5);
  version.content_digest = rows.text(6);
  return version;
}

// A version without files has a row with NULLs instead.
void add_file(domain::PluginVersion& version, const Rows& rows, Content content) {
  if (rows.is_null(kFileStart)) return;
  version.files.push_back(read_file(rows, kFileStart, content));
}

// A version is described as a whole or not at all.
void settle_files(domain::PluginVersion& version) {
  std::sort(version.files.begin(), version.files.end(), comes_before);
  if (!version.content_digest.empty()) return;
  for (domain::PluginFile& file : version.files) file.named.reset();
}

// Collects rows of (version, created_at, status, verdicts, file…) that come in any order: to sort
// rows that have content, the server would write them to a temporary table.
class VersionReader {
 public:
  explicit VersionReader(Content content) : content_(content) {}

  // A plugin without versions has one row with NULLs alone. `texts`: the first of kTextColumns.
  // `named`: the column of what the file names, if it is known; 0 = it is not asked for.
  void read(const Rows& rows, unsigned texts, unsigned named = 0) {
    if (rows.is_null(1)) return;
    domain::PluginVersion& version = by_name_[read_version(rows, 1)];
    if (version.version.empty()) version = read_plugin_version(rows);
    if (!rows.is_null(texts)) version.changes = rows.text(texts);
    if (!rows.is_null(texts + 1)) version.origin = read_origin(rows.text(texts + 1));
    if (!rows.is_null(texts + 2)) version.held = rows.text(texts + 2);
    add_file(version, rows, content_);
    if (named == 0 || rows.is_null(named) || version.files.empty()) return;
    version.files.back().named = read_named(rows.text(named));
  }

  // Newest first; to be called once.
  std::vector<domain::PluginVersion> take() {
    std::vector<domain::PluginVersion> versions;
    for (auto& [name, version] : by_name_) {
      std::sort(version.files.begin(), version.files.end(), comes_before);
      versions.push_back(std::move(version));
    }
    std::sort(versions.begin(), versions.end(),
              [](const auto& left, const auto& right) { return domain::is_newer(left, right); });
    return versions;
  }

 private:
  Content content_;
  std::map<domain::Version, domain::PluginVersion> by_name_;
};

// What a list does not show: of the plugin, and texts of the version, which come with its first
// file alone. No tag holds a comma. What is told of the plugin at length, and its upstream, would
// come with each file: load_more() reads them.
constexpr std::string_view kDetailColumns =
    "p.original_url, p.toolchain, p.tags, p.about IS NOT NULL OR p.upstream IS NOT NULL,"
    " IF(f.position > 0, NULL, v.changes), IF(f.position > 0, NULL, v.origin),"
    " IF(f.position > 0, NULL, v.held)";
constexpr unsigned kDetailWidth = 7;
constexpr unsigned kHasMore = 3;
constexpr unsigned kTexts = 4;

// `first`: of kDetailColumns.
void read_details(const Rows& rows, unsigned first, domain::Plugin& plugin) {
  plugin.original_url = rows.text(first);
  plugin.toolchain = rows.text(first + 1);
  if (rows.is_null(first + 2)) return;
  const std::string tags = rows.text(first + 2);
  for (const std::string_view tag : base::split(tags, ',')) plugin.tags.emplace_back(tag);
}

void load_more(Database& database, std::int64_t id, domain::Plugin& plugin) {
  const auto rows = database.query("SELECT about, upstream FROM plugins WHERE id = ?", {id});
  if (!rows->next()) return;
  if (!rows->is_null(1)) plugin.about = read_about(rows->text(1));
  if (!rows->is_null(2)) plugin.upstream = read_upstream(rows->text(2));
}

// `first`: of kDetailColumns, which the summary's columns, p.id and p.status follow.
StoredPlugin read_plugin(const Rows& rows, unsigned first) {
  const unsigned more = first + kDetailWidth + kSummaryWidth;
  StoredPlugin stored;
  stored.plugin = {read_summary(rows, first + kDetailWidth)};
  read_details(rows, first, stored.plugin);
  stored.id = rows.integer(more);
  stored.plugin.status = read_status(rows, more + 1);
  return stored;
}

// Joins the versions and their files to the plugins p.
std::string version_tables(Visible visible) {
  return std::string(" LEFT JOIN plugin_versions v ON v.plugin_id = p.id") +
         (visible == Visible::published ? " AND v.status = 'published'" : "") +
         " LEFT JOIN plugin_files f ON f.version_id = v.id";
}

// In a query that names a version.
const char* condition_of(Drafts drafts) {
  return drafts == Drafts::found ? "" : " AND p.status = 'published' AND v.status = 'published'";
}

}  // namespace

void pad_list(std::vector<Parameter>& params, const Parameter& filler) {
  constexpr std::size_t kStep = 25;
  params.resize((params.size() + kStep - 1) / kStep * kStep, filler);
}

bool comes_before(const domain::PluginFile& left, const domain::PluginFile& right) {
  return std::tie(left.filename, left.install_dir) < std::tie(right.filename, right.install_dir);
}

domain::Status read_status(const Rows& rows, unsigned column) {
  return rows.text(column) == domain::to_string(domain::Status::published)
             ? domain::Status::published
             : domain::Status::draft;
}

domain::PluginSummary read_summary(const Rows& rows, unsigned first) {
  return {read_slug(rows, first),
          rows.text(first + 1),
          read_slug(rows, first + 2),
          rows.text(first + 3),
          rows.text(first + 4),
          read_optional_version(rows, first + 5),
          {rows.integer(first + 6), rows.integer(first + 7)},
          rows.integer(first + 8),
          read_timestamp(rows, first + 9),
          rows.text(first + 10)};
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

// One statement sees one state of the versions and files, without a transaction around it.
std::optional<StoredPlugin> load_plugin(Database& database, const domain::Slug& slug,
                                        Visible visible, Content content) {
  std::string sql =
      "SELECT v.version, v.created_at, v.status, v.verdicts, " + file_columns(content) + ", ";
  sql.append(kDetailColumns).append(", ").append(kSummaryColumns);
  sql.append(", p.id, p.status FROM ").append(kPluginTables).append(version_tables(visible));
  sql += " WHERE p.slug = ?";
  if (visible == Visible::published) sql += " AND p.status = 'published'";

  const unsigned details = file_end(content);
  std::optional<StoredPlugin> stored;
  VersionReader versions(content);
  bool has_more = false;
  const auto rows = database.query(sql, {slug});
  while (rows->next()) {
    if (!stored) {
      stored = read_plugin(*rows, details);
      has_more = rows->integer(details + kHasMore) != 0;
    }
    versions.read(*rows, details + kTexts);
  }
  if (!stored) return std::nullopt;
  stored->plugin.versions = versions.take();
  if (has_more) load_more(database, stored->id, stored->plugin);
  return stored;
}

std::optional<domain::Plugin> PluginStore::find_rest(std::int64_t id,
                                                     domain::PluginSummary summary) {
  static const std::string sql =
      "SELECT v.version, v.created_at, v.status, v.verdicts, " + file_columns(Content::without) +
      ", " + std::string(kDetailColumns) +
      ", IF(v.version = p.latest_version AND v.content_digest <> '', IFNULL(f.named, ''), NULL)"
      " FROM plugins p" +
      version_tables(Visible::published) + " WHERE p.id = ? AND p.status = 'published'";
  constexpr unsigned kDetails = file_end(Content::without);
  VersionReader versions(Content::without);
  const auto rows = database_.query(sql, {id});
  if (!rows->next()) return std::nullopt;
  domain::Plugin plugin{std::move(summary)};
  plugin.status = domain::Status::published;
  read_details(*rows, kDetails, plugin);
  const bool has_more = rows->integer(kDetails + kHasMore) != 0;
  do {
    versions.read(*rows, kDetails + kTexts, kDetails + kDetailWidth);
  } while (rows->next());
  plugin.versions = versions.take();
  if (has_more) load_more(database_, id, plugin);
  return plugin;
}

void PluginStore::each_version(
    const std::function<void(const PluginName& plugin, domain::PluginVersion version)>& visit) {
  constexpr Content kContent = Content::digested;
  constexpr unsigned kMore = file_end(kContent);
  const auto rows = database_.query(
      "SELECT v.version, v.created_at, v.status, v.verdicts, " + file_columns(kContent) +
      ", p.slug, v.id, p.name, p.author FROM plugins p"
      " JOIN plugin_versions v ON v.plugin_id = p.id LEFT JOIN plugin_files f ON f.version_id = "
      "v.id"
      " WHERE p.status = 'published' AND v.status = 'published' ORDER BY p.slug, v.id");
  std::optional<std::pair<PluginName, domain::PluginVersion>> current;
  const auto finish = [&] {
    if (!current) return;
    settle_files(current->second);
    visit(current->first, std::move(current->second));
  };
  while (rows->next()) {
    if (!current || current->second.id != rows->integer(kMore + 1)) {
      finish();
      current.emplace(
          PluginName{read_slug(*rows, kMore), rows->text(kMore + 2), rows->text(kMore + 3)},
          read_plugin_version(*rows));
      current->second.id = rows->integer(kMore + 1);
    }
    add_file(current->second, *rows, kContent);
  }
  finish();
}

std::optional<PublishedVersion> PluginStore::find_head(const domain::Slug& slug,
                                                       const domain::Version& version) {
  const auto rows = database_.query(
      "SELECT v.version, v.created_at, v.status, v.verdicts, v.id, v.content_digest, p.toolchain"
      " FROM plugins p JOIN plugin_versions v ON v.plugin_id = p.id"
      " WHERE p.slug = ? AND v.version = ?" +
          std::string(condition_of(drafts_)),
      {slug, version});
  if (!rows->next()) return std::nullopt;
  return PublishedVersion{read_head(*rows), rows->text(7)};
}

// One statement, so that the files are those of the version.
std::optional<PublishedVersion> PluginStore::find_version(const domain::Slug& slug,
                                                          const domain::Version& version) {
  constexpr Content kContent = Content::described;
  const std::string sql = "SELECT v.version, v.created_at, v.status, v.verdicts, " +
                          file_columns(kContent) +
                          ", p.toolchain, v.id, v.content_digest"
                          " FROM plugins p JOIN plugin_versions v ON v.plugin_id = p.id"
                          " LEFT JOIN plugin_files f ON f.version_id = v.id"
                          " WHERE p.slug = ? AND v.version = ?" +
                          condition_of(drafts_);
  const auto rows = database_.query(sql, {slug, version});
  std::optional<PublishedVersion> found;
  while (rows->next()) {
    if (!found) {
      constexpr unsigned kMore = file_end(kContent);
      found.emplace(PublishedVersion{read_plugin_version(*rows), rows->text(kMore)});
      found->version.id = rows->integer(kMore + 1);
      found->version.content_digest = rows->text(kMore + 2);
    }
    add_file(found->version, *rows, kContent);
  }
  if (found) settle_files(found->version);
  return found;
}

std::map<domain::Slug, NewestVersion> PluginStore::find_newest(
    const std::vector<domain::Slug>& slugs) {
  std::map<domain::Slug, NewestVersion> newest;
  if (slugs.empty()) return newest;
  std::vector<Parameter> params(slugs.begin(), slugs.end());
  pad_list(params, std::string_view());
  const std::string sql =
      "SELECT v.version, v.created_at, v.status, v.verdicts, v.id, v.content_digest, p.slug, p.name"
      " FROM plugins p"
      " LEFT JOIN plugin_versions v ON v.plugin_id = p.id AND v.version = p.latest_version"
      " AND v.status = 'published' WHERE " +
      std::string(drafts_ == Drafts::found ? "" : "p.status = 'published' AND ") + "p.slug IN " +
      placeholders(params);
  const auto rows = database_.query(sql, params);
  while (rows->next()) {
    auto& [name, version] = newest[read_slug(*rows, 7)];
    name = rows->text(8);
    if (!rows->is_null(1)) version = read_head(*rows);
  }
  return newest;
}

void PluginStore::load_files(const std::vector<domain::PluginVersion*>& versions) {
  std::map<std::int64_t, domain::PluginVersion*> by_id;
  for (domain::PluginVersion* version : versions) {
    version->files.clear();
    by_id.emplace(version->id, version);
  }
  if (by_id.empty()) return;
  std::vector<Parameter> params;
  for (const auto& [id, version] : by_id) params.emplace_back(id);
  pad_list(params, std::int64_t{0});
  const auto rows = database_.query(
      "SELECT " + file_columns(Content::described) +
          ", f.version_id FROM plugin_files f WHERE f.version_id IN " + placeholders(params),
      params);
  while (rows->next()) {
    domain::PluginVersion& version = *by_id.at(rows->integer(file_width(Content::described) + 1));
    version.files.push_back(read_file(*rows, 1, Content::described));
  }
  for (const auto& [id, version] : by_id) settle_files(*version);
}

std::map<domain::Slug, PublishedVersion> PluginStore::newest_verdicts(
    const std::vector<domain::Slug>& slugs) {
  std::map<domain::Slug, PublishedVersion> newest;
  if (slugs.empty()) return newest;
  std::vector<Parameter> params(slugs.begin(), slugs.end());
  pad_list(params, std::string_view());
  const auto rows = database_.query(
      "SELECT v.version, v.created_at, v.status, v.verdicts, p.slug, p.toolchain FROM plugins p"
      " JOIN plugin_versions v ON v.plugin_id = p.id AND v.version = p.latest_version"
      " AND v.status = 'published' WHERE p.status = 'published' AND p.slug IN " +
          placeholders(params),
      params);
  while (rows->next()) {
    newest.emplace(read_slug(*rows, kFileStart),
                   PublishedVersion{read_plugin_version(*rows), rows->text(kFileStart + 1)});
  }
  return newest;
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

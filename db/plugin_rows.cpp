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

// Of plugin_files, which is f; without a name for a version that has no files. What is not needed
// is not read.
domain::PluginFile read_file(Row& row, Content content) {
  domain::PluginFile file;
  file.filename = row.text("f.filename");
  file.install_dir = row.text("f.install_dir");
  file.kind = row.text("f.kind");
  file.is_primary = row.flag("f.is_primary");
  file.sha1 = row.text("f.sha1");
  file.size_bytes = row.integer("f.size_bytes");
  file.charset = row.text("f.charset");
  file.position = row.integer("f.position");
  if (content == Content::digested) file.sha256 = row.text("f.sha256");
  if (content == Content::described) {
    file.sha256 = row.text("f.sha256");
    const std::string named = row.text("f.named");
    if (!file.sha256.empty()) file.named = read_named(named);
  }
  if (content == Content::with) file.content = row.text("f.content");
  return file;
}

// Of plugin_versions, which is v; without a name for a plugin that has no versions. Verdicts stay
// text: most rows are about another file of the same version.
struct VersionColumns {
  domain::PluginVersion version = {};
  std::string verdicts = {};
};

VersionColumns read_version_columns(Row& row) {
  VersionColumns read;
  read.version.version = row.optional_version("v.version").value_or(domain::Version());
  read.version.created_at = row.optional_timestamp("v.created_at");
  read.version.status = read_status(row, "v.status");
  read.verdicts = row.text("v.verdicts");
  return read;
}

domain::PluginVersion read_plugin_version(VersionColumns columns) {
  columns.version.verdicts = read_verdicts(columns.verdicts);
  columns.version.starts = read_starts(columns.verdicts);
  return std::move(columns.version);
}

// With the id and the digest of the content.
VersionColumns read_head(Row& row) {
  VersionColumns read = read_version_columns(row);
  read.version.id = row.integer("v.id");
  read.version.content_digest = row.text("v.content_digest");
  return read;
}

void add_file(domain::PluginVersion& version, domain::PluginFile file) {
  if (!file.filename.empty()) version.files.push_back(std::move(file));
}

// A version is described as a whole or not at all.
void settle_files(domain::PluginVersion& version) {
  std::sort(version.files.begin(), version.files.end(), comes_before);
  if (!version.content_digest.empty()) return;
  for (domain::PluginFile& file : version.files) file.named.reset();
}

// A row of a plugin p: one for each file of each version, or fewer where there is none.
struct PluginRow {
  StoredPlugin stored = {};
  bool has_more = false;  // for load_more()
  VersionColumns version = {};
  domain::PluginFile file = {};
};

// Of the version, and what a list does not show of the plugin. Texts of the version come with its
// first file alone. No tag holds a comma. What is told of the plugin at length, and its upstream,
// would come with each file: load_more() reads them.
PluginRow read_details(Row& row, Content content) {
  PluginRow read;
  read.version = read_version_columns(row);
  domain::PluginVersion& version = read.version.version;
  version.changes = row.text("IF(f.position > 0, NULL, v.changes)");
  const std::string origin = row.text("IF(f.position > 0, NULL, v.origin)");
  if (!origin.empty()) version.origin = read_origin(origin);
  version.held = row.text("IF(f.position > 0, NULL, v.held)");
  read.file = read_file(row, content);
  domain::Plugin& plugin = read.stored.plugin;
  plugin.original_url = row.text("p.original_url");
  plugin.toolchain = row.text("p.toolchain");
  if (const std::string tags = row.text("p.tags"); !tags.empty()) {
    for (const std::string_view tag : base::split(tags, ',')) plugin.tags.emplace_back(tag);
  }
  read.has_more = row.flag("p.about IS NOT NULL OR p.upstream IS NOT NULL");
  return read;
}

void load_more(Database& database, std::int64_t id, domain::Plugin& plugin) {
  const auto rows = database.query("SELECT about, upstream FROM plugins WHERE id = ?", {id});
  if (!rows->next()) return;
  if (!rows->is_null(1)) plugin.about = read_about(rows->text(1));
  if (!rows->is_null(2)) plugin.upstream = read_upstream(rows->text(2));
}

// Collects rows that come in any order: to sort rows that have content, the server would write them
// to a temporary table.
class VersionReader {
 public:
  void add(PluginRow row) {
    domain::PluginVersion& read = row.version.version;
    if (read.version.empty()) return;
    domain::PluginVersion& version = by_name_[read.version];
    if (version.version.empty()) {
      version = read_plugin_version(std::move(row.version));
    } else if (row.file.position == 0) {
      version.changes = std::move(read.changes);
      version.origin = std::move(read.origin);
      version.held = std::move(read.held);
    }
    add_file(version, std::move(row.file));
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
  std::map<domain::Version, domain::PluginVersion> by_name_;
};

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

domain::Status read_status(Row& row, std::string_view column) {
  return row.text(column) == domain::to_string(domain::Status::published)
             ? domain::Status::published
             : domain::Status::draft;
}

domain::PluginSummary read_summary(Row& row) {
  return {row.slug("p.slug"),
          row.text("p.name"),
          row.slug("p.category"),
          row.text("p.author"),
          row.text("p.license"),
          row.optional_version("p.latest_version"),
          {row.integer("p.rating_sum"), row.integer("p.rating_count")},
          row.integer("p.downloads + COALESCE(c.downloads, 0)"),
          row.timestamp("p.updated_at"),
          row.text("p.summary")};
}

std::int64_t find_plugin_id(Database& database, const domain::Slug& slug) {
  const auto rows = database.query("SELECT id FROM plugins WHERE slug = ?", {slug});
  return rows->next() ? rows->integer(1) : 0;
}

// One statement sees one state of the versions and files, without a transaction around it.
std::optional<StoredPlugin> load_plugin(Database& database, const domain::Slug& slug,
                                        Visible visible, Content content) {
  const auto read = [&](Row& row) {
    PluginRow plugin = read_details(row, content);
    static_cast<domain::PluginSummary&>(plugin.stored.plugin) = read_summary(row);
    plugin.stored.id = row.integer("p.id");
    plugin.stored.plugin.status = read_status(row, "p.status");
    return plugin;
  };
  Records rows(database, read,
               "FROM " + std::string(kPluginTables) + version_tables(visible) +
                   " WHERE p.slug = ?" +
                   (visible == Visible::published ? " AND p.status = 'published'" : ""),
               {slug});
  auto row = rows.next();
  if (!row) return std::nullopt;
  StoredPlugin stored = std::move(row->stored);
  if (row->has_more) load_more(database, stored.id, stored.plugin);
  VersionReader versions;
  for (; row; row = rows.next()) versions.add(std::move(*row));
  stored.plugin.versions = versions.take();
  return stored;
}

std::optional<domain::Plugin> PluginStore::find_rest(std::int64_t id,
                                                     domain::PluginSummary summary) {
  const auto read = [](Row& row) {
    PluginRow plugin = read_details(row, Content::without);
    const auto named = row.nullable_text(
        "IF(v.version = p.latest_version AND v.content_digest <> '', IFNULL(f.named, ''), NULL)");
    if (named) plugin.file.named = read_named(*named);
    return plugin;
  };
  Records rows(database_, read,
               "FROM plugins p" + version_tables(Visible::published) +
                   " WHERE p.id = ? AND p.status = 'published'",
               {id});
  auto row = rows.next();
  if (!row) return std::nullopt;
  domain::Plugin plugin = std::move(row->stored.plugin);
  static_cast<domain::PluginSummary&>(plugin) = std::move(summary);
  plugin.status = domain::Status::published;
  if (row->has_more) load_more(database_, id, plugin);
  VersionReader versions;
  for (; row; row = rows.next()) versions.add(std::move(*row));
  plugin.versions = versions.take();
  return plugin;
}

void PluginStore::each_version(
    const std::function<void(const PluginName& plugin, domain::PluginVersion version)>& visit) {
  struct Read {
    std::int64_t id = 0;
    VersionColumns version;
    domain::PluginFile file;
    PluginName plugin;
  };
  Records rows(
      database_,
      [](Row& row) {
        return Read{row.integer("v.id"),
                    read_version_columns(row),
                    read_file(row, Content::digested),
                    {row.slug("p.slug"), row.text("p.name"), row.text("p.author")}};
      },
      "FROM plugins p JOIN plugin_versions v ON v.plugin_id = p.id"
      " LEFT JOIN plugin_files f ON f.version_id = v.id"
      " WHERE p.status = 'published' AND v.status = 'published' ORDER BY p.slug, v.id");
  std::optional<std::pair<PluginName, domain::PluginVersion>> current;
  const auto finish = [&] {
    if (!current) return;
    settle_files(current->second);
    visit(current->first, std::move(current->second));
  };
  while (auto row = rows.next()) {
    if (!current || current->second.id != row->id) {
      finish();
      current.emplace(std::move(row->plugin), read_plugin_version(std::move(row->version)));
      current->second.id = row->id;
    }
    add_file(current->second, std::move(row->file));
  }
  finish();
}

std::optional<PublishedVersion> PluginStore::find_head(const domain::Slug& slug,
                                                       const domain::Version& version) {
  return Records(database_,
                 [](Row& row) {
                   return PublishedVersion{read_plugin_version(read_head(row)),
                                           row.text("p.toolchain")};
                 },
                 "FROM plugins p JOIN plugin_versions v ON v.plugin_id = p.id"
                 " WHERE p.slug = ? AND v.version = ?" +
                     std::string(condition_of(drafts_)),
                 {slug, version})
      .next();
}

// One statement, so that the files are those of the version.
std::optional<PublishedVersion> PluginStore::find_version(const domain::Slug& slug,
                                                          const domain::Version& version) {
  struct Read {
    VersionColumns version;
    std::string toolchain;
    domain::PluginFile file;
  };
  Records rows(
      database_,
      [](Row& row) {
        return Read{read_head(row), row.text("p.toolchain"), read_file(row, Content::described)};
      },
      "FROM plugins p JOIN plugin_versions v ON v.plugin_id = p.id"
      " LEFT JOIN plugin_files f ON f.version_id = v.id WHERE p.slug = ? AND v.version = ?" +
          std::string(condition_of(drafts_)),
      {slug, version});
  std::optional<PublishedVersion> found;
  while (auto row = rows.next()) {
    if (!found) found = {read_plugin_version(std::move(row->version)), std::move(row->toolchain)};
    add_file(found->version, std::move(row->file));
  }
  if (found) settle_files(found->version);
  return found;
}

std::map<domain::Slug, NewestVersion> PluginStore::find_newest(
    const std::vector<domain::Slug>& slugs) {
  if (slugs.empty()) return {};
  std::vector<Parameter> params(slugs.begin(), slugs.end());
  pad_list(params, std::string_view());
  const auto read = [](Row& row) {
    domain::PluginVersion version = read_plugin_version(read_head(row));
    NewestVersion found{row.text("p.name"), std::nullopt};
    if (!version.version.empty()) found.version = std::move(version);
    return std::pair{row.slug("p.slug"), std::move(found)};
  };
  return Records(
             database_, read,
             "FROM plugins p"
             " LEFT JOIN plugin_versions v ON v.plugin_id = p.id AND v.version = p.latest_version"
             " AND v.status = 'published' WHERE " +
                 std::string(drafts_ == Drafts::found ? "" : "p.status = 'published' AND ") +
                 "p.slug IN " + placeholders(params),
             params)
      .all<std::map<domain::Slug, NewestVersion>>();
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
  Records rows(
      database_,
      [](Row& row) {
        return std::pair{row.integer("f.version_id"), read_file(row, Content::described)};
      },
      "FROM plugin_files f WHERE f.version_id IN " + placeholders(params), params);
  while (auto row = rows.next()) by_id.at(row->first)->files.push_back(std::move(row->second));
  for (const auto& [id, version] : by_id) settle_files(*version);
}

std::map<domain::Slug, PublishedVersion> PluginStore::newest_verdicts(
    const std::vector<domain::Slug>& slugs) {
  return read_newest(database_, slugs, [](Row& row) {
    return PublishedVersion{read_plugin_version(read_version_columns(row)),
                            row.text("p.toolchain")};
  });
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
  const auto read = [](Row& row) {
    return domain::PluginVersion{
        row.version("version"), row.timestamp("created_at"), read_status(row, "status"), {}};
  };
  const auto versions =
      Records(database, read, "FROM plugin_versions WHERE plugin_id = ?", {plugin_id}).all();
  const auto latest = latest_version(versions);
  database.execute("UPDATE plugins SET latest_version = ? WHERE id = ?",
                   {text_or_empty(latest), plugin_id});
}

}  // namespace goldsmith::db

#include "db/plugin_store.hpp"

#include <string>
#include <utility>

#include "app/domain/names.hpp"
#include "app/domain/version_order.hpp"
#include "db/database.hpp"
#include "db/migrations.hpp"
#include "db/plugin_import.hpp"
#include "db/plugin_rows.hpp"
#include "db/verdict_store.hpp"

namespace goldsmith::db {

namespace {

std::string packs_with(Database& database, std::int64_t plugin_id) {
  const auto rows = database.query(
      "SELECT GROUP_CONCAT(a.slug ORDER BY a.slug SEPARATOR ', ') FROM addon_pack_plugins x"
      " JOIN addon_packs a ON a.id = x.pack_id WHERE x.plugin_id = ?",
      {plugin_id});
  return rows->next() ? rows->text(1) : "";
}

// By another command than an import: one that is running must not undo it.
void note_change(Database& database, const domain::Slug& slug) {
  mark_staged_stale(database, slug);
  record_plugin(database, slug);
}

// Of a version `v` that was mirrored and waits: not if a newer one was published since then.
constexpr const char* kWaits =
    "v.status = 'draft' AND v.held IS NOT NULL AND NOT EXISTS (SELECT 1 FROM plugin_versions w"
    " WHERE w.plugin_id = v.plugin_id AND w.status = 'published' AND w.id > v.id"
    " AND w.created_at >= v.created_at)";

// Runs a statement that changes one plugin, whose id and what the statement compares with are its
// last parameters. False if there is no such plugin.
bool change_plugin(Database& database, const domain::Slug& slug, const std::string& statement,
                   const Parameter& value, domain::Timestamp now) {
  bool found = false;
  change(database, [&] {
    const std::int64_t id = find_plugin_id(database, slug);
    found = id != 0;
    const bool is_changed = found && database.execute(statement, {value, now, id, value}) > 0;
    if (is_changed) note_change(database, slug);
    return is_changed;
  });
  return found;
}

}  // namespace

std::optional<domain::Plugin> PluginStore::find(const domain::Slug& slug) {
  auto stored = load_plugin(database_, slug, Visible::published, Content::without);
  if (!stored) return std::nullopt;
  return std::move(stored->plugin);
}

std::vector<domain::CategoryCount> PluginStore::categories() {
  const auto read = [](Row& row) {
    return domain::CategoryCount{row.slug("category"), row.integer("COUNT(*)")};
  };
  return Records(database_, read,
                 "FROM plugins WHERE status = 'published' GROUP BY category ORDER BY category")
      .all();
}

// Read from the index of versions by time; the plugins of the few that are wanted are looked up.
std::vector<VersionNews> PluginStore::newest_versions(std::int64_t limit, LatestOnly latest_only) {
  const auto read = [](Row& row) {
    return VersionNews{row.slug("p.slug"),       row.text("p.name"),
                       row.text("p.author"),     row.slug("p.category"),
                       row.version("v.version"), row.timestamp("v.created_at")};
  };
  return Records(
             database_, read,
             "FROM plugin_versions v STRAIGHT_JOIN plugins p ON p.id = v.plugin_id"
             " WHERE v.status = 'published' AND p.status = 'published'" +
                 std::string(latest_only == LatestOnly::yes ? " AND v.version = p.latest_version"
                                                            : "") +
                 " ORDER BY v.created_at DESC, v.id DESC LIMIT ?",
             {limit})
      .all();
}

std::vector<std::pair<domain::Slug, domain::Timestamp>> PluginStore::published_slugs(
    std::int64_t offset, std::int64_t limit) {
  const auto read = [](Row& row) {
    return std::pair{row.slug("slug"), row.timestamp("updated_at")};
  };
  return Records(database_, read,
                 "FROM plugins WHERE status = 'published' ORDER BY slug LIMIT ? OFFSET ?",
                 {limit, offset})
      .all();
}

std::vector<LowerLatest> PluginStore::lower_latest() {
  const auto read = [](Row& row) {
    return LowerLatest{row.slug("p.slug"), row.version("p.latest_version"),
                       row.version("v.version")};
  };
  Records rows(database_, read,
               "FROM plugins p JOIN plugin_versions v"
               " ON v.plugin_id = p.id AND v.version <> p.latest_version"
               " WHERE p.status = 'published' AND v.status = 'published' ORDER BY p.slug");
  std::vector<LowerLatest> found;
  while (const auto row = rows.next()) {
    const bool is_known = !found.empty() && found.back().slug == row->slug;
    const domain::Version than = is_known ? found.back().highest : row->latest;
    if (domain::version_order(row->highest.view(), than.view()) <= 0) continue;
    if (is_known) {
      found.back().highest = row->highest;
    } else {
      found.push_back(*row);
    }
  }
  return found;
}

void PluginStore::each_text(const std::optional<domain::Slug>& slug,
                            const std::function<void(const StoredText&)>& visit) {
  const std::string is_public = "(p.status = 'published' AND v.status = 'published')";
  const std::string wanted = slug ? slug->str() : std::string();
  const auto to_version = [&](Row& row) {
    return std::pair{
        row.integer("v.id"),
        StoredText{row.slug("p.slug"), row.version("v.version"), row.flag(is_public), {}}};
  };
  const auto to_file = [](Row& row) {
    domain::PluginFile file;
    file.filename = row.text("filename");
    file.kind = row.text("kind");
    file.content = row.text("content");
    return file;
  };
  auto versions =
      Records(database_, to_version,
              "FROM plugin_versions v JOIN plugins p ON p.id = v.plugin_id WHERE " +
                  (slug ? "p.slug = ?" : is_public + " AND ? = ''") + " ORDER BY p.slug, v.id",
              {wanted})
          .all();
  for (auto& [id, text] : versions) {
    Records files(database_, to_file,
                  "FROM plugin_files WHERE version_id = ?"
                  " AND kind IN ('sma', 'inc', 'inl', 'cfg', 'ini', 'txt')"
                  " AND size_bytes <= 1000000 ORDER BY position",
                  {id});
    while (auto file = files.next()) {
      text.file = std::move(*file);
      visit(text);
    }
  }
}

std::vector<PluginOverview> PluginStore::list_all() {
  const auto read = [](Row& row) {
    return PluginOverview{
        read_summary(row), read_status(row, "p.status"),
        row.integer("(SELECT COUNT(*) FROM plugin_versions v WHERE v.plugin_id = p.id)"),
        row.integer("(SELECT COUNT(*) FROM plugin_versions v WHERE v.plugin_id = p.id AND " +
                    std::string(kWaits) + ")")};
  };
  return Records(database_, read, "FROM " + std::string(kPluginTables) + " ORDER BY p.slug").all();
}

std::optional<domain::Plugin> PluginStore::find_any(const domain::Slug& slug) {
  auto stored = load_plugin(database_, slug, Visible::all, Content::without);
  if (!stored) return std::nullopt;
  return std::move(stored->plugin);
}

std::vector<std::pair<domain::Slug, domain::PluginUpstream>> PluginStore::upstreams() {
  const auto read = [](Row& row) {
    return std::pair{row.slug("slug"), read_upstream(row.text("upstream"))};
  };
  auto found =
      Records(database_, read, "FROM plugins WHERE upstream IS NOT NULL ORDER BY slug").all();
  std::erase_if(found, [](const auto& each) { return each.second.empty(); });
  return found;
}

std::vector<TakenVersion> PluginStore::taken_versions() {
  const auto read = [](Row& row) {
    return TakenVersion{row.slug("p.slug"), row.version("v.version"), row.timestamp("v.created_at"),
                        read_status(row, "v.status"), read_origin(row.text("v.origin"))};
  };
  return Records(database_, read,
                 "FROM plugins p JOIN plugin_versions v ON v.plugin_id = p.id"
                 " WHERE COALESCE(v.origin, '') <> '' ORDER BY p.slug, v.id")
      .all();
}

std::vector<HeldVersion> PluginStore::held_versions() {
  const auto read = [](Row& row) {
    return HeldVersion{row.slug("p.slug"), row.version("v.version"), row.timestamp("v.created_at"),
                       row.text("v.held")};
  };
  return Records(database_, read,
                 "FROM plugins p JOIN plugin_versions v ON v.plugin_id = p.id WHERE " +
                     std::string(kWaits) + " ORDER BY p.slug, v.created_at")
      .all();
}

std::optional<domain::Plugin> PluginStore::find_whole(const domain::Slug& slug) {
  auto stored = load_plugin(database_, slug, Visible::all, Content::with);
  if (!stored) return std::nullopt;
  return std::move(stored->plugin);
}

ImportChange PluginStore::import(const domain::Plugin& plugin, domain::Timestamp now) {
  PluginImport import(database_, now);
  import.add(plugin);
  return import.finish().front();
}

bool PluginStore::set_status(const domain::Slug& slug, domain::Status status,
                             domain::Timestamp now) {
  return change_plugin(database_, slug,
                       "UPDATE plugins SET status = ?, updated_at = ? WHERE id = ? AND status <> ?",
                       domain::to_string(status), now);
}

bool PluginStore::set_upstream(const domain::Slug& slug, const domain::PluginUpstream& upstream,
                               domain::Timestamp now) {
  const std::string text = write_upstream(upstream);
  return change_plugin(database_, slug,
                       "UPDATE plugins SET upstream = NULLIF(?, ''), updated_at = ? WHERE id = ?"
                       " AND COALESCE(upstream, '') <> ?",
                       text, now);
}

bool PluginStore::set_status(const domain::Slug& slug, const domain::Version& version,
                             domain::Status status, domain::Timestamp now) {
  bool found = false;
  change(database_, [&] {
    const std::int64_t id = find_plugin_id(database_, slug);
    const auto read = [](Row& row) {
      return std::pair{row.integer("id"), read_status(row, "status")};
    };
    const auto row =
        Records(database_, read, "FROM plugin_versions WHERE plugin_id = ? AND version = ?",
                {id, version})
            .next();
    found = row.has_value();
    if (!found || row->second == status) return false;
    // Why it was held back counts no more when a person has published it.
    database_.execute(
        "UPDATE plugin_versions SET status = ?, held = IF(? = 'published', NULL, held)"
        " WHERE id = ?",
        {domain::to_string(status), domain::to_string(status), row->first});
    refresh_latest_version(database_, id);
    database_.execute("UPDATE plugins SET updated_at = ? WHERE id = ?", {now, id});
    note_change(database_, slug);
    return true;
  });
  return found;
}

bool PluginStore::remove(const domain::Slug& slug) {
  bool removed = false;
  change(database_, [&] {
    const std::int64_t id = find_plugin_id(database_, slug);
    if (id == 0) return false;
    const std::string packs = packs_with(database_, id);
    if (!packs.empty()) {
      throw Error(Error::Kind::constraint,
                  "plugin " + slug + " is part of the addon packs " + packs +
                      "; take it out of them first, or unpublish it instead");
    }
    removed = database_.execute("DELETE FROM plugins WHERE id = ?", {id}) > 0;
    database_.execute("DELETE FROM plugin_counters WHERE slug = ?", {slug});
    note_change(database_, slug);
    return removed;
  });
  return removed;
}

}  // namespace goldsmith::db

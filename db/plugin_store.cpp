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
  std::vector<domain::CategoryCount> categories;
  const auto rows = database_.query(
      "SELECT category, COUNT(*) FROM plugins WHERE status = 'published'"
      " GROUP BY category ORDER BY category");
  while (rows->next()) categories.push_back({read_slug(*rows, 1), rows->integer(2)});
  return categories;
}

// Read from the index of versions by time; the plugins of the few that are wanted are looked up.
std::vector<VersionNews> PluginStore::newest_versions(std::int64_t limit, LatestOnly latest_only) {
  const std::string sql =
      "SELECT STRAIGHT_JOIN p.slug, p.name, p.author, p.category, v.version, v.created_at"
      " FROM plugin_versions v JOIN plugins p ON p.id = v.plugin_id"
      " WHERE v.status = 'published' AND p.status = 'published'" +
      std::string(latest_only == LatestOnly::yes ? " AND v.version = p.latest_version" : "") +
      " ORDER BY v.created_at DESC, v.id DESC LIMIT ?";
  const auto rows = database_.query(sql, {limit});
  std::vector<VersionNews> versions;
  while (rows->next()) {
    versions.push_back({read_slug(*rows, 1), rows->text(2), rows->text(3), read_slug(*rows, 4),
                        read_version(*rows, 5), read_timestamp(*rows, 6)});
  }
  return versions;
}

std::vector<std::pair<domain::Slug, domain::Timestamp>> PluginStore::published_slugs(
    std::int64_t offset, std::int64_t limit) {
  const auto rows = database_.query(
      "SELECT slug, updated_at FROM plugins WHERE status = 'published' ORDER BY slug"
      " LIMIT ? OFFSET ?",
      {limit, offset});
  std::vector<std::pair<domain::Slug, domain::Timestamp>> slugs;
  while (rows->next()) slugs.emplace_back(read_slug(*rows, 1), read_timestamp(*rows, 2));
  return slugs;
}

std::vector<LowerLatest> PluginStore::lower_latest() {
  const auto rows = database_.query(
      "SELECT p.slug, p.latest_version, v.version FROM plugins p JOIN plugin_versions v"
      " ON v.plugin_id = p.id AND v.version <> p.latest_version"
      " WHERE p.status = 'published' AND v.status = 'published' ORDER BY p.slug");
  std::vector<LowerLatest> found;
  while (rows->next()) {
    const domain::Slug slug = read_slug(*rows, 1);
    const domain::Version version = read_version(*rows, 3);
    const bool is_known = !found.empty() && found.back().slug == slug;
    const domain::Version than = is_known ? found.back().highest : read_version(*rows, 2);
    if (domain::version_order(version.view(), than.view()) <= 0) continue;
    if (is_known) {
      found.back().highest = version;
    } else {
      found.push_back({slug, read_version(*rows, 2), version});
    }
  }
  return found;
}

void PluginStore::each_text(const std::optional<domain::Slug>& slug,
                            const std::function<void(const StoredText&)>& visit) {
  const std::string is_public = "(p.status = 'published' AND v.status = 'published')";
  const std::string wanted = slug ? slug->str() : std::string();
  std::vector<std::pair<std::int64_t, StoredText>> versions;
  {
    const auto rows = database_.query(
        "SELECT v.id, p.slug, v.version, " + is_public +
            " FROM plugin_versions v JOIN plugins p ON p.id = v.plugin_id WHERE " +
            (slug ? "p.slug = ?" : is_public + " AND ? = ''") + " ORDER BY p.slug, v.id",
        {wanted});
    while (rows->next()) {
      versions.emplace_back(
          rows->integer(1),
          StoredText{read_slug(*rows, 2), read_version(*rows, 3), rows->integer(4) != 0, {}});
    }
  }
  for (auto& [id, text] : versions) {
    const auto rows = database_.query(
        "SELECT filename, kind, content FROM plugin_files WHERE version_id = ?"
        " AND kind IN ('sma', 'inc', 'inl', 'cfg', 'ini', 'txt') AND size_bytes <= 1000000"
        " ORDER BY position",
        {id});
    while (rows->next()) {
      text.file.filename = rows->text(1);
      text.file.kind = rows->text(2);
      text.file.content = rows->text(3);
      visit(text);
    }
  }
}

std::vector<PluginOverview> PluginStore::list_all() {
  std::vector<PluginOverview> plugins;
  const auto rows = database_.query(
      select_summaries(
          ", p.status, (SELECT COUNT(*) FROM plugin_versions v WHERE v.plugin_id = p.id),"
          " (SELECT COUNT(*) FROM plugin_versions v WHERE v.plugin_id = p.id AND " +
          std::string(kWaits) + ")") +
      " ORDER BY p.slug");
  while (rows->next()) {
    plugins.push_back({read_summary(*rows), read_status(*rows, kSummaryWidth + 1),
                       rows->integer(kSummaryWidth + 2), rows->integer(kSummaryWidth + 3)});
  }
  return plugins;
}

std::optional<domain::Plugin> PluginStore::find_any(const domain::Slug& slug) {
  auto stored = load_plugin(database_, slug, Visible::all, Content::without);
  if (!stored) return std::nullopt;
  return std::move(stored->plugin);
}

std::vector<std::pair<domain::Slug, domain::PluginUpstream>> PluginStore::upstreams() {
  const auto rows = database_.query(
      "SELECT slug, upstream FROM plugins WHERE upstream IS NOT NULL ORDER BY slug", {});
  std::vector<std::pair<domain::Slug, domain::PluginUpstream>> found;
  while (rows->next()) {
    domain::PluginUpstream upstream = read_upstream(rows->text(2));
    if (!upstream.empty()) found.emplace_back(read_slug(*rows, 1), std::move(upstream));
  }
  return found;
}

std::vector<TakenVersion> PluginStore::taken_versions() {
  const auto rows = database_.query(
      "SELECT p.slug, v.version, v.created_at, v.status, v.origin FROM plugins p"
      " JOIN plugin_versions v ON v.plugin_id = p.id WHERE COALESCE(v.origin, '') <> ''"
      " ORDER BY p.slug, v.id",
      {});
  std::vector<TakenVersion> found;
  while (rows->next()) {
    found.push_back({read_slug(*rows, 1), read_version(*rows, 2), read_timestamp(*rows, 3),
                     read_status(*rows, 4), read_origin(rows->text(5))});
  }
  return found;
}

std::vector<HeldVersion> PluginStore::held_versions() {
  const auto rows = database_.query(
      "SELECT p.slug, v.version, v.created_at, v.held FROM plugins p"
      " JOIN plugin_versions v ON v.plugin_id = p.id WHERE " +
          std::string(kWaits) + " ORDER BY p.slug, v.created_at",
      {});
  std::vector<HeldVersion> found;
  while (rows->next()) {
    found.push_back(
        {read_slug(*rows, 1), read_version(*rows, 2), read_timestamp(*rows, 3), rows->text(4)});
  }
  return found;
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
    const auto rows = database_.query(
        "SELECT id, status FROM plugin_versions WHERE plugin_id = ? AND version = ?",
        {id, version});
    found = rows->next();
    if (!found || read_status(*rows, 2) == status) return false;
    // Why it was held back counts no more when a person has published it.
    database_.execute(
        "UPDATE plugin_versions SET status = ?, held = IF(? = 'published', NULL, held)"
        " WHERE id = ?",
        {domain::to_string(status), domain::to_string(status), rows->integer(1)});
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

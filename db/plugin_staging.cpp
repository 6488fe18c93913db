#include "db/plugin_staging.hpp"

#include <algorithm>
#include <array>

#include "db/bulk_insert.hpp"
#include "db/named_files.hpp"
#include "db/plugin_about.hpp"
#include "db/plugin_rows.hpp"
#include "db/typed_rows.hpp"

namespace goldsmith::db {
namespace {

// Each may carry files of a megabyte.
constexpr std::size_t kVersionsATransaction = 50;

void write_heads(Database& database, const std::vector<StagedPlugin>& plugins,
                 domain::Timestamp now) {
  std::vector<std::string> abouts;  // of which the values are views
  for (const StagedPlugin& each : plugins) abouts.push_back(write_about(each.plugin->about));
  auto about = abouts.begin();
  std::vector<Parameter> values;
  for (const StagedPlugin& each : plugins) {
    const domain::Plugin& plugin = *each.plugin;
    values.insert(values.end(),
                  {each.position, each.plugin_id == 0 ? Parameter(nullptr) : each.plugin_id,
                   std::int64_t{0}, plugin.slug, plugin.name, plugin.category, plugin.author,
                   plugin.license, plugin.original_url, plugin.toolchain,
                   domain::to_string(plugin.status), plugin.rating.sum, plugin.rating.count,
                   plugin.downloads, text_or_empty(each.latest_version), each.search_text, now,
                   plugin.summary, about->empty() ? Parameter(nullptr) : Parameter(*about)});
    ++about;
  }
  insert_rows(database,
              "INSERT INTO staged_plugins (position, plugin_id, is_stale, slug, name, category,"
              " author, license, original_url, toolchain, status, rating_sum, rating_count,"
              " downloads, latest_version, search_text, updated_at, summary, about) VALUES",
              19, values);
}

void write_tags(Database& database, const std::vector<StagedPlugin>& plugins) {
  std::vector<Parameter> values;
  for (const StagedPlugin& each : plugins) {
    std::int64_t tag_position = 0;
    for (const std::string& tag : each.plugin->tags) {
      values.insert(values.end(), {each.position, tag_position++, tag});
    }
  }
  insert_rows(database, "INSERT INTO staged_tags (position, tag_position, tag) VALUES", 3, values);
}

// Without a plugin. Returns the id.
std::int64_t insert_version(Database& database, const domain::PluginVersion& version) {
  const std::string verdicts = write_verdicts(version.verdicts);
  database.execute(
      "INSERT INTO plugin_versions (plugin_id, version, created_at, status, verdicts, changes,"
      " content_digest) VALUES (NULL, ?, ?, ?, ?, NULLIF(?, ''), ?)",
      {version.version, nullable(version.created_at), domain::to_string(version.status), verdicts,
       version.changes, version.content_digest});
  const std::int64_t id = database.last_insert_id();
  std::int64_t position = 0;
  for (const domain::PluginFile& file : version.files) {
    const std::string named = write_named(file.named.value_or(domain::NamedFiles()));
    // One a statement: contents of a megabyte each would outgrow a packet together.
    database.execute(
        "INSERT INTO plugin_files (version_id, position, filename, install_dir, kind, is_primary,"
        " sha1, size_bytes, charset, sha256, named, content)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULLIF(?, ''), ?)",
        {id, position++, file.filename, file.install_dir, file.kind, file.is_primary, file.sha1,
         file.size_bytes, file.charset, file.sha256, named, file.content});
  }
  return id;
}

void write_versions(Database& database, const std::vector<StagedPlugin>& plugins) {
  std::vector<Parameter> values;
  for (const StagedPlugin& each : plugins) {
    for (const domain::PluginVersion* version : each.removed) {
      database.execute(
          "INSERT INTO staged_versions (position, version_id, is_removed)"
          " SELECT ?, id, 1 FROM plugin_versions WHERE plugin_id = ? AND version = ?",
          {each.position, each.plugin_id, version->version});
    }
    for (const domain::PluginVersion* version : each.added) {
      values.insert(values.end(),
                    {each.position, insert_version(database, *version), std::int64_t{0}});
    }
  }
  insert_rows(database, "INSERT INTO staged_versions (position, version_id, is_removed) VALUES", 3,
              values);
}

// One statement in a transaction that has the lock. Returns the number of rows.
std::uint64_t execute_locked(Database& database, NamedLock& lock, std::string_view sql,
                             std::initializer_list<Parameter> params = {}) {
  std::uint64_t rows = 0;
  database.transaction([&] {
    lock.check();
    rows = database.execute(sql, params);
  });
  return rows;
}

void remove_versions_of_none(Database& database, NamedLock& lock) {
  std::vector<std::int64_t> ids;
  const auto rows =
      database.query("SELECT id FROM plugin_versions WHERE plugin_id IS NULL ORDER BY id");
  while (rows->next()) ids.push_back(rows->integer(1));
  for (std::size_t first = 0; first < ids.size(); first += kVersionsATransaction) {
    const std::size_t last = std::min(ids.size(), first + kVersionsATransaction) - 1;
    execute_locked(database, lock,
                   "DELETE FROM plugin_versions WHERE plugin_id IS NULL AND id BETWEEN ? AND ?",
                   {ids[first], ids[last]});
  }
}

}  // namespace

void write_staged(Database& database, const std::vector<StagedPlugin>& plugins,
                  domain::Timestamp now) {
  write_heads(database, plugins, now);
  write_tags(database, plugins);
  write_versions(database, plugins);
}

void mark_staged_stale(Database& database, const domain::Slug& slug) {
  database.execute("UPDATE staged_plugins SET is_stale = 1 WHERE slug = ?", {slug});
}

std::string find_stale(Database& database) {
  const auto rows =
      database.query("SELECT slug FROM staged_plugins WHERE is_stale ORDER BY position LIMIT 1");
  return rows->next() ? rows->text(1) : "";
}

// The order matters: versions are taken out before others of the same name come in.
void publish_staged(Database& database, std::int64_t first, std::int64_t end) {
  static constexpr std::array<std::string_view, 7> kSteps = {
      "INSERT INTO plugins (slug, name, category, author, license, original_url, toolchain, status,"
      " rating_sum, rating_count, downloads, latest_version, search_text, updated_at, summary,"
      " about, tags)"
      " SELECT slug, name, category, author, license, original_url, toolchain, status, rating_sum,"
      " rating_count, downloads, latest_version, search_text, updated_at, summary, about,"
      " (SELECT GROUP_CONCAT(t.tag ORDER BY t.tag_position) FROM staged_tags t"
      " WHERE t.position = s.position) FROM staged_plugins s"
      " WHERE plugin_id IS NULL AND position >= ? AND position < ?",

      "INSERT INTO plugin_counters (slug, downloads) SELECT slug, 0 FROM staged_plugins"
      " WHERE plugin_id IS NULL AND position >= ? AND position < ?",

      // All but the counters, which are not the importer's once the plugin exists.
      "UPDATE plugins p JOIN staged_plugins s ON s.plugin_id = p.id SET p.name = s.name,"
      " p.category = s.category, p.author = s.author, p.license = s.license,"
      " p.original_url = s.original_url, p.toolchain = s.toolchain, p.status = s.status,"
      " p.latest_version = s.latest_version, p.search_text = s.search_text,"
      " p.updated_at = s.updated_at, p.summary = s.summary, p.about = s.about, p.tags = (SELECT "
      "GROUP_CONCAT(t.tag ORDER BY t.tag_position)"
      " FROM staged_tags t WHERE t.position = s.position) WHERE s.position >= ? AND s.position < ?",

      "DELETE t FROM plugin_tags t JOIN staged_plugins s ON s.plugin_id = t.plugin_id"
      " WHERE s.position >= ? AND s.position < ?",

      "INSERT INTO plugin_tags (plugin_id, position, tag) SELECT p.id, t.tag_position, t.tag"
      " FROM staged_tags t JOIN staged_plugins s ON s.position = t.position"
      " JOIN plugins p ON p.slug = s.slug WHERE t.position >= ? AND t.position < ?",

      "UPDATE plugin_versions v JOIN staged_versions t ON t.version_id = v.id"
      " SET v.plugin_id = NULL WHERE t.is_removed = 1 AND t.position >= ? AND t.position < ?",

      "UPDATE plugin_versions v JOIN staged_versions t ON t.version_id = v.id"
      " JOIN staged_plugins s ON s.position = t.position JOIN plugins p ON p.slug = s.slug"
      " SET v.plugin_id = p.id WHERE t.is_removed = 0 AND t.position >= ? AND t.position < ?"};
  for (const std::string_view step : kSteps) database.execute(step, {first, end});
}

void clear_staged(Database& database, NamedLock& lock) {
  for (const std::string_view sql :
       {"DELETE FROM staged_plugins ORDER BY position LIMIT 1000",
        "DELETE FROM staged_tags ORDER BY position, tag_position LIMIT 5000",
        "DELETE FROM staged_versions ORDER BY position, version_id LIMIT 5000"}) {
    while (execute_locked(database, lock, sql) > 0) continue;
  }
  remove_versions_of_none(database, lock);
}

}  // namespace goldsmith::db

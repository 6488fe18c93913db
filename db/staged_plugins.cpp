#include "db/staged_plugins.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include "db/plugin_rows.hpp"
#include "db/verdict_store.hpp"

namespace goldsmith::db {
namespace {

// Each may carry files of a megabyte.
constexpr std::size_t kVersionsATransaction = 50;

Parameter text_or_null(const std::string& text) {
  return text.empty() ? Parameter(nullptr) : Parameter(text);
}

void write_heads(Database& database, const std::vector<StagedPlugin>& plugins,
                 domain::Timestamp now) {
  std::vector<std::pair<std::string, std::string>> texts;  // of which the values are views
  for (const StagedPlugin& each : plugins) {
    texts.emplace_back(write_about(each.plugin->about), write_upstream(each.plugin->upstream));
  }
  auto text = texts.begin();
  std::vector<Parameter> values;
  for (const StagedPlugin& each : plugins) {
    const domain::Plugin& plugin = *each.plugin;
    values.insert(values.end(), {each.position,
                                 each.plugin_id == 0 ? Parameter(nullptr) : each.plugin_id,
                                 std::int64_t{0},
                                 plugin.slug,
                                 plugin.name,
                                 plugin.category,
                                 plugin.author,
                                 plugin.license,
                                 plugin.original_url,
                                 plugin.toolchain,
                                 domain::to_string(plugin.status),
                                 plugin.rating.sum,
                                 plugin.rating.count,
                                 plugin.downloads,
                                 text_or_empty(each.latest_version),
                                 each.search_text,
                                 now,
                                 plugin.summary,
                                 text_or_null(text->first),
                                 text_or_null(text->second)});
    ++text;
  }
  insert_rows(database,
              "INSERT INTO staged_plugins (position, plugin_id, is_stale, slug, name, category,"
              " author, license, original_url, toolchain, status, rating_sum, rating_count,"
              " downloads, latest_version, search_text, updated_at, summary, about, upstream)"
              " VALUES",
              20, values);
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

// A version that is new, and its row.
struct AddedVersion {
  std::int64_t position = 0;
  const domain::PluginVersion* version = nullptr;
  std::int64_t id = 0;
};

std::int64_t newest_version(Database& database) {
  const auto rows = database.query("SELECT COALESCE(MAX(id), 0) FROM plugin_versions");
  rows->next();
  return rows->integer(1);
}

// Without a plugin. Sets the ids: nobody else adds versions while the lock of imports is held.
void insert_versions(Database& database, std::vector<AddedVersion>& versions) {
  struct Texts {
    std::string verdicts;
    std::string origin;
  };
  const std::int64_t before = newest_version(database);
  std::deque<Texts> texts;  // of which the values are views
  std::vector<Parameter> values;
  for (const AddedVersion& each : versions) {
    const domain::PluginVersion& version = *each.version;
    const Texts& text = texts.emplace_back(
        Texts{write_verdicts(version.verdicts, version.starts), write_origin(version.origin)});
    values.insert(values.end(),
                  {version.version, nullable(version.created_at), domain::to_string(version.status),
                   text.verdicts, text_or_null(version.changes), version.content_digest,
                   text_or_null(text.origin), text_or_null(version.held)});
  }
  insert_rows(database,
              "INSERT INTO plugin_versions (version, created_at, status, verdicts, changes,"
              " content_digest, origin, held) VALUES",
              8, values);
  const auto rows =
      database.query("SELECT id FROM plugin_versions WHERE id > ? ORDER BY id", {before});
  for (AddedVersion& each : versions) {
    if (!rows->next()) throw Error(Error::Kind::other, "versions that were written are not there");
    each.id = rows->integer(1);
  }
}

void insert_files(Database& database, const std::vector<AddedVersion>& versions) {
  constexpr std::size_t kBytesAStatement = 1U << 20;  // a larger file has a statement of its own
  std::deque<std::string> texts;                      // of which the values are views
  std::vector<Parameter> values;
  std::size_t bytes = 0;
  const auto write = [&] {
    insert_rows(database,
                "INSERT INTO plugin_files (version_id, position, filename, install_dir, kind,"
                " is_primary, sha1, size_bytes, charset, sha256, named, content) VALUES",
                12, values);
    values.clear();
    texts.clear();
    bytes = 0;
  };
  for (const AddedVersion& each : versions) {
    std::int64_t position = 0;
    for (const domain::PluginFile& file : each.version->files) {
      std::string text = write_named(file.named.value_or(domain::NamedFiles()));
      if (bytes > 0 && bytes + text.size() + file.content.size() > kBytesAStatement) write();
      const std::string& named = texts.emplace_back(std::move(text));
      bytes += named.size() + file.content.size();
      values.insert(values.end(), {each.id, position++, file.filename, file.install_dir, file.kind,
                                   file.is_primary, file.sha1, file.size_bytes, file.charset,
                                   file.sha256, text_or_null(named), file.content});
    }
  }
  write();
}

void write_versions(Database& database, const std::vector<StagedPlugin>& plugins) {
  std::vector<Parameter> values;
  std::vector<AddedVersion> added;
  for (const StagedPlugin& each : plugins) {
    for (const domain::PluginVersion* version : each.removed) {
      database.execute(
          "INSERT INTO staged_versions (position, version_id, is_removed)"
          " SELECT ?, id, 1 FROM plugin_versions WHERE plugin_id = ? AND version = ?",
          {each.position, each.plugin_id, version->version});
    }
    for (const domain::PluginVersion* version : each.added) {
      added.push_back({each.position, version});
    }
  }
  if (!added.empty()) {
    insert_versions(database, added);
    insert_files(database, added);
  }
  for (const AddedVersion& each : added) {
    values.insert(values.end(), {each.position, each.id, std::int64_t{0}});
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
      " about, upstream, tags)"
      " SELECT slug, name, category, author, license, original_url, toolchain, status, rating_sum,"
      " rating_count, downloads, latest_version, search_text, updated_at, summary, about,"
      " upstream, (SELECT GROUP_CONCAT(t.tag ORDER BY t.tag_position) FROM staged_tags t"
      " WHERE t.position = s.position) FROM staged_plugins s"
      " WHERE plugin_id IS NULL AND position >= ? AND position < ?",

      "INSERT INTO plugin_counters (slug, downloads) SELECT slug, 0 FROM staged_plugins"
      " WHERE plugin_id IS NULL AND position >= ? AND position < ?",

      // All but the counters, which are not the importer's once the plugin exists.
      "UPDATE plugins p JOIN staged_plugins s ON s.plugin_id = p.id SET p.name = s.name,"
      " p.category = s.category, p.author = s.author, p.license = s.license,"
      " p.original_url = s.original_url, p.toolchain = s.toolchain, p.status = s.status,"
      " p.latest_version = s.latest_version, p.search_text = s.search_text,"
      " p.updated_at = s.updated_at, p.summary = s.summary, p.about = s.about,"
      " p.upstream = s.upstream, p.tags = (SELECT "
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

void mark_staged_stale(Database& database, const domain::Slug& slug) {
  database.execute("UPDATE staged_plugins SET is_stale = 1 WHERE slug = ?", {slug});
}

}  // namespace goldsmith::db

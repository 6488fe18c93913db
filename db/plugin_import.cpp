#include "db/plugin_import.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <tuple>
#include <utility>

#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/domain/plugin.hpp"
#include "db/database.hpp"
#include "db/migrations.hpp"
#include "db/plugin_rows.hpp"
#include "db/verdict_store.hpp"

namespace goldsmith::db {
namespace {

// What an import does to one plugin. The versions are pointers into the caller's plugins.
struct StagedPlugin {
  std::int64_t position = 0;   // in the set
  std::int64_t plugin_id = 0;  // 0 = it is created
  const domain::Plugin* plugin = nullptr;
  std::string search_text;
  std::optional<domain::Version> latest_version;
  std::vector<const domain::PluginVersion*> added = {};
  std::vector<const domain::PluginVersion*> removed = {};
};

// Each may carry files of a megabyte.
constexpr std::size_t kVersionsATransaction = 50;

void write_heads(Database& database, const std::vector<StagedPlugin>& plugins,
                 domain::Timestamp now) {
  std::vector<std::pair<std::string, std::string>> texts;  // of which the values are views
  for (const StagedPlugin& each : plugins) {
    texts.emplace_back(write_about(each.plugin->about), write_upstream(each.plugin->upstream));
  }
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? Parameter(nullptr) : Parameter(text);
  };
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

// Without a plugin. Returns the id.
std::int64_t insert_version(Database& database, const domain::PluginVersion& version) {
  const std::string verdicts = write_verdicts(version.verdicts, version.starts);
  const std::string origin = write_origin(version.origin);
  database.execute(
      "INSERT INTO plugin_versions (plugin_id, version, created_at, status, verdicts, changes,"
      " content_digest, origin, held)"
      " VALUES (NULL, ?, ?, ?, ?, NULLIF(?, ''), ?, NULLIF(?, ''), NULLIF(?, ''))",
      {version.version, nullable(version.created_at), domain::to_string(version.status), verdicts,
       version.changes, version.content_digest, origin, version.held});
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

// Writes the rows. Precondition: inside db::change, so that no other writer changes a plugin
// between the comparison and this.
void write_staged(Database& database, const std::vector<StagedPlugin>& plugins,
                  domain::Timestamp now) {
  write_heads(database, plugins, now);
  write_tags(database, plugins);
  write_versions(database, plugins);
}

// The slug of one that is stale; "" = none.
std::string find_stale(Database& database) {
  const auto rows =
      database.query("SELECT slug FROM staged_plugins WHERE is_stale ORDER BY position LIMIT 1");
  return rows->next() ? rows->text(1) : "";
}

// Makes the plugins at `first` <= position < `end` what was staged. Touches no file content and no
// counter of a plugin that is there.
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

// Removes what is staged, and versions that no plugin has, in short transactions. `lock`: that of
// imports; throws Error{unavailable} where it is not held any more.
void clear_staged(Database& database, NamedLock& lock) {
  for (const std::string_view sql :
       {"DELETE FROM staged_plugins ORDER BY position LIMIT 1000",
        "DELETE FROM staged_tags ORDER BY position, tag_position LIMIT 5000",
        "DELETE FROM staged_versions ORDER BY position, version_id LIMIT 5000"}) {
    while (execute_locked(database, lock, sql) > 0) continue;
  }
  remove_versions_of_none(database, lock);
}

// Ends each searchable text (see 0001_plugins.sql).
constexpr char kSearchSeparator = '\x1f';
// How long an import waits for another one.
constexpr std::chrono::milliseconds kImportPatience{3000};
// How much one transaction writes: a few hundredths of a second, for which other writers wait.
constexpr std::size_t kBatchPlugins = 50;
constexpr std::size_t kBatchBytes = 2U << 20;
// What one statement of finish() shows, so that none outlasts the connection's time-out.
constexpr std::int64_t kPublishedAStatement = 2000;

// What is between the separators is what a search can match.
void append_searchable(std::string& text, std::string folded) {
  folded.erase(std::remove(folded.begin(), folded.end(), kSearchSeparator), folded.end());
  text += folded + kSearchSeparator;
}

std::string search_text(const domain::Plugin& plugin) {
  std::string text;
  append_searchable(text, base::fold_case(plugin.name));
  for (const std::string& tag : plugin.tags) append_searchable(text, base::fold_case(tag));
  return text;
}

std::size_t content_bytes(const domain::Plugin& plugin) {
  std::size_t bytes = write_about(plugin.about).size();
  for (const domain::PluginVersion& version : plugin.versions) {
    bytes += version.changes.size();
    for (const domain::PluginFile& file : version.files) bytes += file.content.size();
  }
  return bytes;
}

[[noreturn]] void refuse(const domain::Plugin& plugin, const std::string& why) {
  throw Error(Error::Kind::constraint, "plugin " + plugin.slug + ": " + why);
}

void check_files(const domain::Plugin& plugin, const domain::PluginVersion& version) {
  const auto same_place = [](const domain::PluginFile& left, const domain::PluginFile& right) {
    return left.filename == right.filename && left.install_dir == right.install_dir;
  };
  const auto twice = std::adjacent_find(version.files.begin(), version.files.end(), same_place);
  if (twice != version.files.end()) {
    refuse(plugin, "version " + version.version + " has the file " + twice->install_dir + "/" +
                       twice->filename + " twice");
  }
}

bool same(const domain::PluginFile& left, const domain::PluginFile& right) {
  const auto fields = [](const domain::PluginFile& file) {
    return std::tie(file.filename, file.install_dir, file.kind, file.is_primary, file.sha1,
                    file.size_bytes, file.content);
  };
  return fields(left) == fields(right);
}

bool same_files(const domain::PluginVersion& left, const domain::PluginVersion& right) {
  return std::equal(left.files.begin(), left.files.end(), right.files.begin(), right.files.end(),
                    [](const auto& a, const auto& b) { return same(a, b); });
}

bool same(const domain::PluginVersion& left, const domain::PluginVersion& right) {
  const auto fields = [](const domain::PluginVersion& version) {
    return std::tie(version.version, version.created_at, version.status, version.changes,
                    version.origin, version.held);
  };
  return fields(left) == fields(right) && same_files(left, right);
}

void sort_files(domain::Plugin& plugin) {
  for (domain::PluginVersion& version : plugin.versions) {
    std::sort(version.files.begin(), version.files.end(), comes_before);
  }
}

// Throws Error{constraint} unless texts are UTF-8 and versions and files are unique. Precondition:
// sorted files.
void check_plugin(const domain::Plugin& plugin) {
  if (!domain::is_utf8(plugin.name)) refuse(plugin, "the name is not UTF-8");
  for (const std::string& tag : plugin.tags) {
    if (!domain::is_utf8(tag)) refuse(plugin, "a tag is not UTF-8");
  }
  std::vector<domain::Version> names;
  for (const domain::PluginVersion& version : plugin.versions) {
    names.push_back(version.version);
    check_files(plugin, version);
  }
  std::sort(names.begin(), names.end());
  if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end()) {
    refuse(plugin, "version " + *twice + " is named twice");
  }
}

// Null if there is no such version.
const domain::PluginVersion* version_of(const domain::Plugin& plugin,
                                        const domain::Version& version) {
  const auto found = std::find_if(plugin.versions.begin(), plugin.versions.end(),
                                  [&](const auto& each) { return each.version == version; });
  return found == plugin.versions.end() ? nullptr : &*found;
}

// A version without a time, or with the importer's `now`, gets the time of its first import, so
// that importing the same manifest later changes nothing. `existing` may be null. Tells of each new
// version that stays behind those with higher numbers.
void settle_times(domain::Plugin& plugin, const domain::Plugin* existing, domain::Timestamp now,
                  std::vector<std::string>& remarks) {
  std::vector<domain::DatedVersion> dated;
  std::vector<domain::PluginVersion*> undated;
  for (domain::PluginVersion& version : plugin.versions) {
    const bool has_time = version.created_at && *version.created_at != now;
    const auto* known = existing && !has_time ? version_of(*existing, version.version) : nullptr;
    if (known) version.created_at = known->created_at;
    if (known || has_time) {
      dated.push_back({version.version.view(), *version.created_at});
    } else {
      undated.push_back(&version);
    }
  }
  for (domain::PluginVersion* version : undated) {
    version->created_at = domain::time_of_undated(version->version.view(), dated, now);
    if (*version->created_at == now) continue;
    remarks.push_back(plugin.slug + " " + version->version +
                      " comes behind the versions with higher numbers; a \"created_at\" in the "
                      "manifest says otherwise");
  }
}

// True if all that a manifest says is equal, except versions and counters.
bool same_head(const domain::Plugin& left, const domain::Plugin& right) {
  const auto fields = [](const domain::Plugin& plugin) {
    return std::tie(plugin.name, plugin.category, plugin.author, plugin.license, plugin.tags,
                    plugin.original_url, plugin.toolchain, plugin.status, plugin.summary,
                    plugin.about, plugin.upstream);
  };
  return fields(left) == fields(right);
}

// What compilers said belongs to the files: a version that has the same ones keeps it, whatever
// else has changed; and what its start showed, under its name. `existing`, with content, may be
// null.
void keep_verdicts(domain::Plugin& plugin, const domain::Plugin* existing) {
  for (domain::PluginVersion& version : plugin.versions) {
    version.verdicts.clear();
    version.starts.clear();
    if (!existing) continue;
    const auto& olds = existing->versions;
    const auto old = std::find_if(olds.begin(), olds.end(),
                                  [&](const auto& each) { return same_files(each, version); });
    if (old == olds.end()) continue;
    version.verdicts = old->verdicts;
    if (old->version == version.version) version.starts = old->starts;
  }
}

// Fills in the versions: one that differs is removed and added. `existing`, with content, may be
// null.
void compare_versions(const domain::Plugin* existing, StagedPlugin& staged) {
  const domain::Plugin& plugin = *staged.plugin;
  if (existing) {
    for (const domain::PluginVersion& old : existing->versions) {
      const domain::PluginVersion* wanted = version_of(plugin, old.version);
      if (!wanted || !same(old, *wanted)) staged.removed.push_back(&old);
    }
  }
  for (const domain::PluginVersion& wanted : plugin.versions) {
    const domain::PluginVersion* old = existing ? version_of(*existing, wanted.version) : nullptr;
    if (!old || !same(*old, wanted)) staged.added.push_back(&wanted);
  }
}

}  // namespace

PluginImport::PluginImport(Database& database, domain::Timestamp now)
    : database_(database), now_(now), lock_(database, "import", kImportPatience) {
  if (!lock_.is_taken()) {
    throw Error(Error::Kind::constraint,
                "another import of plugins is running; try again when it is finished");
  }
  clear_staged(database_, lock_);
  is_clear_ = true;
}

PluginImport::~PluginImport() {
  try {
    if (!is_clear_) clear_staged(database_, lock_);
  } catch (const Error&) {
    // Nobody sees it; the next import removes it.
  }
}

void PluginImport::add(domain::Plugin plugin) {
  sort_files(plugin);
  check_plugin(plugin);
  batch_bytes_ += content_bytes(plugin);
  batch_.push_back(std::move(plugin));
  if (batch_.size() >= kBatchPlugins || batch_bytes_ >= kBatchBytes) write_batch();
}

std::vector<ImportChange> PluginImport::finish() {
  write_batch();
  if (is_anything_staged_) publish();
  try {
    if (!is_clear_) clear_staged(database_, lock_);
    is_clear_ = true;
  } catch (const Error&) {
    // The import is done all the same; the next one removes what it took out.
  }
  return std::move(changes_);
}

void PluginImport::write_batch() {
  if (batch_.empty()) return;
  const auto first = static_cast<std::int64_t>(changes_.size());
  std::vector<ImportChange> changes(batch_.size(), ImportChange::unchanged);
  change(database_, [&] {
    lock_.check();
    // In order of position; what they compare with is gone when this returns.
    std::vector<std::optional<StoredPlugin>> stored(batch_.size());
    std::vector<StagedPlugin> staged;
    for (std::size_t i = 0; i < batch_.size(); ++i) {
      stored[i] = load_plugin(database_, batch_[i].slug, Visible::all, Content::with);
      const domain::Plugin* existing = stored[i] ? &stored[i]->plugin : nullptr;
      settle_times(batch_[i], existing, now_, remarks_);
      keep_verdicts(batch_[i], existing);
      StagedPlugin each{first + static_cast<std::int64_t>(i), existing ? stored[i]->id : 0,
                        &batch_[i], search_text(batch_[i]), latest_version(batch_[i].versions)};
      compare_versions(existing, each);
      const bool is_same = each.added.empty() && each.removed.empty();
      if (existing && is_same && same_head(*existing, batch_[i])) continue;
      changes[i] = existing ? ImportChange::updated : ImportChange::created;
      staged.push_back(std::move(each));
    }
    if (!staged.empty()) is_clear_ = false;
    is_anything_staged_ = is_anything_staged_ || !staged.empty();
    write_staged(database_, staged, now_);
    return false;
  });
  changes_.insert(changes_.end(), changes.begin(), changes.end());
  batch_.clear();
  batch_bytes_ = 0;
}

void PluginImport::publish() {
  change(database_, [&] {
    lock_.check();
    if (const std::string slug = find_stale(database_); !slug.empty()) {
      throw Error(Error::Kind::constraint,
                  "plugin " + slug +
                      " was changed by another command while this import was running; nothing was"
                      " imported: import again");
    }
    const auto end = static_cast<std::int64_t>(changes_.size());
    for (std::int64_t first = 0; first < end; first += kPublishedAStatement) {
      const std::int64_t before = std::min(end, first + kPublishedAStatement);
      publish_staged(database_, first, before);
      record_staged_plugins(database_, first, before);
    }
    return true;
  });
}

void mark_staged_stale(Database& database, const domain::Slug& slug) {
  database.execute("UPDATE staged_plugins SET is_stale = 1 WHERE slug = ?", {slug});
}

}  // namespace goldsmith::db

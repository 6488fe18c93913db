#include "db/plugin_import.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <tuple>
#include <utility>

#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/domain/plugin.hpp"
#include "db/database.hpp"
#include "db/migrations.hpp"
#include "db/plugin_rows.hpp"
#include "db/staged_plugins.hpp"

namespace goldsmith::db {
namespace {

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

// The slugs of those that are stored.
std::set<std::string> known_among(Database& database, const std::vector<domain::Plugin>& plugins) {
  std::vector<Parameter> slugs;
  for (const domain::Plugin& each : plugins) slugs.emplace_back(each.slug.view());
  pad_list(slugs, std::string_view());
  const auto rows =
      database.query("SELECT slug FROM plugins WHERE slug IN " + placeholders(slugs), slugs);
  std::set<std::string> known;
  while (rows->next()) known.insert(rows->text(1));
  return known;
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

PluginImport::PluginImport(Database& database, domain::Timestamp now, Writes writes)
    : database_(database), now_(now), writes_(writes), lock_(database, "import", kImportPatience) {
  if (!lock_.is_taken()) {
    throw Error(Error::Kind::constraint,
                "another import of plugins is running; try again when it is finished");
  }
  clear_staged(database_, lock_);
  is_clear_ = true;
}

PluginImport::~PluginImport() {
  if (writing_.valid()) writing_.wait();
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

std::vector<ImportChange> PluginImport::finish(const std::function<void()>& beside) {
  write_batch();
  wait_for_batch();
  if (is_anything_staged_ || beside) publish(beside);
  try {
    if (!is_clear_) clear_staged(database_, lock_);
    is_clear_ = true;
  } catch (const Error&) {
    // The import is done all the same; the next one removes what it took out.
  }
  return std::move(changes_);
}

void PluginImport::wait_for_batch() {
  if (writing_.valid()) writing_.get();
}

void PluginImport::write_batch() {
  wait_for_batch();
  batch_bytes_ = 0;
  if (batch_.empty()) return;
  const auto policy = writes_ == Writes::beside_caller ? std::launch::async : std::launch::deferred;
  writing_ =
      std::async(policy, [this, batch = std::exchange(batch_, {})]() mutable { write(batch); });
  if (writes_ == Writes::at_once) wait_for_batch();
}

void PluginImport::write(std::vector<domain::Plugin>& batch) {
  const auto first = static_cast<std::int64_t>(changes_.size());
  std::vector<ImportChange> changes(batch.size(), ImportChange::unchanged);
  change(database_, [&] {
    lock_.check();
    const std::set<std::string> known = known_among(database_, batch);
    // In order of position; what they compare with is gone when this returns.
    std::vector<std::optional<StoredPlugin>> stored(batch.size());
    std::vector<StagedPlugin> staged;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      domain::Plugin& plugin = batch[i];
      if (known.contains(plugin.slug.str())) {
        stored[i] = load_plugin(database_, plugin.slug, Visible::all, Content::with);
      }
      const domain::Plugin* existing = stored[i] ? &stored[i]->plugin : nullptr;
      settle_times(plugin, existing, now_, remarks_);
      keep_verdicts(plugin, existing);
      StagedPlugin each{first + static_cast<std::int64_t>(i), existing ? stored[i]->id : 0, &plugin,
                        search_text(plugin), latest_version(plugin.versions)};
      compare_versions(existing, each);
      const bool is_same = each.added.empty() && each.removed.empty();
      if (existing && is_same && same_head(*existing, plugin)) continue;
      changes[i] = existing ? ImportChange::updated : ImportChange::created;
      staged.push_back(std::move(each));
    }
    if (!staged.empty()) is_clear_ = false;
    is_anything_staged_ = is_anything_staged_ || !staged.empty();
    write_staged(database_, staged, now_);
    return false;
  });
  changes_.insert(changes_.end(), changes.begin(), changes.end());
}

void PluginImport::publish(const std::function<void()>& beside) {
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
    if (beside) beside();
    return is_anything_staged_;
  });
}

}  // namespace goldsmith::db

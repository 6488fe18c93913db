#include "db/plugin_import.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "db/plugin_diff.hpp"
#include "db/plugin_rows.hpp"
#include "db/plugin_staging.hpp"
#include "db/revision.hpp"

namespace goldsmith::db {
namespace {

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

std::string search_text(const domain::Plugin& plugin, PluginStore::Fold fold) {
  std::string text;
  append_searchable(text, fold(plugin.name));
  for (const std::string& tag : plugin.tags) append_searchable(text, fold(tag));
  return text;
}

std::size_t content_bytes(const domain::Plugin& plugin) {
  std::size_t bytes = 0;
  for (const domain::PluginVersion& version : plugin.versions) {
    for (const domain::PluginFile& file : version.files) bytes += file.content.size();
  }
  return bytes;
}

}  // namespace

PluginImport::PluginImport(Database& database, PluginStore::Fold fold, domain::Timestamp now)
    : database_(database), fold_(fold), now_(now), lock_(database, "import", kImportPatience) {
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
      settle_times(batch_[i], existing, now_);
      auto [added, removed] = compare_versions(existing, batch_[i]);
      if (existing && added.empty() && removed.empty() && same_head(*existing, batch_[i])) continue;
      changes[i] = existing ? ImportChange::updated : ImportChange::created;
      staged.push_back({first + static_cast<std::int64_t>(i), existing ? stored[i]->id : 0,
                        &batch_[i], search_text(batch_[i], fold_),
                        latest_version(batch_[i].versions), std::move(added), std::move(removed)});
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

}  // namespace goldsmith::db

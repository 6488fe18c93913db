#include "app/service/cache_upkeep.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "app/archive/archive_cache.hpp"
#include "app/archive/zip.hpp"
#include "app/service/compiled_plugin_cache.hpp"
#include "app/sys/file.hpp"

namespace goldsmith::service {
namespace {

namespace fs = std::filesystem;
using archive::CachedFile;
using State = CacheFinding::State;

// No artefact takes that long to write: what is older belonged to a worker that was killed.
constexpr std::chrono::hours kLongestWriting{1};

std::uint64_t max_bytes(const sys::CacheConfig& config, CacheKind kind) {
  return kind == CacheKind::archives ? config.archive_bytes : config.artefact_bytes;
}

bool is_finished(CacheKind kind, const fs::path& file) {
  return kind == CacheKind::archives ? archive::build_hash_of(file).has_value() : is_artefact(file);
}

// Being written, or left behind by a worker that was killed.
bool is_unfinished(CacheKind kind, const fs::path& file) {
  if (kind == CacheKind::artefacts) return sys::is_temporary(file);
  return file.extension() == ".part" && archive::build_hash_of(file.parent_path() / file.stem());
}

// True when the file was unfinished, nobody is at it any more, and it is gone now.
bool remove_abandoned(CacheKind kind, const CachedFile& file,
                      std::chrono::system_clock::time_point now) {
  if (!is_unfinished(kind, file.path)) return false;
  if (kind == CacheKind::archives) return archive::remove_abandoned_part(file.path);
  std::error_code error;
  return now - file.last_use > kLongestWriting && fs::remove(file.path, error);
}

void check(CacheKind kind, CacheFinding& finding) {
  try {
    if (kind == CacheKind::archives) {
      archive::verify_archive(finding.file);
    } else if (const std::string defect = artefact_defect(finding.file); !defect.empty()) {
      throw archive::ZipError(finding.file.string() + ": " + defect);
    }
  } catch (const archive::ZipError& error) {
    finding.state = State::damaged;
    finding.detail = error.what();
  }
}

archive::Removed remove_archives(const std::vector<fs::path>& files, std::chrono::seconds handover,
                                 const CacheUpkeep::Wait& wait) {
  archive::ArchiveRemoval removal(handover);
  for (const fs::path& file : files) removal.begin(file);
  if (removal.time_to_wait().count() > 0) wait(removal.time_to_wait());
  removal.finish();
  return removal.removed();
}

// Who uses one has read all of it, so that nobody needs the file any more.
archive::Removed remove_artefacts(const std::vector<fs::path>& files) {
  archive::Removed removed;
  for (const fs::path& file : files) {
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(file, error);
    if (fs::remove(file, error)) removed += {1, bytes};
    if (error) throw sys::FileError(file, "can't be removed", error.value());
  }
  return removed;
}

}  // namespace

fs::path CacheUpkeep::folder_of(CacheKind kind) const {
  return kind == CacheKind::archives ? config_.archive_cache : config_.artefact_cache;
}

CacheContent CacheUpkeep::measure(CacheKind kind) const {
  CacheContent content;
  std::error_code error;
  content.exists = fs::is_directory(folder_of(kind), error);
  content.max_bytes = max_bytes(config_.cache, kind);
  for (const CachedFile& file : archive::cached_files(folder_of(kind))) {
    ++content.files;
    content.bytes += file.bytes;
    content.oldest_use = std::min(content.oldest_use.value_or(file.last_use), file.last_use);
  }
  return content;
}

archive::CacheBounds CacheUpkeep::bounds_of(CacheKind kind, Extent extent) const {
  using Time = std::chrono::system_clock::time_point;
  if (extent == Extent::all) return {.used_since = Time::max()};
  const std::uint64_t available = sys::available_bytes(folder_of(kind));
  return {.bytes = max_bytes(config_.cache, kind),
          .used_since = clock_.now() - config_.cache.unused,
          .bytes_short = config_.cache.free_bytes - std::min(config_.cache.free_bytes, available)};
}

archive::Removed CacheUpkeep::prune(CacheKind kind, Extent extent, const Wait& wait) const {
  archive::Removed removed;
  std::vector<CachedFile> finished;
  for (CachedFile& file : archive::cached_files(folder_of(kind))) {
    if (is_finished(kind, file.path)) {
      finished.push_back(std::move(file));
    } else if (remove_abandoned(kind, file, clock_.now())) {
      removed += {1, file.bytes};
    }
  }
  if (finished.empty()) return removed;
  std::vector<fs::path> too_much;
  for (CachedFile& file : archive::select_evictions(std::move(finished), bounds_of(kind, extent))) {
    too_much.push_back(std::move(file.path));
  }
  return removed += remove(kind, too_much, wait);
}

std::vector<CacheFinding> CacheUpkeep::verify(CacheKind kind) const {
  std::vector<CacheFinding> findings;
  for (const CachedFile& file : archive::cached_files(folder_of(kind))) {
    if (is_unfinished(kind, file.path)) continue;
    CacheFinding finding{file.path, State::ok, ""};
    if (!is_finished(kind, file.path)) {
      findings.push_back(
          {file.path, State::stray, file.path.string() + ": is nothing of goldsmith's"});
      continue;
    }
    try {
      check(kind, finding);
    } catch (const sys::FileError& error) {
      if (error.error_number() == ENOENT) continue;  // pruned meanwhile
      throw;
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

archive::Removed CacheUpkeep::remove_damaged(CacheKind kind,
                                             const std::vector<CacheFinding>& findings,
                                             const Wait& wait) const {
  std::vector<fs::path> damaged;
  for (const CacheFinding& finding : findings) {
    if (finding.state == State::damaged) damaged.push_back(finding.file);
  }
  return remove(kind, damaged, wait);
}

archive::Removed CacheUpkeep::remove(CacheKind kind, const std::vector<fs::path>& files,
                                     const Wait& wait) const {
  if (kind == CacheKind::artefacts) return remove_artefacts(files);
  return remove_archives(files, config_.cache.handover, wait);
}

}  // namespace goldsmith::service

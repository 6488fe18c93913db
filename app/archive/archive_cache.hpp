// Finished server archives, `<root>/<build hash>.zip`. Among all processes of a host, one at a time
// builds a given archive.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/archive/cache_folder.hpp"
#include "app/archive/zip.hpp"
#include "app/base/config.hpp"
#include "app/base/file.hpp"
#include "app/domain/failure.hpp"

namespace goldsmith::archive {

// What one server archive is made of.
struct Recipe {
  // Entries copied from one file of the depot.
  struct DepotFile {
    std::filesystem::path zip;
    std::vector<std::string> paths;  // in any order
    // The digest that the build hash was computed from. ZipError if the depot file has another one,
    // because its version was mirrored again since: no archive gets a wrong hash. "" = any digest.
    std::string digest = {};
    domain::Timestamp modified = kNoTime;  // of the copies
  };
  std::string build_hash;  // 64 hex digits; also the archive's comment
  std::vector<DepotFile> depot_files;
  // Generated, edited, or the binary of a plugin, and a plugin's other files. Stored, not deflated,
  // so that the archive does not depend on the host's zlib.
  std::vector<MemoryFile> inline_entries;
  std::vector<StreamedFile> streamed_entries = {};
};

// The modification time of an archive, in seconds since 1970: always in the past and derived from
// the hash alone. nginx computes its ETag from it and the size, so equal builds have equal tags on
// every host (decision R11).
std::int64_t modification_time(std::string_view build_hash);

// The build hash in the name of a finished archive; std::nullopt for any other name.
std::optional<std::string> build_hash_of(const std::filesystem::path& file);

// Reads a finished archive completely. Throws ZipError if it is damaged or if its name is not that
// of its build hash, and base::FileError.
void verify_archive(const std::filesystem::path& file);

// The cache as a folder of files, with the limits that are configured.
CacheFolder archive_folder(const base::Config& config);

// Limits how many workers of a host wait for builds, and build, at the same time. This base class
// sets no limit.
class BuildLimits {
 public:
  virtual ~BuildLimits() = default;
  // Called before waiting for a build of another process; the slot is held meanwhile.
  virtual domain::Admission wait_for_build() { return domain::Turn(); }
  // Called before a build of that size; the slot is held during it.
  virtual domain::Admission build(std::uint64_t /*bytes*/) { return domain::Turn(); }
};

// An archive that is in the cache, and stays there for CacheLimits::handover, so that nginx can
// open it.
struct Acquired {
  std::uint64_t bytes = 0;
  bool is_built = false;  // by this caller, just now
};

// Marks a cached file as used, which then stays for CacheLimits::handover, and returns its size;
// std::nullopt if it does not exist or is retired. Throws base::FileError.
std::optional<std::uint64_t> use_cached(const std::filesystem::path& file);

// What a worker throws if a new file has no room: what is in use now may be removed a moment later
// (decision S18). `cause`: of CacheFolder::Room.
domain::Failure no_room(std::string cause);

class ArchiveCache {
 public:
  explicit ArchiveCache(std::filesystem::path root, const CacheLimits& limits = {});
  explicit ArchiveCache(CacheFolder folder) : folder_(std::move(folder)) {}

  // False if the folder does not exist or is not writable.
  bool available() const;
  // Throws std::invalid_argument unless `build_hash` is 64 lower-case hex digits.
  std::filesystem::path file_of(std::string_view build_hash) const;

  // Marks the archive as used; std::nullopt if it does not exist. Throws base::FileError.
  std::optional<Acquired> acquire(std::string_view build_hash) const;

  // Builds the archive, or waits for the process that is building it: one among all processes
  // builds, the others wait. Only the one that builds asks `may_build`, once and before anything is
  // removed or written. Room is made first: the least recently used archives go, but none that is
  // in use. A failed build throws and leaves no file; the next builder takes over `<hash>.zip.part`
  // of a killed one. Throws domain::Failure when a limit is reached, or when there is no room even
  // if everything is removed that may be (decision S18); MissingDepotFile, before `may_build` is
  // asked; as PreparedArchive does; and what reading the streamed entries throws.
  Acquired build(const Recipe& recipe, const domain::Permit& may_build, BuildLimits& limits) const;
  Acquired build(const Recipe& recipe, const domain::Permit& may_build) const {
    BuildLimits none;
    return build(recipe, may_build, none);
  }

 private:
  class PartFile;

  void reserve(std::uint64_t bytes, PartFile& part, const domain::Permit& may_build) const;

  CacheFolder folder_;
};

// Locks and marks by which builders and removers of cached files stay out of each other's way.

// Takes an exclusive flock(2) on `fd`; waits without a limit. Throws base::FileError.
void lock_file(int fd, const std::filesystem::path& path);
// Takes that lock without waiting; false if another process holds it. Throws base::FileError.
bool try_lock_file(int fd, const std::filesystem::path& path);

// Takes the lock of a cache's folder; see CacheFolder::lock(). Throws base::FileError.
base::UniqueFd lock_folder(const std::filesystem::path& folder);

// True if `path` still names the file that `fd` has open. Throws base::FileError.
bool is_named(int fd, const std::filesystem::path& path);

// A retired archive can no longer be acquired, but still exists for requests that already have its
// name. Its mode marks it: no other archive lacks the owner's write permission.
constexpr mode_t kRetiredMode = 0444;
inline bool is_retired(const struct stat& status) { return (status.st_mode & S_IWUSR) == 0; }

// A recipe whose depot files are open: all that it needs is there, and how large its archive will
// be is known before it is written.
class PreparedArchive {
 public:
  // Refers to `recipe`, which must live as long. Throws ZipError (a depot file is missing, damaged,
  // changed or lacks a path) and base::FileError.
  explicit PreparedArchive(const Recipe& recipe);

  // No less than the archive has in the end, and at most some bytes an entry more.
  std::uint64_t size() const { return size_; }

  // Writes the archive to `fd` (see ZipWriter): the entries of each depot file, unchanged and in
  // its order, then the inline and the streamed entries by path, then a new central directory.
  // Throws ZipError if a depot file is damaged, base::FileError, and what reading the streamed
  // entries throws.
  void write(int fd, const std::filesystem::path& path_for_messages) const;

 private:
  const Recipe& recipe_;
  // All open at once, so that a version that is removed from the depot meanwhile does not end a
  // build halfway.
  std::vector<ZipReader> readers_;
  std::vector<std::vector<const ZipEntry*>> picked_;  // of each depot file, in its order
  std::uint64_t size_ = 0;
};

}  // namespace goldsmith::archive

// A cache: a folder of files that can be made again, kept within its limits (decision S18) while
// several processes add files, use them and remove them.
//
// The least recently used files are removed first. A file that was used within the last
// `CacheLimits::handover` may be removed by nobody: nginx opens an archive shortly after a worker
// has told it the name, and does not report back. Workers skip such a file, and one that is being
// read. The operator's command retires it: workers treat it as missing and build it again, nginx
// still finds it until the command, having waited, removes it. Downloads in progress continue.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "app/base/config.hpp"
#include "app/base/file.hpp"

namespace goldsmith::archive {

struct CacheLimits {
  std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max();  // of all files together
  std::uint64_t free_bytes = 0;                                     // of the disk, that stay free
  std::chrono::seconds handover{10};  // a file stays for that long after its last use
  std::chrono::seconds unused = std::chrono::seconds::max();  // a file is removed after that long
  std::uint64_t inodes = std::numeric_limits<std::uint64_t>::max();  // files, at most
  std::uint64_t free_inodes = 0;                                     // of the disk, that stay free
};

// Those of the configuration, for a cache of `bytes`.
CacheLimits configured_limits(const base::CacheConfig& config, std::uint64_t bytes);

enum class CachedFileKind {
  finished,
  unfinished,  // being written, or left behind by a process that was killed
  stray        // not goldsmith's: never removed, never counted
};

// What a cache consists of.
struct CacheFormat {
  const char* name;  // as in the option cache.NAME_mb
  CachedFileKind (*kind_of)(const std::filesystem::path& file);
  // Reads a finished file to its end. Throws ZipError if it is damaged, and base::FileError.
  void (*verify)(const std::filesystem::path& file);
  // An unfinished file of that age is abandoned, unless somebody has locked it.
  std::chrono::seconds longest_writing;
};

struct CachedFile {
  std::filesystem::path path;
  CachedFileKind kind = CachedFileKind::stray;
  std::uint64_t bytes = 0;
  std::chrono::system_clock::time_point last_use;
};

// What CacheFolder::verify() found about a file.
struct VerifiedFile {
  enum class State { ok, damaged, stray };
  std::filesystem::path file;
  State state = State::ok;
  std::string detail = {};  // what is wrong
};

struct Removed {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;

  Removed& operator+=(const Removed& more) {
    files += more.files;
    bytes += more.bytes;
    return *this;
  }
};

// Every function that looks at the folder throws base::FileError.
class CacheFolder {
 public:
  class Room;
  // Returns after that time, which is the handover.
  using Wait = std::function<void(std::chrono::seconds)>;

  // `format` must outlive the object.
  CacheFolder(std::filesystem::path folder, const CacheFormat& format, const CacheLimits& limits)
      : folder_(std::move(folder)), format_(&format), limits_(limits) {}

  const std::filesystem::path& path() const { return folder_; }
  const char* name() const { return format_->name; }
  const CacheLimits& limits() const { return limits_; }

  // The regular files directly in the folder, sorted by path; none if the folder does not exist.
  // Leaves out files that are removed meanwhile.
  std::vector<CachedFile> files() const;

  // A process holds this lock while it makes room or renames a file: a listing may otherwise miss a
  // file that is being renamed. Waits for other processes, milliseconds.
  base::UniqueFd lock() const;

  // Removes what exceeds the limits, and abandoned files.
  Removed prune(const Wait& wait) const;
  // Removes all files but strays and those that are being written.
  Removed clear(const Wait& wait) const;
  // Removes these files. One that is being published, or is gone, is left alone.
  Removed remove(const std::vector<std::filesystem::path>& files, const Wait& wait) const;

  // Reads every finished file, in the order of the paths.
  std::vector<VerifiedFile> verify() const;

 private:
  std::filesystem::path folder_;
  const CacheFormat* format_;
  CacheLimits limits_;
};

// Removes files from under the processes that use them.
class CacheRemoval {
 public:
  // `wait`: none = files in use are skipped.
  CacheRemoval(std::chrono::seconds handover, CacheFolder::Wait wait)
      : handover_(handover), wait_(std::move(wait)) {}

  // False if the file stays: it is in use, is being published or is gone. True if no worker will
  // use it any more: it is removed or, until finish(), retired.
  bool remove(const std::filesystem::path& file);
  // Waits if files were retired, and removes those that were not made again meanwhile.
  Removed finish();

  // Removes an unfinished file whose writer was killed; false if it is being written.
  bool remove_abandoned(const std::filesystem::path& file);

 private:
  void unlink(int fd, const std::filesystem::path& file);

  std::chrono::seconds handover_;
  CacheFolder::Wait wait_;
  std::vector<std::filesystem::path> retired_;
  Removed removed_;
};

// Room for a new file, made before it is written, so that the limits are kept at any time. Every
// file counts with the size that it has or, if its builder has reserved it, will have.
class CacheFolder::Room {
 public:
  // What files take.
  struct Space {
    std::uint64_t bytes = 0;
    std::uint64_t inodes = 0;

    void add(const CachedFile& file);
    void remove(const CachedFile& file);
  };
  // Room for more than the new file: of what the files take, or may take if that is less. Whoever
  // counts them then need not list the folder for the next file, too.
  enum class Spare { none, tenth };

  // Lists the folder and removes abandoned files. Holds `lock`, of CacheFolder::lock(), until it is
  // destroyed. `wait`: see CacheRemoval.
  Room(const CacheFolder& cache, base::UniqueFd lock, const Wait& wait = {});

  // Why a file of `bytes` has no room even if everything is removed that may be, for the log;
  // std::nullopt if it has room. The cache may exceed its size by the new file, so that one that is
  // larger than the cache can be made.
  std::optional<std::string> shortage(std::uint64_t bytes) const;

  // Removes files until the limits are kept with the new file and `spare`, or nothing is left that
  // may be removed. The result is as above: what is spare is not needed.
  std::optional<std::string> make(std::uint64_t bytes, Spare spare = Spare::none);

  // Of all files that are left.
  const Space& used() const { return used_; }

  Removed finish() { return removal_.finish(); }

 private:
  bool is_short(std::uint64_t bytes, const Space& spare) const;
  std::optional<std::string> shortage(std::uint64_t bytes, const Space& removable) const;

  const CacheFolder& cache_;
  base::UniqueFd lock_;
  CacheRemoval removal_;
  Space used_;
  Space available_;                    // of the disk
  Space removable_space_;              // of removable_
  std::vector<CachedFile> removable_;  // the least recently used last
};

}  // namespace goldsmith::archive

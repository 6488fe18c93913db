#include "app/archive/archive_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <stdexcept>

#include "app/archive/archive_lock.hpp"
#include "app/archive/depot.hpp"
#include "app/archive/prepared_archive.hpp"
#include "app/archive/zip.hpp"
#include "app/sys/digest.hpp"
#include "app/sys/file.hpp"
#include "app/sys/session_niceness.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::archive {
namespace {

// Builds that take longer than a fraction of a second yield to requests.
constexpr std::uint64_t kLongBuild = 64U << 20;
constexpr int kNiceness = 10;

constexpr std::int64_t kFirstModificationTime = 1'000'000'000;  // September 2001

CachedFileKind kind_of(const std::filesystem::path& file) {
  if (build_hash_of(file)) return CachedFileKind::finished;
  const bool is_part =
      file.extension() == ".part" && build_hash_of(file.parent_path() / file.stem());
  return is_part ? CachedFileKind::unfinished : CachedFileKind::stray;
}

// A builder holds the lock of its file for as long as it writes.
constexpr CacheFormat kFormat{"archives", kind_of, verify_archive, std::chrono::seconds(0)};

// Gives the file its size, and the room for it on the disk. False if the disk is full.
bool allocate(int fd, std::uint64_t bytes, const std::filesystem::path& path) {
  const auto size = static_cast<off_t>(bytes);
  while (::fallocate(fd, 0, 0, size) != 0) {
    if (errno == EINTR) continue;
    if (errno == ENOSPC || errno == EDQUOT) return false;
    if (errno != EOPNOTSUPP && errno != ENOSYS) throw sys::FileError(path, "reserve room", errno);
    // Others then see at least the size that it will have.
    if (::ftruncate(fd, size) != 0) throw sys::FileError(path, "reserve room", errno);
    return true;
  }
  return true;
}

void check_depot_files(const Recipe& recipe) {
  for (const Recipe::DepotFile& file : recipe.depot_files) {
    if (::faccessat(AT_FDCWD, file.zip.c_str(), R_OK, AT_EACCESS) == 0) continue;
    if (errno == ENOENT || errno == ENOTDIR || errno == EACCES) {
      throw MissingDepotFile(file.zip, errno);
    }
  }
}

}  // namespace

// The unfinished archive, which is also the lock: the process that holds flock(2) on the inode that
// the path names builds, all others wait for it. The finished archive keeps the lock.
class ArchiveCache::PartFile {
 public:
  explicit PartFile(std::filesystem::path path) : path_(std::move(path)) {}

  ~PartFile() {
    if (held_ && !published_) ::unlink(path_.c_str());
  }

  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  // Returns false if another process builds.
  bool try_hold() {
    do {
      open();
      if (!try_lock_file(fd(), path_)) return false;
    } while (!is_named(fd(), path_));  // its last owner published or removed it in between
    return held_ = true;
  }

  // Waits as long as another process builds.
  void hold() {
    do {
      open();
      lock_file(fd(), path_);
    } while (!is_named(fd(), path_));
    held_ = true;
  }

  int fd() const { return fd_.get(); }
  const std::filesystem::path& path() const { return path_; }

  // A killed builder leaves a partial file.
  void empty() const {
    if (::ftruncate(fd(), 0) != 0) throw sys::FileError(path_, "can't be truncated", errno);
  }

  // Returns the size. Mode and time come first, so that the sync covers them too.
  std::uint64_t publish(const std::filesystem::path& target, std::int64_t modification_time) {
    const timespec times[] = {{0, UTIME_NOW}, {modification_time, 0}};
    if (::fchmod(fd(), 0644) != 0) throw sys::FileError(path_, "can't set its mode", errno);
    if (::futimens(fd(), times) != 0) throw sys::FileError(path_, "can't set its time", errno);
    sys::sync_file(fd(), path_);
    const sys::UniqueFd retired = lock_retired(target);
    rename_to(target);
    published_ = true;
    sys::sync_directory(target.parent_path());
    sys::mark_used(target);  // syncing took its time
    struct stat status{};
    if (::fstat(fd(), &status) != 0) throw sys::FileError(path_, "can't be examined", errno);
    return static_cast<std::uint64_t>(status.st_size);
  }

 private:
  void rename_to(const std::filesystem::path& target) const {
    const sys::UniqueFd folder = lock_folder(target.parent_path());
    if (::rename(path_.c_str(), target.c_str()) != 0) {
      throw sys::FileError(target, "can't rename " + path_.string() + " to it", errno);
    }
  }

  void open() { fd_ = sys::open_file(path_, O_RDWR | O_CREAT | O_NOFOLLOW, 0600); }

  // CacheRemoval does not remove the retired archive of that name while we hold its lock.
  static sys::UniqueFd lock_retired(const std::filesystem::path& target) {
    sys::UniqueFd fd(::open(target.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (fd) lock_file(fd.get(), target);
    return fd;
  }

  std::filesystem::path path_;
  sys::UniqueFd fd_;
  bool held_ = false;
  bool published_ = false;
};

std::int64_t modification_time(std::string_view build_hash) {
  if (!sys::is_sha256_hex(build_hash)) {
    throw std::invalid_argument("invalid build hash: " + std::string(build_hash));
  }
  // 28 bits: eight and a half years.
  return kFirstModificationTime +
         sys::parse_number<std::int64_t>(build_hash.substr(0, 7), 16).value();
}

std::optional<std::string> build_hash_of(const std::filesystem::path& file) {
  std::string hash = file.stem().string();
  if (file.extension() != ".zip" || !sys::is_sha256_hex(hash)) return std::nullopt;
  return hash;
}

void verify_archive(const std::filesystem::path& file) {
  const auto build_hash = build_hash_of(file);
  if (!build_hash) throw ZipError(file.string() + ": its name is not a build hash");
  const ZipReader reader(file);
  if (reader.comment() != archive_comment(*build_hash)) {
    throw ZipError(file.string() + ": its comment is \"" + reader.comment() + "\", not \"" +
                   archive_comment(*build_hash) + "\"");
  }
  reader.verify();
  struct stat status{};
  if (::fstat(reader.descriptor(), &status) != 0) {
    throw sys::FileError(file, "can't be examined", errno);
  }
  if (status.st_mtim.tv_sec != modification_time(*build_hash)) {
    throw ZipError(file.string() + ": its modification time is not the one that its build hash " +
                   "gives, so that nginx's ETag for it is wrong");
  }
}

CacheFolder archive_folder(const sys::Config& config) {
  const sys::CacheConfig& cache = config.cache;
  return {config.archive_cache,
          kFormat,
          {cache.archive_bytes, cache.free_bytes, cache.handover, cache.unused}};
}

ArchiveCache::ArchiveCache(std::filesystem::path root, const CacheLimits& limits)
    : folder_(std::move(root), kFormat, limits) {}

bool ArchiveCache::available() const {
  std::error_code error;
  return std::filesystem::is_directory(folder_.path(), error) &&
         ::faccessat(AT_FDCWD, folder_.path().c_str(), W_OK | X_OK, AT_EACCESS) == 0;
}

std::filesystem::path ArchiveCache::file_of(std::string_view build_hash) const {
  if (!sys::is_sha256_hex(build_hash)) {
    throw std::invalid_argument("invalid build hash: " + std::string(build_hash));
  }
  return folder_.path() / std::string(build_hash).append(".zip");
}

std::optional<Acquired> ArchiveCache::acquire(std::string_view build_hash) const {
  const std::filesystem::path file = file_of(build_hash);
  // In this order: if it is retired after the check, the removal sees that it was just used.
  if (!sys::mark_used(file)) return std::nullopt;
  struct stat status{};
  const bool is_there =
      ::lstat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) && !is_retired(status);
  if (!is_there) return std::nullopt;
  return Acquired{static_cast<std::uint64_t>(status.st_size)};
}

Acquisition ArchiveCache::build(const Recipe& recipe, const domain::Permit& may_build,
                                BuildLimits& limits) const {
  PartFile part(file_of(recipe.build_hash).string() + ".part");
  if (!part.try_hold()) {
    const domain::Admission waiting = limits.wait_for_build();
    if (const auto* refusal = std::get_if<domain::RateLimited>(&waiting)) return *refusal;
    part.hold();
  }
  if (const auto found = acquire(recipe.build_hash)) return *found;  // built meanwhile

  check_depot_files(recipe);
  const PreparedArchive archive(recipe);
  const domain::Admission building = limits.build(archive.size());
  if (const auto* refusal = std::get_if<domain::RateLimited>(&building)) return *refusal;
  part.empty();
  if (auto obstacle = reserve(archive.size(), part, may_build)) return std::move(*obstacle);
  {
    std::optional<sys::NiceSession> nice;
    if (archive.size() > kLongBuild) nice.emplace(kNiceness);
    archive.write(part.fd(), part.path());
  }
  return Acquired{part.publish(file_of(recipe.build_hash), modification_time(recipe.build_hash)),
                  true};
}

// The permit is asked once it is known that there is room to be made: what a full disk refuses
// costs no budget, and what the budget refuses costs nobody's archive.
std::optional<Acquisition> ArchiveCache::reserve(std::uint64_t bytes, PartFile& part,
                                                 const domain::Permit& may_build) const {
  CacheFolder::Room room(folder_, folder_.lock());
  if (auto cause = room.shortage(bytes)) return NoRoom{std::move(*cause)};
  if (const auto refusal = may_build.ask()) return *refusal;
  if (auto cause = room.make(bytes)) return NoRoom{std::move(*cause)};
  if (!allocate(part.fd(), bytes, part.path())) return NoRoom{"the disk of the cache is full"};
  return std::nullopt;
}

}  // namespace goldsmith::archive

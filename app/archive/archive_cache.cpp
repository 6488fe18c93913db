#include "app/archive/archive_cache.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <unordered_set>

#include "app/archive/depot.hpp"
#include "app/archive/zip.hpp"
#include "app/archive/zip_format.hpp"
#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "app/base/text.hpp"
#include "app/host/nice_session.hpp"

namespace goldsmith::archive {
namespace {

// The ZIP comment of every archive; it names the build hash.
std::string archive_comment(std::string_view build_hash) {
  return std::string("goldsmith build ").append(build_hash);
}

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
    if (errno != EOPNOTSUPP && errno != ENOSYS) throw base::FileError(path, "reserve room", errno);
    // Others then see at least the size that it will have.
    if (::ftruncate(fd, size) != 0) throw base::FileError(path, "reserve room", errno);
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

void check_digest(const ZipReader& reader, const Recipe::DepotFile& file) {
  if (file.digest.empty() || reader.comment() == depot_comment(file.digest)) return;
  throw ZipError(file.zip.string() + ": its content is not what the build was planned with " +
                 "(digest " + file.digest + ", but its comment is \"" + reader.comment() +
                 "\"); mirror the version again if this persists");
}

// The wanted entries in file order, so that neighbours are copied together.
std::vector<const ZipEntry*> pick(const ZipReader& reader, const Recipe::DepotFile& file) {
  std::unordered_set<std::string_view> wanted(file.paths.begin(), file.paths.end());
  if (wanted.size() != file.paths.size()) {
    throw ZipError(file.zip.string() + ": the build names one of its paths more than once");
  }
  std::vector<const ZipEntry*> picked;
  picked.reserve(wanted.size());
  for (const ZipEntry& entry : reader.entries()) {
    if (wanted.erase(entry.path) > 0) picked.push_back(&entry);
  }
  if (!wanted.empty()) {
    throw ZipError(file.zip.string() + ": no entry " +
                   std::string(*std::min_element(wanted.begin(), wanted.end())) +
                   ", which the build needs");
  }
  return picked;
}

// The most that an entry takes in the central directory and the end records: with all ZIP64 fields
// and a time, which the local header has, too.
constexpr std::uint64_t kCentralHeader = 46 + 32 + 2 * kTimeExtra;
constexpr std::uint64_t kEnd = kZip64RecordsSize + kEndRecordSize + 128;

std::uint64_t size_of(const StreamedFile& entry) {
  ZipEntry stored;
  stored.path = entry.path;
  stored.size = stored.compressed_size = entry.size;
  return local_header_size(stored) + entry.size + kCentralHeader + entry.path.size();
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
    if (::ftruncate(fd(), 0) != 0) throw base::FileError(path_, "can't be truncated", errno);
  }

  // Returns the size. Mode and time come first, so that the sync covers them too.
  std::uint64_t publish(const std::filesystem::path& target, std::int64_t modification_time) {
    const timespec times[] = {{0, UTIME_NOW}, {modification_time, 0}};
    if (::fchmod(fd(), 0644) != 0) throw base::FileError(path_, "can't set its mode", errno);
    if (::futimens(fd(), times) != 0) throw base::FileError(path_, "can't set its time", errno);
    base::sync_file(fd(), path_);
    const base::UniqueFd retired = lock_retired(target);
    rename_to(target);
    published_ = true;
    base::sync_directory(target.parent_path());
    base::mark_used(target);  // syncing took its time
    struct stat status{};
    if (::fstat(fd(), &status) != 0) throw base::FileError(path_, "can't be examined", errno);
    return static_cast<std::uint64_t>(status.st_size);
  }

 private:
  void rename_to(const std::filesystem::path& target) const {
    const base::UniqueFd folder = lock_folder(target.parent_path());
    if (::rename(path_.c_str(), target.c_str()) != 0) {
      throw base::FileError(target, "can't rename " + path_.string() + " to it", errno);
    }
  }

  void open() { fd_ = base::open_file(path_, O_RDWR | O_CREAT | O_NOFOLLOW, 0600); }

  // CacheRemoval does not remove the retired archive of that name while we hold its lock.
  static base::UniqueFd lock_retired(const std::filesystem::path& target) {
    base::UniqueFd fd(::open(target.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (fd) lock_file(fd.get(), target);
    return fd;
  }

  std::filesystem::path path_;
  base::UniqueFd fd_;
  bool held_ = false;
  bool published_ = false;
};

std::int64_t modification_time(std::string_view build_hash) {
  if (!base::is_sha256_hex(build_hash)) {
    throw std::invalid_argument("invalid build hash: " + std::string(build_hash));
  }
  // 28 bits: eight and a half years.
  return kFirstModificationTime +
         base::parse_number<std::int64_t>(build_hash.substr(0, 7), 16).value();
}

std::optional<std::string> build_hash_of(const std::filesystem::path& file) {
  std::string hash = file.stem().string();
  if (file.extension() != ".zip" || !base::is_sha256_hex(hash)) return std::nullopt;
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
    throw base::FileError(file, "can't be examined", errno);
  }
  if (status.st_mtim.tv_sec != modification_time(*build_hash)) {
    throw ZipError(file.string() + ": its modification time is not the one that its build hash " +
                   "gives, so that nginx's ETag for it is wrong");
  }
}

CacheFolder archive_folder(const base::Config& config) {
  return {config.archive_cache, kFormat,
          configured_limits(config.cache, config.cache.archive_bytes)};
}

ArchiveCache::ArchiveCache(std::filesystem::path root, const CacheLimits& limits)
    : folder_(std::move(root), kFormat, limits) {}

bool ArchiveCache::available() const {
  std::error_code error;
  return std::filesystem::is_directory(folder_.path(), error) &&
         ::faccessat(AT_FDCWD, folder_.path().c_str(), W_OK | X_OK, AT_EACCESS) == 0;
}

std::filesystem::path ArchiveCache::file_of(std::string_view build_hash) const {
  if (!base::is_sha256_hex(build_hash)) {
    throw std::invalid_argument("invalid build hash: " + std::string(build_hash));
  }
  return folder_.path() / std::string(build_hash).append(".zip");
}

std::optional<std::uint64_t> use_cached(const std::filesystem::path& file) {
  // In this order: if it is retired after the check, the removal sees that it was just used.
  if (!base::mark_used(file)) return std::nullopt;
  struct stat status{};
  const bool is_there =
      ::lstat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) && !is_retired(status);
  if (!is_there) return std::nullopt;
  return static_cast<std::uint64_t>(status.st_size);
}

std::optional<Acquired> ArchiveCache::acquire(std::string_view build_hash) const {
  const auto bytes = use_cached(file_of(build_hash));
  if (!bytes) return std::nullopt;
  return Acquired{*bytes};
}

domain::Failure no_room(std::string cause) {
  domain::Failure failure(domain::Error::builder_unavailable, "no room in a cache",
                          std::move(cause));
  failure.wait = std::chrono::seconds(10);
  return failure;
}

Acquired ArchiveCache::build(const Recipe& recipe, const domain::Permit& may_build,
                             BuildLimits& limits) const {
  PartFile part(file_of(recipe.build_hash).string() + ".part");
  if (!part.try_hold()) {
    const domain::Turn waiting = domain::require(limits.wait_for_build());
    part.hold();
  }
  if (const auto found = acquire(recipe.build_hash)) return *found;  // built meanwhile

  check_depot_files(recipe);
  const PreparedArchive archive(recipe);
  const domain::Turn building = domain::require(limits.build(archive.size()));
  part.empty();
  reserve(archive.size(), part, may_build);
  {
    std::optional<host::NiceSession> nice;
    if (archive.size() > kLongBuild) nice.emplace(kNiceness);
    archive.write(part.fd(), part.path());
  }
  return Acquired{part.publish(file_of(recipe.build_hash), modification_time(recipe.build_hash)),
                  true};
}

// The permit is asked once it is known that there is room to be made: what a full disk refuses
// costs no budget, and what the budget refuses costs nobody's archive.
void ArchiveCache::reserve(std::uint64_t bytes, PartFile& part,
                           const domain::Permit& may_build) const {
  CacheFolder::Room room(folder_, folder_.lock());
  if (auto cause = room.shortage(bytes)) throw no_room(std::move(*cause));
  domain::require(may_build.ask());
  if (auto cause = room.make(bytes)) throw no_room(std::move(*cause));
  if (!allocate(part.fd(), bytes, part.path())) throw no_room("the disk of the cache is full");
}

void lock_file(int fd, const std::filesystem::path& path) {
  while (::flock(fd, LOCK_EX) != 0) {
    if (errno != EINTR) throw base::FileError(path, "can't be locked", errno);
  }
}

bool try_lock_file(int fd, const std::filesystem::path& path) {
  while (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno != EINTR) throw base::FileError(path, "can't be locked", errno);
  }
  return true;
}

base::UniqueFd lock_folder(const std::filesystem::path& folder) {
  base::UniqueFd fd = base::open_file(folder, O_RDONLY | O_DIRECTORY);
  lock_file(fd.get(), folder);
  return fd;
}

bool is_named(int fd, const std::filesystem::path& path) {
  struct stat held{};
  struct stat named{};
  if (::fstat(fd, &held) != 0) throw base::FileError(path, "can't be examined", errno);
  return ::lstat(path.c_str(), &named) == 0 && held.st_dev == named.st_dev &&
         held.st_ino == named.st_ino;
}

PreparedArchive::PreparedArchive(const Recipe& recipe) : recipe_(recipe), size_(kEnd) {
  readers_.reserve(recipe.depot_files.size());
  for (const Recipe::DepotFile& file : recipe.depot_files) {
    readers_.emplace_back(file.zip);
    check_digest(readers_.back(), file);
  }
  for (std::size_t i = 0; i < readers_.size(); ++i) {
    picked_.push_back(pick(readers_[i], recipe.depot_files[i]));
    for (const ZipEntry* entry : picked_.back()) {
      size_ += entry->local_size + kCentralHeader + entry->path.size();
    }
  }
  for (const MemoryFile& entry : recipe.inline_entries) size_ += size_of(streamed(entry));
  for (const StreamedFile& entry : recipe.streamed_entries) size_ += size_of(entry);
}

void PreparedArchive::write(int fd, const std::filesystem::path& path_for_messages) const {
  ZipWriter writer(fd, path_for_messages);
  for (std::size_t i = 0; i < readers_.size(); ++i) {
    writer.copy(readers_[i], picked_[i], recipe_.depot_files[i].modified);
  }
  std::vector<StreamedFile> entries = recipe_.streamed_entries;
  for (const MemoryFile& entry : recipe_.inline_entries) entries.push_back(streamed(entry));
  add_sorted(writer, entries, Method::stored);
  writer.finish(archive_comment(recipe_.build_hash));
}

}  // namespace goldsmith::archive

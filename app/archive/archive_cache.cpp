#include "app/archive/archive_cache.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <stdexcept>

#include "app/sys/file.hpp"

namespace goldsmith::archive {
namespace {

constexpr std::size_t kHashDigits = 64;
constexpr std::int64_t kFirstModificationTime = 1'000'000'000;  // September 2001

bool is_build_hash(std::string_view text) {
  return text.size() == kHashDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// The unfinished archive. The file itself is the lock: who holds flock(2) on the inode that the
// path names builds, all others wait for it.
class PartFile {
 public:
  explicit PartFile(std::filesystem::path path) : path_(std::move(path)) {
    do {
      fd_ = sys::open_file(path_, O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
      lock();
    } while (!is_current());  // its last owner published or removed it while we waited
  }

  ~PartFile() {
    if (!published_) ::unlink(path_.c_str());
  }

  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  int fd() const { return fd_.get(); }
  const std::filesystem::path& path() const { return path_; }

  // A builder that was killed leaves its half behind.
  void empty() const {
    if (::ftruncate(fd(), 0) != 0) throw sys::FileError(path_, "can't be truncated", errno);
  }

  // Mode and time come first, so that the sync covers them too.
  void publish(const std::filesystem::path& target, std::int64_t modification_time) {
    const timespec time{modification_time, 0};
    const timespec times[] = {time, time};
    if (::fchmod(fd(), 0644) != 0) throw sys::FileError(path_, "can't set its mode", errno);
    if (::futimens(fd(), times) != 0) throw sys::FileError(path_, "can't set its time", errno);
    sys::sync_file(fd(), path_);
    if (::rename(path_.c_str(), target.c_str()) != 0) {
      throw sys::FileError(target, "can't rename " + path_.string() + " to it", errno);
    }
    published_ = true;
    sys::sync_directory(target.parent_path());
  }

 private:
  void lock() const {
    while (::flock(fd(), LOCK_EX) != 0) {
      if (errno != EINTR) throw sys::FileError(path_, "can't be locked", errno);
    }
  }

  bool is_current() const {
    struct stat held {};
    struct stat named {};
    if (::fstat(fd(), &held) != 0) throw sys::FileError(path_, "can't be examined", errno);
    return ::lstat(path_.c_str(), &named) == 0 && held.st_dev == named.st_dev &&
           held.st_ino == named.st_ino;
  }

  std::filesystem::path path_;
  sys::UniqueFd fd_;
  bool published_ = false;
};

}  // namespace

std::int64_t modification_time(std::string_view build_hash) {
  if (!is_build_hash(build_hash)) {
    throw std::invalid_argument("no build hash: " + std::string(build_hash));
  }
  std::int64_t seconds = 0;  // 28 bits: eight and a half years
  std::from_chars(build_hash.data(), build_hash.data() + 7, seconds, 16);
  return kFirstModificationTime + seconds;
}

bool ArchiveCache::available() const {
  std::error_code error;
  return std::filesystem::is_directory(root_, error) &&
         ::faccessat(AT_FDCWD, root_.c_str(), W_OK | X_OK, AT_EACCESS) == 0;
}

std::filesystem::path ArchiveCache::file_of(std::string_view build_hash) const {
  if (!is_build_hash(build_hash)) {
    throw std::invalid_argument("no build hash: " + std::string(build_hash));
  }
  return root_ / std::string(build_hash).append(".zip");
}

std::optional<std::uint64_t> ArchiveCache::size_of(std::string_view build_hash) const {
  struct stat status {};
  if (::stat(file_of(build_hash).c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return static_cast<std::uint64_t>(status.st_size);
}

ArchiveCache::Outcome ArchiveCache::ensure(const Recipe& recipe,
                                           const std::function<bool()>& may_build) const {
  const std::filesystem::path target = file_of(recipe.build_hash);
  if (size_of(recipe.build_hash)) return Outcome::cached;

  PartFile part(target.string() + ".part");
  if (size_of(recipe.build_hash)) return Outcome::cached;  // built while we waited
  if (!may_build()) return Outcome::refused;

  part.empty();
  write_archive(recipe, part.fd(), part.path());
  part.publish(target, modification_time(recipe.build_hash));
  return Outcome::built;
}

}  // namespace goldsmith::archive

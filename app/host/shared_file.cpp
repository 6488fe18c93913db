#include "app/host/shared_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string>
#include <thread>

namespace goldsmith::host {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kMode = 0660;

struct stat status_of(int fd, const fs::path& path) {
  struct stat status{};
  if (fstat(fd, &status) != 0) throw base::FileError(path, "can't be examined", errno);
  return status;
}

void check_trust(int fd, const fs::path& path) {
  const struct stat status = status_of(fd, path);
  const bool is_trusted = S_ISREG(status.st_mode) && status.st_nlink == 1 &&
                          (status.st_uid == 0 || status.st_uid == geteuid()) &&
                          (status.st_mode & S_IWOTH) == 0;
  if (is_trusted) return;
  throw base::FileError(path,
                        "is not used: it must be a regular file with one name, of root or of this "
                        "process' user, and not writable for everybody",
                        EPERM);
}

// The number that the file starts with; 0 = it has no content yet.
std::uint64_t version_of(int fd) {
  std::uint64_t version = 0;
  return pread(fd, &version, sizeof version, 0) == sizeof version ? version : 0;
}

// The upper part of a version says what the file is for, the lower one its layout.
bool is_same_kind(std::uint64_t one, std::uint64_t other) {
  constexpr unsigned kLayoutBits = 16;
  return one >> kLayoutBits == other >> kLayoutBits;
}

bool has_layout(int fd, const SharedFile::Layout& layout, const fs::path& path) {
  return version_of(fd) == layout.version &&
         status_of(fd, path).st_size >= static_cast<off_t>(layout.size);
}

// Processes that start at once must not write over what one of them has counted meanwhile, which
// takes them milliseconds: nobody who holds the lock for longer keeps others from starting. A lock
// outlives the descriptor for as long as the file is mapped, so it has to be given back.
class ContentLock {
 public:
  explicit ContentLock(int fd) : fd_(fd) {
    constexpr int kTries = 200;
    for (int tries = 0; tries < kTries && flock(fd_, LOCK_EX | LOCK_NB) != 0; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  ~ContentLock() { flock(fd_, LOCK_UN); }
  ContentLock(const ContentLock&) = delete;
  ContentLock& operator=(const ContentLock&) = delete;

 private:
  int fd_;
};

// A page that the disk has no room for would end each process that touches it.
void reserve_room(int fd, std::size_t size, const fs::path& path) {
  while (fallocate(fd, 0, 0, static_cast<off_t>(size)) != 0) {
    if (errno == EINTR) continue;
    if (errno == EOPNOTSUPP) return;
    throw base::FileError(path, "can't reserve room for the shared file", errno);
  }
}

// The version comes last: what is cut short has none, and is written again. The file gets no
// shorter, because that would end each process that has mapped it.
void write_content(int fd, const SharedFile::Layout& layout, std::string_view start,
                   const fs::path& path) {
  const auto write = [&](std::string_view bytes, std::size_t offset) {
    const ssize_t written = pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written != static_cast<ssize_t>(bytes.size())) {
      throw base::FileError(path, "create the shared file", errno);
    }
  };
  const std::string zeros(static_cast<std::size_t>(status_of(fd, path).st_size), '\0');
  write(zeros, 0);
  reserve_room(fd, layout.size, path);
  if (zeros.size() < layout.size && ftruncate(fd, static_cast<off_t>(layout.size)) != 0) {
    throw base::FileError(path, "create the shared file", errno);
  }
  write(start, sizeof layout.version);
  write({reinterpret_cast<const char*>(&layout.version), sizeof layout.version}, 0);
}

// Gives the file its content unless it has it. One of its kind that was cut short, or has another
// layout, is begun anew: what it counts is worth less than the service. Any other may be
// somebody's.
void make_content(int fd, const SharedFile::Layout& layout, std::string_view start,
                  const fs::path& path) {
  const ContentLock lock(fd);
  if (has_layout(fd, layout, path)) {
    reserve_room(fd, layout.size, path);
    return;
  }
  const std::uint64_t version = version_of(fd);
  if (version == 0 || is_same_kind(version, layout.version)) {
    write_content(fd, layout, start, path);
  }
}

void check_layout(int fd, const SharedFile::Layout& layout, const fs::path& path) {
  if (version_of(fd) == 0) {
    throw base::FileError(path, "the shared file has no content yet", ENOENT);
  }
  if (has_layout(fd, layout, path)) return;
  throw base::FileError(path, "is not the shared file that it should be; it may be removed",
                        EINVAL);
}

}  // namespace

base::UniqueFd open_shared(const fs::path& path, OpenShared mode) {
  constexpr int kFlags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  base::UniqueFd fd(open(path.c_str(), kFlags));
  if (!fd && errno == ENOENT && mode == OpenShared::create) {
    fd.reset(open(path.c_str(), kFlags | O_CREAT | O_EXCL, kMode));
    if (fd && fchmod(fd.get(), kMode) != 0) {
      throw base::FileError(path, "can't set its mode", errno);
    }
    // Another process was faster.
    if (!fd && errno == EEXIST) fd.reset(open(path.c_str(), kFlags));
  }
  if (!fd) throw base::FileError(path, "can't be opened", errno);
  check_trust(fd.get(), path);
  return fd;
}

void write_shared(const fs::path& path, std::string_view bytes) {
  const base::UniqueFd fd = open_shared(path, OpenShared::create);
  base::write_all(fd.get(), bytes, path);
  if (ftruncate(fd.get(), static_cast<off_t>(bytes.size())) != 0) {
    throw base::FileError(path, "can't be written", errno);
  }
}

SharedFile::SharedFile(const fs::path& path, Open mode, Layout layout, std::string_view start)
    : size_(layout.size) {
  const base::UniqueFd fd = open_shared(path, mode);
  if (mode == Open::create) make_content(fd.get(), layout, start, path);
  check_layout(fd.get(), layout, path);
  data_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (data_ == MAP_FAILED) throw base::FileError(path, "map the shared file", errno);
}

SharedFile::~SharedFile() { munmap(data_, size_); }

HostSemaphore::HostSemaphore(const std::filesystem::path& file)
    : path_(file), file_(open_shared(file, OpenShared::create)) {}

// Open file description locks belong to the descriptor, not to the process: closing another
// descriptor of the file does not drop them.
bool HostSemaphore::lock(std::size_t at, short type) const {
  struct flock byte{};
  byte.l_type = type;
  byte.l_whence = SEEK_SET;
  byte.l_start = static_cast<off_t>(at);
  byte.l_len = 1;
  while (::fcntl(file_.get(), F_OFD_SETLK, &byte) != 0) {
    if (errno == EAGAIN || errno == EACCES) return false;
    if (errno != EINTR) throw base::FileError(path_, "lock a slot", errno);
  }
  return true;
}

std::optional<HostSemaphore::Hold> HostSemaphore::try_acquire(std::size_t row, std::size_t count) {
  const std::size_t first = row * kMost;
  for (std::size_t at = first; at < first + std::min(count, kMost); ++at) {
    if (held_.contains(at) || !lock(at, F_WRLCK)) continue;
    held_.insert(at);
    return Hold(*this, at);
  }
  return std::nullopt;
}

void HostSemaphore::release(std::size_t at) {
  held_.erase(at);
  // Unlocking what is locked can't fail; if it did, the slot would be free when this process ends.
  try {
    lock(at, F_UNLCK);
  } catch (const base::FileError&) {
  }
}

}  // namespace goldsmith::host

#include "app/sys/shared_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace goldsmith::sys {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kMode = 0660;

struct stat status_of(int fd, const fs::path& path) {
  struct stat status{};
  if (fstat(fd, &status) != 0) throw FileError(path, "can't be examined", errno);
  return status;
}

void check_trust(int fd, const fs::path& path) {
  const struct stat status = status_of(fd, path);
  const bool is_trusted = S_ISREG(status.st_mode) && status.st_nlink == 1 &&
                          (status.st_uid == 0 || status.st_uid == geteuid()) &&
                          (status.st_mode & S_IWOTH) == 0;
  if (is_trusted) return;
  throw FileError(path,
                  "is not used: it must be a regular file with one name, of root or of this "
                  "process' user, and not writable for everybody",
                  EPERM);
}

// The number that the file starts with; 0 = it has no content yet.
std::uint64_t version_of(int fd) {
  std::uint64_t version = 0;
  return pread(fd, &version, sizeof version, 0) == sizeof version ? version : 0;
}

// Two processes may do this at once. They write the same, except for `start`, of which the later
// one stays.
void write_content(int fd, const SharedFile::Layout& layout, std::string_view start,
                   const fs::path& path) {
  const bool written =
      ftruncate(fd, static_cast<off_t>(layout.size)) == 0 &&
      pwrite(fd, start.data(), start.size(), sizeof layout.version) ==
          static_cast<ssize_t>(start.size()) &&
      pwrite(fd, &layout.version, sizeof layout.version, 0) == sizeof layout.version;
  if (!written) throw FileError(path, "create the shared file", errno);
}

void check_layout(int fd, const SharedFile::Layout& layout, const fs::path& path) {
  const std::uint64_t version = version_of(fd);
  if (version == 0) throw FileError(path, "the shared file has no content yet", ENOENT);
  if (version == layout.version && status_of(fd, path).st_size == static_cast<off_t>(layout.size)) {
    return;
  }
  throw FileError(path, "use the shared file, which is of another version", EINVAL);
}

}  // namespace

UniqueFd open_shared(const fs::path& path, OpenShared mode) {
  constexpr int kFlags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  UniqueFd fd(open(path.c_str(), kFlags));
  if (!fd && errno == ENOENT && mode == OpenShared::create) {
    fd.reset(open(path.c_str(), kFlags | O_CREAT | O_EXCL, kMode));
    if (fd && fchmod(fd.get(), kMode) != 0) throw FileError(path, "can't set its mode", errno);
    // Another process was faster.
    if (!fd && errno == EEXIST) fd.reset(open(path.c_str(), kFlags));
  }
  if (!fd) throw FileError(path, "can't be opened", errno);
  check_trust(fd.get(), path);
  return fd;
}

void write_shared(const fs::path& path, std::string_view bytes) {
  const UniqueFd fd = open_shared(path, OpenShared::create);
  write_all(fd.get(), bytes, path);
  if (ftruncate(fd.get(), static_cast<off_t>(bytes.size())) != 0) {
    throw FileError(path, "can't be written", errno);
  }
}

SharedFile::SharedFile(const fs::path& path, Open mode, Layout layout, std::string_view start)
    : size_(layout.size) {
  const UniqueFd fd = open_shared(path, mode);
  if (mode == Open::create && version_of(fd.get()) == 0) {
    write_content(fd.get(), layout, start, path);
  }
  check_layout(fd.get(), layout, path);
  data_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (data_ == MAP_FAILED) throw FileError(path, "map the shared file", errno);
}

SharedFile::~SharedFile() { munmap(data_, size_); }

}  // namespace goldsmith::sys

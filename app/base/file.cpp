#include "app/base/file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <system_error>

#include <fmt/core.h>

namespace goldsmith::base {

namespace {

constexpr std::size_t kChunk = 64U << 10;
constexpr const char* kTemporaryPrefix = ".goldsmith-";

std::string describe(std::string_view attempted, int number) {
  return fmt::format("{}: {}", attempted, std::generic_category().message(number));
}

// What everybody needs to read the file, or to list and enter the folder.
mode_t needed_by_all(mode_t mode) { return S_ISDIR(mode) ? 0555 : 0444; }

// Gives the owner back the right to list and empty every folder below `root`.
void unlock_folders(const std::filesystem::path& root) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::permissions(root, fs::perms::owner_all, fs::perm_options::add, error);
  for (fs::recursive_directory_iterator each(root, error), end; !error && each != end;
       each.increment(error)) {
    std::error_code ignored;
    if (each->symlink_status(ignored).type() != fs::file_type::directory) continue;
    fs::permissions(each->path(), fs::perms::owner_all,
                    fs::perm_options::add | fs::perm_options::nofollow, ignored);
  }
}

}  // namespace

FileError::FileError(const std::filesystem::path& path, std::string_view attempted,
                     int error_number)
    : FileError(path, Refusal{describe(attempted, error_number), error_number}) {}

FileError::FileError(const std::filesystem::path& path, Refusal refusal)
    : std::runtime_error(path.string() + ": " + refusal.reason),
      error_number_(refusal.error_number),
      reason_(std::move(refusal.reason)) {}

void UniqueFd::reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

UniqueFd open_file(const std::filesystem::path& path, int flags, mode_t mode) {
  UniqueFd fd(::open(path.c_str(), flags | O_CLOEXEC, mode));
  if (!fd) throw FileError(path, "can't be opened", errno);
  return fd;
}

UniqueFd above_standard(const UniqueFd& fd) {
  constexpr int kFirst = 3;
  return UniqueFd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, kFirst));
}

UniqueFd open_to_read(const std::filesystem::path& path) {
  constexpr int kFlags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  UniqueFd fd(::open(path.c_str(), kFlags | O_NOATIME));
  if (!fd && errno == EPERM) fd.reset(::open(path.c_str(), kFlags));  // another's file
  if (!fd) throw FileError(path, "can't be opened", errno);
  return fd;
}

std::string read_file(const std::filesystem::path& path, std::uint64_t limit) {
  return read_file(open_to_read(path), path, limit);
}

std::string read_file(const UniqueFd& fd, const std::filesystem::path& path, std::uint64_t limit) {
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) throw FileError(path, "can't be examined", errno);
  if (!S_ISREG(status.st_mode)) throw FileError(path, "is not a regular file", EINVAL);
  const auto refuse_size = [&] {
    throw FileError(path, fmt::format("is larger than {} bytes", limit), EFBIG);
  };
  if (static_cast<std::uint64_t>(status.st_size) > limit) refuse_size();

  // One byte more than announced, so that the end is seen without growing.
  std::string bytes(static_cast<std::size_t>(status.st_size) + 1, '\0');
  std::size_t filled = 0;
  while (true) {
    if (filled == bytes.size()) bytes.resize(filled + kChunk);
    const ssize_t got = ::read(fd.get(), bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw FileError(path, "can't be read", errno);
    filled += static_cast<std::size_t>(got);
    if (filled > limit) refuse_size();
    if (got == 0) break;
  }
  bytes.resize(filled);
  return bytes;
}

void write_all(int fd, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw FileError(path, "can't be written", errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

bool mark_used(const std::filesystem::path& path) {
  const timespec times[] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
  if (::utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW) == 0) return true;
  if (errno == EPERM || errno == EACCES || errno == EROFS) return true;
  if (errno == ENOENT || errno == ENOTDIR) return false;
  throw FileError(path, "can't note its use", errno);
}

bool is_open_to_all(const std::filesystem::path& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return true;
  return (needed_by_all(status.st_mode) & ~status.st_mode) == 0;
}

bool open_to_all(const std::filesystem::path& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) throw FileError(path, "can't be examined", errno);
  const mode_t needed = needed_by_all(status.st_mode);
  if ((needed & ~status.st_mode) == 0) return false;
  if (::chmod(path.c_str(), (status.st_mode & 07777) | needed) != 0) {
    throw FileError(path, "can't be made readable for everybody", errno);
  }
  return true;
}

std::uint64_t available_bytes(const std::filesystem::path& folder) {
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  if (error) throw FileError(folder, "can't tell the free space of its disk", error.value());
  return space.available;
}

std::uint64_t available_inodes(const std::filesystem::path& folder) {
  struct statvfs status{};
  if (::statvfs(folder.c_str(), &status) != 0) {
    throw FileError(folder, "can't tell the free inodes of its disk", errno);
  }
  return status.f_files == 0 ? std::numeric_limits<std::uint64_t>::max() : status.f_favail;
}

void sync_file(int fd, const std::filesystem::path& path) {
  if (::fsync(fd) != 0) throw FileError(path, "can't be synced to disk", errno);
}

void sync_directory(const std::filesystem::path& folder) {
  const UniqueFd fd = open_file(folder, O_RDONLY | O_DIRECTORY);
  sync_file(fd.get(), folder);
}

void write_atomically(const std::filesystem::path& path, std::string_view bytes, mode_t mode) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::string temporary = (folder / (std::string(kTemporaryPrefix) + "XXXXXX")).string();
  const UniqueFd fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd) throw FileError(path, "can't create a temporary file beside it", errno);
  try {
    write_all(fd.get(), bytes, path);
    if (::fchmod(fd.get(), mode) != 0) throw FileError(path, "can't set its mode", errno);
    sync_file(fd.get(), path);
    if (::rename(temporary.c_str(), path.c_str()) != 0) {
      throw FileError(path, "can't replace it", errno);
    }
  } catch (const FileError&) {
    ::unlink(temporary.c_str());
    throw;
  }
  sync_directory(folder);
}

// Not every file system has O_TMPFILE.
UniqueFd unnamed_file(const std::filesystem::path& folder) {
  UniqueFd fd(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (fd) return fd;
  std::string name = (folder / (std::string(kTemporaryPrefix) + "XXXXXX")).string();
  fd.reset(::mkostemp(name.data(), O_CLOEXEC));
  if (!fd) throw FileError(folder, "can't create a temporary file in it", errno);
  ::unlink(name.c_str());
  return fd;
}

bool is_temporary(const std::filesystem::path& path) {
  return path.filename().string().starts_with(kTemporaryPrefix);
}

TempDir::TempDir(const std::filesystem::path& parent, std::string_view prefix) {
  std::string name = (parent / (std::string(prefix) + "-XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw FileError(parent, "can't create a temporary folder in it", errno);
  }
  path_ = name;
}

TempDir::~TempDir() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
  if (!error) return;
  // A child may have left folders behind that even their owner can't list or empty.
  unlock_folders(path_);
  std::filesystem::remove_all(path_, error);
}

bool open_standard_files() {
  const bool has_output = ::fcntl(STDOUT_FILENO, F_GETFD) != -1;
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) != -1) continue;
    // The lowest free number is this one: those below are open by now. Without /dev/null nothing
    // that follows is safe.
    if (::open("/dev/null", O_RDWR) != descriptor) std::abort();
  }
  return has_output;
}

bool is_reader_gone(int descriptor) {
  struct stat status{};
  if (::fstat(descriptor, &status) != 0) return false;
  if (!S_ISFIFO(status.st_mode) && !S_ISSOCK(status.st_mode)) return false;
  struct pollfd writable{descriptor, POLLOUT, 0};
  return ::poll(&writable, 1, 0) == 1 && (writable.revents & (POLLERR | POLLHUP)) != 0;
}

}  // namespace goldsmith::base

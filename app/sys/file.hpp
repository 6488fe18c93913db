// Files, folders and descriptors, owned by RAII. Everything published appears whole or not at all.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace goldsmith::sys {

// An operating-system call on a file failed. what() = "PATH: what was tried: strerror text".
class FileError : public std::runtime_error {
 public:
  FileError(const std::filesystem::path& path, std::string_view attempted, int error_number);
  int error_number() const { return error_number_; }

 private:
  int error_number_;
};

// Owns one descriptor; closed on destruction. Every descriptor made here is close-on-exec.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  ~UniqueFd() { reset(); }
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  UniqueFd(const UniqueFd&) = delete;
  UniqueFd& operator=(const UniqueFd&) = delete;

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

// open(2) with O_CLOEXEC. Throws FileError.
UniqueFd open_file(const std::filesystem::path& path, int flags, mode_t mode = 0644);

// Opens a file for reading, which is no use that mark_used() would note (O_NOATIME, where this
// process may); never waits for a FIFO's writer. Throws FileError.
UniqueFd open_to_read(const std::filesystem::path& path);

// The whole file. Throws FileError; also when it is larger than `limit` bytes (EFBIG) or no regular
// file (EINVAL), so that a FIFO or device can't hang the caller.
std::string read_file(const std::filesystem::path& path, std::uint64_t limit = 64U << 20);

// Writes all of `bytes` to `fd`, retrying short writes. `path` is for the message only.
void write_all(int fd, std::string_view bytes, const std::filesystem::path& path);

// Sets the time of the last use (atime) to now; the modification time stays. False when there is no
// such file. Where only the owner may do so and this process is not, the time stays as it is.
bool mark_used(const std::filesystem::path& path);

// fsync of a file or folder. Throws FileError.
void sync_file(int fd, const std::filesystem::path& path);
void sync_directory(const std::filesystem::path& folder);

// Temporary name in the same folder, fsync, rename, fsync of the folder: a reader sees the old file
// or the new one. On failure the temporary is removed and the old file stays. Throws FileError.
void write_atomically(const std::filesystem::path& path, std::string_view bytes,
                      mode_t mode = 0644);

// True for the name of such a temporary: the writer is at it, or was killed.
bool is_temporary(const std::filesystem::path& path);

// A fresh private folder (0700) below `parent`, removed with all it holds on destruction.
class TempDir {
 public:
  explicit TempDir(const std::filesystem::path& parent = std::filesystem::temp_directory_path(),
                   std::string_view prefix = "goldsmith");
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace goldsmith::sys

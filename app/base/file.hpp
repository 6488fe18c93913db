// Files, folders and descriptors, owned by RAII. A published file appears completely or not at all.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace goldsmith::base {

// An operating-system call on a file failed. what() = "PATH: what was tried: strerror text".
class FileError : public std::runtime_error {
 public:
  FileError(const std::filesystem::path& path, std::string_view attempted, int error_number);
  // A file that was refused, for a reason that says more than the error: what() = "PATH: REASON".
  struct Refusal {
    std::string reason;
    int error_number = 0;
  };
  FileError(const std::filesystem::path& path, Refusal refusal);
  int error_number() const { return error_number_; }
  const std::string& reason() const { return reason_; }  // what() without the path

 private:
  int error_number_;
  std::string reason_;
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

// A copy of `fd` with a number above 2, for a child process, whose standard descriptors would
// overwrite it if this process has closed one of its own. Invalid if that fails (errno says why).
UniqueFd above_standard(const UniqueFd& fd);

// Opens a file for reading without changing its time of use (O_NOATIME, if this process may); does
// not wait for the writer of a FIFO. Throws FileError.
UniqueFd open_to_read(const std::filesystem::path& path);

// The content of a file. Throws FileError, also if it has more than `limit` bytes (EFBIG) or is not
// a regular file (EINVAL): a FIFO or device can't block the caller.
std::string read_file(const std::filesystem::path& path, std::uint64_t limit = 64U << 20);
// The rest of a file that is open for reading, from its position on; throws FileError for the same
// reasons. `path` is for the message.
std::string read_file(const UniqueFd& fd, const std::filesystem::path& path, std::uint64_t limit);

// Writes all of `bytes` to `fd`, also after short writes. `path` is for the message. Throws
// FileError.
void write_all(int fd, std::string_view bytes, const std::filesystem::path& path);

// Sets the time of the last use (atime) to now; the modification time stays. False if the file does
// not exist. Does nothing if this process may not set the time. Throws FileError.
bool mark_used(const std::filesystem::path& path);

// Whether everybody may read the file, or list and enter the folder, as far as its mode says. True
// if it does not exist.
bool is_open_to_all(const std::filesystem::path& path);

// Lets everybody do that, whatever the umask is; false if they could. Throws FileError.
bool open_to_all(const std::filesystem::path& path);

// Bytes that this process may still write to the disk of `folder`. Throws FileError.
std::uint64_t available_bytes(const std::filesystem::path& folder);

// Files, folders and links that it may still make there: the most that there is if the file system
// has no such limit, as Btrfs. Throws FileError.
std::uint64_t available_inodes(const std::filesystem::path& folder);

// fsync of a file or folder. Throws FileError.
void sync_file(int fd, const std::filesystem::path& path);
void sync_directory(const std::filesystem::path& folder);

// Writes a temporary file in the same folder, syncs it, renames it and syncs the folder: a reader
// sees the old file or the new one. Throws FileError; the temporary file is then removed, the old
// one stays.
void write_atomically(const std::filesystem::path& path, std::string_view bytes,
                      mode_t mode = 0644);

// True for the name of such a temporary file, whose writer is still writing or was killed.
bool is_temporary(const std::filesystem::path& path);

// A new file without a name on the disk of `folder`, open for reading and writing: it is gone when
// it is closed. Throws FileError.
UniqueFd unnamed_file(const std::filesystem::path& folder);

// A new private folder (0700) below `parent`; removed with its content on destruction. The
// constructor throws FileError.
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

// Standard input, output and error of a program, whatever it was started with.

// Gives /dev/null to each of the descriptors 0, 1 and 2 that is closed, so that no file or
// connection that the program opens later gets its number. To be called before anything is opened.
// False if standard output was closed: whatever is printed is lost.
bool open_standard_files();

// True if `descriptor` is a pipe or a socket that nobody reads any more, as after `| head -1`.
bool is_reader_gone(int descriptor);

}  // namespace goldsmith::base

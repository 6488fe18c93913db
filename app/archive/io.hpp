// Input and output at given offsets, and copies inside the kernel. Neither uses nor moves the
// descriptors' own positions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace goldsmith::archive {

// An offset, in bytes, in an open file; the caller owns `fd`. `path` is for messages.
struct FileOffset {
  int fd = -1;
  std::uint64_t offset = 0;
  const std::filesystem::path& path;
};

// Fills `buffer` from `from`; returns fewer bytes only at the end of the file. Throws
// sys::FileError.
std::size_t read_at(const FileOffset& from, std::span<char> buffer);

// Writes all of `bytes`. Throws sys::FileError.
void write_at(const FileOffset& to, std::string_view bytes);

// Copies `count` bytes with copy_file_range(2), or through a buffer if the file systems don't
// support it. The ranges must not overlap. Throws sys::FileError, and ZipError if `from` has fewer
// bytes.
void copy_range(const FileOffset& from, const FileOffset& to, std::uint64_t count);

// Has the kernel write a file that grows from its front to the disk while it grows. What is not
// written yet counts against everybody: above a limit for the whole host the kernel makes whoever
// writes anything wait, for example a compiler that writes its few kilobytes beside a large build.
// On a disk as quick as memory nothing else makes the writer wait: it rests a little after each
// piece, so that requests find a processor and the memory free (`scripts/bench fairness`).
class WriteBack {
 public:
  // Bytes after which advance() is worth a call.
  static constexpr std::uint64_t kPiece = 1U << 20;

  // The caller owns `fd`.
  explicit WriteBack(int fd) : fd_(fd) {}

  // The file has its first `end` bytes. Starts to write once there is enough, and then waits until
  // what it started before that is written. An error of the disk is found by fsync(2), not here.
  void advance(std::uint64_t end);

 private:
  static constexpr std::uint64_t kStep = 4U << 20;  // worth a write

  int fd_;
  std::uint64_t rested_ = 0;
  std::uint64_t written_ = 0;
  std::uint64_t started_ = 0;
};

// Moves `count` bytes at `from` by `distance` bytes towards the end of the file. Throws
// sys::FileError.
void move_up(const FileOffset& from, std::uint64_t count, std::uint64_t distance);

}  // namespace goldsmith::archive

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

// Moves `count` bytes at `from` by `distance` bytes towards the end of the file. Throws
// sys::FileError.
void move_up(const FileOffset& from, std::uint64_t count, std::uint64_t distance);

}  // namespace goldsmith::archive

// Compressed files, and what this layer uses of libarchive. Private to app/unpack.
#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>

namespace goldsmith::unpack {

// `count` bytes of a file from `offset` on; fewer only at its end. Throws base::FileError, which
// names `path`.
std::string read_part(int fd, std::uint64_t offset, std::size_t count,
                      const std::filesystem::path& path);
bool starts_with(int fd, std::string_view magic, const std::filesystem::path& path);

// The bytes inside a .gz, .xz, .bz2 or .zst file, checked to the end. libarchive reads such files
// by itself, but never compares gzip's checksum, and stops before the checksum where a tar ends
// early.
class CompressedStream {
 public:
  virtual ~CompressedStream() = default;

  // Null if the file is none. The caller owns the descriptor, which must outlive the stream.
  static std::unique_ptr<CompressedStream> open(int fd, const std::filesystem::path& path);

  // Fills `buffer`; fewer bytes only at the end. Throws RefusedEntry if the file is damaged.
  virtual std::size_t read(std::span<char> buffer) = 0;

  // How many bytes of the file were consumed.
  virtual std::uint64_t position() const = 0;
};

// Small helpers around libarchive's C interface.
constexpr std::size_t kLibarchiveBlock = 64U << 10;

struct FreeReadHandle {
  void operator()(::archive* handle) const { ::archive_read_free(handle); }
};
using ReadHandle = std::unique_ptr<::archive, FreeReadHandle>;

inline ReadHandle make_read_handle() {
  ReadHandle handle(::archive_read_new());
  if (!handle) throw std::bad_alloc();
  return handle;
}

inline std::string error_of(const ReadHandle& handle) {
  const char* text = ::archive_error_string(handle.get());
  return text ? text : "no reason given";
}

inline std::uint64_t position_in_file(const ReadHandle& handle) {
  const la_int64_t position = ::archive_filter_bytes(handle.get(), -1);
  return position < 0 ? 0 : static_cast<std::uint64_t>(position);
}

}  // namespace goldsmith::unpack

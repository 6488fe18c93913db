// The bytes inside a .gz or .xz file, checked to the end. libarchive reads such files by itself,
// but never compares gzip's checksum, and stops before the checksum where a tar ends early.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace goldsmith::unpack {

class CompressedStream {
 public:
  virtual ~CompressedStream() = default;

  // Null if the file is neither. The caller owns the descriptor, which must outlive the stream.
  static std::unique_ptr<CompressedStream> open(int fd, const std::filesystem::path& path);

  // Fills `buffer`; fewer bytes only at the end. Throws RefusedEntry if the file is damaged.
  virtual std::size_t read(std::span<char> buffer) = 0;

  // How many bytes of the file were consumed.
  virtual std::uint64_t position() const = 0;
};

}  // namespace goldsmith::unpack

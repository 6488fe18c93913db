// The uncompressed bytes of one ZIP entry, read piece by piece.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "app/archive/deflate.hpp"
#include "app/archive/zip.hpp"

namespace goldsmith::archive {

class EntryStream {
 public:
  // `reader` and `entry` must outlive the stream. Throws ZipError if the local header differs from
  // the central one, and sys::FileError.
  EntryStream(const ZipReader& reader, const ZipEntry& entry);

  // The next piece, valid until the next call; empty at the end. Throws ZipError if the data is
  // damaged or does not have the entry's size, and sys::FileError.
  std::string_view next();

  // The checksum of the pieces read so far.
  std::uint32_t crc32() const { return crc_; }

  // Throws ZipError "FILE: entry NAME: FINDING".
  [[noreturn]] void fail(std::string_view finding) const;

 private:
  void check_local_header() const;
  std::string_view next_stored();
  std::string_view next_inflated();
  void refill();

  const ZipReader& reader_;
  const ZipEntry& entry_;
  std::uint64_t offset_;     // of the compressed bytes that are not read yet
  std::uint64_t remaining_;  // how many are left
  std::uint64_t produced_ = 0;
  std::uint32_t crc_ = 0;
  bool ended_ = false;
  Inflater inflater_;
  std::string_view pending_;  // read, but not inflated yet
  std::array<char, 64U << 10> input_;
  std::array<char, 64U << 10> output_;
};

}  // namespace goldsmith::archive

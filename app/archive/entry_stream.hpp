// The uncompressed bytes of one ZIP entry, pulled piece by piece.
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
  // Compares the local header with the central one. Throws ZipError when they differ. `reader` and
  // `entry` must outlive the stream.
  EntryStream(const ZipReader& reader, const ZipEntry& entry);

  // The next piece, valid until the next call; empty at the end, which is reached only when the
  // data has exactly the entry's size. Throws ZipError and sys::FileError.
  std::string_view next();

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
  std::uint64_t offset_;     // of the compressed bytes that were not read yet
  std::uint64_t remaining_;  // how many there are
  std::uint64_t produced_ = 0;
  std::uint32_t crc_ = 0;
  bool ended_ = false;
  Inflater inflater_;
  std::string_view pending_;  // read, but not inflated yet
  std::array<char, 64U << 10> input_;
  std::array<char, 64U << 10> output_;
};

}  // namespace goldsmith::archive

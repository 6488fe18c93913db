// Reads a gzip file with zlib, which checks the CRC at its end; libarchive's own filter does not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>

struct gzFile_s;

namespace goldsmith::archive {

class GzipError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class GzipReader {
 public:
  // Reads `fd` from its beginning; the caller keeps the descriptor. Throws sys::FileError.
  GzipReader(int fd, const std::filesystem::path& path_for_messages);
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  // Fills `buffer`; returns fewer bytes only at the end. Throws GzipError if the file is damaged or
  // truncated.
  std::size_t read(std::span<char> buffer);

  // How many compressed bytes were read.
  std::uint64_t position() const;

 private:
  struct Close {
    void operator()(gzFile_s* file) const;
  };
  std::unique_ptr<gzFile_s, Close> file_;
};

}  // namespace goldsmith::archive

// Reads a gzip file through zlib, which checks the CRC at the end of it (libarchive's own filter
// does not).
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
  // Reads `fd` from its beginning; the descriptor stays the caller's.
  GzipReader(int fd, const std::filesystem::path& path_for_messages);  // throws sys::FileError
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  // Fills `buffer`; fewer bytes only at the end. Throws GzipError when the file is damaged or
  // truncated.
  std::size_t read(std::span<char> buffer);

  // How many compressed bytes were used up.
  std::uint64_t position() const;

 private:
  struct Close {
    void operator()(gzFile_s* file) const;
  };
  std::unique_ptr<gzFile_s, Close> file_;
};

}  // namespace goldsmith::archive

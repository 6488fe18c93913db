// ZIP files (APPNOTE 6.3.10), the subset goldsmith writes: stored or deflated entries with known
// sizes, UTF-8 names, Unix modes, one fixed time stamp, ZIP64 only where a number needs it. What is
// written depends on the input alone, so equal input gives equal bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "app/sys/file.hpp"

namespace goldsmith::archive {

// The file is no ZIP of ours, is damaged, or could not be read; what() names file and finding.
class ZipError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class Method : std::uint16_t { stored = 0, deflated = 8 };

struct ZipEntry {
  std::string path;  // UTF-8, '/' separators, no leading '/'
  bool executable = false;
  Method method = Method::stored;
  std::uint32_t crc32 = 0;
  std::uint64_t compressed_size = 0;
  std::uint64_t size = 0;
  std::uint64_t local_offset = 0;  // of the local header in its file
  std::uint64_t local_size = 0;    // header, name, extra field and data together
};

// Reads a ZIP written by ZipWriter, and refuses any other: entries one behind the other, nothing
// between them, no field that ZipWriter would not write. Safe on damaged and hostile files.
class ZipReader {
 public:
  explicit ZipReader(const std::filesystem::path& path);  // throws ZipError, sys::FileError

  const std::vector<ZipEntry>& entries() const { return entries_; }  // in file order
  const std::string& comment() const { return comment_; }
  // Offset of the first byte behind the central directory.
  std::uint64_t directory_end() const { return directory_end_; }
  int descriptor() const { return fd_.get(); }
  const std::filesystem::path& path() const { return path_; }

  // The entry's bytes, inflated and checked against size and CRC. For files that fit in memory:
  // throws ZipError when larger than `limit`.
  std::string read(const ZipEntry& entry, std::uint64_t limit = 64U << 20) const;

  // The first `count` bytes of the entry (all, if it is shorter); the CRC is not checked.
  std::string read_start(const ZipEntry& entry, std::size_t count) const;

  // Reads every entry to its end; throws ZipError naming the first whose bytes or CRC are wrong, or
  // whose path is there twice.
  void verify() const;

 private:
  std::filesystem::path path_;
  sys::UniqueFd fd_;
  std::vector<ZipEntry> entries_;
  std::string comment_;
  std::uint64_t directory_end_ = 0;
};

// Writes a ZIP from front to back into `fd`: a regular file, open for reading and writing, from its
// offset 0. Memory does not grow with the data, only with the number of entries. Throws
// sys::FileError (a full disk: ENOSPC) and ZipError (a path twice, over 65,535 bytes or unsafe).
// After an exception the file is of no use.
class ZipWriter {
 public:
  ZipWriter(int fd, std::filesystem::path path_for_messages);

  // With Method::deflated the entry is stored all the same where deflating does not shrink it.
  void add(std::string_view path, std::string_view content, bool executable, Method method);

  // Streams a deflated entry whose size is not known beforehand: begin, any number of writes, end.
  // It is stored where deflating did not shrink it.
  void begin_deflated(std::string_view path, bool executable, int level = 9);
  void write(std::string_view bytes);
  void end();

  // Copies local entries of another ZIP as they are, without recompression, in the given order:
  // each run of neighbours, in file order, in one copy_file_range(2).
  void copy(const ZipReader& source, const std::vector<const ZipEntry*>& entries);

  // Central directory and end records; nothing may be added afterwards.
  void finish(std::string_view comment = "");
  // The same with a comment that depends on what was written: it is asked for once the bytes from
  // the file's first to the central directory's last, `end` of them, are in the file.
  void finish(const std::function<std::string(std::uint64_t end)>& comment);

  std::uint64_t bytes_written() const;

  ~ZipWriter();
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A ZIP in memory, deflated, by path; for archives of a few files (a plugin's).
struct MemoryFile {
  std::string path;
  std::string content;
  bool executable = false;
};
std::string zip_in_memory(const std::vector<MemoryFile>& files);

}  // namespace goldsmith::archive

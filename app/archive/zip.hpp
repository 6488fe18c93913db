// ZIP files (APPNOTE 6.3.10), the subset that goldsmith writes: stored or deflated entries of known
// size, UTF-8 names, Unix modes, times, ZIP64 only where a number needs it. The output depends on
// the input alone: equal input gives equal bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/file.hpp"
#include "app/domain/timestamp.hpp"

namespace goldsmith::archive {

// The file is not a ZIP written by goldsmith, or is damaged; what() names the file and the problem.
class ZipError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class Method : std::uint16_t { stored = 0, deflated = 8 };

inline constexpr int kHighestLevel = 9;  // of deflating: the smallest files

// What an entry has whose time nobody says, as in the depot: the earliest that a ZIP can have.
inline constexpr domain::Timestamp kNoTime{std::chrono::seconds(315'532'800)};  // 1980-01-01

// The nearest time that an entry can have: from kNoTime to the end of 2107, and from 2038 on in
// steps of two seconds.
domain::Timestamp entry_time(domain::Timestamp time);

struct ZipEntry {
  std::string path;  // UTF-8, '/' separators, no leading '/'
  bool executable = false;
  Method method = Method::stored;
  std::uint32_t crc32 = 0;
  std::uint64_t compressed_size = 0;
  std::uint64_t size = 0;
  std::uint64_t local_offset = 0;        // of the local header in its file
  std::uint64_t local_size = 0;          // header, name, extra field and data together
  domain::Timestamp modified = kNoTime;  // one of entry_time()
};

// Reads a ZIP that ZipWriter wrote and refuses any other: entries follow each other without gaps,
// and no field has a value that ZipWriter does not write. Safe on damaged and hostile files. Owns
// its descriptor; holds all entries in memory, but no content.
class ZipReader {
 public:
  explicit ZipReader(const std::filesystem::path& path);  // throws ZipError, base::FileError
  // Reads a file that is open already. Throws ZipError, base::FileError.
  ZipReader(base::UniqueFd fd, std::filesystem::path path_for_messages);

  const std::vector<ZipEntry>& entries() const { return entries_; }  // in file order
  // The entry with that path; throws ZipError if there is none.
  const ZipEntry& entry(std::string_view path) const;
  const std::string& comment() const { return comment_; }
  // Offset of the first byte after the central directory.
  std::uint64_t directory_end() const { return directory_end_; }
  int descriptor() const { return fd_.get(); }
  const std::filesystem::path& path() const { return path_; }

  // The entry's bytes, inflated and checked against size and CRC. Throws ZipError if the entry is
  // damaged or has more than `limit` bytes, and base::FileError.
  std::string read(const ZipEntry& entry, std::uint64_t limit = 64U << 20) const;

  // The same, given to `on_piece` in pieces, however long it is. What it was given of a damaged
  // entry is to be thrown away.
  void read(const ZipEntry& entry, const std::function<void(std::string_view)>& on_piece) const;

  // The first `count` bytes of the entry, or all if it is shorter. Does not check the CRC. Throws
  // ZipError and base::FileError.
  std::string read_start(const ZipEntry& entry, std::size_t count) const;

  // Reads every entry completely. Throws ZipError, which names the first damaged entry or the first
  // duplicate path, and base::FileError.
  void verify() const;
  // verify(), which returns the SHA-256, in hex, of each entry's content, in file order.
  // `on_bytes`: see verify_depot_file().
  std::vector<std::string> verify_and_digest(
      const std::function<void(std::size_t)>& on_bytes) const;

 private:
  // Calls `on_piece` with each piece of an entry's content, then `on_end`, once the entry is good.
  void verify_entries(const std::function<void(std::string_view)>& on_piece,
                      const std::function<void()>& on_end) const;

  std::filesystem::path path_;
  base::UniqueFd fd_;
  std::vector<ZipEntry> entries_;
  std::string comment_;
  std::uint64_t directory_end_ = 0;
};

// Writes a ZIP from front to back to `fd`: a regular file, open for reading and writing, from its
// offset 0; the caller owns the descriptor. Memory grows with the number of entries, not with their
// size. Throws base::FileError (ENOSPC if the disk is full) and ZipError (a duplicate path, a path
// of more than 65,535 bytes or an unsafe one). After an exception the file is incomplete.
class ZipWriter {
 public:
  ZipWriter(int fd, std::filesystem::path path_for_messages);

  // With Method::deflated, an entry that deflating does not shrink is stored.
  void add(std::string_view path, std::string_view content, bool executable, Method method,
           domain::Timestamp modified = kNoTime);

  // Streams a deflated entry of unknown size: begin, any number of writes, end. An entry that
  // deflating does not shrink is stored. `level`: 0 to 9.
  void begin_deflated(std::string_view path, bool executable, int level = kHighestLevel);
  void write(std::string_view bytes);
  void end();

  // Copies entries of another ZIP without recompression, in the given order, with another time.
  // Small ones that are neighbours in the source are read together.
  void copy(const ZipReader& source, const std::vector<const ZipEntry*>& entries,
            domain::Timestamp modified = kNoTime);

  // Writes the central directory and the end records; nothing may be added afterwards.
  void finish(std::string_view comment = "");
  // finish() with a comment that depends on what was written: `comment` is called when the file has
  // its first `end` bytes, up to the end of the central directory.
  void finish(const std::function<std::string(std::uint64_t end)>& comment);

  std::uint64_t bytes_written() const;

  ~ZipWriter();
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A file given as bytes.
struct MemoryFile {
  std::string path;
  std::string content;
  bool executable = false;
  domain::Timestamp modified = kNoTime;
};
// A file whose content is read when it is its turn, so that one of many is in memory at a time.
struct StreamedFile {
  std::string path;
  std::uint64_t size = 0;
  bool executable = false;
  std::function<std::string()> read;  // may throw anything
  domain::Timestamp modified = kNoTime;
};
// Refers to `file`.
StreamedFile streamed(const MemoryFile& file);
// Adds them, by path. Throws ZipError also if a content has another size than its file.
void add_sorted(ZipWriter& writer, const std::vector<StreamedFile>& files, Method method);
// Writes a whole ZIP, its entries deflated and sorted by path, and returns its size. Throws as
// ZipWriter does and what the files throw.
std::uint64_t write_zip(int fd, const std::filesystem::path& path_for_messages,
                        const std::vector<StreamedFile>& files);
// A ZIP of a few small files, as bytes.
std::string zip_in_memory(const std::vector<MemoryFile>& files);

}  // namespace goldsmith::archive

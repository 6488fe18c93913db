// The records of a ZIP file as bytes (APPNOTE 6.3.10, sections 4.3.7 to 4.3.16): the one canonical
// form that goldsmith writes, and the parsing of exactly that form.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/archive/zip.hpp"

namespace goldsmith::archive {

// A field of this value refers to the ZIP64 field; it is also the smallest number that needs one.
constexpr std::uint64_t kZip64Mark32 = 0xFFFF'FFFF;
constexpr std::uint64_t kZip64Mark16 = 0xFFFF;

constexpr std::uint64_t kEndRecordSize = 22;
constexpr std::uint64_t kZip64EndSize = 56;
constexpr std::uint64_t kZip64RecordsSize = kZip64EndSize + 20;  // with the locator
constexpr std::uint64_t kZip64LocalExtra = 20;
constexpr std::uint64_t kTimeExtra = 9;  // the field that has an exact time, in each header
constexpr std::uint64_t kLongestComment = 0xFFFF;

// The central directory: its number of entries, offset and size in bytes.
struct Directory {
  std::uint64_t count = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

// True if the local header has its sizes in a ZIP64 extra field, because one needs more than 32
// bits.
bool has_zip64_sizes(const ZipEntry& entry);

std::uint64_t local_header_size(const ZipEntry& entry);
std::string local_header(const ZipEntry& entry);
std::string central_header(const ZipEntry& entry);
std::string end_records(const Directory& directory, std::string_view comment);

// Reads fields from the front of `bytes`, which must outlive it. Throws ZipError, prefixed with
// `file`, if too few bytes are left.
class FieldReader {
 public:
  FieldReader(std::string_view bytes, std::string file) : bytes_(bytes), file_(std::move(file)) {}

  std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  std::uint64_t u64() { return number(8); }
  std::string_view text(std::size_t size);
  std::string_view rest() const { return bytes_; }

  // Throws ZipError "FILE: FINDING".
  [[noreturn]] void fail(std::string_view finding) const;

 private:
  std::uint64_t number(std::size_t size);

  std::string_view bytes_;
  std::string file_;
};

// Reads the next entry of a central directory; `local_size` is computed, not read. Throws ZipError
// unless it is as central_header writes it.
ZipEntry parse_central_header(FieldReader& fields);

// Reads the end records from `tail`, the last bytes of a file of `file_size` bytes. Throws ZipError
// unless they are as end_records writes them and end the file.
struct End {
  Directory directory;
  std::string comment;
};
End parse_end(std::string_view tail, std::uint64_t file_size, const std::string& file);

}  // namespace goldsmith::archive

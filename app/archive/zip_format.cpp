#include "app/archive/zip_format.hpp"

#include <sys/stat.h>

#include "app/domain/names.hpp"

namespace goldsmith::archive {
namespace {

constexpr std::uint32_t kLocalSignature = 0x0403'4B50;
constexpr std::uint32_t kCentralSignature = 0x0201'4B50;
constexpr std::uint32_t kEndSignature = 0x0605'4B50;
constexpr std::uint32_t kZip64EndSignature = 0x0606'4B50;
constexpr std::uint32_t kZip64LocatorSignature = 0x0706'4B50;

constexpr std::uint64_t kLocalHeaderSize = 30;
constexpr std::uint16_t kUtf8Names = 1U << 11;
constexpr std::uint16_t kTime = 0;                // 00:00:00
constexpr std::uint16_t kDate = (1U << 5U) | 1U;  // 1980-01-01, the earliest there is
constexpr std::uint16_t kZip64Tag = 0x0001;
constexpr std::uint16_t kVersionStored = 10;
constexpr std::uint16_t kVersionDeflated = 20;
constexpr std::uint16_t kVersionZip64 = 45;
constexpr std::uint16_t kMadeByUnix = (3U << 8U) | kVersionZip64;
constexpr std::uint32_t kFileMode = S_IFREG | 0644U;
constexpr std::uint32_t kProgramMode = S_IFREG | 0755U;

class FieldWriter {
 public:
  FieldWriter& u16(std::uint64_t value) { return number(value, 2); }
  FieldWriter& u32(std::uint64_t value) { return number(value, 4); }
  FieldWriter& u64(std::uint64_t value) { return number(value, 8); }
  FieldWriter& text(std::string_view value) {
    bytes_.append(value);
    return *this;
  }
  std::size_t size() const { return bytes_.size(); }
  std::string take() { return std::move(bytes_); }

 private:
  FieldWriter& number(std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) bytes_.push_back(static_cast<char>(value >> (8 * i)));
    return *this;
  }

  std::string bytes_;
};

std::uint64_t or_mark(std::uint64_t value, bool marked) { return marked ? kZip64Mark32 : value; }

std::uint16_t version_needed(const ZipEntry& entry, bool zip64) {
  if (zip64) return kVersionZip64;
  return entry.method == Method::stored ? kVersionStored : kVersionDeflated;
}

// The fields that local and central header share, from "version needed" to "name length".
void write_common(FieldWriter& out, const ZipEntry& entry, bool zip64_version) {
  const bool marked = has_zip64_sizes(entry);
  out.u16(version_needed(entry, zip64_version)).u16(kUtf8Names);
  out.u16(static_cast<std::uint16_t>(entry.method)).u16(kTime).u16(kDate).u32(entry.crc32);
  out.u32(or_mark(entry.compressed_size, marked)).u32(or_mark(entry.size, marked));
  out.u16(entry.path.size());
}

std::string zip64_extra(const ZipEntry& entry, bool with_offset) {
  FieldWriter fields;
  if (has_zip64_sizes(entry)) fields.u64(entry.size).u64(entry.compressed_size);
  if (with_offset) fields.u64(entry.local_offset);
  const std::string content = fields.take();
  if (content.empty()) return {};
  return FieldWriter().u16(kZip64Tag).u16(content.size()).text(content).take();
}

void parse_zip64(std::string_view extra, ZipEntry& entry, bool sizes, const FieldReader& outer) {
  FieldReader fields(extra, "ZIP64 field");
  const bool offset = entry.local_offset == kZip64Mark32;
  if (!sizes && has_zip64_sizes(entry)) outer.fail("an entry lacks its ZIP64 sizes");
  if (!sizes && !offset) {
    if (!extra.empty()) outer.fail("an entry has an extra field that goldsmith does not write");
    return;
  }
  const std::size_t expected = (sizes ? 16U : 0U) + (offset ? 8U : 0U);
  if (extra.size() != 4 + expected || fields.u16() != kZip64Tag || fields.u16() != expected) {
    outer.fail("an entry has a damaged ZIP64 field");
  }
  if (sizes) {
    entry.size = fields.u64();
    entry.compressed_size = fields.u64();
    if (!has_zip64_sizes(entry)) outer.fail("an entry has a ZIP64 field that it does not need");
  }
  if (offset) entry.local_offset = fields.u64();
}

void check_entry(const ZipEntry& entry, const FieldReader& fields) {
  if (entry.path.empty() || !domain::is_install_dir(entry.path)) {
    fields.fail("an entry has no safe relative path");
  }
  if (entry.method == Method::stored && entry.size != entry.compressed_size) {
    fields.fail("the sizes of a stored entry differ: " + entry.path);
  }
}

// The ZIP64 end record and its locator, which lie just before the end record.
Directory parse_zip64_end(std::string_view tail, std::uint64_t file_size, const std::string& file) {
  FieldReader fields(tail, file);
  const std::uint64_t start = file_size - tail.size();
  if (fields.u32() != kZip64EndSignature) fields.fail("its ZIP64 end record is missing");
  if (fields.u64() != kZip64EndSize - 12) fields.fail("its ZIP64 end record has a wrong size");
  fields.u32();  // versions
  if (fields.u64() != 0) fields.fail("it spans several disks");
  Directory directory;
  directory.count = fields.u64();
  if (fields.u64() != directory.count) fields.fail("its two counts of entries differ");
  directory.size = fields.u64();
  directory.offset = fields.u64();
  const bool locator = fields.u32() == kZip64LocatorSignature && fields.u32() == 0 &&
                       fields.u64() == start && fields.u32() == 1;
  if (!locator) fields.fail("its ZIP64 locator is damaged");
  return directory;
}

std::size_t find_end_record(std::string_view tail, const std::string& file) {
  if (tail.size() >= kEndRecordSize) {
    for (std::size_t at = tail.size() - kEndRecordSize + 1; at-- > 0;) {
      FieldReader fields(tail.substr(at), file);
      if (fields.u32() != kEndSignature) continue;
      fields.text(16);
      if (fields.u16() == tail.size() - at - kEndRecordSize) return at;
    }
  }
  throw ZipError(file + ": is no complete ZIP file (no end record)");
}

}  // namespace

bool has_zip64_sizes(const ZipEntry& entry) {
  return entry.size >= kZip64Mark32 || entry.compressed_size >= kZip64Mark32;
}

std::uint64_t local_header_size(const ZipEntry& entry) {
  return kLocalHeaderSize + entry.path.size() + (has_zip64_sizes(entry) ? kZip64LocalExtra : 0);
}

std::string local_header(const ZipEntry& entry) {
  FieldWriter out;
  const std::string extra = zip64_extra(entry, false);
  out.u32(kLocalSignature);
  write_common(out, entry, !extra.empty());
  return out.u16(extra.size()).text(entry.path).text(extra).take();
}

std::string central_header(const ZipEntry& entry) {
  FieldWriter out;
  const bool far = entry.local_offset >= kZip64Mark32;
  const std::string extra = zip64_extra(entry, far);
  out.u32(kCentralSignature).u16(kMadeByUnix);
  write_common(out, entry, !extra.empty());
  out.u16(extra.size()).u16(0).u16(0).u16(0);  // no comment, first disk, binary
  out.u32((entry.executable ? kProgramMode : kFileMode) << 16U);
  out.u32(or_mark(entry.local_offset, far));
  return out.text(entry.path).text(extra).take();
}

std::string end_records(const Directory& directory, std::string_view comment) {
  FieldWriter out;
  const bool many = directory.count >= kZip64Mark16;
  const bool large = directory.size >= kZip64Mark32;
  const bool far = directory.offset >= kZip64Mark32;
  if (many || large || far) {
    out.u32(kZip64EndSignature).u64(kZip64EndSize - 12).u16(kMadeByUnix).u16(kVersionZip64);
    out.u32(0).u32(0).u64(directory.count).u64(directory.count);
    out.u64(directory.size).u64(directory.offset);
    out.u32(kZip64LocatorSignature).u32(0).u64(directory.offset + directory.size).u32(1);
  }
  const std::uint64_t count = many ? kZip64Mark16 : directory.count;
  out.u32(kEndSignature).u16(0).u16(0).u16(count).u16(count);
  out.u32(or_mark(directory.size, large)).u32(or_mark(directory.offset, far));
  return out.u16(comment.size()).text(comment).take();
}

std::string_view FieldReader::text(std::size_t size) {
  if (size > bytes_.size()) fail("ends early; the file is damaged");
  const std::string_view taken = bytes_.substr(0, size);
  bytes_.remove_prefix(size);
  return taken;
}

std::uint64_t FieldReader::number(std::size_t size) {
  std::uint64_t value = 0;
  const std::string_view bytes = text(size);
  for (std::size_t i = 0; i < size; ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return value;
}

void FieldReader::fail(std::string_view finding) const {
  throw ZipError(file_ + ": " + std::string(finding));
}

ZipEntry parse_central_header(FieldReader& fields) {
  ZipEntry entry;
  if (fields.u32() != kCentralSignature) fields.fail("its central directory is damaged");
  if (fields.u16() != kMadeByUnix) fields.fail("was not written by goldsmith");
  fields.u16();  // version needed: follows from the rest
  if (fields.u16() != kUtf8Names) fields.fail("an entry has flags that goldsmith does not write");
  const std::uint16_t method = fields.u16();
  if (method != 0 && method != 8) fields.fail("an entry is neither stored nor deflated");
  entry.method = static_cast<Method>(method);
  fields.u32();  // time and date
  entry.crc32 = fields.u32();
  entry.compressed_size = fields.u32();
  entry.size = fields.u32();
  const std::size_t name_size = fields.u16();
  const std::size_t extra_size = fields.u16();
  if (fields.u16() != 0 || fields.u16() != 0) fields.fail("an entry has a comment or a disk");
  fields.u16();  // internal attributes
  const std::uint32_t mode = fields.u32() >> 16U;
  if (mode != kFileMode && mode != kProgramMode) fields.fail("an entry is no plain file");
  entry.executable = mode == kProgramMode;
  entry.local_offset = fields.u32();
  entry.path = fields.text(name_size);
  const bool sizes = entry.size == kZip64Mark32 && entry.compressed_size == kZip64Mark32;
  parse_zip64(fields.text(extra_size), entry, sizes, fields);
  check_entry(entry, fields);
  entry.local_size = local_header_size(entry) + entry.compressed_size;
  return entry;
}

End parse_end(std::string_view tail, std::uint64_t file_size, const std::string& file) {
  const std::size_t at = find_end_record(tail, file);
  FieldReader fields(tail.substr(at + 4), file);
  if (fields.u32() != 0) fields.fail("it spans several disks");
  End end;
  end.directory.count = fields.u16();
  if (fields.u16() != end.directory.count) fields.fail("its two counts of entries differ");
  end.directory.size = fields.u32();
  end.directory.offset = fields.u32();
  end.comment = fields.text(fields.u16());

  std::uint64_t directory_end = file_size - (tail.size() - at);
  if (end.directory.count == kZip64Mark16 || end.directory.size == kZip64Mark32 ||
      end.directory.offset == kZip64Mark32) {
    constexpr std::uint64_t size = kZip64EndSize + kZip64LocatorSize;
    if (at < size) fields.fail("its ZIP64 end record is missing");
    end.directory = parse_zip64_end(tail.substr(at - size), file_size, file);
    directory_end -= size;
  }
  if (end.directory.size > directory_end ||
      end.directory.offset != directory_end - end.directory.size) {
    fields.fail("its central directory is not where the end record says");
  }
  return end;
}

}  // namespace goldsmith::archive

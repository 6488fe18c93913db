#include "app/archive/zip_format.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <optional>

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
constexpr std::uint16_t kZip64Tag = 0x0001;
constexpr std::uint16_t kTimeTag = 0x5455;
constexpr std::uint8_t kModifiedAlone = 1;  // which times the field has
constexpr domain::Timestamp kLastTime{std::chrono::seconds(4'354'819'198)};  // 2107-12-31 23:59:58
constexpr domain::Timestamp kLastExact{std::chrono::seconds(0x7FFF'FFFF)};   // of 32 bits
constexpr std::uint16_t kVersionStored = 10;
constexpr std::uint16_t kVersionDeflated = 20;
constexpr std::uint16_t kVersionZip64 = 45;
constexpr std::uint16_t kMadeByUnix = (3U << 8U) | kVersionZip64;
constexpr std::uint32_t kFileMode = S_IFREG | 0644U;
constexpr std::uint32_t kProgramMode = S_IFREG | 0755U;

constexpr std::string_view kBadDirectory =
    "its central directory is damaged, or goldsmith did not write it";

class FieldWriter {
 public:
  FieldWriter& u8(std::uint64_t value) { return number(value, 1); }
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

// The time of every ZIP: in steps of two seconds, and without a time zone; here in UTC.
struct DosTime {
  std::uint16_t time = 0;
  std::uint16_t date = 0;
};

DosTime dos_time(domain::Timestamp time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  const auto number = [](auto value) { return static_cast<std::uint16_t>(value); };
  return {number((clock.hours().count() << 11) | (clock.minutes().count() << 5) |
                 clock.seconds().count() / 2),
          number((int{date.year()} - 1980) << 9 | static_cast<int>(unsigned{date.month()}) << 5 |
                 static_cast<int>(unsigned{date.day()}))};
}

// std::nullopt where it is none.
std::optional<domain::Timestamp> time_of(DosTime dos) {
  const std::chrono::year_month_day date(std::chrono::year(1980 + (dos.date >> 9)),
                                         std::chrono::month((dos.date >> 5) & 15U),
                                         std::chrono::day(dos.date & 31U));
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(dos.time >> 11) +
         std::chrono::minutes((dos.time >> 5) & 63U) + std::chrono::seconds((dos.time & 31U) * 2);
}

// Whether the time is in a field of its own, too, which says that it is UTC, to the second.
bool has_exact_time(const ZipEntry& entry) {
  return entry.modified > kNoTime && entry.modified <= kLastExact;
}

std::string time_extra(const ZipEntry& entry) {
  if (!has_exact_time(entry)) return {};
  const auto seconds = static_cast<std::uint64_t>(entry.modified.time_since_epoch().count());
  return FieldWriter().u16(kTimeTag).u16(kTimeExtra - 4).u8(kModifiedAlone).u32(seconds).take();
}

// The fields that local and central header share, from "version needed" to "name length".
void write_common(FieldWriter& out, const ZipEntry& entry, bool zip64_version) {
  const bool marked = has_zip64_sizes(entry);
  const DosTime dos = dos_time(entry.modified);
  out.u16(version_needed(entry, zip64_version)).u16(kUtf8Names);
  out.u16(static_cast<std::uint16_t>(entry.method)).u16(dos.time).u16(dos.date).u32(entry.crc32);
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

// Fills in the sizes and the offset that the fixed fields only mark, and the time.
void parse_extra(std::string_view extra, DosTime dos, ZipEntry& entry, FieldReader& outer) {
  const bool sizes = entry.size == kZip64Mark32 && entry.compressed_size == kZip64Mark32;
  const bool offset = entry.local_offset == kZip64Mark32;
  const std::size_t expected = sizes || offset ? 4U + (sizes ? 16U : 0U) + (offset ? 8U : 0U) : 0U;
  if (extra.size() == expected + kTimeExtra) {
    FieldReader fields(extra.substr(extra.size() - 4), "time field");
    entry.modified = domain::Timestamp(std::chrono::seconds(fields.u32()));
  } else if (const auto time = time_of(dos); time && extra.size() == expected) {
    entry.modified = *time;
  } else {
    outer.fail(kBadDirectory);
  }
  if (expected == 0) return;
  FieldReader fields(extra.substr(4), "ZIP64 field");
  if (sizes) {
    entry.size = fields.u64();
    entry.compressed_size = fields.u64();
  }
  if (offset) entry.local_offset = fields.u64();
}

bool uses_zip64(const Directory& directory) {
  return directory.count >= kZip64Mark16 || directory.size >= kZip64Mark32 ||
         directory.offset >= kZip64Mark32;
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
  throw ZipError(file + ": is not a complete ZIP file (no end record)");
}

}  // namespace

domain::Timestamp entry_time(domain::Timestamp time) {
  const domain::Timestamp near = std::clamp(time, kNoTime, kLastTime);
  return near > kLastExact
             ? std::chrono::floor<std::chrono::duration<std::int64_t, std::ratio<2>>>(near)
             : near;
}

bool has_zip64_sizes(const ZipEntry& entry) {
  return entry.size >= kZip64Mark32 || entry.compressed_size >= kZip64Mark32;
}

std::uint64_t local_header_size(const ZipEntry& entry) {
  return kLocalHeaderSize + entry.path.size() + (has_zip64_sizes(entry) ? kZip64LocalExtra : 0) +
         (has_exact_time(entry) ? kTimeExtra : 0);
}

std::string local_header(const ZipEntry& entry) {
  FieldWriter out;
  const std::string zip64 = zip64_extra(entry, false);
  const std::string extra = zip64 + time_extra(entry);
  out.u32(kLocalSignature);
  write_common(out, entry, !zip64.empty());
  return out.u16(extra.size()).text(entry.path).text(extra).take();
}

std::string central_header(const ZipEntry& entry) {
  FieldWriter out;
  const bool far = entry.local_offset >= kZip64Mark32;
  const std::string zip64 = zip64_extra(entry, far);
  const std::string extra = zip64 + time_extra(entry);
  out.u32(kCentralSignature).u16(kMadeByUnix);
  write_common(out, entry, !zip64.empty());
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
  if (uses_zip64(directory)) {
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
  const std::string_view start = fields.rest();
  ZipEntry entry;
  fields.text(10);  // signature, versions and flags are the same in all
  entry.method = static_cast<Method>(fields.u16());
  DosTime dos;
  dos.time = fields.u16();
  dos.date = fields.u16();
  entry.crc32 = fields.u32();
  entry.compressed_size = fields.u32();
  entry.size = fields.u32();
  const std::size_t name_size = fields.u16();
  const std::size_t extra_size = fields.u16();
  fields.text(6);  // comment, disk, internal attributes
  entry.executable = fields.u32() == kProgramMode << 16U;
  entry.local_offset = fields.u32();
  entry.path = fields.text(name_size);
  parse_extra(fields.text(extra_size), dos, entry, fields);
  entry.local_size = local_header_size(entry) + entry.compressed_size;

  const bool sound = entry.path.size() > 0 && domain::is_relative_path(entry.path) &&
                     (entry.method == Method::deflated ||
                      (entry.method == Method::stored && entry.size == entry.compressed_size));
  // There is one way to write an entry, and so nothing else needs a check of its own.
  if (!sound || central_header(entry) != start.substr(0, start.size() - fields.rest().size())) {
    fields.fail(kBadDirectory);
  }
  return entry;
}

End parse_end(std::string_view tail, std::uint64_t file_size, const std::string& file) {
  std::size_t at = find_end_record(tail, file);
  FieldReader fields(tail.substr(at + 10), file);
  End end;
  end.directory.count = fields.u16();
  end.directory.size = fields.u32();
  end.directory.offset = fields.u32();
  end.comment = fields.text(fields.u16());
  if (at >= kZip64RecordsSize && uses_zip64(end.directory)) {
    at -= kZip64RecordsSize;
    FieldReader wide(tail.substr(at + 32), file);
    end.directory.count = wide.u64();
    end.directory.size = wide.u64();
    end.directory.offset = wide.u64();
  }
  const std::uint64_t start = file_size - (tail.size() - at);
  const bool adjacent =
      end.directory.size <= start && end.directory.offset == start - end.directory.size;
  if (!adjacent || end_records(end.directory, end.comment) != tail.substr(at)) {
    fields.fail("its end record is damaged, or goldsmith did not write it");
  }
  return end;
}

}  // namespace goldsmith::archive

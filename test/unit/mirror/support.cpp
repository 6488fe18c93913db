#include "test/unit/mirror/support.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <elf.h>
#include <locale.h>
#include <sys/sysmacros.h>

#include <memory>
#include <stdexcept>

#include "app/archive/io.hpp"

namespace goldsmith::mirror::test {
namespace {

struct FreeWriter {
  void operator()(::archive* archive) const { ::archive_write_free(archive); }
};
struct FreeEntry {
  void operator()(::archive_entry* entry) const { ::archive_entry_free(entry); }
};

void require(::archive* archive, int result) {
  if (result != ARCHIVE_OK) throw std::runtime_error(::archive_error_string(archive));
}

void set_format(::archive* archive, Format format) {
  switch (format) {
    case Format::zip:
      return require(archive, ::archive_write_set_format_zip(archive));
    case Format::seven_zip:
      return require(archive, ::archive_write_set_format_7zip(archive));
    case Format::tar_gz:
      require(archive, ::archive_write_add_filter_gzip(archive));
      break;
    case Format::tar_xz:
      require(archive, ::archive_write_add_filter_xz(archive));
      break;
    case Format::tar_bz2:
      require(archive, ::archive_write_add_filter_bzip2(archive));
      break;
    case Format::tar_zst:
      require(archive, ::archive_write_add_filter_zstd(archive));
      break;
    case Format::tar:
      break;
  }
  require(archive, ::archive_write_set_format_pax_restricted(archive));
}

void write_item(::archive* archive, const Item& item) {
  const std::unique_ptr<::archive_entry, FreeEntry> entry(::archive_entry_new());
  ::archive_entry_set_pathname(entry.get(), item.name.c_str());
  ::archive_entry_set_mode(entry.get(), item.mode);
  ::archive_entry_set_mtime(entry.get(), 1'500'000'000, 0);
  ::archive_entry_set_size(entry.get(), static_cast<la_int64_t>(item.content.size()));
  if (!item.link.empty()) ::archive_entry_set_symlink(entry.get(), item.link.c_str());
  if (!item.hard_link.empty()) ::archive_entry_set_hardlink(entry.get(), item.hard_link.c_str());
  if ((item.mode & 0170000) == 0020000) ::archive_entry_set_rdev(entry.get(), makedev(1, 3));
  require(archive, ::archive_write_header(archive, entry.get()));
  if (item.content.empty()) return;
  const la_ssize_t written =
      ::archive_write_data(archive, item.content.data(), item.content.size());
  if (written != static_cast<la_ssize_t>(item.content.size())) {
    throw std::runtime_error("short write into an archive");
  }
}

void put(std::string& out, unsigned long long value, int size, bool big_endian = false) {
  for (int i = 0; i < size; ++i) {
    out.push_back(static_cast<char>(value >> (8 * (big_endian ? size - 1 - i : i))));
  }
}

// From "version needed" to "length of the extra field", as local and central header have it.
void put_common(std::string& out, const RawItem& item) {
  put(out, 20, 2);
  put(out, (item.utf8 ? 0x800U : 0U) | (item.encrypted ? 1U : 0U), 2);
  put(out, 0, 2);
  put(out, 0x0021'0000, 4);
  put(out, archive::crc32_of(item.content), 4);
  put(out, item.content.size(), 4);
  put(out, item.content.size(), 4);
  put(out, item.name.size(), 2);
  put(out, 0, 2);
}

// A header of RAR 4: `rest` is what follows its size.
std::string rar4_header(unsigned kind, unsigned flags, const std::string& rest) {
  std::string header;
  put(header, kind, 1);
  put(header, flags, 2);
  put(header, 2 + 1 + 2 + 2 + rest.size(), 2);
  header += rest;
  std::string out;
  put(out, archive::crc32_of(header) & 0xFFFFU, 2);
  return out + header;
}

std::string rar4(const Rar& kind, const std::vector<RarItem>& items) {
  std::string out("Rar!\x1A\x07\0", 7);
  out += rar4_header(0x73, (kind.volume ? 0x01U : 0U) | (kind.encrypted_headers ? 0x80U : 0U),
                     std::string(6, '\0'));
  for (const RarItem& item : items) {
    const std::string& data = item.link.empty() ? item.content : item.link;
    const bool is_folder = (item.mode & 0170000) == 0040000;
    std::string rest;
    put(rest, data.size(), 4);
    put(rest, data.size(), 4);
    put(rest, 3, 1);  // Unix
    put(rest, archive::crc32_of(data), 4);
    put(rest, 0x4A21'0000, 4);
    put(rest, 20, 1);    // the version that reads it
    put(rest, 0x30, 1);  // stored
    put(rest, item.name.size(), 2);
    put(rest, item.mode, 4);
    rest += item.name;
    out +=
        rar4_header(0x74, 0x8000U | (is_folder ? 0xE0U : 0U) | (item.encrypted ? 0x04U : 0U), rest);
    out += data;
  }
  return out + rar4_header(0x7B, 0x4000, "");
}

void put_number(std::string& out, unsigned long long value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(0x80 | (value & 0x7F)));
  out.push_back(static_cast<char>(value));
}

std::string rar5_header(const std::string& header) {
  std::string sized;
  put_number(sized, header.size());
  sized += header;
  std::string out;
  put(out, archive::crc32_of(sized), 4);
  return out + sized;
}

std::string rar5_file(const RarItem& item) {
  std::string extra;
  if (!item.link.empty()) {
    std::string record;
    put_number(record, 5);  // of a link
    put_number(record, 1);  // a symbolic one
    put_number(record, 0);
    put_number(record, item.link.size());
    record += item.link;
    put_number(extra, record.size());
    extra += record;
  }
  if (item.encrypted) {
    std::string record;
    put_number(record, 1);
    record += std::string(2, '\0') + std::string(1 + 16 + 16, 's');
    put_number(extra, record.size());
    extra += record;
  }
  const bool is_folder = (item.mode & 0170000) == 0040000;
  std::string header;
  put_number(header, 2);
  put_number(header, 0x02U | (extra.empty() ? 0U : 0x01U));
  if (!extra.empty()) put_number(header, extra.size());
  put_number(header, item.content.size());
  put_number(header, 0x04U | (is_folder ? 0x01U : 0U));
  put_number(header, item.content.size());
  put_number(header, item.mode);
  put(header, archive::crc32_of(item.content), 4);
  put_number(header, 0);  // stored
  put_number(header, 1);  // Unix
  put_number(header, item.name.size());
  return rar5_header(header + item.name + extra) + item.content;
}

std::string rar5(const Rar& kind, const std::vector<RarItem>& items) {
  std::string out("Rar!\x1A\x07\1\0", 8);
  if (kind.encrypted_headers) {
    std::string header;
    put_number(header, 4);
    return out + rar5_header(header + std::string(3, '\0') + std::string(1 + 16, 's'));
  }
  std::string header;
  put_number(header, 1);
  put_number(header, 0);
  put_number(header, kind.volume ? 1 : 0);
  out += rar5_header(header);
  for (const RarItem& item : items) out += rar5_file(item);
  std::string end;
  put_number(end, 5);
  put_number(end, 0);
  put_number(end, 0);
  return out + rar5_header(end);
}

}  // namespace

std::string raw_rar(const Rar& kind, const std::vector<RarItem>& items) {
  return kind.version == 4 ? rar4(kind, items) : rar5(kind, items);
}

void pack(const std::filesystem::path& path, Format format, const std::vector<Item>& items) {
  const locale_t utf8 = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  const locale_t previous = ::uselocale(utf8);
  const std::unique_ptr<::archive, FreeWriter> archive(::archive_write_new());
  set_format(archive.get(), format);
  require(archive.get(), ::archive_write_open_filename(archive.get(), path.c_str()));
  for (const Item& item : items) write_item(archive.get(), item);
  require(archive.get(), ::archive_write_close(archive.get()));
  ::uselocale(previous);
  ::freelocale(utf8);
}

std::string raw_zip(const std::vector<RawItem>& items) {
  std::string out;
  std::string central;
  for (const RawItem& item : items) {
    put(central, 0x0201'4B50, 4);
    put(central, item.made_by | 20U, 2);
    put_common(central, item);
    put(central, 0, 2);
    put(central, 0, 2);
    put(central, 0, 2);
    put(central, item.external, 4);
    put(central, out.size(), 4);
    central += item.name;
    put(out, 0x0403'4B50, 4);
    put_common(out, item);
    out += item.name + item.content;
  }
  const std::size_t start = out.size();
  out += central;
  put(out, 0x0605'4B50, 4);
  put(out, 0, 4);
  put(out, items.size(), 2);
  put(out, items.size(), 2);
  put(out, central.size(), 4);
  put(out, start, 4);
  put(out, 0, 2);
  return out;
}

std::string windows_program() {
  std::string bytes = "MZ";
  bytes.resize(0x3C, '\0');
  put(bytes, 0x80, 4);
  bytes.resize(0x80, '\x0E');  // code, right behind it
  return bytes + std::string("PE\0\0", 4) + std::string(200, 'x');
}

std::string mach_o(bool universal) {
  std::string bytes;
  if (universal) {
    put(bytes, 0xCAFE'BABE, 4, true);
    put(bytes, 2, 4, true);
  } else {
    put(bytes, 0xFEED'FACF, 4);
    put(bytes, 0x0100'0007, 4);
    put(bytes, 3, 4);
    put(bytes, 6, 4);  // MH_DYLIB
  }
  return bytes + std::string(100, '\0');
}

std::string elf(const Elf& kind) {
  const bool big = kind.big_endian;
  const int word = kind.wide ? 8 : 4;
  const unsigned header = kind.wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
  const unsigned program_header = kind.wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
  std::string bytes =
      "\x7F"
      "ELF";
  bytes += static_cast<char>(kind.wide ? 2 : 1);
  bytes += static_cast<char>(big ? 2 : 1);
  bytes += '\1';
  bytes.resize(16, '\0');
  put(bytes, kind.type, 2, big);
  put(bytes, 3, 2, big);
  put(bytes, 1, 4, big);
  put(bytes, 0, word, big);
  put(bytes, header, word, big);
  put(bytes, 0, word, big);
  put(bytes, 0, 4, big);
  put(bytes, header, 2, big);
  put(bytes, program_header, 2, big);
  put(bytes, 2, 2, big);
  bytes.resize(header, '\0');
  put(bytes, PT_LOAD, 4, big);
  bytes.resize(header + program_header, '\0');
  put(bytes, kind.interpreter ? PT_INTERP : PT_DYNAMIC, 4, big);
  bytes.resize(header + 2 * program_header, '\0');
  return bytes + std::string(300, 'e');
}

}  // namespace goldsmith::mirror::test

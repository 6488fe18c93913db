#include "app/unpack/content.hpp"

#include <elf.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace goldsmith::unpack {

namespace {

// Bounds-checked numbers of either byte order; 0 beyond the end.
class Header {
 public:
  Header(std::string_view bytes, bool little) : bytes_(bytes), little_(little) {}

  std::uint64_t number(std::uint64_t offset, std::size_t size) const {
    if (offset > bytes_.size() || bytes_.size() - offset < size) return 0;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t at = offset + (little_ ? size - 1 - i : i);
      value = value << 8U | static_cast<unsigned char>(bytes_[at]);
    }
    return value;
  }

 private:
  std::string_view bytes_;
  bool little_;
};

// "MZ" alone could begin a text; the PE header that it points to can't.
bool is_pe(std::string_view start) {
  if (!start.starts_with("MZ")) return false;
  const std::uint64_t header = Header(start, true).number(0x3C, 4);
  return header < start.size() && start.substr(header, 4) == std::string_view("PE\0\0", 4);
}

bool is_thin_mach_o(std::string_view start) {
  const std::uint64_t magic = Header(start, false).number(0, 4);
  const bool big = magic == 0xFEED'FACE || magic == 0xFEED'FACF;
  const bool little = magic == 0xCEFA'EDFE || magic == 0xCFFA'EDFE;
  const std::uint64_t file_type = Header(start, little).number(12, 4);
  return (big || little) && file_type >= 1 && file_type <= 12;
}

// Java classes have the same magic; their next number is a version of at least 45.
bool is_universal_mach_o(std::string_view start) {
  const Header header(start, false);
  const std::uint64_t magic = header.number(0, 4);
  const std::uint64_t architectures = header.number(4, 4);
  return (magic == 0xCAFE'BABE || magic == 0xCAFE'BABF) && architectures >= 1 && architectures < 45;
}

bool has_interpreter(const Header& header, bool wide) {
  const std::uint64_t table = wide ? header.number(32, 8) : header.number(28, 4);
  const std::uint64_t size = header.number(wide ? 54 : 42, 2);
  const std::uint64_t count = header.number(wide ? 56 : 44, 2);
  if (table > kSniffed) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (header.number(table + i * size, 4) == PT_INTERP) return true;
  }
  return false;
}

bool is_elf_program(std::string_view start) {
  if (!start.starts_with(std::string_view(ELFMAG, SELFMAG)) || start.size() < sizeof(Elf32_Ehdr)) {
    return false;
  }
  const Header header(start, start[EI_DATA] == ELFDATA2LSB);
  const std::uint64_t type = header.number(16, 2);
  return type == ET_EXEC ||
         (type == ET_DYN && has_interpreter(header, start[EI_CLASS] == ELFCLASS64));
}

}  // namespace

std::optional<std::uint64_t> library_size(std::string_view start) {
  if (!start.starts_with(std::string_view(ELFMAG, SELFMAG)) || start.size() < sizeof(Elf32_Ehdr) ||
      start[EI_CLASS] != ELFCLASS32 || start[EI_DATA] != ELFDATA2LSB) {
    return std::nullopt;
  }
  const Header header(start, true);
  if (header.number(16, 2) != ET_DYN || header.number(18, 2) != EM_386) return std::nullopt;
  const std::uint64_t segments = header.number(28, 4);
  const std::uint64_t segment_size = header.number(42, 2);
  const std::uint64_t segment_count = header.number(44, 2);
  const std::uint64_t sections_end =
      header.number(32, 4) + header.number(46, 2) * header.number(48, 2);
  std::uint64_t size = std::max(segments + segment_size * segment_count, sections_end);
  for (std::uint64_t i = 0; i < segment_count; ++i) {
    const std::uint64_t segment = segments + i * segment_size;
    size = std::max(size, header.number(segment + 4, 4) + header.number(segment + 16, 4));
  }
  return size;
}

Content sniff(std::string_view start) {
  if (is_pe(start)) return Content::windows;
  if (is_thin_mach_o(start) || is_universal_mach_o(start)) return Content::mac;
  if (is_elf_program(start)) return Content::program;
  return start.starts_with("#!") ? Content::script : Content::other;
}

}  // namespace goldsmith::unpack

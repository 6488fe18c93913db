#include "app/unpack/rar.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "app/unpack/compressed_stream.hpp"

namespace goldsmith::unpack {

namespace {

constexpr std::string_view kRar = "Rar!\x1A\x07";

// A number of RAR 5: seven bits a byte, the lowest first. It is taken away from `bytes`; 0 at their
// end.
std::uint64_t take_rar_number(std::string_view& bytes) {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80) break;
  }
  return number;
}

// Whether a record of encryption is among those of a file of RAR 5.
bool has_encryption(std::string_view records) {
  while (!records.empty()) {
    const std::uint64_t size = take_rar_number(records);
    std::string_view record = records.substr(0, size);
    records.remove_prefix(record.size());
    if (size == 0 || take_rar_number(record) == 1) return size != 0;
  }
  return false;
}

// Whether a file of a RAR 5 archive is encrypted: libarchive takes what is stored so for its
// content. What is damaged is left to it.
bool has_encrypted_file(int fd) {
  constexpr std::size_t kChecksum = 4;
  constexpr std::size_t kLongestHeader = 1U << 16;
  constexpr std::uint64_t kEnd = 5;
  std::uint64_t offset = kRar.size() + 2;
  for (;;) {
    const std::string block = read_part(fd, offset, kLongestHeader, "archive");
    if (block.size() <= kChecksum) return false;
    std::string_view rest = std::string_view(block).substr(kChecksum);
    const std::uint64_t size = take_rar_number(rest);
    if (size == 0 || size > rest.size()) return false;
    const std::uint64_t end = offset + (block.size() - rest.size()) + size;
    rest = rest.substr(0, size);
    const std::uint64_t kind = take_rar_number(rest);
    const std::uint64_t flags = take_rar_number(rest);
    const std::uint64_t added = (flags & 0x01U) != 0 ? take_rar_number(rest) : 0;
    const std::uint64_t data = (flags & 0x02U) != 0 ? take_rar_number(rest) : 0;
    if (kind == kEnd || added > rest.size() || data > UINT64_MAX - end) return false;
    if (kind == 2 && has_encryption(rest.substr(rest.size() - added))) return true;
    offset = end + data;
  }
}

}  // namespace

bool is_rar(int fd) { return starts_with(fd, kRar, "archive"); }

std::string rar_defect(int fd) {
  constexpr const char* kVolume = "is a part of a RAR archive of several files";
  constexpr std::size_t kHeader = 64;
  const std::string header = read_part(fd, 0, kHeader, "archive");
  std::string_view start = header;
  start.remove_prefix(std::min(start.size(), kRar.size()));
  if (start.starts_with('\0')) {  // RAR 4: a checksum, the kind, and flags
    constexpr std::size_t kFlags = 1 + 2 + 1;
    if (start.size() < kFlags + 2) return "";
    const auto flags = static_cast<unsigned char>(start[kFlags]);
    if ((flags & 0x80U) != 0) return kEncrypted;
    return (flags & 0x01U) != 0 ? kVolume : "";
  }
  start.remove_prefix(std::min<std::size_t>(start.size(), 2 + 4));  // the rest, a checksum
  take_rar_number(start);                                           // the size
  const std::uint64_t kind = take_rar_number(start);
  if (kind == 4) return kEncrypted;
  const std::uint64_t flags = take_rar_number(start);
  if ((flags & 0x01U) != 0) take_rar_number(start);  // the size of what is added
  if ((flags & 0x02U) != 0) take_rar_number(start);  // and of data
  if (kind == 1 && (take_rar_number(start) & 0x01U) != 0) return kVolume;
  return has_encrypted_file(fd) ? kEncrypted : "";
}

}  // namespace goldsmith::unpack

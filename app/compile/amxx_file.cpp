// The .amxx container: a 24-byte little-endian header and one zlib stream.
#include <zlib.h>

#include <array>
#include <cstdint>

#include "app/compile/compiler.hpp"

namespace goldsmith::compile {
namespace {

constexpr std::uint32_t kFileMagic = 0x414D5858;  // "XXMA" on disk
constexpr std::uint32_t kFileVersion = 0x0300;
constexpr std::uint32_t kImageMagic = 0xF1E0;
constexpr std::size_t kHeaderSize = 24;
constexpr std::size_t kImageStart = 6;  // an AMX image's size and magic

std::uint32_t little_endian(std::string_view bytes, std::size_t offset, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = size; i-- > 0;) {
    value = (value << 8) | static_cast<unsigned char>(bytes[offset + i]);
  }
  return value;
}

// The first bytes of a zlib stream, and no more: what follows may inflate to gigabytes.
std::string inflate_start(std::string_view stream) {
  std::array<unsigned char, kImageStart> start{};
  z_stream inflater{};
  if (inflateInit(&inflater) != Z_OK) return {};
  // zlib's interface is not const, but it does not write to its input.
  inflater.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stream.data()));
  inflater.avail_in = static_cast<uInt>(stream.size());
  inflater.next_out = start.data();
  inflater.avail_out = static_cast<uInt>(start.size());
  inflate(&inflater, Z_SYNC_FLUSH);
  const std::size_t got = start.size() - inflater.avail_out;
  inflateEnd(&inflater);
  return {start.begin(), start.begin() + static_cast<std::ptrdiff_t>(got)};
}

}  // namespace

bool is_valid_amxx(std::string_view file) {
  if (file.size() <= kHeaderSize) return false;
  const std::uint32_t disk_size = little_endian(file, 8, 4);
  const bool header =
      little_endian(file, 0, 4) == kFileMagic && little_endian(file, 4, 2) == kFileVersion &&
      little_endian(file, 6, 1) == 1 &&  // one image
      little_endian(file, 7, 1) == 4 &&  // of 4-byte cells
      little_endian(file, 20, 4) == kHeaderSize && file.size() - kHeaderSize == disk_size;
  if (!header) return false;
  // The image's own sizes say nothing: debug information comes on top of them.
  const std::string start = inflate_start(file.substr(kHeaderSize));
  return start.size() == kImageStart && little_endian(start, 4, 2) == kImageMagic;
}

}  // namespace goldsmith::compile

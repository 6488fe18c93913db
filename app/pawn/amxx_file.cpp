// The .amxx container: a 24-byte little-endian header and one zlib stream.
#include "app/pawn/amxx_file.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>

#include "app/pawn/amx_image.hpp"

namespace goldsmith::pawn {
namespace {

constexpr std::uint32_t kFileMagic = 0x414D5858;  // "XXMA" on disk
constexpr std::uint32_t kFileVersion = 0x0300;
constexpr std::uint32_t kImageMagic = 0xF1E0;
constexpr std::size_t kHeaderSize = 24;
constexpr std::uint32_t kDebugMagic = 0xF1EF;
constexpr std::uint32_t kDebugFlag = 0x02;
constexpr std::size_t kImageHeader = 10;  // size, magic, two versions, flags

class Inflater {
 public:
  explicit Inflater(std::string_view stream) {
    if (inflateInit(&state_) != Z_OK) throw std::bad_alloc();
    // zlib's interface is not const, but it does not write to its input.
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stream.data()));
    state_.avail_in = static_cast<uInt>(stream.size());
  }
  ~Inflater() { inflateEnd(&state_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // The next bytes: fewer than asked for at the stream's end, or where it is damaged.
  std::string read(std::size_t size) {
    std::string bytes(size, '\0');
    state_.next_out = reinterpret_cast<Bytef*>(bytes.data());
    state_.avail_out = static_cast<uInt>(size);
    const int result = inflate(&state_, Z_SYNC_FLUSH);
    at_end_ = result == Z_STREAM_END && state_.avail_in == 0;
    bytes.resize(size - state_.avail_out);
    return bytes;
  }

  // The stream ended, and nothing comes after it.
  bool at_end() const { return at_end_; }

 private:
  z_stream state_{};
  bool at_end_ = false;
};

// Size and magic of an AMX image, or of its debug information.
constexpr std::size_t kSizeAndMagic = 6;

bool has_magic(std::string_view start, std::uint32_t magic) {
  return start.size() >= kSizeAndMagic && little_endian(start, 4, 2) == magic;
}

// Debug information comes behind the image, with a size of its own.
bool adds_up(std::string_view image, std::string_view debug, std::uint64_t total) {
  const std::uint64_t size = little_endian(image, 0, 4);
  const bool has_debug = (little_endian(image, 8, 2) & kDebugFlag) != 0;
  if (!has_debug) return total == size;
  return has_magic(debug, kDebugMagic) && total == size + little_endian(debug, 0, 4);
}

}  // namespace

std::string start_of_image(std::string_view file, std::size_t most) {
  if (!is_valid_amxx(file)) return {};
  const PackedImage packed = *packed_image(file);
  return Inflater(packed.stream).read(std::min<std::size_t>(packed.size, most));
}

std::optional<PackedImage> packed_image(std::string_view file) {
  if (file.size() <= kHeaderSize) return std::nullopt;
  const std::uint32_t disk_size = little_endian(file, 8, 4);
  const bool header =
      little_endian(file, 0, 4) == kFileMagic && little_endian(file, 4, 2) == kFileVersion &&
      little_endian(file, 6, 1) == 1 &&  // one image
      little_endian(file, 7, 1) == 4 &&  // of 4-byte cells
      little_endian(file, 20, 4) == kHeaderSize && file.size() - kHeaderSize == disk_size;
  if (!header) return std::nullopt;
  // The image's own sizes say nothing: debug information comes on top of them.
  return PackedImage{file.substr(kHeaderSize), little_endian(file, 12, 4)};
}

bool is_image(std::string_view start) { return has_magic(start, kImageMagic); }

bool is_valid_amxx(std::string_view file) {
  const auto packed = packed_image(file);
  return packed && is_image(Inflater(packed->stream).read(kSizeAndMagic));
}

bool is_complete_amxx(std::string_view file) {
  if (!is_valid_amxx(file)) return false;
  constexpr std::size_t kChunk = 64U << 10;
  const std::uint64_t declared = little_endian(file, 12, 4);
  Inflater inflater(file.substr(kHeaderSize));
  const std::string image = inflater.read(kImageHeader);
  if (image.size() < kImageHeader) return false;
  const std::uint64_t debug_start = little_endian(image, 0, 4);
  std::string debug;
  std::uint64_t total = image.size();
  while (!inflater.at_end() && total <= declared) {
    const std::string chunk = inflater.read(
        total < debug_start ? std::min<std::uint64_t>(kChunk, debug_start - total) : kChunk);
    if (chunk.empty()) break;
    if (total >= debug_start && debug.size() < kSizeAndMagic) {
      debug += chunk.substr(0, kSizeAndMagic - debug.size());
    }
    total += chunk.size();
  }
  return inflater.at_end() && total == declared && adds_up(image, debug, total);
}

}  // namespace goldsmith::pawn

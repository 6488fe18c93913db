// The .amxx container: a 24-byte little-endian header and one zlib stream.
#include "app/pawn/amxx_file.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>

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

  // False if there are fewer.
  bool skip(std::uint64_t size) {
    constexpr std::uint64_t kChunk = 64U << 10;
    while (size > 0) {
      const std::size_t wanted = std::min(size, kChunk);
      if (read(wanted).size() < wanted) return false;
      size -= wanted;
    }
    return true;
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

}  // namespace

std::uint32_t little_endian(std::string_view bytes, std::size_t offset, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = size; i-- > 0;) {
    value = (value << 8) | static_cast<unsigned char>(bytes[offset + i]);
  }
  return value;
}

std::string start_of_image(std::string_view file, std::size_t most) {
  if (!is_valid_amxx(file)) return {};
  const PackedImage packed = *packed_image(file);
  return Inflater(packed.stream).read(std::min<std::size_t>(packed.size, most));
}

std::string program_of(std::string_view file) {
  const std::string start = start_of_image(file, kImageHeader);
  if (start.size() < kImageHeader) return {};
  return start_of_image(file, little_endian(start, 0, 4));
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
  const PackedImage packed = *packed_image(file);
  Inflater inflater(packed.stream);
  const std::string image = inflater.read(kImageHeader);
  if (image.size() < kImageHeader) return false;
  std::uint64_t total = little_endian(image, 0, 4);
  if (total < kImageHeader || total > packed.size) return false;
  if (!inflater.skip(total - kImageHeader)) return false;
  if ((little_endian(image, 8, 2) & kDebugFlag) != 0) {
    // It comes behind the image, with a size of its own.
    const std::string debug = inflater.read(kSizeAndMagic);
    const std::uint64_t size = has_magic(debug, kDebugMagic) ? little_endian(debug, 0, 4) : 0;
    total += size;
    if (size < kSizeAndMagic || total > packed.size) return false;
    if (!inflater.skip(size - kSizeAndMagic)) return false;
  }
  return total == packed.size && inflater.read(1).empty() && inflater.at_end();
}

}  // namespace goldsmith::pawn

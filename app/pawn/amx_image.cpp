#include "app/pawn/amx_image.hpp"

#include <algorithm>
#include <utility>

#include "app/domain/plugin.hpp"

namespace goldsmith::pawn {
namespace {

constexpr std::size_t kMostEntries = 16384;
constexpr std::uint32_t kCompactFlag = 0x04;
constexpr std::size_t kEntrySize = 8;  // two cells: an address and where the name is

// The cells of a compact image: seven bits a byte, the highest first. All but the last byte of a
// cell have their highest bit set, and the next bit of the first is the sign.
std::string expanded(std::string_view compact, std::size_t most) {
  std::string cells;
  std::uint32_t cell = 0;
  bool is_first = true;
  for (const char each : compact) {
    const auto byte = static_cast<unsigned char>(each);
    if (is_first) cell = (byte & 0x40U) != 0 ? ~0U : 0;
    cell = cell << 7U | (byte & 0x7FU);
    is_first = (byte & 0x80U) == 0;
    if (!is_first) continue;
    if (cells.size() + kCell > most) break;
    for (unsigned shift = 0; shift < 32; shift += 8) {
      cells += static_cast<char>(cell >> shift & 0xFFU);
    }
  }
  return cells;
}

}  // namespace

std::uint32_t little_endian(std::string_view bytes, std::size_t offset, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = size; i-- > 0;) {
    value = (value << 8) | static_cast<unsigned char>(bytes[offset + i]);
  }
  return value;
}

Image::Image(std::string bytes) : bytes_(std::move(bytes)) {
  if (!has_header() || !is_compact()) return;
  const std::size_t code = offset(field::kCode);
  const std::size_t end = std::min(offset(field::kSize), bytes_.size());
  if (code > end) return;
  bytes_ = bytes_.substr(0, code) +
           expanded(std::string_view(bytes_).substr(code, end - code), kMostImageBytes - code);
}

bool Image::has_header() const {
  return bytes_.size() >= field::kEnd &&
         little_endian(bytes_, field::kEntrySize, 2) == kEntrySize &&
         offset(field::kNames) <= offset(field::kCode) && offset(field::kCode) <= bytes_.size();
}

std::optional<std::vector<std::string_view>> Image::names_of(std::size_t begin,
                                                             std::size_t end) const {
  const std::size_t first = offset(begin);
  const std::size_t last = offset(end);
  if (first < field::kEnd || last < first || last > offset(field::kNames) ||
      (last - first) % kEntrySize != 0 || (last - first) / kEntrySize > kMostEntries) {
    return std::nullopt;
  }
  std::vector<std::string_view> all;
  for (std::size_t entry = first; entry < last; entry += kEntrySize) {
    const auto name = name_at(little_endian(bytes_, entry + kCell, kCell));
    if (!name) return std::nullopt;
    all.push_back(*name);
  }
  return all;
}

std::size_t Image::cells(std::size_t begin, std::size_t end) const {
  const std::size_t last = std::min(offset(end), bytes_.size());
  return offset(begin) < last ? (last - offset(begin)) / kCell : 0;
}
bool Image::is_compact() const {
  return (little_endian(bytes_, field::kFlags, 2) & kCompactFlag) != 0;
}

std::optional<std::string_view> Image::name_at(std::size_t at) const {
  if (at < offset(field::kNames) || at >= offset(field::kCode)) return std::nullopt;
  const std::string_view rest = std::string_view(bytes_).substr(at, offset(field::kCode) - at);
  const std::size_t end = rest.substr(0, domain::kLongestNativeName + 1).find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  return rest.substr(0, end);
}

}  // namespace goldsmith::pawn

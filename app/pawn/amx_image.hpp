// The image in a compiled plugin, of which nothing is trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace goldsmith::pawn {

// Precondition: `bytes` has `size` (at most 4) bytes from `offset` on.
std::uint32_t little_endian(std::string_view bytes, std::size_t offset, std::size_t size);

// What is read of an image.
inline constexpr std::size_t kMostImageBytes = 16U << 20;
inline constexpr std::size_t kCell = 4;

// Where the header of an image says where its parts are: offsets from its start.
namespace field {
constexpr std::size_t kSize = 0;
constexpr std::size_t kFlags = 8;
constexpr std::size_t kEntrySize = 10;
constexpr std::size_t kCode = 12;
constexpr std::size_t kData = 16;
constexpr std::size_t kHeap = 20;  // the end of the data
constexpr std::size_t kNatives = 36;
constexpr std::size_t kLibraries = 40;
constexpr std::size_t kPubvars = 44;
constexpr std::size_t kTags = 48;
constexpr std::size_t kNames = 52;
constexpr std::size_t kEnd = 56;
}  // namespace field

// An image as far as it was read.
class Image {
 public:
  // Expands a compact one (`#pragma compress`).
  explicit Image(std::string bytes);

  bool has_header() const;

  // The names of a table's entries, in its order; std::nullopt if it is damaged.
  std::optional<std::vector<std::string_view>> names_of(std::size_t begin, std::size_t end) const;

  // The cells of a segment, as far as they were read.
  std::size_t cells(std::size_t begin, std::size_t end) const;
  // Precondition: `index` is below cells().
  std::uint32_t cell(std::size_t begin, std::size_t index) const {
    return little_endian(bytes_, offset(begin) + index * kCell, kCell);
  }

 private:
  bool is_compact() const;
  std::size_t offset(std::size_t part) const { return little_endian(bytes_, part, 4); }

  // Names are between the tables and the code, each ended by a NUL.
  std::optional<std::string_view> name_at(std::size_t at) const;

  std::string bytes_;
};

}  // namespace goldsmith::pawn

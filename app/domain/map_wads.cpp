#include "app/domain/map_wads.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>

#include "app/base/text.hpp"
#include "app/domain/component.hpp"

namespace goldsmith::domain {
namespace {

constexpr std::size_t kNumber = 4;  // bytes
constexpr std::size_t kEntities = 0;
constexpr std::size_t kTextures = 2;

// The little-endian number there; std::nullopt outside of the bytes.
std::optional<std::uint32_t> number_at(std::string_view bytes, std::size_t at) {
  if (at > bytes.size() || bytes.size() - at < kNumber) return std::nullopt;
  std::uint32_t number = 0;
  for (std::size_t i = kNumber; i > 0; --i) {
    number = number << 8U | static_cast<unsigned char>(bytes[at + i - 1]);
  }
  return number;
}

// "" if it is not there.
std::string_view lump(std::string_view file, std::size_t index) {
  constexpr std::size_t kPlace = 8;  // offset and length
  const auto offset = number_at(file, kNumber + kPlace * index);
  const auto length = number_at(file, kNumber + kPlace * index + kNumber);
  if (!offset || !length || *offset > file.size()) return {};
  return file.substr(*offset, *length);
}

// Whether a texture has no pixels in the map.
bool has_textures_elsewhere(std::string_view textures) {
  constexpr std::size_t kMost = 4096;
  constexpr std::size_t kFirstPixels = 24;  // behind the name, the width and the height
  constexpr std::uint32_t kNone = 0xFFFFFFFF;
  const std::size_t count = std::min<std::size_t>(number_at(textures, 0).value_or(0), kMost);
  for (std::size_t i = 0; i < count; ++i) {
    const auto texture = number_at(textures, kNumber * (1 + i));
    if (!texture) return false;
    if (*texture == kNone) continue;
    if (number_at(textures, std::size_t{*texture} + kFirstPixels) == std::uint32_t{0}) return true;
  }
  return false;
}

// Takes the next text in quotation marks of an entity; std::nullopt behind the last one.
std::optional<std::string_view> take_text(std::string_view& entity) {
  const std::size_t begin = entity.find_first_of("\"}");
  if (begin == std::string_view::npos || entity[begin] == '}') return std::nullopt;
  const std::size_t end = entity.find('"', begin + 1);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view text = entity.substr(begin + 1, end - begin - 1);
  entity.remove_prefix(end + 1);
  return text;
}

std::string_view wads_setting(std::string_view entities) {
  constexpr std::size_t kMostRead = 64U << 10;
  entities = entities.substr(0, kMostRead);
  while (const auto name = take_text(entities)) {
    const auto value = take_text(entities);
    if (!value) break;
    if (*name == "wad") return *value;
  }
  return {};
}

}  // namespace

bool begins_as_map(std::string_view file) {
  constexpr std::uint32_t kVersion = 30;
  return number_at(file, 0) == kVersion;
}

std::vector<std::string> wads_of_map(std::string_view file) {
  constexpr std::size_t kMost = 64;
  if (!begins_as_map(file)) return {};
  if (!has_textures_elsewhere(lump(file, kTextures))) return {};
  std::set<std::string> names;
  for (const std::string_view path : base::split(wads_setting(lump(file, kEntities)), ';')) {
    const std::size_t slash = path.find_last_of("/\\");
    std::string name = base::to_lower_ascii(path.substr(slash == path.npos ? 0 : slash + 1));
    if (is_wad_name(name) && names.size() < kMost) names.insert(std::move(name));
  }
  return {names.begin(), names.end()};
}

}  // namespace goldsmith::domain

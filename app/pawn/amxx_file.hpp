// Compiled plugins: the .amxx container, and what the image in it says to AMX Mod X. Files may lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/domain/plugin.hpp"

namespace goldsmith::pawn {

// Precondition: `bytes` has `size` (at most 4) bytes from `offset` on.
std::uint32_t little_endian(std::string_view bytes, std::size_t offset, std::size_t size);

// The check for all lines: magic, version, consistent sizes, and an AMX image whose first inflated
// bytes have the AMX magic. The exit code of 1.8.2 proves nothing.
bool is_valid_amxx(std::string_view file);

// What such a file has behind a header that is valid: the stream of zlib, and the bytes that it
// says to have inflated. std::nullopt if the header is not valid.
struct PackedImage {
  std::string_view stream;
  std::uint32_t size = 0;
};
std::optional<PackedImage> packed_image(std::string_view file);
// Whether an AMX image begins with these bytes.
bool is_image(std::string_view start);

// is_valid_amxx(), and the image inflates to the size it states: a compiler that ran out of disk
// space may have packed half an image. Takes as long as inflating all of it.
bool is_complete_amxx(std::string_view file);

// The AMX image that a plugin file holds, at most the first `most` bytes of it: fewer where the
// file is damaged or states less. "" if the file is not valid.
std::string start_of_image(std::string_view file, std::size_t most);

// The image without the debug information behind it: the lines and names of its files, and bytes
// that the compiler's memory happened to have. Thus it is the same of every source that does the
// same. Precondition: is_complete_amxx().
std::string program_of(std::string_view file);

// What AMX Mod X must have to load the plugin `file`: its tables of tags and libraries, which hold
// what the includes of its source ask for (`#pragma reqlib`, `reqclass`, `loadlib`, `defclasslib`,
// `library`), its table of natives, and its calls of register_library and register_native with a
// literal name, also in a compact image (`#pragma compress`). Reads at most 16 MiB of the image;
// calls behind that are not seen.
//
// std::nullopt if the file is damaged, or if its tables are: they lie outside of the image, have
// more than 16,384 entries, more than 64 requirements, or names that no library has.
std::optional<domain::PluginNeeds> plugin_needs(std::string_view file);

// Whether it hooks, by a constant, what an engine does only for clients of people: what it sends to
// each of them. Reads as much as plugin_needs().
bool hooks_what_is_sent(std::string_view file);

// What a plugin says of itself. Any bytes, at most 128 of each.
struct PluginRegistration {
  std::string name;     // not empty
  std::string version;  // "" where the plugin composes it
  std::string author;   // likewise

  friend bool operator==(const PluginRegistration&, const PluginRegistration&) = default;
};

// The first call of register_plugin with literals, or with arrays that were filled from literals.
// Reads at most 8 MiB of the image. std::nullopt if there is none.
std::optional<PluginRegistration> registration_of(std::string_view file);

// The same of the beginning of its image, for whoever has inflated that: kMostOfImage bytes.
inline constexpr std::size_t kMostOfImage = 8U << 20;
std::optional<PluginRegistration> registration_in(std::string image);

}  // namespace goldsmith::pawn

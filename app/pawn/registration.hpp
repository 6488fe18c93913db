// What a compiled plugin says of itself to AMX Mod X.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace goldsmith::pawn {

// Any bytes, at most 128 of each.
struct PluginRegistration {
  std::string name;     // not empty
  std::string version;  // "" where the plugin composes it
  std::string author;   // likewise

  friend bool operator==(const PluginRegistration&, const PluginRegistration&) = default;
};

// The first call of register_plugin with literals, or with arrays that were filled from literals,
// in `file`, an .amxx file that may lie. Reads at most 8 MiB of the image. std::nullopt if there is
// none.
std::optional<PluginRegistration> registration_of(std::string_view file);

// The same of the beginning of its image, for whoever has inflated that: kMostOfImage bytes.
inline constexpr std::size_t kMostOfImage = 8U << 20;
std::optional<PluginRegistration> registration_in(std::string image);

}  // namespace goldsmith::pawn

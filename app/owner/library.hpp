// What a library says of itself (decision S32).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace goldsmith::owner {

// What is read of one.
inline constexpr std::size_t kMostOfLibrary = 4U << 20;

// Any bytes, at most 64 of each.
struct Introduction {
  std::string name;  // "" where it is filled in later; so is the version
  std::string version;
};

// `file`: its first kMostOfLibrary bytes, which may lie. The record by which it introduces itself
// to Metamod; or else the first text "NAME version: VERSION" or "$Pg: NAME -- VERSION |"; or else,
// of AMX Mod X (`is_platform`) and Metamod-r, the only text that is nothing but a version with a
// build or a tag.
std::optional<Introduction> introduction_of(std::string_view file, bool is_platform);

}  // namespace goldsmith::owner

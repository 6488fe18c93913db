// Tuned configuration that replaces an upstream file when a build is optimized (decision S13).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/domain/identifiers.hpp"

namespace goldsmith::domain {

// Identified by path and component. Sections of one path apply in the order of `position`, then
// component slug.
struct OverlaySection {
  std::string path;               // relative to the server root
  std::optional<Slug> component;  // applies when this one is selected; absent = always
  std::int64_t position = 0;
  std::string content;
};

}  // namespace goldsmith::domain

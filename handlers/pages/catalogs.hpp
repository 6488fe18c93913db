// The catalogs of po/, compiled by msgfmt, which the build puts into the program
// (embed_catalogs.cmake).
#pragma once

#include <span>
#include <string_view>

namespace goldsmith::handlers::pages {

struct EmbeddedCatalog {
  std::string_view name;  // "pt_BR"
  std::string_view content;
};

std::span<const EmbeddedCatalog> embedded_catalogs();

}  // namespace goldsmith::handlers::pages

// The templates and the files of the web pages, which the build puts into the program
// (embed_files.cmake).
#pragma once

#include <span>
#include <string_view>

namespace goldsmith::handlers::pages {

struct EmbeddedFile {
  std::string_view name;  // "style.css"
  std::string_view content;
};

std::span<const EmbeddedFile> embedded_templates();
std::span<const EmbeddedFile> embedded_assets();
// Texts of licenses; the names are identifiers of SPDX, or those of Debian's common-licenses.
std::span<const EmbeddedFile> embedded_licenses();
// Parts of documents (handlers/documents).
std::span<const EmbeddedFile> embedded_scripts();

}  // namespace goldsmith::handlers::pages

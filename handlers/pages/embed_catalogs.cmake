# cmake -DOUTPUT=file.cpp -DCATALOGS=pl.mo;de.mo -P embed_catalogs.cmake
# Writes compiled catalogs of gettext as a C++ source.
set(entries "")
foreach(file IN LISTS CATALOGS)
  get_filename_component(name "${file}" NAME)
  string(REGEX REPLACE "\\.mo$" "" name "${name}")
  file(READ "${file}" content HEX)
  # A literal has a largest size that compilers must accept: in pieces of 8 KB.
  string(REGEX REPLACE "(..)" "\\\\x\\1" content "${content}")
  set(literals "")
  string(LENGTH "${content}" length)
  set(start 0)
  while(start LESS length)
    string(SUBSTRING "${content}" ${start} 32000 piece)
    string(APPEND literals "\n      \"${piece}\"")
    math(EXPR start "${start} + 32000")
  endwhile()
  string(APPEND entries "      {\"${name}\", ${literals}sv},\n")
endforeach()
file(WRITE "${OUTPUT}.new" "// Made by embed_catalogs.cmake.
#include \"handlers/pages/catalogs.hpp\"

#include <array>

namespace goldsmith::handlers::pages {

std::span<const EmbeddedCatalog> embedded_catalogs() {
  using std::literals::operator\"\"sv;
  static constexpr auto kCatalogs = std::to_array<EmbeddedCatalog>({
${entries}  });
  return kCatalogs;
}

}  // namespace goldsmith::handlers::pages
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")

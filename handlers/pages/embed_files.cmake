# cmake -DOUTPUT=file.cpp -DTEMPLATES=a.html;b.html -DASSETS=c.css;d.js -DLICENSES=e;f -DSCRIPTS=g -P embed_files.cmake
# Writes the templates and the files of the web pages as a C++ source: a worker and its pages are always of the same
# version, also while workers are replaced one by one.
function(entries_of result)
  set(entries "")
  foreach(file IN LISTS ARGN)
    get_filename_component(name "${file}" NAME)
    file(READ "${file}" content)
    # A literal has a largest size that compilers must accept: in pieces of 8 KB.
    set(literals "")
    string(LENGTH "${content}" length)
    set(start 0)
    while(start LESS length)
      string(SUBSTRING "${content}" ${start} 8000 piece)
      string(APPEND literals "R\"page(${piece})page\" ")
      math(EXPR start "${start} + 8000")
    endwhile()
    string(APPEND entries "      {\"${name}\", ${literals}},\n")
  endforeach()
  set(${result} "${entries}" PARENT_SCOPE)
endfunction()
entries_of(templates ${TEMPLATES})
entries_of(assets ${ASSETS})
entries_of(licenses ${LICENSES})
entries_of(scripts ${SCRIPTS})
# Quoted throughout: an unquoted value would lose its semicolons.
file(WRITE "${OUTPUT}.new" "// Made by embed_files.cmake.
#include \"handlers/pages/site.hpp\"

namespace goldsmith::handlers::pages {

std::span<const EmbeddedFile> embedded_templates() {
  static constexpr EmbeddedFile kFiles[] = {
${templates}  };
  return kFiles;
}

std::span<const EmbeddedFile> embedded_assets() {
  static constexpr EmbeddedFile kFiles[] = {
${assets}  };
  return kFiles;
}

std::span<const EmbeddedFile> embedded_licenses() {
  static constexpr EmbeddedFile kFiles[] = {
${licenses}  };
  return kFiles;
}

std::span<const EmbeddedFile> embedded_scripts() {
  static constexpr EmbeddedFile kFiles[] = {
${scripts}  };
  return kFiles;
}

}  // namespace goldsmith::handlers::pages
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")

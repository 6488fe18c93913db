# cmake -DOUTPUT=file.cpp [-DTEMPLATES=a.html;b.html] [-DASSETS=c.css;d.js] [-DLICENSES=e;f] [-DSCRIPTS=g] [-DCATALOGS=h.mo] -P embed_files.cmake
# Writes the files of the web pages as a C++ source, a function for each of these lists: a worker and its pages are always of
# the same version, also while workers are replaced one by one.
# entries_of(RESULT TEXT|BYTES FILE…)
function(entries_of result kind)
  set(entries "")
  foreach(file IN LISTS ARGN)
    get_filename_component(name "${file}" NAME)
    # A literal has a largest size that compilers must accept: in pieces of 8 KB.
    if(kind STREQUAL BYTES)
      string(REGEX REPLACE "\\.mo$" "" name "${name}")
      file(READ "${file}" content HEX)
      string(REGEX REPLACE "(..)" "\\\\x\\1" content "${content}")
      set(step 32000)
      set(before "\"")
      set(after "\"")
    else()
      file(READ "${file}" content)
      set(step 8000)
      set(before "R\"page(")
      set(after ")page\"")
    endif()
    set(literals "\"\"")
    string(LENGTH "${content}" length)
    set(start 0)
    while(start LESS length)
      string(SUBSTRING "${content}" ${start} ${step} piece)
      string(APPEND literals " ${before}${piece}${after}")
      math(EXPR start "${start} + ${step}")
    endwhile()
    # With its size: bytes may be zero.
    string(APPEND entries "      {\"${name}\", ${literals}sv},\n")
  endforeach()
  set(${result} "${entries}" PARENT_SCOPE)
endfunction()
set(functions "")
foreach(list templates assets licenses scripts catalogs)
  string(TOUPPER ${list} variable)
  if(NOT DEFINED ${variable})
    continue()
  endif()
  set(kind TEXT)
  if(list STREQUAL catalogs)
    set(kind BYTES)
  endif()
  entries_of(entries ${kind} ${${variable}})
  # Quoted throughout: an unquoted value would lose its semicolons.
  string(APPEND functions "
std::span<const EmbeddedFile> embedded_${list}() {
  static constexpr EmbeddedFile kFiles[] = {
${entries}  };
  return kFiles;
}
")
endforeach()
file(WRITE "${OUTPUT}.new" "// Made by embed_files.cmake.
#include \"handlers/pages/site.hpp\"

namespace goldsmith::handlers::pages {

using std::literals::operator\"\"sv;
${functions}
}  // namespace goldsmith::handlers::pages
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")

# cmake -DOUTPUT=file.cpp -DFOLDER=migrations -P embed_migrations.cmake
# Writes the SQL files, in the order of their numbers, as a C++ source: the programs carry their
# schema with them and need no path to it.
file(GLOB files "${FOLDER}/*.sql")
list(SORT files)
set(entries "")
set(expected 1)
foreach(file IN LISTS files)
  get_filename_component(stem "${file}" NAME_WE)
  if(NOT stem MATCHES "^([0-9][0-9][0-9][0-9])_([a-z0-9_]+)$")
    message(FATAL_ERROR "${file}: a migration is named NNNN_name.sql")
  endif()
  set(name "${CMAKE_MATCH_2}")
  string(REGEX REPLACE "^0+" "" number "${CMAKE_MATCH_1}")
  if(NOT number EQUAL expected)
    message(FATAL_ERROR "${file}: number ${expected} was expected here")
  endif()
  math(EXPR expected "${expected} + 1")
  file(READ "${file}" sql)
  string(APPEND entries "      {${number}, \"${name}\", R\"sql(${sql})sql\"},\n")
endforeach()
# Quoted throughout: an unquoted value would lose its semicolons.
file(WRITE "${OUTPUT}.new" "// Made by embed_migrations.cmake.
#include \"db/migrations.hpp\"

namespace goldsmith::db {

const std::vector<Migration>& known_migrations() {
  static const std::vector<Migration> migrations = {
${entries}  };
  return migrations;
}

}  // namespace goldsmith::db
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")

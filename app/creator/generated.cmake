# The names of the game's own files, as a source.
set(base_game_list ${CMAKE_CURRENT_LIST_DIR}/base_game_files.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${base_game_list})
file(STRINGS ${base_game_list} base_game_names REGEX "^[^#]")
list(JOIN base_game_names "\",\n      \"" base_game_names)
set(base_game_files ${PROJECT_BINARY_DIR}/base_game_files.cpp)
file(CONFIGURE OUTPUT ${base_game_files} @ONLY CONTENT
"#include \"app/creator/plan.hpp\"

namespace goldsmith::creator {

std::span<const std::string_view> base_game_files() {
  static constexpr std::string_view kNames[] = {
      \"@base_game_names@\"};
  return kNames;
}

}  // namespace goldsmith::creator
")

# The words that readers of sources know, as a source.
set(word_list ${CMAKE_CURRENT_LIST_DIR}/words.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${word_list})
file(READ ${word_list} known_words)
set(pawn_words ${PROJECT_BINARY_DIR}/pawn_words.cpp)
file(CONFIGURE OUTPUT ${pawn_words} @ONLY CONTENT
"#include \"app/pawn/words.hpp\"

namespace goldsmith::pawn {

std::string_view known_words() {
  return R\"words(@known_words@)words\";
}

}  // namespace goldsmith::pawn
")

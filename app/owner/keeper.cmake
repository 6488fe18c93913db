# goldsmith-keeper, the program for owners of game servers, which their machines fetch and run: it needs nothing of them,
# and is the same bytes whenever it is built of the same sources with the same packages.
set(keeper ${PROJECT_BINARY_DIR}/bin/goldsmith-keeper)
set(known_causes ${PROJECT_BINARY_DIR}/owner/known_causes.cpp)
set(known_patterns ${PROJECT_BINARY_DIR}/owner/known_patterns.cpp)
set(owner_texts ${PROJECT_BINARY_DIR}/owner/texts.cpp)
set(log_causes ${PROJECT_SOURCE_DIR}/handlers/documents/explain/log-causes.json)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/owner)
file(GLOB owner_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
file(GLOB po_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/handlers/po/*.po ${PROJECT_SOURCE_DIR}/handlers/po/LINGUAS)
add_custom_command(
  OUTPUT ${known_causes}
  COMMAND python3 -B ${PROJECT_SOURCE_DIR}/scripts/tools/log-causes ${log_causes} > ${known_causes}
  DEPENDS ${log_causes} ${PROJECT_SOURCE_DIR}/scripts/tools/log-causes
  VERBATIM)
# The same without the texts, for a page that has them.
add_custom_command(
  OUTPUT ${known_patterns}
  COMMAND python3 -B ${PROJECT_SOURCE_DIR}/scripts/tools/log-causes --patterns ${log_causes} > ${known_patterns}
  DEPENDS ${log_causes} ${PROJECT_SOURCE_DIR}/scripts/tools/log-causes
  VERBATIM)
add_custom_command(
  OUTPUT ${owner_texts}
  COMMAND python3 -B ${PROJECT_SOURCE_DIR}/scripts/tools/translations --program-texts > ${owner_texts}
  DEPENDS ${owner_sources} ${PROJECT_SOURCE_DIR}/app/creator/requirements.cpp ${PROJECT_SOURCE_DIR}/app/creator/selection.cpp
          ${PROJECT_SOURCE_DIR}/app/creator/selection_request.cpp ${PROJECT_SOURCE_DIR}/app/creator/selection_rules.cpp
          ${PROJECT_SOURCE_DIR}/app/domain/version.cpp ${po_files}
          ${log_causes} ${PROJECT_SOURCE_DIR}/scripts/tools/translations
  VERBATIM)

# Compiled by itself: the layers need libraries that are not there as archives.
set(keeper_sources archive/io.cpp archive/zip.cpp archive/zip_format.cpp base/file.cpp base/glob.cpp base/json.cpp
    base/json_parse.cpp base/message.cpp base/text.cpp base/unicode.cpp creator/requirements.cpp creator/selection.cpp
    creator/selection_link.cpp creator/selection_request.cpp creator/selection_rules.cpp creator/settings_text.cpp
    domain/component.cpp domain/console_list.cpp domain/failure.cpp domain/names.cpp domain/plugin.cpp
    domain/secret_names.cpp domain/version.cpp domain/version_order.cpp
    pawn/amxx_file.cpp pawn/compiled_plugin.cpp pawn/shared_object.cpp)
list(TRANSFORM keeper_sources PREPEND ${PROJECT_SOURCE_DIR}/app/)
add_executable(goldsmith-keeper ${PROJECT_SOURCE_DIR}/app/main_keeper.cpp)
set_target_properties(goldsmith-keeper PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
target_include_directories(goldsmith-keeper PRIVATE ${PROJECT_SOURCE_DIR})
target_compile_definitions(goldsmith-keeper PRIVATE GOLDSMITH_VERSION="${PROJECT_VERSION}")
if(GOLDSMITH_SANITIZE)
  # Sanitizers want the libraries of the system: it has the layers.
  target_link_libraries(goldsmith-keeper PRIVATE goldsmith_owner)
else()
  target_sources(goldsmith-keeper PRIVATE ${owner_sources} ${known_causes} ${owner_texts} ${keeper_sources})
  target_compile_definitions(goldsmith-keeper PRIVATE FMT_HEADER_ONLY)
  target_compile_options(goldsmith-keeper PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O2> -g0 -ffunction-sections -fdata-sections
                         -ffile-prefix-map=${PROJECT_SOURCE_DIR}=. -ffile-prefix-map=${PROJECT_BINARY_DIR}=.)
  # The map tells the bill of materials of the package what of which library is inside.
  target_link_options(goldsmith-keeper PRIVATE -static -s -Wl,--gc-sections -Wl,--build-id=none -Wl,-Map=${keeper}.map)
  target_link_libraries(goldsmith-keeper PRIVATE Boost::headers RapidJSON::RapidJSON sodium utf8proc z)
endif()

# What a script that fetches it compares it with.
set(keeper_digest ${PROJECT_BINARY_DIR}/owner/digest.cpp)
add_custom_command(
  OUTPUT ${keeper_digest}
  COMMAND ${CMAKE_COMMAND} -DPROGRAM=${keeper} -DOUTPUT=${keeper_digest} -P ${CMAKE_CURRENT_LIST_DIR}/digest.cmake
  DEPENDS goldsmith-keeper ${CMAKE_CURRENT_LIST_DIR}/digest.cmake
  VERBATIM)

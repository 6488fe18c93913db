# The web pages are part of the program.
set(embedded_files ${PROJECT_BINARY_DIR}/handlers/embedded_files.cpp)
set(embed_files_script ${CMAKE_CURRENT_LIST_DIR}/pages/embed_files.py)
file(GLOB templates CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/pages/templates/*)
file(GLOB assets CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/pages/assets/*.css
     ${CMAKE_CURRENT_LIST_DIR}/pages/assets/*.js ${CMAKE_CURRENT_LIST_DIR}/pages/assets/*.svg
     ${CMAKE_CURRENT_LIST_DIR}/pages/examples/*)
# Texts of licenses: Debian has the long ones (base-files).
file(GLOB licenses CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/pages/licenses/*)
foreach(name Apache-2.0 CC0-1.0 GFDL-1.2 GFDL-1.3 GPL-1 GPL-2 GPL-3 LGPL-2 LGPL-2.1 LGPL-3 MPL-1.1 MPL-2.0)
  list(APPEND licenses /usr/share/common-licenses/${name})
endforeach()
# goldsmith_script(NAME PART…): one script, whose parts are in the order in which they are run.
set(scripts "")
function(goldsmith_script name)
  set(parts ${ARGN})
  list(TRANSFORM parts PREPEND ${PROJECT_SOURCE_DIR}/handlers/documents/)
  list(TRANSFORM parts APPEND .sh)
  set(script ${PROJECT_BINARY_DIR}/handlers/${name})
  add_custom_command(
    OUTPUT ${script}
    COMMAND ${CMAKE_COMMAND} -E cat ${parts} > ${script}
    DEPENDS ${parts}
    VERBATIM)
  set(scripts ${scripts} ${script} PARENT_SCOPE)
endfunction()
goldsmith_script(keeper.sh keeper/head messages keeper/main)
goldsmith_script(install.sh recipes/install/head messages owner recipes/selection recipes/install/main)
goldsmith_script(start.sh recipes/start/head messages recipes/selection recipes/start/main)
list(APPEND scripts ${CMAKE_CURRENT_LIST_DIR}/documents/explain/log-causes.json)
foreach(name recipes/Dockerfile recipes/compose.yaml)
  list(APPEND scripts ${CMAKE_CURRENT_LIST_DIR}/documents/${name})
endforeach()
# The texts of scripts, which pages translate for them.
set(script_texts ${PROJECT_BINARY_DIR}/handlers/script-texts.json)
set(page_scripts ${assets} ${scripts})
list(FILTER page_scripts INCLUDE REGEX "\\.(js|sh)$")
set(translations ${PROJECT_SOURCE_DIR}/scripts/tools/translations)
add_custom_command(
  OUTPUT ${script_texts}
  COMMAND python3 -B ${translations} --script-texts ${page_scripts} > ${script_texts}
  DEPENDS ${page_scripts} ${translations} ${owner_sources}
  VERBATIM)
list(APPEND scripts ${script_texts})
set(reference ${PROJECT_BINARY_DIR}/handlers/docs.html)
set(reference_from ${PROJECT_SOURCE_DIR}/nginx/site/openapi.json ${CMAKE_CURRENT_LIST_DIR}/API.md
    ${CMAKE_CURRENT_LIST_DIR}/pages/docs.html.in)
add_custom_command(
  OUTPUT ${reference}
  COMMAND python3 -B ${PROJECT_SOURCE_DIR}/scripts/tools/api-reference ${reference_from} > ${reference}
  DEPENDS ${reference_from} ${PROJECT_SOURCE_DIR}/scripts/tools/api-reference
  VERBATIM)
list(APPEND templates ${reference})
list(APPEND assets ${page_modules} ${CMAKE_CURRENT_LIST_DIR}/pages/api.d.ts ${PROJECT_SOURCE_DIR}/systemd/SECURITY.md)
add_custom_command(
  OUTPUT ${embedded_files}
  COMMAND python3 -B ${embed_files_script} ${embedded_files} --templates ${templates} --assets ${assets} --licenses ${licenses}
          --scripts ${scripts}
  DEPENDS ${templates} ${assets} ${licenses} ${scripts} ${embed_files_script}
  VERBATIM)

# The languages of the pages. A text that is not translated is shown in English.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/po/LINGUAS languages)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/po/LINGUAS)
list(TRANSFORM languages REPLACE "_" "-" OUTPUT_VARIABLE language_tags)
list(TRANSFORM language_tags REPLACE "@latin" "-Latn")
list(JOIN language_tags ", " language_tags)
# goldsmith_catalogs(OUTPUT PO…): compiled catalogs as a C++ source, which is large and compiled alone, when one of them changes.
function(goldsmith_catalogs output)
  get_filename_component(folder ${output} DIRECTORY)
  file(MAKE_DIRECTORY ${folder}/po)
  set(compiled "")
  foreach(po IN LISTS ARGN)
    get_filename_component(language ${po} NAME_WLE)
    set(mo ${folder}/po/${language}.mo)
    add_custom_command(OUTPUT ${mo} COMMAND ${MSGFMT} --check-format --check-domain --output-file=${mo} ${po} DEPENDS ${po} VERBATIM)
    list(APPEND compiled ${mo})
  endforeach()
  add_custom_command(
    OUTPUT ${output}
    COMMAND python3 -B ${embed_files_script} ${output} --catalogs ${compiled}
    DEPENDS ${compiled} ${embed_files_script}
    VERBATIM)
  set_source_files_properties(${output} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
set(catalogs ${PROJECT_BINARY_DIR}/handlers/catalogs.cpp)
list(TRANSFORM languages PREPEND ${CMAKE_CURRENT_LIST_DIR}/po/ OUTPUT_VARIABLE catalog_files)
list(TRANSFORM catalog_files APPEND .po)
goldsmith_catalogs(${catalogs} ${catalog_files})

# The modules of pages: the same sources as goldsmith-keeper's as WebAssembly, for the browser. Debian's clang makes them in
# every build, whatever compiles the rest.
find_program(WASM_COMPILER clang++-19 REQUIRED)
# Headers of libraries that are nothing but headers, and of formats: those of the system beside them are for another machine.
set(wasm_headers ${PROJECT_BINARY_DIR}/owner/wasm/include)
file(MAKE_DIRECTORY ${wasm_headers}/bits)
foreach(header boost fmt rapidjson elf.h utf8proc.h zlib.h zconf.h)
  find_path(wasm_header_${header} ${header} REQUIRED NO_CACHE)
  file(CREATE_LINK ${wasm_header_${header}}/${header} ${wasm_headers}/${header} SYMBOLIC)
endforeach()
# Before glibc 2.41 a part of elf.h is a file of its own.
find_path(wasm_auxv_header bits/auxv.h NO_CACHE)
if(wasm_auxv_header)
  file(CREATE_LINK ${wasm_auxv_header}/bits/auxv.h ${wasm_headers}/bits/auxv.h SYMBOLIC)
endif()
# Of libfmt they need no numbers with fractions and no locale, which are most of it.
set(wasm_flags --target=wasm32-wasi -std=c++20 -Oz -fno-rtti -fignore-exceptions -fno-threadsafe-statics -ffunction-sections
    -fdata-sections -Wall -Wextra -DNDEBUG -DFMT_HEADER_ONLY -DFMT_STATIC_THOUSANDS_SEPARATOR=','
    -DFMT_USE_FLOAT=0 -DFMT_USE_DOUBLE=0 -DFMT_USE_LONG_DOUBLE=0 -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.
    -isystem owner/wasm/include -I ${PROJECT_SOURCE_DIR})

# goldsmith_page_module(NAME SOURCE…): NAME.wasm. What it does not use of the sources is left out. They are compiled in groups,
# which takes a third of the time. Paths are relative to the build folder: what one preset compiled, ccache has for another.
function(goldsmith_page_module name)
  set(objects "")
  set(rest ${ARGN})
  list(TRANSFORM rest PREPEND ${PROJECT_SOURCE_DIR}/app/ REGEX "^[^/]")
  while(rest)
    list(SUBLIST rest 0 ${CMAKE_UNITY_BUILD_BATCH_SIZE} sources)
    list(REMOVE_ITEM rest ${sources})
    list(LENGTH objects number)
    set(group owner/wasm/${name}_${number})
    list(TRANSFORM sources REPLACE "(.+)" "#include \"\\1\"\n" OUTPUT_VARIABLE includes)
    string(JOIN "" includes ${includes})
    string(REPLACE ${PROJECT_BINARY_DIR}/owner/ ../ includes ${includes})
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${group}.cpp CONTENT "${includes}" @ONLY)
    add_custom_command(
      OUTPUT ${PROJECT_BINARY_DIR}/${group}.o
      COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${WASM_COMPILER} ${wasm_flags} -MD -MF ${group}.d -c ${group}.cpp -o ${group}.o
      DEPENDS ${PROJECT_BINARY_DIR}/${group}.cpp ${sources} ${WASM_COMPILER}
      WORKING_DIRECTORY ${PROJECT_BINARY_DIR}
      DEPFILE ${PROJECT_BINARY_DIR}/${group}.d
      VERBATIM)
    list(APPEND objects ${PROJECT_BINARY_DIR}/${group}.o)
  endwhile()
  set(module ${PROJECT_BINARY_DIR}/owner/wasm/${name}.wasm)
  add_custom_command(
    OUTPUT ${module}
    COMMAND ${WASM_COMPILER} --target=wasm32-wasi -Oz -mexec-model=reactor -Wl,--gc-sections -Wl,--strip-all
            -Wl,--max-memory=1073741824 -Wl,-Map=${module}.map ${objects} -o ${module}
    DEPENDS ${objects}
    VERBATIM)
  set(page_modules ${page_modules} ${module} PARENT_SCOPE)
endfunction()
set(page_modules "")
goldsmith_page_module(log main_log_page.cpp page_module.cpp owner/cause_list.cpp owner/crash.cpp owner/error_trace.cpp
                      owner/explanation.cpp owner/known_names.cpp owner/patterns.cpp base/json.cpp base/message.cpp base/text.cpp
                      base/unicode.cpp ${known_patterns})
# What opens files and prints is left out of the core.
set(core_sources ${owner_sources} ${keeper_sources})
list(FILTER core_sources EXCLUDE REGEX
     "/owner/([a-z_]+_command|archive_download|as_owner|commands|commit|fetching|folder|installation|obstacles|players)\\.cpp$")
list(FILTER core_sources EXCLUDE REGEX
     "/owner/(program|rollback|server_files|server_folder|secrets|service|texts|update|update_as_owner|update_plan|update_report)\\.cpp$")
list(FILTER core_sources EXCLUDE REGEX "/(owner/(build_facts|identity|metamod_list|sha256|state)|archive/[a-z_]+|base/file)\\.cpp$")
list(TRANSFORM core_sources REPLACE "^${PROJECT_SOURCE_DIR}/app/" "")
goldsmith_page_module(server main_server_page.cpp page_module.cpp ${core_sources} ${known_causes})
# They wait for nothing of the rest of the build.
add_custom_target(page_modules DEPENDS ${page_modules})

# The identifiers of SPDX, from Debian's packages.
set(license_list ${PROJECT_BINARY_DIR}/license_list.cpp)
find_file(SPDX_LICENSE_IDS spdx-license-ids/index.json PATHS /usr/share/nodejs REQUIRED)
find_file(SPDX_DEPRECATED_IDS spdx-license-ids/deprecated.json PATHS /usr/share/nodejs REQUIRED)
find_file(SPDX_EXCEPTION_IDS spdx-exceptions/index.json PATHS /usr/share/nodejs REQUIRED)
add_custom_command(
  OUTPUT ${license_list}
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${license_list} -DCURRENT=${SPDX_LICENSE_IDS} -DDEPRECATED=${SPDX_DEPRECATED_IDS}
          -DEXCEPTIONS=${SPDX_EXCEPTION_IDS} -P ${CMAKE_CURRENT_LIST_DIR}/embed_licenses.cmake
  DEPENDS ${SPDX_LICENSE_IDS} ${SPDX_DEPRECATED_IDS} ${SPDX_EXCEPTION_IDS} ${CMAKE_CURRENT_LIST_DIR}/embed_licenses.cmake
  VERBATIM)

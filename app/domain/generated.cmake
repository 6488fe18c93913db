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

# Texts of licenses: Debian has long ones (base-files), and others as templates (libsoftware-license-perl).
set(license_texts ${PROJECT_BINARY_DIR}/license_texts.cpp)
set(known_texts "")
set(known_files "")
function(goldsmith_license_texts folder ending)
  foreach(pair ${ARGN})
    string(REPLACE "=" ";" pair ${pair})
    list(GET pair 0 id)
    list(GET pair 1 name)
    set(file ${folder}/${name}${ending})
    if(NOT EXISTS ${file})
      message(FATAL_ERROR "${file} is missing: install what scripts/lib/packages.sh lists")
    endif()
    list(APPEND known_texts ${id}=${file})
    list(APPEND known_files ${file})
  endforeach()
  set(known_texts ${known_texts} PARENT_SCOPE)
  set(known_files ${known_files} PARENT_SCOPE)
endfunction()
goldsmith_license_texts(/usr/share/common-licenses ""
  Apache-2.0=Apache-2.0 Artistic-1.0-Perl=Artistic BSD-3-Clause=BSD CC0-1.0=CC0-1.0 GFDL-1.2-only=GFDL-1.2
  GFDL-1.3-only=GFDL-1.3 GPL-1.0-only=GPL-1 GPL-2.0-only=GPL-2 GPL-3.0-only=GPL-3 LGPL-2.0-only=LGPL-2
  LGPL-2.1-only=LGPL-2.1 LGPL-3.0-only=LGPL-3 MPL-1.1=MPL-1.1 MPL-2.0=MPL-2.0)
goldsmith_license_texts(/usr/share/perl5/Software/License .pm
  AGPL-3.0-only=AGPL_3 Apache-1.1=Apache_1_1 Artistic-2.0=Artistic_2_0 BSD-2-Clause=FreeBSD BSD-3-Clause=BSD EUPL-1.1=EUPL_1_1
  EUPL-1.2=EUPL_1_2 ISC=ISC MIT=MIT MPL-1.0=Mozilla_1_0 PostgreSQL=PostgreSQL QPL-1.0=QPL_1_0 Zlib=Zlib)
goldsmith_license_texts(${PROJECT_SOURCE_DIR}/handlers/pages/licenses "" Unlicense=Unlicense)
add_custom_command(
  OUTPUT ${license_texts}
  COMMAND python3 -B ${CMAKE_CURRENT_LIST_DIR}/embed_license_texts.py ${license_texts} ${known_texts}
  DEPENDS ${known_files} ${CMAKE_CURRENT_LIST_DIR}/embed_license_texts.py
  VERBATIM)

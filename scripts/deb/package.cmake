# Installation, and the Debian package: `cpack -G DEB`, or scripts/package. The paths are Debian's, as in
# the units, sysusers and the nginx site.
set(deb ${PROJECT_SOURCE_DIR}/scripts/deb)
set(tools ${PROJECT_SOURCE_DIR}/scripts/tools)
set(made ${PROJECT_BINARY_DIR}/package)

# The site for production. Its names and certificates are in goldsmith/local.conf.
set(LISTEN_HTTP "    listen 80;\n    listen [::]:80;")
# listen_https(VARIABLE ADDRESS…): for the nginx of the release that the package is built on.
function(listen_https variable)
  execute_process(COMMAND bash -c "root=$0; . \"$0/scripts/lib/nginx.sh\"; listen_https \"$@\"" ${PROJECT_SOURCE_DIR} ${ARGN}
                  OUTPUT_VARIABLE text OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()
listen_https(LISTEN_HTTPS 443 [::]:443)
# In the examples, which are written for every version.
listen_https(listen_example 443)
set(LISTEN_STATUS "    listen 127.0.0.1:9189;")
set(SITE_URL "https://$server_name")
set(ACCESS_LOG /var/log/nginx/goldsmith-access.log)
set(API_SOCKET /run/goldsmith/api.sock)
set(BUILD_SOCKET /run/goldsmith/build.sock)
set(ARCHIVES /var/cache/goldsmith/archives)
set(DEPOT /var/lib/goldsmith/depot)
set(SITE_ROOT /usr/share/goldsmith/site)
set(ACME /var/lib/goldsmith/acme)
set(KEEPER /usr/lib/goldsmith/goldsmith-keeper)
configure_file(${PROJECT_SOURCE_DIR}/nginx/goldsmith.conf.in ${made}/site.conf.relative @ONLY)

# goldsmith_nginx_file(SOURCE NAME): one of the package's files for nginx. They are in /usr/share/goldsmith/nginx, not
# conffiles: no upgrade asks about them. What they include of the host stays in /etc/nginx/goldsmith.
file(GLOB snippets CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/nginx/snippets/*.conf)
function(goldsmith_nginx_file source name)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(READ ${source} text)
  string(REPLACE "    listen 443 ssl http2;" "${listen_example}" text "${text}")
  foreach(snippet ${snippets})
    get_filename_component(included ${snippet} NAME)
    string(REPLACE "include goldsmith/${included};" "include /usr/share/goldsmith/nginx/${included};" text "${text}")
  endforeach()
  file(WRITE ${made}/nginx/${name} "${text}")
endfunction()
file(REMOVE_RECURSE ${made}/nginx)
goldsmith_nginx_file(${made}/site.conf.relative site.conf)
foreach(snippet ${snippets})
  get_filename_component(name ${snippet} NAME)
  goldsmith_nginx_file(${snippet} ${name})
endforeach()
goldsmith_nginx_file(${PROJECT_SOURCE_DIR}/nginx/front.conf.example ../front.conf)
goldsmith_nginx_file(${PROJECT_SOURCE_DIR}/nginx/archives.conf.example ../archives.conf)
goldsmith_nginx_file(${PROJECT_SOURCE_DIR}/nginx/fastdl.conf.example ../fastdl.conf)

# The package refuses a database whose tables are newer.
file(GLOB migrations CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/db/migrations/*.sql)
list(SORT migrations)
list(GET migrations -1 newest)
string(REGEX REPLACE "^.*/0*([0-9]+)_[^/]*$" "\\1" NEWEST_MIGRATION ${newest})
configure_file(${deb}/preinst ${made}/preinst @ONLY)

set(CPACK_PACKAGE_CONTACT "The goldsmith authors <maintainers@goldsmith.example>")

# Manuals and changelogs are compressed, without a time stamp.
function(goldsmith_packed source name)
  add_custom_command(OUTPUT ${made}/${name}.gz
    COMMAND mkdir -p ${made} && gzip -9nc ${source} > ${made}/${name}.gz
    DEPENDS ${source} VERBATIM)
  set_property(GLOBAL APPEND PROPERTY goldsmith_packed ${made}/${name}.gz)
endfunction()
add_custom_command(OUTPUT ${made}/goldsmith.conf ${made}/goldsmith.conf.5
  COMMAND mkdir -p ${made}
  COMMAND goldsmith-worker --default-config > ${made}/goldsmith.conf
  COMMAND ${tools}/config-manual < ${made}/goldsmith.conf > ${made}/goldsmith.conf.5
  DEPENDS goldsmith-worker ${tools}/config-manual VERBATIM)
add_custom_command(OUTPUT ${made}/goldsmith.1 ${made}/completion.bash
  COMMAND mkdir -p ${made}
  COMMAND goldsmith-reference man ${PROJECT_SOURCE_DIR}/app/cli/goldsmith.1.in > ${made}/goldsmith.1
  COMMAND goldsmith-reference completion ${deb}/completion.bash > ${made}/completion.bash
  DEPENDS goldsmith-reference ${PROJECT_SOURCE_DIR}/app/cli/goldsmith.1.in ${deb}/completion.bash
  VERBATIM)
goldsmith_packed(${made}/goldsmith.1 goldsmith.1)
goldsmith_packed(${PROJECT_SOURCE_DIR}/app/worker/goldsmith-worker.8 goldsmith-worker.8)
goldsmith_packed(${deb}/goldsmith-workers.8 goldsmith-workers.8)
goldsmith_packed(${deb}/goldsmith-install-toolchain.8 goldsmith-install-toolchain.8)
goldsmith_packed(${deb}/goldsmith-api.7 goldsmith-api.7)
goldsmith_packed(${made}/goldsmith.conf.5 goldsmith.conf.5)
get_property(packed GLOBAL PROPERTY goldsmith_packed)
add_custom_target(package_files ALL DEPENDS ${made}/goldsmith.conf ${made}/completion.bash ${packed})

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME goldsmith)
install(TARGETS goldsmith RUNTIME DESTINATION usr/bin)
install(TARGETS goldsmith-worker RUNTIME DESTINATION usr/sbin)
install(TARGETS goldsmith-unpack RUNTIME DESTINATION usr/lib/goldsmith)
# As it is: its digest is known to the workers.
install(PROGRAMS ${PROJECT_BINARY_DIR}/bin/goldsmith-keeper DESTINATION usr/lib/goldsmith)
if(GOLDSMITH_MAKES_32_BIT_LIBRARIES)
  install(FILES ${PROJECT_BINARY_DIR}/bin/libsteam_api.so DESTINATION usr/lib/goldsmith)
endif()
install(PROGRAMS ${deb}/goldsmith-workers DESTINATION usr/sbin)
install(PROGRAMS ${deb}/setup DESTINATION usr/lib/goldsmith)
install(FILES ${PROJECT_SOURCE_DIR}/scripts/lib/accounts.sh ${PROJECT_SOURCE_DIR}/scripts/lib/certificate.sh
              ${PROJECT_SOURCE_DIR}/scripts/lib/database-host.sh ${PROJECT_SOURCE_DIR}/scripts/lib/paths.sh
              ${PROJECT_SOURCE_DIR}/scripts/lib/real-ip.sh
              ${PROJECT_SOURCE_DIR}/scripts/lib/replace-file.sh
        DESTINATION usr/lib/goldsmith)
install(PROGRAMS ${PROJECT_SOURCE_DIR}/scripts/install-toolchain DESTINATION usr/sbin
        RENAME goldsmith-install-toolchain)
file(GLOB units ${PROJECT_SOURCE_DIR}/systemd/*.service ${PROJECT_SOURCE_DIR}/systemd/*.socket
     ${PROJECT_SOURCE_DIR}/systemd/*.timer ${PROJECT_SOURCE_DIR}/systemd/*.path ${PROJECT_SOURCE_DIR}/systemd/*.target
     ${PROJECT_SOURCE_DIR}/systemd/*.slice)
install(FILES ${units} DESTINATION usr/lib/systemd/system)
install(FILES ${PROJECT_SOURCE_DIR}/systemd/goldsmith-build@check.conf
        DESTINATION usr/lib/systemd/system/goldsmith-build@check.service.d RENAME check.conf)
foreach(pool api build)
  install(FILES ${PROJECT_SOURCE_DIR}/systemd/goldsmith-pool@access.conf
          DESTINATION usr/lib/systemd/system/goldsmith-${pool}@access.service.d RENAME access.conf)
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/systemd/goldsmith.sysusers DESTINATION usr/lib/sysusers.d
        RENAME goldsmith.conf)
install(FILES ${PROJECT_SOURCE_DIR}/systemd/goldsmith.tmpfiles DESTINATION usr/lib/tmpfiles.d
        RENAME goldsmith.conf)
install(FILES ${deb}/goldsmith.conf DESTINATION etc/goldsmith)
install(FILES ${made}/goldsmith.conf DESTINATION usr/share/doc/goldsmith/examples)
install(DIRECTORY DESTINATION etc/goldsmith/conf.d)
install(DIRECTORY DESTINATION etc/goldsmith/keys)
install(FILES ${deb}/logrotate DESTINATION etc/logrotate.d RENAME goldsmith)
install(FILES ${deb}/nginx-site DESTINATION etc/nginx/sites-available RENAME goldsmith)
install(DIRECTORY ${made}/nginx DESTINATION usr/share/goldsmith)
install(DIRECTORY DESTINATION etc/nginx/goldsmith)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/nginx/site DESTINATION usr/share/goldsmith)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/db/grants DESTINATION usr/share/goldsmith)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/db/catalog DESTINATION usr/share/goldsmith)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/systemd/monitoring DESTINATION usr/share/goldsmith)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/systemd/ansible DESTINATION usr/share/doc/goldsmith/examples)
install(FILES ${made}/completion.bash DESTINATION usr/share/bash-completion/completions
        RENAME goldsmith)
install(FILES ${made}/goldsmith.1.gz DESTINATION usr/share/man/man1)
install(FILES ${made}/goldsmith.conf.5.gz DESTINATION usr/share/man/man5)
install(FILES ${made}/goldsmith-api.7.gz DESTINATION usr/share/man/man7)
install(FILES ${made}/goldsmith-worker.8.gz ${made}/goldsmith-workers.8.gz ${made}/goldsmith-install-toolchain.8.gz
        DESTINATION usr/share/man/man8)
install(FILES ${made}/front.conf ${made}/archives.conf ${made}/fastdl.conf DESTINATION usr/share/doc/goldsmith/examples)
install(FILES ${PROJECT_SOURCE_DIR}/nginx/haproxy.cfg.example
        DESTINATION usr/share/doc/goldsmith/examples RENAME haproxy.cfg)
install(FILES ${PROJECT_SOURCE_DIR}/nginx/connections.nft.example
        DESTINATION usr/share/doc/goldsmith/examples RENAME connections.nft)
install(FILES ${PROJECT_SOURCE_DIR}/systemd/apparmor.example
        DESTINATION usr/share/doc/goldsmith/examples RENAME apparmor)
install(FILES ${deb}/copyright README.md CHANGELOG.md systemd/OPERATING.md systemd/CLUSTERS.md systemd/SCALING.md
              systemd/SECURITY.md handlers/API.md handlers/CONTRACT.md
        DESTINATION usr/share/doc/goldsmith)
# What has the version of this very package, and its time: scripts/package says both. The changes are in CHANGELOG.md.
install(CODE "
  set(version \"\$ENV{GOLDSMITH_PACKAGE_VERSION}\")
  if(NOT version)
    set(version ${PROJECT_VERSION})
  endif()
  string(TIMESTAMP time \"%a, %d %b %Y %H:%M:%S +0000\" UTC)
  file(WRITE ${made}/changelog
       \"goldsmith (\${version}) stable; urgency=medium\\n\\n  * See CHANGELOG.md.\\n\\n -- ${CPACK_PACKAGE_CONTACT}  \${time}\\n\")
  execute_process(COMMAND gzip -9nc ${made}/changelog OUTPUT_FILE ${made}/changelog.gz COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND python3 -B ${tools}/bill-of-materials ${PROJECT_BINARY_DIR} \${version} ${deb}/copyright
                  OUTPUT_FILE ${made}/sbom.cdx.json COMMAND_ERROR_IS_FATAL ANY)
  file(INSTALL ${made}/changelog.gz ${made}/sbom.cdx.json DESTINATION \"\${CMAKE_INSTALL_PREFIX}/usr/share/doc/goldsmith\")
")
install(FILES ${deb}/lintian-overrides DESTINATION usr/share/lintian/overrides RENAME goldsmith)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /)
set(CPACK_SET_DESTDIR OFF)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_NAME goldsmith)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR})
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};goldsmith;goldsmith;/")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "plugin directory and server creator for Counter-Strike 1.6")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "A public, read-only HTTP API for people who run GoldSrc game
servers: AMX Mod X plugins compiled at each download, addon packs, and
whole game servers as one archive. FastCGI workers behind nginx, with
MariaDB or MySQL and systemd.")
set(CPACK_DEBIAN_PACKAGE_SECTION httpd)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "bubblewrap, ca-certificates, gpgv, systemd (>= 252)")
# The database may be on another host.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "nginx (>= 1.22), default-mysql-client | virtual-mysql-client, libc6-i386, lib32stdc++6, curl, openssl, logrotate (>= 3.21)")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "default-mysql-server | virtual-mysql-server")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
    "${made}/preinst;${deb}/postinst;${deb}/prerm;${deb}/postrm;${deb}/conffiles")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)

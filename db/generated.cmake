set(known_migrations ${PROJECT_BINARY_DIR}/known_migrations.cpp)
file(GLOB migration_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/migrations/*.sql)
add_custom_command(
  OUTPUT ${known_migrations}
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${known_migrations}
          -DFOLDER=${CMAKE_CURRENT_LIST_DIR}/migrations
          -P ${CMAKE_CURRENT_LIST_DIR}/embed_migrations.cmake
  DEPENDS ${migration_files} ${CMAKE_CURRENT_LIST_DIR}/embed_migrations.cmake
  VERBATIM)

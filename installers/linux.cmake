# Desktop integration, man pages and what Debian policy asks of /usr/share/doc.
set(generated ${CMAKE_CURRENT_BINARY_DIR}/share)
find_program(RIDGEPOINT_GZIP gzip)

# Compressed without name or time, so that two builds of one commit give one package.
function(install_compressed file destination)
  get_filename_component(name ${file} NAME)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  if(RIDGEPOINT_GZIP)
    file(MAKE_DIRECTORY ${generated})
    execute_process(COMMAND ${RIDGEPOINT_GZIP} -9nc ${file} OUTPUT_FILE ${generated}/${name}.gz COMMAND_ERROR_IS_FATAL ANY)
    install(FILES ${generated}/${name}.gz DESTINATION ${destination})
  else()
    install(FILES ${file} DESTINATION ${destination})
  endif()
endfunction()

# debian/changelog's format, from the newest heading of CHANGELOG.md: "## 0.1.0 - 2026-11-30".
function(write_debian_changelog)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/CHANGELOG.md)
  file(STRINGS ${CMAKE_SOURCE_DIR}/CHANGELOG.md headings REGEX "^## [0-9]")
  list(GET headings 0 heading)
  if(NOT heading MATCHES "^## ([0-9.]+) - ([0-9]+-[0-9]+-[0-9]+)$")
    message(FATAL_ERROR "CHANGELOG.md: the newest heading should read \"## VERSION - YYYY-MM-DD\", found \"${heading}\"")
  endif()
  if(NOT CMAKE_MATCH_1 VERSION_EQUAL PROJECT_VERSION)
    message(FATAL_ERROR "CHANGELOG.md begins with ${CMAKE_MATCH_1}, but the project is at ${PROJECT_VERSION}")
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C date -u -d ${CMAKE_MATCH_2} -R
    OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  file(WRITE ${generated}/changelog "ridgepoint (${PROJECT_VERSION}) stable; urgency=medium\n\n"
    "  * See CHANGELOG.md of the sources for what is new.\n\n -- ${RIDGEPOINT_CONTACT}  ${date}\n")
endfunction()

if(TARGET ridgepoint)
  install(FILES ${linux}/${RIDGEPOINT_APP_ID}.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
  install(FILES ${linux}/${RIDGEPOINT_APP_ID}.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo)
  install(FILES ${linux}/${RIDGEPOINT_APP_ID}.mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages
    RENAME ${RIDGEPOINT_APP_ID}.xml)
  install(DIRECTORY ${linux}/icons/hicolor DESTINATION ${CMAKE_INSTALL_DATADIR}/icons)
  install_compressed(${linux}/man/ridgepoint.1 ${CMAKE_INSTALL_MANDIR}/man1)
endif()
if(TARGET ridgepoint-cli)
  install_compressed(${linux}/man/ridgepoint-cli.1 ${CMAKE_INSTALL_MANDIR}/man1)
endif()

install(FILES ${linux}/copyright DESTINATION ${doc})
install(FILES ${CMAKE_SOURCE_DIR}/README.md DESTINATION ${doc})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs/ DESTINATION ${doc} FILES_MATCHING PATTERN "*.md")
write_debian_changelog()
install_compressed(${generated}/changelog ${doc})

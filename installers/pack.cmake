# Packages: `cpack --config build/release/CPackConfig.cmake -G DEB` (or TGZ, RPM; NSIS on Windows, DragNDrop on macOS).
set(CPACK_PACKAGE_NAME ridgepoint)
set(CPACK_PACKAGE_VENDOR "The Ridgepoint authors")
set(CPACK_PACKAGE_CONTACT ${RIDGEPOINT_CONTACT})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "capacity planning and rooflines of foundation models")
set(CPACK_PACKAGE_DESCRIPTION
"Predicts what training or serving a foundation model takes on AWS GPUs: whether
it fits in memory, how long a step or a token takes, what bounds it, what it
costs, and how sure the figure is. Every number can be opened to see its
formula, inputs and sources.
.
The package holds the desktop (ridgepoint), which draws rooflines, ridgelines,
step breakdowns and measured profiler traces, and the command line
(ridgepoint-cli), which computes the same without a display.")
set(CPACK_PACKAGE_INSTALL_DIRECTORY Ridgepoint)
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_FILE_NAME ridgepoint-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})


# Names of one section of packages.txt.
function(ridgepoint_packages section out)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/packages.txt)
  file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/packages.txt lines REGEX "^[^# ]+ +${section}( |$)")
  list(TRANSFORM lines REPLACE "^([^ ]+) .*" "\\1")
  list(JOIN lines ", " names)
  set(${out} ${names} PARENT_SCOPE)
endfunction()

if(WIN32)
  include(windows/pack.cmake)
elseif(APPLE)
  include(macos/pack.cmake)
else()
  set(CPACK_GENERATOR TGZ DEB)
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_PACKAGE_RELOCATABLE OFF)

  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
  if(TARGET ridgepoint)
    ridgepoint_packages(runtime CPACK_DEBIAN_PACKAGE_DEPENDS)
    ridgepoint_packages(recommended CPACK_DEBIAN_PACKAGE_RECOMMENDS)
  endif()

  set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
  set(CPACK_RPM_PACKAGE_LICENSE GPL-3.0-only)
  set(CPACK_RPM_PACKAGE_GROUP Applications/Engineering)
  set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION /usr/share/applications /usr/share/icons /usr/share/icons/hicolor
    /usr/share/icons/hicolor/scalable /usr/share/icons/hicolor/scalable/apps /usr/share/icons/hicolor/scalable/mimetypes
    /usr/share/icons/hicolor/symbolic /usr/share/icons/hicolor/symbolic/apps /usr/share/man /usr/share/man/man1
    /usr/share/metainfo /usr/share/mime /usr/share/mime/packages /usr/share/doc)
  if(TARGET ridgepoint)
    set(CPACK_RPM_PACKAGE_REQUIRES "qt6-qtsvg, dejavu-sans-fonts, shared-mime-info, hicolor-icon-theme")
  endif()
endif()
include(CPack)

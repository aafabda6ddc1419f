# macOS: an application bundle in a disk image. Qt's own deployment script copies its frameworks into the bundle.
set(CPACK_GENERATOR DragNDrop)
set(CPACK_DMG_VOLUME_NAME Ridgepoint)
if(TARGET ridgepoint)
  set_target_properties(ridgepoint PROPERTIES
    MACOSX_BUNDLE ON
    MACOSX_BUNDLE_INFO_PLIST ${CMAKE_CURRENT_LIST_DIR}/Info.plist.in
    MACOSX_BUNDLE_BUNDLE_VERSION ${PROJECT_VERSION}
    MACOSX_BUNDLE_SHORT_VERSION_STRING ${PROJECT_VERSION})
  if(COMMAND qt_generate_deploy_app_script)
    qt_generate_deploy_app_script(TARGET ridgepoint FILENAME_VARIABLE script NO_UNSUPPORTED_PLATFORM_ERROR)
    install(SCRIPT ${script})
  endif()
endif()

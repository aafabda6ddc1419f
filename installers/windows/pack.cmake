# Windows: NSIS installer and ZIP. Qt's own deployment script copies its libraries and plug-ins beside the program.
set(CPACK_GENERATOR NSIS ZIP)
set(CPACK_NSIS_DISPLAY_NAME Ridgepoint)
set(CPACK_NSIS_PACKAGE_NAME Ridgepoint)
set(CPACK_NSIS_INSTALLED_ICON_NAME bin/ridgepoint.exe)
set(CPACK_NSIS_ENABLE_UNINSTALL_BEFORE_INSTALL ON)
set(CPACK_NSIS_MODIFY_PATH ON) # ridgepoint-cli is used from a terminal
set(CPACK_PACKAGE_EXECUTABLES ridgepoint Ridgepoint)
# Plans open with a double click.
set(CPACK_NSIS_EXTRA_INSTALL_COMMANDS [[
  WriteRegStr HKCR '.ridgepoint' '' 'Ridgepoint.Plan'
  WriteRegStr HKCR '.ridgepoint' 'Content Type' 'application/vnd.ridgepoint.plan+json'
  WriteRegStr HKCR 'Ridgepoint.Plan' '' 'Ridgepoint plan'
  WriteRegStr HKCR 'Ridgepoint.Plan\\DefaultIcon' '' '$INSTDIR\\bin\\ridgepoint.exe,0'
  WriteRegStr HKCR 'Ridgepoint.Plan\\shell\\open\\command' '' '$\"$INSTDIR\\bin\\ridgepoint.exe$\" $\"%1$\"'
]])
set(CPACK_NSIS_EXTRA_UNINSTALL_COMMANDS [[
  DeleteRegKey HKCR 'Ridgepoint.Plan'
  DeleteRegKey HKCR '.ridgepoint'
]])
if(TARGET ridgepoint AND COMMAND qt_generate_deploy_app_script)
  set_target_properties(ridgepoint PROPERTIES WIN32_EXECUTABLE ON)
  qt_generate_deploy_app_script(TARGET ridgepoint FILENAME_VARIABLE script NO_UNSUPPORTED_PLATFORM_ERROR)
  install(SCRIPT ${script})
endif()

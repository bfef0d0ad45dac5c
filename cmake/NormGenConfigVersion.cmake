# The version is that of gen/emit/version.lua; before 1.0 a request is met by the same minor version. Nothing here depends on an
# architecture, so the size of pointers is not compared.
file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/../gen/emit/version.lua" PACKAGE_VERSION REGEX "^return")
string(REGEX MATCH "[0-9.]+" PACKAGE_VERSION "${PACKAGE_VERSION}")
string(REGEX MATCH "^[0-9]+\\.[0-9]+" PACKAGE_VERSION_SERIES "${PACKAGE_VERSION}")

set(PACKAGE_VERSION_COMPATIBLE FALSE)
if("${PACKAGE_FIND_VERSION_MAJOR}.${PACKAGE_FIND_VERSION_MINOR}" STREQUAL PACKAGE_VERSION_SERIES
    AND NOT PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
endif()

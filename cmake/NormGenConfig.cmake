# normgen_add_library(<name> SPEC <spec>... TARGETS <target>... [PREFIX <prefix>] [SCHEDULE <settings>] [TARGET_PATH <directory>...]
#                     [SINGLE_HEADER])
#
# Adds a library of kernels whose C is emitted as a part of the build. A spec is one line, or a file if it ends in .lua or contains
# a slash; relative to the current source directory. Kernels are emitted again when a spec file or a part of normgen changes, and
# those that come out the same are not compiled again.
#
# The library is static, and its headers can be included by what links to it. With SINGLE_HEADER it is an interface library:
# <prefix>kernels_single.h, to be implemented in one file of yours, as its first lines say.
#
# NORMGEN_LUA, a cache variable or an environment variable, names the Lua interpreter to use instead of luajit or lua5.4.

cmake_minimum_required(VERSION 3.20)
set(NORMGEN_LUA "$ENV{NORMGEN_LUA}" CACHE FILEPATH "Lua interpreter of normgen; empty: luajit, else lua5.4")

# Spec files and directories as absolute paths, specs as they are.
function(_normgen_absolute variable)
  set(list)
  foreach(word IN LISTS ARGN)
    if(word MATCHES "\\.lua$|/")
      get_filename_component(word "${word}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    endif()
    list(APPEND list "${word}")
  endforeach()
  set(${variable} ${list} PARENT_SCOPE)
endfunction()

function(normgen_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SINGLE_HEADER" "PREFIX;SCHEDULE" "SPEC;TARGETS;TARGET_PATH")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SPEC OR NOT arg_TARGETS)
    message(FATAL_ERROR "normgen_add_library(${name}): SPEC and TARGETS are needed; not understood: '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT arg_PREFIX)
    set(arg_PREFIX ng_)
  endif()

  _normgen_absolute(specs ${arg_SPEC})
  list(JOIN arg_TARGETS "," targets)
  set(words ${specs} --target ${targets} --prefix ${arg_PREFIX})
  foreach(directory IN LISTS arg_TARGET_PATH)
    get_filename_component(directory "${directory}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND words --target-path ${directory})
  endforeach()
  if(arg_SCHEDULE)
    list(APPEND words --schedule ${arg_SCHEDULE})
  endif()

  get_filename_component(root "${CMAKE_CURRENT_FUNCTION_LIST_DIR}" DIRECTORY)
  set(normgen "${root}/bin/normgen")
  if(NORMGEN_LUA)
    set(normgen "${CMAKE_COMMAND}" -E env "NORMGEN_LUA=${NORMGEN_LUA}" "${normgen}")
  endif()

  # Which files there will be is asked for now, and again when a spec file changes.
  set(single)
  set(format dir)
  if(arg_SINGLE_HEADER)
    set(single --single)
    set(format single)
  endif()
  execute_process(COMMAND ${normgen} list ${words} ${single} --format cmake
    OUTPUT_VARIABLE variables ERROR_VARIABLE message RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "normgen_add_library(${name}): ${message}")
  endif()
  cmake_language(EVAL CODE "${variables}")
  set(depends ${specs})
  list(FILTER depends INCLUDE REGEX "\\.lua$|/")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${depends} "${root}/gen/emit/version.lua")

  # The stamp is the output, since it is new after each run. The files are touched only if their text changes.
  set(directory "${CMAKE_CURRENT_BINARY_DIR}/${name}.normgen")
  set(stamp "${directory}.stamp")
  list(TRANSFORM ${arg_PREFIX}SOURCES PREPEND "${directory}/" OUTPUT_VARIABLE sources)
  list(TRANSFORM ${arg_PREFIX}HEADERS PREPEND "${directory}/" OUTPUT_VARIABLE headers)
  add_custom_command(OUTPUT "${stamp}" BYPRODUCTS ${sources} ${headers}
    COMMAND ${normgen} emit ${words} --format ${format} -o "${directory}" --stamp "${stamp}" --depfile "${directory}.d"
    DEPENDS ${depends} DEPFILE "${directory}.d" COMMENT "Emitting the kernels of ${name}" VERBATIM)
  add_custom_target(${name}_normgen DEPENDS "${stamp}")

  if(arg_SINGLE_HEADER)
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE "$<BUILD_INTERFACE:${directory}>")
  else()
    add_library(${name} STATIC ${sources} ${headers})
    target_include_directories(${name} PUBLIC "$<BUILD_INTERFACE:${directory}>")
  endif()
  add_dependencies(${name} ${name}_normgen)
endfunction()

# SPDX-License-Identifier: Apache-2.0
#
# ISOPATCH_BUNDLE: programs in bin/ run on another machine, with copies of the shared libraries they need in bin/lib.
set(CMAKE_BUILD_RPATH "$ORIGIN/lib")
set(ZLIB_USE_STATIC_LIBS ON)

function(isopatch_copy_shared_libraries)
  find_package(benchmark QUIET)
  foreach(library fmt::fmt Qhull::qhull_r benchmark::benchmark)
    if(NOT TARGET ${library})
      continue()
    endif()
    get_target_property(type ${library} TYPE)
    if(type STREQUAL "SHARED_LIBRARY")
      string(MAKE_C_IDENTIFIER bundle_${library} name)
      add_custom_target(${name} ALL
                        COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/bin/lib
                        COMMAND ${CMAKE_COMMAND} -E copy_if_different $<TARGET_FILE:${library}>
                                ${CMAKE_BINARY_DIR}/bin/lib/$<TARGET_SONAME_FILE_NAME:${library}>)
    endif()
  endforeach()
endfunction()
cmake_language(DEFER CALL isopatch_copy_shared_libraries)  # when all of them have been found

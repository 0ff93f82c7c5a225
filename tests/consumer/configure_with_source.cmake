# SPDX-License-Identifier: Apache-2.0
#
# Configures the consumer with the source of the library in its project, by add_subdirectory and by FetchContent. It gets
# the library and none of the programs. Building it would compile the library again.
file(REMOVE_RECURSE ${work_dir})
foreach(way add_subdirectory FetchContent)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${source_dir}/tests/consumer -B ${work_dir}/${way} -G ${generator}
                          -D CMAKE_BUILD_TYPE=${config} -D CMAKE_CXX_COMPILER=${compiler}
                          -D "CMAKE_CXX_FLAGS=${flags}" -D WAY=${way} -D SOURCE=${source_dir} -D ISOPATCH_CUDA=OFF
                  COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${work_dir}/${way} --config ${config} --target help
                  OUTPUT_VARIABLE targets COMMAND_ERROR_IS_FATAL ANY)
  if(NOT targets MATCHES "libisopatch|isopatch:")
    message(FATAL_ERROR "${way}: no target isopatch in\n${targets}")
  endif()
  if(targets MATCHES "isopatch_(cli|tests|bench)[:\n ]")
    message(FATAL_ERROR "${way}: the programs of isopatch are targets of the project that uses it")
  endif()
endforeach()

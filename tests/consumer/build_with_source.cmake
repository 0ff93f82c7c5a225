# SPDX-License-Identifier: Apache-2.0
#
# Configures the consumer with the source of the library in its project, by FetchContent and by add_subdirectory. Where
# a compiler launcher keeps what was compiled, it is built and run too; the library's commands are those of this build.
file(REMOVE_RECURSE ${work_dir})
foreach(way FetchContent add_subdirectory)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${source_dir}/tests/consumer -B ${work_dir}/${way} -G ${generator}
                          -D CMAKE_BUILD_TYPE=${config} -D CMAKE_CXX_COMPILER=${compiler}
                          -D "CMAKE_CXX_FLAGS=${flags}" -D CMAKE_CXX_COMPILER_LAUNCHER=${launcher} -D WAY=${way}
                          -D SOURCE=${source_dir} -D ISOPATCH_ARCH=${arch} -D ISOPATCH_CUDA=OFF -D ISOPATCH_CVODE=OFF
                          -D ISOPATCH_WERROR=ON
                  COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${work_dir}/${way} --config ${config} --target help
                  OUTPUT_VARIABLE targets COMMAND_ERROR_IS_FATAL ANY)
  if(targets MATCHES "isopatch_(cli|tests|bench)[: ]")
    message(FATAL_ERROR "${way}: the programs of isopatch are targets of the project that uses it")
  endif()
endforeach()
if(NOT launcher)
  message(STATUS "configured only, as without a compiler launcher the library would be compiled again")
  return()
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --build ${work_dir}/add_subdirectory --config ${config} --target consumer
                        --parallel
                COMMAND_ERROR_IS_FATAL ANY)
find_program(consumer consumer PATHS ${work_dir}/add_subdirectory ${work_dir}/add_subdirectory/${config}
             NO_DEFAULT_PATH REQUIRED)
execute_process(COMMAND ${consumer} COMMAND_ERROR_IS_FATAL ANY)

# SPDX-License-Identifier: Apache-2.0
#
# scripts/run.sh builds without CUDA and tests, and scripts/test.sh goes on with that build. So sources of the
# library and of the commands are compiled by the same commands with and without them: a build without is configured
# here, and its commands are compared with those of this build.
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND ${CMAKE_COMMAND} -S ${source_dir} -B ${work_dir} -G ${generator} -D CMAKE_BUILD_TYPE=${config}
                        -D CMAKE_CXX_COMPILER=${compiler} -D "CMAKE_CXX_FLAGS=${flags}"
                        -D "CMAKE_CXX_FLAGS_DEBUG=${debug_flags}"
                        -D CMAKE_CXX_COMPILER_LAUNCHER=${launcher} -D ISOPATCH_ARCH=${arch} -D ISOPATCH_CUDA=OFF
                        -D ISOPATCH_TESTS=OFF -D ISOPATCH_BENCHMARKS=OFF
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(STRINGS ${build_dir}/compile_commands.json ours REGEX "\"command\"")
file(STRINGS ${work_dir}/compile_commands.json theirs REGEX "\"command\"")

# Of sources that are compiled together, those of our build: the other has the same if their lists are the same.
set(compared 0)
foreach(command IN LISTS theirs)
  if(command MATCHES "_stub\\.cpp" OR
     NOT command MATCHES "-o (CMakeFiles/isopatch(_commands|_cpu|_run_once)?\\.dir/(host|Unity)/[^ ]+\\.o) ")
    continue()
  endif()
  set(object ${CMAKE_MATCH_1})
  string(REPLACE ${work_dir}/ ${build_dir}/ command "${command}")
  if(NOT command IN_LIST ours)
    list(FILTER ours INCLUDE REGEX "-o ${object} ")
    message(FATAL_ERROR "${object} is compiled by\n${ours}\nand without CUDA and tests by\n${command}")
  endif()
  if(object MATCHES "/Unity/")
    string(REGEX REPLACE "\\.o$" "" list ${object})
    file(READ ${build_dir}/${list} our_sources)
    file(READ ${work_dir}/${list} their_sources)
    if(NOT our_sources STREQUAL their_sources)
      message(FATAL_ERROR "${object} is compiled from\n${our_sources}\nand without CUDA and tests from\n${their_sources}")
    endif()
    string(REGEX MATCHALL "#include" sources "${our_sources}")
    list(LENGTH sources sources)
  else()
    set(sources 1)
  endif()
  math(EXPR compared "${compared} + ${sources}")
endforeach()
if(compared LESS 100)
  message(FATAL_ERROR "the commands of only ${compared} sources were compared")
endif()
message(STATUS "the commands of ${compared} sources are the same")

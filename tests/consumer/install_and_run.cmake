# SPDX-License-Identifier: Apache-2.0
#
# Installs the build to an empty prefix, configures and builds the consumer against it, and runs it. Prints the size of
# the program; fails if it has more than `most_megabytes`, if that is given.
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${work_dir})
run(${CMAKE_COMMAND} --install ${build_dir} --prefix ${work_dir}/prefix --config ${config})
foreach(page man/man1/isopatch.1 bash-completion/completions/isopatch zsh/site-functions/_isopatch
             fish/vendor_completions.d/isopatch.fish)
  file(SIZE ${work_dir}/prefix/share/${page} bytes)
  if(bytes LESS 1000)
    message(FATAL_ERROR "${page} has ${bytes} bytes")
  endif()
endforeach()
run(${CMAKE_COMMAND} -S ${source_dir} -B ${work_dir}/build -G ${generator} -D CMAKE_BUILD_TYPE=${config}
    -D CMAKE_CXX_COMPILER=${compiler} -D "CMAKE_CXX_FLAGS=${flags}" -D CMAKE_PREFIX_PATH=${work_dir}/prefix)
run(${CMAKE_COMMAND} --build ${work_dir}/build --config ${config})
find_program(consumer consumer PATHS ${work_dir}/build ${work_dir}/build/${config} NO_DEFAULT_PATH REQUIRED)
run(${consumer})
find_program(own_stepper own_stepper PATHS ${work_dir}/build ${work_dir}/build/${config} NO_DEFAULT_PATH REQUIRED)
run(${own_stepper})
find_program(pegs pegs PATHS ${work_dir}/build ${work_dir}/build/${config} NO_DEFAULT_PATH REQUIRED)
run(${pegs} 256)

file(SIZE ${consumer} bytes)
math(EXPR tenths "${bytes} / 100000")
string(REGEX REPLACE "(.)$" ".\\1" megabytes ${tenths})
message(STATUS "the linked program has ${megabytes} MB")
if(most_megabytes AND bytes GREATER "${most_megabytes}000000")
  message(FATAL_ERROR "the linked program has ${bytes} bytes, more than ${most_megabytes} MB")
endif()

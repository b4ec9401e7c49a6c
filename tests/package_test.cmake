# Installs the library into an empty folder and builds the first example with
# the installed files, as a user's project would.
set(work ${BUILD}/package_test)
file(REMOVE_RECURSE ${work})
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
set(flags "")
if(FLAGS)
  set(flags "-fsanitize=${FLAGS}")
endif()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE}/tests/package -B ${work}/build -G Ninja
    -D CMAKE_BUILD_TYPE=Release -D CMAKE_CXX_FLAGS=${flags}
    -D CMAKE_PREFIX_PATH=${work}/prefix -D EXAMPLE=${SOURCE}/examples/first_steps.cc)
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/first_steps)
run(${work}/prefix/bin/manyarms --version)

# Installs the build into an empty folder, builds the project outside against that and runs it:
#   cmake -DBUILD=... -DSOURCE=... -P test.cmake
cmake_minimum_required(VERSION 3.22)
set(PLACE ${BUILD}/outside_test)
file(REMOVE_RECURSE ${PLACE})
file(MAKE_DIRECTORY ${PLACE})
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${PLACE}/installed)
run(${CMAKE_COMMAND} -S ${SOURCE}/tests/outside -B ${PLACE}/build -G Ninja -DCMAKE_BUILD_TYPE=Release
  -DCMAKE_PREFIX_PATH=${PLACE}/installed)
run(${CMAKE_COMMAND} --build ${PLACE}/build)
run(${PLACE}/build/outside ${SOURCE}/scenarios/quadratic.json)
run(${PLACE}/installed/bin/motley --version)
file(REMOVE_RECURSE ${PLACE})

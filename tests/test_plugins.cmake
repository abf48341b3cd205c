# Plug-ins from their writing to their results, built as a user would, against the build folder:
#   cmake -DMOTLEY=... -DBUILD=... -P test_plugins.cmake
cmake_minimum_required(VERSION 3.22)
set(PLACE ${BUILD}/plugins_test)
file(REMOVE_RECURSE ${PLACE})
file(MAKE_DIRECTORY ${PLACE})

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${PLACE} RESULT_VARIABLE CODE OUTPUT_VARIABLE OUT ERROR_VARIABLE ERR)
  if(NOT CODE EQUAL 0)
    message(FATAL_ERROR "${ARGN}: exit ${CODE}\n${OUT}${ERR}")
  endif()
  set(OUT "${OUT}" PARENT_SCOPE)
  set(ERR "${ERR}" PARENT_SCOPE)
endfunction()
function(expect_failure WORDS)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${PLACE} RESULT_VARIABLE CODE OUTPUT_VARIABLE OUT ERROR_VARIABLE ERR)
  if(CODE EQUAL 0 OR NOT "${ERR}" MATCHES "${WORDS}")
    message(FATAL_ERROR "${ARGN}: exit ${CODE}, and must say '${WORDS}'\n${OUT}${ERR}")
  endif()
endfunction()
function(expect TEXT WORDS)
  if(NOT "${TEXT}" MATCHES "${WORDS}")
    message(FATAL_ERROR "must say '${WORDS}':\n${TEXT}")
  endif()
endfunction()
function(build NAME)
  run(${CMAKE_COMMAND} -S ${NAME} -B ${NAME}/build -G Ninja -DCMAKE_BUILD_TYPE=Release -DMotley_DIR=${BUILD}/cmake)
  run(${CMAKE_COMMAND} --build ${NAME}/build)
endfunction()

# What is written builds, and passes its own test.
foreach(WHAT algorithm model data)
  run(${MOTLEY} new-${WHAT} my_${WHAT})
  build(my_${WHAT})
  run(${CMAKE_CTEST_COMMAND} --test-dir my_${WHAT}/build --output-on-failure)
endforeach()
expect_failure("exists already" ${MOTLEY} new-algorithm my_algorithm)
expect_failure("there is a 'sync' already" ${MOTLEY} new-algorithm sync)
expect_failure("must be small letters" ${MOTLEY} new-algorithm My-Own)

# It is listed, and in the schema.
set(LIBRARY my_algorithm/build/libmy_algorithm.so)
run(${MOTLEY} algorithms my_algorithm --plugin ${LIBRARY})
expect("${OUT}" "my_algorithm: asynchronous, with smaller steps")
run(${MOTLEY} algorithms --plugin ${LIBRARY})
expect("${OUT}" "from [^\n]*libmy_algorithm.so")
run(${MOTLEY} schema --plugin ${LIBRARY})
expect("${OUT}" "\"const\": \"my_algorithm\"")
expect("${OUT}" "\"caution\"")
expect_failure("unknown algorithm 'my_algorithm'" ${MOTLEY} run my_algorithm/my_algorithm.json --set /plugins=null)
expect_failure("unknown key .did you mean 'caution'" ${MOTLEY} validate my_algorithm/my_algorithm.json
  --set /algorithms/1/cauton=1)

# By the option as by the scenario, and without caution it is plain asynchronous SGD: the same times and the same model.
run(${MOTLEY} run my_algorithm/my_algorithm.json --set /plugins=null --plugin ${LIBRARY} --set /algorithms/1/caution=0
  --no-whatif --json --out results --fail-unless "my_algorithm.final_test_loss == async.final_test_loss"
  --fail-unless "my_algorithm.virtual_s == async.virtual_s")
# What is stored names the library by its whole path, so it can be run again from there.
run(${MOTLEY} run results/scenario.json --no-whatif --out results)
expect("${ERR}" "2 of 2 already done")

# The runs of shards are joined, by the library that the stored scenario names; or by one that is elsewhere now. What is
# stored can be explained and compared without it.
set(TWO my_algorithm/my_algorithm.json --set /replicas=2 "--set=/target={\"accuracy\": 0.5}" --quiet)
foreach(PART 1 2)
  run(${MOTLEY} run ${TWO} --shard ${PART}/2 --out part${PART})
endforeach()
run(${MOTLEY} merge part1 part2 --out joined)
expect("${OUT}" "4 of 4 runs")
expect("${OUT}" "my_algorithm: bottleneck: ")
file(RENAME ${PLACE}/${LIBRARY} ${PLACE}/libmy_algorithm.so)
expect_failure("/plugins/0: there is no file [^\n]*: build the plug-in first, or say with --plugin where it is"
  ${MOTLEY} merge part1 part2 --out joined_again)
run(${MOTLEY} merge part1 part2 --plugin libmy_algorithm.so --out joined_again)
expect("${OUT}" "4 of 4 runs")
run(${MOTLEY} run joined_again/scenario.json --out joined_again)
expect("${ERR}" "4 of 4 already done")
run(${MOTLEY} run joined/scenario.json --plugin libmy_algorithm.so --out joined)
expect("${ERR}" "4 of 4 already done")
run(${MOTLEY} explain joined my_algorithm async)
run(${MOTLEY} diff joined joined_again --exit-code)
file(RENAME ${PLACE}/libmy_algorithm.so ${PLACE}/${LIBRARY})

# Another library is another algorithm: its runs are done again, and only they.
file(READ ${PLACE}/my_algorithm/my_algorithm.cpp CODE)
string(REPLACE "1 / (1 +" "1 / (2 +" CODE "${CODE}")
file(WRITE ${PLACE}/my_algorithm/my_algorithm.cpp "${CODE}")
build(my_algorithm)
run(${MOTLEY} run results/scenario.json --no-whatif --out results)
expect("${ERR}" "1 run of my_algorithm was made by another version of that algorithm: done again")

# A library of another version is not called. The digest in it is changed, as an older header would have it.
file(READ ${BUILD}/generated/motley_vocabulary.hpp HEADER)
string(REGEX REPLACE "MOTLEY_VOCABULARY \"[0-9a-f]+\"" "MOTLEY_VOCABULARY \"000000000000\"" HEADER "${HEADER}")
file(WRITE ${PLACE}/older/motley_vocabulary.hpp "${HEADER}")
run(${CMAKE_COMMAND} -S my_algorithm -B other -G Ninja -DCMAKE_BUILD_TYPE=Release -DMotley_DIR=${BUILD}/cmake
  "-DCMAKE_CXX_FLAGS=\"-I${PLACE}/older\"")
run(${CMAKE_COMMAND} --build other)
expect_failure("libmy_algorithm.so was built for motley [0-9.]+ .vocabulary 000000000000., and this is .*: build it again"
  ${MOTLEY} algorithms --plugin other/libmy_algorithm.so)

# What is no plug-in says so.
file(WRITE ${PLACE}/text.so "nothing")
expect_failure("text.so cannot be loaded" ${MOTLEY} algorithms --plugin text.so)
expect_failure("there is no file nowhere.so" ${MOTLEY} algorithms --plugin nowhere.so)
expect_failure("/plugins/0: there is no file" ${MOTLEY} validate my_model/my_model.json --set "/plugins=[\"gone.so\"]")
file(WRITE ${PLACE}/empty.cpp "int nothing;\n")
run(c++ -shared -fPIC -o empty.so empty.cpp)
expect_failure("empty.so is no plug-in of motley" ${MOTLEY} algorithms --plugin empty.so)
# A name that there is already.
file(COPY_FILE ${PLACE}/${LIBRARY} ${PLACE}/again.so)
expect_failure("again.so brings the algorithm 'my_algorithm', which already exists" ${MOTLEY} algorithms
  --plugin ${LIBRARY} --plugin again.so)
file(REMOVE_RECURSE ${PLACE})

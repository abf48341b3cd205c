# Configures the project in SOURCE, in the folder PLACE and with COMPILER, where the first oneDNN to be
# found is one whose package stops the configuration (as Debian's does without OpenCL's headers), whose
# header does not compile and whose library is none.
file(REMOVE_RECURSE ${PLACE})
set(PREFIX ${PLACE}/prefix)
file(WRITE ${PREFIX}/lib/cmake/dnnl/dnnl-config.cmake "find_package(MotleyHasNoSuchPackage REQUIRED)\n")
file(WRITE ${PREFIX}/include/dnnl.h "#error \"not usable\"\n")
file(WRITE ${PREFIX}/lib/libdnnl.so "")
execute_process(
  COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${PLACE}/build -G Ninja -DCMAKE_CXX_COMPILER=${COMPILER}
          -DCMAKE_PREFIX_PATH=${PREFIX} -DMOTLEY_TESTS=OFF
  OUTPUT_VARIABLE OUTPUT ERROR_VARIABLE OUTPUT RESULT_VARIABLE FAILED)
if(FAILED)
  message(FATAL_ERROR "an unusable oneDNN stops the configuration:\n${OUTPUT}")
endif()
file(READ ${PLACE}/build/CMakeCache.txt CACHE)
string(FIND "${CACHE}" "MOTLEY_DNNL_INCLUDE:PATH=${PREFIX}/include\n" FOUND)
if(FOUND EQUAL -1)
  message(FATAL_ERROR "the unusable oneDNN was not even looked at")
endif()

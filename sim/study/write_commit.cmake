cmake_minimum_required(VERSION 3.22)

# Writes as a header what is being built: the commit, a digest of the sources that decide what every run
# gives, and one per algorithm of its own file and what that includes from algorithms/. So a change of the
# documentation, of the statistics or of the command line is not taken for one of the results, and a change
# of one algorithm concerns its own runs only. Touches the file only when something changes.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12
  OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE FAILED)
if(FAILED)
  set(COMMIT "unknown")
endif()

# The digest of these files, each with its name.
function(digest_of RESULT)
  list(SORT ARGN)
  list(REMOVE_DUPLICATES ARGN)
  set(SUMS "")
  foreach(FILE ${ARGN})
    file(SHA1 ${SOURCE}/${FILE} SUM)
    string(APPEND SUMS "${FILE} ${SUM}\n")
  endforeach()
  string(SHA1 SUM "${SUMS}")
  string(SUBSTRING ${SUM} 0 12 SUM)
  set(${RESULT} ${SUM} PARENT_SCOPE)
endfunction()

# FILE and what it includes from algorithms/, however far.
function(with_includes RESULT FILE)
  set(FOUND ${FILE})
  file(STRINGS ${SOURCE}/${FILE} LINES REGEX "^#include \"algorithms/")
  foreach(LINE ${LINES})
    string(REGEX REPLACE "^#include \"(.*)\".*" "\\1" HEADER "${LINE}")
    if(NOT HEADER IN_LIST ARGN)
      with_includes(FURTHER ${HEADER} ${ARGN} ${FOUND})
      list(APPEND FOUND ${FURTHER})
      string(REGEX REPLACE "hpp$" "cpp" BODY ${HEADER})
      if(EXISTS ${SOURCE}/${BODY} AND NOT BODY IN_LIST FOUND)
        with_includes(FURTHER ${BODY} ${ARGN} ${FOUND})
        list(APPEND FOUND ${FURTHER})
      endif()
    endif()
  endforeach()
  set(${RESULT} ${FOUND} PARENT_SCOPE)
endfunction()

# Everything below the algorithms decides results unless it is known not to: what reads files and says what
# is wrong with them, and what keeps results and reckons with them. What a scenario means once it is read is
# in the description of each run.
set(FILES "")
foreach(ROOM base scenario learning results vocabulary engine)
  file(GLOB_RECURSE FOUND RELATIVE ${SOURCE} ${SOURCE}/sim/${ROOM}/*pp)
  list(APPEND FILES ${FOUND})
endforeach()
list(FILTER FILES EXCLUDE REGEX "^sim/base/(atomic_file|child_process|cpu_clock|folder_lock|format|guardian|json|json_file|limits|machine_memory|place|process_apart|regular_file|shell_word|standard_streams|strict_json|text)\\.")
list(FILTER FILES EXCLUDE REGEX "^sim/scenario/(field_schema|sweep|tune|value_list)\\.")
list(FILTER FILES EXCLUDE REGEX "^sim/results/(statistics/|tables/|(bottleneck|csv_row|csv_table|result_files|run_store|trace_files|tuning_record|whatif_files)\\.)")
digest_of(SOURCES ${FILES} sim/study/experiment.cpp sim/study/experiment.hpp
  sim/study/planned_batches.cpp sim/study/planned_batches.hpp sim/study/twins.cpp sim/study/twins.hpp)

file(GLOB FILES RELATIVE ${SOURCE} ${SOURCE}/sim/study/whatif/*pp
  ${SOURCE}/sim/results/bottleneck*pp)
digest_of(WHATIF ${FILES})

# What plug-ins are compiled against: every header that they can see.
set(FILES "")
foreach(ROOM base scenario learning vocabulary)
  file(GLOB_RECURSE FOUND RELATIVE ${SOURCE} ${SOURCE}/sim/${ROOM}/*.hpp)
  list(APPEND FILES ${FOUND})
endforeach()
file(GLOB_RECURSE FOUND RELATIVE ${SOURCE} ${SOURCE}/algorithms/*.hpp)
digest_of(VOCABULARY ${FILES} ${FOUND})
if(NOT VERSION)
  set(VERSION "unknown")
endif()

set(ALGORITHMS "")
file(GLOB FILES RELATIVE ${SOURCE} ${SOURCE}/algorithms/*.cpp)
list(SORT FILES)
foreach(FILE ${FILES})
  with_includes(PARTS ${FILE})
  digest_of(SUM ${PARTS})
  get_filename_component(NAME ${FILE} NAME_WE)
  string(APPEND ALGORITHMS "    {\"${NAME}\", \"${SUM}\"},\n")
endforeach()

set(TEXT "#pragma once

#include <map>
#include <string>

#define MOTLEY_COMMIT \"${COMMIT}\"
#define MOTLEY_SOURCES \"${SOURCES}\"
#define MOTLEY_WHATIF \"${WHATIF}\"

namespace motley {

/// By algorithm, which is the name of its file.
inline const std::map<std::string, std::string> algorithm_digests = {
${ALGORITHMS}};

}  // namespace motley
")
function(write_if_changed FILE CONTENT)
  set(OLD "")
  if(EXISTS ${FILE})
    file(READ ${FILE} OLD)
  endif()
  if(NOT "${OLD}" STREQUAL "${CONTENT}")
    file(WRITE ${FILE} "${CONTENT}")
  endif()
endfunction()

write_if_changed(${OUTPUT} "${TEXT}")
get_filename_component(FOLDER ${OUTPUT} DIRECTORY)
write_if_changed(${FOLDER}/motley_vocabulary.hpp "#pragma once
// What plug-ins are compiled against.
#define MOTLEY_VOCABULARY_VERSION \"${VERSION}\"
#define MOTLEY_VOCABULARY \"${VOCABULARY}\"
")

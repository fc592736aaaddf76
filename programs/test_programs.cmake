# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Run by ctest: what batchwork-tune and batchwork-info say.

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")

# run(<status> <regular expression>... COMMAND <command>...): the output has all of them.
function(run status)
  cmake_parse_arguments(ARG "" "" "COMMAND" ${ARGN})
  execute_process(
    COMMAND ${ARG_COMMAND} WORKING_DIRECTORY "${WORK}" RESULT_VARIABLE result OUTPUT_VARIABLE out
    ERROR_VARIABLE out
  )
  if(NOT result EQUAL status)
    message(FATAL_ERROR "${ARG_COMMAND}: status ${result}, not ${status}\n${out}")
  endif()
  foreach(part IN LISTS ARG_UNPARSED_ARGUMENTS)
    if(NOT out MATCHES "${part}")
      message(FATAL_ERROR "${ARG_COMMAND} does not say \"${part}\":\n${out}")
    endif()
  endforeach()
endfunction()

set(sizes --rows 3,12 --items 32 --sample 0.01)
run(0 "verb +type +rows" "lu +double +3 " "qr +double +12 " "4 decisions written to small.tuning"
    COMMAND "${TUNE}" qr lu ${sizes} -o small.tuning
)
run(2 "qrr" "--help" COMMAND "${TUNE}" qrr)
run(2 "cannot be written" COMMAND "${TUNE}" lu ${sizes} -o there_is_no/such.tuning)

set(info "${CMAKE_COMMAND}" -E env BATCHWORK_TUNING=small.tuning "${INFO}")
run(0 "version +[0-9]" "Kokkos" "tuning +small.tuning, 4 decisions" "solve_cholesky float"
    COMMAND ${info} --quick
)
run(0 "\"machine\",\"name\",\"" "\"kernels" COMMAND ${info} --quick --csv)
run(0 "items +1000" "bytes" "bind" "measured at 12 rows" "of the floor"
    COMMAND ${info} qr double 12 12 1000
)
run(0 "not measured: the floor at 30 %" COMMAND ${info} qr double 12 8 1000)
run(0 "kernel" COMMAND ${info} eigh float 40)
run(2 "takes square matrices" COMMAND ${info} lu double 12 8 1000)
run(2 "--help" COMMAND ${info} gemm)
# A file of another machine is refused, with the remedy.
file(WRITE "${WORK}/other.tuning" "batchwork-tuning 1\nmachine another\nversion any\n")
run(2 "other.tuning" "\"another\"" "measure again"
    COMMAND "${CMAKE_COMMAND}" -E env BATCHWORK_TUNING=other.tuning "${INFO}" --quick
)

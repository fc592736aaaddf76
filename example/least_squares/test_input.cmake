# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What cannot be used gets one line on stderr and exit status 2.
#   cmake -D LEAST_SQUARES=<program> -D WORK=<scratch folder> -P test_input.cmake

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")

# Runs least_squares; the status must be as given, and stderr must match.
function(expect status pattern)
  execute_process(
    COMMAND "${LEAST_SQUARES}" ${ARGN}
    WORKING_DIRECTORY "${WORK}"
    RESULT_VARIABLE result
    OUTPUT_VARIABLE out
    ERROR_VARIABLE err
  )
  set(what "least_squares ${ARGN}\n  status ${result}\n  stderr: ${err}")
  if(NOT result STREQUAL status)
    message(SEND_ERROR "status should be ${status}: ${what}")
  elseif(status EQUAL 2 AND NOT err MATCHES "^least_squares: [^\n]*\n$")
    message(SEND_ERROR "not one line: ${what}")
  elseif(NOT err MATCHES "${pattern}")
    message(SEND_ERROR "should match \"${pattern}\": ${what}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

expect(2 "--no-such-option" --no-such-option)
expect(2 "--points" --points many)
expect(2 "--points" --points 100)
expect(2 "--grid" --grid 1)
file(WRITE "${WORK}/file" "in the way")
expect(2 "file" --output "${WORK}/file")
expect(0 "" --help)
if(NOT out MATCHES "--points")
  message(SEND_ERROR "--help does not list the options: ${out}")
endif()

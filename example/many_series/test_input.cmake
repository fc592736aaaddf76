# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What cannot be used gets one line on stderr and exit status 2.
#   cmake -D MANY_SERIES=<program> -D WORK=<scratch folder> -P test_input.cmake

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")

# Runs many_series; the status must be as given, and stderr must match.
function(expect status pattern)
  execute_process(
    COMMAND "${MANY_SERIES}" ${ARGN}
    WORKING_DIRECTORY "${WORK}"
    RESULT_VARIABLE result
    OUTPUT_VARIABLE out
    ERROR_VARIABLE err
  )
  set(what "many_series ${ARGN}\n  status ${result}\n  stderr: ${err}")
  if(NOT result STREQUAL status)
    message(SEND_ERROR "status should be ${status}: ${what}")
  elseif(status EQUAL 2 AND NOT err MATCHES "^many_series: [^\n]*\n$")
    message(SEND_ERROR "not one line: ${what}")
  elseif(NOT err MATCHES "${pattern}")
    message(SEND_ERROR "should match \"${pattern}\": ${what}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

expect(2 "--no-such-option" --no-such-option)
expect(2 "--series" --series many)
expect(2 "--series" --series 0)
expect(2 "--steps" --steps 1)
file(WRITE "${WORK}/file" "in the way")
expect(2 "file" --output "${WORK}/file")
expect(0 "" --help)
if(NOT out MATCHES "--series")
  message(SEND_ERROR "--help does not list the options: ${out}")
endif()

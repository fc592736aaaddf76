# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# For scripts that test what a program does with its input. They are run with
#   cmake -D PROGRAM=<path> -D WORK=<scratch folder> -P test_input.cmake
# The errors of a program begin with its name, which is that of its file.

get_filename_component(NAME "${PROGRAM}" NAME_WE)
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")

# Runs the program, through the command in `launcher` if there is one. The status must be as given,
# stderr must match, and for status 2 have one line. Sets `out` to stdout.
function(expect status pattern)
  execute_process(
    COMMAND ${launcher} "${PROGRAM}" ${ARGN}
    WORKING_DIRECTORY "${WORK}"
    RESULT_VARIABLE result
    OUTPUT_VARIABLE out
    ERROR_VARIABLE err
  )
  set(what "${NAME} ${ARGN}\n  status ${result}\n  stderr: ${err}")
  if(NOT result STREQUAL status)
    message(SEND_ERROR "status should be ${status}: ${what}")
  elseif(status EQUAL 2 AND NOT err MATCHES "^${NAME}: [^\n]*\n$")
    message(SEND_ERROR "not one line: ${what}")
  elseif(NOT err MATCHES "${pattern}")
    message(SEND_ERROR "should match \"${pattern}\": ${what}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

# Without gnuplot there is no picture, and that is all.
function(expect_no_picture)
  set(launcher "${CMAKE_COMMAND}" -E env PATH=/no/such/folder)
  expect(0 "" ${ARGN})
  if(NOT out MATCHES "no picture: gnuplot was not found")
    message(SEND_ERROR "wants a gnuplot: ${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

function(expect_help option)
  expect(0 "" --help)
  if(NOT out MATCHES "${option}")
    message(SEND_ERROR "--help does not list the options: ${out}")
  endif()
endfunction()

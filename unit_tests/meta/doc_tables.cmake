# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Run by ctest: the generated tables of the documentation agree with perf_tests/results.

include("${CMAKE_CURRENT_LIST_DIR}/expect_said.cmake")

cmake_minimum_required(VERSION 3.22)

find_program(python python3)
if(NOT python)
  message("SKIPPED: python3 was not found")
  return()
endif()

# Runs the check of report.py on pages and folders, and compares its exit status and messages.
function(says pages status)
  execute_process(
    COMMAND "${python}" "${SOURCE_DIR}/perf_tests/report.py" --docs ${pages} --check
    RESULT_VARIABLE code
    OUTPUT_VARIABLE said
    ERROR_VARIABLE said
  )
  expect_said("${pages}" "${said}" "${code}" "${status}" ${ARGN})
endfunction()

says("${SOURCE_DIR}/README.md;${SOURCE_DIR}/docs" 0)

# The check must find a figure that was changed by hand, and a table without an end.
set(table "tridiagonal from perf_tridiagonal_h200")
file(READ "${SOURCE_DIR}/docs/performance/tridiagonal.md" page)
string(REPLACE "| 16 | 0.0753" "| 16 | 0.0752" changed "${page}")
file(WRITE "${WORK_DIR}/changed/page.md" "${changed}")
says("${WORK_DIR}/changed" 1 "page.md: ${table}")
string(REPLACE "<!-- end of table -->" "" endless "${page}")
file(WRITE "${WORK_DIR}/endless/page.md" "${endless}")
says("${WORK_DIR}/endless" 1 "a table without <!-- end of table -->")

# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Every operation on tiles in a table `| operation |` of docs/reference is called by
# unit_tests/tile/EveryOperation.hpp:
#   cmake -D SOURCE_DIR=<checkout> [-D WITHOUT=<call>] -P documented_operations.cmake
# EveryOperation.hpp contains each call as the table writes it, "cholesky(a)". Members follow the
# call that returns their object, "cholesky(a).solve(b)". WITHOUT removes a call from
# EveryOperation.hpp, to test that this script finds the missing call.

cmake_minimum_required(VERSION 3.22)
file(READ "${SOURCE_DIR}/unit_tests/tile/EveryOperation.hpp" list)
if(WITHOUT)
  string(REPLACE "\"${WITHOUT}\"" "" list "${list}")
endif()
set(missing "")
set(count 0)

# Semicolons divide the elements of CMake lists, except inside brackets.
function(read_table file first result)
  file(READ "${file}" text)
  string(REPLACE ";" "," text "${text}")
  string(REPLACE "[" "(" text "${text}")
  string(REPLACE "]" ")" text "${text}")
  string(REPLACE "\\|" "" text "${text}")
  set(rows "")
  while(TRUE)
    string(FIND "${text}" "\n${first}" begin)
    if(begin EQUAL -1)
      break()
    endif()
    string(SUBSTRING "${text}" ${begin} -1 text)
    string(FIND "${text}" "\n\n" end)
    string(SUBSTRING "${text}" 0 ${end} table)
    string(SUBSTRING "${text}" ${end} -1 text)
    string(REGEX MATCHALL "\n\\|[^\n]*" found "${table}")
    list(REMOVE_AT found 0 1)
    list(APPEND rows ${found})
  endwhile()
  set(${result} "${rows}" PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE pages "${SOURCE_DIR}/docs/reference/*.md")
set(rows "")
foreach(page IN LISTS pages)
  read_table("${page}" "| operation |" found)
  list(APPEND rows ${found})
endforeach()
foreach(row IN LISTS rows)
  if(NOT row MATCHES "^\n\\| (.*) \\| ([^|]*) \\|$")
    message(FATAL_ERROR "a table of operations has a malformed row:${row}")
  endif()
  set(members "${CMAKE_MATCH_2}")
  string(REGEX REPLACE " \\| .*" "" operations "${CMAKE_MATCH_1}")
  string(REGEX MATCHALL "`[^`]*`" operations "${operations}")
  string(REGEX MATCHALL "`\\.[a-z_0-9]+\\([^`]*\\)`" members "${members}")
  set(of "")
  foreach(call IN LISTS operations members)
    string(REPLACE "`" "" call "${call}")
    if(call MATCHES "^\\.")
      set(call "${of}${call}")
    elseif(NOT of)
      string(REGEX REPLACE "\\)\\..*" ")" of "${call}")
    endif()
    if(call MATCHES "^[a-z_0-9]+$")
      set(wanted "${call}(")  # only a name
    elseif(call MATCHES "[a-z]")
      set(wanted "\"${call}\"")
    else()
      continue()
    endif()
    math(EXPR count "${count} + 1")
    string(FIND "${list}" "${wanted}" at)
    if(at EQUAL -1)
      string(APPEND missing "  ${call}  docs/reference\n")
    endif()
  endforeach()
endforeach()

if(count LESS 120)
  message(FATAL_ERROR "only ${count} documented operations were found; have the tables changed?")
endif()
if(missing)
  message(FATAL_ERROR "unit_tests/tile/EveryOperation.hpp does not call these of ${count} "
                      "documented operations:\n${missing}"
  )
endif()
message(STATUS "${count} documented operations, each called by EveryOperation.hpp")

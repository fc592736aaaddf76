# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Every name in namespace Batchwork outside detail/ is on a page of the documentation or in an
# example:
#   cmake -D SOURCE_DIR=<checkout> -D CTAGS=<universal-ctags> -P documented_names.cmake
# With -D SEARCH_INDEX=<site>/searchindex.js the search of the site must find each name instead.
# Operators are not checked. Concepts are checked if the version of ctags supports them.

cmake_minimum_required(VERSION 3.22)
if(NOT CTAGS)
  message(STATUS "SKIPPED: universal-ctags was not found")
  return()
endif()
file(GLOB_RECURSE headers "${SOURCE_DIR}/src/*.hpp")
list(FILTER headers EXCLUDE REGEX "/detail/")
set(macros
    BATCHWORK_INLINE
    BATCHWORK_FLATTEN
    BATCHWORK_NODISCARD
    BATCHWORK_OUT_OF_LINE
    KOKKOS_FUNCTION
    KOKKOS_INLINE_FUNCTION
    KOKKOS_FORCEINLINE_FUNCTION
)
list(JOIN macros "," macros)
# Without prototypes, because calls in requires-expressions look like prototypes.
execute_process(
  COMMAND ${CTAGS} --options=NONE -x "--_xformat=%{scope}|%{name}|%{input}:%{line}"
          --language-force=C++ --kinds-C++=cefgstuv -I ${macros} -f - ${headers}
  OUTPUT_VARIABLE tags
  ERROR_VARIABLE messages
  RESULT_VARIABLE failed
)
if(failed)
  message(STATUS "SKIPPED: ${CTAGS} is not universal-ctags: ${messages}")
  return()
endif()

file(GLOB_RECURSE documents "${SOURCE_DIR}/docs/*.md" "${SOURCE_DIR}/example/*.cpp"
     "${SOURCE_DIR}/example/*.hpp"
)
list(APPEND documents "${SOURCE_DIR}/README.md")
if(SEARCH_INDEX)
  set(documents "${SEARCH_INDEX}")
endif()
set(words "")
foreach(document IN LISTS documents)
  file(READ "${document}" text)
  string(REGEX MATCHALL "[A-Za-z_][A-Za-z0-9_]*" found "${text}")
  list(APPEND words ${found})
  list(REMOVE_DUPLICATES words)
endforeach()

string(REGEX MATCHALL "[^\n]+" tags "${tags}")
set(names "")
set(missing "")
foreach(tag IN LISTS tags)
  if(tag MATCHES "^Batchwork\\|([A-Za-z_][A-Za-z0-9_]*)\\|(.*)$"
     AND NOT CMAKE_MATCH_1 IN_LIST names
  )
    list(APPEND names "${CMAKE_MATCH_1}")
    if(NOT CMAKE_MATCH_1 IN_LIST words)
      string(APPEND missing "  ${CMAKE_MATCH_1}  ${CMAKE_MATCH_2}\n")
    endif()
  endif()
endforeach()
list(LENGTH names count)
if(count LESS 150)
  message(FATAL_ERROR "only ${count} public names were found; has ctags changed?")
endif()
if(missing)
  message(FATAL_ERROR "these of ${count} public names were not found:\n${missing}")
endif()
message(STATUS "${count} public names, all found")

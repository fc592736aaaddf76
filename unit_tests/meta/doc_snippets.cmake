# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Run by ctest: every C++ block in the documentation follows a line
#   <!-- from FILE -->
# and must be in that source file, word for word except for indentation. The first block of the
# README must be the code between the `// [example]` markers of example/first_map/main.cpp.

# Reads a file without indentation, and replaces the characters that CMake lists treat specially.
function(read_text result file)
  file(READ "${file}" text)
  string(REPLACE ";" "<semicolon>" text "${text}")
  string(REPLACE "[" "<bracket>" text "${text}")
  string(REPLACE "]" "<end of bracket>" text "${text}")
  string(REGEX REPLACE "\n +" "\n" text "\n${text}")
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE documents "${SOURCE_DIR}/docs/*.md")
list(APPEND documents "${SOURCE_DIR}/README.md" "${SOURCE_DIR}/CONTRIBUTING.md")
set(bad "")
set(count 0)
foreach(document IN LISTS documents)
  read_text(text "${document}")
  string(REGEX MATCHALL "\n```cpp\n" blocks "${text}")
  list(LENGTH blocks all)
  string(REGEX MATCHALL "\n<!-- from [^\n]* -->\n```cpp\n[^`]*\n```\n" blocks "${text}")
  list(LENGTH blocks named)
  if(NOT all EQUAL named)
    string(APPEND bad "\n  ${document}: only ${named} of ${all} C++ blocks follow "
           "`<!-- from FILE -->`"
    )
  endif()
  foreach(block IN LISTS blocks)
    math(EXPR count "${count} + 1")
    string(REGEX MATCH "<!-- from ([^\n]*) -->\n```cpp(\n[^`]*\n)```" matched "${block}")
    set(file "${CMAKE_MATCH_1}")
    set(code "${CMAKE_MATCH_2}")
    if(NOT EXISTS "${SOURCE_DIR}/${file}")
      string(APPEND bad "\n  ${document}: there is no file ${file}")
      continue()
    endif()
    read_text(source "${SOURCE_DIR}/${file}")
    string(FIND "${source}" "${code}" where)
    if(where EQUAL -1)
      string(APPEND bad "\n  ${document}: this is not in ${file}:${code}")
    endif()
  endforeach()
endforeach()

read_text(readme "${SOURCE_DIR}/README.md")
read_text(first_map "${SOURCE_DIR}/example/first_map/main.cpp")
string(REGEX MATCH "\n```cpp(\n[^`]*\n)```\n" matched "${readme}")
set(shown "${CMAKE_MATCH_1}")
set(marker "// <bracket>example<end of bracket>")
string(FIND "${first_map}" "${marker}${shown}${marker}\n" where)
if(NOT shown OR where EQUAL -1)
  string(APPEND bad "\n  README.md: the first C++ block is not the code between the markers of "
         "example/first_map/main.cpp"
  )
endif()

if(bad)
  string(REPLACE "<semicolon>" ";" bad "${bad}")
  string(REPLACE "<bracket>" "[" bad "${bad}")
  string(REPLACE "<end of bracket>" "]" bad "${bad}")
  message(FATAL_ERROR "The documentation shows code that is not compiled:${bad}")
endif()
if(count EQUAL 0)
  message(FATAL_ERROR "no C++ block was found in the documentation")
endif()
message("${count} C++ blocks, each found in its source")

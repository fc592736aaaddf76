# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Run by ctest: compiles SOURCE, misuse.cpp or another, with the project's own flags, once put right, which must succeed, and once as
# it is, which must fail and say every text that stands there after `// says:`. The targets are batchwork_<name of the source>. GCC, which names the caller before each error, must
# say it first of what it says of that mistake.

function(build target result output)
  execute_process(
    COMMAND ${CMAKE_COMMAND} --build "${BUILD_DIR}" --config "${CONFIG}" --target ${target}
    RESULT_VARIABLE code
    OUTPUT_VARIABLE said
    ERROR_VARIABLE said
  )
  set(${result} "${code}" PARENT_SCOPE)
  set(${output} "${said}" PARENT_SCOPE)
endfunction()

get_filename_component(name "${SOURCE}" NAME_WE)
build(batchwork_${name}_put_right code said)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${name}.cpp, put right, does not compile:\n${said}")
endif()

build(batchwork_${name} code said)
if(code EQUAL 0)
  message(FATAL_ERROR "${name}.cpp compiles, and must not")
endif()

# The first error of each mistake: of those whose instantiation was required between its `// says:` and the next.
file(STRINGS "${SOURCE}" lines)
set(number 0)
set(mistakes "")  # the lines of `// says:`
foreach(line IN LISTS lines)
  math(EXPR number "${number} + 1")
  if(line MATCHES "^// says: (.*)")
    list(APPEND mistakes ${number})
    set(wanted_${number} "${CMAKE_MATCH_1}")
    set(first_${number} "")
  endif()
endforeach()
list(LENGTH mistakes count)
if(count EQUAL 0)
  message(FATAL_ERROR "${SOURCE} has no line that begins with `// says:`")
endif()
# The mistake that a line of the source belongs to; stays as it is before the first.
macro(find_mistake line_of_source)
  foreach(begin IN LISTS mistakes)
    if(NOT begin GREATER ${line_of_source})
      set(mistake ${begin})
    endif()
  endforeach()
endmacro()
set(mistake 0)
# Brackets and semicolons would divide the list elsewhere.
string(REGEX REPLACE "[][;]" " " listed "${said}")
string(REPLACE "\n" ";" listed "${listed}")
foreach(line IN LISTS listed)
  if(line MATCHES "${name}\\.cpp:([0-9]+):[0-9]+:.*required from here")
    find_mistake(${CMAKE_MATCH_1})
  elseif(line MATCHES ":[0-9]+:[0-9]+: (fatal )?error: ")
    if(line MATCHES "${name}\\.cpp:([0-9]+):")
      find_mistake(${CMAKE_MATCH_1})
    endif()
    if("${first_${mistake}}" STREQUAL "")
      set(first_${mistake} "${line}")
    endif()
  endif()
endforeach()

set(missing "")
foreach(mistake IN LISTS mistakes)
  set(text "${wanted_${mistake}}")
  if(NAMES_CALLERS_FIRST)
    string(FIND "${first_${mistake}}" "${text}" where)
  else()
    string(FIND "${said}" "${text}" where)
  endif()
  if(where EQUAL -1)
    string(APPEND missing "\n  line ${mistake}: ${text}\n    it said: ${first_${mistake}}")
  endif()
endforeach()
if(missing)
  message("${said}")
  message(FATAL_ERROR "the compiler did not say, or not first:${missing}")
endif()
message("${count} mistakes, each with its message")

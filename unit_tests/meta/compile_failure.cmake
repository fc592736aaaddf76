# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Run by ctest: compiles SOURCE (misuse.cpp or misuse_*.cpp) twice.
#
# - Target batchwork_<source>_put_right: the mistakes are corrected, and it must compile.
# - Target batchwork_<source>: it must not compile, and the compiler must print the text of each
#   comment `// says:`. GCC names the caller before each error, so with GCC the text must be in the
#   first error of each mistake.

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
  message(FATAL_ERROR "${name}.cpp with BATCHWORK_PUT_RIGHT does not compile:\n${said}")
endif()

build(batchwork_${name} code said)
if(code EQUAL 0)
  message(FATAL_ERROR "${name}.cpp compiles, but must not")
endif()

# Find the first error of each mistake: the first one that is instantiated from a line between this
# `// says:` and the next.
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
# Sets `mistake` to the mistake that contains this line of the source.
macro(find_mistake line_of_source)
  foreach(begin IN LISTS mistakes)
    if(NOT begin GREATER ${line_of_source})
      set(mistake ${begin})
    endif()
  endforeach()
endmacro()
set(mistake 0)
# Brackets and semicolons would divide the list in other places.
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
    string(APPEND missing "\n  line ${mistake}: ${text}\n    first error: ${first_${mistake}}")
  endif()
endforeach()
if(missing)
  message("${said}")
  message(FATAL_ERROR "these texts are not in the compiler's output or first error:${missing}")
endif()
message("${count} mistakes, each with the expected message")

# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Run by ctest: compiles misuse.cpp with the project's own flags, once put right, which must succeed,
# and once as it is, which must fail and say every text that stands there after `// says:`.

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

build(batchwork_misuse_put_right code said)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "misuse.cpp, put right, does not compile:\n${said}")
endif()

build(batchwork_misuse code said)
if(code EQUAL 0)
  message(FATAL_ERROR "misuse.cpp compiles, and must not")
endif()

file(STRINGS "${SOURCE}" wanted REGEX "^// says: ")
set(missing "")
set(count 0)
foreach(line IN LISTS wanted)
  string(REPLACE "// says: " "" text "${line}")
  string(FIND "${said}" "${text}" where)
  if(where EQUAL -1)
    string(APPEND missing "\n  ${text}")
  endif()
  math(EXPR count "${count} + 1")
endforeach()
if(missing)
  message(FATAL_ERROR "the compiler did not say:${missing}\nIt said:\n${said}")
endif()
if(count EQUAL 0)
  message(FATAL_ERROR "${SOURCE} has no line that begins with `// says:`")
endif()
message("${count} mistakes, each with its message")

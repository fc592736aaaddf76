# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Checks the exit status of a script and the lines that it printed. Lines after NOT must not be
# printed.
function(expect_said of said code status)
  if(NOT code EQUAL status)
    message(FATAL_ERROR "${of}: exit status ${code} instead of ${status}:\n${said}")
  endif()
  set(wanted YES)
  foreach(line IN LISTS ARGN)
    if(line STREQUAL "NOT")
      set(wanted NO)
      continue()
    endif()
    string(FIND "${said}" "${line}" where)
    if(wanted AND where EQUAL -1)
      message(FATAL_ERROR "${of}: did not print: ${line}\nbut:\n${said}")
    elseif(NOT wanted AND NOT where EQUAL -1)
      message(FATAL_ERROR "${of}: must not print: ${line}\nbut printed:\n${said}")
    endif()
  endforeach()
endfunction()

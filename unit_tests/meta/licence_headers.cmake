# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Checks that every tracked source file begins with the two licence lines, after a `#!` line if it
# has one.

find_package(Git QUIET)
if(NOT GIT_FOUND OR NOT EXISTS "${SOURCE_DIR}/.git")
  message("SKIPPED: this is not a git checkout, or git was not found")
  return()
endif()
execute_process(
  COMMAND ${GIT_EXECUTABLE} -c safe.directory=* -C "${SOURCE_DIR}" ls-files
  OUTPUT_VARIABLE files
  RESULT_VARIABLE result
)
if(NOT result EQUAL 0)
  message("SKIPPED: git cannot read this checkout")
  return()
endif()
string(REPLACE "\n" ";" files "${files}")

# All files are source files except text, data and pictures. JSON is excluded because it has no
# comments.
list(FILTER files EXCLUDE REGEX "(^|/)LICENSE$|\\.(md|rst|txt|json|csv|svg|png|mtx|f64)$")
execute_process(
  COMMAND ${GIT_EXECUTABLE} -c safe.directory=* -C "${SOURCE_DIR}" ls-files "*CMakeLists.txt"
  OUTPUT_VARIABLE lists
)
string(REPLACE "\n" ";" lists "${lists}")
list(APPEND files ${lists})

set(bad "")
set(count 0)
foreach(file IN LISTS files)
  if(NOT file OR NOT EXISTS "${SOURCE_DIR}/${file}")
    continue()
  endif()
  math(EXPR count "${count} + 1")
  file(READ "${SOURCE_DIR}/${file}" head LIMIT 400)
  string(REGEX REPLACE "^#![^\n]*\n" "" head "${head}")
  # The check of REUSE must not read this. REUSE-IgnoreStart
  string(CONCAT licence "^(//|#) SPDX-FileCopyrightText: Copyright the Batchwork contributors\n"
                "(//|#) SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
  )
  # REUSE-IgnoreEnd
  if(NOT head MATCHES "${licence}")
    list(APPEND bad "${file}")
  endif()
endforeach()

if(bad)
  string(REPLACE ";" "\n  " bad "${bad}")
  message(FATAL_ERROR "These files do not begin with the licence lines:\n  ${bad}")
endif()
message("${count} files, each with the licence lines")

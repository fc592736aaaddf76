# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# As CMAKE_PROJECT_INCLUDE: a compiler checks the sources, templates that are used included, but writes no code, and nothing is
# linked. That takes a third of the time.
set(CMAKE_CXX_COMPILE_OBJECT
    "${CMAKE_CURRENT_LIST_DIR}/check_only.sh ${CMAKE_BINARY_DIR}/first <SOURCE> <CMAKE_CXX_COMPILER> <DEFINES> <INCLUDES> <FLAGS>"
    "${CMAKE_COMMAND} -E touch <OBJECT>"
)
set(CMAKE_CXX_LINK_EXECUTABLE "${CMAKE_COMMAND} -E touch <TARGET>")

# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Given as CMAKE_PROJECT_INCLUDE, this file makes the compiler only check the sources and the
# templates that they instantiate. No code is written and nothing is linked, which takes a third of
# the time.
set(CMAKE_CXX_COMPILE_OBJECT
    "${CMAKE_CURRENT_LIST_DIR}/check_only.sh ${CMAKE_BINARY_DIR}/first <SOURCE> \
<CMAKE_CXX_COMPILER> <DEFINES> <INCLUDES> <FLAGS>" "${CMAKE_COMMAND} -E touch <OBJECT>"
)
set(CMAKE_CXX_LINK_EXECUTABLE "${CMAKE_COMMAND} -E touch <TARGET>")

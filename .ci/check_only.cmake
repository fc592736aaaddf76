# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# As CMAKE_PROJECT_INCLUDE: a compiler checks the sources, templates that are used included, but writes no code, and nothing is
# linked. That takes half of the time.
set(CMAKE_CXX_COMPILE_OBJECT
    "<CMAKE_CXX_COMPILER> <DEFINES> <INCLUDES> <FLAGS> -fsyntax-only <SOURCE>"
    "${CMAKE_COMMAND} -E touch <OBJECT>"
)
set(CMAKE_CXX_LINK_EXECUTABLE "${CMAKE_COMMAND} -E touch <TARGET>")

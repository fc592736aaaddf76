# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What cannot be used gets one line on stderr and exit status 2.
#   cmake -D PROGRAM=<many_series> -D WORK=<scratch folder> -P test_input.cmake

include("${CMAKE_CURRENT_LIST_DIR}/../support/expect.cmake")

expect(2 "--no-such-option" --no-such-option)
expect(2 "--series" --series many)
expect(2 "--series" --series 0)
expect(2 "--steps" --steps 1)
file(WRITE "${WORK}/file" "in the way")
expect(2 "file" --output "${WORK}/file")
expect_help("--series")

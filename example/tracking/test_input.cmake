# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What cannot be used gets one line on stderr and exit status 2.
#   cmake -D PROGRAM=<tracking> -D WORK=<scratch folder> -P test_input.cmake

include("${CMAKE_CURRENT_LIST_DIR}/../support/expect.cmake")

expect(2 "--no-such-option" --no-such-option)
expect(2 "--targets" --targets many)
expect(2 "--targets" --targets 0)
expect(2 "--steps" --steps 1)
expect(2 "--filter" --filter particle)
expect(2 "--modes" --modes 4)
expect(2 "--detection" --detection 1.5)
expect(2 "--outliers" --outliers -1)
expect(2 "--chunk" --chunk 0)
expect(2 "--csv: .*cannot be written" --targets 3 --steps 5 --filter ekf --csv no/such/folder/t.csv)

# A track has a row for each step.
foreach(chunk IN ITEMS 1000 10)
  expect(0 "" --targets 20 --steps 30 --filter imm --chunk ${chunk} --detection 0.5 --csv t.csv)
  if(NOT out MATCHES "IMM, 2 modes")
    message(SEND_ERROR "no line for the filter: ${out}")
  endif()
  file(STRINGS "${WORK}/t.csv" rows)
  list(LENGTH rows count)
  list(GET rows 0 header)
  if(NOT count EQUAL 31 OR NOT header MATCHES "^time,true_x")
    message(SEND_ERROR "t.csv has ${count} rows; the first is ${header}")
  endif()
endforeach()

# Nothing is seen: the filters predict, and nothing fails.
expect(0 "" --targets 9 --steps 5 --detection 0)

expect_no_picture(--targets 9 --steps 5 --plot t.png)
expect_help("--targets")

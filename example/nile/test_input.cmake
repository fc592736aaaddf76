# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What cannot be used gets one line on stderr and exit status 2; a gap in the series is no error.
#   cmake -D PROGRAM=<nile> -D WORK=<scratch folder> -P test_input.cmake

include("${CMAKE_CURRENT_LIST_DIR}/../support/expect.cmake")

# A file with the given text.
function(expect_of_file status pattern text)
  file(WRITE "${WORK}/series.csv" "${text}")
  expect(${status} "${pattern}" --grid 16 --data "${WORK}/series.csv")
  set(out "${out}" PARENT_SCOPE)
endfunction()

expect(2 "no_such.csv" --data "${WORK}/no_such.csv")
expect(2 "folder" --data "${WORK}")
expect_of_file(2 "Header" "")
expect_of_file(2 "flow" "year,level\n1871,1120\n1872,1160\n")
expect_of_file(2 "0 observations" "year,flow\n")
expect_of_file(2 "1 observations" "year,flow\n1871,1120\n")
expect_of_file(2 "1 observations" "year,flow\n1871,1120\n1872,\n1873,nan\n")
expect_of_file(2 "line 3: the flow \"much\"" "year,flow\n1871,1120\n1872,much\n1873,963\n")
expect_of_file(2 "line 3: the flow \"1160x\"" "year,flow\n1871,1120\n1872,1160x\n1873,963\n")
expect_of_file(2 "line 2: the flow \"inf\"" "year,flow\n1871,inf\n1872,1160\n1873,963\n")
expect_of_file(2 "line 3: the year \"MDCCC\"" "year,flow\n1871,1120\nMDCCC,1160\n1873,963\n")
expect_of_file(2 "line 4: the year 1872" "year,flow\n1871,1120\n1872,1160\n1872,963\n")
expect_of_file(2 "line 3" "year,flow\n1871,1120\n1872,1160,3,4\n")
expect_of_file(2 "line 3" "year,flow\n1871,1120\n1872\n")

expect(2 "--no-such-option" --no-such-option)
expect(2 "--grid" --grid many)
expect(2 "--grid" --grid 1)
expect(2 "--chunk" --chunk 0)
expect(2 "--level-variance" --level-variance 100 50)
file(WRITE "${WORK}/file" "in the way")
expect(2 "file" --output "${WORK}/file")

file(MAKE_DIRECTORY "${WORK}/occupied/level.csv")
expect(2 "level.csv: cannot be written" --grid 16 --output "${WORK}/occupied")

# Ten flows; then the same with a year that was not observed, written in three ways.
set(before "year,flow\n1871,1120\n1872,1160\n1873,963\n1874,1210\n")
set(after "1876,1160\n1877,813\n1878,1230\n1879,1370\n1880,1140\n")
expect_of_file(0 "" "${before}1875,1160\n${after}")
if(NOT out MATCHES "10 observations")
  message(SEND_ERROR "ten observations were not read: ${out}")
endif()
set(first "")
foreach(missing IN ITEMS "1875,\n" "1875, nan\n" "")
  expect_of_file(0 "" "${before}${missing}${after}")
  if(NOT out MATCHES "9 observations")
    message(SEND_ERROR "nine observations were not read: ${out}")
  endif()
  file(READ "${WORK}/nile_output/level.csv" level)
  if(NOT level MATCHES "\n1875,,[0-9]")
    message(SEND_ERROR "no filtered level for the missing year: ${level}")
  endif()
  if(first AND NOT level STREQUAL first)
    message(SEND_ERROR "another result for another way of writing a missing year")
  endif()
  set(first "${level}")
endforeach()

file(REMOVE_RECURSE "${WORK}/nile_output")
expect_no_picture(--grid 16)
if(NOT EXISTS "${WORK}/nile_output/level.csv")
  message(SEND_ERROR "wants a gnuplot: ${out}")
endif()
expect_help("--grid")

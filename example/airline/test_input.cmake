# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What cannot be used gets one line on stderr and exit status 2; a gap in the series is no error.
#   cmake -D PROGRAM=<airline> -D WORK=<scratch folder> -P test_input.cmake

include("${CMAKE_CURRENT_LIST_DIR}/../support/expect.cmake")

# A file with the given text.
function(expect_of_file status pattern text)
  file(WRITE "${WORK}/series.csv" "${text}")
  expect(${status} "${pattern}" --starts 4 --data "${WORK}/series.csv")
  set(out "${out}" PARENT_SCOPE)
endfunction()

expect(2 "no_such.csv" --data "${WORK}/no_such.csv")
expect(2 "folder" --data "${WORK}")
expect_of_file(2 "Header" "")
expect_of_file(2 "passengers" "month,number\n1949-01,112\n")
expect_of_file(2 "1 observations" "month,passengers\n1949-01,112\n")
expect_of_file(2 "line 3: the month \"1949-13\"" "month,passengers\n1949-12,112\n1949-13,118\n")
expect_of_file(2 "line 2: the month \"January\"" "month,passengers\nJanuary,112\n")
expect_of_file(2 "line 3: the month 1949-03" "month,passengers\n1949-01,112\n1949-03,118\n")
expect_of_file(2 "\"many\" is not a positive" "month,passengers\n1949-01,many\n")
expect_of_file(2 "\"-5\" is not a positive" "month,passengers\n1949-01,-5\n")
expect_of_file(2 "\"inf\" is not a positive" "month,passengers\n1949-01,inf\n")
expect(2 "--no-such-option" --no-such-option)
expect(2 "--starts" --starts many)
expect(2 "--starts" --starts 0)
expect(2 "--ahead" --ahead 0)
file(WRITE "${WORK}/file" "in the way")
expect(2 "file" --output "${WORK}/file")
file(MAKE_DIRECTORY "${WORK}/occupied/components.csv")
expect(2 "components.csv: cannot be written" --starts 4 --output "${WORK}/occupied")

# Five years with a gap of two months.
set(text "month,passengers\n")
foreach(year RANGE 2001 2005)
  foreach(month IN ITEMS 01 02 03 04 05 06 07 08 09 10 11 12)
    math(EXPR value "100 + 7 * (${year} - 2001) + ((${month} * 5 + ${year}) % 13) * 3")
    if(year EQUAL 2003 AND (month EQUAL 5 OR month EQUAL 6))
      set(value "")
    endif()
    string(APPEND text "${year}-${month},${value}\n")
  endforeach()
endforeach()
expect_of_file(0 "" "${text}")
if(NOT out MATCHES "58 observations")
  message(SEND_ERROR "58 observations were not read: ${out}")
endif()
file(READ "${WORK}/airline_output/components.csv" components)
if(NOT components MATCHES "\n2003-05,,[0-9]")
  message(SEND_ERROR "no level for a missing month: ${components}")
endif()

# A gap in the first year: the month that is missing there is known from the second year on.
string(REGEX REPLACE "2001-05,[0-9]+" "2001-05," gap "${text}")
expect_of_file(0 "" "${gap}")
file(READ "${WORK}/airline_output/components.csv" components)
if(NOT components MATCHES "\n2002-05,[0-9.]+,[0-9.]+,[0-9.]+,,,\n2002-06,[0-9.]+,[0-9.]+,[0-9.]+,[0-9]")
  message(SEND_ERROR "the first forecast is not as expected: ${components}")
endif()
# A month that is missing in all years.
string(REGEX REPLACE "-05,[0-9]*" "-05," never "${text}")
expect_of_file(2 "give each month of the year" "${never}")

expect_no_picture(--starts 4)
expect_help("--starts")

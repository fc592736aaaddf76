# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What cannot be used gets one line on stderr and exit status 2. Tables have a line for each cycle.
#   cmake -D PROGRAM=<letkf> -D WORK=<scratch folder> -P test_input.cmake

include("${CMAKE_CURRENT_LIST_DIR}/../support/expect.cmake")

expect(2 "subcommand")
expect(2 "subcommand" no-such-command)
expect(2 "--no-such-option" lorenz96 --no-such-option)
expect(2 "--members" lorenz96 --members many)
expect(2 "--members" lorenz96 --members 1)
expect(2 "--method" lorenz96 --method guess)
expect(2 "no map is compiled for 9 members" lorenz96 --members 9 --method map)
expect(2 "--radius: give a positive number" lorenz96 --radius 0)
expect(2 "--radius: give a positive number" lorenz96 --radius nan)
expect(2 "--inflation" lorenz96 --inflation 0)
expect(2 "--spin-up: give fewer" lorenz96 --cycles 400)
expect(2 "--points" shallow-water --points 8)
expect(2 "--every: give a number that divides" shallow-water --every 5)
expect(2 "--radius: give at most 64" shallow-water --radius inf)
file(WRITE "${WORK}/file" "in the way")
expect(2 "file" lorenz96 --output "${WORK}/file")
file(MAKE_DIRECTORY "${WORK}/occupied/lorenz96.csv")
set(few lorenz96 --cycles 6 --spin-up 2 --experiments 3)
expect(2 "lorenz96.csv: cannot be written" ${few} --output "${WORK}/occupied")

expect(0 "" ${few} --members 5)
file(STRINGS "${WORK}/letkf_output/lorenz96.csv" lines)
list(LENGTH lines count)
if(NOT count EQUAL 7 OR NOT lines MATCHES "^cycle,error,spread")
  message(SEND_ERROR "the table is not as expected: ${lines}")
endif()

# Almost no observations, and ten times the spread at each analysis.
expect(1 "the analysis of [0-9]+ points failed" shallow-water --points 16 --members 4 --deviation 1e6
       --inflation 10 --cycles 50)

expect_no_picture(${few})
expect(0 "" --help)
if(NOT out MATCHES "shallow-water")
  message(SEND_ERROR "--help does not list the commands: ${out}")
endif()

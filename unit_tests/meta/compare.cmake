# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Run by ctest: tests perf_tests/compare.py on results that are made here.

include("${CMAKE_CURRENT_LIST_DIR}/expect_said.cmake")

cmake_minimum_required(VERSION 3.22)

find_program(python python3)
if(NOT python)
  message("SKIPPED: python3 was not found")
  return()
endif()
file(MAKE_DIRECTORY "${WORK_DIR}")

# Writes a result file with these entries. entry(<result> NAME TIME UNIT) makes an entry.
function(results name device)
  list(JOIN ARGN "," entries)
  file(WRITE "${WORK_DIR}/${name}.json"
       "{\"context\":{\"date\":\"${name}\",\"device\":\"${device}\"},\"benchmarks\":[${entries}]}"
  )
endfunction()
function(entry result name time unit)
  set(${result}
      "{\"name\":\"${name}\",\"run_name\":\"${name}\",\"run_type\":\"iteration\",\
\"real_time\":${time},\"time_unit\":\"${unit}\"${ARGN}}"
      PARENT_SCOPE
  )
endfunction()

# Compares two result files, and checks the exit status and the lines that must be printed. Lines
# after NOT must not be printed.
function(says before after status)
  set(files "")
  foreach(name IN ITEMS ${before} ${after})
    if(NOT name MATCHES "\\.csv$")
      string(APPEND name ".json")
    endif()
    list(APPEND files "${WORK_DIR}/${name}")
  endforeach()
  execute_process(
    COMMAND "${python}" "${SOURCE_DIR}/perf_tests/compare.py" ${files} --share 0.05
    RESULT_VARIABLE code
    OUTPUT_VARIABLE said
    ERROR_VARIABLE said
  )
  expect_said("${before}, ${after}" "${said}" "${code}" "${status}" ${ARGN})
endfunction()

entry(a_2ms "map/D:2" 2 ms)
entry(a_2080us "map/D:2" 2080 us)
entry(a_2120us "map/D:2" 2120 us)
entry(a_1500us "map/D:2" 1500 us)
entry(a_fails "map/D:2" 0 us ",\"error_occurred\":true,\"error_message\":\"no\"")
entry(old "map/old" 3 ns)
entry(new "map/new" 7 s)
results(before H200 ${a_2ms} ${old})

# Slower by less than the share, by more, and faster. The units differ.
results(within H200 ${a_2080us} ${new})
says(before within 0 "| map/D:2 | 2 ms | 2.08 ms | 1.040 |  |"
     "| only before | time |\n| --- | --- |\n| map/old | 3 ns |"
     "| only after | time |\n| --- | --- |\n| map/new | 7 s |"
     "1 compared, 0 slower by more than 5 %, 0 faster" NOT "| context |"
)
results(beyond GH200 ${a_2120us})
says(before beyond 1 "| map/D:2 | 2 ms | 2.12 ms | 1.060 | slower |" "| device | H200 | GH200 |"
     "1 slower"
)
results(faster H200 ${a_1500us})
says(before faster 0 "| map/D:2 | 2 ms | 1.5 ms | 0.750 | faster |" "1 faster")

# A benchmark that fails only after is an error. One that failed before is not.
results(failing H200 ${a_fails} ${old})
says(before failing 1 "| map/D:2 | 2 ms | failed |  | fails |"
     "1 compared, 0 slower by more than 5 %, 0 faster, 1 failing now"
)
says(failing before 0 "| map/D:2 | failed | 2 ms |  |  |")

# With repetitions the median is compared: the median in the file, or the median of the runs. The
# numbers of iterations and repetitions are not part of the name.
entry(run_1 "map/D:2/iterations:5/repeats:3" 9 ms)
entry(run_2 "map/D:2/iterations:5/repeats:3" 1 ms)
entry(run_3 "map/D:2/iterations:5/repeats:3" 2.02 ms)
string(REPLACE "}" ",\"aggregate_name\":\"mean\"}" mean "${run_1}")
string(REPLACE "}" ",\"aggregate_name\":\"median\"}" median "${run_3}")
string(REPLACE "\"iteration\"" "\"aggregate\"" mean "${mean}")
string(REPLACE "\"iteration\"" "\"aggregate\"" median "${median}")
results(runs H200 ${run_1} ${run_2} ${run_3} ${mean})
says(before runs 0 "| map/D:2 | 2 ms | 2.02 ms | 1.010 |  |")
results(aggregates H200 ${mean} ${median})
says(before aggregates 0 "| map/D:2 | 2 ms | 2.02 ms | 1.010 |  |")

# It is an error if no entries can be compared.
results(other H200 ${new})
says(before other 2 "no entry in common")
file(WRITE "${WORK_DIR}/text.json" "[]")
says(before text 2 "text.json is not a result")
says(before missing 2 "missing.json is not a result")

# Results that results.py keeps are compared in the same way as the original results.
foreach(name IN ITEMS before beyond failing runs)
  execute_process(
    COMMAND "${python}" "${SOURCE_DIR}/perf_tests/results.py" "${WORK_DIR}/${name}.json" --keep
            "${WORK_DIR}/kept/${name}" COMMAND_ERROR_IS_FATAL ANY
  )
endforeach()
says(before kept/beyond.csv 1 "| map/D:2 | 2 ms | 2.12 ms | 1.060 | slower |"
     "| device | H200 | GH200 |"
)
says(kept/before.csv failing 1 "| map/D:2 | 2 ms | failed |  | fails |")
says(before kept/failing.csv 1 "| map/D:2 | 2 ms | failed |  | fails |")
says(kept/before.csv kept/runs.csv 0 "| map/D:2 | 2 ms | 2.02 ms | 1.010 |  |")
file(REMOVE "${WORK_DIR}/kept/before.json")
says(kept/before.csv before 2 "before.csv is not a result")

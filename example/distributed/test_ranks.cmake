# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The results do not depend on the number of ranks, nor on a rank that dies before a restart; what
# cannot be used gets one line on stderr and exit status 2.
#   cmake -D DISTRIBUTED=<program> -D MPIEXEC=<mpirun> -D WORK=<scratch folder> -D DATA=<folder or
#         nothing> -P test_ranks.cmake

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")

# More ranks than cores, as root, with one thread each.
set(ENV{OMPI_ALLOW_RUN_AS_ROOT} 1)
set(ENV{OMPI_ALLOW_RUN_AS_ROOT_CONFIRM} 1)
# Open MPI looks for networks for two seconds, and prints that there are none.
set(ENV{OMPI_MCA_pml} ob1)
set(ENV{OMPI_MCA_btl} "^uct,ofi")
set(ENV{OMPI_MCA_osc} "^ucx")
set(ENV{OMP_NUM_THREADS} 1)
set(ENV{OMP_PROC_BIND} false)
set(ENV{KOKKOS_DISABLE_WARNINGS} 1)
execute_process(COMMAND "${MPIEXEC}" --version OUTPUT_VARIABLE version)
set(more "")
if(version MATCHES "Open MPI|OpenRTE|PRRTE|prte")
  set(more --oversubscribe --bind-to none)
endif()

# Runs the program on ranks; the status must be as given, or not 0 if it is "killed". Sets `out`,
# `err` and `checksum`.
function(run status ranks)
  set(command "${DISTRIBUTED}" ${ARGN})
  if(NOT ranks EQUAL 0)
    list(PREPEND command "${MPIEXEC}" ${more} -n ${ranks})
  endif()
  execute_process(
    COMMAND ${command}
    WORKING_DIRECTORY "${WORK}"
    RESULT_VARIABLE result
    OUTPUT_VARIABLE out
    ERROR_VARIABLE err
    TIMEOUT 120
  )
  if((status STREQUAL "killed" AND result STREQUAL "0")
     OR (NOT status STREQUAL "killed" AND NOT result STREQUAL status)
  )
    message(SEND_ERROR "${ranks} ranks of ${ARGN}: status ${result}, not ${status}\n${out}\n${err}")
  endif()
  string(REGEX MATCH "[^\n]*\n  checksum of the results: [0-9a-f]*" checksum "${out}")
  set(out "${out}" PARENT_SCOPE)
  set(err "${err}" PARENT_SCOPE)
  set(checksum "${checksum}" PARENT_SCOPE)
endfunction()

# The last two lines, the outcome and the checksum, must be those of the first run.
function(expect_same what)
  if(NOT checksum OR NOT checksum STREQUAL first)
    message(SEND_ERROR "${what}: \"${checksum}\" instead of \"${first}\"\n${out}")
  endif()
endfunction()

function(expect_match text pattern)
  if(NOT text MATCHES "${pattern}")
    message(SEND_ERROR "should match \"${pattern}\": ${text}")
  endif()
endfunction()

# Forty chunks and a short one. A rank dies in its second chunk, and others go on.
function(check_workload name)
  run(0 0 ${ARGN})
  set(first "${checksum}")
  foreach(ranks IN ITEMS 2 4)
    run(0 ${ranks} ${ARGN} --costs ${name}.csv)
    expect_same("${ranks} ranks")
    expect_match("${out}" "imbalance: the busiest rank computed [0-9]")
    file(STRINGS "${WORK}/${name}.csv" costs)
    list(LENGTH costs count)
    if(NOT count EQUAL 42)
      message(SEND_ERROR "${count} lines of costs instead of 42")
    endif()
    # The checkpoint of four ranks has the results.
    set(file ${name}${ranks}.h5)
    set(results "")
    if(ranks EQUAL 4)
      set(results --results)
    endif()
    run(killed ${ranks} ${ARGN} --checkpoint ${file} ${results} --fail-rank 1)
    math(EXPR others "6 - ${ranks}")
    run(0 ${others} ${ARGN} --checkpoint ${file} --restart)
    expect_same("restart of ${file}")
    expect_match("${out}" "rank 1 did not finish chunk [0-9]+ .items [0-9]+ to [0-9]+.; chunks that it had done: 1\n")
    run(0 0 ${ARGN} --checkpoint ${file} --restart)
    expect_same("second restart of ${file}")
    expect_match("${out}" "41 of 41 chunks are done")
  endforeach()
  # The results are the last numbers of the file.
  file(SIZE "${WORK}/${file}" size)
  math(EXPR last "${size} - 8")
  execute_process(
    COMMAND dd if=/dev/urandom of=${file} bs=1 count=7 seek=${last} conv=notrunc
    WORKING_DIRECTORY "${WORK}"
    ERROR_QUIET
  )
  run(0 2 ${ARGN} --checkpoint ${file} --restart)
  expect_same("after damage of ${file}")
  expect_match("${out}" "for chunk 40 .* are damaged\n40 of 41 chunks are done")
  set(first "${first}" PARENT_SCOPE)
endfunction()

check_workload(sweep sweep --grid 64 --chunk 100)
expect_match("${first}" "log-likelihood -632.54")
check_workload(chemistry chemistry --items 2001 --chunk 50)
expect_match("${first}" " 0 systems failed")
if(IS_DIRECTORY "${DATA}")
  run(0 2 chemistry --items 400 --chunk 50 --data "${DATA}")
  expect_match("${checksum}" " 0 systems failed")
endif()

function(expect_refused pattern)
  run(2 0 ${ARGN})
  expect_match("${err}" "^distributed: [^\n]*\n$")
  expect_match("${err}" "${pattern}")
endfunction()
expect_refused("workload")
expect_refused("weather" weather)
expect_refused("--no-such-option" sweep --no-such-option)
expect_refused("--grid" sweep --grid 1)
expect_refused("--chunk" sweep --chunk 0)
expect_refused("--checkpoint" sweep --restart)
expect_refused("no_such.csv" sweep --data no_such.csv)
expect_refused("no_such/pattern.mtx" chemistry --data no_such)
expect_refused("no_such/x.h5" sweep --checkpoint no_such/x.h5)
expect_refused("no_such.h5" sweep --checkpoint no_such.h5 --restart)
expect_refused("sweep2.h5: exists" sweep --checkpoint sweep2.h5)
expect_refused("sweep.csv: cannot be opened" sweep --checkpoint sweep.csv --restart)
expect_refused("sweep2.h5: is a checkpoint of another problem: sweep of 64" sweep --grid 65 --checkpoint
               sweep2.h5 --restart)
# On several ranks the line comes once.
run(2 4 sweep --grid 1)
string(REGEX MATCHALL "distributed: --grid" lines "${err}")
if(NOT lines STREQUAL "distributed: --grid")
  message(SEND_ERROR "not one line: ${err}")
endif()
run(0 2 --help)
expect_match("${out}" "--checkpoint")

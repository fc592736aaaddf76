# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# soak.sh with a test program of the library for some seconds, and with programs that fail or hang.
# Variables: SOAK, WORK, PROGRAM (optional).

cmake_minimum_required(VERSION 3.22)
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")

# soak(<status> <text that the output must have> <arguments>...)
function(soak status text)
  execute_process(
    COMMAND bash "${SOAK}" ${ARGN}
    OUTPUT_VARIABLE said
    ERROR_VARIABLE said
    RESULT_VARIABLE ended
  )
  if(NOT ended EQUAL status OR NOT said MATCHES "${text}")
    message(FATAL_ERROR "soak.sh ${ARGN} ended with ${ended} and without \"${text}\":\n${said}")
  endif()
endfunction()

function(program name text)
  file(WRITE "${WORK}/${name}" "#!/bin/sh\n${text}\n")
  file(CHMOD "${WORK}/${name}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endfunction()

program(passes "sleep 0.2")
program(fails_at_8
        "sleep 0.2; [ $BATCHWORK_TEST_SEED != 8 ] || { echo '[  FAILED  ] A.B (1 ms)'; exit 1; }"
)
soak(0 "soak: [1-9][0-9]* runs in [1-9][0-9]* s, 0 failed" --seconds 1 --seed 7 "${WORK}/passes")
soak(1 "FAILED: seed 8, fails_at_8 A.B\n.*repeat: BATCHWORK_TEST_SEED=8 [^ ]*fails_at_8 .*A.B"
     --seconds 3 --seed 7 "${WORK}/passes" "${WORK}/fails_at_8"
)
soak(2 "--seed must be" --seed 0 "${WORK}/passes")
soak(2 "needs a number" --hours long "${WORK}/passes")
soak(2 "nothing to run" --seconds 1)
if(PROGRAM)
  soak(0 "runs in [0-9]+ s, 0 failed" --seconds 2 "${PROGRAM}")
endif()

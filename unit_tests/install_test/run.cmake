# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Run by ctest: installs Batchwork if HOW is "installed", then configures, builds and runs the
# consumer from scratch.

file(REMOVE_RECURSE "${WORK_DIR}")
file(MAKE_DIRECTORY "${WORK_DIR}")

function(step what)
  message("-- ${what}")
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${what}: failed")
  endif()
endfunction()

if(HOW STREQUAL "installed")
  step("install" ${CMAKE_COMMAND} --install "${BUILD_DIR}" --prefix "${WORK_DIR}/prefix")
  set(where -D "Batchwork_ROOT=${WORK_DIR}/prefix")
else()
  set(where -D "BATCHWORK_SOURCE_DIR=${SOURCE_DIR}")
endif()

step(
  "configure"
  ${CMAKE_COMMAND} -S "${CONSUMER}" -B "${WORK_DIR}/build" -G "${GENERATOR}" ${where}
  -D "CMAKE_CXX_COMPILER=${COMPILER}" -D "CMAKE_CXX_FLAGS=${CXX_FLAGS}"
  -D "CMAKE_BUILD_TYPE=${BUILD_TYPE}" -D "Kokkos_DIR=${Kokkos_DIR}"
)
step("build" ${CMAKE_COMMAND} --build "${WORK_DIR}/build")

message("-- run")
execute_process(
  COMMAND "${WORK_DIR}/build/consumer" OUTPUT_VARIABLE said RESULT_VARIABLE result
)
message("${said}")
if(NOT result EQUAL 0 OR NOT said MATCHES "^Batchwork ${VERSION} \\([0-9a-z-]+\\)")
  message(FATAL_ERROR "the consumer did not say what it should")
endif()

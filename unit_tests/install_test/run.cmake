# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Run by ctest. Installs Batchwork if HOW is "installed"; builds it as a shared library with the dense
# kernels and installs it if HOW is "shared". Then configures, builds and runs the consumer from
# scratch. Also checks the messages that a user gets, and which files are installed with the user's
# project.

cmake_minimum_required(VERSION 3.22)

file(REMOVE_RECURSE "${WORK_DIR}")
file(MAKE_DIRECTORY "${WORK_DIR}")

function(step what)
  message("-- ${what}")
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${what}: failed")
  endif()
endfunction()

# Runs a command that must fail and print each of the texts.
function(must_say what texts)
  message("-- ${what}")
  execute_process(
    COMMAND ${ARGN}
    RESULT_VARIABLE result
    OUTPUT_VARIABLE said
    ERROR_VARIABLE said
  )
  if(result EQUAL 0)
    message(FATAL_ERROR "${what}: did not fail:\n${said}")
  endif()
  string(REGEX REPLACE "[ \n]+" " " said "${said}")
  foreach(text IN LISTS texts)
    string(FIND "${said}" "${text}" where)
    if(where EQUAL -1)
      message(FATAL_ERROR "${what}: did not print \"${text}\", but:\n${said}")
    endif()
  endforeach()
endfunction()

set(where -D "Batchwork_ROOT=${WORK_DIR}/prefix")
if(HOW STREQUAL "installed")
  step("install" ${CMAKE_COMMAND} --install "${BUILD_DIR}" --prefix "${WORK_DIR}/prefix")
elseif(HOW STREQUAL "shared")
  step(
    "configure the shared library"
    ${CMAKE_COMMAND} -S "${SOURCE_DIR}" -B "${WORK_DIR}/library" -G "${GENERATOR}"
    -D "CMAKE_CXX_COMPILER=${COMPILER}" -D "CMAKE_CXX_FLAGS=${CXX_FLAGS}" -D "CMAKE_BUILD_TYPE=Debug"
    -D "CMAKE_CXX_FLAGS_DEBUG=-O0" -D "Kokkos_DIR=${Kokkos_DIR}" -D BUILD_SHARED_LIBS=ON
    -D Batchwork_KERNELS=dense -D Batchwork_ENABLE_TESTS=OFF -D Batchwork_ENABLE_BENCHMARKS=OFF
    -D Batchwork_ENABLE_EXAMPLES=OFF -D CMAKE_UNITY_BUILD_BATCH_SIZE=24
  )
  step("build the shared library" ${CMAKE_COMMAND} --build "${WORK_DIR}/library")
  step("install" ${CMAKE_COMMAND} --install "${WORK_DIR}/library" --prefix "${WORK_DIR}/prefix")
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

foreach(program IN ITEMS consumer consumer_header_only)
  message("-- run ${program}")
  execute_process(
    COMMAND "${WORK_DIR}/build/${program}" OUTPUT_VARIABLE said RESULT_VARIABLE result
  )
  message("${said}")
  if(NOT result EQUAL 0 OR NOT said MATCHES "^Batchwork ${VERSION} \\([0-9a-z-]+\\)")
    message(FATAL_ERROR "${program} failed or did not print the version")
  endif()
endforeach()

if(HOW STREQUAL "shared" AND NOT NVCC)
  must_say(
    "without the set" "in the set solvers, which libbatchwork was built without" ${CMAKE_COMMAND}
    --build "${WORK_DIR}/build" --target consumer_of_solvers
  )
endif()

if(NOT NVCC AND NOT HOW STREQUAL "shared")
  must_say(
    "without exceptions" "error: #error \"Batchwork needs exceptions" ${CMAKE_COMMAND} --build
    "${WORK_DIR}/build" --target consumer_without_exceptions
  )
endif()

# Installing a project that contains Batchwork installs nothing of Batchwork, unless the project
# sets Batchwork_INSTALL.
if(HOW STREQUAL "subdirectory")
  foreach(asked IN ITEMS OFF ON)
    if(asked)
      step("configure again" ${CMAKE_COMMAND} -D Batchwork_INSTALL=ON "${WORK_DIR}/build")
    endif()
    step("install" ${CMAKE_COMMAND} --install "${WORK_DIR}/build" --prefix
         "${WORK_DIR}/prefix_${asked}"
    )
    file(GLOB_RECURSE there RELATIVE "${WORK_DIR}/prefix_${asked}" "${WORK_DIR}/prefix_${asked}/*")
    if(asked AND NOT "include/batchwork/Batchwork.hpp" IN_LIST there OR NOT asked AND there)
      message(FATAL_ERROR "with Batchwork_INSTALL=${asked} these files are installed: ${there}")
    endif()
  endforeach()
  return()
endif()

must_say(
  "components" "Batchwork has no components;leave out: quick, brown" ${CMAKE_COMMAND} -S
  "${FINDING}" -B "${WORK_DIR}/finding" -G "${GENERATOR}" ${where} -D
  "CMAKE_CXX_COMPILER=${COMPILER}" -D "Kokkos_DIR=${Kokkos_DIR}"
)

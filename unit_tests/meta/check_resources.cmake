# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Run by ctest: tests perf_tests/check_resources.sh on saved output of cuobjdump (CUDA 13.0, sm_90),
# so no device is needed.

include("${CMAKE_CURRENT_LIST_DIR}/expect_said.cmake")

cmake_minimum_required(VERSION 3.22)

find_program(filt c++filt)
find_program(cat cat)
if(NOT filt OR NOT cat)
  message("SKIPPED: c++filt or cat was not found")
  return()
endif()

file(MAKE_DIRECTORY "${WORK_DIR}")
file(WRITE "${WORK_DIR}/cuobjdump" "#!/bin/sh\nexec '${cat}' \"$2\"\n")
file(CHMOD "${WORK_DIR}/cuobjdump" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)

# The output of cuobjdump for one kernel.
function(kernel result name stack local)
  set(${result}
      " Function ${name}:\n  REG:128 STACK:${stack} SHARED:1040 LOCAL:${local} CONSTANT[2]:24 \
CONSTANT[0]:1048 TEXTURE:0 SURFACE:0 SAMPLER:0\n"
      PARENT_SCOPE
  )
endfunction()
function(team_kernel result functor stack local)
  kernel(
    text
    "void Kokkos::Impl::cuda_parallel_launch_local_memory<Kokkos::Impl::ParallelFor<${functor}, \
Kokkos::TeamPolicy<Kokkos::Cuda>, Kokkos::Cuda> >(Kokkos::Impl::ParallelFor<${functor}>)"
    "${stack}"
    "${local}"
  )
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# Runs the script on output of cuobjdump, and checks its exit status and the lines that it prints.
function(says text status)
  file(WRITE "${WORK_DIR}/executable"
       "Fatbin elf code:\narch = sm_90\nResource usage:\n Common:\n  GLOBAL:0\n${text}"
  )
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env "CUOBJDUMP=${WORK_DIR}/cuobjdump" "${BASH}"
            "${SOURCE_DIR}/perf_tests/check_resources.sh" "${WORK_DIR}/executable"
    RESULT_VARIABLE code
    OUTPUT_VARIABLE said
    ERROR_VARIABLE said
  )
  expect_said("check_resources.sh" "${said}" "${code}" "${status}" ${ARGN})
endfunction()

# A mangled name.
kernel(
  cg
  "_ZN6Kokkos4Impl33cuda_parallel_launch_local_memoryINS0_11ParallelForIN9Batchwork4Impl10\
SolveTeamsIdNS4_12SolveProblemIdNS3_18ConjugateGradientsENS3_16\
NoPreconditionerENS4_10AnySystemsIdEEEENS4_18\
EntriesInRegistersIdLi4ELi3EEELi4ELb0EEENS_10TeamPolicyIJNS_4CudaENS_9IndexTypeIlEENS_12\
LaunchBoundsILj128ELj4EEENS_12Experimental16WorkItemProperty20ImplWorkItemPropertyILm1EEEEEESG_EE\
Lj128ELj4EEEvT_"
  40
  0
)
team_kernel(solve_at_limit "Batchwork::Impl::SolveTeams<float, int>" 256 0)
team_kernel(solve_beyond "Batchwork::Impl::SolveTeams<float, int>" 264 0)
team_kernel(multiply "Batchwork::Impl::MultiplyTeams<double, int>" 0 0)
team_kernel(multiply_local "Batchwork::Impl::MultiplyTeams<double, int>" 0 8)
team_kernel(
  lane "Batchwork::Impl::DeviceKernel<Batchwork::Impl::MapGroup<Seq, Batchwork::OneLane, int> >" 8
  0
)
team_kernel(
  lanes
  "Batchwork::Impl::DeviceKernel<Batchwork::Impl::MapGroup<Seq, \
Batchwork::GridLanes<4, 16, true, 32>, int> >"
  104
  0
)
team_kernel(peer "KokkosBatched::Solve<Batchwork::Impl::SolveTeams<float, int> >" 1000 0)

says("${cg}${solve_at_limit}${multiply}${lanes}${peer}" 0
     "some    registers 128  stack   40  local    0  \
SolveTeams<double, SolveProblem<double, ConjugateGradients"
     "ok      registers 128  stack    0  local    0  MultiplyTeams<double, int>"
     "executable: 4 Batchwork kernels, 3 with stack or local memory within the limits \
(40 to 256 bytes), 0 beyond"
)
says("${cg}${solve_beyond}" 1 "SPILLS  registers 128  stack  264"
     "2 Batchwork kernels, 1 with stack or local memory within the limits \
(40 to 40 bytes), 1 beyond"
)
says("${lane}" 1 "SPILLS  registers 128  stack    8" "1 beyond")
says("${multiply_local}" 1 "SPILLS  registers 128  stack    0  local    8" "1 beyond")
says("${multiply}" 0
     "1 Batchwork kernels, 0 with stack or local memory within the limits, 0 beyond"
)
says("${peer}" 1 "no Batchwork kernels found")

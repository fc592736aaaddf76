# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

cmake_minimum_required(VERSION 3.22)

# The kernels of libbatchwork: what is compiled once, for float and double and for every execution
# space that Kokkos was built with.
#
# Batchwork_KERNELS chooses among these sets:
#
#   dense    copy, fill_random, gemm, cholesky, solve_cholesky, solve_lower, solve_upper, lu,
#            solve_lu, inverse, determinant, qr, least_squares, eigh, svd
#   solvers  solve by conjugate_gradients, bicgstab and gmres with no_preconditioner, jacobi and
#            block_jacobi; solve by direct_lu; solve_tridiagonal; the verbs on systems
#   all      both, and all other solvers and preconditioners
#
# An empty list builds no library: each file that calls a verb then compiles its kernels.

# batchwork_kernels(<set> <header> <struct> [<case>...] [DEVICES] [NUMBERS <number>...]
#                   [CASES <case>...])
#
# An entry of the list for each number and case: the functions of <struct><number, case, execution
# space>, which <header> defines, are compiled. The numbers are float and double by default. With
# `NUMBERS none` the cases alone name the types. DEVICES: only if Kokkos has a device.
set(_batchwork_kernels "")
function(batchwork_kernels set header struct)
  cmake_parse_arguments(ARG "DEVICES" "" "NUMBERS;CASES" ${ARGN})
  list(APPEND ARG_CASES ${ARG_UNPARSED_ARGUMENTS})
  if("${ARG_CASES}" STREQUAL "")
    set(ARG_CASES none)
  endif()
  if("${ARG_NUMBERS}" STREQUAL "")
    set(ARG_NUMBERS float double)
  endif()
  set(kernels ${_batchwork_kernels})
  foreach(number IN LISTS ARG_NUMBERS)
    foreach(case IN LISTS ARG_CASES)
      string(REPLACE "none, " "" arguments "${number}, ${case}, ")
      list(APPEND kernels "${set}|${ARG_DEVICES}|${header}|${struct}<${arguments}")
    endforeach()
  endforeach()
  set(_batchwork_kernels ${kernels} PARENT_SCOPE)
endfunction()

# ---------------------------------------------------------------------------------------------
# The list
# ---------------------------------------------------------------------------------------------
# Solves by a configuration call the kernels of all other solves. They are first, so that no source
# combines them with those, which it would compile again (unity builds, see below).
set(_krylov krylov/detail/Batchwork_)
batchwork_kernels(solvers ${_krylov}ConfiguredSolveKernels.hpp ConfiguredSolveLaunch false)
batchwork_kernels(all ${_krylov}ConfiguredSolveKernels.hpp ConfiguredSolveLaunch true)
batchwork_kernels(
  dense
  dense/copy/detail/Batchwork_CopyCompiled.hpp
  CopyLaunch
  NUMBERS
  none
  CASES
  std::uint8_t
  std::uint16_t
  std::uint32_t
  std::uint64_t
  CopyWide
  CopyFloats
  CopyDoubles
)
batchwork_kernels(dense dense/random/detail/Batchwork_FillKernels.hpp FillLaunch)
batchwork_kernels(
  dense
  dense/gemm/detail/Batchwork_GemmKernels.hpp
  GemmLaunch
  0
  bytes_of_small_fixed
  bytes_of_large_fixed
)
batchwork_kernels(
  dense
  dense/cholesky/detail/Batchwork_TriangleKernels.hpp
  TriangleLaunch
  TriangleTask::factors
  TriangleTask::solutions
)
batchwork_kernels(dense dense/common/detail/Batchwork_CommonKernels.hpp CommonLaunch)
batchwork_kernels(dense dense/lu/detail/Batchwork_LuInWorkspaceKernels.hpp LuInWorkspaceLaunch)
batchwork_kernels(
  dense
  dense/lu/detail/Batchwork_LuKernels.hpp
  LuLaunch
  LuTask::factors
  LuTask::solution
  LuTask::solutions
  LuTask::inverses
)
set(_decompositions dense/decompositions/detail/Batchwork_)
batchwork_kernels(dense ${_decompositions}QrKernels.hpp QrLaunch)
batchwork_kernels(dense ${_decompositions}QrKernels.hpp LeastSquaresLaunch)
batchwork_kernels(dense ${_decompositions}EighKernels.hpp EighLaunch)
batchwork_kernels(dense ${_decompositions}SvdInMemoryKernels.hpp SvdInMemoryLaunch)
batchwork_kernels(
  dense ${_decompositions}SvdKernels.hpp SvdLaunch SvdTask::values SvdTask::vectors
)

batchwork_kernels(
  solvers
  banded/detail/Batchwork_TridiagonalKernels.hpp
  TridiagonalLaunch
  TridiagonalPivots::as_they_stand
  TridiagonalPivots::largest
)
batchwork_kernels(
  solvers banded/detail/Batchwork_TridiagonalCommonKernels.hpp TridiagonalCommonLaunch
)
# Direct solves: systems and factors in float, in double, or in double and float.
set(_direct krylov/direct/detail/Batchwork_)
foreach(_numbers IN ITEMS float,float double,double double,float)
  string(REPLACE "," ";" _numbers "${_numbers}")
  list(GET _numbers 0 _number)
  list(GET _numbers 1 _factor)
  batchwork_kernels(solvers ${_direct}DirectKernels.hpp DirectSizes ${_factor} NUMBERS ${_number})
  foreach(_task IN ITEMS whole factorise substitute)
    batchwork_kernels(
      solvers
      ${_direct}DirectKernels.hpp
      DirectLaunch
      "DirectTask::${_task}, ${_factor}"
      NUMBERS
      ${_number}
    )
  endforeach()
endforeach()
foreach(_task IN ITEMS whole factorise substitute)
  batchwork_kernels(
    solvers
    ${_direct}DirectTilesKernels.hpp
    DirectTilesLaunch
    "DirectTask::${_task}, 2, 4"
    "DirectTask::${_task}, 5, 6"
    "DirectTask::${_task}, 7, 8"
    "DirectTask::${_task}, 10, 18"
    DEVICES
  )
endforeach()
batchwork_kernels(solvers ${_direct}DirectLanesKernels.hpp DirectLanesLaunch DEVICES)
batchwork_kernels(solvers ${_direct}SymbolicKernels.hpp SymbolicLaunch)

batchwork_kernels(
  solvers krylov/verbs/detail/Batchwork_SystemVerbKernels.hpp SystemVerbLaunch
)
batchwork_kernels(solvers krylov/verbs/detail/Batchwork_MultiplyKernels.hpp MultiplyLaunch)
# Iterative solves: each solver with each preconditioner, in the form that kernels have; last, whether
# systems are scaled.
foreach(_solver IN ITEMS ConjugateGradients Bicgstab Gmres Richardson Cgs)
  foreach(_preconditioner IN ITEMS NoPreconditioner Jacobi BlocksInKernel IluInKernel IsaiInKernel)
    set(_set solvers)
    if(_solver MATCHES "Richardson|Cgs" OR _preconditioner MATCHES "Ilu|Isai")
      set(_set all)
    endif()
    set(_case "${_solver}, ${_preconditioner}")
    batchwork_kernels(${_set} ${_krylov}SolveKernels.hpp SolveLaunch "${_case}, false")
    batchwork_kernels(all ${_krylov}SolveKernels.hpp SolveLaunch "${_case}, true")
  endforeach()
endforeach()

# ---------------------------------------------------------------------------------------------
# Libraries of these kernels
# ---------------------------------------------------------------------------------------------
# Writes the sources of these sets to <folder>, and the header that says which sets they are. Sets
# ${sources} to the sources. devices: whether Kokkos has devices.
function(batchwork_write_kernels folder sets devices sources)
  set(known dense solvers all)
  foreach(set IN LISTS sets)
    if(NOT set IN_LIST known)
      message(FATAL_ERROR "Batchwork_KERNELS is a list of dense, solvers and all, not ${set}")
    endif()
  endforeach()
  if("all" IN_LIST sets)
    set(sets ${known})
  endif()
  foreach(set IN LISTS known)
    string(TOUPPER "COMPILED_${set}" compiled)
    set(${compiled} false)
    if(set IN_LIST sets)
      set(${compiled} true)
    endif()
  endforeach()
  set(written "")
  foreach(entry IN LISTS _batchwork_kernels)
    string(REPLACE "|" ";" entry "${entry}")
    list(GET entry 0 set)
    list(GET entry 1 only_devices)
    list(GET entry 2 HEADER)
    list(GET entry 3 KERNELS)
    if(set IN_LIST sets AND (devices OR NOT only_devices))
      string(MAKE_C_IDENTIFIER "${KERNELS}" name)
      string(REGEX REPLACE "_+" "_" name "${name}")
      string(REGEX REPLACE "_$" "" name "${name}")
      configure_file(
        "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/Batchwork_Kernels.cpp.in"
        "${folder}/kernels/${name}.cpp" @ONLY
      )
      list(APPEND written "${folder}/kernels/${name}.cpp")
    endif()
  endforeach()
  set(header "${folder}/include/Batchwork_CompiledKernels.hpp")
  if(written)
    configure_file(
      "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/Batchwork_CompiledKernels.hpp.in" "${header}" @ONLY
    )
  else()
    file(REMOVE "${header}")
  endif()
  set(${sources} ${written} PARENT_SCOPE)
endfunction()

# Adds a library with these sets of kernels, see above. Sets ${added} to FALSE where there is nothing
# to compile.
function(batchwork_add_kernels target folder sets added)
  set(devices FALSE)
  if(Kokkos_ENABLE_CUDA OR Kokkos_ENABLE_HIP OR Kokkos_ENABLE_SYCL)
    set(devices TRUE)
  endif()
  batchwork_write_kernels("${folder}" "${sets}" ${devices} sources)
  set(${added} FALSE PARENT_SCOPE)
  if(NOT sources)
    return()
  endif()
  add_library(${target} ${ARGN} "${PROJECT_SOURCE_DIR}/src/launch/Batchwork_Checks.cpp" ${sources})
  target_link_libraries(${target} PUBLIC batchwork_headers)
  if(Kokkos_ENABLE_CUDA AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # nvcc warns where a functor for hosts and devices calls, on a host, what only hosts have.
    target_compile_options(
      ${target} PRIVATE "SHELL:-Xcudafe --diag_suppress=20011" "SHELL:-Xcudafe --diag_suppress=20014"
    )
  endif()
  if(NOT devices)
    # On hosts most of the time of a source is for headers and for what its cases have in common.
    set(batch 4)
    if(CMAKE_UNITY_BUILD_BATCH_SIZE)
      set(batch ${CMAKE_UNITY_BUILD_BATCH_SIZE})
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch})
  endif()
  set(${added} TRUE PARENT_SCOPE)
endfunction()

# As a script, cmake -D FOLDER=... -D SETS=... -P BatchworkKernels.cmake only writes the sources,
# those for devices too.
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  batchwork_write_kernels("${FOLDER}" "${SETS}" TRUE _sources)
endif()

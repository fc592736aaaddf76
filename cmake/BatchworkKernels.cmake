# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The kernels of libbatchwork: what is compiled once, for float and double and for every execution
# space that Kokkos was built with. Each entry is one source file for each type of numbers.
#
# Batchwork_KERNELS chooses the sets:
#
#   dense    copy, gemm, cholesky, solve_cholesky, solve_lower, solve_upper, lu, solve_lu, inverse,
#            determinant, qr, least_squares, eigh, svd
#   solvers  solve by conjugate_gradients, bicgstab and gmres with no_preconditioner, jacobi and
#            block_jacobi; solve by direct_lu; solve_tridiagonal; the verbs on systems
#   all      both, and all other solvers and preconditioners
#
# An empty list builds no library: each file that calls a verb then compiles its kernels.

set(_batchwork_kernel_sets dense solvers all)
foreach(_set IN LISTS Batchwork_KERNELS)
  if(NOT _set IN_LIST _batchwork_kernel_sets)
    message(FATAL_ERROR "Batchwork_KERNELS is a list of dense, solvers and all; there is no ${_set}")
  endif()
endforeach()
if("all" IN_LIST Batchwork_KERNELS)
  set(_batchwork_kernel_sets_built dense solvers all)
else()
  set(_batchwork_kernel_sets_built ${Batchwork_KERNELS})
endif()

# batchwork_kernels(<set> <header> <struct> [DEVICES] [NUMBER <number>] [<arguments>...]): the
# static functions of the struct <struct><number, argument, execution space>, for each of the
# arguments. With DEVICES only where Kokkos has devices; with NUMBER for that one instead of float
# and double.
set(_batchwork_kernel_sources "")
set(_batchwork_has_devices FALSE)
if(Kokkos_ENABLE_CUDA OR Kokkos_ENABLE_HIP OR Kokkos_ENABLE_SYCL)
  set(_batchwork_has_devices TRUE)
endif()
function(batchwork_kernels set header struct)
  cmake_parse_arguments(given "DEVICES" "NUMBER" "" ${ARGN})
  if(NOT set IN_LIST _batchwork_kernel_sets_built OR (given_DEVICES AND NOT _batchwork_has_devices))
    return()
  endif()
  set(cases ${given_UNPARSED_ARGUMENTS})
  set(numbers float double)
  if(given_NUMBER)
    set(numbers ${given_NUMBER})
  endif()
  if(NOT cases)
    set(cases "-")
  endif()
  set(sources ${_batchwork_kernel_sources})
  foreach(number IN LISTS numbers)
    foreach(case IN LISTS cases)
      set(HEADER "${header}")
      if(case STREQUAL "-")
        set(KERNELS "${struct}<${number}, ")
      else()
        set(KERNELS "${struct}<${number}, ${case}, ")
      endif()
      string(MAKE_C_IDENTIFIER "${struct}_${case}_${number}" name)
      string(REGEX REPLACE "_+" "_" name "${name}")
      set(file "${PROJECT_BINARY_DIR}/kernels/${name}.cpp")
      configure_file("${PROJECT_SOURCE_DIR}/cmake/Batchwork_Kernels.cpp.in" "${file}" @ONLY)
      list(APPEND sources "${file}")
    endforeach()
  endforeach()
  set(_batchwork_kernel_sources ${sources} PARENT_SCOPE)
endfunction()

batchwork_kernels(dense dense/lu/detail/Batchwork_LuKernels.hpp LuInWorkspaceLaunch)
batchwork_kernels(
  dense
  dense/lu/detail/Batchwork_LuKernels.hpp
  LuLaunch
  LuTask::factors
  LuTask::solution
  LuTask::solutions
  LuTask::inverses
)

batchwork_kernels(
  solvers
  banded/detail/Batchwork_TridiagonalKernels.hpp
  TridiagonalLaunch
  TridiagonalPivots::as_they_stand
  TridiagonalPivots::largest
)

# Direct solves: factors have the type of the numbers, or are float.
foreach(_number IN ITEMS float double)
  foreach(_factor IN ITEMS float double)
    if(_number STREQUAL "float" AND _factor STREQUAL "double")
      continue()
    endif()
    set(_direct krylov/direct/detail/Batchwork_Direct)
    batchwork_kernels(
      solvers ${_direct}Kernels.hpp DirectSizes NUMBER ${_number} ${_factor}
    )
    foreach(_task IN ITEMS whole factorise substitute)
      set(_case "DirectTask::${_task}, ${_factor}")
      batchwork_kernels(solvers ${_direct}Kernels.hpp DirectLaunch NUMBER ${_number} "${_case}")
      batchwork_kernels(
        solvers
        ${_direct}TilesKernels.hpp
        DirectTilesLaunch
        DEVICES
        NUMBER
        ${_number}
        "${_case}, 2, 4"
        "${_case}, 5, 8"
        "${_case}, 10, 18"
      )
    endforeach()
  endforeach()
endforeach()
batchwork_kernels(
  solvers krylov/direct/detail/Batchwork_DirectLanesKernels.hpp DirectLanesLaunch DEVICES
)
batchwork_kernels(solvers krylov/direct/detail/Batchwork_SymbolicKernels.hpp SymbolicLaunch)

if(_batchwork_kernel_sources)
  foreach(set IN ITEMS dense solvers all)
    string(TOUPPER "${set}" _upper)
    if(set IN_LIST _batchwork_kernel_sets_built)
      set(COMPILED_${_upper} true)
    else()
      set(COMPILED_${_upper} false)
    endif()
  endforeach()
  configure_file(
    "${PROJECT_SOURCE_DIR}/cmake/Batchwork_CompiledKernels.hpp.in"
    "${PROJECT_BINARY_DIR}/include/Batchwork_CompiledKernels.hpp" @ONLY
  )
else()
  file(REMOVE "${PROJECT_BINARY_DIR}/include/Batchwork_CompiledKernels.hpp")
endif()

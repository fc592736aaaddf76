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

# batchwork_kernels(<set> <header> <struct> [<arguments>...]): the static functions of the struct
# <struct><number, argument, execution space>, for each of the arguments.
set(_batchwork_kernel_sources "")
function(batchwork_kernels set header struct)
  if(NOT set IN_LIST _batchwork_kernel_sets_built)
    return()
  endif()
  set(cases ${ARGN})
  if("${cases}" STREQUAL "")
    set(cases "-")
  endif()
  set(sources ${_batchwork_kernel_sources})
  foreach(number IN ITEMS float double)
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
  solvers krylov/verbs/detail/Batchwork_SystemVerbKernels.hpp SystemVerbLaunch
)
batchwork_kernels(solvers krylov/verbs/detail/Batchwork_MultiplyKernels.hpp MultiplyLaunch)

# solve: a file for each solver with each preconditioner, in the form that kernels have; last whether
# systems are scaled.
foreach(_solver IN ITEMS ConjugateGradients Bicgstab Gmres Richardson Cgs)
  foreach(_preconditioner IN ITEMS NoPreconditioner Jacobi BlocksInKernel IluInKernel IsaiInKernel)
    set(_set solvers)
    if(_solver MATCHES "Richardson|Cgs" OR _preconditioner MATCHES "Ilu|Isai")
      set(_set all)
    endif()
    set(_header krylov/detail/Batchwork_SolveKernels.hpp)
    batchwork_kernels(${_set} ${_header} SolveLaunch "${_solver}, ${_preconditioner}, false")
    batchwork_kernels(all ${_header} SolveLaunch "${_solver}, ${_preconditioner}, true")
  endforeach()
endforeach()
set(_header krylov/detail/Batchwork_ConfiguredSolveKernels.hpp)
batchwork_kernels(solvers ${_header} ConfiguredSolveLaunch false)
batchwork_kernels(all ${_header} ConfiguredSolveLaunch true)

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

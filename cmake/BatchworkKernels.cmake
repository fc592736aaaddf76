# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The kernels of libbatchwork: what is compiled once, for float and double and for every execution
# space that Kokkos was built with. Each case of an entry is one source file.
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

# Adds a source with the static functions of <kernels>Execution space>, for each execution space.
set(_batchwork_kernel_sources "")
function(_batchwork_kernel_source set HEADER KERNELS)
  if(NOT set IN_LIST _batchwork_kernel_sets_built)
    return()
  endif()
  string(MAKE_C_IDENTIFIER "${KERNELS}" name)
  string(REGEX REPLACE "_+" "_" name "${name}")
  string(REGEX REPLACE "_$" "" name "${name}")
  set(file "${PROJECT_BINARY_DIR}/kernels/${name}.cpp")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/Batchwork_Kernels.cpp.in" "${file}" @ONLY)
  set(_batchwork_kernel_sources ${_batchwork_kernel_sources} ${file} PARENT_SCOPE)
endfunction()

# batchwork_kernels(<set> <header> <struct> [<arguments>...]): the static functions of the struct
# <struct><number, argument, execution space>, for each of the arguments, in float and double.
macro(batchwork_kernels set header struct)
  foreach(_number IN ITEMS float double)
    if(${ARGC} EQUAL 3)
      _batchwork_kernel_source(${set} ${header} "${struct}<${_number}, ")
    endif()
    foreach(_argument IN ITEMS ${ARGN})
      _batchwork_kernel_source(${set} ${header} "${struct}<${_number}, ${_argument}, ")
    endforeach()
  endforeach()
endmacro()

# batchwork_kernels_once(<set> <header> <struct> <arguments>...): those of <struct><argument,
# execution space>, for each of the arguments.
macro(batchwork_kernels_once set header struct)
  foreach(_argument IN ITEMS ${ARGN})
    _batchwork_kernel_source(${set} ${header} "${struct}<${_argument}, ")
  endforeach()
endmacro()

batchwork_kernels_once(
  dense
  dense/copy/detail/Batchwork_CopyCompiled.hpp
  CopyLaunch
  std::uint8_t
  std::uint16_t
  std::uint32_t
  std::uint64_t
  CopyWide
  CopyFloats
  CopyDoubles
)
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
batchwork_kernels(dense dense/decompositions/detail/Batchwork_QrKernels.hpp QrLaunch)
batchwork_kernels(dense dense/decompositions/detail/Batchwork_QrKernels.hpp LeastSquaresLaunch)
batchwork_kernels(dense dense/decompositions/detail/Batchwork_EighKernels.hpp EighLaunch)
batchwork_kernels(dense dense/decompositions/detail/Batchwork_SvdInMemoryKernels.hpp SvdInMemoryLaunch)
batchwork_kernels(
  dense
  dense/decompositions/detail/Batchwork_SvdKernels.hpp
  SvdLaunch
  SvdTask::values
  SvdTask::vectors
)

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

# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

cmake_minimum_required(VERSION 3.22)

# The kernels of libbatchwork: what is compiled once, for float and double and for every execution
# space that Kokkos was built with.
#
# Batchwork_KERNELS chooses among these sets:
#
#   dense    copy, gemm, cholesky, solve_cholesky, solve_lower, solve_upper, lu, solve_lu, inverse,
#            determinant, qr, least_squares, eigh, svd
#   solvers  solve by conjugate_gradients, bicgstab and gmres with no_preconditioner, jacobi and
#            block_jacobi; solve by direct_lu; solve_tridiagonal; the verbs on systems
#   all      both, and all other solvers and preconditioners
#
# An empty list builds no library: each file that calls a verb then compiles its kernels.

# batchwork_kernels(<set> <header> <struct> [<case>...]): an entry of the list, for each case. The
# functions of <struct><number, case, execution space>, which <header> defines, are compiled.
set(_batchwork_kernels "")
function(batchwork_kernels set header struct)
  set(kernels ${_batchwork_kernels})
  if(NOT ARGN)
    set(ARGN "-")
  endif()
  foreach(number IN ITEMS float double)
    foreach(case IN LISTS ARGN)
      set(arguments "${number}, ${case}, ")
      string(REPLACE ", -, " ", " arguments "${arguments}")
      list(APPEND kernels "${set}|${header}|${struct}<${arguments}")
    endforeach()
  endforeach()
  set(_batchwork_kernels ${kernels} PARENT_SCOPE)
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

# Writes the sources of these sets to <folder>, and the header that says which sets they are. Sets
# ${sources} to the sources.
function(batchwork_write_kernels folder sets sources)
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
    list(GET entry 1 HEADER)
    list(GET entry 2 KERNELS)
    if(set IN_LIST sets)
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
  batchwork_write_kernels("${folder}" "${sets}" sources)
  set(${added} FALSE PARENT_SCOPE)
  if(NOT sources)
    return()
  endif()
  add_library(${target} ${ARGN} ${sources})
  target_link_libraries(${target} PUBLIC batchwork_headers)
  if(NOT (Kokkos_ENABLE_CUDA OR Kokkos_ENABLE_HIP OR Kokkos_ENABLE_SYCL))
    # On hosts most of the time of a source is for headers and for what its cases have in common.
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 4)
  endif()
  set(${added} TRUE PARENT_SCOPE)
endfunction()

# As a script, cmake -D FOLDER=... -D SETS=... -P BatchworkKernels.cmake only writes the sources.
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  batchwork_write_kernels("${FOLDER}" "${SETS}" _sources)
endif()

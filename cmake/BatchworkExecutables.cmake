# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Functions that add tests, benchmarks and examples:
#
#   batchwork_add_test(<name> <sources>... [QUICK] [OPTIMISED | UNOPTIMISED] [TOGETHER <count>]
#                      [MAIN <library>] [REQUIRES <dependency>...] [USES <dependency>...])
#   batchwork_add_benchmark(<name> <sources>... [REQUIRES ...] [USES ...])
#   batchwork_add_example(<name> <sources>... [REQUIRES ...] [USES ...])
#   batchwork_add_program(<name> <library> <sources>... [REQUIRES ...] [USES ...])
#
# TOGETHER: with precompiled headers, this many sources of a test are compiled as one source; all
#   of them by default. They have many instantiations in common, often more than half of the work.
#   Three of the largest sources together take 2 GB of memory.
# MAIN: the library with main() and the precompiled headers, for tests with their own flags.
# REQUIRES: without one of these dependencies the executable is skipped, and the summary says so.
# USES: these dependencies are linked if they were found. The source checks BATCHWORK_HAVE_<NAME>.
#
# A dependency is a name from BatchworkDependencies.cmake: benchmark, blasfeo, cli11, csv, cublas,
# curand, cusolver, cusparse, eigen, gtest, hdf5 (parallel), kokkoskernels, lapack, libxsmm, mpi.
# Executables are written to <build>/bin.

# Warnings and flags of our own executables. They do not apply to users of the library.
add_library(batchwork_own_flags INTERFACE)
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang|IntelLLVM")
  target_compile_options(batchwork_own_flags INTERFACE -Wall -Wextra)
  if(NOT (Kokkos_ENABLE_CUDA AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang"))
    # The host pass of nvcc does not recognise system headers, so nvcc does not get these two.
    target_compile_options(batchwork_own_flags INTERFACE -Wshadow -Wconversion)
  endif()
  if(Batchwork_ENABLE_WERROR)
    target_compile_options(batchwork_own_flags INTERFACE -Werror)
  endif()
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT Kokkos_ENABLE_CUDA)
  # By default GCC collects garbage from 128 MB of memory on, which takes a tenth of the time with
  # many templates. With 4 GB for each core it need not collect before 2 GB.
  cmake_host_system_information(RESULT _memory QUERY TOTAL_PHYSICAL_MEMORY)
  cmake_host_system_information(RESULT _cores QUERY NUMBER_OF_LOGICAL_CORES)
  math(EXPR _memory_of_core "${_memory} / ${_cores}")
  set(_heap 500000)
  if(_memory_of_core GREATER 4000)
    set(_heap 2000000)
  endif()
  target_compile_options(
    batchwork_own_flags INTERFACE --param=ggc-min-expand=100 --param=ggc-min-heapsize=${_heap}
  )
endif()
if(Batchwork_ENABLE_NATIVE)
  target_compile_options(batchwork_own_flags INTERFACE -march=native)
endif()
# mold links a test in a tenth of the time of GNU ld, which takes a second.
find_program(BATCHWORK_MOLD NAMES mold)
mark_as_advanced(BATCHWORK_MOLD)
if(BATCHWORK_MOLD
   AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU"
   AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12.1
   AND NOT Kokkos_ENABLE_CUDA
)
  target_link_options(batchwork_own_flags INTERFACE -fuse-ld=mold)
endif()

# Compilers for devices do not support precompiled headers.
if(Kokkos_ENABLE_CUDA OR Kokkos_ENABLE_HIP OR Kokkos_ENABLE_SYCL)
  set(Batchwork_ENABLE_PCH OFF)
endif()

# Tests and benchmarks call every solver. They link the library only if it has all kernels; else
# each of them compiles those that it calls.
set(BATCHWORK_EVERY_KERNEL Batchwork::header_only)
if("all" IN_LIST Batchwork_KERNELS)
  set(BATCHWORK_EVERY_KERNEL Batchwork::batchwork)
endif()

# Adds an executable with a library of Batchwork's unless a required dependency is missing. Sets
# ${added} to TRUE or FALSE.
function(_batchwork_add_executable kind name library added)
  cmake_parse_arguments(ARG "" "" "REQUIRES;USES" ${ARGN})
  set(${added} FALSE PARENT_SCOPE)
  set(missing "")
  foreach(dependency IN LISTS ARG_REQUIRES)
    if(NOT TARGET batchwork_${dependency})
      list(APPEND missing ${dependency})
    endif()
  endforeach()
  if(missing)
    string(REPLACE ";" ", " missing "${missing}")
    set_property(GLOBAL APPEND PROPERTY BATCHWORK_SKIPPED "${kind} ${name} (needs ${missing})")
    return()
  endif()

  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${library} batchwork_own_flags)
  foreach(dependency IN LISTS ARG_REQUIRES ARG_USES)
    if(TARGET batchwork_${dependency})
      target_link_libraries(${name} PRIVATE batchwork_${dependency})
    endif()
  endforeach()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  set_property(GLOBAL APPEND PROPERTY BATCHWORK_ADDED_${kind} ${name})
  set(${added} TRUE PARENT_SCOPE)
endfunction()

# Adds a GoogleTest executable with the main() of unit_tests/test_main.cpp, and a test of ctest.
# Tests have many instantiations and run each once. A Release build therefore compiles them at -O1,
# which takes less than half of the time of -O3.
#
# UNOPTIMISED: compiled at -O0, for tests that need not be fast and do not depend on optimised code
# OPTIMISED: compiled at -O3, a few tests of each kind
# QUICK: built and run by `./batchwork test` without --all; some tests of every area
function(batchwork_add_test name)
  cmake_parse_arguments(ARG "QUICK;OPTIMISED;UNOPTIMISED" "MAIN;TOGETHER" "" ${ARGN})
  # Precompiled headers need the same flags as the sources that use them.
  set(main batchwork_test_main)
  if(ARG_MAIN)
    set(main ${ARG_MAIN})
  elseif(ARG_UNOPTIMISED OR CMAKE_BUILD_TYPE STREQUAL "Debug")
    set(main batchwork_test_main_unoptimised)
  endif()
  _batchwork_add_executable(test ${name} ${main} added ${ARG_UNPARSED_ARGUMENTS} REQUIRES gtest)
  if(NOT added)
    return()
  endif()
  if(ARG_OPTIMISED)
    # Optimised kernels are tested too.
    target_link_libraries(${name} PRIVATE Batchwork::header_only)
  endif()
  if(Batchwork_ENABLE_PCH AND NOT ARG_OPTIMISED)
    target_precompile_headers(${name} REUSE_FROM ${main})
  endif()
  if(Batchwork_ENABLE_PCH)
    if(NOT ARG_TOGETHER)
      set(ARG_TOGETHER 0)
    endif()
    set_target_properties(
      ${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${ARG_TOGETHER}
    )
  endif()
  add_test(NAME ${name} COMMAND ${name})
  add_dependencies(batchwork_tests ${name})
  # Tests of device kernels on host threads take longest, so ctest starts them first.
  if(ARG_MAIN)
    set_tests_properties(${name} PROPERTIES COST 100)
  endif()
  if(ARG_QUICK)
    set_tests_properties(${name} PROPERTIES LABELS quick)
    add_dependencies(batchwork_quick_tests ${name})
  endif()
  if(Kokkos_ENABLE_OPENMP)
    # Two threads for each test. Waiting threads sleep, so that other tests can use the cores.
    set_tests_properties(
      ${name} PROPERTIES ENVIRONMENT "OMP_NUM_THREADS=2;OMP_PROC_BIND=false;OMP_WAIT_POLICY=passive"
    )
  elseif(Kokkos_ENABLE_THREADS OR Kokkos_ENABLE_HPX)
    # These back ends use all cores.
    set_tests_properties(${name} PROPERTIES RUN_SERIAL TRUE)
  endif()
  if(ARG_UNOPTIMISED)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O0>)
  elseif(NOT ARG_OPTIMISED)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()

# Adds a Google Benchmark executable. Its sources have their own main().
function(batchwork_add_benchmark name)
  _batchwork_add_executable(
    benchmark ${name} ${BATCHWORK_EVERY_KERNEL} added ${ARGN} REQUIRES benchmark
  )
endfunction()

# An example is built without the library, so that `./batchwork run` need not compile it first.
function(batchwork_add_example name)
  _batchwork_add_executable(example ${name} Batchwork::header_only added ${ARGN})
endfunction()

# A program that is installed if its library is.
function(batchwork_add_program name library)
  _batchwork_add_executable(program ${name} ${library} added ${ARGN})
  if(added AND Batchwork_INSTALL AND NOT library STREQUAL batchwork_test_kernels)
    # Tests install what is built so far.
    install(TARGETS ${name} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" OPTIONAL)
  endif()
endfunction()

# `cmake --install <build> --component extras` installs benchmarks and examples; a plain
# installation does not.
function(batchwork_install_benchmarks_and_examples)
  foreach(kind IN ITEMS benchmark example)
    get_property(names GLOBAL PROPERTY BATCHWORK_ADDED_${kind})
    if(names)
      install(TARGETS ${names} DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/batchwork"
              COMPONENT extras EXCLUDE_FROM_ALL
      )
    endif()
  endforeach()
endfunction()

# Prints a summary at the end of a configure run.
function(batchwork_print_summary)
  message(STATUS "Batchwork ${Batchwork_VERSION} (${BATCHWORK_GIT_HASH}), ${CMAKE_BUILD_TYPE}")
  foreach(kind IN ITEMS test benchmark example program)
    get_property(names GLOBAL PROPERTY BATCHWORK_ADDED_${kind})
    list(LENGTH names count)
    string(REPLACE ";" " " names "${names}")
    message(STATUS "  ${kind}s: ${count}  ${names}")
  endforeach()
  get_property(skipped GLOBAL PROPERTY BATCHWORK_SKIPPED)
  if(skipped)
    string(REPLACE ";" "\n  " skipped "${skipped}")
    message(WARNING "Batchwork skips these, because a dependency is missing:\n  ${skipped}")
  endif()
endfunction()

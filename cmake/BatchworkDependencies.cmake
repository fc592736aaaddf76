# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Packages that tests, benchmarks and examples can use. Each becomes an internal target
# batchwork_<name>, which defines BATCHWORK_HAVE_<NAME>. The target exists only if the package was
# found. The library itself needs none of them.

function(_batchwork_dependency name title)
  cmake_parse_arguments(ARG "" "PACKAGE" "LINK;INCLUDE" ${ARGN})
  if(NOT ARG_LINK AND NOT ARG_INCLUDE)
    message(STATUS "${title}: not found (Debian: ${ARG_PACKAGE}); skipping programs that need it")
    return()
  endif()
  string(TOUPPER "${name}" upper)
  add_library(batchwork_${name} INTERFACE)
  target_compile_definitions(batchwork_${name} INTERFACE BATCHWORK_HAVE_${upper})
  target_link_libraries(batchwork_${name} INTERFACE ${ARG_LINK})
  target_include_directories(batchwork_${name} SYSTEM INTERFACE ${ARG_INCLUDE})
  message(STATUS "${title}: found")
endfunction()

# Sets `result` to the first of the given targets that exists, or to an empty string.
function(_batchwork_first_target result)
  foreach(target IN LISTS ARGN)
    if(TARGET ${target})
      set(${result} ${target} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(${result} "" PARENT_SCOPE)
endfunction()

find_package(Threads QUIET)
find_package(GTest QUIET)
find_package(benchmark CONFIG QUIET)
find_package(CLI11 CONFIG QUIET)
find_package(Eigen3 CONFIG QUIET)
find_package(LAPACK QUIET)
# Kokkos Kernels is often installed next to the Kokkos that it was built with.
find_package(KokkosKernels CONFIG QUIET HINTS "${Kokkos_DIR}/..")
find_path(Batchwork_CSV_INCLUDE_DIR csv.h PATH_SUFFIXES libfccp fast-cpp-csv-parser)
mark_as_advanced(Batchwork_CSV_INCLUDE_DIR)

_batchwork_first_target(_link GTest::gtest GTest::GTest)
_batchwork_dependency(gtest "GoogleTest" LINK ${_link} PACKAGE libgtest-dev)

_batchwork_first_target(_link benchmark::benchmark)
_batchwork_dependency(benchmark "Google Benchmark" LINK ${_link} PACKAGE libbenchmark-dev)

_batchwork_first_target(_link CLI11::CLI11)
_batchwork_dependency(cli11 "CLI11" LINK ${_link} PACKAGE libcli11-dev)

_batchwork_first_target(_link Eigen3::Eigen)
_batchwork_dependency(eigen "Eigen" LINK ${_link} PACKAGE libeigen3-dev)

_batchwork_first_target(_link LAPACK::LAPACK)
if(_link AND TARGET BLAS::BLAS)
  list(APPEND _link BLAS::BLAS)
endif()
_batchwork_dependency(lapack "LAPACK" LINK ${_link} PACKAGE "liblapack-dev libblas-dev")

# Libraries that benchmarks on hosts compare with.
find_package(blasfeo CONFIG QUIET)
_batchwork_first_target(_link blasfeo)
_batchwork_dependency(blasfeo "BLASFEO" LINK ${_link} PACKAGE "none; github.com/giaf/blasfeo")

find_path(Batchwork_LIBXSMM_INCLUDE_DIR libxsmm.h)
find_library(Batchwork_LIBXSMM_LIBRARY xsmm)
mark_as_advanced(Batchwork_LIBXSMM_INCLUDE_DIR Batchwork_LIBXSMM_LIBRARY)
set(_link "")
set(_include "")
# LIBXSMM calls a BLAS for sizes for which it has no kernel.
if(Batchwork_LIBXSMM_INCLUDE_DIR
   AND Batchwork_LIBXSMM_LIBRARY
   AND TARGET BLAS::BLAS
   AND TARGET Threads::Threads
)
  set(_include "${Batchwork_LIBXSMM_INCLUDE_DIR}")
  set(_link "${Batchwork_LIBXSMM_LIBRARY}" BLAS::BLAS Threads::Threads ${CMAKE_DL_LIBS})
endif()
_batchwork_dependency(libxsmm "LIBXSMM" LINK ${_link} INCLUDE ${_include} PACKAGE libxsmm-dev)

# Libraries that benchmarks on NVIDIA GPUs compare with.
set(_link "")
if(Kokkos_ENABLE_CUDA)
  find_package(CUDAToolkit QUIET)
  _batchwork_first_target(_link CUDA::cublas)
  _batchwork_dependency(cublas "cuBLAS" LINK ${_link} PACKAGE libcublas-dev)
  _batchwork_first_target(_link CUDA::cusolver)
  _batchwork_dependency(cusolver "cuSOLVER" LINK ${_link} PACKAGE libcusolver-dev)
  _batchwork_first_target(_link CUDA::curand)
  _batchwork_dependency(curand "cuRAND" LINK ${_link} PACKAGE libcurand-dev)
  _batchwork_first_target(_link CUDA::cusparse)
  _batchwork_dependency(cusparse "cuSPARSE" LINK ${_link} PACKAGE libcusparse-dev)
endif()

# The target of Kokkos Kernels alone, or of the Kokkos Kernels in Trilinos.
_batchwork_first_target(_link Kokkos::kokkoskernels KokkosKernels::all_libs)
_batchwork_dependency(
  kokkoskernels "Kokkos Kernels" LINK ${_link} PACKAGE libtrilinos-kokkos-kernels-dev
)

# Other libraries also have a header csv.h: check that this one has the class CSVReader.
set(_lines "")
if(Batchwork_CSV_INCLUDE_DIR)
  file(STRINGS "${Batchwork_CSV_INCLUDE_DIR}/csv.h" _lines REGEX "class CSVReader" LIMIT_COUNT 1)
endif()
if(_lines AND TARGET Threads::Threads)
  set(_include "${Batchwork_CSV_INCLUDE_DIR}")
  set(_link Threads::Threads)
else()
  set(_include "")
  set(_link "")
endif()
_batchwork_dependency(
  csv "fast-cpp-csv-parser" LINK ${_link} INCLUDE ${_include} PACKAGE libfccp-dev
)

# For the example that runs on several devices. HDF5 must be the parallel one.
find_package(MPI QUIET COMPONENTS CXX)
_batchwork_first_target(_link MPI::MPI_CXX)
_batchwork_dependency(mpi "MPI" LINK ${_link} PACKAGE libopenmpi-dev)

set(_link "")
set(_include "")
if(TARGET MPI::MPI_CXX)
  set(HDF5_PREFER_PARALLEL ON)
  find_package(HDF5 QUIET COMPONENTS C)
  if(HDF5_FOUND AND HDF5_IS_PARALLEL)
    set(_link ${HDF5_C_LIBRARIES} MPI::MPI_CXX)
    set(_include ${HDF5_C_INCLUDE_DIRS})
  endif()
endif()
_batchwork_dependency(
  hdf5 "Parallel HDF5" LINK ${_link} INCLUDE ${_include} PACKAGE libhdf5-openmpi-dev
)

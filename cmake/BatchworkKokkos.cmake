# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Finds Kokkos, or says how to get one.

set(BATCHWORK_KOKKOS_MINIMUM 4.5)

set(_batchwork_kokkos_advice
    "  Batchwork needs Kokkos ${BATCHWORK_KOKKOS_MINIMUM} or newer. Ways to get it:\n"
    "    * with Spack, Batchwork and all it needs:  spack install batchwork\n"
    "      (after `spack repo add <this checkout>/spack`), or Kokkos alone:\n"
    "        spack install kokkos +openmp && spack load kokkos\n"
    "    * a Kokkos of your own:  cmake -D Kokkos_ROOT=<where Kokkos is installed> ...\n"
    "    * on Debian or Ubuntu, the script beside this file sets up everything:  ./batchwork test\n"
)
string(CONCAT _batchwork_kokkos_advice ${_batchwork_kokkos_advice})

# A project that contains Batchwork may bring its own Kokkos, found or built.
if(NOT TARGET Kokkos::kokkos)
  get_property(_batchwork_imported_before DIRECTORY PROPERTY IMPORTED_TARGETS)
  find_package(Kokkos CONFIG QUIET)
  if(NOT Kokkos_FOUND)
    set(_batchwork_considered "")
    if(Kokkos_CONSIDERED_CONFIGS)
      set(_batchwork_considered "  Looked at: ${Kokkos_CONSIDERED_CONFIGS}\n")
    endif()
    message(FATAL_ERROR "Kokkos was not found.\n${_batchwork_considered}${_batchwork_kokkos_advice}")
  endif()

  # Targets found here are only known here. Where Batchwork is a part of another project, that
  # project links to them as well.
  if(NOT PROJECT_IS_TOP_LEVEL)
    get_property(_batchwork_imported DIRECTORY PROPERTY IMPORTED_TARGETS)
    list(REMOVE_ITEM _batchwork_imported ${_batchwork_imported_before})
    foreach(_target IN LISTS _batchwork_imported)
      set_target_properties(${_target} PROPERTIES IMPORTED_GLOBAL TRUE)
    endforeach()
  endif()
endif()

if(DEFINED Kokkos_VERSION AND Kokkos_VERSION VERSION_LESS BATCHWORK_KOKKOS_MINIMUM)
  message(
    FATAL_ERROR
      "The Kokkos that was found is too old: version ${Kokkos_VERSION} in ${Kokkos_DIR}\n"
      "${_batchwork_kokkos_advice}"
  )
endif()

if(Kokkos_DIR)
  message(STATUS "Kokkos ${Kokkos_VERSION} (${Kokkos_DEVICES}): ${Kokkos_DIR}")
endif()

# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Finds Kokkos, or says how to get it.

set(BATCHWORK_KOKKOS_MINIMUM 4.5)

set(_batchwork_kokkos_advice
    "  Batchwork needs Kokkos ${BATCHWORK_KOKKOS_MINIMUM} or newer. Ways to get it:\n"
    "    * with Spack, Batchwork and its dependencies:\n"
    "        spack repo add <this checkout>/spack && spack install batchwork\n"
    "    * with Spack, Kokkos alone:\n"
    "        spack install kokkos +openmp && spack load kokkos\n"
    "    * if Kokkos is installed already:  cmake -D Kokkos_ROOT=<its installation folder> ...\n"
    "    * on Debian or Ubuntu, the script `batchwork` in the top folder of the checkout installs\n"
    "      everything:  ./batchwork test\n"
)
string(CONCAT _batchwork_kokkos_advice ${_batchwork_kokkos_advice})

# A project that contains Batchwork can provide its own Kokkos, found or built.
if(NOT TARGET Kokkos::kokkos)
  get_property(_batchwork_imported_before DIRECTORY PROPERTY IMPORTED_TARGETS)
  find_package(Kokkos CONFIG QUIET)
  if(NOT Kokkos_FOUND)
    set(_batchwork_considered "")
    if(Kokkos_CONSIDERED_CONFIGS)
      set(_batchwork_considered "  Looked at: ${Kokkos_CONSIDERED_CONFIGS}\n")
    endif()
    message(
      FATAL_ERROR "Kokkos was not found.\n${_batchwork_considered}${_batchwork_kokkos_advice}"
    )
  endif()

  # Imported targets are only visible in this folder. If Batchwork is part of another project, that
  # project links to them too, so they are made global.
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

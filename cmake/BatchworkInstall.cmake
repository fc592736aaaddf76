# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Installs the headers, the library and the CMake package. `find_package(Batchwork CONFIG)` then
# defines the targets Batchwork::batchwork and Batchwork::header_only.

include(CMakePackageConfigHelpers)

set(_batchwork_cmake_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Batchwork")

install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/src/"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/batchwork"
  FILES_MATCHING
  PATTERN "*.hpp"
)
install(FILES "${PROJECT_BINARY_DIR}/include/Batchwork_Version.hpp"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/batchwork"
)
if(_batchwork_compiled)
  install(FILES "${PROJECT_BINARY_DIR}/include/Batchwork_CompiledKernels.hpp"
          DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/batchwork"
  )
endif()
set_target_properties(batchwork_headers PROPERTIES EXPORT_NAME headers)
set_target_properties(batchwork_header_only PROPERTIES EXPORT_NAME header_only)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/BatchworkConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/BatchworkConfig.cmake" INSTALL_DESTINATION "${_batchwork_cmake_dir}"
)
configure_file(
  "${PROJECT_SOURCE_DIR}/cmake/BatchworkConfigVersion.cmake.in"
  "${PROJECT_BINARY_DIR}/BatchworkConfigVersion.cmake" @ONLY
)
install(FILES "${PROJECT_BINARY_DIR}/BatchworkConfig.cmake"
              "${PROJECT_BINARY_DIR}/BatchworkConfigVersion.cmake"
        DESTINATION "${_batchwork_cmake_dir}"
)

# In an enclosing project that builds Kokkos, export() would need the export set of Kokkos.
# install(EXPORT) only refers to Kokkos::kokkos by name, which always works.
install(TARGETS batchwork batchwork_headers batchwork_header_only EXPORT BatchworkTargets)
install(
  EXPORT BatchworkTargets
  NAMESPACE Batchwork::
  DESTINATION "${_batchwork_cmake_dir}"
)

# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Writes Batchwork_Version.hpp to the build folder. The git hash is read when CMake configures, so
# that a commit alone does not recompile everything. `-dirty` marks uncommitted changes. `git
# archive` writes the hash of a tarball here, see .gitattributes.

set(BATCHWORK_GIT_HASH "unknown")
set(_batchwork_archived "$Format:%H$")
if(_batchwork_archived MATCHES "^[0-9a-f]+$")
  string(SUBSTRING "${_batchwork_archived}" 0 12 BATCHWORK_GIT_HASH)
endif()
find_package(Git QUIET)
if(GIT_FOUND AND EXISTS "${PROJECT_SOURCE_DIR}/.git")
  # In a container or chroot the checkout can belong to a different user than the build.
  set(_batchwork_git "${GIT_EXECUTABLE}" -c "safe.directory=*" -C "${PROJECT_SOURCE_DIR}")
  execute_process(
    COMMAND ${_batchwork_git} rev-parse --short=12 HEAD
    OUTPUT_VARIABLE _batchwork_hash
    RESULT_VARIABLE _batchwork_result
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
  )
  if(_batchwork_result EQUAL 0)
    set(BATCHWORK_GIT_HASH "${_batchwork_hash}")
    execute_process(
      COMMAND ${_batchwork_git} status --porcelain --untracked-files=no
      OUTPUT_VARIABLE _batchwork_changes
      ERROR_QUIET
    )
    if(_batchwork_changes)
      string(APPEND BATCHWORK_GIT_HASH "-dirty")
    endif()
  endif()
endif()

configure_file(
  "${PROJECT_SOURCE_DIR}/cmake/Batchwork_Version.hpp.in"
  "${PROJECT_BINARY_DIR}/include/Batchwork_Version.hpp" @ONLY
)

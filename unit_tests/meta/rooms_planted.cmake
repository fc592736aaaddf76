# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Run by ctest: plants faults in a copy of the headers, and tests that rooms.cmake finds them.

include("${CMAKE_CURRENT_LIST_DIR}/expect_said.cmake")

cmake_minimum_required(VERSION 3.22)

file(REMOVE_RECURSE "${WORK_DIR}")
file(COPY "${SOURCE_DIR}/src" "${SOURCE_DIR}/example" DESTINATION "${WORK_DIR}")
file(COPY "${SOURCE_DIR}/unit_tests/meta/doc_snippets.cpp"
     DESTINATION "${WORK_DIR}/unit_tests/meta"
)

function(says what status)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -D SOURCE_DIR=${WORK_DIR} -P "${CMAKE_CURRENT_LIST_DIR}/rooms.cmake"
    RESULT_VARIABLE code
    OUTPUT_VARIABLE said
    ERROR_VARIABLE said
  )
  string(REGEX REPLACE "[ \n]+" " " said "${said}")
  expect_said("${what}" "${said}" "${code}" "${status}" ${ARGN})
endfunction()

# Replaces the first match of a regular expression in a header, runs rooms.cmake, and restores the
# header.
function(planted header from to)
  file(READ "${SOURCE_DIR}/src/${header}" text)
  string(REGEX MATCH "${from}" first "${text}")
  if(first STREQUAL "")
    message(FATAL_ERROR "${header}: nothing matches ${from}")
  endif()
  string(FIND "${text}" "${first}" begin)
  string(LENGTH "${first}" length)
  string(SUBSTRING "${text}" 0 ${begin} before)
  math(EXPR begin "${begin} + ${length}")
  string(SUBSTRING "${text}" ${begin} -1 after)
  file(WRITE "${WORK_DIR}/src/${header}" "${before}${to}${after}")
  says("${header}" 1 ${ARGN})
  file(WRITE "${WORK_DIR}/src/${header}" "${text}")
endfunction()
# Adds an include before the first one.
function(planted_include header included)
  planted(
    "${header}" "\n#include \"" "\n#include \"${included}\"\n#include \""
    "${header} includes ${included}" ${ARGN}
  )
endfunction()

says("unchanged" 0)
planted_include(view/Batchwork_Operand.hpp krylov/Batchwork_Solve.hpp "view does not know krylov")
planted_include(
  dense/copy/Batchwork_Copy.hpp dense/gemm/Batchwork_Gemm.hpp
  "dense/copy does not know dense/gemm"
)
planted_include(
  kalman/Batchwork_Step.hpp fused/detail/Batchwork_Group.hpp "which only fused may include"
)
planted_include(
  krylov/formats/Batchwork_Formats.hpp krylov/solvers/Batchwork_Gmres.hpp
  "krylov/formats does not know krylov/solvers"
)
planted_include(
  krylov/base/Batchwork_SolveLog.hpp krylov/formats/Batchwork_Formats.hpp
  "krylov/base does not know krylov/formats"
)
planted_include(
  krylov/detail/backend/Batchwork_SystemTeam.hpp krylov/detail/Batchwork_SolvePlan.hpp
  "krylov/detail/backend does not know krylov/detail"
)
planted_include(
  tile/detail/shared/Batchwork_RowsOfLanes.hpp tile/Batchwork_Product.hpp
  "tile/detail/shared does not know tile"
)
planted_include(
  core/detail/backend/Batchwork_Warp.hpp core/detail/Batchwork_LaneGrid.hpp
  "core/detail/backend does not know core/detail"
)
planted_include(fused/Batchwork_Map.hpp Batchwork_Dense.hpp "not of areas")
planted_include(Batchwork_Map.hpp fused/detail/Batchwork_Group.hpp "which is not for users")
planted(
  fused/detail/Batchwork_Sequence.hpp "\nnamespace Batchwork::Impl {"
  "\nnamespace Batchwork {\n/// Told to users.\nstruct Told {};\n}  // namespace Batchwork\n\
namespace Batchwork::Impl {"
  "fused/detail/Batchwork_Sequence.hpp documents something in namespace Batchwork"
)
planted(
  krylov/verbs/Batchwork_Scale.hpp "\nnamespace Batchwork {" "\nnamespace Batchwork::Impl {"
  "krylov/verbs/Batchwork_Scale.hpp documents nothing in namespace Batchwork"
)
planted(
  Batchwork_Krylov.hpp "#include \"krylov/verbs/Batchwork_Scale.hpp\"\n" ""
  "krylov/verbs/Batchwork_Scale.hpp is not included by Batchwork.hpp"
)
file(APPEND "${WORK_DIR}/unit_tests/meta/doc_snippets.cpp"
     "\n#include <fused/detail/Batchwork_Group.hpp>\n"
)
says("doc_snippets.cpp" 1
     "doc_snippets.cpp includes fused/detail/Batchwork_Group.hpp, which is not for users"
)
file(WRITE "${WORK_DIR}/src/tile/odd/Batchwork_Odd.hpp" "")
says("another folder of a room" 1 "tile/odd/Batchwork_Odd.hpp: tile/odd is not in `folders`")
file(WRITE "${WORK_DIR}/src/odd/Batchwork_Odd.hpp" "")
says("another folder" 1 "odd/Batchwork_Odd.hpp: no room")

# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Run by ctest: checks the rooms of src, which are its folders (docs/how_it_works/index.md).
#
# 1. A header includes only headers of its own room and of the rooms that its room knows. These are
#    declared before it below, so that includes have one direction.
# 2. The folders of all rooms are in one order. A header includes headers of its own folder and of
#    folders before it in `folders`; a header in a detail/ also those of the folder around it.
# 3. Headers in a detail/ of fused, dense, krylov, banded or kalman are included by that room only.
#    The rooms core, tile, view and launch are the foundation of the library, dense/lu is the
#    foundation of direct solves, and factorisations that of tune: rooms that know them can include
#    their detail/ too.
# 4. A header outside detail/ documents something in namespace Batchwork. Batchwork.hpp includes it,
#    directly or not, unless it is listed in `apart`.
# 5. A header in detail/ documents nothing in namespace Batchwork.
# 6. Area headers, examples and the code of the documentation include no header in a detail/.

cmake_minimum_required(VERSION 3.22)

set(rooms "")
# Adds a room and the rooms that it knows, which must have been added before.
macro(room name)
  foreach(known IN ITEMS ${ARGN})
    if(NOT known IN_LIST rooms)
      message(FATAL_ERROR "${name} must not know ${known}, which is not declared before it")
    endif()
  endforeach()
  list(APPEND rooms ${name})
  set(knows_${name} ${name} ${ARGN})
endmacro()
room(core)
room(tile core)
room(view core tile)
room(launch core view)
room(team core view)
set(foundation ${rooms})
room(fused core tile view launch)
room(dense/copy core view launch)
room(dense/random core view launch)
room(dense/gemm core view launch team)
# One matrix for all items: for lu and cholesky.
room(dense/common core view launch team)
list(APPEND foundation dense/common)
room(dense/cholesky core tile view launch team dense/common)
room(dense/lu core tile view launch team dense/common)
room(dense/decompositions core tile view launch team)
# Direct solves of systems share code with lu.
list(APPEND foundation dense/lu)
room(krylov core tile view launch team dense/lu)
room(banded core view launch)
room(kalman core tile view launch fused)
# Tuning asks the choices of kernels.
list(APPEND foundation dense/cholesky dense/decompositions)
room(tune core view launch dense/cholesky dense/lu dense/decompositions)

# From the bottom up.
set(folders
    core/detail/backend
    core/detail
    core
    tile/types/detail
    tile/types
    tile/detail/shared
    tile/detail
    tile
    view/detail/layout
    view/detail/loaders
    view/detail
    view
    launch/detail
    launch
    team/detail
    fused/detail
    fused/detail/loaders
    fused
    dense/copy/detail
    dense/copy
    dense/random/detail
    dense/random
    dense/gemm/detail
    dense/gemm
    dense/common/detail
    dense/cholesky/detail
    dense/cholesky
    dense/lu/detail
    dense/lu
    dense/decompositions/detail
    dense/decompositions
    krylov/base/detail
    krylov/base
    krylov/formats/detail
    krylov/formats
    krylov/detail/backend
    krylov/verbs/detail
    krylov/verbs
    krylov/preconditioners/detail
    krylov/preconditioners
    krylov/solvers/detail
    krylov/solvers
    krylov/direct/detail
    krylov/detail
    krylov
    banded/detail
    banded
    kalman/detail
    kalman
    tune/detail
    tune
)

# Not included by Batchwork.hpp: reading files is for hosts only, and measuring for programs that tune.
set(apart krylov/formats/Batchwork_ReadSystems.hpp tune/Batchwork_Tune.hpp
          tune/Batchwork_TunableVerb.hpp
)

# Exceptions. An exception that is not needed is an error.
#
# Includes of a detail/ of another room, or of a folder further up: includer|included
set(crossing
    # stored(...) makes a Storage of what users pass.
    view/detail/layout/Batchwork_Storage.hpp|view/Batchwork_TransposedView.hpp
    view/detail/layout/Batchwork_Storage.hpp|view/detail/Batchwork_Source.hpp
)
# Every folder may include it.
set(everywhere core/detail/Batchwork_Macros.hpp)
# Headers in detail/ that document something in namespace Batchwork.
set(shown
    core/detail/Batchwork_Lanes.hpp
    krylov/preconditioners/detail/Batchwork_BlockInverses.hpp
    tile/types/detail/Batchwork_Staged.hpp
    view/detail/layout/Batchwork_Location.hpp
)

set(bad "")
function(complain text)
  set(bad "${bad}\n  ${text}" PARENT_SCOPE)
endfunction()

# The room of a header, which is a path below src; empty if it has no room.
function(room_of result header)
  set(found "")
  foreach(room IN LISTS rooms)
    string(FIND "${header}" "${room}/" at)
    if(at EQUAL 0)
      set(found ${room})
    endif()
  endforeach()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# The headers of the library that a file includes, as paths below src.
function(included_by result file)
  set(of_room "^#include [\"<][a-z_]+/[^\"<>]*Batchwork_[A-Za-z0-9]+\\.hpp[\">]")
  file(STRINGS "${file}" lines REGEX "${of_room}|^#include \"Batchwork_[A-Z]")
  set(paths "")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^#include [\"<]([^\">]*)[\">].*" "\\1" path "${line}")
    if(EXISTS "${SOURCE_DIR}/src/${path}")
      list(APPEND paths ${path})
    endif()
  endforeach()
  set(${result} "${paths}" PARENT_SCOPE)
endfunction()

# Whether a header has a doc comment in namespace Batchwork or in a namespace of it, except Impl.
# Expects that namespaces begin and end in the way that clang-format writes.
function(documents result file)
  file(STRINGS "${file}" lines REGEX "^(inline )?namespace [A-Za-z:]+ {$|^}  // namespace|^///")
  string(REGEX REPLACE "[][\\]" "" lines "${lines}")
  set(open "")
  set(${result} FALSE PARENT_SCOPE)
  foreach(line IN LISTS lines)
    if(line MATCHES "namespace ([A-Za-z:]+) {")
      list(APPEND open "${CMAKE_MATCH_1}")
    elseif(line MATCHES "^}  // namespace")
      list(POP_BACK open)
    elseif(open AND line MATCHES "^///" AND NOT open MATCHES "Impl")
      set(${result} TRUE PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

file(GLOB_RECURSE headers RELATIVE "${SOURCE_DIR}/src" "${SOURCE_DIR}/src/*.hpp")
list(LENGTH headers count)
if(count LESS 100)
  message(FATAL_ERROR "only ${count} headers in ${SOURCE_DIR}/src")
endif()
set(crossed "")
set(hidden_but_shown "")
foreach(header IN LISTS headers)
  included_by(includes_${header} "${SOURCE_DIR}/src/${header}")
  room_of(own "${header}")
  if(NOT own)
    # The umbrella and the area headers.
    if(header MATCHES "/")
      complain("${header}: no room; unit_tests/meta/rooms.cmake lists the rooms")
    endif()
    foreach(path IN LISTS includes_${header})
      if(path MATCHES "detail/")
        complain("${header} includes ${path}, which is not for users")
      endif()
    endforeach()
    continue()
  endif()

  get_filename_component(folder "${header}" DIRECTORY)
  list(FIND folders "${folder}" place)
  if(place EQUAL -1)
    complain("${header}: ${folder} is not in `folders` of unit_tests/meta/rooms.cmake")
    list(LENGTH folders place)
  endif()
  foreach(path IN LISTS includes_${header})
    room_of(other "${path}")
    get_filename_component(other_folder "${path}" DIRECTORY)
    list(FIND folders "${other_folder}" other_place)
    if(NOT other)
      complain("${header} includes ${path}: rooms include headers of rooms, not of areas")
    elseif(NOT other IN_LIST knows_${own})
      complain("${header} includes ${path}, but ${own} does not know ${other}")
    elseif("${header}|${path}" IN_LIST crossing)
      list(APPEND crossed "${header}|${path}")
    elseif(path MATCHES "/detail/" AND NOT other STREQUAL own AND NOT other IN_LIST foundation)
      complain("${header} includes ${path}, which only ${other} may include")
    elseif(
      other_place GREATER place
      AND NOT "${other_folder}/detail" STREQUAL folder
      AND NOT path IN_LIST everywhere
    )
      complain("${header} includes ${path}, but ${folder} does not know ${other_folder}")
    endif()
  endforeach()

  documents(shows "${SOURCE_DIR}/src/${header}")
  if(header MATCHES "/detail/")
    if(shows AND header IN_LIST shown)
      list(APPEND hidden_but_shown "${header}")
    elseif(shows)
      complain("${header} documents something in namespace Batchwork, so it must not be in detail/")
    endif()
  elseif(NOT shows)
    complain("${header} documents nothing in namespace Batchwork, so it must be in detail/")
  endif()
endforeach()

# All headers that Batchwork.hpp includes, directly or not.
set(reached Batchwork.hpp)
set(to_do Batchwork.hpp)
while(to_do)
  list(POP_BACK to_do header)
  foreach(path IN LISTS includes_${header})
    if(NOT path IN_LIST reached)
      list(APPEND reached "${path}")
      list(APPEND to_do "${path}")
    endif()
  endforeach()
endwhile()
foreach(header IN LISTS headers)
  if(NOT header MATCHES "/detail/" AND NOT header IN_LIST reached AND NOT header IN_LIST apart)
    complain("${header} is not included by Batchwork.hpp")
  elseif(header IN_LIST reached AND header IN_LIST apart)
    complain("${header} is listed in `apart`, but Batchwork.hpp includes it")
  endif()
endforeach()

# Code that users read.
file(GLOB_RECURSE shown_to_users "${SOURCE_DIR}/example/*.hpp" "${SOURCE_DIR}/example/*.cpp")
foreach(file IN ITEMS "${SOURCE_DIR}/unit_tests/meta/doc_snippets.cpp" LISTS shown_to_users)
  included_by(paths "${file}")
  foreach(path IN LISTS paths)
    if(path MATCHES "detail/")
      complain("${file} includes ${path}, which is not for users")
    endif()
  endforeach()
endforeach()

foreach(folder IN LISTS folders)
  if(NOT IS_DIRECTORY "${SOURCE_DIR}/src/${folder}")
    complain("${folder} is in `folders` of unit_tests/meta/rooms.cmake, but not in src")
  endif()
endforeach()

# Exceptions that are not needed.
foreach(line IN LISTS crossing)
  if(NOT line IN_LIST crossed)
    complain("${line} is excepted in unit_tests/meta/rooms.cmake without need")
  endif()
endforeach()
foreach(line IN LISTS shown)
  if(NOT line IN_LIST hidden_but_shown)
    complain("${line} is excepted in unit_tests/meta/rooms.cmake without need")
  endif()
endforeach()

if(bad)
  message(FATAL_ERROR "The rooms of src do not follow the rules:${bad}")
endif()
message("${count} headers, all in their rooms")

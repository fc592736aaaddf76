#!/usr/bin/env bash
# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# check_only.sh <folder> <source> <compiler> [flags]: the compiler checks a source, without output.
#
# The first call precompiles the headers that nearly all sources include, in the folder. If the
# flags differ, the compiler ignores the precompiled header and reads the headers. X_float.cpp is
# checked together with X_double.cpp, if both exist.

set -euo pipefail
folder=$1 source=$2
shift 2
mkdir -p "$folder"
twin=()
case $source in
  *_float.cpp) if [ -e "${source/_float/_double}" ]; then exit; fi ;;
  *_double.cpp)
    if [ -e "${source/_double/_float}" ]; then twin=(-include "${source/_double/_float}"); fi
    ;;
esac
(
  flock 9
  if [ ! -e "$folder/first.hpp" ]; then
    printf '#include <Kokkos_Core.hpp>\n#include <benchmark/benchmark.h>\n' >"$folder/first.hpp"
    for argument; do
      shift
      # Without these definitions; sources that use the header can have their own.
      case $argument in -DBATCHWORK_*) ;; *) set -- "$@" "$argument" ;; esac
    done
    "$@" -x c++-header "$folder/first.hpp" -o "$folder/first.hpp.gch" 2>/dev/null || true
  fi
) 9>"$folder/lock"
exec "$@" -include "$folder/first.hpp" "${twin[@]}" -fsyntax-only "$source"

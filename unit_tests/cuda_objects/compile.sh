#!/usr/bin/env bash
# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles every verb for a CUDA device where there is none: objects only, with the headers of an installed Kokkos 5 for
# hosts and the folder configuration in front of them. Further arguments go to nvcc (-DBATCHWORK_DISABLE_VENDOR).
# Without an nvcc that works, or without those headers, it says so and succeeds. CUDA_HOME and Kokkos_ROOT are looked at first.

set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")"
top=$(cd ../.. && pwd -P)

skip() {
  echo "CUDA objects: SKIPPED, $1"
  exit 0
}

# A verb takes an execution space instance; each has a call here.
status=0
verbs=$(grep -rh -B 1 'Impl::call_verb(' "$top/src" | sed -n 's/^void \([a-z_]*\)(.*/\1/p' | sort -u)
for verb in $verbs team_map team_scan; do
  grep -q "\b$verb[<(]" ./*.cpp || { echo "CUDA objects: no source here calls $verb" >&2; status=1; }
done
[ $status = 0 ] || exit 1

nvcc=""
for place in ${CUDA_HOME:+"$CUDA_HOME/bin/nvcc"} "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc; do
  if [ -x "$place" ]; then nvcc=$place; break; fi
done
[ -n "$nvcc" ] || skip "there is no nvcc"

kokkos=""
cache=${BATCHWORK_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/batchwork}
for place in ${Kokkos_ROOT:+"$Kokkos_ROOT/include/kokkos" "$Kokkos_ROOT/include"} "$cache/kokkos5/usr/include/kokkos" /usr/include/kokkos; do
  if grep -qs '^#define KOKKOS_VERSION_MAJOR \([5-9]\|[1-9][0-9]\)' "$place/KokkosCore_config.h"; then kokkos=$place; break; fi
done
[ -n "$kokkos" ] || skip "there are no headers of Kokkos 5 or newer"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Host code has its warnings elsewhere.
flags=(-x cu -std=c++20 -O0 --expt-relaxed-constexpr --extended-lambda -Werror all-warnings -Xcompiler -fopenmp
  -I "$PWD/configuration" -isystem "$kokkos" -isystem "$kokkos/mdspan" -I "$top/src" "$@")
echo >"$work/empty.cpp"
"$nvcc" "${flags[@]}" -c "$work/empty.cpp" -o "$work/empty.o" >"$work/empty.log" 2>&1 ||
  skip "$nvcc does not work here: $(head -n 1 "$work/empty.log")"
# Whether device code compiles is asked, not how fast it is.
if "$nvcc" "${flags[@]}" -Ofc max -c "$work/empty.cpp" -o "$work/empty.o" >"$work/empty.log" 2>&1; then flags+=(-Ofc max); fi

# Some sources at once, each in a namespace of its own: of what one takes the headers are a third or half.
compile() {
  # A name of its own, or a source by itself would include itself.
  local sources=$1 name=all_${1// /_} source began=$SECONDS
  shift
  {
    echo '#include "Shared.hpp"'
    for source in $sources; do printf 'namespace of_%s {\n#include "%s.cpp"\n}\n' "$source" "$source"; done
  } >"$work/$name.cpp"
  # The host's compiler and the assembler take two thirds of the time. The one has the same code elsewhere, the other finds nothing but
  # faults in instructions written by hand; the sources that are given to both have these, too. The others stop at PTX.
  # Without inlining, arrays of tiles are constructed through a pointer to a function. The assembler then cannot tell
  # the size of the stack and warns; optimised kernels have no such call.
  case $name in
    *sequences*) set -- "$@" -arch=sm_90 -c -Xptxas --suppress-stack-size-warning ;;
    *) set -- "$@" -arch=compute_90 -ptx ;;
  esac
  if "$@" -I "$PWD" "$work/$name.cpp" -o "$work/$name.o" >"$work/$name.log" 2>&1; then
    echo "    $sources: $((SECONDS - began)) s"
  else
    echo "CUDA objects: of $sources one does not compile for a CUDA device:" >&2
    head -n 40 "$work/$name.log" >&2
    return 1
  fi
}
export -f compile
export work
echo "CUDA objects: $nvcc, Kokkos in $kokkos"
printf '%s\n' "sequences systems complex" operations "direct decompositions" "configured matrices" "solves products" |
  xargs -P "$(nproc)" -d '\n' -I SOURCES bash -c 'compile "$@"' compile SOURCES "$nvcc" "${flags[@]}"
echo "CUDA objects: all compile, in $SECONDS s"

#!/usr/bin/env bash
# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles a call of every verb, and the kernels of the library in double, for CUDA devices. No
# device is needed: only objects are compiled, with the headers of an installed Kokkos 5 for hosts.
# The headers in the folder `configuration` come before them and turn CUDA on. Arguments are passed
# to nvcc, for instance -DBATCHWORK_DISABLE_VENDOR.
#
# CUDA_HOME and Kokkos_ROOT are searched first. If no working nvcc or no Kokkos 5 is found, the
# script prints SKIPPED and succeeds.

set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")"
top=$(cd ../.. && pwd -P)

skip() {
  echo "CUDA objects: SKIPPED, $1"
  exit 0
}

# Every verb must be called by a source in this folder.
status=0
verbs=$(grep -rh -B 1 'Impl::call_verb(' "$top/src" |
  sed -n 's/^void \([a-z_]*\)(.*/\1/p' | sort -u)
for verb in $verbs team_map team_scan team_eigh team_svd team_qr team_least_squares team_lu \
  team_solve_lu team_cholesky team_solve_cholesky; do
  if ! grep -q "\b${verb}[<(]" ./*.cpp; then
    echo "CUDA objects: no source in unit_tests/cuda_objects calls $verb" >&2
    status=1
  fi
done
[ $status = 0 ] || exit 1

nvcc=""
for place in ${CUDA_HOME:+"$CUDA_HOME/bin/nvcc"} "$(command -v nvcc || true)" \
  /usr/local/cuda/bin/nvcc; do
  if [ -x "$place" ]; then nvcc=$place; break; fi
done
[ -n "$nvcc" ] || skip "nvcc was not found"

kokkos=""
cache=${BATCHWORK_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/batchwork}
for place in ${Kokkos_ROOT:+"$Kokkos_ROOT/include/kokkos" "$Kokkos_ROOT/include"} \
  "$cache/kokkos5/usr/include/kokkos" /usr/include/kokkos; do
  if grep -qs '^#define KOKKOS_VERSION_MAJOR \([5-9]\|[1-9][0-9]\)' \
    "$place/KokkosCore_config.h"; then
    kokkos=$place
    break
  fi
done
[ -n "$kokkos" ] || skip "no headers of Kokkos 5 or newer were found"
command -v cmake >/dev/null || skip "cmake, which writes the sources of kernels, was not found"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake -D FOLDER="$work/library" -D SETS=all -P "$top/cmake/BatchworkKernels.cmake"
# Warnings of nvcc are errors. The warnings of host code are checked by the ordinary builds.
flags=(-x cu -std=c++20 -O0 --expt-relaxed-constexpr --extended-lambda -Werror all-warnings
  -Xcompiler -fopenmp -I "$PWD/configuration" -isystem "$kokkos" -isystem "$kokkos/mdspan"
  -I "$work/library/include" -I "$top/src" "$@")
echo >"$work/empty.cpp"
"$nvcc" "${flags[@]}" -c "$work/empty.cpp" -o "$work/empty.o" >"$work/empty.log" 2>&1 ||
  skip "$nvcc does not work here: $(head -n 1 "$work/empty.log")"
# Compile as fast as possible, if nvcc has this option. The speed of the code does not matter.
if "$nvcc" "${flags[@]}" -Ofc max -c "$work/empty.cpp" -o "$work/empty.o" \
  >"$work/empty.log" 2>&1; then
  flags+=(-Ofc max)
fi
# The front end of nvcc alone, where nvcc can stop there: it instantiates the templates and finds
# what a device cannot call, in half of the time.
front_end=""
if "$nvcc" "${flags[@]}" -ptx -fdevice-syntax-only "$work/empty.cpp" -o "$work/empty.o" \
  >"$work/empty.log" 2>&1; then
  front_end=-fdevice-syntax-only
fi
export front_end

# Compiles a source. The host compiler and the assembler take two thirds of the time. Only sources
# with PTX written by hand need the assembler, so the others are compiled to PTX only. nvcc only
# checks iterative solves, whose 50 kernels have the same parts, and the calls of all operations,
# which are in sequences too. The ordinary builds test the host compiler.
compile() {
  local source=$1 name seconds TIMEFORMAT=%U
  shift
  name=$(basename "$source" .cpp)
  # Without inlining, arrays of tiles are constructed through a pointer to a function. The assembler
  # then warns that it cannot determine the size of the stack. Optimised kernels have no such call.
  case $name in
    *sequences*) set -- "$@" -arch=sm_90 -c -Xptxas --suppress-stack-size-warning ;;
    calls_of_operations | SolveKernels_*) set -- "$@" -arch=compute_90 -ptx ${front_end:+"$front_end"} ;;
    *) set -- "$@" -arch=compute_90 -ptx ;;
  esac
  # As in the library: nvcc warns where a functor for hosts and devices calls, on a host, what only
  # hosts have.
  case $name in
    *Kernels_* | *Compiled_*) set -- "$@" --diag-suppress=20011,20014 ;;
  esac
  if seconds=$({ time "$@" -I "$PWD" "$source" -o "$work/$name.o" >"$work/$name.log" 2>&1; } 2>&1)
  then
    echo "    $name: $seconds s of processor time"
  else
    echo "CUDA objects: one of these does not compile for a CUDA device:" >&2
    sed -n 's/^#include "\(.*\)"$/  \1/p' "$source" >&2
    head -n 40 "$work/$name.log" >&2
    return 1
  fi
}
export -f compile
export work

# Calls: several sources as one, each in its own namespace, because the headers take most of the
# time of a source.
calls() {
  local name=$1 source
  shift
  {
    echo '#include "Shared.hpp"'
    for source in "$@"; do
      printf 'namespace of_%s {\n#include "%s.cpp"\n}\n' "$source" "$source"
    done
  } >"$work/$name.cpp"
  units+=("$work/$name.cpp")
}
units=()
calls calls_in_sequences sequences indexed ragged
calls calls_of_operations operations
calls calls_of_verbs systems complex direct decompositions configured matrices solves products

# Kernels: those of one header in double, in sources of at most 20 entries of the list.
declare -A headers=()
for source in "$work"/library/kernels/*; do
  case $source in *float* | *uint8* | *uint16* | *uint32* | *Floats*) continue ;; esac
  header=$(sed -n 's/^#include "\(.*\)"$/\1/p' "$source")
  headers[$header]+="$source "
done
for header in "${!headers[@]}"; do
  name=$(basename "$header" .hpp)
  # shellcheck disable=SC2086
  printf '#include "%s"\n' ${headers[$header]} |
    split -l 20 -a 1 --additional-suffix=.cpp - "$work/${name#Batchwork_}_"
  units+=("$work/${name#Batchwork_}"_?.cpp)
done

echo "CUDA objects: $nvcc, Kokkos in $kokkos"
printf '%s\n' "${units[@]}" |
  xargs -P "$(nproc)" -d '\n' -I SOURCE \
    bash -c 'compile "$@"' compile SOURCE "$nvcc" "${flags[@]}"
echo "CUDA objects: all compile, in $SECONDS s"

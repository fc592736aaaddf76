#!/usr/bin/env bash
# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Compiles a call of every verb for AMD devices. No device is needed: only objects are compiled,
# with the headers of an installed Kokkos 5 for hosts. The headers in the folder `configuration`
# come before them and turn HIP on. Fails on warnings, or if a kernel has more scratch memory
# (spilled registers, and arrays that do not fit) than these limits, in bytes for each lane:
#
#   map and scan, lanes share items            128
#   gemm by blocks                             128
#   cholesky and solves with its factors      1536
#   solve                                      768
#   all others                                none
#
#   compile.sh [-v] [ARCHITECTURE...]      default: gfx90a gfx942
#     -v: print all kernels, not only kernels with scratch memory
#
# Takes several minutes, most of them for solve with a configuration. Needs c++filt, and reads
#   HIPCXX        clang++ or hipcc with the headers and device library of HIP (hipcc, clang++)
#   Kokkos_ROOT   where Kokkos is installed (/usr)
#   JOBS          number of compilers that run at the same time (the number of processors)
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")"
top=$(cd ../.. && pwd -P)

fail() {
  echo "HIP objects: $1" >&2
  exit 2
}
verbose=0
if [ "${1:-}" = "-v" ]; then
  verbose=1
  shift
fi
case ${1:-} in -*) sed -n 's/^# \{0,1\}//; 5,22p' compile.sh >&2; exit 2 ;; esac
architectures=("$@")
[ $# -gt 0 ] || architectures=(gfx90a gfx942)

compiler=""
for name in ${HIPCXX:-hipcc clang++}; do
  if command -v "$name" >/dev/null; then compiler=$name; break; fi
done
[ -n "$compiler" ] || fail "${HIPCXX:-hipcc or clang++} was not found; set HIPCXX to a compiler"
command -v c++filt >/dev/null || fail "c++filt was not found"
kokkos=""
for place in "${Kokkos_ROOT:-/usr}/include/kokkos" "${Kokkos_ROOT:-/usr}/include"; do
  if grep -qs '^#define KOKKOS_VERSION_MAJOR \([5-9]\|[1-9][0-9]\)' \
    "$place/KokkosCore_config.h"; then
    kokkos=$place
    break
  fi
done
[ -n "$kokkos" ] ||
  fail "no headers of Kokkos 5 or newer were found in ${Kokkos_ROOT:-/usr}; set Kokkos_ROOT"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/include"
sed 's/@[A-Za-z_]*@/0/g' "$top/cmake/Batchwork_Version.hpp.in" \
  >"$work/include/Batchwork_Version.hpp"
# -Wconversion without signs, as in GCC. The loops of the largest tiles are unrolled by the same
# option as in CMakeLists.txt.
flags=(-x hip -std=c++20 -O3 -DNDEBUG -mllvm -pragma-unroll-threshold=65536
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Werror
  -Rpass-analysis=kernel-resource-usage -I "$PWD/configuration" -isystem "$kokkos"
  -isystem "$kokkos/mdspan" -I "$top/src" -I "$work/include")

# The definitions of Kokkos for an architecture.
architecture_flags() {
  case $1 in
    gfx90a) echo "-DKOKKOS_ARCH_AMD_GFX90A -DKOKKOS_ARCH_VEGA -DKOKKOS_ARCH_VEGA90A" ;;
    gfx908) echo "-DKOKKOS_ARCH_AMD_GFX908 -DKOKKOS_ARCH_VEGA -DKOKKOS_ARCH_VEGA908" ;;
    gfx1030 | gfx1100)
      echo "-DKOKKOS_ARCH_AMD_${1^^} -DKOKKOS_ARCH_NAVI -DKOKKOS_ARCH_NAVI${1#gfx}"
      ;;
    *) echo "-DKOKKOS_ARCH_AMD_${1^^}" ;;
  esac
}
echo 'int nothing;' >"$work/empty.cpp"
"$compiler" "${flags[@]}" --offload-arch="${architectures[0]}" -c "$work/empty.cpp" \
  -o "$work/empty.o" >"$work/empty.log" 2>&1 ||
  fail "$compiler does not work: $(head -n 1 "$work/empty.log")"

compile() {
  local source=$1 name began=$SECONDS
  name=$(basename "$source" .cpp)-$2
  shift 2
  if "$@" -c "$source" -o "$work/$name.o" >"$work/$name.log" 2>&1; then
    echo "    $name: $((SECONDS - began)) s"
  else
    echo "HIP objects: $name does not compile without errors and warnings:" >&2
    grep -v 'remark: ' "$work/$name.log" | grep -A 12 -E '(error|warning): ' | head -n 60 >&2
    return 1
  fi
}
export -f compile
export work
status=0
for architecture in "${architectures[@]}"; do
  echo "HIP objects: $architecture, $compiler, Kokkos in $kokkos"
  # The sources that take longest are first.
  # shellcheck disable=SC2046
  printf '%s\n' ../cuda_objects/configured.cpp sizes.cpp \
    ../cuda_objects/{direct,matrices,solves,systems,sequences,complex}.cpp |
    xargs -P "${JOBS:-$(nproc)}" -I SOURCE bash -c 'compile "$@"' compile SOURCE "$architecture" \
      "$compiler" "${flags[@]}" --offload-arch="$architecture" \
      $(architecture_flags "$architecture") || status=1
  cat "$work"/*-"$architecture".log | c++filt |
    awk -v verbose=$verbose -v architecture="$architecture" '
    function value(text) { sub(/.*: */, "", text); sub(/ .*/, "", text); return text + 0 }
    function allowed(kernel) {
      if (kernel ~ /^SolveTeams</) return 768
      if (kernel ~ /^TriangleTeams</) return 1536
      if (kernel ~ /^GemmBlocks</) return 128
      if (kernel ~ /^DeviceKernel<.*GridLanes/) return 128
      return 0
    }
    / remark: .*Function Name: / {
      kernel = $0
      sub(/.*Function Name: */, "", kernel)
      sub(/ \[-Rpass.*/, "", kernel)
    }
    / remark: .* VGPRs: / { registers = value($0) }
    / remark: .* AGPRs: / { more = value($0) }
    / remark: .*ScratchSize / {
      bytes = value($0)
      if (!match(kernel, /Kokkos::Impl::ParallelFor<Batchwork::Impl::/) || kernel in seen) next
      seen[kernel] = 1
      kernel = substr(kernel, RSTART + RLENGTH)
      bad = bytes > allowed(kernel)
      ++kernels
      failed += bad
      some += bytes > 0 && !bad
      sub(/^DeviceKernel</, "", kernel)
      sub(/Kokkos::TeamPolicy<.*/, "", kernel)
      gsub(/Batchwork::Impl::|Batchwork::|\(anonymous namespace\)::/, "", kernel)
      if (bytes > 0 || verbose)
        printf "%s  registers %3d + %3d  scratch %4d  %s\n",
          (bad ? "SPILLS" : bytes > 0 ? "some  " : "ok    "), registers, more, bytes,
          substr(kernel, 1, 400)
    }
    END {
      printf "HIP objects: %s: %d kernels, %d with scratch memory within the limits, %d beyond\n",
        architecture, kernels, some, failed
      exit kernels == 0 || failed > 0
    }' || status=1
done
exit $status

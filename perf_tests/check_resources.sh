#!/usr/bin/env bash
# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Prints registers, local memory (LOCAL), stack and spilled bytes of the Batchwork kernels in a CUDA executable, and
# fails if one of them uses local memory or a stack: a spill is a failure, not a slowdown.
#
#   check_resources.sh [-q] EXECUTABLE...      -q: only the kernels that fail, and the count
#
# Needs c++filt and cuobjdump (CUDA toolkit; or the path in $CUOBJDUMP).
set -euo pipefail

quiet=0
if [ "${1:-}" = "-q" ]; then
  quiet=1
  shift
fi
if [ $# -eq 0 ]; then
  sed -n 's/^# \{0,1\}//; 5,10p' "$0" >&2
  exit 2
fi
cuobjdump=${CUOBJDUMP:-cuobjdump}
for tool in "$cuobjdump" c++filt; do
  if ! command -v "$tool" >/dev/null; then
    echo "check_resources.sh: $tool was not found" >&2
    exit 2
  fi
done

status=0
for executable in "$@"; do
  if [ ! -r "$executable" ]; then
    echo "check_resources.sh: cannot read $executable" >&2
    exit 2
  fi
  "$cuobjdump" --dump-resource-usage "$executable" 2>/dev/null | c++filt | awk -v quiet=$quiet -v executable="$executable" '
    # The kernel line names the function, the next one has its resources.
    /^ *Function / { kernel = $0; sub(/^ *Function /, "", kernel); sub(/:$/, "", kernel); next }
    /REG:/ && kernel ~ /Batchwork::Impl::(DeviceKernel|GemmBlocks|GemmTiles|GemmLanes|CopyRuns|CopyTiles|TriangleTeams|TridiagonalHeld|TridiagonalStaged|TridiagonalPivoted)/ {
      match($0, /REG:[0-9]+/);   reg   = substr($0, RSTART + 4, RLENGTH - 4)
      match($0, /STACK:[0-9]+/); stack = substr($0, RSTART + 6, RLENGTH - 6)
      match($0, /LOCAL:[0-9]+/); loc   = substr($0, RSTART + 6, RLENGTH - 6)
      bad = stack + 0 > 0 || loc + 0 > 0
      ++kernels
      failed += bad
      # What tells kernels apart: the verb, the sequence and the operands.
      sub(/.*DeviceKernel</, "", kernel)
      sub(/Kokkos::TeamPolicy<.*/, "", kernel)
      gsub(/Batchwork::Impl::|BatchworkPerf::|Batchwork::/, "", kernel)
      if (bad || !quiet) printf "%s  registers %3d  stack %4d  local %4d  %s\n", bad ? "SPILLS" : "ok    ", reg, stack, loc, substr(kernel, 1, 400)
    }
    END {
      if (kernels == 0) { printf "%s: no Batchwork kernels found\n", executable; exit 1 }
      printf "%s: %d Batchwork kernels, %d with local memory\n", executable, kernels, failed
      exit failed > 0
    }' || status=1
done
exit $status

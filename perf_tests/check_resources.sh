#!/usr/bin/env bash
# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Prints registers, stack and local memory of the Batchwork kernels in a CUDA executable or object.
# Fails if a kernel has more stack and local memory together than these limits, which
# docs/performance/running.md explains:
#
#   map and scan, lanes share items       320 bytes; pivoted_qr 384, expm 2048
#   solve                                 256 bytes
#   all other kernels                     none: every spill is a failure
#
#   check_resources.sh [-q] EXECUTABLE...      -q: print only kernels with stack or local memory
#
# Needs c++filt and cuobjdump (CUDA toolkit; or the path in $CUOBJDUMP).
set -euo pipefail

quiet=0
if [ "${1:-}" = "-q" ]; then
  quiet=1
  shift
fi
if [ $# -eq 0 ]; then
  sed -n 's/^# \{0,1\}//; 5,15p' "$0" >&2
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
  "$cuobjdump" --dump-resource-usage "$executable" 2>/dev/null | c++filt |
    awk -v quiet=$quiet -v executable="$executable" '
    function value(name) {
      if (!match($0, name ":[0-9]+")) return 0
      return substr($0, RSTART + length(name) + 1, RLENGTH - length(name) - 1) + 0
    }
    function allowed(kernel) {
      if (kernel ~ /^SolveTeams</) return 256
      if (kernel ~ /^DeviceKernel<.*BatchworkPerf::Exponential.*GridLanes</) return 2048
      if (kernel ~ /^DeviceKernel<.*BatchworkPerf::Solution<.*GridLanes</) return 384
      if (kernel ~ /^DeviceKernel<.*GridLanes</) return 320
      return 0
    }
    # A line with the name of the function is followed by a line with its resources.
    /^ *Function / { kernel = $0; sub(/^ *Function /, "", kernel); sub(/:$/, "", kernel); next }
    # Every functor of the library.
    /REG:/ && match(kernel, /Kokkos::Impl::Parallel(For|Reduce|Scan)<Batchwork::Impl::/) {
      kernel = substr(kernel, RSTART + RLENGTH)
      bytes = value("STACK") + value("LOCAL")
      bad = bytes > allowed(kernel)
      ++kernels
      failed += bad
      if (bytes > 0 && !bad) {
        if (++some == 1 || bytes < least) least = bytes
        if (bytes > most) most = bytes
      }
      # Print what tells kernels apart: the verb, the sequence and the operands, or the solver and
      # its arguments.
      sub(/^DeviceKernel</, "", kernel)
      sub(/Kokkos::TeamPolicy<.*/, "", kernel)
      gsub(/Batchwork::Impl::|BatchworkPerf::|Batchwork::/, "", kernel)
      if (bytes > 0 || !quiet)
        printf "%s  registers %3d  stack %4d  local %4d  %s\n",
          bad ? "SPILLS" : (bytes > 0 ? "some  " : "ok    "), value("REG"), value("STACK"),
          value("LOCAL"), substr(kernel, 1, 400)
    }
    END {
      if (kernels == 0) { printf "%s: no Batchwork kernels found\n", executable; exit 1 }
      within = some > 0 ? sprintf(" (%d to %d bytes)", least, most) : ""
      printf "%s: %d Batchwork kernels, ", executable, kernels
      printf "%d with stack or local memory within the limits%s, %d beyond\n", some, within, failed
      exit failed > 0
    }' || status=1
done
exit $status

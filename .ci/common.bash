# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What the jobs of this folder share. They source it, and run from the top of the checkout.

set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

# Tests have their own, unoptimised library of all kernels. The optimised one would take more time
# than all tests; the install tests build one with the dense kernels.
arguments="-DBatchwork_ENABLE_WERROR=ON -DBatchwork_KERNELS= ${BATCHWORK_CMAKE_ARGS:-}"

# Matrices of a real application. Some tests use them if they are in this folder.
if [ -d ../shared/data/drm19 ]; then
  BATCHWORK_DATA=$(cd ../shared/data/drm19 && pwd -P)
  export BATCHWORK_DATA
  arguments+=" -DBatchwork_DRM19_DIR=$BATCHWORK_DATA"
fi

# The oldest supported Kokkos: not optimised, which takes half of the time, with assertions.
# shellcheck disable=SC2034
oldest=(--kokkos kokkos4 --build-type Debug) without_optimiser=-DCMAKE_CXX_FLAGS_DEBUG=-O0

# build_and_run_tests [test...]: builds and runs all test programs, or these, in the folder $build
# with the Kokkos "${here[@]}".
build_and_run_tests() {
  local names=("$@") targets=(batchwork_tests) pattern='^test_'
  if [ $# != 0 ]; then
    targets=("$@")
    pattern="^($(IFS='|' && echo "${names[*]}"))\$"
  fi
  ./batchwork shell "${here[@]}" \
    cmake --build "$build" --parallel "$(nproc)" --target "${targets[@]}"
  ./batchwork shell "${here[@]}" ctest --test-dir "$build" --output-on-failure --no-tests=error \
    --parallel "$(nproc)" -R "$pattern"
}

# is_whole [--whole]: whether a job is asked for what is weekly, too.
is_whole() {
  case ${1:-} in
    "") return 1 ;;
    --whole) ;;
    *) echo "$0 accepts only --whole, not $1" >&2; exit 2 ;;
  esac
}

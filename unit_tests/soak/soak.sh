#!/usr/bin/env bash
# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Repeats tests with other random numbers until the time is over.
#
#   soak.sh [--hours h | --seconds s] [--seed n] [--sequences n --build folder] programs...
#
# A round has a seed: that of the first round and one more for each. The programs get it as
# BATCHWORK_TEST_SEED, which changes every Batchwork::Test::Random. With --sequences, each round
# also compiles and runs so many new random sequences. The time is looked at before each program.
#
# Exit status: 0 if all passed, 1 if something failed, 2 if the arguments are wrong.

set -uo pipefail

wrong() {
  echo "soak: $1" >&2
  exit 2
}

seconds=3600 seed=$(date +%s) sequences=0 build="" programs=()
while [ $# -gt 0 ]; do
  case $1 in
    --hours | --seconds | --seed | --sequences | --build)
      [ $# -ge 2 ] || wrong "$1 needs a value"
      [[ $2 =~ [0-9] ]] || [ "$1" = --build ] || wrong "$1 needs a number, not $2"
      case $1 in
        --hours) seconds=$(awk -v h="$2" 'BEGIN { printf "%d", 3600 * h }') ;;
        --seconds) seconds=$2 ;;
        --seed) seed=$2 ;;
        --sequences) sequences=$2 ;;
        --build) build=$2 ;;
      esac
      shift
      ;;
    -*) wrong "unknown option $1" ;;
    *) programs+=("$1") ;;
  esac
  shift
done
[[ $seed =~ ^[1-9][0-9]*$ && $seed -lt 4294967296 ]] ||
  wrong "--seed must be a number from 1 to 4294967295, not $seed"
[[ $sequences =~ ^[0-9]+$ && $seconds =~ ^[0-9]+$ ]] || wrong "give whole numbers"
[ "$sequences" = 0 ] || [ -n "$build" ] || wrong "--sequences needs --build"
[ ${#programs[@]} -gt 0 ] || [ "$sequences" -gt 0 ] || wrong "nothing to run"

log=$(mktemp)
# The build has the sequences of continuous integration again when this ends.
configure() { cmake "$build" -DBatchwork_RANDOM_SEED="$1" -DBatchwork_RANDOM_SEQUENCES="$2"; }
clean_up() {
  rm -f "$log"
  if [ "$sequences" -gt 0 ]; then cmake -U 'Batchwork_RANDOM_*' "$build" >/dev/null 2>&1; fi
}
trap clean_up EXIT
trap 'exit 130' INT TERM

begin=$SECONDS round=0 runs=0 failures=()
left() {
  local rest=$((begin + seconds - SECONDS))
  echo $((rest > 0 ? rest : 0))
}

# failed <what> <how to repeat it>
failed() {
  failures+=("$1; repeat: $2")
  echo "FAILED: $1"
  tail -n 40 "$log" | sed 's/^/    /'
  echo "  repeat: $2"
}

# A program that takes ten minutes hangs.
run_program() {
  local status=0 tests
  timeout 600 env BATCHWORK_TEST_SEED="$seed" "$1" --gtest_brief=1 >"$log" 2>&1 || status=$?
  runs=$((runs + 1))
  [ $status != 0 ] || return 0
  tests=$(sed -n 's/^\[  FAILED  \] \([^ ,]*\).*ms)$/\1/p' "$log" | sort -u | paste -s -d :)
  [ $status != 124 ] || tests=""
  failed "seed $seed, $(basename "$1") ${tests:-, status $status}" \
    "BATCHWORK_TEST_SEED=$seed $1${tests:+ --gtest_filter=$tests}"
}

run_sequences() {
  local first=$((seed * sequences % 2000000000 + 1)) test=$build/bin/test_random_sequences
  if ! { configure "$first" "$sequences" &&
    cmake --build "$build" --target test_random_sequences; } >"$log" 2>&1; then
    failed "random sequences $first to $((first + sequences - 1)) do not compile" \
      "cmake $build -DBatchwork_RANDOM_SEED=$first -DBatchwork_RANDOM_SEQUENCES=$sequences"
    return
  fi
  runs=$((runs + 1))
  timeout 600 "$test" --gtest_brief=1 >"$log" 2>&1 && return
  failed "random sequences $first to $((first + sequences - 1))" \
    "cmake $build -DBatchwork_RANDOM_SEED=$first -DBatchwork_RANDOM_SEQUENCES=$sequences && \
cmake --build $build --target test_random_sequences && $test"
}

echo "soak: $seconds s, first seed $seed, ${#programs[@]} programs, $sequences sequences a round"
while [ "$(left)" -gt 0 ]; do
  round=$((round + 1))
  for program in "${programs[@]+"${programs[@]}"}"; do
    [ "$(left)" -gt 0 ] || break
    run_program "$program"
  done
  if [ "$sequences" -gt 0 ] && [ "$(left)" -gt 0 ]; then run_sequences; fi
  echo "round $round, seed $seed: $runs runs so far, ${#failures[@]} failed, $(left) s left"
  seed=$((seed + 1))
done

echo "soak: $runs runs in $((SECONDS - begin)) s, ${#failures[@]} failed"
[ ${#failures[@]} = 0 ] || printf '  %s\n' "${failures[@]}"
[ ${#failures[@]} = 0 ]

#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Compares two result files of the benchmarks. Prints a Markdown table, the slowest change first.

  perf_kalman --benchmark_out=before.json --benchmark_out_format=json
  compare.py before.json after.json --share 0.03

With repetitions the median is compared. An entry is slower or faster if its time changed by more
than the share. Exit status: 0 if no entry is slower; 1 if an entry is slower, or fails only after;
2 if there is nothing to compare.
"""

import argparse
import math
import statistics
import sys

from results import NANOSECONDS, Unusable, name_of, nanoseconds, read


def times_of(path):
    """The context, and the time in ns for every name; None for an entry that failed."""
    context, entries = read(path)
    names = [name_of(entry) for entry in entries]
    runs, medians = {}, {}
    for name, entry in zip(names, entries):
        if entry.get("run_type") != "aggregate":
            runs.setdefault(name, []).append(
                nanoseconds(entry) if not entry.get("error_occurred") else None
            )
        elif entry.get("aggregate_name") == "median":
            medians[name] = nanoseconds(entry)
    times = {}
    for name in dict.fromkeys(names):
        if name in runs:
            times[name] = None if None in runs[name] else statistics.median(runs[name])
        else:
            times[name] = medians.get(name)
    return context, times


def in_units(ns):
    if ns is None:
        return "failed"
    unit = next(u for u in ("s", "ms", "us", "ns") if ns >= NANOSECONDS[u] or u == "ns")
    return f"{ns / NANOSECONDS[unit]:.4g} {unit}"


def table(header, rows):
    for row in (header, ["---"] * len(header), *rows):
        print("| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |")
    print()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("before", help="result file (JSON, or CSV as results.py keeps it)")
    parser.add_argument("after", help="result file (JSON, or CSV as results.py keeps it)")
    parser.add_argument(
        "--share",
        type=float,
        default=0.03,
        help="fraction by which a time can change: 0.03 is 3 %% (the default)",
    )
    parser.add_argument(
        "--only-changes", action="store_true", help="print only entries that are slower or faster"
    )
    options = parser.parse_args()
    if not 0 <= options.share < math.inf:
        parser.error("--share must be a finite number that is not negative")
    try:
        context_before, before = times_of(options.before)
        context_after, after = times_of(options.after)
    except Unusable as error:
        print(f"compare.py: {error}", file=sys.stderr)
        return 2

    # Differences between the contexts, because they may explain different times.
    ignored = {"date", "load_avg", "executable", "host_name", "mhz_per_cpu"}
    keys = [key for key in dict.fromkeys([*context_before, *context_after]) if key not in ignored]
    different = [
        (key, context_before.get(key, ""), context_after.get(key, ""))
        for key in keys
        if context_before.get(key) != context_after.get(key)
    ]
    if different:
        table(("context", "before", "after"), different)

    both = [name for name in before if name in after]
    compared = sorted(
        ((after[name] / before[name], name) for name in both if before[name] and after[name]),
        reverse=True,
    )
    slower = [name for ratio, name in compared if ratio > 1 + options.share]
    faster = [name for ratio, name in compared if ratio < 1 - options.share]
    fails_now = [name for name in both if before[name] and not after[name]]
    rows = [(name, in_units(before[name]), "failed", "", "fails") for name in fails_now]
    for ratio, name in compared:
        verdict = "slower" if name in slower else "faster" if name in faster else ""
        if verdict or not options.only_changes:
            rows.append(
                (name, in_units(before[name]), in_units(after[name]), f"{ratio:.3f}", verdict)
            )
    rows += [(name, "failed", in_units(after[name]), "", "") for name in both if not before[name]]
    if rows:
        table(("benchmark", "before", "after", "after / before", ""), rows)
    for title, one, other in (("only before", before, after), ("only after", after, before)):
        alone = [(name, in_units(one[name])) for name in one if name not in other]
        if alone:
            table((title, "time"), alone)

    if not compared:
        print(
            "compare.py: the files have no entry in common with a time in both", file=sys.stderr
        )
        return 1 if fails_now else 2
    print(
        f"{len(compared)} compared, {len(slower)} slower by more than {100 * options.share:g} %, "
        f"{len(faster)} faster, {len(fails_now)} failing now; "
        f"median of after / before {statistics.median(r for r, _ in compared):.3f}"
    )
    return 1 if slower or fails_now else 0


if __name__ == "__main__":
    sys.exit(main())

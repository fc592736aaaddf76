#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Converts results of Google Benchmark (JSON) to the files that this repository keeps.

  results.py kalman.json --keep perf_tests/results/perf_kalman_h200

writes perf_kalman_h200.csv, with one row for each record, and perf_kalman_h200.json, with the
machine, date and versions. read() reads either form.
"""

import argparse
import csv
import json
import math
import os
import re
import sys

NANOSECONDS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}

# The number of measurements is not part of the name.
HOW_OFTEN = re.compile(r"/(iterations|repeats|min_time|min_warmup_time):[^/]*|/manual_time$")

# Columns about the work of Google Benchmark, and columns that follow from others.
NOT_KEPT = {
    "family_index", "per_family_instance_index", "run_name", "run_type", "repetitions",
    "repetition_index", "threads", "iterations", "cpu_time", "time_unit", "real_time",
    "fraction_of_floor", "ms",
}  # fmt: skip
CONTEXT_NOT_KEPT = {
    "aslr_enabled", "caches", "cpu_scaling_enabled", "executable", "host_name",
    "json_schema_version", "library_build_type", "load_avg", "mhz_per_cpu", "num_cpus",
}  # fmt: skip


class Unusable(Exception):
    """Raised for a file that is not a result file."""


def nanoseconds(entry):
    """The time of an entry, or None if it has no time that can be compared."""
    try:
        time = float(entry["real_time"]) * NANOSECONDS[entry.get("time_unit", "ns")]
    except (KeyError, TypeError, ValueError):
        try:
            time = (
                float(entry["ns_per_item"]) * float(entry["items"]) * float(entry.get("steps", 1))
            )
        except (KeyError, TypeError, ValueError):
            return None
    return time if math.isfinite(time) and time > 0 else None


def name_of(entry):
    return HOW_OFTEN.sub("", entry.get("run_name", entry["name"]))


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


def read(path):
    """The context and the entries of a file, in the form of Google Benchmark."""
    try:
        if path.endswith(".csv"):
            with open(path[: -len(".csv")] + ".json", encoding="utf-8") as file:
                context = json.load(file)
            with open(path, encoding="utf-8", newline="") as file:
                entries = [
                    {k: number(v) for k, v in row.items() if v != ""}
                    for row in csv.DictReader(file)
                ]
            for entry in entries:
                entry["real_time"] = entry.pop("time_ns", None)
                entry["error_occurred"] = "error_message" in entry
        else:
            with open(path, encoding="utf-8") as file:
                document = json.load(file)
            context, entries = document["context"], document["benchmarks"]
        for entry in entries:
            entry["name"] = str(entry["name"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Unusable(
            f"{path} is not a result of Google Benchmark (JSON) or results.py (CSV): {error!r}"
        ) from error
    return context, entries


def keep(context, entries, path):
    """Writes path.csv and path.json."""
    with open(path + ".json", "w", encoding="utf-8") as file:
        json.dump({k: v for k, v in context.items() if k not in CONTEXT_NOT_KEPT}, file, indent=2)
        file.write("\n")
    rows = []
    for entry in entries:
        # Aggregates can be computed from the runs.
        if entry.get("run_type") == "aggregate":
            continue
        row = {"name": name_of(entry)}
        time = nanoseconds(entry)
        if time is not None:
            row["time_ns"] = f"{time:.7g}"
        for key, value in entry.items():
            if key in NOT_KEPT or key == "name" or (key == "error_occurred"):
                continue
            row[key] = (
                f"{value:.10g}"
                if key in ("items", "bytes", "steps")
                else f"{value:.7g}" if isinstance(value, float) else value
            )
        rows.append(row)
    columns = list(dict.fromkeys(key for row in rows for key in row))
    with open(path + ".csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", help="result file (JSON)")
    parser.add_argument("--keep", metavar="PATH", required=True, help="without .csv")
    options = parser.parse_args()
    try:
        context, entries = read(options.file)
    except Unusable as error:
        print(f"results.py: {error}", file=sys.stderr)
        return 2
    os.makedirs(os.path.dirname(options.keep) or ".", exist_ok=True)
    keep(context, entries, options.keep)
    return 0


if __name__ == "__main__":
    sys.exit(main())

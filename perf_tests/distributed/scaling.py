#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Parallel efficiency of a batch on 1 to 1,000 H100s, on paper: docs/guides/many_devices.md.

  scaling.py

Measured are the iterations of 1,048,576 systems of drm19 (iterations.csv, sums of 256 systems in a
row, by `distributed chemistry --data <drm19> --chunk 256 --costs ...`) and the times of solve on an
H100 (perf_tests/results). What is assumed is in ASSUMED. Prints tables in Markdown.
"""

import csv
import heapq
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
GROUP = 256  # systems in a line of iterations.csv
ROWS, ENTRIES = 22, 438

ASSUMED = {
    "overhead": 20e-6,  # of a chunk: four more launches and a copy of its outcome to the host
    "fetch": 3e-6,  # until the counter's number is there
    "serve": 0.5e-6,  # of the counter, one rank after the other
    "reduce": 3e-6,  # of the last reduction, times log2 of the ranks
    "link": 55e9,  # bytes a second from a host to its device
    "files": 200e9,  # bytes a second of a parallel file system, for all ranks
    "client": 5e9,  # bytes a second of it for one rank
}
# A batch that does not fill the device: 4096 and 131,072 stencils of 16 rows took 4.15 and 1.09 ns
# a system on an H200 (docs/performance/solve_batch_size.md). A straight line through both begins
# here.
LATENCY = 4096 * 4.15e-9 - 4096 * (131072 * 1.09e-9 - 4096 * 4.15e-9) / (131072 - 4096)


def time_of_drm19():
    """Seconds of a system, and more for each iteration."""
    with open(HERE.parent / "results" / "perf_solve_direct_h100.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["name"].startswith("solve/batchwork/drm19/double/csr/bicgstab-jacobi/"):
                floor, whole = float(row["floor_ns_per_item"]), float(row["ns_per_item"])
                return floor * 1e-9, (whole - floor) * 1e-9 / float(row["mean_iterations"])
    sys.exit("scaling.py: the results have no drm19")


PER_SYSTEM, PER_ITERATION = time_of_drm19()
ITERATIONS = [int(line) for line in (HERE / "iterations.csv").read_text().split()[1:]]


def chunk_times(length, copies):
    """Seconds of the chunks of a batch in which each system is there `copies` times in a row."""
    items, times = GROUP * copies, []
    total, done = len(ITERATIONS) * items, 0
    while done < total:
        end = min(done + length, total)
        work, at = 0.0, done
        while at < end:
            group = at // items
            upto = min(end, (group + 1) * items)
            work += ITERATIONS[group] * copies * (upto - at) / items
            at = upto
        times.append(LATENCY + ASSUMED["overhead"] + (end - done) * PER_SYSTEM +
                     work * PER_ITERATION)
        done = end
    return times


def blocks(times, speeds):
    n, p = len(times), len(speeds)
    return max(sum(times[r * n // p:(r + 1) * n // p]) / speeds[r] for r in range(p))


def cyclic(times, speeds):
    p = len(speeds)
    return max(sum(times[r::p]) / speeds[r] for r in range(p))


def dynamic(times, speeds):
    """Each rank begins with a chunk of its own; a counter on rank 0 hands out the others."""
    p, end, free = len(speeds), 0.0, 0.0
    ready = [(times[r] / speeds[r], r) for r in range(min(p, len(times)))]
    heapq.heapify(ready)
    following = p
    while ready:
        now, r = heapq.heappop(ready)
        end = max(end, now)
        free = max(free, now) + ASSUMED["serve"]
        if following < len(times):
            heapq.heappush(ready, (free + ASSUMED["fetch"] + times[following] / speeds[r], r))
            following += 1
    return end


def efficiency(split, ranks, length, copies, slow):
    """The time of one rank, without MPI and with chunks of 131,072, over that of all, for equal work
    of a rank."""
    times = chunk_times(length, copies * ranks if copies else 1)
    alone = sum(chunk_times(131072, copies or 1)) / (1 if copies else ranks)
    speeds = [1.0] * ranks
    if slow and ranks > 1:
        speeds[ranks // 2] = 0.9
    return alone / (split(times, speeds) + ASSUMED["reduce"] * (ranks - 1).bit_length())


def table(title, columns):
    """A column is a name, a split, the length of a chunk, the times that each rank has all systems
    (0: they are divided), and whether one device has 0.9 of the speed of the others."""
    print(f"\n{title}\n")
    print("| ranks | " + " | ".join(column[0] for column in columns) + " |")
    print("|" + " --- |" * (len(columns) + 1))
    for ranks in (1, 2, 4, 8, 16, 64, 256, 1000):
        cells = [f"{efficiency(column[1], ranks, *column[2:]):.2f}" for column in columns]
        print(f"| {ranks} | " + " | ".join(cells) + " |")


def what_binds():
    items, ranks = len(ITERATIONS) * GROUP, 1000
    compute = sum(chunk_times(131072, 1))
    matrix, x = 8.0 * (ENTRIES + ROWS) * items, 8.0 * ROWS * items
    of_files = min(ASSUMED["client"], ASSUMED["files"] / ranks)
    print("\nMilliseconds of a rank with 1,048,576 systems\n")
    print("| what | 1 rank | 1,000 ranks |\n| --- | --- | --- |")
    for what, one, many in (
            ("compute", compute, compute),
            ("matrices and b from the host", matrix / ASSUMED["link"], matrix / ASSUMED["link"]),
            ("x to the host", x / ASSUMED["link"], x / ASSUMED["link"]),
            ("matrices and b from files", matrix / ASSUMED["client"], matrix / of_files),
            ("x to files", x / ASSUMED["client"], x / of_files)):
        print(f"| {what} | {one * 1e3:.3g} | {many * 1e3:.3g} |")


if __name__ == "__main__":
    print(f"A system takes {PER_SYSTEM * 1e9:.3g} ns and {PER_ITERATION * 1e9:.3g} ns an iteration, "
          f"a launch {LATENCY * 1e6:.3g} us.")
    print(f"Iterations: {sum(ITERATIONS) / len(ITERATIONS) / GROUP:.3g} on average, "
          f"{min(ITERATIONS) / GROUP:.3g} to {max(ITERATIONS) / GROUP:.3g} in groups of {GROUP}.")
    table("1,048,576 systems in all", [
        ("blocks, 16,384", blocks, 16384, 0, False),
        ("in turn, 16,384", cyclic, 16384, 0, False),
        ("counter, 131,072", dynamic, 131072, 0, False),
        ("counter, 16,384", dynamic, 16384, 0, False),
        ("counter, 1,024", dynamic, 1024, 0, False)])
    table("16,777,216 systems for each rank", [
        ("blocks, 131,072", blocks, 131072, 16, False),
        ("in turn, 131,072", cyclic, 131072, 16, False),
        ("counter, 131,072", dynamic, 131072, 16, False),
        ("in turn, one slow", cyclic, 131072, 16, True),
        ("counter, one slow", dynamic, 131072, 16, True),
        ("counter, 16,384", dynamic, 16384, 16, False)])
    what_binds()

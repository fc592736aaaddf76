# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Measured scaling of example/distributed on the devices of one host.

    measured.py <table.csv> [picture.png]

A line of the table is a run: run, workload, ranks, repetition, items, chunk, elapsed (seconds of
the loop over chunks), computed (%), imbalance, in_blocks, checksum, rc. Runs called `strong` have
the same items for every number of ranks, those called `weak` as many for each rank as `strong` for
one rank. Prints medians over repetitions and parallel efficiencies, and checks that checksums do
not depend on the number of ranks.
"""

import csv
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))


def read(path):
    with open(path) as file:
        return [row for row in csv.DictReader(file) if row["elapsed"]]


def times(rows, run, workload, chunk=None):
    """Seconds by the number of ranks: all repetitions."""
    found = {}
    for row in rows:
        if row["run"] == run and row["workload"] == workload and chunk in (None, row["chunk"]):
            found.setdefault(int(row["ranks"]), []).append(float(row["elapsed"]))
    return found


def table(rows):
    print("| workload | items | chunk | ranks | seconds | imbalance | efficiency |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    one = {}
    for key in dict.fromkeys((r["run"], r["workload"], r["chunk"], r["ranks"]) for r in rows):
        of = [r for r in rows if (r["run"], r["workload"], r["chunk"], r["ranks"]) == key]
        run, workload, chunk, ranks = key
        seconds = statistics.median(float(r["elapsed"]) for r in of)
        imbalance = statistics.median(float(r["imbalance"] or 1) for r in of)
        if ranks == "1":
            one[run, workload, chunk] = seconds
        alone = one.get(("strong" if run == "weak" else run, workload, chunk))
        efficiency = ""
        if alone and ranks != "1":
            efficiency = f"{alone / seconds / (1 if run == 'weak' else int(ranks)):.3f}"
        print(f"| {workload}, {run} | {int(of[0]['items']):,} | {int(chunk):,} | {ranks} | "
              f"{seconds:.4g} | {imbalance:.3f} | {efficiency} |")


def same_results(rows):
    sums = {}
    for row in rows:
        sums.setdefault((row["workload"], row["items"]), set()).add(row["checksum"])
    return all(len(of) == 1 for of in sums.values())


def picture(rows, path):
    from pictures import STYLE, plt

    plt.rcParams.update(STYLE)
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.4))
    colors = {"sweep": "#1b6ca8", "chemistry": "#c8102e"}
    for place, (workload, color) in enumerate(colors.items()):
        strong, weak = times(rows, "strong", workload), times(rows, "weak", workload)
        alone = statistics.median(strong[1])
        for axis, of, scale in ((axes[0], strong, lambda n: alone / n),
                                (axes[1], {1: strong[1], **weak}, lambda n: alone)):
            ranks = sorted(of)
            efficiency = [scale(n) / statistics.median(of[n]) for n in ranks]
            axis.plot(ranks, efficiency, "o-", color=color, label=workload)
            for n in ranks:
                axis.plot([n] * len(of[n]), [scale(n) / t for t in of[n]], ".", color=color,
                          alpha=0.35)
            axis.annotate(f"{efficiency[-1]:.3f}", (ranks[-1], efficiency[-1]), xytext=(6, -12 * place),
                          textcoords="offset points", color=color)
    for axis, title in zip(axes, ("The same items for all", "As many items for each device")):
        axis.axhline(0.95, color="#999999", linestyle="--", linewidth=1)
        axis.set_title(title)
        axis.set_xlabel("devices")
        axis.set_xticks([1, 2])
        axis.set_xlim(0.8, 2.3)
        axis.set_ylim(0, 1.1)
    axes[0].set_ylabel("parallel efficiency")
    axes[0].legend(loc="lower left")
    figure.tight_layout()
    figure.savefig(path)


if __name__ == "__main__":
    runs = read(sys.argv[1])
    table(runs)
    print("\nchecksums:", "the same for all ranks" if same_results(runs) else "NOT THE SAME")
    if len(sys.argv) > 2:
        picture(runs, sys.argv[2])

# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs example/distributed with 1 and 2 ranks, a device a rank, and writes a table of the runs.

    measure.py <distributed> <table.csv> [mpirun -n RANKS ...]

measured.py prints the medians and draws the picture.
"""

import csv
import re
import subprocess
import sys

CASES = {  # run, workload: arguments, ranks
    ("small", "sweep"): ("--grid 3163 --chunk 262144", (1, 2)),
    ("small", "chemistry"): ("--items 1048576 --chunk 32768", (1, 2)),
    ("strong", "sweep"): ("--grid 23170 --chunk 4194304", (1, 2)),
    ("strong", "chemistry"): ("--items 67108864 --chunk 131072", (1, 2)),
    ("weak", "sweep"): ("--grid 32768 --chunk 4194304", (2,)),
    ("weak", "chemistry"): ("--items 134217728 --chunk 131072", (2,)),
}
HEAD = ("run,workload,ranks,repetition,items,chunk,elapsed,computed,imbalance,in_blocks,checksum,"
        "rc").split(",")
PATTERNS = {
    ("elapsed", "computed"): r"elapsed: (\S+) s, of which the ranks computed (\S+) %",
    ("imbalance", "in_blocks"): r"busiest rank computed (\S+) times .* would be (\S+)",
    ("checksum",): r"checksum of the results: (\S+)",
}


def one(program, launcher, run, workload, arguments, ranks, repetition):
    words = arguments.split()
    items = int(words[1]) ** 2 if words[0] == "--grid" else int(words[1])
    command = [word.replace("RANKS", str(ranks)) for word in launcher]
    ended = subprocess.run([*command, program, workload, *words, "--progress", "0"],
                           capture_output=True, text=True)
    row = dict.fromkeys(HEAD, "")
    row.update(run=run, workload=workload, ranks=ranks, repetition=repetition, items=items,
               chunk=words[3], rc=ended.returncode)
    for names, pattern in PATTERNS.items():
        found = re.search(pattern, ended.stdout)
        if found:
            row.update(zip(names, found.groups()))
    if ended.returncode != 0:
        print(ended.stdout + ended.stderr, file=sys.stderr)
    return row


if __name__ == "__main__":
    program, path, *launcher = sys.argv[1:]
    with open(path, "w", newline="") as file:
        table = csv.DictWriter(file, HEAD)
        table.writeheader()
        for repetition in range(1, 6):
            for (run, workload), (arguments, counts) in CASES.items():
                for ranks in counts:
                    table.writerow(one(program, launcher or ["mpirun", "-n", "RANKS"], run,
                                       workload, arguments, ranks, repetition))
                    file.flush()

# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Timing for the peers, and results in the format of Google Benchmark, which report.py reads."""

import json
import platform
import time


def median_time(run, samples, warm_up=3):
    """The median time of run() in seconds. run() returns when its work is done."""
    for _ in range(warm_up):
        run()
    times = []
    for _ in range(samples):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return sorted(times)[len(times) // 2]


class Results:
    """Collects results, prints each of them, and writes them to a file."""

    def __init__(self, **context):
        self.context = {
            "host_name": platform.node(),
            "python": platform.python_version(),
            **context,
        }
        self.benchmarks = []

    def add(self, name, seconds, items, steps=1, **more):
        ns = seconds / items / steps * 1e9
        self.benchmarks.append(
            {
                "name": name,
                "real_time": seconds * 1e3,
                "time_unit": "ms",
                "ns_per_item": ns,
                "items": items,
                "steps": steps,
                **more,
            }
        )
        print(f"{name}  {seconds * 1e3:.3f} ms, {ns:.4g} ns per item and step", flush=True)

    def fail(self, name, error):
        message = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        self.benchmarks.append({"name": name, "error_occurred": True, "error_message": message})
        print(f"{name}  failed: {message}", flush=True)

    def write(self, path):
        if path:
            with open(path, "w") as file:
                json.dump({"context": self.context, "benchmarks": self.benchmarks}, file, indent=1)
                file.write("\n")

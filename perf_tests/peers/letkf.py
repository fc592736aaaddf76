#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Peer of example/letkf: the same analysis of a grid by batched products and eigenvectors of NumPy
or CuPy.

    letkf.py [--library cupy] [--points 128] [--members 64] [--every 2] [--radius 3]

`letkf shallow-water` with the same options prints the time of Batchwork. The mean of a few points is
compared with the solution of the linear system.
"""

import argparse
import importlib

import numpy as np
from timing import Results, median_time

VARIABLES, INFLATION, DEVIATION = 3, 1.1, 5.0


def gaspari_cohn(distance, radius):
    r = distance / (np.sqrt(10 / 3) * radius)
    with np.errstate(divide="ignore"):
        far = 4 - 2 / (3 * r) + r * (-5 + r * (5 / 3 + r * (5 / 8 + r * (-0.5 + r / 12))))
    near = 1 + r * r * (-5 / 3 + r * (5 / 8 + r * (0.5 - r / 4)))
    return np.where(r <= 1, near, np.where(r < 2, far, 0))


def localize(n, every, radius):
    """(point, l): the observed point and the root of the taper over the deviation."""
    grid = np.arange(0, n, every)
    y, x = (a.ravel() for a in np.meshgrid(grid, grid, indexing="ij"))
    lists = []
    for v in range(n):
        for u in range(n):
            du, dv = np.abs(x - u), np.abs(y - v)
            taper = gaspari_cohn(np.hypot(np.minimum(du, n - du), np.minimum(dv, n - dv)), radius)
            used = taper > 1e-3
            lists.append(((y * n + x)[used], np.sqrt(taper[used]) / DEVIATION))
    most = (max(len(near) for near, _ in lists) + 3) // 4 * 4
    near, weight = np.zeros((n * n, most), int), np.zeros((n * n, most))
    for p, (a, w) in enumerate(lists):
        near[p, : len(a)], weight[p, : len(a)] = a, w
    return near, weight


def analyse(xp, mean, deviations, part, observed, near, weight, rotation):
    """The formulas of example/letkf/LocalAnalysis.hpp for a part of the points.
    mean, deviations: (point, variable, member) of all points."""
    k = deviations.shape[2]
    a = deviations[part]
    s = weight[:, :, None] * deviations[near, 0]
    d = weight * (observed[near] - mean[near, 0, 0])
    values, v = xp.linalg.eigh(xp.swapaxes(s, 1, 2) @ s + (k - 1) / INFLATION**2 * xp.eye(k))
    f = 1 / values
    b = a @ v
    t = (d[:, None, :] @ s) @ v
    change = (b * (f[:, None, :] * t)).sum(axis=2, keepdims=True)
    turned = (b * xp.sqrt((k - 1) * f)[:, None, :]) @ xp.swapaxes(v, 1, 2) @ rotation
    return mean[part] + change + turned


def check(analysis, forecast, observed, near, weight):
    """The largest error of the mean at some points, beside the solution of the system."""
    k, worst = forecast.shape[2], 0
    a = forecast - forecast.mean(axis=2, keepdims=True)
    for p in range(0, len(forecast), len(forecast) // 7):
        s = weight[p][:, None] * a[near[p], 0]
        d = weight[p] * (observed[near[p]] - forecast[near[p], 0].mean(axis=1))
        w = np.linalg.solve((k - 1) / INFLATION**2 * np.eye(k) + s.T @ s, s.T @ d)
        expected = forecast[p].mean(axis=1) + a[p] @ w
        worst = max(worst, np.abs(analysis[p].mean(axis=1) - expected).max())
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", choices=["numpy", "cupy"], default="numpy")
    parser.add_argument("--points", type=int, default=128)
    parser.add_argument("--members", type=int, default=64)
    parser.add_argument("--every", type=int, default=2)
    parser.add_argument("--radius", type=float, default=3)
    parser.add_argument("--chunk", type=int, default=4096, help="points at a time")
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--json", help="file for the results, as of Google Benchmark")
    options = parser.parse_args()
    xp = importlib.import_module(options.library)
    n, k = options.points, options.members

    random = np.random.default_rng(1)
    near, weight = localize(n, options.every, options.radius)
    forecast = random.normal(1000, 50, (n * n, VARIABLES, k))
    observed = random.normal(1000, 50, n * n)
    # Keeps the vector of ones: two random bases that begin with it.
    bases = random.normal(size=(2, k, k))
    bases[:, :, 0] = 1
    q = np.linalg.qr(bases)[0]
    rotation = q[0] @ q[1].T

    on_device = [xp.asarray(x) for x in (forecast, observed, near, weight, rotation)]
    f, y, i, w, turn = on_device
    analysis = xp.empty_like(f)

    def run():
        mean = f.mean(axis=2, keepdims=True)
        a = f - mean
        for first in range(0, n * n, options.chunk):
            part = slice(first, first + options.chunk)
            analysis[part] = analyse(xp, mean, a, part, y, i[part], w[part], turn)
        if options.library == "cupy":
            xp.cuda.runtime.deviceSynchronize()

    seconds = median_time(run, options.samples, warm_up=1)
    got = analysis if options.library == "numpy" else xp.asnumpy(analysis)
    error = check(got, forecast, observed, near, weight)
    print(f"largest error of a mean {error:.1e}")
    results = Results(library=options.library, version=xp.__version__)
    results.add(f"letkf/{n}x{n}/members:{k}/{options.library}", seconds, n * n)
    results.write(options.json)
    if not error < 1e-8:
        raise SystemExit("the analysis is wrong")


if __name__ == "__main__":
    main()

# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Pictures of results (PNG)."""

import math
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

from tables import OWN, TITLES, digits, fastest, headline, in_order  # noqa: E402

COLORS = {
    "batchwork": "#c8102e",
    "eigen": "#1b6ca8",
    "lapack": "#7a5195",
    "kokkoskernels-serial": "#2a9d5c",
    "kokkoskernels-teamvector": "#8fbf5a",
    "cublas-cusolver": "#4b6b8a",
    "jax": "#e08e0b",
    "torch": "#8c6d46",
}


def spread(values, gap):
    """Moves sorted logarithmic positions apart so that labels do not overlap."""
    placed = []
    for v in values:
        placed.append(v if not placed else max(v, placed[-1] + gap))
    return placed


def kalman(results, path, title):
    panels = []
    for type_ in ("float", "double"):
        for large in (False, True):
            lines = headline(results, type_, large)
            if len(lines) > 1:
                panels.append((type_, large, lines))
    if not panels:
        sys.exit("report.py: no covariance updates of several sizes to draw")
    plt.rcParams.update({"font.size": 10, "font.family": "DejaVu Sans", "axes.spines.top": False, "axes.spines.right": False})
    figure, axes = plt.subplots(1, len(panels), figsize=(6.6 * len(panels), 5.6), squeeze=False, sharey=True)
    tops, bottoms = [], []
    for axis, (type_, large, lines) in zip(axes[0], panels):
        sizes = list(lines)
        place = {D: math.log2(D) for D in sizes}
        floor = [(place[D], line[OWN].floor) for D, line in lines.items() if OWN in line and line[OWN].floor]
        if floor:
            low = min(f for _, f in floor) / 2
            bottoms.append(low)
            axis.fill_between([x for x, _ in floor], [f for _, f in floor], low / 10, color="#d9d9d9", zorder=0, linewidth=0)
            axis.annotate(
                "below the machine's floor", (floor[-1][0], low), (-4, 8), textcoords="offset points", ha="right", color="#6b6b6b", fontsize=9
            )
        labels = []
        for i in in_order(results):
            points = [(place[D], line[i].ns) for D, line in lines.items() if i in line]
            if not points:
                continue
            own = i == OWN
            xs, ys = [p[0] for p in points], [p[1] for p in points]
            tops.append(max(ys))
            bottoms.append(min(ys) / 1.6)
            axis.plot(
                xs, ys, color=COLORS.get(i, "#555555"), linewidth=3.2 if own else 1.6, marker="o", markersize=7 if own else 4.5,
                zorder=5 if own else 3, clip_on=False,
            )
            labels.append((ys[-1], TITLES.get(i, i), COLORS.get(i, "#555555"), own))
            if own:
                for D, line in lines.items():
                    peers = [r.ns for p, r in line.items() if p != OWN]
                    if OWN in line and peers:
                        axis.annotate(
                            f"{min(peers) / line[OWN].ns:.1f}x", (place[D], line[OWN].ns), (0, -17), textcoords="offset points",
                            ha="center", fontsize=9, fontweight="bold", color=COLORS[OWN],
                        )
        labels.sort()
        axis.set_yscale("log")
        span = math.log10(max(tops) / min(bottoms))
        for y, label in zip(spread([math.log10(v[0]) for v in labels], span / 20), labels):
            axis.annotate(
                label[1], (place[sizes[-1]], 10**y), (10, 0), textcoords="offset points", va="center", color=label[2],
                fontweight="bold" if label[3] else "normal", annotation_clip=False,
            )
        # Where every extent was measured, those that peers have, too.
        ticks = [D for D, line in lines.items() if len(line) > 1] or sizes
        axis.set_xticks([place[D] for D in ticks], [f"{D} x {D}" if len(ticks) < 8 else str(D) for D in ticks])
        axis.set_title(f"{type_}" + (", batch from memory" if large else ", batch in cache"), loc="left", fontsize=11)
        axis.grid(axis="y", color="#e6e6e6", zorder=-1)
        axis.tick_params(length=0)
    axes[0][0].set_ylim(min(bottoms), max(tops) * 1.5)
    axes[0][0].set_ylabel("ns per item")
    figure.suptitle("One Kalman covariance update", x=0.01, ha="left", fontsize=15, fontweight="bold")
    figure.text(0.01, 0.905, title + ". Red figures: how much faster than the best peer.", fontsize=9.5, color="#555555")
    figure.subplots_adjust(left=0.62 / (6.6 * len(panels)) * 1.3, right=1 - 2.05 / (6.6 * len(panels)), top=0.82, bottom=0.08, wspace=0.42)
    figure.savefig(path, dpi=150)


def scan(results, path, title):
    order = {"per_item": 0, "common": 1, "nile": 2}
    groups = sorted({(order[r.kind], r.kind, r.D, r.M, r.type) for r in results if r.kind in order}, reverse=True)
    implementations = [i for i in in_order(results)]
    figure, axis = plt.subplots(figsize=(9, 1.2 + 0.42 * len(groups) * max(1, len(implementations))))
    height = 0.8 / len(implementations)
    ticks = []
    for g, (_, kind, D, M, type_) in enumerate(groups):
        for n, i in enumerate(implementations):
            r = fastest([r for r in results if (r.implementation, r.kind, r.D, r.M, r.type) == (i, kind, D, M, type_)])
            if not r:
                continue
            y = g + (len(implementations) - 1 - 2 * n) * height / 2
            axis.barh(y, r.ns, height * 0.92, color=COLORS.get(i, "#555555"), zorder=3, label=TITLES.get(i, i) if not ticks else None)
            axis.annotate(digits(r.ns), (r.ns, y), (4, 0), textcoords="offset points", va="center", fontsize=9)
            if r.floor:
                axis.plot([r.floor, r.floor], [y - height / 2, y + height / 2], color="black", linewidth=2, zorder=4)
        what = "Nile sweep" if kind == "nile" else f"{D} states, {M} measurements\ncovariance {kind.replace('_', ' ')}"
        ticks.append(f"{what}, {type_}")
    axis.set_yticks(range(len(groups)), ticks)
    axis.set_xscale("log")
    axis.set_xlabel("ns per item and step (black: the floor)")
    axis.grid(axis="x", color="#e6e6e6", zorder=0)
    for side in ("top", "right", "left"):
        axis.spines[side].set_visible(False)
    axis.tick_params(length=0)
    axis.legend(frameon=False, loc="lower right")
    axis.set_title("Kalman filters over time\n", loc="left", fontweight="bold", fontsize=14)
    axis.text(0, 1.01, title, transform=axis.transAxes, fontsize=9, color="#555555")
    figure.tight_layout()
    figure.savefig(path, dpi=150)


def solve(results, path, title):
    """Time over rows, beside peers, and over the systems of a batch: straight lines are linear scaling."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5))
    stencils = [r for r in results if r.verb == "solve" and r.kind == "stencil"]
    for implementation in in_order(stencils):
        for method, style in (("cg", "o-"), ("bicgstab", "s--"), ("lu", "^:")):
            line = sorted((r.D, r.ns) for r in stencils if (r.implementation, r.source, r.layout) in [(implementation, method, "csr"), (implementation, method, "dense")])
            if line:
                left.plot(*zip(*line), style, label=f"{TITLES.get(implementation, implementation)}, {method}", color=COLORS.get(implementation, "#4b6b8a"))
    floor = sorted({(r.D, r.floor) for r in stencils if r.implementation == OWN})
    left.plot(*zip(*floor), color="#999999", label="floor")
    left.set_xlabel("rows")
    left.set_ylabel("ns a system")
    left.legend(fontsize=8)
    scaling = [r for r in results if r.verb == "scaling" and r.source == "cg"]
    for D in sorted({r.D for r in scaling}):
        right.plot(*zip(*sorted((r.items, r.ms) for r in scaling if r.D == D)), "o-", label=f"{D} rows")
    right.set_xlabel("systems of a batch, conjugate gradients")
    right.set_ylabel("ms")
    right.legend(fontsize=8)
    for axes in (left, right):
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.grid(alpha=0.3)
    figure.suptitle(f"Stencils, double, to 1e-8: {title}")
    figure.tight_layout()
    figure.savefig(path, dpi=120)

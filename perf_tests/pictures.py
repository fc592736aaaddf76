# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Pictures of results (PNG), all in the same style."""

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
    "cuda": "#4b6b8a",
    "jax": "#e08e0b",
    "torch": "#8c6d46",
}
FLOOR = {"color": "#999999", "label": "the machine's floor"}
STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "grid.color": "#e6e6e6",
    "legend.frameon": False,
    "savefig.dpi": 140,
    "savefig.bbox": "tight",
}


def look(implementation):
    own = implementation == OWN
    return {
        "color": COLORS.get(implementation, "#555555"),
        "label": TITLES.get(implementation, implementation),
        "linewidth": 2.8 if own else 1.6,
        "zorder": 5 if own else 3,
    }


def finish(figure, path, title, what, axes, columns):
    """Adds the title and a legend for all axes, and writes the file."""
    handles = {
        label: handle for axis in axes for handle, label in zip(*axis.get_legend_handles_labels())
    }
    figure.legend(
        handles.values(), handles.keys(), loc="upper center", bbox_to_anchor=(0.5, 0), ncols=columns
    )
    figure.suptitle(f"{what}: {title}", x=0.01, ha="left", fontweight="bold")
    figure.tight_layout()
    figure.savefig(path)


def sizes_axis(axis, sizes, label):
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    axis.set_xticks(sizes, [str(s) for s in sizes])
    axis.minorticks_off()
    axis.set_xlabel(label)


def kalman(results, path, title):
    """A panel for each type and place of the batch."""
    panels = []
    for type_ in ("float", "double"):
        for large in (False, True):
            lines = headline(results, type_, large)
            if len(lines) > 1:
                panels.append((type_, large, lines))
    if not panels:
        sys.exit("report.py: no covariance updates of several sizes to draw")
    plt.rcParams.update(STYLE)
    figure, axes = plt.subplots(
        1, len(panels), figsize=(5.5 * len(panels), 5), squeeze=False, sharey=True
    )
    for axis, (type_, large, lines) in zip(axes[0], panels):
        with_peers = [D for D, line in lines.items() if len(line) > 1] or list(lines)
        floor = [
            (D, line[OWN].floor) for D, line in lines.items() if OWN in line and line[OWN].floor
        ]
        if floor:
            axis.plot(*zip(*floor), **FLOOR)
        for i in in_order(results):
            points = [(D, line[i].ns) for D, line in lines.items() if i in line]
            if points:
                marked = [n for n, (D, _) in enumerate(points) if D in with_peers]
                axis.plot(*zip(*points), marker="o", markersize=4, markevery=marked, **look(i))
        for D in with_peers:
            peers = [r.ns for p, r in lines[D].items() if p != OWN]
            if OWN in lines[D] and peers:
                text = f"{digits(min(peers) / lines[D][OWN].ns)} x"
                axis.annotate(
                    text,
                    (D, lines[D][OWN].ns),
                    (7, -9),
                    textcoords="offset points",
                    fontsize=8,
                    color=COLORS[OWN],
                )
        sizes_axis(axis, with_peers, "D, matrices of D x D")
        axis.set_title(f"{type_}, batch {'from memory' if large else 'in cache'}")
    axes[0][0].set_ylabel("ns an item")
    finish(
        figure,
        path,
        f"{title}. Red: how many times as long the best peer takes",
        "One Kalman covariance update",
        axes[0],
        4,
    )


def scan(results, path, title):
    """A bar for each filter and implementation."""
    order = {"per_item": 0, "common": 1, "nile": 2}
    groups = sorted(
        {(order[r.kind], r.kind, r.D, r.M, r.type) for r in results if r.kind in order},
        reverse=True,
    )
    implementations = in_order(results)
    plt.rcParams.update(STYLE)
    figure, axis = plt.subplots(figsize=(9, 1.2 + 0.42 * len(groups) * len(implementations)))
    height = 0.8 / len(implementations)
    ticks = []
    for g, (_, kind, D, M, type_) in enumerate(groups):
        for n, i in enumerate(implementations):
            r = fastest(
                [
                    r
                    for r in results
                    if (r.implementation, r.kind, r.D, r.M, r.type) == (i, kind, D, M, type_)
                ]
            )
            if not r:
                continue
            y = g + (len(implementations) - 1 - 2 * n) * height / 2
            axis.barh(y, r.ns, height * 0.92, color=look(i)["color"], label=look(i)["label"])
            axis.annotate(
                digits(r.ns), (r.ns, y), (4, 0), textcoords="offset points", va="center", fontsize=9
            )
            if r.floor:
                axis.plot(
                    [r.floor, r.floor],
                    [y - height / 2, y + height / 2],
                    linewidth=2,
                    **{**FLOOR, "color": "black"},
                )
        measurements = f"{M} measurement" + ("s" if M > 1 else "")
        what = (
            "Nile sweep"
            if kind == "nile"
            else f"{D} states, {measurements}\ncovariance {kind.replace('_', ' ')}"
        )
        ticks.append(f"{what}, {type_}")
    axis.set_yticks(range(len(groups)), ticks)
    axis.grid(axis="y", visible=False)
    axis.set_xscale("log")
    axis.margins(x=0.1)
    axis.set_xlabel("ns an item and step")
    finish(figure, path, title, "Kalman filters over time", [axis], 3)


def solve(results, path, title):
    """Time over rows, and over the systems of a batch; straight lines are linear scaling."""
    plt.rcParams.update(STYLE)
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5))
    stencils = [r for r in results if r.verb == "solve" and r.kind == "stencil"]
    for i in in_order(stencils):
        for method, style in (("cg", "o-"), ("bicgstab", "s--"), ("lu", "^:")):
            line = sorted(
                (r.D, r.ns)
                for r in stencils
                if (r.implementation, r.source) == (i, method) and r.layout in ("csr", "dense")
            )
            if line:
                left.plot(
                    *zip(*line),
                    style,
                    markersize=4,
                    **{**look(i), "label": f"{look(i)['label']}, {method}"},
                )
    left.plot(*zip(*sorted({(r.D, r.floor) for r in stencils if r.implementation == OWN})), **FLOOR)
    sizes_axis(left, sorted({r.D for r in stencils}), "rows")
    left.set_ylabel("ns a system")
    left.legend(fontsize=8)
    scaling = [r for r in results if r.verb == "scaling" and r.source == "cg"]
    for n, D in enumerate(sorted({r.D for r in scaling})):
        line = sorted((r.items, r.ms) for r in scaling if r.D == D)
        right.plot(
            *zip(*line), "o-", markersize=4, color=plt.get_cmap("viridis")(n / 6), label=f"{D} rows"
        )
    sizes_axis(right, sorted({r.items for r in scaling}), "systems of a batch, conjugate gradients")
    right.set_ylabel("ms")
    right.legend(fontsize=8)
    figure.suptitle(f"Stencils, double, to 1e-8: {title}", x=0.01, ha="left", fontweight="bold")
    figure.tight_layout()
    figure.savefig(path)

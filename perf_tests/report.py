#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tables (Markdown) and pictures (PNG) from the JSON files of the benchmarks and their peers.

  perf_kalman --benchmark_out=kalman.json --benchmark_out_format=json
  peers/kalman_jax_torch.py jax --json jax.json
  report.py kalman.json jax.json --kalman-picture kalman.png > kalman.md

Times are ns per item (and step); `x 12` after a peer's time is how many times as long as Batchwork it takes.
"""

import argparse
import json
import sys

OWN = "batchwork"
TITLES = {
    "batchwork": "Batchwork",
    "eigen": "Eigen",
    "lapack": "LAPACK loop",
    "kokkoskernels-serial": "Kokkos Kernels, Serial",
    "kokkoskernels-teamvector": "Kokkos Kernels, TeamVector",
    "cublas-cusolver": "cuBLAS + cuSOLVER",
    "jax": "JAX vmap",
    "torch": "PyTorch",
    "cublas": "cuBLAS",
    "blas": "BLAS loop",
    "cuda": "cuBLAS, cuSOLVER",
}
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
BYTES = {"float": 4, "double": 8}


class Result:
    """One benchmark: what its name says, and its figures."""

    def __init__(self, entry, figure):
        # verb/implementation/kind/type/layout/source/key:value/...
        parts = entry["name"].split("/")
        self.verb, self.implementation = parts[:2]
        if self.verb == "gemm":  # gemm/implementation/type/layout/kind/MxKxN
            self.type, self.layout, self.kind, self.source = parts[2:6]
        elif self.verb == "tridiagonal":  # tridiagonal/implementation/type/layout/rows
            self.type, self.layout, self.kind = parts[2], parts[3], ""
            self.source = parts[4]
        else:
            self.kind, self.type, self.layout, self.source = parts[2:6]
        sizes = dict(p.split(":") for p in parts[5:] if ":" in p)
        self.items = int(sizes.get("items", entry.get("items", 0)))
        self.D = int(sizes.get("D", sizes.get("N", 0)))
        if self.verb == "tridiagonal":
            self.D = int(parts[4])
        self.M = int(sizes.get("M", 0))
        self.error = entry.get("error_message") if entry.get("error_occurred") else None
        self.ns = entry.get(figure, entry.get("ns_per_item"))
        self.floor = entry.get("floor_ns_per_item")
        self.flops = entry.get("flop_per_s")
        self.counters = entry
        self.ms = None if self.ns is None else self.ns * self.items * entry.get("steps", 1) * 1e-6
        # A batch in the caches of a host, or one that comes from memory.
        self.large = self.items * self.D * self.D * BYTES[self.type] > 20e6

    def fraction(self):
        return None if not (self.floor and self.ns) else self.floor / self.ns


def read(paths, figure):
    results, contexts, failures = [], [], []
    for path in paths:
        with open(path) as file:
            document = json.load(file)
        contexts.append((path, document["context"]))
        for entry in document["benchmarks"]:
            result = Result(entry, figure)
            if result.error:
                failures.append((entry["name"], result.error))
            elif result.ns is not None:
                results.append(result)
    return results, contexts, failures


def digits(x):
    return "" if x is None else f"{x:.3g}" if x < 1000 else f"{x:.0f}"


def percent(x):
    return "" if x is None else f"{100 * x:.0f} %"


def fastest(results):
    return min(results, key=lambda r: r.ns, default=None)


def table(header, rows):
    print("| " + " | ".join(header) + " |")
    print("| " + " | ".join("---" for _ in header) + " |")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def in_order(results):
    """The implementations there are: Batchwork first, the others as in TITLES."""
    there = {r.implementation for r in results}
    return [i for i in TITLES if i in there] + sorted(there - set(TITLES))


def main_layout(results):
    """What the headline compares: planes on a device, packs on a host."""
    layouts = {r.layout for r in results if r.implementation == OWN and r.kind == "literal"}
    host = any(r.implementation in ("eigen", "lapack") for r in results)
    return "packed" if host or "packed" in layouts else "planes"


def headline(results, type_, large):
    """For each size: Batchwork's symmetric form in the main layout, and the fastest form of each peer."""
    main = main_layout(results)
    chosen = [r for r in results if r.type == type_ and r.large == large]
    sizes = sorted({r.D for r in chosen})
    lines = {}
    for D in sizes:
        line = {}
        for i in in_order(chosen):
            mine = [r for r in chosen if r.D == D and r.implementation == i]
            if i == OWN:
                mine = [r for r in mine if r.kind == "symmetric" and r.layout == main]
            if mine:
                line[i] = fastest(mine)
        lines[D] = line
    return lines


def kalman_tables(results):
    for type_ in ("float", "double"):
        for large in (False, True):
            lines = headline(results, type_, large)
            if not lines:
                continue
            peers = [i for i in in_order(results) if i != OWN and any(i in line for line in lines.values())]
            place = "batch from memory" if large else "batch in cache"
            print(f"### Covariance update, {type_}, {place}, ns per item\n")
            rows = []
            for D, line in lines.items():
                own = line.get(OWN)
                row = [str(D), digits(own.floor) if own else "", f"**{digits(own.ns)}**" if own else ""]
                row += [percent(own.fraction()) if own else ""]
                for i in peers:
                    r = line.get(i)
                    ratio = f" (x {digits(r.ns / own.ns)})" if r and own else ""
                    row.append(digits(r.ns) + ratio if r else "")
                rows.append(row)
            table(["D", "floor", "Batchwork", "of the floor"] + [TITLES.get(i, i) for i in peers], rows)

            own = [r for r in results if r.implementation == OWN and r.type == type_ and r.large == large]
            columns = sorted({(r.kind, r.layout, r.source) for r in own}, key=lambda c: (c[0] != "symmetric", c))
            print(f"Batchwork in all layouts and forms, {type_}, {place}: ns per item (fraction of the floor)\n")
            rows = []
            for D in sorted({r.D for r in own}):
                row = [str(D)]
                for column in columns:
                    r = fastest([r for r in own if r.D == D and (r.kind, r.layout, r.source) == column])
                    row.append(f"{digits(r.ns)} ({percent(r.fraction())})" if r else "")
                rows.append(row)
            table(["D"] + [", ".join(c) for c in columns], rows)


def scan_tables(results):
    print("### Filters over time, ns per item and step\n")
    own = [r for r in results if r.implementation == OWN]
    rows = []
    for r in own:
        peers = [p for p in results if p.implementation != OWN and (p.kind, p.type, p.D, p.M) == (r.kind, r.type, r.D, r.M)]
        p = fastest(peers)
        rows.append(
            [r.kind.replace("_", " "), str(r.D), str(r.M), r.type, r.layout, r.source, digits(r.ns), digits(r.ms)]
            + [digits(r.floor), percent(r.fraction()), f"{digits(p.ns)} (x {digits(p.ns / r.ns)})" if p else ""]
        )
    table(
        ["covariances", "states", "measurements", "type", "z", "model", "Batchwork", "ms in all", "floor", "of it", "peer"], rows
    )


def copy_tables(results):
    for type_ in ("float", "double"):
        for kind in ("plain", "transposed"):
            chosen = [r for r in results if (r.type, r.kind) == (type_, kind)]
            if not chosen:
                continue
            sizes = sorted({r.D for r in chosen})
            print(f"### Copies, {type_}, {kind}: fraction of a streaming copy\n")
            rows = []
            for pair in dict.fromkeys((r.layout, r.source) for r in chosen):
                of = {r.D: r for r in chosen if (r.layout, r.source) == pair}
                rows.append([" to ".join(pair)] + [percent(of[D].fraction()) if D in of else "" for D in sizes])
            table(["from, to"] + [f"{D}x{D}" for D in sizes], rows)


def beside_peer(own, peer):
    """A time, its fraction of the floor, and how many times as long a peer takes."""
    if not own:
        return ""
    ratio = f", x {digits(peer.ns / own.ns)}" if peer else ""
    return f"{digits(own.ns)} ({percent(own.fraction())}{ratio})"


def operation_tables(results):
    for type_ in ("float", "double"):
        chosen = [r for r in results if r.type == type_]
        if not chosen:
            continue
        print(f"### Single operations, {type_}: ns per item (fraction of the floor, times of {TITLES['cuda']})\n")
        columns = list(dict.fromkeys((r.kind, r.layout) for r in chosen if r.implementation == OWN))
        rows = []
        for D in sorted({r.D for r in chosen}):
            at = {(r.implementation, r.kind, r.layout): r for r in chosen if r.D == D}
            rows.append([str(D)] + [beside_peer(at.get((OWN, *c)), at.get(("cuda", c[0], "rows"))) for c in columns])
        table(["D"] + [", ".join(c) for c in columns], rows)


def gemm_tables(results):
    for type_ in ("float", "double"):
        chosen = [r for r in results if r.type == type_]
        if not chosen:
            continue
        peer = next((i for i in ("cublas", "blas") if any(r.implementation == i for r in chosen)), None)
        print(f"### Products, {type_}: ns per item (fraction of the floor, times of {TITLES.get(peer, peer)})\n")
        columns = list(dict.fromkeys((r.kind, r.layout) for r in chosen if r.implementation == OWN))
        rows = []
        for sizes in dict.fromkeys(r.source for r in chosen):
            at = {(r.implementation, r.kind, r.layout): r for r in chosen if r.source == sizes}
            rows.append([sizes] + [beside_peer(at.get((OWN, *c)), at.get((peer, c[0], "rows"))) for c in columns])
        table(["M x K x N"] + [", ".join(c) for c in columns], rows)


def product_bandwidth(r):
    """TB/s that the products of a solve read, wherever they are: a number of the matrix and one of the vector an entry."""
    if not r.items or not r.counters.get("mean_iterations"):
        return None
    size = BYTES[r.type]
    # The floor's bytes are the matrix, b and the start, and x.
    entries = r.counters["bytes"] / r.items / size - 3 * r.D
    if r.layout == "dense":
        entries = r.D * r.D
    products = 2 if r.source.startswith("bicgstab") else 1
    return r.items * r.counters["mean_iterations"] * products * entries * 2 * size / r.ms * 1e-9


def solve_tables(results):
    print("### Batches of systems, double: ms in all, of the floor, and how many times as long peers take for a system\n")
    own = [r for r in results if r.implementation == OWN]
    peers = [i for i in in_order(results) if i != OWN]
    rows = []
    for r in own:
        row = [r.kind, str(r.D), str(r.items), r.source, r.layout, digits(r.floor * r.items * 1e-6), f"**{digits(r.ms)}**", digits(r.ns)]
        row += [percent(r.fraction()), digits(r.counters["GB_per_s"] * 1e-3), digits(product_bandwidth(r))]
        row += [f"{digits(r.counters['mean_iterations'])} to {digits(r.counters['most_iterations'])}", digits(r.counters["us_per_iteration"])]
        row += [f"{100 * r.counters['share_met']:.4g} %, {100 * r.counters['share_met_exactly']:.4g} %"]
        for i in peers:
            # The same method, or one that has no iterations.
            p = fastest([p for p in results if p.implementation == i and (p.kind, p.D) == (r.kind, r.D) and p.source in (r.source, "lu")])
            met = f", {100 * p.counters['share_met']:.3g} % met" if p and p.counters["share_met"] < 1 else ""
            row.append(f"{digits(p.ns)} (x {digits(p.ns / r.ns)}{met})" if p else "")
        rows.append(row)
    header = ["systems", "rows", "items", "method", "format", "floor, ms", "ms", "ns a system", "of the floor"]
    header += ["memory, TB/s", "products, TB/s"]
    table(header + ["iterations, mean to most", "us each", "met, by doubles and exactly"] + [f"{TITLES.get(i, i)}, ns" for i in peers], rows)


def tridiagonal_tables(results):
    layouts = [(t, l) for t in ("float", "double") for l in ("planes", "rows")]
    print("### Tridiagonal systems: ns a system (fraction of the floor, x: how many times as long the peer takes)\n")
    rows = []
    for D in sorted({r.D for r in results}):
        row = [str(D)]
        for t, l in layouts:
            chosen = [r for r in results if (r.type, r.layout, r.D) == (t, l, D)]
            own = fastest([r for r in chosen if r.implementation == OWN])
            row.append(beside_peer(own, fastest([r for r in chosen if r.implementation != OWN])) if own else "")
        rows.append(row)
    table(["rows"] + [f"{t}, {l}" for t, l in layouts], rows)


def scaling_tables(results):
    for method in dict.fromkeys(r.source for r in results):
        chosen = {(r.D, r.items): r for r in results if r.source == method}
        batches = sorted({items for _, items in chosen})
        print(f"### {method}, ns a system (fraction of the floor) by rows and systems of a batch\n")
        rows = []
        for D in sorted({D for D, _ in chosen}):
            row = [str(D)]
            for items in batches:
                r = chosen.get((D, items))
                row.append(f"{digits(r.ns)} ({percent(r.fraction())})" if r else "")
            rows.append(row)
        table(["rows"] + [str(items) for items in batches], rows)


def spread(values, gap):
    """Moves sorted logarithmic positions apart so that labels do not overlap."""
    placed = []
    for v in values:
        placed.append(v if not placed else max(v, placed[-1] + gap))
    return placed


def kalman_picture(results, path, title):
    import math

    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

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


def scan_picture(results, path, title):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

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


def solve_picture(results, path, title):
    """Time over rows, beside peers, and over the systems of a batch: straight lines are linear scaling."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plot

    figure, (left, right) = plot.subplots(1, 2, figsize=(11, 4.5))
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="JSON")
    parser.add_argument("--best", action="store_true", help="the best sample, not the median: for a machine that others use too")
    parser.add_argument("--kalman-picture", metavar="PNG")
    parser.add_argument("--scan-picture", metavar="PNG")
    parser.add_argument("--solve-picture", metavar="PNG")
    options = parser.parse_args()
    results, contexts, failures = read(options.files, "best_ns_per_item" if options.best else "ns_per_item")

    print("| file | device | software | copy bandwidth, GB/s | Batchwork |\n| --- | --- | --- | --- | --- |")
    for path, c in contexts:
        software = c.get("library") or f"Kokkos {c.get('kokkos_version', '?')} {c.get('backend', '?')}, {c.get('compiler', '?')}"
        version = f"{c['batchwork_version']} ({c.get('batchwork_git_hash', '?')})" if "batchwork_version" in c else ""
        print(f"| {path} | {c.get('device', '?')} | {software} | {c.get('copy_bandwidth_GB_per_s', '')} | {version} |")
    print()
    kalman = [r for r in results if r.verb == "kalman"]
    scans = [r for r in results if r.verb == "scan"]
    copies = [r for r in results if r.verb == "copy"]
    if kalman:
        kalman_tables(kalman)
    if scans:
        scan_tables(scans)
    if copies:
        copy_tables(copies)
    if operations := [r for r in results if r.verb == "operations"]:
        operation_tables(operations)
    if gemms := [r for r in results if r.verb == "gemm"]:
        gemm_tables(gemms)
    if solves := [r for r in results if r.verb == "solve"]:
        solve_tables(solves)
    if scaling := [r for r in results if r.verb == "scaling"]:
        scaling_tables(scaling)
    if tridiagonal := [r for r in results if r.verb == "tridiagonal"]:
        tridiagonal_tables(tridiagonal)
    for name, error in failures:
        print(f"- FAILED: {name}: {error}")

    first = contexts[0][1]
    title = f"{first.get('device', '?')}, {first.get('backend', first.get('library', ''))}"
    if options.kalman_picture:
        kalman_picture(kalman, options.kalman_picture, title)
    if options.scan_picture:
        scan_picture(scans, options.scan_picture, title)
    if options.solve_picture:
        solve_picture([r for r in results if r.verb in ("solve", "scaling")], options.solve_picture, title)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

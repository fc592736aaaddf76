# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tables of results, in Markdown.

Times are ns per item (and step) unless stated otherwise. `x 12` after a time says that a peer takes
12 times as long."""

import statistics

from results import name_of, read

OWN = "batchwork"
OWN_FORMS = (OWN, "batchwork_verb")
TITLES = {
    "batchwork": "Batchwork",
    "eigen": "Eigen",
    "lapack": "LAPACK loop",
    "kokkoskernels-serial": "Kokkos Kernels, Serial",
    "kokkoskernels-teamvector": "Kokkos Kernels, TeamVector",
    "cublas-cusolver": "cuBLAS + cuSOLVER",
    "jax": "JAX vmap",
    "torch": "PyTorch",
    "magma": "MAGMA, by PyTorch",
    "cupy": "CuPy",
    "cublas": "cuBLAS",
    "curand_philox": "cuRAND",
    "cusparse": "cuSPARSE",
    "blas": "BLAS loop",
    "cuda": "cuBLAS, cuSOLVER",
    "cusolverdx": "cuSolverDx, in a kernel",
    "blasfeo": "BLASFEO",
    "libxsmm": "LIBXSMM",
}
BYTES = {"float": 4, "double": 8}
# Operands of a product: which of A and B all items share.
FACTORS = {"M_Ni": "common A", "Ni_M": "common B", "Ai_Bi": "A and B per item"}


class Result:
    """A benchmark: the parts of its name, its figures, and the median or best of repetitions."""

    def __init__(self, name, entries, figure, label):
        # verb/implementation/kind/type/layout/source/key:value/...
        parts = name.split("/")
        self.name, self.label = name, label
        self.verb, self.implementation = parts[:2]
        if self.verb == "gemm":  # gemm/implementation/type/layout/kind/MxKxN
            self.type, self.layout, self.kind, self.source = parts[2:6]
        elif self.verb == "tridiagonal":  # tridiagonal/implementation/type/layout/rows
            self.type, self.layout, self.kind, self.source = parts[2], parts[3], "", parts[4]
        elif self.verb == "sequences":  # sequences/program/implementation/layout
            self.kind, self.implementation, self.layout = parts[1:4]
            self.type, self.source = "double", "views"
        else:
            self.kind, self.type, self.layout, self.source = parts[2:6]
        sizes = dict(p.split(":") for p in parts[5:] if ":" in p)
        self.counters = entries[0]
        self.items = int(sizes.get("items", self.counters.get("items", 0)))
        self.D = (
            int(parts[4]) if self.verb == "tridiagonal" else int(sizes.get("D", sizes.get("N", 0)))
        )
        if self.verb == "gemm":
            self.D = int(self.source.split("x")[0])
        self.M = int(sizes.get("M", 0))
        self.error = next(
            (e.get("error_message", "failed") for e in entries if e.get("error_occurred")), None
        )
        times = [e.get(figure, e.get("ns_per_item")) for e in entries]
        # The best of best samples.
        middle = min if figure.startswith("best") else statistics.median
        self.ns = middle(times) if None not in times else None
        self.floor = self.counters.get("floor_ns_per_item")
        self.ms = (
            None
            if self.ns is None
            else self.ns
            * self.counters.get("items", self.items)
            * self.counters.get("steps", 1)
            * 1e-6
        )
        # The batch does not fit into the caches of a host.
        self.large = self.items * self.D * self.D * BYTES[self.type] > 20e6

    def fraction(self):
        return None if not (self.floor and self.ns) else self.floor / self.ns


def load(paths, figure="ns_per_item"):
    """Results with a time, contexts, and the names and messages of failed benchmarks.

    A path can be LABEL=PATH."""
    results, contexts, failures = [], [], []
    for path in paths:
        label, path = path.split("=", 1) if "=" in path else (path, path)
        context, entries = read(path)
        contexts.append((label, context))
        by_name = {}
        for entry in entries:
            if entry.get("run_type") != "aggregate":
                by_name.setdefault(name_of(entry), []).append(entry)
        for name, of_name in by_name.items():
            result = Result(name, of_name, figure, label)
            if result.error:
                failures.append((name, result.error))
            elif result.ns is not None:
                results.append(result)
    return results, contexts, failures


def digits(x):
    return "" if x is None else f"{x:.3g}" if x < 1000 else f"{x:.0f}"


def percent(x):
    return "" if x is None else f"{100 * x:.0f} %"


def fastest(results):
    return min(results, key=lambda r: r.ns, default=None)


def one(results, **of):
    """The fastest result with these attributes."""
    return fastest([r for r in results if all(getattr(r, k) == v for k, v in of.items())])


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "| " + " | ".join("---" for _ in header) + " |"]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def times(own, peer, form="x {}"):
    return form.format(digits(peer.ns / own.ns)) if own and peer else ""


def in_order(results):
    """The implementations in the results: Batchwork first, the others in the order of TITLES."""
    there = {r.implementation for r in results}
    return [i for i in TITLES if i in there] + sorted(there - set(TITLES))


def sizes_of(results, only=None):
    return [D for D in sorted({r.D for r in results}) if only is None or D in only]


def main_layout(results):
    """The layout of the headline: interleaved on a device, compact on a host."""
    host = any(r.implementation in ("eigen", "lapack") for r in results)
    return "compact" if host else "interleaved"


def headline(results, type_, large):
    """For each size: the fastest form of each peer, and of Batchwork.

    For Batchwork only symmetric forms in the main layout are considered."""
    main = main_layout(results)
    chosen = [r for r in results if r.type == type_ and r.large == large]
    lines = {}
    for D in sizes_of(chosen):
        line = {}
        for i in in_order(chosen):
            mine = [r for r in chosen if r.D == D and r.implementation == i]
            if i == OWN:
                mine = [r for r in mine if r.kind == "symmetric" and r.layout == main]
            if mine:
                line[i] = fastest(mine)
        lines[D] = line
    return lines


def kalman(results, type="float", large=None, sizes=None):
    """One covariance update beside every peer."""
    if large is None:
        large = all(r.large for r in results)
    lines = headline(results, type, large)
    peers = [i for i in in_order(results) if i != OWN and any(i in line for line in lines.values())]
    rows = []
    for D, line in lines.items():
        if sizes is not None and D not in sizes:
            continue
        own = line.get(OWN)
        row = (
            [str(D), digits(own.floor), f"**{digits(own.ns)}**", percent(own.fraction())]
            if own
            else [str(D), "", "", ""]
        )
        for i in peers:
            r = line.get(i)
            row.append(digits(r.ns) + times(own, r, " (x {})") if r else "")
        rows.append(row)
    return table(
        ["D", "floor", "Batchwork", "of the floor"] + [TITLES.get(i, i) for i in peers], rows
    )


def kalman_layouts(results, type="float", large=None):
    """Batchwork in all layouts and forms: ns per item and fraction of the floor."""
    if large is None:
        large = all(r.large for r in results)
    own = [r for r in results if r.implementation == OWN and r.type == type and r.large == large]
    columns = sorted(
        {(r.kind, r.layout, r.source) for r in own}, key=lambda c: (c[0] != "symmetric", c)
    )
    rows = []
    for D in sizes_of(own):
        row = [str(D)]
        for kind, layout, source in columns:
            r = one(own, D=D, kind=kind, layout=layout, source=source)
            row.append(f"{digits(r.ns)} ({percent(r.fraction())})" if r else "")
        rows.append(row)
    return table(["D"] + [", ".join(c) for c in columns], rows)


def kalman_hosts(results, type="float", layout="compact", large=False):
    """For every file, named by its label: ns per item, and the ratios of Eigen and LAPACK."""
    results = [r for r in results if r.type == type and r.large == large]
    labels = list(dict.fromkeys(r.label for r in results))
    rows = []
    for D in sizes_of([r for r in results if r.implementation == OWN and r.layout == layout]):
        row = [str(D)]
        for label in labels:
            mine = [r for r in results if (r.label, r.D) == (label, D)]
            own = one(mine, implementation=OWN, kind="symmetric", layout=layout)
            row += [digits(own.ns) if own else ""]
            row += [
                times(own, one(mine, implementation=p, kind="symmetric"), "{} x")
                for p in ("eigen", "lapack")
            ]
        rows.append(row)
    return table(
        ["D"]
        + [
            f"{label}{c}"
            for label in labels
            for c in (": ns per item", ": against Eigen", ": against LAPACK")
        ],
        rows,
    )


def kalman_host_layouts(results, large=False):
    """How many times as long Eigen takes, by type and layout."""
    own = [
        r
        for r in results
        if r.implementation == OWN
        and r.kind == "symmetric"
        and r.layout != "compact"
        and r.large == large
    ]
    columns = sorted({(r.type, r.layout) for r in own}, key=lambda c: (c[0] != "float", c[1]))
    rows = []
    for D in sizes_of(own):
        row = [str(D)]
        for type_, layout in columns:
            mine = one(own, D=D, type=type_, layout=layout)
            row.append(
                times(
                    mine,
                    one(
                        results,
                        implementation="eigen",
                        kind="symmetric",
                        D=D,
                        type=type_,
                        large=large,
                    ),
                    "{} x",
                )
            )
        rows.append(row)
    return table(["D, against Eigen"] + [", ".join(c) for c in columns], rows)


def is_one_of(kind, kinds):
    """Whether a kind is among `kinds`: one, a list, or None for all."""
    return kinds is None or kind in ([kinds] if isinstance(kinds, str) else kinds)


def scan(results, type=None, kinds=None):
    """Filters over time, ns per item and step; all, or those of a type and of `kinds`."""
    peers = any(r.implementation != OWN for r in results)
    rows = []
    for r in [
        r
        for r in results
        if r.implementation == OWN and type in (None, r.type) and is_one_of(r.kind, kinds)
    ]:
        p = fastest(
            [
                p
                for p in results
                if p.implementation != OWN
                and (p.kind, p.type, p.D, p.M) == (r.kind, r.type, r.D, r.M)
            ]
        )
        rows.append(
            [
                r.kind.replace("_", " "),
                str(r.D),
                str(r.M),
                r.type,
                r.layout,
                r.source,
                f"**{digits(r.ns)}**",
                digits(r.ms),
            ]
            + [digits(r.floor), percent(r.fraction())]
            + ([digits(p.ns) + times(r, p, " (x {})") if p else ""] if peers else [])
        )
    header = [
        "covariances",
        "states",
        "measurements",
        "type",
        "layout of z",
        "model",
        "Batchwork, ns",
        "ms per call",
    ]
    return table(header + ["floor, ns", "of the floor"] + (["JAX, ns"] if peers else []), rows)


FORMS = ["covariance", "sequential", "joseph", "square_root", "information", "steady"]
SMOOTHERS = ["smooth_covariance", "smooth_square_root"]


def forms(results, type="double", smoothers=False):
    """Forms of the filter or the smoother by the number of states, beside JAX."""
    own, peers = [
        {(r.kind, r.D): r for r in results if r.implementation == i and r.type == type}
        for i in (OWN, "jax")
    ]
    columns = sorted({D for _, D in own})
    rows = [
        [f"`{form.removeprefix('smooth_')}()`"]
        + [beside_peer(own.get((form, D)), peers.get((form, D))) for D in columns]
        for form in (SMOOTHERS if smoothers else FORMS)
    ]
    return table(["form"] + [f"{D} states" for D in columns], rows)


def long_series(results, type="double"):
    """Few long series: one after the other in time, and in blocks of time."""
    kinds = {}
    for r in results:
        if r.kind == "long" and r.type == type:
            kinds.setdefault((r.items, r.counters["steps"]), {})[r.implementation] = r
    rows = []
    for (items, steps), of in kinds.items():
        one_by_one, blocks = of["sequential"], of["blocks"]
        rows.append(
            [f"{items:,}", f"{int(steps):,}", digits(one_by_one.ms), f"**{digits(blocks.ms)}**"]
            + [f"{one_by_one.ms / blocks.ms:.3g}"]
        )
    return table(["series", "steps", "without blocks, ms", "in blocks, ms", "ratio"], rows)


def long_series_peers(results):
    """One long series beside associative scans of JAX, in milliseconds."""
    own = next(r for r in results if r.implementation == "blocks" and r.counters["steps"] == 1e6)
    rows = [["Batchwork", f"**{digits(own.ms)}**", ""]]
    for name in dict.fromkeys(r.implementation for r in results if r.verb == "long_series"):
        ms = {r.kind: r.ms for r in results if r.implementation == name}
        rows.append(
            [
                "JAX alone" if name == "jax" else name,
                f"{digits(ms['filter'])} (x {ms['filter'] / own.ms:.3g})",
                digits(ms["smoother"]),
            ]
        )
    return table(["library", "filter, ms", "smoother, ms"], rows)


def copy(results, type="float", kind="plain", sizes=None):
    """Copies: fraction of a streaming copy."""
    chosen = [r for r in results if (r.type, r.kind) == (type, kind)]
    columns = sizes_of(chosen, sizes)
    rows = []
    for pair in dict.fromkeys((r.layout, r.source) for r in chosen):
        of = {r.D: r for r in chosen if (r.layout, r.source) == pair}
        rows.append(
            [" to ".join(pair)] + [percent(of[D].fraction()) if D in of else "" for D in columns]
        )
    return table(["from, to"] + [f"{D}x{D}" for D in columns], rows)


def beside_peer(own, peer):
    """A time, its fraction of the floor, and how many times as long a peer takes."""
    return (
        f"{digits(own.ns)} ({percent(own.fraction())}{times(own, peer, ', x {}')})" if own else ""
    )


def operations(results, type="float", own=OWN, kinds=None):
    """Single operations, all or `kinds` (one or a list), beside cuBLAS or cuSOLVER."""
    chosen = [r for r in results if r.type == type and is_one_of(r.kind, kinds)]
    columns = list(dict.fromkeys((r.kind, r.layout) for r in chosen if r.implementation == own))
    rows = []
    for D in sizes_of([r for r in chosen if r.implementation == own]):
        at = {(r.implementation, r.kind, r.layout): r for r in chosen if r.D == D}
        rows.append(
            [str(D)]
            + [
                beside_peer(at.get((own, *c)), one(chosen, implementation="cuda", kind=c[0], D=D))
                for c in columns
            ]
        )
    return table(["D"] + [", ".join(c) for c in columns], rows)


def decompositions(results, type="double"):
    """Inverses and decompositions of interleaved items beside the fastest peer, one line each."""
    chosen = [r for r in results if r.type == type]
    sizes = sizes_of([r for r in chosen if r.implementation == OWN])
    rows = []
    for kind in dict.fromkeys(r.kind for r in chosen if r.implementation == OWN):
        row = [f"`{kind}`"]
        for D in sizes:
            peer = fastest(
                [
                    r
                    for r in chosen
                    if r.implementation not in OWN_FORMS and (r.kind, r.D) == (kind, D)
                ]
            )
            row.append(
                beside_peer(
                    one(chosen, implementation=OWN, kind=kind, layout="interleaved", D=D), peer
                )
            )
        rows.append(row)
    return table([""] + [f"{D} x {D}" for D in sizes], rows)


def decompositions_hosts(results, type="double", layout="interleaved"):
    """ns an item, and how many times as long loops over Eigen and LAPACK take."""
    chosen = [r for r in results if r.type == type]
    kinds = [
        k
        for k in ("inverse", "qr", "eigh", "svd")
        if one(chosen, implementation=OWN, kind=k, layout=layout)
    ]
    peers = [p for p in ("eigen", "lapack") if any(r.implementation == p for r in chosen)]
    rows = []
    for D in sizes_of([r for r in chosen if (r.implementation, r.layout) == (OWN, layout)]):
        row = [str(D)]
        for kind in kinds:
            own = one(chosen, implementation=OWN, kind=kind, layout=layout, D=D)
            beside = [
                times(own, one(chosen, implementation=p, kind=kind, D=D), "{} x") for p in peers
            ]
            row.append(f"{digits(own.ns)} ({', '.join(b or '-' for b in beside)})" if own else "")
        rows.append(row)
    names = ", ".join(TITLES[p].replace(" loop", "") for p in peers)
    return table(["D"] + [f"`{kind}`, ns ({names})" for kind in kinds], rows)


def routines(results, type="double", kinds=None):
    """ns per item of the fastest of Batchwork's forms, and of every routine of the peers."""
    chosen = [r for r in results if r.type == type and is_one_of(r.kind, kinds)]
    of_others = [r for r in chosen if r.implementation not in OWN_FORMS]
    # The part of a name before D is the routine.
    named = lambda r: (r.implementation, "" if ":" in r.source or r.verb == "gemm" else r.source)
    others = sorted({named(r) for r in of_others}, key=lambda c: (list(TITLES).index(c[0]), c[1]))
    rows = []
    for kind in dict.fromkeys(r.kind for r in chosen if r.implementation in OWN_FORMS):
        for D in sizes_of([r for r in of_others if r.kind == kind]):
            at = [r for r in chosen if (r.kind, r.D) == (kind, D)]
            own = fastest([r for r in at if r.implementation in OWN_FORMS])
            beside = [fastest([r for r in at if named(r) == other]) for other in others]
            cells = [digits(p.ns) + times(own, p, " (x {})") if p else "" for p in beside]
            called = f"`gemm`, {FACTORS[kind]}" if kind in FACTORS else f"`{kind}`"
            rows.append([called, str(D), f"**{digits(own.ns)}**" if own else ""] + cells)
    return table(
        ["operation", "D", "Batchwork"]
        + [f"{TITLES[i]}, {routine}" if routine else TITLES[i] for i, routine in others],
        rows,
    )


def libraries(results, type="double"):
    """ns per item of the fastest of Batchwork's forms, and of every library."""
    chosen = [r for r in results if r.type == type]
    others = [i for i in in_order(chosen) if i not in OWN_FORMS]
    called = ("jax", "torch", "magma", "cupy")
    kinds = [
        k
        for k in dict.fromkeys(r.kind for r in chosen if r.implementation in OWN_FORMS)
        if any(r.kind == k and r.implementation in called for r in chosen)
    ]
    rows = []
    for kind in kinds:
        of_kind = [r for r in chosen if r.kind == kind]
        for D in sizes_of([r for r in of_kind if r.implementation in called]):
            own = fastest([r for r in of_kind if r.D == D and r.implementation in OWN_FORMS])
            row = [f"`{kind}`", str(D), f"**{digits(own.ns)}**" if own else ""]
            for i in others:
                p = one(of_kind, implementation=i, D=D)
                row.append(digits(p.ns) + times(own, p, " (x {})") if p else "")
            rows.append(row)
    return table(["", "D", "Batchwork"] + [TITLES.get(i, i) for i in others], rows)


def gemm(results, type="float"):
    """Products beside cuBLAS, or a loop over the BLAS."""
    chosen = [r for r in results if r.type == type]
    peer = next((i for i in ("cublas", "blas") if any(r.implementation == i for r in chosen)), None)
    columns = list(dict.fromkeys((r.kind, r.layout) for r in chosen if r.implementation == OWN))
    rows = []
    for sizes in dict.fromkeys(r.source for r in chosen):
        at = {(r.implementation, r.kind, r.layout): r for r in chosen if r.source == sizes}
        rows.append(
            [sizes]
            + [
                beside_peer(at.get((OWN, *c)), at.get((peer, c[0], "item-contiguous")))
                for c in columns
            ]
        )
    return table(["M x K x N"] + [f"{FACTORS[kind]}, {layout}" for kind, layout in columns], rows)


def gemm_hosts(results):
    """How many times as long a loop over the BLAS takes on item-contiguous batches, by file.

    Gives the lowest and highest ratio over FACTORS."""
    columns = list(
        dict.fromkeys((r.label, r.type, r.layout) for r in results if r.implementation == OWN)
    )
    rows = []
    for sizes in dict.fromkeys(r.source for r in results):
        row = [sizes]
        for label, type_, layout in columns:
            ratios = []
            for kind in ("M_Ni", "Ni_M", "Ai_Bi"):
                own = one(
                    results,
                    implementation=OWN,
                    label=label,
                    type=type_,
                    layout=layout,
                    kind=kind,
                    source=sizes,
                )
                peer = one(
                    results,
                    implementation="blas",
                    label=label,
                    type=type_,
                    layout="item-contiguous",
                    kind=kind,
                    source=sizes,
                )
                if own and peer:
                    ratios.append(peer.ns / own.ns)
            low, high = (f"{f(ratios):.2g}" for f in (min, max)) if ratios else ("", "")
            row.append(f"{low} to {high} x" if low != high else f"{low} x" if low else "")
        rows.append(row)
    return table(["size"] + [", ".join(c) for c in columns], rows)


def product_bandwidth(r):
    """TB/s that the products of a solve read from caches and memory.

    For each entry they read a number of the matrix and one of the vector."""
    if not r.items or not r.counters.get("mean_iterations"):
        return None
    size = BYTES[r.type]
    # The floor's bytes are the matrix, b and the start, and x.
    entries = r.counters["bytes"] / r.items / size - 3 * r.D
    if r.layout == "dense":
        entries = r.D * r.D
    products = 2 if r.source.startswith("bicgstab") else 1
    return r.items * r.counters["mean_iterations"] * products * entries * 2 * size / r.ms * 1e-9


def solve(results, methods=None):
    """Batches of systems by all methods or by `methods`: ms per batch.

    For peers: ns per system, and how many times as long they take."""
    peers = [i for i in in_order(results) if i != OWN]
    rows = []
    for r in [r for r in results if r.implementation == OWN and r.verb == "solve"]:
        if methods is not None and r.source not in methods:
            continue
        row = [
            r.kind,
            str(r.D),
            r.source,
            r.layout,
            digits(r.floor * r.items * 1e-6),
            f"**{digits(r.ms)}**",
        ]
        row += [
            percent(r.fraction()),
            digits(r.counters["GB_per_s"] * 1e-3),
            digits(product_bandwidth(r)),
        ]
        row += [
            f"{digits(r.counters['mean_iterations'])} to {digits(r.counters['most_iterations'])}",
            digits(r.counters["us_per_iteration"]),
        ]
        row += [
            f"{100 * r.counters['share_met']:.4g} %, {100 * r.counters['share_met_exactly']:.4g} %"
        ]
        for i in peers:
            # The same method, or a direct one.
            p = fastest(
                [
                    p
                    for p in results
                    if p.implementation == i
                    and (p.kind, p.D) == (r.kind, r.D)
                    and p.source in (r.source, "lu")
                ]
            )
            met = (
                f", {100 * p.counters['share_met']:.3g} % met"
                if p and p.counters.get("share_met", 1) < 1
                else ""
            )
            row.append(f"{digits(p.ns)} ({times(r, p)}{met})" if p else "")
        rows.append(row)
    header = [
        "systems",
        "rows",
        "method",
        "format",
        "floor, ms",
        "ms",
        "fraction of floor",
        "memory, TB/s",
        "products, TB/s",
    ]
    header += [
        "iterations, mean to maximum",
        "us per iteration",
        "tolerance met, by double and by long double",
    ]
    return table(header + [f"{TITLES.get(i, i)}, ns" for i in peers], rows)


DIRECT_METHODS = (
    "direct_lu",
    "direct_lu_float",
    "direct_lu_symbolic",
    "bicgstab-jacobi",
    "cg-jacobi",
    "bicgstab",
    "cg",
)


def direct(results):
    """Elimination and iteration on the same systems: ms per batch.

    Tolerances: the tolerance of the family of systems, and 1e-10."""
    own = [
        r for r in results if r.implementation == OWN and r.verb == "solve" and r.layout == "csr"
    ]
    strict = "-1e-10"
    rows = []
    for kind, D in dict.fromkeys((r.kind, r.D) for r in own if r.source.startswith("direct")):

        def cell(method):
            r = one([r for r in own if (r.kind, r.D) == (kind, D)], source=method)
            if r is None:
                return ""
            share = r.counters["share_met"]
            return digits(r.ms) + ("" if share == 1 else f" ({100 * share:.3g} % met)")

        for suffix in ("", strict):
            cells = [cell(method + suffix) for method in DIRECT_METHODS]
            iterations = [cells[3] or cells[5], cells[4] or cells[6]]
            tolerance = "1e-10" if suffix else "1e-8" if kind in ("stencil", "grid") else "1e-6"
            rows.append([kind, str(D), tolerance] + cells[:3] + iterations)
    header = [
        "systems",
        "rows",
        "tolerance",
        "`direct_lu`",
        "`direct_lu`, float factors",
        "`direct_lu(symbolic_lu)`",
        "BiCGSTAB",
        "CG",
    ]
    return table(header, rows)


def by_system(results):
    """Batchwork's results on compressed rows: {(kind, rows): {method: result}}, sorted by rows."""
    own = [
        r for r in results if r.implementation == OWN and r.verb == "solve" and r.layout == "csr"
    ]
    systems = {
        (kind, D): {}
        for kind in dict.fromkeys(r.kind for r in own)
        for D in sizes_of([r for r in own if r.kind == kind])
    }
    for r in own:
        systems[r.kind, r.D][r.source] = r
    return systems


def ms_and_iterations(r):
    return f"{digits(r.ms)} ({digits(r.counters['mean_iterations'])})" if r else ""


def gmres(results):
    """GMRES beside BiCGSTAB, both alone or both with Jacobi: ms per batch (mean iterations)."""
    rows = []
    for (kind, D), at in by_system(results).items():
        for suffix, name in (("", "none"), ("-jacobi", "Jacobi")):
            own, other = at.get("gmres" + suffix), at.get("bicgstab" + suffix)
            if own and other:
                rows.append(
                    [
                        kind,
                        str(D),
                        name,
                        ms_and_iterations(own),
                        ms_and_iterations(other),
                        f"{own.ms / other.ms:.2g}",
                    ]
                )
    return table(
        ["systems", "rows", "preconditioner", "GMRES, ms", "BiCGSTAB, ms", "GMRES / BiCGSTAB"], rows
    )


def preconditioners(results):
    """BiCGSTAB with each preconditioner: ms per batch (mean iterations)."""
    names = {
        "": "none",
        "-jacobi": "Jacobi",
        "-block_jacobi": "block Jacobi of 4 rows",
        "-ilu": "ILU(0)",
    }
    rows = []
    for (kind, D), at in by_system(results).items():
        if "bicgstab-ilu" in at:
            rows.append(
                [kind, str(D)]
                + [ms_and_iterations(at.get("bicgstab" + suffix)) for suffix in names]
            )
    return table(["systems", "rows"] + [f"{name}, ms" for name in names.values()], rows)


def solve_hosts(results):
    """us a system beside Eigen's solvers, their iterations in brackets."""
    rows = []
    for r in [
        r for r in results if r.implementation == OWN and r.layout == "csr" and r.verb == "solve"
    ]:
        p = one(results, implementation="eigen", kind=r.kind, D=r.D, source=r.source, verb=r.verb)
        if p:
            row = [
                r.kind,
                str(r.D),
                r.source,
                digits(r.ns * 1e-3),
                f"{r.counters['mean_iterations']:.1f}",
            ]
            rows.append(
                row
                + [
                    f"{digits(p.ns * 1e-3)} ({p.counters['mean_iterations']:.1f})",
                    times(r, p, "{} x"),
                ]
            )
    return table(
        ["systems", "rows", "method", "us", "iterations", "Eigen, us", "against Eigen"], rows
    )


def scaling(results, method="bicgstab"):
    """ns a system (fraction of the floor) by rows and systems of a batch."""
    results = [r for r in results if r.verb == "scaling" and r.source == method]
    batches = sorted({r.items for r in results})
    rows = []
    for D in sizes_of(results):
        found = [one(results, D=D, items=items) for items in batches]
        rows.append(
            [str(D)] + [f"{digits(r.ns)} ({percent(r.fraction())})" if r else "" for r in found]
        )
    return table(["rows"] + [str(items) for items in batches], rows)


def tridiagonal(results):
    """ns a system (fraction of the floor, how many times as long the peer takes)."""
    columns = [(t, l) for t in ("float", "double") for l in ("interleaved", "item-contiguous")]
    rows = []
    for D in sizes_of(results):
        row = [str(D)]
        for type_, layout in columns:
            chosen = [r for r in results if (r.type, r.layout, r.D) == (type_, layout, D)]
            row.append(
                beside_peer(
                    one(chosen, implementation=OWN),
                    fastest([r for r in chosen if r.implementation != OWN]),
                )
            )
        rows.append(row)
    return table(["rows"] + [", ".join(c) for c in columns], rows)


def tridiagonal_hosts(results):
    """ns a row, and how many times as long LAPACK takes on item-contiguous batches."""
    columns = [(t, l) for t in ("float", "double") for l in ("interleaved", "item-contiguous")]
    rows = []
    for D in sizes_of(results):
        row = [str(D)]
        for type_, layout in columns:
            own = one(results, implementation=OWN, type=type_, layout=layout, D=D)
            peer = one(results, implementation="lapack", type=type_, layout="item-contiguous", D=D)
            row.append(f"{own.ns / D:.3g} ({times(own, peer, '{} x')})" if own else "")
        rows.append(row)
    return table(["rows"] + [", ".join(c) for c in columns], rows)


def sequences(results, programs=None):
    """ns per item, and how many times as long the plain loop takes, by program."""
    rows = []
    for program in sorted({r.kind for r in results if programs is None or r.kind in programs}):
        of = [r for r in results if r.kind == program]
        loop, eigen = one(of, implementation="loop"), one(of, implementation="eigen")
        more = [
            one(of, implementation=form)
            for form in sorted(
                {r.implementation for r in of if r.implementation.startswith("loop_")}
            )
        ]
        forms = sorted({r.implementation for r in of if r.implementation.startswith(OWN)})
        for form in forms:
            own = [
                one(of, implementation=form, layout=layout)
                for layout in ("item-contiguous", "interleaved")
            ]
            first = form == forms[0]
            note = form[len(OWN) + 1 :].replace("_", " ")
            loops = [
                f"{r.ns:.3g}"
                + (f" ({r.implementation[5:].replace('_', ' ')})" if r is not loop else "")
                for r in [loop, *more]
            ]
            rows.append(
                [program.replace("_", " ") + (f", {note}" if note else "")]
                + [", ".join(loops) if first else "", f"{eigen.ns:.3g}" if first and eigen else ""]
                + [f"{r.ns:.3g} ({loop.ns / r.ns:.2g})" if r else "" for r in own]
            )
    return table(["program", "plain loop", "Eigen", "LayoutRight", "LayoutLeft"], rows)


def measured(contexts):
    """Device, date and software of the files."""
    rows = []
    for label, c in contexts:
        software = (
            c.get("library")
            or f"Kokkos {c.get('kokkos_version', '?')} {c.get('backend', '?')}, "
            f"{c.get('compiler', '?')}"
        )
        version = (
            f"{c['batchwork_version']} ({c.get('batchwork_git_hash', '?')})"
            if "batchwork_version" in c
            else ""
        )
        rows.append(
            [
                label,
                c.get("device", "?"),
                c.get("date", "")[:10],
                software,
                c.get("copy_bandwidth_GB_per_s", ""),
                version,
            ]
        )
    return table(["file", "device", "date", "software", "copy bandwidth, GB/s", "Batchwork"], rows)

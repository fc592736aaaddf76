#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tables (Markdown) and pictures (PNG) from the results of the benchmarks and their peers.

  perf_kalman --benchmark_out=kalman.json --benchmark_out_format=json
  peers/kalman_jax_torch.py jax --json jax.json
  report.py kalman.json jax.json --kalman-picture kalman.png > kalman.md

The tables of the documentation:

  report.py --docs README.md docs            # writes them from perf_tests/results
  report.py --docs README.md docs --check    # fails if a table differs from the results

A table is between <!-- table: NAME KEY=VALUE ... from [LABEL=]FILE ... --> and
<!-- end of table -->. NAME is a function of tables.py, FILE is a file of perf_tests/results without
.csv.
"""

import argparse
import os
import re
import sys

import tables
from results import Unusable

RESULTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "results")
BLOCK = re.compile(r"(<!-- table: ([^>]*) -->\n)(.*?)(\n?<!-- end of table -->)", re.DOTALL)


def value(text):
    """Converts a text to True, False, a number or a list (2,3,4), if possible."""
    if text in ("yes", "no"):
        return text == "yes"
    parts = [int(p) if p.isdigit() else p for p in text.split(",")]
    return parts if len(parts) > 1 else parts[0]


def table_of(said):
    """The table for <!-- table: SAID -->."""
    how, _, files = said.partition(" from ")
    name, *options = how.split()
    options = {key: value(text) for key, text in (option.split("=", 1) for option in options)}
    figure = "best_ns_per_item" if options.pop("best", False) else "ns_per_item"
    paths = []
    for file in files.split():
        label, _, file = file.rpartition("=")
        paths.append(f"{label.replace('_', ' ') or file}={os.path.join(RESULTS, file)}.csv")
    results, contexts, _ = tables.load(paths, figure)
    if name == "measured":
        return tables.measured(contexts)
    return getattr(tables, name)(results, **options)


def pages_of(paths):
    for path in paths:
        if os.path.isdir(path):
            yield from sorted(
                os.path.join(place, n)
                for place, _, names in os.walk(path)
                for n in names
                if n.endswith(".md")
            )
        else:
            yield path


def write_docs(paths, check):
    wrong = []
    for path in pages_of(paths):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if text.count("<!-- table: ") != len(BLOCK.findall(text)):
            wrong.append(
                f"{path}: a table without <!-- end of table -->, or with text that cannot be read"
            )

        def anew(match):
            made = match[1] + "\n".join(table_of(match[2])) + "\n<!-- end of table -->"
            if made != match[0]:
                wrong.append(f"{path}: {match[2]}")
            return made

        new = BLOCK.sub(anew, text)
        if new != text and not check:
            with open(path, "w", encoding="utf-8") as file:
                file.write(new)
    return wrong


def report(options):
    results, contexts, failures = tables.load(
        options.files, "best_ns_per_item" if options.best else "ns_per_item"
    )

    def say(title, lines):
        if len(lines) > 2:
            print(f"### {title}\n")
            print("\n".join(lines) + "\n")

    say("Files", tables.measured(contexts))
    of = {verb: [r for r in results if r.verb == verb] for verb in {r.verb for r in results}}
    for type_ in ("float", "double"):
        for large, place in ((False, "batch in cache"), (True, "batch from memory")):
            if "kalman" in of:
                say(
                    f"Covariance update, {type_}, {place}",
                    tables.kalman(of["kalman"], type_, large),
                )
                say(
                    f"Batchwork in all layouts and forms, {type_}, {place}",
                    tables.kalman_layouts(of["kalman"], type_, large),
                )
        for kind in ("plain", "transposed"):
            say(f"Copies, {type_}, {kind}", tables.copy(of.get("copy", []), type_, kind))
        say(f"Single operations, {type_}", tables.operations(of.get("operations", []), type_))
        say(f"Products, {type_}", tables.gemm(of.get("gemm", []), type_))
    say("Filters over time", tables.scan(of.get("scan", [])))
    say("Batches of systems", tables.solve(of.get("solve", [])))
    for method in dict.fromkeys(r.source for r in of.get("scaling", [])):
        say(f"{method}, by rows and systems of a batch", tables.scaling(of["scaling"], method))
    say("Tridiagonal systems", tables.tridiagonal(of.get("tridiagonal", [])))
    for name, error in failures:
        print(f"- FAILED: {name}: {error}")

    first = contexts[0][1]
    title = f"{first.get('device', '?')}, {first.get('backend', first.get('library', ''))}"
    for verb, path in (
        ("kalman", options.kalman_picture),
        ("scan", options.scan_picture),
        ("solve", options.solve_picture),
    ):
        if path:
            import pictures

            chosen = of.get(verb, []) + (of.get("scaling", []) if verb == "solve" else [])
            getattr(pictures, verb)(chosen, path, title)
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "files", nargs="*", metavar="[LABEL=]FILE", help="JSON, or CSV from results.py"
    )
    parser.add_argument(
        "--best",
        action="store_true",
        help="use the best sample, not the median, for a machine that other programs use",
    )
    parser.add_argument("--kalman-picture", metavar="PNG")
    parser.add_argument("--scan-picture", metavar="PNG")
    parser.add_argument("--solve-picture", metavar="PNG")
    parser.add_argument(
        "--docs", nargs="+", metavar="PAGE", help="write the tables of pages and folders again"
    )
    parser.add_argument("--check", action="store_true", help="with --docs: write nothing")
    options = parser.parse_args()
    if not options.docs and not options.files:
        parser.error("give result files, or --docs")
    try:
        if options.docs:
            wrong = write_docs(options.docs, options.check)
            for line in wrong:
                print(f"{'not what the results say' if options.check else 'written'}: {line}")
            return 1 if wrong and options.check else 0
        return report(options)
    except Unusable as error:
        print(f"report.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())

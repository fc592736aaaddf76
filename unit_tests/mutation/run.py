# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the tests fail for faults planted in the library.

    ./batchwork shell python3 unit_tests/mutation/run.py [--list] [--jobs N] [NAME...]

Applies each mutation of mutations.py, or each one whose name contains a NAME, to a copy of the tree
in build/mutation, then builds and runs the test program that it names. A mutation is killed if a
test fails, and survives if all tests pass. The environment variable CMAKE_ARGS is passed to cmake.

Fails if a mutation survives or does not compile, or if an old text is not in its file exactly
once."""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from mutations import MUTATIONS  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / "build" / "mutation"
TREE, BUILD = COPY / "tree", COPY / "build"
COPIED = ["CMakeLists.txt", "cmake", "src", "unit_tests"]
LONGEST = 1200  # time limit of a test program in seconds, because a mutant may not end


def stale(mutations):
    """The mutations whose old text is not in its file exactly once."""
    wrong = []
    for name, file, old, new, _, _ in mutations:
        path = ROOT / file
        count = path.read_text().count(old) if path.is_file() else 0
        if count != 1 or old == new:
            wrong.append(f"{name}: {file} has {count} times: {old}")
    return wrong


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          **options)


def copy_tree():
    """Updates the copy of the tree. Writes only changed files, so only these are built again."""
    wanted = set()
    for name in COPIED:
        source = ROOT / name
        for path in [source] if source.is_file() else source.rglob("*"):
            if path.is_dir():
                continue
            target = TREE / path.relative_to(ROOT)
            wanted.add(target)
            if not target.is_file() or target.read_bytes() != path.read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(path.read_bytes())
    for target in TREE.rglob("*"):
        if target.is_file() and target not in wanted:
            target.unlink()


def build(target, jobs):
    return run(["cmake", "--build", str(BUILD), "--target", target, "--parallel", str(jobs)])


def test(target, filter_):
    program = next((p for p in (BUILD / "bin" / target, *BUILD.rglob(target)) if p.is_file()), None)
    if program is None:
        sys.exit(f"{target} was built, but its executable was not found in {BUILD}")
    command = [str(program)] + ([f"--gtest_filter={filter_}"] if filter_ else [])
    try:
        result = run(command, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        return "does not end", ""
    if " 0 tests from" in result.stdout:
        return "no such test", result.stdout
    if result.returncode == 0:
        return "passes", result.stdout
    return ("fails" if "[  FAILED  ]" in result.stdout else "aborts"), result.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", help="part of a mutation's name")
    parser.add_argument("--list", action="store_true", help="print the mutations")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    wrong = stale(MUTATIONS)
    if wrong:
        sys.exit("not found exactly once:\n  " + "\n  ".join(wrong))
    chosen = [m for m in MUTATIONS if not options.names or any(n in m[0] for n in options.names)]
    if options.list:
        for name, file, _, _, target, filter_ in chosen:
            print(f"{name:36} {file:48} {target} {filter_ or ''}")
        return
    copy_tree()
    configured = run(["cmake", "-S", str(TREE), "-B", str(BUILD),
                      *(["-G", "Ninja"] if shutil.which("ninja") else []),
                      "-DCMAKE_BUILD_TYPE=Release", "-DBatchwork_ENABLE_TESTS=ON",
                      "-DBatchwork_ENABLE_EXAMPLES=OFF", "-DBatchwork_ENABLE_BENCHMARKS=OFF",
                      *os.environ.get("CMAKE_ARGS", "").split()])
    if configured.returncode != 0:
        sys.exit(configured.stdout)
    # Without mutations all tests must pass.
    for target in sorted({m[4] for m in chosen}):
        built = build(target, options.jobs)
        if built.returncode != 0:
            sys.exit(built.stdout)
        for filter_ in {m[5] for m in chosen if m[4] == target}:
            outcome, said = test(target, filter_)
            if outcome != "passes":
                sys.exit(f"{target}, {filter_}, without a mutation: {outcome}\n{said}")
    counts = {}
    for name, file, old, new, target, filter_ in sorted(chosen, key=lambda m: m[4]):
        began = time.monotonic()
        path = TREE / file
        sound = path.read_text()
        path.write_text(sound.replace(old, new))
        try:
            built = build(target, options.jobs)
            outcome = test(target, filter_)[0] if built.returncode == 0 else "does not compile"
        finally:
            path.write_text(sound)
        verdict = {"fails": "killed", "passes": "SURVIVED", "aborts": "killed, by an abort",
                   "does not end": "killed, by time"}.get(outcome, "ERROR: " + outcome)
        counts[verdict] = counts.get(verdict, 0) + 1
        print(f"{verdict:20} {name} ({target}, {time.monotonic() - began:.0f} s)", flush=True)
        if outcome == "does not compile":
            print("\n".join(line for line in built.stdout.splitlines() if "error" in line)[:2000])
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
    sys.exit(any(not v.startswith("killed") for v in counts))


if __name__ == "__main__":
    main()

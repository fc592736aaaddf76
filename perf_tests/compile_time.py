#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What one call costs to compile: seconds of processor time, peak memory and size of the object.

    compile_time.py [--only NAME,NAME...] [--repeat N] COMPILER ARGUMENTS...

The compiler gets its arguments and `-c FILE -o OBJECT`. Each file includes one header and makes one
call in double. Of several runs (--repeat) the fastest counts. Run it on a quiet machine.

    compile_time.py g++ -std=c++20 -O3 -DNDEBUG -fopenmp -Isrc -isystem /usr/include/kokkos
"""
import argparse
import os
import resource
import subprocess
import sys
import tempfile

PRELUDE = """#include <Batchwork.hpp>
using namespace Batchwork;
using Exec = Kokkos::DefaultExecutionSpace;
template <class E> using View = Kokkos::View<E, Exec>;
using Matrices = View<double***>;
using Vectors = View<double**>;
"""
SYSTEMS = "Exec const& e, View<int*> o, View<int*> c, Vectors v, Vectors b, Vectors x"
UPDATE = """struct Update {{
  template <class P, class F> KOKKOS_FUNCTION void operator()(P& p, F const& f) const {{
    p = f * p * transpose(f);
  }}
}};
void call(Exec const& e, Matrices p, Matrices f) {{
  map(e, Update{{}}, inout(extents<{n}, {n}>(p)), in(extents<{n}, {n}>(f)));
}}
"""


def call(parameters, statement):
    return PRELUDE + f"void call({parameters}) {{ {statement} }}\n"


def solve(how):
    return call(SYSTEMS, f"solve(e, {how}, csr(o, c, v), b, x);")


FILES = {
    "Kokkos_Core.hpp alone": "#include <Kokkos_Core.hpp>\n",
    "Batchwork.hpp alone": PRELUDE,
    "map 6x6": PRELUDE + UPDATE.format(n=6),
    "map 16x16": PRELUDE + UPDATE.format(n=16),
    "copy": call("Exec const& e, Matrices a, Matrices b", "copy(e, a, b);"),
    "gemm": call("Exec const& e, Matrices a, Matrices b, Matrices c",
                 "gemm(e, 1, in(a), in(b), 0, out(c));"),
    "cholesky": call("Exec const& e, Matrices a, Matrices l", "cholesky(e, in(a), out(l));"),
    "solve_lu": call("Exec const& e, Matrices a, Vectors b, Vectors x",
                     "solve_lu(e, in(a), in(b), out(x));"),
    "inverse": call("Exec const& e, Matrices a, Matrices x", "inverse(e, in(a), out(x));"),
    "qr": call("Exec const& e, Matrices a, Matrices q, Matrices r",
               "qr(e, in(a), out(q), out(r));"),
    "eigh": call("Exec const& e, Matrices a, Vectors w, Matrices v",
                 "eigh(e, in(a), out(w), out(v));"),
    "svd": call("Exec const& e, Matrices a, Matrices u, Vectors w, Matrices v",
                "svd(e, in(a), out(u), out(w), out(v));"),
    "solve_tridiagonal": call("Exec const& e, Vectors l, Vectors d, Vectors u, Vectors b",
                              "solve_tridiagonal(e, l, d, u, b, b);"),
    "multiply": call(SYSTEMS, "multiply(e, csr(o, c, v), b, x);"),
    "solve bicgstab jacobi": solve("bicgstab(relative(1e-8)), jacobi()"),
    "solve gmres jacobi": solve("gmres(30, relative(1e-8)), jacobi()"),
    "solve direct_lu": solve("direct_lu()"),
    "solve direct_lu symbolic": solve("direct_lu(symbolic_lu(e, csr(o, c, v)))"),
    "solve configuration": solve("SolveConfiguration{}"),
}


def measure(command, source):
    """Seconds of processor time, megabytes of memory and of the object."""
    with tempfile.TemporaryDirectory() as folder:
        file, made = os.path.join(folder, "call.cpp"), os.path.join(folder, "call.o")
        with open(file, "w", encoding="utf-8") as f:
            f.write(source)
        child = os.fork()
        if child == 0:  # its own process, since peak memory is kept for all children together
            code = subprocess.run(command + ["-c", file, "-o", made], check=False).returncode
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            with open(os.path.join(folder, "used"), "w", encoding="utf-8") as f:
                f.write(f"{used.ru_utime + used.ru_stime} {used.ru_maxrss / 1024}")
            os._exit(code)
        if os.waitpid(child, 0)[1] != 0:
            return None
        with open(os.path.join(folder, "used"), encoding="utf-8") as f:
            seconds, memory = map(float, f.read().split())
        return seconds, memory, os.path.getsize(made) / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--only", help="names of rows, separated by commas")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    names = given.only.split(",") if given.only else list(FILES)
    print("| call | s | MB of memory | MB of object |\n| --- | --- | --- | --- |")
    failed = False
    for name in names:
        runs = [measure(given.command, FILES[name]) for _ in range(given.repeat)]
        if None in runs:
            failed = True
            print(f"| {name} | does not compile | | |", flush=True)
            continue
        seconds, memory, size = min(runs)
        print(f"| {name} | {seconds:.1f} | {memory:.0f} | {size:.2f} |", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

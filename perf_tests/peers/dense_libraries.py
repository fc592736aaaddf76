#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Peers of perf_dense and perf_operations: batched inverses, decompositions, Cholesky and LU
factors and solves with JAX (jit(vmap)), PyTorch, the MAGMA in PyTorch, or CuPy.

A batch has about 1 GB of inputs and outputs, or as many items as fit into the time of a case
(--seconds). Records have the names of perf_dense. A call that the library does not have, or that
exceeds the total time (--total), is recorded as missing.
"""

import argparse
import os
import time

import numpy as np
from timing import Results

SIZES = [3, 4, 8, 16, 32, 64]
OPERATIONS = ["inverse", "qr", "eigh", "svd", "solve_lu", "lu", "cholesky"]
CHECKED = 100  # items that are compared, half of them the last ones


def numbers(operation, D):
    """The count of numbers that an operation reads and writes for each item."""
    full = D * D
    return {
        "inverse": 2 * full,
        "qr": 3 * full,
        "eigh": 2 * full + D,
        "svd": 3 * full + D,
        "solve_lu": full + 2 * D,
        "lu": 2 * full,
        "cholesky": 2 * full,
    }[operation]


class Torch:
    def __init__(self):
        import torch

        torch.backends.cuda.matmul.allow_tf32 = False
        self.torch, L = torch, torch.linalg
        self.context = {
            "library": f"torch {torch.__version__}",
            "device": torch.cuda.get_device_name(0),
        }
        self.functions = {
            "inverse": L.inv,
            "qr": L.qr,
            "eigh": L.eigh,
            "svd": lambda a: L.svd(a, full_matrices=False),
            "solve_lu": lambda a, b: L.solve(a, b),
            "lu": L.lu_factor,
            "cholesky": L.cholesky,
        }

    def uniform(self, shape, dtype, seed):
        generator = self.torch.Generator(device="cuda").manual_seed(seed)
        return (
            self.torch.rand(
                shape, generator=generator, device="cuda", dtype=getattr(self.torch, dtype)
            )
            * 2
            - 1
        )

    def transposed(self, a):
        return a.transpose(-1, -2)

    def unit(self, D, dtype):
        return self.torch.eye(D, device="cuda", dtype=getattr(self.torch, dtype))

    def poison(self, count, dtype):
        self.torch.full((count,), float("nan"), device="cuda", dtype=getattr(self.torch, dtype))

    def wait(self, result):
        self.torch.cuda.synchronize()

    def chosen(self, x):
        return (
            self.torch.cat((x[: CHECKED // 2], x[-(CHECKED // 2) :]))
            .cpu()
            .numpy()
            .astype(np.float64)
        )

    def release(self):
        self.torch.cuda.empty_cache()


class Magma(Torch):
    """The operations for which PyTorch calls the batched routines of MAGMA."""

    def __init__(self):
        super().__init__()
        if not self.torch.cuda.has_magma:
            raise SystemExit("this PyTorch was built without MAGMA")
        self.torch.backends.cuda.preferred_linalg_library("magma")
        self.context["library"] = f"MAGMA by {self.context['library']}"
        self.functions = {
            name: self.functions[name] for name in ("inverse", "solve_lu", "lu", "cholesky")
        }


class CuPy:
    def __init__(self):
        import cupy

        self.cupy, L = cupy, cupy.linalg
        device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
        self.context = {"library": f"cupy {cupy.__version__}", "device": device}
        self.functions = {
            "inverse": L.inv,
            "qr": L.qr,
            "eigh": L.eigh,
            "svd": lambda a: L.svd(a, full_matrices=False),
            "solve_lu": L.solve,
            "cholesky": L.cholesky,
        }

    def uniform(self, shape, dtype, seed):
        self.cupy.random.seed(seed)
        a = self.cupy.random.random(shape, dtype=dtype)
        a *= 2
        a -= 1
        return a

    def transposed(self, a):
        return self.cupy.swapaxes(a, -1, -2)

    def unit(self, D, dtype):
        return self.cupy.eye(D, dtype=dtype)

    def poison(self, count, dtype):
        self.cupy.full(count, np.nan, dtype=dtype)

    def wait(self, result):
        self.cupy.cuda.Device().synchronize()

    def chosen(self, x):
        return self.cupy.asnumpy(
            self.cupy.concatenate((x[: CHECKED // 2], x[-(CHECKED // 2) :]))
        ).astype(np.float64)

    def release(self):
        self.cupy.get_default_memory_pool().free_all_blocks()


class Jax:
    def __init__(self):
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        import jax
        import jax.numpy as jnp

        jax.config.update("jax_enable_x64", True)
        jax.config.update("jax_default_matmul_precision", "highest")
        self.jax, self.jnp, L = jax, jnp, jnp.linalg
        self.context = {
            "library": f"jax {jax.__version__}",
            "device": str(jax.devices()[0].device_kind),
        }
        of_item = {
            "inverse": L.inv,
            "qr": L.qr,
            "eigh": L.eigh,
            "svd": lambda a: L.svd(a, full_matrices=False),
            "solve_lu": L.solve,
            "cholesky": L.cholesky,
        }
        self.functions = {name: jax.jit(jax.vmap(f)) for name, f in of_item.items()}

    def uniform(self, shape, dtype, seed):
        return self.jax.random.uniform(
            self.jax.random.PRNGKey(seed), shape, dtype=dtype, minval=-1, maxval=1
        )

    def transposed(self, a):
        return self.jnp.swapaxes(a, -1, -2)

    def unit(self, D, dtype):
        return self.jnp.eye(D, dtype=dtype)

    def poison(self, count, dtype):
        self.jnp.full(count, np.nan, dtype=dtype).block_until_ready()

    def wait(self, result):
        self.jax.block_until_ready(result)

    def chosen(self, x):
        half = CHECKED // 2
        return np.concatenate((np.asarray(x[:half]), np.asarray(x[-half:]))).astype(np.float64)

    def release(self):
        pass


PEERS = {"torch": Torch, "magma": Magma, "cupy": CuPy, "jax": Jax}


def operands(library, operation, items, D, dtype):
    a = library.uniform((items, D, D), dtype, 1)
    if operation == "eigh":
        a = (a + library.transposed(a)) / 2
    elif operation == "cholesky":
        a = (a + library.transposed(a)) / (4 * D) + library.unit(D, dtype)
    elif operation in ("inverse", "solve_lu", "lu"):
        # As in perf_dense, except that rows are not exchanged.
        a = a + 2 * D**0.5 * library.unit(D, dtype)
    return (a, library.uniform((items, D, 1), dtype, 2)) if operation == "solve_lu" else (a,)


def error_of(library, operation, given, result):
    """The relative residual of some items against float64."""
    norm = lambda x: (
        float(np.sqrt(np.sum(x * x, axis=(-1, -2))).max()) if np.isfinite(x).all() else float("nan")
    )
    T = lambda x: np.swapaxes(x, -1, -2)
    a = library.chosen(given[0])
    x = [library.chosen(r) for r in (result if isinstance(result, (tuple, list)) else (result,))]
    if operation == "inverse":
        return norm(a @ x[0] - np.eye(a.shape[-1])) / (norm(a) * norm(x[0]))
    if operation == "qr":
        orthogonal = norm(T(x[0]) @ x[0] - np.eye(a.shape[-1])) / a.shape[-1]
        return max(norm(x[0] @ x[1] - a) / norm(a), orthogonal)
    if operation == "eigh":
        return norm(a @ x[1] - x[1] * x[0][:, None, :]) / norm(a)
    if operation == "svd":
        return norm((x[0] * x[1][:, None, :]) @ x[2] - a) / norm(a)
    if operation == "solve_lu":
        b = library.chosen(given[1])
        return norm(a @ x[0] - b) / (norm(a) * norm(x[0]) + norm(b))
    if operation == "lu":
        for k, pivots in enumerate(x[1].astype(int)):
            for i, other in enumerate(pivots - 1):
                a[k, [i, other]] = a[k, [other, i]]
        return norm((np.tril(x[0], -1) + np.eye(a.shape[-1])) @ np.triu(x[0]) - a) / norm(a)
    lower = np.tril(x[0])
    return norm(lower @ T(lower) - a) / norm(a)


def timed(library, function, given):
    begin = time.perf_counter()
    result = function(*given)
    library.wait(result)
    return time.perf_counter() - begin, result


def run_case(library, operation, D, dtype, seconds, in_and_out):
    """Seconds, items and the error for the largest batch that fits into the time."""
    size = 4 if dtype == "float32" else 8
    most = max(256, int(in_and_out / (size * numbers(operation, D))))
    items = min(most, 4096 if D <= 16 else 512)
    function = library.functions[operation]
    # JAX compiles again for every number of items.
    for grow in range(1 if isinstance(library, Jax) else 2):
        given = operands(library, operation, items, D, dtype)
        first, result = timed(library, function, given)
        once = timed(library, function, given)[0] if first < seconds else first
        del result, given
        items = min(most, max(items, int(items * min(4096, seconds / 6 / once))))
        if items == most or once > seconds / 6:
            break
    given = operands(library, operation, items, D, dtype)
    library.wait(given)
    library.poison(items * numbers(operation, D), dtype)
    first, result = timed(library, function, given)
    error = error_of(library, operation, given, result)
    del result
    tolerance = 200 * D * float(np.finfo(dtype).eps)
    if not error <= tolerance:
        raise ArithmeticError(f"wrong result: relative error {error:.2e}, {items} items")
    samples, end = [], time.perf_counter() + seconds
    while len(samples) < 9 and (not samples or time.perf_counter() + samples[-1] < end):
        sample, result = timed(library, function, given)
        del result
        samples.append(sample)
    return sorted(samples)[len(samples) // 2], items, error, len(samples)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("peer", choices=PEERS)
    parser.add_argument(
        "--operations",
        nargs="+",
        choices=OPERATIONS,
        default=OPERATIONS,
        help="default: all operations that the peer has in batches",
    )
    parser.add_argument(
        "--dtypes", nargs="+", choices=["float", "double"], default=["double", "float"]
    )
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES, metavar="D")
    parser.add_argument("--seconds", type=float, default=0.4, help="time for the samples of a case")
    parser.add_argument("--bytes", type=float, default=1e9, help="input and output of a batch")
    parser.add_argument(
        "--total",
        type=float,
        default=75,
        help="seconds; cases that have not started by then are recorded as missing",
    )
    parser.add_argument("--json", metavar="FILE", help="write the results there, for report.py")
    options = parser.parse_args()
    end = time.perf_counter() + options.total
    library = PEERS[options.peer]()
    results = Results(date=time.strftime("%Y-%m-%dT%H:%M:%S"), **library.context)
    for D in options.sizes:
        for operation in [o for o in options.operations if o in library.functions]:
            for type_ in options.dtypes:
                name = f"operations/{options.peer}/{operation}/{type_}/item-contiguous/D:{D}"
                try:
                    if time.perf_counter() > end:
                        raise TimeoutError("out of time")
                    dtype = "float32" if type_ == "float" else "float64"
                    median, items, error, samples = run_case(
                        library, operation, D, dtype, options.seconds, options.bytes
                    )
                    results.add(
                        f"{name}/items:{items}", median, items, error=error, samples=samples
                    )
                except Exception as error:  # out of memory, or not supported by this version
                    results.fail(f"{name}/items:0", error)
                try:
                    library.release()
                except Exception as error:
                    print(f"cannot release memory: {error}", flush=True)
        results.write(options.json)


if __name__ == "__main__":
    main()

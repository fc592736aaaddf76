#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Peers of perf_kalman: the covariance update with JAX or PyTorch.

JAX runs jit(vmap) at full precision, PyTorch runs batched calls.
"""

import argparse
import math
import os

from timing import Results, median_time

SIZES = [2, 3, 4, 6, 8, 10, 12, 16, 24, 32]


def name_of(peer, dtype, D, items):
    return f"kalman/{peer}/literal/{dtype}/item-contiguous/view/D:{D}/items:{items}"


def batch_size(dtype, D):
    """The number of items for about 1 GB of inputs and outputs."""
    return math.ceil(1e9 / (2 * (4 if dtype == "float" else 8) * D * D))


def run_jax(dtypes, sizes, samples, json_file):
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import jax
    import jax.numpy as jnp
    import numpy as np

    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_default_matmul_precision", "highest")
    results = Results(library=f"jax {jax.__version__}", device=str(jax.devices()[0].device_kind))

    def update(P, A, Q, H, R):
        prior = A @ P @ A.T + Q
        PH = prior @ H.T
        S = H @ PH + R
        L = jnp.linalg.cholesky(S)
        K = jax.scipy.linalg.cho_solve((L, True), PH.T).T
        return (jnp.eye(P.shape[0], dtype=P.dtype) - K @ H) @ prior

    f = jax.jit(jax.vmap(update, in_axes=(0, None, None, None, None)))
    for dtype in dtypes:
        scalar = jnp.float32 if dtype == "float" else jnp.float64
        for D in sizes:
            items = batch_size(dtype, D)
            name = name_of("jax", dtype, D, items)
            try:
                rng = np.random.default_rng(0)
                M = jax.random.uniform(jax.random.PRNGKey(0), (items, D, D), dtype=scalar) / D
                P = M @ jnp.swapaxes(M, -1, -2) + 0.1 * jnp.eye(D, dtype=scalar)
                del M
                A = jnp.asarray(rng.random((D, D)) / D, dtype=scalar)
                H = jnp.asarray(rng.random((D, D)) / D, dtype=scalar)
                q = rng.random((D, D)) / D
                Q = jnp.asarray(q @ q.T + 0.1 * np.eye(D), dtype=scalar)
                results.add(
                    name,
                    median_time(lambda: jax.block_until_ready(f(P, A, Q, H, Q)), samples),
                    items,
                )
                del P
            except Exception as error:  # out of memory, or not supported by this version
                results.fail(name, error)
            results.write(json_file)


def run_torch(dtypes, sizes, samples, json_file):
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    results = Results(library=f"torch {torch.__version__}", device=torch.cuda.get_device_name(0))

    def update(P, A, Q, H, R, I):
        prior = A @ P @ A.T + Q
        PH = prior @ H.T
        S = H @ PH + R
        L, _ = torch.linalg.cholesky_ex(S)
        Kt = torch.cholesky_solve(PH.transpose(-1, -2), L)
        return (I - Kt.transpose(-1, -2) @ H) @ prior

    for dtype in dtypes:
        options = {"device": "cuda", "dtype": torch.float32 if dtype == "float" else torch.float64}
        for D in sizes:
            items = batch_size(dtype, D)
            if D < 4:  # its temporaries would not fit
                items //= 4
            name = name_of("torch", dtype, D, items)
            try:
                I = torch.eye(D, **options)
                M = torch.rand(items, D, D, **options) / D
                P = M @ M.transpose(-1, -2) + 0.1 * I
                del M
                A = torch.rand(D, D, **options) / D
                H = torch.rand(D, D, **options) / D
                q = torch.rand(D, D, **options) / D
                Q = q @ q.T + 0.1 * I

                def run():
                    out = update(P, A, Q, H, Q, I)
                    torch.cuda.synchronize()
                    del out

                results.add(name, median_time(run, samples), items)
                del P
            except Exception as error:
                results.fail(name, error)
            torch.cuda.empty_cache()
            results.write(json_file)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("peer", choices=["jax", "torch"])
    parser.add_argument(
        "--dtypes", nargs="+", choices=["float", "double"], default=["float", "double"]
    )
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES, metavar="D")
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--json", metavar="FILE", help="write the results there, for report.py")
    options = parser.parse_args()
    run = run_jax if options.peer == "jax" else run_torch
    run(options.dtypes, options.sizes, options.samples, options.json)


if __name__ == "__main__":
    main()

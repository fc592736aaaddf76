#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Peers of perf_scan: Kalman filters over time and the sweep over the Nile series.

Both are jit(vmap(scan)) of JAX.
"""

import argparse
import os

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import jax
import jax.numpy as jnp
import numpy as np
from timing import Results, median_time

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_default_matmul_precision", "highest")

NILE = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..", "example", "nile", "nile.csv"
)
STEPS = 100


def run_filter(results, dtype, N, M, items, per_item, samples):
    """A filter with N states and M measurements. With per-item starts, covariances are per item."""
    rng = np.random.default_rng(0)
    scalar = jnp.float32 if dtype == "float" else jnp.float64
    F = jnp.asarray(np.eye(N) + 0.01 * rng.standard_normal((N, N)), scalar)
    H = jnp.asarray(rng.standard_normal((M, N)), scalar)
    Q = jnp.asarray(0.01 * np.eye(N), scalar)
    R = jnp.asarray(0.1 * np.eye(M), scalar)
    z = jax.random.normal(jax.random.PRNGKey(0), (items, STEPS, M), scalar)
    p0 = (
        1 + jax.random.uniform(jax.random.PRNGKey(1), (items,), scalar)
        if per_item
        else jnp.ones((), scalar)
    )

    def one(zs, s0):
        def step(carry, y):
            x, P, log_likelihood = carry
            x = F @ x
            P = F @ P @ F.T + Q
            S = H @ P @ H.T + R
            v = y - H @ x
            L = jnp.linalg.cholesky(S)
            G = jax.scipy.linalg.cho_solve((L, True), H @ P)
            x = x + G.T @ v
            P = P - G.T @ (H @ P)
            u = jax.scipy.linalg.solve_triangular(L, v, lower=True)
            return (x, P, log_likelihood - 0.5 * (u @ u) - jnp.sum(jnp.log(jnp.diag(L)))), None

        start = (jnp.zeros(N, scalar), s0 * jnp.eye(N, dtype=scalar), jnp.zeros((), scalar))
        return jax.lax.scan(step, start, zs)[0]

    f = jax.jit(jax.vmap(one, in_axes=(0, 0 if per_item else None)))
    kind = "per_item" if per_item else "common"
    name = f"scan/jax/{kind}/{dtype}/item-contiguous/view/N:{N}/M:{M}/items:{items}"
    try:
        results.add(
            name, median_time(lambda: jax.block_until_ready(f(z, p0)), samples, 1), items, STEPS
        )
    except Exception as error:
        results.fail(name, error)


def run_nile(results, path, samples):
    """1024 x 1024 local level models over the 99 years after the first."""
    y = jnp.asarray(np.loadtxt(path, delimiter=",", skiprows=1)[:, 1])

    def filter(observation, level):
        def step(carry, flow):
            a, P, L = carry
            v = flow - a
            f = P + observation
            K = P / f
            return (
                a + K * v,
                P * (1 - K) + level,
                L - 0.5 * (jnp.log(2 * jnp.pi) + jnp.log(f) + v * v / f),
            ), None

        return jax.lax.scan(step, (y[0], observation + level, jnp.zeros(())), y[1:])[0][2]

    observation, level = jnp.meshgrid(jnp.linspace(5e3, 3e4, 1024), jnp.linspace(100, 6000, 1024))
    observation, level = observation.ravel(), level.ravel()
    f = jax.jit(jax.vmap(filter))
    seconds = median_time(lambda: jax.block_until_ready(f(observation, level)), samples, 1)
    L = f(observation, level)
    results.add(
        f"scan/jax/nile/double/item-contiguous/view/N:1/M:1/items:{observation.size}",
        seconds,
        observation.size,
        y.size - 1,
        maximum=float(jnp.max(L)),
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--dtypes", nargs="+", choices=["float", "double"], default=["float", "double"]
    )
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument(
        "--scale", type=float, default=1, help="factor for the numbers of items, for quick trials"
    )
    parser.add_argument("--nile", default=NILE, metavar="CSV")
    parser.add_argument("--json", metavar="FILE", help="write the results there, for report.py")
    options = parser.parse_args()
    results = Results(library=f"jax {jax.__version__}", device=str(jax.devices()[0].device_kind))

    def items(n):
        return max(1, int(n * options.scale))

    for dtype in options.dtypes:
        for per_item in (True, False):
            run_filter(results, dtype, 6, 2, items(100000), per_item, options.samples)
            run_filter(results, dtype, 4, 2, items(200000), per_item, options.samples)
    if "float" in options.dtypes:
        run_filter(results, "float", 13, 1, items(100000), True, options.samples)
    results.write(options.json)
    run_nile(results, options.nile, options.samples)
    results.write(options.json)


if __name__ == "__main__":
    main()

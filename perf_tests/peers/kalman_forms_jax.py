#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Peer of perf_forms: the covariance and the square-root form of the Kalman filter, and smoothers
of both forms, as jit(vmap(scan)) of JAX.

The square-root form triangularises by QR decompositions. A sample of the items is checked against
NumPy in double.
"""

import argparse
import math
import os

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import jax
import jax.numpy as jnp
import numpy as np
from timing import Results, median_time

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_default_matmul_precision", "highest")

STEPS = 100
SIZES = {2: 1, 4: 2, 6: 3, 9: 3, 13: 1}  # states: observations
FORMS = ["covariance", "square_root", "smooth_covariance", "smooth_square_root"]
CHECKED = 5  # items


def items_of(form, size, N, M):
    """The number of items in perf_forms."""
    if form.startswith("smooth"):
        data, of_item, least, most = 6e9, STEPS * (M + N + N * N), 10000, 100000
    else:
        of_item = STEPS * M + N * (N + 1) // 2 + N * N + N + 1
        data, least, most = 5e8, 100000, 1000000
    return min(max(int(data / (size * of_item)) // 1000 * 1000, least), most)


def model(N, M):
    """F, Q, H and R of the kind that perf_forms has."""
    rng = np.random.default_rng(0)
    F = (0.8 if N > 6 * M else 1) * np.eye(N) + 0.04 * (rng.random((N, N)) - 0.5)
    return F, 0.01 * np.eye(N), 2 * rng.random((M, N)) - 1, 0.1 * np.eye(M)


def log_density(L, u):
    return -0.5 * (u @ u + len(u) * math.log(2 * math.pi)) - jnp.sum(jnp.log(jnp.abs(jnp.diag(L))))


def solve_lower(L, b):
    return jax.scipy.linalg.solve_triangular(L, b, lower=True)


def covariance_step(F, Q, H, R, x, P, z):
    """The mean, the covariance and the log-density of z after a step."""
    x, P = F @ x, F @ P @ F.T + Q
    G = H @ P
    L = jnp.linalg.cholesky(G @ H.T + R)
    y, u = solve_lower(L, G), solve_lower(L, z - H @ x)
    return x + y.T @ u, P - y.T @ y, log_density(L, u)


def square_root_step(F, root_Q, H, root_R, x, L, z):
    """The same for a factor of the covariance."""
    x, L = F @ x, triangle(F @ L, root_Q)
    M, N = H.shape
    stack = jnp.block([[root_R, H @ L], [jnp.zeros((N, M), L.dtype), L]])
    A = jnp.linalg.qr(stack.T, mode="r").T
    u = solve_lower(A[:M, :M], z - H @ x)
    return x + A[M:, :M] @ u, A[M:, M:], log_density(A[:M, :M], u)


def triangle(a, b):
    """L with L L' = a a' + b b'."""
    return jnp.linalg.qr(jnp.concatenate([a, b], axis=1).T, mode="r").T


def covariance_back(F, Q, x, P, mean, covariance):
    """The smoothed state, given that of the next step and the filtered state."""
    S = F @ covariance @ F.T + Q
    G = jax.scipy.linalg.cho_solve((jnp.linalg.cholesky(S), True), F @ covariance).T
    return mean + G @ (x - F @ mean), covariance + G @ (P - S) @ G.T


def square_root_back(F, root_Q, x, L, mean, factor):
    """The same for factors: Yaghoobi, Corenflos, Hassan and Särkkä (2022)."""
    N = len(mean)
    stack = jnp.block([[F @ factor, root_Q], [factor, jnp.zeros((N, N), L.dtype)]])
    A = jnp.linalg.qr(stack.T, mode="r").T
    G = jax.scipy.linalg.solve_triangular(A[:N, :N], A[N:, :N].T, lower=True, trans=1).T
    return mean + G @ (x - F @ mean), triangle(A[N:, N:], G @ L)


def filter_of(form, scalar, F, Q, H, R):
    """A function of a series and its start's variance: last mean, last covariance and
    log-likelihood, or means and covariances of all steps."""
    roots = form.endswith("square_root")
    step, back = (
        (square_root_step, square_root_back) if roots else (covariance_step, covariance_back)
    )
    if roots:
        Q, R = np.linalg.cholesky(Q), np.linalg.cholesky(R)
    F, Q, H, R = (jnp.asarray(a, scalar) for a in (F, Q, H, R))
    N = len(F)

    def of_factor(P):
        return P @ P.T if roots else P

    def forward(carry, z):
        x, P, log_likelihood = carry
        x, P, more = step(F, Q, H, R, x, P, z)
        return (x, P, log_likelihood + more), (x, P) if form.startswith("smooth") else None

    def backward(carry, state):
        carry = back(F, Q, *carry, *state)
        return carry, (carry[0], of_factor(carry[1]))

    def run(zs, variance):
        P0 = (jnp.sqrt(variance) if roots else variance) * jnp.eye(N, dtype=scalar)
        start = jnp.zeros(N, scalar), P0, jnp.zeros((), scalar)
        (x, P, log_likelihood), filtered = jax.lax.scan(forward, start, zs)
        if filtered is None:
            return x, of_factor(P), log_likelihood
        before = jax.tree.map(lambda a: a[:-1], filtered)
        smoothed = jax.lax.scan(backward, (x, P), before, reverse=True)[1]
        last = x[None], of_factor(P)[None]
        return jax.tree.map(lambda a, b: jnp.concatenate([a, b]), smoothed, last)

    return run


def reference(form, F, Q, H, R, zs, variance):
    """The results for one item by the textbook's formulas with inverses."""
    N, M = len(F), len(R)
    x, P, log_likelihood, filtered = np.zeros(N), variance * np.eye(N), 0, []
    for z in zs:
        x, P = F @ x, F @ P @ F.T + Q
        S, v = H @ P @ H.T + R, z - H @ x
        K = P @ H.T @ np.linalg.inv(S)
        x, P = x + K @ v, (np.eye(N) - K @ H) @ P
        P = (P + P.T) / 2
        log_likelihood -= 0.5 * (
            M * np.log(2 * np.pi) + np.linalg.slogdet(S)[1] + v @ np.linalg.solve(S, v)
        )
        filtered.append((x, P))
    if not form.startswith("smooth"):
        return x, P, log_likelihood
    smoothed = [(x, P)]
    for mean, covariance in filtered[-2::-1]:
        S = F @ covariance @ F.T + Q
        G = covariance @ F.T @ np.linalg.inv(S)
        x, P = mean + G @ (x - F @ mean), covariance + G @ (P - S) @ G.T
        smoothed.append((x, P))
    return tuple(np.stack(a) for a in zip(*smoothed[::-1]))


def error_of(got, form, matrices, z, variance):
    """The largest relative error of some items, spread evenly."""
    worst = 0
    for k in np.linspace(0, len(z) - 1, min(CHECKED, len(z))).astype(int):
        zs, s0 = np.asarray(z[k], np.float64), float(variance[k])
        for result, expected in zip(got, reference(form, *matrices, zs, s0)):
            difference = np.linalg.norm(np.asarray(result[k], np.float64) - expected)
            worst = np.maximum(worst, difference / np.linalg.norm(expected))
    return float(worst)


def run_form(results, form, dtype, N, M, items, samples):
    scalar = jnp.float32 if dtype == "float" else jnp.float64
    name = f"forms/jax/{form}/{dtype}/item-contiguous/view/N:{N}/M:{M}/items:{items}"
    try:
        # The numbers of the reference are those that the type can hold.
        matrices = [np.asarray(a, scalar).astype(np.float64) for a in model(N, M)]
        z = jax.random.uniform(
            jax.random.PRNGKey(0), (items, STEPS, M), scalar, minval=-2, maxval=2
        )
        variance = 1 + jax.random.uniform(jax.random.PRNGKey(1), (items,), scalar)
        f = jax.jit(jax.vmap(filter_of(form, scalar, *matrices)))
        error = error_of(f(z, variance), form, matrices, z, variance)
        if not error < 20 * STEPS * N * float(jnp.finfo(scalar).eps):
            raise ArithmeticError(f"wrong result: relative error {error:.2e}")
        seconds = median_time(lambda: jax.block_until_ready(f(z, variance)), samples, 1)
        results.add(name, seconds, items, STEPS, error=error)
    except Exception as error:  # out of memory, or not supported by this version
        results.fail(name, error)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--forms", nargs="+", choices=FORMS, default=FORMS)
    parser.add_argument(
        "--dtypes", nargs="+", choices=["float", "double"], default=["float", "double"]
    )
    parser.add_argument("--sizes", nargs="+", type=int, choices=SIZES, default=SIZES, metavar="N")
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument(
        "--scale", type=float, default=1, help="factor for the numbers of items, for quick trials"
    )
    parser.add_argument(
        "--square-root-scale",
        type=float,
        default=0.1,
        help="one more factor for the square-root forms, whose QR decompositions take long",
    )
    parser.add_argument("--json", metavar="FILE", help="write the results there, for report.py")
    options = parser.parse_args()
    results = Results(library=f"jax {jax.__version__}", device=str(jax.devices()[0].device_kind))
    for form in options.forms:
        for N in options.sizes:
            for dtype in options.dtypes:
                scale = options.scale
                if form.endswith("square_root"):
                    scale *= options.square_root_scale
                items = items_of(form, 4 if dtype == "float" else 8, N, SIZES[N])
                items = max(1, int(items * scale))
                run_form(results, form, dtype, N, SIZES[N], items, options.samples)
                results.write(options.json)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Peer of the long series of perf_scan: filter and smoother of one series, parallel in time by
associative scans, by dynamax, by cuthbert, and by JAX alone.

JAX alone is the algorithm of S. Särkkä and Á. F. García-Fernández, Temporal parallelization of
Bayesian smoothers, IEEE Transactions on Automatic Control 66 (2021). dynamax has this algorithm,
cuthbert its square-root form. A library that is not installed is recorded as failed. Results are
compared with a sequential filter and smoother.
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

N, M = 4, 2


def model():
    """F, Q, H, R and the covariance of the first state: a slow random drift."""
    rng = np.random.default_rng(0)
    F = 0.99 * np.eye(N) + 0.04 * (rng.random((N, N)) - 0.5)
    H = 2 * rng.random((M, N)) - 1
    P1 = F @ F.T + 0.01 * np.eye(N)
    return F, 0.01 * np.eye(N), H, 0.1 * np.eye(M), P1


def solve_spd(S, b):
    return jax.scipy.linalg.cho_solve((jnp.linalg.cholesky(S), True), b)


def log_density(L, v):
    u = jax.scipy.linalg.solve_triangular(L, v, lower=True)
    return -0.5 * (u @ u + M * jnp.log(2 * jnp.pi)) - jnp.sum(jnp.log(jnp.diag(L)))


# ---- JAX alone ----------------------------------------------------------------------------------


def element(F, Q, H, R, z):
    """What one step adds: A, b, C, eta and J of the paper."""
    S = H @ Q @ H.T + R
    K, HF = solve_spd(S, H @ Q).T, H @ F
    return F - K @ HF, K @ z, Q - K @ H @ Q, HF.T @ solve_spd(S, z), HF.T @ solve_spd(S, HF)


def first_element(H, R, P1, z):
    K = solve_spd(H @ P1 @ H.T + R, H @ P1).T
    zero = jnp.zeros((N, N))
    return zero, K @ z, P1 - K @ H @ P1, jnp.zeros(N), zero


@jax.vmap
def after(first, then):
    A1, b1, C1, eta1, J1 = first
    A2, b2, C2, eta2, J2 = then
    # A2 (I + C1 J2)^-1; with its transpose, (I + J2 C1)^-1.
    D = jnp.linalg.solve(jnp.eye(N) + J2 @ C1, A2.T).T
    E = jnp.linalg.solve(jnp.eye(N) + C1 @ J2, A1).T
    return (
        D @ A1,
        D @ (b1 + C1 @ eta2) + b2,
        D @ C1 @ A2.T + C2,
        E @ (eta2 - J2 @ b1) + eta1,
        E @ J2 @ A1 + J1,
    )


def log_likelihood(F, Q, H, R, P1, z, means, covariances):
    """From the filtered states, one step on its own."""

    def of_step(mean, covariance, z):
        L = jnp.linalg.cholesky(H @ (F @ covariance @ F.T + Q) @ H.T + R)
        return log_density(L, z - H @ (F @ mean))

    first = log_density(jnp.linalg.cholesky(H @ P1 @ H.T + R), z[0])
    return first + jnp.sum(jax.vmap(of_step)(means[:-1], covariances[:-1], z[1:]))


def jax_filter(matrices, z):
    F, Q, H, R, P1 = matrices
    first = first_element(H, R, P1, z[0])
    rest = jax.vmap(lambda y: element(F, Q, H, R, y))(z[1:])
    elements = jax.tree.map(lambda a, b: jnp.concatenate([a[None], b]), first, rest)
    _, means, covariances, _, _ = jax.lax.associative_scan(after, elements)
    return means, covariances, log_likelihood(*matrices, z, means, covariances)


def jax_smoother(matrices, z):
    F, Q = matrices[:2]
    means, covariances, likelihood = jax_filter(matrices, z)

    def of_step(mean, P):
        G = solve_spd(F @ P @ F.T + Q, F @ P).T
        return G, mean - G @ (F @ mean), P - G @ F @ P

    @jax.vmap
    def before(then, first):
        G2, g2, L2 = then
        G1, g1, L1 = first
        return G1 @ G2, G1 @ g2 + g1, G1 @ L2 @ G1.T + L1

    elements = jax.vmap(of_step)(means[:-1], covariances[:-1])
    last = jnp.zeros((N, N)), means[-1], covariances[-1]
    elements = jax.tree.map(lambda a, b: jnp.concatenate([a, b[None]]), elements, last)
    _, means, covariances = jax.lax.associative_scan(before, elements, reverse=True)
    return means, covariances, likelihood


# ---- dynamax ------------------------------------------------------------------------------------


def dynamax_functions():
    from dynamax.linear_gaussian_ssm import inference, parallel_inference

    jax.config.update("jax_default_matmul_precision", "highest")

    def parameters(matrices):
        F, Q, H, R, P1 = matrices
        return inference.ParamsLGSSM(
            inference.ParamsLGSSMInitial(jnp.zeros(N), P1),
            inference.ParamsLGSSMDynamics(F, jnp.zeros(N), jnp.zeros((N, 0)), Q),
            inference.ParamsLGSSMEmissions(H, jnp.zeros(M), jnp.zeros((M, 0)), R),
        )

    def filter(matrices, z):
        p = parallel_inference.lgssm_filter(parameters(matrices), z)
        return p.filtered_means, p.filtered_covariances, p.marginal_loglik

    def smoother(matrices, z):
        p = parallel_inference.lgssm_smoother(parameters(matrices), z)
        return p.smoothed_means, p.smoothed_covariances, p.marginal_loglik

    return filter, smoother


# ---- cuthbert -----------------------------------------------------------------------------------


def cuthbert_functions():
    import cuthbert
    from cuthbert.gaussian import kalman

    def filtered(matrices, z):
        F, Q, H, R, _ = matrices
        root_Q, root_R = jnp.linalg.cholesky(Q), jnp.linalg.cholesky(R)

        def dynamics(_):
            return F, jnp.zeros(N), root_Q

        # A state before the first observation, whose covariance becomes P1 by a step.
        filter = kalman.build_filter(
            lambda _: (jnp.zeros(N), jnp.eye(N)),
            dynamics,
            lambda y: (H, jnp.zeros(M), root_R, y),
        )
        inputs = jnp.concatenate([jnp.zeros((1, M)), z])
        return dynamics, cuthbert.filter(filter, inputs, parallel=True)

    def results(states, likelihood):
        roots = states.chol_cov[1:]
        covariances = roots @ jnp.swapaxes(roots, -1, -2)
        return states.mean[1:], covariances, likelihood

    def filter(matrices, z):
        _, states = filtered(matrices, z)
        return results(states, states.log_normalizing_constant[-1])

    def smoother(matrices, z):
        dynamics, states = filtered(matrices, z)
        smoothed = cuthbert.smoother(kalman.build_smoother(dynamics), states, parallel=True)
        return results(smoothed, states.log_normalizing_constant[-1])

    return filter, smoother


# ---- the check ----------------------------------------------------------------------------------


@jax.jit
def step_by_step(matrices, z):
    """Results of the sequential filter and smoother, by the textbook's formulas."""
    F, Q, H, R, P1 = matrices

    def forward(carry, y):
        x, P, likelihood = carry  # x and P as predicted
        S, v = H @ P @ H.T + R, y - H @ x
        K = jnp.linalg.solve(S, H @ P).T
        more = M * jnp.log(2 * jnp.pi) + jnp.linalg.slogdet(S)[1] + v @ jnp.linalg.solve(S, v)
        x, P = x + K @ v, P - K @ H @ P
        P = (P + P.T) / 2
        return (F @ x, F @ P @ F.T + Q, likelihood - 0.5 * more), (x, P)

    def backward(next_state, state):
        (x, P), (mean, covariance) = next_state, state
        S = F @ covariance @ F.T + Q
        G = jnp.linalg.solve(S, F @ covariance).T
        smoothed = mean + G @ (x - F @ mean), covariance + G @ (P - S) @ G.T
        return smoothed, smoothed

    (_, _, likelihood), filtered = jax.lax.scan(forward, (jnp.zeros(N), P1, 0.0), z)
    last = jax.tree.map(lambda a: a[-1], filtered)
    before = jax.tree.map(lambda a: a[:-1], filtered)
    smoothed = jax.lax.scan(backward, last, before, reverse=True)[1]
    smoothed = jax.tree.map(lambda a, b: jnp.concatenate([a, b[None]]), smoothed, last)
    return (*filtered, likelihood), (*smoothed, likelihood)


def sequential(matrices, z):
    with jax.default_device(jax.devices("cpu")[0]):
        return jax.tree.map(np.asarray, step_by_step(matrices, z))


def error_of(got, expected):
    """The largest relative error of means, covariances and log-likelihood."""
    return max(
        float(np.linalg.norm(np.asarray(a) - b) / np.linalg.norm(b)) for a, b in zip(got, expected)
    )


PEERS = {
    "jax": lambda: (jax_filter, jax_smoother),
    "dynamax": dynamax_functions,
    "cuthbert": cuthbert_functions,
}


def run_peer(results, peer, steps, matrices, z, expected, samples):
    try:
        functions = PEERS[peer]()
    except Exception as error:  # not installed
        results.fail(f"long_series/{peer}/N:{N}/M:{M}/steps:{steps}", error)
        return
    for what, function, truth in zip(("filter", "smoother"), functions, expected):
        name = f"long_series/{peer}/{what}/double/N:{N}/M:{M}/steps:{steps}"
        try:
            f = jax.jit(function)
            error = error_of(f(matrices, z), truth)
            if not error < 1e-8:
                raise ArithmeticError(f"wrong result: relative error {error:.2e}")
            seconds = median_time(lambda: jax.block_until_ready(f(matrices, z)), samples, 1)
            results.add(name, seconds, 1, steps, error=error)
        except Exception as error:  # out of memory, for example
            results.fail(name, error)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peers", nargs="+", choices=PEERS, default=list(PEERS))
    parser.add_argument("--steps", nargs="+", type=int, default=[100000, 1000000])
    parser.add_argument("--samples", type=int, default=7)
    parser.add_argument("--json", metavar="FILE", help="write the results there, for report.py")
    options = parser.parse_args()
    results = Results(library=f"jax {jax.__version__}", device=str(jax.devices()[0].device_kind))
    matrices = model()
    on_device = tuple(jnp.asarray(a) for a in matrices)
    for steps in options.steps:
        z = np.random.default_rng(1).uniform(-2, 2, (steps, M))
        expected = sequential(matrices, z)
        for peer in options.peers:
            run_peer(results, peer, steps, on_device, jnp.asarray(z), expected, options.samples)
            results.write(options.json)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Peer of the EKF of example/tracking: the same model, gate and outputs as jit(vmap(scan)) of JAX,
with Jacobians by forward differentiation. With --filterpy also filterpy on some of the targets.

    tracking_jax.py [--targets 100000] [--chunk 10000] [--steps 60] [--detection 0.9]

`tracking --filter ekf` with the same options prints the millions of steps per second of Batchwork.
Targets are simulated by NumPy as in example/tracking/Simulation.cpp. Some of the targets are
compared with a filter in NumPy.
"""

import argparse
import os
import time

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import jax
import jax.numpy as jnp
import numpy as np
from timing import Results

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_default_matmul_precision", "highest")

N, M, DT, GATE = 5, 3, 2.0, 16.27
R = np.diag([20.0, 1e-3, 4.0]) ** 2
P0 = np.diag([100.0, 100.0, 10.0, 10.0, 1e-3]) ** 2
DEGREE = np.pi / 180


def noise(acceleration, turn_rate):
    """The covariance of a step's noise."""
    a = acceleration**2
    block = a * np.array([[DT**3 / 3, DT**2 / 2], [DT**2 / 2, DT]])
    return np.block(
        [
            [np.kron(block, np.eye(2)), np.zeros((4, 1))],
            [np.zeros((1, 4)), np.full((1, 1), turn_rate**2)],
        ]
    )


Q = noise(2, 0.01)


def motion(xp, x):
    """A coordinated turn. x: (state, ...)"""
    half = 0.5 * DT * x[4]
    s2 = half * half
    near = s2 < 1e-4
    sinc = xp.where(near, 1 - s2 / 6 * (1 - s2 / 20), xp.sin(half) / xp.where(near, 1.0, half))
    c, s, chord = xp.cos(half), xp.sin(half), DT * sinc
    cosine, sine = c * c - s * s, 2 * c * s
    return xp.stack(
        [
            x[0] + chord * (c * x[2] - s * x[3]),
            x[1] + chord * (s * x[2] + c * x[3]),
            cosine * x[2] - sine * x[3],
            sine * x[2] + cosine * x[3],
            x[4],
        ]
    )


def observation(xp, x):
    """Range, bearing and range rate. x: (state, ...)"""
    distance = xp.hypot(x[0], x[1])
    return xp.stack([distance, xp.arctan2(x[1], x[0]), (x[0] * x[2] + x[1] * x[3]) / distance])


def residual(xp, z, expected):
    v = z - expected
    return xp.stack([v[0], v[1] - 2 * np.pi * xp.round(v[1] / (2 * np.pi)), v[2]])


def simulate(targets, steps, detected, outliers, seed):
    """(target, state): the filter's starts; (target, step, M): observations, NaN if missed."""
    rng = np.random.default_rng(seed)
    distance, bearing = 5e4 + 4e4 * rng.random(targets), 2 * np.pi * rng.random(targets)
    speed, heading = 150 + 100 * rng.random(targets), 2 * np.pi * rng.random(targets)
    x = np.stack(
        [
            distance * np.cos(bearing),
            distance * np.sin(bearing),
            speed * np.cos(heading),
            speed * np.sin(heading),
            np.zeros(targets),
        ]
    )
    start = x + np.sqrt(P0) @ rng.standard_normal((N, targets))
    root = np.linalg.cholesky(noise(0.3, 0.0005))
    seen = np.empty((targets, steps, M))
    for t in range(steps):
        u = rng.random((6, targets))
        turns = x[4] != 0
        rate = (1 + 2 * u[1]) * np.where(u[2] < 0.5, -DEGREE, DEGREE)
        x[4] = np.where(~turns & (u[0] < 0.03), rate, np.where(turns & (u[0] < 0.06), 0, x[4]))
        turns = x[4] != 0
        x = motion(np, x) + root @ rng.standard_normal((N, targets))
        x[4] = np.where(turns, x[4], 0)
        z = observation(np, x) + np.sqrt(R) @ rng.standard_normal((M, targets))
        z[0] += np.where(u[4] < outliers, 4000 * (u[5] - 0.5), 0)
        seen[:, t] = np.where(u[3] < detected, z, np.nan).T
    return start.T.copy(), seen


def step(carry, z):
    """One step of a target, as SingleStep of example/tracking/Steps.hpp."""
    x, P, log_likelihood, gate, gated = carry

    def with_value(f):
        return lambda x: (lambda y: (y, y))(f(jnp, x))

    F, x = jax.jacfwd(with_value(motion), has_aux=True)(x)
    P = F @ P @ F.T + Q
    H, expected = jax.jacfwd(with_value(observation), has_aux=True)(x)
    seen = ~jnp.isnan(z[0])
    v = jnp.where(seen, residual(jnp, z, expected), 0.0)
    G = H @ P
    L = jnp.linalg.cholesky(G @ H.T + R)
    y = jax.scipy.linalg.solve_triangular(L, G, lower=True)
    u = jax.scipy.linalg.solve_triangular(L, v, lower=True)
    nis = u @ u
    outside = nis > gate
    use = seen & ~outside
    x = jnp.where(use, x + y.T @ u, x)
    P = jnp.where(use, P - y.T @ y, P)
    more = -0.5 * (nis + M * np.log(2 * np.pi)) - jnp.sum(jnp.log(jnp.diag(L)))
    log_likelihood = log_likelihood + jnp.where(use, more, 0.0)
    gated = gated + jnp.where(outside, 1.0, 0.0)
    gate = jnp.where(outside, 4 * gate, jnp.where(seen, GATE, gate))
    return (x, P, log_likelihood, gate, gated), (x, P, nis)


@jax.jit
@jax.vmap
def track(start, seen):
    """Means, covariances and NIS of all steps, log-likelihood, observations beyond the gate."""
    carry = (start, jnp.asarray(P0), jnp.zeros(()), jnp.full((), GATE), jnp.zeros(()))
    last, tracks = jax.lax.scan(step, carry, seen)
    return *tracks, last[2], last[4]


def jacobian_of_motion(x):
    """By central differences with steps for the units of the state."""
    h = np.array([1.0, 1.0, 1e-2, 1e-2, 1e-6])
    columns = [
        (motion(np, x + h * e) - motion(np, x - h * e)) / (2 * h[i])
        for i, e in enumerate(np.eye(N))
    ]
    return np.stack(columns, axis=1)


def jacobian_of_observation(x):
    r2 = x[0] ** 2 + x[1] ** 2
    r = np.sqrt(r2)
    rate = (x[0] * x[2] + x[1] * x[3]) / r
    return np.array(
        [
            [x[0] / r, x[1] / r, 0, 0, 0],
            [-x[1] / r2, x[0] / r2, 0, 0, 0],
            [x[2] / r - rate * x[0] / r2, x[3] / r - rate * x[1] / r2, x[0] / r, x[1] / r, 0],
        ]
    )


def reference(start, seen):
    """Means of all steps of a target, and the log-likelihood."""
    x, P, gate, likelihood, means = start, P0, GATE, 0.0, []
    for z in seen:
        F = jacobian_of_motion(x)
        x, P = motion(np, x), F @ P @ F.T + Q
        if not np.isnan(z[0]):
            H, v = jacobian_of_observation(x), residual(np, z, observation(np, x))
            S = H @ P @ H.T + R
            nis = v @ np.linalg.solve(S, v)
            if nis > gate:
                gate = 4 * gate
            else:
                gate, K = GATE, P @ H.T @ np.linalg.inv(S)
                x, P = x + K @ v, P - K @ S @ K.T
                likelihood -= 0.5 * (M * np.log(2 * np.pi) + np.linalg.slogdet(S)[1] + nis)
        means.append(x)
    return np.stack(means), likelihood


def error_of(tracks, start, seen):
    """The largest relative error of means and log-likelihood, over some targets."""
    worst = 0.0
    for k in np.linspace(0, len(start) - 1, min(20, len(start))).astype(int):
        means, likelihood = reference(start[k], seen[k])
        of_means = np.linalg.norm(np.asarray(tracks[0][k]) - means) / np.linalg.norm(means)
        of_likelihood = abs(float(tracks[3][k]) - likelihood) / abs(likelihood)
        worst = np.maximum(worst, max(of_means, of_likelihood))
    return float(worst)


def run_jax(results, options, start, seen):
    seconds, error = 0.0, 0.0
    for first in range(0, len(start), options.chunk):
        part = slice(first, first + options.chunk)
        given = jnp.asarray(start[part]), jnp.asarray(seen[part])
        jax.block_until_ready(given)
        samples = []
        for k in range(options.samples + 1):  # the first one compiles
            begin = time.perf_counter()
            tracks = jax.block_until_ready(track(*given))
            samples.append(time.perf_counter() - begin)
        seconds += sorted(samples[1:])[options.samples // 2]
        if first == 0:
            error = error_of(tracks, start[part], seen[part])
    if not error < 1e-6:
        raise SystemExit(f"the tracks are wrong: relative error {error:.1e}")
    report(results, "jax", len(start), seen.shape[1], seconds, error)


def run_filterpy(results, start, seen):
    """filterpy's ExtendedKalmanFilter, a target after the other, without the gate."""
    from filterpy.kalman import ExtendedKalmanFilter

    begin = time.perf_counter()
    for x0, observations in zip(start, seen):
        f = ExtendedKalmanFilter(dim_x=N, dim_z=M)
        f.x, f.P, f.Q, f.R = x0.copy(), P0.copy(), Q, R
        f.predict_x = lambda u=0: setattr(f, "x", motion(np, f.x))
        for z in observations:
            f.F = jacobian_of_motion(f.x)
            f.predict()
            if not np.isnan(z[0]):
                f.update(
                    z,
                    jacobian_of_observation,
                    lambda x: observation(np, x),
                    residual=lambda a, b: residual(np, a, b),
                )
    seconds = time.perf_counter() - begin
    if not np.isfinite(f.x).all():
        raise SystemExit("the last track of filterpy is not finite")
    report(results, "filterpy", len(start), seen.shape[1], seconds, None)


def report(results, peer, targets, steps, seconds, error):
    rate = targets * steps / seconds
    name = f"tracking/{peer}/ekf/double/targets:{targets}/steps:{steps}"
    more = {"updates_per_s": rate} | ({} if error is None else {"error": error})
    results.add(name, seconds, targets, steps, **more)
    print(f"  {rate * 1e-6:.4g} million steps of targets per second", flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--targets", type=int, default=100000)
    parser.add_argument("--chunk", type=int, default=10000, help="targets in a call")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--detection", type=float, default=0.9)
    parser.add_argument("--outliers", type=float, default=0.01)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--filterpy", type=int, default=0, metavar="TARGETS")
    parser.add_argument("--json", metavar="FILE", help="write the results there, for report.py")
    options = parser.parse_args()
    results = Results(library=f"jax {jax.__version__}", device=str(jax.devices()[0].device_kind))
    start, seen = simulate(
        options.targets, options.steps, options.detection, options.outliers, options.seed
    )
    run_jax(results, options, start, seen)
    if options.filterpy:
        run_filterpy(results, start[: options.filterpy], seen[: options.filterpy])
    results.write(options.json)


if __name__ == "__main__":
    main()

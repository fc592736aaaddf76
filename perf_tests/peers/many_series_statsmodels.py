#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Peer of example/many_series: statsmodels fits the local level model to a sample of such series.

    many_series_statsmodels.py [--series 1000] [--steps 100]

Series are simulated as in example/many_series/Fit.cpp. The parameters are the logarithms of both
variances, the start is diffuse, and L-BFGS begins with variances of 1. Gradients are complex steps.
The time is the processor time of one thread. The last lines are those of the example.
"""

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import argparse
import time
import warnings

import numpy as np
import statsmodels
from statsmodels.tsa.statespace.mlemodel import MLEModel
from timing import Results

LOWEST, FLAT = -10, 1e-3  # as in example/many_series/Fit.hpp


class LocalLevel(MLEModel):
    start_params = np.zeros(2)
    param_names = ["level", "noise"]

    def __init__(self, z):
        super().__init__(z, k_states=1, k_posdef=1)
        for name in ("design", "transition", "selection"):
            self[name, 0, 0] = 1
        self.ssm.initialize_diffuse()

    def update(self, params, transformed=True, includes_fixed=False, complex_step=False):
        params = super().update(params, transformed, includes_fixed, complex_step)
        self["state_cov", 0, 0], self["obs_cov", 0, 0] = np.exp(params)


def simulate(count, steps, seed):
    """(truth, series): variances of the level from 0.05 to 1 and of the noise from 0.2 to 4."""
    random = np.random.default_rng(seed)
    truth = np.log([0.05, 0.2]) + 3 * random.random((count, 2))
    deviation = np.exp(truth / 2)[:, :, None]
    changes, noise = random.standard_normal((2, count, steps))
    level = np.cumsum(deviation[:, 0] * changes, axis=1)
    level = np.hstack([np.zeros((count, 1)), level[:, :-1]])
    return truth, level + deviation[:, 1] * noise


def fit(z):
    """The model of a series, and its parameters at the maximum of the likelihood."""
    model = LocalLevel(z)
    r = model.fit(
        method="lbfgs",
        optim_score="approx",
        optim_complex_step=True,
        cov_type="none",
        maxiter=200,
        disp=0,
        bounds=[(LOWEST, None)] * 2,
        factr=10,  # as close to the maximum as the example
        pgtol=FLAT / len(z),
        low_memory=True,
    )
    return model, r.params


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--series", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", help="file for the results, as of Google Benchmark")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # of series whose search ends at a bound
    truth, series = simulate(options.series, options.steps, options.seed)
    fit(series[0])

    begin = time.process_time()
    fits = [fit(z) for z in series]
    seconds = time.process_time() - begin
    results = Results(library="statsmodels", version=statsmodels.__version__)
    results.add("many_series/statsmodels", seconds, options.series, options.steps)
    print(f"  {options.series / seconds:.4g} series per second, one thread")

    theta = np.array([estimate for _, estimate in fits])
    score = np.array([m.score(p, method="approx", approx_complex_step=True) for m, p in fits])
    zero = (theta <= LOWEST).any(axis=1)
    unfinished = ~zero & (np.abs(score) > FLAT).any(axis=1)
    good = ~zero & ~unfinished
    print(
        f"  a variance estimated as zero: {100 * zero.mean():.2f} % of the series; "
        f"not at a maximum: {unfinished.sum()}"
    )
    # statsmodels' matrix (Harvey 1989, section 3.4.7) is the mean over the observations.
    information = [m.observed_information_matrix(p) for (m, p), used in zip(fits, good) if used]
    covariance = np.linalg.inv(options.steps * np.array(information))
    error = (theta - truth)[good] / np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
    for k, name in enumerate(("level", "noise")):
        print(
            f"  variance of the {name}: {100 * (np.abs(error[:, k]) < 1.96).mean():.1f} % of the "
            f"95 % intervals contain it, mean error {error[:, k].mean():.3f} standard deviations"
        )
    results.write(options.json)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Computes the figures of test_statsmodels.cpp with statsmodels, and prints the header with them.

    statsmodels_reference.py > StatsmodelsFigures.hpp

Scores are derivatives by complex steps in MLEModel.score. The script compares them with central
differences of fourth order, and prints the largest difference to the standard error.
"""

import sys

import numpy as np
import statsmodels
from statsmodels.tsa.statespace.mlemodel import MLEModel

NAN = np.nan


class Model(MLEModel):
    """A model whose Q and R depend on theta, the logarithms of variances."""

    def __init__(self, series, f, h, covariances, theta, start=None):
        super().__init__(series, k_states=len(f), k_posdef=len(f))
        self.covariances, self.theta = covariances, np.array(theta)
        self["transition"], self["design"] = np.array(f, float), np.array(h, float)
        self["selection"] = np.eye(len(f))
        if start:
            self.ssm.initialize_known(*(np.array(part, float) for part in start))
        else:
            self.ssm.initialize_diffuse()  # the exact one
        self.ssm.tolerance = 0  # no steady state

    def update(self, params, transformed=True, includes_fixed=False, complex_step=False):
        params = super().update(params, transformed, includes_fixed, complex_step)
        self["state_cov"], self["obs_cov"] = self.covariances(params)

    @property
    def start_params(self):
        return self.theta

    @property
    def param_names(self):
        return [f"theta{k}" for k in range(len(self.theta))]


def series(seed, steps, entries, missing, drift):
    """A walk with a drift and noise, in multiples of 1/8, which are exact in both programs."""
    random = np.random.default_rng(seed)
    walk = np.cumsum(random.standard_normal((steps, entries)), axis=0)
    noise = random.standard_normal((steps, entries))
    z = np.round(8 * (walk + noise + drift * np.arange(steps)[:, None])) / 8
    for time, entry in missing:
        z[time, entry] = NAN
    return z


def trend():
    """Level and slope, of which the second observation is missing."""
    z = series(1, 24, 1, [(1, 0), (7, 0), (8, 0), (9, 0), (23, 0)], 0.5)
    f, h = [[1, 1], [0, 1]], [[1, 0]]
    return Model(
        z, f, h, lambda theta: (np.diag(np.exp(theta[:2])), [[np.exp(theta[2])]]), [-1.0, -2.0, 0.5]
    )


def pair():
    """Two states, two observations with correlated noise, and entries missing one by one."""
    z = series(2, 20, 2, [(0, 0), (4, 1), (8, 0), (8, 1), (9, 0), (13, 1), (19, 0)], 0)
    f, h = [[0.75, 0.25], [-0.125, 0.875]], [[1, 0.5], [0.25, 1]]

    def covariances(theta):
        variance = np.exp(theta)
        both = 0.5 * np.exp((theta[2] + theta[3]) / 2)
        return np.diag(variance[:2]), np.array([[variance[2], both], [both, variance[3]]])

    start = [0.5, -0.25], [[2, 0.5], [0.5, 1]]
    return Model(z, f, h, covariances, [0.5, -0.5, 0.25, -0.25], start)


def quarters():
    """Level, slope and a season of four quarters, of which the third observation is missing."""
    steps = 20
    z = series(3, steps, 1, [(11, 0), (12, 0)], 0.25)
    z[:, 0] += np.resize([3, -1, -4, 2], steps)
    z[2] = NAN
    f, h = np.zeros((5, 5)), [[1, 0, 1, 0, 0]]
    f[0, 0] = f[0, 1] = f[1, 1] = f[3, 2] = f[4, 3] = 1
    f[2, 2:] = -1

    def covariances(theta):
        variance = np.exp(theta)
        zero = 0 * theta[0]
        return np.diag([*variance[:3], zero, zero]), [[variance[3]]]

    return Model(z, f, h, covariances, [-1.0, -3.0, -2.0, 0.0])


def differences(f, theta, h=1e-3):
    result = []
    for k in range(len(theta)):
        step = h * np.eye(len(theta))[k]
        near, far = f(theta + step) - f(theta - step), f(theta + 2 * step) - f(theta - 2 * step)
        result.append((8 * near - far) / (12 * h))
    return np.array(result)


def figures(model):
    theta, n = model.theta, model.k_states
    model.update(theta)
    r = model.ssm.smooth()
    lower = np.tril_indices(n)
    score = model.score(theta, method="approx", approx_complex_step=True)
    error = np.abs(score - differences(model.loglike, theta)).max()
    return error, {
        "theta": theta,
        "series": model.endog,
        "log_likelihood": np.array([r.llf_obs.sum()]),
        "score": score,
        "filtered_mean": r.filtered_state.T,
        "filtered_covariance": np.moveaxis(r.filtered_state_cov, 2, 0)[:, lower[0], lower[1]],
        "smoothed_mean": r.smoothed_state.T,
        "smoothed_covariance": np.moveaxis(r.smoothed_state_cov, 2, 0)[:, lower[0], lower[1]],
        "lag_one": np.moveaxis(r.smoothed_state_autocov, 2, 0).reshape(model.nobs, -1),
    }, r.nobs_diffuse


def lines(numbers):
    """The numbers with 17 digits, in lines of at most 96 characters."""
    line = "   "
    for number in numbers:
        text = " NAN," if np.isnan(number) else f" {number:.17g},"
        if len(line) + len(text) > 96:
            yield line
            line = "   "
        line += text
    yield line


def main():
    print(
        f"""\
// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \\file
/// Figures of statsmodels {statsmodels.__version__}, written by statsmodels_reference.py.
#ifndef BATCHWORK_KALMAN_STATSMODELS_FIGURES_HPP
#define BATCHWORK_KALMAN_STATSMODELS_FIGURES_HPP

#include <cmath>
#include <vector>

namespace Batchwork::Test::Statsmodels {{

/// Vectors hold one time after the other. Of covariances they hold lower triangles, by rows.
struct Figures {{
  int steps, diffuse_steps;
  std::vector<double> theta, series, log_likelihood, score, filtered_mean, filtered_covariance,
      smoothed_mean, smoothed_covariance, lag_one;
}};

// clang-format off"""
    )
    for make in (trend, pair, quarters):
        model = make()
        error, values, diffuse = figures(model)
        name = make.__name__
        print(f"{name}: score - differences {error:.1e}, {diffuse} diffuse times", file=sys.stderr)
        print(f"\n/// {make.__doc__}\ninline Figures const {name}{{")
        print(f".steps = {model.nobs}, .diffuse_steps = {diffuse},")
        for key, value in values.items():
            print(f".{key} = {{")
            print("\n".join(lines(value.ravel())) + "\n},")
        print("};")
    print("// clang-format on\n\n}  // namespace Batchwork::Test::Statsmodels\n\n#endif")


if __name__ == "__main__":
    main()

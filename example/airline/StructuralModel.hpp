// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The basic structural model of a monthly series:
///   z(t)         = level(t) + season(t) + noise
///   level(t+1)   = level(t) + slope(t) + noise,   slope(t+1) = slope(t) + noise
///   season(t+1)  = -season(t) - ... - season(t-10) + noise
/// Harvey, Forecasting, Structural Time Series Models and the Kalman Filter, 1989, section 2.3;
/// Durbin and Koopman, Time Series Analysis by State Space Methods, 2nd edition, section 3.2.
#ifndef AIRLINE_STRUCTURAL_MODEL_HPP
#define AIRLINE_STRUCTURAL_MODEL_HPP

#include <Batchwork.hpp>

namespace Airline {

constexpr int states = 13;     ///< level, slope, season(t), ..., season(t-10)
constexpr int parameters = 4;  ///< logarithms of the variances of level, slope, season and noise
constexpr char const* parameter_names[parameters] = {"level", "slope", "season", "observation"};

struct StructuralModel {
  template <class Theta>
  KOKKOS_FUNCTION auto operator()(Theta const& theta) const {
    using namespace Batchwork;
    auto const transition = generate<states, states>([](int i, int j) {
      if (i == 0) return j < 2 ? 1.0 : 0.0;
      if (i == 1) return j == 1 ? 1.0 : 0.0;
      if (i == 2) return j < 2 ? 0.0 : -1.0;
      return j == i - 1 ? 1.0 : 0.0;
    });
    auto const observation = generate<states>([](int j) { return j == 0 || j == 2 ? 1.0 : 0.0; });
    auto variances = zero<states>(theta);
    for (int k = 0; k < 3; ++k) variances(k) = exp(theta(k));
    return Kalman::matrices(transition, as_diagonal(variances), observation, exp(theta(3)));
  }
};

}  // namespace Airline

#endif

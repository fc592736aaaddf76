// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The steps of the filters, as sequences for scan.
#ifndef TRACKING_STEPS_HPP
#define TRACKING_STEPS_HPP

#include "Imm.hpp"
#include "Model.hpp"

namespace Tracking {

/// The mode of a filter that covers straight flight and turns.
inline constexpr Mode any{1, 2, 0.01};
/// The two modes of an IMM.
inline constexpr Mode straight{0, 0.3, 0.0005}, turn{1, 1.5, 0.01};
/// With three modes, one follows a turn, and another one its beginning and end.
inline constexpr Mode steady_turn{1, 0.5, 0.005}, change{1, 2, 0.02};

/// An observation is ignored if its NIS is beyond a gate: 0.1 % of chi-squared with 3 degrees of
/// freedom. Each observation that is ignored makes the gate of this target four times as wide, so
/// that a target whose turn was taken for an outlier is found again. A step without an observation
/// keeps the gate: its NIS is 0.
inline constexpr double narrowest = 16.27;

template <class Gate, class Outside, class Seen>
KOKKOS_FUNCTION void adapt(Gate& gate, Outside const& outside, Seen const& seen) {
  double const usual = narrowest;
  gate = select(outside, 4 * gate, select(seen, usual, gate));
}

/// Extended or unscented filter with one mode.
template <bool Unscented>
struct SingleStep {
  Mode mode;
  template <class X, class P, class L, class G, class Count, class Z, class Mean, class Covariance,
            class Nis>
  KOKKOS_FUNCTION void operator()(X& x, P& p, L& log_likelihood, G& gate, Count& gated, Z const& z,
                                  Mean& mean, Covariance& covariance, Nis& nis) const {
    using namespace Batchwork;
    auto const r = radar_noise();
    if constexpr (Unscented) {
      Kalman::unscented_predict(x, p, mode.motion(), mode.noise());
      nis = Kalman::unscented_update(x, p, log_likelihood, z, Observation{}, r, Residual{}, {},
                                     Kalman::gate(gate))
                .nis;
    } else {
      Kalman::extended_predict(x, p, mode.motion(), mode.noise());
      nis = Kalman::extended_update(x, p, log_likelihood, z, Observation{}, r, Residual{},
                                    Kalman::gate(gate))
                .nis;
    }
    auto const outside = nis > gate;
    gated += select(outside, 1.0, 0.0);
    adapt(gate, outside, nis > 0.0);
    mean = x;
    covariance = p;
  }
};

/// Interacting multiple models: an extended filter for each of K modes. An observation is ignored
/// if it is beyond the gate of every mode. The NIS is that of the mixture of all predictions.
template <int K>
struct ImmStep {
  Mode mode[K];
  double leave = 0.05;  ///< probability that a target leaves its mode in a step

  template <class X, class P, class W, class L, class G, class Count, class Z, class Mean,
            class Covariance, class Nis, class Probability>
  KOKKOS_FUNCTION void operator()(X& means, P& covariances, W& probabilities, L& log_likelihood,
                                  G& gate, Count& gated, Z const& z, Mean& mean,
                                  Covariance& covariance, Nis& nis,
                                  Probability& probability) const {
    using namespace Batchwork;
    auto const transition =
        generate<K, K>([&](int i, int j) { return i == j ? 1 - leave : leave / (K - 1); });
    auto const r = radar_noise();
    imm_predict(means, covariances, probabilities, transition, [&](auto j, auto& x, auto& p) {
      Kalman::extended_predict(x, p, mode[j()].motion(), mode[j()].noise());
    });

    auto prior = mixture(means, covariances, probabilities);
    nis =
        Kalman::extended_update(prior.mean, prior.covariance, z, Observation{}, r, Residual{}).nis;

    auto new_means = means;
    auto new_covariances = covariances;
    auto new_probabilities = probabilities, distance = 0 * probabilities;
    auto gain = 0 * log_likelihood;
    imm_update(new_means, new_covariances, new_probabilities, gain, [&](auto j, auto& x, auto& p) {
      auto of_mode = 0 * x(0);
      distance(j()) = Kalman::extended_update(x, p, of_mode, z, Observation{}, r, Residual{}).nis;
      return of_mode;
    });
    auto const outside = minimum(distance) > gate;
    means = select(outside, means, new_means);
    covariances = select(outside, covariances, new_covariances);
    probabilities = select(outside, probabilities, new_probabilities);
    log_likelihood += select(outside, 0 * gain, gain);
    gated += select(outside, 1.0, 0.0);
    adapt(gate, outside, minimum(distance) > 0.0);

    auto const posterior = mixture(means, covariances, probabilities);
    mean = posterior.mean;
    covariance = posterior.covariance;
    probability = probabilities;
  }
};

}  // namespace Tracking

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The interacting multiple model estimator (IMM): a bank of filters, one for each mode of motion,
/// and the probabilities of the modes. All modes have the same N states.
///
/// Y. Bar-Shalom, X. R. Li and T. Kirubarajan, Estimation with Applications to Tracking and
/// Navigation, Wiley (2001), section 11.6.6. K is the number of modes. The bank is three tiles:
///   means          N x K: column j is the mean of mode j
///   covariances    K N x N: rows j N to j N + N - 1 are the covariance of mode j
///   probabilities  K numbers with sum 1
#ifndef TRACKING_IMM_HPP
#define TRACKING_IMM_HPP

#include <Batchwork.hpp>

namespace Tracking {

/// Mean and covariance of a state.
template <class X, class P>
struct Estimate {
  X mean;
  P covariance;
};

/// The covariance of mode j.
template <class P>
KOKKOS_FUNCTION auto covariance_of(P const& covariances, int j) {
  return Batchwork::symmetric(Batchwork::block<P::cols, P::cols>(covariances, j * P::cols, 0));
}

/// Mean and covariance of a mixture of normal distributions with these weights:
///   x = sum_j w_j x_j,   P = sum_j w_j (P_j + (x_j - x) (x_j - x)')
template <class X, class P, class W>
KOKKOS_FUNCTION auto mixture(X const& means, P const& covariances, W const& weights) {
  using namespace Batchwork;
  auto const mean = means * weights;
  auto const spread =
      generate<X::rows, X::cols>([&](int i, int j) { return means(i, j) - mean(i); });
  auto within = weights(0) * covariance_of(covariances, 0);
  loop<1, X::cols>([&](auto j) { within += weights(j()) * covariance_of(covariances, j()); });
  auto const covariance =
      symmetric_product(spread * as_diagonal(weights), transpose(spread), within);
  return Estimate<std::remove_const_t<decltype(mean)>, std::remove_const_t<decltype(covariance)>>{
      mean, covariance};
}

/// Calls f(j, x, p) for each mode. f changes mean x and covariance p of mode j; j is a constant, a
/// std::integral_constant.
template <class X, class P, class F>
KOKKOS_FUNCTION void for_each_mode(X& means, P& covariances, F const& f) {
  using namespace Batchwork;
  loop<X::cols>([&](auto j) {
    auto x = column(means, j());
    auto p = covariance_of(covariances, j());
    f(j, x, p);
    assign_block(means, 0, j(), x);
    assign_block(covariances, j() * X::rows, 0, p);
  });
}

/// Mixing and prediction. Mode j starts from the mixture of all modes, weighted by how likely the
/// target came from each of them. `transition(i, j)` is the probability that mode i becomes mode j
/// in a step. All of them must be above zero. predict(j, x, p) is the prediction of mode j.
template <class X, class P, class W, class Pi, class Predict>
KOKKOS_FUNCTION void imm_predict(X& means, P& covariances, W& probabilities, Pi const& transition,
                                 Predict const& predict) {
  using namespace Batchwork;
  X const x = means;
  P const p = covariances;
  auto const predicted = transpose(transition) * probabilities;
  for_each_mode(means, covariances, [&](auto j, auto& xj, auto& pj) {
    auto const from = generate<X::cols>(
        [&](int i) { return transition(i, j()) * probabilities(i) / predicted(j()); });
    auto const mixed = mixture(x, p, from);
    xj = mixed.mean;
    pj = mixed.covariance;
    predict(j, xj, pj);
  });
  probabilities = predicted;
}

/// Mode-matched updates, then the probabilities of the modes by Bayes's rule. update(j, x, p) is
/// the update of mode j and returns the log-likelihood of the observation in this mode, which is 0
/// if nothing was observed. `log_likelihood` grows by that of the observation in the whole bank.
///
/// Likelihoods are divided by the largest one before the exponential, so that a far-off observation
/// does not make all of them underflow to zero.
template <class X, class P, class W, class L, class Update>
KOKKOS_FUNCTION void imm_update(X& means, P& covariances, W& probabilities, L& log_likelihood,
                                Update const& update) {
  using namespace Batchwork;
  auto score = log(probabilities);
  for_each_mode(means, covariances,
                [&](auto j, auto& x, auto& p) { score(j()) += update(j, x, p); });
  auto const largest = maximum(score);
  auto const weight = generate<X::cols>([&](int j) { return exp(score(j) - largest); });
  auto const total = sum(weight);
  probabilities = weight / total;
  log_likelihood += largest + log(total);
}

}  // namespace Tracking

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// backward_pass: Kalman::score computes the score from the last step to the first.
#ifndef BATCHWORK_BACKWARDPASS_HPP
#define BATCHWORK_BACKWARDPASS_HPP

#include "view/Batchwork_Operand.hpp"

namespace Batchwork::Kalman {

/// The last argument of Kalman::score, made by backward_pass(gains) or backward_pass(gains,
/// states).
///
/// \tparam G,S operands of the two workspaces; S is nothing() without states
template <class G, class S>
struct BackwardPass {
  G gains;   ///< for each entry of an observation its gain, scaled innovation and weight
  S states;  ///< mean and covariance before each update
};

/// Lets Kalman::score compute the score by a backward pass: the filter without derivatives keeps
/// its gains, and a second kernel runs from the last step to the first. The cost of a step does not
/// depend on the number of parameters. The score is that of the forward form up to rounding errors.
///
/// This form is for models whose F and H do not depend on the parameters.
///
/// ```cpp
/// Kokkos::View<double** [M][N + 2]> gains("gains", items, steps);
/// Kalman::score(steps, model, theta, Kalman::diffuse(), z, results, Kalman::backward_pass(gains));
/// ```
///
/// \param gains workspace, a View (item, time, M, N + 2) for M entries of an observation and N
///   states, View<T**[M][N + 2]>; its contents are overwritten
/// \returns the last argument of Kalman::score
template <class G>
auto backward_pass(G const& gains) {
  auto g = Impl::resolve(emit(gains));
  return BackwardPass<decltype(g), decltype(nothing())>{g, nothing()};
}
/// The same for models whose F or H depends on the parameters. The start is then not diffuse.
///
/// \param gains  workspace as above
/// \param states workspace, a View (item, time, N, N / 2 + 2), View<T**[N][N / 2 + 2]>; its
///   contents are overwritten
/// \returns the last argument of Kalman::score
template <class G, class S>
auto backward_pass(G const& gains, S const& states) {
  auto g = Impl::resolve(emit(gains));
  auto s = Impl::resolve(emit(states));
  return BackwardPass<decltype(g), decltype(s)>{g, s};
}

}  // namespace Batchwork::Kalman

#endif

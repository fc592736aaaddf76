// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Peer: Eigen's fixed-size matrices in a plain loop over items that lie one after the other; one
/// thread, hosts only.
#ifndef BATCHWORK_PERF_KALMAN_PEER_EIGEN_HPP
#define BATCHWORK_PERF_KALMAN_PEER_EIGEN_HPP

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <type_traits>

#include "Problem.hpp"

namespace BatchworkPerf {

template <class T, int D>
void eigen_covariance_update(benchmark::State& state, std::int64_t items) {
  using Matrix = Eigen::Matrix<T, D, D>;
  Problem<T, D, Layout::item_contiguous> const problem(items);
  auto const tile = [](T const(&m)[D][D]) {
    return Matrix(Eigen::Map<Eigen::Matrix<T, D, D, Eigen::RowMajor> const>(&m[0][0]));
  };
  Matrix const F = tile(problem.model.F), Q = tile(problem.model.Q);
  Matrix const H = tile(problem.model.H), R = tile(problem.model.R);

  auto const launch = [&] {
    T const* p = problem.P.view.data();
    T* p_new = problem.P_new.view.data();
    for (std::int64_t k = 0; k < items; ++k, p += D * D, p_new += D * D) {
      // Symmetric matrices: the order of storage does not matter.
      Eigen::Map<Matrix const> const P(p);
      Eigen::Map<Matrix> P_new(p_new);
      Matrix FP, prior = Q, G, S = R;
      FP.noalias() = F * P;
      prior.noalias() += FP * F.transpose();
      G.noalias() = H * prior;
      S.noalias() += G * H.transpose();
      Eigen::LLT<Matrix> const factor(S);
      factor.matrixL().solveInPlace(G);
      prior.noalias() -= G.transpose() * G;
      P_new = prior;
    }
  };
  problem.run(state, launch, false, 25.0 / 3);
}

template <class T, int D>
void register_eigen_size() {
  register_sizes<T, D>("eigen", "symmetric", Layout::item_contiguous, "fixed",
                       eigen_covariance_update<T, D>);
}
/// Of builds with assertions, which nobody times, one extent of one type alone: kernels of Eigen
/// take long to compile.
template <class T, int First, int... D>
void register_eigen_sizes() {
  if constexpr (!on_device) {
#if defined(NDEBUG)
    register_eigen_size<T, First>();
    (register_eigen_size<T, D>(), ...);
#else
    if constexpr (std::is_same_v<T, float> && First < 8) register_eigen_size<T, First>();
#endif
  }
}

}  // namespace BatchworkPerf

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Peer on hosts: Eigen's fixed-size matrices (PartialPivLU, HouseholderQR, SelfAdjointEigenSolver,
/// JacobiSVD), items one after the other on one thread.
#ifndef BATCHWORK_PERF_DENSE_PEER_EIGEN_HPP
#define BATCHWORK_PERF_DENSE_PEER_EIGEN_HPP

#include <Eigen/Dense>

#include "Problem.hpp"

namespace BatchworkPerf {

/// Row by row, as the item-contiguous batches have them.
template <class T, int D>
using ItemOf = Eigen::Matrix<T, D, D, Eigen::RowMajor>;

template <class T, int D, Decomposition O>
void eigen_decomposition(benchmark::State& state, std::int64_t items) {
  using Matrix = Eigen::Matrix<T, D, D>;
  DenseProblem<T, D, Layout::item_contiguous, O> const p(items);
  auto const launch = [&] {
    for (std::int64_t k = 0; k < items; ++k) {
      auto const item = [&](auto const& batch) {
        return Eigen::Map<ItemOf<T, D>>(batch.view.data() + k * D * D);
      };
      Matrix const a = item(p.a);
      auto left = item(p.left);
      if constexpr (O == Decomposition::inverse) {
        left = Eigen::PartialPivLU<Matrix>(a).inverse();
      } else if constexpr (O == Decomposition::qr) {
        Eigen::HouseholderQR<Matrix> const f(a);
        left = Matrix(f.householderQ());
        item(p.right) = f.matrixQR().template triangularView<Eigen::Upper>();
      } else {
        Eigen::Map<Eigen::Matrix<T, D, 1>> middle(p.middle.data() + k * D);
        if constexpr (O == Decomposition::eigh) {
          Eigen::SelfAdjointEigenSolver<Matrix> const f(a);
          left = f.eigenvectors();
          middle = f.eigenvalues();
        } else {
          // Square: nothing is to be reduced first.
          Eigen::JacobiSVD<Matrix, Eigen::ComputeFullU | Eigen::ComputeFullV |
                                       Eigen::NoQRPreconditioner> const f(a);
          left = f.matrixU();
          middle = f.singularValues();
          item(p.right) = f.matrixV();
        }
      }
    }
  };
  launch();
  p.run(state, p.error(), launch);
}

/// Of builds with assertions, which nobody times, one extent alone: kernels of Eigen take long to
/// compile.
template <class T, Decomposition O, int First, int... D>
void register_eigen_sizes() {
  if constexpr (!on_device) {
    auto const add = [](auto size) {
      register_decomposition<T, size(), O>("eigen", Layout::item_contiguous,
                                           eigen_decomposition<T, size(), O>);
    };
    add(std::integral_constant<int, First>{});
#if defined(NDEBUG)
    (add(std::integral_constant<int, D>{}), ...);
#endif
  }
}
template <class T>
void register_eigen_type() {
  register_eigen_sizes<T, Decomposition::inverse, 2, 3, 4, 6, 8, 12, 16, 24, 32>();
  register_eigen_sizes<T, Decomposition::qr, 2, 3, 4, 6, 8, 12, 16, 24, 32>();
  register_eigen_sizes<T, Decomposition::eigh, 2, 3, 4, 6, 8, 12, 16, 24, 32>();
  register_eigen_sizes<T, Decomposition::svd, 2, 3, 4, 6, 8, 12, 16, 24, 32>();
}

}  // namespace BatchworkPerf

#endif

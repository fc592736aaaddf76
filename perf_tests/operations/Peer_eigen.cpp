// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Peer on hosts: Eigen's matrices of fixed size (LLT, PartialPivLU), items one after the other on
// one thread.

#include "Problem.hpp"

#if defined(BATCHWORK_HAVE_EIGEN)
#include <Eigen/Dense>

namespace BatchworkPerf {

namespace {

template <class T, int D, Operation O>
void eigen_operation(benchmark::State& state, std::int64_t items) {
  using Item = Eigen::Matrix<T, D, D, Eigen::RowMajor>;
  using Vector = Eigen::Matrix<T, D, 1>;
  OperationProblem<T, D, Layout::item_contiguous, O> const p(items);
  auto const launch = [&] {
    for (std::int64_t k = 0; k < items; ++k) {
      Eigen::Map<Item const> const a(p.a.view.data() + k * D * D);
      T* const x = p.x.view.data() + k * D * p.C;
      if constexpr (O == Operation::cholesky) {
        Eigen::Map<Item>{x}.template triangularView<Eigen::Lower>() =
            Eigen::LLT<Item>(a).matrixL().toDenseMatrix();
      } else if constexpr (O == Operation::lu) {
        Eigen::PartialPivLU<Item> const f(a);
        Eigen::Map<Item>{x} = f.matrixLU();
        // Row i of A becomes row indices()(i).
        for (int i = 0; i < D; ++i) p.rows(k, f.permutationP().indices()(i)) = i;
      } else {
        Eigen::Map<Vector const> const b(p.b.view.data() + k * D);
        if constexpr (O == Operation::solve_lu)
          Eigen::Map<Vector>{x} = Eigen::PartialPivLU<Item>(a).solve(b);
        else Eigen::Map<Vector>{x} = Eigen::LLT<Item>(a).solve(b);
      }
    }
  };
  launch();
  p.run(state, p.error(), launch);
}

template <class T, Operation O, int... D>
void register_sizes() {
  if constexpr (!on_device)
    (register_operation<T, D, O>("eigen", Layout::item_contiguous, eigen_operation<T, D, O>), ...);
}
template <class T>
void register_type() {
  register_sizes<T, Operation::cholesky, 4, 8, 16, 32, 64>();
  register_sizes<T, Operation::solve_cholesky, 64>();
  register_sizes<T, Operation::solve_lu, 4, 8, 16, 32, 64>();
  register_sizes<T, Operation::lu, 4, 8, 16, 32, 64>();
}

}  // namespace

void register_eigen_operations() {
  register_type<float>();
  register_type<double>();
}

}  // namespace BatchworkPerf
#endif

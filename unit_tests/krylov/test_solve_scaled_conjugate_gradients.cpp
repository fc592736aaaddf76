// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Symmetric matrices scaled by their diagonal.
#include "krylov/ScaledCase.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct SolveScaledSymmetric : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SolveScaledSymmetric, Numbers);

/// Rows and columns of a symmetric matrix, scaled by the same factors.
TYPED_TEST(SolveScaledSymmetric, ConjugateGradients) {
  using T = TypeParam;
  Random random(12);
  bool const single = sizeof(T) == 4;
  int const rows = 18;
  std::int64_t const items = 21;
  ArrangedBatch<T> const a(items, rows, rows, Arranged::item_contiguous),
      b(items, rows, 1, Arranged::item_contiguous);
  a.fill(T(0));
  for (std::int64_t n = 0; n < items; ++n) {
    std::vector<double> size(rows);
    for (double& x : size) x = std::pow(10.0, (single ? 4 : 8) * random(-0.5, 0.5));
    for (int i = 0; i < rows; ++i) {
      a.at(n, i, i) = T(2.5 * size[std::size_t(i)] * size[std::size_t(i)]);
      if (i > 0)
        a.at(n, i, i - 1) = a.at(n, i - 1, i) =
            T(random(-1, 1) * size[std::size_t(i)] * size[std::size_t(i - 1)]);
      b.at(n, i, 0) = T(random() * size[std::size_t(i)]);
    }
  }
  a.upload();
  b.upload();
  RowFactors<T> const factors(a, Scaling::both, true);
  auto const stop = relative(single ? 1e-4 : 1e-9, 200);
  auto const A = dense(a.batch());
  FencedWorkspace<T> const memory(0);
  for (auto const norm : {TestNorm::unscaled, TestNorm::scaled}) {
    auto const factor = [&](std::int64_t n, int i) { return factors.left.at(n, i, 0); };
    auto const solver = scaled(conjugate_gradients(stop), Scaling::both, norm);
    for (T const start : {T(0), T(1)}) {
      Tally const t = expect_true(solver, memory, no_preconditioner(), A, a, b,
                                  norm == TestNorm::unscaled, factor, start, "alone");
      EXPECT_EQ(t.converged, t.all);
      EXPECT_EQ(expect_true(solver, memory, jacobi(), A, a, b, norm == TestNorm::unscaled, factor,
                            start, "jacobi")
                    .converged,
                int(items));
    }
  }
  EXPECT_THROW(
      solve(scaled(conjugate_gradients(stop), Scaling::rows), jacobi(), A, vectors(b), vectors(b)),
      std::invalid_argument);
}

}  // namespace
}  // namespace Batchwork::Test

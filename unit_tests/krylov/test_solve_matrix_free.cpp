// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// solve without matrices: functors and the identity.
#include "krylov/SolveCase.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct SolveMatrixFree : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SolveMatrixFree, Numbers);

template <class T>
struct SecondDifference {
  int rows;
  template <class Lanes, class X, class Y>
  KOKKOS_FUNCTION void operator()(Lanes const& lanes, std::int64_t item, X const& x,
                                  Y const& y) const {
    lanes.for_each(rows, [&](int i) {
      T sum = T(3 + item % 5) * x(i);
      if (i > 0) sum -= x(i - 1);
      if (i + 1 < rows) sum -= x(i + 1);
      y(i) = sum;
    });
  }
};

TYPED_TEST(SolveMatrixFree, Converges) {
  using T = TypeParam;
  Random random(4);
  for (int rows : {1, 6, 40, 300, 2048})
    for (auto how : {Arranged::item_contiguous, Arranged::interleaved}) {
      SCOPED_TRACE(std::to_string(rows) + " rows");
      std::int64_t const items = rows > 1000 ? 2 : 11;
      Matrices<T> const a(tridiagonal(rows), items, how);
      for (std::int64_t n = 0; n < items; ++n)
        for (int i = 0; i < rows; ++i)
          for (int j = std::max(i - 1, 0); j <= std::min(i + 1, rows - 1); ++j)
            a.full.at(n, i, j) = i == j ? T(3 + n % 5) : T(-1);
      ArrangedBatch<T> const b(items, rows, 1, how);
      b.randomise(random);
      auto const A = matrix_free(rows, SecondDifference<T>{rows});
      auto const stop = relative(usual_tolerance<T>, 300);
      run_solve(conjugate_gradients(stop), no_preconditioner(), A, a.full, b, how, random,
                "functor");
      run_solve(bicgstab(stop), no_preconditioner(), A, a.full, b, how, random, "functor");
      a.full.fill(T(0));
      for (std::int64_t n = 0; n < items; ++n)
        for (int i = 0; i < rows; ++i) a.full.at(n, i, i) = T(3);
      run_solve(bicgstab(stop), jacobi(), scaled_identity<T>(rows, T(3)), a.full, b, how, random,
                "identity");
    }
}

}  // namespace
}  // namespace Batchwork::Test

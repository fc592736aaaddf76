// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// solve with conjugate gradients: every way to store a system, every format and arrangement,
// against the residual in long double.
#include "krylov/SolveCase.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct SolveByConjugateGradients : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SolveByConjugateGradients, Numbers);

TYPED_TEST(SolveByConjugateGradients, Converges) {
  using T = TypeParam;
  Random random(2);
  for (auto const& size : system_sizes)
    for (auto how : {Arranged::item_contiguous, Arranged::interleaved}) {
      std::int64_t const items = size.rows < 30 ? 37 : 5;
      SCOPED_TRACE(std::to_string(size.rows) + " rows, arranged " + std::to_string(int(how)));
      Matrices<T> const a(solvable_pattern(random, size.rows, size.share / 2, true), items, how);
      ArrangedBatch<T> const b(items, size.rows, 1, how);
      for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, true);
      a.upload();
      b.randomise(random);
      auto const solver = conjugate_gradients(relative(usual_tolerance<T>, 300));
      run_solve(solver, jacobi(), a.csr(), a.full, b, how, random, "csr");
      run_solve(solver, no_preconditioner(), a.ell(), a.full, b, how, random, "ell");
      run_solve(solver, no_preconditioner(), a.dense(), a.full, b, how, random, "dense");
    }
}

TYPED_TEST(SolveByConjugateGradients, ItemsDependOnNoOthers) {
  using T = TypeParam;
  Random random(20);
  auto const csr = [](auto const& a) { return a.csr(); };
  expect_as_alone<T>(conjugate_gradients(relative(usual_tolerance<T>, 60)), jacobi(), csr, random);
  expect_as_alone<T>(conjugate_gradients(absolute(0, 25)), jacobi(), csr, random);
}

}  // namespace
}  // namespace Batchwork::Test

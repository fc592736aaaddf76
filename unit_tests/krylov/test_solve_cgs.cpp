// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// solve by CGS: every way of holding a system, format and arrangement, against the residual in long double.
#include "krylov/SolveCase.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct SolveByCgs : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SolveByCgs, Numbers);

TYPED_TEST(SolveByCgs, Converges) {
  using T = TypeParam;
  Random random(1);
  for (auto const& size : sizes)
    for (auto how : all_arranged) {
      std::int64_t const items = size.rows < 30 ? 37 : 5;
      SCOPED_TRACE(std::to_string(size.rows) + " rows, arranged " + std::to_string(int(how)));
      Matrices<T> const a(solvable_pattern(random, size.rows, size.share, false), items, how);
      ArrangedBatch<T> const b(items, size.rows, 1, how);
      for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, false, 2.5);
      a.upload();
      b.randomise(random);
      auto const solver = cgs(relative(usual_tolerance<T>, 200));
      run_solve(solver, jacobi(), a.csr(), a.full, b, how, random, "csr");
      if (how == Arranged::strided) continue;
      run_solve(solver, no_preconditioner(), a.long_csr(), a.full, b, how, random,
                "csr of 64 bits");
      run_solve(solver, jacobi(), a.ell(), a.full, b, how, random, "ell");
      run_solve(solver, jacobi(), a.dense(), a.full, b, how, random, "dense");
    }
}

TYPED_TEST(SolveByCgs, ItemsDependOnNoOthers) {
  using T = TypeParam;
  Random random(20);
  auto const csr = [](auto const& a) { return a.csr(); };
  expect_as_alone<T>(cgs(relative(usual_tolerance<T>, 60)), jacobi(), csr, random);
  expect_as_alone<T>(
      cgs(relative_to_start(usual_tolerance<T>, 60)), no_preconditioner(),
      [](auto const& a) { return a.long_csr(); }, random);
  expect_as_alone<T>(
      cgs(absolute(0, 25)), jacobi(), [](auto const& a) { return a.dense(); }, random);
}

}  // namespace
}  // namespace Batchwork::Test

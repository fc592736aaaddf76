// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// solve by Richardson's iteration, likewise.
#include "krylov/SolveCase.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct SolveByRichardson : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SolveByRichardson, Numbers);

TYPED_TEST(SolveByRichardson, Converges) {
  using T = TypeParam;
  Random random(3);
  for (int rows : {1, 4, 17, 60, 150}) {
    SCOPED_TRACE(std::to_string(rows) + " rows");
    Matrices<T> const a(solvable_pattern(random, rows, 0.2, false), 9, Arranged::rows);
    GemmMatrices<T> const b(9, rows, 1, Arranged::rows);
    for (std::int64_t n = 0; n < 9; ++n) put_dominant(a, n, random, false, 2.5);
    a.upload();
    b.randomise(random);
    run_solve(richardson(relative(usual_tolerance<T>, 200), 0.9), jacobi(), a.csr(), a.full, b,
              Arranged::rows, random, "csr");
  }
}

TYPED_TEST(SolveByRichardson, ItemsDependOnNoOthers) {
  using T = TypeParam;
  Random random(20);
  auto const csr = [](auto const& a) { return a.csr(); };
  expect_as_alone<T>(richardson(relative(usual_tolerance<T>, 60), 0.9), jacobi(), csr, random);
}

}  // namespace
}  // namespace Batchwork::Test

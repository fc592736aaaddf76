// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// solve with the Richardson iteration: every way to store a system, every format and arrangement,
// against the residual in long double. Also the Jacobi preconditioner with any diagonal.
#include "krylov/PreconditionersCase.hpp"
#include "krylov/formats/Batchwork_AnyMatrices.hpp"

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
    Matrices<T> const a(solvable_pattern(random, rows, 0.2, false), 9, Arranged::item_contiguous);
    ArrangedBatch<T> const b(9, rows, 1, Arranged::item_contiguous);
    for (std::int64_t n = 0; n < 9; ++n) put_dominant(a, n, random, false, 2.5);
    a.upload();
    b.randomise(random);
    run_solve(richardson(relative(usual_tolerance<T>, 200), 0.9), jacobi(), a.csr(), a.full, b,
              Arranged::item_contiguous, random, "csr");
  }
}

/// A zero diagonal entry counts as one, and so does a missing one, in every format and every way to
/// store a system.
TYPED_TEST(SolveByRichardson, AnyDiagonal) {
  using T = TypeParam;
  Random random(4);
  for (auto const& size : system_sizes) {
    int const rows = size.rows;
    std::int64_t const items = rows < 30 ? 19 : 3;
    auto p = solvable_pattern(random, rows, size.share, false);
    if (rows > 2) std::erase(p.columns[std::size_t(rows) / 2], rows / 2);
    Matrices<T> const a(p, items, Arranged::item_contiguous);
    for (std::int64_t n = 0; n < items; ++n)
      for (int i = 0; i < rows; ++i)
        for (int k = 0; k < int(p.columns[std::size_t(i)].size()); ++k) {
          bool const diagonal = p.columns[std::size_t(i)][std::size_t(k)] == i;
          a.put(n, i, k,
                !diagonal              ? T(random())
                : (n + i) % 4 == 0     ? T(0)
                : random.integer(0, 1) ? T(2 + random())
                                       : T(-2 + random()));
        }
    a.upload();
    Application const truth = [&](std::int64_t n, std::vector<long double> r) {
      for (int i = 0; i < rows; ++i) r[std::size_t(i)] *= reciprocal_or_one(a.full.at(n, i, i));
      return r;
    };
    auto const look = [&](char const* what, auto const& A, Pattern const&) {
      SCOPED_TRACE(std::string(what) + ", " + std::to_string(rows) + " rows");
      expect_application<T>(ByVerb(), jacobi(), A, rows, items, Arranged::item_contiguous, truth, 8,
                            random);
    };
    for_formats(a, look);
    look("csr as any", AnyMatrices<T>(a.csr()), p);
    look("ell as any", AnyMatrices<T>(a.ell()), p);
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

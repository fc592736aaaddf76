// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// multiply and solve with matrices and vectors that have more than 2^31 numbers, in every format,
// between items and within them.
#include "krylov/SolveCase.hpp"
#include "support/FarCopy.hpp"

namespace Batchwork::Test {
namespace {

using T = float;
constexpr std::int64_t items = 37;

struct FarCase {
  int rows;
  double share;
  Apart apart;
};
/// Entries are far apart only in small systems, because each can need a large page of a host.
constexpr FarCase far_cases[] = {{5, 0.3, Apart::items},   {12, 0.8, Apart::items},
                                 {60, 0.5, Apart::items},  {70, 1, Apart::items},
                                 {5, 0.3, Apart::numbers}, {12, 0.8, Apart::numbers}};

/// Calls f with the matrices of a case in each format, with numbers that are far apart in memory.
template <class F>
void with_formats(Matrices<T> const& a, Apart apart, F const& f) {
  {
    FarCopy<T> const far(a.values, apart);
    f(csr(a.row_offsets, a.columns, far.vectors()), "csr");
  }
  {
    FarCopy<T> const far(a.places, apart);
    f(ell(a.place_columns, far.batch()), "ell");
  }
  {
    FarCopy<T> const far(a.full, apart);
    f(dense(far.batch()), "dense");
  }
}
std::string text(FarCase const& c) {
  return std::to_string(c.rows) + " rows, " + (c.apart == Apart::items ? "items" : "numbers") +
         " apart";
}

TEST(FarNumbers, Multiply) {
  if (auto const why = no_room_for_far<T>(3); !why.empty()) GTEST_SKIP() << why;
  Random random(1);
  for (auto const& c : far_cases) {
    SCOPED_TRACE(text(c));
    Matrices<T> const a(solvable_pattern(random, c.rows, c.share, false), items,
                        Arranged::item_contiguous);
    ArrangedBatch<T> const x(items, c.rows, 1, Arranged::item_contiguous),
        y(items, c.rows, 1, Arranged::item_contiguous);
    a.randomise(random);
    x.randomise(random);
    FarCopy<T> const far_x(x, c.apart), far_y(y, c.apart);
    with_formats(a, c.apart, [&](auto const& matrices, char const* what) {
      SCOPED_TRACE(what);
      y.fill(std::numeric_limits<T>::quiet_NaN());
      multiply(matrices, far_x.vectors(), far_y.vectors());
      far_y.fetch();
      for (std::int64_t n = 0; n < items; ++n)
        for (int i = 0; i < c.rows; ++i) {
          Truth const t = row_truth(a.full, n, i, x, 1);
          ASSERT_LE(std::fabs(y.at(n, i, 0) - t.value), (c.rows + 3) * epsilon<T> * t.size)
              << "item " << n << ", row " << i;
        }
    });
  }
}

/// Solves with b and x that are far apart in memory.
struct FarSolve {
  Apart apart;
  template <class Solver, class M, class A>
  HostLog<T> operator()(Solver const& solver, M const& m, A const& a, ArrangedBatch<T> const& b,
                        ArrangedBatch<T> const& x, SolveLog<T> const& log) const {
    FarCopy<T> const far_b(b, apart), far_x(x, apart);
    solve(solver, m, a, far_b.vectors(), far_x.vectors(), log);
    far_x.fetch();
    return HostLog<T>(log);
  }
};

TEST(FarNumbers, Solve) {
  if (auto const why = no_room_for_far<T>(3); !why.empty()) GTEST_SKIP() << why;
  Random random(2);
  for (auto const& c : far_cases) {
    SCOPED_TRACE(text(c));
    Matrices<T> const a(solvable_pattern(random, c.rows, c.share, false), items,
                        Arranged::item_contiguous);
    ArrangedBatch<T> const b(items, c.rows, 1, Arranged::item_contiguous);
    for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, false);
    a.upload();
    b.randomise(random);
    with_formats(a, c.apart, [&](auto const& matrices, char const* what) {
      run_solve(bicgstab(relative(usual_tolerance<T>, 200)), jacobi(), matrices, a.full, b,
                Arranged::item_contiguous, random, what, FarSolve{c.apart});
    });
  }
}

}  // namespace
}  // namespace Batchwork::Test

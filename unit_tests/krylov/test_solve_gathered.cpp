// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// solve with right-hand sides that indices pick: residuals in long double, logs, failures.
#include <string>

#include "launch/GatheredCase.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

template <class T, class L>
struct OfRightHandSides {
  using Number = T;
  using Layout = L;
};
template <class P>
struct GatheredSolve : ::testing::Test {};
using GatheredKinds = ::testing::Types<
    OfRightHandSides<float, Kokkos::LayoutRight>, OfRightHandSides<double, Kokkos::LayoutRight>,
    OfRightHandSides<float, Kokkos::LayoutLeft>, OfRightHandSides<double, Kokkos::LayoutLeft>>;
TYPED_TEST_SUITE(GatheredSolve, GatheredKinds);

/// Symmetric positive definite matrices with three entries in most rows.
template <class T>
struct ThreeEntries {
  int rows;
  Kokkos::View<int*, Space> offsets, columns;
  PickedBatch<T, Kokkos::LayoutRight, 1> values;

  ThreeEntries(std::int64_t items, int n, Random& random)
      : rows(n),
        offsets("offsets", std::size_t(n + 1)),
        columns("columns", std::size_t(3 * n - 2)),
        values(items, 3 * n - 2) {
    auto const o = Kokkos::create_mirror_view(offsets), c = Kokkos::create_mirror_view(columns);
    std::size_t next = 0;
    for (int i = 0; i < n; ++i) {
      o(std::size_t(i)) = int(next);
      for (int j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); ++j) c(next++) = j;
    }
    o(std::size_t(n)) = int(next);
    Kokkos::deep_copy(offsets, o), Kokkos::deep_copy(columns, c);
    for (std::int64_t k = 0; k < items; ++k)
      for (int i = 0; i < n; ++i) {
        values.at(k, 3 * i) = T(4 + random());
        if (i + 1 < n) values.at(k, 3 * i + 1) = values.at(k, 3 * i + 2) = T(random());
      }
    Kokkos::deep_copy(values.view, values.host);
  }
  /// Entry (i, i) is number 3 i, (i, i + 1) number 3 i + 1, (i, i - 1) number 3 i - 1.
  Dense item(std::int64_t k) const {
    return make_dense(rows, rows, [&](int i, int j) {
      return std::abs(i - j) > 1 ? T(0) : values.at(k, 3 * i + (j - i));
    });
  }
  auto matrices() const { return csr(offsets, columns, values.view); }
};

TYPED_TEST(GatheredSolve, EachSolver) {
  using T = typename TypeParam::Number;
  using L = typename TypeParam::Layout;
  Random random(11);
  T const tolerance = 100 * epsilon<T>;
  for (int const rows : {1, 6, 40}) {
    std::int64_t const items = 21, pool = 5;
    ThreeEntries<T> const a(items, rows, random);
    PickedBatch<T, L, 1> b(pool, rows), x(items, rows), y(items, rows);
    b.randomise(random);
    auto const A = a.matrices();
    auto const with = [&](auto const& call) {
      PickedIndex<> const i(items, pool, random);
      auto const log = SolveLog<T>::allocated(items), bad_log = SolveLog<T>::allocated(items);
      Kokkos::deep_copy(x.view, T(0)), Kokkos::deep_copy(y.view, T(0));
      call(gathered(b.view, i.view), x.view, log);
      i.plant();
      call(gathered(b.view, i.view, memory_for(items)), y.view, bad_log);
      x.download(), y.download();
      auto const all = outcomes(log), planted = outcomes(bad_log);
      for (std::int64_t n = 0; n < items; ++n) {
        EXPECT_TRUE(all[std::size_t(n)].converged()) << n << " " << all[std::size_t(n)].text();
        if (i(n) < 0) {
          EXPECT_TRUE(y.is_spoilt(n)) << n;
          EXPECT_EQ(planted[std::size_t(n)].reason(), Reason::out_of_range) << n;
          EXPECT_EQ(planted[std::size_t(n)].iterations, 0) << n;
          EXPECT_TRUE(std::isnan(planted[std::size_t(n)].residual)) << n;
          continue;
        }
        EXPECT_TRUE(y.same_item(x, n)) << n;
        EXPECT_TRUE(planted[std::size_t(n)].converged()) << n;
        Dense const m = a.item(n), v = x.item(n), r = b.item(i(n)) - m * v;
        EXPECT_LE(std::sqrt(dot(r, r)), (2 * tolerance + 10 * rows * epsilon<T>)*std::sqrt(
                                            dot(b.item(i(n)), b.item(i(n)))))
            << n;
      }
    };
    auto const stop = relative(double(tolerance), 500);
    with([&](auto const&... v) { solve(conjugate_gradients(stop), jacobi(), A, v...); });
    with([&](auto const&... v) { solve(bicgstab(stop), no_preconditioner(), A, v...); });
    with([&](auto const&... v) {
      solve(Space(), launch("gathered"), WorkDivision{}, scaled(conjugate_gradients(stop)),
            jacobi(), A, v...);
    });
    with([&](auto const&... v) { solve(direct_lu(stop), A, v...); });
    SolveConfiguration c;
    c.stop = stop;
    for (auto const kind : {SolverKind::bicgstab, SolverKind::direct_lu}) {
      c.solver = kind;
      with([&](auto const&... v) { solve(c, A, v...); });
    }
    auto const symbolic = symbolic_lu(A);
    with([&](auto const&... v) { solve(direct_lu(symbolic, stop), A, v...); });
  }
}

TEST(GatheredSolves, EmptyAndMisuse) {
  Random random(12);
  ThreeEntries<double> const a(4, 6, random), none(0, 6, random);
  Kokkos::View<double**, Space> const b("b", 3, 6), x("x", 4, 6), y("y", 0, 6);
  Kokkos::View<int*, Space> const i("i", 4), few("few", 3), no("no", 0);
  Kokkos::deep_copy(x, 2.0);
  auto const solver = conjugate_gradients(relative(1e-8));
  solve(solver, jacobi(), none.matrices(), gathered(b, no), y);
  expect_says(message_of([&] { solve(solver, jacobi(), a.matrices(), gathered(b, few), x); }),
              {"Batchwork::gathered", "operand 5, x(\"x\")", "has 4 items",
               "operand 4, index(\"few\")", "has 3"});
  expect_says(message_of([&] { solve(solver, jacobi(), a.matrices(), gathered(x, i), x); }),
              {"Batchwork::solve", "shares elements"});
  Kokkos::View<double**, Space> const wide("wide", 3, 7);
  expect_says(message_of([&] { solve(solver, jacobi(), a.matrices(), gathered(wide, i), x); }),
              {"Batchwork::solve", "operand 4, b(\"wide\")", "holds 7 numbers"});
  auto const h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  EXPECT_EQ(h(2, 3), 2.0);
}

}  // namespace
}  // namespace Batchwork::Test

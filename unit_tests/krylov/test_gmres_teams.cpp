// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The device kernel of gmres, run on the host by teams of threads: every way to store a system,
// with the basis in scratch memory and in a workspace whose teams take one system after the other.
// Compiled a second time with warps of 32 lanes, and several warps share a system.
#include "krylov/GmresCase.hpp"
#include "support/HostTeams.hpp"

namespace Batchwork::Test {
namespace {

/// Threads that exchange values are slow, so only one type and a few large systems are tested.
constexpr bool by_warps = Impl::Vendor::has_shuffles;
constexpr int large_systems = by_warps ? 2 : 4;

template <class T>
struct GmresOnTeams : ::testing::Test {};
using Numbers =
    std::conditional_t<by_warps, ::testing::Types<double>, ::testing::Types<float, double>>;
TYPED_TEST_SUITE(GmresOnTeams, Numbers);

using Impl::SolveChoice;
using Impl::SolveVariant;

/// Solves with the basis in scratch memory, or in a workspace for this many teams.
template <class T, class Matrix, int R, bool Large, class M, class Systems>
void run(SolveChoice const& how, Gmres const& solver, M const& m, Systems const& a,
         ArrangedBatch<T> const& full, ArrangedBatch<T> const& b, std::int64_t at_once) {
  SCOPED_TRACE(at_once == 0 ? "scratch" : "workspace");
  std::int64_t const items = b.items, rows = full.rows;
  ArrangedBatch<T> const x(items, int(rows), 1, Arranged::item_contiguous);
  x.fill(T(0.25));
  auto const outside = x.poisoned();
  auto const log = SolveLog<T>::allocated(items);
  Gmres const fitted = Impl::StorageOf<Gmres>::fitted(solver, rows);
  std::int64_t const of_system =
      Impl::StorageOf<Gmres>::numbers(fitted, Impl::storage_shape(how, rows, sizeof(T)));
  auto const size = std::size_t(at_once * how.systems() * of_system);
  std::vector<T> memory(size + 1, std::numeric_limits<T>::quiet_NaN());
  memory[size] = poison<T>();

  using Solver = Impl::WithStorage<Gmres, T>;
  using Problem = Impl::SolveProblem<T, Solver, M, Systems>;
  Problem const p{{fitted, fitted.stop, at_once == 0 ? nullptr : memory.data(), of_system, at_once},
                  m,
                  a,
                  Impl::stored(vectors(b)).storage.as_const(),
                  Impl::stored(vectors(x)).storage,
                  Impl::LogPointers<T>(log),
                  items};
  Impl::SolveTeams<T, Problem, Matrix, R, Large> const kernel(p, how);
  ASSERT_EQ(kernel.scratch.rows, how.places(rows));
  ASSERT_EQ(how.directions(), Matrix::directions);
  ASSERT_EQ(kernel.teams(), at_once == 0 ? kernel.turns() : at_once);
  run_teams(kernel, int(kernel.teams()), how.team(), kernel.bytes());
  x.download();
  EXPECT_EQ(memory[size], poison<T>());
  EXPECT_EQ(x.poisoned(), outside);
  HostLog<T> const said(log);
  for (std::int64_t n = 0; n < items; ++n) {
    ASSERT_EQ(said.reason(n), Reason::success)
        << n << ": " << to_string(said.reason(n)) << ' ' << said.iterations(n);
    expect_honest(said, n, residual_truth(full, n, x, b), solver.stop.tolerance);
  }
}

template <class T, class Matrix, int R, bool Large>
void run_in_registers(SolveVariant variant, Pattern const& pattern, std::int64_t items, int basis,
                      Random& random) {
  SCOPED_TRACE(std::to_string(pattern.rows) + " rows, basis " + std::to_string(basis));
  int const rows = pattern.rows;
  Matrices<T> const a(pattern, items, Arranged::item_contiguous);
  ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous);
  // The number of iterations differs between items.
  for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, false, n % 3 == 1 ? 20 : 1.3);
  a.upload();
  b.randomise(random);
  int const width = (pattern.nonzeros() + rows - 1) / rows;
  SolveChoice const how =
      Impl::choose_solve(rows, width, false, Gmres::short_rows, Impl::Vendor::has_shuffles);
  ASSERT_EQ(how.variant, variant);
  ASSERT_EQ(how.lanes > 32, Large);
  auto const solver = gmres(basis, relative(usual_tolerance<T>, 60));
  Impl::AnySystems<T> const any(a.csr().systems());
  run<T, Matrix, R, Large>(how, solver, jacobi(), any, a.full, b, 0);
  run<T, Matrix, R, Large>(how, solver, no_preconditioner(), any, a.full, b,
                           Large ? large_systems / 2 : 2);
}

TYPED_TEST(GmresOnTeams, EveryVariant) {
  using T = TypeParam;
  using namespace Impl;
  Random random(1);
  run_in_registers<T, EntriesInRegisters<T, 4, 3>, 4, false>(SolveVariant::entries_3,
                                                             tridiagonal(3), 150, 2, random);
  run_in_registers<T, EntriesInRegisters<T, 4, 3>, 4, false>(SolveVariant::entries_3,
                                                             tridiagonal(37), 11, 5, random);
  run_in_registers<T, EntriesInRegisters<T, 4, 3>, 4, true>(
      SolveVariant::entries_3, tridiagonal(150), large_systems, 30, random);
  run_in_registers<T, EntriesInRegisters<T, 4, 7>, 4, false>(
      SolveVariant::entries_7, solvable_pattern(random, 6, 1, false), 50, 30, random);
  run_in_registers<T, ColumnsInRegisters<T, 3, 24>, 3, false>(
      SolveVariant::columns_24, solvable_pattern(random, 22, 0.9, false), 19, 30, random);
  run_in_registers<T, ColumnsInRegisters<T, 1, 56>, 1, true>(
      SolveVariant::columns_56, solvable_pattern(random, 40, 0.6, false), large_systems, 7, random);
  run_in_registers<T, ReadInPlace<T, 8>, 8, true>(
      SolveVariant::in_place, solvable_pattern(random, 70, 0.95, false), large_systems, 7, random);
  run_in_registers<T, LongRowsInRegisters<T, lanes_of_long_rows<T>>, 1, true>(
      SolveVariant::entries_64, solvable_pattern(random, 70, 0.4, false), large_systems, 7, random);
}

template <class T>
struct Convection {
  int rows;
  template <class Lanes, class X, class Y>
  KOKKOS_FUNCTION void operator()(Lanes const& lanes, std::int64_t, X const& x, Y const& y) const {
    lanes.for_each(rows, [&](int i) {
      T sum = T(4) * x(i);
      if (i > 0) sum -= T(2) * x(i - 1);
      if (i + 1 < rows) sum += T(0.5) * x(i + 1);
      y(i) = sum;
    });
  }
};

TYPED_TEST(GmresOnTeams, Functor) {
  using T = TypeParam;
  Random random(2);
  int const rows = 75;
  std::int64_t const items = by_warps ? 2 : 3;
  ArrangedBatch<T> const full(items, rows, rows, Arranged::item_contiguous),
      b(items, rows, 1, Arranged::item_contiguous);
  full.fill(T(0));
  for (std::int64_t n = 0; n < items; ++n)
    for (int i = 0; i < rows; ++i) {
      full.at(n, i, i) = T(4);
      if (i > 0) full.at(n, i, i - 1) = T(-2);
      if (i + 1 < rows) full.at(n, i, i + 1) = T(0.5);
    }
  b.randomise(random);
  auto const systems = matrix_free(rows, Convection<T>{rows}).systems();
  using Matrix = Impl::AppliedByFunctor<T, 8, Convection<T>>;
  for (std::int64_t at_once : {0, 1})
    run<T, Matrix, 8, true>(Impl::choose_functor_solve(rows),
                            gmres(6, relative(usual_tolerance<T>, 90)), no_preconditioner(),
                            systems, full, b, at_once);
}

/// Systems that need a second orthogonalisation together with systems that do not, with lanes of a
/// part of a warp or of several warps, and with directions in registers or not.
TYPED_TEST(GmresOnTeams, NearlyDependentDirections) {
  using T = TypeParam;
  using namespace Impl;
  Random random(3);
  bool const wide = sizeof(T) == 8;
  auto const look = [&]<class Matrix, int R, bool Large>(int rows, int half_width) {
    SCOPED_TRACE(std::to_string(rows) + " rows");
    std::int64_t const items = !Large ? 11 : by_warps ? 2 : 3;
    Pattern pattern = tridiagonal(rows);
    for (int i = 0; i < rows; ++i) {
      auto& row = pattern.columns[std::size_t(i)];
      row.clear();
      for (int j = std::max(0, i - half_width); j < std::min(rows, i + half_width + 1); ++j)
        row.push_back(j);
    }
    Matrices<T> const a(pattern, items, Arranged::item_contiguous);
    ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous);
    for (std::int64_t n = 0; n < items; ++n) {
      if (n % 3 == 1) put_dominant(a, n, random, false, 20);
      else put_graded(a, n, random, wide ? 8 : 3);
    }
    a.upload();
    b.randomise(random);
    int const width = (pattern.nonzeros() + rows - 1) / rows;
    SolveChoice const how =
        choose_solve(rows, width, false, Gmres::short_rows, Vendor::has_shuffles);
    ASSERT_EQ(how.lanes > 32, Large);
    run<T, Matrix, R, Large>(how, gmres(rows, relative(wide ? 1e-6 : 1e-3, 3 * rows)),
                             no_preconditioner(), AnySystems<T>(a.csr().systems()), a.full, b, 0);
  };
  look.template operator()<EntriesInRegisters<T, 4, 3>, 4, false>(13, 1);
  look.template operator()<ColumnsInRegisters<T, 3, 24>, 3, false>(20, 20);
  look.template operator()<ColumnsInRegisters<T, 1, 56>, 1, true>(30, 30);
  look.template operator()<LongRowsInRegisters<T, lanes_of_long_rows<T>>, 1, true>(66, 8);
}

/// Systems of one team: one stagnates, one is singular and one is not finite.
TYPED_TEST(GmresOnTeams, Reasons) {
  using T = TypeParam;
  int const rows = 5;
  std::int64_t const items = 9;
  ArrangedBatch<T> const full(items, rows, rows, Arranged::item_contiguous),
      b(items, rows, 1, Arranged::item_contiguous), x(items, rows, 1, Arranged::item_contiguous);
  full.fill(T(0));
  b.fill(T(0));
  x.fill(T(0));
  for (std::int64_t n = 0; n < items; ++n) {
    b.at(n, 0, 0) = T(1);
    for (int i = 0; i < rows; ++i) {
      if (n == 2) full.at(n, (i + 1) % rows, i) = T(1);
      else if (n != 4) full.at(n, i, i) = T(i + 1);
    }
    if (n == 8) b.at(n, 3, 0) = T(1);
    if (n == 7) full.at(n, 0, 0) = std::numeric_limits<T>::quiet_NaN();
  }
  full.upload();
  b.upload();
  auto const log = SolveLog<T>::allocated(items);
  auto const how =
      Impl::choose_solve(rows, rows, false, Gmres::short_rows, Impl::Vendor::has_shuffles);
  Gmres const solver = gmres(3, relative(usual_tolerance<T>, 90));
  using Solver = Impl::WithStorage<Gmres, T>;
  using Problem = Impl::SolveProblem<T, Solver, NoPreconditioner, Impl::AnySystems<T>>;
  Problem const p{
      {solver, solver.stop, nullptr,
       Impl::StorageOf<Gmres>::numbers(solver, Impl::storage_shape(how, rows, sizeof(T))), 0},
      {},
      dense(full.batch()).systems(),
      Impl::stored(vectors(b)).storage.as_const(),
      Impl::stored(vectors(x)).storage,
      Impl::LogPointers<T>(log),
      items};
  Impl::SolveTeams<T, Problem, Impl::EntriesInRegisters<T, 4, 7>, 4, false> const kernel(p, how);
  run_teams(kernel, int(kernel.teams()), how.team(), kernel.bytes());
  x.download();
  HostLog<T> const said(log);
  for (std::int64_t n = 0; n < items; ++n) {
    Reason const wanted = n == 2   ? Reason::stagnated
                          : n == 4 ? Reason::breakdown
                          : n == 7 ? Reason::not_finite
                                   : Reason::success;
    EXPECT_EQ(said.reason(n), wanted) << n << ": " << to_string(said.reason(n));
    EXPECT_EQ(said.iterations(n), n == 2 ? 3 : n == 8 ? 2 : 1) << n;
    if (n != 7) expect_honest(said, n, residual_truth(full, n, x, b), usual_tolerance<T>);
  }
}

}  // namespace
}  // namespace Batchwork::Test

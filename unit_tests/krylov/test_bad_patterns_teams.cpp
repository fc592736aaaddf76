// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The device kernels with patterns that have faults, run by teams of host threads: every
// preconditioner and format, and diagonals split into two entries, in each place where a lane can
// have its rows.
#include "krylov/BadPatternsCase.hpp"
#include "krylov/PreconditionersCase.hpp"
#include "krylov/detail/backend/Batchwork_LongRows.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct BadPatternsOnTeams : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(BadPatternsOnTeams, Numbers);

/// Offsets are not checked in kernels. Diagonals of dia are not checked if no row has a column out
/// of range.
TYPED_TEST(BadPatternsOnTeams, Solve) {
  using T = TypeParam;
  double const tolerance = usual_tolerance<T>;
  std::int64_t const items = 3;
  auto const solve_all = [&](char const* format, BadPattern<T>& bad, auto const& a) {
    auto const as = taken(format, bad.fault);
    if (of_offsets(bad.fault) && as == Taken::invalid) return;
    for_all_preconditioners([&](char const* name, bool rises, auto const& m) {
      SCOPED_TRACE(std::string(format) + ", " + name);
      auto const b = bad.batch(bad.b), x = bad.batch(bad.start);
      auto const log = SolveLog<T>::allocated(items);
      ByTeams{32, 0, 1, 0}(bicgstab(relative(tolerance, 100)), m, a, b, x, log);
      x.download();
      HostLog<T> const said(log);
      std::vector<T> found;
      std::vector<int> reasons;
      std::vector<T> residuals;
      for (std::int64_t n = 0; n < items; ++n) {
        for (int i = 0; i < bad.rows; ++i) found.push_back(x.at(n, i, 0));
        reasons.push_back(said.log.reason(std::size_t(n)));
        residuals.push_back(said.residual(n));
      }
      expect_taken(as, rises, bad, found, reasons, residuals, tolerance);
    });
  };
  for_bad_patterns<T>(items, solve_all);
}

/// x = D^-1 b with Jacobi, for any places of the two parts of the diagonal.
TYPED_TEST(BadPatternsOnTeams, DiagonalInParts) {
  using T = TypeParam;
  auto const with = [&]<class Matrix, int R, bool Large>(int rows, int width, int lanes) {
    SCOPED_TRACE(std::to_string(rows) + " rows of " + std::to_string(width) + " entries");
    std::int64_t const items = 2;
    std::vector<int> offsets{0}, columns;
    // The first and the last entry, and some columns between.
    for (int i = 0; i < rows; ++i) {
      columns.push_back(i);
      for (int k = 1; k + 1 < width; ++k) columns.push_back((i + k) % rows);
      columns.push_back(i);
      offsets.push_back(int(columns.size()));
    }
    std::vector<T> values;
    for (std::int64_t n = 0; n < items; ++n)
      for (int i = 0; i < rows; ++i)
        for (int k = 0; k < width; ++k)
          values.push_back(k == 0 ? T(3 + n) : k + 1 == width ? T(i + 1) : T(0.125));
    auto const matrices = csr(ExactView<int const*>(offsets.data(), offsets.size()),
                              ExactView<int const*>(columns.data(), columns.size()),
                              ExactView<T**>(values.data(), std::size_t(items), columns.size()));
    ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous),
        x(items, rows, 1, Arranged::item_contiguous);
    Random random(rows);
    b.randomise(random);
    x.fill(T(0));
    auto const log = SolveLog<T>::allocated(items);
    using Any = Impl::AnySystems<T>;
    using Problem = Impl::SolveProblem<T, ApplyOnce, Jacobi, Any>;
    Impl::SolveChoice how{Impl::SolveVariant::entries_3, lanes, R, 1};
    how.rest = {4 * rows, rows, 8};
    Impl::SolveTeams<T, Problem, Matrix, R, Large> const kernel(
        Problem{ApplyOnce{absolute(0, 1)}, jacobi(), Any(matrices.systems()),
                Impl::stored(vectors(b)).storage.as_const(), Impl::stored(vectors(x)).storage,
                Impl::LogPointers<T>(log), items},
        how);
    run_teams(kernel, int(kernel.teams()), how.team(), kernel.bytes());
    x.download();
    for (std::int64_t n = 0; n < items; ++n)
      for (int i = 0; i < rows; ++i)
        ASSERT_NEAR(double(x.at(n, i, 0)), double(b.at(n, i, 0)) / double(4 + n + i),
                    2 * double(epsilon<T>))
            << "item " << n << ", row " << i;
  };
  using namespace Impl;
  with.template operator()<EntriesInRegisters<T, 4, 3>, 4, false>(9, 3, 8);
  with.template operator()<EntriesInRegisters<T, 4, 3>, 4, false>(9, 6, 8);
  with.template operator()<EntriesInRegisters<T, 4, 7>, 4, false>(9, 6, 8);
  with.template operator()<ReadInPlace<T, 8>, 8, true>(9, 5, 32);
  with.template operator()<LongRowsInRegisters<T, lanes_of_long_rows<T>>, 1, true>(60, 20, 64);
  with.template operator()<LongRowsInRegisters<T, lanes_of_long_rows<T>>, 1, true>(80, 75, 96);
}

}  // namespace
}  // namespace Batchwork::Test

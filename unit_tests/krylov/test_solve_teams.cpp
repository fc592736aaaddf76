// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The device kernels of solve, run on the host by teams of threads, and the choice between them.
#include "krylov/DiaCase.hpp"
#include "krylov/SolveCase.hpp"
#include "krylov/preconditioners/Batchwork_Ilu.hpp"
#include "support/Batchwork_Devices.hpp"
#include "support/HostTeams.hpp"

namespace Batchwork::Test {
namespace {

using Impl::choose_solve;
using Impl::SolveVariant;

TEST(ChooseSolve, ByRowsAndWidth) {
  auto const variant = [](std::int64_t rows, std::int64_t width) {
    return choose_solve(rows, width, false, 4, true).variant;
  };
  EXPECT_EQ(variant(16, 3), SolveVariant::entries_3);
  EXPECT_EQ(variant(512, 3), SolveVariant::entries_3);
  EXPECT_EQ(choose_solve(1024, 3, false, 8, true).variant, SolveVariant::entries_3);
  EXPECT_EQ(variant(8, 8), SolveVariant::columns_24);
  EXPECT_EQ(variant(100, 7), SolveVariant::entries_7);
  EXPECT_EQ(variant(22, 20), SolveVariant::columns_24);
  EXPECT_EQ(variant(33, 30), SolveVariant::columns_56);
  EXPECT_EQ(variant(54, 48), SolveVariant::columns_56);
  EXPECT_EQ(variant(144, 43), SolveVariant::entries_64);
  EXPECT_EQ(variant(144, 60), SolveVariant::in_place);
  EXPECT_EQ(choose_solve(144, 60, true, 4, true).variant, SolveVariant::entries_64);
  EXPECT_EQ(variant(144, 144), SolveVariant::in_place);
  EXPECT_EQ(variant(513, 5), SolveVariant::in_place);
  EXPECT_EQ(variant(2048, 2048), SolveVariant::in_place);
}

TEST(ChooseSolve, HasRoomForAllRows) {
  for (bool shuffles : {false, true})
    for (int short_rows : {4, 8})
      for (int width : {1, 3, 4, 7, 8, 20, 52, 53, 200, 2048})
        for (int rows = 1; rows <= Impl::most_rows_of_a_solve; ++rows) {
          auto const c = choose_solve(rows, width, width % 2 == 0, short_rows, shuffles);
          ASSERT_TRUE((c.lanes & (c.lanes - 1)) == 0 || c.lanes % 32 == 0);
          ASSERT_LE(c.lanes, Impl::largest_team_of_a_system);
          ASSERT_GE(c.lanes * c.rows, rows);
          ASSERT_EQ(c.team() % c.lanes, 0);
          ASSERT_LE(c.team(), 256);
          ASSERT_TRUE(c.lanes <= 32 || c.systems() == 1);
          ASSERT_EQ(c.lanes % c.sharing, 0);
          ASSERT_LE(c.sharing, 32);
          if (!shuffles) {
            ASSERT_EQ(c.sharing, 1);
          }
        }
}

/// Every supported system can be launched on every device, for rows of any length. Scratch memory
/// for the rest of rows and for factors is planned with the memory that the exchange leaves.
template <class T, class Solver, class M, class Matrix, int R, bool Large, class Scale>
void expect_launched(Impl::SolveChoice const& how, int rows, bool shuffles) {
  using Problem = Impl::SolveProblem<T, Solver, M, Impl::AnySystems<T>, Scale>;
  using Kernel = Impl::SolveTeams<T, Problem, Matrix, R, Large>;
  constexpr int teams = Kernel::wanted_teams;
  auto const scratch = how.scratch(rows, int(sizeof(T)), Problem::is_scaled);
  std::size_t const exchange_bytes = scratch.numbers(shuffles) * sizeof(T) + 16;
  for (auto const& device : devices()) {
    if (std::string(device.name) == "a host") continue;
    ASSERT_LE(how.team(), int(Kernel::largest_team));
    ASSERT_EQ(how.team() % Impl::lanes_of_warp, 0);
    ASSERT_TRUE(launches(device, teams, how.team(), exchange_bytes))
        << device.name << ", " << rows << " rows, " << teams << " teams of " << how.team()
        << " lanes with " << exchange_bytes << " bytes" << (shuffles ? "" : ", without shuffles");
    if constexpr (Kernel::has_storage || Kernel::has_factors) {
      std::size_t const room = std::size_t(Impl::scratch_of_a_solve(device.limits));
      ASSERT_TRUE(launches(device, teams, how.team(), std::max(exchange_bytes, room)))
          << device.name;
    }
  }
}
template <class T, class Solver, class Scale = Impl::NotScaled>
void expect_all_launched(bool shuffles) {
  using namespace Impl;
  for (int width : {1, 3, 4, 7, 8, 20, 52, 53, 200, 2048})
    for (int rows = 1; rows <= most_rows_of_a_solve; rows += rows < 600 || rows > 2040 ? 1 : 7) {
      auto const how = choose_solve(rows, width, false, Solver::short_rows, shuffles);
      auto const with = [&]<class Matrix, int R, bool Large>() {
        expect_launched<T, Solver, Jacobi, Matrix, R, Large, Scale>(how, rows, shuffles);
      };
      constexpr int R = Solver::short_rows;
      bool const large = how.lanes > 32;
      switch (how.variant) {
        case SolveVariant::entries_3:
          if (large) with.template operator()<EntriesInRegisters<T, R, 3>, R, true>();
          else with.template operator()<EntriesInRegisters<T, R, 3>, R, false>();
          break;
        case SolveVariant::entries_7:
          if (large) with.template operator()<EntriesInRegisters<T, 4, 7>, 4, true>();
          else with.template operator()<EntriesInRegisters<T, 4, 7>, 4, false>();
          break;
        case SolveVariant::entries_64:
          if (how.lanes <= lanes_of_long_rows<T>)
            with.template operator()<LongRowsInRegisters<T, lanes_of_long_rows<T>>, 1, true>();
          else
            with.template operator()<LongRowsInRegisters<T, largest_team_of_a_system>, 1, true>();
          break;
        case SolveVariant::columns_24:
          with.template operator()<ColumnsInRegisters<T, 3, 24>, 3, false>();
          break;
        case SolveVariant::columns_56:
          with.template operator()<ColumnsInRegisters<T, 1, 56>, 1, true>();
          break;
        default: with.template operator()<ReadInPlace<T, 8>, 8, true>();
      }
      // If the device has enough memory for it.
      if (how.variant == SolveVariant::columns_56 && !SolverWithStorage<Solver>)
        for (auto const& device : devices()) {
          auto const split =
              on_chip_if_it_fits(how, {rows, std::int64_t(rows) * rows, rows, int(sizeof(T))},
                                 device.limits, shuffles);
          if (split.variant != SolveVariant::columns_split) continue;
          using Problem = SolveProblem<T, Solver, Jacobi, AnySystems<T>, Scale>;
          using Kernel =
              SolveTeams<T, Problem, ColumnsSplit<T, 2, SplitColumns::in_registers>, 2, false>;
          std::size_t const bytes =
              std::size_t(split.bytes_of_matrices(rows, sizeof(T))) + 16 +
              split.scratch(rows, int(sizeof(T)), Problem::is_scaled).numbers(shuffles) * sizeof(T);
          ASSERT_GE(split.lanes * split.rows, rows);
          ASSERT_TRUE(launches(device, Kernel::wanted_teams, split.team(), bytes)) << device.name;
        }
      auto const preconditioned = [&]<int R>(SolveChoice const& c) {
        expect_launched<T, Solver, IluInKernel, ReadInPlace<T, R>, R, true, Scale>(c, rows,
                                                                                   shuffles);
      };
      auto const with_factors = choose_preconditioned_solve(rows, width, shuffles, {8, 128});
      if (with_factors.rows <= 2) preconditioned.template operator()<2>(with_factors);
      else preconditioned.template operator()<8>(with_factors);
    }
}
TEST(ChooseSolve, FitsEveryDevice) {
  for (bool shuffles : {true, false}) {
    expect_all_launched<float, ConjugateGradients>(shuffles);
    expect_all_launched<double, ConjugateGradients>(shuffles);
    expect_all_launched<float, Bicgstab>(shuffles);
    expect_all_launched<double, Bicgstab>(shuffles);
    expect_all_launched<float, Bicgstab, Impl::SystemScaling<float>>(shuffles);
    expect_all_launched<double, Bicgstab, Impl::SystemScaling<double>>(shuffles);
    expect_all_launched<float, Impl::WithStorage<Gmres, float>>(shuffles);
    expect_all_launched<double, Impl::WithStorage<Gmres, double>>(shuffles);
  }
  // The measured choice, also with more scratch memory.
  for (auto const& device : devices())
    if (std::string(device.name).find("H200") == 0) {
      EXPECT_EQ(Impl::scratch_of_a_solve(device.limits), 40928);
    }
}

/// The exchanges of the systems of a warp begin in different banks, if all lanes write at the same
/// time.
TEST(SystemScratch, SpreadsOverTheBanks) {
  for (int wide : {2, 4})
    for (int lanes : {1, 2, 4, 8, 16, 32})
      for (int rows : {lanes, 3 * lanes, 4 * lanes, 8 * lanes}) {
        Impl::SystemScratch const s{lanes, rows, 64 / lanes, wide, 1};
        int const banks = 32 * wide / 4;  // numbers
        ASSERT_GE(s.of_system(), s.exchange_size());
        ASSERT_EQ(s.of_system() % wide, 0);
        // No two lanes that are served at the same time may write to the same bank.
        std::vector<int> hits(std::size_t(banks), 0);
        for (int lane = 0; lane < std::min(banks, 32); ++lane)
          ++hits[std::size_t((lane / lanes * s.of_system() + lane % lanes) % banks)];
        if (lanes < wide) continue;
        for (int h : hits) ASSERT_LE(h, 1) << lanes << " lanes, " << rows << " rows";
      }
}

template <class T>
struct SolveOnTeams : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SolveOnTeams, Numbers);

/// Runs one kernel with the choice of solve, or with another number of lanes.
template <class T, class Matrix, int R, bool Large, class Solver, class M, class A,
          class Scale = Impl::NotScaled>
void run(Solver const& solver, M const& m, A const& a, Impl::SolveChoice const& how,
         ArrangedBatch<T> const& full, ArrangedBatch<T> const& b, Random& random,
         Scale const& scale = {}) {
  std::int64_t const items = full.items;
  int const rows = full.rows;
  ArrangedBatch<T> const x(items, rows, 1, Arranged::strided);
  x.randomise(random);
  auto const outside = x.poisoned();
  auto const log = SolveLog<T>::allocated(items);
  using Any = Impl::AnySystems<T>;
  auto const in_kernel = Impl::preconditioner_in_kernel(m, a);
  using Problem =
      Impl::SolveProblem<T, Solver, std::remove_const_t<decltype(in_kernel)>, Any, Scale>;
  using Kernel = Impl::SolveTeams<T, Problem, Matrix, R, Large>;
  Kernel const kernel(Problem{solver,
                              in_kernel,
                              Any(a.systems()),
                              Impl::stored(vectors(b)).storage.as_const(),
                              Impl::stored(vectors(x)).storage,
                              Impl::LogPointers<T>(log),
                              items,
                              {},
                              scale},
                      how);
  run_teams(kernel, int(kernel.teams()), how.team(), kernel.bytes());
  x.download();
  EXPECT_EQ(x.poisoned(), outside);
  HostLog<T> const said(log);
  for (std::int64_t n = 0; n < items; ++n) {
    ASSERT_EQ(said.reason(n), Reason::success) << to_string(said.reason(n));
    expect_honest(said, n, residual_truth(full, n, x, b), solver.stop.tolerance);
  }
}

TYPED_TEST(SolveOnTeams, EveryVariant) {
  using T = TypeParam;
  Random random(1);
  auto const with = [&]<class Matrix, int R, bool Large>(int rows, double share, bool symmetric,
                                                         SolveVariant variant) {
    auto const p = share < 0 ? tridiagonal(rows) : solvable_pattern(random, rows, share, symmetric);
    std::int64_t const items = rows < 40 ? 5 : 2;
    Matrices<T> const a(p, items, Arranged::item_contiguous);
    ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous);
    for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, symmetric);
    a.upload();
    b.randomise(random);
    SCOPED_TRACE(std::to_string(rows) + " rows, variant " + std::to_string(int(variant)));
    Impl::SolveChoice how{variant, 1, R, 1};
    while (how.lanes * R < rows || (Large && how.lanes <= 32))
      how.lanes += how.lanes < 32 ? how.lanes : 32;
    if (variant == SolveVariant::columns_24) how.lanes = 8;
    if (variant == SolveVariant::columns_split) how.lanes = std::max(how.lanes, 16);
    if (variant == SolveVariant::entries_64) how.rest = {2 * rows, rows, 8};
    auto const stop = relative(usual_tolerance<T>, 200);
    run<T, Matrix, R, Large>(bicgstab(stop), jacobi(), a.csr(), how, a.full, b, random);
    run<T, Matrix, R, Large>(bicgstab(stop), no_preconditioner(), a.dense(), how, a.full, b,
                             random);
    DiaOf<T> const d(a, Arranged::item_contiguous);
    run<T, Matrix, R, Large>(bicgstab(stop), jacobi(), d.dia(), how, a.full, b, random);
    if (symmetric)
      run<T, Matrix, R, Large>(conjugate_gradients(stop), jacobi(), a.ell(), how, a.full, b,
                               random);
    if constexpr (R == 3 || (R == 8 && Large))
      run<T, Matrix, R, Large>(cgs(stop), jacobi(), a.csr(), how, a.full, b, random);
  };
  using namespace Impl;
  for (int rows : {1, 3, 16, 30})
    with.template operator()<EntriesInRegisters<T, 4, 3>, 4, false>(rows, -1, true,
                                                                    SolveVariant::entries_3);
  with.template operator()<EntriesInRegisters<T, 8, 3>, 8, false>(50, 0.1, false,
                                                                  SolveVariant::entries_3);
  with.template operator()<EntriesInRegisters<T, 4, 3>, 4, true>(140, -1, false,
                                                                 SolveVariant::entries_3);
  with.template operator()<EntriesInRegisters<T, 4, 7>, 4, false>(20, 0.3, true,
                                                                  SolveVariant::entries_7);
  with.template operator()<LongRowsInRegisters<T, lanes_of_long_rows<T>>, 1, true>(
      60, 0.8, true, SolveVariant::entries_64);
  for (int rows : {1, 8, 22, 24})
    with.template operator()<ColumnsInRegisters<T, 3, 24>, 3, false>(rows, 0.8, true,
                                                                     SolveVariant::columns_24);
  for (int rows : {33, 56})
    with.template operator()<ColumnsInRegisters<T, 1, 56>, 1, true>(rows, 0.8, false,
                                                                    SolveVariant::columns_56);
  for (int rows : {3, 17, 25, 32, 33, 54, 56})
    with.template operator()<ColumnsSplit<T, 2, 16>, 2, false>(rows, 0.8, rows == 33,
                                                               SolveVariant::columns_split);
  for (int rows : {5, 70, 300})
    with.template operator()<ReadInPlace<T, 8>, 8, true>(rows, 0.1, false, SolveVariant::in_place);
}

/// A basis for short rows leaves memory for other teams, if one team has the scratch memory of the
/// device.
TEST(SolveTeams, BasisForShortRows) {
  for (auto const& device : devices()) {
    SCOPED_TRACE(device.name);
    for (int team : {32, 64, 128, 256, 512, 1024}) {
      if (team > device.limits.lanes_of_team) continue;
      auto const most = Impl::scratch_of_basis(device.limits, team, false),
                 bytes = Impl::scratch_of_basis(device.limits, team, true);
      EXPECT_LE(bytes, most) << team;
      if (std::size_t(bytes) > Impl::scratch_with_kokkos_4) {
        EXPECT_TRUE(device.limits.holds(team < 512 ? 5 : 1, team, std::size_t(bytes))) << team;
      }
    }
  }
}

/// The largest number of rows, on a device with the least scratch memory.
TEST(SolveTeams, MostRows) {
  Random random(4);
  int const rows = Impl::most_rows_of_a_solve;
  Matrices<double> const a(tridiagonal(rows), 1, Arranged::item_contiguous);
  ArrangedBatch<double> const b(1, rows, 1, Arranged::item_contiguous);
  put_dominant(a, 0, random, false);
  a.upload();
  b.randomise(random);
  auto const how = Impl::matrix_in_place(rows, 3, Impl::Vendor::has_shuffles);
  ASSERT_LE(how.scratch(rows, 8, false).numbers(Impl::Vendor::has_shuffles) * 8 + 16,
            Impl::scratch_with_kokkos_4);
  run<double, Impl::ReadInPlace<double, 8>, 8, true>(bicgstab(relative(1e-10, 200)), jacobi(),
                                                     a.csr(), how, a.full, b, random);
}

/// Rows and columns over several orders of magnitude, equilibrated in the kernel or scaled by
/// weights.
TYPED_TEST(SolveOnTeams, Scaled) {
  using T = TypeParam;
  Random random(2);
  auto const with = [&]<class Matrix, int R, bool Large>(int rows, double share, int lanes,
                                                         SolveVariant variant, auto const& m) {
    auto const p = share < 0 ? tridiagonal(rows) : solvable_pattern(random, rows, share, false);
    std::int64_t const items = 5;
    Matrices<T> const a(p, items, Arranged::item_contiguous);
    ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous),
        w(items, rows, 1, Arranged::item_contiguous);
    for (std::int64_t n = 0; n < items; ++n) {
      put_dominant(a, n, random, false);
      for (int i = 0; i < rows; ++i) w.at(n, i, 0) = T(std::pow(10.0, random(-2.0, 2.0)));
      for (int i = 0; i < rows; ++i)
        for (int k = 0; k < int(p.columns[std::size_t(i)].size()); ++k) {
          int const j = p.columns[std::size_t(i)][std::size_t(k)];
          a.put(n, i, k, a.full.at(n, i, j) * w.at(n, j, 0) / w.at(n, i, 0));
        }
      for (int i = 0; i < rows; ++i) b.at(n, i, 0) = T(random()) / w.at(n, i, 0);
    }
    a.upload();
    b.upload();
    w.upload();
    SCOPED_TRACE(std::to_string(rows) + " rows, variant " + std::to_string(int(variant)));
    Impl::SolveChoice how{variant, lanes, R, 1};
    if (variant == SolveVariant::entries_64) how.rest = {2 * rows, rows, 8};
    auto const solver = bicgstab(relative(sizeof(T) == 4 ? 1e-3 : 1e-8, 200));
    Impl::SystemScaling<T> scale;
    run<T, Matrix, R, Large>(solver, m, a.csr(), how, a.full, b, random, scale);
    scale.equilibrates = false;
    scale.has_weights = true;
    scale.weights = {Impl::stored(vectors(w)).storage.as_const()};
    run<T, Matrix, R, Large>(solver, m, a.csr(), how, a.full, b, random, scale);
  };
  using namespace Impl;
  with.template operator()<EntriesInRegisters<T, 4, 3>, 4, false>(
      30, -1, 8, SolveVariant::entries_3, jacobi());
  with.template operator()<ColumnsInRegisters<T, 3, 24>, 3, false>(
      22, 0.8, 8, SolveVariant::columns_24, no_preconditioner());
  with.template operator()<LongRowsInRegisters<T, lanes_of_long_rows<T>>, 1, true>(
      60, 0.8, 64, SolveVariant::entries_64, jacobi());
  with.template operator()<ColumnsSplit<T, 2, 16>, 2, false>(33, 0.8, 32,
                                                             SolveVariant::columns_split, jacobi());
  with.template operator()<ReadInPlace<T, 2>, 2, true>(70, 0.1, 64, SolveVariant::in_place, ilu());
}

/// Columns that do not increase or are out of range: no system is solved, nothing outside is read,
/// and the item reports it.
TYPED_TEST(SolveOnTeams, InvalidPattern) {
  using T = TypeParam;
  int const rows = 4;
  Kokkos::View<T**, Kokkos::LayoutRight, Space> const values("values", 3, 10), b("b", 3, 4),
      x("x", 3, 4);
  Kokkos::deep_copy(values, T(1));
  Kokkos::deep_copy(b, T(1));
  Kokkos::deep_copy(x, T(7));
  auto const offsets = indices_of<int>("offsets", {0, 2, 5, 8, 10});
  auto const try_with = [&]<class Matrix, int R>(std::vector<int> const& columns) {
    auto const a = csr(offsets, indices_of<int>("columns", columns), values);
    using Any = Impl::AnySystems<T>;
    using Problem = Impl::SolveProblem<T, Bicgstab, Jacobi, Any>;
    auto const log = SolveLog<T>::allocated(3);
    Impl::SolveChoice const how{SolveVariant::entries_3, 8, R, 1};
    Impl::SolveTeams<T, Problem, Matrix, R, false> const kernel(
        Problem{bicgstab(), jacobi(), Any(a.systems()), Impl::stored(b).storage.as_const(),
                Impl::stored(x).storage, Impl::LogPointers<T>(log), 3},
        how);
    run_teams(kernel, int(kernel.teams()), how.team(), kernel.bytes());
    for (std::size_t n = 0; n < 3; ++n) {
      EXPECT_EQ(Status::reason(log.reason(n)), Reason::invalid_pattern);
      for (std::size_t i = 0; i < rows; ++i) EXPECT_EQ(x(n, i), T(7));
    }
  };
  std::vector<int> const unsorted{0, 1, 0, 2, 1, 1, 2, 3, 2, 3},
      outside{0, 1, 0, 1, 2, 1, 2, 4, 2, 3}, negative{0, 1, 0, 1, 2, 1, 2, 3, -1, 3};
  try_with.template operator()<Impl::ColumnsInRegisters<T, 3, 24>, 3>(unsorted);
  try_with.template operator()<Impl::ColumnsSplit<T, 2, 16>, 2>(unsorted);
  for (auto const& columns : {outside, negative}) {
    try_with.template operator()<Impl::ColumnsInRegisters<T, 3, 24>, 3>(columns);
    try_with.template operator()<Impl::EntriesInRegisters<T, 4, 3>, 4>(columns);
    try_with.template operator()<Impl::EntriesInRegisters<T, 4, 7>, 4>(columns);
    try_with.template operator()<Impl::ReadInPlace<T, 8>, 8>(columns);
  }
}

/// The same for systems of all sizes, with kernels that EveryVariant uses too, and with the fault
/// in the first, a middle and the last entry.
TYPED_TEST(SolveOnTeams, InvalidPatternOfEveryVariant) {
  using T = TypeParam;
  Random random(2);
  auto const with = [&]<class Matrix, int R, bool Large>(int rows, double share) {
    SCOPED_TRACE(std::to_string(rows) + " rows, " + std::to_string(R) + " a lane");
    std::int64_t const items = 2;
    auto const p = share < 0 ? tridiagonal(rows) : solvable_pattern(random, rows, share, false);
    Matrices<T> const a(p, items, Arranged::item_contiguous);
    ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous),
        x(items, rows, 1, Arranged::strided);
    for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, false);
    a.upload();
    b.randomise(random);
    std::vector<int> columns;
    for (auto const& row : p.columns) columns.insert(columns.end(), row.begin(), row.end());
    Impl::SolveChoice how{SolveVariant::entries_3, 1, R, 1};
    while (how.lanes * R < rows || (Large && how.lanes <= 32))
      how.lanes += how.lanes < 32 ? how.lanes : 32;
    if (std::is_same_v<Matrix, Impl::ColumnsInRegisters<T, 3, 24>>) how.lanes = 8;
    how.rest = {2 * rows, rows, 8};
    for (std::size_t at : {std::size_t(0), columns.size() / 2, columns.size() - 1})
      for (int fault : {rows, -1, 2147483647}) {
        auto wrong = columns;
        wrong[at] = fault;
        auto const matrices =
            csr(a.row_offsets, indices_of<int>("columns", wrong), vectors(a.values));
        x.fill(T(7));
        auto const outside = x.poisoned();
        auto const log = SolveLog<T>::allocated(items);
        using Any = Impl::AnySystems<T>;
        using Problem = Impl::SolveProblem<T, Bicgstab, Jacobi, Any>;
        Impl::SolveTeams<T, Problem, Matrix, R, Large> const kernel(
            Problem{bicgstab(relative(usual_tolerance<T>, 200)), jacobi(), Any(matrices.systems()),
                    Impl::stored(vectors(b)).storage.as_const(), Impl::stored(vectors(x)).storage,
                    Impl::LogPointers<T>(log), items},
            how);
        run_teams(kernel, int(kernel.teams()), how.team(), kernel.bytes());
        x.download();
        EXPECT_EQ(x.poisoned(), outside);
        for (std::int64_t n = 0; n < items; ++n) {
          ASSERT_EQ(Status::reason(log.reason(std::size_t(n))), Reason::invalid_pattern)
              << "entry " << at << " is " << fault;
          for (int i = 0; i < rows; ++i) ASSERT_EQ(x.at(n, i, 0), T(7));
        }
      }
  };
  using namespace Impl;
  with.template operator()<EntriesInRegisters<T, 4, 3>, 4, false>(30, -1);
  with.template operator()<EntriesInRegisters<T, 4, 3>, 4, true>(140, -1);
  with.template operator()<EntriesInRegisters<T, 4, 7>, 4, false>(20, 0.2);
  with.template operator()<LongRowsInRegisters<T, lanes_of_long_rows<T>>, 1, true>(60, 0.8);
  with.template operator()<ColumnsInRegisters<T, 3, 24>, 3, false>(22, 0.8);
  with.template operator()<ColumnsInRegisters<T, 1, 56>, 1, true>(33, 0.8);
  with.template operator()<ColumnsSplit<T, 2, 16>, 2, false>(33, 0.8);
  with.template operator()<ReadInPlace<T, 8>, 8, true>(70, 0.9);
}

}  // namespace
}  // namespace Batchwork::Test

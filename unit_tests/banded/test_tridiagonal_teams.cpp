// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The device kernels of solve_tridiagonal, run on the host by teams of threads, and the choice
// between them.
#include "banded/TridiagonalCase.hpp"
#include "banded/detail/Batchwork_TridiagonalChoice.hpp"
#include "banded/detail/Batchwork_TridiagonalInRegisters.hpp"
#include "banded/detail/Batchwork_TridiagonalPivoted.hpp"
#include "banded/detail/Batchwork_TridiagonalStaged.hpp"
#include "support/Batchwork_Devices.hpp"
#include "support/HostTeams.hpp"

namespace Batchwork::Test {
namespace {

using Impl::TridiagonalKernel;

template <class T>
struct TridiagonalOnTeams : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TridiagonalOnTeams, Numbers);

template <class T>
using SmallTeams = Impl::TridiagonalInRegisters<T, Impl::most_rows_in_registers<T>, false>;
template <class T>
using LargeTeams = Impl::TridiagonalInRegisters<T, Impl::most_rows_in_registers<T>, false,
                                                Impl::lanes_of_many_parts>;

TYPED_TEST(TridiagonalOnTeams, Choice) {
  using T = TypeParam;
  for (bool side_by_side : {false, true})
    for (std::size_t scratch : {std::size_t(40000), std::size_t(20000)})
      for (int n = 1; n <= Impl::most_tridiagonal_rows; ++n) {
        auto const how = Impl::choose_tridiagonal<T>(side_by_side, n, scratch);
        auto const power = [](int k) { return k > 0 && (k & (k - 1)) == 0; };
        ASSERT_TRUE(power(how.parts) && power(how.items_per_team)) << n;
        ASSERT_GE(how.parts * how.rows, n);
        ASSERT_LE((how.parts / 2) * how.rows, n) << "half of the lanes without rows";
        int const team = how.team();
        switch (how.kernel) {
          case TridiagonalKernel::alone:
            ASSERT_TRUE(side_by_side && how.parts == 1);
            ASSERT_LE(n, Impl::most_rows_alone<T>);
            break;
          case TridiagonalKernel::in_registers: {
            ASSERT_LE(how.rows, Impl::most_rows_in_registers<T>);
            ASSERT_GE(team, 32);
            ASSERT_LE(team, Impl::lanes_of_many_parts);
            std::size_t const numbers = team > Impl::lanes_of_parts ? LargeTeams<T>::lane_numbers
                                                                    : SmallTeams<T>::lane_numbers;
            ASSERT_LE(std::size_t(team) * numbers * sizeof(T) + 16, Impl::scratch_with_kokkos_4);
            if (side_by_side && n <= 1024) {
              ASSERT_GE(how.items_per_team * int(sizeof(T)), 64);
            }
            break;
          }
          case TridiagonalKernel::staged:
            ASSERT_FALSE(side_by_side);
            ASSERT_EQ(how.rows % 2, 1);
            ASSERT_EQ(team, Impl::TridiagonalStaged<T>::largest_team);
            ASSERT_TRUE(how.parts == 1 || how.rows >= 5) << "room for five numbers a lane";
            ASSERT_LE(4 * std::size_t(team) * std::size_t(how.rows) * sizeof(T) + 16, scratch);
            break;
        }
      }
  // Up to a thousand rows are staged.
  EXPECT_EQ(Impl::choose_tridiagonal<T>(false, 1024, 40000).kernel, TridiagonalKernel::staged);
  EXPECT_EQ(Impl::choose_tridiagonal<T>(true, 32, 40000).kernel, TridiagonalKernel::alone);
}

/// All numbers of rows can be launched on every device, and are stored as they were on the measured
/// device.
TYPED_TEST(TridiagonalOnTeams, FitEveryDevice) {
  using T = TypeParam;
  for (auto const& device : devices()) {
    if (std::string(device.name) == "a host") continue;
    auto const fits = [&](auto const& kernel) {
      using Kernel = std::remove_cvref_t<decltype(kernel)>;
      int teams = Kernel::wanted_teams;
      if constexpr (requires { Kernel::may_want_too_many; })
        if (!device.limits.holds(teams, kernel.team(), kernel.bytes())) teams = 1;
      return kernel.team() <= int(Kernel::largest_team) &&
             kernel.team() % Impl::lanes_of_warp == 0 &&
             launches(device, teams, kernel.team(), kernel.bytes());
    };
    for (bool side_by_side : {false, true})
      for (int n = 1; n <= Impl::most_tridiagonal_rows; ++n) {
        Impl::TridiagonalProblem<T> p;
        p.n = n;
        p.items = 1000;
        auto const how = Impl::choose_tridiagonal<T>(
            side_by_side, n, std::min(device.limits.scratch_of_team, Impl::scratch_of_a_team));
        std::string const what = std::string(device.name) + ", " + std::to_string(n) + " rows";
        if (how.kernel == TridiagonalKernel::staged) {
          ASSERT_TRUE(fits(Impl::TridiagonalStaged<T>(p, how))) << what;
        } else if (how.kernel == TridiagonalKernel::in_registers) {
          if (how.team() > Impl::lanes_of_parts)
            ASSERT_TRUE(fits(LargeTeams<T>(p, how, side_by_side))) << what;
          else ASSERT_TRUE(fits(SmallTeams<T>(p, how, side_by_side))) << what;
        } else {
          ASSERT_TRUE(
              fits(Impl::TridiagonalInRegisters<T, Impl::most_rows_alone<T>, true>(p, how, true)))
              << what;
        }
        Impl::TridiagonalPivoted<T> const pivoted(p, Impl::choose_pivoted<T>(side_by_side, n),
                                                  side_by_side);
        ASSERT_TRUE(fits(pivoted)) << what;
      }
  }
}

template <class Kernel>
void run(Kernel const& kernel) {
  run_teams(kernel, int(kernel.teams()), kernel.team(), kernel.bytes());
}

template <class T>
Impl::TridiagonalProblem<T> problem_of(TridiagonalData<T> const& s, ArrangedBatch<T> const& b,
                                       ArrangedBatch<T> const& x) {
  auto const storage = [](auto const& m) { return Impl::stored(vectors(m)).storage; };
  Impl::TridiagonalProblem<T> p;
  p.lower = storage(s.lower).as_const();
  p.diagonal = storage(s.diagonal).as_const();
  p.upper = storage(s.upper).as_const();
  p.b = storage(b).as_const();
  p.x = storage(x);
  p.status.narrow = s.codes.data();
  p.status.group = 1;
  p.items = s.items;
  p.n = s.rows;
  return p;
}

/// The kernel that the verb chooses, or another one.
template <class T>
auto on_teams(TridiagonalData<T> const& s, bool side_by_side,
              std::size_t scratch = Impl::scratch_of_a_team) {
  return [&s, side_by_side, scratch](ArrangedBatch<T> const& b, ArrangedBatch<T> const& x) {
    auto const p = problem_of(s, b, x);
    auto const how = Impl::choose_tridiagonal<T>(side_by_side, p.n, scratch);
    auto const alone = [&]<int R>() {
      run(Impl::TridiagonalInRegisters<T, R, true>(p, how, side_by_side));
    };
    if (how.kernel == TridiagonalKernel::staged) run(Impl::TridiagonalStaged<T>(p, how));
    else if (how.kernel == TridiagonalKernel::in_registers && how.team() > Impl::lanes_of_parts)
      run(LargeTeams<T>(p, how, side_by_side));
    else if (how.kernel == TridiagonalKernel::in_registers)
      run(SmallTeams<T>(p, how, side_by_side));
    else if (p.n <= 8) alone.template operator()<8>();
    else if (p.n <= 16) alone.template operator()<16>();
    else if (p.n <= 32) alone.template operator()<32>();
    else alone.template operator()<Impl::most_rows_alone<T>>();
  };
}

/// With partial pivoting.
template <class T>
auto pivoted_on_teams(TridiagonalData<T> const& s, bool side_by_side) {
  return [&s, side_by_side](ArrangedBatch<T> const& b, ArrangedBatch<T> const& x) {
    run(Impl::TridiagonalPivoted<T>(problem_of(s, b, x),
                                    Impl::choose_pivoted<T>(side_by_side, s.rows), side_by_side));
  };
}

TYPED_TEST(TridiagonalOnTeams, RowsAndArrangements) {
  using T = TypeParam;
  Random random(1);
  for (int rows : tridiagonal_rows)
    for (bool side_by_side : {false, true}) {
      // A full team and a partial one.
      auto const how = Impl::choose_tridiagonal<T>(side_by_side, rows, Impl::scratch_of_a_team);
      std::int64_t const items = how.items_per_team + random.integer(1, how.items_per_team);
      SCOPED_TRACE(std::to_string(rows) + " rows, kernel " + std::to_string(int(how.kernel)));
      auto const arranged = side_by_side ? all_of(Arranged::interleaved)
                            : random.integer(0, 3) == 0
                                ? some_arrangement(random)
                                : all_of(all_arranged[random.integer(0, 3)]);
      TridiagonalData<T> const s(items, rows, arranged);
      s.randomise(random);
      s.check(on_teams(s, side_by_side));
    }
}

TYPED_TEST(TridiagonalOnTeams, Mixed) {
  using T = TypeParam;
  Random random(2);
  for (int k = 0; k < 20; ++k) {
    int const rows = random.integer(1, 200);
    TridiagonalData<T> const s(random.integer(1, 20), rows, some_arrangement(random));
    SCOPED_TRACE(std::to_string(rows) + " rows");
    s.randomise(random);
    s.check(on_teams(s, k % 2 == 0));
  }
  // Too large for scratch memory: lanes hold parts of one item.
  TridiagonalData<T> const s(2, 700, all_of(Arranged::item_contiguous));
  s.randomise(random);
  s.check(on_teams(s, false, 1000));
}

TYPED_TEST(TridiagonalOnTeams, SecondDifference) {
  for (int rows : {1, 16, 32, 33, 65, 144, 500, 1024, 4096})
    for (bool side_by_side : {false, true}) {
      SCOPED_TRACE(std::to_string(rows) + " rows, side by side " + std::to_string(side_by_side));
      TridiagonalData<TypeParam> const s(
          3, rows, all_of(side_by_side ? Arranged::interleaved : Arranged::item_contiguous));
      s.check_second_difference(on_teams(s, side_by_side));
    }
}

TYPED_TEST(TridiagonalOnTeams, Failures) {
  using T = TypeParam;
  using Plant = typename TridiagonalData<T>::Plant;
  Random random(3);
  for (int rows : {1, 16, 33, 144})
    for (bool side_by_side : {false, true}) {
      SCOPED_TRACE(std::to_string(rows) + " rows, side by side " + std::to_string(side_by_side));
      std::int64_t const items = 5;
      TridiagonalData<T> const s(
          items, rows, all_of(side_by_side ? Arranged::interleaved : Arranged::item_contiguous));
      s.randomise(random);
      for (Plant what : {Plant::zero_pivot, Plant::nan_pivot, Plant::infinite_pivot,
                         Plant::tiny_pivot, Plant::nan_b, Plant::nan_lower, Plant::nan_upper})
        for (int row : {0, random.integer(0, rows - 1), rows - 1})
          s.check_failure(on_teams(s, side_by_side), random.integer(0, items - 1), row, what);
    }
}

/// Some of these matrices are positive definite with any condition number. Parallel cyclic
/// reduction has large residuals for them.
TYPED_TEST(TridiagonalOnTeams, SaysWhereItIsNotAccurate) {
  using T = TypeParam;
  using Kind = typename TridiagonalData<T>::Kind;
  Random random(5);
  for (int rows : {40, 144, 600})
    for (bool side_by_side : {false, true}) {
      SCOPED_TRACE(std::to_string(rows) + " rows, side by side " + std::to_string(side_by_side));
      TridiagonalData<T> const s(
          rows < 100 ? 40 : 16, rows,
          all_of(side_by_side ? Arranged::interleaved : Arranged::item_contiguous));
      for (Kind kind : TridiagonalData<T>::well_behaved) {
        if (rows > 500 && kind != Kind::nearly_singular) continue;
        s.fill(kind, random);
        EXPECT_EQ(s.check_accuracy(on_teams(s, side_by_side), kind, 128, 1e30L), 0);
      }
      for (Kind kind : {Kind::random, Kind::zero_diagonal}) {
        if (rows > 500 && kind != Kind::random) continue;
        s.fill(kind, random);
        int const reported = s.check_accuracy(on_teams(s, side_by_side), kind, 128, 1e30L);
        EXPECT_GE(reported, rows < 100 ? 1 : s.items / 2);
      }
    }
}

TYPED_TEST(TridiagonalOnTeams, PartialPivoting) {
  using T = TypeParam;
  using Kind = typename TridiagonalData<T>::Kind;
  Random random(6);
  constexpr int R = Impl::most_rows_in_registers<T>;
  for (int rows : {1, 2, 3, 5, R, R + 1, 3 * R, 5 * R + 1})
    for (bool side_by_side : {false, true}) {
      if (side_by_side != (rows % 2 == 0) && rows < R) continue;
      SCOPED_TRACE(std::to_string(rows) + " rows, side by side " + std::to_string(side_by_side));
      // A full team and a partial one.
      auto const how = Impl::choose_pivoted<T>(side_by_side, rows);
      ASSERT_LE(how.team(), Impl::lanes_of_parts);
      TridiagonalData<T> const s(
          how.items_per_team + 1, rows,
          all_of(side_by_side ? Arranged::interleaved : Arranged::item_contiguous));
      auto const call = pivoted_on_teams(s, side_by_side);
      s.randomise(random);
      s.check(call, true, true);
      s.fill(Kind::random, random);
      EXPECT_EQ(s.check_accuracy(call, Kind::random, 128, 1e30L, true), 0);
      s.fill(Kind::zero_diagonal, random);
      s.check_accuracy(call, Kind::zero_diagonal, 128, 1e30L, true);
    }
  // All lanes of a team share an item.
  TridiagonalData<T> const s(2, 4096, all_of(Arranged::interleaved));
  s.fill(Kind::random, random);
  EXPECT_EQ(s.check_accuracy(pivoted_on_teams(s, true), Kind::random, 128, 1e30L, true), 0);
}

TYPED_TEST(TridiagonalOnTeams, FailuresWithExchanges) {
  using T = TypeParam;
  using Plant = typename TridiagonalData<T>::Plant;
  Random random(7);
  for (int rows : {9, 70}) {
    SCOPED_TRACE(std::to_string(rows) + " rows");
    TridiagonalData<T> const s(5, rows, all_of(Arranged::interleaved));
    s.randomise(random);
    for (Plant what : {Plant::zero_pivot, Plant::nan_pivot, Plant::infinite_pivot, Plant::nan_b,
                       Plant::nan_lower, Plant::nan_upper})
      s.check_failure(pivoted_on_teams(s, true), random.integer(0, 4), random.integer(0, rows - 1),
                      what, true);
  }
}

/// With the largest teams.
TYPED_TEST(TridiagonalOnTeams, FailuresOfLargeSystems) {
  using T = TypeParam;
  using Plant = typename TridiagonalData<T>::Plant;
  Random random(4);
  int const rows = 600;
  ASSERT_GT(Impl::choose_tridiagonal<T>(true, rows, Impl::scratch_of_a_team).team(),
            Impl::lanes_of_parts);
  TridiagonalData<T> const s(5, rows, all_of(Arranged::interleaved));
  s.randomise(random);
  for (int row : {0, random.integer(1, rows - 2), rows - 1})
    s.check_failure(on_teams(s, true), random.integer(0, 4), row, Plant::zero_pivot);
  s.check_failure(on_teams(s, true), 2, 300, Plant::nan_upper);
}

}  // namespace
}  // namespace Batchwork::Test

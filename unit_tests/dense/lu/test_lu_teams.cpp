// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The device kernels of lu, solve_lu, inverse and determinant, run on the host by teams of threads.
// Compiled a second time with warps of 32 lanes.
#include "LuVerbsCase.hpp"
#include "dense/UnitsCase.hpp"
#include "support/Batchwork_Devices.hpp"
#include "support/HostTeams.hpp"
#include "support/LaneTeams.hpp"
#include "support/SlotsOfTest.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
Impl::Storage<T> storage(ArrangedBatch<T> const& m) {
  return {m.data(), 1, m.item, 0, m.row, m.col};
}

/// Launches the kernel for a task.
template <Impl::LuTask Task, class T, class Launch>
void run_problem(Impl::LuProblem<T> p, ArrangedBatch<T> const& a, ArrangedBatch<int> const& codes,
                 Launch const& launch) {
  p.a = storage(a).as_const();
  p.status.narrow = codes.data();
  p.status.group = codes.item;
  p.items = a.items;
  p.n = a.rows;
  launch.template operator()<Task>(p);
}
template <class T, class Launch>
void check_inverses(int n, std::int64_t items, Arranged how, Random& random, Launch const& launch) {
  using enum Impl::LuTask;
  check_inverse<T>(
      n, items, how, random,
      [&](auto const& a, auto const& x, auto const& codes) {
        Impl::LuProblem<T> p;
        p.x = storage(x);
        p.columns = n;
        run_problem<inverses>(p, a, codes, launch);
      },
      [&](auto const& a, auto const& d, auto const& codes) {
        Impl::LuProblem<T> p;
        p.x = storage(d);
        p.result = Impl::LuResult::determinant;
        run_problem<factors>(p, a, codes, launch);
      },
      [&](auto const& a, auto const& logs, auto const& signs, auto const& codes) {
        Impl::LuProblem<T> p;
        p.x = storage(signs), p.log_size = storage(logs);
        p.result = Impl::LuResult::determinant;
        run_problem<factors>(p, a, codes, launch);
      });
}
template <class T, class Launch>
void check_problems(int n, int columns, std::int64_t items, Arranged how, Random& random,
                    Launch const& launch, bool all_bits = false) {
  using enum Impl::LuTask;
  check_inverses<T>(n, items, how, random, launch);
  check_lu<T>(
      n, columns, items, how, random,
      [&](auto const& a, auto const& lu, auto const& rows, auto const& codes) {
        Impl::LuProblem<T> p;
        p.lu = storage(lu);
        p.order = storage(rows);
        p.result = Impl::LuResult::factors;
        run_problem<factors>(p, a, codes, launch);
      },
      [&](auto const& a, auto const& b, auto const& x, auto const& codes) {
        Impl::LuProblem<T> p;
        p.b = storage(b).as_const();
        p.x = storage(x);
        p.columns = columns;
        run_problem<solutions>(p, a, codes, launch);
      },
      all_bits);
}

/// Units do not matter.
template <class T, class Launch>
void check_units_of(int n, int columns, Launch const& launch) {
  using enum Impl::LuTask;
  SCOPED_TRACE(n);
  constexpr std::int64_t items = 3;
  auto const matrix = [&](int cols) {
    return ArrangedBatch<T>(items, n, cols, Arranged::item_contiguous);
  };
  ArrangedBatch<int> const codes(items, 1, 1, Arranged::item_contiguous),
      rows(items, n, 1, Arranged::item_contiguous);
  auto const expect_success = [&] {
    codes.download();
    for (std::int64_t q = 0; q < items; ++q) ASSERT_EQ(codes.at(q, 0, 0), 0);
  };
  auto const factor = [&](auto const& a, auto const& lu) {
    Impl::LuProblem<T> p;
    p.lu = storage(lu), p.order = storage(rows);
    p.result = Impl::LuResult::factors;
    run_problem<factors>(p, a, codes, launch);
    expect_success();
  };
  auto const solve = [&](auto const& a, auto const& b, auto const& x) {
    Impl::LuProblem<T> p;
    p.b = storage(b).as_const(), p.x = storage(x);
    p.columns = columns;
    run_problem<solutions>(p, a, codes, launch);
    expect_success();
  };
  auto const invert = [&](auto const& a, auto const& x) {
    Impl::LuProblem<T> p;
    p.x = storage(x);
    p.columns = n;
    run_problem<inverses>(p, a, codes, launch);
    expect_success();
  };
  auto const a = matrix(n), lu = matrix(n), lu0 = matrix(n), b = matrix(columns),
             x = matrix(columns), x0 = matrix(columns), inverse = matrix(n), inverse0 = matrix(n);
  fill_units(a, Filling::general, 1, 0), fill_units(b, Filling::symmetric, 2, 0);
  factor(a, lu0), solve(a, b, x0), invert(a, inverse0);
  for (int k : powers_of_units<T>()) {
    fill_units(a, Filling::general, 1, k), fill_units(b, Filling::symmetric, 2, k);
    factor(a, lu), solve(a, b, x);
    expect_in_units(lu0, lu, k, k, "U", [](int i, int j) { return j >= i; });
    expect_in_units(lu0, lu, k, 0, "L", [](int i, int j) { return j < i; });
    expect_in_units(x0, x, k, 0, "solutions");
    // The inverses of other items are not normal numbers.
    if (std::abs(k) > std::numeric_limits<T>::max_exponent - 16) continue;
    invert(a, inverse);
    expect_in_units(inverse0, inverse, k, -k, "inverses");
  }
}

template <class Kernel>
void run_kernel(Kernel const& kernel, Impl::DeviceLimits const& limits) {
  ASSERT_LE(kernel.bytes(), limits.scratch_of_team);
  ASSERT_LE(kernel.team(), kernel.largest_team);
  run_teams(kernel, int(kernel.teams()), kernel.team(), kernel.bytes());
}
/// With a workspace of this many slots.
template <class T>
void check_workspace(int n, int columns, std::int64_t items, std::int64_t slots, Arranged how,
                     Random& random) {
  SCOPED_TRACE(std::to_string(slots) + " slots");
  check_problems<T>(n, columns, items, how, random,
                    [&]<Impl::LuTask Task>(Impl::LuProblem<T> const& p) {
                      SlotsOfTest<T> const memory(slots, Impl::LuSlot::of(p).bytes(sizeof(T)));
                      Impl::LuTeamsInWorkspace<T> const kernel(p, memory.slots);
                      ASSERT_EQ(kernel.teams(), std::min(slots, p.items));
                      run_teams(kernel, int(kernel.teams()), kernel.team(), kernel.bytes());
                      ASSERT_TRUE(memory.fenced());
                    });
}

template <class T, bool Large>
void check_teams(int n, int columns, std::int64_t items, Arranged how, Random& random) {
  auto const limits = h200_with_kokkos_4();
  check_problems<T>(n, columns, items, how, random,
                    [&]<Impl::LuTask Task>(Impl::LuProblem<T> const& p) {
                      run_kernel(Impl::LuTeams<T, Large>(p, limits), limits);
                    });
}
/// The kernels with one lane for each item.
template <class T, int N>
void check_lanes(int columns, std::int64_t items, Arranged how, Random& random) {
  check_problems<T>(
      N, columns, items, how, random,
      [&]<Impl::LuTask Task>(Impl::LuProblem<T> const& p) {
        if (Task == Impl::LuTask::solutions && p.columns == 1)
          run_lanes(Impl::LuOfLane<T, N, Impl::LuTask::solution>(p));
        else run_lanes(Impl::LuOfLane<T, N, Task>(p));
      },
      true);
}

TEST(LuTeams, AnItemOfEachLane) {
  Random random(6);
  for (auto how : all_arranged) {
    check_lanes<double, 1>(2, 5, how, random);
    check_lanes<float, 3>(1, 33, how, random);
    check_lanes<float, 8>(3, 31, how, random);
    check_lanes<double, 4>(5, 32, how, random);
    check_lanes<double, 7>(1, 70, how, random);
  }
  check_lanes<float, 5>(11, 1, Arranged::item_contiguous, random);
  check_lanes<double, 6>(6, 257, Arranged::interleaved, random);
}

/// Every device can hold as many teams as the launch bounds promise.
TEST(LuTeams, LanesFitEveryDevice) {
  for (auto const& device : devices()) {
    SCOPED_TRACE(device.name);
    auto const check = [&]<class T, int N, Impl::LuTask Task>() {
      Impl::LuProblem<T> p;
      p.items = 1000;
      p.columns = 2;
      p.result =
          Task == Impl::LuTask::factors ? Impl::LuResult::factors : Impl::LuResult::solutions;
      // Only numbers of the same item are adjacent.
      Impl::Storage<T> const rows{nullptr, 1, N * N, 0, N, 1};
      p.a = p.b = rows.as_const(), p.x = p.lu = rows;
      p.order = {nullptr, 1, N * N, 0, 1, 0};
      using F = Impl::LuOfLane<T, N, Task>;
      Impl::LaneTeams<F> const kernel(F(p), device.limits);
      EXPECT_LE(kernel.bytes(), device.limits.scratch_of_team) << N;
      EXPECT_TRUE(!device.counts_teams ||
                  device.limits.holds(kernel.wanted_teams, kernel.team(), kernel.bytes()))
          << N;
    };
    auto const all = [&]<class T, int... K>(std::integer_sequence<int, K...>) {
      (check.template operator()<T, K + 1, Impl::LuTask::factors>(), ...);
      (check.template operator()<T, K + 1, Impl::LuTask::solution>(), ...);
      (check.template operator()<T, K + 1, Impl::LuTask::solutions>(), ...);
    };
    all.template operator()<float>(std::make_integer_sequence<int, 8>());
    all.template operator()<double>(std::make_integer_sequence<int, 8>());
  }
}

TEST(LuTeams, ItemsOfAWarp) {
  Random random(4);
  check_teams<double, false>(1, 1, 7, Arranged::item_contiguous, random);
  check_teams<double, false>(5, 3, 13, Arranged::interleaved, random);
  check_teams<float, false>(9, 10, 7, Arranged::by_columns, random);
  check_teams<float, false>(Impl::Vendor::has_shuffles ? 17 : 33, 2, 2, Arranged::interleaved,
                            random);
  check_teams<double, false>(12, 1, 6, Arranged::strided, random);
}
TEST(LuTeams, ItemsOfATeam) {
  Random random(5);
  check_teams<float, true>(21, 2, 4, Arranged::item_contiguous, random);
}

/// Panels: full ones, and a last one of one to seven columns; one to five warps with rows; lanes
/// without rows; rows of 16 numbers with and without padding; several right-hand sides, and more
/// than are solved for at the same time; every kind of item up to 48 rows.
template <class T>
void check_panels(int n, int columns, std::int64_t items, Arranged how, Random& random,
                  bool has_room = true) {
  if constexpr (Impl::Vendor::has_shuffles)
    check_problems<T>(
        n, columns, items, how, random, [&]<Impl::LuTask>(Impl::LuProblem<T> const& p) {
          using Kernel = Impl::LuTeams<T, true>;
          auto limits = h200_with_kokkos_5();
          if (!has_room)
            limits.scratch_of_team = Kernel(p, limits).bytes() - std::size_t(n) * 4 * sizeof(T);
          Kernel const kernel(p, limits);
          int const rounded = (n + 3) / 4 * 4;
          ASSERT_EQ(kernel.leading, rounded + (has_room && rounded % 16 == 0 ? 4 : 0));
          run_kernel(kernel, limits);
        });
}
TEST(LuTeams, Panels) {
  Random random(15);
  for (int n : {1, 7, 8, 9, 16, 31, 33})
    check_panels<double>(n, 1 + n % 3, 7, Arranged::item_contiguous, random);
  check_panels<double>(32, 10, 7, Arranged::item_contiguous, random, false);
  check_panels<double>(48, 10, 7, Arranged::by_columns, random);
  check_panels<double>(66, 1, 2, Arranged::interleaved, random);
  check_panels<double>(100, 2, 1, Arranged::strided, random);
  check_panels<double>(144, 1, 1, Arranged::item_contiguous, random);
  check_panels<float>(12, 3, 7, Arranged::interleaved, random);
  check_panels<float>(40, 1, 7, Arranged::strided, random);
  check_panels<float>(65, 1, 2, Arranged::by_columns, random);
  check_panels<float>(131, 2, 1, Arranged::item_contiguous, random);
}

/// The first warps of a team cannot wait separately. Also a vector whose substitution is part of
/// the elimination.
template <bool Ahead>
struct EliminationOfPanels {
  int n, row, four, lanes;
  double *numbers, *before, *reciprocals;
  std::int16_t *place, *order;

  template <class Member>
  void operator()(Member const& member) const {
    using Panels = Impl::EliminationPanels<double, true, Ahead>;
    char* const shown =
        static_cast<char*>(member.team_scratch(0).get_shmem_aligned(Panels::bytes_to_show, 16));
    Panels{numbers, row, four, n, before, reciprocals, place, order, shown}.eliminate(
        member, Impl::Vendor::lane_rank(member), lanes);
  }
};
template <bool Ahead>
void check_elimination_of_panels(int n, bool by_fours, Random& random) {
  if constexpr (Impl::Vendor::has_shuffles) {
    SCOPED_TRACE(n);
    int const all = (n + 7) / 8 * 8, row = by_fours ? 4 : all + 4,
              four = by_fours ? 4 * all + 4 : 4;
    auto const at = [&](int i, int j) { return std::size_t(i * row + j / 4 * four + j % 4); };
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    std::vector<Impl::Unit<double>> memory(std::size_t(all + 1) * (std::size_t(all) + 8));
    double* const numbers = memory.data()->v;
    std::fill_n(numbers, 2 * memory.size(), nan);
    Dense a(n, n), b(n, 1);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) a(i, j) = numbers[at(i, j)] = random.normal();
      b(i) = random.normal();
    }
    std::vector<double> before(std::size_t(all), nan), reciprocals(2 * std::size_t(all), nan);
    for (int i = 0; i < n; ++i) before[std::size_t(i)] = double(b(i));
    std::vector<std::int16_t> place(std::size_t(all), -1), order(std::size_t(all), -1);
    int const lanes = Impl::lanes_with_panels(n);
    EliminationOfPanels<Ahead> const kernel{
        n,           row, four, lanes, numbers, before.data(), reciprocals.data(), place.data(),
        order.data()};
    run_teams(kernel, 1, lanes, Impl::EliminationPanels<double, true, Ahead>::bytes_to_show + 16);
    Dense l(n, n), u(n, n), pa(n, n), pb(n, 1), y(n, 1);
    for (int k = 0; k < n; ++k) {
      int const i = order[std::size_t(k)];
      ASSERT_TRUE(i >= 0 && i < n && place[std::size_t(i)] == k);
      for (int j = 0; j < n; ++j) {
        double const x = numbers[at(i, j)];
        (j < k ? l : u)(k, j) = x;
        if (j < k) {
          EXPECT_LE(std::fabs(x), 1 + 0x1p-19);
        }
        pa(k, j) = a(i, j);
      }
      l(k, k) = 1;
      pb(k) = b(i), y(k) = before[std::size_t(i)];
      EXPECT_NEAR(
          reciprocals[2 * std::size_t(k)] * reciprocals[2 * std::size_t(k) + 1] * double(u(k, k)),
          1, 1e-14);
    }
    // Entries of U of a random matrix are less than 8.
    long double const few = tolerance<double>(n, 8 * n);
    ASSERT_TRUE(near(l * u, pa, Dense(n, n, few)));
    ASSERT_TRUE(near(l * y, pb, Dense(n, 1, few * n)));
  }
}
TEST(EliminationPanels, WithAVector) {
  Random random(16);
  for (int n : {3, 8, 33, 70, 101}) {
    check_elimination_of_panels<true>(n, n % 2 == 0, random);
    check_elimination_of_panels<false>(n, n % 2 != 0, random);
  }
}

/// Lanes share items, if they have shuffles.
template <class T, int N>
void check_shared_lanes(int n, int columns, std::int64_t items, Arranged how, Random& random) {
  if constexpr (Impl::Vendor::has_shuffles)
    check_problems<T>(n, columns, items, how, random,
                      [&]<Impl::LuTask Task>(Impl::LuProblem<T> const& p) {
                        auto const limits = h200_with_kokkos_5();
                        if (Task == Impl::LuTask::solutions && p.columns == 1)
                          run_kernel(Impl::SolutionOfSharedLanes<T, N>(p, limits), limits);
                        else run_kernel(Impl::LuBySharedLanes<T, N, Task>(p, limits), limits);
                      });
}
TEST(LuTeams, ItemsThatLanesShare) {
  Random random(8);
  for (auto how : all_arranged) {
    check_shared_lanes<float, 12>(9, 1, 33, how, random);
    check_shared_lanes<double, 12>(12, 13, 31, how, random);
  }
  check_shared_lanes<double, 12>(1, 3, 7, Arranged::interleaved, random);
  check_shared_lanes<float, 12>(5, 25, 65, Arranged::by_columns, random);
}

template <class T, int N>
void check_solution(int n, std::int64_t items, Arranged how, Random& random) {
  if constexpr (Impl::Vendor::has_shuffles)
    check_problems<T>(n, 1, items, how, random,
                      [&]<Impl::LuTask Task>(Impl::LuProblem<T> const& p) {
                        auto const limits = h200_with_kokkos_5();
                        if constexpr (Task == Impl::LuTask::solutions)
                          run_kernel(Impl::SolutionOfSharedLanes<T, N>(p, limits), limits);
                        else if constexpr (Task == Impl::LuTask::inverses)
                          run_kernel(Impl::LuTeams<T, true>(p, limits), limits);
                        else run_kernel(Impl::LuTiles<T, 4, Task>(p, limits), limits);
                      });
}
TEST(LuTeams, SolutionsByLanesThatShare) {
  Random random(14);
  for (auto how : all_arranged) {
    check_solution<float, 12>(12, 17, how, random);
    check_solution<double, 16>(13, 9, how, random);
    check_solution<float, 24>(22, 5, how, random);
    check_solution<double, 32>(32, 3, how, random);
  }
  check_solution<double, 12>(1, 33, Arranged::interleaved, random);
  check_solution<double, 12>(9, 7, Arranged::item_contiguous, random);
  check_solution<float, 16>(16, 17, Arranged::interleaved, random);
  check_solution<double, 24>(24, 5, Arranged::item_contiguous, random);
  check_solution<float, 32>(27, 9, Arranged::strided, random);
}

template <class T, int N>
void check_smallest_number_by_shared_lanes(int n) {
  if constexpr (Impl::Vendor::has_shuffles)
    check_smallest_number<T>(n, [](auto const& a, auto const& x, auto const& codes) {
      Impl::LuProblem<T> p;
      p.b = storage(x).as_const();
      p.x = storage(x);
      p.columns = 1;
      run_problem<Impl::LuTask::solution>(
          p, a, codes, []<Impl::LuTask>(Impl::LuProblem<T> const& problem) {
            auto const limits = h200_with_kokkos_5();
            run_kernel(Impl::SolutionOfSharedLanes<T, N>(problem, limits), limits);
          });
    });
}
TEST(LuTeams, SmallestNumberBesideZeros) {
  check_smallest_number_by_shared_lanes<float, 12>(12);
  check_smallest_number_by_shared_lanes<double, 16>(16);
  check_smallest_number_by_shared_lanes<float, 24>(22);
  check_smallest_number_by_shared_lanes<double, 32>(31);
}

/// In registers, if lanes have shuffles. Others find the inverses.
template <class T, int Tiles>
void check_tiles(int n, int columns, std::int64_t items, Arranged how, Random& random) {
  if constexpr (Impl::Vendor::has_shuffles)
    check_problems<T>(
        n, columns, items, how, random, [&]<Impl::LuTask Task>(Impl::LuProblem<T> const& p) {
          auto const limits = h200_with_kokkos_5();
          if constexpr (Task == Impl::LuTask::inverses)
            run_kernel(Impl::LuTeams<T, true>(p, limits), limits);
          else if (Task == Impl::LuTask::solutions && p.columns == 1)
            run_kernel(Impl::LuTiles<T, Tiles, Impl::LuTask::solution>(p, limits), limits);
          else run_kernel(Impl::LuTiles<T, Tiles, Task>(p, limits), limits);
        });
}
TEST(LuTiles, ItemsOfAWarp) {
  Random random(6);
  check_tiles<double, 2>(1, 2, 7, Arranged::item_contiguous, random);
  check_tiles<double, 2>(5, 3, 13, Arranged::interleaved, random);
  check_tiles<float, 2>(16, 18, 4, Arranged::by_columns, random);
  check_tiles<float, 3>(23, 2, 5, Arranged::interleaved, random);
  check_tiles<double, 3>(20, 2, 4, Arranged::strided, random);
  check_tiles<float, 5>(36, 1, 3, Arranged::item_contiguous, random);
}
TEST(LuTiles, ItemsOfTwoWarps) {
  Random random(7);
  check_tiles<double, 7>(51, 3, 2, Arranged::interleaved, random);
}
/// Lanes with one or two whole rows, or none; the last of eight steps; U moved by any number of
/// places.
TEST(LuTiles, RowsOfLanes) {
  Random random(9);
  check_tiles<double, 4>(29, 2, 5, Arranged::item_contiguous, random);
  check_tiles<double, 5>(33, 1, 5, Arranged::interleaved, random);
  check_tiles<double, 6>(48, 1, 3, Arranged::by_columns, random);
  check_tiles<double, 7>(1, 1, 7, Arranged::strided, random);
  check_tiles<double, 7>(51, 1, 3, Arranged::interleaved, random);
  check_tiles<double, 8>(64, 1, 3, Arranged::item_contiguous, random);
  check_tiles<double, 8>(59, 1, 3, Arranged::interleaved, random);
  check_tiles<double, 8>(5, 1, 3, Arranged::by_columns, random);
  check_tiles<float, 8>(64, 1, 3, Arranged::item_contiguous, random);
  check_tiles<float, 8>(59, 1, 3, Arranged::interleaved, random);
}

template <class T, int N>
void check_inverse_rows(int n, std::int64_t items, Arranged how, Random& random) {
  if constexpr (Impl::Vendor::has_shuffles)
    check_inverses<T>(n, items, how, random, [&]<Impl::LuTask Task>(Impl::LuProblem<T> const& p) {
      auto const limits = h200_with_kokkos_5();
      using enum Impl::LuTask;
      if constexpr (Task == inverses && N <= Impl::lu_rows_of_lanes(inverses))
        run_kernel(Impl::InverseOfSharedLanes<T, N>(p, limits), limits);
      else if constexpr (Task == inverses) run_kernel(Impl::InverseRows<T, N>(p, limits), limits);
      else run_kernel(Impl::LuTiles<T, N / 8, Task>(p, limits), limits);
    });
}
/// Lanes that share an item: a warp with one or two rows for each lane, and two warps that
/// alternate columns; full warps, and lanes without rows.
TEST(LuTeams, InversesInRows) {
  Random random(12);
  for (auto how : all_arranged) {
    check_inverse_rows<float, 16>(13, 17, how, random);
    check_inverse_rows<double, 16>(16, 7, how, random);
    check_inverse_rows<double, 32>(29, 7, how, random);
  }
  check_inverse_rows<double, 16>(1, 13, Arranged::interleaved, random);
  check_inverse_rows<float, 24>(23, 1, Arranged::item_contiguous, random);
  check_inverse_rows<double, 24>(24, 9, Arranged::interleaved, random);
  check_inverse_rows<float, 32>(32, 7, Arranged::item_contiguous, random);
  check_inverse_rows<float, 40>(37, 7, Arranged::interleaved, random);
  check_inverse_rows<double, 48>(48, 3, Arranged::item_contiguous, random);
  check_inverse_rows<double, 48>(41, 5, Arranged::interleaved, random);
  check_inverse_rows<float, 64>(64, 3, Arranged::by_columns, random);
  check_inverse_rows<double, 56>(51, 5, Arranged::interleaved, random);
  check_inverse_rows<double, 64>(64, 3, Arranged::item_contiguous, random);
  check_inverse_rows<double, 64>(3, 7, Arranged::strided, random);
  check_inverse_rows<float, 32>(2, 7, Arranged::item_contiguous, random);
}

/// By panels in scratch, with two or three rows of a lane: one warp with a panel or several, a last
/// panel of one to eight columns, rows in turned places, lanes without rows; every kind of item.
template <class T, int RowsOfLane>
void check_inverse_teams(int n, std::int64_t items, Arranged how, Random& random) {
  if constexpr (Impl::Vendor::has_shuffles)
    check_inverses<T>(n, items, how, random, [&]<Impl::LuTask Task>(Impl::LuProblem<T> const& p) {
      auto const limits = h200_with_kokkos_5();
      if constexpr (Task == Impl::LuTask::inverses) {
        Impl::InverseTeams<T, RowsOfLane> const kernel(p);
        ASSERT_TRUE(kernel.fits(limits));
        run_kernel(kernel, limits);
      } else {
        run_kernel(Impl::LuTeams<T, true>(p, limits), limits);
      }
    });
}
/// In two slots.
template <class T>
void check_inverse_workspace(int n, std::int64_t items, Arranged how, Random& random) {
  if constexpr (Impl::Vendor::has_shuffles)
    check_inverses<T>(n, items, how, random, [&]<Impl::LuTask Task>(Impl::LuProblem<T> const& p) {
      auto const limits = h200_with_kokkos_5();
      if constexpr (Task == Impl::LuTask::inverses) {
        using Kernel = Impl::InverseTeamsInWorkspace<T>;
        ASSERT_TRUE(p.inverts() && Kernel::fits(n, limits));
        auto const slot = Impl::LuSlot::of(p);
        SlotsOfTest<T> const memory(2, slot.bytes(sizeof(T)));
        Kernel const kernel(p, memory.slots, slot.leading);
        run_teams(kernel, int(kernel.teams()), kernel.team(), kernel.bytes());
        ASSERT_TRUE(memory.fenced());
      } else {
        run_kernel(Impl::LuTeams<T, true>(p, limits), limits);
      }
    });
}
TEST(LuTeams, InversesByPanels) {
  Random random(21);
  for (auto how : all_arranged) check_inverse_teams<double, 3>(21, 7, how, random);
  check_inverse_teams<double, 2>(8, 7, Arranged::item_contiguous, random);
  check_inverse_teams<double, 2>(32, 7, Arranged::by_columns, random);
  check_inverse_teams<double, 2>(66, 2, Arranged::interleaved, random);
  check_inverse_teams<float, 3>(57, 1, Arranged::item_contiguous, random);
  check_inverse_teams<double, 3>(97, 1, Arranged::strided, random);
  check_inverse_teams<double, 2>(130, 1, Arranged::item_contiguous, random);
  check_inverse_teams<float, 3>(40, 7, Arranged::interleaved, random);
  check_inverse_teams<float, 2>(65, 1, Arranged::by_columns, random);
}
TEST(LuTeams, InversesInAWorkspace) {
  Random random(22);
  check_inverse_workspace<double>(9, 7, Arranged::interleaved, random);
  check_inverse_workspace<double>(75, 2, Arranged::item_contiguous, random);
  check_inverse_workspace<float>(40, 7, Arranged::strided, random);
}

/// Where the first warps of a team cannot wait alone.
template <class T, bool Ahead>
struct InversionOfPanels {
  using Panels = Impl::InversionPanels<T, 2, Ahead>;
  int n, leading, lanes;
  T *numbers, *inverses;
  std::int16_t *place, *order;
  std::int32_t *keys, *code;

  template <class Member>
  void operator()(Member const& member) const {
    char* const shown =
        static_cast<char*>(member.team_scratch(0).get_shmem_aligned(Panels::bytes_to_show(n), 16));
    Panels{n, place, order, inverses, keys, code, shown}.eliminate(
        member, Impl::NumbersInPanels<T>::in_scratch(numbers, leading),
        Impl::Vendor::lane_rank(member), lanes);
  }
};
template <class T, bool Ahead>
void check_inversion_of_panels(int n, Random& random) {
  SCOPED_TRACE(n);
  using Kernel = InversionOfPanels<T, Ahead>;
  auto const rows = std::size_t(n);
  int const leading = (n + 7) / 8 * 8, lanes = 128 * Kernel::Panels::warps_of_panel(n);
  std::vector<Impl::Unit<T>> memory(rows * std::size_t(leading) * sizeof(T) / 16 + 1);
  auto const numbers = Impl::NumbersInPanels<T>::in_scratch(memory.data()->v, leading);
  Dense a(n, n), x(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < leading; ++j) {
      T const number = j < n ? T(random.normal()) : T(0);
      *numbers.number(i, j) = number;
      if (j < n) a(i, j) = number;
    }
  std::vector<T> inverses(rows);
  std::vector<std::int16_t> place(rows, -1), order(rows, -1);
  std::vector<std::int32_t> keys(rows);
  std::int32_t code = 0;
  Kernel const kernel{
      n,           leading, lanes, memory.data()->v, inverses.data(), place.data(), order.data(),
      keys.data(), &code};
  run_teams(kernel, 1, lanes, Kernel::Panels::bytes_to_show(n) + 16);
  ASSERT_EQ(code, 0);
  long double largest = 0;
  for (int k = 0; k < n; ++k) {
    int const row = order[std::size_t(k)];
    ASSERT_TRUE(row >= 0 && row < n && place[std::size_t(row)] == k);
    for (int j = 0; j < n; ++j) {
      x(k, j) = inverses[std::size_t(row)] * *numbers.number(row, place[std::size_t(j)]);
      largest = std::max(largest, std::fabs(x(k, j)));
    }
  }
  // Entries of a and of U are less than 8.
  ASSERT_TRUE(near(a * x, eye(n), Dense(n, n, tolerance<T>(3 * n, 64 * n * largest))));
}
TEST(InversionPanels, WarpsThatWaitTogether) {
  if constexpr (Impl::Vendor::has_shuffles) {
    Random random(23);
    for (int n : {9, 70, 101}) {
      check_inversion_of_panels<double, true>(n, random);
      check_inversion_of_panels<double, false>(n, random);
      check_inversion_of_panels<float, false>(n, random);
    }
  }
}

/// No system is solved, but the status is the status of the elimination.
TEST(LuTeams, NoRightHandSides) {
  Random random(17);
  check_lanes<double, 3>(0, 37, Arranged::interleaved, random);
  check_lanes<float, 8>(0, 13, Arranged::item_contiguous, random);
  check_teams<double, false>(5, 0, 13, Arranged::interleaved, random);
  check_teams<float, false>(9, 0, 7, Arranged::item_contiguous, random);
  check_teams<float, true>(21, 0, 7, Arranged::item_contiguous, random);
  check_panels<double>(33, 0, 7, Arranged::item_contiguous, random);
  check_panels<float>(65, 0, 2, Arranged::by_columns, random);
  check_shared_lanes<double, 12>(12, 0, 31, Arranged::item_contiguous, random);
  check_tiles<float, 2>(16, 0, 7, Arranged::by_columns, random);
  check_tiles<double, 4>(29, 0, 7, Arranged::interleaved, random);
  check_tiles<double, 7>(51, 0, 7, Arranged::interleaved, random);
  check_workspace<double>(9, 0, 7, 3, Arranged::interleaved, random);
}

/// Fewer slots than items, a partial last round, and more slots than items; pivots that fail in
/// some items of a team.
TEST(LuTeams, ItemsInAWorkspace) {
  Random random(6);
  check_workspace<double>(5, 3, 7, 3, Arranged::interleaved, random);
  check_workspace<float>(5, 10, 3, 2, Arranged::by_columns, random);
  check_workspace<float>(9, 1, 2, 1, Arranged::strided, random);
  check_workspace<double>(1, 1, 2, 5, Arranged::item_contiguous, random);
}
/// More columns than are requested at the same time, and more rows than lanes.
TEST(LuTeams, LargeItemsInAWorkspace) {
  if (!Impl::Vendor::has_shuffles) return;
  Random random(7);
  check_workspace<double>(33, 2, 1, 1, Arranged::item_contiguous, random);
  constexpr int n = 259;
  ArrangedBatch<double> const a(1, n, n, Arranged::by_columns), x(1, n, 1, Arranged::interleaved),
      b(1, n, 1, Arranged::interleaved);
  a.randomise(random), b.randomise(random);
  Impl::LuProblem<double> p;
  p.a = storage(a).as_const(), p.b = storage(b).as_const(), p.x = storage(x);
  p.items = p.columns = 1;
  p.n = n;
  SlotsOfTest<double> const memory(1, Impl::LuSlot::of(p).bytes(sizeof(double)));
  Impl::LuTeamsInWorkspace<double> const kernel(p, memory.slots);
  run_teams(kernel, 1, kernel.team(), kernel.bytes());
  x.download();
  Dense const ak = item(a, 0), xk = item(x, 0);
  // |L| |U| of a random matrix is less than 8 n.
  long double const few = tolerance<double>(3 * n, 8 * n);
  long double largest = 0;
  for (int i = 0; i < n; ++i) largest = std::max(largest, std::fabs(xk(i)));
  ASSERT_TRUE(near(ak * xk, item(b, 0), Dense(n, 1, few * n * largest)));
}

template <class T, int N>
void check_units_of_lanes(int columns) {
  check_units_of<T>(N, columns, []<Impl::LuTask Task>(Impl::LuProblem<T> const& p) {
    run_lanes(Impl::LuOfLane<T, N, Task>(p));
  });
}
template <class T, bool Large>
void check_units_of_teams(int n, int columns) {
  check_units_of<T>(n, columns, []<Impl::LuTask Task>(Impl::LuProblem<T> const& p) {
    auto const limits = h200_with_kokkos_5();
    run_kernel(Impl::LuTeams<T, Large>(p, limits), limits);
  });
}
template <class T, int N>
void check_units_of_shared_lanes(int n) {
  if constexpr (Impl::Vendor::has_shuffles)
    check_units_of<T>(n, 1, []<Impl::LuTask Task>(Impl::LuProblem<T> const& p) {
      auto const limits = h200_with_kokkos_5();
      if constexpr (Task == Impl::LuTask::solutions)
        run_kernel(Impl::SolutionOfSharedLanes<T, N>(p, limits), limits);
      else run_kernel(Impl::LuBySharedLanes<T, N, Task>(p, limits), limits);
    });
}
template <class T, int Tiles>
void check_units_of_tiles(int n, int columns) {
  if constexpr (Impl::Vendor::has_shuffles)
    check_units_of<T>(n, columns, []<Impl::LuTask Task>(Impl::LuProblem<T> const& p) {
      auto const limits = h200_with_kokkos_5();
      if constexpr (Task == Impl::LuTask::inverses && Tiles > 3)
        run_kernel(Impl::InverseRows<T, 8 * Tiles>(p, limits), limits);
      else if constexpr (Task == Impl::LuTask::inverses)
        run_kernel(Impl::LuTeams<T, true>(p, limits), limits);
      else run_kernel(Impl::LuTiles<T, Tiles, Task>(p, limits), limits);
    });
}
template <class T, int RowsOfLane>
void check_units_of_inverse_teams(int n) {
  if constexpr (Impl::Vendor::has_shuffles)
    check_units_of<T>(n, 1, []<Impl::LuTask Task>(Impl::LuProblem<T> const& p) {
      auto const limits = h200_with_kokkos_5();
      if constexpr (Task == Impl::LuTask::inverses)
        run_kernel(Impl::InverseTeams<T, RowsOfLane>(p), limits);
      else run_kernel(Impl::LuTeams<T, true>(p, limits), limits);
    });
}
TEST(LuTeams, Units) {
  check_units_of_inverse_teams<double, 3>(33), check_units_of_inverse_teams<float, 2>(20);
  check_units_of_lanes<float, 1>(1), check_units_of_lanes<double, 3>(2);
  check_units_of_lanes<float, 8>(3);
  check_units_of_teams<double, false>(5, 2), check_units_of_teams<float, false>(14, 1);
  check_units_of_teams<double, true>(19, 2), check_units_of_teams<float, true>(33, 1);
  check_units_of_shared_lanes<float, 12>(9), check_units_of_shared_lanes<double, 12>(12);
  check_units_of_tiles<float, 2>(16, 2), check_units_of_tiles<double, 4>(29, 2);
  check_units_of_tiles<float, 8>(61, 1), check_units_of_tiles<double, 6>(48, 2);
}

/// On every device all supported numbers of rows fit.
TEST(LuTeams, FitEveryDevice) {
  for (auto const& device : devices()) {
    SCOPED_TRACE(device.name);
    auto const check = [&]<class T, bool Large>(int n, int columns) {
      Impl::LuProblem<T> p;
      p.n = n;
      p.columns = columns;
      p.items = 1000;
      p.result = columns == 0 ? Impl::LuResult::factors : Impl::LuResult::solutions;
      p.a = {nullptr, 1, 1, 0, 1000, 1000 * n};
      Impl::LuTeams<T, Large> const kernel(p, device.limits);
      EXPECT_LE(kernel.bytes(), device.limits.scratch_of_team) << n;
      EXPECT_LE(kernel.team(), kernel.largest_team) << n;
    };
    auto const most = Impl::LuTeams<double, true>::most_rows(device.limits.scratch_of_team, true);
    for (int columns : {0, 1, 8}) {
      for (int n : {1, 7, 32, 64})
        if (n <= most) check.template operator()<double, false>(n, columns);
      check.template operator()<double, true>(most, columns);
    }
  }
  if (!Impl::Vendor::has_shuffles) return;
  // Where a kernel has room for the factors one has for the inverse, if its rows are no longer.
  for (auto const& device : devices()) {
    SCOPED_TRACE(device.name);
    auto const check = [&]<class T>(T) {
      auto const most = Impl::LuTeams<T, true>::most_rows(device.limits.scratch_of_team, true);
      Impl::LuProblem<T> p;
      p.items = 1000;
      p.a = {nullptr, 1, 1, 0, 1000, 1000};
      for (int n = 57; n < most; ++n) {
        if ((n + 3) / 4 % 2 != 0) continue;
        p.n = p.columns = n;
        Impl::InverseTeams<T, 3> const some(p);
        Impl::InverseTeams<T, 2> const one(p);
        EXPECT_TRUE(some.fits(device.limits) || one.fits(device.limits)) << n;
        EXPECT_LE(one.team(), one.largest_team) << n;
      }
    };
    check(1.0), check(1.0f);
  }
  EXPECT_EQ((Impl::LuTeams<float, true>::most_rows(206824, false)), 224);
  EXPECT_EQ((Impl::LuTeams<double, true>::most_rows(206824, false)), 159);
  EXPECT_EQ((Impl::LuTeams<float, true>::most_rows(206824, true)), 224);
  EXPECT_EQ((Impl::LuTeams<double, true>::most_rows(206824, true)), 158);
  EXPECT_EQ((Impl::LuTeams<float, true>::most_rows(40928, false)), 98);
  EXPECT_EQ((Impl::LuTeams<double, true>::most_rows(40928, false)), 68);
  EXPECT_EQ((Impl::LuTeams<float, true>::most_rows(40928, true)), 97);
  EXPECT_EQ((Impl::LuTeams<double, true>::most_rows(40928, true)), 68);
}

}  // namespace
}  // namespace Batchwork::Test

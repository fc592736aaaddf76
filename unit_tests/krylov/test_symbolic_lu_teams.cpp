// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The device kernels of solve with direct_lu(symbolic), run on the host by teams of threads.
// Compiled a second time with warps of 32 lanes.
#include "krylov/SymbolicCase.hpp"
#include "krylov/direct/detail/Batchwork_DirectRows.hpp"
#include "krylov/direct/detail/Batchwork_DirectTiles.hpp"
#include "krylov/direct/detail/Batchwork_MarkedItems.hpp"
#include "krylov/direct/detail/Batchwork_SymbolicTeams.hpp"
#include "support/Batchwork_Devices.hpp"
#include "support/HostTeams.hpp"
#include "support/SlotsOfTest.hpp"

namespace Batchwork::Test {
namespace {

template <class Kernel>
void run_kernel(Kernel const& kernel) {
  ASSERT_LE(kernel.bytes(), h200_with_kokkos_5().scratch_of_team);
  ASSERT_LE(kernel.team(), kernel.largest_team);
  run_teams(kernel, int(kernel.teams()), kernel.team(), kernel.bytes());
}

struct ByLanes {
  int lanes;
  template <class A>
  auto operator()(A const& a) const {
    return Impl::make_symbolic(Space(), a, {}, lanes);
  }
};
/// The items that the kernel of direct_lu leaves, if that kernel is used.
template <class T>
bool by_tiles([[maybe_unused]] Impl::DirectProblem<T> const& p) {
  if constexpr (Impl::Vendor::has_shuffles) {
    if (p.n <= 32 && p.n % 2 == 0) {
      run_kernel(Impl::DirectTiles<T, 4>(p, h200_with_kokkos_5()));
      return true;
    }
  }
  return false;
}
/// Both kernels, in sequence.
struct OnTeams {
  std::int64_t slots = 0;  ///< slots of a workspace for the remaining items, or none
  template <class T, class Solver, class A>
  void operator()(Solver const& solver, A const& a, ArrangedBatch<T> const& b,
                  ArrangedBatch<T> const& x, SolveLog<T> const& log) const {
    auto const of = Impl::stored(b.batch()), to = Impl::stored(x.batch());
    Impl::DirectProblem<T> p = Impl::direct_problem<T>(solver, a, of, to, log, x.items);
    auto const& s = solver.symbolic;
    Impl::SymbolicProblem<T> const by_pattern{p, s.lists(), Impl::largest_of_column<T>(solver),
                                              true, log.dense_form.data()};
    run_kernel(Impl::SymbolicTeams<T>(by_pattern, s.lanes()));
    p.only_marked = true;
    if (slots == 0 && by_tiles<T>(p)) return;
    if (slots == 0) {
      run_kernel(Impl::MarkedItems<T>(p, 2));
    } else {
      using Kernel = Impl::DirectTeamsInWorkspace<T, T>;
      SlotsOfTest<T> const memory(slots, Kernel::room_of(p.n).bytes());
      run_kernel(Kernel(p, memory.slots));
      ASSERT_TRUE(memory.fenced());
    }
  }
};

#if defined(BATCHWORK_VENDOR_WARPS)
constexpr int few = 32, many = 64;
#else
constexpr int few = 4, many = 8;
#endif

TEST(SymbolicLuTeams, AnItemOfATeam) {
  Random random(1);
  for (int rows : {1, 2, 6, 34})
    check_pattern_formats<double>(tridiagonal(rows), 1, 8, all_arranged[rows % 4], random,
                                  ByLanes{few}, OnTeams(), rows == 6);
  check_pattern_formats<float>(tridiagonal(8), 2, 5, Arranged::interleaved, random, ByLanes{few},
                               OnTeams(), false);
}
TEST(SymbolicLuTeams, AnItemOfManyLanes) {
  Random random(2);
  check_pattern_formats<double>(grid_pattern(6), 2, 5, Arranged::item_contiguous, random,
                                ByLanes{many}, OnTeams(), false);
  // Sums that are so long that lanes share them.
  check_pattern_formats<double>(arrow_pattern(random, 40, 3), 1, 3, Arranged::by_columns, random,
                                ByLanes{many}, OnTeams(), false);
}
TEST(SymbolicLuTeams, WhatIsLeftInAWorkspace) {
  Random random(3);
  check_pattern_formats<double>(scattered_pattern(random, 12, 2), 1, 9, Arranged::strided, random,
                                ByLanes{few}, OnTeams{2}, false);
}
TEST(SymbolicLuTeams, NumbersThatGrow) {
  auto const in_order = [](auto const& a) {
    std::vector<int> order;
    for (int i = 0; i < a.rows(); ++i) order.push_back(i);
    return Impl::make_symbolic(Space(), a, order, few);
  };
  check_growth(12, in_order, OnTeams(), true);
  check_growth(12, in_order, OnTeams(), false);
}
TEST(SymbolicLuTeams, PlantedPivots) {
  check_planted_pivots<double>(1e-1, ByLanes{few}, OnTeams());
  check_planted_pivots<float>(1e-2, ByLanes{few}, OnTeams());
}
/// Columns that are twice in a row of the pattern.
TEST(SymbolicLuTeams, RepeatedColumns) {
  RepeatedColumns const of;
  OnTeams()(direct_lu(ByLanes{few}(of.a()), relative(1e-14)), of.a(), of.b, of.x, of.log);
  of.expect_solution(1e-14);
}

}  // namespace
}  // namespace Batchwork::Test

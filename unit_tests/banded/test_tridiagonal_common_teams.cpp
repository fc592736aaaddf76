// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The device kernels of solve_tridiagonal with one matrix for all items, run on the host by teams
// of threads.
#include "TridiagonalCommonCase.hpp"
#include "banded/detail/Batchwork_TridiagonalCommonTeams.hpp"
#include "support/Batchwork_Devices.hpp"
#include "support/HostTeams.hpp"

namespace Batchwork::Test {
namespace {

template <int Rows>
struct ByTeams {
  bool by_rows;
  template <class T>
  void operator()(TridiagonalCommonData<T> const& d, bool in_place) const {
    Impl::TridiagonalCommonTeams<T, Rows> const kernel(d.problem(in_place), by_rows, 2);
    ASSERT_LE(kernel.team(), kernel.largest_team);
    ASSERT_LE(kernel.bytes(), h200_with_kokkos_5().scratch_of_team);
    run_teams(kernel, int(kernel.teams()), kernel.team(), kernel.bytes());
  }
};

TEST(TridiagonalCommonTeams, LanesHaveParts) {
  using enum Arranged;
  Random random(1);
  for (int n : {1, 4, 9}) {
    check_common_tridiagonal<double>(n, 300, interleaved, item_contiguous, random,
                                     ByTeams<9>{false});
    check_common_tridiagonal<float>(n, 131, item_contiguous, strided, random, ByTeams<9>{true});
  }
  for (int n : {32, 33, 200}) {
    check_common_tridiagonal<double>(n, 70, interleaved, interleaved, random, ByTeams<32>{false});
    check_common_tridiagonal<double>(n, 37, item_contiguous, item_contiguous, random,
                                     ByTeams<17>{true});
  }
  check_common_tridiagonal<float>(1025, 9, item_contiguous, interleaved, random, ByTeams<17>{true});
  check_common_tridiagonal<float>(600, 17, interleaved, strided, random, ByTeams<32>{false});
}
TEST(TridiagonalCommonTeams, TheLargestMatrixFits) {
  for (bool by_rows : {false, true}) {
    Impl::TridiagonalCommonProblem<double> p;
    p.n = Impl::most_tridiagonal_rows, p.items = 10;
    std::size_t const bytes = by_rows
                                  ? Impl::TridiagonalCommonTeams<double, 17>(p, by_rows, 2).bytes()
                                  : Impl::TridiagonalCommonTeams<double, 32>(p, by_rows, 2).bytes();
    EXPECT_LE(bytes, h200_with_kokkos_5().scratch_of_team);
  }
}

}  // namespace
}  // namespace Batchwork::Test

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SolutionOfSharedLanes: the kernel of solve_lu on devices for one right-hand side and up to 32
/// rows, some lanes an item.
#ifndef BATCHWORK_SOLUTIONOFSHAREDLANES_HPP
#define BATCHWORK_SOLUTIONOFSHAREDLANES_HPP

#include <cstdint>
#include <limits>

#include "core/Batchwork_Status.hpp"
#include "dense/lu/detail/Batchwork_LuProblem.hpp"
#include "launch/detail/Batchwork_ItemsOfSharedLanes.hpp"
#include "tile/detail/shared/Batchwork_SolutionOfLanes.hpp"

namespace Batchwork::Impl {

/// Teams of a multiprocessor: as were fastest (H200, CUDA 13).
template <class T, int N>
inline constexpr int teams_of_solution = N > 24                      ? 3
                                         : sizeof(T) == 4 || N == 16 ? 4
                                                                     : 2;

/// See SolutionOfLanes: matrices of up to N rows; what is beyond them takes no part. Where
/// has_shuffles.
template <class T, int N>
struct SolutionOfSharedLanes
    : TeamsOfSharedLanes<T, lanes_of_solution<T>(N), N, teams_of_solution<T, N>> {
  static constexpr int L = lanes_of_solution<T>(N), mine = N / L;
  using Teams = TeamsOfSharedLanes<T, L, N, teams_of_solution<T, N>>;
  using Ex = Exchange<T, L, N>;
  static_assert(N % L == 0 && !Ex::ragged, "each lane has whole rows");

  StoredItems<T const> a;
  LuProblem<T> p;

  SolutionOfSharedLanes(LuProblem<T> const& of, DeviceLimits const& limits)
      : Teams(of.items, limits), a(of.a, of.n, of.n), p(of) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto const of = this->items_of(member);
    std::int64_t const item = of.begin + of.own();
    int const there = of.is_there() ? p.n : 0;
    SolutionOfLanes<T, L, N, Ex> rows(of.grid(), there);
    LaneGrid const& grid = rows.grid;
    // Few numbers, which need not come and go in the order of memory: on their way meanwhile.
    T const* const b = item_of(p.b, there > 0 ? item : 0);
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m)
      rows.rest[m] = rows.row(m) < there ? b[rows.row(m) * p.b.row] : T(0);
    of.load(a, p.n, p.n);
    of.read_lines(rows.own);
    std::int32_t code = rows.eliminate(p.n);
    rows.substitute(p.n);
    grid.sync();
    bool finite = true;
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      int const i = rows.row(m);
      if (i >= there) continue;
      T const z = rows.solution(i);
      finite = finite && is_finite(z);
      item_of(p.x, item)[i * p.x.row] = code != 0 ? std::numeric_limits<T>::quiet_NaN() : z;
    }
    bool const failed = grid.template largest<L>(finite ? 0 : 1) != 0;
    of.put_status(p.status, status_with_result(code, failed));
  }
};

}  // namespace Batchwork::Impl

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// InverseOfSharedLanes: the kernel of inverse on devices for up to 24 rows, some lanes an item.
#ifndef BATCHWORK_INVERSEOFSHAREDLANES_HPP
#define BATCHWORK_INVERSEOFSHAREDLANES_HPP

#include <cstdint>

#include "core/Batchwork_Status.hpp"
#include "dense/lu/detail/Batchwork_LuProblem.hpp"
#include "launch/detail/Batchwork_ItemsOfSharedLanes.hpp"
#include "tile/detail/shared/Batchwork_InverseOfLanes.hpp"

namespace Batchwork::Impl {

/// Teams of a multiprocessor: as were fastest (H200, CUDA 13).
template <class T, int N>
inline constexpr int teams_of_inverse = N > 16 && sizeof(T) == 8 ? 2 : 4;

/// See InverseOfLanes: matrices of up to N rows; what is beyond them takes no part. Of 32 rows its
/// code is more than an instruction cache has. Where has_shuffles.
template <class T, int N>
struct InverseOfSharedLanes
    : TeamsOfSharedLanes<T, lanes_of_inverse<T>(N), N, teams_of_inverse<T, N>> {
  static constexpr int L = lanes_of_inverse<T>(N);
  using Teams = TeamsOfSharedLanes<T, L, N, teams_of_inverse<T, N>>;
  using Ex = Exchange<T, L, N>;
  static_assert(N % L == 0 && !Ex::ragged, "each lane has whole rows");

  StoredItems<T const> a;
  StoredItems<T> x;
  LuProblem<T> p;

  InverseOfSharedLanes(LuProblem<T> const& of, DeviceLimits const& limits)
      : Teams(of.items, limits), a(of.a, of.n, of.n), x(of.x, of.n, of.n), p(of) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto const of = this->items_of(member);
    of.load(a, p.n, p.n);
    int const there = of.is_there() ? p.n : 0;
    InverseOfLanes<T, L, N, Ex> rows(of.grid(), there);
    of.read_lines(rows.own);
    std::int32_t code = rows.invert(p.n);
    bool const finite = rows.put(there, code != 0);
    bool const failed = rows.grid.template largest<L>(finite ? 0 : 1) != 0;
    code = status_with_result(code, failed);
    of.store(x, p.n, p.n);
    of.put_status(p.status, code);
  }
};

}  // namespace Batchwork::Impl

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// EighOfSharedLanes: eigh of matrices that lanes of a warp share, whole columns each, in their
/// registers, as eigh(tile).
#ifndef BATCHWORK_EIGHOFSHAREDLANES_HPP
#define BATCHWORK_EIGHOFSHAREDLANES_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "core/Batchwork_Distributed.hpp"
#include "core/detail/Batchwork_PowerOfTwo.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "dense/decompositions/detail/Batchwork_ColumnsInExchange.hpp"
#include "dense/decompositions/detail/Batchwork_EighChoice.hpp"
#include "dense/decompositions/detail/Batchwork_EighOfItems.hpp"
#include "launch/detail/Batchwork_ChosenLaunch.hpp"
#include "launch/detail/Batchwork_ItemsOfLanes.hpp"
#include "tile/Batchwork_Eigh.hpp"

namespace Batchwork::Impl {

/// Teams of a multiprocessor, see teams_of_qr_lanes.
template <class T, int N>
inline constexpr int teams_of_eigh_lanes = (sizeof(T) == 8 && N == 24) || N == 48 ? 2 : 3;

/// On a device, for matrices of up to N rows, zeros standing beyond those there are: these rows
/// belong to no value.
template <class T, int N>
struct EighOfSharedLanes
    : TeamsOfSharedLanes<T, lanes_of_columns<T>(N), N, teams_of_eigh_lanes<T, N>> {
  static constexpr int L = lanes_of_columns<T>(N);
  using Teams = TeamsOfSharedLanes<T, L, N, teams_of_eigh_lanes<T, N>>;
  using S = Distributed<T, 1, L, N>;
  using Columns = ColumnsOfLanes<dealt_t<S, false>, N, N, int>;
  static_assert(finds_eigenpairs_by_ql<S, N>);

  EighOfItems<T> p;

  EighOfSharedLanes(EighOfItems<T> const& of, DeviceLimits const& limits)
      : Teams(of.items, limits), p(of) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto const of = this->items_of(member);
    of.load(p.a, p.n, p.n);
    int const rows = of.is_there() ? p.n : 0;
    LaneGrid const grid = of.grid();
    Columns c(SymmetricInExchange<T, N, Columns::Ex::leading>{grid.numbers<T>(), rows}, grid, p.n);
    T const size = largest_entry(c);
    UnitScale<T> const scale(size);
    scale_columns(c, scale);
    T values[Columns::mine];
    bool const open = find_eigenpairs(c, is_finite(size), values);
    auto const value = [&](int m) { return values[m] * scale.second_back * scale.first_back; };
    std::int32_t const code = rotation_status(size, open, infinite_if_any(c, value));
    bool const failed = code != 0;
    c.grid = of.grid();
    put_numbers(c, failed, value);
    of.store(p.values, p.n, 1);
    if (p.stores_vectors) {
      c.grid = of.grid();
      put_columns(c, failed, [&](int m, int i) { return c.at(m, i); });
      of.store(p.vectors, p.n, p.n);
    }
    of.put_status(p.status, code);
  }
};

/// Launches the kernel of this extent. \returns whether a device has room for it
template <class Exec, class T>
bool launch_eigh_of_shared_lanes(Exec const& exec, Call const& call, EighOfItems<T> const& f,
                                 int extent) {
  if constexpr (Vendor::has_shuffles)
    return with_extent<12, 16, 24, 32, 48, 64>(extent, [&]<int N>(KnownExtent<N>) {
      if constexpr (N > eigh_rows_of_lanes<T>()) return false;
      else return launch_shared_lanes<EighOfSharedLanes<T, N>>(exec, call, f);
    });
  else return false;
}

}  // namespace Batchwork::Impl

#endif

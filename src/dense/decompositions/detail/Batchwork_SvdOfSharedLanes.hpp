// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SvdOfSharedLanes: svd of matrices that lanes of a warp share, whole columns each, in their
/// registers, as svd(tile).
#ifndef BATCHWORK_SVDOFSHAREDLANES_HPP
#define BATCHWORK_SVDOFSHAREDLANES_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "core/Batchwork_Distributed.hpp"
#include "core/detail/Batchwork_Lanes.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "dense/decompositions/detail/Batchwork_ColumnsInExchange.hpp"
#include "dense/decompositions/detail/Batchwork_SvdChoice.hpp"
#include "dense/decompositions/detail/Batchwork_SvdOfItems.hpp"
#include "launch/detail/Batchwork_ChosenLaunch.hpp"
#include "launch/detail/Batchwork_ItemsOfLanes.hpp"
#include "tile/Batchwork_Svd.hpp"

namespace Batchwork::Impl {

/// Teams of a multiprocessor. In double, and of 24 rows in float, 480 to 960 bytes of them are
/// spilled; more registers, for fewer teams, are no faster, except for 24 rows in double (CUDA 13,
/// compute capability 9.0).
template <class T, int N>
inline constexpr int teams_of_svd_lanes = sizeof(T) == 8 && N == 24 ? 2 : 3;

/// On a device, for matrices of up to N rows, zeros standing beyond the rows and columns there are:
/// these columns belong to no value.
template <class T, int N, bool Vectors>
struct SvdOfSharedLanes : TeamsOfSharedLanes<T, lanes_of_svd<T>(N), N, teams_of_svd_lanes<T, N>> {
  static constexpr int L = lanes_of_svd<T>(N);
  using Teams = TeamsOfSharedLanes<T, L, N, teams_of_svd_lanes<T, N>>;
  using S = dealt_t<Distributed<T, 1, L, N>, false>;
  using Factors = TallSvd<S, N, N, Vectors, int>;
  using Ex = typename S::exchange;
  static_assert(begins_svd_by_eigenvectors<S, N>);

  SvdOfItems<T> p;

  SvdOfSharedLanes(SvdOfItems<T> const& of, DeviceLimits const& limits)
      : Teams(of.items, limits), p(of) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto const of = this->items_of(member);
    of.load(p.a, p.m, p.n);
    int const cols = of.is_there() ? p.n : 0;
    LaneGrid const grid = of.grid();
    Factors f(PaddedInExchange<T, N, Ex::leading>{grid.numbers<T>(), p.m, cols}, grid, p.n);
    bool const failed = f.info != 0;
    if (!of.is_there()) f.set_lengths(T(1));  // else its warp looks for columns that are too short
    f.factors.grid = of.grid();
    put_numbers(f.factors, failed, [&](int m) { return f.value(m); });
    of.store(p.values, p.n, 1);
    if constexpr (Vectors) {
      f.right.grid = of.grid();
      put_columns(f.right, failed, [&](int m, int i) { return f.right.at(m, i); });
      of.store(p.v, p.n, p.n);
      f.factors.grid = of.grid();
      f.put_left_vectors();
      f.factors.grid = of.grid();
      put_columns(f.factors, failed, [&](int m, int i) { return f.factors.at(m, i); });
      of.store(p.u, p.m, p.n);
    }
    of.put_status(p.status, f.info);
  }
};

/// Launches the kernel of this extent. \returns whether a device has room for it
template <bool Vectors, class Exec, class T>
bool launch_svd_of_shared_lanes(Exec const& exec, Call const& call, SvdOfItems<T> const& f,
                                int extent) {
  if constexpr (Vendor::has_shuffles)
    return with_extent<12, 16, 24, 32>(extent, [&]<int N>(KnownExtent<N>) {
      return launch_shared_lanes<SvdOfSharedLanes<T, N, Vectors>>(exec, call, f);
    });
  else return false;
}

}  // namespace Batchwork::Impl

#endif

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
#include "dense/decompositions/detail/Batchwork_SvdOfItems.hpp"
#include "tile/Batchwork_Svd.hpp"

namespace Batchwork::Impl {

/// Lanes that share a matrix, and teams of a multiprocessor: each lane has columns of two matrices.
/// In double, and of 24 rows in float, 480 to 960 bytes of them are spilled; more registers, for
/// fewer teams, are no faster, except for 24 rows in double (CUDA 13, compute capability 9.0).
template <class T, int N>
inline constexpr int lanes_of_svd = sizeof(T) == 8 ? lanes_per_item<T>(N)
                                    : N == 12      ? 4
                                    : N == 32      ? 32
                                                   : 8;
template <class T, int N>
inline constexpr int teams_of_svd_lanes = sizeof(T) == 8 && N == 24 ? 2 : 3;

/// On a device, for matrices of up to N rows, zeros standing beyond the rows and columns there are:
/// these columns belong to no value.
template <class T, int N, bool Vectors>
struct SvdOfSharedLanes : TeamsOfSharedLanes<T, lanes_of_svd<T, N>, N, teams_of_svd_lanes<T, N>> {
  static constexpr int L = lanes_of_svd<T, N>;
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

/// Launches the kernel of the smallest extent that is large enough for the matrices. \returns
/// whether there is one, on devices whose lanes have shuffles
template <bool Vectors, class Exec, class T>
bool launch_svd_of_shared_lanes(Exec const& exec, Call const& call, SvdOfItems<T> const& f) {
  if constexpr (runs_on_device<Exec> && Vendor::has_shuffles) {
    // Of few columns beside its rows an item has lanes without any (H100, CUDA 13).
    bool const narrow = f.m > 16 ? 5 * f.n <= 3 * f.m : f.m > 2 * f.n;
    if (f.n <= 4 || narrow) return false;
    if (f.m <= 12) return launch_shared_lanes<SvdOfSharedLanes<T, 12, Vectors>>(exec, call, f);
    if (f.m <= 16) return launch_shared_lanes<SvdOfSharedLanes<T, 16, Vectors>>(exec, call, f);
    if (f.m <= 24) return launch_shared_lanes<SvdOfSharedLanes<T, 24, Vectors>>(exec, call, f);
    if (f.m <= 32) return launch_shared_lanes<SvdOfSharedLanes<T, 32, Vectors>>(exec, call, f);
  }
  return false;
}

}  // namespace Batchwork::Impl

#endif

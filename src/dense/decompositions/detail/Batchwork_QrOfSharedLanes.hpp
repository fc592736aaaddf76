// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// QrOfSharedLanes: qr of matrices that lanes of a warp share, whole columns each, in their
/// registers. Of any shape, as in QrOfLane.
#ifndef BATCHWORK_QROFSHAREDLANES_HPP
#define BATCHWORK_QROFSHAREDLANES_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <utility>

#include "core/Batchwork_Distributed.hpp"
#include "core/detail/Batchwork_Lanes.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_Scheduling.hpp"
#include "dense/decompositions/detail/Batchwork_ColumnsInExchange.hpp"
#include "dense/decompositions/detail/Batchwork_QrOfItems.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_ChosenLaunch.hpp"
#include "launch/detail/Batchwork_ItemsOfLanes.hpp"
#include "launch/detail/Batchwork_ItemsOfSharedLanes.hpp"
#include "tile/Batchwork_Qr.hpp"

namespace Batchwork::Impl {

template <class T, int N>
struct ZeroColumns : UnitColumns<T, N, N> {
  BATCHWORK_INLINE T entry(int, int) const { return T(0); }
};

/// A column in an exchange that is read anew each time: whole columns of others beside a lane's own
/// would not stay in registers.
template <class Shown>
struct ReadAnew {
  Shown column;
  BATCHWORK_INLINE auto number(int i) const { return column.number(i); }
  template <class F>
  BATCHWORK_INLINE void for_each(int first, F const& f) const {
    Vendor::scheduling_barrier();
    column.for_each(first, f);
  }
};
template <class Shown>
ReadAnew(Shown) -> ReadAnew<Shown>;
/// How reflections see other columns.
template <class S, int N>
struct ColumnsReadAnew : ColumnsOfLanes<S, N, N> {
  using ColumnsOfLanes<S, N, N>::ColumnsOfLanes;
  BATCHWORK_INLINE auto show(int k, int first) const {
    return ReadAnew{ColumnsOfLanes<S, N, N>::show(k, first)};
  }
  template <int First>
  BATCHWORK_INLINE auto show_within(int k) const {
    return ReadAnew{ColumnsOfLanes<S, N, N>::template show_within<First>(k)};
  }
};

/// Teams of a multiprocessor: as many as leave a lane registers for its columns and what it reads
/// of others, without a spill (CUDA 13, compute capability 9.0).
template <class T, int N>
inline constexpr int teams_of_qr_lanes = sizeof(T) == 4 ? (N == 12 ? 3 : 4) : (N < 24 ? 3 : 2);

/// On a device, for matrices of up to N rows and columns.
template <class T, int N>
struct QrOfSharedLanes : TeamsOfSharedLanes<T, lanes_of_columns<T>(N), N, teams_of_qr_lanes<T, N>> {
  static constexpr int L = lanes_of_columns<T>(N);
  using Teams = TeamsOfSharedLanes<T, L, N, teams_of_qr_lanes<T, N>>;
  using S = Distributed<T, 1, L, N>;
  using Ex = typename S::exchange;
  using Columns = ColumnsReadAnew<S, N>;

  QrOfItems<T> p;

  QrOfSharedLanes(QrOfItems<T> const& of, DeviceLimits const& limits)
      : Teams(of.items, limits), p(of) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto const of = this->items_of(member);
    of.load(p.a, p.m, p.n);
    int const cols = of.is_there() ? p.n : 0;
    LaneGrid const grid = of.grid();
    Columns c(PaddedInExchange<T, N, Ex::leading>{grid.numbers<T>(), p.m, cols}, grid);
    triangularise(c);
    // Lanes compute their places anew after each part. Otherwise all places would be in registers
    // from the first part on.
    c.grid = of.grid();
    std::int32_t const code = not_finite_factors(c);
    bool const failed = code != 0;
    c.grid = of.grid();
    put_columns(c, failed, [&](int m, int i) {
      return c.is_behind(m, i) ? c.at(m, i) : c.is(m, i) ? c.diagonal[m] : T(0);
    });
    of.store(p.r, p.m < p.n ? p.m : p.n, p.n);
    if (p.columns_of_q > 0) {
      c.grid = of.grid();
      Columns q(ZeroColumns<T, N>{}, c.grid);
      form_q(c, q, std::make_integer_sequence<int, N>());
      q.grid = of.grid();
      put_columns(q, failed, [&](int m, int i) { return q.at(m, i); });
      of.store(p.q, p.m, p.columns_of_q);
    }
    of.put_status(p.status, code);
  }

 private:
  /// The columns of Q. Column k and row k of the unit matrix are there from reflection k on, which
  /// changes no column before: so are they not in registers before. (LAPACK's org2r.)
  template <int... Step>
  static BATCHWORK_INLINE void form_q(Columns const& c, Columns& q,
                                      std::integer_sequence<int, Step...>) {
    auto const u = c.show_columns();
    if constexpr (Columns::steps_of_a_loop > 0) form_q_in_loops<0>(u, q);
    else (form_q_at<N - 1 - Step>(u, q), ...);
  }
  template <int K, class U>
  static BATCHWORK_INLINE void form_q_at(U const& u, Columns& q) {
    constexpr int from = Columns::round_of(K);
    BATCHWORK_UNROLL
    for (int m = from; m < Columns::mine; ++m) q.at(m, K) = q.is(m, K) ? T(1) : T(0);
    if constexpr (K < reflections<T>(N)) apply_reflection(ReadAnew{u.column(K)}, K, q, from);
  }
  template <int First, class U>
  static BATCHWORK_INLINE void form_q_in_loops(U const& u, Columns& q) {
    constexpr int steps = Columns::steps_of_a_loop, from = Columns::round_of(First),
                  most = reflections<T>(N), end = First + steps < most ? First + steps : most;
    if constexpr (First + steps < N) form_q_in_loops<First + steps>(u, q);
    BATCHWORK_UNROLL
    for (int m = from; m < Columns::mine; ++m) {
      BATCHWORK_UNROLL
      for (int i = First; i < First + steps && i < N; ++i) q.at(m, i) = q.is(m, i) ? T(1) : T(0);
    }
    BATCHWORK_KEEP_LOOP
    for (int k = end - 1; k >= First; --k)
      apply_reflection_within<First, steps>(ReadAnew{u.column(k)}, k, q, from);
  }
};

/// Launches the kernel of this extent. \returns whether a device has room for it
template <class Exec, class T>
bool launch_qr_of_shared_lanes(Exec const& exec, Call const& call, QrOfItems<T> const& f,
                               int extent) {
  if constexpr (Vendor::has_shuffles)
    return with_extent<12, 16, 24, 32>(extent, [&]<int N>(KnownExtent<N>) {
      return launch_shared_lanes<QrOfSharedLanes<T, N>>(exec, call, f);
    });
  else return false;
}

}  // namespace Batchwork::Impl

#endif

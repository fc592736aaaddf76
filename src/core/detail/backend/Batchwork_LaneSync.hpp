// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// LaneSync: how the lanes that share an item wait for each other and exchange numbers.
#ifndef BATCHWORK_LANE_SYNC_HPP
#define BATCHWORK_LANE_SYNC_HPP

#include <Kokkos_Core.hpp>
#include <type_traits>

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_BitCounts.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "core/detail/backend/Batchwork_WarpReductions.hpp"

namespace Batchwork::Impl::Vendor {

/// Whether a type is the member type of a team; with other types lanes cannot wait for their team.
template <class M>
inline constexpr bool is_team_member = requires(M const& m) {
  m.team_rank();
  m.team_barrier();
};

#if defined(BATCHWORK_VENDOR_WARPS)
/// How the lanes of a grid wait for each other: with their warp, which never diverges. All its
/// lanes take the same path through a sequence; the missing lanes of an incomplete last warp count
/// as finished, and a constant mask costs almost nothing.
struct LaneSync {
  template <class Member>
  static BATCHWORK_INLINE LaneSync of(Member const&) {
    static_assert(is_team_member<Member>, "Batchwork: lanes share items in teams of Kokkos only");
    return {};
  }
  BATCHWORK_INLINE void sync() const { warp_sync(); }
  /// The same for so many neighbouring lanes: beyond a warp, for the whole team.
  template <int Lanes>
  BATCHWORK_INLINE void sync_all() const {
    if constexpr (Lanes <= warp_lanes) {
      warp_sync(Lanes > 32 ? Lanes : 32);
    } else {
#if defined(BATCHWORK_VENDOR_CUDA) || defined(BATCHWORK_VENDOR_HIP)
      __syncthreads();
#elif defined(BATCHWORK_VENDOR_THREADS)
      ThreadAsLane::meet(ThreadAsLane::count());
#endif
    }
  }
  /// The value that the lane `from` of the L of a grid holds.
  template <int L, class T>
  BATCHWORK_INLINE T broadcast(T const& x, int from, int, char*) const {
    return shuffle<L>(x, from);
  }
  /// The sum over the L lanes of a grid, the same bits in each.
  template <int L, class T>
  BATCHWORK_INLINE T sum(T x, int, char*) const {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int step = 1; step < L; step *= 2) x = x + shuffle_xor<L>(x, step);
    return x;
  }
  /// See LaneGrid.
  template <int L, class Integer>
  BATCHWORK_INLINE int lane_of_largest(Integer x, int lane, char*) const {
    return countr_zero(ballot<L>(x == reduce_max<L>(x), lane));
  }
  template <int L>
  BATCHWORK_INLINE unsigned reduce_or(unsigned x, int, char*) const {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int step = 1; step < L; step *= 2) x |= shuffle_xor<L>(x, step);
    return x;
  }
  /// See LaneGrid. About N numbers pass between the lanes (recursive halving).
  template <int L, int N, class T>
  BATCHWORK_INLINE void reduce_scatter(T (&x)[N], int lane, char*) const {
    BATCHWORK_UNROLL
    for (int step = L / 2; step > 0; step /= 2) {
      bool const upper = (lane & step) != 0;
      BATCHWORK_UNROLL
      for (int k = 0; k < N; ++k) {
        if (k % L >= step) continue;
        // For two sums of two lanes, each lane continues with one. Sums from N on are unused.
        int const partner = k + step < N ? k + step : k;
        T const mine = upper ? x[partner] : x[k], other = upper ? x[k] : x[partner];
        x[k] = mine + shuffle_xor<L>(other, step);
      }
    }
  }
  /// See LaneGrid.
  BATCHWORK_INLINE void begin_turns() const {}
  template <int L, class T>
  BATCHWORK_INLINE T broadcast_in_turn(T const& x, int from, int, int, char*) const {
    return shuffle<L>(x, from);
  }
  /// Whether x is true in any lane of the warp, so that all lanes may branch on it.
  BATCHWORK_INLINE bool any(bool x) const { return any_of_warp(x); }
};
#else
/// Portably lanes can only wait for their whole team, so all of it runs the same number of items.
struct LaneSync {
  using Member = Kokkos::TeamPolicy<>::member_type;
  Member const* member = nullptr;

  template <class M>
  static BATCHWORK_INLINE LaneSync of([[maybe_unused]] M const& m) {
    static_assert(is_team_member<M>, "Batchwork: lanes share items in teams of Kokkos only");
#if defined(BATCHWORK_THREADS_AS_LANES)
    return {};
#else
    static_assert(!is_team_member<M> || std::is_same_v<M, Member>,
                  "Batchwork: without vendor code lanes share items in teams of the default "
                  "execution space only; launch(lanes<1>) gives each lane an item");
    if constexpr (std::is_same_v<M, Member>) return {&m};
    else return {};
#endif
  }
  BATCHWORK_INLINE void sync() const {
#if defined(BATCHWORK_THREADS_AS_LANES)
    ThreadAsLane::meet(ThreadAsLane::count());
#else
    if (member != nullptr) member->team_barrier();
#endif
  }
  template <int>
  BATCHWORK_INLINE void sync_all() const {
    sync();
  }
  /// Through the exchange of the grid; `lane` is the rank of the calling lane.
  template <int L, class T>
  BATCHWORK_INLINE T broadcast(T const& x, int from, int lane, char* exchange) const {
    T* const shared = reinterpret_cast<T*>(exchange);
    sync();
    if (lane == from) *shared = x;
    sync();
    return *shared;
  }
  template <int L, class T>
  BATCHWORK_INLINE T sum(T x, int lane, char* exchange) const {
    T* const shared = reinterpret_cast<T*>(exchange);
    sync();
    shared[lane] = x;
    sync();
    T r = shared[0];
    for (int k = 1; k < L; ++k) r = r + shared[k];
    return r;
  }
  template <int L, class Integer>
  BATCHWORK_INLINE int lane_of_largest(Integer x, int lane, char* exchange) const {
    Integer* const shared = reinterpret_cast<Integer*>(exchange);
    sync();
    shared[lane] = x;
    sync();
    int r = 0;
    for (int k = 1; k < L; ++k)
      if (shared[k] > shared[r]) r = k;
    sync();
    return r;
  }
  template <int L>
  BATCHWORK_INLINE unsigned reduce_or(unsigned x, int lane, char* exchange) const {
    unsigned* const shared = reinterpret_cast<unsigned*>(exchange);
    sync();
    shared[lane] = x;
    sync();
    for (int k = 0; k < L; ++k) x |= shared[k];
    return x;
  }
  /// All numbers at once: two waits. Lanes read at different places of different sums, which are in
  /// different banks.
  template <int L, int N, class T>
  BATCHWORK_INLINE void reduce_scatter(T (&x)[N], int lane, char* exchange) const {
    T* const shared = reinterpret_cast<T*>(exchange);
    sync();
    BATCHWORK_UNROLL
    for (int k = 0; k < N; ++k) shared[k * L + lane] = x[k];
    sync();
    BATCHWORK_UNROLL
    for (int k = 0; k < N; k += L) {
      if (k + lane >= N) continue;
      T const* const from = shared + (k + lane) * L;
      x[k] = from[lane];
      BATCHWORK_UNROLL
      for (int q = 1; q < L; ++q) x[k] += from[(lane + q) & (L - 1)];
    }
  }
  /// Two places are used alternately: one wait for each number, and one before the first.
  BATCHWORK_INLINE void begin_turns() const { sync(); }
  template <int L, class T>
  BATCHWORK_INLINE T broadcast_in_turn(T const& x, int from, int turn, int lane,
                                       char* exchange) const {
    T* const shared = reinterpret_cast<T*>(exchange) + (turn & 1);
    if (lane == from) *shared = x;
    sync();
    return *shared;
  }
  BATCHWORK_INLINE bool any(bool x) const {
#if defined(BATCHWORK_THREADS_AS_LANES)
    int const lanes = ThreadAsLane::count(), rank = ThreadAsLane::rank();
    for (int step = 1; step < lanes; step *= 2) {
      bool other = x;
      ThreadAsLane::exchange(&other, 1, (rank + step) % lanes, lanes);
      x = x || other;
    }
    return x;
#else
    int r = x ? 1 : 0;
    if (member != nullptr) member->team_reduce(Kokkos::Max<int>(r));
    return r != 0;
#endif
  }
};
#endif

}  // namespace Batchwork::Impl::Vendor

#endif

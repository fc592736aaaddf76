// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Sums and other reductions over the lanes of a warp or of a team, and sums of which each lane
/// gets a part.
#ifndef BATCHWORK_WARP_REDUCTIONS_HPP
#define BATCHWORK_WARP_REDUCTIONS_HPP

#include <limits>

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_MatrixInstructions.hpp"
#include "core/detail/backend/Batchwork_Scheduling.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"

namespace Batchwork::Impl::Vendor {

/// The largest of the integers of L lanes. Available where has_shuffles.
template <int L, class Integer>
BATCHWORK_INLINE Integer reduce_max(Integer x) {
#if defined(BATCHWORK_VENDOR_CUDA) && __CUDA_ARCH__ >= 800
  constexpr bool at_once = L == 32, half_at_once = L == 16 && sizeof(Integer) == 4;
#else
  constexpr bool at_once = false, half_at_once = false;
#endif
  if constexpr (half_at_once) {
    // The lower and the upper half separately: four shuffles would wait for each other.
    bool const upper = (lane_id() & 16) != 0;
    constexpr Integer least = std::numeric_limits<Integer>::min();
    Integer const of_lower = reduce_max<32>(upper ? least : x),
                  of_upper = reduce_max<32>(upper ? x : least);
    return upper ? of_upper : of_lower;
  } else if constexpr (at_once) {
#if defined(BATCHWORK_VENDOR_CUDA) && __CUDA_ARCH__ >= 800
    if constexpr (sizeof(x) == 4) {
      return __reduce_max_sync(0xffffffffu, x);
    } else {
      int const high = __reduce_max_sync(0xffffffffu, int(x >> 32));
      unsigned const low = __reduce_max_sync(0xffffffffu, int(x >> 32) == high ? unsigned(x) : 0u);
      return Integer(high) << 32 | Integer(low);
    }
#endif
  } else {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int step = 1; step < L; step *= 2) {
      Integer const other = shuffle_xor<L>(x, step);
      x = other > x ? other : x;
    }
    return x;
  }
}

/// Adds up over so many neighbouring lanes, a power of two up to a warp, with the same bits in each
/// of them. All lanes of a whole warp call it; if at most 32 lanes are added up, all of 32.
/// Available where has_shuffles.
///
/// In double, matrix instructions take half the time: products with matrices of ones add up the
/// numbers of four lanes, then those of the eight groups of four, as far as they belong together.
template <class T, int N>
BATCHWORK_INLINE void reduce_sum([[maybe_unused]] T (&x)[N], [[maybe_unused]] int lanes) {
#if defined(BATCHWORK_VENDOR_WARPS)
  if constexpr (has_mma<T>) {
    if (lanes > 4) {
      // After the first product a lane holds the sums of the fours 2 (lane % 4) and the next.
      int const lane = lane_id();
      bool const together = ((((lane & 3) << 3) ^ lane) & (32 - lanes)) == 0;
      BATCHWORK_UNROLL
      for (int n = 0; n < N; ++n) {
        T fours[2] = {T(0), T(0)}, all[2] = {T(0), T(0)};
        mma(fours, T(1), x[n]);
        mma(all, together ? fours[0] + fours[1] : T(0), T(1));
        x[n] = all[0];
      }
      return;
    }
  }
  BATCHWORK_UNROLL
  for (int step = 1; step < (has_mma<T> ? 4 : warp_lanes); step *= 2) {
    if (step < lanes) {
      BATCHWORK_UNROLL
      for (int n = 0; n < N; ++n) x[n] += shuffle_xor(x[n], step, lanes > 32 ? lanes : 32);
    }
  }
#endif
}

/// The sums of N numbers over so many neighbouring lanes, a power of two, by halving: lanes keep
/// half of the numbers and pass on the other half (R. Rabenseifner, "Optimization of collective
/// reduction operations", ICCS 2004). Runs put(0, n, sum) in one lane for each n, from `first` on.
template <int N, class T, class Put>
BATCHWORK_INLINE void reduce_scatter_by_halves([[maybe_unused]] T (&x)[N],
                                               [[maybe_unused]] int lanes,
                                               [[maybe_unused]] int first,
                                               [[maybe_unused]] Put const& put) {
#if defined(BATCHWORK_VENDOR_WARPS)
  if constexpr (N == 1) {
    int const last = lanes - 1;
    BATCHWORK_KEEP_LOOP
    for (; lanes > 1; lanes /= 2) x[0] += shuffle_xor(x[0], lanes / 2);
    if ((lane_id() & last) == 0) put(0, first, x[0]);
  } else {
    if (lanes == 1) {
      BATCHWORK_UNROLL
      for (int n = 0; n < N; ++n) put(0, first + n, x[n]);
      return;
    }
    bool const upper = (lane_id() & (lanes / 2)) != 0;
    T half[N / 2];
    BATCHWORK_UNROLL
    for (int n = 0; n < N / 2; ++n) {
      T const given = choose(upper, x[n], x[N / 2 + n]);
      half[n] = choose(upper, x[N / 2 + n], x[n]) + shuffle_xor(given, lanes / 2);
    }
    reduce_scatter_by_halves(half, lanes / 2, upper ? first + N / 2 : first, put);
  }
#endif
}

/// Adds up N numbers, 4 or 8, over so many neighbouring lanes, a power of two up to 32. Each sum is
/// known to one lane, which runs put(away, n, sum): the sum is number n of the lanes that are
/// `away` times the number of lanes after its own. All lanes of a whole warp call it. Available
/// where has_shuffles.
///
/// In double a matrix instruction adds up one number over groups of four lanes; each group gets a
/// row of the result.
template <class T, int N, class Put>
BATCHWORK_INLINE void reduce_scatter([[maybe_unused]] T (&x)[N], [[maybe_unused]] int lanes,
                                     [[maybe_unused]] Put const& put) {
#if defined(BATCHWORK_VENDOR_WARPS)
#if defined(BATCHWORK_VENDOR_CUDA)
  if constexpr (has_mma<T>) {
    if (lanes >= 4) {
      // Two products at a time, which do not wait for each other.
      int const lane = lane_id(), row = lane >> 2;
      T c[2][2] = {{T(0), T(0)}, {T(0), T(0)}};
      BATCHWORK_UNROLL
      for (int n = 0; n < N; ++n) mma(c[n % 2], row == n ? T(1) : T(0), x[n]);
      // For number `row`, the values of the groups of four 2 (lane % 4) and the next one.
      T s[2] = {c[0][0] + c[1][0], c[0][1] + c[1][1]};
      int const four = (lane & 3) * 2, mine = lane & -lanes;
      if (lanes == 4) {
        if (row < N) {
          put(four - row, row, s[0]);
          put(four + 1 - row, row, s[1]);
        }
        return;
      }
      T sum[1] = {s[0] + s[1]};
      BATCHWORK_KEEP_LOOP
      for (int step = 1; step * 8 < lanes; step *= 2) sum[0] += shuffle_xor(sum[0], step);
      if (row < N && ((lane & 3) * 8 & (lanes - 1)) == 0)
        put((four * 4 - mine) >> (__ffs(lanes) - 1), row, sum[0]);
      return;
    }
  }
#endif
  reduce_scatter_by_halves(x, lanes, 0, put);
#endif
}

/// The places of scratch that reduce_lanes uses for each number, in a team of so many lanes.
constexpr int places_to_reduce(int team) {
  return has_shuffles ? (team + warp_lanes - 1) / warp_lanes : team;
}

/// Replaces x, N numbers at once, by f(... f(a, b) ...) over `lanes` neighbouring lanes; f is
/// commutative. Each lane gets the same bits, in an order that depends only on the number of lanes,
/// a power of two that divides the team. `shared` has places_to_reduce numbers for each of the N
/// and is free again after the team's next barrier. All lanes of the team must call it; with up to
/// 32 lanes all of a warp are enough. Available where has_shuffles; the portable version is
/// SumExchange.
template <int N, class Member, class T, class F>
BATCHWORK_INLINE void reduce_lanes([[maybe_unused]] Member const& member,
                                   [[maybe_unused]] T (&x)[N], [[maybe_unused]] int lanes,
                                   [[maybe_unused]] F const& f, [[maybe_unused]] T* shared) {
#if defined(BATCHWORK_VENDOR_WARPS)
  int const rank = member.team_rank();
  int const step_end = lanes < warp_lanes ? lanes : warp_lanes;
  BATCHWORK_KEEP_LOOP
  for (int step = 1; step < step_end; step *= 2) {
    BATCHWORK_UNROLL
    for (int q = 0; q < N; ++q)
      x[q] = f(x[q], shuffle_xor(x[q], step, step_end > 32 ? step_end : 32));
  }
  if (lanes <= warp_lanes) return;
  int const each = warp_lanes;
  int const places = (member.team_size() + each - 1) / each, of_system = lanes / each;
  if (rank % each == 0)
    for (int q = 0; q < N; ++q) shared[q * places + rank / each] = x[q];
  member.team_barrier();
  for (int q = 0; q < N; ++q) {
    T const* const from = shared + q * places + rank / lanes * of_system;
    x[q] = from[0];
    for (int k = 1; k < of_system; ++k) x[q] = f(x[q], from[k]);
  }
#endif
}

}  // namespace Batchwork::Impl::Vendor

#endif

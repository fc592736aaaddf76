// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Reductions over the lanes of a system through team scratch: the portable version, for lanes that
/// cannot read each other's registers.
#ifndef BATCHWORK_COMBINE_IN_SCRATCH_HPP
#define BATCHWORK_COMBINE_IN_SCRATCH_HPP

#include "core/detail/Batchwork_Exchange.hpp"

namespace Batchwork::Impl {

/// With up to so many lanes each lane reads the numbers of all lanes after one wait. With more
/// lanes each one reads the combined parts of groups of lanes, after a second wait.
inline constexpr int lanes_without_parts = 8;
/// The logarithm of the number of parts of a sum over so many lanes.
constexpr int shift_of_parts(int lanes) { return lanes <= 64 ? 2 : 3; }
inline constexpr int most_parts = 8;

/// Two exchanges in scratch; each has room for the numbers that every lane of the team combines at
/// once, and begins at a multiple of 16 bytes. If a system has the whole team, with more than
/// lanes_without_parts lanes, the second needs room for most_parts numbers only. They are used
/// alternately, which saves a wait: a lane that writes to one has waited since the last read from
/// it.
template <class T>
struct SumExchange {
  T* numbers;  ///< no lane reads it any more
  T* other;    ///< the exchange that was read last

  /// f(... f(a, b) ...) of `count` numbers, where every `apart`-th unit of 16 bytes is used. If
  /// there are fewer numbers than a unit holds, they are adjacent.
  template <class F>
  static BATCHWORK_INLINE T combined(T const* from, int count, int apart, F const& f) {
    constexpr int wide = 16 / int(sizeof(T));
    if (count < wide) {
      T x = from[0];
      for (int k = 1; k < count; ++k) x = f(x, from[k]);
      return x;
    }
    Unit<T> x = *reinterpret_cast<Unit<T> const*>(from);
    BATCHWORK_UNROLL_SOME
    for (int k = wide; k < count; k += wide) {
      Unit<T> const y = *reinterpret_cast<Unit<T> const*>(from + k * apart);
      BATCHWORK_UNROLL
      for (int n = 0; n < wide; ++n) x.v[n] = f(x.v[n], y.v[n]);
    }
    BATCHWORK_UNROLL
    for (int n = 1; n < wide; ++n) x.v[0] = f(x.v[0], x.v[n]);
    return x.v[0];
  }

  /// Combines the numbers of the lanes of a system, at_once of the N numbers at the same time, and
  /// runs take(n, result): in each lane for all n, with the same bits; if Dealt, for each n in one
  /// lane. The order depends on the number of lanes alone. All lanes of the team must call it; all
  /// systems have the same number of lanes, a power of two or whole warps.
  template <bool Dealt, int N, class Member, class F, class Take>
  BATCHWORK_INLINE void combine(Member const& member, T const (&mine)[N], int rank, int lanes,
                                int at_once, F const& f, Take const& take) {
    if (lanes == 1) {
      BATCHWORK_UNROLL
      for (int n = 0; n < N; ++n) take(n, mine[n]);
      return;
    }
    int const team = member.team_size(), me = member.team_rank(), first = me - rank;
    for (int n0 = 0; n0 < N; n0 += at_once) {
      BATCHWORK_UNROLL
      for (int n = 0; n < N; ++n)
        if (n >= n0 && n < n0 + at_once) numbers[(n - n0) * team + me] = mine[n];
      member.team_barrier();
      int const some = N - n0 < at_once ? N - n0 : at_once;
      T* from = numbers + first;
      int apart = team, count = lanes;
      if (lanes > lanes_without_parts) {
        constexpr int wide = 16 / int(sizeof(T));
        int const shift = shift_of_parts(lanes), parts = 1 << shift;
        T* const of_parts = other + first * some;
        // Neighbours read neighbouring units.
        for (int k = rank; k < some * parts; k += lanes)
          of_parts[k] = combined(from + (k >> shift) * team + (k & (parts - 1)) * wide,
                                 lanes >> shift, parts, f);
        member.team_barrier();
        from = of_parts;
        apart = count = parts;
      } else {
        T* const read = numbers;
        numbers = other;
        other = read;
      }
      if constexpr (Dealt) {
        for (int n = rank; n < some; n += lanes)
          take(n0 + n, combined(from + n * apart, count, 1, f));
      } else {
        BATCHWORK_UNROLL
        for (int n = 0; n < N; ++n)
          if (n >= n0 && n < n0 + some) take(n, combined(from + (n - n0) * apart, count, 1, f));
      }
    }
  }
};

}  // namespace Batchwork::Impl

#endif

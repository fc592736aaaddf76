// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Sums over the lanes of a system, the same bits in each of them: the order of the additions
/// depends on their number alone.
#ifndef BATCHWORK_SYSTEMSUM_HPP
#define BATCHWORK_SYSTEMSUM_HPP

#include <cstddef>

#include "core/Batchwork_SystemLanes.hpp"
#include "core/Batchwork_Value.hpp"
#include "core/detail/Batchwork_CombineInScratch.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_WarpReductions.hpp"

namespace Batchwork::Impl {

struct AddNumbers {
  template <class T>
  BATCHWORK_INLINE T operator()(T const& a, T const& b) const {
    return a + b;
  }
};
struct LargerNumber {
  template <class T>
  BATCHWORK_INLINE T operator()(T const& a, T const& b) const {
    return a < b ? b : a;
  }
};

/// Bytes of team scratch of SummingLanes, where `at_once` numbers are added up at the same time.
template <class T>
constexpr std::size_t sum_scratch(int team, int at_once) {
  return 2 * sizeof(T) * std::size_t(at_once) * std::size_t(Vendor::places_to_reduce(team));
}

/// The lanes of a system, which also add up numbers. There are two exchanges in scratch, used in
/// turn: whoever writes to one again has passed the barrier of the other, and all lanes have read
/// it by then. So a sum waits once.
template <class T, class Member>
struct SummingLanes : SystemLanes<Member> {
  T *exchange, *other;

  /// With sum_scratch(team, at_once) bytes.
  static BATCHWORK_INLINE SummingLanes of(SystemLanes<Member> const& lanes, T* scratch,
                                          int at_once) {
    return {lanes, scratch, scratch + at_once * Vendor::places_to_reduce(lanes.member.team_size())};
  }

  /// Sums of what the lanes of the system give, of several numbers in the time of one. All lanes of
  /// the team call it, those without an item too.
  template <int N>
  BATCHWORK_INLINE void sum(T (&x)[N]) {
    combine(x, this->rank, this->count, AddNumbers());
  }
  BATCHWORK_INLINE T sum(T x) {
    T numbers[1] = {x};
    sum(numbers);
    return numbers[0];
  }
  /// Whether x holds in any of the lanes that wait together (the warp or the team): a condition
  /// that all of them may branch on.
  BATCHWORK_INLINE bool any(bool x) {
    bool const by_warps = Vendor::has_shuffles && this->count <= lanes_of_warp;
    T numbers[1] = {x ? T(1) : T(0)};
    combine(numbers, this->member.team_rank(), by_warps ? lanes_of_warp : this->member.team_size(),
            LargerNumber());
    return numbers[0] != T(0);
  }

 private:
  template <int N, class F>
  BATCHWORK_INLINE void combine(T (&x)[N], [[maybe_unused]] int rank, int lanes, F const& f) {
    if constexpr (Vendor::has_shuffles) {
      Vendor::reduce_lanes(this->member, x, lanes, f, exchange);
      T* const used = exchange;
      exchange = other;
      other = used;
    } else {
      SumExchange<T> in{exchange, other};
      in.template combine<false>(this->member, x, rank, lanes, N, f, [&](int n, T y) { x[n] = y; });
      exchange = in.numbers;
      other = in.other;
    }
  }
};

/// A host's thread, alone with an item or with a pack of them.
struct LoneSums : LoneLane {
  template <class S, int N>
  BATCHWORK_INLINE void sum(S (&)[N]) const {}
  template <class S>
  BATCHWORK_INLINE S sum(S const& x) const {
    return x;
  }
  template <class M>
  BATCHWORK_INLINE bool any(M const& x) const {
    return Impl::any(x);
  }
};

}  // namespace Batchwork::Impl

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The steps of SymbolicLists on the numbers of an item, or of a pack of items, by lanes or by a
/// host's thread.
#ifndef BATCHWORK_SYMBOLICSTEPS_HPP
#define BATCHWORK_SYMBOLICSTEPS_HPP

#include <cstdint>
#include <type_traits>

#include "core/Batchwork_SystemLanes.hpp"
#include "core/Batchwork_Value.hpp"
#include "core/detail/Batchwork_Elimination.hpp"
#include "core/detail/backend/Batchwork_Quotients.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "krylov/direct/detail/Batchwork_SymbolicLists.hpp"

namespace Batchwork::Impl {

/// What a lane knows of its sum in a slice before its step: what happens to it, and the first
/// products.
struct SumAhead {
  static constexpr int at_once = 4;

  std::uint32_t const* next = nullptr;  ///< products behind those
  std::uint32_t target = 0, pair[at_once] = {};
  int width = 0, parts = 1;

  /// Reads nothing that other lanes write.
  static BATCHWORK_INLINE SumAhead of(SymbolicLists const& lists, int k, ListSlice const& slice,
                                      int lane) {
    constexpr int across = lanes_of_slice;
    SumAhead a;
    a.next = lists.pairs + std::int64_t(slice.begin) * across + lane;
    a.target = lists.targets[k * across + lane];
    a.width = slice.width, a.parts = slice.parts;
    a.fetch(0, lists.places.zero());
    return a;
  }
  /// Those from number q on; of what is not there zeros are multiplied.
  BATCHWORK_INLINE void fetch(int q, int zero) {
    BATCHWORK_UNROLL
    for (int r = 0; r < at_once; ++r)
      pair[r] = q + r < width ? next[(q + r) * lanes_of_slice]
                              : std::uint32_t(zero) | std::uint32_t(zero) << 16;
  }
  /// The sum of the products; those to come are asked for before the others are computed.
  template <class Numbers>
  BATCHWORK_INLINE auto sum(Numbers const& x, int zero) {
    using S = std::remove_cvref_t<decltype(x[0])>;
    S sum(0);
    BATCHWORK_KEEP_LOOP
    for (int q = 0; q < width; q += at_once) {
      SumAhead const now = *this;
      if (q + at_once < width) fetch(q + at_once, zero);
      S a[at_once], b[at_once];
      BATCHWORK_UNROLL
      for (int r = 0; r < at_once; ++r) a[r] = x[now.pair[r] & 0xffff], b[r] = x[now.pair[r] >> 16];
      BATCHWORK_UNROLL
      for (int r = 0; r < at_once; ++r) sum += a[r] * b[r];
    }
    // Packs of hosts are summed in one part.
    if constexpr (std::is_arithmetic_v<S>)
      for (int step = 1; step < parts; step *= 2) sum += Vendor::shuffle_xor(sum, step);
    return sum;
  }
};

/// Runs each step of the range, by the lanes that the slices are for; finish(step, sum, place,
/// other) stores, with the sum of a target. What was written before a step is seen in it. The lists
/// are far away on devices: what a lane does first in a step is read while the one before it is
/// computed, its slice one earlier, and the bounds of steps one more.
/// \param x      number p of the item, or of the pack, is x[p]
template <class Lanes, class Numbers, class Finish>
BATCHWORK_INLINE void run_steps(SymbolicLists const& lists, ListSteps const& steps,
                                Lanes const& lanes, Numbers const& x, Finish const& finish) {
  constexpr int across = lanes_of_slice;
  auto const end_with = [&](int step, auto const& sum, std::uint32_t target) {
    std::uint32_t const place = target & 0xffff;
    if (place != PlacesOfItem::none) finish(step, sum, place, target >> 16);
  };
  if constexpr (across > 1) {
    int const warp = lanes.rank / across, warps = (lanes.count + across - 1) / across,
              lane = lanes.rank % across, zero = lists.places.zero();
    auto const bound = [&](int step) {
      return lists.first_slice[step < steps.end ? step : steps.end];
    };
    int begin = bound(steps.first), end = bound(steps.first + 1), after = bound(steps.first + 2);
    // Slices behind the last one are there, and empty.
    ListSlice next_slice = lists.slices[end + warp];
    auto ahead = SumAhead::of(lists, begin + warp, lists.slices[begin + warp], lane);
    BATCHWORK_KEEP_LOOP
    for (int step = steps.first; step < steps.end; ++step) {
      SumAhead now = ahead;
      ahead = SumAhead::of(lists, end + warp, next_slice, lane);
      next_slice = lists.slices[after + warp];
      int const later = bound(step + 3);
      lanes.sync();
      if (begin + warp < end) end_with(step, now.sum(x, zero), now.target);
      BATCHWORK_KEEP_LOOP
      for (int k = begin + warp + warps; k < end; k += warps) {
        now = SumAhead::of(lists, k, lists.slices[k], lane);
        end_with(step, now.sum(x, zero), now.target);
      }
      begin = end, end = after, after = later;
    }
  } else {
    using S = std::remove_cvref_t<decltype(x[0])>;
    for (int step = steps.first; step < steps.end; ++step) {
      lanes.sync();
      for (int k = lists.first_slice[step] + lanes.rank; k < lists.first_slice[step + 1];
           k += lanes.count) {
        ListSlice const slice = lists.slices[k];
        std::uint32_t const* const pairs = lists.pairs + slice.begin;
        S sum(0);
        for (int q = 0; q < slice.width; ++q) sum += S(x[pairs[q] & 0xffff]) * S(x[pairs[q] >> 16]);
        end_with(step, sum, lists.targets[k]);
      }
    }
  }
  lanes.sync();
}

/// The places of numbers where items are interleaved.
template <class T>
struct EveryNumber {
  T* first;
  int apart;
  BATCHWORK_INLINE T& operator[](std::uint32_t k) const { return first[k * unsigned(apart)]; }
};

/// Replaces the entries of the matrix by the entries of L and U, and the vector b by L^-1 b.
/// \param limit  the largest entry of L that is not too large for a pivot
/// \param fails  fails(k, mask): pivot k is too small, not finite or zero, for the items of a mask
template <class Lanes, class Numbers, class S, class Fails>
BATCHWORK_INLINE void eliminate_by_lists(SymbolicLists const& lists, Lanes const& lanes,
                                         Numbers const& x, S const& limit, Fails const& fails) {
  using T = scalar_t<S>;
  int const first = lists.eliminate.first;
  run_steps(lists, lists.eliminate, lanes, x,
            [&](int step, S const& sum, std::uint32_t place, std::uint32_t other) {
              if ((step - first) % 2 == 0) {
                S const value = x[place] - sum;
                x[place] = value;
                if (other == PlacesOfItem::none) return;
                x[other] = Vendor::reciprocal(value);
                auto const size = size_key(value);
                fails(int(other) - lists.places.entries,
                      size < size_key(S(T(4 * std::numeric_limits<T>::min()))) ||
                          size >= size_key(S(std::numeric_limits<T>::infinity())));
              } else {
                S const value = x[place] * x[other];
                x[place] = value;
                // Of NaN, too.
                fails(int(other) - lists.places.entries, size_key(value) > size_key(limit));
              }
            });
}

/// The vector is substituted.
template <class Lanes, class Numbers>
BATCHWORK_INLINE void substitute_by_lists(SymbolicLists const& lists, ListSteps const& steps,
                                          Lanes const& lanes, Numbers const& x) {
  using S = std::remove_cvref_t<decltype(x[0])>;
  run_steps(lists, steps, lanes, x,
            [&](int, S const& sum, std::uint32_t place, std::uint32_t other) {
              S const value = x[place] - sum;
              x[place] = other == PlacesOfItem::none ? value : S(value * x[other]);
            });
}

}  // namespace Batchwork::Impl

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of solve_tridiagonal on devices where items are side by side in memory: lanes read
/// their rows where they are and hold them in registers. To a number of rows a lane has a whole
/// item (the Thomas algorithm), beyond it a part.
#ifndef BATCHWORK_TRIDIAGONALINREGISTERS_HPP
#define BATCHWORK_TRIDIAGONALINREGISTERS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "banded/detail/Batchwork_TridiagonalChoice.hpp"
#include "banded/detail/Batchwork_TridiagonalParts.hpp"
#include "core/detail/Batchwork_CopyGroup.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_Scheduling.hpp"

namespace Batchwork::Impl {

/// R: the most rows of a lane. Alone: it has all rows of its item. Lanes: of a team at most.
///
/// Slot k of a lane's registers is for row k of its part, counted so that the last row has the last
/// slot: an array is in registers only if every index is known to the compiler. The first slots may
/// be empty. Of the three numbers that are kept of every eliminated row one is in team scratch,
/// where lanes share items: registers alone would leave room for half as many lanes. Where a team
/// of many lanes has not enough of it, the last ones' are in registers, too: when those come
/// nothing is read ahead any more.
template <class T, int R, bool Alone, int Lanes = Alone ? 128 : lanes_of_parts>
struct TridiagonalInRegisters {
  static constexpr int largest_team = Lanes;
  /// Teams that a multiprocessor is to hold at least: what the compiler fits the registers to.
  static constexpr int wanted_teams = [] {
    int const words = R * int(sizeof(T)) / 4;
    if (!Alone) return 2 * lanes_of_parts / Lanes;
    if (words > 32) return 2;
    return words > 16 ? (sizeof(T) == 4 ? 4 : 3) : sizeof(T) == 4 ? 5 : 4;
  }();
  /// Rows that are read while as many are computed with: more of them where there are fewer lanes.
  static constexpr int some = Alone ? (R > 32 ? 8 : 4) : 16 / int(sizeof(T));

  TridiagonalProblem<T> p;
  int parts = 1;             ///< lanes of an item, a power of two
  int items_per_team = 128;  ///< a power of two
  int rows = R;              ///< of a part; the last ones may have fewer
  bool items_first = true;   ///< neighbouring lanes have neighbouring items, not neighbouring parts
  int shift = 0;             ///< 1 << shift lanes have the same part, or item

  TridiagonalInRegisters(TridiagonalProblem<T> const& problem, TridiagonalChoice const& how,
                         bool items_first_)
      : p(problem),
        parts(how.parts),
        items_per_team(how.items_per_team),
        rows(how.rows),
        items_first(items_first_) {
    while ((2 << shift) <= (items_first ? items_per_team : parts)) ++shift;
  }

  int team() const { return parts * items_per_team; }
  std::int64_t teams() const { return (p.items + items_per_team - 1) / items_per_team; }
  /// Eliminated rows of a lane whose coefficient a is in team scratch, beside three numbers to
  /// exchange.
  static constexpr int rows_in_scratch =
      Alone ? 0 : std::min(R - 1, int(scratch_of_a_team / (Lanes * sizeof(T))) - 3);
  static_assert(Alone || rows_in_scratch >= 5, "room for what failure_of_item exchanges");
  /// c of the first row, too, where there is room for it.
  static constexpr int more_in_scratch =
      !Alone && int(scratch_of_a_team / (Lanes * sizeof(T))) > rows_in_scratch + 3 ? 1 : 0;
  static constexpr std::size_t lane_numbers =
      Alone ? 0 : std::size_t(rows_in_scratch + 3 + more_in_scratch);
  /// Of a team's scratch, and what aligning it may take.
  BATCHWORK_INLINE std::size_t used_bytes() const {
    return std::size_t(parts * items_per_team) * lane_numbers * sizeof(T);
  }
  std::size_t bytes() const { return Alone ? 0 : used_bytes() + 16; }

  /// What is read of a few rows.
  struct Rows {
    T lower[some], diagonal[some], upper[some], b[some];
  };
  /// The part of an item that the calling lane has. Lanes without rows, or without an item, wait
  /// with the others and solve x = 0.
  struct LanePart {
    int rank, part;
    std::int64_t item;
    int base, empty;  ///< slot k is of row base + k, from k = empty on
    bool there;       ///< the item

    BATCHWORK_INLINE bool has_rows() const { return empty < R; }
  };
  template <class Member>
  BATCHWORK_INLINE LanePart lane_part(Member const& member) const {
    LanePart here;
    here.rank = Vendor::renewed(member.team_rank());
    here.part = 0;
    int slot = here.rank;
    if constexpr (!Alone) {
      int const low = here.rank & ((1 << shift) - 1), high = here.rank >> shift;
      here.part = items_first ? high : low;
      slot = items_first ? low : high;
    }
    here.item = std::int64_t(member.league_rank()) * items_per_team + slot;
    here.there = here.item < p.items;
    int const first = here.part * rows;
    int const mine = !here.there || first >= p.n ? 0 : p.n - first < rows ? p.n - first : rows;
    here.empty = R - mine;
    here.base = first - here.empty;
    return here;
  }

  /// Where the next row is to be read.
  struct Reader {
    T const *lower, *diagonal, *upper, *b;
  };
  BATCHWORK_INLINE Reader reader(LanePart const& here) const {
    std::int64_t const item = here.has_rows() ? here.item : 0;
    int const first = here.has_rows() ? here.base + here.empty : 0;
    return {item_of(p.lower, item) + first * p.lower.row,
            item_of(p.diagonal, item) + first * p.diagonal.row,
            item_of(p.upper, item) + first * p.upper.row, item_of(p.b, item) + first * p.b.row};
  }
  BATCHWORK_INLINE void read(Rows& to, Reader& at, int slot, LanePart const& here) const {
    BATCHWORK_UNROLL
    for (int k = 0; k < some; ++k) {
      to.lower[k] = to.diagonal[k] = to.upper[k] = to.b[k] = T(0);
      if (slot + k < here.empty) continue;
      int const row = here.base + slot + k;
      if (row > 0) to.lower[k] = *at.lower;
      to.diagonal[k] = *at.diagonal;
      if (row + 1 < p.n) to.upper[k] = *at.upper;
      to.b[k] = *at.b;
      at.lower += p.lower.row;
      at.diagonal += p.diagonal.row;
      at.upper += p.upper.row;
      at.b += p.b.row;
    }
  }

  /// But for b.
  BATCHWORK_INLINE GivenRow<T> given_row(std::int64_t item, int row, bool there) const {
    if (!there) return {};
    return {row > 0 ? item_of(p.lower, item)[row * p.lower.row] : T(0),
            item_of(p.diagonal, item)[row * p.diagonal.row],
            row + 1 < p.n ? item_of(p.upper, item)[row * p.upper.row] : T(0), T(0)};
  }

  template <class Member>
  BATCHWORK_INLINE void operator()(Member const& member) const {
    LanePart here = lane_part(member);
    if constexpr (Alone) {
      if (!here.there) return;
    }
    T* numbers = nullptr;
    int const team = Alone ? 0 : member.team_size();
    if constexpr (!Alone)
      numbers = static_cast<T*>(member.team_scratch(0).get_shmem_aligned(int(used_bytes()), 16)) +
                here.rank;
    T a_here[Alone ? 1 : std::max(R - 1 - rows_in_scratch, 1)];
    auto const a = [&](int slot) -> T& {
      return slot < rows_in_scratch ? numbers[slot * team] : a_here[slot - rows_in_scratch];
    };

    // Forward.
    TridiagonalFailure failure;
    TridiagonalGrowth<T> growth;
    PartElimination<T> so_far;
    LastRow<T> last;
    T b_of_last = T(0), largest_of_last = T(0);
    T c_here[R - 1 - more_in_scratch], d[R - 1];
    auto const c = [&](int slot) -> T& {
      return slot < more_in_scratch ? numbers[(rows_in_scratch + 3 + slot) * team]
                                    : c_here[slot - more_in_scratch];
    };
    Rows now, next;
    Reader at = reader(here);
    read(next, at, 0, here);
    BATCHWORK_UNROLL
    for (int slot = 0; slot < R; slot += some) {
      now = next;
      if (slot + some < R) read(next, at, slot + some, here);
      BATCHWORK_UNROLL
      for (int k = 0; k < some; ++k) {
        int const s = slot + k, row = here.base + s;
        if (s < here.empty) continue;
        if (s < R - 1) {
          if constexpr (Alone) {
            so_far.add_alone(now.lower[k], now.diagonal[k], now.upper[k], now.b[k], row, failure);
          } else {
            so_far.add(now.lower[k], now.diagonal[k], now.upper[k], now.b[k], row, failure, growth);
            a(s) = so_far.a;
          }
          c(s) = so_far.c;
          d[s] = so_far.d;
        } else {
          last = LastRow<T>::of({now.lower[k], now.diagonal[k], now.upper[k], now.b[k]}, so_far);
          b_of_last = now.b[k];
          largest_of_last = largest_pivot(now.lower[k], now.diagonal[k], now.upper[k]);
        }
      }
    }

    T x, before = T(0);
    PartsExchange<T> exchange{};
    auto const wait = [&] { member.team_barrier(); };
    int row = p.n - 1;
    if constexpr (Alone) {
      x = last.b * pivot_reciprocal(last.diagonal, largest_of_last, row, failure);
    } else {
      // Found anew, rather than kept while registers are scarce.
      here = lane_part(member);
      exchange = {numbers + rows_in_scratch * team, team, items_first ? items_per_team : 1,
                  here.part};
      if (here.has_rows()) row = here.base + R - 1;
      auto const found =
          solve_last_rows(last, so_far, here.part, parts, row, failure, exchange, wait);
      x = found.mine;
      before = found.before;
    }

    // Backward.
    T const last_x = x;
    T last_but_one = before;
    if (here.has_rows()) {
      T* to = item_of(p.x, here.item) + (here.base + R - 1) * p.x.row;
      *to = x;
      growth.add_x(x);
      BATCHWORK_UNROLL
      for (int s = R - 2; s >= 0; --s) {
        if (s < here.empty) continue;
        x = d[s] - c(s) * x;
        if constexpr (!Alone) {
          x -= a(s) * before;
          if (s == R - 2) last_but_one = x;
        }
        to -= p.x.row;
        *to = x;
        growth.add_x(x);
      }
    }

    if (!p.status.wanted()) return;
    if constexpr (Alone) {
      if (!growth.is_finite()) failure.add(TridiagonalFailure::of_result);
    } else {
      // Read once more, for lack of registers; of these only b may have been written.
      GivenRow<T> given = given_row(here.item, row, here.has_rows());
      given.b = b_of_last;
      // a has been used.
      exchange.mine = numbers;
      check_last_row(given, x, last_but_one, last_x, here.part, parts, row, growth, exchange, wait);
      failure = failure_of_item<T>(failure, growth, here.part, parts, exchange, wait);
    }
    if (here.there && here.part == 0) p.status.put(here.item, failure.code());
  }
};

}  // namespace Batchwork::Impl

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of solve_tridiagonal on devices where items are side by side in memory: lanes read their rows where they are
/// and hold them in registers. To a number of rows a lane has a whole item (the Thomas algorithm), beyond it a part.
#ifndef BATCHWORK_TRIDIAGONALHELD_HPP
#define BATCHWORK_TRIDIAGONALHELD_HPP

#include <cstddef>
#include <cstdint>

#include "banded/Batchwork_TridiagonalParts.hpp"

namespace Batchwork::Impl {

/// R: the most rows of a lane. Alone: it has all rows of its item.
///
/// Slot k of a lane's registers is for row k of its part, counted so that the last row has the last slot: an array is in
/// registers only if every index is known to the compiler. The first slots may be empty. Of the three numbers that are kept
/// of every eliminated row one is in team scratch, where lanes share items: registers alone would leave room for half as
/// many lanes.
template <class T, int R, bool Alone>
struct TridiagonalHeld {
  static constexpr int largest_team = Alone ? 128 : 256;
  /// Teams that a multiprocessor is to hold at least: what the compiler fits the registers to.
  static constexpr int wanted_teams = Alone ? 1 : 2;
  /// Rows that are read while as many are computed with.
  static constexpr int some = Alone ? 4 : 16 / int(sizeof(T));

  TridiagonalProblem<T> p;
  int parts = 1;              ///< lanes of an item, a power of two
  int items_per_team = 128;   ///< a power of two
  int rows = R;               ///< of a part; the last ones may have fewer
  bool items_first = true;    ///< neighbouring lanes have neighbouring items, not neighbouring parts

  int team() const { return parts * items_per_team; }
  std::int64_t teams() const { return (p.items + items_per_team - 1) / items_per_team; }
  static constexpr std::size_t lane_numbers = Alone ? 0 : std::size_t(R - 1 + 3);
  /// Of a team's scratch, and what aligning it may take.
  BATCHWORK_INLINE std::size_t used_bytes() const {
    return std::size_t(parts * items_per_team) * lane_numbers * sizeof(T);
  }
  std::size_t bytes() const { return Alone ? 0 : used_bytes() + 16; }

  /// What is read of a few rows.
  struct Rows {
    T lower[some], diagonal[some], upper[some], b[some];
  };
  /// The next row to be read.
  struct Reader {
    T const *lower, *diagonal, *upper, *b;
    int row;
  };
  BATCHWORK_INLINE Reader reader(std::int64_t item, int first) const {
    return {item_of(p.lower, item) + first * p.lower.row,
            item_of(p.diagonal, item) + first * p.diagonal.row,
            item_of(p.upper, item) + first * p.upper.row, item_of(p.b, item) + first * p.b.row,
            first};
  }
  BATCHWORK_INLINE void read(Rows& to, Reader& at, int slot, int empty) const {
    BATCHWORK_UNROLL
    for (int k = 0; k < some; ++k) {
      to.lower[k] = to.diagonal[k] = to.upper[k] = to.b[k] = T(0);
      if (slot + k < empty) continue;
      if (at.row > 0) to.lower[k] = *at.lower;
      to.diagonal[k] = *at.diagonal;
      if (at.row + 1 < p.n) to.upper[k] = *at.upper;
      to.b[k] = *at.b;
      ++at.row;
      at.lower += p.lower.row;
      at.diagonal += p.diagonal.row;
      at.upper += p.upper.row;
      at.b += p.b.row;
    }
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const rank = member.team_rank(), team = member.team_size();
    int slot_of_item = rank, part = 0;
    if constexpr (!Alone) {
      if (items_first) {
        part = rank / items_per_team;
        slot_of_item = rank - part * items_per_team;
      } else {
        slot_of_item = rank / parts;
        part = rank - slot_of_item * parts;
      }
    }
    std::int64_t const item = std::int64_t(member.league_rank()) * items_per_team + slot_of_item;
    bool const there = item < p.items;
    if constexpr (Alone) {
      if (!there) return;
    }
    // Lanes without rows, or without an item, wait with the others and solve x = 0.
    int const first = part * rows;
    int const mine = !there || first >= p.n ? 0 : p.n - first < rows ? p.n - first : rows;
    int const empty = R - mine;

    T* numbers = nullptr;
    if constexpr (!Alone)
      numbers =
          static_cast<T*>(member.team_scratch(0).get_shmem_aligned(int(used_bytes()), 16)) + rank;
    auto const a = [&](int slot) -> T& { return numbers[slot * team]; };

    // Forward.
    TridiagonalFailure failure;
    PartElimination<T> so_far;
    LastRow<T> last;
    T c[R - 1], d[R - 1];
    Rows now, next;
    Reader at = reader(mine > 0 ? item : 0, mine > 0 ? first : 0);
    read(next, at, 0, empty);
    BATCHWORK_UNROLL
    for (int slot = 0; slot < R; slot += some) {
      now = next;
      if (slot + some < R) read(next, at, slot + some, empty);
      BATCHWORK_UNROLL
      for (int k = 0; k < some; ++k) {
        int const s = slot + k, row = first + s - empty;
        if (s < empty) continue;
        if (s < R - 1) {
          if constexpr (Alone) {
            so_far.add_alone(now.lower[k], now.diagonal[k], now.upper[k], now.b[k], row, failure);
          } else {
            so_far.add(now.lower[k], now.diagonal[k], now.upper[k], now.b[k], row, failure);
            a(s) = so_far.a;
          }
          c[s] = so_far.c;
          d[s] = so_far.d;
        } else {
          last =
              LastRow<T>::of(now.lower[k], now.diagonal[k], now.upper[k], now.b[k], so_far);
        }
      }
    }

    T x, before = T(0);
    PartBoxes<T> boxes{};
    auto const wait = [&] { member.team_barrier(); };
    if constexpr (Alone) {
      x = last.b * pivot_reciprocal(last.diagonal, 0, p.n - 1, failure);
    } else {
      boxes = {numbers + (R - 1) * team, team, items_first ? items_per_team : 1, part};
      int const row = mine > 0 ? first + mine - 1 : p.n - 1;
      auto const found =
          solve_last_rows(last, so_far, part, parts, row, failure, boxes, wait);
      x = found.mine;
      before = found.before;
    }

    // Backward.
    bool finite = true;
    if (mine > 0) {
      T* to = item_of(p.x, item) + (first + mine - 1) * p.x.row;
      *to = x;
      finite = is_finite(x);
      BATCHWORK_UNROLL
      for (int s = R - 2; s >= 0; --s) {
        if (s < empty) continue;
        x = d[s] - c[s] * x;
        if constexpr (!Alone) x -= a(s) * before;
        to -= p.x.row;
        *to = x;
        finite = finite && is_finite(x);
      }
    }

    if (!p.status.wanted()) return;
    if (!finite) failure.add(TridiagonalFailure::of_result);
    if constexpr (!Alone) failure = failure_of_item<T>(failure, part, parts, boxes, wait);
    if (there && part == 0) p.status.put(item, failure.code());
  }
};

}  // namespace Batchwork::Impl

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// CommonFactors: the factors of the common matrix in the scratch of a team, in tiles of 8 x 8.
#ifndef BATCHWORK_COMMONFACTORS_HPP
#define BATCHWORK_COMMONFACTORS_HPP

#include <cstdint>
#include <cstring>

#include "core/detail/Batchwork_Elimination.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_BitCounts.hpp"
#include "core/detail/backend/Batchwork_MemoryAccess.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "core/detail/backend/Batchwork_WarpReductions.hpp"
#include "dense/common/detail/Batchwork_CommonProblem.hpp"

namespace Batchwork::Impl {

/// Numbers that are aligned to 16 bytes, all at once.
template <class T>
BATCHWORK_INLINE void load_aligned(T (&x)[16 / sizeof(T)], T const* from) {
  memcpy(&x, __builtin_assume_aligned(from, 16), 16);
}

/// P a = L U in double, for up to 8 Tiles rows; a symmetric matrix is eliminated without exchanges,
/// which gives L and D L'. Tiles beside the diagonals of L and U are stored with the opposite sign,
/// and tiles on the diagonals as their inverses, so that substitution is a sequence of products
/// (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, sections 8.2 and 14.2).
/// What is beyond the rows is the identity. Number (r, c) of a tile is at 8 r + c.
template <int Tiles>
struct alignas(16) CommonFactors {
  static constexpr int rows = 8 * Tiles, of_tile = 64;
  static constexpr int diagonals = Tiles * Tiles;  ///< the first tile of the inverses: L, then U
  static constexpr int tiles = Tiles * (Tiles + 2);

  double numbers[tiles * of_tile];
  double column[2][rows];  ///< of the pivot, and the next one
  double pivot_row[rows];
  double scale[rows], inverse[rows];  ///< a divisor of each pivot, see PivotReciprocal
  std::int32_t order[rows];           ///< row k of the product of the factors is row order[k] of a
  std::int32_t pivot, code, moved;

  static constexpr BATCHWORK_INLINE int tile(int i, int j) { return i * Tiles + j; }
  static constexpr BATCHWORK_INLINE int inverse_of_lower(int i) { return diagonals + i; }
  static constexpr BATCHWORK_INLINE int inverse_of_upper(int i) { return diagonals + Tiles + i; }
  static BATCHWORK_INLINE int at(int i, int j) {
    unsigned const y = unsigned(i), x = unsigned(j);
    return int((y / 8 * Tiles + x / 8) * of_tile + y % 8 * 8 + x % 8);
  }

  /// In the scratch of a team.
  template <class Member>
  static BATCHWORK_INLINE CommonFactors& in(Member const& member) {
    void* const memory = member.team_scratch(0).get_shmem_aligned(sizeof(CommonFactors), 16);
    return *Vendor::in_scratch(static_cast<CommonFactors*>(memory));
  }
  /// By all lanes of a team, which have waited afterwards.
  template <class T, class Member>
  BATCHWORK_INLINE void make(Member const& member, CommonProblem<T> const& p) {
    int const lane = Vendor::lane_rank(member), lanes = Vendor::lane_count(member);
    load(p, lane, lanes);
    member.team_barrier();
    if (p.factorises()) {
      bool const exchanges = p.matrix == CommonMatrix::general;
      BATCHWORK_KEEP_LOOP
      for (int k = 0; k < p.n; ++k) {
        find_pivot(exchanges, p.n, k, lane);
        member.team_barrier();
        if (code != 0) break;
        eliminate(p.n, k, lane, lanes);
        member.team_barrier();
      }
    } else {
      // The first bad number is the one that counts.
      if (lane == 0)
        for (int k = 0; k < p.n; ++k) {
          scale[k] = 1;
          inverse[k] = double(common_reciprocal(T(numbers[at(k, k)]), k, code));
        }
      member.team_barrier();
    }
    prepare(p.factorises(), lane, lanes);
    member.team_barrier();
    invert_diagonal(p.factorises(), lane, lanes);
    member.team_barrier();
  }

 private:
  template <class T>
  BATCHWORK_INLINE void load(CommonProblem<T> const& p, int lane, int lanes) {
    BATCHWORK_KEEP_LOOP
    for (int e = lane; e < rows * rows; e += lanes) {
      int const i = e / rows, j = e % rows;
      double x = i == j ? 1 : 0;
      if (i < p.n && j < p.n) {
        bool const other = p.matrix == CommonMatrix::symmetric && i < j;
        bool const zero = (p.matrix == CommonMatrix::lower && i < j) ||
                          (p.matrix == CommonMatrix::upper && i > j);
        x = zero ? 0 : double(p.a.data[(other ? j : i) * p.a.row + (other ? i : j) * p.a.col]);
      }
      numbers[at(i, j)] = x;
      if (j == 0) {
        column[0][i] = x;
        order[i] = i;
        scale[i] = inverse[i] = 1;
      }
    }
    if (lane == 0) code = moved = 0;
  }
  /// By the first warp, or the first lane: the row of pivot k, which is shown to all lanes.
  BATCHWORK_INLINE void find_pivot(bool exchanges, int n, int k, int lane) {
    constexpr int step = Vendor::has_shuffles ? 32 : 1;
    if (lane >= step) return;
    double const* const candidates = column[k % 2];
    int row = k;
    if (exchanges) {
      std::int32_t largest = -1;
      for (int i = k + lane; i < n; i += step) {
        std::int32_t const key = pivot_key(candidates[i]);
        row = key > largest ? i : row;
        largest = key > largest ? key : largest;
      }
      if constexpr (Vendor::has_shuffles) {
        unsigned const votes = Vendor::ballot(largest == Vendor::reduce_max<32>(largest));
        row = Vendor::shuffle<32>(row, Vendor::countr_zero(votes));
      }
    }
    for (int j = lane; j < rows; j += step) pivot_row[j] = numbers[at(row, j)];
    if (lane != 0) return;
    double const d = candidates[row];
    std::int32_t const status =
        exchanges ? std::int32_t(pivot_status(d, k)) : positive_pivot_status(d, k);
    PivotReciprocal<double> const r(d);
    scale[k] = r.scale;
    inverse[k] = r.inverse;
    pivot = row;
    code = status;
    moved = moved != 0 || row != k ? 1 : 0;
    std::int32_t const of_row = order[row];
    order[row] = order[k];
    order[k] = of_row;
  }
  /// Exchanges row k for that of the pivot, and eliminates column k from the rows below. Left of it
  /// numbers stay multiples of the pivots.
  BATCHWORK_INLINE void eliminate(int n, int k, int lane, int lanes) {
    double const* const old = column[k % 2];
    double* const next = column[(k + 1) % 2];
    int const row = pivot;
    if (row != k)
      for (int j = lane; j < k; j += lanes) {
        double const x = numbers[at(k, j)];
        numbers[at(k, j)] = numbers[at(row, j)];
        numbers[at(row, j)] = x;
      }
    double const up = scale[k], over = inverse[k];
    // Eight lanes have a row of a tile.
    int const of_tile_row = lane % 8;
    BATCHWORK_KEEP_LOOP
    for (int i = k + 1 + lane / 8; i < n; i += lanes / 8) {
      // The row of the pivot takes what row k had.
      bool const taken = i == row;
      int const from = taken ? k : i;
      double const factor = old[from] * up * over;
      // All loads before the first store, so that they overlap.
      double x[Tiles], y[Tiles];
      BATCHWORK_UNROLL
      for (int t = 0; t < Tiles; ++t) {
        int const j = 8 * t + of_tile_row;
        x[t] = j >= k ? numbers[at(from, j)] : 0;
        y[t] = j >= k ? pivot_row[j] : 0;
      }
      BATCHWORK_UNROLL
      for (int t = 0; t < Tiles; ++t) {
        int const j = 8 * t + of_tile_row;
        if (j < k) continue;
        if (j > k) x[t] -= factor * y[t];
        if (taken) numbers[at(k, j)] = y[t];
        numbers[at(i, j)] = x[t];
        if (j == k + 1) next[i] = x[t];
      }
    }
  }
  /// L from the multiples of pivots; and the opposite sign beside the diagonals.
  BATCHWORK_INLINE void prepare(bool eliminated, int lane, int lanes) {
    BATCHWORK_KEEP_LOOP
    for (int e = lane; e < rows * rows; e += lanes) {
      int const i = e / rows, j = e % rows, place = at(i, j);
      double x = numbers[place];
      if (eliminated && i > j) x = x * scale[j] * inverse[j];
      numbers[place] = i / 8 == j / 8 ? x : -x;
    }
  }
  /// A lane has a column of an inverse.
  BATCHWORK_INLINE void invert_diagonal(bool unit_lower, int lane, int lanes) {
    BATCHWORK_KEEP_LOOP
    for (int e = lane; e < 2 * rows; e += lanes) {
      bool const upper = e >= rows;
      int const t = e % rows / 8, c = e % 8, first = 8 * t;
      double y[8];
      BATCHWORK_UNROLL
      for (int s = 0; s < 8; ++s) y[s] = s == c ? 1 : 0;
      double const* const d = numbers + tile(t, t) * of_tile;
      if (upper) {
        BATCHWORK_UNROLL
        for (int r = 7; r >= 0; --r) {
          y[r] = y[r] * scale[first + r] * inverse[first + r];
          BATCHWORK_UNROLL
          for (int q = 0; q < r; ++q) y[q] -= d[8 * q + r] * y[r];
        }
      } else {
        BATCHWORK_UNROLL
        for (int r = 0; r < 8; ++r) {
          if (!unit_lower) y[r] *= inverse[first + r];
          BATCHWORK_UNROLL
          for (int q = r + 1; q < 8; ++q) y[q] -= d[8 * q + r] * y[r];
        }
      }
      double* const to = numbers + (upper ? inverse_of_upper(t) : inverse_of_lower(t)) * of_tile;
      BATCHWORK_UNROLL
      for (int r = 0; r < 8; ++r) to[8 * r + c] = y[r];
    }
  }
};

}  // namespace Batchwork::Impl

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// CommonFactors: the factors of the common matrix in the scratch of a team, in tiles of 8 x 8.
#ifndef BATCHWORK_COMMONFACTORS_HPP
#define BATCHWORK_COMMONFACTORS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "core/detail/Batchwork_Elimination.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_BitCounts.hpp"
#include "core/detail/backend/Batchwork_MemoryAccess.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "core/detail/backend/Batchwork_WarpReductions.hpp"
#include "dense/common/detail/Batchwork_CommonProblem.hpp"
#include "dense/common/detail/Batchwork_PivotChecks.hpp"

namespace Batchwork::Impl {

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
  double column[2][rows];             ///< of the pivot, and the next one
  double scale[rows], inverse[rows];  ///< a divisor of each pivot, see PivotReciprocal
  std::int32_t order[rows];           ///< row k of the product of the factors is row order[k] of a
  std::int32_t code, moved;

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
      std::int32_t failure = 0;
      BATCHWORK_KEEP_LOOP
      for (int k = 0; k < p.n && failure == 0; ++k) {
        failure = eliminate(p.matrix == CommonMatrix::general, p.n, k, lane, lanes);
        member.team_barrier();
      }
      if (lane == 0) code = failure;
    } else {
      // The first bad number is the one that counts.
      if (lane == 0)
        for (int k = 0; k < p.n; ++k) {
          scale[k] = 1;
          inverse[k] = double(diagonal_reciprocal(T(numbers[at(k, k)]), k, code));
        }
      member.team_barrier();
    }
    prepare(member, p.factorises(), lane, lanes);
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
  /// In a column: the row has been a pivot's. A NaN that no computation gives.
  static BATCHWORK_INLINE double taken() {
    return Kokkos::bit_cast<double>(std::uint64_t(0x7fffa5a5a5a5a5a5u));
  }
  static BATCHWORK_INLINE bool is_taken(double x) {
    return Kokkos::bit_cast<std::uint64_t>(x) == 0x7fffa5a5a5a5a5a5u;
  }
  /// The row of the largest candidate. Each warp, or each lane, finds it for itself.
  static BATCHWORK_INLINE int find_pivot(double const* candidates, int n, int lane) {
    constexpr int step = Vendor::has_shuffles ? 32 : 1;
    int row = 0;
    std::int32_t largest = -1;
    for (int i = lane % step; i < n; i += step) {
      double const x = candidates[i];
      std::int32_t const key = is_taken(x) ? -1 : pivot_key(x);
      row = key > largest ? i : row;
      largest = key > largest ? key : largest;
    }
    if constexpr (Vendor::has_shuffles) {
      unsigned const votes = Vendor::ballot(largest == Vendor::reduce_max<32>(largest));
      row = Vendor::shuffle<32>(row, Vendor::countr_zero(votes));
    }
    return row;
  }
  /// Eliminates column k. Rows stay where they are, so that lanes need not wait for an exchange;
  /// numbers of L stay multiples of the pivots. \returns the status of the pivot
  BATCHWORK_INLINE std::int32_t eliminate(bool exchanges, int n, int k, int lane, int lanes) {
    double const* const old = column[k % 2];
    double* const next = column[(k + 1) % 2];
    int const row = exchanges ? find_pivot(old, n, lane) : k;
    double const pivot = old[row];
    PivotReciprocal<double> const r(pivot);
    if (lane == 0) {
      scale[k] = r.scale, inverse[k] = r.inverse, order[k] = row;
      if (row != k) moved = 1;
    }
    // Eight lanes have a row of a tile.
    int const of_tile_row = lane % 8;
    BATCHWORK_KEEP_LOOP
    for (int i = lane / 8; i < n; i += lanes / 8) {
      double const own = old[i];
      if (i == row || is_taken(own)) {
        if (of_tile_row == 0) next[i] = taken();
        continue;
      }
      double const factor = own * r.scale * r.inverse;
      // All loads before the first store, and without branches, so that they overlap.
      double x[Tiles], y[Tiles];
      BATCHWORK_UNROLL
      for (int t = 0; t < Tiles; ++t) {
        int const j = 8 * t + of_tile_row;
        x[t] = numbers[at(i, j)], y[t] = numbers[at(row, j)];
      }
      BATCHWORK_UNROLL
      for (int t = 0; t < Tiles; ++t) {
        int const j = 8 * t + of_tile_row;
        if (j <= k) continue;
        x[t] -= factor * y[t];
        numbers[at(i, j)] = x[t];
        if (j == k + 1) next[i] = x[t];
      }
    }
    if (exchanges) return std::int32_t(pivot_status(pivot, k));
    return good_pivot(pivot) ? 0 : pivot_code(pivot, k);
  }
  /// Rows in their order, tile after tile of columns; L from the multiples of pivots; and the
  /// opposite sign beside the diagonals.
  template <class Member>
  BATCHWORK_INLINE void prepare(Member const& member, bool eliminated, int lane, int lanes) {
    // Teams have two warps or more, and an even share of a tile's columns for each lane.
    constexpr int most = Tiles;
    int const of_tile_row = lane % 8;
    BATCHWORK_KEEP_LOOP
    for (int j = of_tile_row; j < rows; j += 8) {
      double x[most];
      BATCHWORK_UNROLL
      for (int s = 0; s < most; ++s) {
        int const i = lane / 8 + s * (lanes / 8);
        if (i >= rows) continue;
        x[s] = numbers[at(order[i], j)];
        if (eliminated && i > j) x[s] = x[s] * scale[j] * inverse[j];
        if (i / 8 != j / 8) x[s] = -x[s];
      }
      member.team_barrier();
      BATCHWORK_UNROLL
      for (int s = 0; s < most; ++s) {
        int const i = lane / 8 + s * (lanes / 8);
        if (i < rows) numbers[at(i, j)] = x[s];
      }
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

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Tiles of 8 x 8 in the registers of a warp, and products of them: by matrix instructions where a
/// device has them, else by multiply-adds. Lane 4 r + c of a warp holds numbers (r, 2 c) and
/// (r, 2 c + 1) of each tile, as these instructions need them.
#ifndef BATCHWORK_WARPTILES_HPP
#define BATCHWORK_WARPTILES_HPP

#include <cstdint>

#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_MatrixInstructions.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "view/detail/layout/Batchwork_MatrixTravel.hpp"

namespace Batchwork::Impl {

/// The calling lane and its item, whose warps have tiles.
struct LaneOfTiles : LaneOfItems {
  int warp, in_warp;   ///< of the item's; rank in it
  int r, c;            ///< row and pair of columns of a tile
  std::int64_t first;  ///< item of the team

  /// In a team that has group number `group` of `all` items, with Lanes lanes each.
  template <int Lanes, class Member>
  BATCHWORK_INLINE void take_tiles(Member const& member, std::int64_t group, int items_of_team,
                                   std::int64_t all) {
    first = group * items_of_team;
    this->template take_place<Lanes>(member, items_of_team, all - first);
    take_warp();
  }
  /// In a team of so many lanes that shares one item, one of `all`.
  template <class Member>
  BATCHWORK_INLINE void take_team(Member const& member, int lanes_of_team, std::int64_t of,
                                  std::int64_t all) {
    first = of;
    rank = lane = Vendor::renewed(Vendor::lane_rank(member));
    team = lanes = lanes_of_team;
    item = 0, items = 1, there = of < all ? 1 : 0;
    take_warp();
  }

 private:
  BATCHWORK_INLINE void take_warp() {
    warp = int(unsigned(lane) / lanes_of_warp);
    in_warp = int(unsigned(lane) % lanes_of_warp);
    r = int(unsigned(in_warp) / 4), c = int(unsigned(in_warp) % 4);
  }
};

/// Adds products by matrix instructions to tiles that stand one below the other: sum(i) points to
/// the lane's two numbers of tile i, for i from `start` on as far as instructions have one of
/// [first, end). a[f][i] is number (r, c) of tile i's left factor of 8 x 4, b[f] number (c, r) of
/// the right one, both of the four terms number f.
template <class T, int Fours, int Tiles, class Sum>
BATCHWORK_INLINE void add_products(Sum const& sum, T const (&a)[Fours][Tiles], T const (&b)[Fours],
                                   int start = 0, int first = 0, int end = Tiles) {
  constexpr int blocks = Vendor::blocks_at_once;
  BATCHWORK_UNROLL
  for (int i = start; i < Tiles; i += blocks) {
    if (i + blocks <= first || i >= end) continue;
    if (i + blocks <= Tiles) {
      T some[blocks][2], left[Fours][blocks];
      BATCHWORK_UNROLL
      for (int s = 0; s < blocks; ++s) {
        int const t = i + s < Tiles ? i + s : Tiles - 1;
        some[s][0] = sum(t)[0], some[s][1] = sum(t)[1];
        BATCHWORK_UNROLL
        for (int f = 0; f < Fours; ++f) left[f][s] = a[f][t];
      }
      if constexpr (Fours > 1 && Fours == Vendor::fours_at_once) {
        Vendor::mma(some, left, b);
      } else {
        BATCHWORK_UNROLL
        for (int f = 0; f < Fours; ++f) Vendor::mma(some, left[f], b[f]);
      }
      BATCHWORK_UNROLL
      for (int s = 0; s < blocks; ++s) {
        int const t = i + s < Tiles ? i + s : Tiles - 1;
        sum(t)[0] = some[s][0], sum(t)[1] = some[s][1];
      }
    } else {
      BATCHWORK_UNROLL
      for (int f = 0; f < Fours; ++f) {
        T some[2] = {sum(i)[0], sum(i)[1]};
        Vendor::mma(some, a[f][i], b[f]);
        sum(i)[0] = some[0], sum(i)[1] = some[1];
      }
    }
  }
}

/// c += a b for an 8 x 4 and a 4 x 8 matrix in double, as Vendor::mma; on devices without fast
/// instructions by shuffles.
BATCHWORK_INLINE void add_product_in_double(double (&c)[2], double a, double b) {
  if constexpr (Vendor::multiplies_by_warps<double>) {
    Vendor::mma(c, a, b);
  } else {
    int const lane = Vendor::lane_id() % lanes_of_warp;
    for (int k = 0; k < 4; ++k) {
      double const left = Vendor::shuffle<lanes_of_warp>(a, lane / 4 * 4 + k);
      for (int j = 0; j < 2; ++j)
        c[j] += left * Vendor::shuffle<lanes_of_warp>(b, 4 * (2 * (lane % 4) + j) + k);
    }
  }
}
/// The same for some tiles that stand one below the other.
template <int Tiles>
BATCHWORK_INLINE void add_products_in_double(double (&sums)[Tiles][2], double const (&a)[Tiles],
                                             double b) {
  if constexpr (Vendor::multiplies_by_warps<double>) {
    double left[1][Tiles];
    BATCHWORK_UNROLL
    for (int i = 0; i < Tiles; ++i) left[0][i] = a[i];
    add_products([&](int i) { return sums[i]; }, left, {b});
  } else {
    BATCHWORK_UNROLL
    for (int i = 0; i < Tiles; ++i) add_product_in_double(sums[i], a[i], b);
  }
}

/// The same for 8 Rows x 4 Cols sums: sums[r][c] is in row 8 r + lane / 4 and column 8 (c / 2) +
/// 2 (lane % 4) + c % 2. The lane gives a(r, f) of row 8 r + lane / 4 and b(c, f) of column 8 c +
/// lane / 4, both of term 4 f + lane % 4.
template <int Fours = Vendor::fours_at_once, class T, int Rows, int Cols, class A, class B>
BATCHWORK_INLINE void multiply_fragments(T (&sums)[Rows][Cols], A const& a, B const& b) {
  static_assert(Rows % Vendor::blocks_at_once == 0 && Cols % 2 == 0);
  T x[Fours][Rows], y[Cols / 2][Fours];
  BATCHWORK_UNROLL
  for (int f = 0; f < Fours; ++f) {
    BATCHWORK_UNROLL
    for (int r = 0; r < Rows; ++r) x[f][r] = a(r, f);
    BATCHWORK_UNROLL
    for (int c = 0; c < Cols / 2; ++c) y[c][f] = b(c, f);
  }
  BATCHWORK_UNROLL
  for (int r = 0; r < Rows; r += Vendor::blocks_at_once) {
    BATCHWORK_UNROLL
    for (int c = 0; c < Cols; c += 2)
      add_products([&](int i) { return sums[i] + c; }, x, y[c / 2], r, r,
                   r + Vendor::blocks_at_once);
  }
}
/// Terms that it adds at once.
inline constexpr int terms_of_fragments = 4 * Vendor::fours_at_once;

/// Takes a product of four terms off Down x Across tiles, of which the lane has x(i, k), two
/// numbers: from those in rows of tiles [first, end) and the columns with wanted(k). Lower: only on
/// and below the diagonal, and the product is that of a matrix and its transpose.
/// \param left   left(i) points to the four numbers of the lane's row of tile i, zeros unless
///               takes(i)
/// \param right  right(k, q, j) points to number q of column j of tile k; next in memory is number
///               q + 1 if Lower, else that of column j + 1
template <int Down, int Across, bool Lower, class T, class X, class Left, class Takes, class Right,
          class Wanted>
BATCHWORK_INLINE void subtract_products(LaneOfTiles const& here, X const& x, int first, int end,
                                        Left const& left, Takes const& takes, Right const& right,
                                        Wanted const& wanted) {
  auto const has = [&](int i) { return i >= first && i < end; };
  if constexpr (Vendor::multiplies_by_warps<T>) {
    T a[1][Down];
    BATCHWORK_UNROLL
    for (int i = 0; i < Down; ++i) a[0][i] = has(i) && takes(i) ? -left(i)[here.c] : T(0);
    BATCHWORK_UNROLL
    for (int k = 0; k < Across; ++k) {
      if (!wanted(k)) continue;
      T const b[1] = {*right(k, here.c, here.r)};
      add_products([&](int i) { return x(i, k); }, a, b, Lower ? k : 0, first, end);
    }
  } else {
    // Two terms at a time where four would leave too few registers for the tiles.
    constexpr int terms = Down > 6 ? 2 : 4;
    BATCHWORK_UNROLL
    for (int q0 = 0; q0 < 4; q0 += terms) {
      T a[Down][terms];
      BATCHWORK_UNROLL
      for (int i = 0; i < Down; ++i) {
        if (!has(i)) continue;
        read_together(a[i], left(i) + q0);
        BATCHWORK_UNROLL
        for (int q = 0; q < terms; ++q) a[i][q] = takes(i) ? a[i][q] : T(0);
      }
      BATCHWORK_UNROLL
      for (int k = 0; k < Across; ++k) {
        if (!wanted(k)) continue;
        T b[Lower ? 2 : terms][Lower ? terms : 2];
        BATCHWORK_UNROLL
        for (int s = 0; s < (Lower ? 2 : terms); ++s)
          read_together(b[s], Lower ? right(k, q0, 2 * here.c + s) : right(k, q0 + s, 2 * here.c));
        BATCHWORK_UNROLL
        for (int i = Lower ? k : 0; i < Down; ++i) {
          if (!has(i)) continue;
          BATCHWORK_UNROLL
          for (int q = 0; q < terms; ++q) {
            x(i, k)[0] -= a[i][q] * (Lower ? b[0][q] : b[q][0]);
            x(i, k)[1] -= a[i][q] * (Lower ? b[1][q] : b[q][1]);
          }
        }
      }
    }
  }
}

}  // namespace Batchwork::Impl

#endif

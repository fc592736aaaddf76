// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// RotationTiles: one-sided Jacobi rotations by blocks of eight columns, which warps share.
#ifndef BATCHWORK_ROTATIONTILES_HPP
#define BATCHWORK_ROTATIONTILES_HPP

#include <Kokkos_Core.hpp>
#include <limits>

#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/Batchwork_OneSidedJacobi.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_MatrixInstructions.hpp"
#include "core/detail/backend/Batchwork_Quotients.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"

namespace Batchwork::Impl {

/// A warp has two blocks of eight columns at a time, a left and a right one. It multiplies them
/// with each other: 16 x 16 numbers. From these alone it finds rotations of each left column with
/// each right one, in eight rounds, or at once where all angles are small. Then it multiplies the
/// columns by all rotations at once. (Golub and Van Loan, Matrix Computations, 4th edition,
/// sections 8.5 and 8.6.3.) In a sweep each block meets each other one. Warps wait for each other
/// after each meeting.
///
/// Matrix instructions leave the 16 x 16 numbers in this order: lane 4 r + c of a warp has the
/// numbers (8 p + r, 8 q + 2 c + e). Each of p, q and e is 0 or 1. Where has_shuffles.
template <class Columns>
struct RotationTiles {
  using T = typename Columns::T;
  using Numbers = T[2][2][2];  ///< [q][p][e]
  static constexpr int apart = 20, turn_numbers = 16 * apart, deep = 16 / int(sizeof(T));

  /// Columns that a matrix has in memory: a column of zeros stands for those that are missing.
  static BATCHWORK_INLINE int stored(int cols) { return cols + (cols % 16 != 0 ? 1 : 0); }
  /// The distance of columns of whole tiles, such that lanes find different banks: for four
  /// neighbouring rows of four columns in double, and for units of eight columns.
  static BATCHWORK_INLINE int leading(int rows) { return (rows + 7) / 8 * 8 + 4; }
  /// Warps that have blocks.
  static BATCHWORK_INLINE int warps(int cols) { return (cols + 15) / 16; }

  Columns const &a, &v;  ///< v.a is null where no vectors are wanted
  T* turns;              ///< turn_numbers of each warp
  int lane, warp, warp_count, r, c;

  BATCHWORK_INLINE RotationTiles(Columns const& columns, Columns const& also, T* memory)
      : a(columns),
        v(also),
        lane(columns.lanes.rank % lanes_of_warp),
        warp(columns.lanes.rank / lanes_of_warp),
        warp_count(columns.lanes.count / lanes_of_warp),
        r(lane / 4),
        c(lane % 4) {
    turns = memory + warp * turn_numbers;
  }

  /// Zeros beyond the rows and columns of one of the matrices. Others do not see them yet.
  static BATCHWORK_INLINE void clear_padding(Columns const& of) {
    int const count = of.lanes.count, rank = of.lanes.rank, cols = of.cols;
    for (int j = rank; j < cols; j += count)
      for (int i = of.rows; i < of.leading; ++i) of.a[j * of.leading + i] = T(0);
    if (stored(cols) == cols) return;
    for (int i = rank; i < of.leading; i += count) of.a[cols * of.leading + i] = T(0);
  }

  /// A matrix `to` of its own columns becomes a' a, with zeros between the last row and the
  /// next column. Others do not see it yet.
  BATCHWORK_INLINE void put_gram(T* to, int leading_of_it) const {
    int const n = a.cols, blocks = (n + 7) / 8;
    BATCHWORK_KEEP_LOOP
    for (int k = warp; k < blocks * blocks; k += warp_count) {
      int const left = k / blocks, right = k % blocks;
      if (left >= right) continue;
      Numbers h;
      put_products(h, 8 * left, 8 * right, 8);
      BATCHWORK_UNROLL
      for (int p = 0; p < 2; ++p) {
        BATCHWORK_UNROLL
        for (int q = 0; q < 2; ++q) {
          // Blocks on the diagonal come from pairs of neighbours.
          if (p == q && (right != left + 1 || (p == 0 && left > 0))) continue;
          BATCHWORK_UNROLL
          for (int e = 0; e < 2; ++e) {
            int const i = 8 * (p == 0 ? left : right) + r,
                      j = 8 * (q == 0 ? left : right) + 2 * c + e;
            if (i < leading_of_it && j < n) to[j * leading_of_it + i] = h[q][p][e];
          }
        }
      }
    }
  }
  /// a := a v, by warps that have whole rows of it, in up to 8 Blocks columns. Sums are in double.
  template <int Blocks>
  BATCHWORK_INLINE void multiply_by_vectors() const {
    static_assert(Vendor::chains_matrices<double>);
    int const n = a.cols, row = r ^ r / 4, row0 = 2 * c + c / 2, row1 = row0 ^ 1;
    BATCHWORK_KEEP_LOOP
    for (int i = 8 * warp; i < a.rows; i += 8 * warp_count) {
      T* const strip = a.a + i;
      double x[Blocks][2];
      BATCHWORK_UNROLL
      for (int k = 0; k < Blocks; ++k) {
        BATCHWORK_UNROLL
        for (int f = 0; f < 2; ++f)
          x[k][f] = 8 * k < n ? double(strip[there(8 * k + 4 * f + c) * a.leading + row]) : 0.0;
      }
      Vendor::warp_sync();
      BATCHWORK_KEEP_LOOP
      for (int j = r; j - r < n; j += 16) {
        T const* const left = v.a + there(j) * v.leading + c;
        T const* const right = v.a + there(j + 8) * v.leading + c;
        double y[2][2] = {};
        BATCHWORK_UNROLL
        for (int k = 0; k < Blocks; ++k) {
          if (8 * k >= n) continue;
          double const by[2][2] = {{double(left[8 * k]), double(right[8 * k])},
                                   {double(left[8 * k + 4]), double(right[8 * k + 4])}};
          multiply(y, by, x[k]);
        }
        BATCHWORK_UNROLL
        for (int p = 0; p < 2; ++p)
          if (j + 8 * p < n) {
            strip[(j + 8 * p) * a.leading + row0] = T(y[p][0]);
            strip[(j + 8 * p) * a.leading + row1] = T(y[p][1]);
          }
      }
    }
  }

  /// Makes columns orthogonal, as orthogonalise_columns. Returns whether iterations did not end.
  BATCHWORK_INLINE bool orthogonalise() const {
    AngleBounds<T> const bounds(a.rows, a.cols);
    int const blocks = (a.cols + 7) / 8, even = blocks + blocks % 2;
    bool active = a.cols > 1;
    BATCHWORK_KEEP_LOOP
    for (int sweep = 0; sweep < most_sweeps && active; ++sweep) {
      SweepReport<T> report{false, false};
      // The last three rounds are for pairs within a block: halves of blocks meet, then quarters.
      BATCHWORK_KEEP_LOOP
      for (int round = 0; round < even + 2; ++round) {
        BATCHWORK_KEEP_LOOP
        for (int k = warp; 2 * k < even; k += warp_count) {
          int const last = even - 1;
          int left = 0, right = 0, half = 8;
          if (round < last) {
            // As in a tournament: the last one stays, the others move on.
            int const one = (round + k) % last, other = (round + last - k) % last;
            left = 8 * (k == 0 ? last : one), right = 8 * other;
          } else {
            half = 4 >> (round - last);
            left = 16 * k, right = left + half;
          }
          if (left < a.cols && right < a.cols) meet(left, right, half, bounds, report);
        }
        a.lanes.sync();
      }
      bool const skew = a.lanes.any(report.skew), far = a.lanes.any(report.far);
      active = skew && far;
    }
    return active;
  }

 private:
  /// Where the column of number k of a block stands that begins at `first`: groups of `half`
  /// neighbours follow each other.
  static BATCHWORK_INLINE int column(int first, int half, int k) {
    return first + k + (k & -half & 7);
  }
  BATCHWORK_INLINE int there(int column) const { return column < a.cols ? column : a.cols; }

  /// c += a b, a of 16 x 8 and b of 8 x 8 numbers.
  template <class N>
  static BATCHWORK_INLINE void multiply(N (&to)[2][2], N const (&x)[2][2], N const (&y)[2]) {
    if constexpr (Vendor::fours_at_once == 2) {
      Vendor::mma(to, x, y);
    } else {
      BATCHWORK_UNROLL
      for (int f = 0; f < 2; ++f) {
        BATCHWORK_UNROLL
        for (int p = 0; p < 2; ++p) Vendor::mma(to[p], x[f][p], y[f]);
      }
    }
  }
  /// Numbers of a pair from the lanes that have it.
  BATCHWORK_INLINE T of_pair(T const (&x)[2]) const {
    return Vendor::shuffle<lanes_of_warp>(r % 2 != 0 ? x[1] : x[0], 4 * r + r / 2);
  }
  BATCHWORK_INLINE T of_column(T const& x, int e) const {
    return Vendor::shuffle<lanes_of_warp>(x, 8 * c + 4 * e);
  }

  /// As orthogonalising, by an angle of some 20 bits, which the next sweep does not miss.
  static BATCHWORK_INLINE Rotation<T> rotation(T const& alpha, T const& beta, T const& gamma,
                                               AngleBounds<T> const& bounds,
                                               SweepReport<T>& report) {
    constexpr T least = std::numeric_limits<T>::epsilon() / 4;
    T const square = gamma * gamma, sizes = alpha * beta, lost = lost_square<T>,
            small = bounds.small * bounds.small;
    bool const skew = square > least * least * sizes + lost;
    report.skew = report.skew || square > bounds.tolerance * bounds.tolerance * sizes + lost;
    T const difference = T(0.5) * (beta - alpha);
    T const length = Vendor::some_rsqrt(difference * difference + square);
    T const square_cosine = T(0.5) + T(0.5) * Kokkos::abs(difference) * length,
            secant = Vendor::some_rsqrt(square_cosine);
    T const some_sine = T(0.5) * (difference < T(0) ? -gamma : gamma) * length * secant;
    T const half = some_sine * Vendor::middle_reciprocal(T(1) + square_cosine * secant);
    // It belongs to half to the last bits.
    T const sine = T(2) * half * Vendor::middle_reciprocal(T(1) + half * half);
    report.far = report.far || square > small * sizes + lost || (skew && sine * sine > small);
    return {skew ? sine : T(0), skew ? half : T(0), true};
  }

  template <class Bounds>
  BATCHWORK_INLINE void meet(int left, int right, int half, Bounds const& bounds,
                             SweepReport<T>& report) const {
    Numbers h;
    put_products(h, left, right, half);
    bool skew = false, is_far = false;
    for_pairs(h, [&](int, T const& square, T const& sizes, T const& sine) {
      T const small = bounds.small * bounds.small;
      skew = skew || !(square <= bounds.tolerance * bounds.tolerance * sizes);
      is_far = is_far || !(square <= small * sizes + lost_square<T>) || !(sine * sine <= small);
    });
    if (!Vendor::any_of_warp(skew)) return;
    Numbers w;
    BATCHWORK_UNROLL
    for (int e = 0; e < 2; ++e) {
      w[0][0][e] = w[1][1][e] = r == 2 * c + e ? T(1) : T(0);
      w[1][0][e] = w[0][1][e] = T(0);
    }
    if (Vendor::any_of_warp(is_far)) {
      turn_pairs(h, w, bounds, report);
    } else {
      // The product of all rotations by small angles is I + X with X' = -X: what is left out is X
      // X, which is as small as rounding errors.
      for_pairs(h, [&](int e, T const& square, T const& sizes, T const& sine) {
        report.skew =
            report.skew || square > bounds.tolerance * bounds.tolerance * sizes + lost_square<T>;
        w[1][0][e] = sine;
      });
      BATCHWORK_UNROLL
      for (int e = 0; e < 2; ++e) {
        int const from = 4 * (2 * c + e) + r / 2;
        T const even = Vendor::shuffle<lanes_of_warp>(w[1][0][0], from),
                odd = Vendor::shuffle<lanes_of_warp>(w[1][0][1], from);
        w[0][1][e] = r % 2 != 0 ? -odd : -even;
      }
    }
    BATCHWORK_UNROLL
    for (int p = 0; p < 2; ++p) {
      BATCHWORK_UNROLL
      for (int q = 0; q < 2; ++q)
        write_together(turns + (8 * p + r) * apart + 8 * q + 2 * c, w[q][p]);
    }
    Vendor::warp_sync();
    put_columns(a, left, right, half);
    if (v.a != nullptr) put_columns(v, left, right, half);
  }
  /// body(e, square, sizes, sine) for the pairs of left column r and right columns 2 c + e: of the
  /// product of the columns, the product of the squares of their lengths, and the sine that makes
  /// them orthogonal, if it is small.
  template <class Body>
  BATCHWORK_INLINE void for_pairs(Numbers const& h, Body const& body) const {
    constexpr T least = std::numeric_limits<T>::epsilon() / 4;
    T const alpha = of_pair(h[0][0]), beta = of_pair(h[1][1]);
    BATCHWORK_UNROLL
    for (int e = 0; e < 2; ++e) {
      T const gamma = h[1][0][e], other = of_column(beta, e), sizes = alpha * other,
              square = gamma * gamma;
      bool const turned = square > least * least * sizes + lost_square<T>;
      body(e, square, sizes, turned ? Vendor::quotient(gamma, T(other - alpha)) : T(0));
    }
  }
  /// Rotates each left column with each right one; h are their products, w becomes the product of
  /// the rotations.
  template <class Bounds>
  BATCHWORK_INLINE void turn_pairs(Numbers& h, Numbers& w, Bounds const& bounds,
                                   SweepReport<T>& report) const {
    BATCHWORK_KEEP_LOOP
    for (int turn = 1; turn <= 8; ++turn) {
      Rotation<T> const own =
          rotation(of_pair(h[0][0]), of_pair(h[1][1]), of_pair(h[1][0]), bounds, report);
      auto const rotate = [](Rotation<T> const& by, T& p, T& q) {
        T const x = p, y = q;
        p = by.right(x, y);
        q = by.left(x, y);
      };
      BATCHWORK_UNROLL
      for (int q = 0; q < 2; ++q) {
        BATCHWORK_UNROLL
        for (int e = 0; e < 2; ++e) rotate(own, h[q][0][e], h[q][1][e]);
      }
      BATCHWORK_UNROLL
      for (int e = 0; e < 2; ++e) {
        Rotation<T> const by{of_column(own.sine, e), of_column(own.half, e), true};
        BATCHWORK_UNROLL
        for (int p = 0; p < 2; ++p) {
          rotate(by, h[0][p][e], h[1][p][e]);
          rotate(by, w[0][p][e], w[1][p][e]);
        }
      }
      // The right columns change places: in eight turns, in the order of a Gray code, each of them
      // has been at each place and is back.
      int const bit = turn % 2 != 0 ? 1 : turn % 4 != 0 ? 2 : 4;
      BATCHWORK_UNROLL
      for (int q = 0; q < 2; ++q) {
        BATCHWORK_UNROLL
        for (int e = 0; e < 2; ++e) h[q][1][e] = Vendor::shuffle_xor(h[q][1][e], 4 * bit);
      }
      BATCHWORK_UNROLL
      for (int p = 0; p < 2; ++p) exchange(h[1][p], bit), exchange(w[1][p], bit);
    }
  }
  /// Columns change places with those whose number differs in `bit`.
  static BATCHWORK_INLINE void exchange(T (&x)[2], int bit) {
    if (bit == 1) {
      T const first = x[0];
      x[0] = x[1], x[1] = first;
    } else {
      x[0] = Vendor::shuffle_xor(x[0], bit / 2), x[1] = Vendor::shuffle_xor(x[1], bit / 2);
    }
  }

  /// The products of the columns of two blocks.
  BATCHWORK_INLINE void put_products(Numbers& h, int left, int right, int half) const {
    BATCHWORK_UNROLL
    for (int q = 0; q < 2; ++q) {
      BATCHWORK_UNROLL
      for (int p = 0; p < 2; ++p) h[q][p][0] = h[q][p][1] = T(0);
    }
    auto const begin = [&](int q, int k) {
      return a.a + there(column(q == 0 ? left : right, half, k)) * a.leading;
    };
    T const *const x0 = begin(0, r), *const x1 = begin(1, r);
    if constexpr (Vendor::chains_matrices<T>) {
      // Two sums, because the additions of a single one would wait for each other.
      Numbers other{};
      auto const add = [&](Numbers& to, int i) {
        T const x[2][2] = {{x0[i + c], x1[i + c]}, {x0[i + c + 4], x1[i + c + 4]}};
        BATCHWORK_UNROLL
        for (int q = 0; q < 2; ++q) {
          T const y[2] = {x[0][q], x[1][q]};
          multiply(to[q], x, y);
        }
      };
      int i = 0;
      BATCHWORK_UNROLL_SOME
      for (; i + 8 < a.rows; i += 16) add(h, i), add(other, i + 8);
      if (i < a.rows) add(h, i);
      BATCHWORK_UNROLL
      for (int q = 0; q < 2; ++q) {
        BATCHWORK_UNROLL
        for (int p = 0; p < 2; ++p) h[q][p][0] += other[q][p][0], h[q][p][1] += other[q][p][1];
      }
    } else {
      T const* y[2][2];
      BATCHWORK_UNROLL
      for (int q = 0; q < 2; ++q) y[q][0] = begin(q, 2 * c), y[q][1] = begin(q, 2 * c + 1);
      BATCHWORK_KEEP_LOOP
      for (int i = 0; i < a.rows; i += deep) {
        T x[2][deep];
        read_together(x[0], x0 + i), read_together(x[1], x1 + i);
        BATCHWORK_UNROLL
        for (int q = 0; q < 2; ++q) {
          BATCHWORK_UNROLL
          for (int e = 0; e < 2; ++e) {
            T other[deep];
            read_together(other, y[q][e] + i);
            BATCHWORK_UNROLL
            for (int p = 0; p < 2; ++p) {
              BATCHWORK_UNROLL
              for (int d = 0; d < deep; ++d) h[q][p][e] += x[p][d] * other[d];
            }
          }
        }
      }
    }
  }

  /// The columns of two blocks are multiplied by the product of rotations in `turns`.
  BATCHWORK_INLINE void put_columns(Columns const& of, int left, int right, int half) const {
    auto const place = [&](int k) {
      return there(column(k < 8 ? left : right, half, k % 8)) * of.leading;
    };
    if constexpr (Vendor::chains_matrices<T>) {
      T turn[4][2];  // number k = 4 f + c of new column 8 p + r
      int from[4];
      BATCHWORK_UNROLL
      for (int f = 0; f < 4; ++f) {
        BATCHWORK_UNROLL
        for (int p = 0; p < 2; ++p) turn[f][p] = turns[(4 * f + c) * apart + 8 * p + r];
        from[f] = place(4 * f + c);
      }
      int const to[2] = {place(r), place(8 + r)};
      bool const is_there[2] = {column(left, half, r) < of.cols, column(right, half, r) < of.cols};
      // Rows in an order without bank conflicts, both where they are read and where they are
      // written.
      int const row = r ^ r / 4, row0 = 2 * c + c / 2, row1 = row0 ^ 1;
      // Tiles that are read before the first of them is written.
      constexpr int together = 4;
      BATCHWORK_KEEP_LOOP
      for (int i0 = 0; i0 < of.rows; i0 += 8 * together) {
        T* const tile = of.a + i0;
        T old[together][4];
        BATCHWORK_UNROLL
        for (int t = 0; t < together; ++t) {
          BATCHWORK_UNROLL
          for (int f = 0; f < 4; ++f)
            old[t][f] = i0 + 8 * t < of.rows ? tile[from[f] + row + 8 * t] : T(0);
        }
        // Lanes write what others have read; products do not order accesses of memory.
        Vendor::warp_sync();
        T y[together][2][2];
        BATCHWORK_UNROLL
        for (int t = 0; t < together; ++t) {
          BATCHWORK_UNROLL
          for (int p = 0; p < 2; ++p) y[t][p][0] = y[t][p][1] = T(0);
        }
        BATCHWORK_UNROLL
        for (int f = 0; f < 4; f += 2) {
          T const x[2][2] = {{turn[f][0], turn[f][1]}, {turn[f + 1][0], turn[f + 1][1]}};
          BATCHWORK_UNROLL
          for (int t = 0; t < together; ++t) {
            T const numbers[2] = {old[t][f], old[t][f + 1]};
            multiply(y[t], x, numbers);
          }
        }
        BATCHWORK_UNROLL
        for (int t = 0; t < together; ++t) {
          BATCHWORK_UNROLL
          for (int p = 0; p < 2; ++p)
            if (is_there[p] && i0 + 8 * t < of.rows) {
              tile[to[p] + row0 + 8 * t] = y[t][p][0];
              tile[to[p] + row1 + 8 * t] = y[t][p][1];
            }
        }
      }
    } else {
      int at[16];
      BATCHWORK_UNROLL
      for (int k = 0; k < 16; ++k) at[k] = place(k);
      BATCHWORK_KEEP_LOOP
      for (int i = lane; i < of.rows; i += lanes_of_warp) {
        T x[16];
        BATCHWORK_UNROLL
        for (int k = 0; k < 16; ++k) x[k] = of.a[at[k] + i];
        BATCHWORK_UNROLL
        for (int j = 0; j < 16; j += deep) {
          T y[deep];
          BATCHWORK_UNROLL
          for (int d = 0; d < deep; ++d) y[d] = T(0);
          BATCHWORK_UNROLL
          for (int k = 0; k < 16; ++k) {
            T turn[deep];
            read_together(turn, turns + k * apart + j);
            BATCHWORK_UNROLL
            for (int d = 0; d < deep; ++d) y[d] += x[k] * turn[d];
          }
          BATCHWORK_UNROLL
          for (int d = 0; d < deep; ++d)
            if (at[j + d] != of.cols * of.leading) of.a[at[j + d] + i] = y[d];
        }
      }
    }
    // The next product of rotations overwrites this one.
    Vendor::warp_sync();
  }
};

}  // namespace Batchwork::Impl

#endif

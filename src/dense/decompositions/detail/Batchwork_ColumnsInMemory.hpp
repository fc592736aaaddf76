// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// ColumnsInMemory: a matrix in a team's scratch or in a thread's buffer, of extents known at run
/// time, as reflections and rotations of its columns change it.
#ifndef BATCHWORK_COLUMNSINMEMORY_HPP
#define BATCHWORK_COLUMNSINMEMORY_HPP

#include <cstdint>
#include <type_traits>

#include "core/detail/Batchwork_ColumnBlocks.hpp"
#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/Batchwork_Householder.hpp"
#include "core/detail/Batchwork_OneSidedJacobi.hpp"
#include "core/detail/Batchwork_PowerOfTwo.hpp"
#include "dense/decompositions/detail/Batchwork_ColumnLanes.hpp"

namespace Batchwork::Impl {

/// Columns are dealt out to groups of lanes, column j to group j mod groups. For rotations pairs
/// are dealt out. S is a number, or a pack of them on hosts. Each function ends with all lanes of
/// the item seeing its result, unless it says otherwise.
template <class S, class Lanes>
struct ColumnsInMemory {
  using value_type = S;
  using T = scalar_t<S>;

  Lanes const& lanes;
  int rows, cols, leading;
  S* a;  ///< a column after the other, `leading` numbers apart; by lanes, a multiple of 16 bytes
  std::int16_t* order;  ///< where column j stands
  bool idle = false;    ///< whether lanes of a device only wait with others, and leave all as it is

  BATCHWORK_INLINE S* column(int j) const { return a + std::int64_t(order[j]) * leading; }
  BATCHWORK_INLINE int columns_there() const { return cols; }
  /// body(i) for the calling lane's rows from `first` to `end` - 1.
  template <class Body>
  BATCHWORK_INLINE void for_rows(int first, int end, Body const& body) const {
    for (int i = first + ((lanes.row - first) & (lanes.width - 1)); i < end; i += lanes.width)
      body(i);
  }
  /// body(j, n) for the own columns from `first` to `end` - 1; n are the rows of the matrix. Where
  /// lanes that go one way have different numbers of columns, there are more of them with n = 0.
  template <class Body>
  BATCHWORK_INLINE void for_columns(int first, int end, Body const& body) const {
    if constexpr (Lanes::alone) {
      for (int j = first; j < end; ++j) body(j, rows);
    } else {
      for (int j0 = first / lanes.groups * lanes.groups; j0 < end; j0 += lanes.groups) {
        int const j = j0 + lanes.group;
        bool const there = j >= first && j < end;
        body(there ? j : first, there && !idle ? rows : 0);
      }
    }
  }
  /// The sum of f(i) over rows first .. end - 1, in all lanes of the group.
  template <class F>
  BATCHWORK_INLINE S sum(int first, int end, F const& f) const {
    S x(T(0));
    for_rows(first, end, [&](int i) { x += f(i); });
    return lanes.sum(x);
  }
  /// The largest of f(j, n), not negative, over columns 0 .. cols - 1 and the lanes of a group.
  template <class F>
  BATCHWORK_INLINE S largest(F const& f) const {
    S x(T(0));
    for_columns(0, cols, [&](int j, int n) { x = larger_size(x, S(f(j, n))); });
    return lanes.largest(x);
  }
  /// 1 + the first j of 0 .. cols - 1 for which f(j) holds in a lane of the group; else 0.
  template <class F>
  BATCHWORK_INLINE info_t<S> first_column(F const& f) const {
    info_t<S> x(0);
    for_columns(0, cols, [&](int j, int n) {
      auto const first = f(j, n) && x == info_t<S>(0);
      x = select(first, info_t<S>(Lanes::alone ? j + 1 : cols - j), x);
    });
    if constexpr (!Lanes::alone) {
      x = lanes.largest_key(x);
      x = x == 0 ? 0 : cols + 1 - x;
    }
    return x;
  }

  /// Columns in their own places; not yet seen by others.
  BATCHWORK_INLINE void begin() const {
    for_columns(0, cols, [&](int j, int n) {
      if (n > 0 && lanes.row == 0) order[j] = std::int16_t(j);
    });
  }
  BATCHWORK_INLINE void set_unit() const {
    for_columns(0, cols, [&](int j, int n) {
      S* const x = a + std::int64_t(j) * leading;
      for_rows(0, n, [&](int i) { x[i] = S(T(i == j ? 1 : 0)); });
    });
  }
  BATCHWORK_INLINE S largest_entry() const {
    return largest([&](int j, int n) {
      S x(T(0));
      S const* const of = column(j);
      for_rows(0, n, [&](int i) { x = larger_size(x, abs(of[i])); });
      return x;
    });
  }
  template <class Scale>
  BATCHWORK_INLINE void scale(Scale const& by) const {
    for_columns(0, cols, [&](int j, int n) {
      S* const x = column(j);
      for_rows(0, n, [&](int i) { x[i] = x[i] * by.first * by.second; });
    });
  }
  /// Of own column j, as for_columns gives it.
  BATCHWORK_INLINE S square_of_column(int j, int n) const {
    S const* const x = column(j);
    return sum(0, n, [&](int i) { return x[i] * x[i]; });
  }

  // ---- rotations, see orthogonalise_columns; columns stay in their places

  /// Numbers that are read at once, and so many of these a lane holds.
  static constexpr int deep = Lanes::alone ? 1 : 16 / int(sizeof(T)), held = 4;
  /// Rows that rotations see: those beyond `rows` are zero.
  BATCHWORK_INLINE int padded() const { return (rows + deep - 1) / deep * deep; }

  static constexpr bool parity_is_constant = false;
  template <class F, class... Also>
  BATCHWORK_INLINE void rotate_neighbours(int parity, F const& rotation, Also&... also) const {
    for (int p0 = 0; 2 * p0 + parity + 1 < cols; p0 += lanes.groups) {
      int const own = 2 * (p0 + lanes.group) + parity;
      bool const there = own + 1 < cols;
      Pair const pair = pair_at(there ? own : parity);
      S alpha(T(0)), beta(T(0)), gamma(T(0));
      S x[held * deep], y[held * deep];
      int const n = there ? padded() : 0, together = held * deep * lanes.width;
      for (int first = 0; first < n; first += together) {
        read(x, pair.p, first, n), read(y, pair.q, first, n);
        BATCHWORK_UNROLL_ON_DEVICE
        for (int i = 0; i < held * deep; ++i) {
          alpha += x[i] * x[i];
          beta += y[i] * y[i];
          gamma += x[i] * y[i];
        }
      }
      // Of a pair that another group has nothing is asked.
      auto const r = rotation(S(lanes.sum(alpha)), S(lanes.sum(beta)), S(lanes.sum(gamma)));
      if (there && r.is_to_apply()) {
        for (int first = 0; first < n; first += together) {
          if (n > together) read(x, pair.p, first, n), read(y, pair.q, first, n);
          rotate(r, pair, x, y, first, n);
        }
        (also.rotate_pair(own, r), ...);
      }
    }
    lanes.sync();
  }
  template <class R>
  BATCHWORK_INLINE void rotate_pair(int j, R const& r) const {
    Pair const pair = pair_at(j);
    S x[held * deep], y[held * deep];
    int const n = padded();
    for (int first = 0; first < n; first += held * deep * lanes.width) {
      read(x, pair.p, first, n), read(y, pair.q, first, n);
      rotate(r, pair, x, y, first, n);
    }
  }
  /// Before rotations: what is between the rows and the next column. Not yet seen by others.
  BATCHWORK_INLINE void clear_padding() const {
    for_columns(0, cols, [&](int j, int n) {
      S* const x = a + std::int64_t(j) * leading;
      for_rows(rows, n > 0 ? padded() : 0, [&](int i) { x[i] = S(T(0)); });
    });
  }
  template <class Mask>
  BATCHWORK_INLINE Mask any_lane(Mask const& m) const {
    return lanes.any(m);
  }
  template <class Mask>
  BATCHWORK_INLINE bool any_item(Mask const& m) const {
    return lanes.any_together(m);
  }
  /// Packs, whose items differ in the order, are sorted in their places, with 3 cols numbers to
  /// work with; numbers have order_by_length.
  template <ColumnOrder Order, class... Also>
  BATCHWORK_INLINE void sort_packs([[maybe_unused]] S* work, [[maybe_unused]] Also&... also) {
    if constexpr (!std::is_same_v<S, T>) {
      S *const places = work + cols, *const some = places + cols;
      for (int j = 0; j < cols; ++j) work[j] = sorting_key<Order>(square_of_column(j, rows));
      find_order(work, cols, places, some);
      permute_columns(a, leading, rows, cols, places, some);
      (permute_columns(also.a, also.leading, also.rows, cols, places, some), ...);
    }
  }
  /// Columns in the order of their lengths; column j has length lengths[order[j]]. Packs are sorted
  /// already.
  template <ColumnOrder Order>
  BATCHWORK_INLINE void order_by_length(S* lengths) const {
    for_columns(0, cols, [&](int j, int n) {
      S const length = sqrt(square_of_column(j, n));
      if (n > 0 && lanes.row == 0) lengths[j] = length;
    });
    lanes.sync();
    if constexpr (std::is_same_v<S, T>) {
      for_columns(0, cols, [&](int j, int n) {
        int before = 0;
        for_rows(0, n > 0 ? cols : 0, [&](int i) {
          bool const earlier = Order == ColumnOrder::smallest_first ? lengths[i] < lengths[j]
                                                                    : lengths[i] > lengths[j];
          before += earlier || (lengths[i] == lengths[j] && i < j) ? 1 : 0;
        });
        before = lanes.sum(before);
        if (n > 0 && lanes.row == 0) order[before] = std::int16_t(j);
      });
      lanes.sync();
    }
  }

  // ---- reflections, as in triangularise

  /// Takes the first min(rows, cols) columns to the vectors u of the reflections on and below the
  /// diagonal; right of it, and in `diagonal`, R. Columns are scaled while they are worked on:
  /// `unscale` has a number for each.
  BATCHWORK_INLINE void triangularise(S* diagonal, S* unscale) const {
    for_columns(0, cols, [&](int j, int n) {
      S* const x = column(j);
      S size(T(0));
      for_rows(0, n, [&](int i) { size = larger_size(size, abs(x[i])); });
      SafeScale<S> const by(lanes.largest_of_group(size));
      for_rows(0, n, [&](int i) { x[i] = x[i] * by.down; });
      if (n > 0 && lanes.row == 0) unscale[j] = by.up;
    });
    lanes.sync();
    int const count = rows < cols ? rows : cols;
    Reflection<S> last{};
    for (int k = 0; k < count; ++k) {
      S const* const x = column(k);
      S const below = sum(k + 1, rows, [&](int i) { return x[i] * x[i]; });
      Reflection<S> const r(x[k], below);
      if (k > 0) put_reflector(k - 1, last, diagonal, unscale);
      for_columns(k + 1, cols, [&](int j, int n) {
        // w = u' y, y -= w u
        S* const y = column(j);
        S const w = sum(k, n, [&](int i) { return (i == k ? r.top : S(r.scale * x[i])) * y[i]; });
        for_rows(k, n, [&](int i) { y[i] -= w * (i == k ? r.top : S(r.scale * x[i])); });
      });
      last = r;
      lanes.sync();
    }
    if (count > 0) put_reflector(count - 1, last, diagonal, unscale);
    for_columns(count, cols, [&](int j, int n) {
      S* const y = column(j);
      for_rows(0, n, [&](int i) { y[i] = y[i] * unscale[j]; });
    });
    lanes.sync();
  }

  /// x := Q x or Q' x, own columns of x, by the first `count` reflections of `factors`. Others do
  /// not see it yet.
  template <bool Transposed>
  BATCHWORK_INLINE void apply_q(ColumnsInMemory const& factors, int count) const {
    for_columns(0, cols, [&](int j, int n) {
      S* const x = column(j);
      for (int m = 0; m < count; ++m) {
        int const k = Transposed ? m : count - 1 - m;
        S const* const u = factors.column(k);
        S const w = sum(k, n, [&](int i) { return u[i] * x[i]; });
        for_rows(k, n, [&](int i) { x[i] -= w * u[i]; });
      }
    });
  }

  /// Replaces the reflections in the first `count` columns by the first `cols` columns of Q, in
  /// place. (LAPACK's org2r.)
  BATCHWORK_INLINE void form_q(int count) const {
    for_columns(count, cols, [&](int j, int n) {
      S* const x = column(j);
      for_rows(0, n, [&](int i) { x[i] = S(T(i == j ? 1 : 0)); });
    });
    for (int k = count - 1; k >= 0; --k) {
      S* const u = column(k);
      S const top = u[k];
      for_columns(k + 1, cols, [&](int j, int n) {
        S* const x = column(j);
        S const w = sum(k + 1, n, [&](int i) { return u[i] * x[i]; });
        for_rows(k, n, [&](int i) { x[i] = i == k ? S(-w * top) : S(x[i] - w * u[i]); });
      });
      lanes.sync();
      for_columns(k, k + 1, [&](int, int n) {
        for_rows(0, n, [&](int i) {
          u[i] = i < k ? S(T(0)) : i == k ? S(S(T(1)) - top * top) : S(-top * u[i]);
        });
      });
    }
    lanes.sync();
  }

  /// The first n rows of x := R^-1 x, or R'^-1 x, own columns of x; R as triangularise leaves it.
  /// Others do not see it yet.
  template <bool Transposed>
  BATCHWORK_INLINE void substitute(ColumnsInMemory const& factors, S const* diagonal, int n) const {
    for_columns(0, cols, [&](int j, int there) {
      S* const x = column(j);
      for (int m = 0; m < n; ++m) {
        int const k = Transposed ? m : n - 1 - m, end = there > 0 ? k + 1 : 0;
        S const* const r = factors.column(k);
        // x_k less what rows above it have of it, and divided.
        S const rest =
            sum(Transposed ? 0 : k, end, [&](int i) { return i == k ? x[i] : S(-(r[i] * x[i])); });
        S const xk = PivotReciprocal<S>(diagonal[k]) * rest;
        for_rows(Transposed ? k : 0, end, [&](int i) { x[i] = i == k ? xk : S(x[i] - r[i] * xk); });
      }
    });
  }

 private:
  struct Pair {
    S *p, *q;
  };
  BATCHWORK_INLINE Pair pair_at(int j) const {
    S* const p = a + std::int64_t(j) * leading;
    return {p, p + leading};
  }
  /// The lane's numbers of a column from row `first` on, `deep` neighbours from every deep * width;
  /// zero beyond the end.
  BATCHWORK_INLINE void read(S (&x)[held * deep], S const* from, int first, int end) const {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = 0; k < held; ++k) {
      int const i = first + (k * lanes.width + lanes.row) * deep;
      if constexpr (Lanes::alone) {
        x[k] = i < end ? from[i] : S(T(0));
      } else {
        Unit<T> unit{};
        if (i < end) unit = *reinterpret_cast<Unit<T> const*>(from + i);
        BATCHWORK_UNROLL_ON_DEVICE
        for (int d = 0; d < deep; ++d) x[k * deep + d] = unit.v[d];
      }
    }
  }
  /// Rotates what was read of both columns, and stores it.
  template <class R>
  BATCHWORK_INLINE void rotate(R const& r, Pair const& pair, S (&x)[held * deep],
                               S (&y)[held * deep], int first, int end) const {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = 0; k < held; ++k) {
      int const i = first + (k * lanes.width + lanes.row) * deep;
      if (i >= end) continue;
      BATCHWORK_UNROLL_ON_DEVICE
      for (int d = 0; d < deep; ++d) r.apply(x[k * deep + d], y[k * deep + d]);
      if constexpr (Lanes::alone) {
        pair.p[i] = x[k], pair.q[i] = y[k];
      } else {
        Unit<T> p, q;
        BATCHWORK_UNROLL_ON_DEVICE
        for (int d = 0; d < deep; ++d) p.v[d] = x[k * deep + d], q.v[d] = y[k * deep + d];
        *reinterpret_cast<Unit<T>*>(pair.p + i) = p;
        *reinterpret_cast<Unit<T>*>(pair.q + i) = q;
      }
    }
  }
  /// Column k is read no longer.
  BATCHWORK_INLINE void put_reflector(int k, Reflection<S> const& r, S* diagonal,
                                      S const* unscale) const {
    for_columns(k, k + 1, [&](int, int n) {
      S* const x = column(k);
      for_rows(0, n, [&](int i) {
        if (i == k) diagonal[k] = r.alpha * unscale[k];
        x[i] = i < k ? S(x[i] * unscale[k]) : i == k ? r.top : S(x[i] * r.scale);
      });
    });
  }
};

}  // namespace Batchwork::Impl

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SymmetricOfLane: a symmetric matrix in one lane or pack, with exchanges of rows and columns for
/// an elimination.
#ifndef BATCHWORK_SYMMETRICOFLANE_HPP
#define BATCHWORK_SYMMETRICOFLANE_HPP

#include "core/detail/Batchwork_SymmetricElimination.hpp"
#include "tile/detail/Batchwork_ColumnsOfLane.hpp"
#include "tile/detail/Batchwork_RowsOfLane.hpp"
#include "tile/detail/Batchwork_SubstitutionByTriangle.hpp"
#include "tile/types/Batchwork_Structured.hpp"

namespace Batchwork::Impl {

/// See SymmetricColumns. order[i] is the row of the original matrix in place i. Up to
/// `by_selection` rows every exchange is a selection, as in RowsOfLane.
template <class S, int N>
struct SymmetricOfLane : ColumnsOfLane<S, N, N> {
  using Base = ColumnsOfLane<S, N, N>;
  using Info = info_t<S>;
  using Integer = integer_of_t<scalar_t<S>>;
  static constexpr int by_selection = RowsOfLane<S, N>::by_selection;

  S kind[N];
  Info order[N];

  template <class A>
  BATCHWORK_INLINE SymmetricOfLane(A const& from, LaneGrid const&) : Base(from) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < N; ++i) {
      kind[i] = S(scalar_t<S>(0));
      order[i] = Info(static_cast<Integer>(i));
    }
  }

  /// Changes the matrix into its factors and returns their status: see eliminate_symmetric.
  BATCHWORK_INLINE Info eliminate() { return eliminate_symmetric(*this); }

  template <class Shown>
  static BATCHWORK_INLINE S const& shown_at(Shown const& x, int m) {
    return x.column[m];
  }
  BATCHWORK_INLINE void exchange(int p, Info const& r) {
    if constexpr (N <= by_selection) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = p + 1; i < N; ++i) {
        auto const here = r == Info(static_cast<Integer>(i));
        exchange_by(p, i, [&](auto& x, auto& y) {
          auto const z = x;
          x = select(here, y, z);
          y = select(here, z, y);
        });
      }
    } else if constexpr (one_item_per_lane<S>) {
      if (r == p) return;
      exchange_by(p, r, [](auto& x, auto& y) {
        auto const z = x;
        x = y;
        y = z;
      });
    } else {
      for (int w = 0; w < S::width; ++w) {
        int const i = static_cast<int>(r.lane(w));
        if (i == p) continue;
        exchange_by(p, i, [w](auto& x, auto& y) {
          auto const z = x.lane(w);
          x.set_lane(w, y.lane(w));
          y.set_lane(w, z);
        });
      }
    }
  }

  BATCHWORK_INLINE RowOfD<S> row_of_d(int m) const {
    S const one(scalar_t<S>(1)), two(scalar_t<S>(2));
    RowOfD<S> r{kind[m], this->at(m, m), one, this->diagonal[m]};
    if (m + 1 < N) r.e = select(kind[m] == one, this->at(m, m + 1), r.e);
    if (m > 0) r.e = select(kind[m] == two, this->at(m, m - 1), r.e);
    return r;
  }
  BATCHWORK_INLINE Lower<S, N> lower() const {
    S const zero(scalar_t<S>(0)), one(scalar_t<S>(1)), two(scalar_t<S>(2));
    Lower<S, N> l;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < N; ++i) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int j = 0; j < i; ++j)
        l.set(i, j, j + 1 == i ? S(select(kind[i] == two, zero, this->at(i, j))) : this->at(i, j));
      l.set(i, i, one);
    }
    return l;
  }
  /// The solves with L and its transpose, for so many right-hand sides.
  template <int>
  BATCHWORK_INLINE auto substitution() const {
    return SubstitutionByTriangle<Lower<S, N>>{lower()};
  }
  /// P b and P' b; and the rows of b with those of each pair exchanged.
  template <class B>
  BATCHWORK_INLINE auto permuted(B const& b) const {
    return rows_in_order(b, order);
  }
  template <class B>
  BATCHWORK_INLINE auto permuted_back(B const& b) const {
    Info place[N];
    BATCHWORK_UNROLL_ON_DEVICE
    for (int r = 0; r < N; ++r) {
      place[r] = Info(0);
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 1; i < N; ++i) {
        Info const at(static_cast<Integer>(i));
        place[r] = select(order[i] == Info(static_cast<Integer>(r)), at, place[r]);
      }
    }
    return rows_in_order(b, place);
  }
  template <class B>
  BATCHWORK_INLINE auto partners(B const& b) const {
    Info partner[N];
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < N; ++i) {
      Info const own(static_cast<Integer>(i)), next(static_cast<Integer>(i + 1)),
          last(static_cast<Integer>(i - 1));
      partner[i] = select(kind[i] == S(scalar_t<S>(1)), next,
                          select(kind[i] == S(scalar_t<S>(2)), last, own));
    }
    return rows_in_order(b, partner);
  }

 private:
  template <class B>
  static BATCHWORK_INLINE auto rows_in_order(B const& b, Info const (&index)[N]) {
    using SX = promote_t<S, value_t<B>>;
    general_t<SX, N, B::cols, B::is_vector> x;
    take_rows<S>(x, b, index);
    x.info = info_in_lanes_of<SX>(b.info);
    return x;
  }
  /// Exchanges columns p and i, then rows p and i; columns left of p - 1 are finished.
  template <class Swap>
  BATCHWORK_INLINE void exchange_by(int p, int i, Swap const& swap) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = 0; j < N; ++j) swap(this->at(p, j), this->at(i, j));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int c = p > 0 ? p - 1 : 0; c < N; ++c) swap(this->at(c, p), this->at(c, i));
    swap(order[p], order[i]);
  }
};

}  // namespace Batchwork::Impl

#endif

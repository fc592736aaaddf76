// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SymmetricOfLanes: the factors of a symmetric matrix whose columns, which are its rows, are
/// distributed over the lanes that share an item.
#ifndef BATCHWORK_SYMMETRICOFLANES_HPP
#define BATCHWORK_SYMMETRICOFLANES_HPP

#include "tile/Batchwork_Blocks.hpp"
#include "tile/detail/Batchwork_SubstitutionByTriangle.hpp"
#include "tile/detail/shared/Batchwork_ColumnsOfLanes.hpp"
#include "tile/detail/shared/Batchwork_SymmetricRowsInPlace.hpp"

namespace Batchwork::Impl {

/// S is a Distributed by columns. For each of its columns a lane has the row of L, after the
/// diagonal the column of L, and the row of D. place[m] is the new place of the row of the original
/// matrix with the number of own column m.
template <class S, int N>
struct SymmetricOfLanes : ColumnsOfLanes<S, N, N> {
  using Base = ColumnsOfLanes<S, N, N>;
  using T = typename Base::T;
  using Ex = typename Base::Ex;
  using Base::mine, Base::L;
  using ByRows = dealt_t<S, true>;

  RowOfD<T> of_d[mine];
  int place[mine];

  template <class A>
  BATCHWORK_INLINE SymmetricOfLanes(A const& from, LaneGrid const& grid) : Base(from, grid) {
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      place[m] = row(m);
    }
  }

  /// Changes the matrix into its factors and returns their status.
  BATCHWORK_INLINE std::int32_t eliminate() {
    return SymmetricRowsInPlace<SymmetricOfLanes>(*this).eliminate();
  }
  /// The number of own column m; lanes without one use the last column.
  BATCHWORK_INLINE int row(int m) const {
    int const c = this->column(m);
    return c < N ? c : N - 1;
  }

  BATCHWORK_INLINE RowOfD<T> const& row_of_d(int m) const { return of_d[m]; }
  BATCHWORK_INLINE auto lower() const {
    Lower<ByRows, N> l;
    l.grid = this->grid;
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      BATCHWORK_UNROLL
      for (int j = 0; j < N; ++j) {
        T const entry = this->at(m, j);
        l.set_local(m, j, j < row(m) ? entry : T(j == row(m) ? 1 : 0));
      }
    }
    return l;
  }
  /// The solves with L and its transpose, for so many right-hand sides.
  template <int C>
  BATCHWORK_INLINE auto substitution() const {
    if constexpr (C <= few_right_hand_sides) return SubstitutionByRows{*this};
    else return SubstitutionByTriangle<Lower<ByRows, N>>{lower()};
  }
  /// For x with its rows distributed like those of L: the lane of a row broadcasts it, and all
  /// lanes subtract it from their own rows.
  struct SubstitutionByRows {
    SymmetricOfLanes const& of;

    template <class X>
    BATCHWORK_INLINE X forward(X x) const {
      static_assert(X::by_rows);
      of.grid.begin_turns();
      BATCHWORK_UNROLL
      for (int k = 0; k + 1 < N; ++k) {
        BATCHWORK_UNROLL
        for (int c = 0; c < X::cols; ++c) {
          T const xk =
              of.grid.template broadcast_in_turn<L>(x.local(k / L, c), k % L, k * X::cols + c);
          BATCHWORK_UNROLL
          for (int m = k / L; m < mine; ++m)
            if (of.is_behind(m, k)) x.set_local(m, c, x.local(m, c) - of.at(m, k) * xk);
        }
      }
      return x;
    }
    template <class X>
    BATCHWORK_INLINE X backward(X x) const {
      static_assert(X::by_rows);
      of.grid.begin_turns();
      BATCHWORK_UNROLL
      for (int k = N - 1; k > 0; --k) {
        BATCHWORK_UNROLL
        for (int c = 0; c < X::cols; ++c) {
          T const xk = of.grid.template broadcast_in_turn<L>(x.local(k / L, c), k % L,
                                                             (N - 1 - k) * X::cols + c);
          BATCHWORK_UNROLL
          for (int m = 0; m <= k / L; ++m)
            if (m * L + of.grid.lane < k) x.set_local(m, c, x.local(m, c) - of.at(m, k) * xk);
        }
      }
      return x;
    }
  };
  template <class B>
  BATCHWORK_INLINE auto permuted(B const& b) const {
    auto x = rows_like(b);
    take_permuted_rows(x, b, place, this->grid);
    return x;
  }
  template <class B>
  BATCHWORK_INLINE auto permuted_back(B const& b) const {
    return rows_from(b, place);
  }
  template <class B>
  BATCHWORK_INLINE auto partners(B const& b) const {
    int partner[mine];
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m)
      partner[m] = row(m) + (of_d[m].kind == T(1) ? 1 : 0) - (of_d[m].kind == T(2) ? 1 : 0);
    return rows_from(b, partner);
  }

 private:
  template <class B>
  BATCHWORK_INLINE auto rows_like(B const& b) const {
    general_t<ByRows, N, B::cols, B::is_vector> x;
    x.grid = this->grid;
    x.info = info_in_lanes_of<ByRows>(b.info);
    return x;
  }
  /// The rows of b: own line m is the line with number from[m].
  template <class B>
  BATCHWORK_INLINE auto rows_from(B const& b, int const* from) const {
    auto x = rows_like(b);
    T const* const base = stage_rows_of<ByRows>(b, this->grid);
    BATCHWORK_UNROLL
    for (int m = 0; m < decltype(x)::mine; ++m) {
      BATCHWORK_UNROLL
      for (int k = 0; k < B::cols; ++k) x.set_local(m, k, base[from[m] * Ex::leading + k]);
    }
    return x;
  }
};

}  // namespace Batchwork::Impl

#endif

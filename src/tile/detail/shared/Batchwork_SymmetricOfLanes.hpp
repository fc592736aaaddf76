// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SymmetricOfLanes: a symmetric matrix whose columns are dealt out to the lanes that share an item, with rows and columns exchanged as an
/// elimination wants.
#ifndef BATCHWORK_SYMMETRICOFLANES_HPP
#define BATCHWORK_SYMMETRICOFLANES_HPP

#include "core/detail/Batchwork_SymmetricElimination.hpp"
#include "tile/Batchwork_Blocks.hpp"
#include "tile/detail/shared/Batchwork_ColumnsOfLanes.hpp"
#include "tile/detail/shared/Batchwork_RowsOfLanes.hpp"

namespace Batchwork::Impl {

/// See SymmetricColumns. S is a Distributed dealt by columns. place[m] is where the row of the original matrix went that has the number
/// of own column m: each lane follows its own.
template <class S, int N>
struct SymmetricOfLanes : ColumnsOfLanes<S, N, N> {
  using Base = ColumnsOfLanes<S, N, N>;
  using T = typename Base::T;
  using Ex = typename Base::Ex;
  using Base::mine;
  using ByRows = dealt_t<S, true>;

  T kind[mine];
  int place[mine];

  template <class A>
  BATCHWORK_INLINE SymmetricOfLanes(A const& from, LaneGrid const& grid) : Base(from, grid) {
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      kind[m] = T(0);
      place[m] = row(m);
    }
  }

  template <class Shown>
  BATCHWORK_INLINE T shown_at(Shown const& x, int m) const {
    return x.column[row(m)];
  }
  BATCHWORK_INLINE void exchange(int p, int r) {
    T *const of_p = this->grid.template numbers<T>(), *const of_r = of_p + Ex::leading;
    // What was shown is read.
    this->grid.sync();
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      if (this->is(m, p)) put(of_p, m);
      if (this->column(m) == r) put(of_r, m);
    }
    this->grid.sync();
    bool const wanted = r != p;
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      int const c = row(m);
      bool const is_p = c == p, is_one = is_p || c == r;
      T const* const other = is_p ? of_r : of_p;
      T const at_p = of_r[c], at_r = of_p[c];
      BATCHWORK_UNROLL
      for (int i = 0; i < N; ++i) {
        T const exchanged = other[i == p ? r : i == r ? p : i];
        T const kept = this->at(m, i);
        T const beside = i == p ? at_p : i == r ? at_r : kept;
        this->at(m, i) = !wanted ? kept : is_one ? exchanged : beside;
      }
      place[m] = place[m] == p ? r : place[m] == r ? p : place[m];
    }
  }

  template <class F>
  BATCHWORK_INLINE auto lower(F const& f) const {
    Lower<ByRows, N> l;
    l.grid = this->grid;
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      BATCHWORK_UNROLL
      for (int j = 0; j < N; ++j) {
        T const entry = f(m, j);
        l.set_local(m, j, j <= row(m) ? entry : T(0));
      }
    }
    return l;
  }
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
      partner[m] = row(m) + (kind[m] == T(1) ? 1 : 0) - (kind[m] == T(2) ? 1 : 0);
    return rows_from(b, partner);
  }

 private:
  /// The number of own column m; of lanes without one the last.
  BATCHWORK_INLINE int row(int m) const {
    int const c = this->column(m);
    return c < N ? c : N - 1;
  }
  BATCHWORK_INLINE void put(T* to, int m) const {
    BATCHWORK_UNROLL
    for (int i = 0; i < N; ++i) to[i] = this->at(m, i);
  }
  template <class B>
  BATCHWORK_INLINE auto rows_like(B const& b) const {
    general_t<ByRows, N, B::cols, B::is_vector> x;
    x.grid = this->grid;
    x.info = info_in_lanes_of<ByRows>(b.info);
    return x;
  }
  /// The rows of b, own line m that with the number from[m].
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

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Products of tiles: matrix by matrix, matrix by vector, with transposes and any mix of
/// structures.
#ifndef BATCHWORK_PRODUCT_HPP
#define BATCHWORK_PRODUCT_HPP

#include <Kokkos_Core.hpp>

#include "core/detail/Batchwork_Macros.hpp"
#include "tile/detail/shared/Batchwork_Fragments.hpp"

namespace Batchwork {

namespace Impl {

KOKKOS_FORCEINLINE_FUNCTION constexpr Structure product_structure(Structure a, Structure b) {
  if (a == Structure::diagonal && b == Structure::diagonal) return Structure::diagonal;
  bool const a_lower = a == Structure::lower || a == Structure::diagonal;
  bool const b_lower = b == Structure::lower || b == Structure::diagonal;
  return a_lower && b_lower ? Structure::lower : Structure::general;
}

/// The addend of a product without one: zero.
template <class S>
struct FromZero {
  static constexpr bool is_zero = true, subtracts = false;
  BATCHWORK_INLINE S entry(int, int) const { return S(scalar_t<S>(0)); }
};

/// Whether no entry of a tile is zero by structure, and all entries are stored.
template <class X>
inline constexpr bool is_full = HasEntryPointer<X> && (structure_of<X> == Structure::general ||
                                                       structure_of<X> == Structure::symmetric);

/// acc(i, j) += a(i0 + i, k) b(k, j0 + j), or -=.
template <int BI, int BJ, bool Subtract, class S, class A, class B>
BATCHWORK_INLINE void add_term(S (&acc)[BI * BJ], A const& a, B const& b, int i0, int j0, int k) {
  BATCHWORK_UNROLL
  for (int i = 0; i < BI; ++i) {
    if (structurally_zero(structure_of<A>, i0 + i, k)) continue;
    auto const aik = a.entry(i0 + i, k);
    BATCHWORK_UNROLL
    for (int j = 0; j < BJ; ++j) {
      if (structurally_zero(structure_of<B>, k, j0 + j)) continue;
      if constexpr (Subtract) subtract_product(acc[i * BJ + j], aik, b.entry(k, j0 + j));
      else add_product(acc[i * BJ + j], aik, b.entry(k, j0 + j));
    }
  }
}

/// r(i0 + i, j0 + j) = c(i0 + i, j0 + j) +- sum over k of a(i0 + i, k) b(k, j0 + j) for a block of
/// BI x BJ entries in registers. OnDiagonal: only entries with j <= i are used.
template <int BI, int BJ, bool OnDiagonal = false, class R, class A, class B, class C>
BATCHWORK_INLINE void product_block(R& r, A const& a, B const& b, C const& c, int i0, int j0) {
  using S = typename R::value_type;
  constexpr int K = cols_of<A>;
  // In blocks with constant indices every address is a constant, too.
  constexpr bool by_pointers = !one_item_per_lane<S> && (K > extent_of_constant_blocks ||
                                                         rows_of<R> > extent_of_constant_blocks ||
                                                         cols_of<R> > extent_of_constant_blocks);
  S acc[BI * BJ];
  if constexpr (by_pointers && HasEntryPointer<C>) {
    auto const p = c.pointer();
    auto const* const from = p.at(i0, j0);
    BATCHWORK_UNROLL
    for (int i = 0; i < BI; ++i) {
      BATCHWORK_UNROLL
      for (int j = 0; j < BJ; ++j) acc[i * BJ + j] = S(from[i * p.row + j * p.col]);
    }
  } else {
    BATCHWORK_UNROLL
    for (int i = 0; i < BI; ++i) {
      BATCHWORK_UNROLL
      for (int j = 0; j < BJ; ++j) acc[i * BJ + j] = S(c.entry(i0 + i, j0 + j));
    }
  }
  if constexpr (by_pointers && is_full<A> && is_full<B>) {
    using PA = decltype(a.pointer());
    using PB = decltype(b.pointer());
    auto const* left = a.pointer().at(i0, 0);
    auto const* right = b.pointer().at(0, j0);
    BATCHWORK_LOOP_ON_HOST
    for (int k = 0; k < K; ++k) {
      BATCHWORK_UNROLL
      for (int i = 0; i < BI; ++i) {
        auto const aik = left[i * PA::row];
        BATCHWORK_UNROLL
        for (int j = 0; j < BJ; ++j) {
          if (OnDiagonal && j > i) continue;
          if constexpr (C::subtracts) subtract_product(acc[i * BJ + j], aik, right[j * PB::col]);
          else add_product(acc[i * BJ + j], aik, right[j * PB::col]);
        }
      }
      left += PA::col;
      right += PB::row;
    }
  } else if constexpr (K <= extent_in_registers) {
    BATCHWORK_UNROLL
    for (int k = 0; k < K; ++k) add_term<BI, BJ, C::subtracts>(acc, a, b, i0, j0, k);
  } else {
    BATCHWORK_LOOP_ON_HOST
    for (int k = 0; k < K; ++k) add_term<BI, BJ, C::subtracts>(acc, a, b, i0, j0, k);
  }
  if constexpr (requires { r.template put<BI, BJ, OnDiagonal>(acc, i0, j0); }) {
    r.template put<BI, BJ, OnDiagonal>(acc, i0, j0);
  } else if constexpr (by_pointers && R::structure == Structure::general && HasEntryPointer<R>) {
    auto const p = r.pointer();
    S* const to = p.at(i0, j0);
    BATCHWORK_UNROLL
    for (int i = 0; i < BI; ++i) {
      BATCHWORK_UNROLL
      for (int j = 0; j < BJ; ++j) to[i * p.row + j * p.col] = acc[i * BJ + j];
    }
  } else {
    BATCHWORK_UNROLL
    for (int i = 0; i < BI; ++i) {
      BATCHWORK_UNROLL
      for (int j = 0; j < BJ; ++j) {
        if (!R::skips(i0 + i, j0 + j)) r.set(i0 + i, j0 + j, acc[i * BJ + j]);
      }
    }
  }
}

/// The blocks in rows i0 .. i0 + BI - 1.
template <int BI, int BJ, class R, class A, class B>
BATCHWORK_INLINE void product_rows(R& r, A const& a, B const& b, int i0) {
  constexpr int N = cols_of<R>, full = N / BJ * BJ;
  FromZero<typename R::value_type> const zero;
  BATCHWORK_UNROLL_ON_DEVICE
  for (int j0 = 0; j0 < full; j0 += BJ) product_block<BI, BJ>(r, a, b, zero, i0, j0);
  if constexpr (full < N) product_block<BI, N - full>(r, a, b, zero, i0, full);
}

/// The blocks in columns j0 .. j0 + BJ - 1. These columns of b stay in the first-level cache from
/// one block of rows to the next.
template <int BI, int BJ, class R, class A, class B>
BATCHWORK_INLINE void product_columns(R& r, A const& a, B const& b, int j0) {
  constexpr int M = rows_of<R>, full = M / BI * BI;
  FromZero<typename R::value_type> const zero;
  for (int i0 = 0; i0 < full; i0 += BI) product_block<BI, BJ>(r, a, b, zero, i0, j0);
  if constexpr (full < M) product_block<M - full, BJ>(r, a, b, zero, full, j0);
}

/// The blocks in rows i0 .. i0 + BI - 1 from column J0 on, and the blocks from row I0 on, with
/// constant indices.
template <int BI, int BJ, int J0, class R, class A, class B>
BATCHWORK_INLINE void product_blocks_right_of(R& r, A const& a, B const& b, int i0) {
  if constexpr (J0 < cols_of<R>) {
    FromZero<typename R::value_type> const zero;
    product_block<BI, at_most(BJ, cols_of<R> - J0)>(r, a, b, zero, i0, J0);
    product_blocks_right_of<BI, BJ, J0 + BJ>(r, a, b, i0);
  }
}
template <int BI, int BJ, int I0, class R, class A, class B>
BATCHWORK_INLINE void product_blocks_below(R& r, A const& a, B const& b) {
  if constexpr (I0 < rows_of<R>) {
    product_blocks_right_of<at_most(BI, rows_of<R> - I0), BJ, 0>(r, a, b, I0);
    product_blocks_below<BI, BJ, I0 + BI>(r, a, b);
  }
}

template <class R, class A, class B>
BATCHWORK_INLINE void product(R& r, A const& a, B const& b) {
  // If a lane holds an item, one row at a time: each entry of a is then read once and dropped.
  constexpr bool lane = one_item_per_lane<typename R::value_type>;
  constexpr int M = rows_of<R>;
  constexpr int BI = lane ? 1 : at_most(block_rows, M),
                BJ = lane ? cols_of<R> : at_most(block_cols, cols_of<R>);
  if constexpr (!lane && M <= extent_of_constant_blocks &&
                cols_of<R> <= extent_of_constant_blocks) {
    product_blocks_below<BI, BJ, 0>(r, a, b);
  } else if constexpr (!lane && has_pack_values<B>) {
    constexpr int N = cols_of<R>, full = N / BJ * BJ;
    for (int j0 = 0; j0 < full; j0 += BJ) product_columns<BI, BJ>(r, a, b, j0);
    if constexpr (full < N) product_columns<BI, N - full>(r, a, b, full);
  } else {
    constexpr int full = M / BI * BI;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i0 = 0; i0 < full; i0 += BI) product_rows<BI, BJ>(r, a, b, i0);
    if constexpr (full < M) product_rows<M - full, BJ>(r, a, b, full);
  }
}

/// A diagonal factor only scales rows or columns.
template <class R, class A, class B>
BATCHWORK_INLINE void scale_rows(R& r, A const& a, B const& b) {
  using S = typename R::value_type;
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < R::rows; ++i) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = 0; j < R::cols; ++j) {
      if (R::skips(i, j)) continue;
      if constexpr (structure_of<A> == Structure::diagonal) {
        r.set(i, j, times<S>(a.entry(i, i), b.entry(i, j)));
      } else {
        r.set(i, j, times<S>(a.entry(i, j), b.entry(j, j)));
      }
    }
  }
}

}  // namespace Impl

/// The matrix product a b. 2 M N K operations, fewer for zeros of the structure.
/// ```cpp
/// x = f * x + transpose(g) * u;
/// ```
/// \param a  M x K
/// \param b  K x N
/// \returns a Vector if b is one, a Diagonal for two diagonal tiles, a Lower for two lower
///   triangular tiles, else a Matrix, M x N
template <Tile A, Tile B>
BATCHWORK_INLINE auto operator*(A const& a, B const& b) {
  static_assert(A::cols == B::rows,
                "Batchwork: the product a * b needs as many columns of a as rows of b");
  using S0 = promote_t<value_t<A>, value_t<B>>;
  if constexpr (Impl::makes_fragments<S0> && !Impl::is_distributed_tile<A> &&
                A::structure != Structure::diagonal && B::structure == Structure::symmetric &&
                Impl::is_distributed_tile<B>) {
    auto r = Impl::product_by_fragments<Impl::dealt_t<S0, true>>(a, b);
    r.info = Impl::merge_info<S0>(a.info, b.info);
    return r;
  } else {
    using S = Impl::product_deal_t<S0, A, B>;
    using R = Impl::tile_of_t<S, A::rows, B::cols,
                              Impl::product_structure(A::structure, B::structure), B::is_vector>;
    R r;
    if constexpr (Impl::is_distributed<S>) {
      Impl::distributed_product(r, a, b);
    } else if constexpr (A::structure == Structure::diagonal ||
                         B::structure == Structure::diagonal) {
      Impl::scale_rows(r, a, b);
    } else {
      Impl::product(r, a, b);
    }
    r.info = Impl::merge_info<S>(a.info, b.info);
    return r;
  }
}

}  // namespace Batchwork

#endif

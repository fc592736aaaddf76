// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Sums, differences and multiples of tiles, entry by entry. The result keeps the structure that
/// both operands share.
#ifndef BATCHWORK_SUM_HPP
#define BATCHWORK_SUM_HPP

#include "tile/types/Batchwork_Transpose.hpp"

namespace Batchwork {

namespace Impl {

KOKKOS_FORCEINLINE_FUNCTION constexpr Structure sum_structure(Structure a, Structure b) {
  if (a == b) return a;
  if (a == Structure::diagonal) return b;
  if (b == Structure::diagonal) return a;
  return Structure::general;
}

/// The same for a distributed result: each lane computes its own rows or columns.
template <class R, class F, class... X>
BATCHWORK_INLINE void distributed_entrywise(R& r, F const& f, X const&... x) {
  using S = typename R::value_type;
  r.grid = grid_of(f, x...);
  if constexpr (R::structure == Structure::diagonal) {
    BATCHWORK_UNROLL
    for (int m = 0; m < R::mine; ++m)
      r.set_local(m, 0, value_of(f(diagonal_number<S>(x, m, r.grid.lane)...)));
  } else {
    auto const apply = [&](auto const&... lines) {
      BATCHWORK_UNROLL
      for (int m = 0; m < R::mine; ++m) {
        BATCHWORK_UNROLL
        for (int k = 0; k < R::length; ++k) r.set_local(m, k, value_of(f(lines.get(m, k)...)));
      }
    };
    if constexpr (R::structure == Structure::symmetric) apply(lower_lines_of<S>(x, r.grid)...);
    else apply(lines_of<S, R::by_rows>(x, r.grid)...);
  }
}

/// Applies f to the entries of one tile, or of two with the same extents.
template <class R, class F, class... X>
BATCHWORK_INLINE R entrywise(F const& f, X const&... x) {
  R r;
  if constexpr (is_distributed_tile<R>) {
    distributed_entrywise(r, f, x...);
  } else {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < R::rows; ++i) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int j = 0; j < R::cols; ++j) {
        if (!R::skips(i, j)) r.set(i, j, f(x.entry(i, j)...));
      }
    }
  }
  return r;
}

struct Plus {
  template <class A, class B>
  BATCHWORK_INLINE auto operator()(A const& a, B const& b) const {
    using S = promote_t<A, B>;
    if constexpr (is_dual<S>) return S(a + b);
    else return S(a) + S(b);
  }
};
struct Minus {
  template <class A, class B>
  BATCHWORK_INLINE auto operator()(A const& a, B const& b) const {
    using S = promote_t<A, B>;
    if constexpr (is_dual<S>) return S(a - b);
    else return S(a) - S(b);
  }
};
struct Negate {
  template <class A>
  BATCHWORK_INLINE A operator()(A const& a) const {
    return -a;
  }
};
template <class S>
struct Scale {
  S factor;
  template <class A>
  BATCHWORK_INLINE auto operator()(A const& a) const {
    using R = promote_t<A, S>;
    if constexpr (is_complex<R> || is_dual<R>) return R(factor * a);
    else return R(factor) * R(a);
  }
};

template <class F, class A, class B>
BATCHWORK_INLINE auto sum(F const& f, A const& a, B const& b) {
  static_assert(rows_of<A> == rows_of<B> && cols_of<A> == cols_of<B>,
                "Batchwork: tiles with different extents are added or subtracted");
  using S = deal_together_t<promote_t<value_t<A>, value_t<B>>, A, B>;
  using R = tile_of_t<S, rows_of<A>, cols_of<A>, sum_structure(structure_of<A>, structure_of<B>),
                      A::is_vector || B::is_vector>;
  R r = entrywise<R>(f, a, b);
  r.info = merge_info<S>(a.info, b.info);
  return r;
}

template <class S, class A>
BATCHWORK_INLINE auto scaled(Scalar<S> const& c, A const& a) {
  using SR = deal_together_t<promote_t<S, value_t<A>>, A>;
  using R = tile_of_t<SR, rows_of<A>, cols_of<A>, structure_of<A>, A::is_vector>;
  R r = entrywise<R>(Scale<S>{c.value}, a);
  r.info = merge_info<SR>(c.info, a.info);
  return r;
}

}  // namespace Impl

/// The sum of two tiles with the same extents. It keeps the structure that both share.
template <Tile A, Tile B>
BATCHWORK_INLINE auto operator+(A const& a, B const& b) {
  return Impl::sum(Impl::Plus{}, a, b);
}
/// The difference of two tiles with the same extents. It keeps the structure that both share.
template <Tile A, Tile B>
BATCHWORK_INLINE auto operator-(A const& a, B const& b) {
  return Impl::sum(Impl::Minus{}, a, b);
}
/// The negative of a tile, with the same structure.
template <Tile A>
BATCHWORK_INLINE auto operator-(A const& a) {
  using S = Impl::deal_together_t<value_t<A>, A>;
  using R = Impl::tile_of_t<S, A::rows, A::cols, A::structure, A::is_vector>;
  R r = Impl::entrywise<R>(Impl::Negate{}, a);
  r.info = a.info;
  return r;
}

/// A tile multiplied by a scalar; the structure is kept.
template <Impl::ScalarTile C, Tile A>
BATCHWORK_INLINE auto operator*(C const& c, A const& a) {
  return Impl::scaled(c, a);
}
/// A tile multiplied by a scalar; the structure is kept.
template <Tile A, Impl::ScalarTile C>
BATCHWORK_INLINE auto operator*(A const& a, C const& c) {
  return Impl::scaled(c, a);
}
/// A tile multiplied by a number; the structure is kept.
template <Impl::PlainNumber C, Tile A>
BATCHWORK_INLINE auto operator*(C c, A const& a) {
  return Impl::scaled(Scalar<typename Impl::ScalarOf<C, value_t<A>>::type>(c), a);
}
/// A tile multiplied by a number; the structure is kept.
template <Tile A, Impl::PlainNumber C>
BATCHWORK_INLINE auto operator*(A const& a, C c) {
  return Impl::scaled(Scalar<typename Impl::ScalarOf<C, value_t<A>>::type>(c), a);
}
/// A tile divided by a scalar or a number; the structure is kept.
template <Tile A, Impl::ScalarLike C>
BATCHWORK_INLINE auto operator/(A const& a, C const& c) {
  [[maybe_unused]] constexpr bool good = Impl::require_no_integers<A>();
  return (scalar_t<value_t<A>>(1) / Scalar<typename Impl::ScalarOf<C, value_t<A>>::type>(c)) * a;
}

/// a = a + b, for a named tile.
template <Tile A, class B>
BATCHWORK_INLINE A& operator+=(A& a, B const& b) {
  return a = a + b;
}
/// a = a - b, for a named tile.
template <Tile A, class B>
BATCHWORK_INLINE A& operator-=(A& a, B const& b) {
  return a = a - b;
}
/// a = c * a, for a named tile.
template <Tile A, Impl::ScalarLike C>
BATCHWORK_INLINE A& operator*=(A& a, C const& c) {
  return a = a * c;
}
/// a = a / c, for a named tile.
template <Tile A, Impl::ScalarLike C>
BATCHWORK_INLINE A& operator/=(A& a, C const& c) {
  return a = a / c;
}

namespace Impl {
/// A temporary tile.
template <class A>
concept LostTile = Tile<A> && !std::is_lvalue_reference_v<A> && !std::is_const_v<A>;
}  // namespace Impl

/// Does not compile, because the result of an assignment to a temporary would be lost; the message
/// says what to write instead.
template <Impl::LostTile A, class B>
BATCHWORK_INLINE void operator+=(A&&, B const&) {
  Impl::refuse_lost_tile<A>();
}
/// Does not compile; see operator+=.
template <Impl::LostTile A, class B>
BATCHWORK_INLINE void operator-=(A&&, B const&) {
  Impl::refuse_lost_tile<A>();
}
/// Does not compile; see operator+=.
template <Impl::LostTile A, Impl::ScalarLike C>
BATCHWORK_INLINE void operator*=(A&&, C const&) {
  Impl::refuse_lost_tile<A>();
}
/// Does not compile; see operator+=.
template <Impl::LostTile A, Impl::ScalarLike C>
BATCHWORK_INLINE void operator/=(A&&, C const&) {
  Impl::refuse_lost_tile<A>();
}
/// Does not compile: a number is not added to a tile. The message says what to write instead.
template <Tile A, Impl::ScalarLike C>
BATCHWORK_INLINE A operator+(A const& a, C const&) {
  Impl::refuse_number_beside_tile<A>();
  return a;
}
/// Does not compile: a number is not added to a tile.
template <Impl::ScalarLike C, Tile A>
BATCHWORK_INLINE A operator+(C const&, A const& a) {
  Impl::refuse_number_beside_tile<A>();
  return a;
}
/// Does not compile: a number is not subtracted from a tile.
template <Tile A, Impl::ScalarLike C>
BATCHWORK_INLINE A operator-(A const& a, C const&) {
  Impl::refuse_number_beside_tile<A>();
  return a;
}
/// Does not compile: a tile is not subtracted from a number.
template <Impl::ScalarLike C, Tile A>
BATCHWORK_INLINE A operator-(C const&, A const& a) {
  Impl::refuse_number_beside_tile<A>();
  return a;
}

}  // namespace Batchwork

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Reductions over the entries of a tile: sum, prod, minimum, maximum, all_of, any_of.
#ifndef BATCHWORK_REDUCE_ENTRIES_HPP
#define BATCHWORK_REDUCE_ENTRIES_HPP

#include "tile/types/Batchwork_Sum.hpp"

namespace Batchwork {

namespace Impl {

/// Combines values over all entries with op, row by row; lanes that share an item first combine
/// their own rows or columns. F computes the value from an entry and its number in the tile.
template <class A, class F, class Op>
BATCHWORK_INLINE auto over_entries(A const& a, F const& f, Op const& op) {
  using S = value_t<A>;
  if constexpr (is_distributed<S>) {
    using SD = deal_together_t<S, A>;
    using Lines = LocalLines<SD, rows_of<A>, cols_of<A>>;
    using T = scalar_t<S>;
    constexpr int L = SD::lanes;
    LaneGrid const grid = grid_of(a);
    auto const lines = lines_of<SD, SD::by_rows>(a, grid);
    auto const number = [&](int m, int k) {
      int const line = m * L + grid.lane;
      return SD::by_rows ? line * cols_of<A> + k : k * cols_of<A> + line;
    };
    auto own = f(T(lines.get(0, 0)), number(0, 0));
    BATCHWORK_UNROLL
    for (int m = 0; m < Lines::mine; ++m) {
      auto line = f(T(lines.get(m, 0)), number(m, 0));
      BATCHWORK_UNROLL
      for (int k = 1; k < Lines::length; ++k) line = op(line, f(T(lines.get(m, k)), number(m, k)));
      if (m == 0) own = line;
      else if (m * L + grid.lane < Lines::count) own = op(own, line);
    }
    constexpr int holders = at_most(L, Lines::count);
    auto all = own;
    grid.begin_turns();
    BATCHWORK_UNROLL
    for (int l = 0; l < holders; ++l) {
      auto const of_lane = own.template told<L>(grid, l);
      all = l == 0 ? of_lane : op(all, of_lane);
    }
    return all;
  } else {
    auto all = f(S(a.entry(0, 0)), 0);
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < rows_of<A>; ++i) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int j = 0; j < cols_of<A>; ++j)
        if (i > 0 || j > 0) all = op(all, f(S(a.entry(i, j)), i * cols_of<A> + j));
    }
    return all;
  }
}

template <class R>
struct EntryAlone {
  R value;
  template <int L>
  BATCHWORK_INLINE EntryAlone told(LaneGrid const& grid, int lane) const {
    return {grid.template broadcast_in_turn<L>(value, lane, lane)};
  }
};
struct WithoutIndex {
  template <class R>
  BATCHWORK_INLINE EntryAlone<R> operator()(R const& x, int) const {
    return {x};
  }
};
struct AddEntries {
  template <class N>
  BATCHWORK_INLINE N operator()(N const& a, N const& b) const {
    return {a.value + b.value};
  }
};
struct MultiplyEntries {
  template <class N>
  BATCHWORK_INLINE N operator()(N const& a, N const& b) const {
    return {a.value * b.value};
  }
};

/// A number and the index of its entry.
template <class R>
struct EntryAndIndex {
  R value, index;
  template <int L>
  BATCHWORK_INLINE EntryAndIndex told(LaneGrid const& grid, int lane) const {
    R const v = grid.template broadcast_in_turn<L>(value, lane, 2 * lane),
            i = grid.template broadcast_in_turn<L>(index, lane, 2 * lane + 1);
    return {v, i};
  }
};
struct WithIndex {
  template <class R>
  BATCHWORK_INLINE EntryAndIndex<R> operator()(R const& x, int index) const {
    return {x, R(scalar_t<R>(index))};
  }
};
/// b if it is beyond a or is NaN, else a; a NaN in a is kept.
template <bool Largest>
struct TakeExtreme {
  template <class R>
  static BATCHWORK_INLINE auto is_beyond(R const& a, R const& b) {
    return (Largest ? a < b : b < a) || is_nan(b);
  }
  template <class R>
  BATCHWORK_INLINE EntryAlone<R> operator()(EntryAlone<R> const& a, EntryAlone<R> const& b) const {
    return {select(is_beyond(a.value, b.value), b.value, a.value)};
  }
  /// The first one of equal entries; columns held by lanes are not visited in order.
  template <class R>
  BATCHWORK_INLINE EntryAndIndex<R> operator()(EntryAndIndex<R> const& a,
                                               EntryAndIndex<R> const& b) const {
    auto const nan_a = is_nan(a.value), nan_b = is_nan(b.value);
    auto const earlier = b.index < a.index, equal = (a.value == b.value) || (nan_a && nan_b);
    auto const better = (!nan_a && is_beyond(a.value, b.value)) || (equal && earlier);
    return {select(better, b.value, a.value), select(better, b.index, a.index)};
  }
};

template <class A, class X>
BATCHWORK_INLINE auto scalar_in_lanes_of(A const& a, X const& x) {
  using S = value_t<A>;
  if constexpr (is_distributed<S>) return Scalar<S>(S(x, grid_of(a)), a.info);
  else return Scalar<S>(x, a.info);
}

template <bool Largest, class A>
BATCHWORK_INLINE auto extreme(A const& a) {
  if constexpr (require_order<value_t<A>>())
    return scalar_in_lanes_of(a, over_entries(a, WithoutIndex{}, TakeExtreme<Largest>{}).value);
  else return Scalar<value_t<A>>();
}
template <bool Largest, class A>
BATCHWORK_INLINE auto index_of_extreme(A const& a) {
  if constexpr (require_order<value_t<A>>())
    return scalar_in_lanes_of(a, over_entries(a, WithIndex{}, TakeExtreme<Largest>{}).index);
  else return Scalar<value_t<A>>();
}

/// The value of the first tile that is distributed over lanes.
template <class A, class... More>
struct FirstDistributed : FirstDistributed<More...> {};
template <class A, class... More>
  requires is_distributed_tile<A>
struct FirstDistributed<A, More...> {
  using type = value_t<A>;
};
/// A lane's part of a mask.
template <class M>
BATCHWORK_INLINE bool truth_of_lane(M const& m) {
  if constexpr (std::is_same_v<M, bool>) return m;
  else return m.v;
}

/// Combines conditions on the entries of tiles with the same extents: f(entries...) returns a mask,
/// or a bool for all items.
template <bool All, class F, class A, class... More>
BATCHWORK_INLINE auto truth_of_entries(F const& f, A const& a, More const&... more) {
  static_assert(((rows_of<A> == rows_of<More> && cols_of<A> == cols_of<More>) && ...),
                "Batchwork: all_of and any_of take tiles with the same extents; these differ");
  if constexpr ((is_distributed_tile<A> || ... || is_distributed_tile<More>)) {
    LaneGrid const grid = grid_of(a, more...);
    using S = typename FirstDistributed<A, More...>::type;
    using SD = deal_together_t<S, A, More...>;
    using Lines = LocalLines<SD, rows_of<A>, cols_of<A>>;
    auto const entry = [&](auto const& lines, int m, int k) {
      return Scalar<SD>(SD(lines.get(m, k), grid));
    };
    auto const own = [&](auto const&... lines) {
      bool found = false;
      BATCHWORK_UNROLL
      for (int m = 0; m < Lines::mine; ++m) {
        bool const there = m * SD::lanes + grid.lane < Lines::count;
        BATCHWORK_UNROLL
        for (int k = 0; k < Lines::length; ++k) {
          bool const holds = truth_of_lane(f(entry(lines, m, k)...));
          found = found || (there && holds != All);
        }
      }
      return found;
    };
    bool const found =
        grid.template reduce_or<SD::lanes>(
            own(lines_of<SD, SD::by_rows>(a, grid), lines_of<SD, SD::by_rows>(more, grid)...)
                ? 1u
                : 0u) != 0;
    return mask_t<S>(found != All, grid);
  } else {
    auto all = f(scalar_at(a, 0, 0), scalar_at(more, 0, 0)...);
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < rows_of<A>; ++i) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int j = 0; j < cols_of<A>; ++j) {
        if (i == 0 && j == 0) continue;
        auto const one = f(scalar_at(a, i, j), scalar_at(more, i, j)...);
        if constexpr (All) all = all && one;
        else all = all || one;
      }
    }
    return all;
  }
}

}  // namespace Impl

/// The sum of all entries, row by row. M N operations; the error is at most M N eps times the sum
/// of the sizes of the entries. If lanes share an item, each first sums its own rows or columns.
template <Tile A>
BATCHWORK_INLINE auto sum(A const& a) {
  return Impl::scalar_in_lanes_of(
      a, Impl::over_entries(a, Impl::WithoutIndex{}, Impl::AddEntries{}).value);
}
/// The product of all entries, including zeros of the structure. M N operations and roundings.
template <Tile A>
BATCHWORK_INLINE auto prod(A const& a) {
  return Impl::scalar_in_lanes_of(
      a, Impl::over_entries(a, Impl::WithoutIndex{}, Impl::MultiplyEntries{}).value);
}
/// The smallest entry, including zeros of the structure; NaN if an entry is NaN.
template <Tile A>
BATCHWORK_INLINE auto minimum(A const& a) {
  return Impl::extreme<false>(a);
}
/// The largest entry, including zeros of the structure; NaN if an entry is NaN.
template <Tile A>
BATCHWORK_INLINE auto maximum(A const& a) {
  return Impl::extreme<true>(a);
}
/// The index of the smallest entry, as a scalar of the tile's number type: i for a vector, i N + j
/// for a matrix with N columns. The first one of equal entries; the first NaN if there is one.
template <Tile A>
BATCHWORK_INLINE auto minimum_index(A const& a) {
  return Impl::index_of_extreme<false>(a);
}
/// The index of the largest entry; see minimum_index.
template <Tile A>
BATCHWORK_INLINE auto maximum_index(A const& a) {
  return Impl::index_of_extreme<true>(a);
}

/// Whether f(x) is true for all entries x of a tile, for each item. If lanes share an item, each
/// lane calls f for its own entries, so f must not read other entries by a(i, j).
/// ```cpp
/// auto const valid = all_of(z, [](auto const& x) { return isfinite(x); });
/// ```
/// \param a  a tile
/// \param f  a functor of scalars that returns a mask or a bool
/// \returns a mask
template <Tile A, class F>
BATCHWORK_INLINE auto all_of(A const& a, F const& f) {
  return Impl::truth_of_entries<true>(f, a);
}
/// Whether f(x, y) is true for all pairs of entries of two tiles with the same extents.
template <Tile A, Tile B, class F>
BATCHWORK_INLINE auto all_of(A const& a, B const& b, F const& f) {
  return Impl::truth_of_entries<true>(f, a, b);
}
/// Whether f(x) is true for any entry x of a tile, for each item; see all_of.
template <Tile A, class F>
BATCHWORK_INLINE auto any_of(A const& a, F const& f) {
  return Impl::truth_of_entries<false>(f, a);
}
/// Whether f(x, y) is true for any pair of entries of two tiles with the same extents.
template <Tile A, Tile B, class F>
BATCHWORK_INLINE auto any_of(A const& a, B const& b, F const& f) {
  return Impl::truth_of_entries<false>(f, a, b);
}

}  // namespace Batchwork

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// LocalLines: the part of a tile that a lane holds if the tile is distributed over the lanes of an
/// item, and line by line access to tiles of every kind. A line is a row if rows are distributed, a
/// column if columns are; line i belongs to lane i mod L. Lanes without a line in the last round
/// hold numbers that are never used.
#ifndef BATCHWORK_LOCALLINES_HPP
#define BATCHWORK_LOCALLINES_HPP

#include "core/Batchwork_Distributed.hpp"
#include "core/detail/Batchwork_UnrollInParts.hpp"
#include "tile/types/Batchwork_Entry.hpp"
#include "tile/types/Batchwork_Tile.hpp"

namespace Batchwork {

template <class Original>
struct Transposed;
template <class S, int N>
struct Symmetric;

namespace Impl {

template <class S, int M, int N>
struct LocalLines {
  using value_type = S;
  using T = scalar_t<S>;
  static constexpr int rows = M;
  static constexpr int cols = N;
  static constexpr bool by_rows = S::by_rows;
  static constexpr int lanes = S::lanes;
  static constexpr int count = by_rows ? M : N;
  static constexpr int length = by_rows ? N : M;
  static constexpr int mine = (count + lanes - 1) / lanes;
  static_assert(M <= S::largest && N <= S::largest,
                "Batchwork: if lanes share an item, no tile of a sequence may be larger than all "
                "its operands; launch(lanes<1>) gives each lane an item");

  T a[mine * length];
  info_t<S> info;
  LaneGrid grid;

  BATCHWORK_INLINE T const& local(int m, int k) const { return a[m * length + k]; }
  BATCHWORK_INLINE void set_local(int m, int k, T const& x) { a[m * length + k] = x; }
  BATCHWORK_INLINE int line(int m) const { return m * lanes + grid.lane; }

  /// Entry (i, j), which its lane broadcasts; all lanes of the item must call it.
  BATCHWORK_INLINE S entry(int i, int j) const {
    int const l = by_rows ? i : j, k = by_rows ? j : i;
    return S(grid.template broadcast<lanes>(a[l / lanes * length + k], l % lanes), grid);
  }
  BATCHWORK_INLINE void set(int i, int j, S const& x) {
    grid = merge_grids(grid, x.grid);
    int const l = by_rows ? i : j, k = by_rows ? j : i;
    if (l % lanes == grid.lane) a[l / lanes * length + k] = x.v;
  }
  static constexpr KOKKOS_FORCEINLINE_FUNCTION bool skips(int, int) { return false; }
};

/// A number that may be a Distributed.
template <class X>
BATCHWORK_INLINE auto value_of(X const& x) {
  if constexpr (is_distributed<X>) return x.v;
  else return x;
}

template <class X>
inline constexpr bool is_distributed_tile =
    is_distributed<typename std::remove_cvref_t<X>::value_type>;

/// The largest extents of decompositions by lanes that share an item: with two columns each, a lane
/// has no registers for it.
inline constexpr int largest_decomposed_extent = 32;

/// True; otherwise a compile-time error gives the extents of a decomposition.
template <class... X>
constexpr bool require_decomposed() {
  constexpr bool good =
      ((!is_distributed_tile<X> || (std::remove_cvref_t<X>::rows <= largest_decomposed_extent &&
                                    std::remove_cvref_t<X>::cols <= largest_decomposed_extent)) &&
       ...);
  static_assert(good,
                "Batchwork: in a sequence on a device qr, pivoted_qr, stacked_r, rank_update, "
                "eigh, svd, ldlt, expm and functions based on them have extents up to 32 (larger "
                "whole matrices: the verbs qr, least_squares, eigh and svd)");
  return good;
}

/// What the lanes hold: a whole tile common to all items, rows, columns, or either.
enum class Deal { common, rows, cols, either };

template <class X>
struct DealOf {
  static constexpr Deal value = [] {
    if constexpr (!is_distributed_tile<X>) return Deal::common;
    else if constexpr (structure_of<X> == Structure::symmetric ||
                       structure_of<X> == Structure::diagonal)
      return Deal::either;
    else if constexpr (X::value_type::by_rows) return Deal::rows;
    else return Deal::cols;
  }();
};
template <class Original>
struct DealOf<Transposed<Original>> {
  static constexpr Deal original = DealOf<std::remove_cvref_t<Original>>::value;
  static constexpr Deal value = original == Deal::rows   ? Deal::cols
                                : original == Deal::cols ? Deal::rows
                                                         : original;
};
template <class X>
inline constexpr Deal deal_of = DealOf<std::remove_cvref_t<X>>::value;

/// The lane grid of the first tile or scalar that knows one: preferably of a distributed tile,
/// because a Distributed may have been a plain number.
template <class X>
inline constexpr bool knows_grid = false;
template <class X>
  requires requires { typename X::value_type; }
inline constexpr bool knows_grid<X> =
    is_distributed_tile<X> && requires(X const& x) { x.entry(0, 0); };

/// Whether lanes hold lines or blocks of a tile, so that it has a `grid`; and whether a Scalar's
/// value has one.
template <class X>
inline constexpr bool has_grid = false;
template <class X>
  requires requires { typename X::value_type; }
inline constexpr bool has_grid<X> =
    is_distributed_tile<X> && !is_scalar_tile<X> && !is_log_sum<X> && !is_transposed<X>;
template <class X>
inline constexpr bool is_distributed_scalar = false;
template <class X>
  requires is_scalar_tile<X>
inline constexpr bool is_distributed_scalar<X> = is_distributed_tile<X>;

template <class X>
BATCHWORK_INLINE LaneGrid grid_of(X const& x) {
  if constexpr (is_transposed<X>) return grid_of(x.original);
  else if constexpr (requires { x.grid; }) return x.grid;
  else if constexpr (requires { x.factor.grid; }) return x.factor.grid;
  else if constexpr (requires { x.mask.grid; }) return x.mask.grid;
  else return LaneGrid{};
}
template <class X, class Y, class... Rest>
BATCHWORK_INLINE LaneGrid grid_of(X const& x, Y const& y, Rest const&... rest) {
  if constexpr (knows_grid<X>) return grid_of(x);
  else if constexpr ((knows_grid<Y> || ... || knows_grid<Rest>)) return grid_of(y, rest...);
  else return grid_of(x);
}

/// The lane grid that a tile, a scalar or a mask knows, or one of several.
template <class X>
BATCHWORK_INLINE LaneGrid grid_known_to(X const& x) {
  if constexpr (is_distributed_scalar<X>) return x.value.grid;
  else return grid_of(x);
}
template <class X, class Y, class... More>
BATCHWORK_INLINE LaneGrid grid_known_to(X const& x, Y const& y, More const&... more) {
  return merge_grids(grid_known_to(x), grid_known_to(y, more...));
}

// ---- seeing tiles line by line
// ---------------------------------------------------------------------------------------------

/// A lane's own lines of a distributed tile as it holds them.
template <class X>
struct LinesByReference {
  X const& x;
  BATCHWORK_INLINE auto get(int m, int k) const { return x.local(m, k); }
};
/// The same, owned.
template <class X>
struct LinesByValue {
  X x;
  BATCHWORK_INLINE auto get(int m, int k) const { return x.local(m, k); }
};
template <class X>
struct DiagonalLines {
  X const& x;
  BATCHWORK_INLINE auto get(int m, int k) const {
    return k == x.line(m) ? x.local(m, 0) : typename X::T(0);
  }
};
/// A lane's own lines of a common tile, read in place. Lanes without a line read the last one.
template <class S, bool ByRows, class X>
struct CommonLines {
  X const& x;
  int lane;
  BATCHWORK_INLINE int line(int m) const {
    constexpr int last = (ByRows ? rows_of<X> : cols_of<X>)-1;
    int const i = m * S::lanes + lane;
    return (m + 1) * S::lanes - 1 <= last || i < last ? i : last;
  }
  BATCHWORK_INLINE auto get(int m, int k) const {
    int const i = line(m);
    return x.entry(ByRows ? i : k, ByRows ? k : i);
  }
};

/// Writes lines to the exchange of the item, for all its lanes to read: line i from number i *
/// leading on.
template <class S, int Mine, int Length, class OwnLines>
BATCHWORK_INLINE scalar_t<S> const* stage_lines(OwnLines const& x, LaneGrid const& grid) {
  using T = scalar_t<S>;
  using Ex = typename S::exchange;
  T* const base = grid.template numbers<T>();
  grid.sync();
  BATCHWORK_UNROLL
  for (int m = 0; m < Mine; ++m) {
    BATCHWORK_UNROLL
    for (int k0 = 0; k0 < Length; k0 += Ex::per_unit) {
      Unit<T> u;
      BATCHWORK_UNROLL
      for (int n = 0; n < Ex::per_unit; ++n) u.v[n] = k0 + n < Length ? x.get(m, k0 + n) : T(0);
      if (Ex::has_line(m, grid.lane))
        *reinterpret_cast<Unit<T>*>(base + Ex::line(m, grid.lane) * Ex::leading + k0) = u;
    }
  }
  grid.sync();
  return base;
}

/// A lane's own lines, out of Count lines of N numbers in the exchange. If Half is not 0, it is the
/// number of lanes that share a symmetric tile, and only the part of its rows left of the diagonal
/// is available.
template <int Count, int N, int Half, class S, class T>
BATCHWORK_INLINE void take_own_lines(T (&own)[(Count + S::lanes - 1) / S::lanes * N],
                                     LaneGrid const& grid) {
  using Ex = typename S::exchange;
  T const* const base = grid.template numbers<T>();
  BATCHWORK_UNROLL
  for (int m = 0; m * S::lanes < Count; ++m) {
    BATCHWORK_UNROLL
    for (int k0 = 0; k0 < N; k0 += Ex::per_unit) {
      if (Half > 0 && k0 >= (m + 1) * Half) continue;
      Unit<T> const u =
          *reinterpret_cast<Unit<T> const*>(base + Ex::line(m, grid.lane) * Ex::leading + k0);
      BATCHWORK_UNROLL
      for (int n = 0; n < Ex::per_unit; ++n)
        if (k0 + n < N) own[m * N + k0 + n] = u.v[n];
    }
  }
}

/// Whether lanes hold their rows only up to the diagonal.
template <class X>
inline constexpr bool holds_half = [] {
  if constexpr (is_transposed<X> || holds_whole<X> || is_fragments<X>) return false;
  else return is_distributed_tile<X> && structure_of<X> == Structure::symmetric;
}();

/// Writes a symmetric tile to the exchange, with the lower triangle in both triangles.
template <class X>
BATCHWORK_INLINE auto stage_both_triangles(X const& x, LaneGrid const& grid) {
  using S = typename X::value_type;
  using T = scalar_t<S>;
  using Ex = typename S::exchange;
  T* const base = grid.template numbers<T>();
  grid.sync();
  BATCHWORK_UNROLL
  for (int m = 0; m < X::mine; ++m) {
    BATCHWORK_UNROLL
    for (int k0 = 0; k0 < X::length && k0 < (m + 1) * S::lanes; k0 += Ex::per_unit) {
      Unit<T> u;
      BATCHWORK_UNROLL
      for (int n = 0; n < Ex::per_unit; ++n)
        u.v[n] = k0 + n < X::length ? x.local(m, k0 + n) : T(0);
      if (Ex::has_line(m, grid.lane))
        *reinterpret_cast<Unit<T>*>(base + Ex::line(m, grid.lane) * Ex::leading + k0) = u;
    }
  }
  grid.sync();
  BATCHWORK_UNROLL
  for (int m = 0; m < X::mine; ++m) {
    BATCHWORK_UNROLL
    for (int k = 0; k < X::length && k < (m + 1) * S::lanes - 1; ++k)
      if ((k < m * S::lanes || k < m * S::lanes + grid.lane) && Ex::has_line(m, grid.lane))
        base[k * Ex::leading + Ex::line(m, grid.lane)] = x.local(m, k);
  }
  grid.sync();
  return static_cast<T const*>(base);
}

/// A symmetric tile with both triangles in registers.
template <class X>
BATCHWORK_INLINE auto with_both_triangles(X const& x, LaneGrid const& grid) {
  using S = typename X::value_type;
  stage_both_triangles(x, grid);
  LocalLines<S, X::rows, X::cols> r;
  r.grid = grid;
  take_own_lines<X::rows, X::cols, 0, S>(r.a, grid);
  return r;
}

/// A tile distributed the other way: its rows from its columns or the reverse, through the
/// exchange.
template <class S, int M, int N, class From>
BATCHWORK_INLINE auto turned_lines(From const& from, LaneGrid const& grid) {
  using To = LocalLines<S, M, N>;
  using Old = LocalLines<typename S::turned, M, N>;
  auto const* const base = stage_lines<S, Old::mine, Old::length>(from, grid);
  To r;
  r.grid = grid;
  BATCHWORK_UNROLL
  for (int m = 0; m < To::mine; ++m) {
    // Lanes without a line read into the padding, or numbers that are never used.
    int const i = S::exchange::line(m, grid.lane);
    BATCHWORK_UNROLL
    for (int k = 0; k < To::length; ++k) r.set_local(m, k, base[k * S::exchange::leading + i]);
  }
  return r;
}

/// `S` with distributed rows or columns.
template <class S, bool ByRows>
using dealt_t = std::conditional_t<S::by_rows == ByRows, S, typename S::turned>;

/// The lanes' rows or columns of any tile.
template <class S, bool ByRows, class X>
BATCHWORK_INLINE auto lines_of(X const& x, LaneGrid const& grid) {
  constexpr Deal deal = deal_of<X>;
  if constexpr (deal == Deal::common) {
    return CommonLines<S, ByRows, X>{x, grid.lane};
  } else if constexpr (is_transposed<X>) {
    // For a transpose: the lines of the other kind of the original.
    return lines_of<S, !ByRows>(x.original, grid);
  } else if constexpr (holds_half<X>) {
    using To = LocalLines<typename X::value_type, X::rows, X::cols>;
    return LinesByValue<To>{with_both_triangles(x, grid)};
  } else if constexpr (is_fragments<X>) {
    // The rows of this tile are in the exchange.
    x.put();
    using Rows = LocalLines<dealt_t<S, true>, rows_of<X>, cols_of<X>>;
    Rows rows;
    rows.grid = grid;
    take_own_lines<rows_of<X>, cols_of<X>, 0, dealt_t<S, true>>(rows.a, grid);
    if constexpr (ByRows || structure_of<X> == Structure::symmetric) {
      return LinesByValue<Rows>{rows};
    } else {
      using To = LocalLines<dealt_t<S, false>, rows_of<X>, cols_of<X>>;
      return LinesByValue<To>{turned_lines<dealt_t<S, false>, rows_of<X>, cols_of<X>>(
          LinesByReference<Rows>{rows}, grid)};
    }
  } else if constexpr (holds_whole<X>) {
    return LinesByReference<X>{x};
  } else if constexpr (deal == Deal::either) {
    return DiagonalLines<X>{x};
  } else if constexpr ((deal == Deal::rows) == ByRows) {
    return LinesByReference<X>{x};
  } else {
    using To = LocalLines<dealt_t<S, ByRows>, rows_of<X>, cols_of<X>>;
    return LinesByValue<To>{
        turned_lines<dealt_t<S, ByRows>, rows_of<X>, cols_of<X>>(LinesByReference<X>{x}, grid)};
  }
}

/// The same up to the diagonal of the rows, which is enough for a symmetric or lower result.
template <class S, class X>
BATCHWORK_INLINE auto lower_lines_of(X const& x, LaneGrid const& grid) {
  if constexpr (holds_half<X>) return LinesByReference<X>{x};
  else return lines_of<S, true>(x, grid);
}

/// Entry (i, i) of lines of any tile, for a lane's own line m.
template <class S, int N, class OwnLines>
BATCHWORK_INLINE auto diagonal_of_lines(OwnLines const& x, int m, int lane) {
  auto d = x.get(m, m * S::lanes);
  BATCHWORK_UNROLL
  for (int k = m * S::lanes + 1; k < N && k < (m + 1) * S::lanes; ++k) {
    // Read before the comparison. After it the compiler substitutes the lane for k before it
    // unrolls the loop, and an index that is not constant puts the whole tile into memory.
    auto const own = x.get(m, k);
    d = k == m * S::lanes + lane ? own : d;
  }
  return d;
}

/// Entry (i, i) of a tile that is diagonal, or used only on its diagonal, for a lane's own i.
template <class S, class X>
BATCHWORK_INLINE auto diagonal_number(X const& x, int m, int lane) {
  if constexpr (is_distributed_tile<X>) {
    return x.local(m, 0);
  } else {
    int const i = m * S::lanes + lane, last = rows_of<X> - 1;
    return x.entry(i < last ? i : last, i < last ? i : last);
  }
}

/// The `S` of a result that is computed entry by entry: by columns if all distributed operands are.
template <class S, class... X>
struct DealTogether {
  using type = S;
};
template <class S, class... X>
  requires is_distributed<S>
struct DealTogether<S, X...> {
  static constexpr bool columns =
      ((deal_of<X> == Deal::cols) || ...) && !((deal_of<X> == Deal::rows) || ...);
  using type = dealt_t<S, !columns>;
};
template <class S, class... X>
using deal_together_t = typename DealTogether<S, X...>::type;

// ---- assignment
// ---------------------------------------------------------------------------------------------

/// Assigns any tile to a distributed tile. Only the lower triangle is read for a symmetric one, and
/// only the lower triangle is kept for a lower one.
template <class To, class From>
BATCHWORK_INLINE void distributed_assign(To& to, From const& from) {
  using S = typename To::value_type;
  constexpr Structure st = structure_of<To>;
  // A common tile knows no grid, but the tile to which it is assigned may know one.
  LaneGrid const grid = grid_of(from, to);
  if constexpr (st == Structure::diagonal) {
    auto const x = lower_lines_of<S>(from, grid);
    BATCHWORK_UNROLL
    for (int m = 0; m < To::mine; ++m)
      to.set_local(m, 0, diagonal_of_lines<S, To::rows>(x, m, grid.lane));
  } else if constexpr (holds_whole<To> && structure_of<From> != Structure::symmetric &&
                       structure_of<From> != Structure::diagonal) {
    // Only its lower triangle is read.
    distributed_assign(to, Symmetric<S, To::rows>(from));
  } else if constexpr ((st == Structure::symmetric && !holds_whole<To>) ||
                       (st == Structure::lower && To::by_rows)) {
    auto const x = lower_lines_of<S>(from, grid);
    BATCHWORK_UNROLL
    for (int m = 0; m < To::mine; ++m) {
      BATCHWORK_UNROLL
      for (int k = 0; k < To::length; ++k) {
        if (k < (m + 1) * S::lanes) {
          auto const v = x.get(m, k);
          to.set_local(m, k,
                       st == Structure::lower && k > m * S::lanes + grid.lane ? scalar_t<S>(0) : v);
        } else if (st == Structure::lower) {
          to.set_local(m, k, scalar_t<S>(0));
        }
      }
    }
  } else {
    auto const x = lines_of<S, To::by_rows>(from, grid);
    BATCHWORK_UNROLL
    for (int m = 0; m < To::mine; ++m) {
      BATCHWORK_UNROLL
      for (int k = 0; k < To::length; ++k) {
        auto v = x.get(m, k);
        if (st == Structure::lower && structure_of<From> != Structure::lower &&
            k < m * S::lanes + grid.lane)
          v = 0;
        to.set_local(m, k, v);
      }
    }
  }
  to.grid = grid;
}

}  // namespace Impl
}  // namespace Batchwork

#endif

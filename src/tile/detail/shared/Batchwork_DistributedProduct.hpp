// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Products of tiles that are distributed over the lanes of an item. Each is reduced to a lane's
/// own lines, in registers, times a matrix that all lanes read: a common one in place, or a tile of
/// the item from the exchange. Each number that is read is used in a multiply-add for every line of
/// a lane, as the bandwidth of scratch requires.
#ifndef BATCHWORK_DISTRIBUTEDPRODUCT_HPP
#define BATCHWORK_DISTRIBUTEDPRODUCT_HPP

#include "core/detail/backend/Batchwork_Scheduling.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "tile/detail/shared/Batchwork_DistributedByMatrix.hpp"
#include "tile/types/Batchwork_Sum.hpp"
#include "tile/types/detail/Batchwork_Staged.hpp"

namespace Batchwork {
namespace Impl {

// ---- matrices that all lanes read
// ---------------------------------------------------------------------------------------------
// block<Deep, J>(b, k0, j0) gives the entries (k0 + n, j0 + j) of a K x N matrix, n < Deep <= deep,
// j < J, and at(k, j, offset) one, of the item whose exchange is `offset` numbers away.

/// In scratch, `Leading` numbers from one column to the next: entries of a column side by side.
template <class T, int Leading>
struct ColumnsInScratch {
  T const* p;
  static constexpr int deep = 16 / int(sizeof(T));
  BATCHWORK_INLINE T at(int k, int j, int offset) const { return p[offset + j * Leading + k]; }
  template <int Deep, int J>
  BATCHWORK_INLINE void block(T (&b)[deep * J], int k0, int j0) const {
    BATCHWORK_UNROLL
    for (int j = 0; j < J; ++j) {
      Unit<T> const u = *reinterpret_cast<Unit<T> const*>(p + (j0 + j) * Leading + k0);
      BATCHWORK_UNROLL
      for (int n = 0; n < Deep; ++n) b[n * J + j] = u.v[n];
    }
  }
};
/// In scratch, `Leading` numbers from one row to the next: entries of a row side by side.
template <class T, int Leading>
struct RowsInScratch {
  T const* p;
  static constexpr int deep = 16 / int(sizeof(T));
  BATCHWORK_INLINE T at(int k, int j, int offset) const { return p[offset + k * Leading + j]; }
  template <int Deep, int J>
  BATCHWORK_INLINE void block(T (&b)[deep * J], int k0, int j0) const {
    BATCHWORK_UNROLL
    for (int n = 0; n < Deep; ++n) {
      BATCHWORK_UNROLL
      for (int j = 0; j < J; j += deep) {
        Unit<T> const u = *reinterpret_cast<Unit<T> const*>(p + (k0 + n) * Leading + j0 + j);
        BATCHWORK_UNROLL
        for (int l = 0; l < deep; ++l)
          if (j + l < J) b[n * J + j + l] = u.v[l];
      }
    }
  }
};
/// Any common tile, number by number.
template <class T, class X>
struct EntryByEntry {
  X const& x;
  static constexpr int deep = 16 / int(sizeof(T));
  BATCHWORK_INLINE T at(int k, int j, int) const { return x.entry(k, j); }
  template <int Deep, int J>
  BATCHWORK_INLINE void block(T (&b)[deep * J], int k0, int j0) const {
    BATCHWORK_UNROLL
    for (int n = 0; n < Deep; ++n) {
      BATCHWORK_UNROLL
      for (int j = 0; j < J; ++j) b[n * J + j] = x.entry(k0 + n, j0 + j);
    }
  }
};

/// A fixed value, from the launch's arguments; Turned, its transpose.
template <class T, int Leading, bool Turned>
struct InArguments {
  T const* p;
  static constexpr int deep = 16 / int(sizeof(T));
  BATCHWORK_INLINE T at(int k, int j, int) const {
    return Turned ? p[j * Leading + k] : p[k * Leading + j];
  }
  template <int Deep, int J>
  BATCHWORK_INLINE void block(T (&b)[deep * J], int k0, int j0) const {
    BATCHWORK_UNROLL
    for (int n = 0; n < Deep; ++n) {
      BATCHWORK_UNROLL
      for (int j = 0; j < J; ++j)
        b[n * J + j] = Turned ? p[(j0 + j) * Leading + k0 + n] : p[(k0 + n) * Leading + j0 + j];
    }
  }
};

/// Whether a common tile is staged in rows of whole units.
template <class X>
inline constexpr bool stands_in_units = false;
template <class X>
  requires is_staged<X>
inline constexpr bool stands_in_units<X> =
    X::structure != Structure::diagonal &&
    X::leading % (16 / int(sizeof(typename X::value_type))) == 0;

/// The matrix x for all lanes: read in place if it is common, else from the exchange.
template <class S, bool WrittenOut, class X>
BATCHWORK_INLINE auto read_by_all(X const& x, LaneGrid const& grid) {
  using T = scalar_t<S>;
  constexpr int K = rows_of<X>, N = cols_of<X>;
  if constexpr (!is_distributed_tile<X>) {
    if constexpr (is_staged_fixed<X> && WrittenOut && structure_of<X> != Structure::diagonal) {
      return InArguments<T, N, false>{x.values};
    } else if constexpr (stands_in_units<X>) {
      return RowsInScratch<T, X::leading>{x.a};
    } else if constexpr (is_transposed<X>) {
      using Y = std::remove_cvref_t<decltype(x.original)>;
      if constexpr (is_staged_fixed<Y> && WrittenOut && structure_of<X> != Structure::diagonal)
        return InArguments<T, K, true>{x.original.values};
      else if constexpr (stands_in_units<Y>) return ColumnsInScratch<T, Y::leading>{x.original.a};
      else return EntryByEntry<T, X>{x};
    } else {
      return EntryByEntry<T, X>{x};
    }
  } else if constexpr (X::is_vector) {
    // Side by side, as one column.
    T* const base = grid.template numbers<T>();
    grid.sync();
    BATCHWORK_UNROLL
    for (int m = 0; m < X::mine; ++m)
      if (S::exchange::has_line(m, grid.lane))
        base[S::exchange::line(m, grid.lane)] = x.local(m, 0);
    grid.sync();
    return ColumnsInScratch<T, S::exchange::leading>{base};
  } else if constexpr (structure_of<X> == Structure::symmetric && !holds_whole<X> &&
                       !is_fragments<X>) {
    T const* base;
    if constexpr (is_transposed<X>) base = stage_both_triangles(x.original, grid);
    else base = stage_both_triangles(x, grid);
    return RowsInScratch<T, S::exchange::leading>{base};
  } else {
    constexpr bool by_rows = deal_of<X> != Deal::cols;
    constexpr int count = by_rows ? K : N, length = by_rows ? N : K;
    constexpr int mine = (count + S::lanes - 1) / S::lanes;
    T const* const base =
        stage_lines<S, mine, length>(lines_of<dealt_t<S, by_rows>, by_rows>(x, grid), grid);
    if constexpr (by_rows) return RowsInScratch<T, S::exchange::leading>{base};
    else return ColumnsInScratch<T, S::exchange::leading>{base};
  }
}

// ---- own lines times such a matrix
// ---------------------------------------------------------------------------------------------

/// acc(m, j) += a(m, k0 + n) b(k0 + n, j0 + j) for n < Deep, or -=. If Half is not 0, it is the
/// number of lanes that share a symmetric result, and only the part of rows m left of the diagonal
/// is computed.
template <int Mine, int N, int Deep, int J, bool Subtract, int Half, class T, class A, class B>
BATCHWORK_INLINE void lines_block(T (&acc)[Mine * N], A const& a, B const& b, int k0, int j0) {
  T bk[B::deep * J];
  b.template block<Deep, J>(bk, k0, j0);
  BATCHWORK_UNROLL
  for (int n = 0; n < Deep; ++n) {
    BATCHWORK_UNROLL
    for (int m = 0; m < Mine; ++m) {
      T const x = Subtract ? -a.get(m, n) : a.get(m, n);
      BATCHWORK_UNROLL
      for (int j = 0; j < J; ++j)
        if (Half == 0 || j0 + j < (m + 1) * Half) acc[m * N + j0 + j] += x * bk[n * J + j];
    }
  }
}
/// The same for all columns, Deep terms.
template <int Mine, int N, int Deep, bool Subtract, int Half, class T, class A, class B>
BATCHWORK_INLINE void lines_terms(T (&acc)[Mine * N], A const& a, B const& b, int k0) {
  constexpr int J = N < 4 ? N : 4, full = N / J * J;
  BATCHWORK_UNROLL
  for (int j0 = 0; j0 < full; j0 += J)
    lines_block<Mine, N, Deep, J, Subtract, Half>(acc, a, b, k0, j0);
  if constexpr (full < N) lines_block<Mine, N, Deep, N - full, Subtract, Half>(acc, a, b, k0, full);
}

struct NoLines {};

/// The lanes that share a symmetric result, or 0.
template <class R>
inline constexpr int computed_half =
    R::structure == Structure::symmetric && !holds_whole<R> ? R::lanes : 0;

/// The result from the computed numbers.
template <int Half, class R, class T>
BATCHWORK_INLINE void keep_lines(R& r, T const& acc) {
  BATCHWORK_UNROLL
  for (int m = 0; m < R::mine; ++m) {
    BATCHWORK_UNROLL
    for (int k = 0; k < R::length; ++k)
      if (Half == 0 || k < (m + 1) * Half) r.set_local(m, k, acc[m * R::length + k]);
  }
}

/// A lane's own rows of a common matrix that is staged in units.
template <class L>
inline constexpr bool reads_units = false;
template <class S, bool ByRows, class X>
inline constexpr bool reads_units<CommonLines<S, ByRows, X>> =
    stands_in_units<X> && (ByRows || structure_of<X> == Structure::symmetric);

/// Rows of a common tile; any lane can read each entry.
template <class L>
inline constexpr bool are_common_rows = false;
template <class S, class X>
inline constexpr bool are_common_rows<CommonLines<S, true, X>> = true;

/// c, or nothing, to begin with.
template <int Mine, int N, int Half, class T, class C, class CLines>
BATCHWORK_INLINE void start_lines(T (&acc)[Mine * N], C const&, CLines const& c) {
  BATCHWORK_UNROLL
  for (int m = 0; m < Mine; ++m) {
    if constexpr (reads_units<CLines>) {
      constexpr int per = 16 / int(sizeof(T));
      auto const* const row = c.x.a + c.line(m) * c.x.leading;
      BATCHWORK_UNROLL
      for (int j0 = 0; j0 < N; j0 += per) {
        Unit<T> const u = *reinterpret_cast<Unit<T> const*>(row + j0);
        BATCHWORK_UNROLL
        for (int n = 0; n < per; ++n)
          if (j0 + n < N && (Half == 0 || j0 + n < (m + 1) * Half)) acc[m * N + j0 + n] = u.v[n];
      }
    } else {
      BATCHWORK_UNROLL
      for (int j = 0; j < N; ++j) {
        if (Half > 0 && j >= (m + 1) * Half) continue;
        if constexpr (C::is_zero) acc[m * N + j] = T(0);
        else acc[m * N + j] = c.get(m, j);
      }
    }
  }
}

/// Numbers k0 on of lines in registers.
template <class A>
struct FromHere {
  A const& a;
  int k0;
  BATCHWORK_INLINE auto get(int m, int n) const { return a.get(m, k0 + n); }
};

/// r = c +- a b for a lane's own lines of r, c and a, with a in registers: without a loop, so that
/// every number has a register.
template <int K, class R, class A, class B, class C, class CLines>
BATCHWORK_INLINE void lines_times(R& r, A const& a, B const& b, C const& from, CLines const& c) {
  constexpr int N = R::length, Mine = R::mine, J = N < 4 ? N : 4, half = computed_half<R>;
  using T = typename R::T;
  T acc[Mine * N];
  start_lines<Mine, N, half>(acc, from, c);
  BATCHWORK_UNROLL
  for (int j0 = 0; j0 < N; j0 += J) {
    // Otherwise the compiler first reads all of b.
    Vendor::scheduling_barrier();
    BATCHWORK_UNROLL
    for (int k0 = 0; k0 < K; k0 += B::deep) {
      FromHere<A> const here{a, k0};
      constexpr int tail = K % B::deep, edge = N % J;
      bool const last = tail > 0 && k0 + B::deep > K, end = edge > 0 && j0 + J > N;
      if (!last && !end) lines_block<Mine, N, B::deep, J, C::subtracts, half>(acc, here, b, k0, j0);
      if constexpr (tail > 0)
        if (last && !end) lines_block<Mine, N, tail, J, C::subtracts, half>(acc, here, b, k0, j0);
      if constexpr (edge > 0)
        if (!last && end)
          lines_block<Mine, N, B::deep, edge, C::subtracts, half>(acc, here, b, k0, j0);
      if constexpr (tail > 0 && edge > 0)
        if (last && end) lines_block<Mine, N, tail, edge, C::subtracts, half>(acc, here, b, k0, j0);
    }
  }
  keep_lines<half>(r, acc);
}

// ---- the same with own lines in the exchange
// ---------------------------------------------------------------------------------------------

/// Some numbers of a lane's own lines, read from the exchange.
template <class T, int Mine, int Deep>
struct OwnNumbers {
  T v[Mine * Deep];
  BATCHWORK_INLINE T get(int m, int n) const { return v[m * Deep + n]; }
};
/// The distance from a lane's first line to its line of round m. Lanes without one in the last
/// round read the last line.
template <class S>
BATCHWORK_INLINE int lines_behind_first(int m, [[maybe_unused]] int lane) {
  using Ex = typename S::exchange;
  if constexpr (Ex::two_rounds) return Ex::line(m, lane) - Ex::line(0, lane);
  else return m * S::lanes;
}
/// A lane's own lines as they were written.
template <class S>
struct StraightInExchange {
  using T = scalar_t<S>;
  T const* p;  ///< the start of the lane's first line
  int lane;
  BATCHWORK_INLINE StraightInExchange(T const* base, int of_lane)
      : p(base + S::exchange::line(0, of_lane) * S::exchange::leading), lane(of_lane) {}
  static BATCHWORK_INLINE int index(int l, int k) { return l * S::exchange::leading + k; }
  template <int Mine, int Deep>
  BATCHWORK_INLINE auto numbers(int k0) const {
    constexpr int per = S::exchange::per_unit;
    OwnNumbers<T, Mine, Deep> r;
    BATCHWORK_UNROLL
    for (int m = 0; m < Mine; ++m) {
      int const lines = lines_behind_first<S>(m, lane);
      BATCHWORK_UNROLL
      for (int n = 0; n < Deep; n += per) {
        Unit<T> const u =
            *reinterpret_cast<Unit<T> const*>(p + lines * S::exchange::leading + k0 + n);
        BATCHWORK_UNROLL
        for (int l = 0; l < per; ++l)
          if (n + l < Deep) r.v[m * Deep + n + l] = u.v[l];
      }
    }
    return r;
  }
};
/// A lane's own lines from lines of the other kind.
template <class S>
struct TurnedInExchange {
  using T = scalar_t<S>;
  T const* p;  ///< the lane's number of the first line
  int lane;
  BATCHWORK_INLINE TurnedInExchange(T const* base, int of_lane)
      : p(base + S::exchange::line(0, of_lane)), lane(of_lane) {}
  static BATCHWORK_INLINE int index(int l, int k) { return k * S::exchange::leading + l; }
  template <int Mine, int Deep>
  BATCHWORK_INLINE auto numbers(int k0) const {
    OwnNumbers<T, Mine, Deep> r;
    BATCHWORK_UNROLL
    for (int n = 0; n < Deep; ++n) {
      BATCHWORK_UNROLL
      for (int m = 0; m < Mine; ++m)
        r.v[m * Deep + n] = p[(k0 + n) * S::exchange::leading + lines_behind_first<S>(m, lane)];
    }
    return r;
  }
};

/// Writes a distributed tile to the exchange, for its lanes to read their own rows (or columns)
/// from there.
template <class S, bool ByRows, class X>
BATCHWORK_INLINE auto put_own_lines(X const& x, LaneGrid const& grid) {
  if constexpr (is_transposed<X>) {
    return put_own_lines<S, !ByRows>(x.original, grid);
  } else if constexpr (is_fragments<X>) {
    scalar_t<S> const* const base = x.put();
    if constexpr (ByRows) return StraightInExchange<S>(base, grid.lane);
    else return TurnedInExchange<S>(base, grid.lane);
  } else {
    constexpr Deal deal = deal_of<X>;
    constexpr bool straight = deal == Deal::either || (deal == Deal::rows) == ByRows;
    scalar_t<S> const* base;
    if constexpr (holds_half<X>) base = stage_both_triangles(x, grid);
    else base = stage_lines<S, X::mine, X::length>(LinesByReference<X>{x}, grid);
    if constexpr (straight) return StraightInExchange<S>(base, grid.lane);
    else return TurnedInExchange<S>(base, grid.lane);
  }
}

/// r = c +- a b by matrix instructions; put() writes a's lines to the exchange, as A says; BOfItem:
/// b's are there as well.
template <int K, bool BOfItem, class A, class R, class Put, class B, class C, class CLines>
BATCHWORK_INLINE void times_by_matrix(R& r, Put const& put, B const& b, C const& from,
                                      CLines const& c) {
  constexpr int N = R::length, Mine = R::mine, half = computed_half<R>;
  using T = typename R::T;
  using S = typename R::value_type;
  auto const zero = [](int, int) { return T(0); };
  T acc[Mine * N];
  if constexpr (C::is_zero) {
    lines_by_matrix<R::count, N, K, half, BOfItem, false, S, A>(acc, put, b, zero, r.grid);
  } else if constexpr (are_common_rows<CLines>) {
    // Each lane reads its part of a common addend.
    auto const start = [&](int i, int j) { return c.x.entry(i, j); };
    lines_by_matrix<R::count, N, K, half, BOfItem, C::subtracts, S, A>(acc, put, b, start, r.grid);
  } else {
    T product[Mine * N];
    lines_by_matrix<R::count, N, K, half, BOfItem, false, S, A>(product, put, b, zero, r.grid);
    start_lines<Mine, N, half>(acc, from, c);
    BATCHWORK_UNROLL
    for (int n = 0; n < Mine * N; ++n)
      if (half == 0 || n % N < (n / N + 1) * half)
        acc[n] = C::subtracts ? acc[n] - product[n] : acc[n] + product[n];
  }
  keep_lines<half>(r, acc);
}

/// r = c +- a b in a loop, a's lines in the exchange.
template <int K, class R, class A, class B, class C, class CLines>
BATCHWORK_INLINE void looped_lines_times(R& r, A const& a, B const& b, C const& from,
                                         CLines const& c) {
  constexpr int N = R::length, Mine = R::mine, deep = B::deep, full = K / deep * deep;
  constexpr int half = computed_half<R>;
  using T = typename R::T;
  T acc[Mine * N];
  start_lines<Mine, N, half>(acc, from, c);
  BATCHWORK_KEEP_LOOP
  for (int k0 = 0; k0 < full; k0 += deep)
    lines_terms<Mine, N, deep, C::subtracts, half>(acc, a.template numbers<Mine, deep>(k0), b, k0);
  if constexpr (full < K)
    lines_terms<Mine, N, K - full, C::subtracts, half>(
        acc, a.template numbers<Mine, K - full>(full), b, full);
  keep_lines<half>(r, acc);
}

/// The largest number of multiply-adds of one lane for which a product is unrolled completely. With
/// more of them, a sequence of several products exceeds the instruction cache.
inline constexpr int written_out = 300;
/// The same for products of a lane's own lines of a whole symmetric tile: they need no exchange if
/// they are unrolled.
template <class S>
inline constexpr int written_out_with = S::whole ? 1100 : written_out;

/// r = c +- a b for a symmetric a, whose rows are held up to the diagonal, and a single column b.
/// An entry below the diagonal contributes to the sum of its own row, which its lane keeps, and to
/// the sum of its column, to which all lanes contribute. Both triangles in the exchange would cost
/// more.
template <class R, class A, class B, class C, class CLines>
BATCHWORK_INLINE void half_times_column(R& r, A const& a, B const& b, C const& from,
                                        CLines const& c, LaneGrid const& grid) {
  constexpr int N = A::rows, L = A::lanes, deep = B::deep;
  using T = typename R::T;
  T column[N], row[A::mine] = {}, own[A::mine], numbers[(N + deep - 1) / deep * deep];
  BATCHWORK_UNROLL
  for (int k0 = 0; k0 < N; k0 += deep) {
    T some[deep];
    if (k0 + deep <= N) b.template block<deep, 1>(some, k0, 0);
    else if constexpr (N % deep > 0) b.template block<N % deep, 1>(some, k0, 0);
    BATCHWORK_UNROLL
    for (int n = 0; n < deep; ++n) numbers[k0 + n] = some[n];
  }
  BATCHWORK_UNROLL
  for (int k = 0; k < N; ++k) column[k] = T(0);
  BATCHWORK_UNROLL
  for (int m = 0; m < A::mine; ++m) {
    // A lane without a line brings no terms.
    bool const there = (m + 1) * L <= N || m * L + grid.lane < N;
    own[m] = b.at(there ? m * L + grid.lane : N - 1, 0, 0);
    BATCHWORK_UNROLL
    for (int k = 0; k < N && k < (m + 1) * L; ++k) {
      T const x = a.local(m, k);
      if (there && (k < m * L || k <= m * L + grid.lane)) row[m] += x * numbers[k];
      if (there && (k < m * L || k < m * L + grid.lane)) column[k] += x * own[m];
    }
  }
  grid.template reduce_scatter<L>(column);
  T acc[A::mine];
  start_lines<A::mine, 1, 0>(acc, from, c);
  BATCHWORK_UNROLL
  for (int m = 0; m < A::mine; ++m) {
    T const sum = row[m] + column[m * L];
    r.set_local(m, 0, C::subtracts ? acc[m] - sum : acc[m] + sum);
  }
}

/// r = c +- a b, whichever way serves.
template <int K, bool ByRows, class R, class A, class B, class C, class CLines>
BATCHWORK_INLINE void own_lines_times(R& r, A const& a, B const& b, C const& from, CLines const& c,
                                      LaneGrid const& grid) {
  using S = typename R::value_type;
  if constexpr (holds_half<A> && R::length == 1) {
    half_times_column(r, a, read_by_all<S, true>(b, grid), from, c, grid);
  } else if constexpr (!is_distributed_tile<B> && is_distributed_tile<A> &&
                       structure_of<A> != Structure::diagonal &&
                       ((structure_of<A> == Structure::symmetric && !holds_whole<A> &&
                         !is_fragments<A>) ||
                        R::mine * R::length * K > written_out_with<S>)) {
    auto const put = [&] { return put_own_lines<S, ByRows>(a, grid); };
    auto const right = read_by_all<S, false>(b, grid);
    if constexpr (by_matrix_instructions<scalar_t<S>>(R::count, R::length, K)) {
      if (Vendor::warp_is_whole()) {
        times_by_matrix<K, false, decltype(put())>(r, put, right, from, c);
        return;
      }
    }
    looped_lines_times<K>(r, put(), right, from, c);
  } else {
    auto const own = lines_of<S, ByRows>(a, grid);
    lines_times<K>(r, own, read_by_all<S, true>(b, grid), from, c);
  }
}

/// No addend, as FromZero for tiles, by lines.
struct LinesFromZero {
  static constexpr bool is_zero = true, subtracts = false;
};
template <bool Subtract>
struct LinesFrom {
  static constexpr bool is_zero = false, subtracts = Subtract;
};

/// Whether lanes hold rows or columns of a product: the choice that needs no transposition.
template <class S, class A, class B>
struct ProductDeal {
  using type = S;
};
template <class S, class A, class B>
  requires is_distributed<S>
struct ProductDeal<S, A, B> {
  static constexpr Deal a = deal_of<A>, b = deal_of<B>;
  static constexpr bool columns =
      !std::remove_cvref_t<B>::is_vector &&
      ((a == Deal::common) || (a == Deal::cols && b != Deal::rows && b != Deal::common));
  using type = dealt_t<S, !columns>;
};
template <class S, class A, class B>
using product_deal_t = typename ProductDeal<S, A, B>::type;

template <class R, class A, class B>
BATCHWORK_INLINE void distributed_scale(R& r, A const& a, B const& b) {
  using S = typename R::value_type;
  constexpr bool left = structure_of<A> == Structure::diagonal;
  // The diagonal factor scales a lane's own lines, or the numbers along them.
  constexpr bool own = left == R::by_rows;
  auto const& d = [&]() -> auto const& {
    if constexpr (left) return a;
    else return b;
  }();
  auto const& x = [&]() -> auto const& {
    if constexpr (left) return b;
    else return a;
  }();
  if constexpr (R::structure == Structure::diagonal) {
    BATCHWORK_UNROLL
    for (int m = 0; m < R::mine; ++m)
      r.set_local(m, 0,
                  diagonal_number<S>(a, m, r.grid.lane) * diagonal_number<S>(b, m, r.grid.lane));
  } else {
    auto const lines = lines_of<S, R::by_rows>(x, r.grid);
    BATCHWORK_UNROLL
    for (int k = 0; k < R::length; ++k) {
      auto const dk = own ? scalar_t<S>(0) : value_of(d.entry(k, k));
      BATCHWORK_UNROLL
      for (int m = 0; m < R::mine; ++m)
        r.set_local(m, k, (own ? diagonal_number<S>(d, m, r.grid.lane) : dk) * lines.get(m, k));
    }
  }
}

template <class R, class A, class B>
BATCHWORK_INLINE void distributed_product(R& r, A const& a, B const& b) {
  LaneGrid const grid = grid_of(a, b);
  r.grid = grid;
  constexpr int K = cols_of<A>;
  if constexpr (structure_of<A> == Structure::diagonal || structure_of<B> == Structure::diagonal) {
    distributed_scale(r, a, b);
  } else if constexpr (R::by_rows) {
    own_lines_times<K, true>(r, a, b, LinesFromZero{}, NoLines{}, grid);
  } else {
    // By columns: the rows of b' times a'.
    auto const at = transpose(a);
    own_lines_times<K, false>(r, b, at, LinesFromZero{}, NoLines{}, grid);
  }
}

/// The symmetric c +- a b, up to the diagonal; if Whole, also beyond.
template <class S, bool Whole, class A, class B, class C, class CLines>
BATCHWORK_INLINE auto distributed_symmetric(A const& a, B const& b, C const& from, CLines const& c,
                                            LaneGrid const& grid) {
  using SR = dealt_t<S, true>;
  std::conditional_t<Whole, WholeSymmetric<SR, rows_of<A>>, Symmetric<SR, rows_of<A>>> r;
  r.grid = grid;
  own_lines_times<cols_of<A>, true>(r, a, b, from, c, grid);
  return r;
}

/// The symmetric c +- y' y up to the diagonal: y is written to the exchange once and used on both
/// sides.
template <class S, class Y, class C, class CLines>
BATCHWORK_INLINE auto distributed_gram(Y const& y, C const& from, CLines const& c,
                                       LaneGrid const& grid) {
  using SR = dealt_t<S, true>;
  using T = scalar_t<S>;
  constexpr int K = rows_of<Y>, N = cols_of<Y>;
  Symmetric<SR, N> r;
  r.grid = grid;
  if constexpr (is_transposed<Y> || is_fragments<Y> || structure_of<Y> != Structure::general ||
                r.mine * N * K <= written_out_with<SR>) {
    own_lines_times<K, true>(r, transpose(y), y, from, c, grid);
  } else {
    auto const* const base = stage_lines<SR, Y::mine, Y::length>(LinesByReference<Y>{y}, grid);
    auto const multiply = [&](auto const& left, auto const& right) {
      using Left = std::remove_cvref_t<decltype(left)>;
      if constexpr (by_matrix_instructions<T>(N, N, K)) {
        if (Vendor::warp_is_whole()) {
          times_by_matrix<K, true, Left>(r, [] {}, right, from, c);
          return;
        }
      }
      looped_lines_times<K>(r, left, right, from, c);
    };
    if constexpr (deal_of<Y> == Deal::cols)
      multiply(StraightInExchange<SR>(base, grid.lane),
               ColumnsInScratch<T, SR::exchange::leading>{base});
    else
      multiply(TurnedInExchange<SR>(base, grid.lane),
               RowsInScratch<T, SR::exchange::leading>{base});
  }
  return r;
}

}  // namespace Impl
}  // namespace Batchwork

#endif

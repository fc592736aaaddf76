// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Triangular solves by the lanes of an item: with several right-hand sides each lane has whole
/// ones and reads the triangle from the exchange; a single one is shared, entry by entry.
#ifndef BATCHWORK_DISTRIBUTEDSOLVE_HPP
#define BATCHWORK_DISTRIBUTEDSOLVE_HPP

#include "core/detail/backend/Batchwork_Scheduling.hpp"
#include "tile/detail/shared/Batchwork_DistributedProduct.hpp"

namespace Batchwork {
namespace Impl {

/// The solution is dealt by columns.
template <class S>
struct SolveDeal {
  using type = S;
};
template <class S>
  requires is_distributed<S>
struct SolveDeal<S> {
  using type = dealt_t<S, false>;
};
template <class S>
using solve_deal_t = typename SolveDeal<S>::type;

/// 1 / l(i, i) for a lane's own rows i of a lower triangle that is distributed.
template <class L>
BATCHWORK_INLINE auto own_inverse(L const& l, int m) {
  if constexpr (is_fragments<L>) {
    return own_inverse(Lower<typename L::value_type, L::rows>(l), m);
  } else if constexpr (requires { l.inverse[m]; }) {
    return l.inverse[m];
  } else {
    return typename L::T(1) / diagonal_of_lines<typename L::value_type, L::length>(
                                  LinesByReference<L>{l}, m, l.grid.lane);
  }
}

/// A lower triangle that all lanes read by rows: row(k) gives the entries left of the diagonal,
/// inverse(k) the reciprocal of entry (k, k).
template <class T, int Leading, bool HoldsInverse>
struct TriangleInScratch {
  T const* p;
  static constexpr int deep = 16 / int(sizeof(T));
  BATCHWORK_INLINE Unit<T> unit(int k, int j0) const {
    return *reinterpret_cast<Unit<T> const*>(p + k * Leading + j0);
  }
  BATCHWORK_INLINE T inverse(int k) const {
    return HoldsInverse ? p[k * Leading + k] : T(1) / p[k * Leading + k];
  }
};
template <class T, class X>
struct TriangleEntryByEntry {
  X const& x;
  static constexpr int deep = 16 / int(sizeof(T));
  BATCHWORK_INLINE Unit<T> unit(int k, int j0) const {
    Unit<T> u;
    BATCHWORK_UNROLL
    for (int n = 0; n < deep; ++n) u.v[n] = j0 + n < k ? x.entry(k, j0 + n) : T(0);
    return u;
  }
  BATCHWORK_INLINE T inverse(int k) const { return T(1) / x.entry(k, k); }
};

/// Writes rows of a triangle to the exchange, with the reciprocals of the diagonal, computed once.
template <class L>
struct RowsWithInverse {
  L const& l;
  typename L::T inverse[L::mine];
  BATCHWORK_INLINE explicit RowsWithInverse(L const& of) : l(of) {
    BATCHWORK_UNROLL
    for (int m = 0; m < L::mine; ++m) inverse[m] = own_inverse(l, m);
  }
  BATCHWORK_INLINE auto get(int m, int k) const {
    auto const own = l.local(m, k);
    return k == l.line(m) ? inverse[m] : own;
  }
};

template <class S, class L>
BATCHWORK_INLINE auto triangle_read_by_all(L const& l, LaneGrid const& grid) {
  using T = scalar_t<S>;
  if constexpr (is_fragments<L>) {
    Lower<dealt_t<S, true>, L::rows> const x(l);
    return triangle_read_by_all<S>(x, grid);
  } else if constexpr (is_distributed_tile<L>) {
    if constexpr (L::by_rows) {
      return TriangleInScratch<T, S::exchange::leading, true>{
          stage_lines<S, L::mine, L::length>(RowsWithInverse<L>(l), grid)};
    } else {
      using Turned = Lower<typename L::value_type::turned, L::rows>;
      Turned const x(l);
      return TriangleInScratch<T, S::exchange::leading, true>{
          stage_lines<S, Turned::mine, Turned::length>(RowsWithInverse<Turned>(x), grid)};
    }
  } else if constexpr (stands_in_units<L>) {
    return TriangleInScratch<T, L::leading, false>{l.a};
  } else {
    return TriangleEntryByEntry<T, L>{l};
  }
}

/// t x = b, own columns of x and b; `l` is t, or its transpose where t is an upper triangle.
template <bool Lower, class X, class L, class B>
BATCHWORK_INLINE void solve_own_columns(X& x, L const& l, B const& b) {
  using T = typename X::T;
  constexpr int N = X::length;
  BATCHWORK_UNROLL
  for (int m = 0; m < X::mine; ++m) {
    BATCHWORK_UNROLL
    for (int k = 0; k < N; ++k) x.set_local(m, k, b.get(m, k));
  }
  unroll_in_parts<N>([&](int n) {
    int const k = Lower ? n : N - 1 - n;
    Vendor::scheduling_barrier();
    T const inverse = l.inverse(k);
    if constexpr (!Lower) {
      BATCHWORK_UNROLL
      for (int m = 0; m < X::mine; ++m) x.set_local(m, k, x.local(m, k) * inverse);
    }
    BATCHWORK_UNROLL
    for (int j0 = 0; j0 < k; j0 += L::deep) {
      Unit<T> const u = l.unit(k, j0);
      BATCHWORK_UNROLL
      for (int i = 0; i < L::deep; ++i) {
        if (j0 + i >= k) continue;
        BATCHWORK_UNROLL
        for (int m = 0; m < X::mine; ++m) {
          // Forward, row k subtracts the solved rows; backward, row k is subtracted from the
          // unsolved rows.
          if constexpr (Lower) x.set_local(m, k, x.local(m, k) - u.v[i] * x.local(m, j0 + i));
          else x.set_local(m, j0 + i, x.local(m, j0 + i) - u.v[i] * x.local(m, k));
        }
      }
    }
    if constexpr (Lower) {
      BATCHWORK_UNROLL
      for (int m = 0; m < X::mine; ++m) x.set_local(m, k, x.local(m, k) * inverse);
    }
  });
}

/// t x = b for one right-hand side with distributed entries: the lane of x(k) broadcasts it, and
/// all lanes subtract it from their own entries.
template <class X, class T, class B>
BATCHWORK_INLINE void solve_one(X& x, T const& t, B const& b) {
  using S = typename X::S;
  using Number = typename X::T;
  constexpr int N = X::rows, L = S::lanes;
  constexpr bool lower = structure_of<T> == Structure::lower;
  auto const rows = lines_of<S, true>(t, x.grid);
  auto const right = lines_of<S, true>(b, x.grid);
  Number rest[X::mine], inverse[X::mine];
  BATCHWORK_UNROLL
  for (int m = 0; m < X::mine; ++m) {
    rest[m] = right.get(m, 0);
    x.set_local(m, 0, Number(0));
    if constexpr (!is_distributed_tile<T>)
      inverse[m] = Number(1) / diagonal_of_lines<S, N>(rows, m, x.grid.lane);
    else if constexpr (is_transposed<T>) inverse[m] = own_inverse(t.original, m);
    else inverse[m] = own_inverse(t, m);
  }
  x.grid.begin_turns();
  unroll_in_parts<N>([&](int n) {
    int const k = lower ? n : N - 1 - n;
    Number const xk =
        x.grid.template broadcast_in_turn<L>(Number(rest[k / L] * inverse[k / L]), k % L, n);
    if (x.grid.lane == k % L) x.set_local(k / L, 0, xk);
    BATCHWORK_UNROLL
    for (int m = 0; m < X::mine; ++m) {
      if (lower ? (m + 1) * L - 1 > k : m * L < k) rest[m] -= rows.get(m, k) * xk;
    }
  });
}

template <class X, class T, class B>
BATCHWORK_INLINE void distributed_solve(X& x, T const& t, B const& b) {
  LaneGrid const grid = grid_of(t, b);
  x.grid = grid;
  if constexpr (X::is_vector) {
    solve_one(x, t, b);
  } else {
    using S = typename X::value_type;
    auto const right = lines_of<S, false>(b, grid);
    if constexpr (structure_of<T> == Structure::lower)
      solve_own_columns<true>(x, triangle_read_by_all<S>(t, grid), right);
    else solve_own_columns<false>(x, triangle_read_by_all<S>(t.original, grid), right);
  }
}

template <class X, class D, class B>
BATCHWORK_INLINE void distributed_solve_diagonal(X& x, D const& d, B const& b) {
  using S = typename X::value_type;
  LaneGrid const grid = grid_of(d, b);
  x.grid = grid;
  auto const right = lines_of<S, X::by_rows>(b, grid);
  BATCHWORK_UNROLL
  for (int k = 0; k < X::length; ++k) {
    auto const dk = X::by_rows ? scalar_t<S>(1) : value_of(d.entry(k, k));
    BATCHWORK_UNROLL
    for (int m = 0; m < X::mine; ++m)
      x.set_local(m, k, right.get(m, k) / (X::by_rows ? diagonal_number<S>(d, m, grid.lane) : dk));
  }
}

}  // namespace Impl
}  // namespace Batchwork

#endif

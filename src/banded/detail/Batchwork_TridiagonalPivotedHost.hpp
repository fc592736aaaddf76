// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of solve_tridiagonal with partial pivoting on hosts: LAPACK's gtsv, by a thread for
/// packs of items, in which every item exchanges rows of its own.
#ifndef BATCHWORK_TRIDIAGONALPIVOTEDHOST_HPP
#define BATCHWORK_TRIDIAGONALPIVOTEDHOST_HPP

#include <cstdint>
#include <limits>

#include "banded/detail/Batchwork_TridiagonalHost.hpp"

namespace Batchwork::Impl {

/// The elimination with exchanges of neighbouring rows: Anderson et al., LAPACK Users' Guide, gtsv.
/// At first the first row; then what is left of two rows each time.
template <class S>
struct PivotedElimination {
  S diagonal, upper, b;  ///< the row at hand: diagonal x + upper x(next) = b
  S c{}, e{}, d{};       ///< what was eliminated last: x = d - c x(next) - e x(the one after that)

  /// The next row. invert(pivot) gives 1 / pivot.
  template <class Invert>
  BATCHWORK_INLINE void add(S const& lower, S const& row_diagonal, S const& row_upper,
                            S const& row_b, Invert const& invert) {
    S const zero(scalar_t<S>(0));
    auto const exchange = Impl::abs(lower) > Impl::abs(diagonal);
    S const r = invert(select(exchange, lower, diagonal));
    c = select(exchange, row_diagonal, upper) * r;
    e = select(exchange, row_upper, zero) * r;
    d = select(exchange, row_b, b) * r;
    S const other = select(exchange, diagonal, lower);
    diagonal = select(exchange, upper, row_diagonal) - other * c;
    upper = select(exchange, zero, row_upper) - other * e;
    b = select(exchange, b, row_b) - other * d;
  }
};

/// Rows: how many there is room for on the stack.
template <class T, int Rows>
struct TridiagonalPivotedHost : TridiagonalHost<T, Rows, 1> {
  using Base = TridiagonalHost<T, Rows, 1>;
  using Base::Base, Base::p, Base::per_chunk, Base::by_packs, Base::gathers, Base::W;
  using typename Base::S;

  static BATCHWORK_INLINE void invert(T pivot, int row, TridiagonalFailure* failure, T& r) {
    r = pivot_reciprocal(pivot, 0, row, *failure);
  }
  static BATCHWORK_INLINE void invert(S const& pivots, int row, TridiagonalFailure* failures,
                                      S& r) {
    r = Base::reciprocals(pivots, S(std::numeric_limits<T>::infinity()), row, failures);
  }
  /// Row i of an item, or of a pack of them.
  template <class H, bool Gathered, class U>
  static BATCHWORK_INLINE H read(U const* at, std::int64_t apart) {
    if constexpr (std::is_same_v<H, T>) return *at;
    else return Base::template read<Gathered>(at, apart);
  }
  template <class H, bool Gathered>
  static BATCHWORK_INLINE void write(T* at, std::int64_t apart, H const& x) {
    if constexpr (std::is_same_v<H, T>) *at = x;
    else Base::template write<Gathered>(at, apart, x);
  }

  /// H: T for an item, S for a pack of them. Until they are solved x holds what the elimination has
  /// left of b, or the stack where that is nearer; the two bands above the diagonal are on the
  /// stack.
  template <class H, bool Gathered>
  void solve(std::int64_t item) const {
    constexpr int Items = std::is_same_v<H, T> ? 1 : W;
    H first[Rows], second[Rows], left[Gathered ? Rows : 1];
    TridiagonalFailure failures[Items];
    bool infinite[Items] = {};
    T const *const lower = item_of(p.lower, item), *const diagonal = item_of(p.diagonal, item),
                   *const upper = item_of(p.upper, item), *const b = item_of(p.b, item);
    T* const x = item_of(p.x, item);
    H const zero(T(0));
    auto const upper_of = [&](int i) {
      return i + 1 < p.n ? read<H, Gathered>(upper + i * p.upper.row, p.upper.group) : zero;
    };
    PivotedElimination<H> so_far{read<H, Gathered>(diagonal, p.diagonal.group), upper_of(0),
                                 read<H, Gathered>(b, p.b.group)};
    int i = 1;
    auto const inverted = [&](H const& pivot) {
      H r;
      invert(pivot, i - 1, failures, r);
      return r;
    };
    for (; i < p.n; ++i) {
      so_far.add(read<H, Gathered>(lower + i * p.lower.row, p.lower.group),
                 read<H, Gathered>(diagonal + i * p.diagonal.row, p.diagonal.group), upper_of(i),
                 read<H, Gathered>(b + i * p.b.row, p.b.group), inverted);
      first[i - 1] = so_far.c;
      second[i - 1] = so_far.e;
      if constexpr (Gathered) left[i - 1] = so_far.d;
      else write<H, false>(x + (i - 1) * p.x.row, p.x.group, so_far.d);
    }
    H now = so_far.b * inverted(so_far.diagonal), after = zero;
    for (int k = p.n - 1; k >= 0; --k) {
      T* const to = x + k * p.x.row;
      if (k + 1 < p.n) {
        H d;
        if constexpr (Gathered) d = left[k];
        else d = read<H, false>(to, p.x.group);
        d = d - first[k] * now - second[k] * after;
        after = now;
        now = d;
      }
      write<H, Gathered>(to, p.x.group, now);
      auto const bad = !is_finite(now);
      if (any(bad)) {
        if constexpr (Items == 1) infinite[0] = true;
        else
          for (int l = 0; l < Items; ++l) infinite[l] |= bad.lane(l);
      }
    }
    if (!p.status.wanted()) return;
    for (int l = 0; l < Items; ++l) {
      if (infinite[l]) failures[l].add(TridiagonalFailure::of_result);
      p.status.put(item + l, failures[l].code());
    }
  }
  void operator()(std::int64_t chunk) const {
    std::int64_t item = chunk * per_chunk;
    std::int64_t const end = item + per_chunk < p.items ? item + per_chunk : p.items;
    for (; (by_packs || gathers) && item + W <= end; item += W) {
      if (by_packs) solve<S, false>(item);
      else solve<S, true>(item);
    }
    for (; item < end; ++item) solve<T, false>(item);
  }
};

}  // namespace Batchwork::Impl

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Factors for the rows and columns of one matrix, powers of two, found by the lanes of the item.
#ifndef BATCHWORK_EQUILIBRATEITEM_HPP
#define BATCHWORK_EQUILIBRATEITEM_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "krylov/Batchwork_SystemKernels.hpp"

namespace Batchwork {

/// Which factors bring the largest magnitudes near to one: those of rows, of columns, or of both.
enum class Scaling { rows, columns, both };

namespace Impl {

/// Exponents of T, which are whole numbers held as T: so packs have them too.
template <class T>
struct Exponents {
  using I = integer_of_t<T>;
  static constexpr int digits = std::numeric_limits<T>::digits - 1;  ///< stored ones
  static constexpr int bias = std::numeric_limits<T>::max_exponent - 1;
  /// Of a factor: its inverse is a normal number as well.
  static constexpr T most = T(bias - 1);

  static constexpr T infinite() { return std::numeric_limits<T>::infinity(); }

  /// e where |x| is from 3/4 to 3/2 of 2^e; minus infinity for zero and what is not finite.
  template <class S>
  static BATCHWORK_INLINE S of(S const& x) {
    S const size = abs(x);
    auto const counts = size > S(T(0)) && size < S(infinite());
    auto const subnormal = size < S(std::numeric_limits<T>::min());
    constexpr T lift = T(std::int64_t(1) << (digits + 1));
    S const normal = select(counts, select(subnormal, size * S(lift), size), S(T(1)));
    // Half of the last exponent added to the bits goes over into the exponent from 3/2 on.
    S const e = to_number<T>(shift_right(bits(normal) + (I(1) << (digits - 1)), digits)) -
                select(subnormal, S(T(bias + digits + 1)), S(T(bias)));
    return select(counts, e, S(-infinite()));
  }
  /// 2^e for |e| up to most.
  static BATCHWORK_INLINE T power(T e) {
    return from_bits<T>(static_cast<I>(static_cast<I>(e) + bias) << digits);
  }
  template <int W>
  static BATCHWORK_INLINE Pack<T, W> power(Pack<T, W> const& e) {
    Pack<T, W> r;
    for (int l = 0; l < W; ++l) r.set_lane(l, power(e.lane(l)));
    return r;
  }
  /// The nearest whole number, below half of what T counts: added to this one nothing behind the point is left.
  template <class S>
  static BATCHWORK_INLINE S nearest(S const& x) {
    constexpr T big = T(3) * T(std::int64_t(1) << (digits - 1));
    return (x + S(big)) - S(big);
  }
  /// e - trunc(t / 2), kept within `most`. Towards zero, so that what is near to one stays where it is.
  template <class S>
  static BATCHWORK_INLINE S less_half(S const& e, S const& t) {
    S const half = nearest(abs(t) * S(T(0.5)) - S(T(0.25)));
    return within_most(e - select(t < S(T(0)), -half, half));
  }
  template <class S>
  static BATCHWORK_INLINE S within_most(S const& e) {
    S const low = select(e < S(-most), S(-most), e);
    return select(low > S(most), S(most), low);
  }
};

/// What `right` holds of a column meanwhile, in one number that T represents exactly: its exponent q, and the largest
/// exponent c among its entries times their rows' factors, as c K + q. For one column q is the same in all that is written to
/// it between two waits, so that lanes find the largest c by an atomic maximum.
template <class T>
struct ColumnState {
  static constexpr T K = std::is_same_v<T, float> ? T(1024) : T(8192);
  /// Less than every c: the column is empty.
  static constexpr T empty = -K / 2;

  template <class S>
  static BATCHWORK_INLINE S largest(S const& state) {
    return Exponents<T>::nearest(state * S(1 / K));
  }
  template <class S>
  static BATCHWORK_INLINE S exponent(S const& state) {
    return state - largest(state) * S(K);
  }
  template <class S>
  static BATCHWORK_INLINE S of(S const& c, S const& q) {
    return c * S(K) + q;
  }
};

/// The lanes of an item may read and raise the same column at one time.
template <class S, class Lanes, class T>
BATCHWORK_INLINE S read_shared([[maybe_unused]] Lanes const& lanes, T const* from) {
  if constexpr (std::is_base_of_v<LoneLane, Lanes>) return get<S>(from);
  else return lanes.count == 1 ? *from : Kokkos::atomic_load(from);
}
template <class S, class Lanes, class T>
BATCHWORK_INLINE void raise_shared([[maybe_unused]] Lanes const& lanes, T* to, S const& was,
                                   S const& x) {
  if constexpr (!std::is_base_of_v<LoneLane, Lanes>) {
    if (lanes.count > 1) {
      // Of what was read there may be more by now, but never less.
      if (x > was) Kokkos::atomic_max(to, x);
      return;
    }
  }
  put(to, select(x > was, x, was));
}

/// Finds powers of two l_i and r_j so that in diag(l) A diag(r) the largest magnitude of every row and column is near one; with
/// Scaling::rows or columns of those alone, and the other factors are one. See equilibrate.
/// \param entries  entries(i, f) runs f(column, number) for the entries of row i, numbers being S
/// \param l,r      memory for the factors, of which those of row i begin at l + i * l_step; all lanes of the item reach it
template <class S, class Lanes, class Entries, class T>
BATCHWORK_INLINE void equilibrate_item(Lanes& lanes, int rows, Scaling which,
                                       Entries const& entries, T* l, std::int64_t l_step, T* r,
                                       std::int64_t r_step) {
  using E = Exponents<T>;
  using Column = ColumnState<T>;
  // The exponents of a row whose largest number is not its column's halve in every sweep, and there are 2^11 of them.
  constexpr int most_sweeps = 12;
  bool const both = which == Scaling::both;
  // Of a row its exponent, which only its own lane reads; of a column see ColumnState.
  lanes.for_each(rows, [&](int i) {
    put(l + i * l_step, S(T(0)));
    put(r + i * r_step, Column::of(S(Column::empty), S(T(0))));
  });
  lanes.sync();
  for (int sweep = 0; sweep < (both ? most_sweeps : 1); ++sweep) {
    mask_t<S> changed(false);
    lanes.for_each(rows, [&](int i) {
      S const p = get<S>(l + i * l_step);
      S largest(-E::infinite());
      entries(i, [&](int column, S const& number) {
        T* const at = r + column * r_step;
        S const state = read_shared<S>(lanes, at), q = Column::exponent(state);
        S const e = E::of(number);
        largest = select(e + q > largest, e + q, largest);
        raise_shared(lanes, at, state, Column::of(e + p, q));
      });
      S const there = both ? E::less_half(p, largest + p) : E::within_most(-largest);
      S const next =
          select(mask_t<S>(which != Scaling::columns) & (largest > S(-E::infinite())), there, p);
      changed = changed || next != p;
      put(l + i * l_step, next);
    });
    lanes.sync();
    lanes.for_each(rows, [&](int j) {
      T* const at = r + j * r_step;
      S const state = get<S>(at), c = Column::largest(state), q = Column::exponent(state);
      S const there = both ? E::less_half(q, c + q) : E::within_most(-c);
      S const next = select(mask_t<S>(which != Scaling::rows) & (c > S(Column::empty)), there, q);
      changed = changed || next != q;
      put(at, Column::of(S(Column::empty), next));
    });
    lanes.sync();
    if (!both || !lanes.any(changed)) break;
  }
  lanes.for_each(rows, [&](int i) {
    T* const at = r + i * r_step;
    put(l + i * l_step, E::power(get<S>(l + i * l_step)));
    put(at, E::power(Column::exponent(get<S>(at))));
  });
}

}  // namespace Impl
}  // namespace Batchwork

#endif

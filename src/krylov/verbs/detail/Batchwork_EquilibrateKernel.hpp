// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of equilibrate.
#ifndef BATCHWORK_EQUILIBRATEKERNEL_HPP
#define BATCHWORK_EQUILIBRATEKERNEL_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include "krylov/verbs/detail/Batchwork_Exponents.hpp"
#include "krylov/verbs/detail/Batchwork_SystemKernels.hpp"

namespace Batchwork::Impl {

/// The intermediate content of `right` for a column, in one number that T represents exactly: the
/// exponent q of its factor, and the largest exponent c among its entries times their rows'
/// factors, as c K + q. Between two waits all lanes write the same q for a column, so they find the
/// largest c by an atomic maximum.
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

template <class T, class Systems>
struct EquilibrateSystems {
  using value_type = T;
  static constexpr int combined = 1;
  /// If the largest number of a row is not the largest of its column, the exponents halve in every
  /// sweep, and there are 2^11 of them.
  static constexpr int most_sweeps = 12;

  Systems a;
  Storage<T> left, right;
  std::int64_t nonzeros;

  int lanes() const { return multiply_lanes(a, nonzeros); }
  bool in_packs(int width) const {
    return stands_in_packs(a.values, width) && stands_in_packs(left, width) &&
           stands_in_packs(right, width);
  }

  template <class S, class Lanes>
  BATCHWORK_INLINE void run(Lanes& lanes, std::int64_t item, bool there) const {
    using E = Exponents<T>;
    using Column = ColumnState<T>;
    int const rows = there ? a.rows : 0;
    T const* const v = item_of(a.values, item);
    // Of a row its exponent, which only its own lane reads; of a column see ColumnState.
    T *const l = item_of(left, item), *const r = item_of(right, item);
    lanes.for_each(rows, [&](int i) {
      put(l + i * left.row, S(T(0)));
      put(r + i * right.row, Column::of(S(Column::empty), S(T(0))));
    });
    lanes.sync();
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
      mask_t<S> changed(false);
      lanes.for_each(rows, [&](int i) {
        S const p = get<S>(l + i * left.row);
        S largest(-E::infinite());
        a.for_each_place(i, [&](int column, std::int64_t place) {
          T* const at = r + column * right.row;
          S const state = read_shared<S>(lanes, at), q = Column::exponent(state);
          S const e = E::of(get<S>(v + place));
          largest = select(e + q > largest, e + q, largest);
          raise_shared(lanes, at, state, Column::of(e + p, q));
        });
        S const next = select(largest > S(-E::infinite()), E::less_half(p, largest + p), p);
        changed = changed || next != p;
        put(l + i * left.row, next);
      });
      lanes.sync();
      lanes.for_each(rows, [&](int j) {
        T* const at = r + j * right.row;
        S const state = get<S>(at), c = Column::largest(state), q = Column::exponent(state);
        S const next = select(c > S(Column::empty), E::less_half(q, c + q), q);
        changed = changed || next != q;
        put(at, Column::of(S(Column::empty), next));
      });
      lanes.sync();
      if (!lanes.any(changed)) break;
    }
    lanes.for_each(rows, [&](int i) {
      T* const at = r + i * right.row;
      put(l + i * left.row, E::power(get<S>(l + i * left.row)));
      put(at, E::power(Column::exponent(get<S>(at))));
    });
  }
};

}  // namespace Batchwork::Impl

#endif

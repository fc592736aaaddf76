// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// equilibrate: powers of two that bring the rows and columns of a matrix near to one.
#ifndef BATCHWORK_EQUILIBRATE_HPP
#define BATCHWORK_EQUILIBRATE_HPP

#include <cstdint>
#include <type_traits>

#include "krylov/verbs/detail/Batchwork_Exponents.hpp"
#include "krylov/verbs/detail/Batchwork_SystemVerb.hpp"

namespace Batchwork {
namespace Impl {

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

template <class Exec, class A, class L, class R>
void equilibrate_batch(Exec const& exec, std::string const& label, A const& a, L const& left_arg,
                       R const& right_arg) {
  using T = typename NumbersStored<Exec, A>::type;
  auto const left = operand_of<Exec, T, 1>(left_arg);
  auto const right = operand_of<Exec, T, 1>(right_arg);
  require_written<std::remove_const_t<decltype(left)>>();
  require_written<std::remove_const_t<decltype(right)>>();

  SystemCall call("equilibrate", label);
  call.add_matrices(1, a);
  call.add_vector(2, "left", left, a, true);
  call.add_vector(3, "right", right, a, true);
  std::int64_t const items = call.check();
  if (a.rows() == 0) return;
  auto const systems = a.systems();
  launch_systems(exec, call,
                 EquilibrateSystems<T, std::remove_const_t<decltype(systems)>>{
                     systems, left.storage, right.storage, a.nonzeros()},
                 items, a.rows(), a.nonzeros());
}

/// equilibrate of its arguments.
struct EquilibrateOfArguments {
  template <class Exec, SystemMatrices A, Viewish L, Viewish R>
  void operator()(Exec const& exec, Launch<> const& how, A const& a, L const& left,
                  R const& right) const {
    equilibrate_batch(exec, label_alone(how), a, left, right);
  }
  template <class... X>
  void operator()(X const&...) const {
    static_assert(any_order<X...>,
                  "Batchwork::equilibrate: the arguments are [exec,] [launch(\"label\"),] A, left, "
                  "right in this order");
  }
};

}  // namespace Impl

/// Finds powers of two l_i and r_j for every item such that in diag(l) A diag(r) the largest
/// magnitude of every row and column is from 3/8 to 3. A is not changed.
///
/// ```text
/// equilibrate([exec,] [launch("label"),] A, left, right)
/// ```
///
/// ```cpp
/// equilibrate(exec, A, left, right);
/// scale(exec, left, A, right);  // then solve with diag(l) b, and multiply the result by diag(r)
/// ```
///
/// \param A      csr, ell, dia or dense
/// \param left   View l(item, row) in any layout or strided, or compact(l, n), written; the type of
///               A's numbers
/// \param right  View r(item, row) as left, written
/// \throws std::invalid_argument  before the launch: extents that differ, Views that are not
///               allocated or overlap
///
/// A symmetric matrix gets equal l and r. Zeros, infinities and NaN are not counted; a row or
/// column with nothing else gets the factor 1. Factors are finite and positive and have normal
/// inverses. If that, or 12 sweeps, is not enough, the result is farther from 1.
///
/// One kernel on `exec`, labelled Batchwork::equilibrate or Batchwork::equilibrate(label);
/// asynchronous, allocates nothing, never fences. Zero items or rows are no launch. It sweeps over
/// A until nothing changes: five or six times for numbers that span ten powers of ten, once more
/// for twenty. Every machine gives the same factors. (D. Ruiz, A scaling algorithm to equilibrate
/// both rows and columns norms in matrices, RAL-TR-2001-034, 2001: with largest magnitudes, all
/// roots rounded to powers of two.)
template <class... X>
void equilibrate(X const&... arguments) {
  Impl::call_verb(Impl::EquilibrateOfArguments(), arguments...);
}

}  // namespace Batchwork

#endif

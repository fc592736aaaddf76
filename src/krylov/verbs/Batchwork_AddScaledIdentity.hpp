// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// add_scaled_identity: beta A + alpha I, written to the numbers of A.
#ifndef BATCHWORK_ADDSCALEDIDENTITY_HPP
#define BATCHWORK_ADDSCALEDIDENTITY_HPP

#include <concepts>
#include <cstdint>

#include "krylov/verbs/detail/Batchwork_SystemVerb.hpp"

namespace Batchwork {
namespace Impl {

/// The place of the number on the diagonal, or -1 where the pattern has none.
template <class Systems>
BATCHWORK_INLINE std::int64_t diagonal_place(Systems const& a, int row) {
  if constexpr (requires { a.layout.diagonal_place(a.values, row); }) {
    return a.layout.diagonal_place(a.values, row);
  } else {
    std::int64_t found = -1;
    a.for_each_place(row, [&](int column, std::int64_t place) {
      if (column == row) found = place;
    });
    return found;
  }
}

template <class T, class Systems>
struct AddScaledIdentity {
  using value_type = T;
  static constexpr int combined = 0;

  Systems a;
  Storage<T> numbers;
  ItemNumber<T> alpha;
  T beta;
  std::int64_t nonzeros;

  int lanes() const { return multiply_lanes(a, nonzeros); }
  bool in_packs(int width) const {
    return stands_in_packs(numbers, width) && alpha.in_packs(width);
  }

  template <class S, class Lanes>
  BATCHWORK_INLINE void run(Lanes const& lanes, std::int64_t item, bool there) const {
    if (!there) return;
    T* const v = item_of(numbers, item);
    S const add = alpha.template at<S>(item);
    lanes.for_each(a.rows, [&](int i) {
      if (beta == T(1)) {
        // Nothing but the diagonal changes.
        std::int64_t const place = diagonal_place(a, i);
        if (place >= 0) put(v + place, get<S>(v + place) + add);
      } else {
        // To the first of several entries.
        S rest = add;
        a.for_each_place(i, [&](int column, std::int64_t place) {
          // With a beta of zero nothing is read: it may be anything.
          S x = beta == T(0) ? S(T(0)) : S(beta) * get<S>(v + place);
          if (column == i) x = x + rest, rest = S(T(0));
          put(v + place, x);
        });
      }
    });
  }
};

template <class Exec, class Alpha, class A>
void add_scaled_identity_batch(Exec const& exec, std::string const& label, Alpha const& alpha,
                               A const& a, double beta) {
  using T = typename NumbersStored<Exec, A>::type;
  SystemCall call("add_scaled_identity", label);
  call.add_matrices(2, a, true);
  ItemNumber<T> added;
  if constexpr (Viewish<Alpha>) {
    auto const s = operand_of<Exec, T, 0>(alpha);
    added = {s.storage.as_const(), false};
    call.add(1, "alpha", s.description);
  } else {
    added.value = T(alpha);
  }
  std::int64_t const items = call.check();
  if (a.rows() == 0) return;
  auto const systems = a.systems();
  launch_systems(exec, call,
                 AddScaledIdentity<T, std::remove_const_t<decltype(systems)>>{
                     systems, numbers_of(a), added, T(beta), a.nonzeros()},
                 items, a.rows(), a.nonzeros());
}

/// The types of alpha.
template <class X>
concept NumberOrView = std::convertible_to<X, double> || Viewish<X>;

/// add_scaled_identity of its arguments.
struct AddScaledIdentityOfArguments {
  template <class Exec, NumberOrView Alpha, SystemMatrices A,
            std::convertible_to<double> Beta = double>
  void operator()(Exec const& exec, Launch<> const& how, Alpha const& alpha, A const& a,
                  Beta const& beta = 1) const {
    add_scaled_identity_batch(exec, label_alone(how), alpha, a, double(beta));
  }
  template <class... X>
  void operator()(X const&...) const {
    static_assert(any_order<X...>,
                  "Batchwork::add_scaled_identity: the arguments are [exec,] [launch(\"label\"),] "
                  "alpha, A [, beta] in this order");
  }
};

}  // namespace Impl

/// Adds a multiple of the identity: A_n = beta A_n + alpha_n I for every item n.
///
/// ```text
/// add_scaled_identity([exec,] [launch("label"),] alpha, A [, beta])
/// ```
///
/// ```cpp
/// add_scaled_identity(exec, inverse_h, J, -1);  // I / h - J, with an h for each item
/// ```
///
/// \param alpha  a number, or a View alpha(item) of the type of A's numbers, in any layout or
///               compact(v, n)
/// \param A      csr, ell, dia or dense of Views that are not const; its numbers are overwritten
/// \param beta   a number; default 1, with which only the diagonal is read and written. With 0
///               nothing is read
/// \throws std::invalid_argument  before the launch: extents that differ, Views that are not
///               allocated or overlap
///
/// A row without a diagonal entry in its pattern has no place for alpha: it becomes beta times
/// itself, in every format. check(A) reports such rows. Of several entries on the diagonal one
/// takes alpha. One rounding for the multiplication and one for the addition. A NaN stays in its
/// entry, a NaN of alpha in its item's diagonal. One kernel on `exec`, labelled
/// Batchwork::add_scaled_identity or Batchwork::add_scaled_identity(label); asynchronous, allocates
/// nothing, never fences. Zero items or rows are no launch.
template <class... X>
void add_scaled_identity(X const&... arguments) {
  Impl::call_verb(Impl::AddScaledIdentityOfArguments(), arguments...);
}

}  // namespace Batchwork

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// add_scaled_identity: beta A + alpha I, written to the numbers of A.
#ifndef BATCHWORK_ADDSCALEDIDENTITY_HPP
#define BATCHWORK_ADDSCALEDIDENTITY_HPP

#include <concepts>
#include <cstdint>

#include "krylov/verbs/detail/Batchwork_SystemVerb.hpp"
#include "krylov/verbs/detail/Batchwork_SystemVerbLaunch.hpp"

namespace Batchwork {
namespace Impl {

/// The types of alpha.
template <class X>
concept NumberOrView = std::convertible_to<X, double> || Viewish<X>;

struct AddScaledIdentityCall {
  template <class Exec, NumberOrView Alpha, SystemMatrices A,
            std::convertible_to<double> Beta = double>
  void operator()(Exec const& exec, Launch<> const& how, Alpha const& alpha, A const& a,
                  Beta const& beta = 1) const {
    using T = typename NumbersStored<Exec, A>::type;
    SystemCall call("add_scaled_identity", label_alone(how));
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
    SystemVerbLaunch<T, Exec>::add_scaled_identity(exec, call, systems_of_call<T>(a, items),
                                                   numbers_of(a), added, T(beta));
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
  static_assert(Impl::Takes<Impl::AddScaledIdentityCall, X...>,
                "Batchwork::add_scaled_identity: the arguments are [exec,] [launch(\"label\"),] "
                "alpha, A [, beta] in this order");
  Impl::call_verb(Impl::AddScaledIdentityCall(), arguments...);
}

}  // namespace Batchwork

#endif

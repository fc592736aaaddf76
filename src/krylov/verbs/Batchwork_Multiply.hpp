// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// multiply: the products of a batch of matrices, in any format, with a batch of vectors.
#ifndef BATCHWORK_MULTIPLY_HPP
#define BATCHWORK_MULTIPLY_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <type_traits>

#include "core/detail/Batchwork_KernelSets.hpp"
#include "krylov/base/detail/Batchwork_SystemCall.hpp"
#include "krylov/formats/Batchwork_Formats.hpp"
#include "krylov/formats/detail/Batchwork_AnySystems.hpp"
#include "krylov/formats/detail/Batchwork_MultiplyTeams.hpp"
#include "krylov/verbs/detail/Batchwork_MultiplyLaunch.hpp"
#include "krylov/verbs/detail/Batchwork_MultiplyRun.hpp"
#include "launch/detail/Batchwork_Check.hpp"
#include "launch/detail/Batchwork_VerbCall.hpp"

namespace Batchwork {
namespace Impl {

/// True, or the compiler says first what is wrong.
template <class Exec, class A, class Y, class X>
constexpr bool require_multiply() {
  static_assert(SystemMatrices<A>,
                "Batchwork::multiply: the matrices are csr(...), ell(...), dense(...), "
                "scaled_identity(...) or matrix_free(...)");
  using T = typename Y::value_type;
  static_assert(Y::tile_rank == 1 && X::tile_rank == 1,
                "Batchwork::multiply: y and x hold vectors, (item, row)");
  static_assert(!std::is_const_v<T>, "Batchwork: a const View cannot be written");
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "Batchwork::multiply takes float or double");
  static_assert(
      std::is_same_v<T, std::remove_const_t<typename X::value_type>> &&
          (std::is_void_v<typename A::value_type> || std::is_same_v<T, typename A::value_type>),
      "Batchwork: the matrices and vectors of a call hold the same type of numbers");
  return require_reachable<(reaches<Exec, typename Y::memory_space> &&
                            reaches<Exec, typename X::memory_space> &&
                            A::template reachable<Exec>)>();
}

/// Operands have different positions in the two calls, which messages name.
template <class Exec, class A, class X, class Y>
void multiply_batch(Exec const& exec, std::string const& label, double alpha, A const& a,
                    X const& x_arg, double beta, Y const& y_arg, int at_a, int at_x, int at_y) {
  auto const x = stored(x_arg);
  auto const y = stored(y_arg);
  static_assert(require_multiply<Exec, A, std::remove_const_t<decltype(y)>,
                                 std::remove_const_t<decltype(x)>>());
  using T = typename decltype(y)::value_type;

  SystemCall call("multiply", label);
  call.check_matrices(at_a, a);
  call.add_vector(at_x, "x", x, a);
  call.add_vector(at_y, "y", y, a, true);
  call.add_matrices(at_a, a);
  std::int64_t const items = call.check();
  if (items == 0 || a.rows() == 0) return;

  auto const problem_of = [&]<class Systems>(Systems const& systems) {
    return MultiplyProblem<T, Systems>{systems, x.storage.as_const(), y.storage, T(alpha), T(beta),
                                       items};
  };
  if constexpr (std::is_void_v<typename A::value_type>) {
    launch_multiply(exec, call, problem_of(a.systems()), a.nonzeros());
  } else {
    require_kernels<KernelSet::solvers, Exec>();
    MultiplyLaunch<T, Exec>::run(exec, call, problem_of(AnySystems<T>(a.systems())), a.nonzeros());
  }
}

struct MultiplyCall {
  template <class Exec, SystemMatrices A, Viewish X, Viewish Y>
  void operator()(Exec const& exec, Launch<> const& how, A const& a, X const& x, Y const& y) const {
    multiply_batch(exec, label_alone(how), 1, a, x, 0, y, 1, 2, 3);
  }
  template <class Exec, SystemMatrices A, Viewish X, Viewish Y>
  void operator()(Exec const& exec, Launch<> const& how, std::convertible_to<double> auto alpha,
                  A const& a, X const& x, std::convertible_to<double> auto beta, Y const& y) const {
    multiply_batch(exec, label_alone(how), double(alpha), a, x, double(beta), y, 2, 3, 5);
  }
};

}  // namespace Impl

/// Multiplies the matrices of a batch by vectors.
///
/// ```text
/// multiply([exec,] [launch("label"),] A, x, y)               y_n = A_n x_n for every item n
/// multiply([exec,] [launch("label"),] alpha, A, x, beta, y)  y_n = alpha A_n x_n + beta y_n
/// ```
///
/// ```cpp
/// multiply(exec, A, x, y);         // y = A x
/// multiply(exec, -1, A, x, 1, r);  // r = r - A x
/// ```
///
/// \param alpha  a number; default 1
/// \param A      csr, ell, dia, dense, scaled_identity, matrix_free or AnyMatrices
/// \param x      View x(item, row) in any layout or strided, or compact(x, n); float or double
/// \param beta   a number; default 0, with which y is not read
/// \param y      View as x, written; not x
/// \throws std::invalid_argument  before the launch: extents that differ, Views that are not
///               allocated or overlap. Patterns are not read: see check
///
/// One kernel on `exec`, labelled Batchwork::multiply or Batchwork::multiply(label); asynchronous,
/// allocates nothing, never fences. Zero items or rows are no launch. On devices lanes share an
/// item, each with some of its rows, or have one each where items are side by side; on hosts a
/// thread has one, or a pack of them. Sums are in the type of the numbers. A NaN stays within its
/// item.
template <class... X>
void multiply(X const&... arguments) {
  static_assert(Impl::Takes<Impl::MultiplyCall, X...>,
                "Batchwork::multiply: the arguments are [exec,] [launch(\"label\"),] A, x, y or "
                "alpha, A, x, beta, y in this order");
  Impl::call_verb(Impl::MultiplyCall(), arguments...);
}

}  // namespace Batchwork

#endif

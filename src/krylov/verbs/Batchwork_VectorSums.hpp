// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// dot and norm: one number for every item, from the vectors of a batch.
#ifndef BATCHWORK_VECTORSUMS_HPP
#define BATCHWORK_VECTORSUMS_HPP

#include <cstdint>
#include <type_traits>

#include "krylov/verbs/detail/Batchwork_SystemVerb.hpp"
#include "krylov/verbs/detail/Batchwork_SystemVerbLaunch.hpp"

namespace Batchwork {
namespace Impl {

/// Norms of x, then y is x; or dot products.
template <bool Norms, class Exec, class X, class Y, class R>
void sum_vectors(Exec const& exec, SystemCall call, X const& x_arg, Y const& y_arg,
                 R const& result_arg, int at_y, int at_result) {
  using T = std::remove_const_t<typename stored_t<X>::value_type>;
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "Batchwork: dot and norm take float or double");
  require_kernels<KernelSet::solvers, Exec>();
  auto const x = operand_of<Exec, T, 1>(x_arg);
  auto const y = operand_of<Exec, T, 1>(y_arg);
  auto const result = operand_of<Exec, T, 0>(result_arg);
  require_written<std::remove_const_t<decltype(result)>>();

  SystemView const vx{"x", x.description};
  call.add(at_result, "result", result.description, true);
  call.add(1, vx.role, vx.d);
  call.add(at_y, "y", y.description);
  std::int64_t const items = call.check();
  if (y.rows != x.rows)
    call.fail(call.parts[2].name() + " holds " + std::to_string(y.rows) + " numbers an item, but " +
              call.parts[1].name() + " holds " + std::to_string(x.rows) +
              "; give vectors (item, row) of as many");
  if (auto const problem = size_problem(vx, x.rows); !problem.empty())
    call.fail("operand 1, " + problem);
  using Launched = SystemVerbLaunch<T, Exec>;
  if constexpr (Norms)
    Launched::norm(exec, call, items, x.rows, x.storage.as_const(), result.storage);
  else
    Launched::dot(exec, call, items, x.rows, x.storage.as_const(), y.storage.as_const(),
                  result.storage);
}

struct DotCall {
  template <class Exec, Viewish X, Viewish Y, Viewish R>
  void operator()(Exec const& exec, Launch<> const& how, X const& x, Y const& y,
                  R const& result) const {
    sum_vectors<false>(exec, {"dot", label_alone(how)}, x, y, result, 2, 3);
  }
};
struct NormCall {
  template <class Exec, Viewish X, Viewish R>
  void operator()(Exec const& exec, Launch<> const& how, X const& x, R const& result) const {
    sum_vectors<true>(exec, {"norm", label_alone(how)}, x, x, result, 1, 2);
  }
};

}  // namespace Impl

/// The dot product of vectors: result(n) = x_n' y_n for every item n.
///
/// ```text
/// dot([exec,] [launch("label"),] x, y, result)
/// ```
///
/// \param x       View x(item, row) in any layout or strided, or compact(x, n); float or double
/// \param y       View as x; may be the same View
/// \param result  View result(item), or compact; written
/// \throws std::invalid_argument  before the launch: extents that differ, Views that are not
///                allocated or overlap
///
/// One kernel on `exec`, labelled Batchwork::dot or Batchwork::dot(label); asynchronous, allocates
/// nothing, never fences. Zero items are no launch. Without rows the result is zero. Sums are in
/// the type of the numbers, in an order that is the same in every call. A NaN stays in its item.
template <Impl::BeginsCall First, class... Rest>
void dot(First const& first, Rest const&... rest) {
  static_assert(Impl::Takes<Impl::DotCall, First, Rest...>,
                "Batchwork::dot: the arguments are [exec,] [launch(\"label\"),] x, y, result in "
                "this order");
  Impl::call_verb(Impl::DotCall(), first, rest...);
}

/// The Euclidean norm of vectors: result(n) = |x_n| for every item n.
///
/// ```text
/// norm([exec,] [launch("label"),] x, result)
/// ```
///
/// \param x       View x(item, row), as for dot
/// \param result  View result(item), or compact; written
/// \throws std::invalid_argument  as dot
///
/// One kernel, labelled Batchwork::norm, otherwise as dot. It neither overflows nor underflows
/// unless the norm itself does (J. L. Blue, A portable Fortran program to find the Euclidean norm
/// of a vector, ACM TOMS 4, 1978). Infinite numbers give infinity, a NaN gives NaN.
template <Impl::BeginsCall First, class... Rest>
void norm(First const& first, Rest const&... rest) {
  static_assert(
      Impl::Takes<Impl::NormCall, First, Rest...>,
      "Batchwork::norm: the arguments are [exec,] [launch(\"label\"),] x, result in this order");
  Impl::call_verb(Impl::NormCall(), first, rest...);
}

}  // namespace Batchwork

#endif

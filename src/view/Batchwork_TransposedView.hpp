// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// transposed(view): every item's matrix taken as its transpose, without a copy. For verbs that
/// work on whole matrices (gemm, copies, cholesky and its like); sequences transpose their tiles
/// themselves.
#ifndef BATCHWORK_TRANSPOSED_VIEW_HPP
#define BATCHWORK_TRANSPOSED_VIEW_HPP

#include "view/Batchwork_Operand.hpp"

namespace Batchwork {

namespace Impl {

/// A View of which every matrix is meant transposed.
template <class A>
struct TransposedView {
  A view;
};
template <class X>
inline constexpr bool is_transposed_view = false;
template <class A>
inline constexpr bool is_transposed_view<TransposedView<A>> = true;

/// An operand of which rows and columns change places.
template <class O>
struct TransposedOperand {
  O operand;
};

}  // namespace Impl

/// The transpose of the matrix, or of every item's matrix, in a View; for copies and gemm. It goes
/// around the other adaptors: transposed(compact(view, n)).
template <Impl::Viewish V>
auto transposed(V const& view) {
  return Impl::TransposedView<decltype(Impl::adapted(view))>{Impl::adapted(view)};
}

template <class A>
auto in(Impl::TransposedView<A> const& t) {
  return Impl::TransposedOperand<decltype(in(t.view))>{in(t.view)};
}
template <class A>
auto out(Impl::TransposedView<A> const& t) {
  return Impl::TransposedOperand<decltype(out(t.view))>{out(t.view)};
}
template <class A>
auto inout(Impl::TransposedView<A> const& t) {
  return Impl::TransposedOperand<decltype(inout(t.view))>{inout(t.view)};
}
template <class A>
auto common(Impl::TransposedView<A> const& t) {
  return Impl::TransposedOperand<decltype(common(t.view))>{common(t.view)};
}

}  // namespace Batchwork

#endif

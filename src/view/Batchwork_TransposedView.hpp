// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// transposed(view): the transpose of every item's matrix, without a copy, for verbs on whole
/// matrices (gemm, copy, cholesky and others). A sequence uses transpose(x) instead.
#ifndef BATCHWORK_TRANSPOSED_VIEW_HPP
#define BATCHWORK_TRANSPOSED_VIEW_HPP

#include "view/Batchwork_Operand.hpp"

namespace Batchwork {

namespace Impl {

/// A View with transposed matrices.
template <class A>
struct TransposedView {
  A view;
};
template <class X>
inline constexpr bool is_transposed_view = false;
template <class A>
inline constexpr bool is_transposed_view<TransposedView<A>> = true;

/// An operand with rows and columns exchanged.
template <class O>
struct TransposedOperand {
  O operand;
};

}  // namespace Impl

/// The transpose of a matrix, or of every item's matrix, without a copy, for verbs on whole
/// matrices: copy, pack, unpack, gemm, factorisations and solves. Apply it after the other
/// adaptors: transposed(compact(view, n)). In map and scan write transpose(x) in the sequence.
/// ```cpp
/// gemm(1.0, in(transposed(a)), in(b), 0.0, out(c));  // c = a' b
/// ```
/// \param view  a View of matrices, or an adapted one
template <Impl::Viewish V>
auto transposed(V const& view) {
  return Impl::TransposedView<decltype(Impl::adapted(view))>{Impl::adapted(view)};
}

/// An input with transposed matrices.
template <class A>
auto in(Impl::TransposedView<A> const& t) {
  return Impl::TransposedOperand<decltype(in(t.view))>{in(t.view)};
}
/// An output with transposed matrices.
template <class A>
auto out(Impl::TransposedView<A> const& t) {
  return Impl::TransposedOperand<decltype(out(t.view))>{out(t.view)};
}
/// An input and output with transposed matrices.
template <class A>
auto inout(Impl::TransposedView<A> const& t) {
  return Impl::TransposedOperand<decltype(inout(t.view))>{inout(t.view)};
}
/// An input common to all items, used transposed.
template <class A>
auto common(Impl::TransposedView<A> const& t) {
  return Impl::TransposedOperand<decltype(common(t.view))>{common(t.view)};
}

}  // namespace Batchwork

#endif

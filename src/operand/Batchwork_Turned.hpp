// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// turned(view): every item's matrix taken as its transpose, without a copy. For verbs that work on whole matrices
/// (gemm); sequences transpose their tiles themselves.
#ifndef BATCHWORK_TURNED_HPP
#define BATCHWORK_TURNED_HPP

#include "operand/Batchwork_Operand.hpp"

namespace Batchwork {

namespace Impl {

template <class A>
struct TurnedView {
  A view;
};

/// An operand of which rows and columns change places.
template <class O>
struct TurnedOperand {
  O operand;
};

}  // namespace Impl

/// The transpose of the matrix, or of every item's matrix, in a View.
template <Impl::Viewish V>
auto turned(V const& view) {
  return Impl::TurnedView<decltype(Impl::adapted(view))>{Impl::adapted(view)};
}

template <class A>
auto in(Impl::TurnedView<A> const& t) {
  return Impl::TurnedOperand<decltype(in(t.view))>{in(t.view)};
}
template <class A>
auto out(Impl::TurnedView<A> const& t) {
  return Impl::TurnedOperand<decltype(out(t.view))>{out(t.view)};
}
template <class A>
auto inout(Impl::TurnedView<A> const& t) {
  return Impl::TurnedOperand<decltype(inout(t.view))>{inout(t.view)};
}
template <class A>
auto common(Impl::TurnedView<A> const& t) {
  return Impl::TurnedOperand<decltype(common(t.view))>{common(t.view)};
}

}  // namespace Batchwork

#endif

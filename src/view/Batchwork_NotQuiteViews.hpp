// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What in, out, inout and common say to types of Kokkos that are not Views: DualView, DynRankView.
#ifndef BATCHWORK_NOTQUITEVIEWS_HPP
#define BATCHWORK_NOTQUITEVIEWS_HPP

#include <Kokkos_Core.hpp>

#include "view/Batchwork_Operand.hpp"

namespace Batchwork {

namespace Impl {

/// These have other members than a View.
template <class X>
concept DualViewLike = requires(X const& x) {
  typename X::t_dev;
  x.view_device();
};
template <class X>
concept DynRankViewLike = !Kokkos::is_view_v<X> && requires(X const& x) {
  typename X::array_layout;
  x.data();
  x.rank();
  x.extent(0);
};
template <class X>
concept NotQuiteView = DualViewLike<X> || DynRankViewLike<X>;

/// Does not compile. \returns an operand, so that no other error follows
template <class X>
constexpr Operand<Kind::nothing> refuse_not_quite_view() {
  static_assert(!DualViewLike<X>,
                "Batchwork: an operand is one View, but a DualView is two; sync it, then pass "
                "dual.view_device() or dual.view_host(), and call modify for what is written");
  static_assert(!DynRankViewLike<X>,
                "Batchwork: an operand is a View, whose rank is a constant, not a DynRankView; "
                "pass Kokkos::View<T***, Layout, Space, Kokkos::MemoryUnmanaged>(v.data(), "
                "v.extent(0), v.extent(1), v.extent(2)), which needs no copy");
  return {};
}

}  // namespace Impl

/// DualView and DynRankView are refused by name, with the remedy.
template <Impl::NotQuiteView V>
auto in(V const&) {
  return Impl::refuse_not_quite_view<V>();
}
/// As in(view).
template <Impl::NotQuiteView V>
auto out(V const&) {
  return Impl::refuse_not_quite_view<V>();
}
/// As in(view).
template <Impl::NotQuiteView V>
auto inout(V const&) {
  return Impl::refuse_not_quite_view<V>();
}
/// As in(view).
template <Impl::NotQuiteView V>
auto common(V const&) {
  return Impl::refuse_not_quite_view<V>();
}

}  // namespace Batchwork

#endif

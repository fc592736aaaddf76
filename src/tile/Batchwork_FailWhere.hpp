// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// fail_where: how a sequence reports a failure of its own.
#ifndef BATCHWORK_FAIL_WHERE_HPP
#define BATCHWORK_FAIL_WHERE_HPP

#include "tile/Batchwork_Structured.hpp"

namespace Batchwork {

namespace Impl {

/// x with values of S: what is common to all items has a status for each of them then.
template <class S, class M, class X>
BATCHWORK_INLINE auto as_value([[maybe_unused]] M const& mask, X const& x) {
  if constexpr (is_scalar_tile<X>) {
    Scalar<S> r(x);
    if constexpr (is_distributed<S>) r.value.grid = mask.grid;
    return r;
  } else {
    tile_of_t<S, X::rows, X::cols, X::structure, X::is_vector> r;
    if constexpr (is_distributed<S>) r.grid = mask.grid;
    r = x;
    return r;
  }
}

}  // namespace Impl

/// The tile or scalar x, marked as failed where the mask holds; its numbers stay. An earlier
/// failure is kept. As every status, it is inherited by what is computed from it and recorded when
/// that is stored. With the mask of items a tile that is common to all of them becomes one for
/// each.
template <class M, class X>
BATCHWORK_INLINE auto fail_where(M const& mask, Reason reason, X const& x) {
  using S0 = typename X::value_type;
  using S = typename Impl::ValueForMask<S0, M>::type;
  auto r = [&] {
    if constexpr (std::is_same_v<S, S0>) return Impl::as_scalar_t<X>(x);
    else return Impl::as_value<S>(mask, x);
  }();
  r.info =
      Impl::first_failure(r.info, Impl::select(mask, Impl::make_info<S>(reason, 0), info_t<S>(0)));
  return r;
}

}  // namespace Batchwork

#endif

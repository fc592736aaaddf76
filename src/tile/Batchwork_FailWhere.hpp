// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// fail_where: a sequence marks items as failed.
#ifndef BATCHWORK_FAIL_WHERE_HPP
#define BATCHWORK_FAIL_WHERE_HPP

#include "tile/types/Batchwork_Structured.hpp"

namespace Batchwork {

namespace Impl {

/// x with values of type S: a common tile gets a separate status for each item.
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

/// Returns x, marked as failed for the items whose mask is true. The numbers do not change, and an
/// earlier failure is kept. The status passes to results computed from x and is recorded when one
/// is stored. A tile common to all items becomes one for each item.
/// ```cpp
/// x = fail_where(trace(p) > limit, Reason::inaccurate, x);
/// ```
/// \param mask    a comparison of scalars
/// \param reason  the reason of the failure
/// \param x       a tile or a scalar
/// \returns x with the merged status
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

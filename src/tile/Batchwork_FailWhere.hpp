// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// fail_where: how a sequence reports a failure of its own.
#ifndef BATCHWORK_FAIL_WHERE_HPP
#define BATCHWORK_FAIL_WHERE_HPP

#include "tile/Batchwork_Matrix.hpp"

namespace Batchwork {

/// The tile or scalar x, marked as failed where the mask holds; its numbers stay. An earlier failure is kept. As every
/// status, it is inherited by what is computed from it and recorded when that is stored.
template <class M, class X>
BATCHWORK_INLINE X fail_where(M const& mask, Reason reason, X const& x) {
  using S = typename X::value_type;
  X r = x;
  r.info =
      Impl::first_failure(r.info, Impl::select(mask, Impl::make_info<S>(reason, 0), info_t<S>(0)));
  return r;
}

}  // namespace Batchwork

#endif

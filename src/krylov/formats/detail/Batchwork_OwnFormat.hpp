// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of a format, chosen on the host.
#ifndef BATCHWORK_OWNFORMAT_HPP
#define BATCHWORK_OWNFORMAT_HPP

#include "krylov/formats/detail/Batchwork_AnySystems.hpp"

namespace Batchwork::Impl {

/// Calls f(systems) with the systems in their own format, by which kernels are made: PatternSystems
/// or ScaledIdentitySystems.
template <class T, class F>
void with_own_format(AnySystems<T> const& a, F const& f) {
  a.with_format([&]<class Layout>(Layout const& layout) {
    if constexpr (Layout::has_numbers) f(PatternSystems<T, Layout>{layout, a.values, a.rows});
    else f(layout.item(a.rows));
  });
}

}  // namespace Batchwork::Impl

#endif

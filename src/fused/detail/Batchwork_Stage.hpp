// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Stage: where the common operands of a call are in team scratch or on the stack of a thread, and
/// how their numbers get there.
#ifndef BATCHWORK_STAGE_HPP
#define BATCHWORK_STAGE_HPP

#include <cstddef>
#include <utility>

#include "core/Batchwork_Value.hpp"
#include "core/detail/Batchwork_Lanes.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_AsyncCopy.hpp"
#include "view/Batchwork_Operand.hpp"

namespace Batchwork::Impl {

/// The positions of a call's common operands in the stage: in order, each on a 16-byte boundary.
template <class Lanes, class... B>
struct Stage {
  static constexpr std::size_t align = 16;
  template <class X, class LanesOfX>
  static constexpr std::size_t bytes_of() {
    if constexpr (X::template staged<LanesOfX> > 0)
      return (X::template staged<LanesOfX> * sizeof(typename X::scalar) + align - 1) / align *
             align;
    else return 0;
  }
  template <std::size_t... I>
  static constexpr std::size_t offset(std::size_t n, std::index_sequence<I...>) {
    constexpr std::size_t sizes[] = {bytes_of<B, lanes_of_operand<Lanes, I>>()..., 0};
    std::size_t sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += sizes[k];
    return sum;
  }
  static constexpr std::size_t offset(std::size_t n) {
    return offset(n, std::index_sequence_for<B...>{});
  }
  static constexpr std::size_t bytes = offset(sizeof...(B));
};

/// On a device: many copies in flight at once.
template <class Lanes, class B, class T>
BATCHWORK_INLINE void stage_number(B const& b, int k, T* to) {
  if constexpr (B::kind == Kind::carry) {
    stage_number<Lanes>(b.start, k, to);
  } else if constexpr (requires { b.template where<Lanes>(k); }) {
    auto const* const from = b.template where<Lanes>(k);
    if (from == nullptr) *to = T(scalar_t<T>(0));
    else Vendor::copy_async<int(sizeof(T))>(to, from);
  } else {
    *to = b.template number<Lanes>(k);
  }
}
template <class Lanes, class B>
BATCHWORK_INLINE auto staged_number(B const& b, int k) {
  if constexpr (B::kind == Kind::carry) return b.start.template number<Lanes>(k);
  else return b.template number<Lanes>(k);
}

}  // namespace Batchwork::Impl

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// unroll_in_parts: unrolls long loops of device code.
#ifndef BATCHWORK_UNROLL_IN_PARTS_HPP
#define BATCHWORK_UNROLL_IN_PARTS_HPP

#include "core/detail/Batchwork_Macros.hpp"

namespace Batchwork::Impl {

/// Calls step(k) for k = 0 .. N - 1, unrolled. Compilers do not unroll a loop whose code is too
/// long in total; an index that is not constant then puts a tile into memory. So more than 32 steps
/// are several loops of eight.
template <int N, int First = 0, class Step>
BATCHWORK_INLINE void unroll_in_parts(Step const& step) {
  constexpr int end = N <= 32 || First + 8 > N ? N : First + 8;
  BATCHWORK_UNROLL
  for (int k = First; k < end; ++k) step(k);
  if constexpr (end < N) unroll_in_parts<N, end>(step);
}

}  // namespace Batchwork::Impl

#endif

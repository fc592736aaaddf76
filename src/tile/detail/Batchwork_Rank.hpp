// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The rank of a matrix from its singular values, or from the diagonal of R.
#ifndef BATCHWORK_RANK_HPP
#define BATCHWORK_RANK_HPP

#include <limits>

#include "tile/types/Batchwork_Matrix.hpp"

namespace Batchwork::Impl {

/// Tolerance of a rank, relative to the largest singular value.
template <class S, int M, int N>
inline constexpr scalar_t<S> rank_tolerance =
    (M > N ? M : N) * std::numeric_limits<scalar_t<S>>::epsilon();

/// The number of singular values above tolerance times the first, which is the largest.
template <class Values>
BATCHWORK_INLINE auto rank_of(Values const& s, scalar_t<value_t<Values>> tolerance) {
  using S = value_t<Values>;
  using T = scalar_t<S>;
  S const bound = S(tolerance) * S(s.entry(0, 0));
  S count(T(0));
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < Values::rows; ++i)
    count += select(S(s.entry(i, 0)) > bound, S(T(1)), S(T(0)));
  return Scalar<S>(count, s.info);
}

}  // namespace Batchwork::Impl

#endif

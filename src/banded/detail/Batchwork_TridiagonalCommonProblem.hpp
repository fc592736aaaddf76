// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// One tridiagonal matrix with the right-hand sides of all items, as pointers and strides.
#ifndef BATCHWORK_TRIDIAGONALCOMMONPROBLEM_HPP
#define BATCHWORK_TRIDIAGONALCOMMONPROBLEM_HPP

#include <cstdint>

#include "banded/detail/Batchwork_TridiagonalProblem.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "launch/detail/Batchwork_StatusTarget.hpp"
#include "view/detail/layout/Batchwork_Storage.hpp"

namespace Batchwork::Impl {

/// Row i of a band is at i row. The matrix is L U without exchanges; r are the reciprocals of U's
/// diagonal: y(i) = b(i) - m(i) y(i - 1) with m(i) = lower(i) r(i - 1), and
/// x(i) = y(i) r(i) - c(i) x(i + 1) with c(i) = upper(i) r(i).
template <class T>
struct TridiagonalCommonProblem {
  struct Band {
    T const* data = nullptr;
    std::int64_t row = 0;
    BATCHWORK_INLINE T operator()(int i) const { return data[i * row]; }
  };
  Band lower{}, diagonal{}, upper{};
  Storage<T const> b{};
  Storage<T> x{};
  StatusTarget status{};
  std::int64_t items = 0;
  int n = 0;

  /// The bands without what is not used.
  BATCHWORK_INLINE T below(int i) const { return i > 0 ? lower(i) : T(0); }
  BATCHWORK_INLINE T above(int i) const { return i + 1 < n ? upper(i) : T(0); }
};

}  // namespace Batchwork::Impl

#endif

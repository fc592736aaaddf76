// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The problems of qr and least_squares as pointers and strides.
#ifndef BATCHWORK_QRPROBLEM_HPP
#define BATCHWORK_QRPROBLEM_HPP

#include <cstdint>

#include "launch/detail/Batchwork_StatusTarget.hpp"
#include "view/detail/layout/Batchwork_Storage.hpp"

namespace Batchwork::Impl {

/// See qr(tile): a = q r, a being m x n, q m x columns_of_q (none, min(m, n) or m) and r min(m, n)
/// x n.
template <class T>
struct QrProblem {
  using number = T;

  StoredItems<T const> a{};
  StoredItems<T> q{}, r{};
  StatusTarget status{};
  std::int64_t items = 0;
  int m = 0, n = 0, columns_of_q = 0;
};

/// Of a, m x n, m >= n: the x, n x columns, for which |a x - b| is smallest; or, if `shortest`, of
/// the x, m x columns, for which a' x = b the shortest.
template <class T>
struct LeastSquaresProblem {
  using number = T;

  StoredItems<T const> a{}, b{};
  StoredItems<T> x{};
  StatusTarget status{};
  std::int64_t items = 0;
  int m = 0, n = 0, columns = 0;
  bool shortest = false;
};

}  // namespace Batchwork::Impl

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The problem of svd as pointers and strides.
#ifndef BATCHWORK_SVDPROBLEM_HPP
#define BATCHWORK_SVDPROBLEM_HPP

#include <cstdint>

#include "launch/detail/Batchwork_StatusTarget.hpp"
#include "view/detail/layout/Batchwork_Storage.hpp"

namespace Batchwork::Impl {

/// What a kernel is compiled for: the singular values alone, or the vectors too.
enum class SvdTask { values, vectors };

/// See svd(tile), for a of m x n, m >= n: a = u diag(values) v'. Without `stores_vectors` the
/// values alone.
template <class T>
struct SvdProblem {
  using number = T;

  StoredItems<T const> a{};
  StoredItems<T> values{}, u{}, v{};
  StatusTarget status{};
  std::int64_t items = 0;
  int m = 0, n = 0;
  bool stores_vectors = false;
};

}  // namespace Batchwork::Impl

#endif

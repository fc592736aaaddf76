// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The problem of eigh as pointers and strides.
#ifndef BATCHWORK_EIGHPROBLEM_HPP
#define BATCHWORK_EIGHPROBLEM_HPP

#include <cstdint>

#include "launch/detail/Batchwork_StatusTarget.hpp"
#include "view/detail/layout/Batchwork_Storage.hpp"

namespace Batchwork::Impl {

/// See eigh(tile), for a of n x n. Without `stores_vectors` the values alone.
template <class T>
struct EighProblem {
  using number = T;

  StoredItems<T const> a{};
  StoredItems<T> values{}, vectors{};
  StatusTarget status{};
  std::int64_t items = 0;
  int n = 0;
  bool stores_vectors = false;
};

}  // namespace Batchwork::Impl

#endif

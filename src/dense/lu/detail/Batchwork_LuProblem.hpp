// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What lu and solve_lu have to compute, as pointers and strides.
#ifndef BATCHWORK_LUPROBLEM_HPP
#define BATCHWORK_LUPROBLEM_HPP

#include <cstdint>

#include "launch/detail/Batchwork_StatusTarget.hpp"
#include "view/detail/layout/Batchwork_Storage.hpp"

namespace Batchwork::Impl {

/// For every item: the factors of a, N x N. If `stores_factors` they are stored in lu, and the rows of a in the order of the pivots
/// in `order`; else x, N x columns, with a x = b.
template <class T>
struct LuProblem {
  Storage<T const> a{};
  Storage<T> lu{};
  Storage<std::int32_t> order{};
  Storage<T const> b{};
  Storage<T> x{};
  StatusTarget status{};
  std::int64_t items = 0;
  int n = 0, columns = 0;
  bool stores_factors = false;
};

}  // namespace Batchwork::Impl

#endif

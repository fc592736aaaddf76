// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// FillProblem: what the kernels of fill_random are given.
#ifndef BATCHWORK_FILLPROBLEM_HPP
#define BATCHWORK_FILLPROBLEM_HPP

#include <cstdint>

#include "core/detail/Batchwork_Philox.hpp"

namespace Batchwork::Impl {

/// The distribution of random numbers on the host: first + scale u, where u is uniform or normal.
struct Distribution {
  bool normal;
  double first, scale;
};

/// x(i, j, ...) for 0 <= i < items and the other indices, which are counted row by row.
template <class T>
struct FillProblem {
  static constexpr int most = 8;  ///< indices after the first, that of complex parts included
  T* data;
  std::int64_t items, stride;
  int indices = 0;
  std::int64_t extent[most], strides[most];
  PhiloxKey key;
  std::uint32_t stream;
  std::int64_t first_block;
  Distribution distribution;

  /// Adds an index. It becomes one with the last if their numbers are adjacent.
  void add(std::int64_t n, std::int64_t distance) {
    if (n == 1) return;
    if (indices > 0 && strides[indices - 1] == n * distance) {
      extent[indices - 1] *= n;
      strides[indices - 1] = distance;
    } else {
      extent[indices] = n;
      strides[indices++] = distance;
    }
  }
  /// The numbers of each i.
  std::int64_t in_item() const {
    std::int64_t n = 1;
    for (int k = 0; k < indices; ++k) n *= extent[k];
    return n;
  }
};

}  // namespace Batchwork::Impl

#endif

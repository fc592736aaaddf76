// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What is kept of many items: sums and a maximum that do not depend on the order, so that the
/// same code reduces the items of a kernel, the chunks of a rank and the ranks.
#ifndef DISTRIBUTED_OUTCOME_HPP
#define DISTRIBUTED_OUTCOME_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <limits>

namespace Distributed {

/// The finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014, figure 17).
KOKKOS_FUNCTION inline std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// A number in [0, 1) that depends on the place.
KOKKOS_FUNCTION inline double uniform(std::uint64_t place) {
  return double(mixed((place + 1) * 0x9e3779b97f4a7c15u) >> 11) * 0x1p-53;
}

/// Depends on every bit of a number and on its place. The sum over all numbers of a result is its
/// checksum, in any order.
KOKKOS_FUNCTION inline std::uint64_t checksum_of(double x, std::int64_t place) {
  return mixed(Kokkos::bit_cast<std::uint64_t>(x) +
               (std::uint64_t(place) + 1) * 0x9e3779b97f4a7c15u);
}

struct Outcome {
  double best = -std::numeric_limits<double>::infinity();
  std::int64_t best_item = -1;  ///< the first item with the best value
  std::int64_t work = 0;        ///< steps or iterations
  std::int64_t failed = 0;      ///< items without a result
  std::uint64_t checksum = 0;   ///< of all numbers of the results

  KOKKOS_FUNCTION Outcome& operator+=(Outcome const& o) {
    if (o.best > best || (o.best == best && o.best_item < best_item)) {
      best = o.best;
      best_item = o.best_item;
    }
    work += o.work;
    failed += o.failed;
    checksum += o.checksum;
    return *this;
  }
};

}  // namespace Distributed

#endif

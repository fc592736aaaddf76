// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The sizes to which the items of a ragged batch are padded.
#ifndef BATCHWORK_SIZE_CLASSES_HPP
#define BATCHWORK_SIZE_CLASSES_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace Batchwork::Impl {

/// The cost of an item of n rows, in the time in which a number of it is copied and read. The cubic
/// term is that of a factorisation.
inline double cost_of_size(std::int64_t n) {
  double const x = double(n);
  return x * x + x * x * x / 24;
}

/// The cost of a class of items of size n. If some are smaller, all are copied to that size and
/// back, by a few more launches.
inline double cost_of_class(double items, std::int64_t n, bool is_padded, double launch) {
  double const x = double(n), copies = is_padded ? 3 : 0;
  return (1 + copies) * launch + items * (cost_of_size(n) + copies * x * x);
}

/// The sizes of classes: each item is padded to the next of them. They minimise the sum of
/// cost_of_class (dynamic programming over the sizes that occur).
/// \param count   count[n] items have size n
/// \param launch  the cost of a launch, in units of cost_of_size
/// \returns for each n from 0 to count.size() - 1 the size to which it is padded; 0 stays 0
inline std::vector<std::int64_t> padded_sizes(std::vector<std::int64_t> const& count,
                                              double launch) {
  std::vector<std::int64_t> sizes(1, 0);  // those that occur, after a 0
  for (std::size_t n = 1; n < count.size(); ++n)
    if (count[n] > 0) sizes.push_back(std::int64_t(n));
  // best[k] is the least cost of sizes[1] to sizes[k] if sizes[k] is that of a class, and before[k]
  // the place of the class below it.
  std::vector<double> best(sizes.size(), std::numeric_limits<double>::infinity());
  std::vector<std::size_t> before(sizes.size(), 0);
  best[0] = 0;
  for (std::size_t k = 1; k < sizes.size(); ++k) {
    double items = 0;
    for (std::size_t j = k; j-- > 0;) {
      items += double(count[std::size_t(sizes[j + 1])]);
      double const cost = best[j] + cost_of_class(items, sizes[k], j + 1 < k, launch);
      if (cost < best[k]) best[k] = cost, before[k] = j;
      if (launch == 0) break;  // a class of its own is the cheapest
    }
  }
  std::vector<std::int64_t> padded(count.size(), 0);
  for (std::size_t k = sizes.size() - 1; k > 0; k = before[k])
    for (std::int64_t n = sizes[before[k]] + 1; n <= sizes[k]; ++n)
      padded[std::size_t(n)] = sizes[k];
  return padded;
}

}  // namespace Batchwork::Impl

#endif

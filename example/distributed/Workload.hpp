// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What is computed, chunk by chunk.
#ifndef DISTRIBUTED_WORKLOAD_HPP
#define DISTRIBUTED_WORKLOAD_HPP

#include <memory>
#include <string>

#include "Chunks.hpp"
#include "Outcome.hpp"

namespace Distributed {

class Workload {
 public:
  virtual ~Workload() = default;
  virtual std::int64_t items() const = 0;
  /// Numbers of a result of an item.
  virtual std::int64_t numbers() const = 0;
  /// In words, with everything that the results depend on: a restart demands the same.
  virtual std::string problem() const = 0;
  /// Computes a chunk, and waits for it.
  virtual Outcome run(Chunk const& chunk) = 0;
  /// The results (item, number) of the last chunk, on the host.
  virtual double const* results() = 0;
  /// The whole outcome in words.
  virtual std::string summary(Outcome const& all) const = 0;
};

/// Kalman filters for a grid of `grid` x `grid` pairs of variances. An empty `data` stands for the
/// series of the Nile.
std::unique_ptr<Workload> make_sweep(std::string const& data, int grid, std::int64_t chunk);

/// Systems of a stiff reaction. An empty `data` stands for a generated mechanism.
std::unique_ptr<Workload> make_chemistry(std::string const& data, std::int64_t items,
                                         std::int64_t chunk);

}  // namespace Distributed

#endif

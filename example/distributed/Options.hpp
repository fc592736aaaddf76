// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The command line.
#ifndef DISTRIBUTED_OPTIONS_HPP
#define DISTRIBUTED_OPTIONS_HPP

#include <cstdint>
#include <optional>
#include <string>

namespace Distributed {

struct Options {
  std::string workload;
  std::string data;                            ///< empty for the example's own
  int grid = 3163;                             ///< of a sweep: ten million points
  std::int64_t items = std::int64_t(1) << 20;  ///< of chemistry
  std::int64_t chunk = 0;
  std::string checkpoint;
  bool restart = false, results = false;
  std::string costs;
  double progress = 5;
  int fail_rank = -1;

  bool is_sweep() const { return workload == "sweep"; }
  std::int64_t all_items() const { return is_sweep() ? std::int64_t(grid) * grid : items; }
};

/// Returns the options, or nothing for --help, which the rank with `prints` prints. Ignores options
/// that begin with --kokkos-. Throws InputError.
std::optional<Options> parse_options(int argc, char** argv, bool prints);

}  // namespace Distributed

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The command line.
#ifndef NILE_OPTIONS_HPP
#define NILE_OPTIONS_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace Nile {

struct Options {
  std::string data;  ///< empty for the example's own series
  std::string output = "nile_output";
  int grid = 1024;
  std::int64_t chunk = std::int64_t(1) << 20;
  std::pair<double, double> observation{5e3, 3e4};
  std::pair<double, double> drift{100, 6000};

  bool is_default_problem() const {
    Options const usual;
    return data.empty() && observation == usual.observation && drift == usual.drift;
  }
};

/// Returns the options, or nothing after printing the help for --help. Ignores options that begin
/// with --kokkos-. Throws InputError.
std::optional<Options> parse_options(int argc, char** argv);

}  // namespace Nile

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The command line.
#ifndef MANY_SERIES_OPTIONS_HPP
#define MANY_SERIES_OPTIONS_HPP

#include <cstdint>
#include <optional>
#include <string>

#include "../support/Errors.hpp"

namespace ManySeries {

using Support::InputError;

struct Options {
  std::int64_t series = 100000;
  std::int64_t steps = 100;
  int rounds = 60;
  std::uint64_t seed = 1;
  std::string output = "many_series_output";
};

/// Returns the options, or nothing after printing the help for --help. Ignores options that begin
/// with --kokkos-. Throws InputError.
std::optional<Options> parse_options(int argc, char** argv);

}  // namespace ManySeries

#endif

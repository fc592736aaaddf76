// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The command line.
#ifndef LEAST_SQUARES_OPTIONS_HPP
#define LEAST_SQUARES_OPTIONS_HPP

#include <cstdint>
#include <optional>
#include <string>

#include "../support/Errors.hpp"

namespace LeastSquares {

using Support::InputError;

struct Options {
  int points = 64000;
  int grid = 120;
  std::uint64_t seed = 1;
  std::string output = "least_squares_output";
};

/// Returns the options, or nothing after printing the help for --help. Ignores options that begin
/// with --kokkos-. Throws InputError.
std::optional<Options> parse_options(int argc, char** argv);

}  // namespace LeastSquares

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The command line.
#ifndef AIRLINE_OPTIONS_HPP
#define AIRLINE_OPTIONS_HPP

#include <optional>
#include <string>

namespace Airline {

struct Options {
  std::string data;  ///< empty for the example's own series
  std::string output = "airline_output";
  int starts = 256;
  int rounds = 200;
  int ahead = 24;
};

/// Returns the options, or nothing after printing the help for --help. Ignores options that begin
/// with --kokkos-. Throws InputError.
std::optional<Options> parse_options(int argc, char** argv);

}  // namespace Airline

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The command line.
#ifndef TRACKING_OPTIONS_HPP
#define TRACKING_OPTIONS_HPP

#include <optional>
#include <string>
#include <vector>

#include "../support/Errors.hpp"
#include "Filters.hpp"

namespace Tracking {

using Support::InputError;

struct Options {
  std::int64_t targets = 100000, chunk = 10000;
  Scenario scenario;
  std::vector<Kind> filters;
  std::string csv, plot;  ///< files to write, or empty
};

/// Returns the options, or nothing after printing the help for --help. Ignores options that begin
/// with --kokkos-. Throws InputError.
std::optional<Options> parse_options(int argc, char** argv);

}  // namespace Tracking

#endif

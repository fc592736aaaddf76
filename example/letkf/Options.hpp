// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The command line.
#ifndef LETKF_OPTIONS_HPP
#define LETKF_OPTIONS_HPP

#include <optional>
#include <string>

#include "GridRun.hpp"
#include "Lorenz96.hpp"

namespace Letkf {

enum class Command { lorenz96, shallow_water, check };

struct Options {
  Command command = Command::lorenz96;
  Lorenz96Settings lorenz96;
  GridSettings grid;
  std::string output = "letkf_output";
};

/// Returns the options, or nothing after printing the help for --help. Ignores options that begin
/// with --kokkos-. Throws InputError.
std::optional<Options> parse_options(int argc, char** argv);

}  // namespace Letkf

#endif

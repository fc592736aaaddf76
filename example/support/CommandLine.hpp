// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A command line that Kokkos reads too.
#ifndef SUPPORT_COMMAND_LINE_HPP
#define SUPPORT_COMMAND_LINE_HPP

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "Errors.hpp"

namespace Support {

/// Reads the options of an app that has a name. Leaves options that begin with --kokkos- to Kokkos.
/// Returns false for --help, which is printed if `prints`. Throws InputError.
inline bool parse(CLI::App& app, int argc, char** argv, bool prints = true) {
  std::vector<std::string> arguments;  // the last one first, as CLI11 takes them
  for (int k = argc - 1; k > 0; --k)
    if (std::string(argv[k]).rfind("--kokkos-", 0) != 0) arguments.push_back(argv[k]);
  try {
    app.parse(arguments);
  } catch (CLI::Success const& e) {
    if (prints) app.exit(e);
    return false;
  } catch (CLI::ParseError const& e) {
    std::string const text = e.what();
    throw InputError(text.substr(0, text.find('\n')) + " (" + app.get_name() +
                     " --help lists the options)");
  }
  return true;
}

}  // namespace Support

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// How a program ends after an error: one line on stderr, and an exit status that tells scripts
/// whether the input or the run was at fault.
#ifndef SUPPORT_ERRORS_HPP
#define SUPPORT_ERRORS_HPP

#include <cstdio>
#include <exception>
#include <stdexcept>

namespace Support {

/// The user's input cannot be used. The message is one line.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Returns run(), or after an error 2 for input that cannot be used and 1 for all else.
template <class Run>
int run_program(char const* name, Run const& run) {
  try {
    return run();
  } catch (InputError const& e) {
    std::fprintf(stderr, "%s: %s\n", name, e.what());
    return 2;
  } catch (std::exception const& e) {
    std::fprintf(stderr, "%s: %s\n", name, e.what());
    return 1;
  }
}

}  // namespace Support

#endif

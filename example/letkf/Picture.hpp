// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Tables and pictures of a run.
#ifndef LETKF_PICTURE_HPP
#define LETKF_PICTURE_HPP

#include <string>

#include "GridRun.hpp"
#include "Lorenz96.hpp"

namespace Letkf {

/// Writes a table of the errors and draws the errors over time and the histogram of ranks.
/// Returns an empty text, or the reason why no picture was drawn. Throws InputError if a file
/// cannot be written.
std::string write(std::string const& folder, Lorenz96Result const& result);

/// The same with the true height, its mean in the ensemble, and the difference at the end.
std::string write(std::string const& folder, GridResult const& result);

}  // namespace Letkf

#endif

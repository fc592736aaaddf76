// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// An annual series, read from a CSV file.
#ifndef NILE_SERIES_HPP
#define NILE_SERIES_HPP

#include <string>
#include <vector>

#include "../support/Errors.hpp"

namespace Nile {

using Support::InputError;

/// The observed years in order; years without an observation are left out.
struct Series {
  std::vector<int> year;
  std::vector<double> flow;
  int last_year = 0;  ///< last year of the file; later than year.back() if the last cells are empty

  int observations() const { return int(year.size()); }
};

/// Reads the columns `year` and `flow` and ignores other columns. An empty flow, `nan` or `NA` is a
/// missing observation. Throws InputError if the file or a column does not exist, a cell is not a
/// number, years do not increase, or fewer than two observations are left.
Series read_series(std::string const& path);

}  // namespace Nile

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A monthly series of positive numbers, read from a CSV file.
#ifndef AIRLINE_SERIES_HPP
#define AIRLINE_SERIES_HPP

#include <string>
#include <vector>

#include "../support/Errors.hpp"

namespace Airline {

using Support::InputError;

/// Every month from the first to the last; the value of a month without an observation is NaN.
struct Series {
  int first_month = 0;  ///< 12 year + month - 1
  std::vector<double> value;

  int months() const { return int(value.size()); }
  int observations() const;
  /// "1949-01" for month t of the series, which may lie beyond its end.
  std::string name(int t) const;
};

/// Reads the columns `month`, such as 1949-01, and `passengers`, and ignores other columns. An
/// empty cell, `nan` or `NA` is a missing observation. Throws InputError if the file or a column
/// does not exist, a cell is not a positive number, months do not follow one another, or fewer than
/// 26 observations are left.
Series read_series(std::string const& path);

}  // namespace Airline

#endif

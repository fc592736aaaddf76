// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The results as a CSV file, and as a picture by gnuplot.
#ifndef AIRLINE_PICTURE_HPP
#define AIRLINE_PICTURE_HPP

#include "Fit.hpp"

namespace Airline {

/// Writes month, observation, level, seasonal factor, forecast and its 90 % band, on the scale of
/// the series. Cells are empty while states are diffuse. Throws InputError if the file cannot be
/// written.
void write_components(std::string const& path, Series const& series, Components const& components);

/// Draws series, level, forecast and seasonal factors. Returns why there is no picture, or an empty
/// text.
std::string draw(std::string const& path, std::string const& title, Series const& series,
                 Components const& components);

}  // namespace Airline

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The picture: left the series with the filtered level, right the likelihood.
#ifndef NILE_PICTURE_HPP
#define NILE_PICTURE_HPP

#include <string>

#include "Estimate.hpp"

namespace Nile {

struct Captions {
  std::string series;    ///< title of the left half
  std::string quantity;  ///< title of its vertical axis
  std::string unit;      ///< of the variances
};

/// Draws by gnuplot, through a pipe; a surface of a few hundred points a side is enough. Returns an
/// empty text, or why there is no picture.
std::string draw(std::string const& path, Captions const& captions, Series const& series,
                 FilteredLevel const& filtered, Surface const& surface, Estimate const& estimate);

}  // namespace Nile

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The picture: the series with the filtered level on the left, the likelihood on the right.
#ifndef NILE_PICTURE_HPP
#define NILE_PICTURE_HPP

#include <string>

#include "Estimate.hpp"

namespace Nile {

struct Captions {
  std::string series;    ///< title of the left half
  std::string quantity;  ///< title of its vertical axis
  std::string unit;      ///< unit of the variances
};

/// Draws with gnuplot through a pipe. A surface of a few hundred points along each variance is
/// enough. Returns an empty text, or the reason why no picture was drawn.
std::string draw(std::string const& path, Captions const& captions, Series const& series,
                 FilteredLevel const& filtered, Surface const& surface, Estimate const& estimate);

}  // namespace Nile

#endif

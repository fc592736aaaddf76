// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The reconstruction on the slice, its error, and the ranks of the fits.
#ifndef LEAST_SQUARES_PICTURE_HPP
#define LEAST_SQUARES_PICTURE_HPP

#include <string>

#include "Fit.hpp"

namespace LeastSquares {

/// Makes the folder of the output. Throws InputError.
void create_folder(std::string const& path);

/// Draws least_squares.png in the folder. Returns why there is no picture, or an empty text.
std::string draw(std::string const& folder, int side, Points const& slice,
                 Neighbours const& neighbours, Fits const& fits);

}  // namespace LeastSquares

#endif

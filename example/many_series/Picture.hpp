// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Histograms of the errors beside the normal distribution.
#ifndef MANY_SERIES_PICTURE_HPP
#define MANY_SERIES_PICTURE_HPP

#include <string>
#include <vector>

namespace ManySeries {

/// Makes the folder of the output. Throws InputError.
void create_folder(std::string const& path);

/// Draws many_series.png in the folder. Returns why there is no picture, or an empty text.
std::string draw(std::string const& folder, std::vector<double> const& level,
                 std::vector<double> const& noise);

}  // namespace ManySeries

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The track of one target, as a CSV file and as a picture.
#ifndef TRACKING_TRACK_HPP
#define TRACKING_TRACK_HPP

#include <array>
#include <string>
#include <vector>

#include "Filters.hpp"

namespace Tracking {

/// The columns of a track. What was not seen, and modes that do not exist, are NaN.
enum Column {
  at_time,
  true_x,
  true_y,
  turns,
  seen_x,
  seen_y,
  x,
  y,
  variance_x,
  variance_y,
  covariance_xy,
  of_nis,
  mode_0,
  mode_1,
  mode_2,
  columns
};
using Track = std::vector<std::array<double, columns>>;

/// The track of a target that flies straight, turns and flies straight again, all for long.
Track typical_track(Targets const& targets, Tracks const& tracks);

/// Writes a CSV file. Throws InputError if that is not possible.
void write_csv(std::string const& path, Track const& track);

/// Draws with gnuplot. Returns an empty text, or the reason why no picture was drawn.
std::string draw(std::string const& path, std::string const& title, Track const& track);

}  // namespace Tracking

#endif

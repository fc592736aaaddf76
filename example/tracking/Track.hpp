// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The track of one target, as a CSV file and as a picture.
#ifndef TRACKING_TRACK_HPP
#define TRACKING_TRACK_HPP

#include <string>
#include <vector>

#include "Filters.hpp"

namespace Tracking {

struct Point {
  double time, true_x, true_y;
  bool turning;
  double seen_x, seen_y;  ///< NaN where nothing was seen
  double x, y, variance_x, variance_y, covariance;
  double nis;
  std::vector<double> probability;  ///< of the modes; empty without IMM
};
using Track = std::vector<Point>;

/// The track of a target that flies straight, turns and flies straight again, all for long.
Track typical_track(Targets const& targets, Tracks const& tracks);

/// Writes a CSV file. Throws InputError if that is not possible.
void write_csv(std::string const& path, Track const& track);

/// Draws with gnuplot. Returns an empty text, or the reason why no picture was drawn.
std::string draw(std::string const& path, std::string const& title, Track const& track);

}  // namespace Tracking

#endif

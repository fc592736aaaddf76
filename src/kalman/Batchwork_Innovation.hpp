// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Innovation: what an update of a nonlinear model returns.
#ifndef BATCHWORK_INNOVATION_HPP
#define BATCHWORK_INNOVATION_HPP

#include "tile/types/Batchwork_Scalar.hpp"

namespace Batchwork::Kalman {

/// How well an observation fits its prediction.
template <class S>
struct Innovation {
  /// The normalised innovation squared v' S^-1 v of the m entries observed. It has the chi-squared
  /// distribution with m degrees of freedom if the model is right (Bar-Shalom, Li and Kirubarajan,
  /// Estimation with Applications to Tracking and Navigation, 2001, sections 5.4 and 10.3).
  Scalar<S> nis;
};

}  // namespace Batchwork::Kalman

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Random rotations of an ensemble.
#ifndef LETKF_ROTATION_HPP
#define LETKF_ROTATION_HPP

#include "Types.hpp"

namespace Letkf {

/// Random orthogonal matrices that keep the vector of ones, so that they keep the mean and the
/// covariance of an ensemble (Sakov and Oke, Monthly Weather Review 136, 2008). Without rotations
/// a deterministic filter can collect outliers in one member.
class Rotation {
 public:
  Rotation(std::int64_t members, std::uint64_t seed);

  /// The next rotation, members x members; the same memory every time.
  Matrix next(Exec const& exec);

 private:
  std::uint64_t seed_, count_ = 0;
  Ensemble random_, q_, r_, product_;
  Vector workspace_;
};

}  // namespace Letkf

#endif

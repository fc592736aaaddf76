// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The Views of an experiment.
#ifndef LETKF_TYPES_HPP
#define LETKF_TYPES_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "../support/Errors.hpp"

namespace Letkf {

using Exec = Kokkos::DefaultExecutionSpace;

/// (point, variable, member). A row, all members of one variable of one point, has the number
/// point * variables + variable.
using Ensemble = Kokkos::View<double***, Kokkos::LayoutRight>;
using Matrix = Kokkos::View<double**, Kokkos::LayoutRight>;
using Vector = Kokkos::View<double*>;
using Codes = Kokkos::View<int*>;

inline Matrix rows_of(Ensemble const& e) {
  return Matrix(e.data(), e.extent(0) * e.extent(1), e.extent(2));
}

/// The local observations of every point.
struct LocalObservations {
  static constexpr int group = 8;  ///< points have a multiple of so many

  Kokkos::View<int**, Kokkos::LayoutRight> near;  ///< (point, l): the observed row
  /// (point, l): the root of the taper over the standard deviation of the observation
  Matrix weight;
};

using Support::InputError;

}  // namespace Letkf

#endif

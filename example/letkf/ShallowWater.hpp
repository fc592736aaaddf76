// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A model on a grid: rotating shallow water.
#ifndef LETKF_SHALLOWWATER_HPP
#define LETKF_SHALLOWWATER_HPP

#include "Types.hpp"

namespace Letkf {

/// The shallow-water equations on a doubly periodic plane, in the energy-conserving form of
/// Sadourny, Journal of the Atmospheric Sciences 32 (1975), with viscosity, and Shu and Osher's
/// Runge-Kutta method of third order. All members are steps of one kernel.
///
/// A member has three variables a point: height h in the centre of a cell, velocity u on its left
/// side, and v on its lower side.
class ShallowWater {
 public:
  static constexpr int variables = 3;
  static constexpr double spacing = 20e3;   ///< of the grid, m
  static constexpr double step = 900;       ///< s
  static constexpr double gravity = 0.1;    ///< reduced, m/s^2
  static constexpr double depth = 1000;     ///< m; gravity waves have 10 m/s
  static constexpr double coriolis = 1e-4;  ///< 1/s
  static constexpr double viscosity = 500;  ///< m^2/s

  /// n x n points, with memory for so many members
  ShallowWater(int n, std::int64_t members);

  /// Random eddies in geostrophic balance, of wavelengths of 13 to 21 points and with velocities
  /// around 1 m/s. Every member has other eddies.
  void start(Exec const& exec, Ensemble const& e, std::uint64_t seed) const;

  /// Takes all members so many steps ahead.
  void forecast(Exec const& exec, Ensemble const& e, int steps) const;

 private:
  int n_;
  Ensemble first_, second_;
};

}  // namespace Letkf

#endif

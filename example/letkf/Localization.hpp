// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Which observations a point uses, and with which weights.
#ifndef LETKF_LOCALIZATION_HPP
#define LETKF_LOCALIZATION_HPP

#include "Types.hpp"

namespace Letkf {

/// A periodic grid with observations of one variable at every so many points.
struct Network {
  int nx, ny;
  int every;             ///< a point is observed if this divides its x and its y
  int variables = 1;     ///< of a point
  int observed = 0;      ///< the number of the one that is observed
  int copies = 1;        ///< independent experiments: point * copies + experiment is an item
  double deviation = 1;  ///< standard deviation of the error of an observation
};

/// The fifth-order function of Gaspari and Cohn, QJRMS 125 (1999), eq. 4.10, with the length scale
/// sqrt(10 / 3) radius. Near 0 it is about exp(-(distance / radius)^2 / 2), and it is 0 from 3.65
/// radii on. An infinite radius gives 1.
double gaspari_cohn(double distance, double radius);

/// For every item the observations with a taper above 0.001, as DAPPER has it
/// (dapper/tools/localization.py).
LocalObservations localize(Network const& network, double radius);

}  // namespace Letkf

#endif

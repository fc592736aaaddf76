// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The classical check: Lorenz-96 with 40 variables, all observed with unit variance.
#ifndef LETKF_LORENZ96_HPP
#define LETKF_LORENZ96_HPP

#include <functional>
#include <vector>

#include "Analysis.hpp"

namespace Letkf {

/// The experiment of Sakov and Oke (2008) with the settings of DAPPER
/// (dapper/mods/Lorenz96/sakov2008.py): a step of 0.05 between observations, by a Runge-Kutta
/// method of fourth order, and a start near the fixed point.
struct Lorenz96Settings {
  std::int64_t members = 7;
  double radius = 4;  ///< of the taper, in points; infinite for the global filter
  AnalysisSettings analysis{1.04};
  bool rotation = true;
  int cycles = 1000;
  int spin_up = 400;     ///< cycles that the score leaves out: 20 units of time
  int experiments = 16;  ///< with other numbers, in the same batch
  std::uint64_t seed = 1;
};

struct Lorenz96Result {
  double score = 0;           ///< mean over time and experiments of the error after the analysis
  double standard_error = 0;  ///< of the score, from the differences of the experiments
  std::vector<double> error, spread;  ///< (cycle)
  std::vector<std::int64_t> ranks;    ///< of the truth among the members of the forecast
  double seconds = 0;
};

/// \param progress  called with the number of cycles that are done; may be empty
Lorenz96Result run(Lorenz96Settings const& settings, std::function<void(int)> const& progress);

}  // namespace Letkf

#endif

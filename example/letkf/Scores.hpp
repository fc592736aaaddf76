// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// How good an ensemble is: its error, its spread and its ranks.
#ifndef LETKF_SCORES_HPP
#define LETKF_SCORES_HPP

#include <vector>

#include "Types.hpp"

namespace Letkf {

/// Scores of all cycles of some experiments, on the device until they are read. The root mean
/// squares are over points.
class Scores {
 public:
  Scores(int cycles, int experiments, std::int64_t members);

  /// Adds a cycle: the error of the mean and the spread of a variable. Item n of the ensemble
  /// belongs to experiment n % experiments.
  void add(Exec const& exec, int cycle, Ensemble const& e, Vector const& truth, int variable);
  /// Counts how many members are below the truth, for every item (Hamill, Monthly Weather Review
  /// 129, 2001). The counts are equal on average if the truth is like another member.
  void add_ranks(Exec const& exec, Ensemble const& e, Vector const& truth, int variable);

  /// (cycle): the mean over the experiments
  std::vector<double> error() const { return mean_of(error_); }
  std::vector<double> spread() const { return mean_of(spread_); }
  /// (experiment): the mean over the cycles from the given one on
  std::vector<double> error_of_experiments(int from) const;
  std::vector<std::int64_t> ranks() const;

 private:
  static std::vector<double> mean_of(Matrix const& v);

  Matrix error_, spread_;  // (cycle, experiment)
  Kokkos::View<std::int64_t*> ranks_;
};

}  // namespace Letkf

#endif

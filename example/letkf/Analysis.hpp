// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The analysis of the local ensemble transform Kalman filter, at all points.
#ifndef LETKF_ANALYSIS_HPP
#define LETKF_ANALYSIS_HPP

#include "Types.hpp"

namespace Letkf {

/// one_kernel: a map, for numbers of members that are compiled. verbs: ten kernels for any number.
enum class Method { one_kernel, verbs, best };

struct AnalysisSettings {
  double inflation = 1;  ///< of deviations: the covariance is multiplied by its square
  Method method = Method::best;
  std::int64_t memory = std::int64_t(1) << 25;  ///< numbers that verbs may use at a time: 256 MB
};

/// True if a map was compiled for these numbers: 7 and 20 members for one variable a point, 16 and
/// 32 for three.
bool is_compiled(std::int64_t variables, std::int64_t members);

/// The analysis at all points.
/// \param analysis  result
/// \param forecast  members of the forecast
/// \param rotation  members x members, orthogonal; keeps vectors of equal numbers
/// \param local     observations of the points; those beyond the last one have weight 0
/// \param observed  (row): values of the observations; one with weight 0 is not used and may be NaN
/// \param codes     (point): 0, or why the analysis of the point failed. Its members are then NaN
///                  or from a matrix that is not finite
/// \throws InputError if method is one_kernel and no map was compiled
void analyse(Exec const& exec, Ensemble const& analysis, Ensemble const& forecast,
             Matrix const& rotation, LocalObservations const& local, Vector const& observed,
             Codes const& codes, AnalysisSettings const& settings);

/// The same by verbs on whole matrices, for any number of members. Takes as many points at a
/// time as settings.memory has room for.
void analyse_by_verbs(Exec const& exec, Ensemble const& analysis, Ensemble const& forecast,
                      Matrix const& rotation, LocalObservations const& local,
                      Vector const& observed, Codes const& codes, AnalysisSettings const& settings);

/// \throws std::runtime_error if a code is not 0
void require_success(Exec const& exec, Codes const& codes);

}  // namespace Letkf

#endif

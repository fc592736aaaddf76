// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The analysis in another way, to compare with.
#ifndef LETKF_REFERENCE_HPP
#define LETKF_REFERENCE_HPP

#include <vector>

namespace Letkf {

/// One point of an ensemble, in long double. The mean is computed by Cholesky factors, the
/// deviations by a Newton iteration for the square root: no eigenvalue is involved.
/// \param a        (variable, member): deviations of the point
/// \param s        (observation, member): deviations of the observed ensemble, with weights
/// \param d        (observation): innovations, with weights
/// \param members  k
/// \param rho      inflation of the covariance
/// \returns (variable, 1 + member): the change of the mean, then the deviations. They are
///          a C^-1 s' d and a sqrt(k - 1) C^(-1/2) with C = (k - 1) / rho + s' s: Hunt, Kostelich
///          and Szunyogh, eqs. 20, 21, 24
std::vector<long double> reference_analysis(std::vector<long double> const& a,
                                            std::vector<long double> const& s,
                                            std::vector<long double> const& d, int members,
                                            long double rho);

}  // namespace Letkf

#endif

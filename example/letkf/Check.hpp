// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Analyses of random ensembles beside a reference.
#ifndef LETKF_CHECK_HPP
#define LETKF_CHECK_HPP

namespace Letkf {

/// Compares both methods, with several sizes, with reference_analysis. Also: other units that are a
/// power of two give the same digits, a point without observations is inflated, and points with
/// NaN fail alone. Prints a line for each case.
/// \returns true if everything is as expected
bool check();

}  // namespace Letkf

#endif

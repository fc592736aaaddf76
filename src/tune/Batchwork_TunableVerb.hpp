// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// TunableVerb: the verbs that tune measures. Not included by Batchwork.hpp.
#ifndef BATCHWORK_TUNABLEVERB_HPP
#define BATCHWORK_TUNABLEVERB_HPP

namespace Batchwork {

/// The verbs that tune measures, on square matrices: with all factors, eigenvectors and singular
/// vectors.
enum class TunableVerb {
  lu,              ///< the verb lu
  solve_lu,        ///< the verb solve_lu
  inverse,         ///< the verb inverse
  cholesky,        ///< the verb cholesky
  solve_cholesky,  ///< the verb solve_cholesky
  qr,              ///< the verb qr
  eigh,            ///< the verb eigh
  svd              ///< the verb svd
};

}  // namespace Batchwork

#endif

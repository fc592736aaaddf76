// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Whether the pivot of a positive definite matrix, or a number on the diagonal of a triangle, is
/// one, and the status if it is not.
#ifndef BATCHWORK_PIVOTCHECKS_HPP
#define BATCHWORK_PIVOTCHECKS_HPP

#include <cstdint>
#include <limits>

#include "core/Batchwork_Status.hpp"
#include "core/Batchwork_Value.hpp"
#include "core/detail/Batchwork_Macros.hpp"

namespace Batchwork::Impl {

/// A pivot of a factorisation, or a number of the diagonal that is divided by. Its reciprocal must
/// be a number too.
template <class T>
BATCHWORK_INLINE bool good_pivot(T pivot) {
  return is_finite(pivot) && pivot >= std::numeric_limits<T>::min();
}

/// The code of pivot number k, counted from 0, that is not good.
template <class T>
BATCHWORK_INLINE std::int32_t pivot_code(T pivot, int k) {
  return Status::code(is_finite(pivot) ? Reason::not_positive_definite : Reason::not_finite, k + 1);
}

/// 1 / d for the number d on the diagonal of a triangular system, place k; NaN if there is none,
/// and the first such place goes into `code`.
template <class T>
BATCHWORK_INLINE T diagonal_reciprocal(T d, int k, std::int32_t& code) {
  if (good_pivot(d < T(0) ? -d : d)) return T(1) / d;
  if (code == 0) code = Status::code(is_finite(d) ? Reason::breakdown : Reason::not_finite, k + 1);
  return std::numeric_limits<T>::quiet_NaN();
}

}  // namespace Batchwork::Impl

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// put_solutions: what lanes or a thread with the factors of an item do for solve_lu and inverse.
#ifndef BATCHWORK_LUSOLUTIONS_HPP
#define BATCHWORK_LUSOLUTIONS_HPP

#include <cstdint>
#include <limits>

#include "dense/lu/detail/Batchwork_LuProblem.hpp"
#include "dense/lu/detail/Batchwork_RowsInMemory.hpp"

namespace Batchwork::Impl {

/// Right-hand sides in memory at once.
inline constexpr int most_lu_columns = 8;

/// Solves for all right-hand sides, `chunk` of them at once, with the factors of an item, and
/// stores the solutions if the item `is_there`; NaN where `code`, the status of the elimination, is
/// not 0. \returns the status
/// \param x  n * chunk numbers
/// \param rows  RowsInMemory, or what has its members
template <class T, class Rows>
BATCHWORK_INLINE std::int32_t put_solutions(LuProblem<T> const& p, Rows const& rows, T* x,
                                            int chunk, std::int64_t item, bool is_there,
                                            std::int32_t code) {
  auto const& lanes = rows.lanes;
  bool finite = true;
  for (int c0 = 0; c0 < p.columns; c0 += chunk) {
    int const some = p.columns - c0 < chunk ? p.columns - c0 : chunk;
    lanes.for_each(p.n, [&](int i) {
      for (int c = 0; c < some; ++c) x[i * some + c] = p.right_hand_side(item, i, c0 + c);
    });
    rows.substitute(x, some);
    lanes.for_each(p.n, [&](int k) {
      for (int c = 0; c < some; ++c) {
        T const number =
            code == 0 ? rows.solution(x, some, k, c) : std::numeric_limits<T>::quiet_NaN();
        finite = finite && is_finite(number);
        if (is_there)
          item_of(p.x, item)[std::int64_t(k) * p.x.row + std::int64_t(c0 + c) * p.x.col] = number;
      }
    });
    lanes.sync();
  }
  return status_with_result(code, !rows.holds_for_all(finite));
}

}  // namespace Batchwork::Impl

#endif

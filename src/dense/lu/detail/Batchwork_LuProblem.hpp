// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The problem of lu, solve_lu, inverse and determinant as pointers and strides.
#ifndef BATCHWORK_LUPROBLEM_HPP
#define BATCHWORK_LUPROBLEM_HPP

#include <cstdint>
#include <limits>

#include "core/Batchwork_Status.hpp"
#include "core/detail/Batchwork_ScaledProduct.hpp"
#include "dense/lu/detail/Batchwork_LuChoice.hpp"
#include "launch/detail/Batchwork_StatusTarget.hpp"
#include "view/detail/layout/Batchwork_Storage.hpp"

namespace Batchwork::Impl {

/// What is computed from the factors of a matrix.
enum class LuResult { factors, solutions, determinant };

/// For every item: the factors of a, N x N. `factors` are stored in lu, and the rows of a in the
/// order of the pivots in `order`; `solutions` are x, N x columns, with a x = b, b being the unit
/// matrix where there is none; `determinant` is stored in x, or, if there is one, its sign there
/// and the logarithm of its size in log_size.
template <class T>
struct LuProblem {
  using number = T;

  Storage<T const> a{};
  Storage<T> lu{};
  Storage<std::int32_t> order{};
  Storage<T const> b{};
  Storage<T> x{};
  Storage<T> log_size{};
  StatusTarget status{};
  std::int64_t items = 0;
  int n = 0, columns = 0;
  LuResult result = LuResult::solutions;

  /// Whether x is the inverse.
  bool inverts() const {
    return result == LuResult::solutions && b.data == nullptr && columns == n;
  }
  /// Without right-hand sides the elimination still gives the status (LAPACK's gesv).
  bool writes_something() const {
    return items > 0 && (result != LuResult::solutions || columns > 0 || status.wanted());
  }
  /// Number (i, c) of b.
  BATCHWORK_INLINE T right_hand_side(std::int64_t item, int i, int c) const {
    if (b.data == nullptr) return T(i == c ? 1 : 0);
    return item_of(b, item)[std::int64_t(i) * b.row + std::int64_t(c) * b.col];
  }
  /// Stores the determinant of an item. `code` is the status of the elimination; a pivot of zero is
  /// no failure here. \returns the status
  /// \param product  of the pivots, with the sign of their order
  BATCHWORK_INLINE std::int32_t put_determinant(std::int64_t item, ScaledProduct<T> const& product,
                                                std::int32_t code) const {
    bool const failed = code != 0 && Status::reason(code) != Reason::singular,
               logs = log_size.data != nullptr;
    T const nan = std::numeric_limits<T>::quiet_NaN();
    T const value = failed ? nan : logs ? product.sign() : product.value();
    *item_of(x, item) = value;
    if (logs) *item_of(log_size, item) = failed ? nan : product.log_size();
    return failed ? code : status_of_result(value);
  }
};

}  // namespace Batchwork::Impl

#endif

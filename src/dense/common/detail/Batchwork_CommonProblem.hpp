// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// One matrix with the right-hand sides of all items: the problem of solve_lu, solve_cholesky,
/// solve_lower and solve_upper with common(A), as pointers and strides.
#ifndef BATCHWORK_COMMONPROBLEM_HPP
#define BATCHWORK_COMMONPROBLEM_HPP

#include <algorithm>
#include <cstdint>

#include "core/Batchwork_Status.hpp"
#include "core/Batchwork_Value.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "launch/detail/Batchwork_StatusTarget.hpp"
#include "view/detail/layout/Batchwork_Storage.hpp"

namespace Batchwork::Impl {

/// What is read of the matrix. A symmetric one is positive definite, and its lower triangle is
/// read. Triangles are not factorised.
enum class CommonMatrix { general, symmetric, lower, upper };

/// a x = b for n rows and the right-hand sides of all items, `columns` of each. The right-hand
/// sides of all items, one after another, are the columns of one matrix. Without x only the status
/// of the matrix is wanted.
template <class T>
struct CommonProblem {
  Storage<T const> a{};
  Storage<T const> b{};
  Storage<T> x{};
  StatusTarget status{};
  std::int64_t items = 0, columns = 0;
  int n = 0;
  CommonMatrix matrix = CommonMatrix::general;
  /// Columns that a warp or thread has one after another, and how many times so many there are.
  std::int64_t unit = 0, units = 0;

  BATCHWORK_INLINE bool factorises() const {
    return matrix == CommonMatrix::general || matrix == CommonMatrix::symmetric;
  }
  BATCHWORK_INLINE bool forward() const { return matrix != CommonMatrix::upper; }
  BATCHWORK_INLINE bool backward() const { return matrix != CommonMatrix::lower; }
  BATCHWORK_INLINE std::int64_t all_columns() const { return items * columns; }

  /// Divides the columns among `workers`, which take `at_once` columns at a time. The columns of an
  /// item stay together where they have one status.
  void divide(std::int64_t at_once, std::int64_t workers) {
    std::int64_t const share = std::min(at_once, items / workers);
    unit = columns == 1 || !status.wanted() ? at_once : columns * (share > 0 ? share : 1);
    units = (all_columns() + unit - 1) / unit;
  }

  BATCHWORK_INLINE std::int64_t item_of_column(std::int64_t q) const {
    return columns == 1 ? q : q / columns;
  }
  /// Whether column q is the first one of its item.
  BATCHWORK_INLINE bool is_first(std::int64_t q) const { return columns == 1 || q % columns == 0; }
  /// Where column q begins.
  template <class U>
  BATCHWORK_INLINE U* column(Storage<U> const& s, std::int64_t q) const {
    if (columns == 1) return item_of(s, q);
    std::int64_t const item = q / columns;
    return item_of(s, item) + (q - item * columns) * s.col;
  }
  /// Whether so many columns from q on are next to each other in memory.
  template <class U>
  bool columns_are_near(Storage<U> const& s, std::int64_t q, int count) const {
    if (s.width == 1) return columns == 1 ? s.group == 1 : s.col == 1 && s.group == columns;
    return columns == 1 && s.lane == 1 && q % s.width + count <= s.width;
  }
  /// Whether columns 2 q and 2 q + 1 are neighbours, in memory that is aligned for both at once.
  template <class U>
  static bool pairs_of_columns(Storage<U> const& s, std::int64_t columns, int n) {
    bool const items_near =
        s.width == 1 ? s.group == 1 : s.lane == 1 && s.width % 2 == 0 && s.group % 2 == 0;
    std::int64_t const item = s.width == 1 ? s.group : s.lane;
    bool const near = columns == 1 ? items_near
                                   : columns % 2 == 0 && s.col == 1 && item % 2 == 0 &&
                                         (s.width == 1 || s.group % 2 == 0);
    return near && (n == 1 || s.row % 2 == 0) && is_aligned(s.data);
  }
  /// The same for rows 2 i and 2 i + 1 of a column.
  template <class U>
  static bool pairs_of_rows(Storage<U> const& s, std::int64_t columns, int n) {
    return n % 2 == 0 && s.row == 1 && s.group % 2 == 0 && (s.width == 1 || s.lane % 2 == 0) &&
           (columns == 1 || s.col % 2 == 0) && is_aligned(s.data);
  }
  static bool is_aligned(T const* data) {
    return reinterpret_cast<std::uintptr_t>(data) % (2 * sizeof(T)) == 0;
  }

  /// Writes the status of the matrix for each item whose first column this is.
  BATCHWORK_INLINE void put_status(std::int64_t q, std::int32_t code) const {
    if (is_first(q)) status.put(item_of_column(q), code);
  }
  /// Later, and by the same lane or one that waited for it: a number of column q is not finite.
  BATCHWORK_INLINE void put_not_finite(std::int64_t q) const {
    if (x.data != nullptr) status.put(item_of_column(q), Status::code(Reason::not_finite, 0));
  }
};

}  // namespace Batchwork::Impl

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of a copy from items that indices pick.
#ifndef BATCHWORK_COPYPICKED_HPP
#define BATCHWORK_COPYPICKED_HPP

#include <cstdint>

#include "core/detail/Batchwork_Macros.hpp"
#include "dense/copy/detail/Batchwork_CopyProblem.hpp"
#include "launch/detail/Batchwork_GatheredCall.hpp"
#include "view/Batchwork_Indexed.hpp"

namespace Batchwork::Impl {

/// Items with an index out of range become NaN, or 0 for integers. A thread of a host copies an
/// item, one of a device a number: the next thread has the number that is next in memory.
template <class T, class I>
struct CopyPicked {
  CopyProblem<T> p;
  PickedItem<I> picked;
  bool of_numbers, items_near, rows_near;

  CopyPicked(CopyProblem<T> const& problem, PickedItem<I> const& from, bool on_device)
      : p(problem),
        picked(from),
        of_numbers(on_device),
        items_near(items_are_near(p.to, p.rows, p.cols)),
        rows_near(rows_are_near(p.to, p.rows, p.cols)) {}
  std::int64_t count() const { return of_numbers ? p.items * p.rows * p.cols : p.items; }

  KOKKOS_FUNCTION void operator()(std::int64_t q) const {
    std::int64_t const lines = rows_near ? p.cols : p.rows, length = rows_near ? p.rows : p.cols;
    if (of_numbers) {
      std::int64_t const near = items_near ? p.items : lines * length, far = q / near,
                         next = q - far * near, item = items_near ? next : far,
                         number = items_near ? far : next, line = number / length;
      copy_some(item, line, number - line * length, 1);
    } else {
      for (std::int64_t line = 0; line < lines; ++line) copy_some(q, line, 0, length);
    }
  }

 private:
  /// Numbers of a line, which is a column where rows are near.
  BATCHWORK_INLINE void copy_some(std::int64_t item, std::int64_t line, std::int64_t first,
                                  std::int64_t count) const {
    auto const part = [&](auto const& s, std::int64_t n) {
      return item_of(s, n) + line * (rows_near ? s.col : s.row) + first * step(s);
    };
    std::int64_t const from = picked.of(item), to_step = step(p.to), from_step = step(p.from);
    T* const to = part(p.to, item);
    if (from < 0) {
      for (std::int64_t k = 0; k < count; ++k) to[k * to_step] = missing_number<T>();
    } else {
      T const* const x = part(p.from, from);
      for (std::int64_t k = 0; k < count; ++k) to[k * to_step] = x[k * from_step];
    }
  }
  template <class U>
  BATCHWORK_INLINE std::int64_t step(Storage<U> const& s) const {
    return rows_near ? s.row : s.col;
  }
};

}  // namespace Batchwork::Impl

#endif

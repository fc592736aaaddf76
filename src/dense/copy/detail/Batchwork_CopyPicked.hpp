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
    std::int64_t const numbers = p.rows * p.cols;
    if (of_numbers) {
      std::int64_t const near = items_near ? p.items : numbers, far = q / near,
                         next = q - far * near, item = items_near ? next : far;
      copy_number(item, picked.of(item), items_near ? far : next);
    } else {
      std::int64_t const from = picked.of(q);
      for (std::int64_t e = 0; e < numbers; ++e) copy_number(q, from, e);
    }
  }

 private:
  BATCHWORK_INLINE void copy_number(std::int64_t item, std::int64_t from, std::int64_t e) const {
    std::int64_t const line = rows_near ? e / p.rows : e / p.cols,
                       at = e - line * (rows_near ? p.rows : p.cols), i = rows_near ? at : line,
                       j = rows_near ? line : at;
    item_of(p.to, item)[i * p.to.row + j * p.to.col] =
        from < 0 ? missing_number<T>() : item_of(p.from, from)[i * p.from.row + j * p.from.col];
  }
};

}  // namespace Batchwork::Impl

#endif

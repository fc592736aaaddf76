// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// LuHost: the kernel of lu, solve_lu, inverse and determinant on a host. A thread has an item on
/// its stack.
#ifndef BATCHWORK_LUHOST_HPP
#define BATCHWORK_LUHOST_HPP

#include <cstddef>
#include <cstdint>

#include "dense/lu/detail/Batchwork_LuProblem.hpp"
#include "dense/lu/detail/Batchwork_LuSolutions.hpp"
#include "dense/lu/detail/Batchwork_RowsInMemory.hpp"

namespace Batchwork::Impl {

/// Rows of the largest item that a host's thread takes: half a megabyte of its stack.
inline constexpr int lu_rows_on_host = 256;

/// An item by a thread.
/// \param numbers  p.n * leading
/// \param x        p.n * chunk, for so many right-hand sides at once
/// \param place    p.n, as order
template <class T>
void lu_by_thread(LuProblem<T> const& p, std::int64_t item, int leading, T* numbers, T* x,
                  int chunk, std::int16_t* place, std::int16_t* order) {
  LoneLane const lane;
  int const n = p.n;
  T const* const a = item_of(p.a, item);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) numbers[i * leading + j] = a[i * p.a.row + j * p.a.col];
  RowsInMemory<T, LoneLane> rows{lane, n, leading, numbers, place, order, nullptr};
  rows.begin();
  std::int32_t code = eliminate(rows);
  if (p.result == LuResult::factors) {
    T* const lu = item_of(p.lu, item);
    std::int32_t* const to = item_of(p.order, item);
    for (int k = 0; k < n; ++k) {
      for (int j = 0; j < n; ++j) lu[k * p.lu.row + j * p.lu.col] = numbers[order[k] * leading + j];
      to[k * p.order.row] = order[k];
    }
  } else if (p.result == LuResult::determinant) {
    code = p.put_determinant(item, rows.determinant(), code);
  } else {
    code = put_solutions(p, rows, x, chunk, item, true, code);
  }
  if (p.status.wanted()) p.status.put(item, code);
}

/// Rows: how many there is room for.
template <class T, int Rows>
struct LuHost {
  LuProblem<T> p;
  std::int64_t per_chunk;

  void operator()(std::int64_t chunk) const {
    alignas(64) T numbers[std::size_t(Rows) * Rows];
    alignas(64) T x[std::size_t(Rows) * most_lu_columns];
    std::int16_t place[Rows], order[Rows];
    std::int64_t const begin = chunk * per_chunk,
                       end = begin + per_chunk < p.items ? begin + per_chunk : p.items;
    // Rows that fill whole vectors of the processor.
    int const leading = p.n < Rows ? (p.n + 7) / 8 * 8 : p.n;
    for (std::int64_t item = begin; item < end; ++item)
      lu_by_thread(p, item, leading, numbers, x, most_lu_columns, place, order);
  }
};

}  // namespace Batchwork::Impl

#endif

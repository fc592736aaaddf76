// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The problem of a gemm as pointers and strides, and the rearrangements that leave its kernels few
/// cases. A product may be transposed as a whole (C' = B' A'). If A is shared, the columns of all
/// items are columns of one wide matrix.
#ifndef BATCHWORK_GEMMPROBLEM_HPP
#define BATCHWORK_GEMMPROBLEM_HPP

#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/detail/Batchwork_Macros.hpp"
#include "view/detail/layout/Batchwork_Shape.hpp"

namespace Batchwork::Impl {

/// Entry (i, j) of item n is data[n * item + i * row + j * col]. Items may be anywhere: if begins
/// is not null, it is data[begins[n] + i * row + j * col].
template <class T>
struct GemmSide {
  T* data = nullptr;
  std::int64_t item = 0, row = 0, col = 0;
  std::int64_t const* begins = nullptr;

  GemmSide turned() const { return {data, item, col, row, begins}; }
  BATCHWORK_INLINE T* of_item(std::int64_t n) const {
    return data + (begins == nullptr ? n * item : begins[n]);
  }
};

/// C_n = alpha A_n B_n + beta C_n for every item n: M x K by K x N.
template <class T>
struct GemmProblem {
  GemmSide<T const> a, b;
  GemmSide<T> c;
  std::int64_t items = 0, m = 0, n = 0, k = 0;
  T alpha = 1, beta = 0;
  bool shared_a = false, shared_b = false;

  /// The same product seen from the other side.
  void turn() {
    auto const left = a;
    a = b.turned();
    b = left.turned();
    c = c.turned();
    std::swap(m, n);
    std::swap(shared_a, shared_b);
  }

  /// Items and columns change places: of a shared A every column of every item is multiplied by the
  /// same matrix, so it does not matter which of the two is called which.
  void exchange_items_and_columns() {
    std::swap(items, n);
    std::swap(b.item, b.col);
    std::swap(c.item, c.col);
  }
};

/// A shared operand that is a View.
struct GemmViewed {};
/// One that comes with the launch: fixed(value), in so many bytes. There are two sizes, so that
/// there are few kernels. The larger one holds 32 x 32 numbers of double.
inline constexpr std::size_t bytes_of_small_fixed = 2048,
                             bytes_of_large_fixed = 32 * 32 * sizeof(double);
template <class T, std::size_t Bytes = bytes_of_small_fixed>
struct GemmFixed {
  T values[Bytes / sizeof(T)];
};
template <class X>
inline constexpr bool is_gemm_fixed = false;
template <class T, std::size_t Bytes>
inline constexpr bool is_gemm_fixed<GemmFixed<T, Bytes>> = true;

/// For devices. Of shared operands only A is left. Columns of C, not rows, are side by side in
/// memory if A is not shared. If it is, items take the role of columns where they are the closer
/// neighbours (interleaved batches, vectors). If the columns of all items are equally far apart,
/// all items are one. Items anywhere keep their role.
template <class T>
GemmProblem<T> arranged_for_device(GemmProblem<T> p) {
  if (p.alpha == T(0)) p.k = 0;
  if (p.shared_b || (!p.shared_a && p.c.row < p.c.col)) p.turn();
  if (p.shared_a && p.b.begins == nullptr && p.c.begins == nullptr) {
    if (p.n == 1 || (p.items > 1 && p.c.item < p.c.col)) p.exchange_items_and_columns();
    if (p.items == 1 || (p.b.item == p.n * p.b.col && p.c.item == p.n * p.c.col)) {
      p.n *= p.items;
      p.items = 1;
    }
  }
  return p;
}

/// For hosts: columns of C are side by side, where rows or columns are.
template <class T>
GemmProblem<T> arranged_for_host(GemmProblem<T> p) {
  if (p.alpha == T(0)) p.k = 0;
  if (p.c.row < p.c.col) p.turn();
  return p;
}

}  // namespace Batchwork::Impl

#endif

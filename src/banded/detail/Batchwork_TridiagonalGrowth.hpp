// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What lanes that share an item of solve_tridiagonal know of its accuracy: how large numbers
/// became while rows were eliminated, and what is left of the rows whose elimination is not seen.
#ifndef BATCHWORK_TRIDIAGONALGROWTH_HPP
#define BATCHWORK_TRIDIAGONALGROWTH_HPP

#include <cstdint>
#include <limits>

#include "banded/detail/Batchwork_TridiagonalProblem.hpp"

namespace Batchwork::Impl {

/// The size of a number in 32 bits that are ordered as sizes are, by whole numbers, which are
/// faster than to compare: its first ones, without the sign. NaN is the largest.
template <class T>
struct SizeBits {
  static constexpr int mantissa = sizeof(T) == 4 ? 23 : 20;
  static constexpr std::uint32_t infinite = sizeof(T) == 4 ? 0x7f800000u : 0x7ff00000u;
  static constexpr std::uint32_t without_row = ~std::uint32_t(most_tridiagonal_rows - 1);
  static_assert((most_tridiagonal_rows & (most_tridiagonal_rows - 1)) == 0);

  static BATCHWORK_INLINE std::uint32_t of(T x) {
    if constexpr (sizeof(T) == 4) return Kokkos::bit_cast<std::uint32_t>(x) & 0x7fffffffu;
    else return std::uint32_t(Kokkos::bit_cast<std::uint64_t>(x) >> 32) & 0x7fffffffu;
  }
  /// The last bits are the row: the largest such number is the largest size, and tells where.
  static BATCHWORK_INLINE std::uint32_t of(T x, int row) {
    return (of(x) & without_row) | std::uint32_t(row);
  }
  static BATCHWORK_INLINE int row(std::uint32_t bits) { return int(bits & ~without_row); }
  /// The size again, rounded downwards.
  static BATCHWORK_INLINE T size(std::uint32_t bits) {
    if constexpr (sizeof(T) == 4) return Kokkos::bit_cast<float>(bits);
    else return Kokkos::bit_cast<double>(std::uint64_t(bits) << 32);
  }
};

/// Largest sizes, of a lane's rows at first.
///
/// The backward error of an eliminated row is at most u (17 g + 12) times the largest number of the
/// matrix and of x. Here g is growth_limit and u half of epsilon. Source: Higham, Accuracy and
/// Stability of Numerical Algorithms, section 9.6, with one column more. The last rows of parts
/// are solved in ways that leave more to see: they are put into the original equations.
template <class T>
struct TridiagonalGrowth {
  using Bits = SizeBits<T>;
  /// What may be left of such a row, over the largest number of the matrix and of x: far more than
  /// rounding leaves.
  static constexpr T most_left = T(32) * std::numeric_limits<T>::epsilon();

  std::uint32_t matrix = 0;  ///< a number of the matrix
  std::uint32_t grown = 0;   ///< a number of the elimination, with its row
  std::uint32_t left = 0;    ///< b - A x in the last row of a part, with the row
  std::uint32_t x = 0;       ///< a number of x

  static BATCHWORK_INLINE void raise(std::uint32_t& largest, std::uint32_t other) {
    if (other > largest) largest = other;
  }
  BATCHWORK_INLINE void add_matrix(T lower, T diagonal, T upper) {
    raise(matrix, Bits::of(lower));
    raise(matrix, Bits::of(diagonal));
    raise(matrix, Bits::of(upper));
  }
  BATCHWORK_INLINE void add_grown(T number, int row) { raise(grown, Bits::of(number, row)); }
  BATCHWORK_INLINE void add_left(T number, int row) { raise(left, Bits::of(number, row)); }
  BATCHWORK_INLINE void add_x(T number) { raise(x, Bits::of(number)); }
  BATCHWORK_INLINE void add(TridiagonalGrowth const& other) {
    raise(matrix, other.matrix);
    raise(grown, other.grown);
    raise(left, other.left);
    raise(x, other.x);
  }
  BATCHWORK_INLINE bool is_finite() const { return x < Bits::infinite; }
  /// Of the item, after the sizes of all its lanes were combined.
  BATCHWORK_INLINE void record(TridiagonalFailure& failure) const {
    T const largest = Bits::size(matrix);
    if (!is_finite()) failure.add(TridiagonalFailure::of_result);
    if (Bits::size(grown & Bits::without_row) > growth_limit<T> * largest)
      failure.add_inaccurate(Bits::row(grown));
    // The quotient, since the product may overflow.
    if (Bits::size(left & Bits::without_row) / largest > most_left * Bits::size(x))
      failure.add_inaccurate(Bits::row(left));
  }
};

}  // namespace Batchwork::Impl

#endif

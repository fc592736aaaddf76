// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Operations of scalars and tiles that do not compile, with their messages: assignments that would
/// be lost, scalars as plain numbers, printing.
#ifndef BATCHWORK_REFUSED_HPP
#define BATCHWORK_REFUSED_HPP

#include <type_traits>

#include "core/detail/Batchwork_Macros.hpp"
#include "tile/types/detail/Batchwork_TileTraits.hpp"

namespace Batchwork::Impl {

template <class...>
inline constexpr bool never = false;

template <class X>
constexpr void refuse_lost_entry() {
  static_assert(never<X>,
                "Batchwork: this assigns to a temporary scalar and would be lost; write a(i, j) = "
                "x or v(i) = x, where a or v is a named tile that is not const. Entries of const "
                "tiles, of results and by element(a, i, j) can only be read");
}
template <class X>
constexpr void refuse_lost_tile() {
  static_assert(never<X>,
                "Batchwork: this assigns to a temporary tile and would be lost; block, row, "
                "column, transpose and similar functions return copies; write assign_block(a, i, "
                "j, b), or a(i, j) = x");
}
template <class... X>
constexpr void refuse_number() {
  static_assert(
      never<X...>,
      "Batchwork: a scalar is a number for each item and does not convert to a plain number; write "
      "sqrt(x) without std:: or Kokkos::, select(mask, a, b) instead of a branch, auto y = x "
      "instead of double y = x, and apply(f, x) for a function of plain numbers");
}
template <class X>
constexpr void refuse_print() {
  static_assert(
      never<X>,
      "Batchwork: a scalar or tile holds numbers of several items, which printf and << do not "
      "print; write print(mask, \"x\", x), which prints the items whose mask is true");
}
template <class X>
constexpr void refuse_number_beside_tile() {
  static_assert(
      never<X>,
      "Batchwork: a number is not added to a tile; write x + c * ones<N>(x), for a matrix ones<M, "
      "N>(x), to add it to each entry, x + c * identity<N>(x) to add it to the diagonal, or t(0, "
      "0) "
      "+ c if the tile t is 1 x 1 (t(0) + c for a vector of 1)");
}
template <class X>
constexpr void refuse_number_to_choose() {
  static_assert(never<X>,
                "Batchwork::select: one choice is a tile and the other a number; write zero<M, "
                "N>(x) or constant<M, N>(c, x) instead of the number");
}
template <class X>
constexpr void refuse_sum_in_number() {
  static_assert(never<X>,
                "Batchwork: a plain number cannot hold a number for each item; start the sum as "
                "auto s = zero(x), with x a scalar or tile of the sequence");
}

/// Empty bases of scalars and tiles, so that functions called with them are looked up here and not
/// in the rest of Impl.
namespace ByAdl {

struct OfScalars {};

template <class X>
concept OfSequences = is_scalar_tile<X> || requires {
  typename X::value_type;
  X::rows;
  X::structure;
};

/// Does not compile; the message says what to write instead of printf("%g", x).
template <class... X>
  requires(OfSequences<X> || ...)
BATCHWORK_INLINE int printf(char const*, X const&...) {
  (refuse_print<X>(), ...);
  return 0;
}

}  // namespace ByAdl
}  // namespace Batchwork::Impl

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// TileTraits: the kind of a tile or scalar, as far as code depends on it. Code asks the traits
/// rather than for some member; the header of each kind specialises them.
#ifndef BATCHWORK_TILETRAITS_HPP
#define BATCHWORK_TILETRAITS_HPP

#include <type_traits>

namespace Batchwork::Impl {

struct NoSpecialTile {
  /// Scalar: one number, `value`.
  static constexpr bool is_scalar = false;
  static constexpr bool is_log_sum = false;
  /// The Transposed tile of its `original`.
  static constexpr bool is_transposed = false;
  /// Common to all items and read in place, or the transpose of such a tile.
  static constexpr bool is_read_in_place = false;
  /// Staged: numbers `a` with rows `leading` apart. StagedFixed: the same, with `values` among the
  /// kernel arguments as well.
  static constexpr bool is_staged = false, is_staged_fixed = false;
  /// Fragments: lanes hold blocks, as matrix instructions do.
  static constexpr bool is_fragments = false;
  /// WholeSymmetric: lanes hold both triangles, their rows are their columns.
  static constexpr bool holds_whole = false;
};
template <class X>
struct TileTraits : NoSpecialTile {};

template <class X>
inline constexpr bool is_scalar_tile = TileTraits<std::remove_cvref_t<X>>::is_scalar;
template <class X>
inline constexpr bool is_log_sum = TileTraits<std::remove_cvref_t<X>>::is_log_sum;
template <class X>
inline constexpr bool is_transposed = TileTraits<std::remove_cvref_t<X>>::is_transposed;
template <class X>
inline constexpr bool is_read_in_place = TileTraits<std::remove_cvref_t<X>>::is_read_in_place;
template <class X>
inline constexpr bool is_staged = TileTraits<std::remove_cvref_t<X>>::is_staged;
template <class X>
inline constexpr bool is_staged_fixed = TileTraits<std::remove_cvref_t<X>>::is_staged_fixed;
template <class X>
inline constexpr bool is_fragments = TileTraits<std::remove_cvref_t<X>>::is_fragments;
template <class X>
inline constexpr bool holds_whole = TileTraits<std::remove_cvref_t<X>>::holds_whole;

}  // namespace Batchwork::Impl

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// TileTraits: of which kind a tile or scalar is, as far as texts differ by it. They ask this, not whether it has some member;
/// the header of a kind specialises it.
#ifndef BATCHWORK_TILETRAITS_HPP
#define BATCHWORK_TILETRAITS_HPP

#include <type_traits>

namespace Batchwork::Impl {

struct NoSpecialTile {
  static constexpr bool is_scalar = false;      ///< Scalar: one number, `value`
  static constexpr bool is_log_sum = false;     ///< LogSum
  static constexpr bool is_transposed = false;  ///< Transposed, of its `original`
  static constexpr bool is_read_in_place =
      false;  ///< common to all items and read where it stands, or the transpose of such a tile
  static constexpr bool is_staged = false;  ///< Staged: numbers `a`, rows `leading` apart
  static constexpr bool is_staged_fixed =
      false;  ///< StagedFixed: a Staged of which `values` are among the arguments, too
  static constexpr bool is_fragments =
      false;  ///< Fragments: lanes hold blocks, as matrix instructions do
  static constexpr bool holds_whole =
      false;  ///< WholeSymmetric: lanes hold both triangles, their rows are their columns
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

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What every tile has in common: extents, the type `S` its entries are held as, its structure, and read access.
#ifndef BATCHWORK_TILE_HPP
#define BATCHWORK_TILE_HPP

#include <type_traits>

#include "tile/Batchwork_Scalar.hpp"

namespace Batchwork {

/// What is known of a tile's entries from its type: zeros are neither stored nor multiplied.
enum class Structure { general, symmetric, lower, upper, diagonal };

/// A tile is one item's small matrix or vector inside the kernel. It has
///   value_type, rows, cols, structure, is_vector (a column),
///   entry(i, j)   one entry by value, zeros of the structure included,
///   info          the item's status, merged from everything the tile was computed from.
template <class X>
concept Tile = requires(std::remove_cvref_t<X> const& x) {
  typename std::remove_cvref_t<X>::value_type;
  { std::remove_cvref_t<X>::rows } -> std::convertible_to<int>;
  { std::remove_cvref_t<X>::cols } -> std::convertible_to<int>;
  { std::remove_cvref_t<X>::structure } -> std::convertible_to<Structure>;
  x.entry(0, 0);
  x.info;
};

/// The `S` of a tile.
template <Tile X>
using held_t = typename std::remove_cvref_t<X>::value_type;

namespace Impl {

template <class X>
inline constexpr int rows_of = std::remove_cvref_t<X>::rows;
template <class X>
inline constexpr int cols_of = std::remove_cvref_t<X>::cols;
template <class X>
inline constexpr Structure structure_of = std::remove_cvref_t<X>::structure;

/// Whether entry (i, j) is zero by structure.
KOKKOS_FORCEINLINE_FUNCTION constexpr bool structurally_zero(Structure s, int i, int j) {
  return (s == Structure::lower && j > i) || (s == Structure::upper && j < i) ||
         (s == Structure::diagonal && i != j);
}

/// Whether a tile is common to all items and read where it stands, or is the transpose of one that is.
template <class X>
inline constexpr bool is_staged = false;
template <class X>
  requires requires { X::is_staged; }
inline constexpr bool is_staged<X> = X::is_staged;

/// Index of (i, j), j <= i, in a triangle stored row by row.
KOKKOS_FORCEINLINE_FUNCTION constexpr int triangle_index(int i, int j) {
  return i * (i + 1) / 2 + j;
}

KOKKOS_FORCEINLINE_FUNCTION constexpr Structure transposed(Structure s) {
  return s == Structure::lower ? Structure::upper : s == Structure::upper ? Structure::lower : s;
}

/// Whether registers hold a single item per lane: then arrays must be indexed by constants and stored packed.
template <class S>
inline constexpr bool one_item_per_lane = HeldTraits<S>::width == 1;

/// Rows and columns of the register block of a product: as many independent accumulators as hide the latency of
/// a multiply-add without spilling (16 or 32 vector registers).
#if defined(__AVX512F__) || defined(__aarch64__)
inline constexpr int block_rows = 4, block_cols = 4;
#else
inline constexpr int block_rows = 2, block_cols = 4;
#endif

/// Packs: up to the first extent tiles live in registers and every loop over one is unrolled; up to the second a
/// tile's register blocks have constant indices.
inline constexpr int extent_in_registers = 4, extent_of_constant_blocks = 8;

KOKKOS_FORCEINLINE_FUNCTION constexpr int at_most(int limit, int n) {
  return n < limit ? n : limit;
}

}  // namespace Impl
}  // namespace Batchwork

#endif

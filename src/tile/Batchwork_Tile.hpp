// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What every tile has in common: extents, the type `S` of its values, its structure, and read
/// access.
#ifndef BATCHWORK_TILE_HPP
#define BATCHWORK_TILE_HPP

#include <cstddef>
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
using value_t = typename std::remove_cvref_t<X>::value_type;

namespace Impl {

/// What functions of entries are of, and what constants are made like.
template <class X>
concept ScalarOrTile = Tile<X> || ScalarTile<X>;

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

/// True, or the compiler says that an operation does not take integers.
template <class... X>
constexpr bool require_no_integers() {
  constexpr bool good = (!holds_integers<typename std::remove_cvref_t<X>::value_type> && ...);
  static_assert(good,
                "Batchwork: tiles of integers have sums, products and select; for quotients, "
                "factorisations and solves convert them: as<double>(a)");
  return good;
}

/// True, or the compiler says that an operation does not take complex numbers, or integers.
template <class... X>
constexpr bool require_no_complex() {
  [[maybe_unused]] constexpr bool no_integers = require_no_integers<X...>();
  constexpr bool real = (!is_complex<typename std::remove_cvref_t<X>::value_type> && ...);
  static_assert(
      real,
      "Batchwork: this operation is of real numbers; tiles of complex ones have sums, products, "
      "conjugate_transpose, norms, triangular solves, lu, cholesky and qr");
  return real;
}
/// True, or the compiler says that an operation takes neither complex numbers nor derivatives.
template <class... X>
constexpr bool require_real() {
  constexpr bool constant = (!is_dual<typename std::remove_cvref_t<X>::value_type> && ...);
  static_assert(constant,
                "Batchwork: this operation has no derivatives; tiles with derivatives have sums, "
                "products, symmetric products, norms, triangular solves, lu, cholesky and qr");
  return require_no_complex<X...>() && constant;
}

/// Where an entry of a tile stands.
struct Place {
  int row, col;
};

/// Index of (i, j), j <= i, in a triangle stored row by row.
KOKKOS_FORCEINLINE_FUNCTION constexpr int triangle_index(int i, int j) {
  return i * (i + 1) / 2 + j;
}

KOKKOS_FORCEINLINE_FUNCTION constexpr Structure transposed(Structure s) {
  return s == Structure::lower ? Structure::upper : s == Structure::upper ? Structure::lower : s;
}

/// Whether registers hold a single item per lane: then arrays must be indexed by constants and
/// stored without gaps.
template <class S>
inline constexpr bool one_item_per_lane = ValueTraits<S>::width == 1;

/// Whether the entries of a tile are packs, not numbers common to all items.
template <class X>
inline constexpr bool has_pack_values = !one_item_per_lane<value_t<X>>;

/// Rows and columns of the register block of a product: as many independent accumulators as hide
/// the latency of a multiply-add without spilling (16 or 32 vector registers).
#if defined(__AVX512F__) || defined(__aarch64__)
inline constexpr int block_rows = 4, block_cols = 4;
#else
inline constexpr int block_rows = 2, block_cols = 4;
#endif

/// Packs: up to the first extent tiles live in registers and every loop over one is unrolled; up to
/// the second a tile's register blocks have constant indices.
inline constexpr int extent_in_registers = 4, extent_of_constant_blocks = 8;

/// Where the entries of a tile stand: (i, j) at first[i * Row + j * Col]. Loops over packs count
/// pointers on by these strides; from indices compilers make an address for every entry of a
/// register block and run out of registers.
template <class E, int Row, int Col>
struct EntryPointer {
  static constexpr int row = Row, col = Col;
  E* first;
  BATCHWORK_INLINE E* at(int i, int j) const {
    return first + (std::ptrdiff_t(i) * Row + std::ptrdiff_t(j) * Col);
  }
};
template <class E, int Row, int Col>
BATCHWORK_INLINE EntryPointer<E, Col, Row> transposed(EntryPointer<E, Row, Col> const& p) {
  return {p.first};
}

/// Whether all entries of a tile, zeros of its structure included, stand where a pointer says.
template <class X>
concept HasEntryPointer = requires(X const& x) { x.pointer(); };

/// From one row of a tile of packs to the next. Rows of a multiple of 1 KB would put the entries of
/// a column into an eighth or less of the first cache's sets, which then hold no column panel of a
/// product: such rows are a line longer.
template <class S>
constexpr int pitch_of(int cols) {
  if constexpr (one_item_per_lane<S>) return cols;
  else
    return cols * int(sizeof(S)) % 1024 != 0 ? cols
                                             : cols + (sizeof(S) < 64 ? 64 / int(sizeof(S)) : 1);
}

KOKKOS_FORCEINLINE_FUNCTION constexpr int at_most(int limit, int n) {
  return n < limit ? n : limit;
}

}  // namespace Impl
}  // namespace Batchwork

#endif

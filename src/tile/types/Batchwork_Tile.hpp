// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The common interface of all tiles: extents, value type `S`, structure, and read access.
#ifndef BATCHWORK_TILE_HPP
#define BATCHWORK_TILE_HPP

#include <cstddef>
#include <type_traits>

#include "tile/types/Batchwork_Scalar.hpp"

namespace Batchwork {

/// The structure of a tile's entries that its type determines. Zeros are neither stored nor
/// multiplied.
enum class Structure {
  general,    ///< any entry may be nonzero
  symmetric,  ///< entry (i, j) is entry (j, i)
  lower,      ///< zero above the diagonal
  upper,      ///< zero below the diagonal
  diagonal    ///< zero off the diagonal
};

/// A tile is the small matrix or vector of one item inside the kernel. Its members:
///
/// - value_type, rows, cols, structure, is_vector (whether it is a column);
/// - entry(i, j), one entry by value, including zeros of the structure;
/// - info, the status of the item, merged from all data from which the tile was computed.
template <class X>
concept Tile = requires(std::remove_cvref_t<X> const& x) {
  typename std::remove_cvref_t<X>::value_type;
  { std::remove_cvref_t<X>::rows } -> std::convertible_to<int>;
  { std::remove_cvref_t<X>::cols } -> std::convertible_to<int>;
  { std::remove_cvref_t<X>::structure } -> std::convertible_to<Structure>;
  x.entry(0, 0);
  x.info;
};

/// The value type `S` of a tile.
template <Tile X>
using value_t = typename std::remove_cvref_t<X>::value_type;

namespace Impl {

/// The operands of functions of entries, and the models for constants.
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

/// True; otherwise a compile-time error says that an operation does not accept integers.
template <class... X>
constexpr bool require_no_integers() {
  constexpr bool good = (!holds_integers<typename std::remove_cvref_t<X>::value_type> && ...);
  static_assert(good,
                "Batchwork: tiles of integers have sums, products and select; for quotients, "
                "factorisations and solves convert them: as<double>(a)");
  return good;
}

/// True; otherwise a compile-time error says that an operation does not accept complex numbers or
/// integers.
template <class... X>
constexpr bool require_no_complex() {
  [[maybe_unused]] constexpr bool no_integers = require_no_integers<X...>();
  constexpr bool real = (!is_complex<typename std::remove_cvref_t<X>::value_type> && ...);
  static_assert(
      real,
      "Batchwork: this operation takes real numbers only; tiles of complex numbers have sums, "
      "products, conjugate_transpose, norms, triangular solves, lu, cholesky and qr");
  return real;
}
/// True; otherwise a compile-time error says that an operation accepts neither complex numbers nor
/// derivatives.
template <class... X>
constexpr bool require_real() {
  constexpr bool constant = (!is_dual<typename std::remove_cvref_t<X>::value_type> && ...);
  static_assert(constant,
                "Batchwork: this operation has no derivatives; tiles with derivatives have sums, "
                "products, symmetric products, norms, triangular solves, lu, cholesky and qr");
  return require_no_complex<X...>() && constant;
}

/// The position of an entry in a tile.
struct Place {
  int row, col;
};

/// The index of (i, j), j <= i, in a triangle that is stored row by row.
KOKKOS_FORCEINLINE_FUNCTION constexpr int triangle_index(int i, int j) {
  return i * (i + 1) / 2 + j;
}

KOKKOS_FORCEINLINE_FUNCTION constexpr Structure transposed(Structure s) {
  return s == Structure::lower ? Structure::upper : s == Structure::upper ? Structure::lower : s;
}

/// Whether registers hold a single item for each lane. Then arrays must be indexed by constants and
/// stored without gaps.
template <class S>
inline constexpr bool one_item_per_lane = ValueTraits<S>::width == 1;

/// Whether the entries of a tile are packs rather than numbers common to all items.
template <class X>
inline constexpr bool has_pack_values = !one_item_per_lane<value_t<X>>;

/// Rows and columns of the register block of a product: enough independent accumulators to hide the
/// latency of a multiply-add, without spills (16 or 32 vector registers).
#if defined(__AVX512F__) || defined(__aarch64__)
inline constexpr int block_rows = 4, block_cols = 4;
#else
inline constexpr int block_rows = 2, block_cols = 4;
#endif

/// Packs: up to the first extent tiles are kept in registers and every loop over them is unrolled;
/// up to the second the register blocks of a tile have constant indices.
inline constexpr int extent_in_registers = 4, extent_of_constant_blocks = 8;

/// The address of a tile's entries: (i, j) is first[i * Row + j * Col]. Loops over packs increment
/// pointers by these strides; with indices compilers compute an address for every entry of a
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

/// Whether all entries of a tile, including zeros of its structure, are stored at a pointer.
template <class X>
concept HasEntryPointer = requires(X const& x) { x.pointer(); };

/// The distance between rows in a tile of packs. With rows of a multiple of 1 KB the entries of a
/// column would share an eighth or less of the sets of the first-level cache, too few for a column
/// panel of a product. Such rows are one cache line longer.
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

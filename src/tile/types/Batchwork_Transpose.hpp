// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// transpose(x): the transpose without a copy of a named tile; a temporary is stored in the result.
#ifndef BATCHWORK_TRANSPOSE_HPP
#define BATCHWORK_TRANSPOSE_HPP

#include "tile/types/Batchwork_Structured.hpp"

namespace Batchwork {

/// The result of transpose(x). `Original` is `X const&` for a named tile and `X` for a temporary.
template <class Original>
struct BATCHWORK_NODISCARD Transposed {
  using X = std::remove_cvref_t<Original>;
  using value_type = typename X::value_type;  ///< the type of an entry
  static constexpr int rows = X::cols;        ///< the number of rows
  static constexpr int cols = X::rows;        ///< the number of columns
  static constexpr Structure structure = Impl::transposed(X::structure);
  static constexpr bool is_vector = false;

  Original original;        ///< the tile, or a reference to it
  info_t<value_type> info;  ///< the status of the item

  /// Entry (i, j), which is entry (j, i) of the original.
  BATCHWORK_INLINE value_type entry(int i, int j) const { return original.entry(j, i); }
  // The same as that of IndexedToRead, which an aggregate cannot have as its first base.
  /// Entry (i, j), or entry i of a row or column, as a scalar with the status.
  template <class... I>
  BATCHWORK_INLINE auto operator()(I... i) const {
    return Impl::read_entry(*this, i...);
  }
  template <class Y>
  BATCHWORK_INLINE void operator=(Y const&) && {
    Impl::refuse_lost_tile<Y>();
  }
  BATCHWORK_INLINE auto pointer() const
    requires Impl::HasEntryPointer<X>
  {
    return Impl::transposed(original.pointer());
  }
};

namespace Impl {
template <class Original>
struct TileTraits<Transposed<Original>> : NoSpecialTile {
  static constexpr bool is_transposed = true;
  static constexpr bool is_read_in_place = Impl::is_read_in_place<Original>;
};
template <class X>
inline constexpr bool is_transposed_fragments = false;
template <class Original>
inline constexpr bool is_transposed_fragments<Transposed<Original>> = is_fragments<Original>;
}  // namespace Impl

/// The transpose of x. Symmetric and diagonal tiles are returned unchanged, and the transpose of a
/// transpose is the original tile.
/// ```cpp
/// auto const s = transpose(g) * p * g;
/// ```
/// \param x  a tile
/// \returns a tile that refers to x, or contains it if x is a temporary
template <Tile X>
  requires(!Impl::is_transposed<X>)
BATCHWORK_INLINE auto transpose(X&& x) {
  using Y = std::remove_cvref_t<X>;
  if constexpr (Y::structure == Structure::symmetric || Y::structure == Structure::diagonal) {
    return Y(x);
  } else if constexpr (std::is_lvalue_reference_v<X>) {
    return Transposed<Y const&>{x, x.info};
  } else {
    return Transposed<Y>{x, x.info};
  }
}
/// The transpose of a transpose: the original tile.
template <class Original>
BATCHWORK_INLINE auto transpose(Transposed<Original> const& x) {
  return x.original;
}

}  // namespace Batchwork

#endif

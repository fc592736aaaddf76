// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// transpose(x): lazy, no copy of a named tile; a temporary is owned.
#ifndef BATCHWORK_TRANSPOSE_HPP
#define BATCHWORK_TRANSPOSE_HPP

#include "tile/Batchwork_Structured.hpp"

namespace Batchwork {

/// `Held` is `X const&` for a named tile and `X` for a temporary.
template <class Held>
struct Transposed {
  using X = std::remove_cvref_t<Held>;
  using value_type = typename X::value_type;
  static constexpr int rows = X::cols;
  static constexpr int cols = X::rows;
  static constexpr Structure structure = Impl::transposed(X::structure);
  static constexpr bool is_vector = false;
  static constexpr bool is_staged = Impl::is_staged<X>;

  Held held;
  info_t<value_type> info;

  BATCHWORK_INLINE value_type entry(int i, int j) const { return held.entry(j, i); }
  /// As that of NotIndexed, which an aggregate cannot begin with.
  template <class... Index>
  BATCHWORK_INLINE auto operator()(Index...) const {
    return Impl::refuse_index<Index...>();
  }
  BATCHWORK_INLINE auto place() const
    requires Impl::HasPlace<X>
  {
    return Impl::transposed(held.place());
  }
};

namespace Impl {
template <class X>
inline constexpr bool is_transposed = false;
template <class Held>
inline constexpr bool is_transposed<Transposed<Held>> = true;
template <class X>
inline constexpr bool is_transposed_fragments = false;
template <class Held>
inline constexpr bool is_transposed_fragments<Transposed<Held>> =
    is_fragments<std::remove_cvref_t<Held>>;
}  // namespace Impl

/// The transpose of x. A symmetric or diagonal tile is its own, and the transpose of a transpose is the tile itself.
template <Tile X>
  requires(!Impl::is_transposed<std::remove_cvref_t<X>>)
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
template <class Held>
BATCHWORK_INLINE auto transpose(Transposed<Held> const& x) {
  return x.held;
}

}  // namespace Batchwork

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// conjugate_transpose(x): the conjugate transpose without a copy of a named tile; a temporary is
/// stored in the result. For real numbers it is transpose(x).
#ifndef BATCHWORK_CONJUGATE_TRANSPOSE_HPP
#define BATCHWORK_CONJUGATE_TRANSPOSE_HPP

#include <type_traits>
#include <utility>

#include "tile/Batchwork_ComplexParts.hpp"

namespace Batchwork {

/// The result of conjugate_transpose(x). `Original` is `X const&` for a named tile and `X` for a
/// temporary.
template <class Original>
struct BATCHWORK_NODISCARD ConjugateTransposed : Transposed<Original> {
  using Base = Transposed<Original>;
  using value_type = typename Base::value_type;  ///< the type of an entry
  using Base::original;

  /// Entry (i, j): the conjugate of entry (j, i) of the original.
  BATCHWORK_INLINE value_type entry(int i, int j) const {
    return Impl::conj(value_type(original.entry(j, i)));
  }
  /// Entry (i, j), or entry i of a row, as a scalar with the status.
  template <class... I>
  BATCHWORK_INLINE auto operator()(I... i) const {
    return Impl::read_entry(*this, i...);
  }
  template <class Y>
  BATCHWORK_INLINE void operator=(Y const&) && {
    Impl::refuse_lost_tile<Y>();
  }
  // The entries are not stored anywhere in this form.
  void pointer() const = delete;
  BATCHWORK_INLINE auto inverse_diagonal(int i) const
    requires requires(typename Base::X const& x) { x.inverse_diagonal(i); }
  {
    return Impl::conj(original.inverse_diagonal(i));
  }
};

namespace Impl {
template <class Original>
struct TileTraits<ConjugateTransposed<Original>> : TileTraits<Transposed<Original>> {};
template <class X>
inline constexpr bool is_conjugate_transposed = false;
template <class Original>
inline constexpr bool is_conjugate_transposed<ConjugateTransposed<Original>> = true;
}  // namespace Impl

/// The conjugate transpose of x: entry (i, j) is the conjugate of x(j, i). For real numbers it is
/// transpose(x). The conjugate transpose of a conjugate transpose is the original tile.
/// transpose(x) does not conjugate.
/// ```cpp
/// auto const b = conjugate_transpose(a) * a;
/// ```
/// \param x  a tile
/// \returns a tile that refers to x, or contains it if x is a temporary
template <Tile X>
BATCHWORK_INLINE auto conjugate_transpose(X&& x) {
  using Y = std::remove_cvref_t<X>;
  if constexpr (!Impl::is_complex<value_t<Y>>) {
    return transpose(std::forward<X>(x));
  } else if constexpr (Y::structure == Structure::diagonal) {
    return conj(x);
  } else if constexpr (Impl::is_conjugate_transposed<Y>) {
    using Original = std::remove_cvref_t<decltype(x.original)>;
    return Original(x.original);
  } else if constexpr (Impl::is_transposed<Y>) {
    return conj(x.original);
  } else if constexpr (std::is_lvalue_reference_v<X>) {
    return ConjugateTransposed<Y const&>{{x, x.info}};
  } else {
    return ConjugateTransposed<Y>{{x, x.info}};
  }
}
/// The transpose of a conjugate transpose: the conjugates of the entries of the original tile.
template <class Original>
BATCHWORK_INLINE auto transpose(ConjugateTransposed<Original> const& x) {
  return conj(x.original);
}

}  // namespace Batchwork

#endif

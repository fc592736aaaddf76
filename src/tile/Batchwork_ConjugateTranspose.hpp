// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// conjugate_transpose(x): lazy, no copy of a named tile; a temporary is owned. Of real numbers it
/// is transpose(x).
#ifndef BATCHWORK_CONJUGATE_TRANSPOSE_HPP
#define BATCHWORK_CONJUGATE_TRANSPOSE_HPP

#include <type_traits>
#include <utility>

#include "tile/Batchwork_ComplexParts.hpp"

namespace Batchwork {

/// `Original` is `X const&` for a named tile and `X` for a temporary.
template <class Original>
struct BATCHWORK_NODISCARD ConjugateTransposed : Transposed<Original> {
  using Base = Transposed<Original>;
  using value_type = typename Base::value_type;
  using Base::original;

  BATCHWORK_INLINE value_type entry(int i, int j) const {
    return Impl::conj(value_type(original.entry(j, i)));
  }
  template <class... I>
  BATCHWORK_INLINE auto operator()(I... i) const {
    return Impl::read_entry(*this, i...);
  }
  template <class Y>
  BATCHWORK_INLINE void operator=(Y const&) && {
    Impl::refuse_lost_tile<Y>();
  }
  /// Entries do not stand anywhere as they are.
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

/// The conjugate transpose of x: entry (i, j) is the conjugate of x(j, i). Of real numbers, and of
/// what is its own transpose, as transpose(x); that of a conjugate transpose is the tile itself.
/// transpose(x) of complex numbers does not conjugate.
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
template <class Original>
BATCHWORK_INLINE auto transpose(ConjugateTransposed<Original> const& x) {
  return conj(x.original);
}

}  // namespace Batchwork

#endif

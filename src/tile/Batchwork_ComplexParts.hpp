// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// conj, real and imag of scalars and tiles; as_complex makes complex numbers from their parts.
#ifndef BATCHWORK_COMPLEX_PARTS_HPP
#define BATCHWORK_COMPLEX_PARTS_HPP

#include "tile/types/Batchwork_Sum.hpp"

namespace Batchwork {

namespace Impl {

struct ConjugateOf {
  template <class A>
  BATCHWORK_INLINE A operator()(A const& a) const {
    return conj(a);
  }
};
struct RealPartOf {
  template <class A>
  BATCHWORK_INLINE auto operator()(A const& a) const {
    return real(a);
  }
};
struct ImaginaryPartOf {
  template <class A>
  BATCHWORK_INLINE auto operator()(A const& a) const {
    return imag(a);
  }
};
struct FromParts {
  template <class A, class B>
  BATCHWORK_INLINE auto operator()(A const& a, B const& b) const {
    using R = promote_t<A, B>;
    return Complex<R>(R(a), R(b));
  }
};

/// f of each entry, as a tile with the same structure and values of type S.
template <class S, class F, class A>
BATCHWORK_INLINE auto part_of(F const& f, A const& a) {
  using D = deal_together_t<S, A>;
  using R = tile_of_t<D, rows_of<A>, cols_of<A>, structure_of<A>, A::is_vector>;
  R r = entrywise<R>(f, a);
  r.info = a.info;
  return r;
}

}  // namespace Impl

/// The complex conjugate of a scalar; a real number is returned unchanged.
template <class S>
BATCHWORK_INLINE Scalar<S> conj(Scalar<S> const& a) {
  return {Impl::conj(a.value), a.info};
}
/// The real part of a scalar.
template <class S>
BATCHWORK_INLINE Scalar<real_t<S>> real(Scalar<S> const& a) {
  return {Impl::real(a.value), a.info};
}
/// The imaginary part of a scalar, zero for a real number.
template <class S>
BATCHWORK_INLINE Scalar<real_t<S>> imag(Scalar<S> const& a) {
  return {Impl::imag(a.value), a.info};
}
/// The complex scalar re + i im. One of the parts may be a plain number.
/// \param re  a real scalar or number
/// \param im  a real scalar or number
template <class A, class B>
  requires ScalarOperands<A, B>
BATCHWORK_INLINE auto as_complex(A const& re, B const& im) {
  using R = Impl::scalar_pair_t<A, B>;
  static_assert(Impl::is_real_value<R>,
                "Batchwork::as_complex: the parts must be real numbers, and lanes must not share "
                "an item; launch(lanes<1>) gives each lane an item");
  Scalar<R> const x(re), y(im);
  return Scalar<Complex<R>>(Complex<R>(x.value, y.value), Impl::first_failure(x.info, y.info));
}

/// The complex conjugate of each entry of a tile.
template <Tile A>
BATCHWORK_INLINE auto conj(A const& a) {
  return Impl::part_of<value_t<A>>(Impl::ConjugateOf{}, a);
}
/// The real part of each entry of a tile.
template <Tile A>
BATCHWORK_INLINE auto real(A const& a) {
  return Impl::part_of<real_t<value_t<A>>>(Impl::RealPartOf{}, a);
}
/// The imaginary part of each entry of a tile.
template <Tile A>
BATCHWORK_INLINE auto imag(A const& a) {
  return Impl::part_of<real_t<value_t<A>>>(Impl::ImaginaryPartOf{}, a);
}
/// The complex tile re + i im, with the structure of the sum of both.
/// \param re  a tile of real numbers
/// \param im  a tile of real numbers with the same extents
template <Tile A, Tile B>
BATCHWORK_INLINE auto as_complex(A const& re, B const& im) {
  using R = promote_t<value_t<A>, value_t<B>>;
  static_assert(A::rows == B::rows && A::cols == B::cols,
                "Batchwork::as_complex: the tiles have different extents");
  static_assert(Impl::is_real_value<R>,
                "Batchwork::as_complex: the parts must be real numbers, and lanes must not share "
                "an item; launch(lanes<1>) gives each lane an item");
  using S = Complex<R>;
  using T = Impl::tile_of_t<S, A::rows, A::cols, Impl::sum_structure(A::structure, B::structure),
                            A::is_vector || B::is_vector>;
  T r = Impl::entrywise<T>(Impl::FromParts{}, re, im);
  r.info = Impl::merge_info<S>(re.info, im.info);
  return r;
}

}  // namespace Batchwork

#endif

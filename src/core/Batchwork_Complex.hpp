// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Complex<R>: the value type `S` of tiles of complex numbers. R is float or double (one lane holds
/// an item), or a Pack of them; a pack stores the real and the imaginary parts separately. The file
/// also gives real numbers the same functions (real_t, conj, real, square_of_size), so that
/// operations are written once.
#ifndef BATCHWORK_COMPLEX_HPP
#define BATCHWORK_COMPLEX_HPP

#include <Kokkos_Complex.hpp>
#include <concepts>
#include <type_traits>

#include "core/Batchwork_Value.hpp"
#include "core/detail/Batchwork_PowerOfTwo.hpp"

namespace Batchwork {

template <class R>
struct Complex;

namespace Impl {

template <class S>
inline constexpr bool is_complex = false;
template <class R>
inline constexpr bool is_complex<Complex<R>> = true;

/// A Kokkos::complex, the number type of Views of complex numbers.
template <class X>
inline constexpr bool is_kokkos_complex = false;
template <std::floating_point T>
inline constexpr bool is_kokkos_complex<Kokkos::complex<T>> = true;

/// A number or a pack of numbers.
template <class X>
inline constexpr bool is_real_value = std::is_floating_point_v<X>;
template <std::floating_point T, int W>
inline constexpr bool is_real_value<Pack<T, W>> = true;

template <class A, class B>
concept ComplexOperands =
    (is_complex<A> && (is_complex<B> || is_real_value<B>)) || (is_real_value<A> && is_complex<B>);

template <class S>
struct RealOf {
  using type = S;
};
template <class R>
struct RealOf<Complex<R>> {
  using type = R;
};

/// The number type in tiles for a View with numbers of type T.
template <class T>
struct NumberOf {
  using type = T;
};
template <class T>
struct NumberOf<Kokkos::complex<T>> {
  using type = Complex<T>;
};
template <class T>
using number_of_t = typename NumberOf<T>::type;

/// W numbers side by side.
template <class T, int W>
struct PackOf {
  using type = Pack<T, W>;
};
template <class T, int W>
struct PackOf<Complex<T>, W> {
  using type = Complex<Pack<T, W>>;
};

template <class R>
struct ValueTraits<Complex<R>> : ValueTraits<R> {};

template <class A, class B>
struct Promote<Complex<A>, Complex<B>> {
  using type = Complex<typename Promote<A, B>::type>;
};
template <class A, class B>
struct Promote<Complex<A>, B> {
  using type = Complex<typename Promote<A, B>::type>;
};
template <class A, class B>
struct Promote<A, Complex<B>> {
  using type = Complex<typename Promote<A, B>::type>;
};

template <class T, class M>
struct ValueForMask<Complex<T>, M> {
  using type = Complex<typename ValueForMask<T, M>::type>;
};

}  // namespace Impl

/// The real type that belongs to `S`: the type of the parts of a Complex, else S itself. It is the
/// type of norms and of the pivots of a Cholesky factor.
template <class S>
using real_t = typename Impl::RealOf<S>::type;

namespace Impl {
/// Whether the numbers are packs, as on hosts.
template <class S>
inline constexpr bool are_packs = !std::is_same_v<real_t<S>, scalar_t<S>>;
}  // namespace Impl

/// A complex number. R is float, double, or a Pack of them with one number for each item. A real
/// number converts to a Complex with imaginary part zero.
/// \tparam R  the type of the real and the imaginary part
template <class R>
struct alignas(std::is_floating_point_v<R> ? 2 * sizeof(R) : alignof(R)) Complex {
  /// The real number type: float or double.
  using scalar = scalar_t<R>;

  /// The number of items in a value.
  static constexpr int width = Impl::ValueTraits<R>::width;

  R re,    ///< the real part
      im;  ///< the imaginary part

  /// Not initialised.
  Complex() = default;
  /// From the real and the imaginary part.
  BATCHWORK_INLINE Complex(R const& real, R const& imaginary) : re(real), im(imaginary) {}
  /// From a real number.
  template <class X>
    requires(Impl::is_real_value<X> && std::is_convertible_v<X, R>)
  BATCHWORK_INLINE Complex(X const& x) : re(x), im(scalar(0)) {}
  /// From a complex number of another type.
  template <class X>
    requires(!std::is_same_v<X, R> && std::is_convertible_v<X, R>)
  BATCHWORK_INLINE Complex(Complex<X> const& x) : re(x.re), im(x.im) {}
  /// From a Kokkos::complex.
  BATCHWORK_INLINE Complex(Kokkos::complex<scalar> const& x) : re(x.real()), im(x.imag()) {}
  /// To a Kokkos::complex.
  BATCHWORK_INLINE operator Kokkos::complex<scalar>() const
    requires std::is_floating_point_v<R>
  {
    return {re, im};
  }

  // ---- of packs ----
  /// The complex number in lane l of a pack.
  BATCHWORK_INLINE Complex<scalar> lane(int l) const { return {re.lane(l), im.lane(l)}; }
  /// Sets the complex number in lane l of a pack.
  BATCHWORK_INLINE void set_lane(int l, Complex<scalar> const& x) {
    re.set_lane(l, x.re);
    im.set_lane(l, x.im);
  }
  /// Reads neighbouring items from memory, where the real and the imaginary part of an item are
  /// adjacent.
  static BATCHWORK_INLINE Complex load(Kokkos::complex<scalar> const* p) {
    Complex r;
    Impl::load_pairs(reinterpret_cast<scalar const*>(p), r.re, r.im);
    return r;
  }
  /// Writes neighbouring items to memory; the counterpart of load.
  BATCHWORK_INLINE void store(Kokkos::complex<scalar>* p) const {
    Impl::store_pairs(reinterpret_cast<scalar*>(p), re, im);
  }

  friend BATCHWORK_INLINE Complex operator-(Complex const& a) { return {-a.re, -a.im}; }
  /// Adds a real or complex number.
  template <class X>
  BATCHWORK_INLINE Complex& operator+=(X const& x) {
    return *this = *this + x;
  }
  /// Subtracts a real or complex number.
  template <class X>
  BATCHWORK_INLINE Complex& operator-=(X const& x) {
    return *this = *this - x;
  }
  /// Multiplies by a real or complex number.
  template <class X>
  BATCHWORK_INLINE Complex& operator*=(X const& x) {
    return *this = *this * x;
  }
};

namespace Impl {

template <class M, class R>
BATCHWORK_INLINE Complex<R> select(M const& m, Complex<R> const& a, Complex<R> const& b) {
  return {select(m, a.re, b.re), select(m, a.im, b.im)};
}

// ---- what real numbers have, too ----
template <Value S>
BATCHWORK_INLINE S conj(S const& x) {
  return x;
}
template <class R>
BATCHWORK_INLINE Complex<R> conj(Complex<R> const& x) {
  return {x.re, -x.im};
}
template <Value S>
BATCHWORK_INLINE S real(S const& x) {
  return x;
}
template <class R>
BATCHWORK_INLINE R real(Complex<R> const& x) {
  return x.re;
}
template <Value S>
BATCHWORK_INLINE S imag(S const&) {
  return S(scalar_t<S>(0));
}
template <class R>
BATCHWORK_INLINE R imag(Complex<R> const& x) {
  return x.im;
}
/// |x| for a real x; the larger size of the two parts for a complex x.
template <class S>
BATCHWORK_INLINE S largest_part(S const& x) {
  return abs(x);
}
template <class R>
BATCHWORK_INLINE R largest_part(Complex<R> const& x) {
  R const a = abs(x.re), b = abs(x.im);
  return select(a < b || is_nan(b), b, a);
}
/// |x|^2
template <class S>
BATCHWORK_INLINE S square_of_size(S const& x) {
  return x * x;
}
template <class R>
BATCHWORK_INLINE R square_of_size(Complex<R> const& x) {
  return x.re * x.re + x.im * x.im;
}

/// sqrt(x^2 + y^2) without intermediate overflow.
template <class R>
BATCHWORK_INLINE R size_of_parts(R const& x, R const& y) {
  R const a = abs(x), b = abs(y), one(scalar_t<R>(1));
  auto const turn = a < b;
  R const large = select(turn, b, a), small = select(turn, a, b);
  // Two zeros, or two infinities, are equal.
  R const ratio = select(small == large, one, R(small / large));
  return large * sqrt(one + ratio * ratio);
}
template <class R>
BATCHWORK_INLINE R abs(Complex<R> const& x) {
  return size_of_parts(x.re, x.im);
}

/// acc += a b and acc -= a b, with as few multiply-adds as possible.
template <class S, class A, class B>
BATCHWORK_INLINE void add_product(S& acc, A const& a, B const& b) {
  acc += a * b;
}
template <class S, class A, class B>
BATCHWORK_INLINE void subtract_product(S& acc, A const& a, B const& b) {
  acc -= a * b;
}
template <class R, class A, class B>
BATCHWORK_INLINE void add_product(Complex<R>& acc, A const& a, B const& b) {
  if constexpr (is_complex<A> && is_complex<B>) {
    acc.re += R(a.re) * R(b.re);
    acc.im += R(a.re) * R(b.im);
    acc.re -= R(a.im) * R(b.im);
    acc.im += R(a.im) * R(b.re);
  } else if constexpr (is_complex<A>) {
    acc.re += R(a.re) * R(b);
    acc.im += R(a.im) * R(b);
  } else if constexpr (is_complex<B>) {
    acc.re += R(a) * R(b.re);
    acc.im += R(a) * R(b.im);
  } else {
    acc.re += R(a) * R(b);
  }
}
template <class R, class A, class B>
BATCHWORK_INLINE void subtract_product(Complex<R>& acc, A const& a, B const& b) {
  if constexpr (is_complex<A> && is_complex<B>) {
    acc.re -= R(a.re) * R(b.re);
    acc.im -= R(a.re) * R(b.im);
    acc.re += R(a.im) * R(b.im);
    acc.im -= R(a.im) * R(b.re);
  } else if constexpr (is_complex<A>) {
    acc.re -= R(a.re) * R(b);
    acc.im -= R(a.im) * R(b);
  } else if constexpr (is_complex<B>) {
    acc.re -= R(a) * R(b.re);
    acc.im -= R(a) * R(b.im);
  } else {
    acc.re -= R(a) * R(b);
  }
}

/// The reciprocal of a complex z for divisions: x * first * second * inverse is x / z to a few
/// roundings, even if |z|^2 overflows or underflows. NaN if z is zero or not finite.
template <class R>
struct ComplexReciprocal {
  R first, second;
  Complex<R> inverse;

  ComplexReciprocal() = default;
  BATCHWORK_INLINE explicit ComplexReciprocal(Complex<R> const& z) {
    using T = scalar_t<R>;
    // Scales the larger part to a size between 1/2 and 1.
    UnitScale<R> const unit(largest_part(z));
    first = unit.first;
    second = unit.second * R(T(0.125));
    R const re = z.re * first * second, im = z.im * first * second;
    R const over = R(T(1)) / (re * re + im * im);
    inverse = Complex<R>(re * over, -im * over);
  }
  template <class X>
  friend BATCHWORK_INLINE auto operator*(ComplexReciprocal const& z, X const& x) {
    return x * z.first * z.second * z.inverse;
  }
};

// ---- what has no meaning of complex numbers, or none yet ----
template <class R>
BATCHWORK_INLINE auto sqrt(Complex<R> const& x) {
  static_assert(!std::is_same_v<R, R>,
                "Batchwork: sqrt, log and exp take real numbers; for a complex x apply them to "
                "abs(x), real(x) or imag(x)");
  return x.re;
}
template <class R>
BATCHWORK_INLINE auto log(Complex<R> const& x) {
  return sqrt(x);
}
template <class R>
BATCHWORK_INLINE auto exp(Complex<R> const& x) {
  return sqrt(x);
}

}  // namespace Impl

// ---- arithmetic, of complex numbers with one another and with real ones ----

/// The sum of two complex numbers, or of a complex and a real one.
template <class A, class B>
  requires Impl::ComplexOperands<A, B>
BATCHWORK_INLINE auto operator+(A const& a, B const& b) {
  using C = promote_t<A, B>;
  using R = real_t<C>;
  if constexpr (!Impl::is_complex<A>) return C(R(a) + R(b.re), R(b.im));
  else if constexpr (!Impl::is_complex<B>) return C(R(a.re) + R(b), R(a.im));
  else return C(R(a.re) + R(b.re), R(a.im) + R(b.im));
}
/// The difference of two complex numbers, or of a complex and a real one.
template <class A, class B>
  requires Impl::ComplexOperands<A, B>
BATCHWORK_INLINE auto operator-(A const& a, B const& b) {
  using C = promote_t<A, B>;
  using R = real_t<C>;
  if constexpr (!Impl::is_complex<A>) return C(R(a) - R(b.re), R(-b.im));
  else if constexpr (!Impl::is_complex<B>) return C(R(a.re) - R(b), R(a.im));
  else return C(R(a.re) - R(b.re), R(a.im) - R(b.im));
}
/// The product of two complex numbers, or of a complex and a real one.
template <class A, class B>
  requires Impl::ComplexOperands<A, B>
BATCHWORK_INLINE auto operator*(A const& a, B const& b) {
  using C = promote_t<A, B>;
  using R = real_t<C>;
  if constexpr (!Impl::is_complex<A>) {
    return C(R(a) * R(b.re), R(a) * R(b.im));
  } else if constexpr (!Impl::is_complex<B>) {
    return C(R(a.re) * R(b), R(a.im) * R(b));
  } else {
    R const re = R(a.re) * R(b.re) - R(a.im) * R(b.im), im = R(a.re) * R(b.im) + R(a.im) * R(b.re);
    return C(re, im);
  }
}
/// The quotient, without intermediate overflow. Division by a complex zero gives NaN.
template <class A, class B>
  requires Impl::ComplexOperands<A, B>
BATCHWORK_INLINE auto operator/(A const& a, B const& b) {
  using C = promote_t<A, B>;
  using R = real_t<C>;
  if constexpr (Impl::is_complex<B>) return C(Impl::ComplexReciprocal<real_t<B>>(b) * a);
  else return C(R(a.re) / R(b), R(a.im) / R(b));
}
/// True for each item if both parts are equal.
template <class A, class B>
  requires Impl::ComplexOperands<A, B>
BATCHWORK_INLINE auto operator==(A const& a, B const& b) {
  using C = promote_t<A, B>;
  C const x(a), y(b);
  return x.re == y.re && x.im == y.im;
}
/// True for each item if one of the parts differs.
template <class A, class B>
  requires Impl::ComplexOperands<A, B>
BATCHWORK_INLINE auto operator!=(A const& a, B const& b) {
  using C = promote_t<A, B>;
  C const x(a), y(b);
  return x.re != y.re || x.im != y.im;
}

}  // namespace Batchwork

#endif

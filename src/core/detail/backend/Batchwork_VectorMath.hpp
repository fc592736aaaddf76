// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Functions of whole SIMD registers on x86 hosts: square roots, libmvec, the vector library of
/// glibc, and the rounding instructions.
///
/// libmvec is called by the names of the vector function ABI: in _ZGVdN4v_sin the d means AVX2, 4
/// means four numbers, v means one vector argument. Nothing has to be installed or linked, because
/// the `-lm` of every C++ program includes libmvec. glibc 2.35 or newer has all functions below.
/// Elsewhere, and if BATCHWORK_DISABLE_LIBMVEC is defined, packs are computed lane by lane.
#ifndef BATCHWORK_VECTORMATH_HPP
#define BATCHWORK_VECTORMATH_HPP

#include <cstdint>  // defines the macros of the C library
#include <utility>

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"

#if defined(BATCHWORK_VENDOR_X86)
#include <immintrin.h>
#endif

#if defined(BATCHWORK_VENDOR_X86) && defined(__x86_64__) && defined(__GLIBC__) && \
    !defined(BATCHWORK_DISABLE_LIBMVEC)
#if __GLIBC_PREREQ(2, 35)
#define BATCHWORK_VENDOR_LIBMVEC 1
#endif
#endif

namespace Batchwork::Impl {

namespace Vendor {

/// A native SIMD square root for vectors of W numbers. std::sqrt may set errno, so it is not
/// vectorised.
template <class T, int W>
inline constexpr bool has_simd_sqrt =
#if defined(BATCHWORK_VENDOR_X86)
    (sizeof(T) * W == 16)
#if defined(__AVX__)
    || (sizeof(T) * W == 32)
#endif
#if defined(__AVX512F__)
    || (sizeof(T) * W == 64)
#endif
#else
    false
#endif
    ;

template <class V>
inline V simd_sqrt(V const& v) {
#if defined(BATCHWORK_VENDOR_X86)
  constexpr bool single = sizeof(v[0]) == 4;
  if constexpr (sizeof(V) == 16) {
    if constexpr (single) return (V)_mm_sqrt_ps((__m128)v);
    else return (V)_mm_sqrt_pd((__m128d)v);
  }
#if defined(__AVX__)
  if constexpr (sizeof(V) == 32) {
    if constexpr (single) return (V)_mm256_sqrt_ps((__m256)v);
    else return (V)_mm256_sqrt_pd((__m256d)v);
  }
#endif
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64) {
    if constexpr (single) return (V)_mm512_sqrt_ps((__m512)v);
    else return (V)_mm512_sqrt_pd((__m512d)v);
  }
#endif
#endif
  return v;
}

/// Products of vectors of 64-bit numbers whose upper halves are ignored: one instruction where the
/// product of whole numbers takes several. The lanes of such a vector; 0 if there is none.
inline constexpr int simd_product_lanes =
#if defined(BATCHWORK_VENDOR_X86) && defined(__AVX512F__)
    8;
#elif defined(BATCHWORK_VENDOR_X86) && defined(__AVX2__)
    4;
#elif defined(BATCHWORK_VENDOR_X86) && defined(__SSE2__)
    2;
#else
    0;
#endif
template <class V>
inline V simd_products_of_halves(V const& a, V const& b) {
#if defined(BATCHWORK_VENDOR_X86) && defined(__AVX512F__)
  return (V)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif defined(BATCHWORK_VENDOR_X86) && defined(__AVX2__)
  return (V)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(BATCHWORK_VENDOR_X86) && defined(__SSE2__)
  return (V)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
  return a * b;
#endif
}

/// The function object F of core/detail/Batchwork_Functions.hpp for registers: overloads of a
/// static `call`, none if there is no such function.
template <class F>
struct VectorFunction {};

/// Bytes of the largest register that these take.
inline constexpr int vector_function_bytes =
#if defined(__AVX512F__)
    64;
#elif defined(__AVX2__)
    32;
#else
    16;
#endif

/// A register of so many bytes, if the compiler's flags allow it.
template <class T, int Bytes>
struct Register {};

#if defined(BATCHWORK_VENDOR_X86)
template <>
struct Register<double, 16> {
  using type = __m128d;
};
template <>
struct Register<float, 16> {
  using type = __m128;
};
#if defined(__AVX2__)
template <>
struct Register<double, 32> {
  using type = __m256d;
};
template <>
struct Register<float, 32> {
  using type = __m256;
};
#endif
#if defined(__AVX512F__)
template <>
struct Register<double, 64> {
  using type = __m512d;
};
template <>
struct Register<float, 64> {
  using type = __m512;
};
#endif
#endif

/// Whether F has a form for registers of so many bytes, with as many arguments as X has types.
#if defined(BATCHWORK_VENDOR_X86)
template <class V, class>
using for_each_of = V;
template <class F, class T, int Bytes, class... X>
concept HasVectorFunction = requires {
  VectorFunction<F>::call(
      std::declval<for_each_of<typename Register<T, Bytes>::type const&, X>>()...);
};
#else
template <class F, class T, int Bytes, class... X>
concept HasVectorFunction = false;
#endif

#if defined(BATCHWORK_VENDOR_X86) && defined(__SSE4_1__)
/// Rounding, by the instruction's code of the direction.
template <int Direction>
struct Rounded {
  static __m128d call(__m128d x) { return _mm_round_pd(x, Direction | _MM_FROUND_NO_EXC); }
  static __m128 call(__m128 x) { return _mm_round_ps(x, Direction | _MM_FROUND_NO_EXC); }
#if defined(__AVX2__)
  static __m256d call(__m256d x) { return _mm256_round_pd(x, Direction | _MM_FROUND_NO_EXC); }
  static __m256 call(__m256 x) { return _mm256_round_ps(x, Direction | _MM_FROUND_NO_EXC); }
#endif
#if defined(__AVX512F__)
  static __m512d call(__m512d x) { return _mm512_roundscale_pd(x, Direction | _MM_FROUND_NO_EXC); }
  static __m512 call(__m512 x) { return _mm512_roundscale_ps(x, Direction | _MM_FROUND_NO_EXC); }
#endif
};
#endif

}  // namespace Vendor

#if defined(BATCHWORK_VENDOR_X86) && defined(__SSE4_1__)
struct Floor;
struct Ceil;
struct Trunc;
template <>
struct Vendor::VectorFunction<Floor> : Vendor::Rounded<_MM_FROUND_TO_NEG_INF> {};
template <>
struct Vendor::VectorFunction<Ceil> : Vendor::Rounded<_MM_FROUND_TO_POS_INF> {};
template <>
struct Vendor::VectorFunction<Trunc> : Vendor::Rounded<_MM_FROUND_TO_ZERO> {};
#endif

#if defined(BATCHWORK_VENDOR_LIBMVEC)
// The names of C functions: templates cannot make them.
#define BATCHWORK_LIBMVEC_CALL_1(V, symbol) \
  static V call(V x) { return symbol(x); }
#define BATCHWORK_LIBMVEC_CALL_2(V, symbol) \
  static V call(V x, V y) { return symbol(x, y); }
// Without side effects: a repeated sine is computed once.
#define BATCHWORK_LIBMVEC_C_1(V, symbol) __attribute__((const)) V symbol(V);
#define BATCHWORK_LIBMVEC_C_2(V, symbol) __attribute__((const)) V symbol(V, V);
#if defined(__AVX2__)
#define BATCHWORK_LIBMVEC_AVX2(write, v, name) \
  write(__m256d, _ZGVdN4##v##_##name) write(__m256, _ZGVdN8##v##_##name##f)
#else
#define BATCHWORK_LIBMVEC_AVX2(write, v, name)
#endif
#if defined(__AVX512F__)
#define BATCHWORK_LIBMVEC_AVX512(write, v, name) \
  write(__m512d, _ZGVeN8##v##_##name) write(__m512, _ZGVeN16##v##_##name##f)
#else
#define BATCHWORK_LIBMVEC_AVX512(write, v, name)
#endif
#define BATCHWORK_LIBMVEC_ALL(write, v, name)                               \
  write(__m128d, _ZGVbN2##v##_##name) write(__m128, _ZGVbN4##v##_##name##f) \
      BATCHWORK_LIBMVEC_AVX2(write, v, name) BATCHWORK_LIBMVEC_AVX512(write, v, name)
#define BATCHWORK_LIBMVEC(Name, name, count, v)                    \
  struct Name;                                                     \
  extern "C" {                                                     \
  BATCHWORK_LIBMVEC_ALL(BATCHWORK_LIBMVEC_C_##count, v, name)      \
  }                                                                \
  template <>                                                      \
  struct Vendor::VectorFunction<Name> {                            \
    BATCHWORK_LIBMVEC_ALL(BATCHWORK_LIBMVEC_CALL_##count, v, name) \
  };

BATCHWORK_LIBMVEC(Exp, exp, 1, v)
BATCHWORK_LIBMVEC(Exp2, exp2, 1, v)
BATCHWORK_LIBMVEC(Expm1, expm1, 1, v)
BATCHWORK_LIBMVEC(Log, log, 1, v)
BATCHWORK_LIBMVEC(Log2, log2, 1, v)
BATCHWORK_LIBMVEC(Log10, log10, 1, v)
BATCHWORK_LIBMVEC(Log1p, log1p, 1, v)
BATCHWORK_LIBMVEC(Sin, sin, 1, v)
BATCHWORK_LIBMVEC(Cos, cos, 1, v)
BATCHWORK_LIBMVEC(Tan, tan, 1, v)
BATCHWORK_LIBMVEC(Asin, asin, 1, v)
BATCHWORK_LIBMVEC(Acos, acos, 1, v)
BATCHWORK_LIBMVEC(Atan, atan, 1, v)
BATCHWORK_LIBMVEC(Sinh, sinh, 1, v)
BATCHWORK_LIBMVEC(Cosh, cosh, 1, v)
BATCHWORK_LIBMVEC(Tanh, tanh, 1, v)
BATCHWORK_LIBMVEC(Asinh, asinh, 1, v)
BATCHWORK_LIBMVEC(Acosh, acosh, 1, v)
BATCHWORK_LIBMVEC(Atanh, atanh, 1, v)
BATCHWORK_LIBMVEC(Cbrt, cbrt, 1, v)
BATCHWORK_LIBMVEC(Erf, erf, 1, v)
BATCHWORK_LIBMVEC(Erfc, erfc, 1, v)
BATCHWORK_LIBMVEC(Atan2, atan2, 2, vv)
BATCHWORK_LIBMVEC(Pow, pow, 2, vv)
BATCHWORK_LIBMVEC(Hypot, hypot, 2, vv)

#undef BATCHWORK_LIBMVEC
#undef BATCHWORK_LIBMVEC_ALL
#undef BATCHWORK_LIBMVEC_AVX512
#undef BATCHWORK_LIBMVEC_AVX2
#undef BATCHWORK_LIBMVEC_C_2
#undef BATCHWORK_LIBMVEC_C_1
#undef BATCHWORK_LIBMVEC_CALL_2
#undef BATCHWORK_LIBMVEC_CALL_1
#endif

}  // namespace Batchwork::Impl

#endif

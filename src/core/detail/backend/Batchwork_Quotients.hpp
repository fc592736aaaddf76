// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Quotients, reciprocals and inverse roots without branches for numbers that are not normal.
#ifndef BATCHWORK_QUOTIENTS_HPP
#define BATCHWORK_QUOTIENTS_HPP

#include <Kokkos_MathematicalFunctions.hpp>
#include <limits>

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"

namespace Batchwork::Impl::Vendor {

/// a / b for a normal number b, to the last bit or two, without the branch that compilers generate
/// for other numbers and that later reads would wait for. If b is not normal or a / b overflows,
/// the result is not finite. The instructions give zero if the reciprocal of a large number is not
/// normal, so such numbers are scaled.
BATCHWORK_INLINE float quotient(float a, float b) {
#if defined(BATCHWORK_VENDOR_CUDA)
  float const scale = fabsf(b) > 0x1p100f ? 0x1p-64f : 1.0f;
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(b * scale));
  return a * scale * r;
#else
  return a / b;
#endif
}
BATCHWORK_INLINE double quotient(double a, double b) {
#if defined(BATCHWORK_VENDOR_CUDA)
  // By integers, which is faster than a comparison.
  bool const large = (__double2hiint(b) & 0x7fffffff) > 0x7e700000;
  double const scale = __hiloint2double(large ? 0x3bf00000 : 0x3ff00000, 0);
  double const m = b * scale;
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(m));
  // From about 20 bits on: 1 / (1 - e) is 1 + e + e^2 to 60 bits.
  double const e = fma(-m, r, 1.0), q = a * scale * r;
  return fma(q, fma(e, e, e), q);
#else
  return a / b;
#endif
}
/// The same for packs.
template <class S>
BATCHWORK_INLINE S quotient(S const& a, S const& b) {
  return a / b;
}
/// 1 / x, the same way.
template <class T>
BATCHWORK_INLINE T reciprocal(T const& x) {
  return quotient(T(1), x);
}

/// 1 / x for an x that is far from both the largest and the smallest normal number.
BATCHWORK_INLINE float middle_reciprocal(float x) {
#if defined(BATCHWORK_VENDOR_CUDA)
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
#else
  return 1 / x;
#endif
}
BATCHWORK_INLINE double middle_reciprocal(double x) {
#if defined(BATCHWORK_VENDOR_CUDA)
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
  double const e = fma(-x, r, 1.0);
  return fma(r, fma(e, e, e), r);
#else
  return 1 / x;
#endif
}

/// 1 / sqrt(x) to about 20 bits, for a normal number x.
BATCHWORK_INLINE float some_rsqrt(float x) {
#if defined(BATCHWORK_VENDOR_CUDA)
  float r;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
#else
  return 1 / Kokkos::sqrt(x);
#endif
}
BATCHWORK_INLINE double some_rsqrt(double x) {
#if defined(BATCHWORK_VENDOR_CUDA)
  double r;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
  return r;
#else
  return 1 / Kokkos::sqrt(x);
#endif
}

/// Whether x is positive, normal and finite, by integers, which is faster than a comparison.
template <class T>
BATCHWORK_INLINE bool is_positive_and_normal(T x) {
#if defined(BATCHWORK_VENDOR_CUDA)
  if constexpr (sizeof(T) == 4) return unsigned(__float_as_int(x)) - 0x00800000u < 0x7f000000u;
  else return unsigned(__double2hiint(x)) - 0x00100000u < 0x7fe00000u;
#else
  return x >= std::numeric_limits<T>::min() && x - x == T(0);
#endif
}

/// 1 / sqrt(x) for a positive normal number, to the last bit or two, without the branch that
/// compilers generate for other numbers and that later reads would wait for. For other numbers the
/// result is undefined.
BATCHWORK_INLINE float rsqrt(float x) {
#if defined(BATCHWORK_VENDOR_CUDA)
  float r;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
#else
  return Kokkos::rsqrt(x);
#endif
}
BATCHWORK_INLINE double rsqrt(double x) {
#if defined(BATCHWORK_VENDOR_CUDA)
  double r;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
  // From about 20 bits on: 1 / sqrt(1 - e) is 1 + e / 2 + 3 e^2 / 8 to 60 bits.
  double const e = fma(-x, r * r, 1.0);
  return fma(fma(0.375, e, 0.5), r * e, r);
#else
  return Kokkos::rsqrt(x);
#endif
}

}  // namespace Batchwork::Impl::Vendor

#endif

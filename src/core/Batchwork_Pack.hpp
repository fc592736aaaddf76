// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Pack<T, W>: W numbers, one for each of W items, in SIMD registers of a host core. It is a small
/// type over the compiler's vector extensions; its width does not depend on the configuration of
/// Kokkos.
#ifndef BATCHWORK_PACK_HPP
#define BATCHWORK_PACK_HPP

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_VectorMath.hpp"

namespace Batchwork {

namespace Impl {

/// The signed integer with the size of T, used for masks, exponents and status codes of T.
template <class T>
using integer_of_t = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

/// Numbers in an array, which the compiler vectorises if it can.
template <class T, int W>
struct PackStorage {
  alignas(sizeof(T) * W <= 64 ? sizeof(T) * W : 64) T v[W];
  BATCHWORK_INLINE T& operator[](int l) { return v[l]; }
  BATCHWORK_INLINE T const& operator[](int l) const { return v[l]; }
};
#if defined(__CUDACC__)
// nvcc refuses vector types in functions that also exist on the device.
template <class T, int W>
struct NativeVector {
  using type = PackStorage<T, W>;
};
#define BATCHWORK_PACK_LANEWISE(result, expression, whole) \
  for (int l = 0; l < W; ++l) result[l] = expression;
#else
template <class T, int W>
struct NativeVector {
  typedef T type __attribute__((vector_size(sizeof(T) * W)));
};
/// A single number is not a vector: GCC 16 generates wrong code for selections between such
/// vectors.
template <class T>
struct NativeVector<T, 1> {
  using type = PackStorage<T, 1>;
};
#define BATCHWORK_PACK_LANEWISE(result, expression, whole) \
  if constexpr (W == 1) {                                  \
    constexpr int l = 0;                                   \
    result[l] = expression;                                \
  } else {                                                 \
    result = whole;                                        \
  }
#endif

/// Converts the W lanes of a vector to another number type.
template <class To, int W, class R, class X>
BATCHWORK_INLINE void convert_lanes(R& r, X const& x) {
#if !defined(__CUDACC__)
  if constexpr (W > 1) {
    r = __builtin_convertvector(x, R);
  } else
#endif
  {
    for (int l = 0; l < W; ++l) r[l] = static_cast<To>(x[l]);
  }
}

/// The compile-time error for the conversion of a mask to bool.
template <class B>
constexpr bool refuse_branch() {
  static_assert(
      !std::is_same_v<B, bool>,
      "Batchwork: a comparison of tiles or scalars is true or false for each item, so it cannot be "
      "used in `if` or `? :`; write select(mask, a, b), or branch on any(mask) or all(mask)");
  return false;
}

}  // namespace Impl

/// The result of a comparison for each lane: -1 if true, 0 if false. `I` is the integer type with
/// the size of the compared numbers.
/// \tparam I  std::int32_t or std::int64_t
/// \tparam W  the number of lanes
template <class I, int W>
struct PackMask {
  using native = typename Impl::NativeVector<I, W>::type;
  native v;

  /// Not initialised.
  PackMask() = default;
  /// The same condition in every lane.
  BATCHWORK_INLINE PackMask(bool b) : v{} {
    for (int l = 0; l < W; ++l) v[l] = b ? I(-1) : I(0);
  }
  /// From a comparison of numbers of another size.
  template <class J>
    requires(!std::is_same_v<I, J>)
  BATCHWORK_INLINE PackMask(PackMask<J, W> const& m) {
    Impl::convert_lanes<I, W>(v, m.v);
  }
  /// Does not compile; the message says what to write instead of a branch.
  template <std::same_as<bool> B>
  BATCHWORK_INLINE explicit operator B() const {
    return Impl::refuse_branch<B>();
  }
  /// The condition in lane l.
  BATCHWORK_INLINE bool lane(int l) const { return v[l] != 0; }
  /// Sets the condition in lane l.
  BATCHWORK_INLINE void set_lane(int l, bool b) { v[l] = b ? I(-1) : I(0); }

  friend BATCHWORK_INLINE PackMask operator&&(PackMask const& a, PackMask const& b) {
    PackMask r;
    BATCHWORK_PACK_LANEWISE(r.v, a.v[l] & b.v[l], a.v & b.v)
    return r;
  }
  friend BATCHWORK_INLINE PackMask operator||(PackMask const& a, PackMask const& b) {
    PackMask r;
    BATCHWORK_PACK_LANEWISE(r.v, a.v[l] | b.v[l], a.v | b.v)
    return r;
  }
  /// With a bool for all items. Without these overloads the conversion above would be ambiguous.
  friend BATCHWORK_INLINE PackMask operator&&(PackMask const& a, bool b) {
    return a && PackMask(b);
  }
  friend BATCHWORK_INLINE PackMask operator&&(bool a, PackMask const& b) {
    return PackMask(a) && b;
  }
  friend BATCHWORK_INLINE PackMask operator||(PackMask const& a, bool b) {
    return a || PackMask(b);
  }
  friend BATCHWORK_INLINE PackMask operator||(bool a, PackMask const& b) {
    return PackMask(a) || b;
  }
  /// The same as && and ||, so that masks and bools are combined without branches by the same
  /// operators.
  friend BATCHWORK_INLINE PackMask operator&(PackMask const& a, PackMask const& b) {
    return a && b;
  }
  friend BATCHWORK_INLINE PackMask operator|(PackMask const& a, PackMask const& b) {
    return a || b;
  }
  friend BATCHWORK_INLINE PackMask operator!(PackMask const& a) {
    PackMask r;
    BATCHWORK_PACK_LANEWISE(r.v, ~a.v[l], ~a.v)
    return r;
  }
};

/// For masks of comparisons of numbers of two sizes.
template <class I, class J, int W>
  requires(!std::is_same_v<I, J>)
BATCHWORK_INLINE auto operator&&(PackMask<I, W> const& a, PackMask<J, W> const& b) {
  using M = PackMask<std::conditional_t<(sizeof(I) > sizeof(J)), I, J>, W>;
  return M(a) && M(b);
}
/// For masks of comparisons of numbers of two sizes.
template <class I, class J, int W>
  requires(!std::is_same_v<I, J>)
BATCHWORK_INLINE auto operator||(PackMask<I, W> const& a, PackMask<J, W> const& b) {
  using M = PackMask<std::conditional_t<(sizeof(I) > sizeof(J)), I, J>, W>;
  return M(a) || M(b);
}
/// The same as &&.
template <class I, class J, int W>
  requires(!std::is_same_v<I, J>)
BATCHWORK_INLINE auto operator&(PackMask<I, W> const& a, PackMask<J, W> const& b) {
  return a && b;
}
/// The same as ||.
template <class I, class J, int W>
  requires(!std::is_same_v<I, J>)
BATCHWORK_INLINE auto operator|(PackMask<I, W> const& a, PackMask<J, W> const& b) {
  return a || b;
}

/// W numbers of type T, one for each of W items. Arithmetic and comparisons act lane by lane; a
/// plain T is used in every lane.
/// \tparam T  float, double, std::int32_t or std::int64_t
/// \tparam W  the number of lanes, a power of two
template <class T, int W>
struct Pack {
  static_assert(W > 0 && (W & (W - 1)) == 0, "Batchwork::Pack: the width must be a power of two");
  /// The type of the numbers.
  using scalar = T;
  /// The type of comparisons.
  using mask = PackMask<Impl::integer_of_t<T>, W>;
  using native = typename Impl::NativeVector<T, W>::type;
  /// The number of lanes.
  static constexpr int width = W;

  native v;

  /// Not initialised.
  Pack() = default;
  /// The same number in every lane. Not native{} + x, because that addition turns -0 into +0.
  BATCHWORK_INLINE Pack(T x) { BATCHWORK_PACK_LANEWISE(v, x, x - native{}) }

  /// From numbers of another type, lane by lane.
  template <class U>
    requires(!std::is_same_v<U, T>)
  BATCHWORK_INLINE explicit Pack(Pack<U, W> const& x) {
    Impl::convert_lanes<T, W>(v, x.v);
  }

  /// The number in lane l.
  BATCHWORK_INLINE T lane(int l) const { return v[l]; }
  /// Sets the number in lane l.
  BATCHWORK_INLINE void set_lane(int l, T x) { v[l] = x; }

  /// Reads W consecutive numbers from memory, without an alignment requirement.
  static BATCHWORK_INLINE Pack load(T const* p) {
    Pack r;
#if defined(__CUDACC__)
    for (int l = 0; l < W; ++l) r.v[l] = p[l];
#else
    __builtin_memcpy(&r.v, p, sizeof(native));
#endif
    return r;
  }
  /// Writes the numbers to W consecutive places in memory, without an alignment requirement.
  BATCHWORK_INLINE void store(T* p) const {
#if defined(__CUDACC__)
    for (int l = 0; l < W; ++l) p[l] = v[l];
#else
    __builtin_memcpy(p, &v, sizeof(native));
#endif
  }

  friend BATCHWORK_INLINE Pack operator-(Pack const& a) {
    Pack r;
    BATCHWORK_PACK_LANEWISE(r.v, -a.v[l], -a.v)
    return r;
  }
  friend BATCHWORK_INLINE Pack operator+(Pack const& a, Pack const& b) {
    Pack r;
    BATCHWORK_PACK_LANEWISE(r.v, a.v[l] + b.v[l], a.v + b.v)
    return r;
  }
  friend BATCHWORK_INLINE Pack operator-(Pack const& a, Pack const& b) {
    Pack r;
    BATCHWORK_PACK_LANEWISE(r.v, a.v[l] - b.v[l], a.v - b.v)
    return r;
  }
  friend BATCHWORK_INLINE Pack operator*(Pack const& a, Pack const& b) {
    Pack r;
    BATCHWORK_PACK_LANEWISE(r.v, a.v[l] * b.v[l], a.v * b.v)
    return r;
  }
  friend BATCHWORK_INLINE Pack operator/(Pack const& a, Pack const& b) {
    Pack r;
    BATCHWORK_PACK_LANEWISE(r.v, a.v[l] / b.v[l], a.v / b.v)
    return r;
  }
  /// Adds the number of b in each lane.
  BATCHWORK_INLINE Pack& operator+=(Pack const& b) { return *this = *this + b; }
  /// Subtracts the number of b in each lane.
  BATCHWORK_INLINE Pack& operator-=(Pack const& b) { return *this = *this - b; }
  /// Multiplies by the number of b in each lane.
  BATCHWORK_INLINE Pack& operator*=(Pack const& b) { return *this = *this * b; }

  friend BATCHWORK_INLINE mask operator<(Pack const& a, Pack const& b) {
    mask r;
    BATCHWORK_PACK_LANEWISE(r.v, a.v[l] < b.v[l] ? -1 : 0, a.v < b.v)
    return r;
  }
  friend BATCHWORK_INLINE mask operator<=(Pack const& a, Pack const& b) {
    mask r;
    BATCHWORK_PACK_LANEWISE(r.v, a.v[l] <= b.v[l] ? -1 : 0, a.v <= b.v)
    return r;
  }
  friend BATCHWORK_INLINE mask operator>(Pack const& a, Pack const& b) { return b < a; }
  friend BATCHWORK_INLINE mask operator>=(Pack const& a, Pack const& b) { return b <= a; }
  friend BATCHWORK_INLINE mask operator==(Pack const& a, Pack const& b) {
    mask r;
    BATCHWORK_PACK_LANEWISE(r.v, a.v[l] == b.v[l] ? -1 : 0, a.v == b.v)
    return r;
  }
  friend BATCHWORK_INLINE mask operator!=(Pack const& a, Pack const& b) {
    mask r;
    BATCHWORK_PACK_LANEWISE(r.v, a.v[l] != b.v[l] ? -1 : 0, a.v != b.v)
    return r;
  }
};

namespace Impl {

template <class T, int W>
BATCHWORK_INLINE Pack<T, W> select(PackMask<integer_of_t<T>, W> const& m, Pack<T, W> const& a,
                                   Pack<T, W> const& b) {
  Pack<T, W> r;
  BATCHWORK_PACK_LANEWISE(r.v, m.v[l] ? a.v[l] : b.v[l], m.v ? a.v : b.v)
  return r;
}

template <class I, int W>
BATCHWORK_INLINE PackMask<I, W> select(PackMask<I, W> const& m, PackMask<I, W> const& a,
                                       PackMask<I, W> const& b) {
  return (m && a) || (!m && b);
}

/// By a comparison of numbers of another size.
template <class I, class T, int W>
  requires(!std::is_same_v<I, integer_of_t<T>>)
BATCHWORK_INLINE Pack<T, W> select(PackMask<I, W> const& m, Pack<T, W> const& a,
                                   Pack<T, W> const& b) {
  return select(PackMask<integer_of_t<T>, W>(m), a, b);
}
template <class I, class J, int W>
  requires(!std::is_same_v<I, J>)
BATCHWORK_INLINE PackMask<J, W> select(PackMask<I, W> const& m, PackMask<J, W> const& a,
                                       PackMask<J, W> const& b) {
  return select(PackMask<J, W>(m), a, b);
}

/// Reads two packs from memory where x and y of each lane are adjacent, and writes them.
#if defined(__clang__) && !defined(__CUDACC__)
template <class V, std::size_t... L>
BATCHWORK_INLINE void divide_pairs(V const& a, V const& b, V& x, V& y, std::index_sequence<L...>) {
  x = __builtin_shufflevector(a, b, int(2 * L)...);
  y = __builtin_shufflevector(a, b, int(2 * L + 1)...);
}
template <class V, std::size_t... L>
BATCHWORK_INLINE void unite_pairs(V const& x, V const& y, V& a, V& b, std::index_sequence<L...>) {
  constexpr std::size_t W = sizeof...(L);
  a = __builtin_shufflevector(x, y, int(L / 2 + L % 2 * W)...);
  b = __builtin_shufflevector(x, y, int((W + L) / 2 + L % 2 * W)...);
}
#endif
template <class T, int W>
BATCHWORK_INLINE void load_pairs(T const* p, Pack<T, W>& x, Pack<T, W>& y) {
#if !defined(__CUDACC__)
  if constexpr (W > 1) {
    auto const a = Pack<T, W>::load(p), b = Pack<T, W>::load(p + W);
#if defined(__clang__)
    divide_pairs(a.v, b.v, x.v, y.v, std::make_index_sequence<W>());
#else
    typename NativeVector<integer_of_t<T>, W>::type even, odd;
    for (int l = 0; l < W; ++l) {
      even[l] = 2 * l;
      odd[l] = 2 * l + 1;
    }
    x.v = __builtin_shuffle(a.v, b.v, even);
    y.v = __builtin_shuffle(a.v, b.v, odd);
#endif
  } else
#endif
  {
    for (int l = 0; l < W; ++l) {
      x.set_lane(l, p[2 * l]);
      y.set_lane(l, p[2 * l + 1]);
    }
  }
}
template <class T, int W>
BATCHWORK_INLINE void store_pairs(T* p, Pack<T, W> const& x, Pack<T, W> const& y) {
#if !defined(__CUDACC__)
  if constexpr (W > 1) {
    Pack<T, W> a, b;
#if defined(__clang__)
    unite_pairs(x.v, y.v, a.v, b.v, std::make_index_sequence<W>());
#else
    typename NativeVector<integer_of_t<T>, W>::type lower, upper;
    for (int l = 0; l < W; ++l) {
      lower[l] = l / 2 + l % 2 * W;
      upper[l] = (W + l) / 2 + l % 2 * W;
    }
    a.v = __builtin_shuffle(x.v, y.v, lower);
    b.v = __builtin_shuffle(x.v, y.v, upper);
#endif
    a.store(p);
    b.store(p + W);
  } else
#endif
  {
    for (int l = 0; l < W; ++l) {
      p[2 * l] = x.lane(l);
      p[2 * l + 1] = y.lane(l);
    }
  }
}

/// The sum of the lanes of a pack, in order.
template <class T, int W>
BATCHWORK_INLINE T sum_of_lanes(Pack<T, W> const& x) {
  T sum = x.lane(0);
  for (int l = 1; l < W; ++l) sum += x.lane(l);
  return sum;
}
template <class I, int W>
BATCHWORK_INLINE bool any(PackMask<I, W> const& m) {
  // Without a branch for each lane.
  I lanes(0);
  for (int l = 0; l < W; ++l) lanes |= m.v[l];
  return lanes != I(0);
}

template <class T, int W>
BATCHWORK_INLINE Pack<T, W> sqrt(Pack<T, W> const& a) {
  Pack<T, W> r;
#if defined(__CUDACC__)
  for (int l = 0; l < W; ++l) r.v[l] = std::sqrt(a.v[l]);
#else
  if constexpr (Vendor::has_simd_sqrt<T, W>) {
    r.v = Vendor::simd_sqrt(a.v);
  } else if constexpr (W > 1 && Vendor::has_simd_sqrt<T, W / 2>) {
    // A pack of two registers.
    Pack<T, W / 2> half[2];
    __builtin_memcpy(half, &a.v, sizeof(half));
    for (auto& h : half) h = sqrt(h);
    __builtin_memcpy(&r.v, half, sizeof(half));
  } else {
    for (int l = 0; l < W; ++l) r.v[l] = std::sqrt(a.v[l]);
  }
#endif
  return r;
}

template <class T, int W>
BATCHWORK_INLINE Pack<T, W> rsqrt(Pack<T, W> const& a) {
  return Pack<T, W>(T(1)) / sqrt(a);
}

/// Applies f to the numbers of every lane, by whole registers if the vector library has F, the same
/// function. A pack smaller than a register is filled up with its first lane.
template <class F, class G, class T, int W, class... More>
BATCHWORK_INLINE Pack<T, W> function_of_packs(G const& f, Pack<T, W> const& x,
                                              More const&... more) {
  Pack<T, W> r;
#if !defined(__CUDACC__)
  constexpr int bytes = int(sizeof(T)) * W;
  constexpr int at_once = bytes < 16                              ? 16
                          : bytes < Vendor::vector_function_bytes ? bytes
                                                                  : Vendor::vector_function_bytes;
  if constexpr (W > 1 && Vendor::HasVectorFunction<F, T, at_once, Pack<T, W>, More...>) {
    using V = typename Vendor::Register<T, at_once>::type;
    constexpr int lanes = at_once / int(sizeof(T));
    if constexpr (lanes > W) {
      auto const filled = [](Pack<T, W> const& y) {
        Pack<T, lanes> whole(y.lane(0));
        for (int l = 1; l < W; ++l) whole.set_lane(l, y.lane(l));
        return (V)whole.v;
      };
      V const v = Vendor::VectorFunction<F>::call(filled(x), filled(more)...);
      for (int l = 0; l < W; ++l) r.v[l] = v[l];
    } else {
      for (int l = 0; l < W; l += lanes) {
        auto const part = [l](Pack<T, W> const& y) {
          V v;
          __builtin_memcpy(&v, reinterpret_cast<T const*>(&y.v) + l, sizeof(V));
          return v;
        };
        V const v = Vendor::VectorFunction<F>::call(part(x), part(more)...);
        __builtin_memcpy(reinterpret_cast<T*>(&r.v) + l, &v, sizeof(V));
      }
    }
    return r;
  }
#endif
  for (int l = 0; l < W; ++l) r.v[l] = f(x.lane(l), more.lane(l)...);
  return r;
}

struct Log;
struct Exp;
template <class T, int W>
BATCHWORK_INLINE Pack<T, W> log(Pack<T, W> const& a) {
  return function_of_packs<Log>([](T x) { return std::log(x); }, a);
}
template <class T, int W>
BATCHWORK_INLINE Pack<T, W> exp(Pack<T, W> const& a) {
  return function_of_packs<Exp>([](T x) { return std::exp(x); }, a);
}

/// The lanes' bit patterns as integers, and back.
template <class T, int W>
BATCHWORK_INLINE Pack<integer_of_t<T>, W> bits(Pack<T, W> const& a) {
  Pack<integer_of_t<T>, W> r;
  __builtin_memcpy(&r.v, &a.v, sizeof(r.v));
  return r;
}
template <class T, class I, int W>
BATCHWORK_INLINE Pack<T, W> from_bits(Pack<I, W> const& a) {
  Pack<T, W> r;
  __builtin_memcpy(&r.v, &a.v, sizeof(r.v));
  return r;
}
template <class I, int W>
BATCHWORK_INLINE Pack<I, W> bit_and(Pack<I, W> const& a, I mask) {
  Pack<I, W> r;
  BATCHWORK_PACK_LANEWISE(r.v, a.v[l] & mask, a.v & mask)
  return r;
}
/// Clears the sign bit: one instruction.
template <class T, int W>
BATCHWORK_INLINE Pack<T, W> abs(Pack<T, W> const& a) {
  return from_bits<T>(bit_and(bits(a), std::numeric_limits<integer_of_t<T>>::max()));
}
template <std::integral I, int W>
BATCHWORK_INLINE Pack<I, W> abs(Pack<I, W> const& a) {
  return select(a < Pack<I, W>(I(0)), -a, a);
}
template <class I, int W>
BATCHWORK_INLINE Pack<I, W> bit_or(Pack<I, W> const& a, I mask) {
  Pack<I, W> r;
  BATCHWORK_PACK_LANEWISE(r.v, a.v[l] | mask, a.v | mask)
  return r;
}
template <class I, int W>
BATCHWORK_INLINE Pack<I, W> shift_right(Pack<I, W> const& a, int n) {
  Pack<I, W> r;
  BATCHWORK_PACK_LANEWISE(r.v, a.v[l] >> n, a.v >> n)
  return r;
}
/// Converts integers to numbers.
template <class T, class I, int W>
BATCHWORK_INLINE Pack<T, W> to_number(Pack<I, W> const& a) {
  Pack<T, W> r;
  for (int l = 0; l < W; ++l) r.v[l] = static_cast<T>(a.v[l]);
  return r;
}

}  // namespace Impl

#undef BATCHWORK_PACK_LANEWISE

}  // namespace Batchwork

#endif

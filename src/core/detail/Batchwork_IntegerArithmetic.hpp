// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Integer arithmetic for every `S`, defined for all values: sums and products wrap around, and no
/// lane traps. A sequence computes both sides of a choice, so lanes compute with values that their
/// items never use.
#ifndef BATCHWORK_INTEGERARITHMETIC_HPP
#define BATCHWORK_INTEGERARITHMETIC_HPP

#include <limits>
#include <type_traits>

#include "core/Batchwork_Distributed.hpp"
#include "core/detail/Batchwork_Lanes.hpp"

namespace Batchwork::Impl {

/// The bit operations, which are those of unsigned integers.
enum class BitOperation { plus, minus, times, both, either, differ, shift_left };

template <BitOperation Op, class U>
BATCHWORK_INLINE void by_bits(U& r, U const& a, U const& b) {
  if constexpr (Op == BitOperation::plus) r = a + b;
  else if constexpr (Op == BitOperation::minus) r = a - b;
  else if constexpr (Op == BitOperation::times) r = a * b;
  else if constexpr (Op == BitOperation::both) r = a & b;
  else if constexpr (Op == BitOperation::either) r = a | b;
  else if constexpr (Op == BitOperation::differ) r = a ^ b;
  else r = a << b;
}

template <BitOperation Op, Number I>
BATCHWORK_INLINE I by_bits(I a, I b) {
  using U = std::make_unsigned_t<I>;
  U r;
  by_bits<Op>(r, static_cast<U>(a), static_cast<U>(b));
  return static_cast<I>(r);
}
template <BitOperation Op, class I, int W>
BATCHWORK_INLINE Pack<I, W> by_bits(Pack<I, W> const& a, Pack<I, W> const& b) {
  Pack<I, W> r;
#if !defined(__CUDACC__)
  if constexpr (W > 1) {
    typename NativeVector<std::make_unsigned_t<I>, W>::type x, y, z;
    __builtin_memcpy(&x, &a.v, sizeof(x));
    __builtin_memcpy(&y, &b.v, sizeof(y));
    by_bits<Op>(z, x, y);
    __builtin_memcpy(&r.v, &z, sizeof(z));
  } else
#endif
  {
    for (int l = 0; l < W; ++l) r.set_lane(l, by_bits<Op>(a.lane(l), b.lane(l)));
  }
  return r;
}
template <BitOperation Op, class S>
  requires is_distributed<S>
BATCHWORK_INLINE S by_bits(S const& a, S const& b) {
  return {by_bits<Op>(a.v, b.v), merge_grids(a.grid, b.grid)};
}

/// a / b rounded towards zero; 0 if b is zero. The smallest integer divided by -1 wraps around.
struct IntegerQuotient {
  template <class I>
  BATCHWORK_INLINE I operator()(I a, I b) const {
    if (b == I(0)) return I(0);
    return b == I(-1) ? by_bits<BitOperation::minus>(I(0), a) : static_cast<I>(a / b);
  }
};
/// The remainder of a, with its sign; 0 if b is zero.
struct IntegerRemainder {
  template <class I>
  BATCHWORK_INLINE I operator()(I a, I b) const {
    return b == I(0) || b == I(-1) ? I(0) : static_cast<I>(a % b);
  }
};
/// a / 2^b, rounded down.
template <Number I>
BATCHWORK_INLINE I shifted_right(I a, I b) {
  return static_cast<I>(a >> b);
}
template <class I, int W>
BATCHWORK_INLINE Pack<I, W> shifted_right(Pack<I, W> const& a, Pack<I, W> const& b) {
  Pack<I, W> r;
#if !defined(__CUDACC__)
  if constexpr (W > 1) {
    r.v = a.v >> b.v;
  } else
#endif
  {
    for (int l = 0; l < W; ++l) r.set_lane(l, static_cast<I>(a.lane(l) >> b.lane(l)));
  }
  return r;
}
template <class S>
  requires is_distributed<S>
BATCHWORK_INLINE S shifted_right(S const& a, S const& b) {
  return {shifted_right(a.v, b.v), merge_grids(a.grid, b.grid)};
}

/// f of the lanes of integers, one after the other.
template <class F, Number I>
BATCHWORK_INLINE I lane_by_lane(F const& f, I a, I b) {
  return f(a, b);
}
template <class F, class I, int W>
BATCHWORK_INLINE Pack<I, W> lane_by_lane(F const& f, Pack<I, W> const& a, Pack<I, W> const& b) {
  Pack<I, W> r;
  for (int l = 0; l < W; ++l) r.set_lane(l, f(a.lane(l), b.lane(l)));
  return r;
}
template <class F, class S>
  requires is_distributed<S>
BATCHWORK_INLINE S lane_by_lane(F const& f, S const& a, S const& b) {
  return {f(a.v, b.v), merge_grids(a.grid, b.grid)};
}

template <class S>
BATCHWORK_INLINE S negated(S const& a) {
  if constexpr (holds_integers<S>) return by_bits<BitOperation::minus>(S(scalar_t<S>(0)), a);
  else return -a;
}
/// |a|; the smallest integer is returned unchanged.
template <class S>
BATCHWORK_INLINE S integer_size(S const& a) {
  return select(a < S(scalar_t<S>(0)), negated(a), a);
}

/// The mask type for packs of W integers for which no comparison of real numbers determines it: the
/// mask of the real numbers of which W fill a register, so that the masks of a call combine without
/// conversions.
template <int W>
using register_mask_t =
    PackMask<std::conditional_t<(W * 8 <= simd_bytes), std::int64_t, std::int32_t>, W>;

/// The result of a comparison of integers.
template <class M>
BATCHWORK_INLINE M mask_of_integers(M const& m) {
  return m;
}
template <class I, int W>
BATCHWORK_INLINE register_mask_t<W> mask_of_integers(PackMask<I, W> const& m) {
  return m;
}

/// A real number as an integer: towards zero.
template <class I, class S>
struct IntegerOfReal {
  using Integers = with_number_t<S, I>;
  Integers value;
  mask_t<S> beyond;  ///< true if the integer is only the nearest one, or 0 for a NaN

  BATCHWORK_INLINE explicit IntegerOfReal(S const& x) {
    using T = scalar_t<S>;
    // The numbers of T next to those whose integer part is an I, on either side of them. The lower
    // one is the smallest integer itself if T has no number one unit below it.
    constexpr T upper = -static_cast<T>(std::numeric_limits<I>::min());
    constexpr bool has_next = sizeof(I) < sizeof(T);
    constexpr T lower = has_next ? -upper - T(1) : -upper;
    auto const too_large = x >= S(upper);
    auto const too_small = has_next ? x <= S(lower) : x < S(lower);
    beyond = too_large || too_small || is_nan(x);
    Integers const inside = to_value<Integers>(select(beyond, S(T(0)), x));
    Integers const largest(std::numeric_limits<I>::max()), smallest(std::numeric_limits<I>::min());
    value = select(too_large, largest, select(too_small, smallest, inside));
  }
};

}  // namespace Batchwork::Impl

#endif

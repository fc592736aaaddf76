// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// uniform, normal, integers: random tiles in a sequence, from the operand random(seed, stream).
#ifndef BATCHWORK_RANDOM_HPP
#define BATCHWORK_RANDOM_HPP

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "core/detail/Batchwork_RandomBlock.hpp"
#include "tile/Batchwork_Integers.hpp"
#include "tile/types/Batchwork_Matrix.hpp"

namespace Batchwork {

namespace Impl {

/// The grid of the lanes that share an item; nothing otherwise.
struct NoGrid {};
template <class S>
struct GridOfRandom {
  NoGrid grid;
};
template <class S>
  requires is_distributed<S>
struct GridOfRandom<S> {
  LaneGrid grid;
};

/// The numbers that one lane or pack computes with, for tiles of S.
template <class S>
using lane_value_t = std::conditional_t<is_distributed<S>, scalar_t<S>, S>;

}  // namespace Impl

/// The operand random(seed, stream) in a sequence. uniform, normal and integers take numbers from
/// it, and each call gives new ones. A number depends on the seed, the stream, the item, the step
/// of a scan, the calls before it in this step, and its place in the tile; not on how the items are
/// divided among lanes. Take it by reference, `R& r`.
///
/// A loop of some items only must say so: with iterate, r is one of the states. Otherwise the calls
/// before a number would depend on which items run together.
template <class S>
struct RandomNumbers : Impl::GridOfRandom<S> {
  /// The type of the numbers.
  using value_type = S;
  static constexpr int width = Impl::ValueTraits<S>::width;
  Impl::RandomCounter<width> counter;

  /// The numbers of step t of a scan, from the first call on. For a time loop outside the call, as
  /// around a team_map: `auto q = r.at(t)`.
  /// \param t  an integer, or a scalar of integers; from 0 to 2^32 - 1
  template <class I>
  BATCHWORK_INLINE RandomNumbers at(I const& t) const {
    RandomNumbers r(*this);
    if constexpr (std::integral<I>) {
      for (int l = 0; l < width; ++l) r.counter.set_step(l, static_cast<std::int64_t>(t));
    } else {
      static_assert(Impl::holds_integers<typename I::value_type>,
                    "Batchwork::random: the step at(t) is an integer or a scalar of integers");
      for (int l = 0; l < width; ++l) {
        if constexpr (Impl::is_distributed<typename I::value_type>)
          r.counter.set_step(l, static_cast<std::int64_t>(t.value.v));
        else r.counter.set_step(l, static_cast<std::int64_t>(Impl::entry_of_pack(t.value, l)));
      }
    }
    return r;
  }
};

namespace Impl {

/// The tile with the extents E, a Scalar if there are none.
template <class S, int... E>
struct RandomTile {
  static_assert(sizeof...(E) <= 2 && ((E > 0) && ...),
                "Batchwork: random tiles have two positive extents for a matrix, one for a vector, "
                "none for a scalar");
  using type = Scalar<S>;
  static constexpr int rows = 1, cols = 1;
};
template <class S, int N>
struct RandomTile<S, N> {
  using type = Vector<S, N>;
  static constexpr int rows = N, cols = 1;
};
template <class S, int M, int N>
struct RandomTile<S, M, N> {
  using type = Matrix<S, M, N>;
  static constexpr int rows = M, cols = N;
};

/// A tile of numbers of type T. Entry (i, j) is number i cols + j of the call; make(bits, numbers)
/// gives the numbers of a block.
template <class T, int... E, class S, class Make>
BATCHWORK_INLINE auto random_tile(RandomNumbers<S>& r, Make const& make) {
  using SR = with_number_t<S, T>;
  using V = lane_value_t<SR>;
  using Made = RandomTile<SR, E...>;
  using R = typename Made::type;
  constexpr int per = numbers_in_block<T>, count = Made::rows * Made::cols,
                blocks = (count + per - 1) / per;
  R tile;
  tile.info = info_t<SR>(0);
  if constexpr (sizeof...(E) == 0) {
    V x[per];
    make(r.counter.bits(0), x);
    if constexpr (is_distributed<SR>) tile.value = SR(x[0], r.grid);
    else tile.value = x[0];
  } else if constexpr (!is_distributed<SR>) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int b = 0; b < blocks; ++b) {
      V x[per];
      make(r.counter.bits(std::uint32_t(b)), x);
      BATCHWORK_UNROLL
      for (int k = 0; k < per; ++k) {
        int const n = b * per + k;
        if (n < count) tile.set(n / Made::cols, n % Made::cols, x[k]);
      }
    }
  } else {
    // A lane computes the blocks of its rows, which begin and end anywhere in a block.
    static_assert(R::by_rows, "rows are distributed over the lanes");
    constexpr bool whole = Made::cols % per == 0;
    constexpr int blocks_of_row = whole ? Made::cols / per : (Made::cols + 2 * (per - 1)) / per;
    tile.grid = r.grid;
    BATCHWORK_UNROLL
    for (int m = 0; m < R::mine; ++m) {
      int const first = tile.line(m) * Made::cols, begin = whole ? 0 : first % per;
      V x[blocks_of_row * per];
      BATCHWORK_UNROLL
      for (int b = 0; b < blocks_of_row; ++b) {
        V of_block[per];
        make(r.counter.bits(std::uint32_t(first / per + b)), of_block);
        BATCHWORK_UNROLL
        for (int k = 0; k < per; ++k) x[b * per + k] = of_block[k];
      }
      BATCHWORK_UNROLL
      for (int n = 0; n < Made::cols; ++n) {
        V y = x[n];
        BATCHWORK_UNROLL
        for (int k = 1; k < (whole ? 1 : per); ++k)
          y = begin == k && n + k < blocks_of_row * per ? x[n + k] : y;
        tile.set_local(m, n, y);
      }
    }
  }
  for (int l = 0; l < RandomNumbers<S>::width; ++l) r.counter.block[l] += std::uint32_t(blocks);
  return tile;
}

struct MakeUniform {
  template <class Bits, class X>
  BATCHWORK_INLINE void operator()(Bits const& bits, X& x) const {
    uniform_numbers(bits, x);
  }
};
struct MakeNormal {
  template <class Bits, class X>
  BATCHWORK_INLINE void operator()(Bits const& bits, X& x) const {
    normal_numbers(bits, x);
  }
};
template <class V>
struct MakeIntegers {
  V range;
  PhiloxKey key;
  template <class Bits, class X>
  BATCHWORK_INLINE void operator()(Bits const& bits, X& x) const {
    integer_numbers(bits, key, range, x);
  }
};

/// The type of integers below n: that of the scalar, else std::int64_t for integers of 64 bits.
template <class N>
struct IntegerBelow {
  using type = std::conditional_t<sizeof(N) == 8, std::int64_t, std::int32_t>;
};
template <ScalarTile N>
struct IntegerBelow<N> {
  using type = scalar_t<typename N::value_type>;
};

}  // namespace Impl

/// Uniform random numbers in [0, 1): multiples of 2^-24 in float and of 2^-53 in double, each with
/// the same probability. 1 - u is in (0, 1], for logarithms. Extents: uniform<M, N>(r) is a matrix,
/// uniform<N>(r) a vector, uniform(r) a scalar.
///
/// The bits are those of Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as
/// easy as 1, 2, 3", SC 2011). They are the same with every backend, lane grid, pack width and
/// arrangement. A call computes whole blocks of 4 floats or 2 doubles: ask for a vector rather than
/// for several scalars. An item has 2^24 blocks in a step.
/// ```cpp
/// x += 0.1 * (uniform<3>(r) - 0.5);
/// ```
/// \tparam E  the extents, at most two
/// \param r  the operand random(seed, stream), by reference
/// \returns a Matrix, Vector or Scalar of the numbers of r
template <int... E, class S>
BATCHWORK_INLINE auto uniform(RandomNumbers<S>& r) {
  return Impl::random_tile<scalar_t<S>, E...>(r, Impl::MakeUniform{});
}

/// Independent random numbers with the standard normal distribution, by the method of Box and
/// Muller (1958) from uniform numbers u in (0, 1]: 32 bits of u in float, 53 in double. So no
/// number is beyond 6.66 in float and 8.57 in double, where the probability of one is 2.7e-11 and
/// 1e-17. Numbers with different backends or pack widths differ by the rounding of log and sqrt
/// only.
/// ```cpp
/// x = mean + cholesky(p).lower() * normal<4>(r);  // with covariance p
/// ```
/// \tparam E  the extents, at most two: see uniform
/// \param r  the operand random(seed, stream), by reference
/// \returns a Matrix, Vector or Scalar of the numbers of r
template <int... E, class S>
BATCHWORK_INLINE auto normal(RandomNumbers<S>& r) {
  return Impl::random_tile<scalar_t<S>, E...>(r, Impl::MakeNormal{});
}

/// Random integers in 0 .. n - 1, each with exactly the same probability: Lemire, "Fast random
/// integer generation in an interval", ACM TOMACS 29 (2019). If n differs between items, pass a
/// scalar. An item whose n is not positive gets 0 and the status Reason::out_of_range.
/// ```cpp
/// auto const face = 1 + integers<2>(r, 6);  // two dice
/// ```
/// \tparam E  the extents, at most two: see uniform
/// \param r  the operand random(seed, stream), by reference
/// \param n  the number of values: an integer, or a scalar of integers
/// \returns a Matrix, Vector or Scalar of std::int32_t, or of std::int64_t if n has 64 bits
template <int... E, class S, Impl::ScalarLike N>
BATCHWORK_INLINE auto integers(RandomNumbers<S>& r, N const& n) {
  using I = typename Impl::IntegerBelow<N>::type;
  using SI = Impl::with_number_t<S, I>;
  static_assert(Impl::is_integer_number<I> && (Impl::ScalarTile<N> || std::integral<N>),
                "Batchwork::integers(r, n): n must be an integer or a scalar of integers");
  Scalar<SI> const given(n);
  auto const good = SI(I(0)) < given.value;
  SI const range = Impl::select(good, given.value, SI(I(1)));
  using V = Impl::lane_value_t<SI>;
  auto x =
      Impl::random_tile<I, E...>(r, Impl::MakeIntegers<V>{Impl::value_of(range), r.counter.key});
  auto const failure =
      Impl::select(good, info_t<SI>(0), Impl::make_info<SI>(Reason::out_of_range, 0));
  x.info = Impl::first_failure(given.info, failure);
  return x;
}

/// The random numbers of an item, in a kernel of your own whose threads have one item each: those
/// that random<T>(seed, stream) gives to this item of a sequence in this step.
/// ```cpp
/// auto r = random_numbers(2026, 0, n);
/// store(load<3>(x, n) + normal<3>(r), x, n);
/// ```
/// \tparam T  float or double
/// \param seed    any number
/// \param stream  any number
/// \param item    the number of the item, below 2^40
/// \param step    the step, below 2^32
/// \returns a RandomNumbers
template <class T = double>
BATCHWORK_INLINE RandomNumbers<T> random_numbers(std::uint64_t seed, std::uint32_t stream,
                                                 std::int64_t item, std::int64_t step = 0) {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "Batchwork::random_numbers<T>: T must be float or double");
  RandomNumbers<T> r;
  r.counter.key = Impl::PhiloxKey(seed);
  r.counter.stream = stream;
  r.counter.set_item(0, item);
  r.counter.set_step(0, step);
  return r;
}

/// The numbers of `a` from the same point on where the mask is true, else those of `b`.
/// \param mask  a comparison of scalars
/// \param a  a RandomNumbers
/// \param b  a RandomNumbers of the same operand
template <class M, class S>
BATCHWORK_INLINE RandomNumbers<S> select(M const& mask, RandomNumbers<S> const& a,
                                         RandomNumbers<S> const& b) {
  RandomNumbers<S> r(b);
  for (int l = 0; l < RandomNumbers<S>::width; ++l) {
    bool chosen;
    if constexpr (std::is_same_v<M, bool>) chosen = mask;
    else if constexpr (Impl::is_distributed_mask<M>) chosen = mask.v;
    else chosen = mask.lane(l);
    r.counter.block[l] = chosen ? a.counter.block[l] : b.counter.block[l];
    r.counter.step[l] = chosen ? a.counter.step[l] : b.counter.step[l];
  }
  return r;
}

}  // namespace Batchwork

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Sequences over random numbers, and checks of their results against a generator of the tests,
/// which computes number by number from the documented address.
#ifndef BATCHWORK_TEST_RANDOMCASE_HPP
#define BATCHWORK_TEST_RANDOMCASE_HPP

#include "support/Batchwork_TestSupport.hpp"
#include "support/RandomReference.hpp"

namespace Batchwork::Test {

/// Three calls, with what is left of a block in between.
template <class I>
struct Draw {
  template <class U, class Z, class K, class Last, class N, class R>
  KOKKOS_FUNCTION void operator()(U& u, Z& z, K& k, Last& last, N const& n, R& r) const {
    u = uniform<5, 3>(r);
    z = normal<5, 4>(r);
    k = integers<5>(r, n);
    last = uniform(r);
  }
};

/// Numbers of type T and integers of type I, in the arrangement.
template <class T, class I, class Layout, class Run>
void expect_drawn(std::int64_t n, Run const& run) {
  SCOPED_TRACE("numbers of " + std::to_string(sizeof(T)) + " bytes, items " + std::to_string(n));
  constexpr std::uint64_t seed = 0x243f6a8885a308d3;
  constexpr std::int64_t stream = 0xfffffffe, first = (std::int64_t(37) << 32) - 5;
  BatchIn<T, Layout, 5, 3> u(n);
  BatchIn<T, Layout, 5, 4> z(n);
  BatchIn<I, Layout, 5> k(n);
  BatchIn<T, Layout> last(n);
  BatchIn<I, Layout> range(n);
  BatchIn<int, Left> codes(n);
  constexpr I most = std::numeric_limits<I>::max();
  I const ranges[] = {1, 6, most / 4 * 3 + 5, most, 1000, I(1) << 20};
  for (std::int64_t item = 0; item < n; ++item) range.at(item) = ranges[item % 6];
  if (n > 3) range.at(2) = 0, range.at(n - 1) = -5;
  range.upload();
  run(n, Draw<I>{}, out(u.view()), out(z.view()), out(k.view()), out(last.view()), in(range.view()),
      random<T>(seed, stream, first), status(codes.view()));
  u.download(), z.download(), k.download(), last.download(), codes.download();
  constexpr int per = Expected::per<T>;
  constexpr std::uint32_t at_z = (15 + per - 1) / per, at_k = at_z + 20 / per,
                          at_last = at_k + (5 + Expected::per<I> - 1) / Expected::per<I>;
  for (std::int64_t item = 0; item < n; ++item) {
    Expected const e{seed, std::uint32_t(stream), std::uint64_t(first + item)};
    for (int i = 0; i < 5; ++i) {
      for (int j = 0; j < 3; ++j)
        EXPECT_EQ(u.at(item, i, j), e.uniform<T>(0, 3 * i + j)) << item << " " << i << " " << j;
      for (int j = 0; j < 4; ++j) {
        auto const x = e.normal<T>(at_z, 4 * i + j);
        EXPECT_LE(std::abs(z.at(item, i, j) - x.value), 8 * epsilon<T> * x.radius)
            << item << " " << i << " " << j;
      }
      bool const good = range.at(item) > 0;
      EXPECT_EQ(k.at(item, i), good ? e.integer<I>(at_k, i, range.at(item)) : I(0)) << item;
      EXPECT_EQ(Status::reason(codes.at(item)), good ? Reason::success : Reason::out_of_range);
    }
    EXPECT_EQ(last.at(item), e.uniform<T>(at_last, 0)) << item;
  }
  for (std::size_t const padding : {u.poisoned() - u.outside(), k.poisoned() - k.outside()})
    EXPECT_EQ(padding, 0u);
}

/// A random walk, which also reads the numbers of another step.
struct RandomWalk {
  template <class X, class Z, class Other, class T, class R>
  KOKKOS_FUNCTION void operator()(X& x, Z& z, Other& other, T const& t, R& r) const {
    auto later = r.at(t + 100);
    other = uniform<2>(later);
    z = uniform<2>(r);
    x += z;
  }
};
template <class T, class Layout, class Run>
void expect_walk(std::int64_t n, Impl::Steps const& steps, Run const& run) {
  SCOPED_TRACE("walk of " + std::to_string(n));
  BatchIn<T, Layout, 2> x(n);
  SeriesIn<T, Layout, 2> z(n, steps.last), other(n, steps.last);
  for (std::int64_t item = 0; item < n; ++item)
    x.put(item, make_dense(2, 1, [](int, int) { return 0; }));
  x.upload();
  run(n, steps, RandomWalk{}, carry(x.view(), x.view()), emit(z.view()), emit(other.view()),
      step_index(), random<T>(7, 3));
  x.download(), z.download(), other.download();
  for (std::int64_t item = 0; item < n; ++item)
    for (int i = 0; i < 2; ++i) {
      long double sum = 0;
      for (std::int64_t t = steps.first; t < steps.last; ++t) {
        Expected const now{7, 3, std::uint64_t(item), std::uint32_t(t)},
            later{7, 3, std::uint64_t(item), std::uint32_t(t + 100)};
        EXPECT_EQ(z.at_time(item, t, i), now.uniform<T>(0, i)) << item << " " << t;
        EXPECT_EQ(other.at_time(item, t, i), later.uniform<T>(0, i)) << item << " " << t;
        sum += now.uniform<T>(0, i);
      }
      EXPECT_LE(std::abs(x.at(item, i) - sum),
                (long double)(steps.count() * steps.count()) * epsilon<T>);
    }
}

/// Items that need different numbers of rounds: the first number below a limit.
struct UntilSmall {
  template <class First, class After, class Rounds, class R>
  KOKKOS_FUNCTION void operator()(First& first, After& after, Rounds& rounds, R& r) const {
    auto x = zero(first);
    auto const it = iterate(
        50,
        [](auto& y, auto& numbers) {
          y = uniform(numbers);
          return y > 0.25;
        },
        x, r);
    first = x;
    rounds = it.rounds;
    after = uniform(r);
  }
};
template <class T, class Run>
void expect_until_small(std::int64_t n, Run const& run) {
  BatchIn<T, Left> first(n), after(n), rounds(n);
  run(n, UntilSmall{}, out(first.view()), out(after.view()), out(rounds.view()), random<T>(11));
  first.download(), after.download(), rounds.download();
  for (std::int64_t item = 0; item < n; ++item) {
    Expected const e{11, 0, std::uint64_t(item)};
    std::uint32_t b = 0;
    while (e.uniform<T>(b, 0) > T(0.25)) ++b;
    EXPECT_EQ(first.at(item), e.uniform<T>(b, 0)) << item;
    EXPECT_EQ(rounds.at(item), T(b + 1)) << item;
    EXPECT_EQ(after.at(item), e.uniform<T>(b + 1, 0)) << item;
  }
}

}  // namespace Batchwork::Test

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// loop, repeat, iterate, where.
#include "tile/ControlCase.hpp"

namespace Batchwork::Test {
namespace {

auto const control_by_map = [](auto const&... arguments) { map(arguments...); };

TEST(Control, ItemsKeepWhatTheyHave) {
  for (int most : {50, 5, 1, 0}) expect_halves<double, Left, 3>(29, most, control_by_map);
  expect_halves<float, CompactBy<8>, 2>(21, 9, control_by_map);
}
TEST(Control, EachItemAsIfAlone) {
  expect_intersections<double, Right>(29, control_by_map);
  expect_intersections<float, Left>(21, control_by_map);
}
TEST(Control, OnlyWhereAsked) {
  expect_where<double, Left>(61, control_by_map);
  expect_where<float, Right>(67, control_by_map);
}

/// Constant indices, and loops with the same number of rounds for all items.
struct Counted {
  int rounds;
  template <class Y, class X, class C>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x, C const& count) const {
    auto sum = 0 * x, series = 0 * x, plain = 0 * x;
    loop<4>([&](auto k) {
      constexpr int i = decltype(k)::value;
      auto const part = generate<i + 1>([&](int j) { return x * j; });
      sum += element(part, k);
    });
    loop<2, 5>([&](auto k) { sum += 10 * k * x; });
    loop<0>([&](auto k) { sum += k * x / 0; });
    repeat(count, [&](int k) { series += k * x; });
    repeat(rounds, [&] { plain = plain + x; });
    y = generate<3>([&](int i) { return i == 0 ? sum : i == 1 ? series : plain; });
  }
};
TEST(Control, Counted) {
  BatchIn<double, Left> x(5);
  BatchIn<double, Left, 3> y(5);
  Random random(1);
  x.fill_exactly(random);
  for (int rounds : {0, 1, 6}) {
    map(Counted{rounds}, out(y.view()), in(x.view()), common(fixed(double(rounds))));
    y.download();
    for (int k = 0; k < 5; ++k) {
      EXPECT_EQ(y.at(k, 0), x.at(k) * (0 + 1 + 2 + 3 + 10 * (2 + 3 + 4)));
      EXPECT_EQ(y.at(k, 1), x.at(k) * (rounds * (rounds - 1) / 2));
      EXPECT_EQ(y.at(k, 2), x.at(k) * rounds);
    }
  }
}

/// A state and a mask that are common to all items: all packs stop in the same round.
struct CommonMask {
  template <class Y, class R, class X, class C>
  KOKKOS_FUNCTION void operator()(Y& y, R& rounds, X const& x, C const& c) const {
    auto left = 1 * c;
    auto sum = 0 * x;
    auto const ended = iterate(
        9,
        [&](auto& s, auto& l) {
          s += x;
          l = l / 2;
          return l >= 1;
        },
        sum, left);
    y = sum;
    rounds = ended.rounds + 0 * x;
  }
};
TEST(Control, CommonMask) {
  BatchIn<double, Left> x(5), y(5), rounds(5);
  Random random(1);
  x.fill_exactly(random);
  map(CommonMask{}, out(y.view()), out(rounds.view()), in(x.view()), common(fixed(8.0)));
  y.download(), rounds.download();
  for (int k = 0; k < 5; ++k) {
    EXPECT_EQ(y.at(k), 4 * x.at(k));
    EXPECT_EQ(rounds.at(k), 4);
  }
}

/// A state that is initialised with an entry of a writable tile is a copy, so that the tile does
/// not change.
struct FromEntry {
  template <class V, class R, class C>
  KOKKOS_FUNCTION void operator()(V& v, R& root, C const& c) const {
    auto x = v(1);
    auto const ended = iterate(
        40,
        [&](auto& r) {
          auto const step = (v(0) / r - r) / 2;
          r += step;
          return abs(step) > c;
        },
        x);
    root = fail_where(ended.open, Reason::iteration_limit, x);
  }
};
TEST(Control, StateFromAnEntry) {
  BatchIn<double, Left, 2> v(5);
  BatchIn<double, Left> root(5);
  for (int k = 0; k < 5; ++k) v.at(k, 0) = (k + 2) * (k + 2), v.at(k, 1) = 1;
  v.upload();
  map(FromEntry{}, inout(v.view()), out(root.view()), common(fixed(1e-12)));
  v.download(), root.download();
  for (int k = 0; k < 5; ++k) {
    EXPECT_NEAR(root.at(k), k + 2, 1e-14 * (k + 2));
    EXPECT_EQ(v.at(k, 0), (k + 2) * (k + 2));
    EXPECT_EQ(v.at(k, 1), 1);
  }
}

/// A function is not called if no item of the pack selects it.
TEST(Control, CallsForNobody) {
  if constexpr (!Impl::runs_on_device<Space>) {
    BatchIn<double, Left> x(16), y(16);
    for (int k = 0; k < 16; ++k) x.at(k) = k == 9 ? 1 : -1;
    x.upload();
    int calls = 0;
    map(
        Kokkos::DefaultHostExecutionSpace(), launch(width<4>),
        [calls = &calls](auto& to, auto const& from) {
          to = where(
              from > 0,
              [&] {
#pragma omp atomic
                ++*calls;
                return 2 * from;
              },
              from);
        },
        out(y.view()), in(x.view()));
    y.download();
    EXPECT_EQ(calls, 1);
    for (int k = 0; k < 16; ++k) EXPECT_EQ(y.at(k), k == 9 ? 2 : -1);
  }
}

}  // namespace
}  // namespace Batchwork::Test

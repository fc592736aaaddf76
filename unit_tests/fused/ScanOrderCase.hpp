// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A scan with its steps in any order and with operands of every pace, compared with a plain loop
/// in long double.
#ifndef BATCHWORK_TEST_SCANORDERCASE_HPP
#define BATCHWORK_TEST_SCANORDERCASE_HPP

#include <algorithm>
#include <string>
#include <vector>

#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {

/// The values that are read and written at each step: see check_order.
struct EveryPace {
  template <class X, class A, class B, class C, class G, class D, class E, class H, class P,
            class Q>
  KOKKOS_FUNCTION void operator()(X& x, A const& a, B const& before, C const& sparse, G const& g,
                                  D const& turned, E& emitted, H& square, P& in_place,
                                  Q& number) const {
    x = a * x + before + g * sparse;
    emitted = x + turned;
    square = gram(transpose(x));
    in_place = in_place - x;
    number = number * dot(x, x);
  }
};

/// \param run  what runs it: run(steps, sequence, operands...)
template <class T, class L, int N, class Run>
void check_order(std::int64_t n, Impl::Steps const& steps, Run const& run) {
  SCOPED_TRACE((steps.backward ? "backward " : "forward ") + std::to_string(steps.first) + " to " +
               std::to_string(steps.last) + " of " + std::to_string(n) + " items");
  int const last = int(steps.last), k = int(std::min<std::int64_t>(steps.first, 2));
  Random random(211);
  BatchIn<T, L, N> x0(n), x1(n);
  SeriesIn<T, L, N, N> a(n, last), square(n, last + 2);
  SeriesIn<T, L, N> before(n, last), sparse(n, 3 * last + 2), turned(n, last + 1),
      emitted(n, 2 * last + 3), in_place(n, last);
  SeriesIn<T, L> number(n, last);
  // Coefficients of norm below one: errors of earlier steps die away.
  a.randomise(random, -0.3, 0.3), x0.randomise(random), before.randomise(random);
  sparse.randomise(random), turned.randomise(random), in_place.randomise(random);
  number.randomise(random);
  Kokkos::View<T*, Space> g("g", std::size_t(last + 1));
  auto const host_g = Kokkos::create_mirror(Kokkos::HostSpace(), g);
  for (int t = 0; t <= last; ++t) host_g(t) = static_cast<T>(random());
  Kokkos::deep_copy(g, host_g);
  std::vector<Dense> places;
  std::vector<long double> numbers;
  for (std::int64_t i = 0; i < n; ++i)
    for (int t = 0; t < last; ++t)
      places.push_back(in_place.dense(i, t)), numbers.push_back(number.at_time(i, t));

  run(steps, EveryPace{}, carry(x0.const_view(), x1.view()), each(a.const_view()),
      each(before.const_view(), lag(k)), each(sparse.const_view(), stride<3>, lag<-1>),
      common(each(g, lag<-1>)), each(reversed(turned.const_view())),
      emit(emitted.view(), stride(2), lag(-1)), emit(symmetric(reversed(square.view()))),
      inout(each(in_place.view())), inout(each(number.view())));

  x1.download(), emitted.download(), square.download(), in_place.download(), number.download();
  long double const tol = tolerance<T>(8 * N, 8);
  for (std::int64_t i = 0; i < n; ++i) {
    Dense x = x0.dense(i);
    for (std::int64_t j = 0; j < steps.last - steps.first; ++j) {
      int const t = int(steps.backward ? steps.last - 1 - j : steps.first + j);
      std::size_t const here = std::size_t(i) * std::size_t(last) + std::size_t(t);
      x = a.dense(i, t) * x + before.dense(i, t - k) + host_g(t + 1) * sparse.dense(i, 3 * t + 1);
      ASSERT_TRUE(near(emitted.dense(i, 2 * t + 1), x + turned.dense(i, last - t), tol))
          << i << ", step " << t;
      ASSERT_TRUE(near(square.dense(i, last + 1 - t), x * transpose(x), tol)) << i << ", " << t;
      ASSERT_TRUE(near(in_place.dense(i, t), places[here] - x, tol)) << i << ", step " << t;
      ASSERT_LE(std::fabs(number.at_time(i, t) - numbers[here] * dot(x, x)), tol * N) << i;
    }
    ASSERT_TRUE(near(x1.dense(i), x, tol)) << i;
    for (int t = 0; t < steps.first; ++t)
      ASSERT_TRUE(
          equal(in_place.dense(i, t), places[std::size_t(i) * std::size_t(last) + std::size_t(t)]))
          << i << ": step " << t << " is not of the scan";
  }
  // Only the steps of the scan are written to emitted Views.
  std::size_t const ran = std::size_t(n) * std::size_t(steps.last - steps.first);
  EXPECT_EQ(x1.poisoned(), x1.outside());
  EXPECT_EQ(emitted.poisoned(),
            emitted.outside() + (std::size_t(n) * std::size_t(2 * last + 3) - ran) * N);
  EXPECT_EQ(square.poisoned(),
            square.outside() + (std::size_t(n) * std::size_t(last + 2) - ran) * N * N);
  EXPECT_EQ(in_place.poisoned(), in_place.outside());
}

template <class T, class L, int N, class Run>
void check_orders(std::int64_t n, Run const& run) {
  for (int const last : {0, 1, 7}) {
    check_order<T, L, N>(n, last, run);
    check_order<T, L, N>(n, backward(last), run);
  }
  check_order<T, L, N>(n, range(3, 8), run);
  check_order<T, L, N>(n, backward(range(1, 6)), run);
  check_order<T, L, N>(n, range(4, 5), run);
  check_order<T, L, N>(n, backward(range(4, 4)), run);
}

}  // namespace Batchwork::Test

#endif

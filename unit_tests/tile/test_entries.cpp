// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Entries of tiles, in packs of a host or on a device.
#include <array>

#include "tile/EntriesCase.hpp"

namespace Batchwork::Test {
namespace {

auto const by_map = [](std::int64_t, auto const& sequence, auto const&... operands) {
  map(sequence, operands...);
};

TEST(Entries, AreReadAndAssigned) {
  expect_entries<double, Left, 3>(21, by_map);
  expect_entries<float, Right, 6>(35, by_map);
}
TEST(Entries, BringTheirStatus) {
  expect_failures_of_entries<double, Left, 2>(37, by_map);
  // A tile that is not set to zero before the sequence.
  expect_failures_of_entries<float, Right, 9>(37, by_map);
}
TEST(Entries, AreTakenTogether) {
  expect_taken_together<double, Right, 3>(21, by_map);
  expect_taken_together<float, Left, 5>(35, by_map);
}
TEST(Entries, AreComplex) {
  expect_complex_entries<double, Left, 3>(13, by_map);
  expect_complex_entries<float, Right, 4>(35, by_map);
}

/// Carries and emitted values, over steps.
struct Steps {
  template <class X, class E, class Z>
  KOKKOS_FUNCTION void operator()(X& x, E& e, Z const& z) const {
    x(0) += z(1);
    x(1) = x(0) * x(1) - z(0);
    e(1, 0) = e(0, 1) = x(1);
    e(0, 0) = x(0);
    e(1, 1) = 0;
  }
};
TEST(Entries, OfCarriesAndEmittedTiles) {
  constexpr std::int64_t n = 19, steps = 4;
  Random random(337);
  BatchIn<double, Left, 2> x(n), end(n);
  SeriesIn<double, Left, 2> z(n, steps);
  SeriesIn<double, Left, 2, 2> e(n, steps);
  x.randomise(random), z.randomise(random);
  scan(steps, Steps{}, carry(x.view(), end.view()), emit(e.view()), each(z.view()));
  end.download(), e.download();
  for (std::int64_t k = 0; k < n; ++k) {
    long double u = x.at(k, 0), v = x.at(k, 1);
    for (std::int64_t t = 0; t < steps; ++t) {
      u += z.at_time(k, t, 1);
      v = u * v - z.at_time(k, t, 0);
      long double const want[2][2] = {{u, v}, {v, 0}};
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
          EXPECT_LE(std::fabs(e.at_time(k, t, i, j) - want[i][j]), tolerance<double>(10, 32)) << k;
    }
    EXPECT_LE(std::fabs(end.at(k, 0) - u), tolerance<double>(10, 32)) << k;
    EXPECT_LE(std::fabs(end.at(k, 1) - v), tolerance<double>(10, 32)) << k;
  }
}

/// Indices that are constants, and names of entries and tiles.
struct Constants {
  template <class L, class W, class X>
  KOKKOS_FUNCTION void operator()(L& l, W& w, X const& x) const {
    std::integral_constant<int, 0> const zeroth;
    std::integral_constant<int, 1> const first;
    l(zeroth, zeroth) = x(first);
    l(first, zeroth) = x(zeroth);
    l(1u, std::size_t(1)) = 3;
    using E = decltype(l(0, 0));
    E e[2];
    e[0] = l(1, 1);
    e[1] = e[0] * 2;  // l(1, 1) does not change
    auto const both = zeroth == 1 ? Scalar(x(0)) : Scalar(l(1, 1));
    auto const number = zeroth == 0 ? l(1, 0) : 0.0;
    w = e[1] + both + number + (zeroth == 1 ? x(0) : 0.0);
    auto half = Scalar(0.5), none = Scalar(0);
    half *= 2;
    w += half * x(0) + none;
  }
};
TEST(Entries, OfConstantIndicesAndNames) {
  constexpr std::int64_t n = 9;
  Random random(347);
  BatchIn<double, Left, 2> x(n);
  BatchIn<double, Left, 2, 2> l(n);
  BatchIn<double, Left> w(n);
  x.randomise(random);
  map(Constants{}, out(lower(l.view())), out(w.view()), in(x.view()));
  l.download(), w.download();
  for (std::int64_t k = 0; k < n; ++k) {
    double const x0 = x.at(k, 0), x1 = x.at(k, 1);
    EXPECT_EQ(l.at(k, 0, 0), x1);
    EXPECT_EQ(l.at(k, 1, 0), x0);
    EXPECT_EQ(l.at(k, 1, 1), 3);
    EXPECT_NEAR(w.at(k), 6 + 3 + x0 + x0, 1e-14);
  }
}

/// Arrays are passed as fixed vectors and matrices.
struct Weighs {
  template <class Y, class V, class M>
  KOKKOS_FUNCTION void operator()(Y& y, V const& v, M const& m, V const& v2, M const& m2) const {
    y = m * v + m2 * v2;
  }
};
TEST(Entries, OfArraysThatAreFixed) {
  double const v[3] = {1, 2, 3}, m[2][3] = {{1, 0, 2}, {0, 3, 1}};
  std::array<double, 3> const v2{4, 5, 6};
  std::array<std::array<double, 3>, 2> const m2{{{1, 1, 0}, {0, 0, 2}}};
  BatchIn<double, Left, 2> y(11);
  map(Weighs{}, out(y.view()), common(fixed(v)), common(fixed(m)), common(fixed(v2)),
      common(fixed(m2)));
  y.download();
  for (std::int64_t k = 0; k < 11; ++k) {
    EXPECT_EQ(y.at(k, 0), 7 + 9);
    EXPECT_EQ(y.at(k, 1), 9 + 12);
  }
  Kokkos::complex<float> const c[2] = {{1, 2}, {3, 4}};
  EXPECT_EQ(fixed(c).values[1].im, 4);
}

/// Tiles and scalars are copied as objects in memory.
static_assert(std::is_trivially_copyable_v<Scalar<double>> &&
              std::is_trivially_copyable_v<Matrix<double, 2, 3>> &&
              std::is_trivially_copyable_v<Vector<float, 3>> &&
              std::is_trivially_copyable_v<Symmetric<double, 3>> &&
              std::is_trivially_copyable_v<Lower<double, 3>> &&
              std::is_trivially_copyable_v<Diagonal<double, 3>> &&
              std::is_trivially_copyable_v<Identity<double, 3>>);
static_assert(sizeof(Vector<double, 3>) == 4 * sizeof(double) && sizeof(Scalar<double>) == 16);

}  // namespace
}  // namespace Batchwork::Test

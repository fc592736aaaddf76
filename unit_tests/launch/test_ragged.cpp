// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Verbs on items of different sizes, compared item by item with long double.
#include "launch/RaggedCase.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct RaggedVerbs : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RaggedVerbs, Numbers);

/// The sizes of the tests: all from 0 to 32, a power law to 128, one size, one item, none. With
/// padding few items of a size are padded.
std::vector<std::pair<RaggedSizes, Padding>> distributions(Random& random) {
  return {{uniform_sizes(random, 700, 32), Padding::identity},
          {uniform_sizes(random, 300, 32), Padding::none},
          {power_law_sizes(random, 90, 128), Padding::identity},
          {power_law_sizes(random, 60, 128), Padding::none},
          {RaggedSizes{1, std::vector<int>(19, 5)}, Padding::identity},
          {RaggedSizes{1, {3}}, Padding::identity},
          {RaggedSizes{1, {0, 0}}, Padding::identity},
          {RaggedSizes{}, Padding::none}};
}

template <class T>
void put_spd(RaggedArray<T>& a, Random& random) {
  for (std::int64_t n = 0; n < a.items(); ++n) {
    Dense x = random_spd<T>(random, a.rows(n));
    for (int i = 0; i < x.rows; ++i)
      for (int j = i + 1; j < x.cols; ++j) x(i, j) = NAN;
    a.put(n, x);
  }
}

TYPED_TEST(RaggedVerbs, SolveCholesky) {
  using T = TypeParam;
  Random random(1);
  for (auto const& [sizes, padding] : distributions(random)) {
    RaggedArray<T> a(sizes, 0, 0, false, random), b(sizes, 0, -1, false, random),
        x(sizes, 0, -1, false, random);
    put_spd(a, random), b.randomise(random);
    a.upload(), b.upload(), x.upload();
    auto const plan = ragged_plan(sizes.view(), padding);
    auto const ra = ragged_of<0, 0>(plan, a);
    auto const rx = ragged_of<0>(plan, x);
    RaggedCodes<> codes(sizes.items());
    solve_cholesky(in(ra), in(ragged_of<0>(plan, b)), out(rx), status(codes.view));
    x.download();
    for (std::int64_t n = 0; n < sizes.items(); ++n) {
      EXPECT_EQ(codes.host()[std::size_t(n)], 0);
      EXPECT_TRUE(solves_spd<T>(x.item(n), a.item(n), b.item(n))) << n << ", " << a.rows(n);
    }
    RaggedArray<T> again = b;  // shares the View
    solve_cholesky(in(ra), inout(ragged_of<0>(plan, again)));
    again.download();
    for (std::int64_t n = 0; n < sizes.items(); ++n) EXPECT_EQ(again.numbers(n), x.numbers(n));
  }
}

TYPED_TEST(RaggedVerbs, CholeskyOfBothLayouts) {
  using T = TypeParam;
  Random random(2);
  for (auto const& [sizes, padding] : distributions(random)) {
    RaggedArray<T> a(sizes, 0, 0, false, random), l(sizes, 0, 0, true, random);
    put_spd(a, random);
    a.upload(), l.upload();
    auto const plan = ragged_plan(sizes.template view<std::int64_t>(), padding);
    RaggedCodes<std::int64_t> codes(sizes.items());
    Batchwork::cholesky(in(ragged_of<0, 0>(plan, a)), out(ragged_by_columns<0, 0>(plan, l)),
                        status(codes.view));
    l.download();
    RaggedArray<T> in_place = a;
    Batchwork::cholesky(inout(ragged_of<0, 0>(plan, a)));
    in_place.download();
    for (std::int64_t n = 0; n < sizes.items(); ++n) {
      EXPECT_EQ(codes.host()[std::size_t(n)], 0);
      EXPECT_TRUE(is_factor<T>(l.item(n), a.item(n))) << n << ", " << a.rows(n);
      for (int i = 0; i < l.rows(n); ++i)
        for (int j = 0; j < l.rows(n); ++j) EXPECT_EQ(in_place.at(n, i, j), l.at(n, i, j));
    }
  }
}

TYPED_TEST(RaggedVerbs, FailuresStayInTheirItem) {
  using T = TypeParam;
  Random random(3);
  std::int64_t const items = 300;
  auto sizes = uniform_sizes(random, items, 32);
  std::int64_t const last = items - 1, middle = items / 2;
  for (auto const n : {std::int64_t(0), middle, last})
    sizes.numbers[std::size_t(n)] = 7 + int(n % 9);
  RaggedArray<T> a(sizes, 0, 0, false, random), b(sizes, 0, -1, false, random),
      x(sizes, 0, -1, false, random), y(sizes, 0, -1, false, random);
  put_spd(a, random), b.randomise(random);
  a.upload(), b.upload(), x.upload(), y.upload();
  auto const plan = ragged_plan(sizes.view());
  auto const ra = ragged_of<0, 0>(plan, a);
  auto const rb = ragged_of<0>(plan, b);
  RaggedCodes<> codes(items);
  solve_cholesky(in(ra), in(rb), out(ragged_of<0>(plan, x)));
  a.at(0, 0, 0) = T(-1);
  a.at(middle, 6, 6) = T(-100);
  a.at(last, 3, 3) = std::numeric_limits<T>::quiet_NaN();
  a.upload();
  solve_cholesky(in(ra), in(rb), out(ragged_of<0>(plan, y)), status(codes.view));
  x.download(), y.download();
  auto const c = codes.host();
  for (std::int64_t n = 0; n < items; ++n) {
    int const want = n == 0        ? Status::code(Reason::not_positive_definite, 1)
                     : n == middle ? Status::code(Reason::not_positive_definite, 7)
                     : n == last   ? Status::code(Reason::not_finite, 4)
                                   : 0;
    EXPECT_EQ(c[std::size_t(n)], want) << n;
    if (want == 0) EXPECT_EQ(x.numbers(n), y.numbers(n)) << n;
    else
      for (T const v : y.numbers(n)) EXPECT_TRUE(std::isnan(v));
  }
}

/// The largest magnitude.
long double largest(Dense const& x) {
  long double r = 0;
  for (long double const v : x.a) r = std::max(r, std::fabs(v));
  return r;
}

TYPED_TEST(RaggedVerbs, Lu) {
  using T = TypeParam;
  Random random(4);
  for (auto const& [sizes, padding] : distributions(random)) {
    RaggedArray<T> a(sizes, 0, 0, true, random), b(sizes, 0, -1, false, random),
        x(sizes, 0, -1, false, random), inverses(sizes, 0, 0, false, random);
    a.randomise(random), b.randomise(random);
    // A singular item in the middle: its second column is zero.
    std::int64_t const bad = sizes.items() / 2;
    bool const spoilt = sizes.items() > 10 && a.rows(bad) > 1;
    for (std::int64_t n = 0; n < sizes.items(); ++n)
      for (int i = 0; i < a.rows(n); ++i) a.at(n, i, (i + 1) % a.rows(n)) += T(a.rows(n));
    for (int i = 0; spoilt && i < a.rows(bad); ++i) a.at(bad, i, 1) = 0;
    a.upload(), b.upload(), x.upload(), inverses.upload();
    auto const plan = ragged_plan(sizes.view(), padding);
    auto const ra = ragged_by_columns<0, 0>(plan, a);
    RaggedCodes<> codes(sizes.items()), inverse_codes(sizes.items());
    Kokkos::View<T*, Space> const det("determinants", std::size_t(sizes.items()));
    solve_lu(in(ra), in(ragged_of<0>(plan, b)), out(ragged_of<0>(plan, x)), status(codes.view));
    Batchwork::inverse(in(ra), out(ragged_of<0, 0>(plan, inverses)), status(inverse_codes.view));
    determinant(in(ra), out(ragged<>(plan, det)));
    x.download(), inverses.download();
    auto const d = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), det);
    for (std::int64_t n = 0; n < sizes.items(); ++n) {
      int const rows = a.rows(n);
      auto const k = std::size_t(n);
      if (spoilt && n == bad) {
        EXPECT_EQ(codes.host()[k], Status::code(Reason::singular, 2));
        EXPECT_EQ(inverse_codes.host()[k], Status::code(Reason::singular, 2));
        EXPECT_EQ(d(k), 0);
        continue;
      }
      EXPECT_EQ(codes.host()[k], 0) << n;
      Dense const m = a.item(n), r = m * x.item(n) - b.item(n),
                  s = m * inverses.item(n) - eye(rows);
      long double const c = 8 * rows * rows * epsilon<T> * largest(m);
      EXPECT_LE(largest(r), c * largest(x.item(n))) << n << ", " << rows;
      EXPECT_LE(largest(s), c * largest(inverses.item(n)) * rows) << n << ", " << rows;
      if (rows <= 2) {
        long double const want = rows == 0   ? 1
                                 : rows == 1 ? m(0, 0)
                                             : m(0, 0) * m(1, 1) - m(0, 1) * m(1, 0);
        EXPECT_NEAR(double(d(k)), double(want),
                    double(64 * epsilon<T> * (1 + largest(m) * largest(m))));
      }
    }
  }
}

/// Integers of different sizes: the order of rows.
TYPED_TEST(RaggedVerbs, LuFactors) {
  using T = TypeParam;
  Random random(9);
  for (Padding const padding : {Padding::identity, Padding::none}) {
    auto const sizes = uniform_sizes(random, 200, 12);
    RaggedArray<T> a(sizes, 0, 0, false, random), lu(sizes, 0, 0, true, random);
    RaggedArray<int> order(sizes, 0, -1, false, random);
    a.randomise(random);
    a.upload(), lu.upload(), order.upload();
    auto const plan = ragged_plan(sizes.view(), padding);
    RaggedCodes<> codes(sizes.items());
    Batchwork::lu(in(ragged_of<0, 0>(plan, a)), out(ragged_by_columns<0, 0>(plan, lu)),
                  out(ragged_of<0>(plan, order)), status(codes.view));
    lu.download(), order.download();
    for (std::int64_t n = 0; n < sizes.items(); ++n) {
      int const rows = a.rows(n);
      EXPECT_EQ(codes.host()[std::size_t(n)], 0);
      Dense const f = lu.item(n);
      Dense const l = make_dense(rows, rows, [&](int i, int j) {
        return i == j ? 1 : i > j ? f(i, j) : 0.0L;
      });
      Dense const u = make_dense(rows, rows, [&](int i, int j) { return i <= j ? f(i, j) : 0.0L; });
      Dense const pa =
          make_dense(rows, rows, [&](int i, int j) { return a.at(n, order.at(n, i), j); });
      EXPECT_LE(largest(l * u - pa), 2 * (rows + 2) * epsilon<T> * largest(abs(l) * abs(u))) << n;
    }
  }
}

TYPED_TEST(RaggedVerbs, Gemm) {
  using T = TypeParam;
  Random random(5);
  for (auto const& [items, most] : {std::pair<int, int>(400, 20), {60, 70}, {1, 4}, {0, 1}}) {
    auto const sizes = uniform_sizes(random, items, most, 3);
    // C is size 0 x size 1; the inner extent is size 2. A is stored by columns.
    RaggedArray<T> a(sizes, 0, 2, true, random), b(sizes, 2, 1, false, random),
        c(sizes, 0, 1, false, random), bt(sizes, 1, 2, false, random);
    a.randomise(random), b.randomise(random), c.randomise(random);
    for (std::int64_t n = 0; n < items; ++n) bt.put(n, transpose(b.item(n)));
    a.upload(), b.upload(), c.upload(), bt.upload();
    auto before = c;
    auto const plan = ragged_plan(sizes.view());
    auto const ra = ragged_by_columns<0, 2>(plan, a);
    gemm(0.5, in(ra), in(ragged_of<2, 1>(plan, b)), -2.0, inout(ragged_of<0, 1>(plan, c)));
    c.download();
    for (std::int64_t n = 0; n < items; ++n) {
      Dense const want = 0.5L * (a.item(n) * b.item(n)) - 2.0L * before.item(n),
                  size = abs(a.item(n)) * abs(b.item(n)) + 2.0L * abs(before.item(n));
      EXPECT_TRUE(near(c.item(n), want, (sizes(n, 2) + 3) * epsilon<T> * size)) << n;
    }
    // B' stored by rows is B stored by columns.
    gemm(1, in(ra), in(ragged_by_columns<2, 1>(plan, bt)), 0, out(ragged_of<0, 1>(plan, c)));
    c.download();
    for (std::int64_t n = 0; n < items; ++n)
      EXPECT_TRUE(near(c.item(n), a.item(n) * b.item(n),
                       (sizes(n, 2) + 3) * epsilon<T> * (abs(a.item(n)) * abs(b.item(n)))));
  }
}

TYPED_TEST(RaggedVerbs, PowersOfTwo) {
  using T = TypeParam;
  Random random(6);
  auto const sizes = uniform_sizes(random, 200, 24);
  RaggedArray<T> a(sizes, 0, 0, false, random), l(sizes, 0, 0, false, random);
  put_spd(a, random), a.upload(), l.upload();
  auto const plan = ragged_plan(sizes.view());
  auto const ra = ragged_of<0, 0>(plan, a);
  auto const rl = ragged_of<0, 0>(plan, l);
  Batchwork::cholesky(in(ra), out(rl));
  l.download();
  auto once = l;
  for (std::int64_t n = 0; n < sizes.items(); ++n)
    for (int i = 0; i < a.rows(n); ++i)
      for (int j = 0; j < a.rows(n); ++j) a.at(n, i, j) *= T(1 << 10);
  a.upload();
  Batchwork::cholesky(in(ra), out(rl));
  l.download();
  for (std::int64_t n = 0; n < sizes.items(); ++n)
    for (int i = 0; i < a.rows(n); ++i)
      for (int j = 0; j < a.rows(n); ++j) EXPECT_EQ(l.at(n, i, j), T(32) * once.at(n, i, j));
}

TYPED_TEST(RaggedVerbs, DecompositionsWithoutPadding) {
  using T = TypeParam;
  Random random(7);
  for (auto const& sizes : {uniform_sizes(random, 150, 20), RaggedSizes{1, {40, 1, 0, 2}}}) {
    RaggedArray<T> a(sizes, 0, 0, false, random), v(sizes, 0, 0, false, random),
        values(sizes, 0, -1, false, random);
    for (std::int64_t n = 0; n < sizes.items(); ++n)
      a.put(n, mirrored(make_dense(a.rows(n), a.rows(n), [&](int, int) { return T(random()); })));
    a.upload(), v.upload(), values.upload();
    auto const plan = ragged_plan(sizes.view(), Padding::none);
    RaggedCodes<> codes(sizes.items());
    eigh(in(ragged_of<0, 0>(plan, a)), out(ragged_of<0>(plan, values)),
         out(ragged_of<0, 0>(plan, v)), status(codes.view));
    v.download(), values.download();
    for (std::int64_t n = 0; n < sizes.items(); ++n) {
      int const rows = a.rows(n);
      EXPECT_EQ(codes.host()[std::size_t(n)], 0);
      Dense const x = v.item(n), lambda = make_dense(rows, rows, [&](int i, int j) {
                                   return i == j ? values.at(n, i) : T(0);
                                 });
      long double const c = 40 * (rows + 1) * epsilon<T>;
      EXPECT_LE(largest(a.item(n) * x - x * lambda), c * (1 + rows * largest(a.item(n))));
      EXPECT_LE(largest(transpose(x) * x - eye(rows)), c);
      for (int i = 1; i < rows; ++i) EXPECT_LE(values.at(n, i - 1), values.at(n, i));
    }
  }
  // More rows than columns: size 0 is size 1 and some more.
  auto sizes = uniform_sizes(random, 120, 9, 2);
  for (std::size_t k = 0; k < sizes.numbers.size(); k += 2)
    sizes.numbers[k] += sizes.numbers[k + 1];
  RaggedArray<T> a(sizes, 0, 1, false, random), b(sizes, 0, -1, false, random),
      x(sizes, 1, -1, false, random);
  a.randomise(random), b.randomise(random);
  for (std::int64_t n = 0; n < sizes.items(); ++n)
    for (int j = 0; j < a.cols(n); ++j) a.at(n, j, j) += T(4);
  a.upload(), b.upload(), x.upload();
  auto const plan = ragged_plan(sizes.view(), Padding::none);
  least_squares(in(ragged_of<0, 1>(plan, a)), in(ragged_of<0>(plan, b)),
                out(ragged_of<1>(plan, x)));
  x.download();
  for (std::int64_t n = 0; n < sizes.items(); ++n) {
    // The residual is orthogonal to the columns.
    Dense const m = a.item(n), r = transpose(m) * (m * x.item(n) - b.item(n));
    EXPECT_LE(largest(r), 400 * (a.rows(n) + 1) * epsilon<T> * (1 + largest(m) * largest(m)));
  }
}

/// x' A^-1 x, and a copy of x.
struct SquaredDistance {
  template <class D, class Y, class A, class X, class W>
  KOKKOS_FUNCTION void operator()(D& d, Y& y, A const& a, X const& x, W const& weight) const {
    d = weight * dot(x, solve(cholesky(a), x));
    y = x;
  }
};

TYPED_TEST(RaggedVerbs, Map) {
  using T = TypeParam;
  Random random(8);
  for (auto const& sizes :
       {uniform_sizes(random, 500, 8), RaggedSizes{1, {0, 3, 8, 1}}, RaggedSizes{}}) {
    std::int64_t const items = sizes.items();
    RaggedArray<T> a(sizes, 0, 0, false, random), x(sizes, 0, -1, false, random),
        y(sizes, 0, -1, false, random);
    put_spd(a, random), x.randomise(random);
    std::int64_t const bad = items > 10 ? 0 : -1;  // the first item has 8 rows
    if (bad >= 0) a.at(bad, 4, 4) = T(-100);
    a.upload(), x.upload(), y.upload();
    auto const plan = ragged_plan<2, 4, 8>(sizes.view());
    Kokkos::View<T*, Space> const d("distances", std::size_t(items));
    Kokkos::deep_copy(d, T(-3));
    RaggedCodes<std::int64_t> codes(items);
    map(SquaredDistance{}, out(ragged<>(plan, d)), out(ragged_of<0>(plan, y)),
        in(ragged_of<0, 0>(plan, a)), in(ragged_of<0>(plan, x)), common(fixed(T(2))),
        status(codes.view));
    y.download();
    auto const h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), d);
    for (std::int64_t n = 0; n < items; ++n) {
      auto const k = std::size_t(n);
      if (n == bad) {
        EXPECT_EQ(codes.host()[k], Status::code(Reason::not_positive_definite, 5));
        EXPECT_TRUE(std::isnan(h(k)));
        continue;
      }
      EXPECT_EQ(codes.host()[k], 0);
      EXPECT_EQ(y.numbers(n), x.numbers(n));
      if (a.rows(n) == 0) continue;
      Dense const m = mirrored(a.item(n)), z = solve_spd(m, x.item(n));
      long double const want = 2 * dot(x.item(n), z),
                        bound = 20 * (a.rows(n) + 2) * epsilon<T> * condition_spd(m) * want;
      EXPECT_NEAR(double(h(k)), double(want), double(bound)) << n;
    }
  }
}

}  // namespace
}  // namespace Batchwork::Test

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Derivatives of tiles: products, solves, factorisations, and items that fail.
#include "tile/DualCase.hpp"

namespace Batchwork::Test {
namespace {

auto const dual_by_map = [](auto const&... arguments) { map(arguments...); };

TEST(DualTiles, Products) {
  expect_derivatives<ProductOf, double, Left, 4, 4>(13, dual_by_map);
  expect_derivatives<ProductOf, float, Right, 3, 3>(9, dual_by_map);
  expect_derivatives<CongruenceOf, double, Right, 3, 3>(6, dual_by_map);
  expect_derivatives<CongruenceOf, float, CompactBy<8>, 5, 5>(11, dual_by_map);
}
TEST(DualTiles, Solutions) {
  expect_derivatives<LuSolutionOf, double, Left, 4, 2>(13, dual_by_map);
  // From 9 rows on, packs exchange rows in memory.
  expect_derivatives<LuSolutionOf, double, Right, 9, 1>(6, dual_by_map);
  expect_derivatives<LuSolutionOf, float, Strided, 3, 1>(11, dual_by_map);
  expect_derivatives<CholeskySolutionOf, double, Right, 3, 2>(6, dual_by_map);
  expect_derivatives<CholeskySolutionOf, float, Left, 9, 1>(9, dual_by_map);
  expect_derivatives<QrSolutionOf, double, Left, 3, 1>(5, dual_by_map);
  expect_derivatives<TriangularSolutionOf, double, CompactBy<4>, 4, 3>(7, dual_by_map);
}
TEST(DualTiles, InversesAndFactors) {
  expect_derivatives<InverseOf, double, Left, 2, 2>(7, dual_by_map);
  expect_derivatives<InverseOf, float, Right, 4, 4>(9, dual_by_map);
  expect_derivatives<CholeskyOf, double, Right, 4, 4>(7, dual_by_map);
  expect_derivatives<CholeskyOf, float, Left, 2, 2>(7, dual_by_map);
}
TEST(DualTiles, Scalars) {
  expect_derivatives<ScalarsOf, double, Left, 4, 4>(7, dual_by_map);
  expect_derivatives<ScalarsOf, float, Right, 3, 3>(11, dual_by_map);
}

/// The result of a sequence of two matrices, for inputs multiplied by powers of two.
template <class Op, class T, int N, int C>
void expect_scales(int of_a, int of_b, int of_result) {
  std::int64_t const n = 9;
  Random random(72);
  DualBatch<T, Left, N, C> plain(n, random);
  BatchIn<T, Left, N, C> y(n), dy0(n), dy1(n), z(n), dz0(n), dz1(n);
  auto const run = [&](auto& to, auto& to0, auto& to1) {
    map(Differentiated<Op>{}, out(to.view()), out(to0.view()), out(to1.view()), in(plain.a.view()),
        in(plain.da0.view()), in(plain.da1.view()), in(plain.b.view()), in(plain.db0.view()),
        in(plain.db1.view()));
    to.download(), to0.download(), to1.download();
  };
  run(y, dy0, dy1);
  auto const scaled = [&](auto& x, int by) {
    x.fill([&](std::int64_t k) { return std::ldexp(1.0L, by) * x.dense(k); });
  };
  scaled(plain.a, of_a), scaled(plain.da0, of_a), scaled(plain.da1, of_a);
  scaled(plain.b, of_b), scaled(plain.db0, of_b), scaled(plain.db1, of_b);
  run(z, dz0, dz1);
  long double const back = std::ldexp(1.0L, -of_result);
  for (std::int64_t k = 0; k < n; ++k) {
    EXPECT_TRUE(equal(back * z.dense(k), y.dense(k)));
    EXPECT_TRUE(equal(back * dz0.dense(k), dy0.dense(k)));
    EXPECT_TRUE(equal(back * dz1.dense(k), dy1.dense(k)));
  }
}
TEST(DualTiles, PowersOfTwo) {
  expect_scales<LuSolutionOf, double, 4, 1>(600, 300, -300);
  expect_scales<LuSolutionOf, double, 3, 2>(-900, -600, 300);
  expect_scales<CholeskySolutionOf, double, 3, 1>(-900, -600, 300);
  expect_scales<CholeskySolutionOf, float, 4, 1>(80, 30, -50);
  expect_scales<InverseOf, float, 3, 3>(60, 0, -60);
  expect_scales<InverseOf, double, 2, 2>(-300, 0, 300);
  expect_scales<CholeskyOf, double, 3, 3>(600, 0, 300);
  expect_scales<QrSolutionOf, double, 3, 1>(600, 300, -300);
}

/// A singular matrix, and one with a NaN: their neighbours are bitwise the same.
template <class Op, class T, int N>
void expect_neighbours(Reason reason) {
  std::int64_t const n = 11;
  Random random(73);
  DualBatch<T, Right, N, 1> batch(n, random);
  BatchIn<T, Right, N, 1> y(n), dy0(n), dy1(n), z(n), dz0(n), dz1(n);
  BatchIn<int, Left> codes(n);
  auto const run = [&](auto& to, auto& to0, auto& to1) {
    map(Differentiated<Op>{}, out(to.view()), out(to0.view()), out(to1.view()), in(batch.a.view()),
        in(batch.da0.view()), in(batch.da1.view()), in(batch.b.view()), in(batch.db0.view()),
        in(batch.db1.view()), status(codes.view()));
    to.download(), to0.download(), to1.download(), codes.download();
  };
  run(y, dy0, dy1);
  for (std::int64_t k = 0; k < n; ++k) EXPECT_EQ(codes.at(k), 0);
  for (int j = 0; j < N; ++j) batch.a.at(2, 1, j) = batch.a.at(2, 0, j);
  for (int j = 0; j < N; ++j) batch.a.at(2, j, 1) = batch.a.at(2, j, 0);
  batch.a.at(5, 0, 0) = std::numeric_limits<T>::quiet_NaN();
  batch.a.upload();
  run(z, dz0, dz1);
  for (std::int64_t k = 0; k < n; ++k) {
    if (k == 2 || k == 5) {
      EXPECT_EQ(Status::reason(codes.at(k)), k == 2 ? reason : Reason::not_finite);
      continue;
    }
    EXPECT_EQ(codes.at(k), 0);
    for (int i = 0; i < N; ++i)
      EXPECT_TRUE(same_bits(y.at(k, i, 0), z.at(k, i, 0)) &&
                  same_bits(dy0.at(k, i, 0), dz0.at(k, i, 0)) &&
                  same_bits(dy1.at(k, i, 0), dz1.at(k, i, 0)));
  }
}
TEST(DualTiles, NeighboursOfFailedItems) {
  expect_neighbours<LuSolutionOf, double, 3>(Reason::singular);
  expect_neighbours<CholeskySolutionOf, double, 3>(Reason::not_positive_definite);
  expect_neighbours<LuSolutionOf, float, 9>(Reason::singular);
}

/// More variables than directions in one call, with any number of directions.
struct Quadratic {
  template <class J, class G, class A, class X>
  KOKKOS_FUNCTION void operator()(J& j, G& g, A const& a, X const& x) const {
    auto const f = [&](auto const& v) { return a * v + dot(v, v) * x; };
    j = jacobian(f, x) - jacobian<3>(f, x) + jacobian<1>(f, x);
    auto const [y, gradient_] = value_and_gradient([&](auto const& v) { return dot(v, a * v); }, x);
    g = gradient_ + 0 * y * gradient([&](auto const& v) { return sum(v); }, x);
  }
};
TEST(DualTiles, ManyVariables) {
  constexpr int N = 11;
  std::int64_t const n = 7;
  Random random(74);
  BatchIn<double, Left, N, N> a(n), j(n);
  BatchIn<double, Left, N> x(n), g(n);
  a.fill_exactly(random), x.fill_exactly(random);
  map(Quadratic{}, out(j.view()), out(g.view()), in(a.view()), in(x.view()));
  j.download(), g.download();
  for (std::int64_t k = 0; k < n; ++k) {
    Dense const ak = a.dense(k), xk = x.dense(k);
    EXPECT_TRUE(equal(j.dense(k), ak + 2 * times_transpose(xk)));
    EXPECT_TRUE(equal(g.dense(k), (ak + transpose(ak)) * xk));
  }
}

/// Values that do not depend on the variables, and operations on such constants together with
/// duals.
struct Constants {
  template <class Y, class A, class X>
  KOKKOS_FUNCTION void operator()(Y& y, A const& a, X const& x) const {
    auto const none = jacobian([&](auto const&) { return a * x; }, x);
    auto const solved = jacobian([&](auto const& v) { return solve(lu(a), v); }, x);
    auto const chosen = jacobian(
        [&](auto const& v) { return select(element(v, 0) < element(v, 1), v, 2 * v - x); }, x);
    auto const whole = derivative(
        [&](auto const& t) { return t * identity<A::rows>(a) + t * t * a; }, element(x, 0));
    y = none + a * solved + chosen + whole;
  }
};
TEST(DualTiles, Constants) {
  constexpr int N = 3;
  std::int64_t const n = 9;
  Random random(75);
  BatchIn<double, Left, N, N> a(n), y(n);
  BatchIn<double, Left, N> x(n);
  a.fill([&](std::int64_t) { return random_dominant<double>(random, N); });
  x.randomise(random);
  map(Constants{}, out(y.view()), in(a.view()), in(x.view()));
  y.download();
  for (std::int64_t k = 0; k < n; ++k) {
    long double const chosen = x.at(k, 0) < x.at(k, 1) ? 1 : 2;
    Dense const want = (2 + chosen) * eye(N) + 2 * x.at(k, 0) * a.dense(k);
    EXPECT_TRUE(near(y.dense(k), want, tolerance<double>(N, 40)));
  }
}

}  // namespace
}  // namespace Batchwork::Test

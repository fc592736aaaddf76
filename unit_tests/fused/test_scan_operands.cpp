// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every way to start and end a carry, the other operands of scan, and fewer steps than the Views
// have. The data are whole numbers, so that every result is exact.
#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
class ScanOperands : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ScanOperands, Scalars);

/// Counts in structured carries: the number of the step is added to each stored entry.
struct Count {
  template <class A, class B, class C, class D, class E, class F, class T, class V, class Z,
            class O>
  KOKKOS_FUNCTION void operator()(A& symmetric_from_view, B& from_common, C& from_fixed, D& dropped,
                                  E& lower_from_common, F& diagonal_from_view, T const& time,
                                  V const& vector, Z const& z, O& last) const {
    symmetric_from_view += time * gram(transpose(vector));
    from_common = from_common + time * z;
    from_fixed = from_fixed + time * identity<2>(z);
    dropped = dropped + time;
    lower_from_common += time * identity<2>(z);
    diagonal_from_view = diagonal_from_view + dropped * identity<2>(z);
    last = z + dropped * identity<2>(z);
  }
};

TYPED_TEST(ScanOperands, CarriesOfEveryKindAndStructure) {
  using T = TypeParam;
  constexpr int N = 2, steps = 4, longer = 7;  // the Views have more steps than requested
  constexpr std::int64_t n = 19;
  Random random(121);
  BatchIn<T, Left, N, N> a0(n), a1(n), b1(n), c1(n), e1(n), last(n);
  BatchIn<T, Right, N> f(n);
  BatchIn<T, Right> dropped(n);
  BatchIn<T, Left, N> vector(n);
  SeriesIn<T, Right, N, N> z(n, longer);
  a0.fill_exactly(random), f.fill_exactly(random), dropped.fill_exactly(random),
      vector.fill_exactly(random);
  z.fill_exactly(random);
  Kokkos::View<T*, Space> time("time", longer);
  auto const host_time = Kokkos::create_mirror(Kokkos::HostSpace(), time);
  for (int t = 0; t < longer; ++t) host_time(t) = T(t + 1);
  Kokkos::deep_copy(time, host_time);
  Common<T, N, N> const b0(make_dense(N, N, [](int i, int j) { return 10 * i + j; }));
  Common<T, N, N> const e0(make_dense(N, N, [](int i, int j) { return j <= i ? 1 + i + j : -9; }));
  Matrix<T, N, N> c0;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) c0.set(i, j, T(i - 3 * j));
  c0.info = 0;
  std::vector<Dense> f0;
  for (std::int64_t k = 0; k < n; ++k) f0.push_back(f.dense(k));

  scan(steps, Count{}, carry(symmetric(a0.view()), a1.view()), carry(common(b0.view), b1.view()),
       carry(common(fixed(c0)), c1.view()), carry(dropped.view()),
       carry(common(lower(e0.view)), lower(e1.view())),
       carry(diagonal(f.view()), diagonal(f.view())), common(each(time)), in(vector.view()),
       each(z.view()), out(last.view()));

  a1.download(), b1.download(), c1.download(), e1.download(), f.download(), last.download(),
      dropped.download();
  for (std::int64_t k = 0; k < n; ++k) {
    Dense a = mirrored(a0.dense(k)), b = b0.dense(),
          c = make_dense(N, N, [&](int i, int j) { return c0.entry(i, j); });
    Dense e = lower_triangle(e0.dense()), fk = f0[std::size_t(k)];
    Dense const v = vector.dense(k);
    long double d = dropped.at(k);  // has no end, so the View keeps the start
    for (int t = 0; t < steps; ++t) {
      long double const now = t + 1;
      a = a + now * (v * transpose(v));
      b = b + now * z.dense(k, t);
      c = c + now * eye(N);
      d += now;
      e = e + now * eye(N);
      fk = fk + Dense(N, 1, d);
    }
    EXPECT_TRUE(equal(a1.dense(k), a)) << k;
    EXPECT_TRUE(equal(b1.dense(k), b)) << k;
    EXPECT_TRUE(equal(c1.dense(k), c)) << k;
    EXPECT_TRUE(equal(e1.dense(k), e)) << k;
    EXPECT_TRUE(equal(f.dense(k), fk)) << k;
    EXPECT_TRUE(equal(last.dense(k), z.dense(k, steps - 1) + d * eye(N))) << k;
  }
}

struct Emits {
  template <class X, class Z, class V, class E, class S, class L>
  KOKKOS_FUNCTION void operator()(X& x, Z const& z, V const& v, E& vectors, S& symmetric,
                                  L& lower) const {
    x += z;
    vectors = x * v;
    symmetric = x * gram(transpose(v));
    lower = x * identity<2>(v);
  }
};

/// Steps after the last requested one are not written, and a carry without an end View changes
/// nothing.
TYPED_TEST(ScanOperands, EmitsOnlyTheStepsAskedFor) {
  using T = TypeParam;
  constexpr std::int64_t n = 21;
  for (int const steps : {0, 1, 3}) {
    constexpr int longer = 5;
    Random random(123);
    BatchIn<T, Left> x(n);
    SeriesIn<T, Left> z(n, longer);
    BatchIn<T, CompactBy<8>, 2> v(n);
    SeriesIn<T, CompactBy<8>, 2> vectors(n, longer);
    SeriesIn<T, Left, 2, 2> symmetrics(n, longer);
    SeriesIn<T, Right, 2, 2> lowers(n, longer);
    x.fill_exactly(random), z.fill_exactly(random), v.fill_exactly(random);
    scan(steps, Emits{}, carry(x.const_view()), each(z.view()), in(v.view()), emit(vectors.view()),
         emit(symmetric(symmetrics.view())), emit(lower(lowers.view())));
    vectors.download(), symmetrics.download(), lowers.download();
    for (std::int64_t k = 0; k < n; ++k) {
      long double sum = x.at(k);
      Dense const u = v.dense(k);
      for (int t = 0; t < longer; ++t) {
        sum += z.at_time(k, t);
        if (t < steps) {
          EXPECT_TRUE(equal(vectors.dense(k, t), sum * u)) << k << ", " << t;
          EXPECT_TRUE(equal(symmetrics.dense(k, t), sum * (u * transpose(u)))) << k << ", " << t;
          EXPECT_TRUE(equal(lowers.dense(k, t), sum * eye(2))) << k << ", " << t;
        } else {
          EXPECT_TRUE(equal(vectors.dense(k, t), Dense(2, 1, poison<T>()))) << k << ", " << t;
          EXPECT_TRUE(equal(symmetrics.dense(k, t), Dense(2, 2, poison<T>()))) << k << ", " << t;
          EXPECT_TRUE(equal(lowers.dense(k, t), Dense(2, 2, poison<T>()))) << k << ", " << t;
        }
      }
    }
  }
}

struct Integrate {
  template <class L, class S, class X, class O>
  KOKKOS_FUNCTION void operator()(L& log, S& log_from_common, X const& x, O&& nowhere) const {
    log.add_log(x);
    log_from_common += x;
    nowhere = x;
  }
};

/// log_sum on the start and on the end, weights, and the operand nothing().
TYPED_TEST(ScanOperands, LogSumsOnEitherSideAndNothing) {
  using T = TypeParam;
  constexpr int steps = 30;
  constexpr std::int64_t n = 11;
  Random random(127);
  BatchIn<T, Left> start(n), end(n), other(n);
  SeriesIn<T, Right> x(n, steps);
  start.fill_exactly(random), x.randomise(random, 0.01, 5);
  scan(steps, Integrate{}, carry(log_sum(start.view(), -0.5), end.view()),
       carry(common(fixed(T(2))), log_sum(other.view(), 3)), each(x.view()), nothing());
  end.download(), other.download();
  for (std::int64_t k = 0; k < n; ++k) {
    long double logs = 0, sum = 0;
    for (int t = 0; t < steps; ++t) {
      logs += std::log(static_cast<long double>(x.at_time(k, t)));
      sum += x.at_time(k, t);
    }
    EXPECT_LE(std::fabs(end.at(k) - (start.at(k) - 0.5L * logs)),
              tolerance<T>(steps, 1 + std::fabs(logs)))
        << k;
    EXPECT_LE(std::fabs(other.at(k) - (2 + sum)), tolerance<T>(steps, 2 + sum)) << k;
  }
}

/// Four carries with the same start.
struct AddIdentities {
  template <class A, class B, class C, class D, class Z>
  KOKKOS_FUNCTION void operator()(A& a, B& b, C& c, D& d, Z const& z) const {
    a += z * identity<A::rows>(a);
    b += z * identity<A::rows>(b);
    c += z * identity<A::rows>(c);
    d += z * identity<A::rows>(d);
  }
};

/// A carry that ends in a View of another structure is stored as if it were assigned to a tile of
/// that one.
template <class T, int N>
void check_ends_of_every_structure() {
  constexpr int steps = 3;
  constexpr std::int64_t n = 21;
  Random random(131);
  BatchIn<T, Left, N, N> start(n);
  BatchIn<T, Right, N> diagonals(n);
  SeriesIn<T, Left> z(n, steps);
  start.fill_exactly(random), diagonals.fill_exactly(random), z.fill_exactly(random);
  auto const check = [&](auto const& from, char const* what, auto const& whole) {
    SCOPED_TRACE(std::string(what) + " of " + std::to_string(N));
    BatchIn<T, Left, N, N> as_general(n), as_symmetric(n);
    BatchIn<T, Right, N, N> as_lower(n);
    BatchIn<T, Left, N> as_diagonal(n);
    scan(steps, AddIdentities{}, carry(from, as_general.view()),
         carry(from, symmetric(as_symmetric.view())), carry(from, lower(as_lower.view())),
         carry(from, diagonal(as_diagonal.view())), each(z.view()));
    as_general.download(), as_symmetric.download(), as_lower.download(), as_diagonal.download();
    for (std::int64_t k = 0; k < n; ++k) {
      Dense want = whole(k);
      for (int t = 0; t < steps; ++t) want = want + z.at_time(k, t) * eye(N);
      ASSERT_TRUE(equal(as_general.dense(k), want)) << k;
      ASSERT_TRUE(equal(as_symmetric.dense(k), mirrored(want))) << k;
      ASSERT_TRUE(equal(as_lower.dense(k), lower_triangle(want))) << k;
      ASSERT_TRUE(
          equal(as_diagonal.dense(k), make_dense(N, 1, [&](int i, int) { return want(i, i); })))
          << k;
    }
  };
  check(start.view(), "general", [&](std::int64_t k) { return start.dense(k); });
  check(symmetric(start.view()), "symmetric",
        [&](std::int64_t k) { return mirrored(start.dense(k)); });
  check(lower(start.view()), "lower",
        [&](std::int64_t k) { return lower_triangle(start.dense(k)); });
  check(diagonal(diagonals.view()), "diagonal", [&](std::int64_t k) {
    return make_dense(N, N, [&](int i, int j) { return i == j ? diagonals.at(k, i) : T(0); });
  });
}
TEST(ScanEnds, OfEveryStructure) {
  check_ends_of_every_structure<double, 3>();
  check_ends_of_every_structure<float, 13>();  // on devices lanes share an item
}

struct LargeOut {
  template <class L, class O, class X>
  KOKKOS_FUNCTION void operator()(L& level, O& large, X const& x) const {
    level += x;
    large = fail_where(level < 1e30, Reason::breakdown, x / 0.0 * identity<O::rows>(large));
  }
};

/// Without steps no item has failed, for any previous contents of the memory of tiles. A carry ends
/// with its start, and `out` is zero.
TYPED_TEST(ScanOperands, NoStepAndALargeOut) {
  using T = TypeParam;
  constexpr int N = 8;  // over 256 bytes
  constexpr std::int64_t n = 40;
  Random random(137);
  BatchIn<T, Left> start(n), end(n), x(n);
  BatchIn<T, Left, N, N> large(n);
  BatchIn<int, Left> codes(n);
  start.randomise(random), x.randomise(random);
  for (int const steps : {1, 0}) {  // the first run leaves failures in memory
    scan(steps, LargeOut{}, carry(start.view(), end.view()), out(large.view()), in(x.view()),
         status(codes.view()));
    codes.download(), end.download(), large.download();
    for (std::int64_t k = 0; k < n; ++k) {
      ASSERT_EQ(codes.at(k), steps == 0 ? 0 : Status::code(Reason::breakdown, 0)) << k;
      if (steps == 0) {
        ASSERT_EQ(end.at(k), start.at(k)) << k;
        ASSERT_TRUE(equal(large.dense(k), Dense(N, N))) << k;
      }
    }
  }
}

/// Generic lambdas as sequences, on hosts: with a capture, with references that deduce their type,
/// and with parameter packs.
TEST(Lambdas, AreSequences) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  constexpr int n = 21, steps = 3;
  Kokkos::View<double* [2], Host> const start("start", n), end("end", n), product("product", n);
  Kokkos::View<double** [2], Host> const z("z", n, steps);
  Kokkos::View<double*, Host> const weight("weight", n);
  Random random(139);
  for (int k = 0; k < n; ++k) {
    weight(k) = random.integer(-4, 4);
    for (int i = 0; i < 2; ++i) start(k, i) = random.integer(-4, 4);
    for (int t = 0; t < steps; ++t)
      for (int i = 0; i < 2; ++i) z(k, t, i) = random.integer(-4, 4);
  }
  double const twice = 2;
  auto const add = [=](auto& level, auto const& now, auto w) { level += twice * w * now; };
  Host const host;
  scan(host, steps, add, carry(start, end), each(z), in(weight));
  Batchwork::map(
      host, [=](auto&&... tiles) { add(std::forward<decltype(tiles)>(tiles)...); }, inout(end),
      in(start), in(weight));
  Batchwork::map(
      host, [](auto&& y, auto const&... x) { y = (x * ...); }, out(product), in(weight), in(end));
  host.fence();
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < 2; ++i) {
      double level = start(k, i);
      for (int t = 0; t < steps; ++t) level += 2 * weight(k) * z(k, t, i);
      level += 2 * weight(k) * start(k, i);
      ASSERT_EQ(end(k, i), level) << k;
      ASSERT_EQ(product(k, i), weight(k) * level) << k;
    }
}

}  // namespace
}  // namespace Batchwork::Test

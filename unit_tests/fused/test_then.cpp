// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sequences composed with then and on, and operands without a View.
#include "ThenCase.hpp"

namespace Batchwork::Test {
namespace {

template <int W>
struct RunMap {
  template <class Sequence, class... O>
  void operator()(Sequence const& sequence, O const&... operands) const {
    Batchwork::map(launch(width<W>), sequence, operands...);
  }
};

TEST(Then, StepsOfAFilter) {
  check_covariances<double, Left, 3, 2>(21, RunMap<0>{});
  check_covariances<float, CompactBy<8>, 3, 2>(21, RunMap<2>{});
}
TEST(Then, TilesOfEveryStructure) {
  check_tiles_handed_over<double, Right, 3>(21, RunMap<0>{});
  check_tiles_handed_over<float, LeftPart, 2>(13, RunMap<1>{});
}

// ---- in a scan ----------------------------------------------------------------------------------

struct Move {
  template <class X, class A, class M>
  KOKKOS_FUNCTION void operator()(X const& x, A const& a, M& moved) const {
    moved = a * x;
  }
};
struct Keep {
  template <class X, class M, class E>
  KOKKOS_FUNCTION void operator()(X& x, M const& moved, E& emitted) const {
    x = moved;
    emitted = moved;
  }
};

/// Backwards, with a tile that is assigned again at every step.
TEST(Then, InAScan) {
  constexpr int n = 11, steps = 5, N = 2;
  Random random(313);
  BatchIn<double, Left, N> x(n);
  SeriesIn<double, Right, N, N> a(n, steps);
  SeriesIn<double, Left, N> e(n, steps);
  x.fill_exactly(random), a.fill_exactly(random);
  scan(backward(steps), then(on<0, 1, 2>(Move{}), on<0, 2, 3>(Keep{})), carry(x.const_view()),
       each(a.view()), local<double, N>(), emit(e.view()));
  e.download();
  for (int k = 0; k < n; ++k) {
    Dense now = x.dense(k);
    for (int t = steps - 1; t >= 0; --t) {
      now = a.dense(k, t) * now;
      ASSERT_TRUE(equal(e.dense(k, t), now)) << k << ", " << t;
    }
  }
}

// ---- status -------------------------------------------------------------------------------------

struct Factorise {
  template <class L, class X>
  KOKKOS_FUNCTION void operator()(L& factor, X const& x) const {
    factor = cholesky(x).lower();
  }
};
struct Solve {
  template <class Y, class X, class L>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x, L const& factor) const {
    y = solve(factor, x);
  }
};
struct CopyOf {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    y = x;
  }
};

/// A failure in a tile without a View becomes the status of results computed from it, and of no
/// others.
TEST(Then, StatusOfATileWithoutAView) {
  constexpr int n = 9, N = 2;
  Random random(317);
  BatchIn<double, Left, N, N> x(n), y(n);
  BatchIn<int, Left> codes(n);
  x.fill([&](std::int64_t k) { return k == 4 ? -1.0L * eye(N) : random_spd<double>(random, N); });
  auto const factor = lower(local<double, N, N>());
  Batchwork::map(then(on<2, 1>(Factorise{}), on<0, 1, 2>(Solve{})), out(y.view()), in(x.view()),
                 factor, status(codes.view()));
  codes.download();
  for (int k = 0; k < n; ++k)
    EXPECT_EQ(codes.at(k), k == 4 ? Status::code(Reason::not_positive_definite, 1) : 0) << k;
  Batchwork::map(then(on<2, 1>(Factorise{}), on<0, 1>(CopyOf{})), out(y.view()), in(x.view()),
                 factor, status(codes.view()));
  codes.download(), y.download();
  for (int k = 0; k < n; ++k) {
    EXPECT_EQ(codes.at(k), 0) << k;
    EXPECT_TRUE(equal(y.dense(k), x.dense(k))) << k;
  }
}

/// With complex numbers, on hosts and with one item for each lane; lambdas on hosts.
TEST(Then, ComplexNumbersAndLambdas) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  using C = Kokkos::complex<double>;
  constexpr int n = 7;
  Kokkos::View<C* [2], Host> const x("x", n), y("y", n);
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < 2; ++i) x(k, i) = C(k - 3, i + 1);
  Host const host;
  Batchwork::map(host,
                 then(on<1, 2>([](auto const& from, auto& whole) { whole = outer(from, from); }),
                      [](auto& to, auto const& from, auto const& whole) { to = whole * from; }),
                 out(y), in(x), local<C, 2, 2>());
  host.fence();
  for (int k = 0; k < n; ++k) {
    C square = 0;
    for (int i = 0; i < 2; ++i) square += x(k, i) * x(k, i);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(y(k, i), x(k, i) * square) << k;
  }
}

}  // namespace
}  // namespace Batchwork::Test

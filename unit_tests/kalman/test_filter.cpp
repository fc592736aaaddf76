// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kalman::filter from a given start: every result, every kind of model, missing observations, batch
// sizes.
#include "Batch.hpp"

namespace Batchwork::Test {
namespace {

enum class Gaps { none, some, first_step, all };

bool is_missing(Gaps gaps, int t, int i, Random& random) {
  switch (gaps) {
    case Gaps::none: return false;
    case Gaps::some: return (t % 7 == 3) || random(0, 1) < 0.2 + 0.2 * i;
    case Gaps::first_step: return t == 0;
    case Gaps::all: return true;
  }
  return false;
}

template <class T, int N, int M>
std::vector<std::vector<Dense>> batch_of_series(Random& random, int items, int steps, Gaps gaps) {
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(random_series<T>(random, steps, M,
                                 [&](int t, int i) { return is_missing(gaps, t, i, random); }));
  return z;
}

template <class T, int N, int M, class Layout>
void common_model(int items, Gaps gaps) {
  int const steps = 40;
  Random random(7u + unsigned(items));
  RandomModel<T> const m(random, N, M);
  FilterBatch<T, N, M, Layout> b(batch_of_series<T, N, M>(random, items, steps, gaps), items,
                                 steps);
  auto const F = filled(Kokkos::View<T[N][N], Layout, Space>("F"), m.f);
  auto const Q = filled(Kokkos::View<T[N][N], Layout, Space>("Q"), m.q);
  auto const H = filled(Kokkos::View<T[M][N], Layout, Space>("H"), m.h);
  auto const R = filled(Kokkos::View<T[M][M], Layout, Space>("R"), m.r);
  std::vector<Dense> x0, p0;
  for (int k = 0; k < items; ++k) {
    x0.push_back(random_dense<T>(random, N, 1));
    p0.push_back(random_spd<T>(random, N));
  }
  Kokkos::View<T* [N], Layout, Space> X("x0", std::size_t(items));
  Kokkos::View<T* [N][N], Layout, Space> P("P0", std::size_t(items));
  fill(X, [&](auto const& h) {
    for (int k = 0; k < items; ++k)
      for (int i = 0; i < N; ++i) h(k, i) = static_cast<T>(x0[std::size_t(k)](i));
  });
  fill(P, [&](auto const& h) {
    for (int k = 0; k < items; ++k)
      for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) h(k, i, j) = static_cast<T>(p0[std::size_t(k)](i, j));
  });
  auto const model = Kalman::model(common(F), common(Q), common(H), common(R));
  for (auto order : {Kalman::Order::predict_first, Kalman::Order::update_first}) {
    if (order == Kalman::Order::predict_first)
      Kalman::filter(Space(), steps, model, Kalman::start(X, P), b.z, b.results());
    else Kalman::filter(Space(), steps, model, Kalman::predicted(X, P), b.z, b.results());
    Kokkos::fence();
    for (int k = 0; k < items; ++k) {
      auto const s = std::size_t(k);
      b.expect(k, true_filter(order, m.truth(), x0[s], p0[s], b.series[s]));
      if (::testing::Test::HasFatalFailure()) return;
    }
    if (gaps == Gaps::all) {
      for (int k = 0; k < items; ++k) EXPECT_EQ(on_host(b.ll)(std::size_t(k)), T(0));
    }
  }
}

TEST(KalmanFilter, CommonModelInEveryBatchSize) {
  for (int items : {0, 1, 7, 8, 9, 33}) {
    common_model<double, 4, 2, Kokkos::LayoutLeft>(items, Gaps::none);
    common_model<float, 4, 2, Kokkos::LayoutRight>(items, Gaps::some);
  }
}
TEST(KalmanFilter, MissingObservations) {
  for (auto gaps : {Gaps::some, Gaps::first_step, Gaps::all}) {
    common_model<double, 4, 2, Kokkos::LayoutRight>(11, gaps);
    common_model<double, 3, 3, Kokkos::LayoutLeft>(11, gaps);
    common_model<float, 3, 3, Kokkos::LayoutLeft>(11, gaps);
    common_model<double, 2, 1, Kokkos::LayoutLeft>(5, gaps);
  }
}
TEST(KalmanFilter, LargerStatesAndObservations) {
  common_model<double, 6, 5, Kokkos::LayoutRight>(9, Gaps::some);
  common_model<float, 5, 7, Kokkos::LayoutLeft>(17, Gaps::some);
}
/// On devices lanes share these items. Hosts have the same code for all sizes and run only one.
template <class Exec>
void states_beyond_a_lane() {
  common_model<float, 13, 1, Kokkos::LayoutLeft>(37, Gaps::some);
  if constexpr (Impl::runs_on_device<Exec>) {
    common_model<double, 9, 4, Kokkos::LayoutRight>(21, Gaps::some);
    common_model<double, 16, 2, Kokkos::LayoutLeft>(5, Gaps::none);
  }
}
TEST(KalmanFilter, StatesBeyondALane) { states_beyond_a_lane<Space>(); }

/// Each matrix has a different kind, in every rotation of the kinds.
template <class T>
void mixed_model(int rotation) {
  constexpr int N = 3, M = 2, items = 10, steps = 30;
  Random random(11);
  std::vector<RandomModel<T>> m;  // one for each item and time
  for (int k = 0; k < items * steps; ++k) m.emplace_back(random, N, M);
  FilterBatch<T, N, M> b(batch_of_series<T, N, M>(random, items, steps, Gaps::some), items, steps);

  // The model that an item uses at a time.
  auto const kind = [&](int matrix) { return (matrix + rotation) % 4; };
  auto const pick = [&](int matrix, int k, int t) -> RandomModel<T> const& {
    switch (kind(matrix)) {
      case 0: return m[0];
      case 1: return m[std::size_t(k)];
      case 2: return m[std::size_t(t)];
      default: return m[std::size_t(k * steps + t)];
    }
  };
  auto const select_dense = [](RandomModel<T> const& x, int matrix) -> Dense const& {
    return matrix == 0 ? x.f : matrix == 1 ? x.q : matrix == 2 ? x.h : x.r;
  };
  auto const operand = [&](auto kind_c, auto rows_c, auto cols_c, int matrix) {
    constexpr int K = decltype(kind_c)::value, Ro = decltype(rows_c)::value,
                  Co = decltype(cols_c)::value;
    auto const get = [&](int k, int t, int i, int j) {
      return static_cast<T>(select_dense(pick(matrix, k, t), matrix)(i, j));
    };
    auto const loop = [&](auto const& put) {
      for (int i = 0; i < Ro; ++i)
        for (int j = 0; j < Co; ++j) put(i, j);
    };
    if constexpr (K == 0) {
      Kokkos::View<T[Ro][Co], Space> v("common");
      fill(v, [&](auto const& h) { loop([&](int i, int j) { h(i, j) = get(0, 0, i, j); }); });
      return common(v);
    } else if constexpr (K == 1) {
      Kokkos::View<T* [Ro][Co], Space> v("item", items);
      fill(v, [&](auto const& h) {
        for (int k = 0; k < items; ++k) loop([&](int i, int j) { h(k, i, j) = get(k, 0, i, j); });
      });
      return in(v);
    } else if constexpr (K == 2) {
      Kokkos::View<T* [Ro][Co], Space> v("time", steps);
      fill(v, [&](auto const& h) {
        for (int t = 0; t < steps; ++t) loop([&](int i, int j) { h(t, i, j) = get(0, t, i, j); });
      });
      return common(each(v));
    } else {
      Kokkos::View<T** [Ro][Co], Space> v("both", items, steps);
      fill(v, [&](auto const& h) {
        for (int k = 0; k < items; ++k)
          for (int t = 0; t < steps; ++t)
            loop([&](int i, int j) { h(k, t, i, j) = get(k, t, i, j); });
      });
      return each(v);
    }
  };
  Dense const x0 = random_dense<T>(random, N, 1), p0 = random_spd<T>(random, N);
  auto const X = filled(Kokkos::View<T[N], Space>("x0"), x0);
  auto const P = filled(Kokkos::View<T[N][N], Space>("P0"), p0);
  auto const run = [&](auto kf, auto kq, auto kh, auto kr) {
    using std::integral_constant;
    integral_constant<int, N> n;
    integral_constant<int, M> o;
    Kalman::filter(steps,
                   Kalman::model(operand(kf, n, n, 0), operand(kq, n, n, 1), operand(kh, o, n, 2),
                                 operand(kr, o, o, 3)),
                   Kalman::start(common(X), common(P)), b.z, b.results());
  };
  std::integral_constant<int, 0> c0;
  std::integral_constant<int, 1> c1;
  std::integral_constant<int, 2> c2;
  std::integral_constant<int, 3> c3;
  if (rotation == 0) run(c0, c1, c2, c3);
  if (rotation == 1) run(c1, c2, c3, c0);
  if (rotation == 2) run(c2, c3, c0, c1);
  if (rotation == 3) run(c3, c0, c1, c2);
  Kokkos::fence();
  for (int k = 0; k < items; ++k) {
    TrueModel const truth{
        [&](int t) { return pick(0, k, t).f; }, [&](int t) { return pick(1, k, t).q; },
        [&](int t) { return pick(2, k, t).h; }, [&](int t) { return pick(3, k, t).r; }};
    b.expect(k, true_filter(Kalman::Order::predict_first, truth, x0, p0, b.series[std::size_t(k)]));
    if (::testing::Test::HasFatalFailure()) return;
  }
}
TEST(KalmanFilter, EveryKindOfModelMatrix) {
  for (int rotation = 0; rotation < 4; ++rotation) mixed_model<double>(rotation);
  mixed_model<float>(3);
}

/// Scalars for a single state and a single observation, the same series for all items, and values
/// that are fixed at launch.
TEST(KalmanFilter, ScalarModelPerItemOverOneSeries) {
  constexpr int items = 21, steps = 50;
  Random random(3);
  auto const z = random_series<double>(random, steps, 1, [](int t, int) { return t % 5 == 1; });
  Kokkos::View<double*, Space> Z("z", steps), q("q", items), r("r", items), x("x", items),
      ll("ll", items);
  Kokkos::View<double**, Space> fm("fm", items, steps), pc("pc", items, steps);
  fill(Z, [&](auto const& h) {
    for (int t = 0; t < steps; ++t) h(t) = double(z[std::size_t(t)](0));
  });
  fill(q, [&](auto const& h) {
    for (int k = 0; k < items; ++k) h(k) = 0.1 + 0.05 * k;
  });
  fill(r, [&](auto const& h) {
    for (int k = 0; k < items; ++k) h(k) = 1 + 0.1 * k;
  });
  Kalman::filter(
      steps, Kalman::model(common(fixed(0.9)), in(q), common(fixed(1.0)), in(r)),
      Kalman::start(common(fixed(0.5)), common(fixed(2.0))), common(each(Z)),
      Kalman::results().log_likelihood(ll).last_mean(x).filtered_mean(fm).predicted_covariance(pc));
  Kokkos::fence();
  for (int k = 0; k < items; ++k) {
    auto const truth = true_filter(Kalman::Order::predict_first,
                                   constant_model(Dense(1, 1, 0.9), Dense(1, 1, 0.1 + 0.05 * k),
                                                  Dense(1, 1, 1.0), Dense(1, 1, 1 + 0.1 * k)),
                                   Dense(1, 1, 0.5), Dense(1, 1, 2.0), z);
    auto const s = std::size_t(k);
    EXPECT_NEAR(on_host(ll)(s), double(truth.log_likelihood),
                double(tolerance<double>(20, truth.absolute)));
    EXPECT_NEAR(on_host(x)(s), double(truth.last_mean(0)), double(tolerance<double>(20, 4)));
    for (std::size_t t = 0; t < steps; ++t) {
      EXPECT_NEAR(on_host(fm)(s, t), double(truth.filtered_mean[t](0)),
                  double(tolerance<double>(20, 4)));
      EXPECT_NEAR(on_host(pc)(s, t), double(truth.predicted_covariance[t](0)),
                  double(tolerance<double>(20, 4)));
    }
  }
}

/// diagonal(view) for Q and R, a vector for the only row of H, and packs of every width.
template <int W>
void in_packs() {
  constexpr int N = 3, items = 19, steps = 20;
  Random random(5);
  RandomModel<double> m(random, N, 1);
  m.q = diagonal_part(m.q);
  FilterBatch<double, N, 1> b(batch_of_series<double, N, 1>(random, items, steps, Gaps::some),
                              items, steps);
  auto const F = filled(Kokkos::View<double[N][N], Space>("F"), m.f);
  auto const Q = filled(Kokkos::View<double[N], Space>("Q"),
                        make_dense(N, 1, [&](int i, int) { return m.q(i, i); }));
  auto const H = filled(Kokkos::View<double[N], Space>("H"), transpose(m.h));
  auto const R = filled(Kokkos::View<double[1], Space>("R"), m.r);
  Vector<double, N> x0;
  x0.info = 0;
  for (int i = 0; i < N; ++i) x0.a[i] = i;
  Kalman::filter(launch("pack", width<W>), steps,
                 Kalman::model(common(F), common(diagonal(Q)), common(H), common(diagonal(R))),
                 Kalman::start(common(fixed(x0)), common(fixed(identity<double, N>()))), b.z,
                 b.results());
  Kokkos::fence();
  for (int k = 0; k < items; ++k) {
    b.expect(k, true_filter(Kalman::Order::predict_first, m.truth(),
                            make_dense(N, 1, [](int i, int) { return i; }), eye(N),
                            b.series[std::size_t(k)]));
  }
}
TEST(KalmanFilter, DiagonalNoiseAndEveryPackWidth) {
  in_packs<0>();
  in_packs<1>();
  in_packs<2>();
  in_packs<4>();
  in_packs<8>();
  in_packs<16>();
}

/// Two calls, the second from the end of the first, must give the same as one call.
TEST(KalmanFilter, ContinuesWhereItEnded) {
  constexpr int N = 2, M = 1, items = 5, steps = 12;
  Random random(8);
  RandomModel<double> const m(random, N, M);
  FilterBatch<double, N, M> whole(batch_of_series<double, N, M>(random, items, steps, Gaps::none),
                                  items, steps);
  auto const F = filled(Kokkos::View<double[N][N], Space>("F"), m.f),
             Q = filled(Kokkos::View<double[N][N], Space>("Q"), m.q);
  auto const H = filled(Kokkos::View<double[M][N], Space>("H"), m.h);
  auto const R = filled(Kokkos::View<double[M][M], Space>("R"), m.r);
  Kokkos::View<double* [N], Space> x("x", items);
  Kokkos::View<double* [N][N], Space> p("p", items);
  fill(p, [](auto const& h) {
    for (std::size_t k = 0; k < h.extent(0); ++k) h(k, 0, 0) = h(k, 1, 1) = 1;
  });
  auto const model = Kalman::model(common(F), common(Q), common(H), common(R));
  Kalman::filter(steps, model, Kalman::start(x, p), whole.z, whole.results());
  auto const half = [&](int from) {
    return Kokkos::subview(whole.z, Kokkos::ALL,
                           std::pair<std::size_t, std::size_t>(from, from + steps / 2),
                           Kokkos::ALL);
  };
  for (int from : {0, steps / 2})
    Kalman::filter(steps / 2, model, Kalman::start(x, p), extents<M>(half(from)),
                   Kalman::results().last_mean(x).last_covariance(p));
  Kokkos::fence();
  for (std::size_t k = 0; k < items; ++k)
    for (int i = 0; i < N; ++i) {
      EXPECT_TRUE(same_bits(on_host(x)(k, i), on_host(whole.lm)(k, i)));
      for (int j = 0; j < N; ++j)
        EXPECT_TRUE(same_bits(on_host(p)(k, i, j), on_host(whole.lc)(k, i, j)));
    }
}

TEST(KalmanFilter, MisuseThrowsBeforeTheLaunch) {
  constexpr int N = 2, M = 1, steps = 4;
  Kokkos::View<double[N][N], Space> F("F"), Q("Q"), P("P");
  Kokkos::View<double[M][N], Space> H("H");
  Kokkos::View<double[M][M], Space> R("R");
  Kokkos::View<double[N], Space> x("x");
  Kokkos::View<double** [M], Space> z("z", 5, steps);
  auto const ll = poisoned(Kokkos::View<double*, Space>("few likelihoods", 4));
  auto const fm = poisoned(Kokkos::View<double** [N], Space>("fm", 5, steps - 1));
  auto const model = Kalman::model(common(F), common(Q), common(H), common(R));
  auto const message = [&](auto const& results) -> std::string {
    try {
      Kalman::filter(steps, model, Kalman::start(common(x), common(P)), z, results);
    } catch (std::invalid_argument const& e) {
      return e.what();
    }
    return "nothing thrown";
  };
  auto const items = message(Kalman::results().log_likelihood(ll));
  EXPECT_NE(items.find("Batchwork::Kalman::filter"), std::string::npos) << items;
  EXPECT_NE(items.find("few likelihoods"), std::string::npos) << items;
  auto const time = message(Kalman::results().filtered_mean(fm));
  EXPECT_NE(time.find("fm"), std::string::npos) << time;
  EXPECT_THROW(
      Kalman::filter(steps + 1, model, Kalman::start(common(x), common(P)), z, Kalman::results()),
      std::invalid_argument);
  Kokkos::fence();
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(on_host(ll)(k), poison<double>());
  EXPECT_EQ(on_host(fm)(0, 0, 0), poison<double>());
}

}  // namespace
}  // namespace Batchwork::Test

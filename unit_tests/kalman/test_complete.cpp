// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Complete data: the option that promises them, the code with common gains, and the status if the
// promise is broken.
#include <string>

#include "Batch.hpp"

namespace Batchwork::Test {
namespace {

std::vector<std::string> launched;
void note_launch(char const* name, std::uint32_t, std::uint64_t*) { launched.emplace_back(name); }

template <class T, int N, int M>
struct CompleteCase {
  int items, steps = 30;
  Random random{51};
  RandomModel<T> m{random, N, M};
  Dense x0 = random_dense<T>(random, N, 1), p0 = random_spd<T>(random, N);
  Kokkos::View<T[N][N], Space> F = filled(Kokkos::View<T[N][N], Space>("F"), m.f);
  Kokkos::View<T[N][N], Space> Q = filled(Kokkos::View<T[N][N], Space>("Q"), m.q);
  Kokkos::View<T[M][N], Space> H = filled(Kokkos::View<T[M][N], Space>("H"), m.h);
  Kokkos::View<T[M][M], Space> R = filled(Kokkos::View<T[M][M], Space>("R"), m.r);
  Kokkos::View<T[N], Space> X = filled(Kokkos::View<T[N], Space>("x0"), x0);
  Kokkos::View<T[N][N], Space> P = filled(Kokkos::View<T[N][N], Space>("P0"), p0);
  std::vector<std::vector<Dense>> z;

  explicit CompleteCase(int n) : items(n) {
    for (int k = 0; k < items; ++k)
      z.push_back(random_series<T>(random, steps, M, [](int, int) { return false; }));
  }
  auto model() const { return Kalman::model(common(F), common(Q), common(H), common(R)); }
};

template <class T, int N, int M>
void both_paths(int items) {
  CompleteCase<T, N, M> c(items);
  Kalman::Gains<T, N, M> gains(c.steps + 3);  // longer than needed
  for (auto order : {Kalman::Order::predict_first, Kalman::Order::update_first}) {
    FilterBatch<T, N, M> one(c.z, items, c.steps), two(c.z, items, c.steps, 1);
    auto const go = [&](auto const& start) {
      Kalman::filter(Space(), c.steps, c.model(), start, one.z, one.results(), Kalman::complete());
      Kalman::filter(Space(), launch("two"), c.steps, c.model(), start, two.z, two.results(),
                     Kalman::complete(gains));
    };
    if (order == Kalman::Order::predict_first) go(Kalman::start(common(c.X), common(c.P)));
    else go(Kalman::predicted(common(c.X), common(c.P)));
    Kokkos::fence();
    for (int k = 0; k < items; ++k) {
      auto const want = true_filter(order, c.m.truth(), c.x0, c.p0, c.z[std::size_t(k)]);
      one.expect(k, want);
      two.expect(k, want);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}
TEST(KalmanComplete, BothPathsAreTheFilter) {
  for (int items : {1, 8, 19}) {
    both_paths<double, 4, 2>(items);
    both_paths<float, 4, 2>(items);
  }
  both_paths<double, 1, 1>(9);
  both_paths<double, 3, 4>(9);
  both_paths<double, 9, 3>(9);  // on devices lanes share the items
}

TEST(KalmanComplete, TwoKernelsWithTheirLabels) {
  CompleteCase<double, 4, 2> c(9);
  Kalman::Gains<double, 4, 2> gains(c.steps);
  FilterBatch<double, 4, 2> b(c.z, c.items, c.steps, 1), none({}, 0, c.steps, 1);
  auto const start = Kalman::start(common(c.X), common(c.P));
  Kokkos::fence();
  launched.clear();
  Kokkos::Tools::Experimental::set_begin_parallel_for_callback(note_launch);
  Kalman::filter(c.steps, c.model(), start, b.z, b.results(), Kalman::complete(gains));
  Kalman::filter(launch("mine"), c.steps, c.model(), start, b.z, b.results(),
                 Kalman::complete(gains));
  Kalman::filter(c.steps, c.model(), start, none.z, none.results(), Kalman::complete(gains));
  Kokkos::Tools::Experimental::set_begin_parallel_for_callback(nullptr);
  Kokkos::fence();
  EXPECT_EQ(launched, (std::vector<std::string>{
                          "Batchwork::Kalman::gains", "Batchwork::Kalman::filter",
                          "Batchwork::Kalman::gains(mine)", "Batchwork::Kalman::filter(mine)"}));
}

/// A NaN in the first, a middle and the last item of the batch. The other items must be bitwise the
/// same as without it.
TEST(KalmanComplete, MissingObservationUnderThePromise) {
  constexpr int N = 4, M = 2, items = 21;
  CompleteCase<double, N, M> c(items);
  auto broken = c.z;
  for (int k : {0, 10, 20})
    broken[std::size_t(k)][std::size_t(5 + k / 2)](1) = std::numeric_limits<double>::quiet_NaN();
  Kalman::Gains<double, N, M> gains(c.steps);
  auto const start = Kalman::start(common(c.X), common(c.P));
  for (bool two : {false, true}) {
    FilterBatch<double, N, M> a(c.z, items, c.steps, two ? 1 : items),
        b(broken, items, c.steps, two ? 1 : items);
    for (auto* f : {&a, &b}) {
      if (two)
        Kalman::filter(c.steps, c.model(), start, f->z, f->results(), Kalman::complete(gains));
      else Kalman::filter(c.steps, c.model(), start, f->z, f->results(), Kalman::complete());
    }
    Kokkos::fence();
    for (std::size_t k = 0; k < items; ++k) {
      bool const planted = k % 10 == 0;
      EXPECT_EQ(on_host(b.st)(k), planted ? 0x30000 : 0) << k;
      EXPECT_EQ(on_host(a.st)(k), 0) << k;
      if (planted) {
        EXPECT_TRUE(std::isnan(on_host(b.ll)(k)));
      } else {
        EXPECT_TRUE(same_bits(on_host(a.ll)(k), on_host(b.ll)(k))) << k;
        for (int i = 0; i < N; ++i)
          EXPECT_TRUE(same_bits(on_host(a.lm)(k, i), on_host(b.lm)(k, i))) << k;
      }
    }
  }
}

TEST(KalmanComplete, MisuseThrowsBeforeEitherLaunch) {
  CompleteCase<double, 2, 1> c(4);
  Kalman::Gains<double, 2, 1> gains(c.steps), shorter(c.steps - 1);
  FilterBatch<double, 2, 1> b(c.z, c.items, c.steps, 1), wide(c.z, c.items, c.steps);
  auto const start = Kalman::start(common(c.X), common(c.P));
  EXPECT_THROW(
      Kalman::filter(c.steps, c.model(), start, b.z, b.results(), Kalman::complete(shorter)),
      std::invalid_argument);
  // Covariances are common to all items here.
  EXPECT_THROW(
      Kalman::filter(c.steps, c.model(), start, wide.z, wide.results(), Kalman::complete(gains)),
      std::invalid_argument);
  Kokkos::fence();
  EXPECT_EQ(on_host(b.ll)(0), poison<double>());
  EXPECT_EQ(on_host(wide.ll)(0), poison<double>());
}

}  // namespace
}  // namespace Batchwork::Test

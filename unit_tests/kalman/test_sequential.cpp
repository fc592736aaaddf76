// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The filter that takes entries one by one, by subtraction and in Joseph's form, against filters in
// long double.
#include "FormCase.hpp"
#include "FormTruth.hpp"

namespace Batchwork::Test {
namespace {

TEST(KalmanSequential, IsTheFilter) { is_the_filter(Kalman::sequential(), Kalman::sequential()); }
TEST(KalmanJoseph, IsTheFilter) { is_the_filter(Kalman::joseph(), Kalman::joseph()); }
TEST(KalmanSequential, DiagonalNoise) { diagonal_noise(Kalman::sequential()); }
TEST(KalmanJoseph, DiffuseStart) {
  diffuse_start<double, 4, 2>(15, Kalman::joseph());
  diffuse_start<float, 2, 1>(15, Kalman::joseph());
}

/// P0 / R = 1e12 in float.
struct LargeStart {
  FilterBatch<float, 3, 3> b;
  std::vector<TrueFilter> want;
};
template <class Form>
LargeStart large_start(Dense const& h, Form const& form) {
  constexpr int N = 3, items = 9, steps = 30;
  Random random(93);
  RandomModel<float> const m(random, N, N);
  Dense const p = (long double)(1e12f) * eye(N);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(random_series<float>(random, steps, N,
                                     [&](int t, int) { return t > 2 && random(0, 1) < 0.2; }));
  FilterBatch<float, N, N> b(z, items, steps);
  auto const F = filled(Kokkos::View<float[N][N], Space>("F"), m.f),
             Q = filled(Kokkos::View<float[N][N], Space>("Q"), m.q),
             P = filled(Kokkos::View<float[N][N], Space>("P"), p),
             H = filled(Kokkos::View<float[N][N], Space>("H"), h),
             R = filled(Kokkos::View<float[N][N], Space>("R"), eye(N));
  Kokkos::View<float[N], Space> X("x");
  Kalman::filter(steps, Kalman::model(common(F), common(Q), common(H), common(R)),
                 Kalman::predicted(common(X), common(P)), b.z, b.results(), form);
  Kokkos::fence();
  std::vector<TrueFilter> want;
  for (auto const& series : z)
    want.push_back(true_square_root_filter(
        Kalman::Order::update_first, constant_model(m.f, m.q, h, eye(N)), Dense(N, 1), p, series));
  return {b, want};
}
/// The largest relative error of a variance.
double error_of(LargeStart const& run) {
  auto const fc = on_host(run.b.fc);
  long double worst = 0;
  for (std::size_t k = 0; k < fc.extent(0); ++k)
    for (std::size_t t = 0; t < fc.extent(1); ++t)
      for (int i = 0; i < 3; ++i) {
        long double const v = run.want[k].filtered_covariance[t](i, i);
        worst = std::max(worst, std::fabs(fc(k, t, i, i) - v) / v);
      }
  return double(worst);
}
/// If every state is observed directly, Joseph's form has all digits, and P - y' y none.
TEST(KalmanJoseph, KeepsDigitsOfStatesThatAreObservedDirectly) {
  auto const joseph = large_start(eye(3), Kalman::joseph()),
             covariance = large_start(eye(3), Kalman::covariance());
  EXPECT_LE(error_of(joseph), 60 * epsilon<float>);
  EXPECT_GE(error_of(covariance), 0.5);
  for (std::size_t k = 0; k < 9; ++k) {
    EXPECT_EQ(on_host(joseph.b.st)(k), 0);
    EXPECT_EQ(Status::reason(on_host(covariance.b.st)(k)), Reason::inaccurate);
    EXPECT_NEAR(on_host(joseph.b.ll)(k), double(joseph.want[k].log_likelihood),
                1e-5 * double(joseph.want[k].absolute));
  }
}
/// If observations are sums of states, variances become differences, in Joseph's form as well.
TEST(KalmanJoseph, ReportsDigitsThatAreLost) {
  Dense h = eye(3);
  h(0, 1) = h(1, 2) = h(2, 0) = 1;
  auto const joseph = large_start(h, Kalman::joseph());
  EXPECT_GE(error_of(joseph), 0.5);
  for (std::size_t k = 0; k < 9; ++k)
    EXPECT_EQ(Status::reason(on_host(joseph.b.st)(k)), Reason::inaccurate) << k;
  auto const root = large_start(h, Kalman::square_root());
  EXPECT_LE(error_of(root), 1e-4);
}

PlantedResults sequential(Plant plant, double junk) {
  return run_from_known_start(Kalman::sequential(), plant, junk);
}
PlantedResults joseph(Plant plant, double junk) {
  return run_from_known_start(Kalman::joseph(), plant, junk);
}
TEST(KalmanSequential, NothingIsReadOfWhatIsMissing) {
  nothing_is_read_of_what_is_missing(sequential);
}
TEST(KalmanSequential, FailuresAndTheirNeighbours) { failures_and_their_neighbours(sequential); }
TEST(KalmanSequential, EveryUnit) { every_unit(sequential); }
TEST(KalmanJoseph, NothingIsReadOfWhatIsMissing) { nothing_is_read_of_what_is_missing(joseph); }
TEST(KalmanJoseph, FailuresAndTheirNeighbours) { failures_and_their_neighbours(joseph); }
TEST(KalmanJoseph, EveryUnit) { every_unit(joseph); }

}  // namespace
}  // namespace Batchwork::Test

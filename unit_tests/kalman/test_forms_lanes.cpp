// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Joseph's form and the information form, with an unknown start, and the filter
// that stops at a steady covariance, in device kernels: with one item
// for each lane, and with lanes that share an item.
#include "DiffuseLanes.hpp"

namespace Batchwork::Test {
namespace {

template <class T, int N, int M, int L, Kalman::Form Form>
void check_by_lanes(int team, int items) {
  DiffuseLanes<T, N, M> const b(items);
  auto const mean = carry(common(b.x0), b.x);
  auto const likelihood = carry(common(fixed(T(0))), log_sum(b.ll, -0.5));
  auto const covariance = Impl::carry_operand(Impl::resolve(common(symmetric(b.p0))),
                                              Impl::resolve(out(symmetric(b.p))));
  auto const series = Impl::resolve(each(b.z));
  auto const none = nothing();
  using enum Kalman::Order;
  using enum Kalman::Data;
  if constexpr (Form == Kalman::Form::joseph)
    scan_by_lanes<L>(
        team, items, b.steps, Kalman::SequentialStep<update_first, may_be_missing, true>{}, mean,
        covariance, Impl::resolve(carry(common(b.a))), Impl::resolve(carry(common(fixed(T(N))))),
        likelihood, series, Impl::resolve(common(b.f)), Impl::resolve(common(symmetric(b.q))),
        Impl::resolve(common(b.h)), Impl::resolve(common(symmetric(b.r))), none, none, none, none);
  else
    scan_by_lanes<L>(team, items, b.steps,
                     Kalman::InformationStep<update_first, may_be_missing, true, true, true>{
                         b.steps, Kalman::DiffuseEntries::without_log_two_pi},
                     mean, covariance, likelihood, Impl::resolve(carry(common(b.f))),
                     Impl::resolve(carry(common(lower(b.q)))), step_index(), series,
                     Impl::resolve(common(b.f)), Impl::resolve(common(b.h)),
                     Impl::resolve(common(symmetric(b.r))), none, none, none, none);
  b.expect();
}

/// Items that settle at different times: their Q differ.
template <class T, int N, int M, int L>
void steady_by_lanes(int team, int items) {
  constexpr int steps = 60;
  Random random(103);
  RandomModel<T> const m(random, N, M);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(random_series<T>(random, steps, M, [&](int t, int) { return t == 50 - k; }));
  auto const Z = filled_series(Kokkos::View<T** [M], Space>("z", items, steps), z);
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"), m.f),
             P = filled(Kokkos::View<T[N][N], Space>("P"), eye(N));
  auto const H = filled(Kokkos::View<T[M][N], Space>("H"), m.h);
  auto const R = filled(Kokkos::View<T[M][M], Space>("R"), m.r);
  Kokkos::View<T* [N][N], Space> Q("Q", items);
  fill(Q, [&](auto const& v) {
    for (int k = 0; k < items; ++k)
      for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) v(k, i, j) = T(1 + k) * T(m.q(i, j));
  });
  Kokkos::View<T[N], Space> X("X");
  Kokkos::View<T[N][M], Space> K("K");
  Kokkos::View<T[M][M], Space> W("W");
  auto const x = poisoned(Kokkos::View<T* [N], Space>("x", items));
  auto const p = poisoned(Kokkos::View<T* [N][N], Space>("p", items));
  auto const ll = poisoned(Kokkos::View<T*, Space>("ll", items));
  auto const none = nothing();
  auto const number = carry(common(fixed(T(0))));
  scan_by_lanes<L>(
      team, items, steps,
      Kalman::SteadyStep<Kalman::Order::predict_first, Kalman::Data::may_be_missing>{1e-13},
      carry(common(X), x),
      Impl::carry_operand(Impl::resolve(common(symmetric(P))), Impl::resolve(out(symmetric(p)))),
      carry(common(fixed(T(0))), log_sum(ll, -0.5)), Impl::resolve(carry(common(K))),
      Impl::resolve(carry(common(lower(W)))), number, number, Impl::resolve(each(Z)),
      Impl::resolve(common(F)), Impl::resolve(in(symmetric(Q))), Impl::resolve(common(H)),
      Impl::resolve(common(symmetric(R))), none, none, none, none);
  Kokkos::fence();
  for (int k = 0; k < items; ++k) {
    auto const s = std::size_t(k);
    auto const want = true_filter(Kalman::Order::predict_first,
                                  constant_model(m.f, (long double)(1 + k) * m.q, m.h, m.r),
                                  Dense(N, 1), eye(N), z[s]);
    EXPECT_TRUE(near([&](int i, int) { return on_host(x)(s, i); }, want.last_mean, 1e-11L)) << k;
    EXPECT_TRUE(
        near([&](int i, int j) { return on_host(p)(s, i, j); }, want.last_covariance, 1e-11L))
        << k;
    EXPECT_NEAR(on_host(ll)(s), double(want.log_likelihood), 1e-11 * double(want.absolute)) << k;
  }
}

using enum Kalman::Form;
TEST(FormsByLanes, LanesWithAnItem) {
  check_by_lanes<double, 3, 2, 1, joseph>(4, 7);
  check_by_lanes<double, 3, 2, 1, information>(4, 7);
  steady_by_lanes<double, 3, 2, 1>(4, 7);
}
TEST(FormsByLanes, LanesThatShareAnItem) {
  check_by_lanes<double, 5, 2, 4, joseph>(32, 11);
  check_by_lanes<double, 5, 2, 4, information>(32, 11);
  steady_by_lanes<double, 5, 2, 4>(32, 11);
}

}  // namespace
}  // namespace Batchwork::Test

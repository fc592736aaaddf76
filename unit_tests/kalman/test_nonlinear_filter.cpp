// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kalman::extended_filter and Kalman::unscented_filter, compared with the reference.
#include "NonlinearCase.hpp"

namespace Batchwork::Test {
namespace {

/// All results of a filter of the targets.
template <class T, class Layout = Space::array_layout>
struct Outcome {
  static constexpr std::size_t items = Targets<T>::items, steps = Targets<T>::steps;
  Kokkos::View<T** [5], Layout, Space> pm{"pm", items, steps}, fm{"fm", items, steps};
  Kokkos::View<T** [5][5], Layout, Space> pc{"pc", items, steps}, fc{"fc", items, steps};
  Kokkos::View<T* [5], Layout, Space> lm{"lm", items};
  Kokkos::View<T* [5][5], Layout, Space> lc{"lc", items};
  Kokkos::View<T*, Space> ll{"ll", items};
  Kokkos::View<int*, Space> codes{"codes", items};

  Outcome() {
    poisoned(pm), poisoned(fm), poisoned(pc), poisoned(fc), poisoned(lm), poisoned(lc);
    poisoned(ll), poisoned(codes);
  }
  auto results() const {
    return Kalman::results()
        .predicted_mean(pm)
        .predicted_covariance(pc)
        .filtered_mean(fm)
        .filtered_covariance(fc)
        .last_mean(lm)
        .last_covariance(lc)
        .log_likelihood(ll)
        .status(codes);
  }
};
/// The targets in Views, and a filter of them.
template <class T, class Layout = Space::array_layout>
struct Batch {
  Targets<T> const targets;
  Steps<T, 5, 2, Layout> views{targets.items, targets.steps};
  Batch() {
    views.start(targets.start, targets.p, targets.q, targets.r);
    filled_series(views.z, targets.z);
  }
  template <NonlinearFilter K, class Start, class... Option>
  Outcome<T, Layout> run(Start const& start, Option const&... options) const {
    Outcome<T, Layout> const o;
    auto const filter = [&](auto const&... x) {
      if constexpr (K == NonlinearFilter::unscented) Kalman::unscented_filter(x...);
      else Kalman::extended_filter(x...);
    };
    filter(Space(), launch("tracks"), targets.steps, Turn{}, common(views.q), Radar{}, in(views.r),
           start, views.z, o.results(), options...);
    Kokkos::fence();
    return o;
  }
  auto start() const { return Kalman::start(views.x0, views.p0); }
};

template <class T, NonlinearFilter K, class Layout = Space::array_layout, class... Option>
void agrees(Kalman::UnscentedWeights const& weights, Option const&... options) {
  Batch<T, Layout> const b;
  auto const o = b.template run<K>(b.start(), Wrapped{}, options...);
  auto const pm = on_host(o.pm), fm = on_host(o.fm);
  auto const pc = on_host(o.pc), fc = on_host(o.fc);
  auto const lc = on_host(o.lc);
  for (std::size_t k = 0; k < o.items; ++k) {
    SCOPED_TRACE("item " + std::to_string(k));
    auto const want = true_steps(K, 1, weights, b.targets.start[k], b.targets.p, b.targets.q,
                                 b.targets.r, b.targets.z[k]);
    // As in NonlinearCase.hpp: means have about 10 units, their standard deviations 0.1.
    auto const tol = [&](long double size) {
      return tolerance<T>(20, size, want.condition / (long double)(weights.alpha));
    };
    EXPECT_EQ(on_host(o.codes)(k), 0);
    for (std::size_t t = 0; t < o.steps; ++t) {
      auto const mean = [&](auto const& view) {
        return [&, k, t](int i, int) { return view(k, t, i); };
      };
      auto const covariance = [&](auto const& view) {
        return [&, k, t](int i, int j) { return view(k, t, i, j); };
      };
      EXPECT_TRUE(near(mean(pm), want.predicted_mean[t], tol(1))) << t;
      EXPECT_TRUE(near(mean(fm), want.mean[t], tol(1))) << t;
      EXPECT_TRUE(near(covariance(pc), want.predicted_covariance[t], tol(0.1L))) << t;
      EXPECT_TRUE(near(covariance(fc), want.filtered_covariance[t], tol(0.1L))) << t;
    }
    EXPECT_TRUE(near([&](int i, int) { return on_host(o.lm)(k, i); }, want.mean.back(), tol(1)));
    EXPECT_TRUE(near([&](int i, int j) { return lc(k, i, j); }, want.covariance, tol(0.1L)));
    EXPECT_NEAR(double(on_host(o.ll)(k)), double(want.log_likelihood), double(tol(want.absolute)));
  }
}
TEST(NonlinearFilter, AgreesWithTheReference) {
  agrees<double, NonlinearFilter::extended>({});
  agrees<float, NonlinearFilter::extended, Kokkos::LayoutRight>({});
  agrees<double, NonlinearFilter::unscented, Kokkos::LayoutRight>({});
  Kalman::UnscentedWeights const weights{0.25, 2, -2};
  agrees<double, NonlinearFilter::unscented>(weights, weights);
}
/// A gate that nothing exceeds, in any place among the options, changes nothing.
TEST(NonlinearFilter, TakesOptionsInAnyOrder) {
  Kalman::UnscentedWeights const weights{0.5, 2, 1};
  agrees<double, NonlinearFilter::unscented>(weights, Kalman::gate(1e9), weights);
  agrees<float, NonlinearFilter::extended>({}, Kalman::gate(1e9f));
}

/// predicted(x1, P1) starts at the time of the first observation: the state that the reference
/// predicts. The last state is then a prediction.
TEST(NonlinearFilter, StartsFromAPrediction) {
  Batch<double> const b;
  Kokkos::View<double* [5], Space> x1("x1", b.views.items);
  Kokkos::View<double* [5][5], Space> p1("p1", b.views.items);
  std::vector<TrueSteps> want;
  for (std::size_t k = 0; k < b.views.items; ++k)
    want.push_back(true_steps(NonlinearFilter::extended, 1, {}, b.targets.start[k], b.targets.p,
                              b.targets.q, b.targets.r, b.targets.z[k]));
  fill(x1, [&](auto const& h) {
    for (std::size_t k = 0; k < want.size(); ++k)
      for (int i = 0; i < 5; ++i) h(k, i) = double(want[k].predicted_mean[0](i));
  });
  fill(p1, [&](auto const& h) {
    for (std::size_t k = 0; k < want.size(); ++k)
      for (int i = 0; i < 25; ++i)
        h(k, i / 5, i % 5) = double(want[k].predicted_covariance[0](i / 5, i % 5));
  });
  auto const o = b.run<NonlinearFilter::extended>(Kalman::predicted(x1, p1), Wrapped{});
  auto const fm = on_host(o.fm), pm = on_host(o.pm);
  for (std::size_t k = 0; k < want.size(); ++k) {
    long double const tol = tolerance<double>(40, 1, want[k].condition);
    for (std::size_t t = 0; t < o.steps; ++t) {
      EXPECT_TRUE(near([&](int i, int) { return fm(k, t, i); }, want[k].mean[t], tol)) << k;
      EXPECT_TRUE(near([&](int i, int) { return pm(k, t, i); }, want[k].predicted_mean[t], tol));
    }
    EXPECT_TRUE(near([&](int i, int) { return on_host(o.lm)(k, i); },
                     true_motion(want[k].mean.back()), tol))
        << k;
    EXPECT_NEAR(on_host(o.ll)(k), double(want[k].log_likelihood),
                double(tol * (1 + want[k].absolute)));
  }
}

/// An observation beyond the gate is as good as a missing one. Other items keep their bits.
template <NonlinearFilter K>
void gates() {
  auto const planted = [](std::size_t k) { return k == 0 || k == 10 || k == 20; };
  auto const with = [&](double range, double bearing) {
    Batch<double> const b;
    fill(b.views.z, [&](auto const& h) {
      for (std::size_t k = 0; k < b.views.items; ++k)
        for (std::size_t t = 0; t < std::size_t(b.views.steps); ++t) {
          for (int i = 0; i < 2; ++i) h(k, t, i) = double(b.targets.z[k][t](i));
          if (planted(k) && t == 4) h(k, t, 0) = range, h(k, t, 1) = bearing;
        }
    });
    return b.template run<K>(b.start(), Kalman::gate(1e3), Wrapped{});
  };
  double const nan = std::numeric_limits<double>::quiet_NaN();
  auto const outlier = with(500, 1), missing = with(nan, nan);
  auto const a = on_host(outlier.fm), b = on_host(missing.fm);
  for (std::size_t k = 0; k < a.extent(0); ++k) {
    EXPECT_EQ(on_host(outlier.codes)(k), 0);
    EXPECT_TRUE(same_bits(on_host(outlier.ll)(k), on_host(missing.ll)(k))) << k;
    for (std::size_t t = 0; t < a.extent(1); ++t)
      for (int i = 0; i < 5; ++i) EXPECT_TRUE(same_bits(a(k, t, i), b(k, t, i))) << k << " " << t;
  }
}
TEST(NonlinearFilter, IgnoresObservationsBeyondTheGate) {
  gates<NonlinearFilter::extended>();
  gates<NonlinearFilter::unscented>();
}

TEST(NonlinearFilter, ReportsAMissingEntryOfCompleteData) {
  Batch<double> const b;
  auto const o = b.run<NonlinearFilter::extended>(b.start(), Kalman::complete(), Wrapped{});
  int failed = 0;
  for (std::size_t k = 0; k < o.items; ++k) {
    bool missing = false;
    for (auto const& z : b.targets.z[k]) missing = missing || observed_entries(z).size() < 2;
    EXPECT_EQ(on_host(o.codes)(k), missing ? Status::code(Reason::incomplete_data, 0) : 0) << k;
    failed += missing;
  }
  EXPECT_GT(failed, 0);
}

TEST(NonlinearFilter, ChecksViewsBeforeTheLaunch) {
  Batch<double> const b;
  Outcome<double> const o;
  Kokkos::View<double** [2], Space> const short_series("z", b.views.items, 3),
      fewer_items("z", b.views.items - 1, 15);
  auto const filter = [&](auto const& z) {
    Kalman::extended_filter(b.views.steps, Turn{}, common(b.views.q), Radar{}, in(b.views.r),
                            b.start(), z, o.results(), Wrapped{});
  };
  EXPECT_THROW(filter(short_series), std::invalid_argument);
  EXPECT_THROW(filter(fewer_items), std::invalid_argument);
}
TEST(NonlinearFilter, TakesNoItemsAndNoSteps) {
  Kokkos::View<double* [5], Space> const x("x", 0), to("to", 3), from("from", 3);
  Kokkos::View<double* [5][5], Space> const p("p", 0), p3("p3", 3);
  Kokkos::View<double** [2], Space> const z("z", 0, 4), z3("z3", 3, 0);
  Kokkos::View<double[5][5], Space> const q("q");
  Kokkos::View<double[2][2], Space> const r("r");
  Kokkos::deep_copy(from, 7.0);
  Kalman::extended_filter(4, Turn{}, common(q), Radar{}, common(r), Kalman::start(x, p), z,
                          Kalman::results());
  Kalman::unscented_filter(0, Turn{}, common(q), Radar{}, common(r), Kalman::start(from, p3), z3,
                           Kalman::results().last_mean(to));
  Kokkos::fence();
  for (std::size_t k = 0; k < 3; ++k)
    for (int i = 0; i < 5; ++i) EXPECT_EQ(on_host(to)(k, i), 7);
}

}  // namespace
}  // namespace Batchwork::Test

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What a form of the filter shows in a batch with missing entries, failures and units planted in
/// it. `run(plant, junk)` filters a PlantedBatch with the form, and returns its results.
#ifndef BATCHWORK_KALMAN_FORM_CASE_HPP
#define BATCHWORK_KALMAN_FORM_CASE_HPP

#include "Batch.hpp"

namespace Batchwork::Test {

/// A failure of the first, the middle and the last item; or units of item k > 0 of 2^(k - 13).
enum class Plant {
  none,
  units,
  negative_noise,
  indefinite_transition,
  nan_start,
  nan_factor,
  infinite_observation
};

/// A model, and series of which `missing(random, item, time, entry)` says what is missing. H and R
/// hold `junk` there. With Plant::units all items have the same series.
struct PlantedBatch {
  static constexpr int N = 3, M = 2, items = 27;
  Plant plant;
  double junk;
  int steps;
  Random random{61};
  RandomModel<double> m{random, N, M};
  std::vector<std::vector<Dense>> z;
  FilterBatch<double, N, M> b;
  Kokkos::View<double* [N], Space> x{"x", items};

  template <class Missing>
  PlantedBatch(Plant what, double where_missing, int times, int infinite_at, Missing const& missing)
      : plant(what),
        junk(where_missing),
        steps(times),
        z(series(infinite_at, missing)),
        b(z, items, steps) {}

  bool planted(std::size_t k, Plant what) const {
    return plant == what && (k == 0 || k == items / 2 || k == items - 1);
  }
  int exponent(std::size_t k) const { return plant == Plant::units && k > 0 ? int(k) - 13 : 0; }
  double unit(std::size_t k) const { return std::ldexp(1.0, 2 * exponent(k)); }

  template <class Missing>
  std::vector<std::vector<Dense>> series(int infinite_at, Missing const& missing) {
    std::vector<std::vector<Dense>> all;
    for (std::size_t k = 0; k < items; ++k) {
      if (plant == Plant::units && k > 0) all.push_back(all[0]);
      else
        all.push_back(random_series<double>(
            random, steps, M, [&](int t, int i) { return missing(random, k, t, i); }));
      if (planted(k, Plant::infinite_observation))
        all[k][std::size_t(infinite_at)](0) = std::numeric_limits<long double>::infinity();
    }
    for (std::size_t k = 0; k < items; ++k)
      for (auto& one : all[k])
        for (int i = 0; i < M; ++i) one(i) = std::ldexp(one(i), exponent(k));
    return all;
  }
  bool lacks(std::size_t k, int t, int i) const { return std::isnan(z[k][std::size_t(t)](i)); }
  Kokkos::View<double[N][N], Space> f() const {
    return filled(Kokkos::View<double[N][N], Space>("F"), m.f);
  }
  auto q() const {
    return [this](std::size_t k, int t, int i, int j) {
      return (planted(k, Plant::indefinite_transition) && t == 3 ? -1 : unit(k)) *
             double(m.q(i, j));
    };
  }
  auto h() const {
    return [this](std::size_t k, int t, int i, int j) {
      return lacks(k, t, i) ? junk : double(m.h(i, j));
    };
  }
  auto r() const {
    return [this](std::size_t k, int t, int i, int j) {
      return lacks(k, t, i) || lacks(k, t, j)
                 ? junk
                 : (planted(k, Plant::negative_noise) ? -1000 : unit(k)) * double(m.r(i, j));
    };
  }
  /// The entries of the first time.
  template <int Rows, int Columns, class Entry>
  auto of_items(Entry const& entry) const {
    Kokkos::View<double* [Rows][Columns], Space> v("of items", items);
    fill(v, [&](auto const& w) {
      for (std::size_t k = 0; k < items; ++k)
        for (int i = 0; i < Rows; ++i)
          for (int j = 0; j < Columns; ++j) w(k, i, j) = entry(k, 0, i, j);
    });
    return v;
  }
  template <int Rows, int Columns, class Entry>
  auto of_times(Entry const& entry) const {
    Kokkos::View<double** [Rows][Columns], Space> v("of times", items, std::size_t(steps));
    fill(v, [&](auto const& w) {
      for (std::size_t k = 0; k < items; ++k)
        for (int t = 0; t < steps; ++t)
          for (int i = 0; i < Rows; ++i)
            for (int j = 0; j < Columns; ++j) w(k, t, i, j) = entry(k, t, i, j);
    });
    return v;
  }

  /// P0, with zeros for the states before `first`.
  auto p(int first = 0) const {
    return of_items<N, N>([&](std::size_t k, int, int i, int j) {
      if (i != j || i < first) return 0.0;
      return planted(k, Plant::nan_start) ? std::numeric_limits<double>::quiet_NaN() : unit(k);
    });
  }
  /// The matrices of an item do not depend on time.
  auto constant_model() const {
    return Kalman::model(common(f()), in(of_items<N, N>(q())), in(of_items<M, N>(h())),
                         in(of_items<M, M>(r())));
  }
  /// H and R depend on time.
  auto model() const {
    return Kalman::model(common(f()), in(of_items<N, N>(q())), each(of_times<M, N>(h())),
                         each(of_times<M, M>(r())));
  }
  /// All matrices depend on time.
  auto varying_model() const {
    return Kalman::model(
        each(of_times<N, N>([&](std::size_t, int, int i, int j) { return double(m.f(i, j)); })),
        each(of_times<N, N>(q())), each(of_times<M, N>(h())), each(of_times<M, M>(r())));
  }
};
using PlantedResults = decltype(PlantedBatch::b);

/// Entries are missing at random from the fourth time on.
template <class Form>
PlantedResults run_from_known_start(Form const& form, Plant plant, double junk) {
  PlantedBatch const c(plant, junk, 15, 2, [](Random& random, std::size_t, int t, int) {
    return t > 2 && random(0, 1) < 0.3;
  });
  Kalman::filter(c.steps, c.model(), Kalman::start(c.x, c.p()), c.b.z, c.b.results(), form);
  Kokkos::fence();
  return c.b;
}

inline void expect_same(PlantedResults const& a, PlantedResults const& b, std::size_t k) {
  EXPECT_EQ(on_host(a.st)(k), 0) << k;
  EXPECT_TRUE(std::isfinite(on_host(a.ll)(k))) << k;
  EXPECT_TRUE(same_bits(on_host(a.ll)(k), on_host(b.ll)(k))) << k;
  for (int i = 0; i < PlantedBatch::N; ++i) {
    EXPECT_TRUE(same_bits(on_host(a.lm)(k, i), on_host(b.lm)(k, i))) << k;
    for (int j = 0; j < PlantedBatch::N; ++j)
      EXPECT_TRUE(same_bits(on_host(a.lc)(k, i, j), on_host(b.lc)(k, i, j))) << k;
  }
}
template <class Run>
void nothing_is_read_of_what_is_missing(Run const& run) {
  auto const want = run(Plant::none, 1);
  for (double junk : {std::numeric_limits<double>::quiet_NaN(), 1e300}) {
    auto const got = run(Plant::none, junk);
    for (std::size_t k = 0; k < PlantedBatch::items; ++k) expect_same(got, want, k);
  }
}
/// The planted items fail, and have no effect on their neighbours in a pack.
inline void expect_failures(PlantedResults const& got, PlantedResults const& clean, Reason reason,
                            int info_of_first, int info) {
  for (std::size_t k = 0; k < PlantedBatch::items; ++k) {
    if (k == 0 || k == 13 || k == 26) {
      EXPECT_EQ(Status::reason(on_host(got.st)(k)), reason) << k;
      EXPECT_EQ(Status::info(on_host(got.st)(k)), k == 0 ? info_of_first : info) << k;
      EXPECT_FALSE(std::isfinite(on_host(got.ll)(k))) << k;
    } else {
      expect_same(got, clean, k);
    }
  }
}
/// The failures of every form that starts from a known state.
template <class Run>
void failures_and_their_neighbours(Run const& run) {
  auto const clean = run(Plant::none, 1);
  expect_failures(run(Plant::negative_noise, 1), clean, Reason::not_positive_definite, 1, 1);
  expect_failures(run(Plant::nan_start, 1), clean, Reason::not_finite, 1, 1);
  expect_failures(run(Plant::infinite_observation, 1), clean, Reason::not_finite, 0, 0);
}
/// Variances multiplied by 4^k and observations by 2^k give means multiplied by 2^k, bit for bit.
template <class Run>
void every_unit(Run const& run) {
  auto const b = run(Plant::units, 1);
  for (std::size_t k = 1; k < PlantedBatch::items; ++k) {
    int const e = int(k) - 13;
    EXPECT_EQ(on_host(b.st)(k), 0);
    for (int i = 0; i < PlantedBatch::N; ++i) {
      EXPECT_TRUE(same_bits(std::ldexp(on_host(b.lm)(0, i), e), on_host(b.lm)(k, i))) << e;
      for (int j = 0; j < PlantedBatch::N; ++j)
        EXPECT_TRUE(same_bits(std::ldexp(on_host(b.lc)(0, i, j), 2 * e), on_host(b.lc)(k, i, j)));
    }
  }
}

}  // namespace Batchwork::Test

#endif

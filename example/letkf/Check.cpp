// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Check.hpp"

#include <Batchwork.hpp>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <vector>

#include "Analysis.hpp"
#include "Localization.hpp"
#include "Reference.hpp"
#include "Rotation.hpp"

namespace Letkf {

namespace {

// 65 points, so that the last group of items is not full.
constexpr int nx = 13, ny = 5, every = 2, points = nx * ny, lonely = 12;
constexpr int missing = 4;  // a point whose observation is missing
constexpr double inflation = 1.05;

template <class View>
auto on_host(View const& v) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v);
}

/// Views of a case. The point `lonely` has no observations. What is not observed, or missing, is
/// NaN in `observed`.
struct Case {
  int variables, members;
  Method method;
  Ensemble forecast;
  Vector observed;
  LocalObservations local;
  Matrix turn;

  Case(int v, int k, Method m)
      : variables(v),
        members(k),
        method(m),
        forecast("forecast", points, v, k),
        observed("observed", points * v),
        local(localize({nx, ny, every, v, 0, 1, 0.5}, 0.9)),
        turn("rotation", k, k) {
    Exec const exec;
    Rotation rotation(k, 7);
    Kokkos::deep_copy(turn, rotation.next(exec));
    Batchwork::fill_random(exec, Batchwork::random(1), Batchwork::normal(10, 2), forecast);
    Batchwork::fill_random(exec, Batchwork::random(2), Batchwork::normal(10, 2), observed);
    Kokkos::deep_copy(Kokkos::subview(local.weight, lonely, Kokkos::ALL), 0.0);
    leave_out();
  }

  void leave_out() const {
    auto const values = on_host(observed);
    auto const weight = on_host(local.weight);
    auto const near = on_host(local.near);
    for (int row = 0; row < points * variables; ++row) {
      int const p = row / variables, x = p % nx, y = p / nx;
      bool const there = row % variables == 0 && x % every == 0 && y % every == 0 && p != missing;
      if (!there) values(row) = std::numeric_limits<double>::quiet_NaN();
    }
    for (std::size_t p = 0; p < points; ++p)
      for (std::size_t l = 0; l < near.extent(1); ++l)
        if (near(p, l) == missing * variables) weight(p, l) = 0;
    Kokkos::deep_copy(observed, values);
    Kokkos::deep_copy(local.weight, weight);
  }

  /// For some 30 points at a time, so that the last part has fewer.
  std::int64_t memory() const { return 30 * (members + 40) * members; }

  struct Result {
    Kokkos::View<double***, Kokkos::LayoutRight, Kokkos::HostSpace> members;
    Kokkos::View<int*, Kokkos::HostSpace> codes;
  };

  Result analyse(Ensemble const& from, Vector const& values, LocalObservations const& near) const {
    Ensemble const analysis("analysis", points, variables, members);
    Codes const codes("codes", points);
    Kokkos::deep_copy(analysis, std::numeric_limits<double>::quiet_NaN());
    Kokkos::deep_copy(codes, -1);
    Letkf::analyse(Exec(), analysis, from, turn, near, values, codes,
                   {inflation, method, memory()});
    Kokkos::fence("letkf: check");
    return {on_host(analysis), on_host(codes)};
  }
};

template <class View>
View scaled(View const& v, double factor) {
  View const r("scaled", v.layout());
  auto const host = Kokkos::create_mirror_view(r);
  Kokkos::deep_copy(host, v);
  for (std::size_t n = 0; n < host.size(); ++n) host.data()[n] *= factor;
  Kokkos::deep_copy(r, host);
  return r;
}

/// The largest error, at every fourth point, the lonely one and the last one included, in units of
/// k eps cond(C) max|x|, where max|x| is about 20.
double error_to_reference(Case const& c, Case::Result const& r) {
  auto const forecast = on_host(c.forecast);
  auto const observed = on_host(c.observed);
  auto const near = on_host(c.local.near);
  auto const weight = on_host(c.local.weight);
  auto const turn = on_host(c.turn);
  std::size_t const k = std::size_t(c.members), variables = std::size_t(c.variables);
  auto const mean = [&](std::size_t p, std::size_t v) {
    long double sum = 0;
    for (std::size_t j = 0; j < k; ++j) sum += forecast(p, v, j);
    return sum / static_cast<long double>(k);
  };
  double largest = 0;
  for (std::size_t p = 0; p < points; p += 4) {
    std::vector<long double> a, s, d;
    for (std::size_t v = 0; v < variables; ++v)
      for (std::size_t j = 0; j < k; ++j) a.push_back(forecast(p, v, j) - mean(p, v));
    long double trace = 0;
    for (std::size_t l = 0; l < near.extent(1); ++l) {
      std::size_t const row = std::size_t(near(p, l)), q = row / variables, v = row % variables;
      long double const w = weight(p, l);
      d.push_back(w > 0 ? w * (observed(row) - mean(q, v)) : 0);
      for (std::size_t j = 0; j < k; ++j) {
        s.push_back(w * (forecast(q, v, j) - mean(q, v)));
        trace += s.back() * s.back();
      }
    }
    auto const expected = reference_analysis(a, s, d, c.members, inflation * inflation);
    double const condition = 1 + inflation * inflation * double(trace) / double(k - 1);  // at least
    double const unit = double(k) * std::numeric_limits<double>::epsilon() * condition * 20;
    for (std::size_t v = 0; v < variables; ++v)
      for (std::size_t j = 0; j < k; ++j) {
        long double x = mean(p, v) + expected[v * (k + 1)];
        for (std::size_t i = 0; i < k; ++i) x += expected[v * (k + 1) + 1 + i] * turn(i, j);
        double const e = double(std::abs(r.members(p, v, j) - x)) / unit;
        largest = e <= largest ? largest : e;  // also if it is NaN
      }
    if (r.codes(p) != 0) largest = std::numeric_limits<double>::infinity();
  }
  return largest;
}

bool same_digits_in_other_units(Case const& c, Case::Result const& r) {
  constexpr double factor = 1024;
  auto const other = c.analyse(scaled(c.forecast, factor), scaled(c.observed, factor),
                               {c.local.near, scaled(c.local.weight, 1 / factor)});
  bool same = true;
  for (std::size_t n = 0; n < r.members.size(); ++n)
    same = same && other.members.data()[n] == factor * r.members.data()[n];
  return same;
}

/// NaN in the forecast of the last variable at the first, a middle and the last point. They are
/// observed: if there is one variable, other points use them.
bool failures_stay_alone(Case const& c, Case::Result const& r) {
  Ensemble const bad = scaled(c.forecast, 1);
  int const planted[3] = {0, 2 * nx + 6, points - 1};
  for (int p : planted)
    Kokkos::deep_copy(Kokkos::subview(bad, p, c.variables - 1, c.members - 1),
                      std::numeric_limits<double>::quiet_NaN());
  auto const other = c.analyse(bad, c.observed, c.local);
  auto const near = on_host(c.local.near);
  bool good = true;
  int failed = 0;
  std::size_t const bytes = std::size_t(c.variables * c.members) * sizeof(double);
  for (int p = 0; p < points; ++p) {
    bool uses = false;
    for (std::size_t l = 0; l < near.extent(1); ++l)
      for (int q : planted) uses = uses || q == p || near(p, l) == (q + 1) * c.variables - 1;
    failed += uses ? 1 : 0;
    good = good && (other.codes(p) != 0) == uses &&
           (uses || std::memcmp(&r.members(p, 0, 0), &other.members(p, 0, 0), bytes) == 0);
  }
  return good && (c.variables == 1 ? failed > 3 : failed == 3) && failed < points;
}

bool check(int variables, int members, Method method) {
  Case const c(variables, members, method);
  auto const r = c.analyse(c.forecast, c.observed, c.local);
  double const error = error_to_reference(c, r);
  bool const units = same_digits_in_other_units(c, r), alone = failures_stay_alone(c, r);
  bool const good = error < 1 && units && alone;
  std::printf("  %d x %2d, %-10s  error %5.3f k eps cond; other units %s; failures %s: %s\n",
              variables, members, method == Method::verbs ? "verbs" : "one kernel", error,
              units ? "exact" : "DIFFERENT", alone ? "alone" : "SPREAD", good ? "good" : "WRONG");
  return good;
}

}  // namespace

bool check() {
  struct Size {
    int variables, members;
  };
  bool good = true;
  std::printf("Analyses of %d points beside a reference in long double\n", points);
  for (Size const s :
       {Size{1, 2}, Size{1, 7}, Size{1, 20}, Size{2, 9}, Size{3, 16}, Size{3, 32}, Size{3, 64}})
    for (Method const m : {Method::one_kernel, Method::verbs})
      if (m == Method::verbs || is_compiled(s.variables, s.members))
        good = check(s.variables, s.members, m) && good;
  return good;
}

}  // namespace Letkf

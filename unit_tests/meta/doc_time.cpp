// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The examples of docs/reference/scan.md. This program runs them and compares their results with
// plain loops, and the smoother with long double.
#include <Batchwork.hpp>
#include <cmath>
#include <cstdio>
#include <vector>

using namespace Batchwork;

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Numbers = Kokkos::View<double**>;  // (item, time)
constexpr int N = 4, M = 2;

int failures = 0;

void expect_near(char const* what, double x, long double want, double tolerance) {
  if (std::abs(x - static_cast<double>(want)) <= tolerance) return;
  std::printf("%s: %.17g, should be %.17g\n", what, x, static_cast<double>(want));
  ++failures;
}
template <class View>
auto on_host(View const& v) {
  Kokkos::fence();
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v);
}
double number(int item, int time) { return std::sin(1 + 3.1 * item + 0.7 * time); }
Numbers series(char const* label, int items, int steps) {
  Numbers const v(label, std::size_t(items), std::size_t(steps));
  auto const h = Kokkos::create_mirror_view(v);
  for (int k = 0; k < items; ++k)
    for (int t = 0; t < steps; ++t) h(k, t) = number(k, t);
  Kokkos::deep_copy(v, h);
  return v;
}

// ---- orders -------------------------------------------------------------------------------------

struct Discount {  // the present value of future rewards
  template <class V, class R, class G, class E>
  KOKKOS_FUNCTION void operator()(V& value, R const& reward, G const& discount, E& emitted) const {
    value = reward + discount * value;
    emitted = value;
  }
};

struct Difference {
  template <class X, class Before, class D>
  KOKKOS_FUNCTION void operator()(X const& x, Before const& before, D& d) const {
    d = x - before;
  }
};

struct Mean {
  template <class X, class Next, class Y>
  KOKKOS_FUNCTION void operator()(X const& x, Next const& next, Y& y) const {
    y = 0.5 * (x + next);
  }
};

struct SmoothInPlace {
  template <class Level, class X>
  KOKKOS_FUNCTION void operator()(Level& level, X& x) const {
    level += 0.3 * (x - level);
    x = level;
  }
};

struct AddProduct {
  template <class S, class A, class B>
  KOKKOS_FUNCTION void operator()(S& sum, A const& a, B const& b) const {
    sum += a * b;
  }
};

void orders() {
  constexpr int items = 7, steps = 10;
  Exec const exec;
  Numbers const x = series("x", items, steps), y("y", items, steps), half("half", items, steps / 2);
  auto const check = [](char const* what, Numbers const& got, auto const& want, int from, int to) {
    auto const h = on_host(got);
    for (int k = 0; k < items; ++k)
      for (int t = from; t < to; ++t) expect_near(what, h(k, t), want(k, t), 1e-14);
  };

  Numbers const reward = x, value = y;
  scan(exec, backward(steps), Discount{}, carry(common(fixed(0.0))), each(reward),
       common(fixed(0.9)), emit(value));
  check(
      "discount", y,
      [](int k, int t) {
        long double v = 0;
        for (int s = steps - 1; s >= t; --s) v = number(k, s) + 0.9L * v;
        return v;
      },
      0, steps);

  scan(exec, range(1, steps), Difference{}, each(x), each(x, lag<1>), emit(y));
  check("difference", y, [](int k, int t) { return number(k, t) - number(k, t - 1); }, 1, steps);

  scan(exec, steps / 2, Mean{}, each(x, stride<2>), each(x, stride<2>, lag<-1>), emit(half));
  check(
      "mean", half, [](int k, int t) { return 0.5 * (number(k, 2 * t) + number(k, 2 * t + 1)); }, 0,
      steps / 2);

  Kokkos::View<double*> const sum("sum", items);
  Numbers const a = x, b = x;
  scan(exec, steps, AddProduct{}, carry(common(fixed(0.0)), sum), each(a), each(reversed(b)));
  auto const sums = on_host(sum);
  for (int k = 0; k < items; ++k) {
    long double want = 0;
    for (int t = 0; t < steps; ++t) want += number(k, t) * number(k, steps - 1 - t);
    expect_near("sum", sums(k), want, 1e-14);
  }

  scan(exec, steps, SmoothInPlace{}, carry(common(fixed(0.0))), inout(each(x)));
  scan(exec, backward(steps), SmoothInPlace{}, carry(common(fixed(0.0))), inout(each(x)));
  check(
      "in place", x,
      [](int k, int t) {
        long double smooth[steps], level = 0;
        for (int s = 0; s < steps; ++s) smooth[s] = level += 0.3L * (number(k, s) - level);
        level = 0;
        for (int s = steps - 1; s >= t; --s) level += 0.3L * (smooth[s] - level);
        return level;
      },
      0, steps);
}

// ---- sequences of sequences ---------------------------------------------------------------------

struct Predict {
  template <class P, class F, class Q>
  KOKKOS_FUNCTION void operator()(P& p, F const& f, Q const& q) const {
    p = congruence(f, p, q);  // f p f' + q
  }
};
struct FindGain {
  template <class P, class H, class R, class S, class K>
  KOKKOS_FUNCTION void operator()(P const& p, H const& h, R const& r, S& s, K& gain) const {
    s = congruence(h, p, r);
    gain = transpose(solve(cholesky(s), h * p));
  }
};
struct Correct {
  template <class P, class K, class S>
  KOKKOS_FUNCTION void operator()(P& p, K const& gain, S const& s) const {
    p = p - congruence(gain, s);
  }
};

// ---- the smoother -------------------------------------------------------------------------------

/// A step of the smoother of Rauch, Tung and Striebel. In: the filtered mean and covariance of the
/// step, and what was predicted for the next one from them; x and p are what is known of the next
/// one from all observations.
struct SmoothStep {
  template <class X, class P, class Mean, class Cov, class NextMean, class NextCov, class F>
  KOKKOS_FUNCTION void operator()(X& x, P& p, Mean& mean, Cov& covariance,
                                  NextMean const& next_mean, NextCov const& next_covariance,
                                  F const& f) const {
    auto const gain = transpose(solve(cholesky(next_covariance), f * covariance));
    x = mean + gain * (x - next_mean);
    p = covariance + congruence(gain, p - next_covariance);
    mean = x;  // smoothed results overwrite the filtered ones
    covariance = p;
  }
};

struct Smoother {
  Kokkos::View<double** [N]> mean, predicted_mean;  // (item, time, state)
  Kokkos::View<double** [N][N]> covariance, predicted_covariance;
  Kokkos::View<double* [N]> last_mean;
  Kokkos::View<double* [N][N]> last_covariance;

  Smoother(int items, int steps)
      : mean("mean", std::size_t(items), std::size_t(steps)),
        predicted_mean("predicted mean", std::size_t(items), std::size_t(steps)),
        covariance("covariance", std::size_t(items), std::size_t(steps)),
        predicted_covariance("predicted covariance", std::size_t(items), std::size_t(steps)),
        last_mean("last mean", std::size_t(items)),
        last_covariance("last covariance", std::size_t(items)) {}

  /// Leaves the smoothed means and covariances in `mean` and `covariance`.
  void run(Exec const& exec, int steps, Kokkos::View<double[N][N]> F, Kokkos::View<double[N][N]> Q,
           Kokkos::View<double[M][N]> H, Kokkos::View<double[M][M]> R, Kokkos::View<double* [N]> x0,
           Kokkos::View<double* [N][N]> P0, Kokkos::View<double** [M]> z,
           Kokkos::View<int*> codes) const {
    Kalman::filter(exec, steps, Kalman::model(common(F), common(Q), common(H), common(R)),
                   Kalman::start(x0, P0), z,
                   Kalman::results()
                       .predicted_mean(predicted_mean)
                       .predicted_covariance(predicted_covariance)
                       .filtered_mean(mean)
                       .filtered_covariance(covariance)
                       .last_mean(last_mean)
                       .last_covariance(last_covariance));
    // The last filtered step is already smoothed; step t needs the prediction for step t + 1.
    scan(exec, backward(steps - 1), SmoothStep{}, carry(last_mean),
         carry(symmetric(last_covariance)), inout(each(mean)), inout(each(symmetric(covariance))),
         each(predicted_mean, lag<-1>), each(symmetric(predicted_covariance), lag<-1>), common(F),
         status(codes));
  }
};

// ---- the same in long double, by inverses -------------------------------------------------------

struct Dense {
  int rows, cols;
  std::vector<long double> v;
  Dense(int m, int n) : rows(m), cols(n), v(std::size_t(m * n)) {}
  long double& operator()(int i, int j) { return v[std::size_t(i * cols + j)]; }
  long double operator()(int i, int j) const { return v[std::size_t(i * cols + j)]; }
};
template <class View>
Dense dense(View const& v, int rows, int cols) {
  Dense r(rows, cols);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) {
      if constexpr (View::rank() == 2) r(i, j) = v(i, j);
      else r(i, j) = v(i);
    }
  return r;
}
Dense sum(Dense const& a, Dense const& b, long double c) {
  Dense r = a;
  for (std::size_t k = 0; k < r.v.size(); ++k) r.v[k] += c * b.v[k];
  return r;
}
Dense product(Dense const& a, Dense const& b) {
  Dense r(a.rows, b.cols);
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < b.cols; ++j)
      for (int k = 0; k < a.cols; ++k) r(i, j) += a(i, k) * b(k, j);
  return r;
}
Dense turned(Dense const& a) {
  Dense r(a.cols, a.rows);
  for (int i = 0; i < r.rows; ++i)
    for (int j = 0; j < r.cols; ++j) r(i, j) = a(j, i);
  return r;
}
/// Of a positive definite matrix, whose pivots need no search.
Dense inverse_of(Dense a) {
  int const n = a.rows;
  Dense r(n, n);
  for (int i = 0; i < n; ++i) r(i, i) = 1;
  for (int k = 0; k < n; ++k) {
    long double const pivot = a(k, k);
    for (int j = 0; j < n; ++j) a(k, j) /= pivot, r(k, j) /= pivot;
    for (int i = 0; i < n; ++i) {
      long double const f = i == k ? 0 : a(i, k);
      for (int j = 0; j < n; ++j) a(i, j) -= f * a(k, j), r(i, j) -= f * r(k, j);
    }
  }
  return r;
}
Dense times_itself(Dense const& a, Dense const& p) { return product(product(a, p), turned(a)); }

template <class View, class F>
void fill(View const& v, F const& f) {
  auto const h = Kokkos::create_mirror_view(v);
  for (int i = 0; i < int(h.extent(0)); ++i)
    for (int j = 0; j < int(h.extent(1)); ++j) h(i, j) = f(i, j);
  Kokkos::deep_copy(v, h);
}

void smoothers() {
  constexpr int items = 13, steps = 30;
  Exec const exec;
  Kokkos::View<double[N][N]> const F("F"), Q("Q");
  Kokkos::View<double[M][N]> const H("H");
  Kokkos::View<double[M][M]> const R("R");
  fill(F, [](int i, int j) { return (i == j ? 0.95 : 0) + 0.1 * number(i, j); });
  fill(Q, [](int i, int j) { return i == j ? 0.1 : 0; });
  fill(H, [](int i, int j) { return number(5 + i, j); });
  fill(R, [](int i, int j) { return i == j ? 0.2 : 0.05; });
  Kokkos::View<double* [N]> const x0("x0", items);
  fill(x0, number);
  Kokkos::View<double* [N][N]> const P0("P0", items), P("P", items);
  Kokkos::View<double** [M]> const z("z", items, steps);
  Kokkos::View<int*> const codes("codes", items);
  auto const host_P0 = Kokkos::create_mirror_view(P0);
  auto const host_z = Kokkos::create_mirror_view(z);
  for (int k = 0; k < items; ++k) {
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) host_P0(k, i, j) = i == j ? 1 + 0.1 * k : 0.1;
    for (int t = 0; t < steps; ++t)
      for (int i = 0; i < M; ++i) host_z(k, t, i) = number(k + 9 * i, t);
  }
  Kokkos::deep_copy(P0, host_P0);
  Kokkos::deep_copy(P, host_P0);
  Kokkos::deep_copy(z, host_z);
  Kokkos::deep_copy(codes, -1);
  Smoother const smoother(items, steps);
  smoother.run(exec, steps, F, Q, H, R, x0, P0, z, codes);

  // A filter's series may be turned, or begin later in its View.
  Kokkos::View<double** [M]> const longer("z", items, steps + 3);
  auto const host_longer = Kokkos::create_mirror_view(longer);
  for (bool const turn : {false, true}) {
    for (int k = 0; k < items; ++k)
      for (int t = 0; t < steps; ++t)
        for (int i = 0; i < M; ++i)
          host_longer(k, turn ? steps + 2 - t : t + 3, i) = host_z(k, t, i);
    Kokkos::deep_copy(longer, host_longer);
    Smoother const other(items, steps);
    auto const filter = [&](auto const& observations) {
      Kalman::filter(exec, steps, Kalman::model(common(F), common(Q), common(H), common(R)),
                     Kalman::start(x0, P0), observations,
                     Kalman::results()
                         .predicted_mean(other.predicted_mean)
                         .predicted_covariance(other.predicted_covariance)
                         .filtered_mean(other.mean)
                         .filtered_covariance(other.covariance)
                         .last_mean(other.last_mean)
                         .last_covariance(other.last_covariance));
    };
    filter(turn ? each(reversed(longer)) : each(longer, lag<-3>));
    auto const got = on_host(other.last_mean), want = on_host(smoother.last_mean);
    for (int k = 0; k < items; ++k)
      for (int i = 0; i < N; ++i) expect_near("series", got(k, i), want(k, i), 0);
  }

  map(exec, then(on<0, 1, 2>(Predict{}), on<0, 3, 4, 5, 6>(FindGain{}), on<0, 6, 5>(Correct{})),
      inout(symmetric(P)), common(F), common(symmetric(Q)), common(H), common(symmetric(R)),
      symmetric(local<double, M, M>()), local<double, N, M>());

  auto const mean = on_host(smoother.mean);
  auto const covariance = on_host(smoother.covariance);
  auto const start = on_host(x0);
  auto const first = on_host(P);
  auto const found = on_host(codes);
  Dense const f = dense(on_host(F), N, N), q = dense(on_host(Q), N, N), h = dense(on_host(H), M, N),
              r = dense(on_host(R), M, M);
  for (int k = 0; k < items; ++k) {
    std::vector<Dense> xs, ps, predicted_x, predicted_p;
    Dense x(N, 1), p(N, N);
    for (int i = 0; i < N; ++i) {
      x(i, 0) = start(k, i);
      for (int j = 0; j < N; ++j) p(i, j) = host_P0(k, i, j);
    }
    for (int t = 0; t < steps; ++t) {
      x = product(f, x), p = sum(times_itself(f, p), q, 1);
      predicted_x.push_back(x), predicted_p.push_back(p);
      Dense const s = sum(times_itself(h, p), r, 1);
      Dense const gain = product(product(p, turned(h)), inverse_of(s));
      Dense observed(M, 1);
      for (int i = 0; i < M; ++i) observed(i, 0) = host_z(k, t, i);
      x = sum(x, product(gain, sum(observed, product(h, x), -1)), 1);
      p = sum(p, times_itself(gain, s), -1);
      xs.push_back(x), ps.push_back(p);
    }
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) expect_near("then", first(k, i, j), ps[0](i, j), 1e-13);
    for (int t = steps - 1; t >= 0; --t) {
      std::size_t const now = std::size_t(t), next = now + 1;
      if (t < steps - 1) {
        Dense const gain = product(product(ps[now], turned(f)), inverse_of(predicted_p[next]));
        x = sum(xs[now], product(gain, sum(x, predicted_x[next], -1)), 1);
        p = sum(ps[now], times_itself(gain, sum(p, predicted_p[next], -1)), 1);
      }
      for (int i = 0; i < N; ++i) {
        expect_near("smoothed mean", mean(k, t, i), x(i, 0), 1e-12);
        for (int j = 0; j < N; ++j)
          expect_near("smoothed covariance", covariance(k, t, i, j), p(i, j), 1e-12);
      }
    }
    expect_near("status", found(k), 0, 0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  orders();
  smoothers();
  if (failures == 0) std::puts("all as plain loops have it");
  return failures == 0 ? 0 : 1;
}

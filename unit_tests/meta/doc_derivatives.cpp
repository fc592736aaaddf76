// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The code that docs/reference/derivatives.md shows. doc_snippets.cmake compares it with the page,
// and this program checks its results.
#include <Batchwork_Map.hpp>
#include <cmath>
#include <cstdio>

using namespace Batchwork;

namespace {

struct Observe {  // range and bearing of a target at (x, y), which moves with (u, v)
  template <class X>
  KOKKOS_FUNCTION auto operator()(X const& x) const {
    auto z = zero<2>(x);
    z(0) = hypot(x(0), x(1));
    z(1) = atan2(x(1), x(0));
    return z;
  }
};
struct Linearise {
  template <class Z, class H, class X>
  KOKKOS_FUNCTION void operator()(Z& z, H& h, X const& x) const {
    auto const [value, jacobian] = value_and_jacobian(Observe{}, x);
    z = value;
    h = jacobian;  // 2 x 4
  }
};

struct Slope {  // of the pressure that van der Waals's equation gives, with respect to the volume
  template <class D, class V, class T>
  KOKKOS_FUNCTION void operator()(D& slope, V const& volume, T const& temperature) const {
    slope = derivative([&](auto const& v) { return 8 * temperature / (3 * v - 1) - 3 / square(v); },
                       volume);
  }
};

struct Descent {  // the gradient of the log-likelihood of a covariance s I + q x x' for residuals r
  template <class G, class P, class X, class R>
  KOKKOS_FUNCTION void operator()(G& g, P const& parameters, X const& x, R const& r) const {
    g = gradient(
        [&](auto const& p) {
          auto const c = cholesky(symmetric(p(0) * identity<X::rows>(x) + p(1) * outer(x, x)));
          return -0.5 * (log_det(c) + dot(r, solve(c, r)));
        },
        parameters);
  }
};

struct Sensitivity {  // the inverse of a + t b, and how it moves with t
  template <class Y, class A>
  KOKKOS_FUNCTION void operator()(Y& y, Y& moved, A const& a, A const& b) const {
    auto const t = variable<1>(0.0);
    auto const r = inverse(a + t * b);
    y = value_of(r);
    moved = derivative_of(r, 0);  // - a^-1 b a^-1
  }
};

struct BothArguments {  // derivatives of f(x, p) with respect to both, of 2 and 1 entries
  template <class F, class G, class X, class P>
  KOKKOS_FUNCTION void operator()(F& by_x, G& by_p, X const& x, P const& p) const {
    auto const u = variables<3>(x);               // directions 0 and 1
    auto const q = variable<3>(p, 2);             // direction 2
    auto const all = derivatives_of(exp(q) * u);  // 2 x 3
    by_x = block<2, 2>(all, 0, 0);
    by_p = column(all, 2);
  }
};

int wrong = 0;
void expect_near(char const* what, double x, double want) {
  if (std::fabs(x - want) <= 1e-9 * (1 + std::fabs(want))) return;
  std::printf("%s: %g, should be %g\n", what, x, want);
  ++wrong;
}
template <class View>
auto host(View const& v) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v);
}
template <class View, class F>
void fill(View const& v, F const& f) {
  auto const h = Kokkos::create_mirror_view(v);
  f(h);
  Kokkos::deep_copy(v, h);
}

void run() {
  int const n = 7;
  Kokkos::View<double* [4]> x("x", n);
  Kokkos::View<double* [2]> z("z", n), p("p", n), g("g", n), by_p("by_p", n);
  Kokkos::View<double* [2][4]> h("h", n);
  Kokkos::View<double*> slope("slope", n), volume("volume", n), temperature("temperature", n);
  Kokkos::View<double* [2][2]> a("a", n), b("b", n), y("y", n), moved("moved", n);
  fill(x, [&](auto const& to) {
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < 4; ++i) to(k, i) = 1 + std::sin(1.0 + k + 2 * i);
  });
  fill(p, [&](auto const& to) {
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < 2; ++i) to(k, i) = 1 + 0.1 * k + i;
  });
  fill(volume, [&](auto const& to) {
    for (int k = 0; k < n; ++k) to(k) = 1 + 0.1 * k;
  });
  fill(temperature, [&](auto const& to) {
    for (int k = 0; k < n; ++k) to(k) = 0.8 + 0.1 * k;
  });
  fill(a, [&](auto const& to) {
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < 4; ++i) to(k, i / 2, i % 2) = i % 3 == 0 ? 2 + k : 1;
  });
  fill(b, [&](auto const& to) {
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < 4; ++i) to(k, i / 2, i % 2) = 1 + i * k;
  });

  map(Linearise{}, out(z), out(h), in(x));
  map(Slope{}, out(slope), in(volume), in(temperature));
  map(Descent{}, out(g), in(p), in(x), in(x));
  map(Sensitivity{}, out(y), out(moved), in(a), in(b));
  auto const hx = host(x);
  auto const hp = host(p);
  for (int k = 0; k < n; ++k) {
    double const r = std::hypot(hx(k, 0), hx(k, 1)), v = host(volume)(k), t = host(temperature)(k);
    expect_near("range", host(z)(k, 0), r);
    expect_near("of range", host(h)(k, 0, 1), hx(k, 1) / r);
    expect_near("of bearing", host(h)(k, 1, 0), -hx(k, 1) / (r * r));
    expect_near("of velocity", host(h)(k, 1, 2), 0);
    expect_near("slope", host(slope)(k), -24 * t / ((3 * v - 1) * (3 * v - 1)) + 6 / (v * v * v));
    // The covariance has the eigenvalues s, three times, and s + q x'x.
    double const s = hp(k, 0), q = hp(k, 1);
    double square = 0;
    for (int i = 0; i < 4; ++i) square += hx(k, i) * hx(k, i);
    double const e = s + q * square;
    expect_near("of s", host(g)(k, 0), -0.5 * (3 / s + 1 / e - square / (e * e)));
    expect_near("of q", host(g)(k, 1), -0.5 * (square / e - square * square / (e * e)));
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        double want = 0;
        for (int l = 0; l < 2; ++l)
          for (int m = 0; m < 2; ++m)
            want -= host(y)(k, i, l) * host(b)(k, l, m) * host(y)(k, m, j);
        expect_near("moved", host(moved)(k, i, j), want);
      }
  }
  map(BothArguments{}, out(y), out(by_p), in(p), in(volume));
  for (int k = 0; k < n; ++k) {
    double const e = std::exp(host(volume)(k));
    expect_near("by x", host(y)(k, 0, 0), e);
    expect_near("by x", host(y)(k, 0, 1), 0);
    expect_near("by p", host(by_p)(k, 1), e * hp(k, 1));
  }
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  run();
  return wrong > 0 ? 1 : 0;
}

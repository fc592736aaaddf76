// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The code that docs/reference/control.md shows. doc_snippets.cmake compares it with the page, and
// this program checks its results.
#include <Batchwork_Map.hpp>
#include <cmath>
#include <cstdio>

using namespace Batchwork;

namespace {

struct Minors {  // the leading minors of a: determinants of 1 x 1, 2 x 2, ... blocks
  template <class Y, class A>
  KOKKOS_FUNCTION void operator()(Y& minors, A const& a) const {
    auto m = zero<A::rows>(a);
    loop<A::rows>([&](auto k) { m(k) = determinant(block<k + 1, k + 1>(a, 0, 0)); });
    minors = m;
  }
};

struct Neighbours {  // the mean of the neighbours within the cutoff, the near ones weighted more
  template <class Y, class X, class N, class C>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x, N const& neighbours, C const& cutoff) const {
    auto total = zero<X::rows>(x);
    auto weights = zero(x);
    for (int k = 0; k < N::rows; ++k) {  // row k: the coordinates of neighbour k
      auto const d = column(transpose(neighbours), k) - x;
      auto const s = dot(d, d) / square(cutoff);
      auto const w = select(s < 1.0, square(1 - s), 0.0);
      total += w * d;
      weights += w;
    }
    y = x + select(weights > 0.0, total / weights, zero<X::rows>(x));
  }
};

struct Steps {  // x after so many steps x := a x
  int count;
  template <class Y, class A, class X>
  KOKKOS_FUNCTION void operator()(Y& y, A const& a, X const& x) const {
    auto v = x;
    repeat(count, [&] { v = a * v; });
    y = v;
  }
};

struct Kepler {  // the eccentric anomaly E of E - e sin E = M, by Newton's method
  template <class E, class R, class M, class C>
  KOKKOS_FUNCTION void operator()(E& anomaly, R& rounds, M const& m, C const& e) const {
    auto x = m + e * sin(m);
    auto const ended = iterate(
        20,
        [&](auto& v) {
          auto const step = (v - e * sin(v) - m) / (1 - e * cos(v));
          v -= step;
          return abs(step) > 1e-12;  // these items go on
        },
        x);
    anomaly = fail_where(ended.open, Reason::iteration_limit, x);
    rounds = ended.rounds;
  }
};

struct Newton {  // x^2 + y^2 = 4 and x y = c, from a start
  template <class V, class R, class C>
  KOKKOS_FUNCTION void operator()(V& root, R& rounds, V const& start, C const& c) const {
    auto v = 1 * start;
    auto const ended = iterate(
        30,
        [&](auto& u) {
          auto const [f, j] = value_and_jacobian(
              [&](auto const& s) {
                auto r = zero<2>(s);
                r(0) = dot(s, s) - 4;
                r(1) = s(0) * s(1) - c;
                return r;
              },
              u);
          auto const step = solve(lu(j), f);
          u = u - step;
          return max_abs(step) > 1e-12;  // false for NaN: a singular Jacobian ends the item
        },
        v);
    root = fail_where(ended.open, Reason::iteration_limit, v);
    rounds = to_integer<int>(ended.rounds);
  }
};

struct Careful {  // x of a x = b: the shortest least-squares solution where a is nearly singular
  template <class X, class A, class B>
  KOKKOS_FUNCTION void operator()(X& x, A const& a, B const& b) const {
    auto const r = qr(a);
    auto const size = abs(diagonal_of(r.r()));
    auto const poor = !(minimum(size) > 1e-8 * maximum(size));
    x = where(poor, [&] { return pivoted_qr(a).solve(b, 1e-8); }, r.solve(b));
  }
};

struct BothRoots {  // of x^2 + p x + q, where they are real; else NaN
  template <class X, class P>
  KOKKOS_FUNCTION void operator()(X& x, X& y, P const& p, P const& q) const {
    auto const d = square(p) / 4 - q;
    auto const none = Scalar(std::numeric_limits<double>::quiet_NaN());
    auto const [a, b] = where(
        d >= 0, [&] { return together(-p / 2 - sqrt(d), -p / 2 + sqrt(d)); }, together(none, none));
    x = a;
    y = b;
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
  int const n = 11;
  Kokkos::View<double* [3][3]> a("a", n);
  Kokkos::View<double* [3]> b("b", n), x("x", n), y("y", n);
  Kokkos::View<double*> m("m", n), e("e", n), anomaly("anomaly", n), rounds("rounds", n);
  fill(a, [&](auto const& h) {
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          h(k, i, j) = i == j ? 3 : k % 4 == 3 ? 3 : 1.0 / (1 + i + j + k);
  });
  fill(b, [&](auto const& h) {
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < 3; ++i) h(k, i) = 3;
  });
  fill(m, [&](auto const& h) {
    for (int k = 0; k < n; ++k) h(k) = 0.1 + 0.5 * k;
  });
  fill(e, [&](auto const& h) {
    for (int k = 0; k < n; ++k) h(k) = 0.09 * k;
  });

  map(Minors{}, out(y), in(a));
  auto const ha = host(a);
  for (int k = 0; k < n; ++k) {
    expect_near("first minor", host(y)(k, 0), ha(k, 0, 0));
    expect_near("second minor", host(y)(k, 1),
                ha(k, 0, 0) * ha(k, 1, 1) - ha(k, 0, 1) * ha(k, 1, 0));
  }
  map(Steps{2}, out(y), in(a), in(b));
  for (int k = 0; k < n; ++k) {
    double want = 0;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) want += ha(k, 0, i) * ha(k, i, j) * 3;
    expect_near("two steps", host(y)(k, 0), want);
  }
  map(Kepler{}, out(anomaly), out(rounds), in(m), in(e));
  double least = 99, most = 0;
  for (int k = 0; k < n; ++k) {
    double const at = host(anomaly)(k);
    expect_near("Kepler", at - host(e)(k) * std::sin(at), host(m)(k));
    least = std::fmin(least, host(rounds)(k)), most = std::fmax(most, host(rounds)(k));
  }
  if (!(least < most && most < 20)) std::printf("rounds %g to %g\n", least, most), ++wrong;
  map(Careful{}, out(x), in(a), in(b));
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < 3; ++i) {
      double sum = 0;
      for (int j = 0; j < 3; ++j) sum += ha(k, i, j) * host(x)(k, j);
      expect_near("careful", sum, 3);
      if (k % 4 == 3) expect_near("shortest", host(x)(k, i), 1.0 / 3);
    }
  map(BothRoots{}, out(anomaly), out(rounds), in(m), in(e));
  for (int k = 0; k < n; ++k) {
    double const p = host(m)(k), q = host(e)(k), r = host(anomaly)(k);
    if (p * p / 4 - q >= 0) expect_near("root", r * r + p * r + q, 0);
    else if (!std::isnan(r)) std::printf("a root that is none\n"), ++wrong;
  }

  Kokkos::View<double* [2]> start("start", n), root("root", n);
  Kokkos::View<int*> count("count", n), codes("codes", n);
  fill(start, [&](auto const& h) {
    for (int k = 0; k < n; ++k) h(k, 0) = k == 4 ? 1 : 2, h(k, 1) = k == 4 ? 1 : 0.1 * k;
  });
  Kokkos::deep_copy(m, 1.0);
  map(Newton{}, out(root), out(count), in(start), in(m), status(codes));
  for (int k = 0; k < n; ++k) {
    double const u = host(root)(k, 0), v = host(root)(k, 1);
    if (k == 4) {
      if (Status::reason(host(codes)(k)) != Reason::singular || std::isfinite(u))
        std::printf("a Jacobian that is not singular\n"), ++wrong;
      continue;
    }
    expect_near("circle", u * u + v * v, 4);
    expect_near("product", u * v, 1);
    if (host(codes)(k) != 0 || host(count)(k) < 3 || host(count)(k) > 10)
      std::printf("code %d after %d rounds\n", host(codes)(k), host(count)(k)), ++wrong;
  }

  Kokkos::View<double* [8][3]> neighbours("neighbours", n);
  fill(neighbours, [&](auto const& h) {
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 3; ++j) h(k, i, j) = 3 + (i < 2 ? 0.5 - 0.1 * i * j : 9);
  });
  map(Neighbours{}, out(y), in(b), in(neighbours), common(fixed(2.0)));
  for (int k = 0; k < n; ++k) {
    double weights = 0, total = 0;
    for (int i = 0; i < 2; ++i) {
      double squares = 0;
      for (int j = 0; j < 3; ++j) squares += std::pow(0.5 - 0.1 * i * j, 2);
      double const weight = std::pow(1 - squares / 4, 2);
      weights += weight, total += weight * (0.5 - 0.1 * i * 2);
    }
    expect_near("neighbours", host(y)(k, 2), 3 + total / weights);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  run();
  return wrong > 0 ? 1 : 0;
}

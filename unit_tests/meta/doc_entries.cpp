// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The code that docs/reference/entries.md shows. This program runs each sequence on several items
// and checks the results of one of them.
#include <Batchwork_Map.hpp>
#include <array>
#include <cmath>
#include <cstdio>

using namespace Batchwork;

namespace {

/// The transition matrix and noise of a car that turns.
struct Turn {
  template <class F, class Q, class X, class Dt>
  KOKKOS_FUNCTION void operator()(F& f, Q& q, X const& x, Dt const& dt) const {
    f = identity<3>(x);
    f(0, 1) = dt;
    f(1, 2) = -x(0) * dt;
    f(2, 2) *= 0.5;

    q = zero<3, 3>(x);  // q is Symmetric, by its operand: q(0, 1) and q(1, 0) are one entry
    q(0, 1) = dt * dt / 2;
    q(2, 2) += 1;
  }
};

struct Shift {
  template <class V>
  KOKKOS_FUNCTION void operator()(V& v) const {
    auto const first = v(0);  // a copy: it keeps its value
    v(0) = v(1);
    v(1) = first;
  }
};

struct Length {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    auto squares = zero(x);
    for (int i = 0; i < X::rows; ++i) squares += x(i) * x(i);
    y = sqrt(squares);
  }
};

struct WeightedSquares {  // sum of w_k p_k p_k' over the rows p_k of points
  template <class M, class P, class W>
  KOKKOS_FUNCTION void operator()(M& result, P const& points, W const& w) const {
    auto m = symmetric(zero<4, 4>(w));
    for (int k = 0; k < P::rows; ++k) {
      auto const p = column(transpose(points), k);  // row k as a vector
      m += symmetric(w(k) * outer(p, p));
    }
    result = m;
  }
};

struct Statistics {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    constexpr int N = X::rows;
    auto const mean = sum(x) / N;
    auto const centred = x - mean * ones<N>(x);
    y(0) = mean;
    y(1) = dot(centred, centred) / (N - 1);
    y(2) = maximum(x) - minimum(x);
    y(3) = maximum_index(x);
  }
};

struct Normalise {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    auto const usable = all_of(x, [](auto const& e) { return e > 0.0; });
    auto const ordered = all_of(x, y, [](auto const& e, auto const& f) { return e >= f; });
    y = select(usable && ordered, x / sum(x), zero<X::rows>(x));
  }
};

struct Stiffness {
  template <class K, class L, class X, class E>
  KOKKOS_FUNCTION void operator()(K& k, L& l, X const& x, E const& e) const {
    k = generate_symmetric<3>([&](int i, int j) { return e / (1 + i + j) + x(i) * x(j); });
    l = generate_lower<3>([&](int i, int j) { return i == j ? x(i) : 0.5 * x(j); });
  }
};

struct Augment {
  template <class Y, class A, class B, class C>
  KOKKOS_FUNCTION void operator()(Y& y, A const& a, B const& b, C const& c) const {
    y = stack(beside(a, b), beside(transpose(b), constant<1, 1>(c)));  // [a b; b' c]
  }
};

struct Homogeneous {
  template <class Y, class D>
  KOKKOS_FUNCTION void operator()(Y& y, D const& d) const {
    y = stack(ones<1>(d), d);  // (1, d)
  }
};

struct Weight {
  template <class W, class R>
  KOKKOS_FUNCTION void operator()(W& w, R const& r) const {
    auto const outlier = abs(r) > 3;
    w = Batchwork::select(outlier, 0.0, 1.0) * max(1 - r * r / 9, 0);
  }
};

struct Rotate {
  template <class Y, class A, class V, class X>
  KOKKOS_FUNCTION void operator()(Y& y, A const& a, V const& v, X const& x) const {
    y = a * x + v;
  }
};

using Exec = Kokkos::DefaultExecutionSpace;
constexpr int items = 11;

template <class Data>
using Batch = Kokkos::View<Data, Exec>;

int failures = 0;
template <class View, class... I>
void expect(char const* what, double want, View const& view, I... i) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  double const got = host(items - 1, i...);
  if (!(std::fabs(got - want) < 1e-12)) {
    std::printf("%s: %g, should be %g\n", what, got, want);
    ++failures;
  }
}
/// 1, 2, 3, ... for each item.
template <class Data>
Batch<Data> counted() {
  Batch<Data> v("counted", items);
  auto const host = Kokkos::create_mirror_view(v);
  int const count = int(host.size()) / items;
  for (int n = 0; n < items; ++n)
    for (int k = 0; k < count; ++k) {
      if constexpr (Batch<Data>::rank() == 1) host(n) = k + 1;
      else if constexpr (Batch<Data>::rank() == 2) host(n, k) = k + 1;
      else host(n, k / int(host.extent(2)), k % int(host.extent(2))) = k + 1;
    }
  Kokkos::deep_copy(v, host);
  return v;
}

void run() {
  Exec const exec;
  auto const x = counted<double* [3]>();
  auto const scalar = counted<double*>();
  Batch<double* [3][3]> f("f", items), q("q", items);
  map(exec, Turn{}, out(f), out(symmetric(q)), in(x), in(scalar));
  expect("f(1, 2)", -1, f, 1, 2);
  expect("f(2, 2)", 0.5, f, 2, 2);
  expect("q(1, 0)", 0.5, q, 1, 0);
  expect("q(2, 2)", 1, q, 2, 2);

  auto const v = counted<double* [2]>();
  map(exec, Shift{}, inout(v));
  expect("v(0)", 2, v, 0);
  expect("v(1)", 1, v, 1);

  Batch<double*> y("y", items);
  map(exec, Length{}, out(y), in(x));
  expect("length", std::sqrt(14.0), y);

  Batch<double* [4]> statistics("statistics", items);
  map(exec, Statistics{}, out(statistics), in(x));
  expect("mean", 2, statistics, 0);
  expect("variance", 1, statistics, 1);
  expect("range", 2, statistics, 2);
  expect("where", 2, statistics, 3);

  Batch<double* [3]> normal("normal", items);
  map(exec, Normalise{}, inout(normal), in(x));
  expect("part", 0.5, normal, 2);

  map(exec, Stiffness{}, out(symmetric(f)), out(lower(q)), in(x), in(scalar));
  expect("k(0, 2)", 1.0 / 3 + 3, f, 0, 2);
  expect("l(2, 1)", 1, q, 2, 1);
  expect("l(1, 2)", 0, q, 1, 2);

  Batch<double* [3][3]> bordered("bordered", items);
  map(exec, Augment{}, out(bordered), in(counted<double* [2][2]>()), in(counted<double* [2]>()),
      in(scalar));
  expect("bordered(0, 2)", 1, bordered, 0, 2);
  expect("bordered(2, 1)", 2, bordered, 2, 1);
  expect("bordered(2, 2)", 1, bordered, 2, 2);

  Batch<double* [4][4]> squares("squares", items);
  map(exec, WeightedSquares{}, out(symmetric(squares)), in(counted<double* [2][4]>()),
      in(counted<double* [2]>()));
  expect("squares(0, 3)", 1 * 1 * 4 + 2 * 5 * 8, squares, 0, 3);
  expect("squares(2, 1)", 1 * 3 * 2 + 2 * 7 * 6, squares, 2, 1);

  Batch<double* [4]> homogeneous("homogeneous", items);
  map(exec, Homogeneous{}, out(homogeneous), in(x));
  expect("homogeneous(0)", 1, homogeneous, 0);
  expect("homogeneous(3)", 3, homogeneous, 3);

  map(exec, Weight{}, out(y), in(scalar));
  expect("weight", 8.0 / 9, y);

  Batch<double* [2]> turned("turned", items);
  auto const points = counted<double* [2]>();
  double const rotation[2][2] = {{0, -1}, {1, 0}};
  std::array<double, 2> const offset{10, 20};
  map(exec, Rotate{}, out(turned), common(fixed(rotation)), common(fixed(offset)), in(points));
  expect("turned(0)", 8, turned, 0);
  expect("turned(1)", 21, turned, 1);
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const guard(argc, argv);
  run();
  return failures;
}

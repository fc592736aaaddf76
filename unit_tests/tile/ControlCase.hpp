// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Loops whose number of rounds differs between items, for test_control.cpp and, in device kernels,
/// test_dual_lanes.cpp.
#ifndef BATCHWORK_TEST_CONTROLCASE_HPP
#define BATCHWORK_TEST_CONTROLCASE_HPP

#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {

/// Halves x until it is below one, and doubles tiles of every kind in each round. An additional
/// round would mark the item.
struct Halve {
  int most;
  template <class Y, class R, class O, class M, class A, class X>
  KOKKOS_FUNCTION void operator()(Y& y, R& rounds, O& open, M& m_out, M& s_out, M& l_out, M& d_out,
                                  A const& a, X const& x) const {
    auto left = 1 * x;
    auto m = 1 * a;
    auto v = column(a, 0);
    auto s = symmetric(a);
    Lower<value_t<A>, A::rows> l(a);
    auto d = as_diagonal(diagonal_of(a));
    auto const ended = iterate(
        most,
        [](auto& left_, auto& m_, auto& s_, auto& l_, auto& d_, auto& v_) {
          left_ = left_ / 2;
          m_ = 2 * m_;
          s_ += s_;
          l_ = l_ + l_;
          d_ = 2 * d_;
          v_ = fail_where(left_ < 0.3f, Reason::breakdown, 2 * v_);
          return left_ >= 1;
        },
        left, m, s, l, d, v);
    y = generate<2>([&](int i) { return i == 0 ? left : element(v, A::rows - 1); });
    rounds = ended.rounds;
    open = select(ended.open, 0 * ended.rounds + 1, 0 * ended.rounds);
    m_out = m, s_out = s * identity<A::rows>(a), l_out = l, d_out = d;
  }
};

template <class T, class Layout, int N, class Run>
void expect_halves(std::int64_t n, int most, Run const& run) {
  Random random(3);
  BatchIn<T, Layout, N, N> a(n), m(n), s(n), l(n), d(n);
  BatchIn<T, Layout> x(n), rounds(n), open(n);
  BatchIn<T, Layout, 2> y(n);
  BatchIn<int, Left> codes(n);
  a.fill_exactly(random);
  auto const needed = [](std::int64_t k) { return k % 9 == 8 ? 1 : int(k % 9) + 1; };
  for (std::int64_t k = 0; k < n; ++k)
    x.at(k) = k % 9 == 8 ? std::numeric_limits<T>::quiet_NaN() : T(std::ldexp(1.0, int(k % 9)));
  x.upload();
  run(Halve{most}, out(y.view()), out(rounds.view()), out(open.view()), out(m.view()),
      out(s.view()), out(l.view()), out(d.view()), in(a.const_view()), in(x.const_view()),
      status(codes.view()));
  y.download(), rounds.download(), open.download(), codes.download();
  m.download(), s.download(), l.download(), d.download();
  for (std::int64_t k = 0; k < n; ++k) {
    SCOPED_TRACE("item " + std::to_string(k));
    int const r = std::min(most, needed(k));
    EXPECT_EQ(rounds.at(k), T(r));
    EXPECT_EQ(open.at(k), T(most < needed(k) ? 1 : 0));
    Dense const want = std::ldexp(1.0L, r) * a.dense(k);
    EXPECT_TRUE(equal(m.dense(k), want));
    EXPECT_TRUE(equal(s.dense(k), mirrored(want)));
    EXPECT_TRUE(equal(l.dense(k), lower_triangle(want)));
    EXPECT_TRUE(equal(d.dense(k), diagonal_part(want)));
    EXPECT_EQ(y.at(k, 1), T(want(N - 1, 0)));
    if (k % 9 == 8) {
      EXPECT_TRUE(std::isnan(y.at(k, 0)));
      EXPECT_EQ(Status::reason(codes.at(k)), Reason::not_finite);
    } else {
      EXPECT_EQ(y.at(k, 0), std::ldexp(x.at(k), -r));
      EXPECT_EQ(codes.at(k), 0);
    }
  }
}

/// Intersections of a circle and a hyperbola, by Newton's method.
struct Intersect {
  double small;
  template <class Y, class R, class P>
  KOKKOS_FUNCTION void operator()(Y& y, R& rounds, P const& p) const {
    auto const radius = element(p, 0), product = element(p, 1);
    auto v = generate<2>([&](int i) { return i == 0 ? radius : product / radius; });
    auto const ended = iterate(
        30,
        [&](auto& z) {
          auto const [f, j] = value_and_jacobian(
              [&](auto const& u) {
                auto const a = element(u, 0), b = element(u, 1);
                return generate<2>([&](int i) {
                  return i == 0 ? a * a + b * b - radius * radius : a * b - product;
                });
              },
              z);
          auto const step = solve(j, f);
          z = z - step;
          return norm2(step) > small * norm2(z);
        },
        v);
    y = fail_where(ended.open, Reason::iteration_limit, v);
    rounds = ended.rounds;
  }
};

/// Every item must be correct, and bitwise the same as if it were alone. Item 3 and similar ones
/// have no intersection, and item 5 and similar ones have a singular start.
template <class T, class Layout, class Run>
void expect_intersections(std::int64_t n, Run const& run) {
  Random random(4);
  Intersect const intersect{sizeof(T) == 4 ? 1e-4 : 1e-6};
  BatchIn<T, Layout, 2> p(n), y(n);
  BatchIn<T, Layout> rounds(n);
  BatchIn<int, Left> codes(n);
  for (std::int64_t k = 0; k < n; ++k) {
    T const radius = T(random(1, 3));
    p.at(k, 0) = radius;
    // Near a half of the square both roots are close together, which takes more rounds.
    p.at(k, 1) = k % 8 == 3   ? radius * radius
                 : k % 8 == 5 ? radius * radius
                              : radius * radius * T(0.5) * (1 - T(std::pow(0.1, int(k % 4))));
    if (k % 8 == 5) p.at(k, 0) = p.at(k, 1) = 0;
  }
  p.upload();
  run(intersect, out(y.view()), out(rounds.view()), in(p.const_view()), status(codes.view()));
  y.download(), rounds.download(), codes.download();
  BatchIn<T, Layout, 2> p1(1), y1(1);
  BatchIn<T, Layout> rounds1(1);
  BatchIn<int, Left> codes1(1);
  T least = 99, most = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    SCOPED_TRACE("item " + std::to_string(k));
    p1.at(0, 0) = p.at(k, 0), p1.at(0, 1) = p.at(k, 1);
    p1.upload();
    run(intersect, out(y1.view()), out(rounds1.view()), in(p1.const_view()), status(codes1.view()));
    y1.download(), rounds1.download(), codes1.download();
    EXPECT_EQ(codes.at(k), codes1.at(0));
    EXPECT_EQ(rounds.at(k), rounds1.at(0));
    EXPECT_TRUE(same_bits(y.at(k, 0), y1.at(0, 0)) && same_bits(y.at(k, 1), y1.at(0, 1)));
    if (k % 8 == 3) continue;
    if (k % 8 == 5) {
      EXPECT_NE(codes.at(k), 0);
      continue;
    }
    long double const a = y.at(k, 0), b = y.at(k, 1), r2 = std::pow(p.at(k, 0), 2.0L);
    EXPECT_EQ(codes.at(k), 0);
    // The last step leaves the square of the error.
    long double const bound =
        (16 * epsilon<T> + 2 * static_cast<long double>(intersect.small * intersect.small)) * r2;
    EXPECT_LE(std::fabs(a * a + b * b - r2), bound);
    EXPECT_LE(std::fabs(a * b - p.at(k, 1)), bound);
    least = std::min(least, rounds.at(k)), most = std::max(most, rounds.at(k));
  }
  EXPECT_LT(least + 1, most);
}

/// Computes a root only for items where it is requested; a negative number would mark the item.
struct RootWhere {
  template <class Y, class Z, class X>
  KOKKOS_FUNCTION void operator()(Y& y, Z& z, X const& x) const {
    auto const mask = x >= 1;
    auto const roots = [&] {
      auto const r = sqrt(x);
      return fail_where(!(x >= 1), Reason::breakdown, r);
    };
    auto const v = generate<2>([&](int i) { return x + i; });
    auto const [a, b] = where(mask, [&] { return together(roots(), roots() * v); }, together(0, v));
    y = a;
    z = where(mask, [&] { return roots() * b; }, b);
  }
};
template <class T, class Layout, class Run>
void expect_where(std::int64_t n, Run const& run) {
  BatchIn<T, Layout> x(n), y(n);
  BatchIn<T, Layout, 2> z(n);
  BatchIn<int, Left> codes(n);
  // Also packs in which no item and all items are selected.
  for (std::int64_t k = 0; k < n; ++k) x.at(k) = k < 16 ? T(-2) : k < 32 ? T(4) : T(k % 3 * 4 - 3);
  x.upload();
  run(RootWhere{}, out(y.view()), out(z.view()), in(x.const_view()), status(codes.view()));
  y.download(), z.download(), codes.download();
  for (std::int64_t k = 0; k < n; ++k) {
    T const r = x.at(k) >= 1 ? std::sqrt(x.at(k)) : T(0), f = x.at(k) >= 1 ? r * r : T(1);
    EXPECT_EQ(codes.at(k), 0);
    EXPECT_EQ(y.at(k), r);
    for (int i = 0; i < 2; ++i)
      EXPECT_LE(std::fabs(z.at(k, i) - f * (x.at(k) + T(i))), 8 * epsilon<T> * 30);
  }
}

}  // namespace Batchwork::Test

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Sequences over integers, bools and tables, and checks of their results. A test gives run(items,
/// sequence, operands...), which runs the sequence.
#ifndef BATCHWORK_TEST_INTEGERSCASE_HPP
#define BATCHWORK_TEST_INTEGERSCASE_HPP

#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {

// ---- arithmetic ---------------------------------------------------------------------------------

using Wide = __int128;

/// The lowest bits of a whole number, computed by division.
template <class I>
I wrapped(Wide x) {
  Wide const range = Wide(1) << (8 * sizeof(I));
  x %= range;
  if (x < 0) x += range;
  return static_cast<I>(x >= range / 2 ? x - range : x);
}

inline constexpr int operations_on_integers = 14;

struct Arithmetic {
  template <class Y, class A, class B>
  KOKKOS_FUNCTION void operator()(Y& y, A const& a, B const& b) const {
    auto const sum = a + b;
    std::remove_const_t<decltype(sum)> r[operations_on_integers] = {
        sum,   a - b, a * b, a / b, a % b,  -a,     abs(a),
        a & b, a | b, a ^ b, ~a,    a << 3, a >> 3, select(a < b, a, 7)};
    r[7] += min(a, b) - min(a, b);
    r[8] -= max(a, 0) - max(0, a);
    y = generate<operations_on_integers>([&](int i) { return r[i]; });
  }
};
template <class I>
std::vector<I> results_of(I a, I b) {
  Wide const x = a, y = b;
  auto const floor8 = [](Wide v) { return (v - ((v % 8) + 8) % 8) / 8; };
  std::vector<Wide> const r = {
      x + y,  x - y,          x * y,       y == 0 ? 0 : x / y, y == 0 ? 0 : x % y,
      -x,     x < 0 ? -x : x, Wide(a & b), Wide(a | b),        Wide(a ^ b),
      -x - 1, x * 8,          floor8(x),   x < y ? x : 7};
  std::vector<I> wrap;
  for (Wide const v : r) wrap.push_back(wrapped<I>(v));
  return wrap;
}
/// Both sides are computed, and the one that is not chosen is no failure.
struct GuardedQuotient {
  template <class Y, class A, class B>
  KOKKOS_FUNCTION void operator()(Y& y, A const& a, B const& b) const {
    y = select(b != 0, a / b, -1) + select(b == 0, a, a % b);
  }
};

/// n numbers. The first hundred are all pairs of ten numbers: zero, and numbers at and near the
/// ends of the range.
template <class I, class Layout, class Run>
void expect_arithmetic(std::int64_t n, Run const& run) {
  SCOPED_TRACE("integers of " + std::to_string(sizeof(I)) + " bytes, " + std::to_string(n));
  constexpr I low = std::numeric_limits<I>::min(), high = std::numeric_limits<I>::max();
  I const ends[] = {0, -1, low, high, 1, -7, 7, low + 1, high - 1, high / 3};
  Random random(5);
  BatchIn<I, Layout> a(n), b(n), q(n);
  BatchIn<I, Layout, operations_on_integers> y(n);
  BatchIn<int, Left> codes(n);
  for (std::int64_t k = 0; k < n; ++k) {
    bool const near_end = k < 100;
    a.at(k) = near_end ? ends[k % 10] : I(random(-1e6, 1e6));
    b.at(k) = near_end ? ends[k / 10] : I(random(-9, 9));
  }
  a.upload(), b.upload();
  run(n, Arithmetic{}, out(y.view()), in(a.const_view()), in(b.view()), status(codes.view()));
  y.download(), codes.download();
  for (std::int64_t k = 0; k < n; ++k) {
    SCOPED_TRACE(std::to_string(a.at(k)) + " and " + std::to_string(b.at(k)));
    auto const want = results_of(a.at(k), b.at(k));
    for (int i = 0; i < operations_on_integers; ++i)
      EXPECT_EQ(y.at(k, i), want[std::size_t(i)]) << "operation " << i;
    EXPECT_EQ(codes.at(k), b.at(k) == 0 ? Status::code(Reason::division_by_zero, 0) : 0);
  }
  run(n, GuardedQuotient{}, out(q.view()), in(a.view()), in(b.view()), status(codes.view()));
  q.download(), codes.download();
  for (std::int64_t k = 0; k < n; ++k) {
    Wide const x = a.at(k), z = b.at(k);
    EXPECT_EQ(q.at(k), wrapped<I>(z == 0 ? x - 1 : x / z + x % z));
    EXPECT_EQ(codes.at(k), 0);
  }
  EXPECT_EQ(q.poisoned(), q.outside());
}

// ---- beside real numbers ------------------------------------------------------------------------

/// k of 32 and l of 64 bits.
struct Mixed {
  template <class Y, class Z, class M, class W, class X, class K, class L>
  KOKKOS_FUNCTION void operator()(Y& y, Z& z, M& m, W& w, X const& x, K const& k,
                                  L const& l) const {
    auto const smaller = k < l, positive = x > 0;
    y = select(smaller && positive, x * k, x + l / 2) + as<scalar_t<decltype(x.value)>>(k % 3);
    z = select(positive || k == 3, k, l) + k;
    m = !smaller || (positive && x * 4 < l);
    w = select(positive, 2 * k, 0) + to_integer<std::int32_t>(3 * x);
    y = fail_where(k > 20, Reason::breakdown, y);
    z = fail_where(x > 4, Reason::diverged, z);
  }
};
template <class T, class Layout, class Run>
void expect_mixed(std::int64_t n, Run const& run) {
  Random random(6);
  BatchIn<T, Layout> x(n), y(n);
  BatchIn<std::int32_t, Layout> k(n), w(n);
  BatchIn<std::int64_t, Layout> l(n), z(n);
  BatchIn<bool, Left> m(n);
  BatchIn<std::int64_t, Left> codes(n);
  for (std::int64_t q = 0; q < n; ++q) {
    x.at(q) = static_cast<T>(random.integer(-20, 20)) / 4;
    k.at(q) = random.integer(-25, 25);
    l.at(q) = random.integer(-9, 9);
  }
  x.upload(), k.upload(), l.upload();
  run(n, Mixed{}, out(y.view()), out(z.view()), out(m.view()), out(w.view()), in(x.view()),
      in(k.view()), in(l.view()), status(codes.view()));
  y.download(), z.download(), m.download(), w.download(), codes.download();
  for (std::int64_t q = 0; q < n; ++q) {
    SCOPED_TRACE("item " + std::to_string(q) + " of " + std::to_string(n));
    double const xq = double(x.at(q));
    std::int64_t const kq = k.at(q), lq = l.at(q);
    bool const smaller = kq < lq, positive = xq > 0;
    EXPECT_EQ(double(y.at(q)),
              (smaller && positive ? xq * double(kq) : xq + double(lq / 2)) + double(kq % 3));
    EXPECT_EQ(z.at(q), (positive || kq == 3 ? kq : lq) + kq);
    EXPECT_EQ(m.at(q), !smaller || (positive && xq * 4 < double(lq)));
    EXPECT_EQ(w.at(q), (positive ? 2 * kq : 0) + std::int64_t(3 * xq));
    EXPECT_EQ(Status::reason(codes.at(q)), kq > 20  ? Reason::breakdown
                                           : xq > 4 ? Reason::diverged
                                                    : Reason::success);
  }
}

/// Values outside the range of an integer.
struct Conversions {
  template <class K, class L, class X>
  KOKKOS_FUNCTION void operator()(K& k, L& l, X const& x) const {
    k = to_integer<std::int32_t>(x);
    l = to_integer<std::int64_t>(x);
    k = max(k, to_integer<std::int32_t>(l));
  }
};
template <class T, class Layout, class Run>
void expect_conversions(Run const& run) {
  T const two31 = T(2147483648.0), two63 = T(9223372036854775808.0),
          infinity = std::numeric_limits<T>::infinity();
  std::vector<T> const numbers = {0,
                                  T(-0.0),
                                  T(2.75),
                                  T(-2.75),
                                  two31,
                                  -two31,
                                  std::nextafter(two31, T(0)),
                                  std::nextafter(-two31, T(0)),
                                  std::nextafter(-two31, -infinity),
                                  two63,
                                  -two63,
                                  std::nextafter(two63, T(0)),
                                  std::nextafter(-two63, -infinity),
                                  infinity,
                                  -infinity,
                                  std::numeric_limits<T>::quiet_NaN(),
                                  std::numeric_limits<T>::denorm_min()};
  auto const n = std::int64_t(numbers.size());
  BatchIn<T, Layout> x(n);
  BatchIn<std::int32_t, Layout> k(n);
  BatchIn<std::int64_t, Layout> l(n);
  BatchIn<int, Left> codes(n);
  for (std::int64_t q = 0; q < n; ++q) x.at(q) = numbers[std::size_t(q)];
  x.upload();
  run(n, Conversions{}, out(k.view()), out(l.view()), in(x.view()), status(codes.view()));
  k.download(), l.download(), codes.download();
  auto const clamped = [](long double v, long double least, long double most) {
    return std::isnan(v) ? 0.0L : std::min(std::max(std::trunc(v), least), most);
  };
  for (std::int64_t q = 0; q < n; ++q) {
    long double const v = numbers[std::size_t(q)];
    SCOPED_TRACE(std::to_string(double(v)));
    EXPECT_EQ(k.at(q), std::int32_t(clamped(v, -2147483648.0L, 2147483647.0L)));
    EXPECT_EQ(l.at(q), std::int64_t(clamped(v, -9223372036854775808.0L, 9223372036854775807.0L)));
    bool const fits = std::trunc(v) >= -2147483648.0L && std::trunc(v) <= 2147483647.0L;
    EXPECT_EQ(codes.at(q), fits ? 0 : Status::code(Reason::out_of_range, 0));
  }
}

// ---- tiles and bools ----------------------------------------------------------------------------

/// Corners of an element, a matrix of integers, and flags.
struct Corners {
  template <class Y, class M, class P, class F, class G, class C, class A, class B, class N>
  KOKKOS_FUNCTION void operator()(Y& y, M& m, P& p, F& f, G& g, C const& c, A const& a, B const& b,
                                  N const& n) const {
    y = generate<8>([&](int i) { return element(c, 7 - i) + n * element(a, 1, 2); });
    m = m + m - a;
    p = select(f, m * block<3>(c, 2), 2 * block<2>(c, 0));
    g = f;
    f = (f && b) || element(c, 0) > 0;
  }
};
template <class I, class Layout, class Run>
void expect_corners(std::int64_t n, Run const& run) {
  Random random(8);
  BatchIn<I, Layout, 8> c(n), y(n);
  BatchIn<I, Layout, 2> p(n);
  BatchIn<I, Layout, 2, 3> m(n);
  BatchIn<bool, Layout> f(n), g(n);
  c.fill_exactly(random, 1000), m.fill_exactly(random, 1000);
  CommonIn<I, Kokkos::LayoutLeft, 2, 3> const a(
      make_dense(2, 3, [](int i, int j) { return 10 * i + j; }));
  for (std::int64_t k = 0; k < n; ++k) f.at(k) = k % 3 != 0;
  f.upload();
  std::vector<Dense> m0;
  for (std::int64_t k = 0; k < n; ++k) m0.push_back(m.dense(k));
  for (bool b : {false, true}) {
    run(n, Corners{}, out(y.view()), inout(m.view()), out(p.view()), inout(f.view()), out(g.view()),
        in(c.const_view()), common(a.view), common(fixed(b)), common(fixed(3)));
    y.download(), m.download(), p.download(), f.download(), g.download();
    for (std::int64_t k = 0; k < n; ++k) {
      SCOPED_TRACE("item " + std::to_string(k) + " of " + std::to_string(n));
      auto& mk = m0[std::size_t(k)];
      mk = mk + mk - a.dense();
      for (int i = 0; i < 8; ++i) EXPECT_EQ(y.at(k, i), c.at(k, 7 - i) + 36);
      EXPECT_TRUE(equal(m.dense(k), mk));
      // f is as the first run left it, or as it began.
      bool const began = k % 3 != 0;
      EXPECT_EQ(g.at(k), b ? c.at(k, 0) > 0 : began);
      Dense const ck = c.dense(k);
      for (int i = 0; i < 2; ++i) {
        long double product = 0;
        for (int j = 0; j < 3; ++j) product += mk(i, j) * ck(2 + j);
        EXPECT_EQ(p.at(k, i), I(g.at(k) ? product : 2 * ck(i)));
      }
      EXPECT_EQ(f.at(k), (b && g.at(k)) || c.at(k, 0) > 0);
    }
  }
  EXPECT_EQ(y.poisoned(), y.outside());
  EXPECT_EQ(m.poisoned(), m.outside());
}

// ---- tables -------------------------------------------------------------------------------------

/// Numbers, vectors, matrices and a table with two indices.
struct LookUps {
  template <class Y, class X, class Z, class S, class K, class A, class V, class M, class T,
            class N>
  KOKKOS_FUNCTION void operator()(Y& y, X& x, Z& z, S& s, K const& k, A const& a, V const& v,
                                  M const& m, T const& t, N const& n) const {
    y = a(k);
    x = v(k) * 2.0;
    z = m(k / 2);
    s = t(k % 3, n % 2) + a(0);
  }
};
template <class T, class I, class Layout, class Run>
void expect_look_ups(std::int64_t n, Run const& run) {
  constexpr int rows = 10;
  BatchIn<I, Layout> k(n);
  BatchIn<T, Layout> y(n), s(n);
  BatchIn<T, Layout, 3> x(n);
  BatchIn<T, Layout, 2, 3> z(n);
  BatchIn<int, Left> codes(n);
  // Tables are parts of larger ones. No item may read the other numbers.
  Kokkos::View<T*, Space> const all_a("a", rows + 2);
  Kokkos::View<T* [3], Kokkos::LayoutLeft, Space> const v("v", rows);
  Kokkos::View<T* [2][3], Kokkos::LayoutRight, Space> const m("m", rows / 2);
  Kokkos::View<T**, Space> const t("t", 3, 2);
  auto const put = [](auto const& view, T first) {
    auto const host = Kokkos::create_mirror(Kokkos::HostSpace(), view);
    for (std::size_t q = 0; q < host.span(); ++q) host.data()[q] = first + T(q);
    Kokkos::deep_copy(view, host);
    return host;
  };
  auto const ha = put(all_a, 100);
  auto const hv = put(v, 200);
  auto const hm = put(m, 300);
  auto const ht = put(t, 400);
  auto const a = Kokkos::subview(all_a, Kokkos::pair<std::size_t, std::size_t>(1, rows + 1));
  auto const fill = [&](bool with_bad) {
    for (std::int64_t q = 0; q < n; ++q) k.at(q) = I(q * 7 % rows);
    if (with_bad) {
      I const bad[] = {I(-1), I(rows), std::numeric_limits<I>::max(),
                       std::numeric_limits<I>::min()};
      for (int b = 0; b < 4; ++b)
        if (5 * b + 2 < n) k.at(5 * b + 2) = bad[b];
      if (n > 0) k.at(n - 1) = I(rows);
    }
    k.upload();
  };
  auto const look_up = [&] {
    run(n, LookUps{}, out(y.view()), out(x.view()), out(z.view()), out(s.view()), in(k.view()),
        table(a), common(table(v)), table(m), table(t), item_index(), status(codes.view()));
    y.download(), x.download(), z.download(), s.download(), codes.download();
  };
  auto const expect_item = [&](std::int64_t q) {
    auto const kq = std::size_t(k.at(q));
    EXPECT_EQ(codes.at(q), 0);
    EXPECT_EQ(y.at(q), ha(kq + 1));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(x.at(q, i), 2 * hv(kq, std::size_t(i)));
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 3; ++j)
        EXPECT_EQ(z.at(q, i, j), hm(kq / 2, std::size_t(i), std::size_t(j)));
    EXPECT_EQ(s.at(q), ht(kq % 3, std::size_t(q % 2)) + ha(1));
  };
  fill(false);
  look_up();
  for (std::int64_t q = 0; q < n; ++q) {
    SCOPED_TRACE("item " + std::to_string(q) + " of " + std::to_string(n));
    expect_item(q);
  }
  fill(true);
  look_up();
  for (std::int64_t q = 0; q < n; ++q) {
    SCOPED_TRACE("item " + std::to_string(q) + " of " + std::to_string(n));
    if (k.at(q) >= 0 && k.at(q) < rows) {
      expect_item(q);
    } else {
      EXPECT_EQ(codes.at(q), Status::code(Reason::out_of_range, 0));
      EXPECT_TRUE(std::isnan(y.at(q)) && std::isnan(x.at(q, 2)));
    }
  }
  EXPECT_EQ(y.poisoned(), y.outside());
}

/// Integers in a table with a common index, and a table without numbers.
struct WholeLookUps {
  template <class Y, class X, class K, class A, class B>
  KOKKOS_FUNCTION void operator()(Y& y, X& x, K const& k, A const& a, B const& b) const {
    y = a(k) + a(1);
    x = b(k);
  }
};
template <class I, class Run>
void expect_whole_look_ups(std::int64_t n, Run const& run) {
  BatchIn<I, Left> k(n), y(n);
  BatchIn<double, Left> x(n);
  BatchIn<int, Left> codes(n);
  Kokkos::View<std::int32_t*, Space> const a("a", 3);
  Kokkos::View<double*, Space> const none("none", 0);
  Kokkos::deep_copy(a, 5);
  for (std::int64_t q = 0; q < n; ++q) k.at(q) = I(q % 4);
  k.upload();
  run(n, WholeLookUps{}, out(y.view()), out(x.view()), in(k.view()), table(a), table(none),
      status(codes.view()));
  y.download(), x.download(), codes.download();
  for (std::int64_t q = 0; q < n; ++q) {
    EXPECT_EQ(y.at(q), q % 4 == 3 ? 5 : 10) << "item " << q;
    EXPECT_TRUE(std::isnan(x.at(q)));
    EXPECT_EQ(codes.at(q), Status::code(Reason::out_of_range, 0));
  }
}

// ---- scans --------------------------------------------------------------------------------------

/// Counts the steps above a threshold while counting is on.
struct Count {
  template <class N, class Seen, class Last, class X, class K, class C, class On, class T, class E,
            class Above, class Item>
  KOKKOS_FUNCTION void operator()(N& count, Seen& seen, Last& last, X const& x, K const& k,
                                  C const& c, On const& on, T const& t, E& e, Above& above,
                                  Item const& item) const {
    above = x > 0.25;
    count = select(above && on, count + 1, count);
    seen = seen || above;
    last = select(above, t, last);
    e = count * k + c + t * item;
  }
};
/// run(steps, sequence, operands...)
template <class T, class Layout, class Run>
void expect_count(std::int64_t n, std::int64_t steps, Run const& run) {
  SCOPED_TRACE(std::to_string(n) + " items, " + std::to_string(steps) + " steps");
  Random random(9);
  BatchIn<std::int32_t, Layout> start(n), end(n);
  BatchIn<bool, Left> seen(n), has_seen(n);
  BatchIn<std::int64_t, Left> last(n);
  SeriesIn<T, Layout> x(n, steps);
  SeriesIn<std::int32_t, Layout> k(n, steps);
  SeriesIn<std::int64_t, Layout> e(n, steps);
  SeriesIn<bool, Left> above(n, steps);
  BatchIn<int, Left> codes(n);
  Kokkos::View<std::int32_t*, Space> const c("c", std::size_t(steps));
  Kokkos::View<bool*, Space> const on("on", std::size_t(steps));
  auto const host_c = Kokkos::create_mirror(Kokkos::HostSpace(), c);
  auto const host_on = Kokkos::create_mirror(Kokkos::HostSpace(), on);
  for (std::size_t t = 0; t < std::size_t(steps); ++t) {
    host_c(t) = int(1000 * t);
    host_on(t) = t % 4 != 1;
  }
  Kokkos::deep_copy(c, host_c);
  Kokkos::deep_copy(on, host_on);
  start.fill_exactly(random, 100), x.randomise(random), k.fill_exactly(random, 50);
  for (std::int64_t q = 0; q < n; ++q) seen.at(q) = q % 5 == 0;
  seen.upload();
  run(steps, Count{}, carry(start.view(), end.view()), carry(seen.view(), has_seen.view()),
      carry(common(fixed(std::int64_t(-1))), last.view()), each(x.const_view()), each(k.view()),
      common(each(c)), common(each(on)), step_index(), emit(e.view()), emit(above.view()),
      item_index(), status(codes.view()));
  end.download(), has_seen.download(), last.download(), e.download(), above.download(),
      codes.download();
  for (std::int64_t q = 0; q < n; ++q) {
    SCOPED_TRACE("item " + std::to_string(q));
    std::int64_t count = start.at(q), latest = -1;
    bool ever = q % 5 == 0;
    for (std::int64_t t = 0; t < steps; ++t) {
      bool const now = x.at_time(q, t) > T(0.25);
      if (now && t % 4 != 1) ++count;
      ever = ever || now;
      latest = now ? t : latest;
      EXPECT_EQ(above.at_time(q, t), now);
      EXPECT_EQ(e.at_time(q, t), count * k.at_time(q, t) + 1000 * t + t * q);
    }
    EXPECT_EQ(end.at(q), count);
    EXPECT_EQ(has_seen.at(q), ever);
    EXPECT_EQ(last.at(q), latest);
    EXPECT_EQ(codes.at(q), 0);
  }
  EXPECT_EQ(e.poisoned(), e.outside());
}

}  // namespace Batchwork::Test

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Reading and assigning entries, constants, reductions over entries, and joined tiles, compared
/// with loops over one item in long double.
#ifndef BATCHWORK_TEST_ENTRIES_CASE_HPP
#define BATCHWORK_TEST_ENTRIES_CASE_HPP

#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {

/// Outputs that are written entry by entry, in loops with bounds known at run time (begin is 0),
/// and outputs that are written as a whole.
struct AssignsEntries {
  int begin = 0;

  template <class Y, class V, class S, class L, class D, class IO, class None, class A, class X,
            class P, class Q>
  KOKKOS_FUNCTION void operator()(Y& y, V& v, S& s, L& l, D& d, IO& io, None& none, A const& a,
                                  X const& x, P const& p, Q const& q) const {
    constexpr int N = A::rows;
    for (int i = begin; i < N; ++i)
      for (int j = 0; j < N; ++j) y(i, j) = 2 * a(j, i) + q(i, j);
    y(0, N - 1) += x(0);
    y(N - 1, 0) -= 3;
    y(0, 0) *= y(N - 1, N - 1);
    y(N - 1, N - 1) /= 4;
    y(1, 1) = y(0, 1);
    y(1, 0) = y(0, 1) = 0.5f;

    for (int i = begin; i < N; ++i) v(i) = transpose(a)(i, 0) + x(i);
    auto const old = v(0);  // keeps its value
    v(0) += 1;
    v(N - 1) = v(N - 1) + old;
    auto total = v(0);  // only this copy changes
    total += v(1);
    total = total + 1;
    v(1) = total;

    for (int i = 0; i < N; ++i)
      for (int j = 0; j <= i; ++j) {
        if ((i + j) % 2 == 0) s(i, j) = a(i, j);
        else s(j, i) = a(i, j);
        l(i, j) = p(j, i);
      }
    s(0, N - 1) += q(0, 0);
    for (int i = 0; i < N; ++i) d(i, i) = identity<N>(a)(i, i) + q(i, i) + l(0, N - 1);
    io(0, N - 1) += x(1);
    io(1, 1) = io(N - 1, 0);
    auto copy = p;
    copy(0, N - 1) = 7;
    copy(0, 0) += 1;
    d(1, 1) = copy(N - 1, 0) + d(0, 1);
    auto const seen = copy * x;
    v(0) = seen(0);
    none(0, 1) = x(0);
    none(2) += 1;
    none *= 2;
  }
};

/// run(n, sequence, operands...) runs the sequence on n items.
template <class T, class Layout, int N, class Run>
void expect_entries(std::int64_t n, Run const& run) {
  static_assert(N >= 2);
  Random random(311);
  BatchIn<T, Layout, N, N> y(n), s(n), l(n), io(n), a(n), p(n);
  BatchIn<T, Layout, N> v(n), d(n), x(n);
  auto const triangle = [&](std::int64_t) {
    return make_dense(
        N, N, [&](int i, int j) { return j <= i ? static_cast<T>(random()) : poison<T>(); });
  };
  a.randomise(random), x.randomise(random), p.fill(triangle), io.fill(triangle);
  Common<T, N, N> const q(random_dense<T>(random, N, N));
  std::vector<Dense> before;
  for (std::int64_t k = 0; k < n; ++k) before.push_back(mirrored(io.dense(k)));
  run(n, AssignsEntries{}, out(y.view()), out(v.view()), out(symmetric(s.view())),
      out(lower(l.view())), out(diagonal(d.view())), inout(symmetric(io.view())), nothing(),
      in(a.view()), in(x.view()), in(symmetric(p.view())), common(q.view));
  y.download(), v.download(), s.download(), l.download(), d.download(), io.download();
  Dense const qd = q.dense();
  for (std::int64_t k = 0; k < n; ++k) {
    Dense const ad = a.dense(k), xd = x.dense(k), pd = mirrored(p.dense(k));
    Dense yd = make_dense(N, N, [&](int i, int j) { return 2 * ad(j, i) + qd(i, j); });
    yd(0, N - 1) += xd(0);
    yd(N - 1, 0) -= 3;
    yd(0, 0) *= yd(N - 1, N - 1);
    yd(N - 1, N - 1) /= 4;
    yd(1, 1) = yd(0, 1);
    yd(1, 0) = yd(0, 1) = 0.5L;
    EXPECT_TRUE(near(y.dense(k), yd, tolerance<T>(3, 10))) << k;
    Dense vd = make_dense(N, 1, [&](int i, int) { return ad(0, i) + xd(i); });
    long double const old = vd(0);
    vd(0) += 1;
    vd(N - 1) += old;
    vd(1) = vd(0) + vd(1) + 1;
    Dense copy = pd;
    copy(0, N - 1) = copy(N - 1, 0) = 7;
    copy(0, 0) += 1;
    vd(0) = (copy * xd)(0);
    EXPECT_TRUE(near(v.dense(k), vd, tolerance<T>(N, 10))) << k;
    Dense sd = mirrored(ad);
    sd(0, N - 1) += qd(0, 0);
    sd(N - 1, 0) = sd(0, N - 1);
    EXPECT_TRUE(near(s.dense(k), sd, tolerance<T>(1, 2))) << k;
    EXPECT_TRUE(equal(l.dense(k), lower_triangle(pd))) << k;
    Dense dd = make_dense(N, 1, [&](int i, int) { return 1 + qd(i, i); });
    dd(1) = 7;
    EXPECT_TRUE(near(d.dense(k), dd, tolerance<T>(2, 2))) << k;
    Dense iod = before[std::size_t(k)];
    iod(0, N - 1) += xd(1);
    iod(N - 1, 0) = iod(0, N - 1);
    iod(1, 1) = iod(0, N - 1);
    EXPECT_TRUE(near(io.dense(k), iod, tolerance<T>(1, 2))) << k;
  }
  for (auto const* m : {&y, &s, &l, &io}) EXPECT_EQ(m->poisoned(), m->outside());
}

/// The status of an entry is the status of its tile, and of results computed from other entries.
struct AssignsFailures {
  template <class Y, class W, class X>
  KOKKOS_FUNCTION void operator()(Y& y, W& w, X const& x) const {
    constexpr int N = X::rows;
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) y(i, j) = x(i) - x(j);
    y(0, 1) += fail_where(x(0) < 0.0, Reason::breakdown, x(1));
    w = y(0, 0);
  }
};
template <class T, class Layout, int N, class Run>
void expect_failures_of_entries(std::int64_t n, Run const& run) {
  Random random(313);
  BatchIn<T, Layout, N, N> y(n);
  BatchIn<T, Layout, N> x(n);
  BatchIn<T, Layout> w(n);
  BatchIn<int, Left> codes(n);
  x.randomise(random);
  run(n, AssignsFailures{}, out(y.view()), out(w.view()), in(x.view()), status(codes.view()));
  codes.download(), y.download(), w.download();
  for (std::int64_t k = 0; k < n; ++k) {
    EXPECT_EQ(codes.at(k), x.at(k, 0) < 0 ? Status::code(Reason::breakdown, 0) : 0) << k;
    EXPECT_EQ(w.at(k), T(0)) << k;
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j)
        if (i != 0 || j != 1) {
          T const want = x.at(k, i) - x.at(k, j);
          EXPECT_TRUE(same_bits(y.at(k, i, j), want)) << k;
        }
  }
}

/// Constants, reductions and joined tiles: numbers as entries of one vector.
struct TakesTogether {
  static constexpr int count = 25;
  template <class R, class Joined, class Generated, class GeneratedLower, class A, class X, class P,
            class Q>
  KOKKOS_FUNCTION void operator()(R& r, Joined& joined, Generated& symmetric_one,
                                  GeneratedLower& lower_one, A const& a, X const& x, P const& p,
                                  Q const& q) const {
    constexpr int N = A::rows;
    int k = 0;
    auto s = zero(x);
    for (int i = 0; i < N; ++i) s += x(i);
    r(k++) = s;
    r(k++) = sum(x);
    r(k++) = sum(a);
    r(k++) = sum(p);
    r(k++) = sum(transpose(a) * 2);
    r(k++) = prod(x);
    r(k++) = minimum(a);
    r(k++) = maximum(a);
    r(k++) = minimum(p);
    r(k++) = maximum(transpose(a));
    r(k++) = minimum_index(x);
    r(k++) = maximum_index(a);
    r(k++) = minimum_index(transpose(a));
    r(k++) = select(all_of(x, [](auto const& e) { return e > -0.5; }), 1.0, 0);
    r(k++) = select(any_of(a, [](auto const& e) { return e > 0.75; }), 1, 0.0f);
    auto const bound = x(0);
    r(k++) =
        select(all_of(a, q, [&](auto const& e, auto const& f) { return e + f > bound; }), 1.0, 0.0);
    r(k++) = select(any_of(transpose(a), q, [](auto const& e, auto const& f) { return e < f - 1; }),
                    1.0, 0.0);
    r(k++) = sum(x + 2 * ones<N>(x)) + sum(zero<N, N>(a));
    r(k++) = sum(constant<N, N>(x(0), x)) + sum(constant<N>(0.5, a));
    r(k++) = sum(hadamard(constant<N, N>(x(1)), a)) + constant(2, x);
    r(k++) = trace(a + Batchwork::ones<scalar_t<value_t<A>>, N, N>() * x(0));
    r(k++) = max(x(0), 0) + min(1, x(1)) + x(0) * 0.5f + 1 / (2.0f + x(0));
    r(k++) = sum(q) + prod(q) + maximum(q);
    r(k++) = maximum(select(x(0) < x(1), x, zero<N>(x)));
    auto const own = [&](auto v) {  // for a writable tile, whose entries are not plain scalars
      return max(v(0), v(1)) - min(v(1), v(0)) + select(v(0) < v(1), v(1), v(0));
    };
    r(k++) = own(1 * x);
    joined = stack(beside(block<N - 1, 1>(a, 0, 0), block<N - 1, N - 1>(q, 0, 1)),
                   transpose(stack(block<1>(x, 0), block<N - 1>(column(a, 0), 0))));
    symmetric_one = generate_symmetric<N>([&](int i, int j) { return x(i) - x(j) + i; });
    lower_one = generate_lower<N>([&](int i, int j) { return i == j ? x(i) : x(j) * 2; });
  }
};

template <class T, class Layout, int N, class Run>
void expect_taken_together(std::int64_t n, Run const& run) {
  constexpr int count = TakesTogether::count;
  Random random(317);
  BatchIn<T, Layout, N, N> a(n), p(n), joined(n), gs(n), gl(n);
  BatchIn<T, Layout, N> x(n);
  BatchIn<T, Layout, count> r(n);
  a.randomise(random), x.randomise(random);
  p.fill([&](std::int64_t) {
    return make_dense(
        N, N, [&](int i, int j) { return j <= i ? static_cast<T>(random()) : poison<T>(); });
  });
  // Equal entries, and a NaN.
  for (int j = 0; j < N; ++j) x.at(1, j) = T(0.25), a.at(1, N - 1, j) = a.at(1, 0, j) = T(2);
  a.at(2, 1, 1) = std::numeric_limits<T>::quiet_NaN();
  a.upload(), x.upload();
  Common<T, N, N> const q(random_dense<T>(random, N, N));
  run(n, TakesTogether{}, out(r.view()), out(joined.view()), out(symmetric(gs.view())),
      out(lower(gl.view())), in(a.view()), in(x.view()), in(symmetric(p.view())), common(q.view));
  r.download(), joined.download(), gs.download(), gl.download();
  Dense const qd = q.dense();
  for (std::int64_t k = 0; k < n; ++k) {
    Dense const ad = a.dense(k), xd = x.dense(k), pd = mirrored(p.dense(k));
    auto const over = [](Dense const& m, auto const& f) {
      for (int i = 0; i < m.rows; ++i)
        for (int j = 0; j < m.cols; ++j) f(i, j, m(i, j));
    };
    auto const sum_of = [&](Dense const& m) {
      long double t = 0;
      over(m, [&](int, int, long double e) { t += e; });
      return t;
    };
    auto const prod_of = [&](Dense const& m) {
      long double t = 1;
      over(m, [&](int, int, long double e) { t *= e; });
      return t;
    };
    auto const extreme_of = [&](Dense const& m, bool largest, int* where = nullptr) {
      long double best = m(0, 0);
      int at = 0;
      over(m, [&](int i, int j, long double e) {
        if (!std::isnan(best) && (std::isnan(e) || (largest ? e > best : e < best)))
          best = e, at = i * m.cols + j;
      });
      if (where != nullptr) *where = at;
      return best;
    };
    int index[3];
    extreme_of(xd, false, &index[0]), extreme_of(ad, true, &index[1]),
        extreme_of(transpose(ad), false, &index[2]);
    bool all_x = true, any_a = false, all_aq = true, any_aq = false;
    over(xd, [&](int, int, long double e) { all_x = all_x && e > -0.5L; });
    over(ad, [&](int i, int j, long double e) {
      any_a = any_a || e > 0.75L;
      // In T, because a sum can be equal to the bound.
      all_aq = all_aq && T(T(e) + T(qd(i, j))) > T(xd(0));
      any_aq = any_aq || T(ad(j, i)) < T(T(qd(i, j)) - T(1));
    });
    long double const x0 = xd(0), x1 = xd(1), most = extreme_of(xd, true);
    long double trace_of = N * x0;
    for (int i = 0; i < N; ++i) trace_of += ad(i, i);
    long double const want[count] = {
        sum_of(xd),
        sum_of(xd),
        sum_of(ad),
        sum_of(pd),
        2 * sum_of(ad),
        prod_of(xd),
        extreme_of(ad, false),
        extreme_of(ad, true),
        extreme_of(pd, false),
        extreme_of(ad, true),
        static_cast<long double>(index[0]),
        static_cast<long double>(index[1]),
        static_cast<long double>(index[2]),
        all_x ? 1.0L : 0.0L,
        any_a ? 1.0L : 0.0L,
        all_aq ? 1.0L : 0.0L,
        any_aq ? 1.0L : 0.0L,
        sum_of(xd) + 2 * N,
        N * N * x0 + 0.5L * N,
        x1 * sum_of(ad) + 2,
        trace_of,
        std::max(x0, 0.0L) + std::min(1.0L, x1) + x0 / 2 + 1 / (2 + x0),
        sum_of(qd) + prod_of(qd) + extreme_of(qd, true),
        x0 < x1 ? most : 0,
        x0 < x1 ? 2 * x1 - x0 : 2 * x0 - x1,
    };
    for (int c = 0; c < count; ++c) {
      if (std::isnan(want[c])) EXPECT_TRUE(std::isnan(r.at(k, c))) << k << ", " << c;
      else EXPECT_LE(std::fabs(r.at(k, c) - want[c]), tolerance<T>(N * N, N * N)) << k << ", " << c;
    }
    // Comparisons and selections are exact.
    for (int c : {6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
      if (!std::isnan(want[c])) {
        EXPECT_EQ(r.at(k, c), want[c]) << k << ", " << c;
      }
    Dense const put = make_dense(N, N, [&](int i, int j) {
      if (i == N - 1) return j == 0 ? xd(0) : ad(j - 1, 0);
      return j == 0 ? ad(i, 0) : qd(i, j);
    });
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j)
        EXPECT_TRUE(joined.at(k, i, j) == T(put(i, j)) || std::isnan(put(i, j))) << k;
    EXPECT_TRUE(near(gs.dense(k),
                     mirrored(make_dense(N, N, [&](int i, int j) { return xd(i) - xd(j) + i; })),
                     tolerance<T>(1, N)))
        << k;
    EXPECT_TRUE(equal(
        gl.dense(k),
        lower_triangle(make_dense(N, N, [&](int i, int j) { return i == j ? xd(i) : 2 * xd(j); }))))
        << k;
  }
}

/// Complex entries.
struct ComplexEntries {
  template <class Y, class W, class A, class X>
  KOKKOS_FUNCTION void operator()(Y& y, W& w, A const& a, X const& x) const {
    constexpr int N = A::rows;
    using C = Kokkos::complex<scalar_t<value_t<A>>>;
    y = zero<N, N>(a);
    for (int i = 0; i < N; ++i) y(i, i) = conj(a(i, 0)) * x(i);
    y(0, 1) = conj(y(0, 0));  // conj of an entry of a writable tile
    y(1, 0) = real(y(0, 0));
    y(N - 1, 0) += C(0, 1);
    y(0, N - 1) *= as_complex(real(x(0)), imag(x(1)));
    y(1, 1) /= C(0, 2);
    w = sum(a) + prod(x) + conjugate_transpose(a)(0, 1) + abs(y(0, 0)) +
        select(abs(x(0)) > 0.5, C(1, 2), 0);
  }
};
template <class T, class Layout, int N, class Run>
void expect_complex_entries(std::int64_t n, Run const& run) {
  using C = Kokkos::complex<T>;
  using L = Kokkos::complex<long double>;
  static_assert(N > 2);
  Random random(331);
  BatchIn<C, Layout, N, N> a(n), y(n);
  BatchIn<C, Layout, N> x(n);
  BatchIn<C, Layout> w(n);
  auto const number = [&] { return C(T(random()), T(random())); };
  for (std::int64_t k = 0; k < n; ++k)
    for (int i = 0; i < N; ++i) {
      x.at(k, i) = number();
      for (int j = 0; j < N; ++j) a.at(k, i, j) = number();
    }
  a.upload(), x.upload();
  run(n, ComplexEntries{}, out(y.view()), out(w.view()), in(a.view()), in(x.view()));
  y.download(), w.download();
  for (std::int64_t k = 0; k < n; ++k) {
    auto const at = [&](int i, int j) { return L(a.at(k, i, j)); };
    auto const of = [&](int i) { return L(x.at(k, i)); };
    L want[N][N] = {};
    for (int i = 0; i < N; ++i) want[i][i] = Kokkos::conj(at(i, 0)) * of(i);
    want[0][1] = Kokkos::conj(want[0][0]);
    want[1][0] = want[0][0].real();
    want[N - 1][0] += L(0, 1);
    want[0][N - 1] *= L(of(0).real(), of(1).imag());
    want[1][1] = want[1][1] / L(0, 2);
    L total = Kokkos::conj(at(1, 0)) + Kokkos::abs(want[0][0]), product(1);
    for (int i = 0; i < N; ++i) {
      product *= of(i);
      for (int j = 0; j < N; ++j) {
        total += at(i, j);
        EXPECT_LE(Kokkos::abs(L(y.at(k, i, j)) - want[i][j]), tolerance<T>(4, 2)) << k;
      }
    }
    total += product;
    if (Kokkos::abs(of(0)) > 0.5L) total += L(1, 2);
    EXPECT_LE(Kokkos::abs(L(w.at(k)) - total), tolerance<T>(N * N, N * N)) << k;
  }
}

}  // namespace Batchwork::Test

#endif

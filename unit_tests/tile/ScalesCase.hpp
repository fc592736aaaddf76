// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Operations on tiles in every unit: inputs multiplied by 2^(k degree) must give outputs
/// multiplied by 2^(k degree), for all k for which inputs and results are normal numbers. The
/// reference is the same item at k = 0, which other tests compare with long double.
#ifndef BATCHWORK_TEST_SCALES_CASE_HPP
#define BATCHWORK_TEST_SCALES_CASE_HPP

#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {

/// Exponents of normal numbers.
template <class T>
inline constexpr int least_exponent = std::numeric_limits<T>::min_exponent - 1;
template <class T>
inline constexpr int largest_exponent = std::numeric_limits<T>::max_exponent - 1;

/// Neighbouring items have very different exponents, so that a pack or a warp has several scales at
/// the same time.
struct Exponents {
  std::vector<int> k;
  /// `from` .. `to` in about `count` steps, in mixed order.
  Exponents(int from, int to, int count) {
    int const step = std::max(1, (to - from) / count);
    std::vector<int> sorted;
    for (int e = from; e < to; e += step) sorted.push_back(e);
    sorted.push_back(to);
    std::size_t const n = sorted.size(), half = (n + 1) / 2;
    for (std::size_t i = 0; i < n; ++i) k.push_back(sorted[i % 2 == 0 ? i / 2 : half + i / 2]);
  }
  std::int64_t items() const { return std::int64_t(k.size()); }
};

/// A batch at scale one, and the same batch at all other scales.
template <int Degree, class T, int... E>
struct AtScales {
  static constexpr int degree = Degree;
  BatchIn<T, Left, E...> one, scaled;
  explicit AtScales(Exponents const& e) : one(e.items()), scaled(e.items()) {}
};

template <class T>
T times_power(T x, int k) {
  return std::ldexp(x, k);
}
template <class R>
Kokkos::complex<R> times_power(Kokkos::complex<R> const& x, int k) {
  return {std::ldexp(x.real(), k), std::ldexp(x.imag(), k)};
}
template <class T>
double size_of(T const& x) {
  return std::abs(double(x));
}
template <class R>
double size_of(Kokkos::complex<R> const& x) {
  return std::max(size_of(x.real()), size_of(x.imag()));
}

/// Inputs f(item), and the scaled inputs.
template <int Degree, class T, int... E, class F>
void fill_scales(AtScales<Degree, T, E...> const& x, Exponents const& e, F const& f) {
  using Batch = BatchIn<T, Left, E...>;
  for (std::int64_t item = 0; item < e.items(); ++item)
    for (int i = 0; i < Batch::rows; ++i)
      for (int j = 0; j < Batch::cols; ++j) {
        T const number = T(f(item, i, j));
        x.one.at(item, i, j) = number;
        x.scaled.at(item, i, j) = times_power(number, Degree * e.k[std::size_t(item)]);
      }
  x.one.upload(), x.scaled.upload();
}

/// Scaled results must be bitwise equal, or, if `relative` is not zero, equal up to this fraction
/// of the largest entry of the tile. Powers of two lose bits only below the normal numbers: there
/// an absolute error of a few of the smallest numbers is allowed.
template <int Degree, class T, int... E>
void expect_scales(AtScales<Degree, T, E...> const& x, Exponents const& e, char const* what,
                   double relative = 0) {
  using Batch = BatchIn<T, Left, E...>;
  using R = real_t<Impl::number_of_t<T>>;
  x.one.download(), x.scaled.download();
  int wrong = 0;
  for (std::int64_t item = 0; item < e.items(); ++item) {
    int const k = Degree * e.k[std::size_t(item)];
    double largest = 0;
    for (int i = 0; i < Batch::rows; ++i)
      for (int j = 0; j < Batch::cols; ++j)
        largest = std::max(largest, size_of(x.one.at(item, i, j)));
    for (int i = 0; i < Batch::rows; ++i)
      for (int j = 0; j < Batch::cols; ++j) {
        T const was = x.one.at(item, i, j), is = x.scaled.at(item, i, j);
        double const want = size_of(was);
        ASSERT_TRUE(std::isfinite(want)) << what << " at scale one, item " << item;
        ASSERT_FALSE(same_bits(was, poison<T>())) << what << " was not written";
        T const back = times_power(is, -k);
        double allowed = relative * largest;
        if (want == 0 || std::ilogb(want) + k < least_exponent<R> + std::numeric_limits<R>::digits)
          allowed += std::ldexp(64.0, std::max(-1000, least_exponent<R> - k -
                                                          std::numeric_limits<R>::digits + 1)) +
                     64 * largest * double(epsilon<R>);
        bool const good = back == was || size_of(T(back - was)) <= allowed;
        if (!good && ++wrong <= 3)
          ADD_FAILURE() << what << ", entry (" << i << ", " << j << "), inputs times 2^"
                        << e.k[std::size_t(item)] << ": " << size_of(back) << " for " << want
                        << " times 2^" << k;
      }
  }
  EXPECT_EQ(wrong, 0) << what;
}

/// All items must succeed.
inline void expect_success(BatchIn<int, Left> const& codes, Exponents const& e, char const* what) {
  codes.download();
  int wrong = 0;
  for (std::int64_t item = 0; item < e.items(); ++item)
    if (codes.at(item) != 0 && ++wrong <= 3)
      ADD_FAILURE() << what << ", inputs times 2^" << e.k[std::size_t(item)] << ": "
                    << to_string(Status::reason(codes.at(item)));
  EXPECT_EQ(wrong, 0) << what;
}

// ---- sequences ----------------------------------------------------------------------------------

struct ProductsAtScales {
  template <class P, class C, class Q, class G, class D, class A, class B, class S, class F>
  KOKKOS_FUNCTION void operator()(P& product, C& congruent, Q& with_term, G& square, D& less,
                                  A const& a, B const& b, S const& s, F const& f) const {
    product = a * f - b + 2 * transpose(a);
    congruent = congruence(f, s, s);
    with_term = symmetric_product(f * s, transpose(f), s);
    square = gram(a);
    less = downdate(gram(b), a);
  }
};

struct CholeskyAtScales {
  template <class L, class X, class Y, class F, class B, class A, class R, class V>
  KOKKOS_FUNCTION void operator()(L& l, X& x, Y& y, F& forward, B& backward, A const& a, R const& r,
                                  V const& v) const {
    auto const c = cholesky(a);
    l = c.lower();
    x = solve(c, r);
    y = c.solve(v);
    forward = solve(c.lower(), v);
    backward = solve(transpose(c.lower()), v);
  }
};

struct LuAtScales {
  template <class L, class U, class X, class Y, class V, class I, class A, class R, class W>
  KOKKOS_FUNCTION void operator()(L& l, U& u, X& x, Y& y, V& inverted, I& by_inverse, A const& a,
                                  R const& r, W const& w) const {
    auto const f = lu(a);
    l = f.lower();
    u = f.upper();
    x = solve(f, r);
    y = solve(a, w);
    inverted = inverse(f);
    by_inverse = inverse(a);
  }
};

struct LdltAtScales {
  template <class L, class D, class X, class V, class A, class R>
  KOKKOS_FUNCTION void operator()(L& l, D& d, X& x, V& inverted, A const& a, R const& r) const {
    auto const f = ldlt(a);
    l = f.lower();
    d = f.d();
    x = solve(f, r);
    inverted = inverse(f);
  }
};

struct QrAtScales {
  template <class Q, class R_, class X, class Z, class A, class B>
  KOKKOS_FUNCTION void operator()(Q& q, R_& r, X& x, Z& y, A const& a, B const& b) const {
    auto const f = qr(a);
    q = f.q();
    r = f.r();
    x = f.solve(b);
    y = f.apply_qt(b);
  }
};
struct PivotedQrAtScales {
  template <class Q, class R_, class X, class K, class S, class A, class B, class L>
  KOKKOS_FUNCTION void operator()(Q& q, R_& r, X& x, K& rank_of_a, S& stacked, A const& a,
                                  B const& b, L const& l) const {
    auto const f = pivoted_qr(a);
    q = f.q();
    r = f.r();
    x = f.solve(b);
    rank_of_a = f.rank();
    stacked = stacked_r(transpose(l), a);
  }
};

struct RanksAtScales {
  template <class U, class D, class A, class V>
  KOKKOS_FUNCTION void operator()(U& up, D& down, A const& l, V const& v) const {
    auto const updated = rank_update(l, v);
    up = updated;
    down = rank_downdate(updated, v);
  }
};

struct EigenAtScales {
  template <class W, class V, class R_, class A>
  KOKKOS_FUNCTION void operator()(W& values, V& vectors, R_& root, A const& a) const {
    auto const e = eigh(a);
    values = e.values();
    vectors = e.vectors();
    root = sqrt_spd(a);
  }
};
struct SvdAtScales {
  template <class U, class W, class V, class P, class C, class K, class X, class A, class B>
  KOKKOS_FUNCTION void operator()(U& u, W& values, V& v, P& inverted, C& cond, K& rank_of_a, X& x,
                                  A const& a, B const& b) const {
    auto const s = svd(a);
    u = s.u();
    values = s.singular_values();
    v = s.v();
    inverted = pinv(a);
    cond = condition(a);
    rank_of_a = rank(a);
    x = s.solve(b);
  }
};

struct NormsAtScales {
  template <class N0, class N1, class N2, class N3, class N4, class N5, class D, class A, class V>
  KOKKOS_FUNCTION void operator()(N0& n2, N1& frobenius, N2& n1, N3& n_inf, N4& max, N5& tr, D& dt,
                                  A const& a, V const& v) const {
    n2 = norm2(v);
    frobenius = norm_frobenius(a);
    n1 = norm1(a);
    n_inf = norm_inf(a);
    max = max_abs(a);
    tr = trace(real(a));
    dt = real(dot(v, v));
  }
};
struct LengthAtScales {
  template <class N0, class N1, class A, class V>
  KOKKOS_FUNCTION void operator()(N0& n2, N1& frobenius, A const& a, V const& v) const {
    n2 = norm2(v);
    frobenius = norm_frobenius(a);
  }
};

// ---- what is asked of each: run(items, sequence, operands...) is a call of map ------------------

/// Exponents for inputs and results up to that degree, with some bits of margin above, and below
/// for entries of 1/1024.
template <class T>
Exponents exponents(int degree, int room = 8, int count = 60) {
  using R = real_t<Impl::number_of_t<T>>;
  return {-((-least_exponent<R> - 12) / degree), (largest_exponent<R> - room) / degree, count};
}

/// Numbers with few bits that are not tiny.
inline double random_part(Random& random) {
  double const r = std::nearbyint(double(random(-1, 1)) * 256) / 256;
  return r == 0 ? 0.5 : r;
}
template <class T>
T random_number(Random& random) {
  if constexpr (std::is_floating_point_v<T>) return T(random_part(random));
  else {
    auto const re = static_cast<typename T::value_type>(random_part(random));
    return T(re, static_cast<typename T::value_type>(random_part(random)));
  }
}

/// Hermitian and, because of its diagonal, positive definite. Exact.
template <class T>
auto definite(Random& random, std::int64_t items, int n) {
  std::vector<T> all;
  for (std::int64_t k = 0; k < items; ++k)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) all.push_back(random_number<T>(random));
  return [all, n](std::int64_t k, int i, int j) {
    auto const at = [&](int p, int q) { return all[std::size_t((k * n + p) * n + q)]; };
    if constexpr (std::is_floating_point_v<T>)
      return i == j ? static_cast<T>(2 * n) + at(i, i) : i > j ? at(i, j) : at(j, i);
    else
      return i == j  ? T(static_cast<typename T::value_type>(2 * n) + at(i, i).real())
             : i > j ? at(i, j)
                     : Kokkos::conj(at(j, i));
  };
}
template <class T>
auto anything(Random& random) {
  return [&random](std::int64_t, int, int) { return random_number<T>(random); };
}

template <class T, int N, class Run>
void products_at_scales(Run const& run) {
  Random random(301);
  Exponents const e = exponents<T>(2);
  AtScales<1, T, N, N> product(e), congruent(e), with_term(e), a(e), b(e), s(e);
  AtScales<2, T, N, N> square(e), less(e);
  AtScales<0, T, N, N> f(e);
  BatchIn<int, Left> codes(e.items());
  for (auto* x : {&a, &b}) fill_scales(*x, e, anything<T>(random));
  fill_scales(f, e, anything<T>(random));
  fill_scales(s, e, definite<T>(random, e.items(), N));
  run(e.items(), ProductsAtScales{}, out(product.one.view()), out(congruent.one.view()),
      out(with_term.one.view()), out(square.one.view()), out(less.one.view()),
      in(a.one.const_view()), in(b.one.const_view()), in(symmetric(s.one.const_view())),
      in(f.one.const_view()), status(codes.view()));
  run(e.items(), ProductsAtScales{}, out(product.scaled.view()), out(congruent.scaled.view()),
      out(with_term.scaled.view()), out(square.scaled.view()), out(less.scaled.view()),
      in(a.scaled.const_view()), in(b.scaled.const_view()), in(symmetric(s.scaled.const_view())),
      in(f.scaled.const_view()), status(codes.view()));
  expect_success(codes, e, "products");
  expect_scales(product, e, "a f - b + 2 a'");
  expect_scales(congruent, e, "congruence");
  expect_scales(with_term, e, "symmetric_product");
  expect_scales(square, e, "gram");
  expect_scales(less, e, "downdate");
}

template <class T, int N, class Run>
void cholesky_at_scales(Run const& run) {
  Random random(302);
  Exponents const e = exponents<T>(2);
  AtScales<2, T, N, N> a(e);
  AtScales<1, T, N, N> l(e);
  AtScales<2, T, N, 2> r(e);
  AtScales<0, T, N, 2> x(e);
  AtScales<1, T, N> v(e);
  AtScales<-1, T, N> y(e);
  AtScales<0, T, N> forward(e), backward(e);
  BatchIn<int, Left> codes(e.items());
  fill_scales(a, e, definite<T>(random, e.items(), N));
  fill_scales(r, e, anything<T>(random)), fill_scales(v, e, anything<T>(random));
  auto const go = [&](auto which) {
    run(e.items(), CholeskyAtScales{}, out(which(l).view()), out(which(x).view()),
        out(which(y).view()), out(which(forward).view()), out(which(backward).view()),
        in(which(a).const_view()), in(which(r).const_view()), in(which(v).const_view()),
        status(codes.view()));
  };
  go([](auto const& z) -> auto const& { return z.one; });
  go([](auto const& z) -> auto const& { return z.scaled; });
  expect_success(codes, e, "cholesky");
  expect_scales(l, e, "cholesky");
  expect_scales(x, e, "solve(cholesky(a), r)");
  expect_scales(y, e, "solve(cholesky(a), v)");
  expect_scales(forward, e, "solve(lower, v)");
  expect_scales(backward, e, "solve(upper, v)");
}

template <class T, int N, class Run>
void lu_at_scales(Run const& run) {
  using R = real_t<Impl::number_of_t<T>>;
  Random random(303);
  Exponents const e = exponents<T>(1);
  AtScales<1, T, N, N> a(e), u(e);
  AtScales<0, T, N, N> l(e);
  AtScales<1, T, N, 2> r(e);
  AtScales<0, T, N, 2> x(e);
  AtScales<0, T, N> w(e);
  AtScales<-1, T, N> y(e);
  AtScales<-1, T, N, N> inverted(e), by_inverse(e);
  BatchIn<int, Left> codes(e.items());
  // Far from singular, with pivots that are not on the diagonal.
  fill_scales(a, e, [&](std::int64_t k, int i, int j) {
    return random_number<T>(random) + T(R(i == (j + int(k)) % N ? 2 * N : 0));
  });
  fill_scales(r, e, anything<T>(random)), fill_scales(w, e, anything<T>(random));
  auto const go = [&](auto which) {
    run(e.items(), LuAtScales{}, out(which(l).view()), out(which(u).view()), out(which(x).view()),
        out(which(y).view()), out(which(inverted).view()), out(which(by_inverse).view()),
        in(which(a).const_view()), in(which(r).const_view()), in(which(w).const_view()),
        status(codes.view()));
  };
  go([](auto const& z) -> auto const& { return z.one; });
  go([](auto const& z) -> auto const& { return z.scaled; });
  expect_success(codes, e, "lu");
  expect_scales(l, e, "lu, lower");
  expect_scales(u, e, "lu, upper");
  expect_scales(x, e, "solve(lu(a), r)");
  expect_scales(y, e, "solve(a, w)");
  expect_scales(inverted, e, "inverse(lu(a))");
  // For two rows by a closed form, or by elimination if its products leave the range of numbers:
  // the rounding differs.
  expect_scales(by_inverse, e, "inverse(a)", N == 2 ? 32 * double(epsilon<R>) : 0);
}

template <class T, int N, class Run>
void ldlt_at_scales(Run const& run) {
  Random random(304);
  Exponents const e = exponents<T>(1);
  AtScales<1, T, N, N> a(e), d(e);
  AtScales<0, T, N, N> l(e);
  AtScales<1, T, N> r(e);
  AtScales<0, T, N> x(e);
  AtScales<-1, T, N, N> inverted(e);
  BatchIn<int, Left> codes(e.items());
  // Indefinite, with 1 x 1 and 2 x 2 pivots.
  fill_scales(a, e, [&](std::int64_t k, int i, int j) {
    return random_number<T>(random) +
           T(k % 2 ? (i == j ? (i % 2 ? N : -N) : 0) : (i + j == N - 1 ? N : 0));
  });
  fill_scales(r, e, anything<T>(random));
  auto const go = [&](auto which) {
    run(e.items(), LdltAtScales{}, out(which(l).view()), out(which(d).view()), out(which(x).view()),
        out(which(inverted).view()), in(symmetric(which(a).const_view())),
        in(which(r).const_view()), status(codes.view()));
  };
  go([](auto const& z) -> auto const& { return z.one; });
  go([](auto const& z) -> auto const& { return z.scaled; });
  expect_success(codes, e, "ldlt");
  expect_scales(l, e, "ldlt, lower");
  expect_scales(d, e, "ldlt, d");
  expect_scales(x, e, "solve(ldlt(a), r)");
  expect_scales(inverted, e, "inverse(ldlt(a))");
}

template <class T, int M, int N, class Run>
void qr_at_scales(Run const& run) {
  Random random(305);
  Exponents const e = exponents<T>(1);
  AtScales<1, T, M, N> a(e);
  AtScales<0, T, M, N> q(e);
  AtScales<1, T, N, N> r(e);
  AtScales<0, T, M> b(e), turned(e);
  AtScales<-1, T, N> x(e);
  BatchIn<int, Left> codes(e.items());
  fill_scales(a, e, [&](std::int64_t, int i, int j) {
    return random_number<T>(random) + T(real_t<Impl::number_of_t<T>>(i == j ? 2 * N : 0));
  });
  fill_scales(b, e, anything<T>(random));
  auto const go = [&](auto which) {
    run(e.items(), QrAtScales{}, out(which(q).view()), out(which(r).view()), out(which(x).view()),
        out(which(turned).view()), in(which(a).const_view()), in(which(b).const_view()),
        status(codes.view()));
  };
  go([](auto const& z) -> auto const& { return z.one; });
  go([](auto const& z) -> auto const& { return z.scaled; });
  expect_success(codes, e, "qr");
  expect_scales(q, e, "qr, q");
  expect_scales(r, e, "qr, r");
  expect_scales(x, e, "qr, solve");
  expect_scales(turned, e, "qr, apply_qt");
}
template <class T, int M, int N, class Run>
void pivoted_qr_at_scales(Run const& run) {
  Random random(306);
  Exponents const e = exponents<T>(1);
  AtScales<1, T, M, N> a(e);
  AtScales<1, T, N, N> l(e), stacked(e);
  AtScales<0, T, M, N> q(e);
  AtScales<1, T, N, N> r(e);
  AtScales<0, T, M> b(e);
  AtScales<-1, T, N> x(e);
  AtScales<0, T> rank_of_a(e);
  BatchIn<int, Left> codes(e.items());
  fill_scales(a, e, [&](std::int64_t, int i, int j) {
    return random_number<T>(random) + T(real_t<Impl::number_of_t<T>>(i == j ? 2 * N : 0));
  });
  fill_scales(l, e, definite<T>(random, e.items(), N));
  fill_scales(b, e, anything<T>(random));
  auto const go = [&](auto which) {
    run(e.items(), PivotedQrAtScales{}, out(which(q).view()), out(which(r).view()),
        out(which(x).view()), out(which(rank_of_a).view()), out(which(stacked).view()),
        in(which(a).const_view()), in(which(b).const_view()), in(lower(which(l).const_view())),
        status(codes.view()));
  };
  go([](auto const& z) -> auto const& { return z.one; });
  go([](auto const& z) -> auto const& { return z.scaled; });
  expect_success(codes, e, "pivoted_qr");
  expect_scales(q, e, "pivoted_qr, q");
  expect_scales(r, e, "pivoted_qr, r");
  expect_scales(x, e, "pivoted_qr, solve");
  expect_scales(rank_of_a, e, "pivoted_qr, rank");
  expect_scales(stacked, e, "stacked_r");
}

template <class T, int N, class Run>
void ranks_at_scales(Run const& run) {
  Random random(307);
  Exponents const e = exponents<T>(1);
  AtScales<1, T, N, N> l(e), up(e), down(e);
  AtScales<1, T, N> v(e);
  BatchIn<int, Left> codes(e.items());
  fill_scales(l, e, definite<T>(random, e.items(), N));
  fill_scales(v, e, anything<T>(random));
  auto const go = [&](auto which) {
    run(e.items(), RanksAtScales{}, out(which(up).view()), out(which(down).view()),
        in(lower(which(l).const_view())), in(which(v).const_view()), status(codes.view()));
  };
  go([](auto const& z) -> auto const& { return z.one; });
  go([](auto const& z) -> auto const& { return z.scaled; });
  expect_success(codes, e, "rank_update, rank_downdate");
  expect_scales(up, e, "rank_update"), expect_scales(down, e, "rank_downdate");
}

template <class T, int N, class Run>
void eigh_at_scales(Run const& run) {
  Random random(308);
  Exponents const e = exponents<T>(2);
  AtScales<2, T, N, N> a(e);
  AtScales<2, T, N> values(e);
  AtScales<0, T, N, N> vectors(e);
  AtScales<1, T, N, N> root(e);
  BatchIn<int, Left> codes(e.items());
  fill_scales(a, e, definite<T>(random, e.items(), N));
  auto const go = [&](auto which) {
    run(e.items(), EigenAtScales{}, out(which(values).view()), out(which(vectors).view()),
        out(which(root).view()), in(symmetric(which(a).const_view())), status(codes.view()));
  };
  go([](auto const& z) -> auto const& { return z.one; });
  go([](auto const& z) -> auto const& { return z.scaled; });
  expect_success(codes, e, "eigh, sqrt_spd");
  expect_scales(values, e, "eigh, values");
  expect_scales(vectors, e, "eigh, vectors");
  expect_scales(root, e, "sqrt_spd");
}
template <class T, int M, int N, class Run>
void svd_at_scales(Run const& run) {
  Random random(309);
  constexpr int K = M < N ? M : N;
  Exponents const e = exponents<T>(1);
  AtScales<1, T, M, N> a(e);
  AtScales<0, T, M, K> u(e);
  AtScales<1, T, K> values(e);
  AtScales<0, T, N, K> v(e);
  AtScales<-1, T, N, M> inverted(e);
  AtScales<0, T> cond(e), rank_of_a(e);
  AtScales<0, T, M> b(e);
  AtScales<-1, T, N> x(e);
  BatchIn<int, Left> codes(e.items());
  fill_scales(a, e, [&](std::int64_t, int i, int j) {
    return random_number<T>(random) + T(real_t<Impl::number_of_t<T>>(i == j ? 2 * N : 0));
  });
  fill_scales(b, e, anything<T>(random));
  auto const go = [&](auto which) {
    run(e.items(), SvdAtScales{}, out(which(u).view()), out(which(values).view()),
        out(which(v).view()), out(which(inverted).view()), out(which(cond).view()),
        out(which(rank_of_a).view()), out(which(x).view()), in(which(a).const_view()),
        in(which(b).const_view()), status(codes.view()));
  };
  go([](auto const& z) -> auto const& { return z.one; });
  go([](auto const& z) -> auto const& { return z.scaled; });
  expect_success(codes, e, "svd");
  expect_scales(u, e, "svd, u");
  expect_scales(values, e, "svd, values");
  expect_scales(v, e, "svd, v");
  expect_scales(inverted, e, "pinv");
  expect_scales(cond, e, "condition");
  expect_scales(rank_of_a, e, "rank");
  expect_scales(x, e, "svd, solve");
}

/// Norms, whose squares leave the range of numbers long before the norms do. Also a trace and a
/// square inside the range.
template <class T, int N, class Run>
void norms_at_scales(Run const& run) {
  using R = real_t<Impl::number_of_t<T>>;
  Random random(310);
  {
    Exponents const e = exponents<T>(2);
    AtScales<1, T, N, N> a(e);
    AtScales<1, T, N> v(e);
    AtScales<1, R> n2(e), frobenius(e), n1(e), n_inf(e), max(e), tr(e);
    AtScales<2, R> square(e);
    BatchIn<int, Left> codes(e.items());
    fill_scales(a, e, anything<T>(random)), fill_scales(v, e, anything<T>(random));
    auto const go = [&](auto which) {
      run(e.items(), NormsAtScales{}, out(which(n2).view()), out(which(frobenius).view()),
          out(which(n1).view()), out(which(n_inf).view()), out(which(max).view()),
          out(which(tr).view()), out(which(square).view()), in(which(a).const_view()),
          in(which(v).const_view()), status(codes.view()));
    };
    go([](auto const& z) -> auto const& { return z.one; });
    go([](auto const& z) -> auto const& { return z.scaled; });
    expect_success(codes, e, "norms");
    expect_scales(n1, e, "norm1"), expect_scales(n_inf, e, "norm_inf");
    expect_scales(max, e, "max_abs"), expect_scales(tr, e, "trace");
    expect_scales(square, e, "dot");
  }
  Exponents const e = exponents<T>(1);
  AtScales<1, T, N, N> a(e);
  AtScales<1, T, N> v(e);
  AtScales<1, R> n2(e), frobenius(e);
  BatchIn<int, Left> codes(e.items());
  fill_scales(a, e, anything<T>(random)), fill_scales(v, e, anything<T>(random));
  auto const go = [&](auto which) {
    run(e.items(), LengthAtScales{}, out(which(n2).view()), out(which(frobenius).view()),
        in(which(a).const_view()), in(which(v).const_view()), status(codes.view()));
  };
  go([](auto const& z) -> auto const& { return z.one; });
  go([](auto const& z) -> auto const& { return z.scaled; });
  expect_success(codes, e, "norm2");
  expect_scales(n2, e, "norm2"), expect_scales(frobenius, e, "norm_frobenius");
}

/// Operations that complex numbers support too, on N x N tiles, and on tiles of N + 2 rows and N
/// columns.
template <class T, int N, class Run>
void eliminations_at_scales(Run const& run) {
  cholesky_at_scales<T, N>(run);
  lu_at_scales<T, N>(run);
  qr_at_scales<T, N + 2, N>(run);
  norms_at_scales<T, N>(run);
}
template <class T, int N, class Run>
void everything_at_scales(Run const& run) {
  eliminations_at_scales<T, N>(run);
  products_at_scales<T, N>(run);
  ldlt_at_scales<T, N>(run);
  pivoted_qr_at_scales<T, N + 2, N>(run);
  ranks_at_scales<T, N>(run);
  eigh_at_scales<T, N>(run);
  svd_at_scales<T, N + 2, N>(run);
}

}  // namespace Batchwork::Test

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Matrices with determinants in closed form and entries over the whole range of numbers, and
/// checks of the determinants of tiles. Tests run map, or device kernels on threads of a host.
#ifndef BATCHWORK_TEST_DETERMINANT_CASE_HPP
#define BATCHWORK_TEST_DETERMINANT_CASE_HPP

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/ComplexDense.hpp"

namespace Batchwork::Test {

/// factor * 2^exponent, which can exceed the range of long double.
struct KnownProduct {
  long double factor = 1;
  long exponent = 0;

  void multiply(long double x) {
    int e = 0;
    factor = std::frexp(factor * x, &e);
    exponent += e;
  }
  long double log_size() const {
    return std::log(std::fabs(factor)) + static_cast<long double>(exponent) * std::log(2.0L);
  }
  /// Zero or infinite if beyond the range of long double, and therefore of any T.
  long double value() const {
    return std::ldexp(factor, int(std::clamp(exponent, -30000L, 30000L)));
  }
};

/// The size of the product of the numbers, and their order.
enum class ProductKind { shuffled, large_first, small_first, subnormal, too_small, too_large };
inline constexpr int product_kinds = 6;

/// n numbers of any size in the range of T. Their product is a normal number unless the kind says
/// otherwise.
template <class T>
std::vector<T> known_factors(Random& random, int n, ProductKind kind) {
  using Limits = std::numeric_limits<T>;
  int const least = Limits::min_exponent - Limits::digits, most = Limits::max_exponent - 1;
  // The exponent of the product, without the mantissas, whose product is less than 4. least + 8
  // leaves some bits for a subnormal number.
  int low = Limits::min_exponent, high = most - 4;
  if (n > 1 && kind == ProductKind::subnormal) low = least + 8, high = Limits::min_exponent - 6;
  if (n > 1 && kind == ProductKind::too_small) low = n * least, high = least - 6;
  if (n > 1 && kind == ProductKind::too_large) low = most + 4, high = n * most;
  std::vector<int> exponents(static_cast<std::size_t>(n));
  int sum = 0;
  for (int& e : exponents) sum += e = random.integer(least, most);
  // Change numbers until the product has the required size.
  while (sum < low || sum > high) {
    int& e = exponents[static_cast<std::size_t>(random.integer(0, n - 1))];
    int const before = e;
    e = sum < low ? random.integer(e, most) : random.integer(least, e);
    sum += e - before;
  }
  if (kind == ProductKind::large_first) std::sort(exponents.rbegin(), exponents.rend());
  if (kind == ProductKind::small_first) std::sort(exponents.begin(), exponents.end());
  std::vector<T> r;
  for (int const e : exponents) {
    T const m = e < Limits::min_exponent ? T(1) : T(random(1, 1 + 1.0 / n));
    r.push_back(std::ldexp(random() < 0 ? -m : m, e));
  }
  return r;
}
template <class X>
KnownProduct known_product(std::vector<X> const& factors) {
  KnownProduct r;
  for (X const x : factors) r.multiply(x);
  return r;
}

/// A product of n numbers must agree to n roundings, or be infinite and report this.
template <class T>
void expect_known(int n, T value, KnownProduct const& want, std::int32_t code) {
  long double const v = want.value(),
                    most = static_cast<long double>(std::numeric_limits<T>::max());
  if (std::fabs(v) > most) {
    EXPECT_EQ(value, std::copysign(std::numeric_limits<T>::infinity(), T(want.factor)));
    EXPECT_EQ(code, Status::code(Reason::not_finite, 0));
  } else {
    long double const step = std::numeric_limits<T>::denorm_min();
    EXPECT_LE(std::fabs(static_cast<long double>(value) - v), std::fabs(v) * n * epsilon<T> + step)
        << value << ", should be " << double(v);
    EXPECT_EQ(code, 0);
  }
}
template <class T>
void expect_known_log(int n, T log_size, T sign, KnownProduct const& want) {
  long double const size = want.log_size();
  EXPECT_LE(std::fabs(static_cast<long double>(log_size) - size),
            epsilon<T> * (static_cast<long double>(n) + 4 * std::fabs(size)))
      << log_size << ", should be " << double(size);
  EXPECT_EQ(sign, T(want.factor < 0 ? -1 : 1));
}

inline std::vector<int> random_order(Random& random, int n) {
  std::vector<int> order;
  for (int i = 0; i < n; ++i) order.insert(order.begin() + random.integer(0, i), i);
  return order;
}
inline int sign_of_order(std::vector<int> const& order) {
  int sign = 1;
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) sign = order[j] > order[i] ? -sign : sign;
  return sign;
}

struct DeterminantsOfTiles {
  template <class D, class A, class S, class V, class L>
  KOKKOS_FUNCTION void operator()(D& of_a, D& of_s, D& of_v, D& of_l, A const& a, S const& s,
                                  V const& v, L const& l) const {
    auto const f = lu(a);
    auto const g = ldlt(s);
    of_a = generate<3>([&](int k) {
      return k == 0 ? determinant(f) : k == 1 ? f.log_abs_determinant() : f.sign();
    });
    of_s = generate<3>([&](int k) {
      return k == 0 ? determinant(g) : k == 1 ? g.log_abs_determinant() : g.sign();
    });
    of_v = generate<3>([&](int) { return determinant(v); });
    of_l = generate<3>([&](int) { return determinant(l); });
  }
};
/// A matrix with one number in each row and column; a symmetric one with blocks of one and two
/// rows; a diagonal; a triangle. run(sequence, operands...) is a call of map.
template <class T, class Layout, int N, class Run>
void expect_known_determinants(std::int64_t n, Run const& run) {
  Random random(61);
  BatchIn<T, Layout, N, N> a(n), s(n), l(n);
  BatchIn<T, Layout, N> v(n);
  BatchIn<T, Layout, 3> of_a(n), of_s(n), of_v(n), of_l(n);
  BatchIn<int, Left> codes(n);
  std::vector<KnownProduct> want(static_cast<std::size_t>(n)), want_s = want, want_v = want;
  std::vector<std::vector<T>> factors(static_cast<std::size_t>(n));
  for (auto& f : factors)
    f = known_factors<T>(random, N, ProductKind((&f - factors.data()) % product_kinds));
  a.fill([&](std::int64_t k) {
    auto const& f = factors[static_cast<std::size_t>(k)];
    auto const order = random_order(random, N);
    auto& known = want[static_cast<std::size_t>(k)] = known_product(f);
    known.multiply(sign_of_order(order));
    Dense m(N, N, 0);
    for (int i = 0; i < N; ++i)
      m(order[static_cast<std::size_t>(i)], i) = f[static_cast<std::size_t>(i)];
    return m;
  });
  auto const number = [&](std::int64_t k, int i) {
    return factors[static_cast<std::size_t>(k)][static_cast<std::size_t>(i)];
  };
  s.fill([&](std::int64_t k) {
    auto const order = random_order(random, N);
    auto& known = want_s[static_cast<std::size_t>(k)];
    Dense m(N, N, 0);
    for (int i = 0; i < N; ++i) {
      int const p = order[static_cast<std::size_t>(i)];
      long double const x = number(k, i);
      if (i + 1 < N && random() < 0) {
        // [0 x; x 0]: two of the numbers are equal.
        int const q = order[static_cast<std::size_t>(++i)];
        m(p, q) = m(q, p) = x;
        known.multiply(x), known.multiply(-x);
      } else {
        m(p, p) = x;
        known.multiply(x);
      }
    }
    return m;
  });
  v.fill([&](std::int64_t k) {
    want_v[static_cast<std::size_t>(k)] = known_product(factors[static_cast<std::size_t>(k)]);
    return make_dense(N, 1, [&](int i, int) { return number(k, i); });
  });
  l.fill([&](std::int64_t k) {
    return make_dense(N, N, [&](int i, int j) { return i == j ? number(k, i) : T(random()); });
  });
  run(DeterminantsOfTiles{}, out(of_a.view()), out(of_s.view()), out(of_v.view()), out(of_l.view()),
      in(a.view()), in(symmetric(s.view())), in(diagonal(v.view())), in(lower(l.view())),
      status(codes.view()));
  of_a.download(), of_s.download(), of_v.download(), of_l.download(), codes.download();
  int infinite = 0, finite = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    SCOPED_TRACE("item " + std::to_string(k) + " of " + std::to_string(N) + " rows");
    auto const i = static_cast<std::size_t>(k);
    auto const check = [&](T value, KnownProduct const& known, char const* what) {
      SCOPED_TRACE(what);
      expect_known<T>(N, value, known, std::isfinite(value) ? 0 : codes.at(k));
    };
    check(of_a.at(k, 0), want[i], "lu");
    check(of_s.at(k, 0), want_s[i], "ldlt");
    check(of_v.at(k, 0), want_v[i], "diagonal");
    check(of_l.at(k, 0), want_v[i], "lower");
    expect_known_log<T>(N, of_a.at(k, 1), of_a.at(k, 2), want[i]);
    expect_known_log<T>(2 * N, of_s.at(k, 1), of_s.at(k, 2), want_s[i]);
    bool const all = std::isfinite(of_a.at(k, 0)) && std::isfinite(of_s.at(k, 0));
    (all ? finite : infinite) += 1;
    if (all) {
      EXPECT_EQ(codes.at(k), 0);
    }
  }
  EXPECT_GT(finite, 0);
  EXPECT_TRUE(N == 1 || infinite > 0);
}

/// A determinant that is not finite must report this, even if a finite number is stored.
struct SizeOfDeterminant {
  template <class D, class A>
  KOKKOS_FUNCTION void operator()(D& d, A const& a) const {
    d = 1.0 / determinant(lu(a));
  }
};

struct ComplexDeterminants {
  template <class D, class A, class V>
  KOKKOS_FUNCTION void operator()(D& of_a, D& of_v, A const& a, V const& v) const {
    auto const f = lu(a);
    of_a = generate<3>([&](int k) {
      return k == 0 ? f.determinant() : k == 1 ? f.sign() : as_complex(f.log_abs_determinant(), 0);
    });
    of_v = generate<3>([&](int) { return determinant(v); });
  }
};
/// The same for complex numbers: real ones multiplied by 1, i, -1 or -i.
template <class T, class Layout, int N, class Run>
void expect_known_complex_determinants(std::int64_t n, Run const& run) {
  Random random(67);
  ComplexBatchIn<T, Layout, N, N> a(n);
  ComplexBatchIn<T, Layout, N> v(n);
  ComplexBatchIn<T, Layout, 3> of_a(n), of_v(n);
  BatchIn<int, Left> codes(n);
  LongComplex const units[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  std::vector<KnownProduct> sizes;
  std::vector<LongComplex> signs, signs_v;
  std::vector<std::vector<LongComplex>> factors;
  for (std::int64_t k = 0; k < n; ++k) {
    auto const f = known_factors<T>(random, N, ProductKind(k % product_kinds));
    sizes.push_back(known_product(f));
    LongComplex sign = sizes.back().factor < 0 ? -1 : 1;
    sizes.back().factor = std::fabs(sizes.back().factor);
    std::vector<LongComplex> of_item;
    for (T const x : f) {
      LongComplex const unit = units[random.integer(0, 3)];
      sign *= unit;
      of_item.push_back(unit * LongComplex(x));
    }
    factors.push_back(of_item);
    signs_v.push_back(sign);
  }
  fill_complex(v, [&](std::int64_t k) {
    return make_complex(N, 1, [&](int i, int) {
      return factors[static_cast<std::size_t>(k)][static_cast<std::size_t>(i)];
    });
  });
  fill_complex(a, [&](std::int64_t k) {
    auto const order = random_order(random, N);
    signs.push_back(signs_v[static_cast<std::size_t>(k)] * LongComplex(sign_of_order(order)));
    ComplexDense m(N, N);
    for (int i = 0; i < N; ++i)
      m(order[static_cast<std::size_t>(i)], i) =
          factors[static_cast<std::size_t>(k)][static_cast<std::size_t>(i)];
    return m;
  });
  run(ComplexDeterminants{}, out(of_a.view()), out(of_v.view()), in(a.view()),
      in(diagonal(v.view())), status(codes.view()));
  of_a.download(), of_v.download(), codes.download();
  for (std::int64_t k = 0; k < n; ++k) {
    SCOPED_TRACE("item " + std::to_string(k) + " of " + std::to_string(N) + " rows");
    auto const i = static_cast<std::size_t>(k);
    auto const check = [&](Kokkos::complex<T> const& value, LongComplex const& sign) {
      bool const real = std::fabs(sign.real()) > 0.5L;
      T const part = real ? value.real() : value.imag(), other = real ? value.imag() : value.real();
      KnownProduct want = sizes[i];
      want.multiply(real ? sign.real() : sign.imag());
      expect_known<T>(4 * N, part, want, codes.at(k));
      EXPECT_EQ(other, T(0));
    };
    check(of_a.at(k, 0), signs[i]);
    check(of_v.at(k, 0), signs_v[i]);
    EXPECT_NEAR(of_a.at(k, 1).real(), double(signs[i].real()), double(4 * N * epsilon<T>));
    EXPECT_NEAR(of_a.at(k, 1).imag(), double(signs[i].imag()), double(4 * N * epsilon<T>));
    expect_known_log<T>(4 * N, of_a.at(k, 2).real(), T(1), sizes[i]);
  }
}

}  // namespace Batchwork::Test

#endif

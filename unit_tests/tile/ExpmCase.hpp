// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// expm in a sequence, and checks of its results item by item. Tests run map, or device kernels on
/// threads of a host.
#ifndef BATCHWORK_TEST_EXPM_CASE_HPP
#define BATCHWORK_TEST_EXPM_CASE_HPP

#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {

struct Exponential {
  template <class X, class A>
  KOKKOS_FUNCTION void operator()(X& x, A const& a) const {
    x = expm(a);
  }
};

/// The kinds of items, with norms from denormal to 200, so that neighbouring items need 0 to 8
/// squarings.
enum class ExpmKind {
  random,
  symmetric,
  skew,
  larger,
  graded,
  hilbert,
  nilpotent,
  long_step,
  diagonal,
  zero,
  tiny,
  overflow,
  not_a_number
};
inline constexpr int expm_kinds = 13;
inline ExpmKind expm_kind(std::int64_t k) { return ExpmKind(k % expm_kinds); }

template <class T>
Dense expm_matrix(Random& random, int n, std::int64_t k) {
  auto const made = [&](auto entry) {
    return make_dense(n, n, [&](int i, int j) { return static_cast<T>(entry(i, j)); });
  };
  Dense const a = random_dense<T>(random, n, n);
  using Limits = std::numeric_limits<T>;
  switch (expm_kind(k)) {
    case ExpmKind::random: return a;
    case ExpmKind::symmetric: return made([&](int i, int j) { return a(i, j) + a(j, i); });
    // The exponential is a rotation, for any norm.
    case ExpmKind::skew: return made([&](int i, int j) { return 20 * (a(i, j) - a(j, i)); });
    case ExpmKind::larger:
      return made([&](int i, int j) { return std::ldexp(a(i, j), int(k / expm_kinds) % 4 - 1); });
    case ExpmKind::graded:
      return made([&](int i, int j) { return std::ldexp(a(i, j), -53 * std::max(i, j) / n); });
    case ExpmKind::hilbert: return made([](int i, int j) { return 1.0L / (i + j + 1); });
    case ExpmKind::nilpotent: return made([&](int i, int j) { return j > i ? 4 * a(i, j) : 0; });
    // Only [0 c; 0 0]: its exponential contains c itself.
    case ExpmKind::long_step:
      return made([&](int i, int j) {
        return i == 0 && j == n - 1 && n > 1 ? std::ldexp(1.5L, Limits::max_exponent - 3) : 0;
      });
    case ExpmKind::diagonal: return made([&](int i, int j) { return i == j ? 60 * a(i, i) : 0; });
    case ExpmKind::zero: return Dense(n, n, 0);
    case ExpmKind::tiny:
      return made([&](int i, int j) { return a(i, j) * static_cast<long double>(Limits::min()); });
    case ExpmKind::overflow: return made([&](int i, int j) { return i == j ? 4000 : a(i, j); });
    case ExpmKind::not_a_number: {
      Dense x = a;
      x(n - 1, int(k / expm_kinds) % n) = Limits::quiet_NaN();
      return x;
    }
  }
  return a;
}

/// By the series, for a matrix that is halved until its norm is less than a half, in long double.
inline Dense exponential(Dense a) {
  int const n = a.rows;
  int halvings = 0;
  for (; norm1(a) > 0.5L; ++halvings) a = 0.5L * a;
  Dense x = eye(n), term = eye(n);
  for (int m = 1; m < 30; ++m) {
    term = (1.0L / m) * (term * a);
    x = x + term;
  }
  for (; halvings > 0; --halvings) x = x * x;
  return x;
}

/// run(sequence, operands...) is a call of map. Error bound: 10 (n + 2) eps (1 + |a|) relative to
/// the exponential, because the inverse of the denominator of the approximant has a size up to 17.
/// For matrices far from normal it is relative to their sizes.
template <class T, class Layout, int N, class Run>
void expect_expm(std::int64_t n, Run const& run) {
  Random random(131);
  BatchIn<T, Layout, N, N> a(n), x(n), clean(n);
  BatchIn<int, Left> codes(n);
  a.fill([&](std::int64_t k) { return expm_matrix<T>(random, N, k); });
  auto const calculate = [&](auto& result) {
    run(Exponential{}, out(result.view()), in(a.const_view()), status(codes.view()));
    result.download(), codes.download();
  };
  calculate(x);
  for (std::int64_t k = 0; k < n; ++k) {
    SCOPED_TRACE("item " + std::to_string(k) + " of " + std::to_string(N) + " rows");
    ExpmKind const kind = expm_kind(k);
    if (kind == ExpmKind::not_a_number || kind == ExpmKind::overflow) {
      EXPECT_EQ(Status::reason(codes.at(k)), Reason::not_finite);
      EXPECT_EQ(Status::info(codes.at(k)), 0);
      bool finite = true;
      for (int i = 0; i < N * N; ++i) finite = finite && std::isfinite(x.at(k, i / N, i % N));
      EXPECT_FALSE(finite);
      continue;
    }
    ASSERT_EQ(codes.at(k), 0);
    Dense const ak = a.dense(k), xk = x.dense(k);
    if (kind == ExpmKind::zero) {
      EXPECT_TRUE(equal(xk, eye(N)));
      continue;
    }
    if (kind == ExpmKind::long_step) {
      EXPECT_TRUE(near(xk, eye(N) + ak, tolerance<T>(10 * N, 1) * abs(eye(N) + ak)));
      continue;
    }
    Dense const truth = exponential(ak);
    bool const far = kind == ExpmKind::nilpotent || kind == ExpmKind::graded;
    long double const few = 10 * (N + 2) * epsilon<T> * (1 + norm1(ak));
    EXPECT_TRUE(near(xk, truth, few * norm1(far ? exponential(abs(ak)) : truth)));
    if (kind == ExpmKind::skew) {
      EXPECT_TRUE(near(transpose(xk) * xk, eye(N), few));
    }
    if (kind == ExpmKind::diagonal) {
      for (int i = 0; i < N; ++i)
        EXPECT_NEAR(double(xk(i, i) / std::exp(ak(i, i))), 1, double(few)) << i;
    }
    if (kind == ExpmKind::tiny) {
      // I + a, where the off-diagonal entries have their own digits.
      Dense const step(N, N, N * static_cast<long double>(std::numeric_limits<T>::denorm_min()));
      EXPECT_TRUE(near(xk, eye(N) + ak, tolerance<T>(3 * N, 1) * (eye(N) + abs(ak)) + step));
    }
  }
  EXPECT_EQ(x.poisoned(), x.outside());

  // Neighbours are bitwise the same, for any number of squarings of an item.
  auto const replaced = [](std::int64_t k) {
    return expm_kind(k) == ExpmKind::not_a_number || expm_kind(k) == ExpmKind::overflow ||
           expm_kind(k) == ExpmKind::skew || expm_kind(k) == ExpmKind::long_step;
  };
  for (std::int64_t k = 0; k < n; ++k)
    if (replaced(k)) a.put(k, Dense(N, N, 0));
  a.upload();
  calculate(clean);
  for (std::int64_t k = 0; k < n; ++k) {
    EXPECT_EQ(codes.at(k), 0) << k;
    for (int i = 0; i < N * N && !replaced(k); ++i)
      EXPECT_TRUE(same_bits(clean.at(k, i / N, i % N), x.at(k, i / N, i % N))) << k;
  }
}

}  // namespace Batchwork::Test

#endif

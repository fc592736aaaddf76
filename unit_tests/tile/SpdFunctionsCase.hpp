// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// sqrt_spd and log_spd in a sequence, and checks of their results item by item. Tests run map, or
/// device kernels on threads of a host.
#ifndef BATCHWORK_TEST_SPD_FUNCTIONS_CASE_HPP
#define BATCHWORK_TEST_SPD_FUNCTIONS_CASE_HPP

#include "ExpmCase.hpp"

namespace Batchwork::Test {

struct RootOf {
  template <class X, class A>
  KOKKOS_FUNCTION void operator()(X& x, A const& a) const {
    x = sqrt_spd(a);
  }
};
struct LogarithmOf {
  template <class X, class A>
  KOKKOS_FUNCTION void operator()(X& x, A const& a) const {
    x = log_spd(a);
  }
};

/// The kinds of items. `rank_one`: all eigenvalues but one are zero. `indefinite`: one is negative.
enum class SpdKind {
  random,
  graded,
  hilbert,
  unit,
  diagonal,
  rank_one,
  zero,
  indefinite,
  huge,
  tiny,
  not_a_number
};
inline constexpr int spd_kinds = 11;
inline SpdKind spd_kind(std::int64_t k) { return SpdKind(k % spd_kinds); }

template <class T>
Dense spd_matrix(Random& random, int n, std::int64_t k) {
  auto const made = [&](auto entry) {
    return mirrored(make_dense(n, n, [&](int i, int j) { return static_cast<T>(entry(i, j)); }));
  };
  Dense const a = random_spd<T>(random, n), u = random_dense<T>(random, n, 1);
  using Limits = std::numeric_limits<T>;
  switch (spd_kind(k)) {
    case SpdKind::random: return a;
    // Scaled rows and columns: eigenvalues over a range of 2^53.
    case SpdKind::graded:
      return made([&](int i, int j) { return std::ldexp(a(i, j), -(26 * i / n) - 26 * j / n); });
    case SpdKind::hilbert: return made([](int i, int j) { return 1.0L / (i + j + 1); });
    case SpdKind::unit: return eye(n);
    case SpdKind::diagonal:
      return made([&](int i, int j) { return i == j ? std::ldexp(1.0L, (i - n / 2) / 3) : 0; });
    // Whole numbers, so that it is exactly singular.
    case SpdKind::rank_one:
      return made([&](int i, int j) {
        return std::round(8 * u(i)) * std::round(8 * u(j)) + (n == 1 ? 1 : 0);
      });
    case SpdKind::zero: return Dense(n, n, 0);
    case SpdKind::indefinite:
      return made([&](int i, int j) { return i == j && i == n / 2 ? -1 - a(i, j) : a(i, j); });
    case SpdKind::huge:
      return made([&](int i, int j) {
        return a(i, j) / norm1(a) * static_cast<long double>(Limits::max()) / 4;
      });
    case SpdKind::tiny:
      return made([&](int i, int j) { return a(i, j) * static_cast<long double>(Limits::min()); });
    case SpdKind::not_a_number: {
      Dense x = a;
      x(n - 1, int(k / spd_kinds) % n) = Limits::quiet_NaN();
      return x;
    }
  }
  return a;
}

/// run(sequence, operands...) is a call of map. The square of the root must be a to 10 n eps |a|.
/// The exponential of the logarithm must be a to the same bound times the size of the logarithm,
/// because the exponential multiplies its error by a.
template <class T, class Layout, int N, class Run>
void expect_spd_functions(std::int64_t n, Run const& run) {
  Random random(139);
  BatchIn<T, Layout, N, N> a(n), root(n), logarithm(n), clean(n);
  BatchIn<int, Left> codes(n), log_codes(n);
  a.fill([&](std::int64_t k) { return spd_matrix<T>(random, N, k); });
  auto const calculate = [&](auto const& function, auto& result, auto& status_of) {
    run(function, out(symmetric(result.view())), in(symmetric(a.const_view())),
        status(status_of.view()));
    result.download(), status_of.download();
  };
  calculate(RootOf{}, root, codes);
  calculate(LogarithmOf{}, logarithm, log_codes);
  long double const step = std::numeric_limits<T>::denorm_min();
  auto const fails = [](std::int64_t k) {
    return spd_kind(k) == SpdKind::not_a_number || spd_kind(k) == SpdKind::indefinite;
  };
  for (std::int64_t k = 0; k < n; ++k) {
    SCOPED_TRACE("item " + std::to_string(k) + " of " + std::to_string(N) + " rows");
    SpdKind const kind = spd_kind(k);
    if (fails(k)) {
      bool const nan = kind == SpdKind::not_a_number;
      Reason const reason = nan ? Reason::not_finite : Reason::not_positive_definite;
      EXPECT_EQ(Status::reason(codes.at(k)), reason);
      EXPECT_EQ(Status::reason(log_codes.at(k)), reason);
      EXPECT_EQ(Status::info(codes.at(k)), nan ? 0 : 1);
      EXPECT_EQ(Status::info(log_codes.at(k)), nan ? 0 : 1);
      EXPECT_FALSE(std::isfinite(root.at(k, 0, 0)));
      EXPECT_FALSE(std::isfinite(logarithm.at(k, 0, 0)));
      continue;
    }
    Dense const ak = mirrored(a.dense(k)), x = root.dense(k);
    long double const size = norm1(ak);
    ASSERT_EQ(codes.at(k), 0);
    EXPECT_TRUE(equal(x, transpose(x)));
    EXPECT_TRUE(near(x * x, ak, 10 * N * (epsilon<T> * size + step)));
    long double least = 0;
    for (int i = 0; i < N; ++i) least = std::min(least, x(i, i));
    // Semidefinite, so it is the principal root.
    EXPECT_GE(least, -10 * N * epsilon<T> * norm1(x));
    int info = 0;
    cholesky(x + 100 * N * epsilon<T> * norm1(x) * eye(N), &info);
    if (size > 0) {
      EXPECT_EQ(info, 0);
    }
    if (kind == SpdKind::unit) {
      EXPECT_TRUE(near(x, eye(N), 10 * N * epsilon<T>));
    }

    bool const singular = kind == SpdKind::zero || (kind == SpdKind::rank_one && N > 1);
    Dense const y = logarithm.dense(k);
    if (kind == SpdKind::zero) {
      EXPECT_EQ(Status::reason(log_codes.at(k)), Reason::not_positive_definite);
      EXPECT_EQ(Status::info(log_codes.at(k)), 1);
      EXPECT_FALSE(std::isfinite(y(0, 0)));
    }
    // If the smallest eigenvalues are rounding errors, their logarithms are arbitrary.
    if (singular || kind == SpdKind::tiny || kind == SpdKind::hilbert || kind == SpdKind::graded)
      continue;
    ASSERT_EQ(log_codes.at(k), 0);
    EXPECT_TRUE(equal(y, transpose(y)));
    long double const factor = 10 * N * epsilon<T> * (1 + norm1(y));
    if (kind == SpdKind::huge) {
      // The function of a smaller matrix plus a multiple of the identity.
      int const down = std::numeric_limits<T>::max_exponent;
      Dense const less = std::ldexp(1.0L, -down) * ak, z = y - down * std::log(2.0L) * eye(N);
      EXPECT_TRUE(near(exponential(z), less, factor * norm1(less)));
    } else {
      EXPECT_TRUE(near(exponential(y), ak, factor * size));
    }
    if (kind == SpdKind::diagonal) {
      for (int i = 0; i < N; ++i)
        EXPECT_NEAR(double(y(i, i)), double((i - N / 2) / 3 * std::log(2.0L)),
                    double(tolerance<T>(10 * N, norm1(ak) / ak(i, i))))
            << i;
    }
  }
  EXPECT_EQ(root.poisoned(), root.outside());
  EXPECT_EQ(logarithm.poisoned(), logarithm.outside());

  // Neighbours are bitwise the same.
  for (std::int64_t k = 0; k < n; ++k)
    if (fails(k)) a.put(k, eye(N));
  a.upload();
  calculate(RootOf{}, clean, codes);
  for (std::int64_t k = 0; k < n; ++k) {
    EXPECT_EQ(codes.at(k), 0) << k;
    for (int i = 0; i < N * N && !fails(k); ++i)
      EXPECT_TRUE(same_bits(clean.at(k, i / N, i % N), root.at(k, i / N, i % N))) << k;
  }
}

}  // namespace Batchwork::Test

#endif

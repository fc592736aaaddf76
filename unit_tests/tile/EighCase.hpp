// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// eigh in a sequence, and checks of its results item by item. Tests run map, or device kernels on
/// threads of a host.
#ifndef BATCHWORK_TEST_EIGH_CASE_HPP
#define BATCHWORK_TEST_EIGH_CASE_HPP

#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {

struct FactorByEigh {
  template <class W, class V, class A>
  KOKKOS_FUNCTION void operator()(W& values, V& vectors, A const& a) const {
    auto const e = eigh(a);
    values = e.values();
    vectors = e.vectors();
  }
};

/// The kinds of items. `opposite`: every eigenvalue has a negative counterpart. `barely_coupled`:
/// tridiagonal with a zero diagonal and entries next to it that are just not negligible; their
/// squares underflow in float, which gives rotations without an angle.
enum class EighKind {
  random,
  graded,
  hilbert,
  repeated,
  clustered,
  opposite,
  one_direction,
  diagonal,
  unit,
  zero,
  huge,
  tiny,
  not_a_number,
  barely_coupled
};
inline constexpr int eigh_kinds = 14;
inline EighKind eigh_kind(std::int64_t k) { return EighKind(k % eigh_kinds); }

/// H diag(values) H with a reflection H in a random direction, or with two reflections.
template <class T, class F>
Dense with_eigenvalues(Random& random, int n, F const& value) {
  Dense a = make_dense(n, n, [&](int i, int j) { return i == j ? value(i) : 0; });
  for (int times = 0; times < 2; ++times) {
    Dense const u = random_dense<long double>(random, n, 1);
    Dense const h = eye(n) - (2 / dot(u, u)) * (u * transpose(u));
    a = h * a * h;
  }
  return a;
}

template <class T>
Dense eigh_matrix(Random& random, int n, std::int64_t k) {
  auto const rounded = [&](Dense const& x) {
    return mirrored(make_dense(n, n, [&](int i, int j) { return static_cast<T>(x(i, j)); }));
  };
  auto const made = [&](auto entry) { return rounded(make_dense(n, n, entry)); };
  auto const with = [&](auto value) { return rounded(with_eigenvalues<T>(random, n, value)); };
  Dense const a = random_dense<T>(random, n, n);
  using Limits = std::numeric_limits<T>;
  switch (eigh_kind(k)) {
    case EighKind::random: return rounded(a);
    case EighKind::graded:
      return made([&](int i, int j) { return std::ldexp(a(i, j), -53 * std::max(i, j) / n); });
    case EighKind::hilbert: return made([](int i, int j) { return 1.0L / (i + j + 1); });
    case EighKind::repeated: return with([](int i) { return i % 3 == 0 ? 2.0L : -1.0L; });
    case EighKind::clustered: return with([](int i) { return 1.0L + i * 8 * epsilon<T>; });
    case EighKind::opposite:
      return with([](int i) { return i % 2 == 0 ? 1.0L + i / 2 : -1.0L - i / 2; });
    case EighKind::one_direction: return made([&](int i, int j) { return a(i, 0) * a(j, 0); });
    case EighKind::diagonal: return made([&](int i, int j) { return i == j ? a(i, i) : 0; });
    case EighKind::unit: return eye(n);
    case EighKind::zero: return Dense(n, n, 0);
    case EighKind::huge:
      return made([&](int i, int j) {
        return a(i, j) * static_cast<long double>(Limits::max()) / (2 * n);
      });
    case EighKind::tiny:
      return made([&](int i, int j) { return a(i, j) * static_cast<long double>(Limits::min()); });
    case EighKind::not_a_number: {
      Dense x = rounded(a);
      int const at = int(k / eigh_kinds) % n;
      x(n - 1, at) = Limits::quiet_NaN();
      return x;
    }
    case EighKind::barely_coupled:
      return made([&](int i, int j) {
        return i == j + 1 ? 8 * epsilon<T> * epsilon<T> : i == j && i == n - 1 ? 1.0L : 0.0L;
      });
  }
  return a;
}

/// The residual and the loss of orthogonality are within 10 n eps, which bounds the error of all
/// eigenvalues (Golub and Van Loan, 4th edition, theorem 8.1.5).
template <class T>
void expect_eigenpairs(EighKind kind, Dense const& a, Dense const& w, Dense const& v) {
  int const n = a.rows;
  long double const few = 10 * n * epsilon<T>, step = std::numeric_limits<T>::denorm_min();
  long double size = 0;
  for (int i = 0; i < n; ++i) size = std::max(size, std::fabs(w(i)));
  for (int i = 1; i < n; ++i) EXPECT_LE(w(i - 1), w(i));
  EXPECT_TRUE(near(transpose(v) * v, eye(n), Dense(n, n, few)));
  Dense const scaled = make_dense(n, n, [&](int i, int j) { return v(i, j) * w(j); });
  EXPECT_TRUE(near(a * v, scaled, Dense(n, n, few * size + n * step)));
#if defined(BATCHWORK_HAVE_LAPACK)
  if (kind != EighKind::huge && kind != EighKind::tiny) {
    auto const values = Lapack::eigenvalues(a);
    for (int i = 0; i < n; ++i)
      EXPECT_NEAR(double(w(i)), values[std::size_t(i)], double(few * size)) << i;
  }
#else
  (void)kind;
#endif
}

/// run(sequence, operands...) is a call of map. `spoils_all`: an item that is not finite must have
/// only NaN as results.
template <class T, class Layout, int N, class Run>
void expect_eigh(std::int64_t n, Run const& run, bool spoils_all = false) {
  Random random(109);
  BatchIn<T, Layout, N, N> a(n), v(n), clean(n);
  BatchIn<T, Layout, N> w(n);
  BatchIn<int, Left> codes(n);
  a.fill([&](std::int64_t k) { return eigh_matrix<T>(random, N, k); });
  auto const factor = [&](auto& vectors) {
    run(FactorByEigh{}, out(w.view()), out(vectors.view()), in(symmetric(a.const_view())),
        status(codes.view()));
    w.download(), vectors.download(), codes.download();
  };
  factor(v);
  for (std::int64_t k = 0; k < n; ++k) {
    SCOPED_TRACE("item " + std::to_string(k) + " of " + std::to_string(N) + " rows");
    if (eigh_kind(k) == EighKind::not_a_number) {
      EXPECT_EQ(Status::reason(codes.at(k)), Reason::not_finite);
      EXPECT_EQ(Status::info(codes.at(k)), 0);
      for (int i = 0; i < N && spoils_all; ++i) {
        EXPECT_TRUE(std::isnan(w.at(k, i)));
        for (int j = 0; j < N; ++j) EXPECT_TRUE(std::isnan(v.at(k, i, j)));
      }
      continue;
    }
    ASSERT_EQ(codes.at(k), 0);
    expect_eigenpairs<T>(eigh_kind(k), mirrored(a.dense(k)), w.dense(k), v.dense(k));
  }
  EXPECT_EQ(v.poisoned(), v.outside());
  EXPECT_EQ(w.poisoned(), w.outside());

  // Neighbours are bitwise the same, for any number of sweeps of an item.
  for (std::int64_t k = 0; k < n; ++k)
    if (eigh_kind(k) == EighKind::not_a_number || eigh_kind(k) == EighKind::random)
      a.put(k, eye(N));
  a.upload();
  factor(clean);
  for (std::int64_t k = 0; k < n; ++k) {
    EXPECT_EQ(codes.at(k), 0) << k;
    if (eigh_kind(k) == EighKind::not_a_number || eigh_kind(k) == EighKind::random) continue;
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) EXPECT_TRUE(same_bits(clean.at(k, i, j), v.at(k, i, j))) << k;
  }
}

}  // namespace Batchwork::Test

#endif

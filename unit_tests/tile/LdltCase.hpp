// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// ldlt in a sequence, and checks of its results item by item. Tests run map, or device kernels on
/// threads of a host.
#ifndef BATCHWORK_TEST_LDLT_CASE_HPP
#define BATCHWORK_TEST_LDLT_CASE_HPP

#include "LuCase.hpp"

namespace Batchwork::Test {

struct FactorAndSolveByLdlt {
  template <class L, class D, class P, class X, class Y, class V, class Numbers, class A, class B,
            class W>
  KOKKOS_FUNCTION void operator()(L& l, D& d, P& permuted, X& x, Y& y, V& inverted, Numbers& det,
                                  Numbers& log_det, Numbers& sign, Numbers& negative, A const& a,
                                  B const& b, W const& w) const {
    auto const f = ldlt(a);
    l = f.lower();
    d = f.d();
    // The permutation itself.
    permuted = f.permute(identity<A::rows>(a));
    x = solve(f, b);
    y = f.solve(w);
    inverted = inverse(f);
    det = determinant(f);
    log_det = f.log_abs_determinant();
    sign = f.sign();
    negative = f.negative_eigenvalues();
  }
};

/// The kinds of items. `zero_diagonal` and `exchanges` begin with a 2 x 2 pivot, so that
/// neighbouring items take different steps.
enum class LdltKind {
  random,
  zero_diagonal,
  definite,
  saddle_point,
  graded,
  exchanges,
  negative_definite,
  hilbert,
  diagonal,
  zero_column,
  zero,
  huge,
  tiny,
  not_a_number
};
inline constexpr int ldlt_kinds = 14;
inline LdltKind ldlt_kind(std::int64_t k) { return LdltKind(k % ldlt_kinds); }

template <class T>
Dense ldlt_matrix(Random& random, int n, std::int64_t k) {
  auto const made = [&](auto entry) {
    return mirrored(make_dense(n, n, [&](int i, int j) { return static_cast<T>(entry(i, j)); }));
  };
  Dense const a = random_dense<T>(random, n, n), definite = random_spd<T>(random, n);
  using Limits = std::numeric_limits<T>;
  int const at = int(k / ldlt_kinds) % n;
  switch (ldlt_kind(k)) {
    case LdltKind::random: return mirrored(a);
    case LdltKind::zero_diagonal:
      return made([&](int i, int j) { return i == j && n > 1 ? 0 : a(i, j); });
    case LdltKind::definite: return definite;
    // [H B'; B 0]
    case LdltKind::saddle_point:
      return made([&](int i, int j) {
        int const m = (2 * n + 2) / 3;
        return i < m ? definite(i, j) : j < m ? a(i, j) : 0;
      });
    case LdltKind::graded:
      return made([&](int i, int j) { return std::ldexp(a(i, j), -53 * std::max(i, j) / n); });
    // The large entry of each row is far from the diagonal, and the entries near the diagonal are
    // small.
    case LdltKind::exchanges:
      return made([&](int i, int j) {
        return i + j == n - 1 ? 4 + a(i, j) : std::ldexp(a(i, j), i == j ? -20 : -3);
      });
    case LdltKind::negative_definite: return -1.0L * definite;
    case LdltKind::hilbert: return made([](int i, int j) { return 1.0L / (i + j + 1); });
    case LdltKind::diagonal:
      return made([&](int i, int j) { return i == j ? a(i, i) + (a(i, i) < 0 ? -1 : 1) : 0; });
    case LdltKind::zero_column:
      return made([&](int i, int j) { return i == at || j == at ? 0 : a(i, j); });
    case LdltKind::zero: return Dense(n, n, 0);
    case LdltKind::huge:
      return made([&](int i, int j) {
        return a(i, j) * static_cast<long double>(Limits::max()) / (64 * n);
      });
    case LdltKind::tiny:
      return made(
          [&](int i, int j) { return a(i, j) * static_cast<long double>(Limits::min()) / 2; });
    case LdltKind::not_a_number: {
      Dense x = mirrored(a);
      x(n - 1, at) = Limits::quiet_NaN();
      return x;
    }
  }
  return a;
}

inline long double largest(Dense const& x) {
  long double r = 0;
  for (long double const entry : x.a) r = std::max(r, std::fabs(entry));
  return r;
}

/// run(sequence, operands...) is a call of map. Errors are bounded as in Higham, Accuracy and
/// Stability of Numerical Algorithms, 2nd edition, theorem 11.3: by a few n eps |L| |D| |L'| of the
/// returned factors.
template <class T, class Layout, int N, int C, class Run>
void expect_ldlt(std::int64_t n, Run const& run) {
  Random random(151);
  BatchIn<T, Layout, N, N> a(n), l(n), d(n), permuted(n), inverted(n);
  BatchIn<T, Layout, N, C> b(n), x(n), clean(n);
  BatchIn<T, Layout, N> w(n), y(n);
  BatchIn<T, Left> det(n), log_det(n), sign(n), negative(n);
  BatchIn<int, Left> codes(n);
  auto const scale = [](std::int64_t k) {
    return ldlt_kind(k) == LdltKind::tiny ? std::numeric_limits<T>::min() : T(1);
  };
  a.fill([&](std::int64_t k) { return ldlt_matrix<T>(random, N, k); });
  auto const right = [&](int columns) {
    return [&, columns](std::int64_t k) {
      return make_dense(N, columns, [&](int, int) { return static_cast<T>(random()) * scale(k); });
    };
  };
  b.fill(right(C)), w.fill(right(1));
  auto const calculate = [&](auto& solution) {
    run(FactorAndSolveByLdlt{}, out(l.view()), out(d.view()), out(permuted.view()),
        out(solution.view()), out(y.view()), out(inverted.view()), out(det.view()),
        out(log_det.view()), out(sign.view()), out(negative.view()), in(symmetric(a.const_view())),
        in(b.const_view()), in(w.const_view()), status(codes.view()));
    l.download(), d.download(), permuted.download(), solution.download(), y.download();
    inverted.download(), det.download(), log_det.download(), sign.download();
    negative.download(), codes.download();
  };
  calculate(x);

  int pairs = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    SCOPED_TRACE("item " + std::to_string(k) + " of " + std::to_string(N) + " rows");
    LdltKind const kind = ldlt_kind(k);
    if (kind == LdltKind::not_a_number) {
      EXPECT_EQ(Status::reason(codes.at(k)), Reason::not_finite);
      EXPECT_GE(Status::info(codes.at(k)), 1);
      EXPECT_LE(Status::info(codes.at(k)), N);
      EXPECT_FALSE(std::isfinite(det.at(k)));
      EXPECT_FALSE(std::isfinite(negative.at(k)));
      continue;
    }
    Dense const ak = mirrored(a.dense(k)), lk = l.dense(k), dk = d.dense(k), pk = permuted.dense(k);
    // P has one 1 in each row and column.
    for (int i = 0; i < N; ++i) {
      int in_row = 0, in_column = 0;
      for (int j = 0; j < N; ++j) {
        ASSERT_TRUE(pk(i, j) == 0 || pk(i, j) == 1);
        in_row += pk(i, j) == 1, in_column += pk(j, i) == 1;
      }
      ASSERT_EQ(in_row, 1);
      ASSERT_EQ(in_column, 1);
    }
    // L is unit lower triangular, and D is symmetric with blocks. For blocks with two rows L has a
    // zero.
    int first_zero = 0;
    for (int i = 0; i < N; ++i) {
      for (int j = i; j < N; ++j) {
        EXPECT_EQ(lk(i, j), i == j ? 1 : 0);
        EXPECT_EQ(dk(i, j), dk(j, i));
        if (j > i + 1) {
          EXPECT_EQ(dk(i, j), 0);
        }
      }
      bool const begins = i + 1 < N && dk(i + 1, i) != 0, ends = i > 0 && dk(i, i - 1) != 0;
      EXPECT_FALSE(begins && ends);
      if (begins) {
        ++pairs;
        EXPECT_EQ(lk(i + 1, i), 0);
        // At most alpha^2 = 0.41, where alpha is the constant of the pivot choice.
        EXPECT_LT(std::fabs(dk(i, i) * dk(i + 1, i + 1)), 0.4102L * dk(i + 1, i) * dk(i + 1, i));
      }
      if (!begins && !ends && dk(i, i) == 0 && first_zero == 0) first_zero = i + 1;
    }
    if (kind == LdltKind::definite || kind == LdltKind::negative_definite) {
      EXPECT_TRUE(equal(dk, diagonal_part(dk)));
    }
    ASSERT_EQ(Status::info(codes.at(k)), first_zero);
    if (kind == LdltKind::zero || kind == LdltKind::zero_column) {
      EXPECT_GE(first_zero, 1);
    }
    // The inverse of tiny numbers and the determinant of huge ones overflow, and map reports this.
    if (kind != LdltKind::tiny && kind != LdltKind::huge) {
      ASSERT_EQ(Status::reason(codes.at(k)), first_zero > 0 ? Reason::singular : Reason::success);
    }
    long double const step = std::numeric_limits<T>::denorm_min();
    Dense const size = abs(lk) * abs(dk) * transpose(abs(lk));
    // Theorem 11.4; for these matrices the growth between the factors is less than 8.
    EXPECT_TRUE(near(size, Dense(N, N, 0), 8 * 36 * N * largest(ak)));
    Dense const of_factors = lk * dk * transpose(lk);
    EXPECT_TRUE(near(of_factors, pk * ak * transpose(pk),
                     tolerance<T>(2 * N, 1) * size + Dense(N, N, 8 * N * step)));
#if defined(BATCHWORK_HAVE_LAPACK)
    // Whether a pivot is exactly zero depends on rounding, except if a whole column is zero.
    if (first_zero > 0 || kind == LdltKind::definite || kind == LdltKind::diagonal) {
      EXPECT_EQ(Lapack::sytrf_info<T>(ak) > 0, first_zero > 0);
    }
#endif
    // Exactly, from D: a 2 x 2 block has one positive and one negative eigenvalue.
    int count = 0, sign_of = 1;
    long double product = 1, sum = 0;
    for (int i = 0; i < N; ++i) {
      bool const pair = i + 1 < N && dk(i + 1, i) != 0;
      long double const block =
          pair ? dk(i, i) * dk(i + 1, i + 1) - dk(i + 1, i) * dk(i + 1, i) : dk(i, i);
      product *= block, sum += std::log(std::fabs(block));
      count += block < 0, sign_of *= block < 0 ? -1 : block > 0 ? 1 : 0;
      i += pair;
    }
    EXPECT_EQ(negative.at(k), count);
    EXPECT_EQ(sign.at(k), sign_of);
    if (kind == LdltKind::definite) {
      EXPECT_EQ(count, 0);
    }
    if (kind == LdltKind::negative_definite) {
      EXPECT_EQ(count, N);
    }
#if defined(BATCHWORK_HAVE_LAPACK)
    if (kind == LdltKind::random || kind == LdltKind::saddle_point || kind == LdltKind::exchanges) {
      int negative_values = 0;
      bool clear = true;
      for (double const value : Lapack::eigenvalues(ak)) {
        negative_values += value < 0;
        clear = clear && std::fabs(value) > double(100 * N * epsilon<T> * norm1(size));
      }
      if (clear) {
        EXPECT_EQ(count, negative_values);
      }
    }
#endif
    auto const solves = [&](Dense const& z, Dense const& right_side, char const* what) {
      Dense const allowed = tolerance<T>(6 * N, 1) * (size * abs(pk * z)) +
                            16 * N * step * (Dense(N, N, 1) * abs(z) + Dense(N, z.cols, 1));
      EXPECT_TRUE(near(pk * (ak * z), pk * right_side, allowed)) << what;
    };
    if (first_zero > 0) {
      EXPECT_EQ(det.at(k), T(0));
      EXPECT_EQ(log_det.at(k), -std::numeric_limits<T>::infinity());
      bool finite = true;
      for (int i = 0; i < N; ++i) finite = finite && std::isfinite(y.at(k, i));
      EXPECT_FALSE(finite);
      continue;
    }
    EXPECT_NEAR(double(log_det.at(k)), double(sum),
                double(tolerance<T>(2 * N, 1) + tolerance<T>(2 * N, std::fabs(sum))));
    solves(x.dense(k), b.dense(k), "columns");
    solves(y.dense(k), w.dense(k), "one column");
    if (kind == LdltKind::tiny || kind == LdltKind::huge) continue;
    solves(inverted.dense(k), eye(N), "inverse");
    // If the determinant is not a normal number, only its logarithm is known.
    if (std::fabs(product) < std::numeric_limits<T>::min() / epsilon<T>) continue;
    EXPECT_NEAR(double(det.at(k)), double(product), double(tolerance<T>(2 * N, product)));
    if (kind == LdltKind::random || kind == LdltKind::zero_diagonal) {
      Dense const inverse = inverted.dense(k);
      EXPECT_NEAR(double(det.at(k)), double(determinant(ak)),
                  double(tolerance<T>(2 * N, product, 1 + norm1(abs(inverse)) * norm1(size))));
    }
  }
  EXPECT_TRUE(N == 1 || pairs > 0);
  EXPECT_EQ(x.poisoned(), x.outside());
  EXPECT_EQ(inverted.poisoned(), inverted.outside());

  // Neighbours are bitwise the same, for any pivots of other items.
  auto const replaced = [](std::int64_t k) {
    LdltKind const kind = ldlt_kind(k);
    return kind == LdltKind::not_a_number || kind == LdltKind::zero_column ||
           kind == LdltKind::zero || kind == LdltKind::exchanges ||
           kind == LdltKind::zero_diagonal || kind == LdltKind::random;
  };
  for (std::int64_t k = 0; k < n; ++k)
    if (replaced(k)) a.put(k, eye(N));
  a.upload();
  calculate(clean);
  for (std::int64_t k = 0; k < n; ++k) {
    EXPECT_EQ(Status::info(codes.at(k)), 0) << k;
    for (int i = 0; i < N * C && !replaced(k); ++i)
      EXPECT_TRUE(same_bits(clean.at(k, i / C, i % C), x.at(k, i / C, i % C))) << k;
  }
}

}  // namespace Batchwork::Test

#endif

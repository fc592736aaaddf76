// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// rank_update and rank_downdate in a sequence, and checks of their results item by item. Tests run
/// map, or device kernels on threads of a host.
#ifndef BATCHWORK_TEST_RANKUPDATE_CASE_HPP
#define BATCHWORK_TEST_RANKUPDATE_CASE_HPP

#include "tile/QrCase.hpp"

namespace Batchwork::Test {

struct UpdateFactor {
  template <class U, class D, class L, class V>
  KOKKOS_FUNCTION void operator()(U& up, D& back, L const& l, V const& v) const {
    up = rank_update(l, v);
    back = rank_downdate(up, v);
  }
};
struct DowndateFactor {
  template <class D, class L, class V>
  KOKKOS_FUNCTION void operator()(D& down, L const& l, V const& v) const {
    down = rank_downdate(l, v);
  }
};
struct UpdateCholesky {
  template <class U, class D, class A, class V, class W>
  KOKKOS_FUNCTION void operator()(U& up, D& down, A const& a, V const& v, W const& w) const {
    up = rank_update(cholesky(a), w);
    down = rank_downdate(cholesky(a), v * scalar_t<value_t<A>>(0.125));
  }
};

/// The ten kinds of items.
enum class FactorKind {
  random,
  rows_graded,
  columns_graded,
  added_is_zero,
  added_is_large,
  huge,
  tiny,
  signs,
  zero,
  not_a_number
};
inline FactorKind factor_kind(std::int64_t k) { return FactorKind(k % 10); }

/// L and V of item k.
template <class T>
std::pair<Dense, Dense> factor_and_columns(Random& random, int n, int c, std::int64_t k) {
  Dense l = random_lower<T>(random, n), v = random_dense<T>(random, n, c);
  int const at = int(k / 10) % n;
  auto const scaled = [](Dense const& x, auto f) {
    return make_dense(x.rows, x.cols,
                      [&](int i, int j) { return static_cast<T>(f(i, j) * x(i, j)); });
  };
  auto const graded = [&](int i) { return std::ldexp(1.0L, 53 * i / n - 26); };
  long double const large = static_cast<long double>(std::numeric_limits<T>::max()) / (16 * n),
                    least = 64 * static_cast<long double>(std::numeric_limits<T>::min());
  if (factor_kind(k) != FactorKind::signs)
    for (int j = 0; j < n; ++j) l(j, j) = std::fabs(l(j, j));
  switch (factor_kind(k)) {
    case FactorKind::random:
    case FactorKind::signs: break;
    case FactorKind::rows_graded: {
      auto const by_row = [&](int i, int) { return graded(i); };
      return {scaled(l, by_row), scaled(v, by_row)};
    }
    case FactorKind::columns_graded: return {scaled(l, [&](int, int j) { return graded(j); }), v};
    case FactorKind::added_is_zero: return {l, Dense(n, c, 0)};
    case FactorKind::added_is_large: return {l, scaled(v, [](int, int) { return 4096.0L; })};
    case FactorKind::huge: {
      auto const by = [&](int, int) { return large; };
      return {scaled(l, by), scaled(v, by)};
    }
    case FactorKind::tiny: {
      auto const by = [&](int, int) { return least; };
      return {scaled(l, by), scaled(v, by)};
    }
    case FactorKind::zero: return {Dense(n, n, 0), v};
    case FactorKind::not_a_number:
      if (k / 10 % 2 == 0) l(at, at / 2) = std::numeric_limits<T>::quiet_NaN();
      else v(at, c / 2) = std::numeric_limits<T>::infinity();
  }
  return {l, v};
}

/// The lengths of the rows of [l v].
inline Dense row_sizes(Dense const& l, Dense const& v) {
  Dense const lt = transpose(l), vt = transpose(v);
  return make_dense(l.rows, 1,
                    [&](int i, int) { return std::hypot(column_norm(lt, i), column_norm(vt, i)); });
}

/// run(sequence, operands...) is a call of map. Row i of L~ has the length of row i of [L V]. The
/// products of rows of L~ must agree with those of [L V] to rounding, relative to these lengths.
/// Lengths are scaled to one, so that no product overflows.
template <class T, class Layout, int N, int C, class Run>
void expect_rank_update(std::int64_t n, Run const& run) {
  Random random(307);
  BatchIn<T, Layout, N, N> l(n), up(n), back(n), clean(n), unused(n);
  BatchIn<T, Layout, N, C> v(n);
  BatchIn<int, Left> codes(n), plain(n);
  auto const one_way = [&](auto& result, auto& other, auto& status_of) {
    run(UpdateFactor{}, out(lower(result.view())), out(lower(other.view())),
        in(lower(l.const_view())), in(v.const_view()), status(status_of.view()));
    result.download(), other.download(), status_of.download();
  };
  for (std::int64_t k = 0; k < n; ++k) {
    auto const [lk, vk] = factor_and_columns<T>(random, N, C, k);
    l.put(k, lk), v.put(k, vk);
  }
  l.upload(), v.upload();
  one_way(up, back, codes);
  long double const few = 10 * (N + C) * epsilon<T>;
  for (std::int64_t k = 0; k < n; ++k) {
    FactorKind const kind = factor_kind(k);
    SCOPED_TRACE("item " + std::to_string(k) + " of " + std::to_string(N) + " and " +
                 std::to_string(C));
    if (kind == FactorKind::not_a_number) {
      EXPECT_EQ(Status::reason(codes.at(k)), Reason::not_finite);
      EXPECT_EQ(Status::info(codes.at(k)), int(k / 10) % N + 1);
      continue;
    }
    Dense const lk = l.dense(k), vk = v.dense(k), uk = lower_triangle(up.dense(k)),
                size = row_sizes(lk, vk);
    auto const rows = [&](Dense const& x) {
      return make_dense(x.rows, x.cols, [&](int i, int j) { return x(i, j) / size(i); });
    };
    Dense const ls = rows(lk), vs = rows(vk), us = rows(uk);
    EXPECT_TRUE(
        near(us * transpose(us), ls * transpose(ls) + vs * transpose(vs), Dense(N, N, few)));
    for (int i = 0; i < N; ++i) EXPECT_GE(uk(i, i), 0);
    if (kind == FactorKind::added_is_zero) {
      EXPECT_TRUE(equal(uk, lk));
    }
    // And back again, if the matrix stays larger than half of it.
    if (kind == FactorKind::random || kind == FactorKind::signs ||
        kind == FactorKind::rows_graded || kind == FactorKind::huge || kind == FactorKind::tiny) {
      ASSERT_EQ(codes.at(k), 0);
      Dense const bs = rows(lower_triangle(back.dense(k)));
      long double const cond =
          condition_spd(us * transpose(us)) + condition_spd(ls * transpose(ls));
      EXPECT_TRUE(near(bs * transpose(bs), ls * transpose(ls), Dense(N, N, few * cond)));
      for (int i = 0; i < N; ++i) EXPECT_GT(bs(i, i), 0);
    }
  }
  // Neighbours are bitwise the same.
  for (std::int64_t k = 0; k < n; ++k)
    if (factor_kind(k) == FactorKind::not_a_number) {
      l.put(k, random_lower<T>(random, N));
      v.put(k, random_dense<T>(random, N, C));
    }
  l.upload(), v.upload();
  one_way(clean, unused, plain);
  for (std::int64_t k = 0; k < n; ++k) {
    if (factor_kind(k) == FactorKind::not_a_number) continue;
    EXPECT_EQ(codes.at(k), plain.at(k));
    for (int i = 0; i < N; ++i)
      for (int j = 0; j <= i; ++j) {
        EXPECT_TRUE(same_bits(clean.at(k, i, j), up.at(k, i, j))) << k;
        EXPECT_TRUE(same_bits(unused.at(k, i, j), back.at(k, i, j)) || std::isnan(back.at(k, i, j)))
            << k;
      }
  }
}

/// L~ is given, so that L L' + V V' = L~ L~' is known in long double. Some items are not positive
/// definite from a given pivot on.
template <class T, class Layout, int N, int C, class Run>
void expect_rank_downdate(std::int64_t n, Run const& run) {
  Random random(311);
  BatchIn<T, Layout, N, N> l(n), down(n);
  BatchIn<T, Layout, N, C> v(n);
  BatchIn<int, Left> codes(n);
  // In a third of the items pivot k / 3 becomes zero or negative. In another third V is zero.
  auto const bad = [](std::int64_t k) { return k % 3 == 1 ? int(k / 3) % N : -1; };
  for (std::int64_t k = 0; k < n; ++k) {
    Dense lk = random_lower<T>(random, N), vk(N, C, 0);
    if (k % 3 == 0)
      vk = make_dense(N, C, [&](int, int) { return static_cast<T>(random() / (4 * N * C)); });
    if (bad(k) >= 0) {
      vk(bad(k), C - 1) = k % 2 == 0 ? lk(bad(k), bad(k)) : static_cast<T>(3 * lk(bad(k), bad(k)));
      // Later pivots would fail, too.
      for (int i = bad(k) + 1; i < N; ++i) vk(i, 0) = 100;
    }
    l.put(k, lk), v.put(k, vk);
  }
  l.upload(), v.upload();
  run(DowndateFactor{}, out(lower(down.view())), in(lower(l.const_view())), in(v.const_view()),
      status(codes.view()));
  down.download(), codes.download();
  for (std::int64_t k = 0; k < n; ++k) {
    SCOPED_TRACE("item " + std::to_string(k) + " of " + std::to_string(N) + " and " +
                 std::to_string(C));
    Dense const lk = l.dense(k), vk = v.dense(k), dk = down.dense(k);
    if (bad(k) >= 0) {
      EXPECT_EQ(Status::reason(codes.at(k)), Reason::not_positive_definite);
      EXPECT_EQ(Status::info(codes.at(k)), bad(k) + 1);
      for (int i = 0; i < N; ++i)
        for (int j = 0; j <= i; ++j) {
          if (j >= bad(k)) EXPECT_TRUE(std::isnan(dk(i, j))) << i << ", " << j;
          else EXPECT_FALSE(std::isnan(dk(i, j))) << i << ", " << j;
        }
      continue;
    }
    ASSERT_EQ(codes.at(k), 0);
    Dense const before = lk * transpose(lk), want = before - vk * transpose(vk),
                truth = cholesky(want);
    EXPECT_TRUE(
        near(lower_triangle(dk), truth, tolerance<T>(N + C, norm1(before), condition_spd(want))));
  }
}

template <class T, class Layout, int N, int C, class Run>
void expect_updates_of_cholesky(std::int64_t n, Run const& run) {
  Random random(313);
  BatchIn<T, Layout, N, N> a(n), up(n), down(n);
  BatchIn<T, Layout, N, C> v(n);
  BatchIn<T, Layout, N> w(n);
  BatchIn<int, Left> codes(n);
  a.fill([&](std::int64_t) {
    return random_spd<T>(random, N) + static_cast<long double>(C) * eye(N);
  });
  v.randomise(random), w.randomise(random);
  run(UpdateCholesky{}, out(lower(up.view())), out(lower(down.view())),
      in(symmetric(a.const_view())), in(v.const_view()), in(w.const_view()), status(codes.view()));
  up.download(), down.download(), codes.download();
  for (std::int64_t k = 0; k < n; ++k) {
    ASSERT_EQ(codes.at(k), 0) << k;
    Dense const ak = mirrored(a.dense(k)), vk = 0.125L * v.dense(k), wk = w.dense(k);
    auto const is_factor_of = [&](Dense const& l, Dense const& x) {
      EXPECT_TRUE(
          near(lower_triangle(l), cholesky(x), tolerance<T>(N + C, norm1(x), condition_spd(x))))
          << k;
    };
    is_factor_of(up.dense(k), ak + wk * transpose(wk));
    is_factor_of(down.dense(k), ak - vk * transpose(vk));
  }
}

}  // namespace Batchwork::Test

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// add_scaled_identity, scale, dot and norm: every format over random patterns and all arrangements
// against long double, numbers of items, compact groups, NaN in one item, the ends of the range.
#include "krylov/VerbsCase.hpp"

namespace Batchwork::Test {
namespace {

using Batchwork::dot;  // not `dot` of the test matrices

template <class T>
struct SystemVerbs : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SystemVerbs, Numbers);

auto const add = [](auto const& alpha, auto const& a, double beta) {
  if (beta == 1) add_scaled_identity(alpha, a);
  else add_scaled_identity(Space(), alpha, a, beta);
};
auto const scale_by = [](auto const& l, auto const& a, auto const& r) { scale(Space(), l, a, r); };
auto const dot_of = [](auto const& x, auto const& y, auto const& to) { dot(x, y, to); };
auto const norm_of = [](auto const& x, auto const& to) { norm(Space(), x, to); };

TYPED_TEST(SystemVerbs, RandomPatterns) {
  using T = TypeParam;
  Random random(1);
  for (int rows : {1, 2, 3, 5, 8, 16, 17, 22, 33, 64, 101})
    for (auto how : all_arranged) {
      std::int64_t const items = rows < 20 ? 33 : 5;
      auto const p = random_pattern(random, rows);
      check_add_scaled_identity<T>(p, items, how, random, add);
      check_scale<T>(p, items, how, random, scale_by);
      check_vector_sums<T>(rows, items, how, random, dot_of, norm_of);
    }
  for (int rows : {300, 2000})
    for (auto how : all_arranged) check_vector_sums<T>(rows, 5, how, random, dot_of, norm_of);
}

TYPED_TEST(SystemVerbs, NumbersOfItems) {
  using T = TypeParam;
  Random random(2);
  for (std::int64_t items : {0, 1, 2, 31, 32, 33, 129})
    for (auto how : all_arranged) {
      auto const p = random_pattern(random, 6);
      check_add_scaled_identity<T>(p, items, how, random, add);
      check_scale<T>(p, items, how, random, scale_by);
      check_vector_sums<T>(6, items, how, random, dot_of, norm_of);
    }
  for (auto how : {Arranged::item_contiguous, Arranged::interleaved}) {
    check_add_scaled_identity<T>(tridiagonal(3), beyond_a_grid, how, random, add);
    check_scale<T>(tridiagonal(3), beyond_a_grid, how, random, scale_by);
    check_vector_sums<T>(3, beyond_a_grid, how, random, dot_of, norm_of);
  }
}

/// Patterns without entries and without rows: empty sums are zero.
TYPED_TEST(SystemVerbs, Nothing) {
  using T = TypeParam;
  Random random(3);
  Pattern const empty{5, std::vector<std::vector<int>>(5)};
  for (auto how : all_arranged) {
    check_add_scaled_identity<T>(empty, 9, how, random, add);
    check_scale<T>(empty, 9, how, random, scale_by);
  }
  Kokkos::View<T**, Space> const none("none", 4, 0), other("other", 4, 0), values("values", 4, 0);
  Kokkos::View<int*, Space> const offsets("offsets", 1), columns("columns", 0);
  Kokkos::View<T*, Space> const result("result", 4);
  EXPECT_NO_THROW(add_scaled_identity(2, csr(offsets, columns, values)));
  EXPECT_NO_THROW(scale(none, csr(offsets, columns, values), other));
  Kokkos::deep_copy(result, T(3));
  dot(none, other, result);
  auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), result);
  for (std::size_t n = 0; n < 4; ++n) EXPECT_EQ(host(n), T(0));
  Kokkos::deep_copy(result, T(3));
  norm(none, result);
  host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), result);
  for (std::size_t n = 0; n < 4; ++n) EXPECT_EQ(host(n), T(0));
}

/// Groups of 8 and of 3 items with a partial last group, for all arguments.
template <class T, std::size_t W>
void check_compact(Random& random) {
  constexpr std::size_t items = 43, groups = (items + W - 1) / W, N = 12;
  Pattern const p = random_pattern(random, int(N));
  Matrices<T> const a(p, items, Arranged::item_contiguous),
      want(p, items, Arranged::item_contiguous);
  a.randomise(random);
  for (std::int64_t n = 0; n < std::int64_t(items); ++n)
    for (int i = 0; i < int(N); ++i)
      for (std::size_t k = 0; k < p.columns[std::size_t(i)].size(); ++k)
        want.put(n, i, int(k), a.full.at(n, i, p.columns[std::size_t(i)][k]));
  want.upload();
  ArrangedBatch<T> const l(items, int(N), 1, Arranged::item_contiguous),
      r(items, int(N), 1, Arranged::item_contiguous), alpha(items, 1, 1, Arranged::item_contiguous),
      sums(items, 1, 1, Arranged::item_contiguous),
      want_sums(items, 1, 1, Arranged::item_contiguous);
  l.randomise(random);
  r.randomise(random);
  alpha.randomise(random);
  using Groups = Kokkos::View<T***, Kokkos::LayoutRight, Space>;
  Groups const values("values", groups, std::size_t(p.nonzeros()), W), ls("ls", groups, N, W),
      rs("rs", groups, N, W);
  Kokkos::View<T**, Kokkos::LayoutRight, Space> const alphas("alphas", groups, W),
      results("results", groups, W);
  for (auto const& v : {values, ls, rs}) Kokkos::deep_copy(v, poison<T>());
  Kokkos::deep_copy(results, poison<T>());
  pack(compact(values, items), vectors(a.values));
  pack(compact(ls, items), vectors(l));
  pack(compact(rs, items), vectors(r));
  pack(compact(alphas, items), numbers(alpha));
  auto const matrices = csr(a.row_offsets, a.columns, compact(values, items));
  add_scaled_identity(compact(alphas, items), matrices, 0.5);
  scale(compact(ls, items), matrices, compact(rs, items));
  dot(compact(ls, items), compact(rs, items), compact(results, items));
  add_scaled_identity(numbers(alpha), want.csr(), 0.5);
  scale(vectors(l), want.csr(), vectors(r));
  unpack(vectors(a.values), compact(values, items));
  unpack(numbers(sums), compact(results, items));
  a.values.download();
  want.values.download();
  sums.download();
  expect_sums(l, r, sums, false);
  for (std::int64_t n = 0; n < std::int64_t(items); ++n)
    for (int k = 0; k < p.nonzeros(); ++k)
      ASSERT_NEAR(a.values.at(n, k, 0), want.values.at(n, k, 0), 10 * double(epsilon<T>));
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), values);
  auto const host_results = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), results);
  for (std::size_t lane = items % W; lane < W; ++lane) {
    EXPECT_EQ(host_results(groups - 1, lane), poison<T>());
    for (std::size_t k = 0; k < std::size_t(p.nonzeros()); ++k)
      EXPECT_EQ(host(groups - 1, k, lane), poison<T>());
  }
}
TYPED_TEST(SystemVerbs, Compact) {
  Random random(4);
  check_compact<TypeParam, 8>(random);
  check_compact<TypeParam, 16>(random);
  check_compact<TypeParam, 3>(random);
}

/// transposed(view) gives the same as a transposed copy.
TYPED_TEST(SystemVerbs, TransposedDense) {
  using T = TypeParam;
  Random random(5);
  for (auto how : all_arranged) {
    ArrangedBatch<T> const a(9, 7, 7, how), before(9, 7, 7, how), l(9, 7, 1, how), r(9, 7, 1, how);
    a.randomise(random);
    l.randomise(random);
    r.randomise(random);
    Kokkos::deep_copy(before.host, a.host);
    scale(vectors(l), dense(transposed(a.batch())), vectors(r));
    a.download();
    for (std::int64_t n = 0; n < 9; ++n)
      for (int i = 0; i < 7; ++i)
        for (int j = 0; j < 7; ++j)
          ASSERT_NEAR(a.at(n, j, i), l.at(n, i, 0) * before.at(n, j, i) * r.at(n, j, 0),
                      4 * double(epsilon<T>));
  }
}

/// A NaN affects only its item.
TYPED_TEST(SystemVerbs, BadItemsHarmNoNeighbour) {
  using T = TypeParam;
  Random random(6);
  T const bad = std::numeric_limits<T>::quiet_NaN();
  std::int64_t const items = 33;
  for (int rows : {4, 22, 70})
    for (auto how : all_arranged)
      for (std::int64_t at : {0, 17, 32})
        for (auto format : all_formats) {
          Pattern p = random_pattern(random, rows);
          p.columns[std::size_t(rows / 2)] = {rows / 2};
          Matrices<T> const m(p, items, how), clean(p, items, how);
          ArrangedBatch<T> const l(items, rows, 1, how), r(items, rows, 1, how);
          m.randomise(random);
          l.randomise(random);
          r.randomise(random);
          Kokkos::deep_copy(clean.values.host, m.values.host);
          Kokkos::deep_copy(clean.places.host, m.places.host);
          Kokkos::deep_copy(clean.full.host, m.full.host);
          clean.upload();
          m.put(at, rows / 2, 0, bad);
          m.upload();
          for (auto const* x : {&m, &clean}) {
            InFormat<T>{*x, format}.call([&](auto const& a) {
              add_scaled_identity(0.25, a, 3);
              scale(vectors(l), a, vectors(r));
            });
            InFormat<T>{*x, format}.storage().download();
          }
          auto const want = InFormat<T>{clean, format}.entries();
          std::size_t k = 0;
          InFormat<T>{m, format}.for_each([&](std::int64_t n, int i, int j, T got) {
            if (n == at && i == rows / 2 && j == rows / 2) ASSERT_TRUE(std::isnan(got));
            else ASSERT_TRUE(same_bits(got, want[k])) << n << " " << i << " " << j;
            ++k;
          });
        }
  for (int rows : {4, 22, 70, 300})
    for (auto how : all_arranged)
      for (std::int64_t at : {0, 17, 32}) {
        ArrangedBatch<T> const x(items, rows, 1, how), y(items, rows, 1, how),
            sums(items, 1, 1, how), was(items, 1, 1, how), norms(items, 1, 1, how),
            norm_was(items, 1, 1, how);
        x.randomise(random);
        y.randomise(random);
        dot(vectors(x), vectors(y), numbers(was));
        norm(vectors(x), numbers(norm_was));
        Kokkos::fence();
        x.at(at, rows / 2, 0) = bad;
        x.upload();
        dot(vectors(x), vectors(y), numbers(sums));
        norm(vectors(x), numbers(norms));
        for (auto const* v : {&sums, &was, &norms, &norm_was}) v->download();
        for (std::int64_t n = 0; n < items; ++n) {
          if (n == at) {
            ASSERT_TRUE(std::isnan(sums.at(n, 0, 0)) && std::isnan(norms.at(n, 0, 0)));
          } else {
            ASSERT_TRUE(same_bits(sums.at(n, 0, 0), was.at(n, 0, 0)));
            ASSERT_TRUE(same_bits(norms.at(n, 0, 0), norm_was.at(n, 0, 0)));
          }
        }
      }
}

/// alpha can be NaN in one item, whose diagonal is then NaN.
TYPED_TEST(SystemVerbs, AlphaThatIsNaN) {
  using T = TypeParam;
  for (auto how : all_arranged) {
    Matrices<T> const m(tridiagonal(5), 33, how);
    ArrangedBatch<T> const alpha(33, 1, 1, how);
    m.values.fill(T(2));
    alpha.fill(T(1));
    alpha.at(7, 0, 0) = std::numeric_limits<T>::quiet_NaN();
    alpha.upload();
    add_scaled_identity(numbers(alpha), m.csr());
    m.values.download();
    InFormat<T>{m, Format::csr}.for_each([&](std::int64_t n, int i, int j, T got) {
      if (i == j && n == 7) EXPECT_TRUE(std::isnan(got));
      else EXPECT_EQ(got, T(i == j ? 3 : 2));
    });
  }
}

/// Norms whose squares leave the range of numbers.
TYPED_TEST(SystemVerbs, NormsOfAnySize) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  Random random(7);
  int const top = Limits::max_exponent, bottom = Limits::min_exponent - Limits::digits;
  for (int rows : {1, 7, 40, 300})
    for (auto how : all_arranged) {
      std::int64_t const items = top - bottom - 8;
      ArrangedBatch<T> const x(items, rows, 1, how), result(items, 1, 1, how);
      // One power of two after the other, separately or with smaller ones.
      for (std::int64_t n = 0; n < items; ++n) {
        int const e = bottom + 2 + int(n);
        bool const mixed = random.integer(0, 1);
        for (int i = 0; i < rows; ++i)
          x.at(n, i, 0) = T(std::ldexp(static_cast<long double>(random()),
                                       mixed ? random.integer(bottom, e) : e));
      }
      x.upload();
      norm(vectors(x), numbers(result));
      result.download();
      expect_sums(x, x, result, true);
    }
  T const infinite = Limits::infinity(), bad = Limits::quiet_NaN();
  for (auto how : all_arranged) {
    ArrangedBatch<T> const x(33, 9, 1, how), result(33, 1, 1, how);
    x.fill(T(0));
    x.at(3, 4, 0) = -infinite;
    x.at(4, 4, 0) = infinite;
    x.at(4, 8, 0) = bad;
    for (int i = 0; i < 9; ++i) x.at(5, i, 0) = Limits::max();
    x.at(6, 0, 0) = Limits::denorm_min();
    x.upload();
    norm(vectors(x), numbers(result));
    result.download();
    for (std::int64_t n = 0; n < 33; ++n) {
      T const got = result.at(n, 0, 0);
      if (n == 3 || n == 5) EXPECT_EQ(got, infinite);
      else if (n == 4) EXPECT_TRUE(std::isnan(got));
      else EXPECT_EQ(got, n == 6 ? Limits::denorm_min() : T(0));
    }
  }
}

/// A second run gives the same bits.
TYPED_TEST(SystemVerbs, SumsAreTheSameAgain) {
  using T = TypeParam;
  Random random(8);
  for (int rows : {22, 300})
    for (auto how : all_arranged) {
      ArrangedBatch<T> const x(65, rows, 1, how), y(65, rows, 1, how), first(65, 1, 1, how),
          second(65, 1, 1, how);
      x.randomise(random);
      y.randomise(random);
      dot(vectors(x), vectors(y), numbers(first));
      dot(vectors(x), vectors(y), numbers(second));
      first.download();
      second.download();
      for (std::int64_t n = 0; n < 65; ++n)
        EXPECT_TRUE(same_bits(first.at(n, 0, 0), second.at(n, 0, 0)));
    }
}

}  // namespace
}  // namespace Batchwork::Test

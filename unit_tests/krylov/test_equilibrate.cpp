// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// equilibrate: its guarantees for random patterns in every format and arrangement, symmetric
// matrices, rows and columns of zeros, entries that are not finite, and the ends of the range.
#include "krylov/VerbsCase.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct Equilibrate : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Equilibrate, Numbers);

auto const run = [](auto const& a, auto const& l, auto const& r) { equilibrate(a, l, r); };

TYPED_TEST(Equilibrate, RandomPatterns) {
  using T = TypeParam;
  Random random(1);
  for (int rows : {1, 2, 3, 5, 8, 16, 17, 22, 33, 64, 101})
    for (auto how : all_arranged)
      check_equilibrate<T>(random_pattern(random, rows), rows < 20 ? 33 : 5, how, random, run);
  for (auto how : all_arranged)
    check_equilibrate<T>(Pattern{5, std::vector<std::vector<int>>(5)}, 9, how, random, run);
}

TYPED_TEST(Equilibrate, NumbersOfItems) {
  using T = TypeParam;
  Random random(2);
  for (std::int64_t items : {0, 1, 2, 31, 32, 33, 129})
    for (auto how : all_arranged)
      check_equilibrate<T>(random_pattern(random, 6), items, how, random, run);
  for (auto how : {Arranged::item_contiguous, Arranged::interleaved})
    check_equilibrate<T>(tridiagonal(3), beyond_a_grid, how, random, run);
  Kokkos::View<T**, Space> const none("none", 4, 0), other("other", 4, 0), values("values", 4, 0);
  Kokkos::View<int*, Space> const offsets("offsets", 1), columns("columns", 0);
  EXPECT_NO_THROW(equilibrate(csr(offsets, columns, values), none, other));
}

/// scale with the factors does not round, so it can be undone.
TYPED_TEST(Equilibrate, ThenScale) {
  using T = TypeParam;
  Random random(3);
  for (auto how : all_arranged)
    for (auto format : all_formats) {
      Matrices<T> const m(random_pattern(random, 19), 33, how);
      put_badly_scaled(m, random, 12);
      InFormat<T> const a{m, format};
      ArrangedBatch<T> const l(33, 19, 1, how), r(33, 19, 1, how);
      auto const before = a.entries();
      a.call([&](auto const& matrices) {
        equilibrate(Space(), matrices, vectors(l), vectors(r));
        scale(Space(), vectors(l), matrices, vectors(r));
      });
      a.storage().download();
      l.download();
      r.download();
      std::size_t k = 0;
      a.for_each([&](std::int64_t n, int i, int j, T got) {
        ASSERT_EQ(got, l.at(n, i, 0) * before[k++] * r.at(n, j, 0));
        ASSERT_LE(std::fabs(got), T(3));
      });
    }
}

TYPED_TEST(Equilibrate, SymmetricStaysSymmetric) {
  using T = TypeParam;
  Random random(4);
  int const rows = 23;
  for (auto how : all_arranged) {
    Matrices<T> const m(random_pattern(random, rows), 5, how);
    ArrangedBatch<T> const l(5, rows, 1, how), r(5, rows, 1, how);
    for (std::int64_t n = 0; n < 5; ++n)
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j <= i; ++j)
          m.full.at(n, i, j) = m.full.at(n, j, i) = T(std::ldexp(random(), (i % 7 + j % 7) * 3));
    m.full.upload();
    equilibrate(m.dense(), vectors(l), vectors(r));
    l.download();
    r.download();
    for (std::int64_t n = 0; n < 5; ++n) {
      expect_equilibrated(m, n, l, r);
      for (int i = 0; i < rows; ++i) ASSERT_EQ(l.at(n, i, 0), r.at(n, i, 0));
    }
  }
}

/// Rows and columns of zeros have the factor one. Entries that are not finite count as zero, and do
/// not change neighbours.
TYPED_TEST(Equilibrate, ZerosAndWhatIsNotFinite) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  Random random(5);
  T const bad[] = {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), T(0), -T(0)};
  int const rows = 14;
  Pattern full{rows, {}};
  for (int i = 0; i < rows; ++i) {
    full.columns.emplace_back();
    for (int j = 0; j < rows; ++j) full.columns.back().push_back(j);
  }
  for (auto how : all_arranged)
    for (std::int64_t at : {0, 17, 32}) {
      Matrices<T> const m(full, 33, how);
      ArrangedBatch<T> const l(33, rows, 1, how), r(33, rows, 1, how), l0(33, rows, 1, how),
          r0(33, rows, 1, how), l1(33, rows, 1, how), r1(33, rows, 1, how);
      put_badly_scaled(m, random, 10);
      equilibrate(m.csr(), vectors(l0), vectors(r0));
      Kokkos::fence();
      // Zeros in row 3 and column 5, then the same with other values that do not count, in several
      // places.
      for (int kind : {0, 1}) {
        for (int k = 0; k < rows; ++k) {
          auto const some = [&] { return kind ? bad[random.integer(0, 4)] : T(0); };
          m.put(at, 3, k, some());
          m.put(at, k, 5, some());
          m.put(at, k, (k + 2) % rows, some());
        }
        m.upload();
        auto const &left = kind ? l1 : l, &right = kind ? r1 : r;
        equilibrate(m.csr(), vectors(left), vectors(right));
        left.download();
        right.download();
        expect_equilibrated(m, at, left, right);
        EXPECT_EQ(left.at(at, 3, 0), T(1));
        EXPECT_EQ(right.at(at, 5, 0), T(1));
        equilibrate(m.ell(), vectors(left), vectors(right));
        left.download();
        right.download();
        EXPECT_EQ(left.at(at, 3, 0), T(1));
        EXPECT_EQ(right.at(at, 5, 0), T(1));
      }
      l0.download();
      r0.download();
      for (std::int64_t n = 0; n < 33; ++n)
        for (int i = 0; i < rows; ++i) {
          ASSERT_EQ(l1.at(n, i, 0), l.at(n, i, 0));
          ASSERT_EQ(r1.at(n, i, 0), r.at(n, i, 0));
          if (n == at) continue;
          ASSERT_EQ(l.at(n, i, 0), l0.at(n, i, 0));
          ASSERT_EQ(r.at(n, i, 0), r0.at(n, i, 0));
        }
    }
}

/// From the smallest subnormal number to the largest one.
TYPED_TEST(Equilibrate, EndsOfTheRange) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  Random random(6);
  T const ends[] = {Limits::denorm_min(), 3 * Limits::denorm_min(), Limits::min(),
                    Limits::max(),        -Limits::max(),           T(1)};
  for (auto how : all_arranged) {
    // A diagonal matrix: every number can be scaled near to one.
    Pattern diagonal{6, {{0}, {1}, {2}, {3}, {4}, {5}}};
    Matrices<T> const d(diagonal, 33, how);
    Matrices<T> const m(random_pattern(random, 21), 33, how);
    ArrangedBatch<T> const l(33, 6, 1, how), r(33, 6, 1, how), ml(33, 21, 1, how),
        mr(33, 21, 1, how);
    for (std::int64_t n = 0; n < 33; ++n) {
      for (int i = 0; i < 6; ++i) d.put(n, i, 0, ends[(i + n) % 6]);
      for (int i = 0; i < 21; ++i)
        for (std::size_t k = 0; k < m.pattern.columns[std::size_t(i)].size(); ++k)
          m.put(n, i, int(k), ends[random.integer(0, 5)]);
    }
    d.upload();
    m.upload();
    equilibrate(d.csr(), vectors(l), vectors(r));
    equilibrate(m.csr(), vectors(ml), vectors(mr));
    for (auto const* v : {&l, &r, &ml, &mr}) v->download();
    for (std::int64_t n = 0; n < 33; ++n) {
      expect_equilibrated(d, n, l, r);
      expect_equilibrated(m, n, ml, mr, false);
    }
  }
}

}  // namespace
}  // namespace Batchwork::Test

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// multiply: every format over random patterns and all arrangements against long double, numbers of
// items, compact groups, NaN and infinity in one item, functors.
#if defined(BATCHWORK_HAVE_KOKKOSKERNELS) && __has_include(<KokkosSparse_CrsMatrix.hpp>)
#define BATCHWORK_TEST_CRS_MATRIX
#include <KokkosSparse_CrsMatrix.hpp>
#endif

#include "krylov/SystemsCase.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct Multiply : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Multiply, Numbers);

/// Runs call(y), which computes y = alpha A x + beta y, and compares. Sums of products, a factor, a
/// sum: (terms + 3) eps.
template <class T, class Call>
void expect_product(Matrices<T> const& a, ArrangedBatch<T> const& x, double alpha, double beta,
                    Arranged how_y, Random& random, char const* what, Call const& call) {
  SCOPED_TRACE(what);
  ArrangedBatch<T> const y(a.items, a.pattern.rows, 1, how_y),
      before(a.items, a.pattern.rows, 1, how_y);
  y.randomise(random);
  for (std::int64_t n = 0; n < a.items; ++n)
    for (int i = 0; i < a.pattern.rows; ++i) {
      before.at(n, i, 0) = y.at(n, i, 0);
      // Memory that is not read can contain anything.
      if (beta == 0) y.at(n, i, 0) = std::numeric_limits<T>::quiet_NaN();
    }
  y.upload();
  auto const outside = y.poisoned();
  call(vectors(y));
  y.download();
  EXPECT_EQ(y.poisoned(), outside);
  int wrong = 0;
  for (std::int64_t n = 0; n < a.items; ++n)
    for (int i = 0; i < a.pattern.rows; ++i) {
      Truth t = row_truth(a.full, n, i, x, alpha);
      if (beta != 0) t.add(static_cast<long double>(T(beta)) * before.at(n, i, 0));
      long double const terms = 3 + int(a.pattern.columns[std::size_t(i)].size());
      if (!(std::fabs(y.at(n, i, 0) - t.value) <= terms * epsilon<T> * t.size) && ++wrong < 5)
        ADD_FAILURE() << "item " << n << ", row " << i << ": " << y.at(n, i, 0) << " instead of "
                      << double(t.value);
    }
}

template <class T>
void check_formats(Pattern const& pattern, std::int64_t items, Arranged how, Random& random) {
  SCOPED_TRACE(std::to_string(items) + " items of " + std::to_string(pattern.rows) +
               " rows, arranged " + std::to_string(int(how)));
  Matrices<T> const a(pattern, items, how);
  ArrangedBatch<T> const x(items, pattern.rows, 1,
                           random.integer(0, 1) ? how : all_arranged[random.integer(0, 3)]);
  a.randomise(random);
  x.randomise(random);
  auto const v = vectors(x);
  auto const some = [&] { return random.integer(0, 2) ? how : all_arranged[random.integer(0, 3)]; };
  expect_product(a, x, 1, 0, some(), random, "csr",
                 [&](auto const& y) { multiply(a.csr(), v, y); });
  expect_product(a, x, -0.7, 0.3, some(), random, "csr, long offsets",
                 [&](auto const& y) { multiply(Space(), -0.7, a.long_csr(), v, 0.3, y); });
  expect_product(a, x, 2, 1, some(), random, "ell",
                 [&](auto const& y) { multiply(2, a.ell(), v, 1, y); });
  expect_product(a, x, 1, 0, some(), random, "ell, alone",
                 [&](auto const& y) { multiply(Space(), a.ell(), v, y); });
  expect_product(a, x, 0.5, 0, some(), random, "dense",
                 [&](auto const& y) { multiply(0.5, a.dense(), v, 0, y); });
}

TYPED_TEST(Multiply, RandomPatterns) {
  using T = TypeParam;
  Random random(1);
  for (int rows : {1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 22, 31, 32, 33, 54, 64, 65, 100, 144})
    for (auto how : all_arranged)
      check_formats<T>(random_pattern(random, rows), rows < 20 ? 33 : 5, how, random);
}

TYPED_TEST(Multiply, EmptyAndFull) {
  using T = TypeParam;
  Random random(2);
  for (auto how : all_arranged) {
    check_formats<T>(Pattern{5, std::vector<std::vector<int>>(5)}, 9, how, random);
    Pattern full{6, {}};
    for (int i = 0; i < 6; ++i) full.columns.push_back({0, 1, 2, 3, 4, 5});
    check_formats<T>(full, 9, how, random);
  }
}

TYPED_TEST(Multiply, NumbersOfItems) {
  using T = TypeParam;
  Random random(3);
  for (std::int64_t items : {0, 1, 2, 31, 32, 33})
    for (auto how : all_arranged) check_formats<T>(random_pattern(random, 6), items, how, random);
  for (auto how : {Arranged::item_contiguous, Arranged::interleaved})
    check_formats<T>(tridiagonal(3), beyond_a_grid, how, random);
}

/// Without rows there is no work and no launch.
TYPED_TEST(Multiply, NoRows) {
  using T = TypeParam;
  Kokkos::View<T**, Space> const none("none", 4, 0), other("other", 4, 0), values("values", 4, 0);
  Kokkos::View<int*, Space> const offsets("offsets", 1), columns("columns", 0);
  EXPECT_NO_THROW(multiply(csr(offsets, columns, values), other, none));
}

TYPED_TEST(Multiply, Identity) {
  using T = TypeParam;
  Random random(4);
  for (auto how : all_arranged) {
    ArrangedBatch<T> const x(33, 7, 1, how), y(33, 7, 1, how);
    x.randomise(random);
    multiply(scaled_identity<T>(7), vectors(x), vectors(y));
    y.download();
    for (std::int64_t n = 0; n < 33; ++n)
      for (int i = 0; i < 7; ++i) ASSERT_EQ(y.at(n, i, 0), x.at(n, i, 0));
    multiply(3, scaled_identity(7, T(0.5)), vectors(x), -1, vectors(y));
    y.download();
    for (std::int64_t n = 0; n < 33; ++n)
      for (int i = 0; i < 7; ++i)
        ASSERT_NEAR(y.at(n, i, 0), 0.5 * double(x.at(n, i, 0)), 4 * double(epsilon<T>));
  }
}

/// The second difference, with a factor for each item.
template <class T>
struct Stencil {
  int rows;
  Kokkos::View<T*, Space> factor;

  template <class Lanes, class X, class Y>
  KOKKOS_FUNCTION void operator()(Lanes const& lanes, std::int64_t item, X const& x,
                                  Y const& y) const {
    lanes.for_each(rows, [&](int i) {
      T sum = 2 * x(i);
      if (i > 0) sum -= x(i - 1);
      if (i + 1 < rows) sum -= x(i + 1);
      y(i) = factor(std::size_t(item)) * sum;
    });
  }
};

TYPED_TEST(Multiply, MatrixFree) {
  using T = TypeParam;
  Random random(5);
  for (int rows : {1, 6, 40, 300})
    for (auto how : {Arranged::item_contiguous, Arranged::interleaved}) {
      std::int64_t const items = 35;
      Matrices<T> const a(tridiagonal(rows), items, how);
      ArrangedBatch<T> const x(items, rows, 1, how);
      x.randomise(random);
      Kokkos::View<T*, Space> const factor("factor", 35);
      auto const f = Kokkos::create_mirror_view(factor);
      for (std::int64_t n = 0; n < items; ++n) {
        T const c = T(random.integer(1, 8));
        f(std::size_t(n)) = c;
        for (int i = 0; i < rows; ++i)
          for (int j = std::max(i - 1, 0); j <= std::min(i + 1, rows - 1); ++j)
            a.full.at(n, i, j) = i == j ? 2 * c : -c;
      }
      Kokkos::deep_copy(factor, f);
      auto const free = matrix_free(rows, Stencil<T>{rows, factor});
      expect_product(a, x, 1, 0, how, random, "product",
                     [&](auto const& y) { multiply(free, vectors(x), y); });
      expect_product(a, x, 0.3, -2, how, random, "sum",
                     [&](auto const& y) { multiply(0.3, free, vectors(x), -2, y); });
    }
}

/// Groups of 8 items with a partial last group, for matrices and vectors.
TYPED_TEST(Multiply, Compact) {
  using T = TypeParam;
  Random random(6);
  constexpr std::size_t items = 43, W = 8, groups = 6;
  Pattern const p = random_pattern(random, 12);
  std::size_t const N = 12, entries = std::size_t(p.nonzeros()), wide = std::size_t(p.width());
  Matrices<T> const a(p, items, Arranged::item_contiguous);
  ArrangedBatch<T> const x(items, 12, 1, Arranged::item_contiguous);
  a.randomise(random);
  x.randomise(random);
  Kokkos::View<T***, Kokkos::LayoutRight, Space> const values("values", groups, entries, W),
      xs("xs", groups, N, W), ys("ys", groups, N, W);
  Kokkos::View<T****, Kokkos::LayoutRight, Space> const places("places", groups, N, wide, W);
  pack(compact(values, items), vectors(a.values));
  pack(compact(places, items), a.places.batch());
  pack(compact(xs, items), vectors(x));
  auto const run = [&](char const* what, auto const& matrices) {
    Kokkos::deep_copy(ys, poison<T>());
    expect_product(a, x, 1, 0, Arranged::item_contiguous, random, what, [&](auto const& y) {
      multiply(matrices, compact(xs, items), compact(ys, items));
      unpack(y, compact(ys, items));
    });
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), ys);
    for (std::size_t i = 0; i < N; ++i)
      for (std::size_t lane = items % W; lane < W; ++lane)
        EXPECT_EQ(host(groups - 1, i, lane), poison<T>());
  };
  run("csr", csr(a.row_offsets, a.columns, compact(values, items)));
  run("ell", ell(a.place_columns, compact(places, items)));
}

/// transposed(view) gives the same as a transposed copy.
TYPED_TEST(Multiply, TransposedDense) {
  using T = TypeParam;
  Random random(7);
  for (auto how : all_arranged) {
    Matrices<T> const a(random_pattern(random, 11), 9, how), turned(a.pattern, 9, how);
    ArrangedBatch<T> const x(9, 11, 1, how);
    a.randomise(random);
    x.randomise(random);
    for (std::int64_t n = 0; n < 9; ++n)
      for (int i = 0; i < 11; ++i)
        for (int j = 0; j < 11; ++j) turned.full.at(n, j, i) = a.full.at(n, i, j);
    turned.upload();
    expect_product(a, x, 1, 0, how, random, "transposed", [&](auto const& y) {
      multiply(dense(transposed(turned.full.batch())), vectors(x), y);
    });
  }
}

/// The parts of a matrix of Kokkos Kernels that the library uses.
struct Graph {
  Kokkos::View<std::size_t const*, Space> row_map;
  Kokkos::View<int*, Space> entries;
};
struct CrsMatrix {
  Graph graph;
  int columns;
  int numCols() const { return columns; }
};

TYPED_TEST(Multiply, PatternOfAMatrix) {
  using T = TypeParam;
  Random random(8);
  Matrices<T> const a(random_pattern(random, 9), 6, Arranged::item_contiguous);
  ArrangedBatch<T> const x(6, 9, 1, Arranged::item_contiguous);
  a.randomise(random);
  x.randomise(random);
  Graph const graph{a.long_offsets, a.columns};
  auto const v = vectors(a.values);
  expect_product(a, x, 1, 0, Arranged::item_contiguous, random, "graph",
                 [&](auto const& y) { multiply(csr(graph, v), vectors(x), y); });
  expect_product(a, x, 1, 0, Arranged::item_contiguous, random, "matrix",
                 [&](auto const& y) { multiply(csr(CrsMatrix{graph, 9}, v), vectors(x), y); });
  ArrangedBatch<T> const y(6, 9, 1, Arranged::item_contiguous);
  expect_says(message_of([&] { multiply(csr(CrsMatrix{graph, 10}, v), vectors(x), vectors(y)); }),
              {"operand 1, csr row offsets(\"long_offsets\")", "9 rows and 10 columns",
               "; give square matrices"});
}

#if defined(BATCHWORK_TEST_CRS_MATRIX)
/// A matrix of Kokkos Kernels, which contains the numbers of one item.
TYPED_TEST(Multiply, PatternOfACrsMatrix) {
  using T = TypeParam;
  using Crs = KokkosSparse::CrsMatrix<T, int, Space, void, std::size_t>;
  Random random(10);
  Matrices<T> const a(random_pattern(random, 11), 6, Arranged::item_contiguous);
  ArrangedBatch<T> const x(6, 11, 1, Arranged::item_contiguous);
  a.randomise(random);
  x.randomise(random);
  Kokkos::View<T*, Space> const numbers("numbers", a.columns.extent(0));
  Crs const matrix("matrix", 11, 11, a.columns.extent(0), numbers, a.long_offsets, a.columns);
  auto const v = vectors(a.values);
  expect_product(a, x, 1, 0, Arranged::item_contiguous, random, "matrix",
                 [&](auto const& y) { multiply(csr(matrix, v), vectors(x), y); });
  expect_product(a, x, 1, 0, Arranged::item_contiguous, random, "graph",
                 [&](auto const& y) { multiply(csr(matrix.graph, v), vectors(x), y); });
}
#endif

/// A NaN or infinity in one item appears in the rows of that item only.
TYPED_TEST(Multiply, BadItemsHarmNoNeighbour) {
  using T = TypeParam;
  Random random(9);
  T const bad[] = {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()};
  for (int rows : {4, 22, 70})
    for (auto how : all_arranged)
      for (std::int64_t at : {0, 17, 32}) {
        std::int64_t const items = 33;
        // Every row has an entry in its first and last column.
        Pattern p = random_pattern(random, rows);
        for (auto& row : p.columns)
          for (int j : {0, rows - 1})
            if (!std::binary_search(row.begin(), row.end(), j))
              row.insert(std::lower_bound(row.begin(), row.end(), j), j);
        Matrices<T> const a(p, items, how);
        ArrangedBatch<T> const x(items, rows, 1, how), y(items, rows, 1, how),
            clean(items, rows, 1, how);
        a.randomise(random);
        x.randomise(random);
        bool const in_x = random.integer(0, 1);
        auto const each = [&](auto const& run) {
          run([&](auto const& to) { multiply(a.csr(), vectors(x), to); });
          run([&](auto const& to) { multiply(a.ell(), vectors(x), to); });
          run([&](auto const& to) { multiply(a.dense(), vectors(x), to); });
        };
        std::vector<std::vector<T>> kept;
        each([&](auto const& call) {
          call(vectors(clean));
          clean.download();
          kept.emplace_back();
          for (std::int64_t n = 0; n < items; ++n)
            for (int i = 0; i < rows; ++i) kept.back().push_back(clean.at(n, i, 0));
        });
        T const what = bad[random.integer(0, 1)];
        if (in_x) x.at(at, rows - 1, 0) = what;
        else a.put(at, rows / 2, 0, what);
        a.upload();
        x.upload();
        std::size_t format = 0;
        each([&](auto const& call) {
          call(vectors(y));
          y.download();
          auto const& was = kept[format++];
          for (std::int64_t n = 0; n < items; ++n)
            for (int i = 0; i < rows; ++i) {
              T const got = y.at(n, i, 0);
              if (n == at && (in_x || i == rows / 2)) ASSERT_FALSE(std::isfinite(got));
              else ASSERT_TRUE(same_bits(got, was[std::size_t(n * rows + i)])) << n << " " << i;
            }
        });
      }
}

}  // namespace
}  // namespace Batchwork::Test

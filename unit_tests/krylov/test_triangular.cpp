// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// solve_triangular: every triangle, format and arrangement against its residual in long double;
// diagonals that are zero, missing or not finite; in place; misuse.
#include "krylov/TriangularCase.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct Triangular : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Triangular, Numbers);

/// The verb.
struct ByVerb {
  template <class T, class A, class B, class X, class C>
  void operator()(Triangle triangle, A const& a, B const& b, X const& x, C const& codes,
                  std::int64_t) const {
    solve_triangular(triangle, a, b, x, status(codes));
  }
};
TYPED_TEST(Triangular, AllFormats) {
  using T = TypeParam;
  Random random(1);
  for (int rows : {1, 2, 9, 22, 60})
    for (auto how : all_arranged)
      for (auto triangle : triangles) {
        SCOPED_TRACE(std::to_string(rows) + " rows, arranged " + std::to_string(int(how)) +
                     ", triangle " + std::to_string(int(triangle)));
        Matrices<T> const a(solvable_pattern(random, rows, 0.4, false), 37, how);
        put_triangular(a, random);
        bool const in_place = random.integer(0, 1);
        check_solve(ByVerb(), triangle, a.csr(), a.full, how, in_place, random);
        check_solve(ByVerb(), triangle, a.long_csr(), a.full, how, in_place, random);
        check_solve(ByVerb(), triangle, a.ell(), a.full, how, in_place, random);
        check_solve(ByVerb(), triangle, a.dense(), a.full, how, in_place, random);
      }
}

/// Batches of any size, including none. Repeated calls give the same bits.
TYPED_TEST(Triangular, Batches) {
  using T = TypeParam;
  Random random(2);
  for (int items : {0, 1, beyond_a_grid}) {
    SCOPED_TRACE(std::to_string(items) + " items");
    Matrices<T> const a(tridiagonal(5), items, Arranged::item_contiguous);
    put_triangular(a, random);
    for (auto triangle : {Triangle::lower, Triangle::upper})
      check_solve(ByVerb(), triangle, a.csr(), a.full, Arranged::item_contiguous, false, random);
    ArrangedBatch<T> const b(items, 5, 1, Arranged::item_contiguous),
        x(items, 5, 1, Arranged::item_contiguous), y(items, 5, 1, Arranged::item_contiguous);
    b.randomise(random);
    x.fill(T(0));
    y.fill(T(1));
    solve_triangular(Triangle::upper, a.csr(), vectors(b), vectors(x));
    solve_triangular(Space(), Triangle::upper, a.csr(), vectors(b), vectors(y));
    x.download();
    y.download();
    for (std::int64_t n = 0; n < items; ++n)
      for (int i = 0; i < 5; ++i) ASSERT_EQ(x.at(n, i, 0), y.at(n, i, 0)) << n;
  }
}

/// Diagonals by which one cannot divide, in every format, in whole packs and in a partial one.
/// Neighbours must be bitwise unchanged.
TYPED_TEST(Triangular, BadDiagonals) {
  using T = TypeParam;
  Random random(3);
  T const nan = std::numeric_limits<T>::quiet_NaN(), infinite = std::numeric_limits<T>::infinity();
  int const rows = 12;
  std::int64_t const items = 37;
  for (auto how : {Arranged::item_contiguous, Arranged::interleaved})
    for (auto triangle : triangles)
      for (T bad : {T(0), nan, infinite}) {
        Matrices<T> const a(solvable_pattern(random, rows, 0.5, false), items, how);
        put_triangular(a, random);
        ArrangedBatch<T> const b(items, rows, 1, how), x(items, rows, 1, how),
            clean(items, rows, 1, how);
        b.randomise(random);
        clean.fill(T(0));
        solve_triangular(triangle, a.csr(), vectors(b), vectors(clean));
        clean.download();
        int const row = 7;
        auto const& columns = a.pattern.columns[row];
        int const k = int(std::find(columns.begin(), columns.end(), row) - columns.begin());
        for (std::int64_t at : {std::int64_t(0), std::int64_t(18), items - 1})
          a.put(at, row, k, bad);
        a.upload();
        Kokkos::View<std::int64_t*, Space> const codes("codes", std::size_t(items));
        auto const look = [&](char const* what, auto const& A, bool exact) {
          SCOPED_TRACE(std::string(what) + ", triangle " + std::to_string(int(triangle)));
          x.fill(T(0));
          solve_triangular(triangle, A, vectors(b), vectors(x), status(codes));
          x.download();
          auto const said = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), codes);
          for (std::int64_t n = 0; n < items; ++n) {
            auto const code = said(std::size_t(n));
            bool const planted = (n == 0 || n == 18 || n == items - 1) && !is_unit(triangle);
            if (planted) {
              EXPECT_EQ(Status::reason(code), bad == T(0) ? Reason::breakdown : Reason::not_finite);
              EXPECT_EQ(Status::info(code), row + 1);
              if (!(bad == infinite)) {
                EXPECT_TRUE(std::isnan(x.at(n, row, 0)));
              }
              // Rows before it have the correct values.
              int const before = is_upper(triangle) ? rows - 1 : 0;
              EXPECT_TRUE(std::isfinite(x.at(n, before, 0)));
            } else {
              EXPECT_EQ(code, 0);
              for (int i = 0; exact && i < rows; ++i)
                ASSERT_EQ(x.at(n, i, 0), clean.at(n, i, 0)) << n;
            }
          }
        };
        look("csr", a.csr(), true);
        // On devices another number of lanes can share a longer row.
        look("ell", a.ell(), !Impl::runs_on_device<Space>);
        look("dense", a.dense(), false);
      }
}

/// A row without a diagonal, and a result that overflows.
TYPED_TEST(Triangular, MissingAndOverflow) {
  using T = TypeParam;
  Random random(4);
  auto p = tridiagonal(6);
  std::erase(p.columns[3], 3);
  p.columns[5].clear();
  Matrices<T> const a(p, 3, Arranged::item_contiguous);
  put_triangular(a, random);
  ArrangedBatch<T> const b(3, 6, 1, Arranged::item_contiguous),
      x(3, 6, 1, Arranged::item_contiguous);
  b.randomise(random);
  Kokkos::View<int*, Space> const codes("codes", 3);
  auto const code = [&] {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), codes)(1);
  };
  auto const look = [&](auto const& A) {
    solve_triangular(Triangle::lower, A, vectors(b), vectors(x), status(codes));
    EXPECT_EQ(code(), Status::code(Reason::breakdown, 4));
    x.download();
    EXPECT_TRUE(std::isfinite(x.at(1, 2, 0)));
    for (int i : {3, 4, 5}) EXPECT_TRUE(std::isnan(x.at(1, i, 0))) << i;
    solve_triangular(Space(), Triangle::upper, A, vectors(b), vectors(x), status(codes));
    EXPECT_EQ(code(), Status::code(Reason::breakdown, 4));  // not 6, which is first
    solve_triangular(Triangle::unit_upper, A, vectors(b), vectors(x), status(codes));
    EXPECT_EQ(code(), 0);
  };
  look(a.csr());
  look(a.ell());
  look(a.dense());
  Matrices<T> const small(tridiagonal(2), 3, Arranged::item_contiguous);
  put_triangular(small, random);
  small.put(1, 0, 0, std::numeric_limits<T>::min());
  small.upload();
  ArrangedBatch<T> const c(3, 2, 1, Arranged::item_contiguous),
      y(3, 2, 1, Arranged::item_contiguous);
  c.fill(T(100));
  solve_triangular(Triangle::lower, small.csr(), vectors(c), vectors(y), status(codes));
  EXPECT_EQ(code(), Status::code(Reason::not_finite, 0));
}

TEST(TriangularMisuse, IsNamed) {
  using Vectors = Kokkos::View<double**, Kokkos::LayoutRight, Space>;
  Vectors const x("x", 7, 4), b("b", 7, 4), b8("b8", 8, 4), b5("b5", 7, 5), values("values", 7, 9);
  Kokkos::View<int*, Space> const offsets("offsets", 5), columns("columns", 9), codes("codes", 6);
  auto const a = csr(offsets, columns, values);
  Kokkos::deep_copy(x, 7.25);
  auto const lower = Triangle::lower;
  expect_says(message_of([&] { solve_triangular(lower, a, b8, x); }),
              {"Batchwork::solve_triangular: operand ", "b(\"b8\") [View (8, 4)] has 8; give"});
  expect_says(message_of([&] { solve_triangular(lower, a, b5, x); }),
              {"operand 3, b(\"b5\") [View (7, 5)] holds 5 numbers an item", "have 4 rows"});
  expect_says(message_of([&] { solve_triangular(lower, a, b, b5); }),
              {"operand 4, x(\"b5\") [View (7, 5)] holds 5 numbers an item", "have 4 rows"});
  Vectors const other(b.data(), 7, 4), shifted(values.data(), 7, 4);
  expect_says(message_of([&] { solve_triangular(lower, a, b, shifted); }),
              {"operand 4, x", "is written and shares elements with operand 2, csr values"});
  expect_says(message_of([&] { solve_triangular(lower, a, b, x, status(codes)); }),
              {"operand 5, status(\"codes\")", "has 6 items"});
  expect_says(message_of([&] { solve_triangular(lower, a, Vectors(), x); }), {"operand 3, b"});
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  for (std::size_t n = 0; n < 7; ++n)
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(host(n, i), 7.25);
}

}  // namespace
}  // namespace Batchwork::Test

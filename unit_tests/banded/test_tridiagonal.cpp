// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// solve_tridiagonal: all numbers of rows and all arrangements against long double, closed forms,
// solves in place, numbers of items, compact groups, items that fail.
#include "banded/TridiagonalCase.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct Tridiagonal : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Tridiagonal, Numbers);

/// The verb with codes, in the form that the cases call.
template <class T>
auto verb(TridiagonalData<T> const& s) {
  return [&s](ArrangedBatch<T> const& b, ArrangedBatch<T> const& x) {
    solve_tridiagonal(Space(), vectors(s.lower), vectors(s.diagonal), vectors(s.upper), vectors(b),
                      vectors(x), status(s.codes));
  };
}

template <class T>
auto pivoted(TridiagonalData<T> const& s) {
  return [&s](ArrangedBatch<T> const& b, ArrangedBatch<T> const& x) {
    solve_tridiagonal(Space(), vectors(s.lower), vectors(s.diagonal), vectors(s.upper), vectors(b),
                      vectors(x), partial_pivoting(), status(s.codes));
  };
}

TYPED_TEST(Tridiagonal, RowsAndArrangements) {
  using T = TypeParam;
  Random random(1);
  for (int rows : tridiagonal_rows) {
    // At least one batch with a partial last group, and one with a few items.
    for (auto how : all_arranged) {
      std::int64_t const items = rows <= 33 ? 133 : rows <= 144 ? 37 : 9;
      SCOPED_TRACE(std::to_string(rows) + " rows, arranged " + std::to_string(int(how)));
      TridiagonalData<T> const s(items, rows, all_of(how));
      s.randomise(random);
      s.check(verb(s));
    }
    FiveArranged const mixed = some_arrangement(random);
    SCOPED_TRACE(std::to_string(rows) + " rows, mixed");
    TridiagonalData<T> const s(random.integer(1, 40), rows, mixed);
    s.randomise(random);
    s.check(verb(s));
  }
}

TYPED_TEST(Tridiagonal, NumbersOfItems) {
  using T = TypeParam;
  Random random(2);
  for (int items : {0, 1, 2, 15, 16, 17, 64, 129, beyond_a_grid})
    for (auto how : {Arranged::item_contiguous, Arranged::interleaved})
      for (int rows : {1, 5, 12}) {
        SCOPED_TRACE(std::to_string(items) + " items");
        TridiagonalData<T> const s(items, rows, all_of(how));
        s.randomise(random);
        s.check(verb(s));
      }
  // Without rows there is no work and no launch.
  Kokkos::View<T**, Space> const none("none", 4, 0), x("x", 4, 0);
  EXPECT_NO_THROW(solve_tridiagonal(none, none, none, none, x));
}

TYPED_TEST(Tridiagonal, SecondDifference) {
  for (int rows : {1, 2, 7, 16, 32, 33, 64, 65, 144, 500, 1024, 4096})
    for (auto how : all_arranged) {
      SCOPED_TRACE(std::to_string(rows) + " rows, arranged " + std::to_string(int(how)));
      TridiagonalData<TypeParam> const s(5, rows, all_of(how));
      s.check_second_difference(verb(s));
    }
}

/// The largest and smallest pivots, whose reciprocals are not normal numbers or nearly overflow.
TYPED_TEST(Tridiagonal, ExtremePivots) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  for (int rows : {1, 3, 40, 100, 300})
    for (auto how : {Arranged::item_contiguous, Arranged::interleaved}) {
      SCOPED_TRACE(std::to_string(rows) + " rows, arranged " + std::to_string(int(how)));
      TridiagonalData<T> const s(35, rows, all_of(how));
      s.lower.fill(T(0));
      s.upper.fill(T(0));
      T const pivots[] = {Limits::max(), Limits::min(), -Limits::max(), -Limits::min(), T(3)};
      auto const want = [](std::int64_t n, int i) { return (n + i) % 5 % 2 == 0 ? T(0.5) : T(2); };
      for (std::int64_t n = 0; n < 35; ++n)
        for (int i = 0; i < rows; ++i) {
          T const pivot = pivots[(n + i) % 5];
          s.diagonal.at(n, i, 0) = pivot;
          s.b.at(n, i, 0) = pivot * want(n, i);
        }
      s.upload();
      verb(s)(s.b, s.x);
      s.x.download();
      for (int code : s.download_codes()) ASSERT_EQ(code, 0);
      for (std::int64_t n = 0; n < 35; ++n)
        for (int i = 0; i < rows; ++i)
          ASSERT_LE(std::fabs(s.x.at(n, i, 0) / want(n, i) - 1), 8 * epsilon<T>)
              << "item " << n << ", row " << i;
    }
}

TYPED_TEST(Tridiagonal, FailuresStayWithinTheirItem) {
  using T = TypeParam;
  using Plant = typename TridiagonalData<T>::Plant;
  Random random(3);
  for (int rows : {1, 2, 8, 9, 17, 32, 33, 65, 144, 1000})
    for (auto how : {Arranged::item_contiguous, Arranged::interleaved, Arranged::strided}) {
      SCOPED_TRACE(std::to_string(rows) + " rows, arranged " + std::to_string(int(how)));
      std::int64_t const items = 37;
      TridiagonalData<T> const s(items, rows, all_of(how));
      s.randomise(random);
      auto const clean = s.clean_x(verb(s));
      int turn = 0;
      for (std::int64_t at : {std::int64_t(0), items / 2, items - 1})
        for (Plant what : {Plant::zero_pivot, Plant::nan_pivot, Plant::infinite_pivot,
                           Plant::tiny_pivot, Plant::nan_b, Plant::nan_lower, Plant::nan_upper}) {
          // For long ones, faults are planted in every item and in every row, but not in every row
          // of every item.
          for (int row : {0, rows / 2, rows - 1})
            if (++turn % 3 == 0 || rows <= 100) s.check_failure(verb(s), clean, at, row, what);
          ++turn;
        }
    }
}

/// Items without a failure must be accurate: row by row if one lane has an item, as on hosts.
TYPED_TEST(Tridiagonal, SaysWhereItIsNotAccurate) {
  using T = TypeParam;
  using Kind = typename TridiagonalData<T>::Kind;
  Random random(5);
  constexpr long double by_rows = Impl::runs_on_device<Kokkos::DefaultExecutionSpace> ? 1e30L : 64;
  for (int rows : {2, 3, 8, 16, 33, 100, 1000})
    for (auto how : {Arranged::item_contiguous, Arranged::interleaved, Arranged::strided}) {
      SCOPED_TRACE(std::to_string(rows) + " rows, arranged " + std::to_string(int(how)));
      TridiagonalData<T> const s(rows < 1000 ? 501 : 101, rows, all_of(how));
      for (Kind kind : TridiagonalData<T>::well_behaved) {
        s.fill(kind, random);
        EXPECT_EQ(s.check_accuracy(verb(s), kind, 128, by_rows), 0);
      }
      for (Kind kind : {Kind::random, Kind::zero_diagonal}) {
        s.fill(kind, random);
        int const reported = s.check_accuracy(verb(s), kind, 128, by_rows);
        EXPECT_GE(reported, rows < 100 ? 1 : s.items / 2);
      }
    }
}

/// With partial pivoting every regular matrix is solved, and no item is inaccurate.
TYPED_TEST(Tridiagonal, PartialPivoting) {
  using T = TypeParam;
  using Kind = typename TridiagonalData<T>::Kind;
  Random random(6);
  for (int rows : {1, 2, 3, 4, 8, 16, 17, 32, 33, 64, 100, 513, 1000, 4096})
    for (auto how : all_arranged) {
      SCOPED_TRACE(std::to_string(rows) + " rows, arranged " + std::to_string(int(how)));
      TridiagonalData<T> const s(rows <= 100 ? 133 : 21, rows, all_of(how));
      s.randomise(random);
      s.check(pivoted(s), true, true);
      for (Kind kind : {Kind::dominant_columns, Kind::graded, Kind::random}) {
        s.fill(kind, random);
        EXPECT_EQ(s.check_accuracy(pivoted(s), kind, 128, 1e30L, true), 0);
      }
      // Zeros can make the matrix singular.
      s.fill(Kind::zero_diagonal, random);
      int const singular = s.check_accuracy(pivoted(s), Kind::zero_diagonal, 128, 1e30L, true);
      EXPECT_TRUE(rows > 4 || rows == 1 || singular < s.items) << singular;
    }
  for (int k = 0; k < 10; ++k) {
    TridiagonalData<T> const s(random.integer(1, 40), random.integer(1, 200),
                               some_arrangement(random));
    s.randomise(random);
    s.check(pivoted(s), true, true);
    s.fill(Kind::random, random);
    EXPECT_EQ(s.check_accuracy(pivoted(s), Kind::random, 128, 1e30L, true), 0);
  }
}

/// Blocks [0 1; 1 0], which have no pivot on the diagonal: x is b with exchanged entries.
TYPED_TEST(Tridiagonal, ExchangesOfRows) {
  using T = TypeParam;
  for (int rows : {2, 16, 40, 1000})
    for (auto how : {Arranged::item_contiguous, Arranged::interleaved}) {
      SCOPED_TRACE(std::to_string(rows) + " rows, arranged " + std::to_string(int(how)));
      TridiagonalData<T> const s(35, rows, all_of(how));
      s.lower.fill(T(0));
      s.diagonal.fill(T(0));
      s.upper.fill(T(0));
      for (std::int64_t n = 0; n < s.items; ++n)
        for (int i = 0; i < rows; ++i) {
          (i % 2 == 0 ? s.upper : s.lower).at(n, i, 0) = T(1);
          s.b.at(n, i, 0) = T(n + i);
        }
      s.upload();
      pivoted(s)(s.b, s.x);
      s.x.download();
      for (int code : s.download_codes()) ASSERT_EQ(code, 0);
      for (std::int64_t n = 0; n < s.items; ++n)
        for (int i = 0; i < rows; ++i) ASSERT_EQ(s.x.at(n, i, 0), T(n + (i ^ 1)));
      // Without exchanges there is no pivot.
      verb(s)(s.b, s.x);
      for (int code : s.download_codes()) ASSERT_NE(code, 0);
    }
}

TYPED_TEST(Tridiagonal, FailuresWithExchanges) {
  using T = TypeParam;
  using Plant = typename TridiagonalData<T>::Plant;
  Random random(7);
  for (int rows : {1, 2, 9, 33, 144, 1000})
    for (auto how : {Arranged::item_contiguous, Arranged::interleaved, Arranged::strided}) {
      SCOPED_TRACE(std::to_string(rows) + " rows, arranged " + std::to_string(int(how)));
      TridiagonalData<T> const s(37, rows, all_of(how));
      s.randomise(random);
      auto const clean = s.clean_x(pivoted(s));
      for (Plant what : {Plant::zero_pivot, Plant::nan_pivot, Plant::infinite_pivot, Plant::nan_b,
                         Plant::nan_lower, Plant::nan_upper})
        for (int row : {0, rows / 2, rows - 1})
          s.check_failure(pivoted(s), clean, random.integer(0, 36), row, what, true);
    }
}

/// Groups of 8 and of 32 items, with a partial last group.
template <class T, int W>
void check_compact(int rows) {
  SCOPED_TRACE(std::to_string(rows) + " rows in groups of " + std::to_string(W));
  Random random(4);
  constexpr std::int64_t items = 77;
  constexpr std::size_t groups = (items + W - 1) / W;
  TridiagonalData<T> const s(items, rows, all_of(Arranged::item_contiguous));
  s.randomise(random);
  using View = Kokkos::View<T** [W], Kokkos::LayoutRight, Space>;
  std::size_t const n = std::size_t(rows);
  View const l("l", groups, n), d("d", groups, n), u("u", groups, n), b("b", groups, n),
      x("x", groups, n);
  pack(compact(l, items), vectors(s.lower));
  pack(compact(d, items), vectors(s.diagonal));
  pack(compact(u, items), vectors(s.upper));
  pack(compact(b, items), vectors(s.b));
  Kokkos::View<int*, Space> const codes("codes", std::size_t(items));
  Kokkos::deep_copy(x, poison<T>());
  solve_tridiagonal(compact(l, items), compact(d, items), compact(u, items), compact(b, items),
                    compact(x, items), status(codes));
  unpack(vectors(s.x), compact(x, items));
  s.x.download();
  s.expect_solved(s.x);
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t lane = items % W; lane < std::size_t(W); ++lane)
      EXPECT_EQ(host(groups - 1, i, lane), poison<T>());
  // With row exchanges.
  solve_tridiagonal(compact(l, items), compact(d, items), compact(u, items), compact(b, items),
                    compact(x, items), partial_pivoting());
  unpack(vectors(s.x), compact(x, items));
  s.x.download();
  s.expect_solved(s.x, true, true);
  // In place.
  solve_tridiagonal(compact(l, items), compact(d, items), compact(u, items), compact(b, items),
                    compact(b, items));
  unpack(vectors(s.x), compact(b, items));
  s.x.download();
  s.expect_solved(s.x);
}
TYPED_TEST(Tridiagonal, Compact) {
  for (int rows : {1, 12, 33, 100, 1000}) {
    check_compact<TypeParam, 3>(rows);
    check_compact<TypeParam, 8>(rows);
    check_compact<TypeParam, 32>(rows);
  }
}

/// Codes with 64 bits, and const Views.
TYPED_TEST(Tridiagonal, OtherArguments) {
  using T = TypeParam;
  using View = Kokkos::View<T**, Space>;
  using Const = Kokkos::View<T const**, Space>;
  View const l("l", 3, 4), d("d", 3, 4), x("x", 3, 4);
  Kokkos::deep_copy(d, T(4));
  Kokkos::deep_copy(x, T(2));
  Kokkos::View<std::int64_t*, Space> const codes("codes", 3);
  Kokkos::deep_copy(codes, -1);
  // A diagonal matrix, and both bands in one View, which is only read.
  solve_tridiagonal(Const(l), Const(d), Const(l), x, x, status(codes));
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), codes);
  for (std::size_t n = 0; n < 3; ++n) {
    EXPECT_EQ(found(n), 0);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(host(n, i), T(0.5));
  }
}

}  // namespace
}  // namespace Batchwork::Test

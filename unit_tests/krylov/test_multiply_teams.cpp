// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The device kernel of multiply, run on the host by teams of threads, and the choice of how many
// lanes share a system.
#include "krylov/DiaCase.hpp"
#include "krylov/SystemsCase.hpp"
#include "support/HostTeams.hpp"

namespace Batchwork::Test {
namespace {

TEST(LanesPerSystem, GrowWithRowsAndNonzeros) {
  using Impl::lanes_per_system;
  // The smallest number of lanes that can hold the numbers in registers: 3 rows of 22, at most 64
  // nonzeros.
  EXPECT_EQ(lanes_per_system(22, 438), 8);
  EXPECT_EQ(lanes_per_system(33, 978), 16);
  EXPECT_EQ(lanes_per_system(54, 2560), 64);
  EXPECT_EQ(lanes_per_system(144, 6135), 128);
  EXPECT_EQ(lanes_per_system(16, 46), 4);
  EXPECT_EQ(lanes_per_system(512, 1534), 128);
  EXPECT_EQ(lanes_per_system(0, 0), 1);
  EXPECT_EQ(lanes_per_system(1, 1), 1);
  EXPECT_EQ(lanes_per_system(4, 16), 1);
  EXPECT_EQ(lanes_per_system(2000, 4000000), 128);
  for (int per_row : {0, 1, 3, 20, 200}) {
    int before = 1;
    for (int rows = 1; rows < 2100; ++rows) {
      int const lanes = lanes_per_system(rows, std::int64_t(rows) * per_row);
      EXPECT_GE(lanes, before);
      EXPECT_EQ(128 % lanes, 0);
      // No lane is without a row, except if the number of lanes is rounded up to a power of two.
      EXPECT_LT(lanes, 2 * rows);
      before = lanes;
    }
  }
}

template <class T>
struct MultiplyOnTeams : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MultiplyOnTeams, Numbers);

/// Runs the kernel with its default number of lanes, and with another one.
template <class T, class A>
void run(A const& a, ArrangedBatch<T> const& full, ArrangedBatch<T> const& x, int rows,
         std::int64_t items, Arranged how, Random& random, char const* what) {
  SCOPED_TRACE(what);
  auto const systems = a.systems();
  using Systems = std::remove_const_t<decltype(systems)>;
  int const own = Impl::multiply_lanes(systems, a.nonzeros());
  for (int lanes : {own, 1 << random.integer(0, 7)}) {
    SCOPED_TRACE(std::to_string(lanes) + " lanes");
    ArrangedBatch<T> const y(items, rows, 1, how), before(items, rows, 1, how);
    y.randomise(random);
    for (std::int64_t n = 0; n < items; ++n)
      for (int i = 0; i < rows; ++i) before.at(n, i, 0) = y.at(n, i, 0);
    auto const outside = y.poisoned();
    using Kernel = Impl::MultiplyTeams<T, Systems>;
    Kernel const kernel{{systems, Impl::stored(vectors(x)).storage.as_const(),
                         Impl::stored(vectors(y)).storage, T(-0.75), T(2), items},
                        lanes};
    run_teams(kernel, int(kernel.teams()), Kernel::largest_team, 0);
    y.download();
    EXPECT_EQ(y.poisoned(), outside);
    for (std::int64_t n = 0; n < items; ++n)
      for (int i = 0; i < rows; ++i) {
        Truth t = row_truth(full, n, i, x, -0.75);
        t.add(2.0L * before.at(n, i, 0));
        ASSERT_LE(std::fabs(y.at(n, i, 0) - t.value), (rows + 3) * epsilon<T> * t.size)
            << "item " << n << ", row " << i;
      }
  }
}

/// Lanes that cooperate: each reads what another lane wrote, and then writes its rows.
struct Reversal {
  int rows;
  template <class Lanes, class X, class Y>
  KOKKOS_FUNCTION void operator()(Lanes const& lanes, std::int64_t, X const& x, Y const& y) const {
    lanes.sync();
    lanes.for_each(rows, [&](int i) { y(i) = x(rows - 1 - i); });
    lanes.sync();
  }
};

TYPED_TEST(MultiplyOnTeams, AllFormats) {
  using T = TypeParam;
  Random random(1);
  for (int rows : {1, 5, 22, 33, 144})
    for (auto how : all_arranged) {
      std::int64_t const items = rows < 10 ? 33 : 3;
      SCOPED_TRACE(std::to_string(rows) + " rows, arranged " + std::to_string(int(how)));
      Matrices<T> const a(random_pattern(random, rows), items, how);
      ArrangedBatch<T> const x(items, rows, 1, how), turned(items, rows, rows, how);
      a.randomise(random);
      x.randomise(random);
      turned.fill(T(0));
      for (std::int64_t n = 0; n < items; ++n)
        for (int i = 0; i < rows; ++i) turned.at(n, i, rows - 1 - i) = T(1);
      if (a.pattern.nonzeros() > 0) {
        run(a.csr(), a.full, x, rows, items, how, random, "csr");
        run(a.ell(), a.full, x, rows, items, how, random, "ell");
        DiaOf<T> const d(a, how);
        run(d.dia(), a.full, x, rows, items, how, random, "dia");
      }
      run(a.dense(), a.full, x, rows, items, how, random, "dense");
      run(matrix_free(rows, Reversal{rows}), turned, x, rows, items, how, random, "functor");
    }
}

/// The diagonal is found in every format. If it is missing it is zero.
TYPED_TEST(MultiplyOnTeams, Diagonal) {
  using T = TypeParam;
  Random random(2);
  for (auto how : all_arranged) {
    Matrices<T> const a(random_pattern(random, 17), 3, how);
    a.randomise(random);
    auto const csr = a.csr().systems();
    auto const ell = a.ell().systems();
    auto const dense = a.dense().systems();
    auto const unit = scaled_identity<T>(17, T(3)).systems();
    for (std::int64_t n = 0; n < 3; ++n)
      for (int i = 0; i < 17; ++i) {
        T const want = a.full.at(n, i, i);
        EXPECT_EQ(Impl::diagonal_number(csr.item(n), i), want);
        EXPECT_EQ(Impl::diagonal_number(ell.item(n), i), want);
        EXPECT_EQ(Impl::diagonal_number(dense.item(n), i), want);
        EXPECT_EQ(Impl::diagonal_number(unit.item(n), i), T(3));
      }
  }
}

}  // namespace
}  // namespace Batchwork::Test

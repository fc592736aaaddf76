// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The device kernels of cholesky, solve_cholesky and solve_lower, run on the host by teams of threads, so that they are
// tested where there is no device, with the sanitizers' help; and where things stand in scratch.
#include "verbs/HostTeams.hpp"
#include "verbs/TriangleCase.hpp"

namespace Batchwork::Test {
namespace {

constexpr std::size_t scratch_on_a_device = 40928;

template <class T>
struct CholeskyTeams : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CholeskyTeams, Numbers);

template <class T>
Impl::Storage<T> storage(GemmMatrices<T> const& m) {
  return {m.data(), 1, m.item, 0, m.row, m.col};
}

template <class T, int Tiles>
void run_tiles(Impl::TriangleProblem<T> const& p) {
  Impl::TriangleTeams<T, Tiles> const kernel(p, scratch_on_a_device);
  ASSERT_LE(kernel.bytes(), scratch_on_a_device);
  ASSERT_LE(kernel.team(), kernel.largest_team);
  run_teams(kernel, int(kernel.teams()), kernel.team(), kernel.bytes());
}
template <class T>
void run_problem(Impl::TriangleProblem<T> const& p) {
  if (!p.factors) run_tiles<T, Impl::triangle_of_solve>(p);
  else Impl::with_held_tiles(p.n, [&]<int Tiles>() { run_tiles<T, Tiles>(p); });
}

TYPED_TEST(CholeskyTeams, FactorsAndSolves) {
  using T = TypeParam;
  Random random(1);
  for (int n : {1, 4, 7, 13, 16, 17, 32, 33, 40, 45, 48, 54, 63, 64, 67, 88})
    for (auto how : all_arranged) {
      // Teams of one item are quick; some have as many as there may be.
      std::int64_t const items = n < 20 || (n == 33 && how != Arranged::columns) ? 5 : 1;
      if (n > 20 && n != 33 && n != 64 && n != 88 && random.integer(0, 1)) continue;
      int const columns = n < 34 ? random.integer(1, 11) : 1;
      SCOPED_TRACE(std::to_string(n) + ", arranged " + std::to_string(int(how)) + ", columns " +
                   std::to_string(columns));
      GemmMatrices<T> const a(items, n, n, how), l(items, n, n, how), b(items, n, columns, how),
          x(items, n, columns, how), y(items, n, columns, how), z(items, n, columns, how);
      put_spd(a, random);
      b.randomise(random);
      std::vector<std::int32_t> codes(std::size_t(items), -1);

      Impl::TriangleProblem<T> p;
      p.n = n;
      p.items = items;
      p.a = storage(a).as_const();
      p.l = storage(l);
      p.factors = p.stores_factor = true;
      p.status.narrow = codes.data();
      p.status.group = 1;
      run_problem(p);

      p.stores_factor = false;
      p.columns = columns;
      p.b = storage(b).as_const();
      p.x = storage(x);
      p.forward = p.backward = true;
      run_problem(p);

      l.download();
      p.factors = false;
      p.a = storage(l).as_const();
      p.x = storage(y);
      p.backward = false;
      run_problem(p);
      p.x = storage(z);
      p.forward = false;
      p.backward = true;
      run_problem(p);

      for (auto const* m : {&x, &y, &z}) m->download();
      for (std::int64_t k = 0; k < items; ++k) {
        Dense const factor = item(l, k);
        EXPECT_EQ(codes[std::size_t(k)], 0);
        ASSERT_TRUE(is_factor<T>(factor, item(a, k)));
        ASSERT_TRUE(solves_spd<T>(item(x, k), item(a, k), item(b, k)));
        ASSERT_TRUE(solves_triangle<T>(item(y, k), factor, item(b, k)));
        ASSERT_TRUE(solves_triangle<T>(item(z, k), transpose(factor), item(b, k)));
      }
      EXPECT_EQ(l.poisoned(), l.host.extent(0) - std::size_t(items * n * n));
      EXPECT_EQ(x.poisoned(), x.host.extent(0) - std::size_t(items * n * columns));
    }
}

TYPED_TEST(CholeskyTeams, Failures) {
  using T = TypeParam;
  Random random(2);
  for (int n : {6, 34, 66})
    for (int pivot : {0, n / 2, n - 1})
      for (T bad : {T(-1), std::numeric_limits<T>::quiet_NaN()}) {
        std::int64_t const items = n > 60 ? 1 : 2;
        GemmMatrices<T> const a(items, n, n, Arranged::rows), b(items, n, 1, Arranged::rows),
            x(items, n, 1, Arranged::planes);
        put_spd(a, random);
        b.randomise(random);
        a.at(items - 1, pivot, pivot) = bad;
        a.upload();
        std::vector<std::int64_t> codes(std::size_t(items), -1);
        Impl::TriangleProblem<T> p;
        p.n = n;
        p.items = items;
        p.columns = 1;
        p.a = storage(a).as_const();
        p.b = storage(b).as_const();
        p.x = storage(x);
        p.factors = p.forward = p.backward = true;
        p.status.wide = codes.data();
        p.status.group = 1;
        run_problem(p);
        x.download();
        EXPECT_EQ(codes.back(),
                  Status::code(bad < T(0) ? Reason::not_positive_definite : Reason::not_finite,
                               pivot + 1));
        for (int i = 0; i < n; ++i) EXPECT_TRUE(std::isnan(x.at(items - 1, i, 0)));
        if (items > 1) {
          EXPECT_EQ(codes[0], 0);
          EXPECT_TRUE(solves_spd<T>(item(x, 0), item(a, 0), item(b, 0)));
        }
      }
}

/// Every number of the triangle has a place of its own, and no two lanes that read a row or a group meet in a bank.
TEST(TriangleScratch, Places) {
  for (int tiles : {1, 2, 5, 8, 17}) {
    Impl::TriangleScratch const at{tiles};
    std::vector<int> taken(std::size_t(at.numbers()), 0);
    for (int i = 0; i < at.rows(); ++i)
      for (int j = 0; j / 8 <= i / 8; ++j) {
        ASSERT_GE(at.place(i, j), 0);
        ASSERT_LT(at.place(i, j), at.numbers());
        EXPECT_EQ(taken[std::size_t(at.place(i, j))]++, 0);
      }
    for (int j0 = 0; j0 + 32 < at.rows(); j0 += 8) {
      std::vector<int> banks(32, 0);
      for (int j = j0; j < j0 + 32; ++j) ++banks[std::size_t(at.place(at.rows() - 1, j) % 32)];
      for (int count : banks) EXPECT_EQ(count, 1);
    }
  }
}

}  // namespace
}  // namespace Batchwork::Test

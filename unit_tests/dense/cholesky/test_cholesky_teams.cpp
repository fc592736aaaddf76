// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The device kernels of cholesky, solve_cholesky and solve_lower, run on the host by teams of threads, so that they are
// tested where there is no device, with the sanitizers' help; and where things stand in scratch.
#include "dense/cholesky/TriangleCase.hpp"
#include "support/Batchwork_Devices.hpp"
#include "support/HostTeams.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct CholeskyTeams : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CholeskyTeams, Numbers);

template <class T>
Impl::Storage<T> storage(ArrangedBatch<T> const& m) {
  return {m.data(), 1, m.item, 0, m.row, m.col};
}

template <class T, int Tiles>
void run_tiles(Impl::TriangleProblem<T> const& p) {
  auto const limits = h200_with_kokkos_4();
  Impl::TriangleTeams<T, Tiles> const kernel(p, limits);
  ASSERT_LE(kernel.bytes(), limits.scratch_of_team);
  ASSERT_LE(kernel.team(), kernel.largest_team);
  run_teams(kernel, int(kernel.teams()), kernel.team(), kernel.bytes());
}
template <class T>
void run_problem(Impl::TriangleProblem<T> const& p) {
  if (!p.factors) run_tiles<T, Impl::triangle_of_solve>(p);
  else Impl::with_tiles_in_registers(p.n, [&]<int Tiles>() { run_tiles<T, Tiles>(p); });
}

/// A call on so many items of n rows that are item-contiguous or interleaved.
template <class T>
Impl::TriangleProblem<T> problem_of_size(int n, int columns, bool interleaved) {
  Impl::TriangleProblem<T> p;
  p.n = n;
  p.items = 1000;
  p.columns = columns;
  p.factors = true;
  p.stores_factor = columns == 0;
  p.forward = p.backward = columns > 0;
  Impl::Storage<T> const s{
      nullptr, 1, interleaved ? 1 : n * n, 0, interleaved ? 1000 * n : n, interleaved ? 1000 : 1};
  p.a = s.as_const();
  p.l = s;
  return p;
}

/// On every device all rows that are taken are launched, without a device that has more being worse off.
TYPED_TEST(CholeskyTeams, FitEveryDevice) {
  using T = TypeParam;
  auto const check = [](Device const& device, Impl::TriangleProblem<T> const& p, auto kernel) {
    using Kernel = decltype(kernel);
    std::string const what = std::string(device.name) + ", " + std::to_string(p.n) + " rows, " +
                             std::to_string(p.columns) + " right-hand sides";
    ASSERT_LE(kernel.bytes(), device.limits.scratch_of_team) << what;
    ASSERT_EQ(kernel.team() % Impl::lanes_of_warp, 0) << what;
    ASSERT_LE(kernel.team(), kernel.largest_team) << what;
    ASSERT_GE(kernel.chunk, p.columns > 0 ? 1 : 0) << what;
    // As launch_teams_that_fit has it.
    bool const fits = device.limits.holds(Kernel::wanted_teams, kernel.team(), kernel.bytes());
    int const teams = Kernel::in_registers || fits ? Kernel::wanted_teams : 1;
    ASSERT_TRUE(launches(device, teams, kernel.team(), kernel.bytes())) << what;
    // More room is no harm, as long as it is for as many teams.
    auto more = device.limits;
    more.scratch_of_team += 10000;
    more.scratch_of_multiprocessor += more.scratch_of_multiprocessor / 8;
    Kernel const roomier(p, more);
    if (device.counts_teams &&
        fits == more.holds(Kernel::wanted_teams, roomier.team(), roomier.bytes())) {
      ASSERT_GE(roomier.items_per_team * std::max(1, roomier.chunk),
                kernel.items_per_team * std::max(1, kernel.chunk))
          << what;
    }
  };
  for (auto const& device : devices())
    for (bool interleaved : {false, true})
      for (int columns : {0, 1, 8}) {
        int const most = Impl::most_triangle_rows<T>(device.limits.scratch_of_team, columns > 0);
        for (int n = 1; n <= most; ++n) {
          auto const p = problem_of_size<T>(n, columns, interleaved);
          Impl::with_tiles_in_registers(n, [&]<int Tiles>() {
            check(device, p, Impl::TriangleTeams<T, Tiles>(p, device.limits));
          });
          if (columns > 0)
            check(device, p, Impl::TriangleTeams<T, Impl::triangle_of_solve>(p, device.limits));
        }
      }
  EXPECT_EQ(Impl::most_triangle_rows<T>(40936, false), sizeof(T) == 4 ? 136 : 96);
  EXPECT_EQ(Impl::most_triangle_rows<T>(40936, true), sizeof(T) == 4 ? 136 : 88);
  EXPECT_EQ(Impl::most_triangle_rows<T>(206824, false), sizeof(T) == 4 ? 312 : 216);
  EXPECT_EQ(Impl::most_triangle_rows<T>(206824, true), sizeof(T) == 4 ? 312 : 216);
}

/// What was measured on an H200 stays, with more scratch too: items of a team, right-hand sides at once.
TYPED_TEST(CholeskyTeams, ChoicesOnAnH200) {
  using T = TypeParam;
  struct Measured {
    int n, columns;
    bool interleaved;
    int items, chunk;
  };
  std::vector<Measured> const in_float{
      {16, 0, false, 4, 0}, {64, 0, false, 4, 0}, {64, 8, false, 2, 8}, {64, 0, true, 4, 0},
      {32, 8, true, 8, 8},  {40, 8, true, 4, 8},  {88, 8, false, 1, 8}, {136, 8, false, 1, 1}},
      in_double{{16, 0, false, 4, 0}, {64, 0, false, 2, 0}, {64, 8, true, 1, 8},
                {40, 0, true, 4, 0},  {40, 8, true, 2, 8},  {96, 0, false, 1, 0},
                {88, 8, false, 1, 4}};
  for (auto const& device : devices()) {
    if (std::string(device.name).find("H200") != 0) continue;
    for (auto const& m : sizeof(T) == 4 ? in_float : in_double)
      Impl::with_tiles_in_registers(m.n, [&]<int Tiles>() {
        Impl::TriangleTeams<T, Tiles> const kernel(
            problem_of_size<T>(m.n, m.columns, m.interleaved), device.limits);
        EXPECT_EQ(kernel.items_per_team, m.items) << device.name << ", " << m.n;
        EXPECT_EQ(kernel.chunk, m.chunk) << device.name << ", " << m.n;
      });
  }
}

/// Beyond what Kokkos 4 has scratch for.
TYPED_TEST(CholeskyTeams, LargeItems) {
  using T = TypeParam;
  Random random(3);
  auto const limits = devices()[6].limits;
  ASSERT_EQ(limits.scratch_of_team, 206824u);
  int const n = sizeof(T) == 4 ? 210 : 170;
  ArrangedBatch<T> const a(1, n, n, Arranged::item_contiguous),
      l(1, n, n, Arranged::item_contiguous), b(1, n, 2, Arranged::item_contiguous),
      x(1, n, 2, Arranged::item_contiguous);
  put_spd(a, random);
  b.randomise(random);
  Impl::TriangleProblem<T> p;
  p.n = n;
  p.items = 1;
  p.a = storage(a).as_const();
  p.l = storage(l);
  p.factors = p.stores_factor = true;
  auto const run = [&]<int Tiles>() {
    Impl::TriangleTeams<T, Tiles> const kernel(p, limits);
    ASSERT_LE(kernel.bytes(), limits.scratch_of_team);
    ASSERT_GT(kernel.bytes(), 60000u);
    run_teams(kernel, 1, kernel.team(), kernel.bytes());
  };
  run.template operator()<Impl::triangle_in_scratch>();
  l.download();
  ASSERT_TRUE(is_factor<T>(item(l, 0), item(a, 0)));
  p.a = storage(l).as_const();
  p.stores_factor = p.factors = false;
  p.columns = 2;
  p.b = storage(b).as_const();
  p.x = storage(x);
  p.forward = true;
  run.template operator()<Impl::triangle_of_solve>();
  x.download();
  ASSERT_TRUE(solves_triangle<T>(item(x, 0), item(l, 0), item(b, 0)));
}

TYPED_TEST(CholeskyTeams, FactorsAndSolves) {
  using T = TypeParam;
  Random random(1);
  for (int n : {1, 4, 7, 13, 16, 17, 32, 33, 40, 45, 48, 54, 63, 64, 67, 88})
    for (auto how : all_arranged) {
      // Teams of one item are quick; some have as many as there may be.
      std::int64_t const items = n < 20 || (n == 33 && how != Arranged::by_columns) ? 5 : 1;
      if (n > 20 && n != 33 && n != 64 && n != 88 && random.integer(0, 1)) continue;
      int const columns = n < 34 ? random.integer(1, 11) : 1;
      SCOPED_TRACE(std::to_string(n) + ", arranged " + std::to_string(int(how)) + ", columns " +
                   std::to_string(columns));
      ArrangedBatch<T> const a(items, n, n, how), l(items, n, n, how), b(items, n, columns, how),
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
        ArrangedBatch<T> const a(items, n, n, Arranged::item_contiguous),
            b(items, n, 1, Arranged::item_contiguous), x(items, n, 1, Arranged::interleaved);
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

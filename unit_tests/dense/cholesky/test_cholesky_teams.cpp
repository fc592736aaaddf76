// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The device kernels of cholesky, solve_cholesky and solve_lower, run on the host by teams of
// threads. They are thus tested without a device, and with sanitizers. Also the layout of scratch
// memory.
#include "dense/UnitsCase.hpp"
#include "dense/cholesky/TriangleCase.hpp"
#include "support/Batchwork_Devices.hpp"
#include "support/HostTeams.hpp"
#include "support/LaneTeams.hpp"

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

template <class Kernel, class T>
void run_kernel(Impl::TriangleProblem<T> const& p, Impl::DeviceLimits const& limits) {
  Kernel const kernel(p, limits);
  ASSERT_LE(kernel.bytes(), limits.scratch_of_team);
  ASSERT_LE(kernel.team(), Kernel::largest_team);
  ASSERT_EQ(kernel.team() % Impl::lanes_of_warp, 0);
  run_teams(kernel, int(kernel.teams()), kernel.team(), kernel.bytes());
}
/// Runs f.template operator()<Kernel>() for TriangleTeams of n rows.
template <class T, class F>
void with_teams_of(int n, bool factors, F const& f) {
  if (!factors) f.template operator()<Impl::TriangleTeams<T, Impl::triangle_of_solve>>();
  else
    Impl::with_teams<T>(
        Impl::tiles_in_registers(n) > 0 ? Impl::choose_triangle_warps(n) : Impl::triangle_teams, f);
}
/// For CholeskyPanels of n rows.
template <class T, class F>
void with_panels_of(int n, Impl::DeviceLimits const& limits, F const& f) {
  for (auto const& c : Impl::choose_cholesky_panels<T>(n))
    if (Impl::with_panels<T>(c, n, limits, f)) return;
}
/// The general kernel, and the kernel for small items if there is one. The problem of the latter is
/// selected by its number.
enum class By { teams, panels, scratch };
template <class T>
void run_problem(Impl::TriangleProblem<T> const& p, By by = By::teams) {
  auto const run = [&]<class Kernel>() { run_kernel<Kernel>(p, h200_with_kokkos_4()); };
  if (by == By::scratch && p.factors) Impl::with_teams<T>(Impl::triangle_teams, run);
  else if (by != By::panels) with_teams_of<T>(p.n, p.factors, run);
  else if (p.factors) with_panels_of<T>(p.n, h200_with_kokkos_4(), run);
  else Impl::with_columns<T>(Impl::choose_triangle_columns(p.n), run);
}

/// The kernel with one lane for an item of N rows.
template <int N, class T>
void run_lanes_of(Impl::TriangleProblem<T> const& p) {
  if (p.stores_factor) run_lanes(Impl::CholeskyOfLane<T, N>(p));
  else run_lanes(Impl::TriangleOfLane<T, N>(p));
}

/// A call with this many items of n rows, item-contiguous or interleaved.
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

/// All supported numbers of rows can be launched on every device. More memory must not make the
/// choice worse.
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
    // As in launch_teams_that_fit.
    bool const fits = device.limits.holds(Kernel::wanted_teams, kernel.team(), kernel.bytes());
    int const teams = Kernel::in_registers || fits ? Kernel::wanted_teams : 1;
    ASSERT_TRUE(launches(device, teams, kernel.team(), kernel.bytes())) << what;
    // More scratch memory is allowed, if the number of teams stays the same.
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
          for (bool factors : {true, false})
            if (factors || columns > 0)
              with_teams_of<T>(n, factors,
                               [&]<class Kernel>() { check(device, p, Kernel(p, device.limits)); });
        }
      }
  EXPECT_EQ(Impl::most_triangle_rows<T>(40936, false), sizeof(T) == 4 ? 136 : 96);
  EXPECT_EQ(Impl::most_triangle_rows<T>(40936, true), sizeof(T) == 4 ? 136 : 88);
  EXPECT_EQ(Impl::most_triangle_rows<T>(206824, false), sizeof(T) == 4 ? 312 : 216);
  EXPECT_EQ(Impl::most_triangle_rows<T>(206824, true), sizeof(T) == 4 ? 312 : 216);
}

/// The choice that was measured on an H200, also with more scratch memory: items of a team, and
/// right-hand sides at the same time.
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
      with_teams_of<T>(m.n, true, [&]<class Kernel>() {
        Kernel const kernel(problem_of_size<T>(m.n, m.columns, m.interleaved), device.limits);
        EXPECT_EQ(kernel.items_per_team, m.items) << device.name << ", " << m.n;
        EXPECT_EQ(kernel.chunk, m.chunk) << device.name << ", " << m.n;
      });
  }
}

/// Larger than the scratch memory of Kokkos 4.
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
  auto const run = [&]<class Kernel>() {
    ASSERT_GT(Kernel(p, limits).bytes(), 60000u);
    run_kernel<Kernel>(p, limits);
  };
  with_teams_of<T>(n, true, run);
  l.download();
  ASSERT_TRUE(is_factor<T>(item(l, 0), item(a, 0)));
  p.a = storage(l).as_const();
  p.stores_factor = p.factors = false;
  p.columns = 2;
  p.b = storage(b).as_const();
  p.x = storage(x);
  p.forward = true;
  with_teams_of<T>(n, false, run);
  x.download();
  ASSERT_TRUE(solves_triangle<T>(item(x, 0), item(l, 0), item(b, 0)));
}

TYPED_TEST(CholeskyTeams, FactorsAndSolves) {
  using T = TypeParam;
  Random random(1);
  for (int n : {1, 4, 7, 13, 16, 17, 32, 33, 40, 45, 48, 54, 63, 64, 67, 88})
    for (auto how : all_arranged) {
      // A caller may want small items in scratch.
      By const by = n == 13 || n == 40 ? By::scratch : By::teams;
      // Teams with one item are fast, so some have the largest possible number.
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
      run_problem(p, by);

      p.stores_factor = false;
      p.columns = columns;
      p.b = storage(b).as_const();
      p.x = storage(x);
      p.forward = p.backward = true;
      run_problem(p, by);

      l.download();
      p.factors = false;
      p.a = storage(l).as_const();
      p.x = storage(y);
      p.backward = false;
      run_problem(p, by);
      p.x = storage(z);
      p.forward = false;
      p.backward = true;
      run_problem(p, by);

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

/// No system is solved, but the status is the status of the factorisation, or of the diagonal.
TYPED_TEST(CholeskyTeams, NoRightHandSides) {
  using T = TypeParam;
  Random random(21);
  for (int n : {1, 5, 8, 9, 33, 64, 67})
    for (auto how : {Arranged::item_contiguous, Arranged::interleaved}) {
      std::int64_t const items = n > 33 ? 3 : 7;
      ArrangedBatch<T> const a(items, n, n, how), none(items, n, 0, how);
      put_spd(a, random);
      int const place = n / 2;
      a.at(1, place, place) = T(0);
      a.at(items - 1, place, place) = std::numeric_limits<T>::quiet_NaN();
      a.upload();
      for (bool factors : {true, false})
        for (bool lower : {true, false}) {
          std::vector<std::int32_t> codes(std::size_t(items), -1);
          Impl::TriangleProblem<T> p;
          p.n = n;
          p.items = items;
          p.a = storage(a).as_const();
          p.b = storage(none).as_const();
          p.x = storage(none);
          p.factors = factors;
          p.forward = factors || lower;
          p.backward = factors || !lower;
          p.status.narrow = codes.data();
          p.status.group = 1;
          bool const by_lane = Impl::with_known_extent<8>(
              n, [&]<int N>(Impl::KnownExtent<N>) { run_lanes_of<N>(p); });
          std::vector<std::int32_t> const of_lanes = codes;
          codes.assign(std::size_t(items), -1);
          run_problem(p);
          for (std::int64_t k = 0; k < items; ++k) {
            Reason const zero = factors ? Reason::not_positive_definite : Reason::breakdown;
            int const want = k == 1           ? Status::code(zero, place + 1)
                             : k == items - 1 ? Status::code(Reason::not_finite, place + 1)
                                              : 0;
            ASSERT_EQ(codes[std::size_t(k)], want) << n << " rows, item " << k;
            ASSERT_EQ(of_lanes[std::size_t(k)], by_lane ? want : -1) << n << " rows, item " << k;
          }
        }
    }
}

/// Units do not matter. run(problem) runs a kernel.
template <class T, class Run>
void check_units_of(int n, bool solves_spd_too, Run const& run) {
  SCOPED_TRACE(n);
  constexpr std::int64_t items = 3;
  constexpr int columns = 2;
  auto const matrix = [&](int cols) {
    return ArrangedBatch<T>(items, n, cols, Arranged::item_contiguous);
  };
  std::vector<std::int32_t> codes(std::size_t(items), -1);
  auto const run_with = [&](Impl::TriangleProblem<T> p, auto const& a) {
    p.n = n;
    p.items = items;
    p.a = storage(a).as_const();
    p.status.narrow = codes.data();
    p.status.group = 1;
    run(p);
    for (auto code : codes) ASSERT_EQ(code, 0);
  };
  auto const factor = [&](auto const& a, auto const& l) {
    Impl::TriangleProblem<T> p;
    p.l = storage(l);
    p.factors = p.stores_factor = true;
    run_with(p, a);
  };
  auto const solve = [&](auto const& a, auto const& b, auto const& x, bool factors, bool forward,
                         bool backward) {
    Impl::TriangleProblem<T> p;
    p.b = storage(b).as_const(), p.x = storage(x);
    p.columns = columns;
    p.factors = factors, p.forward = forward, p.backward = backward;
    run_with(p, a);
  };
  auto const a = matrix(n), t = matrix(n), l = matrix(n), l0 = matrix(n), b = matrix(columns),
             x = matrix(columns), x0 = matrix(columns), y = matrix(columns), y0 = matrix(columns),
             z = matrix(columns), z0 = matrix(columns);
  auto const all = [&](int k, auto const& to_l, auto const& to_x, auto const& to_y,
                       auto const& to_z) {
    fill_units(a, Filling::symmetric, 1, k), fill_units(t, Filling::lower, 3, k);
    fill_units(b, Filling::symmetric, 2, k);
    factor(a, to_l);
    if (solves_spd_too) solve(a, b, to_x, true, true, true);
    solve(t, b, to_y, false, true, false), solve(t, b, to_z, false, false, true);
  };
  all(0, l0, x0, y0, z0);
  for (int k : powers_of_units<T>()) {
    all(k, l, x, y, z);
    expect_in_units(l0, l, k, k / 2, "factors");
    if (solves_spd_too) expect_in_units(x0, x, k, 0, "solutions");
    expect_in_units(y0, y, k, 0, "lower"), expect_in_units(z0, z, k, 0, "upper");
  }
}
TYPED_TEST(CholeskyTeams, Units) {
  using T = TypeParam;
  for (int n : {1, 5, 9, 16, 33, 64, 67})
    check_units_of<T>(n, true, [](Impl::TriangleProblem<T> const& p) { run_problem(p); });
  for (int n : {5, 9, 16, 33, 64})
    check_units_of<T>(n, false,
                      [](Impl::TriangleProblem<T> const& p) { run_problem(p, By::panels); });
  check_units_of<T>(1, true, [](Impl::TriangleProblem<T> const& p) { run_lanes_of<1>(p); });
  check_units_of<T>(2, true, [](Impl::TriangleProblem<T> const& p) { run_lanes_of<2>(p); });
  check_units_of<T>(3, true, [](Impl::TriangleProblem<T> const& p) { run_lanes_of<3>(p); });
  check_units_of<T>(8, true, [](Impl::TriangleProblem<T> const& p) { run_lanes_of<8>(p); });
}

/// CholeskyPanels and TriangleColumns fit every device. If there is scratch memory for them,
/// neighbouring items fill a sector.
TYPED_TEST(CholeskyTeams, SmallItemsFitEveryDevice) {
  using T = TypeParam;
  for (auto const& device : devices())
    for (bool interleaved : {false, true})
      for (int columns : {0, 4, 33, 64})
        for (int n = 1; n <= 64; ++n) {
          auto p = problem_of_size<T>(n, columns, interleaved);
          p.b = p.a, p.x = p.l;
          auto const check = [&]<class Kernel>() {
            Kernel const kernel(p, device.limits);
            std::string const what = std::string(device.name) + ", " + std::to_string(n) +
                                     " rows, " + std::to_string(columns) + " columns";
            ASSERT_LE(kernel.bytes(), device.limits.scratch_of_team) << what;
            ASSERT_EQ(kernel.team() % Impl::lanes_of_warp, 0) << what;
            ASSERT_LE(kernel.team(), Kernel::largest_team) << what;
            bool const fits =
                device.limits.holds(Kernel::wanted_teams, kernel.team(), kernel.bytes());
            ASSERT_TRUE(
                launches(device, fits ? Kernel::wanted_teams : 1, kernel.team(), kernel.bytes()))
                << what;
            if (interleaved && device.limits.scratch_of_team > 80000) {
              ASSERT_GE(kernel.items_per_team, 32 / int(sizeof(T))) << what;
            }
          };
          if (columns == 0) with_panels_of<T>(n, device.limits, check);
          else Impl::with_columns<T>(Impl::choose_triangle_columns(n), check);
        }
}

/// The arrangements of the matrices, factors, right-hand sides and solutions of a problem.
struct ArrangedProblem {
  Arranged a, l, b, x;
};
constexpr ArrangedProblem all_alike(Arranged how) { return {how, how, how, how}; }

/// Checks the factors that run(problem) computes and solutions with them, also in place.
///
/// \param solves_spd_too  whether to check solve_cholesky as well
template <class T, class Run>
void check_small_items(int n, int columns, std::int64_t items, ArrangedProblem how,
                       bool solves_spd_too, Random& random, Run const& run) {
  SCOPED_TRACE(std::to_string(n) + ", arranged " + std::to_string(int(how.a)) + ", columns " +
               std::to_string(columns));
  ArrangedBatch<T> const a(items, n, n, how.a), l(items, n, n, how.l), b(items, n, columns, how.b),
      y(items, n, columns, how.x), z(items, n, columns, how.x);
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
  run(p);
  for (auto code : codes) EXPECT_EQ(code, 0);
  l.download();
  p.factors = p.stores_factor = false;
  p.a = storage(l).as_const();
  p.columns = columns;
  p.b = storage(b).as_const();
  p.x = storage(y);
  p.forward = true;
  run(p);
  p.x = storage(z);
  p.forward = false;
  p.backward = true;
  run(p);
  for (auto const* m : {&y, &z}) m->download();
  for (std::int64_t k = 0; k < items; ++k) {
    Dense const factor = item(l, k);
    EXPECT_EQ(codes[std::size_t(k)], 0);
    ASSERT_TRUE(is_factor<T>(factor, item(a, k)));
    ASSERT_TRUE(solves_triangle<T>(item(y, k), factor, item(b, k)));
    ASSERT_TRUE(solves_triangle<T>(item(z, k), transpose(factor), item(b, k)));
  }
  for (auto const* m : {&l, &y, &z})
    EXPECT_EQ(m->poisoned(), m->host.extent(0) - std::size_t(items * n * m->cols));
  if (solves_spd_too) {
    p.a = storage(a).as_const();
    p.factors = p.forward = p.backward = true;
    run(p);
    z.download();
    for (std::int64_t k = 0; k < items; ++k)
      ASSERT_TRUE(solves_spd<T>(item(z, k), item(a, k), item(b, k)));
    EXPECT_EQ(z.poisoned(), z.host.extent(0) - std::size_t(items * n * columns));
    p.a = storage(l).as_const();
    p.factors = false;
  }
  // In place.
  p.x = storage(b);
  p.forward = true;
  p.backward = false;
  run(p);
  b.download();
  p.a = storage(a).as_const();
  p.l = storage(a);
  p.factors = p.stores_factor = true;
  run(p);
  a.download();
  for (std::int64_t k = 0; k < items; ++k)
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) ASSERT_EQ(a.at(k, i, j), l.at(k, i, j));
      for (int j = 0; j < columns; ++j) ASSERT_EQ(b.at(k, i, j), y.at(k, i, j));
    }
}

/// Every kernel variant for small items, in every arrangement, with a partial last team.
TYPED_TEST(CholeskyTeams, SmallItems) {
  using T = TypeParam;
  Random random(4);
  for (int n : {1, 8, 9, 16, 23, 32, 33, 44, 64})
    for (auto how : all_arranged) {
      if (n % 8 != 1 && n != 64 && random.integer(0, 1)) continue;
      std::int64_t const items = n > 16 ? 3 : n > 8 ? 11 : 21;
      int const columns = n == 33 ? 33 : n == 16 ? 1 : random.integer(1, 17);
      check_small_items<T>(n, columns, items, all_alike(how), false, random,
                           [](auto const& p) { run_problem(p, By::panels); });
    }
}

/// Failures of the first, a middle and the last item at the first, a middle and the last pivot.
/// Other items must be bitwise the same.
template <class T, class Run>
void check_failures(int n, std::int64_t items, Arranged how, std::vector<T> const& bad_pivots,
                    bool solves_spd_too, Random& random, Run const& run) {
  T const nan = std::numeric_limits<T>::quiet_NaN();
  int const columns = 5;
  ArrangedBatch<T> const a(items, n, n, how), l(items, n, n, how), good(items, n, n, how),
      b(items, n, columns, how), x(items, n, columns, how), right(items, n, columns, how);
  put_spd(a, random);
  b.randomise(random);
  Impl::TriangleProblem<T> p;
  p.n = n;
  p.items = items;
  p.a = storage(a).as_const();
  p.l = storage(good);
  p.factors = p.stores_factor = true;
  run(p);
  good.download();
  for (std::int64_t which : {std::int64_t(0), items / 2, items - 1})
    for (int pivot : {0, n / 2, n - 1})
      for (T bad : bad_pivots) {
        // Both alternate, except for the smallest items.
        if (n > 8 && (which + pivot) % 2 == (bad < T(0))) continue;
        SCOPED_TRACE(std::to_string(n) + ", item " + std::to_string(which) + ", pivot " +
                     std::to_string(pivot));
        std::vector<std::int32_t> codes(std::size_t(items), -1);
        p.status.narrow = codes.data();
        p.status.group = 1;
        T const kept = a.at(which, pivot, pivot);
        a.at(which, pivot, pivot) = bad;
        a.upload();
        p.a = storage(a).as_const();
        p.l = storage(l);
        p.factors = p.stores_factor = true;
        p.forward = p.backward = false;
        run(p);
        l.download();
        a.at(which, pivot, pivot) = kept;
        a.upload();
        std::int32_t const failed = Status::code(
            std::isfinite(bad) ? Reason::not_positive_definite : Reason::not_finite, pivot + 1);
        for (std::int64_t k = 0; k < items; ++k) {
          EXPECT_EQ(codes[std::size_t(k)], k == which ? failed : 0);
          for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
              if (k == which && j >= pivot && i >= j) ASSERT_TRUE(std::isnan(l.at(k, i, j)));
              else ASSERT_EQ(l.at(k, i, j), good.at(k, i, j));
            }
        }
        p.columns = columns;
        p.b = storage(b).as_const();
        if (solves_spd_too) {
          p.stores_factor = false;
          p.forward = p.backward = true;
          p.x = storage(right);
          run(p);
          right.download();
          a.at(which, pivot, pivot) = bad;
          a.upload();
          p.x = storage(x);
          auto const without = codes;
          run(p);
          x.download();
          a.at(which, pivot, pivot) = kept;
          a.upload();
          for (std::int64_t k = 0; k < items; ++k) {
            EXPECT_EQ(without[std::size_t(k)], 0);
            EXPECT_EQ(codes[std::size_t(k)], k == which ? failed : 0);
            for (int i = 0; i < n; ++i)
              for (int j = 0; j < columns; ++j) {
                if (k == which) ASSERT_TRUE(std::isnan(x.at(k, i, j)));
                else ASSERT_EQ(x.at(k, i, j), right.at(k, i, j));
              }
          }
        }
        // A zero on the diagonal of a factor, from below and from above; then a right-hand side
        // that is not finite.
        p.factors = p.stores_factor = false;
        p.x = storage(x);
        for (bool forward : {true, false}) {
          p.a = storage(good).as_const();
          p.forward = forward;
          p.backward = !forward;
          T const diagonal = good.at(which, pivot, pivot);
          p.x = storage(right);
          run(p);
          right.download();
          p.x = storage(x);
          good.at(which, pivot, pivot) = bad < T(0) ? T(0) : bad;
          // With two failures, the smaller index is reported.
          int const second = n - 1;
          T const last = good.at(which, second, second);
          if (second != pivot) good.at(which, second, second) = T(0);
          good.upload();
          run(p);
          x.download();
          good.at(which, second, second) = last;
          good.at(which, pivot, pivot) = diagonal;
          good.upload();
          for (std::int64_t k = 0; k < items; ++k) {
            EXPECT_EQ(codes[std::size_t(k)], k != which ? 0
                                             : std::isfinite(bad)
                                                 ? Status::code(Reason::breakdown, pivot + 1)
                                                 : Status::code(Reason::not_finite, pivot + 1));
            for (int i = 0; i < n; ++i)
              for (int j = 0; j < columns; ++j) {
                bool const lost = k == which && (forward ? i >= pivot : true);
                if (lost) ASSERT_TRUE(std::isnan(x.at(k, i, j)));
                else ASSERT_EQ(x.at(k, i, j), right.at(k, i, j));
              }
          }
          T const number = b.at(which, pivot, columns - 1);
          b.at(which, pivot, columns - 1) = nan;
          b.upload();
          run(p);
          x.download();
          b.at(which, pivot, columns - 1) = number;
          b.upload();
          for (std::int64_t k = 0; k < items; ++k) {
            EXPECT_EQ(codes[std::size_t(k)], k != which ? 0 : Status::code(Reason::not_finite, 0));
            for (int i = 0; i < n; ++i)
              for (int j = 0; j + (k == which) < columns; ++j)
                ASSERT_EQ(x.at(k, i, j), right.at(k, i, j));
          }
        }
      }
}

TYPED_TEST(CholeskyTeams, FailuresOfSmallItems) {
  using T = TypeParam;
  Random random(5);
  for (int n : {5, 27, 40})
    for (auto how : {Arranged::item_contiguous, Arranged::interleaved})
      check_failures<T>(n, n > 8 ? 3 : 7, how, {T(-1), std::numeric_limits<T>::quiet_NaN()}, false,
                        random, [](auto const& p) { run_problem(p, By::panels); });
}

/// The kernels with one lane for each item.
template <class T, int N>
void check_lanes(int columns, std::int64_t items, ArrangedProblem how, Random& random) {
  check_small_items<T>(N, columns, items, how, true, random,
                       [](auto const& p) { run_lanes_of<N>(p); });
}
TEST(CholeskyLanes, AnItemOfEachLane) {
  Random random(6);
  for (auto how : all_arranged) {
    auto const alike = all_alike(how);
    check_lanes<double, 1>(2, 5, alike, random);
    check_lanes<double, 2>(2, 34, alike, random);
    check_lanes<float, 3>(1, 33, alike, random);
    check_lanes<float, 4>(4, 70, alike, random);
    check_lanes<double, 5>(4, 31, alike, random);
    check_lanes<float, 6>(5, 32, alike, random);
    check_lanes<double, 7>(8, 33, alike, random);
    check_lanes<float, 8>(11, 30, alike, random);
    check_lanes<double, 8>(8, 40, alike, random);
  }
  check_lanes<double, 8>(19, 1, all_alike(Arranged::item_contiguous), random);
  check_lanes<float, 4>(3, 257, all_alike(Arranged::interleaved), random);
}
/// A warp copies some of these operands together; others are not copied so, or are transposed.
TEST(CholeskyLanes, OperandsArrangedEachInItsWay) {
  Random random(7);
  using enum Arranged;
  for (ArrangedProblem const how :
       {ArrangedProblem{item_contiguous, by_columns, interleaved, item_contiguous},
        ArrangedProblem{by_columns, interleaved, item_contiguous, interleaved},
        ArrangedProblem{interleaved, item_contiguous, strided, by_columns},
        ArrangedProblem{strided, by_columns, by_columns, strided}}) {
    check_lanes<float, 4>(4, 33, how, random);
    check_lanes<double, 5>(7, 37, how, random);
    check_lanes<float, 8>(8, 35, how, random);
  }
}
/// The transposed factors replace the matrices: each number is read before it is written.
template <class T, int N>
void check_over_transpose(std::int64_t items, Random& random) {
  for (auto how : all_arranged) {
    ArrangedBatch<T> const a(items, N, N, how), l(items, N, N, how);
    put_spd(a, random);
    Impl::TriangleProblem<T> p;
    p.n = N;
    p.items = items;
    p.a = storage(a).as_const();
    p.l = storage(l);
    p.factors = p.stores_factor = true;
    run_lanes_of<N>(p);
    p.l = storage(a);
    std::swap(p.l.row, p.l.col);
    run_lanes_of<N>(p);
    a.download(), l.download();
    for (std::int64_t k = 0; k < items; ++k)
      for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) ASSERT_EQ(a.at(k, j, i), l.at(k, i, j));
  }
}
TEST(CholeskyLanes, OverItsTranspose) {
  Random random(10);
  check_over_transpose<float, 4>(33, random);
  check_over_transpose<double, 5>(7, random);
}
/// Compact groups with a partial last group.
TEST(CholeskyLanes, CompactGroups) {
  Random random(8);
  constexpr int n = 4, width = 8, items = 45, groups = (items + width - 1) / width;
  ArrangedBatch<double> const a(items, n, n, Arranged::item_contiguous),
      l(items, n, n, Arranged::item_contiguous);
  put_spd(a, random);
  std::vector<double> numbers(groups * width * n * n, -1);
  Impl::Storage<double> const compact{numbers.data(), width, width * n * n, 1, width * n, width};
  std::vector<std::int32_t> codes(items, -1);
  Impl::TriangleProblem<double> p;
  p.n = n;
  p.items = items;
  p.a = storage(a).as_const();
  p.l = compact;
  p.factors = p.stores_factor = true;
  p.status.narrow = codes.data();
  p.status.group = 1;
  run_lanes_of<n>(p);
  p.a = compact.as_const();
  p.factors = p.stores_factor = false;
  p.forward = true;
  p.columns = n;
  p.b = storage(a).as_const();
  // Only the lower triangle of A is used: L y = tril(A).
  for (int k = 0; k < items; ++k)
    for (int i = 0; i < n; ++i)
      for (int j = i + 1; j < n; ++j) a.at(k, i, j) = 0;
  a.upload();
  p.x = storage(l);
  run_lanes_of<n>(p);
  l.download();
  for (int k = 0; k < items; ++k) {
    Dense const factor = make_dense(n, n, [&](int i, int j) {
      return Impl::item_of(compact, k)[i * compact.row + j * compact.col];
    });
    Dense lower = item(a, k);
    ASSERT_EQ(codes[std::size_t(k)], 0);
    ASSERT_TRUE(is_factor<double>(factor, lower));
    ASSERT_TRUE(solves_triangle<double>(item(l, k), factor, lower));
  }
  // Unused lanes of the last group.
  for (int k = items; k < groups * width; ++k)
    for (int i = 0; i < n * n; ++i) ASSERT_EQ(Impl::item_of(compact, k)[i * width], -1);
}
/// Pivots, diagonals and right-hand sides that fail.
template <class T, int N>
void check_failures_of_lanes(std::int64_t items, Random& random) {
  using limits = std::numeric_limits<T>;
  for (auto how : {Arranged::item_contiguous, Arranged::by_columns, Arranged::interleaved})
    check_failures<T>(N, items, how,
                      {T(-1), T(0), limits::denorm_min(), limits::quiet_NaN(), limits::infinity()},
                      true, random, [](auto const& p) { run_lanes_of<N>(p); });
}
TEST(CholeskyLanes, Failures) {
  Random random(9);
  check_failures_of_lanes<double, 1>(3, random);
  check_failures_of_lanes<float, 4>(33, random);
  check_failures_of_lanes<double, 5>(34, random);
  check_failures_of_lanes<float, 8>(5, random);
}

/// Every device can hold as many teams as the launch bounds promise.
TEST(CholeskyLanes, FitEveryDevice) {
  for (auto const& device : devices()) {
    SCOPED_TRACE(device.name);
    auto const check = [&]<class F>(F const& f, int n) {
      Impl::LaneTeams<F> const kernel(f, device.limits);
      EXPECT_LE(kernel.bytes(), device.limits.scratch_of_team) << n;
      EXPECT_TRUE(!device.counts_teams ||
                  device.limits.holds(kernel.wanted_teams, kernel.team(), kernel.bytes()))
          << n;
    };
    auto const all = [&]<class T, int... K>(std::integer_sequence<int, K...>) {
      (
          [&] {
            auto p = problem_of_size<T>(K + 1, 2, false);
            p.b = p.a, p.x = p.l;
            check(Impl::CholeskyOfLane<T, K + 1>(p), K + 1);
            check(Impl::TriangleOfLane<T, K + 1>(p), K + 1);
          }(),
          ...);
    };
    all.template operator()<float>(std::make_integer_sequence<int, 8>());
    all.template operator()<double>(std::make_integer_sequence<int, 8>());
  }
}

/// Every number of a triangle stored by panels has its own place. Eight lanes have no bank
/// conflicts when they read the same unit of neighbouring rows, or whole rows.
template <class T>
void check_panels() {
  using At = Impl::PanelScratch<T>;
  for (int tiles : {1, 2, 5, 8}) {
    At const at{tiles};
    std::vector<int> taken(std::size_t(at.numbers()), 0);
    for (int i = 0; i < at.rows(); ++i)
      for (int j = 0; j / 8 <= i / 8; ++j) {
        ASSERT_GE(at.place(i, j), 0);
        ASSERT_LT(at.place(i, j), at.numbers());
        EXPECT_EQ(taken[std::size_t(at.place(i, j))]++, 0);
      }
    for (int t = 0; t + 1 < tiles; ++t) EXPECT_EQ(at.panel(t) + at.step(t), at.panel(t + 1));
    for (int v = 0; v < At::units; ++v) {
      std::vector<int> banks(8, 0);
      for (int i = 0; i < 8; ++i) ++banks[std::size_t(at.place(i, At::wide * v) / At::wide % 8)];
      for (int count : banks) EXPECT_EQ(count, 1);
    }
    std::vector<int> banks(8, 0);
    for (int i = 0; i < 8 / At::units; ++i)
      for (int v = 0; v < At::units; ++v)
        ++banks[std::size_t(at.place(i, At::wide * v) / At::wide % 8)];
    for (int count : banks) EXPECT_EQ(count, 1);
    EXPECT_EQ(at.item_numbers() / At::wide % 8, 1);
  }
}
TEST(PanelScratch, Places) {
  check_panels<float>();
  check_panels<double>();
}

/// Every number of the triangle has its own place. Lanes that read a row or a group have no bank
/// conflicts.
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

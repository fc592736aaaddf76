// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// solve_tridiagonal with one matrix for all items, common(lower), common(diagonal), common(upper).
#include <Batchwork_Banded.hpp>

#include "TridiagonalCommonCase.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

struct ByVerb {
  template <class T>
  void operator()(TridiagonalCommonData<T> const& d, bool in_place) const {
    auto const band = [](ArrangedBatch<T> const& m) {
      return Kokkos::View<T*, Kokkos::LayoutStride, Space, Kokkos::MemoryUnmanaged>(
          m.data(), Kokkos::LayoutStride(std::size_t(m.rows), std::size_t(m.row)));
    };
    auto const vectors = [](ArrangedBatch<T> const& m) {
      return Kokkos::View<T**, Kokkos::LayoutStride, Space, Kokkos::MemoryUnmanaged>(
          m.data(), Kokkos::LayoutStride(std::size_t(m.items), std::size_t(m.item),
                                         std::size_t(m.rows), std::size_t(m.row)));
    };
    Kokkos::View<int*, Space> const codes(d.codes.data(), std::size_t(d.items));
    solve_tridiagonal(common(band(d.lower)), common(band(d.diagonal)), common(band(d.upper)),
                      vectors(d.b), vectors(in_place ? d.b : d.x), status(codes));
  }
};

TEST(TridiagonalCommon, Solves) {
  Random random(1);
  int turn = 0;
  for (int n : {1, 2, 3, 8, 9, 10, 17, 32, 33, 64, 65, 100, 129, 512, 513, 1000, 4096}) {
    Arranged const how = all_arranged[turn % 4], how_x = all_arranged[(turn / 2) % 4];
    check_common_tridiagonal<double>(n, 1 + turn * 5, how, how_x, random, ByVerb());
    check_common_tridiagonal<float>(n, 70 - turn * 3, how_x, how, random, ByVerb());
    ++turn;
  }
}

TEST(TridiagonalCommon, CubicSplines) {
  // Not-a-knot or periodic ends are the caller's; natural ends give 1, 4, 1.
  constexpr int n = 200;
  constexpr std::int64_t items = 3000;
  Kokkos::View<double*, Space> const off("off", n), diagonal("diagonal", n);
  Kokkos::deep_copy(off, 1.0), Kokkos::deep_copy(diagonal, 4.0);
  Kokkos::View<double**, Kokkos::LayoutLeft, Space> const b("b", items, n);
  auto const host = Kokkos::create_mirror_view(b);
  // The right-hand side of ones' solution.
  for (std::int64_t q = 0; q < items; ++q)
    for (int i = 0; i < n; ++i) host(q, i) = (i == 0 || i == n - 1 ? 5.0 : 6.0) * double(q + 1);
  Kokkos::deep_copy(b, host);
  solve_tridiagonal(common(off), common(diagonal), common(off), b, b);
  Kokkos::deep_copy(host, b);
  for (std::int64_t q = 0; q < items; ++q)
    for (int i = 0; i < n; ++i) ASSERT_NEAR(host(q, i), double(q + 1), 1e-12 * double(q + 1));
}

TEST(TridiagonalCommon, ReportsGrowth) {
  Kokkos::View<double*, Space> const off("off", 3), diagonal("diagonal", 3);
  auto const host = Kokkos::create_mirror_view(diagonal);
  Kokkos::deep_copy(off, 1.0);
  host(0) = 1e-9, host(1) = 1, host(2) = 1;
  Kokkos::deep_copy(diagonal, host);
  Kokkos::View<double**, Space> const b("b", 5, 3);
  Kokkos::View<int*, Space> const codes("codes", 5);
  Kokkos::deep_copy(b, 1.0);
  solve_tridiagonal(common(off), common(diagonal), common(off), b, b, status(codes));
  auto const said = Kokkos::create_mirror_view(codes);
  Kokkos::deep_copy(said, codes);
  for (int q = 0; q < 5; ++q) EXPECT_EQ(said(q), Status::code(Reason::inaccurate, 2));
}

TEST(TridiagonalCommon, RefusesWhatDoesNotFitAndTakesNothing) {
  Kokkos::View<double*, Space> const band("band", 4), other("other", 5);
  Kokkos::View<double**, Space> const b("b", 3, 4), none("none", 0, 4);
  expect_says(
      message_of([&] { solve_tridiagonal(common(band), common(band), common(other), b, b); }),
      {"Batchwork::solve_tridiagonal: operand 3, common upper(\"other\")", "has 5 rows", "has 4"});
  solve_tridiagonal(common(band), common(band), common(band), none, none);
  Kokkos::View<double*, Space> const empty("empty", 0);
  Kokkos::View<double**, Space> const no_rows("no rows", 3, 0);
  Kokkos::View<int*, Space> const codes("codes", 3);
  Kokkos::deep_copy(codes, 7);
  solve_tridiagonal(common(empty), common(empty), common(empty), no_rows, no_rows, status(codes));
  auto const said = Kokkos::create_mirror_view(codes);
  Kokkos::deep_copy(said, codes);
  EXPECT_EQ(said(0) + said(1) + said(2), 0);
}

}  // namespace
}  // namespace Batchwork::Test

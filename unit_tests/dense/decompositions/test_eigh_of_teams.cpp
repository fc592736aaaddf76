// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// EighOfTeams, in scratch and in a workspace, run on the host by teams of threads.
#include "EighVerbCase.hpp"
#include "dense/UnitsCase.hpp"
#include "dense/decompositions/detail/Batchwork_EighOfTeams.hpp"
#include "support/Batchwork_Devices.hpp"
#include "support/HostTeams.hpp"
#include "support/SlotsOfTest.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
Impl::EighOfItems<T> problem_of(ArrangedBatch<T> const& a, ArrangedBatch<T> const& w,
                                ArrangedBatch<T> const& v, ArrangedBatch<int> const& codes) {
  auto const stored = [](auto const& m, auto* data) {
    return Impl::StoredItems<std::remove_pointer_t<decltype(data)>>(
        {data, 1, m.item, 0, m.row, m.col}, m.rows, m.cols);
  };
  Impl::EighOfItems<T> f;
  f.a = stored(a, static_cast<T const*>(a.data()));
  f.values = stored(w, w.data()), f.vectors = stored(v, v.data());
  f.status.narrow = codes.data(), f.status.group = codes.item;
  f.n = a.rows, f.items = a.items, f.stores_vectors = true;
  return f;
}
template <class Kernel>
void run_eigh(Kernel const& kernel) {
  ASSERT_EQ(kernel.team(), kernel.largest_team);
  run_teams(kernel, int(kernel.teams()), kernel.team(), kernel.bytes());
}
/// In scratch with `Slots` of 0.
template <class T, int Tiles, int Lanes, int Slots = 0>
void check_teams(int n, Arranged how, std::int64_t items = eigh_kinds + 1) {
  Random random(21);
  check_eigh<T>(n, items, how, random,
                [&](auto const& a, auto const& w, auto const& v, auto const& codes) {
                  auto const f = problem_of<T>(a, w, v, codes);
                  if constexpr (Slots == 0) {
                    Impl::EighOfTeams<T, Tiles, Lanes, 1> const kernel(f);
                    ASSERT_TRUE(kernel.fits(h200_with_kokkos_5()));
                    run_eigh(kernel);
                  } else {
                    Impl::EighOfTeamsInWorkspace<T, Tiles, Lanes, 1> kernel(f);
                    ASSERT_TRUE(kernel.fits());
                    SlotsOfTest<T> const memory(Slots, kernel.bytes_of_matrix());
                    kernel.slots = memory.slots;
                    run_eigh(kernel);
                    ASSERT_TRUE(memory.fenced());
                  }
                });
}

/// Two leaves, in every arrangement; rows that fill tiles and others.
TEST(EighOfTeams, TwoLeaves) {
  check_teams<double, 4, 64>(9, Arranged::strided);
  check_teams<float, 4, 64>(16, Arranged::by_columns);
  check_teams<double, 4, 128>(19, Arranged::item_contiguous);
  check_teams<float, 4, 96>(26, Arranged::interleaved);
}
/// Merges in scratch before the last one, in more than one part of the rows, and several shares of
/// a warp.
TEST(EighOfTeams, FourLeaves) {
  check_teams<double, 8, 64>(57, Arranged::item_contiguous);
  check_teams<float, 8, 128>(52, Arranged::interleaved);
}
TEST(EighOfTeams, ItemsInAWorkspace) {
  check_teams<float, 4, 64, 2>(17, Arranged::interleaved);
  check_teams<double, 4, 96, 3>(13, Arranged::item_contiguous);
}
/// Blocks that are merged have nearly the same values, so that runs of them are deflated.
TEST(EighOfTeams, GluedWilkinsonMatrices) {
  constexpr int n = 58;
  ArrangedBatch<double> const a(2, n, n, Arranged::item_contiguous),
      v(2, n, n, Arranged::item_contiguous), w(2, n, 1, Arranged::item_contiguous);
  ArrangedBatch<int> const codes(2, 1, 1, Arranged::item_contiguous);
  for (int k = 0; k < 2; ++k)
    put(a, k,
        mirrored(make_dense(n, n,
                            [&](int i, int j) {
                              long double const glue = k == 0 ? 1e-8L : 1e-14L;
                              return i == j       ? std::fabs(i % 15 - 7.0L)
                                     : i == j + 1 ? (i % 15 == 0 ? glue : 1.0L)
                                                  : 0.0L;
                            })),
        true);
  a.upload();
  Impl::EighOfTeams<double, 8, 128, 1> const kernel(problem_of<double>(a, w, v, codes));
  run_eigh(kernel);
  w.download(), v.download(), codes.download();
  for (int k = 0; k < 2; ++k) {
    ASSERT_EQ(codes.at(k, 0, 0), 0);
    expect_eigenpairs<double>(EighKind::random, mirrored(item(a, k)), item(w, k), item(v, k));
  }
}

/// Powers of two do not change a bit; neither do values alone, nor vectors in the place of
/// matrices.
TEST(EighOfTeams, UnitsAndOperands) {
  constexpr int n = 19, items = 2;
  auto const matrix = [&](int cols) {
    return ArrangedBatch<double>(items, n, cols, Arranged::strided);
  };
  auto const a = matrix(n), w = matrix(1), v = matrix(n), w0 = matrix(1), v0 = matrix(n),
             alone = matrix(1);
  ArrangedBatch<int> const codes(items, 1, 1, Arranged::item_contiguous);
  using Kernel = Impl::EighOfTeams<double, 4, 64, 1>;
  fill_units(a, Filling::symmetric, 1, 0);
  run_eigh(Kernel(problem_of<double>(a, w0, v0, codes)));
  for (int k : powers_of_units<double>()) {
    fill_units(a, Filling::symmetric, 1, k);
    run_eigh(Kernel(problem_of<double>(a, w, v, codes)));
    codes.download();
    for (int q = 0; q < items; ++q) ASSERT_EQ(codes.at(q, 0, 0), 0);
    expect_in_units(w0, w, k, k, "eigenvalues"), expect_in_units(v0, v, k, 0, "eigenvectors");
  }
  fill_units(a, Filling::symmetric, 1, 0);
  auto f = problem_of<double>(a, alone, v, codes);
  f.stores_vectors = false;
  run_eigh(Kernel(f));
  run_eigh(Kernel(problem_of<double>(a, w, a, codes)));
  expect_in_units(w0, alone, 0, 0, "values alone"), expect_in_units(w0, w, 0, 0, "in place");
  expect_in_units(v0, a, 0, 0, "vectors in place");
}
/// A value that overflows is a failure of its item.
TEST(EighOfTeams, ValuesThatOverflow) {
  constexpr int n = 10, items = 3;
  ArrangedBatch<float> const a(items, n, n, Arranged::interleaved),
      v(items, n, n, Arranged::interleaved), w(items, n, 1, Arranged::interleaved);
  ArrangedBatch<int> const codes(items, 1, 1, Arranged::item_contiguous);
  float const large = std::numeric_limits<float>::max() / 1.05f;
  for (int q = 0; q < items; ++q)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        a.at(q, i, j) = i == j || (q == 1 && i < 2 && j < 2) ? large : 0.0f;
  a.upload();
  run_eigh(Impl::EighOfTeams<float, 4, 64, 1>(problem_of<float>(a, w, v, codes)));
  w.download(), codes.download();
  for (int q = 0; q < items; ++q) {
    ASSERT_EQ(codes.at(q, 0, 0), q == 1 ? Status::code(Reason::not_finite, 0) : 0);
    for (int i = 0; i < n; ++i) ASSERT_EQ(std::isnan(w.at(q, i, 0)), q == 1);
  }
}

}  // namespace
}  // namespace Batchwork::Test

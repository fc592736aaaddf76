// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// EighOfTeams, in scratch and in a workspace, run on the host by teams of threads.
#include "EighVerbCase.hpp"
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

}  // namespace
}  // namespace Batchwork::Test

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which kernel of direct_lu runs, as docs/how_it_works/more_kernels.md has it.
#include "dense/ChoiceTable.hpp"
#include "krylov/direct/detail/Batchwork_DirectChoice.hpp"
#include "support/Batchwork_Devices.hpp"

namespace Batchwork::Test {
namespace {

using enum KernelKind;

/// Of an H100.
template <class T>
auto direct_kernels(Impl::DirectWork work = {1, 20000}, bool shuffles = true) {
  auto limits = h200_with_kokkos_5();
  limits.multiprocessors = 132;
  return [=](int n) {
    Impl::DirectWork of = work;
    of.n = n;
    return Impl::choose_direct<T>(of, shuffles, limits);
  };
}

TEST(DirectChoice, OneRightHandSide) {
  expect_chosen(direct_kernels<float>(), {{1, by_lanes, 8, 4},
                                          {8, by_lanes, 8, 4},
                                          {9, by_lanes, 12, 4},
                                          {13, by_lanes, 16, 4},
                                          {17, by_lanes, 24, 8},
                                          {25, by_lanes, 32, 16},
                                          {32, by_lanes, 32, 16},
                                          {33, by_warps, 40, 32},
                                          {64, by_warps, 64, 32},
                                          {65, by_warps, 80, 160},
                                          {144, by_warps, 144, 288},
                                          {145, in_scratch}});
  expect_chosen(direct_kernels<double>(), {{8, by_lanes, 8, 4},
                                           {12, by_lanes, 12, 4},
                                           {16, by_lanes, 16, 8},
                                           {24, by_lanes, 24, 8},
                                           {32, by_lanes, 32, 16},
                                           {33, by_warps, 40, 32},
                                           {56, by_warps, 56, 32},
                                           {57, by_warps, 64, 64},
                                           {65, by_panels, 80, 160},
                                           {81, by_panels, 96, 192},
                                           {97, by_panels, 120, 256},
                                           {121, by_panels, 144, 288},
                                           {144, by_panels, 144, 288},
                                           {145, in_scratch}});
}
TEST(DirectChoice, OtherWork) {
  auto const tiles = [](Impl::DirectWork const& work) {
    expect_chosen(direct_kernels<double>(work), {{1, by_warps, 16, 32},
                                                 {16, by_warps, 16, 32},
                                                 {17, by_warps, 24, 32},
                                                 {32, by_warps, 32, 32},
                                                 {65, by_panels, 80, 160}});
  };
  tiles({1, 20000, 2});
  tiles({1, 20000, 1, false});
  tiles({1, 20000, 1, true, true});
  // Few systems.
  expect_chosen(direct_kernels<double>({1, 12 * 132 - 1}),
                {{8, by_lanes, 8, 4}, {9, by_warps, 16, 32}, {32, by_warps, 32, 32}});
  expect_chosen(direct_kernels<double>({1, 12 * 132}), {{9, by_lanes, 12, 4}});
}
TEST(DirectChoice, WithoutShuffles) {
  expect_chosen(direct_kernels<float>({1, 20000}, false), {{1, in_scratch}, {100, in_scratch}});
}

}  // namespace
}  // namespace Batchwork::Test

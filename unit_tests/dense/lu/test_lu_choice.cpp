// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which kernel of lu and its relatives runs, as docs/how_it_works/kernels.md has it.
#include "dense/ChoiceTable.hpp"
#include "dense/lu/detail/Batchwork_LuChoice.hpp"

namespace Batchwork::Test {
namespace {

using enum KernelKind;

/// The most rows with a right-hand side in the 206,824 bytes of scratch that Kokkos 5.2 gives a
/// team of an H100.
template <class T>
constexpr int lu_rows_in_scratch = sizeof(T) == 4 ? 224 : 158;

template <class T>
auto lu_kernels(Impl::LuTask task, bool shuffles = true) {
  return [=](int n) { return Impl::choose_lu<T>(task, n, shuffles, lu_rows_in_scratch<T>); };
}
/// Whether by_warps has whole rows.
template <class T>
bool lu_by_whole_rows(Impl::LuTask task, int n) {
  for (auto const& c : lu_kernels<T>(task)(n))
    if (c.kind == by_warps) return c.whole_rows;
  return false;
}

TEST(LuChoice, Factors) {
  using enum Impl::LuTask;
  expect_chosen(lu_kernels<float>(factors), {{1, by_lane, 1, 1},
                                             {8, by_lane, 8, 1},
                                             {9, by_lanes, 12, 4},
                                             {12, by_lanes, 12, 4},
                                             {13, by_lanes, 16, 4},
                                             {16, by_lanes, 16, 4},
                                             {17, by_warps, 24, 32},
                                             {64, by_warps, 64, 32},
                                             {65, by_panels},
                                             {224, by_panels},
                                             {225, in_workspace}});
  expect_chosen(lu_kernels<double>(factors), {{8, by_lane, 8, 1},
                                              {9, by_lanes, 12, 4},
                                              {13, by_lanes, 16, 8},
                                              {16, by_lanes, 16, 8},
                                              {17, by_warps, 24, 32},
                                              {56, by_warps, 56, 32},
                                              {57, by_warps, 64, 64},
                                              {64, by_warps, 64, 64},
                                              {65, by_panels},
                                              {158, by_panels},
                                              {159, in_workspace}});
  for (int n = 17; n <= 64; ++n) {
    SCOPED_TRACE(n);
    EXPECT_EQ(lu_by_whole_rows<float>(factors, n), n > 56);
    EXPECT_EQ(lu_by_whole_rows<double>(factors, n), n > 24 && n <= 56);
  }
}
TEST(LuChoice, OneRightHandSide) {
  using enum Impl::LuTask;
  expect_chosen(lu_kernels<float>(solution), {{8, by_lane, 8, 1},
                                              {9, by_lanes, 12, 2},
                                              {13, by_lanes, 16, 4},
                                              {17, by_lanes, 24, 8},
                                              {25, by_lanes, 32, 8},
                                              {32, by_lanes, 32, 8},
                                              {33, by_warps, 40, 32},
                                              {64, by_warps, 64, 32},
                                              {65, by_panels}});
  expect_chosen(lu_kernels<double>(solution), {{8, by_lane, 8, 1},
                                               {12, by_lanes, 12, 2},
                                               {16, by_lanes, 16, 8},
                                               {24, by_lanes, 24, 8},
                                               {32, by_lanes, 32, 16},
                                               {33, by_warps, 40, 32},
                                               {64, by_warps, 64, 32},
                                               {65, by_panels}});
  for (int n = 33; n <= 64; ++n) {
    EXPECT_TRUE(lu_by_whole_rows<float>(solution, n)) << n;
    EXPECT_TRUE(lu_by_whole_rows<double>(solution, n)) << n;
  }
}
TEST(LuChoice, SeveralRightHandSides) {
  using enum Impl::LuTask;
  expect_chosen(lu_kernels<float>(solutions), {{8, by_lane, 8, 1},
                                               {9, by_lanes, 12, 4},
                                               {12, by_lanes, 12, 4},
                                               {13, by_warps, 16, 32},
                                               {64, by_warps, 64, 32},
                                               {65, by_panels}});
  expect_chosen(lu_kernels<double>(solutions), {{12, by_lanes, 12, 4},
                                                {13, by_warps, 16, 32},
                                                {48, by_warps, 48, 32},
                                                {49, by_warps, 56, 64},
                                                {64, by_warps, 64, 64},
                                                {65, by_panels}});
  for (int n = 13; n <= 64; ++n) EXPECT_FALSE(lu_by_whole_rows<double>(solutions, n)) << n;
}
TEST(LuChoice, Inverses) {
  using enum Impl::LuTask;
  expect_chosen(lu_kernels<float>(inverses), {{8, by_lane, 8, 1},
                                              {9, by_lanes, 12, 4},
                                              {13, by_lanes, 16, 8},
                                              {24, by_lanes, 24, 8},
                                              {25, by_warps, 32, 32},
                                              {64, by_warps, 64, 32},
                                              {65, by_panels}});
  expect_chosen(lu_kernels<double>(inverses), {{24, by_lanes, 24, 8},
                                               {25, by_warps, 32, 32},
                                               {48, by_warps, 48, 32},
                                               {49, by_warps, 56, 64},
                                               {56, by_warps, 56, 64},
                                               {57, by_panels},
                                               {158, by_panels},
                                               {159, in_workspace}});
  for (int n = 25; n <= 64; ++n) {
    EXPECT_TRUE(lu_by_whole_rows<float>(inverses, n)) << n;
    EXPECT_EQ(lu_by_whole_rows<double>(inverses, n), n <= 56) << n;
  }
}
TEST(LuChoice, WithoutShuffles) {
  using enum Impl::LuTask;
  for (auto task : {factors, solution, solutions, inverses})
    expect_chosen(lu_kernels<double>(task, false), {{1, by_lane, 1, 1},
                                                    {8, by_lane, 8, 1},
                                                    {9, in_scratch},
                                                    {158, in_scratch},
                                                    {159, in_workspace}});
}
/// What a caller can choose.
TEST(LuChoice, Others) {
  using enum Impl::LuTask;
  expect_kinds(lu_kernels<float>(factors)(5),
               {by_lane, by_lanes, by_warps, by_panels, in_workspace});
  expect_kinds(lu_kernels<float>(factors)(20), {by_warps, by_panels, in_workspace});
  expect_kinds(lu_kernels<float>(solution)(20), {by_lanes, by_warps, by_panels, in_workspace});
  expect_kinds(lu_kernels<float>(factors)(100), {by_panels, in_workspace});
  expect_kinds(lu_kernels<float>(factors, false)(5), {by_lane, in_scratch, in_workspace});
}

}  // namespace
}  // namespace Batchwork::Test

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which kernel of cholesky and its relatives runs, as docs/how_it_works/kernels.md has it.
#include "dense/ChoiceTable.hpp"
#include "dense/cholesky/detail/Batchwork_TriangleChoice.hpp"

namespace Batchwork::Test {
namespace {

using enum KernelKind;
using Impl::TriangleWork;

template <class T>
auto triangle_kernels(TriangleWork work, int columns = 0,
                      Impl::TriangleArrangement const& arranged = {}) {
  return [=](int n) { return Impl::choose_triangle<T>(work, n, columns, arranged); };
}

TEST(TriangleChoice, Cholesky) {
  expect_chosen(triangle_kernels<float>(TriangleWork::factor), {{1, by_lane, 1, 1},
                                                                {8, by_lane, 8, 1},
                                                                {9, by_panels, 16, 8},
                                                                {16, by_panels, 16, 8},
                                                                {17, by_panels, 32, 16},
                                                                {32, by_panels, 32, 16},
                                                                {33, by_panels, 64, 32},
                                                                {64, by_panels, 64, 32},
                                                                {65, in_scratch, 0, 128}});
  expect_chosen(triangle_kernels<double>(TriangleWork::factor), {{8, by_lane, 8, 1},
                                                                 {9, by_panels, 16, 8},
                                                                 {16, by_panels, 16, 8},
                                                                 {17, by_panels, 32, 16},
                                                                 {24, by_panels, 32, 16},
                                                                 {25, by_panels, 64, 16},
                                                                 {64, by_panels, 64, 16},
                                                                 {65, in_scratch, 0, 128}});
  // With less scratch.
  auto const large = Impl::choose_triangle<double>(TriangleWork::factor, 64, 0, {});
  EXPECT_EQ(large.all[1], (Impl::KernelChoice{by_panels, 64, 32}));
  // Copied number by number.
  Impl::TriangleArrangement const narrow{false, true, false};
  expect_chosen(triangle_kernels<float>(TriangleWork::factor, 0, narrow), {{48, by_panels, 64, 32},
                                                                           {49, by_warps, 56, 32},
                                                                           {57, by_warps, 64, 32},
                                                                           {64, by_warps, 64, 32}});
  expect_chosen(triangle_kernels<double>(TriangleWork::factor, 0, narrow),
                {{64, by_panels, 64, 16}});
}
TEST(TriangleChoice, SolveCholesky) {
  auto const check = [](auto const& choose) {
    expect_chosen(choose, {{8, by_lane, 8, 1},
                           {9, by_warps, 16, 32},
                           {16, by_warps, 16, 32},
                           {17, by_warps, 32, 32},
                           {32, by_warps, 32, 32},
                           {33, by_warps, 40, 32},
                           {41, by_warps, 48, 32},
                           {49, by_warps, 56, 32},
                           {57, by_warps, 64, 32},
                           {64, by_warps, 64, 32},
                           {65, in_scratch, 0, 128}});
  };
  check(triangle_kernels<float>(TriangleWork::solve_by_factor, 1));
  check(triangle_kernels<double>(TriangleWork::solve_by_factor, 100));
}
TEST(TriangleChoice, Solve) {
  auto const check = [](auto const& choose) {
    expect_chosen(choose, {{1, by_lane, 1, 1},
                           {8, by_lane, 8, 1},
                           {9, by_panels, 16, 1},
                           {16, by_panels, 16, 1},
                           {17, by_panels, 32, 1},
                           {33, by_panels, 48, 1},
                           {49, by_panels, 64, 1},
                           {64, by_panels, 64, 1},
                           {65, by_warps, 0, 32}});
  };
  check(triangle_kernels<float>(TriangleWork::solve, 1));
  check(triangle_kernels<double>(TriangleWork::solve, 4));
  // More right-hand sides than a lane should have.
  expect_chosen(triangle_kernels<float>(TriangleWork::solve, 9),
                {{1, by_panels, 8, 1}, {8, by_panels, 8, 1}});
  expect_chosen(triangle_kernels<double>(TriangleWork::solve, 5),
                {{6, by_lane, 6, 1}, {7, by_panels, 8, 1}});
  Impl::TriangleArrangement const interleaved{true, true, true}, apart{false, false, true};
  expect_chosen(triangle_kernels<double>(TriangleWork::solve, 32, interleaved),
                {{8, by_lane, 8, 1}});
  expect_chosen(triangle_kernels<double>(TriangleWork::solve, 33, interleaved),
                {{8, by_panels, 8, 1}});
  // Lanes side by side would not read numbers side by side.
  expect_chosen(triangle_kernels<double>(TriangleWork::solve, 33, apart),
                {{1, by_warps, 0, 32}, {64, by_warps, 0, 32}});
  // Only the status is wanted.
  expect_chosen(triangle_kernels<float>(TriangleWork::solve, 0),
                {{8, by_lane, 8, 1}, {9, by_warps, 0, 32}});
}
TEST(TriangleChoice, Others) {
  auto const kinds = [](TriangleWork work, int n, int columns) {
    return triangle_kernels<float>(work, columns)(n);
  };
  expect_kinds(kinds(TriangleWork::factor, 8, 0), {by_lane, by_panels, by_warps});
  expect_kinds(kinds(TriangleWork::factor, 9, 0), {by_panels, by_warps, in_scratch});
  expect_kinds(kinds(TriangleWork::factor, 65, 0), {in_scratch});
  expect_kinds(kinds(TriangleWork::solve_by_factor, 8, 1), {by_lane, by_warps});
  expect_kinds(kinds(TriangleWork::solve, 8, 20), {by_panels, by_warps, by_lane});
  expect_kinds(kinds(TriangleWork::solve, 65, 1), {by_warps});
}

}  // namespace
}  // namespace Batchwork::Test

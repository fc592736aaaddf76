// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which kernel of qr, least_squares, eigh and svd runs, as docs/how_it_works/kernels.md has it.
#include "dense/ChoiceTable.hpp"
#include "dense/decompositions/detail/Batchwork_EighChoice.hpp"
#include "dense/decompositions/detail/Batchwork_QrChoice.hpp"
#include "dense/decompositions/detail/Batchwork_SvdChoice.hpp"

namespace Batchwork::Test {
namespace {

using enum KernelKind;

template <class T>
auto qr_kernels(bool shuffles = true) {
  return [=](int n) { return Impl::choose_qr<T>(n, n, n, shuffles); };
}
template <class T>
auto eigh_kernels(bool shuffles = true) {
  return [=](int n) { return Impl::choose_eigh<T>(n, shuffles); };
}
template <class T>
auto svd_kernels(bool shuffles = true) {
  return [=](int n) { return Impl::choose_svd<T>(n, n, shuffles); };
}
/// Of n columns.
template <class T>
auto tall_svd_kernels(int n) {
  return [=](int m) { return Impl::choose_svd<T>(m, n, true); };
}

TEST(QrChoice, Square) {
  expect_chosen(qr_kernels<float>(), {{1, by_lane, 1, 1},
                                      {8, by_lane, 8, 1},
                                      {9, by_lanes, 12, 2},
                                      {12, by_lanes, 12, 2},
                                      {13, by_lanes, 16, 4},
                                      {17, by_lanes, 24, 8},
                                      {25, by_lanes, 32, 16},
                                      {32, by_lanes, 32, 16},
                                      {33, by_warps, 48, 32},
                                      {48, by_warps, 48, 32},
                                      {49, by_warps, 64, 64},
                                      {65, by_warps, 80, 64},
                                      {80, by_warps, 80, 64},
                                      {81, by_warps, 96, 128},
                                      {96, by_warps, 96, 128},
                                      {97, by_panels}});
  expect_chosen(qr_kernels<double>(), {{8, by_lane, 8, 1},
                                       {9, by_lanes, 12, 4},
                                       {13, by_lanes, 16, 8},
                                       {17, by_lanes, 24, 8},
                                       {32, by_lanes, 32, 16},
                                       {33, by_warps, 48, 64},
                                       {64, by_warps, 64, 64},
                                       {65, by_panels},
                                       {88, by_panels},
                                       {89, by_warps, 96, 192},
                                       {97, by_panels}});
}
TEST(QrChoice, OtherShapes) {
  auto const first = [](int m, int n, int columns_of_q) {
    return Impl::choose_qr<double>(m, n, columns_of_q, true).all[0];
  };
  EXPECT_EQ(first(3, 8, 3), (Impl::KernelChoice{by_lane, 8, 1}));
  EXPECT_EQ(first(9, 2, 2), (Impl::KernelChoice{by_lanes, 12, 4}));
  EXPECT_EQ(first(2, 33, 2), (Impl::KernelChoice{by_warps, 48, 64}));
  EXPECT_EQ(first(64, 10, 64), (Impl::KernelChoice{by_warps, 64, 64}));
  EXPECT_EQ(first(97, 1, 0), (Impl::KernelChoice{by_panels}));
}
TEST(QrChoice, LeastSquares) {
  auto const square = [](bool shuffles) {
    return [=](int n) { return Impl::choose_least_squares(n, n, shuffles); };
  };
  expect_chosen(
      square(true),
      {{1, by_lane, 1, 1}, {8, by_lane, 8, 1}, {9, in_scratch}, {32, in_scratch}, {33, by_panels}});
  expect_chosen(square(false), {{8, by_lane, 8, 1}, {9, in_scratch}, {33, in_scratch}});
}
TEST(EighChoice, Rows) {
  expect_chosen(eigh_kernels<float>(), {{1, by_lane, 1, 1},
                                        {8, by_lane, 8, 1},
                                        {9, by_lanes, 12, 2},
                                        {13, by_lanes, 16, 4},
                                        {17, by_lanes, 24, 8},
                                        {25, by_lanes, 32, 16},
                                        {33, by_lanes, 48, 16},
                                        {48, by_lanes, 48, 16},
                                        {49, by_lanes, 64, 32},
                                        {64, by_lanes, 64, 32},
                                        {65, by_panels},
                                        {224, by_panels},
                                        {225, in_scratch}});
  expect_chosen(eigh_kernels<double>(), {{8, by_lane, 8, 1},
                                         {9, by_lanes, 12, 4},
                                         {16, by_lanes, 16, 8},
                                         {24, by_lanes, 24, 8},
                                         {32, by_lanes, 32, 16},
                                         {33, by_warps, 64, 32},
                                         {44, by_warps, 64, 32},
                                         {45, by_panels},
                                         {224, by_panels},
                                         {225, in_scratch}});
}
TEST(SvdChoice, Square) {
  expect_chosen(svd_kernels<float>(), {{1, by_lane, 1, 1},
                                       {8, by_lane, 8, 1},
                                       {9, by_lanes, 12, 4},
                                       {13, by_lanes, 16, 8},
                                       {17, by_lanes, 24, 8},
                                       {25, by_lanes, 32, 32},
                                       {32, by_lanes, 32, 32},
                                       {33, by_warps, 64, 32},
                                       {64, by_warps, 64, 32},
                                       {65, by_panels}});
  expect_chosen(svd_kernels<double>(), {{12, by_lanes, 12, 4},
                                        {16, by_lanes, 16, 8},
                                        {24, by_lanes, 24, 16},
                                        {32, by_lanes, 32, 32},
                                        {33, by_warps, 64, 32},
                                        {40, by_warps, 64, 32},
                                        {41, by_panels},
                                        {300, by_panels}});
}
TEST(SvdChoice, Tall) {
  expect_chosen(tall_svd_kernels<double>(4), {{5, in_scratch}, {8, in_scratch}, {33, by_panels}});
  expect_chosen(tall_svd_kernels<double>(5),
                {{6, by_lanes, 12, 4}, {10, by_lanes, 12, 4}, {11, in_scratch}});
  expect_chosen(tall_svd_kernels<double>(12), {{16, by_lanes, 16, 8},
                                               {19, by_lanes, 24, 16},
                                               {20, by_warps, 64, 8},
                                               {24, by_warps, 64, 8},
                                               {25, in_scratch}});
  expect_chosen(
      tall_svd_kernels<float>(20),
      {{32, by_lanes, 32, 32}, {33, by_warps, 64, 16}, {40, by_warps, 64, 16}, {41, by_panels}});
}
/// Tiles of the first kernel for n columns, lanes and teams.
template <class T>
void expect_svd_tiles(int n, int tiles, int lanes, int teams, bool begins = true) {
  auto const c = Impl::choose_svd_tiles<T>(n, begins);
  EXPECT_EQ(c.all[0], (Impl::SvdTilesChoice{tiles, lanes, teams})) << n;
  EXPECT_EQ(c.all[c.count - 1], Impl::SvdTilesChoice()) << n;
}
TEST(SvdChoice, Tiles) {
  expect_svd_tiles<double>(52, 0, 512, 1), expect_svd_tiles<double>(53, 8, 128, 1);
  expect_svd_tiles<double>(64, 8, 128, 1), expect_svd_tiles<double>(65, 13, 256, 2);
  expect_svd_tiles<double>(104, 13, 256, 2), expect_svd_tiles<double>(105, 16, 256, 1);
  expect_svd_tiles<double>(128, 16, 256, 1), expect_svd_tiles<double>(129, 28, 256, 1);
  expect_svd_tiles<double>(225, 0, 512, 1), expect_svd_tiles<double>(100, 0, 512, 1, false);
  expect_svd_tiles<float>(64, 0, 512, 1), expect_svd_tiles<float>(65, 12, 128, 3);
  expect_svd_tiles<float>(81, 16, 256, 2), expect_svd_tiles<float>(224, 28, 256, 1);
}
TEST(DecompositionChoices, WithoutShuffles) {
  expect_chosen(qr_kernels<double>(false), {{8, by_lane, 8, 1}, {9, in_scratch}, {48, in_scratch}});
  expect_chosen(eigh_kernels<float>(false), {{8, by_lane, 8, 1},
                                             {9, by_warps, 64, 8},
                                             {17, by_warps, 64, 16},
                                             {33, by_warps, 64, 32},
                                             {65, by_warps, 128, 32},
                                             {129, in_scratch}});
  expect_chosen(
      svd_kernels<double>(false),
      {{8, by_lane, 8, 1}, {9, by_warps, 64, 8}, {64, by_warps, 64, 32}, {65, in_scratch}});
}
TEST(DecompositionChoices, Others) {
  expect_kinds(qr_kernels<float>()(8), {by_lane, by_lanes, by_warps, in_scratch});
  expect_kinds(qr_kernels<float>()(100), {by_panels, in_scratch, in_workspace});
  expect_kinds(eigh_kernels<float>()(2), {by_lane, by_lanes, in_scratch, in_workspace});
  expect_kinds(eigh_kernels<double>()(40), {by_warps, in_scratch, in_workspace});
  expect_kinds(svd_kernels<float>()(8), {by_lane, by_lanes, by_warps, in_scratch, in_workspace});
  expect_kinds(tall_svd_kernels<float>(12)(24), {by_warps, in_scratch, by_lanes, in_workspace});
}

}  // namespace
}  // namespace Batchwork::Test

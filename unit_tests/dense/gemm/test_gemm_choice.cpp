// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which kernel of gemm runs, as docs/how_it_works/more_kernels.md has it.
#include <gtest/gtest.h>

#include <cstdint>

#include "dense/gemm/detail/Batchwork_GemmChoice.hpp"

namespace Batchwork::Test {
namespace {

using Impl::GemmKernel;

enum class GemmItems { interleaved, contiguous, padded, shared_a };
/// The kernel for 1000 items. Matrices are stored by rows.
template <class T>
GemmKernel chosen_gemm(std::int64_t m, std::int64_t n, std::int64_t k, GemmItems how,
                       bool fixed = false) {
  Impl::GemmProblem<T> p;
  p.m = m, p.n = n, p.k = k, p.items = 1000;
  auto const set = [&](auto& side, std::int64_t rows, std::int64_t cols) {
    std::int64_t const pitch = cols + (how == GemmItems::padded ? 3 : 0);
    bool const interleaved = how == GemmItems::interleaved;
    side.col = interleaved ? p.items : 1;
    side.row = pitch * side.col;
    side.item = interleaved ? 1 : rows * pitch;
  };
  set(p.a, m, k), set(p.b, k, n), set(p.c, m, n);
  if (how == GemmItems::shared_a) p.shared_a = true, p.a.item = 0;
  return Impl::choose_gemm(Impl::arranged_for_device(p), fixed);
}

TEST(GemmChoice, Interleaved) {
  auto const square = []<class T>(int n) {
    return chosen_gemm<T>(n, n, n, GemmItems::interleaved);
  };
  for (int n : {1, 8, 16}) {
    EXPECT_EQ(square.operator()<float>(n), GemmKernel::by_lanes) << n;
    EXPECT_EQ(square.operator()<double>(n), GemmKernel::by_lanes) << n;
  }
  for (int n : {17, 64}) {
    EXPECT_EQ(square.operator()<float>(n), GemmKernel::by_sectors) << n;
    EXPECT_EQ(square.operator()<double>(n), GemmKernel::by_sectors) << n;
  }
  EXPECT_EQ(chosen_gemm<double>(17, 8, 16, GemmItems::interleaved), GemmKernel::by_sectors);
  EXPECT_EQ(chosen_gemm<float>(17, 8, 15, GemmItems::interleaved), GemmKernel::by_large_lanes);
  EXPECT_EQ(chosen_gemm<double>(17, 8, 15, GemmItems::interleaved), GemmKernel::by_lanes);
  EXPECT_EQ(chosen_gemm<float>(17, 7, 16, GemmItems::interleaved), GemmKernel::by_lanes);
}
TEST(GemmChoice, ItemsApart) {
  auto const square = []<class T>(int n, GemmItems how) { return chosen_gemm<T>(n, n, n, how); };
  for (int n : {2, 15, 16})
    EXPECT_EQ(square.operator()<float>(n, GemmItems::contiguous), GemmKernel::by_tiles) << n;
  EXPECT_EQ(square.operator()<float>(17, GemmItems::contiguous), GemmKernel::by_warps);
  EXPECT_EQ(square.operator()<float>(31, GemmItems::contiguous), GemmKernel::by_warps);
  EXPECT_EQ(square.operator()<double>(31, GemmItems::contiguous), GemmKernel::by_warps);
  // Whole units of 16 bytes, gaps, larger ones.
  EXPECT_EQ(square.operator()<float>(32, GemmItems::contiguous), GemmKernel::by_blocks);
  EXPECT_EQ(square.operator()<double>(18, GemmItems::contiguous), GemmKernel::by_blocks);
  EXPECT_EQ(square.operator()<float>(31, GemmItems::padded), GemmKernel::by_blocks);
  EXPECT_EQ(square.operator()<float>(33, GemmItems::contiguous), GemmKernel::by_blocks);
}
TEST(GemmChoice, SharedA) {
  EXPECT_EQ(chosen_gemm<float>(16, 8, 16, GemmItems::shared_a), GemmKernel::by_tiles);
  EXPECT_EQ(chosen_gemm<float>(20, 8, 16, GemmItems::shared_a), GemmKernel::by_blocks);
  EXPECT_EQ(chosen_gemm<float>(17, 8, 16, GemmItems::shared_a), GemmKernel::by_warps);
  EXPECT_EQ(chosen_gemm<float>(17, 8, 16, GemmItems::shared_a, true), GemmKernel::by_tiles);
}

}  // namespace
}  // namespace Batchwork::Test

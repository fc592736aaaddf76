// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every documented operation on tiles of complex numbers.
#include "EveryOperationCase.hpp"

namespace Batchwork::Test {
namespace {

TEST(EveryOperationOfComplex, Parts) {
  expect_operations<Kokkos::complex<float>, PartsOfTiles>();
  expect_operations<Kokkos::complex<float>, EntriesOfTiles>();
  expect_operations<Kokkos::complex<double>, PartsOfTiles>();
  expect_operations<Kokkos::complex<double>, EntriesOfTiles>();
}
TEST(EveryOperationOfComplex, Solves) {
  expect_operations<Kokkos::complex<float>, SolvesOfTiles>();
  expect_operations<Kokkos::complex<double>, SolvesOfTiles>();
}

}  // namespace
}  // namespace Batchwork::Test

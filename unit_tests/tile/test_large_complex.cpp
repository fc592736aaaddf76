// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tiles of complex numbers up to 32 x 32, with the register blocks of hosts. Devices do not support
// complex tiles of this size.
#include "ComplexCase.hpp"

namespace Batchwork::Test {
namespace {

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP) && !defined(KOKKOS_ENABLE_SYCL)
auto const complex_by_map = [](auto const&... arguments) { map(arguments...); };

TEST(LargeComplex, Products) {
  expect_complex_products<double, Left, 17, 12>(11, complex_by_map);
  expect_complex_products<float, Right, 32, 32>(17, complex_by_map);
}
TEST(LargeComplex, Lu) {
  expect_complex_lu<double, Right, 17, 5>(37, complex_by_map);
  expect_complex_lu<float, Left, 32, 1>(37, complex_by_map);
}
TEST(LargeComplex, Cholesky) {
  expect_complex_cholesky<double, Left, 11, 5>(37, complex_by_map);
  expect_complex_cholesky<float, Right, 32, 1>(37, complex_by_map);
}
TEST(LargeComplex, Qr) {
  expect_complex_qr<double, Left, 17, 12, 3>(37, complex_by_map);
  expect_complex_qr<float, Right, 32, 32, 1>(37, complex_by_map);
}
#endif

}  // namespace
}  // namespace Batchwork::Test

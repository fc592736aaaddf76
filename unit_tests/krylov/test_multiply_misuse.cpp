// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Misuse of multiply, which it must refuse before it writes anything.
#include "krylov/verbs/Batchwork_Multiply.hpp"
#include "support/Batchwork_Messages.hpp"
#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {
namespace {

struct Nothing {
  template <class... Args>
  KOKKOS_FUNCTION void operator()(Args const&...) const {}
};

TEST(MultiplyMisuse, IsNamed) {
  using Vectors = Kokkos::View<double**, Kokkos::LayoutRight, Space>;
  using Many = Kokkos::View<double***, Kokkos::LayoutRight, Space>;
  Vectors const x("x", 7, 4), y("y", 7, 4), y8("y8", 8, 4), x5("x5", 7, 5), values("values", 7, 9),
      values8("values8", 8, 9), few("few", 7, 8);
  Many const full("full", 7, 4, 4), wide("wide", 7, 4, 5), places("places", 7, 4, 3);
  Kokkos::View<int*, Space> const offsets("offsets", 5), columns("columns", 9),
      no_offsets("none", 0);
  Kokkos::View<int**, Space> const place_columns("place_columns", 4, 2);
  Kokkos::View<int*, Kokkos::LayoutStride, Space> const gaps(columns.data(),
                                                             Kokkos::LayoutStride(4, 2));
  Kokkos::deep_copy(y, 7.25);
  auto const a = csr(offsets, columns, values);

  expect_says(message_of([&] { multiply(csr(offsets, columns, values8), x, y); }),
              {"Batchwork::multiply: operand 1, csr values(\"values8\") [View (8, 9)] has 8 items",
               "operand 2, x(\"x\") [View (7, 4)] has 7", "; give"});
  expect_says(message_of([&] { multiply(2, a, x, 1, y8); }),
              {"operand 5, y(\"y8\") [View (8, 4)] has 8 items",
               "operand 3, x(\"x\") [View (7, 4)] has 7;"});
  expect_says(
      message_of([&] { multiply(a, x5, y); }),
      {"operand 2, x(\"x5\") [View (7, 5)] holds 5 numbers an item", "have 4 rows", "; give"});
  expect_says(message_of([&] { multiply(csr(offsets, columns, few), x, y); }),
              {"operand 1, csr values(\"few\") [View (7, 8)] holds 8 numbers an item",
               "csr columns(\"columns\") [View (9)] has 9", "; give one for each number"});
  expect_says(message_of([&] { multiply(csr(no_offsets, columns, values), x, y); }),
              {"csr row offsets(\"none\") [View (0)", "is empty; give one offset more"});
  expect_says(message_of([&] { multiply(csr(gaps, columns, values), x, y); }),
              {"csr row offsets(", "has gaps; give"});
  expect_says(message_of([&] { multiply(dense(wide), x, y); }),
              {"operand 1, dense values(\"wide\") [View (7, 4, 5)] holds matrices of 4x5",
               "; give square matrices"});
  expect_says(message_of([&] { multiply(ell(place_columns, places), x, y); }),
              {"operand 1, ell values(\"places\") [View (7, 4, 3)] holds 4x3",
               "ell columns(\"place_columns\") [View (4, 2)]", "4x2; give one for each number"});
  expect_says(message_of([&] { multiply(scaled_identity(5), x, y); }),
              {"operand 2, x(\"x\")", "holds 4 numbers", "have 5 rows"});
  expect_says(message_of([&] { multiply(matrix_free(-1, Nothing()), x, y); }),
              {"operand 1, matrix_free of -1 rows; give from 0"});
  expect_says(message_of([&] { multiply(a, y, y); }),
              {"operand 3, y(\"y\")", "is written and shares elements with operand 2, x(\"y\")",
               "; give a View of its own"});
  Vectors const inside(full.data(), 7, 4);
  expect_says(
      message_of([&] { multiply(1, dense(full), x, 0, inside); }),
      {"operand 5, y(", "is written and shares elements with operand 2, dense values(\"full\")"});
  Vectors const unset(static_cast<double*>(nullptr), 7, 4);
  expect_says(message_of([&] { multiply(a, unset, y); }),
              {"operand 2, x(", "not allocated", "it is null; allocate it before the call"});
  Kokkos::View<int*, Space> const unset_columns(static_cast<int*>(nullptr), 9);
  expect_says(message_of([&] { multiply(csr(offsets, unset_columns, values), x, y); }),
              {"operand 1, csr columns(", "it is null"});

  Kokkos::fence();
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  for (std::size_t n = 0; n < 7; ++n)
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(host(n, i), 7.25);
}

}  // namespace
}  // namespace Batchwork::Test

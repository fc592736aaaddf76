// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Misuse of add_scaled_identity, scale, equilibrate, dot and norm, which they must refuse before
// they write anything.
#include "krylov/verbs/Batchwork_AddScaledIdentity.hpp"
#include "krylov/verbs/Batchwork_Equilibrate.hpp"
#include "krylov/verbs/Batchwork_Scale.hpp"
#include "krylov/verbs/Batchwork_VectorSums.hpp"
#include "support/Batchwork_Messages.hpp"
#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {
namespace {

using Batchwork::dot;  // not `dot` of the test matrices

struct SystemVerbsMisuse : ::testing::Test {
  using Vectors = Kokkos::View<double**, Kokkos::LayoutRight, Space>;
  using Numbers = Kokkos::View<double*, Space>;
  Vectors const values{"values", 7, 9}, few{"few", 7, 8}, x{"x", 7, 4}, y{"y", 7, 4},
      x5{"x5", 7, 5}, x8{"x8", 8, 4};
  Kokkos::View<double***, Kokkos::LayoutRight, Space> const full{"full", 7, 4, 4},
      wide{"wide", 7, 4, 5};
  Kokkos::View<int*, Space> const offsets{"offsets", 5}, columns{"columns", 9};
  Numbers const alpha{"alpha", 7}, alpha8{"alpha8", 8}, four{"four", 4}, five{"five", 5},
      unset{static_cast<double*>(nullptr), 7};
  decltype(csr(offsets, columns, values)) const a = csr(offsets, columns, values);

  void SetUp() override {
    for (auto const& v : {values, x, y}) Kokkos::deep_copy(v, 7.25);
    Kokkos::deep_copy(alpha, 7.25);
  }
  void TearDown() override {
    Kokkos::fence();
    for (auto const& v : {values, x, y}) {
      auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v);
      for (std::size_t n = 0; n < host.extent(0); ++n)
        for (std::size_t i = 0; i < host.extent(1); ++i) EXPECT_EQ(host(n, i), 7.25);
    }
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), alpha);
    for (std::size_t n = 0; n < 7; ++n) EXPECT_EQ(host(n), 7.25);
  }
};

TEST_F(SystemVerbsMisuse, AddScaledIdentity) {
  expect_says(
      message_of([&] { add_scaled_identity(alpha8, a); }),
      {"Batchwork::add_scaled_identity: operand 1, alpha(\"alpha8\") [View (8)] has 8 items",
       "operand 2, csr values(\"values\") [View (7, 9)] has 7", "; give"});
  expect_says(message_of([&] { add_scaled_identity(2, csr(offsets, columns, few)); }),
              {"operand 2, csr values(\"few\") [View (7, 8)] holds 8 numbers an item",
               "; give one for each number"});
  expect_says(message_of([&] { add_scaled_identity(Space(), 1, dense(wide), 2); }),
              {"operand 2, dense values(\"wide\")", "holds matrices of 4x5", "; give square"});
  expect_says(message_of([&] { add_scaled_identity(unset, a); }),
              {"operand 1, alpha(", "not allocated", "it is null; allocate it before the call"});
  Numbers const inside(values.data(), 7);
  expect_says(message_of([&] { add_scaled_identity(inside, a); }),
              {"operand 2, csr values(\"values\")", "is written and shares elements with operand 1",
               "; give a View of its own"});
  Kokkos::View<double**, Kokkos::LayoutRight, Space> const groups("groups", 2, 3);
  expect_says(message_of([&] { add_scaled_identity(compact(groups, 7), a); }),
              {"operand 1, alpha(\"groups\")", "it has 2 groups", "; give a View with"});
}

TEST_F(SystemVerbsMisuse, Scale) {
  expect_says(message_of([&] { scale(x5, a, x); }),
              {"Batchwork::scale: operand 1, left(\"x5\") [View (7, 5)] holds 5 numbers an item",
               "have 4 rows", "; give"});
  expect_says(message_of([&] { scale(x, a, x8); }),
              {"operand 3, right(\"x8\") [View (8, 4)] has 8 items",
               "operand 2, csr values(\"values\") [View (7, 9)] has 7", "; give"});
  expect_says(message_of([&] { scale(x, a, common(five)); }),
              {"operand 3, right(\"five\") [View (5)] holds 5 numbers", "have 4 rows", "; give"});
  expect_says(message_of([&] { scale(common(unset), a, x); }), {"operand 1, left(", "it is null"});
  Vectors const inside(values.data(), 7, 4);
  expect_says(message_of([&] { scale(x, a, inside); }),
              {"operand 2, csr values(\"values\")", "is written and shares elements with operand 3",
               "; give a View of its own"});
}

TEST_F(SystemVerbsMisuse, Equilibrate) {
  expect_says(message_of([&] { equilibrate(a, x5, y); }),
              {"Batchwork::equilibrate: operand 2, left(\"x5\") [View (7, 5)] holds 5 numbers",
               "have 4 rows", "; give"});
  expect_says(message_of([&] { equilibrate(a, x, x8); }),
              {"operand 3, right(\"x8\") [View (8, 4)] has 8 items", "has 7", "; give"});
  expect_says(message_of([&] { equilibrate(a, x, x); }),
              {"operand 2, left(\"x\")", "is written and shares elements with operand 3, right(",
               "; give a View of its own"});
  Vectors const inside(full.data(), 7, 4);
  expect_says(
      message_of([&] { equilibrate(dense(full), x, inside); }),
      {"operand 3, right(", "is written and shares elements with operand 1, dense values("});
}

TEST_F(SystemVerbsMisuse, DotAndNorm) {
  expect_says(message_of([&] { dot(x, x5, alpha); }),
              {"Batchwork::dot: operand 2, y(\"x5\") [View (7, 5)] holds 5 numbers an item",
               "operand 1, x(\"x\") [View (7, 4)] holds 4", "; give"});
  expect_says(message_of([&] { dot(x, x8, alpha); }),
              {"operand 2, y(\"x8\") [View (8, 4)] has 8 items",
               "operand 3, result(\"alpha\") [View (7)] has 7", "; give"});
  expect_says(message_of([&] { norm(x, alpha8); }),
              {"Batchwork::norm: operand 1, x(\"x\") [View (7, 4)] has 7 items",
               "operand 2, result(\"alpha8\") [View (8)] has 8", "; give"});
  expect_says(message_of([&] { norm(x, unset); }), {"operand 2, result(", "it is null"});
  Numbers const inside(x.data(), 7);
  expect_says(message_of([&] { dot(y, x, inside); }),
              {"operand 3, result(", "is written and shares elements with operand 2, y(\"x\")",
               "; give a View of its own"});
}

}  // namespace
}  // namespace Batchwork::Test

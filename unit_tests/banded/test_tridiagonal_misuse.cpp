// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Misuse of solve_tridiagonal, which it must refuse before it writes anything.
#include "banded/Batchwork_Tridiagonal.hpp"
#include "support/Batchwork_Messages.hpp"
#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {
namespace {

TEST(TridiagonalMisuse, IsNamed) {
  using Vectors = Kokkos::View<double**, Kokkos::LayoutRight, Space>;
  Vectors const l("l", 7, 4), d("d", 7, 4), u("u", 7, 4), b("b", 7, 4), x("x", 7, 4),
      b8("b8", 8, 4), u5("u5", 7, 5), x3("x3", 7, 3), large("large", 1, 4097),
      large_x("large_x", 1, 4097);
  Kokkos::View<int*, Space> const codes("codes", 6);
  Kokkos::deep_copy(x, 7.25);
  auto const says = [](auto const& call, std::initializer_list<char const*> parts) {
    expect_says(message_of(call), parts);
  };
  says([&] { solve_tridiagonal(l, d, u, b8, x); },
       {"Batchwork::solve_tridiagonal: operand 4, b(\"b8\") [View (8, 4), tile 4] has 8 items",
        "operand 1, lower(\"l\")", "has 7; give"});
  says([&] { solve_tridiagonal(l, d, u5, b, x); },
       {"operand 3, upper(\"u5\") [View (7, 5), tile 5] has 5 rows", "operand 2, diagonal(\"d\")",
        "has 4; give"});
  says([&] { solve_tridiagonal(l, d, u, b, x3); },
       {"operand 5, x(\"x3\") [View (7, 3), tile 3] has 3 rows", "; give"});
  // Also in repeated calls.
  for (int k = 0; k < 10; ++k) {
    says([&] { solve_tridiagonal(large, large, large, large, large_x); },
         {"operand 2, diagonal(\"large\")", "has 4097 rows, more than the limit of 4096; "});
    says([&] { solve_tridiagonal(large, large, large, large, large_x, partial_pivoting()); },
         {"operand 2, diagonal(\"large\")", "has 4097 rows, more than the limit of 4096; "});
  }
  says([&] { solve_tridiagonal(l, d, u, b, d); },
       {"operand 5, x(\"d\")", "is written and shares elements with operand 2, diagonal(\"d\")",
        "; x may be b"});
  says([&] { solve_tridiagonal(l, d, u, b, x, status(codes)); },
       {"operand 6, status(\"codes\")", "has 6 items", "has 7"});
  // In place, and in the memory of a band.
  says([&] { solve_tridiagonal(l, x, u, x, x); },
       {"operand 5, x(\"x\")", "is written and shares elements with operand 2, diagonal(\"x\")"});
  // The same with row exchanges.
  says([&] { solve_tridiagonal(l, d, u, b, d, partial_pivoting()); },
       {"operand 5, x(\"d\")", "is written and shares elements with operand 2, diagonal(\"d\")"});
  says([&] { solve_tridiagonal(l, d, u, b, x, partial_pivoting(), status(codes)); },
       {"operand 6, status(\"codes\")", "has 6 items", "has 7"});
  Vectors const shifted(b.data() + 1, 6, 4), six("six", 6, 4);
  says([&] { solve_tridiagonal(six, six, six, Vectors(b.data(), 6, 4), shifted); },
       {"operand 5, x(", "is written and shares elements with operand 4, b("});
  Kokkos::View<double**, Kokkos::LayoutLeft, Space> const turned(b.data(), 7, 4);
  says([&] { solve_tridiagonal(l, d, u, b, turned); }, {"operand 5, x(", "operand 4, b("});
  Vectors const unset(static_cast<double*>(nullptr), 7, 4);
  says([&] { solve_tridiagonal(unset, d, u, b, x); },
       {"operand 1, lower(", "not allocated", "it is null; allocate it before the call"});
  Kokkos::View<double** [4], Kokkos::LayoutRight, Space> const groups("groups", 1, 4);
  says([&] { solve_tridiagonal(l, d, u, compact(groups, 7), x); }, {"operand 4, b(\"groups\")"});

  Kokkos::fence();
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  for (std::size_t n = 0; n < 7; ++n)
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(host(n, i), 7.25);
}

}  // namespace
}  // namespace Batchwork::Test

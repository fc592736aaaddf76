// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Includes only Batchwork.hpp, and solves one system.
#include <Batchwork.hpp>
#include <iostream>

static_assert(BATCHWORK_VERSION >= 100);

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  std::cout << "Batchwork " << Batchwork::version() << " (" << Batchwork::git_hash() << ") on "
            << Kokkos::DefaultExecutionSpace::name() << '\n';

  // ( 0 2 ) x = ( 6 ), so x = ( 5 ).
  // ( 1 0 )     ( 5 )         ( 3 )
  Kokkos::View<double***> const a("a", 1, 2, 2);
  Kokkos::View<double**> const x("x", 1, 2);
  auto const a_here = Kokkos::create_mirror_view(a);
  auto const x_here = Kokkos::create_mirror_view(x);
  a_here(0, 0, 1) = 2;
  a_here(0, 1, 0) = 1;
  x_here(0, 0) = 6;
  x_here(0, 1) = 5;
  Kokkos::deep_copy(a, a_here);
  Kokkos::deep_copy(x, x_here);
  Batchwork::solve_lu(Batchwork::in(a), Batchwork::inout(x));
  Kokkos::deep_copy(x_here, x);
  return x_here(0, 0) == 5 && x_here(0, 1) == 3 ? 0 : 1;
}

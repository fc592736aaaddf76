// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Includes only Batchwork.hpp.
#include <Batchwork.hpp>
#include <iostream>

static_assert(BATCHWORK_VERSION >= 100);

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  std::cout << "Batchwork " << Batchwork::version() << " (" << Batchwork::git_hash() << ") on "
            << Kokkos::DefaultExecutionSpace::name() << '\n';
}

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#if __has_include(<Batchwork.hpp>)
#include <Batchwork.hpp>
#endif
#include <Batchwork_Version.hpp>
#include <Kokkos_Core.hpp>
#include <iostream>

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  std::cout << "Batchwork " << Batchwork::version() << " (" << Batchwork::git_hash() << ") on "
            << Kokkos::DefaultExecutionSpace::name() << '\n';
}

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <Batchwork.hpp>

using Vectors = Kokkos::View<double**>;

void solved(Vectors const& lower, Vectors const& diagonal, Vectors const& upper, Vectors const& x) {
  Batchwork::solve_tridiagonal(lower, diagonal, upper, x, x);
}

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Conjugate gradients for the assembled matrix.
#ifndef ELEMENTS_SOLVE_HPP
#define ELEMENTS_SOLVE_HPP

#include <Kokkos_Core.hpp>

using Numbers = Kokkos::View<double*>;

/// A square matrix in CSR format. Some unknowns are fixed to zero: fixed(row) is not 0.
struct SparseMatrix {
  Kokkos::View<int*> offsets, columns;
  Numbers values;
  Kokkos::View<int*> fixed;
};

/// Who multiplies the matrix by vectors.
char const* multiplier();

/// Conjugate gradients with the diagonal as preconditioner, until the residual is `tolerance` times
/// that of x = 0 (Saad, Iterative Methods for Sparse Linear Systems, 2003, algorithm 9.1).
/// \returns the number of iterations, or -1 if the limit of 5000 was reached
int conjugate_gradients(SparseMatrix const& a, Numbers const& b, Numbers const& x,
                        double tolerance);
/// The norm of b - a x without the fixed unknowns, relative to that of b.
double relative_residual(SparseMatrix const& a, Numbers const& b, Numbers const& x);

#endif

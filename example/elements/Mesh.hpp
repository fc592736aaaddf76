// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A cube of distorted hexahedra, and the pattern of its stiffness matrix.
#ifndef ELEMENTS_MESH_HPP
#define ELEMENTS_MESH_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <vector>

constexpr int corners = 8, points = 8, freedoms = 24;

/// edge x edge x edge hexahedra of 8 nodes, on the host.
struct Mesh {
  std::size_t nodes, elements;
  std::vector<double> x;  ///< 3 for each node
  std::vector<int> node;  ///< 8 for each element; bit i of a corner's number is its side of axis i

  /// Nodes inside are moved by up to a fifth of an element.
  explicit Mesh(int edge);
};

/// A matrix with three rows for each node in CSR format, and where the entries of the element
/// matrices belong in its values.
struct Pattern {
  std::vector<int> offsets, columns;
  std::vector<int> place;  ///< 24 x 24 for each element
  explicit Pattern(Mesh const& mesh);
};

/// Derivatives of the shape functions: row 3 q + i has those along axis i in point q of Gauss.
struct Shape {
  double d[3 * points][corners];
  Shape();
};

/// Adds the stiffness matrices of all elements to the values, in double: a plain loop over
/// elements, points, corners and axes.
void add_by_loop(Mesh const& mesh, Pattern const& pattern, double lambda, double mu,
                 std::vector<double>& values);

#endif

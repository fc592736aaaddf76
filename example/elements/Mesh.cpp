// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Mesh.hpp"

#include <algorithm>
#include <cmath>
#include <random>

Mesh::Mesh(int edge)
    : nodes(std::size_t(edge + 1) * std::size_t(edge + 1) * std::size_t(edge + 1)),
      elements(std::size_t(edge) * std::size_t(edge) * std::size_t(edge)) {
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> move(-0.2, 0.2);
  int const side = edge + 1;
  for (int k = 0; k < side; ++k)
    for (int j = 0; j < side; ++j)
      for (int i = 0; i < side; ++i)
        for (int const at : {i, j, k})
          x.push_back((at + (at > 0 && at < edge ? move(engine) : 0)) / edge);
  for (int k = 0; k < edge; ++k)
    for (int j = 0; j < edge; ++j)
      for (int i = 0; i < edge; ++i)
        for (int a = 0; a < corners; ++a)
          node.push_back(i + (a & 1) + side * (j + (a >> 1 & 1) + side * (k + (a >> 2))));
}

Pattern::Pattern(Mesh const& mesh) {
  std::vector<std::vector<int>> neighbours(mesh.nodes);
  for (std::size_t e = 0; e < mesh.elements; ++e)
    for (std::size_t a = 0; a < corners; ++a)
      for (std::size_t b = 0; b < corners; ++b)
        neighbours[std::size_t(mesh.node[corners * e + a])].push_back(mesh.node[corners * e + b]);
  offsets.push_back(0);
  for (auto& of : neighbours) {
    std::sort(of.begin(), of.end());
    of.erase(std::unique(of.begin(), of.end()), of.end());
    for (int i = 0; i < 3; ++i) {
      for (int const b : of)
        for (int j = 0; j < 3; ++j) columns.push_back(3 * b + j);
      offsets.push_back(int(columns.size()));
    }
  }
  place.resize(mesh.elements * freedoms * freedoms);
  for (std::size_t e = 0; e < mesh.elements; ++e)
    for (std::size_t a = 0; a < corners; ++a)
      for (std::size_t b = 0; b < corners; ++b) {
        int const row = mesh.node[corners * e + a], col = mesh.node[corners * e + b];
        auto const& of = neighbours[std::size_t(row)];
        int const number = int(std::lower_bound(of.begin(), of.end(), col) - of.begin());
        for (std::size_t i = 0; i < 3; ++i)
          for (std::size_t j = 0; j < 3; ++j)
            place[(freedoms * e + 3 * a + i) * freedoms + 3 * b + j] =
                offsets[3 * std::size_t(row) + i] + 3 * number + int(j);
      }
}

Shape::Shape() {
  for (int q = 0; q < points; ++q)
    for (int a = 0; a < corners; ++a) {
      double n[3], slope[3];
      for (int i = 0; i < 3; ++i) {
        double const side = a >> i & 1 ? 1 : -1, point = (q >> i & 1 ? 1 : -1) / std::sqrt(3.0);
        n[i] = (1 + side * point) / 2;
        slope[i] = side / 2;
      }
      d[3 * q][a] = slope[0] * n[1] * n[2];
      d[3 * q + 1][a] = n[0] * slope[1] * n[2];
      d[3 * q + 2][a] = n[0] * n[1] * slope[2];
    }
}

void add_by_loop(Mesh const& mesh, Pattern const& pattern, double lambda, double mu,
                 std::vector<double>& values) {
  Shape const shape;
  for (std::size_t e = 0; e < mesh.elements; ++e) {
    double s[freedoms][freedoms] = {};
    for (int q = 0; q < points; ++q) {
      double t[3][3] = {}, c[3][3], g[3][corners] = {};
      for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
          for (int a = 0; a < corners; ++a)
            t[i][k] +=
                shape.d[3 * q + i][a] *
                mesh.x[3 * std::size_t(mesh.node[corners * e + std::size_t(a)]) + std::size_t(k)];
      for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
          int const i1 = (i + 1) % 3, i2 = (i + 2) % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
          c[k][i] = t[i1][k1] * t[i2][k2] - t[i1][k2] * t[i2][k1];
        }
      double const det = t[0][0] * c[0][0] + t[0][1] * c[1][0] + t[0][2] * c[2][0];
      for (int k = 0; k < 3; ++k)
        for (int a = 0; a < corners; ++a)
          for (int i = 0; i < 3; ++i) g[k][a] += c[k][i] * shape.d[3 * q + i][a] / det;
      for (int a = 0; a < corners; ++a)
        for (int b = 0; b < corners; ++b) {
          double const both = mu * (g[0][a] * g[0][b] + g[1][a] * g[1][b] + g[2][a] * g[2][b]);
          for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
              s[3 * a + i][3 * b + j] += det * (lambda * g[i][a] * g[j][b] +
                                                mu * g[j][a] * g[i][b] + (i == j ? both : 0.0));
        }
    }
    for (std::size_t i = 0; i < freedoms; ++i)
      for (std::size_t j = 0; j < freedoms; ++j)
        values[std::size_t(pattern.place[(freedoms * e + i) * freedoms + j])] += s[i][j];
  }
}

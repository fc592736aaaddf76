// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Random patterns, and the same matrices in every format.
#ifndef BATCHWORK_TEST_SYSTEMS_CASE_HPP
#define BATCHWORK_TEST_SYSTEMS_CASE_HPP

#include <algorithm>
#include <limits>
#include <vector>

#include "dense/cholesky/TriangleCase.hpp"
#include "krylov/verbs/Batchwork_Multiply.hpp"

namespace Batchwork::Test {

/// The columns of every row, sorted.
struct Pattern {
  int rows = 0;
  std::vector<std::vector<int>> columns;

  int nonzeros() const {
    std::size_t n = 0;
    for (auto const& row : columns) n += row.size();
    return int(n);
  }
  int width() const {
    std::size_t n = 0;
    for (auto const& row : columns) n = std::max(n, row.size());
    return int(n);
  }
};

inline Pattern full_pattern(int rows) {
  Pattern p{rows, {}};
  for (int i = 0; i < rows; ++i) {
    p.columns.emplace_back();
    for (int j = 0; j < rows; ++j) p.columns.back().push_back(j);
  }
  return p;
}

/// Rows with a few entries, some empty, some full.
inline Pattern random_pattern(Random& random, int rows) {
  Pattern p{rows, {}};
  for (int i = 0; i < rows; ++i) {
    std::vector<int> row;
    int const kind = random.integer(0, 9);
    double const share = kind == 0 ? 0 : kind == 1 ? 1 : kind < 6 ? 0.1 : 0.4;
    for (int j = 0; j < rows; ++j)
      if (random(0, 1) < share) row.push_back(j);
    p.columns.push_back(row);
  }
  return p;
}
inline Pattern tridiagonal(int rows) {
  Pattern p{rows, {}};
  for (int i = 0; i < rows; ++i) {
    std::vector<int> row;
    for (int j = std::max(i - 1, 0); j <= std::min(i + 1, rows - 1); ++j) row.push_back(j);
    p.columns.push_back(row);
  }
  return p;
}

/// A View of indices, on the device.
template <class I>
Kokkos::View<I*, Space> indices_of(std::string const& label, std::vector<int> const& from) {
  Kokkos::View<I*, Space> const v(label, from.size());
  auto const host = Kokkos::create_mirror_view(v);
  for (std::size_t k = 0; k < from.size(); ++k) host(k) = static_cast<I>(from[k]);
  Kokkos::deep_copy(v, host);
  return v;
}

/// The matrices of several items with the same pattern, in compressed rows, in rows of equal length
/// and dense, all with the same arrangement. Unused entries are NaN.
template <class T>
struct Matrices {
  Pattern pattern;
  std::vector<int> first;  ///< entry of each row
  std::int64_t items;
  ArrangedBatch<T> values, places, full;
  Kokkos::View<int*, Space> row_offsets;
  Kokkos::View<std::size_t*, Space> long_offsets;
  Kokkos::View<int*, Space> columns;
  Kokkos::View<unsigned**, Kokkos::LayoutLeft, Space> place_columns;

  Matrices(Pattern const& p, std::int64_t n, Arranged how)
      : pattern(p),
        items(n),
        values(n, p.nonzeros(), 1, how),
        places(n, p.rows, p.width(), how),
        full(n, p.rows, p.rows, how),
        place_columns("place_columns", std::size_t(p.rows), std::size_t(p.width())) {
    std::vector<int> all;
    first.push_back(0);
    auto const c = Kokkos::create_mirror_view(place_columns);
    Kokkos::deep_copy(c, ~0u);
    for (int i = 0; i < p.rows; ++i) {
      auto const& row = p.columns[std::size_t(i)];
      all.insert(all.end(), row.begin(), row.end());
      first.push_back(int(all.size()));
      for (std::size_t k = 0; k < row.size(); ++k) c(std::size_t(i), k) = unsigned(row[k]);
    }
    Kokkos::deep_copy(place_columns, c);
    row_offsets = indices_of<int>("row_offsets", first);
    long_offsets = indices_of<std::size_t>("long_offsets", first);
    columns = indices_of<int>("columns", all);
    full.fill(T(0));
    places.fill(std::numeric_limits<T>::quiet_NaN());
  }

  /// Sets entry k of row i in each format.
  void put(std::int64_t n, int i, int k, T x) const {
    values.at(n, first[std::size_t(i)] + k, 0) = x;
    places.at(n, i, k) = x;
    full.at(n, i, pattern.columns[std::size_t(i)][std::size_t(k)]) = x;
  }
  void upload() const {
    values.upload();
    places.upload();
    full.upload();
  }
  void randomise(Random& random) const {
    for (std::int64_t n = 0; n < items; ++n)
      for (int i = 0; i < pattern.rows; ++i)
        for (int k = 0, size = int(pattern.columns[std::size_t(i)].size()); k < size; ++k)
          put(n, i, k, T(random()));
    upload();
  }
  auto csr() const { return Batchwork::csr(row_offsets, columns, vectors(values)); }
  auto long_csr() const { return Batchwork::csr(long_offsets, columns, vectors(values)); }
  auto ell() const { return Batchwork::ell(place_columns, places.batch()); }
  auto dense() const { return Batchwork::dense(full.batch()); }
};

/// alpha A x for one row.
template <class T>
Truth row_truth(ArrangedBatch<T> const& full, std::int64_t n, int i, ArrangedBatch<T> const& x,
                double alpha) {
  return sum_of_products(T(alpha), &full.at(n, i, 0), full.col, &x.at(n, 0, 0), x.row, full.cols);
}

}  // namespace Batchwork::Test

#endif

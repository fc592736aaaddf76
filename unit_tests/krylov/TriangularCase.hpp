// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Solves with triangles and their error bounds. Tests run the verb or its device kernel.
#ifndef BATCHWORK_TEST_TRIANGULAR_CASE_HPP
#define BATCHWORK_TEST_TRIANGULAR_CASE_HPP

#include <string>
#include <vector>

#include "krylov/SolveCase.hpp"
#include "krylov/verbs/Batchwork_SolveTriangular.hpp"

namespace Batchwork::Test {

inline constexpr Triangle triangles[] = {Triangle::lower, Triangle::unit_lower, Triangle::upper,
                                         Triangle::unit_upper};
inline bool is_upper(Triangle t) { return t == Triangle::upper || t == Triangle::unit_upper; }
inline bool is_unit(Triangle t) { return t == Triangle::unit_lower || t == Triangle::unit_upper; }

/// |b - L x| must be within rounding errors, row by row (Higham, Accuracy and Stability of
/// Numerical Algorithms, theorem 8.5).
template <class T>
void expect_solved(ArrangedBatch<T> const& full, std::int64_t n, Triangle triangle,
                   std::vector<T> const& b, ArrangedBatch<T> const& x) {
  for (int i = 0; i < full.rows; ++i) {
    Truth t;
    for (int j = 0; j < full.rows; ++j) {
      if (j != i && (j > i) != is_upper(triangle)) continue;
      long double const a = j == i && is_unit(triangle) ? 1 : full.at(n, i, j);
      t.add(a * x.at(n, j, 0));
    }
    ASSERT_LE(std::fabs(t.value - b[std::size_t(i)]), (full.rows + 4) * epsilon<T> * t.size)
        << "item " << n << ", row " << i;
  }
}

/// Solves with run, and checks every item.
template <class T, class Run, class A>
void check_solve(Run const& run, Triangle triangle, A const& a, ArrangedBatch<T> const& full,
                 Arranged how, bool in_place, Random& random) {
  std::int64_t const items = full.items;
  int const rows = full.rows;
  ArrangedBatch<T> const b(items, rows, 1, how), x(items, rows, 1, how);
  b.randomise(random);
  x.randomise(random);
  std::vector<std::vector<T>> right;
  for (std::int64_t n = 0; n < items; ++n) {
    right.emplace_back();
    for (int i = 0; i < rows; ++i) right.back().push_back(b.at(n, i, 0));
  }
  auto const outside = x.poisoned();
  Kokkos::View<int*, Space> const codes("codes", std::size_t(items));
  Kokkos::deep_copy(codes, 77);
  run.template operator()<T>(triangle, a, vectors(b), in_place ? vectors(b) : vectors(x), codes,
                             items);
  auto const& result = in_place ? b : x;
  result.download();
  EXPECT_EQ(x.poisoned(), outside);
  auto const said = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), codes);
  for (std::int64_t n = 0; n < items; ++n) {
    EXPECT_EQ(said(std::size_t(n)), 0);
    expect_solved(full, n, triangle, right[std::size_t(n)], result);
  }
}

template <class T>
void put_triangular(Matrices<T> const& a, Random& random) {
  for (std::int64_t n = 0; n < a.items; ++n)
    for (int i = 0; i < a.pattern.rows; ++i) {
      auto const& row = a.pattern.columns[std::size_t(i)];
      for (int k = 0; k < int(row.size()); ++k)
        a.put(n, i, k,
              row[std::size_t(k)] == i ? T(random() < 0 ? -1.5 : 2)
                                       : T(random() / std::sqrt(double(row.size()))));
    }
  a.upload();
}

}  // namespace Batchwork::Test

#endif

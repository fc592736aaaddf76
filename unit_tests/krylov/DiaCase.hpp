// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The matrices of a case in the format of diagonals.
#ifndef BATCHWORK_TEST_DIA_CASE_HPP
#define BATCHWORK_TEST_DIA_CASE_HPP

#include <limits>
#include <set>
#include <vector>

#include "krylov/SystemsCase.hpp"
#include "krylov/formats/Batchwork_Dia.hpp"

namespace Batchwork::Test {

/// All entries of the matrix on these diagonals.
inline Pattern pattern_of_diagonals(int rows, std::vector<int> const& offsets) {
  Pattern p{rows, {}};
  for (int i = 0; i < rows; ++i) {
    p.columns.emplace_back();
    for (int o : offsets)
      if (i + o >= 0 && i + o < rows) p.columns.back().push_back(i + o);
  }
  return p;
}
/// The diagonals on which a pattern has entries.
inline std::vector<int> diagonals_of(Pattern const& p) {
  std::set<int> offsets;
  for (int i = 0; i < p.rows; ++i)
    for (int j : p.columns[std::size_t(i)]) offsets.insert(j - i);
  return {offsets.begin(), offsets.end()};
}

/// The numbers on the diagonals of the pattern, including zeros of A. Numbers beyond the ends of
/// diagonals are NaN.
template <class T>
struct DiaOf {
  std::vector<int> offsets;
  Pattern pattern;  ///< of the format
  ArrangedBatch<T> lines;
  Kokkos::View<int*, Space> view;

  DiaOf(Matrices<T> const& a, Arranged how)
      : offsets(diagonals_of(a.pattern)),
        pattern(pattern_of_diagonals(a.pattern.rows, offsets)),
        lines(a.items, int(offsets.size()), a.pattern.rows, how),
        view(indices_of<int>("offsets", offsets)) {
    lines.fill(std::numeric_limits<T>::quiet_NaN());
    for (std::int64_t n = 0; n < a.items; ++n)
      for (int d = 0; d < int(offsets.size()); ++d)
        for (int i = 0; i < a.pattern.rows; ++i)
          if (int const j = i + offsets[std::size_t(d)]; j >= 0 && j < a.pattern.rows)
            lines.at(n, d, i) = a.full.at(n, i, j);
    lines.upload();
  }
  auto dia() const { return Batchwork::dia(view, lines.batch()); }
};

}  // namespace Batchwork::Test

#endif

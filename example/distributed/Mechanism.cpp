// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Mechanism.hpp"

#include <cmath>
#include <vector>

#include "../support/Errors.hpp"
#include "Outcome.hpp"

namespace Distributed {

Mechanism read_mechanism(std::string const& folder) {
  try {
    Mechanism const m = Batchwork::read_systems(folder);
    if (m.items() == 0) throw Support::InputError(folder + ": has no systems");
    Batchwork::check(m.csr());
    return m;
  } catch (std::exception const& e) {
    throw Support::InputError(e.what());
  }
}

Mechanism make_mechanism() {
  constexpr std::size_t states = 64, rows = 22;
  // Spectral radius of what Jacobi leaves beside the identity for a large gamma, nearly (circular
  // law): BiCGSTAB then takes some dozens of iterations.
  constexpr double radius = 0.9;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> columns;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < rows; ++j)
      if (i == j || uniform(i * rows + j) < 0.9) columns.push_back(std::int32_t(j));
    offsets.push_back(std::int64_t(columns.size()));
  }
  Mechanism m;
  m.row_offsets = decltype(m.row_offsets)("row_offsets", rows + 1);
  m.columns = decltype(m.columns)("columns", columns.size());
  m.values = decltype(m.values)("values", states, columns.size());
  std::copy(offsets.begin(), offsets.end(), m.row_offsets.data());
  std::copy(columns.begin(), columns.end(), m.columns.data());
  double const off = radius * std::sqrt(3.0 / double(rows));
  std::uint64_t place = rows * rows;
  for (std::size_t n = 0; n < states; ++n)
    for (std::size_t i = 0; i < rows; ++i) {
      double const rate = std::pow(10.0, 4 * uniform(place++) - 1);
      for (auto k = std::size_t(offsets[i]); k < std::size_t(offsets[i + 1]); ++k) {
        bool const diagonal = columns[k] == std::int32_t(i);
        m.values(n, k) = diagonal ? 1 + rate : rate * off * (2 * uniform(place++) - 1);
      }
    }
  return m;
}

}  // namespace Distributed

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Sparse systems for the cases of solve.
#ifndef BATCHWORK_TWO_DEVICES_SYSTEMS_HPP
#define BATCHWORK_TWO_DEVICES_SYSTEMS_HPP

#include <Batchwork.hpp>

#include "Place.hpp"

namespace TwoDevices {

using namespace Batchwork;

constexpr std::int64_t items = 2003;
constexpr int rows = 81;

/// A band of five diagonals with noise, diagonally dominant, as csr.
struct Systems {
  View<int*> row_offsets, columns;
  View<double**> values, b, x;

  Systems(Place const& on, std::int64_t count, int n) {
    std::vector<int> offsets{0}, of_columns;
    for (int i = 0; i < n; ++i) {
      for (int const j : {i - 9, i - 1, i, i + 1, i + 9})
        if (j >= 0 && j < n) of_columns.push_back(j);
      offsets.push_back(int(of_columns.size()));
    }
    row_offsets = on.from<View<int*>>(offsets);
    columns = on.from<View<int*>>(of_columns);
    values = View<double**>(Kokkos::view_alloc("values", Kokkos::WithoutInitializing, on.exec),
                            std::size_t(count), of_columns.size());
    auto const h = Kokkos::create_mirror_view(values);
    for (std::int64_t k = 0; k < count; ++k)
      for (int i = 0; i < n; ++i)
        for (int e = offsets[std::size_t(i)]; e < offsets[std::size_t(i) + 1]; ++e)
          h(k, e) = noise(std::uint64_t(k * 4096 + e)) +
                    (of_columns[std::size_t(e)] == i ? 4.0 + double(k % 5) : 0.0);
    Kokkos::deep_copy(on.exec, values, h);
    b = on.noisy<View<double**>>(40, count, n);
    x = on.noisy<View<double**>>(41, count, n);
  }
  auto csr() const { return Batchwork::csr(row_offsets, columns, values); }
};

/// The numbers of a solve.
template <class Log>
Numbers solved(Place const& on, Systems const& of, Log const& log) {
  auto numbers = on.all(of.x, log.iterations, log.residual, log.reason);
  for (auto const& outcome : outcomes(log)) numbers.push_back(outcome.converged() ? 1 : 0);
  return numbers;
}

}  // namespace TwoDevices

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <Batchwork.hpp>

#include "Place.hpp"

namespace TwoDevices {

using namespace Batchwork;

Numbers lu(Place const& on) {
  Numbers numbers;
  for_sizes([&](std::int64_t items, std::int64_t n) {
    auto const a = on.noisy<View<double***>>(24, items, n, n),
               f = on.results<View<double***>>(items, n, n);
    auto const b = on.noisy<View<double**>>(25, items, n), x = on.results<View<double**>>(items, n);
    auto const rows = on.results<View<int**>>(items, n);
    auto const codes = on.results<View<int*>>(items);
    Batchwork::lu(on.exec, in(a), out(f), out(rows), status(codes));
    solve_lu(on.exec, in(a), in(b), out(x));
    on.read(numbers, f), on.read(numbers, x), on.read(numbers, rows), on.read(numbers, codes);
  });
  return numbers;
}
Numbers determinants(Place const& on) {
  Numbers numbers;
  for_sizes([&](std::int64_t items, std::int64_t n) {
    auto const a = on.noisy<View<double***>>(26, items, n, n);
    auto const d = on.results<View<double*>>(items);
    determinant(on.exec, in(a), out(d));
    on.read(numbers, d);
  });
  return numbers;
}

}  // namespace TwoDevices

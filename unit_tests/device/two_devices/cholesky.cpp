// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <Batchwork.hpp>

#include "Place.hpp"

namespace TwoDevices {

using namespace Batchwork;

Numbers cholesky(Place const& on) {
  Numbers numbers;
  for_sizes([&](std::int64_t items, std::int64_t n) {
    auto const a = on.matrices<View<double***>>(20, items, n),
               l = on.results<View<double***>>(items, n, n);
    auto const b = on.noisy<View<double**>>(21, items, n), x = on.results<View<double**>>(items, n);
    auto const codes = on.results<View<int*>>(items);
    Batchwork::cholesky(on.exec, in(a), out(l), status(codes));
    solve_cholesky(on.exec, in(a), in(b), out(x));
    on.read(numbers, l), on.read(numbers, x), on.read(numbers, codes);
  });
  return numbers;
}
Numbers triangular(Place const& on) {
  Numbers numbers;
  for_sizes([&](std::int64_t items, std::int64_t n) {
    auto const a = on.matrices<View<double***>>(22, items, n);
    auto const b = on.noisy<View<double**>>(23, items, n), x = on.results<View<double**>>(items, n);
    solve_lower(on.exec, in(a), in(b), out(x));
    solve_upper(on.exec, in(a), inout(x));
    on.read(numbers, x);
  });
  return numbers;
}

}  // namespace TwoDevices

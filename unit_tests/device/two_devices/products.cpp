// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <Batchwork.hpp>

#include "Place.hpp"

namespace TwoDevices {

using namespace Batchwork;

Numbers products(Place const& on) {
  Numbers numbers;
  for (std::int64_t const n : {9, 32, 100}) {
    std::int64_t const items = 200003 / (n * n);
    auto const a = on.noisy<View<double***>>(11, items, n, n),
               b = on.noisy<View<double***>>(12, items, n, n),
               c = on.results<View<double***>>(items, n, n);
    gemm(on.exec, 1.0, in(a), in(transposed(b)), 0.0, out(c));
    on.read(numbers, c);
  }
  return numbers;
}

Numbers copies(Place const& on) {
  constexpr std::int64_t items = 1003, n = 17;
  auto const a = on.noisy<View<double***>>(13, items, n, n);
  auto const b = on.results<Interleaved<double***>>(items, n, n);
  copy(on.exec, b, transposed(a));
  return on.all(b);
}

Numbers tridiagonal(Place const& on) {
  constexpr std::int64_t items = 2003, n = 200;
  auto const lower = on.noisy<Interleaved<double**>>(14, items, n),
             upper = on.noisy<Interleaved<double**>>(15, items, n),
             b = on.noisy<Interleaved<double**>>(16, items, n),
             diagonal = on.noisy<Interleaved<double**>>(17, items, n),
             x = on.results<Interleaved<double**>>(items, n),
             y = on.results<Interleaved<double**>>(items, n);
  auto const codes = on.results<Interleaved<int*>>(items);
  solve_tridiagonal(on.exec, lower, diagonal, upper, b, x, partial_pivoting(), status(codes));
  solve_tridiagonal(on.exec, lower, diagonal, upper, b, y);
  return on.all(x, y, codes);
}

}  // namespace TwoDevices

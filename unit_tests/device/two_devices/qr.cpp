// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <Batchwork.hpp>

#include "Place.hpp"

namespace TwoDevices {

using namespace Batchwork;

Numbers qr(Place const& on) {
  Numbers numbers;
  for_sizes([&](std::int64_t items, std::int64_t n) {
    auto const a = on.noisy<View<double***>>(28, items, n, n),
               q = on.results<View<double***>>(items, n, n),
               r = on.results<View<double***>>(items, n, n);
    Batchwork::qr(on.exec, in(a), out(q), out(r));
    on.read(numbers, q), on.read(numbers, r);
  });
  return numbers;
}
Numbers qr_in_workspace(Place const& on) {
  constexpr std::int64_t items = 11, n = 200;
  auto const a = on.noisy<View<double***>>(29, items, n, n),
             q = on.results<View<double***>>(items, n, n),
             r = on.results<View<double***>>(items, n, n);
  auto const memory =
      on.results<View<double*>>(workspace_numbers<Verb::qr>(on.exec, in(a), out(q), out(r)));
  Batchwork::qr(on.exec, in(a), out(q), out(r), workspace(memory));
  return on.all(q, r);
}
Numbers least_squares(Place const& on) {
  Numbers numbers;
  for (std::int64_t const n : {7, 24, 60}) {
    std::int64_t const items = 100003 / (n * n), rows = n + n / 2;
    auto const a = on.noisy<View<double***>>(30, items, rows, n);
    auto const b = on.noisy<View<double**>>(31, items, rows),
               x = on.results<View<double**>>(items, n);
    Batchwork::least_squares(on.exec, in(a), in(b), out(x));
    on.read(numbers, x);
  }
  return numbers;
}

}  // namespace TwoDevices

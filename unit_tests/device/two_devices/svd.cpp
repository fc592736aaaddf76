// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <Batchwork.hpp>

#include "Place.hpp"

namespace TwoDevices {

using namespace Batchwork;

Numbers singular_values(Place const& on) {
  Numbers numbers;
  for (std::int64_t const n : {5, 20, 48}) {
    std::int64_t const items = 100003 / (n * n);
    auto const a = on.noisy<View<double***>>(33, items, n, n),
               u = on.results<View<double***>>(items, n, n),
               v = on.results<View<double***>>(items, n, n);
    auto const w = on.results<View<double**>>(items, n);
    svd(on.exec, in(a), out(u), out(w), out(v));
    on.read(numbers, u), on.read(numbers, w), on.read(numbers, v);
  }
  return numbers;
}

}  // namespace TwoDevices

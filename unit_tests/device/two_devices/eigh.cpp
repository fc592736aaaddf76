// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <Batchwork.hpp>

#include "Place.hpp"

namespace TwoDevices {

using namespace Batchwork;

Numbers eigenpairs(Place const& on) {
  Numbers numbers;
  for_sizes([&](std::int64_t items, std::int64_t n) {
    auto const a = on.matrices<View<double***>>(32, items, n),
               v = on.results<View<double***>>(items, n, n);
    auto const w = on.results<View<double**>>(items, n);
    auto const codes = on.results<View<int*>>(items);
    eigh(on.exec, in(a), out(w), out(v), status(codes));
    on.read(numbers, w), on.read(numbers, v), on.read(numbers, codes);
  });
  return numbers;
}

}  // namespace TwoDevices

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <Batchwork.hpp>

#include "Place.hpp"

namespace TwoDevices {

using namespace Batchwork;

Numbers inverses(Place const& on) {
  Numbers numbers;
  for_sizes([&](std::int64_t items, std::int64_t n) {
    auto const a = on.noisy<View<double***>>(27, items, n, n),
               b = on.results<View<double***>>(items, n, n);
    auto const codes = on.results<View<int*>>(items);
    inverse(on.exec, in(a), out(b), status(codes));
    on.read(numbers, b), on.read(numbers, codes);
  });
  return numbers;
}

}  // namespace TwoDevices

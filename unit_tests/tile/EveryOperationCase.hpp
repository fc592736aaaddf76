// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Runs the calls of EveryOperation.hpp for 1 to 5 rows, in full packs and a partial one.
#ifndef BATCHWORK_TEST_EVERY_OPERATION_CASE_HPP
#define BATCHWORK_TEST_EVERY_OPERATION_CASE_HPP

#include "EveryOperation.hpp"
#include "support/ComplexDense.hpp"

namespace Batchwork::Test {

template <class T, int N, class Operations>
void expect_identities() {
  using R = decltype(Kokkos::abs(T()));
  constexpr std::int64_t n = 5;  // a full pack and a partial one, or only partial ones
  Random random(N);
  BatchIn<T, Left, N, N> a(n), c(n);
  BatchIn<T, Left, N> b(n);
  BatchIn<R, Left, rows_of_eight(Operations::count), 8> left(n);
  BatchIn<int, Left> codes(n);
  auto const number = [&] {
    if constexpr (std::is_floating_point_v<T>) return T(random());
    else return T(R(random()), R(random()));
  };
  for (std::int64_t k = 0; k < n; ++k)
    for (int i = 0; i < N; ++i) {
      b.at(k, i) = number();
      for (int j = 0; j < N; ++j) {
        a.at(k, i, j) = number() + T(i == j ? 3 : 0);
        c.at(k, i, j) = number() + T(i == j ? -2 : 0);
      }
    }
  a.upload(), b.upload(), c.upload();
  map(Operations{}, out(left.view()), in(a.const_view()), in(b.const_view()), in(c.const_view()),
      status(codes.view()));
  left.download(), codes.download();
  for (std::int64_t k = 0; k < n; ++k) {
    EXPECT_EQ(codes.at(k), 0) << N << " rows, item " << k;
    for (int o = 0; o < Operations::count; ++o)
      EXPECT_LE(left.at(k, o / 8, o % 8), R(4000 * epsilon<R>))
          << Operations::documented[o] << ", " << N << " rows, item " << k;
  }
}

/// The operations for this number of rows.
template <class T, class Operations>
void expect_operations() {
  expect_identities<T, 1, Operations>();
  expect_identities<T, 2, Operations>();
  expect_identities<T, 3, Operations>();
  expect_identities<T, 4, Operations>();
  expect_identities<T, 5, Operations>();
}

}  // namespace Batchwork::Test

#endif

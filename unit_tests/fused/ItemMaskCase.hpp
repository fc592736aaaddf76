// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Calls with item_mask. A test gives run(items, sequence, operands...), which runs the sequence.
#ifndef BATCHWORK_TEST_ITEMMASKCASE_HPP
#define BATCHWORK_TEST_ITEMMASKCASE_HPP

#include <functional>

#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {

struct Masked {
  template <class Y, class Z, class X, class V, class N>
  KOKKOS_FUNCTION void operator()(Y& y, Z& z, X const& x, V const& v, N const& n) const {
    y = 2 * x;
    z += v;
    z = fail_where(n == 3, Reason::inaccurate, z);
  }
};

/// Items that are left out keep what they had, their status included. The indices of half of them
/// are out of range, which their status would say.
template <class T, class L, class Run>
void expect_mask(std::int64_t n, Run const& run) {
  Random random(4);
  BatchIn<T, L, 3, 5> x(n);
  BatchIn<T, Right, 5> v(7);
  BatchIn<int, Left> index(n);
  x.fill_exactly(random), v.fill_exactly(random);
  std::function<bool(std::int64_t)> const patterns[] = {
      [](std::int64_t) { return false; },           [](std::int64_t) { return true; },
      [](std::int64_t k) { return k % 2 == 1; },    [](std::int64_t k) { return k == 0; },
      [n](std::int64_t k) { return k == n - 1; },   [n](std::int64_t k) { return k < n / 2; },
      [](std::int64_t k) { return k * k % 7 > 2; }, [](std::int64_t k) { return k % 16 > 10; }};
  int number = 0;
  for (auto const& takes : patterns) {
    SCOPED_TRACE("n " + std::to_string(n) + ", pattern " + std::to_string(number++));
    BatchIn<T, L, 3, 5> y(n);
    BatchIn<T, L, 5> z(n);
    BatchIn<int, Left> codes(n);
    BatchIn<bool, Left> mask(n);
    z.fill([](std::int64_t k) { return make_dense(5, 1, [&](int i, int) { return k + i; }); });
    for (std::int64_t k = 0; k < n; ++k) {
      mask.at(k) = takes(k);
      index.at(k) = takes(k) || k % 2 == 0 ? int(k * 3 % 7) : -1 - int(k);
    }
    mask.upload(), index.upload();
    run(n, Masked{}, item_mask(mask.view()), out(y.view()), inout(z.view()), in(x.view()),
        in(gathered(v.view(), index.view())), item_index(), status(codes.view()));
    y.download(), z.download(), codes.download();
    for (std::int64_t k = 0; k < n; ++k) {
      SCOPED_TRACE("item " + std::to_string(k));
      bool const there = takes(k);
      EXPECT_EQ(codes.at(k), !there   ? poison<int>()
                             : k == 3 ? Status::code(Reason::inaccurate, 0)
                                      : 0);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 5; ++j)
          EXPECT_EQ(y.at(k, i, j), there ? 2 * x.at(k, i, j) : poison<T>());
      for (int i = 0; i < 5; ++i)
        EXPECT_EQ(z.at(k, i), T(k + i) + (there ? v.at(k * 3 % 7, i) : T(0)));
    }
  }
}

}  // namespace Batchwork::Test

#endif

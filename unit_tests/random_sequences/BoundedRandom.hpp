// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Random numbers for the interpreter of sequences (Bounded.hpp), computed from the documented
/// address by the generator of the tests.
#ifndef BATCHWORK_TEST_BOUNDEDRANDOM_HPP
#define BATCHWORK_TEST_BOUNDEDRANDOM_HPP

#include <cstdint>

#include "BoundedLanguage.hpp"
#include "support/RandomReference.hpp"

namespace Batchwork::RandomSequences {

/// The numbers of an item in a step, and the blocks that the calls before have used.
struct BoundedNumbers {
  Test::Expected of;
  bool is_float;
  std::uint32_t block = 0;

  Entry uniform(int n) const {
    return {is_float ? Real(of.uniform<float>(block, n)) : Real(of.uniform<double>(block, n)), 0};
  }
  Entry normal(int n) const {
    auto const x = is_float ? of.normal<float>(block, n) : of.normal<double>(block, n);
    return {x.value, 16 * arithmetic().roundoff * x.radius};
  }
  /// After a call that gave n numbers of so many bytes.
  void advance(int n, int bytes) {
    int const per = 16 / bytes;
    block += std::uint32_t((n + per - 1) / per);
  }
};

namespace Inner {

/// The numbers f(0), f(1), ... in a tile of the extents E, row by row.
template <int... E, class F>
auto drawn(BoundedNumbers& r, F const& f) {
  int const e[] = {E..., 1, 1}, m = e[0], n = e[1];
  BoundedTile x(m, n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) x.at(i, j) = f(i * n + j);
  r.advance(m * n, r.is_float ? 4 : 8);
  if constexpr (sizeof...(E) == 0) return BoundedScalar(x.at(0, 0));
  else return x;
}

}  // namespace Inner

template <int... E>
auto uniform(BoundedNumbers& r) {
  return Inner::drawn<E...>(r, [&](int n) { return r.uniform(n); });
}
template <int... E>
auto normal(BoundedNumbers& r) {
  return Inner::drawn<E...>(r, [&](int n) { return r.normal(n); });
}
/// An integer of 32 bits, from 0 to n - 1.
inline BoundedInteger integers(BoundedNumbers& r, std::int32_t n) {
  BoundedInteger const x(r.of.integer<std::int32_t>(r.block, 0, n));
  r.advance(1, 4);
  return x;
}

}  // namespace Batchwork::RandomSequences

#endif

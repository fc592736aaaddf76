// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Checks of eigh on matrices with extents known at run time. Tests run the verb, or the device
/// kernel on threads of a host.
#ifndef BATCHWORK_TEST_EIGH_VERB_CASE_HPP
#define BATCHWORK_TEST_EIGH_VERB_CASE_HPP

#include "dense/lu/LuVerbsCase.hpp"
#include "tile/EighCase.hpp"

namespace Batchwork::Test {

/// decompose(a, values, vectors, codes) runs a call. Only the lower triangles of the matrices are
/// set.
template <class T, class Decompose>
void check_eigh(int n, std::int64_t items, Arranged how, Random& random,
                Decompose const& decompose) {
  SCOPED_TRACE(std::to_string(items) + " items of " + std::to_string(n) + " rows, arranged " +
               std::to_string(int(how)));
  ArrangedBatch<T> const a(items, n, n, how), v(items, n, n, how), w(items, n, 1, how),
      clean(items, n, n, how);
  ArrangedBatch<int> const codes(items, 1, 1, Arranged::item_contiguous);
  for (std::int64_t k = 0; k < items; ++k) put(a, k, eigh_matrix<T>(random, n, k), true);
  a.upload();
  decompose(a, w, v, codes);
  w.download(), v.download(), codes.download();
  expect_only_items(w), expect_only_items(v);
  for (std::int64_t k = 0; k < items; ++k) {
    SCOPED_TRACE("item " + std::to_string(k));
    if (eigh_kind(k) == EighKind::not_a_number) {
      ASSERT_EQ(codes.at(k, 0, 0), Status::code(Reason::not_finite, 0));
      for (int i = 0; i < n; ++i) {
        ASSERT_TRUE(std::isnan(w.at(k, i, 0)));
        for (int j = 0; j < n; ++j) ASSERT_TRUE(std::isnan(v.at(k, i, j)));
      }
      put(a, k, eye(n), true);
      continue;
    }
    ASSERT_EQ(codes.at(k, 0, 0), 0);
    expect_eigenpairs<T>(eigh_kind(k), mirrored(item(a, k)), item(w, k), item(v, k));
  }
  // Neighbours of failed items must be bitwise the same as without failures.
  a.upload();
  decompose(a, w, clean, codes);
  clean.download(), codes.download();
  for (std::int64_t k = 0; k < items; ++k) {
    ASSERT_EQ(codes.at(k, 0, 0), 0);
    for (int i = 0; i < n && eigh_kind(k) != EighKind::not_a_number; ++i)
      for (int j = 0; j < n; ++j) ASSERT_TRUE(same_bits(clean.at(k, i, j), v.at(k, i, j))) << k;
  }
}

}  // namespace Batchwork::Test

#endif

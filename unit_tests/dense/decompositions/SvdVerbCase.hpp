// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Checks of svd on matrices with extents known at run time. Tests run the verb, or the device
/// kernel on threads of a host.
#ifndef BATCHWORK_TEST_SVD_VERB_CASE_HPP
#define BATCHWORK_TEST_SVD_VERB_CASE_HPP

#include "QrVerbsCase.hpp"
#include "tile/SvdCase.hpp"

namespace Batchwork::Test {

/// decompose(a, u, values, v, codes) and values_alone(a, values) run a call.
template <class T, class Decompose, class Values>
void check_svd(int m, int n, std::int64_t items, Arranged how, Random& random,
               Decompose const& decompose, Values const& values_alone) {
  SCOPED_TRACE(shape_of_call(m, n, items, how));
  int const least = std::min(m, n);
  ArrangedBatch<T> const a(items, m, n, how), u(items, m, least, how), w(items, least, 1, how),
      v(items, n, least, how), alone(items, least, 1, how), clean(items, m, least, how);
  ArrangedBatch<int> const codes(items, 1, 1, Arranged::item_contiguous);
  put_qr_matrices(a, random);
  decompose(a, u, w, v, codes);
  values_alone(a, alone);
  u.download(), w.download(), v.download(), alone.download(), codes.download();
  expect_only_items(u), expect_only_items(w), expect_only_items(v);
  for (std::int64_t k = 0; k < items; ++k) {
    SCOPED_TRACE("item " + std::to_string(k));
    if (qr_kind(k) == QrKind::not_a_number) {
      ASSERT_EQ(codes.at(k, 0, 0), Status::code(Reason::not_finite, 0));
      for (int j = 0; j < least; ++j) {
        ASSERT_TRUE(std::isnan(w.at(k, j, 0)));
        for (int i = 0; i < m; ++i) ASSERT_TRUE(std::isnan(u.at(k, i, j)));
        for (int i = 0; i < n; ++i) ASSERT_TRUE(std::isnan(v.at(k, i, j)));
      }
      continue;
    }
    ASSERT_EQ(codes.at(k, 0, 0), 0);
    expect_singular_triplets<T>(qr_kind(k), item(a, k), item(u, k), item(w, k), item(v, k));
    // Singular values without vectors can be computed by rotations only.
    for (int i = 0; i < least; ++i)
      ASSERT_NEAR(double(alone.at(k, i, 0)), double(w.at(k, i, 0)),
                  double((4 + least) * epsilon<T> * w.at(k, 0, 0)));
  }
  // Neighbours of failed items must be bitwise the same as without failures.
  replace_failing(a, random);
  decompose(a, clean, w, v, codes);
  clean.download(), codes.download();
  for (std::int64_t k = 0; k < items; ++k) {
    ASSERT_EQ(codes.at(k, 0, 0), 0);
    for (int i = 0; i < m && qr_kind(k) != QrKind::not_a_number; ++i)
      for (int j = 0; j < least; ++j) ASSERT_TRUE(same_bits(clean.at(k, i, j), u.at(k, i, j))) << k;
  }
}

}  // namespace Batchwork::Test

#endif

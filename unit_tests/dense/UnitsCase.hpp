// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Well-conditioned items multiplied by powers of two, over the range of normal numbers. The
/// results must be the results of the original items, multiplied by a power of two. These cases are
/// for device kernels; test_dense_scales tests the verbs.
#ifndef BATCHWORK_TEST_UNITS_CASE_HPP
#define BATCHWORK_TEST_UNITS_CASE_HPP

#include "dense/gemm/GemmCase.hpp"
#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {

/// Even powers. The first and the last ones are at the ends of the range, where reciprocals and
/// small entries lose digits.
template <class T>
std::vector<int> powers_of_units() {
  int const low = std::numeric_limits<T>::min_exponent + 12,
            high = std::numeric_limits<T>::max_exponent - 8,
            digits = std::numeric_limits<T>::digits;
  std::vector<int> all{low, low + digits + 6, low / 2, high / 2, high - 8, high};
  for (int& k : all) k = k / 2 * 2;
  return all;
}
template <class T>
bool is_at_an_end(int k) {
  return k < std::numeric_limits<T>::min_exponent + 12 + std::numeric_limits<T>::digits ||
         k > std::numeric_limits<T>::max_exponent - 16;
}

enum class Filling { general, symmetric, lower, upper };
/// No entry is much smaller than the others. General matrices need row exchanges, the others have a
/// large diagonal.
template <class T>
void fill_units(ArrangedBatch<T> const& m, Filling filling, unsigned seed, int k) {
  Random random(seed);
  int const n = std::max(m.rows, m.cols);
  for (std::int64_t q = 0; q < m.items; ++q)
    for (int i = 0; i < m.rows; ++i)
      for (int j = 0; j < m.cols; ++j) {
        double const noise = 0.25 * random.normal() / std::sqrt(double(n));
        double x = std::copysign(std::max(std::fabs(noise), 0x1p-10), noise);
        if (j == (filling == Filling::general ? n - 1 - i : i)) x += 2;
        if ((filling == Filling::lower && j > i) || (filling == Filling::upper && j < i)) x = 0;
        m.at(q, i, j) = std::ldexp(T(x), k);
        if (filling == Filling::symmetric && j < i) m.at(q, j, i) = m.at(q, i, j);
      }
  m.upload();
}
/// x must be `want` times 2^exponent, in the part for which counts(i, j) is true: bitwise, except
/// at the ends of the range of k.
template <class T, class Part>
void expect_in_units(ArrangedBatch<T> const& want, ArrangedBatch<T> const& x, int k, int exponent,
                     char const* what, Part const& counts) {
  want.download(), x.download();
  int const n = std::max(want.rows, want.cols);
  long double worst = 0, largest = 0;
  for (std::int64_t q = 0; q < x.items; ++q)
    for (int i = 0; i < x.rows; ++i)
      for (int j = 0; j < x.cols; ++j) {
        if (!counts(i, j)) continue;
        long double const w = want.at(q, i, j),
                          y = std::ldexp(static_cast<long double>(x.at(q, i, j)), -exponent);
        largest = std::max(largest, std::fabs(w));
        worst = std::fabs(w - y) <= worst ? worst : std::fabs(w - y);
      }
  ASSERT_TRUE(worst <=
              (is_at_an_end<T>(k) || is_at_an_end<T>(exponent) ? 16 * n * epsilon<T> * largest : 0))
      << what << " of " << n << " rows times 2^" << k << ": off by " << double(worst / epsilon<T>)
      << " eps";
}
template <class T>
void expect_in_units(ArrangedBatch<T> const& want, ArrangedBatch<T> const& x, int k, int exponent,
                     char const* what) {
  expect_in_units(want, x, k, exponent, what, [](int, int) { return true; });
}

}  // namespace Batchwork::Test

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Checks of add_scaled_identity, scale, equilibrate, dot and norm. Tests run the verbs or their
/// device kernels.
#ifndef BATCHWORK_TEST_VERBS_CASE_HPP
#define BATCHWORK_TEST_VERBS_CASE_HPP

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "krylov/SystemsCase.hpp"
#include "krylov/verbs/Batchwork_AddScaledIdentity.hpp"
#include "krylov/verbs/Batchwork_Equilibrate.hpp"
#include "krylov/verbs/Batchwork_Scale.hpp"
#include "krylov/verbs/Batchwork_VectorSums.hpp"

namespace Batchwork::Test {

enum class Format { csr, long_csr, ell, dense };
inline constexpr Format all_formats[] = {Format::csr, Format::long_csr, Format::ell, Format::dense};

/// Matrices in one of the formats. For dense ones every place is an entry.
template <class T>
struct InFormat {
  Matrices<T> const& a;
  Format format;

  template <class F>
  void call(F const& f) const {
    switch (format) {
      case Format::csr: return f(a.csr());
      case Format::long_csr: return f(a.long_csr());
      case Format::ell: return f(a.ell());
      case Format::dense: return f(a.dense());
    }
  }
  ArrangedBatch<T> const& storage() const {
    return format == Format::ell ? a.places : format == Format::dense ? a.full : a.values;
  }
  /// Runs f(n, i, j, number) for all entries.
  template <class F>
  void for_each(F const& f) const {
    for (std::int64_t n = 0; n < a.items; ++n) {
      int entry = 0;
      for (int i = 0; i < a.pattern.rows; ++i) {
        auto const& row = a.pattern.columns[std::size_t(i)];
        if (format == Format::dense) {
          for (int j = 0; j < a.pattern.rows; ++j) f(n, i, j, a.full.at(n, i, j));
          continue;
        }
        for (std::size_t k = 0; k < row.size(); ++k, ++entry)
          f(n, i, row[k],
            format == Format::ell ? a.places.at(n, i, int(k)) : a.values.at(n, entry, 0));
      }
    }
  }
  std::vector<T> entries() const {
    std::vector<T> r;
    for_each([&](std::int64_t, int, int, T& x) { r.push_back(x); });
    return r;
  }
  void fill(T with) const {
    for_each([&](std::int64_t, int, int, T& x) { x = with; });
    storage().upload();
  }
  /// Numbers in the storage that are not entries. They are NaN or poisoned, and a verb must not
  /// change them.
  std::size_t outside() const {
    std::size_t count = storage().poisoned();
    if (format == Format::ell)
      for (std::int64_t n = 0; n < a.items; ++n)
        for (int i = 0; i < a.pattern.rows; ++i)
          for (int k = int(a.pattern.columns[std::size_t(i)].size()); k < a.pattern.width(); ++k)
            count += std::isnan(a.places.at(n, i, k));
    return count;
  }
};

/// One number for each item, from a batch of 1 x 1.
template <class T>
auto numbers(ArrangedBatch<T> const& m) {
  using View = Kokkos::View<T*, Kokkos::LayoutStride, Space, Kokkos::MemoryUnmanaged>;
  return View(m.data(), Kokkos::LayoutStride(std::size_t(m.items), std::size_t(m.item)));
}
/// The first vector of all items.
template <class T>
auto one_vector(ArrangedBatch<T> const& m) {
  using View = Kokkos::View<T*, Kokkos::LayoutStride, Space, Kokkos::MemoryUnmanaged>;
  return View(m.data(), Kokkos::LayoutStride(std::size_t(m.rows), std::size_t(m.row)));
}

inline Arranged mostly(Arranged how, Random& random) {
  return random.integer(0, 2) ? how : all_arranged[random.integer(0, 3)];
}

/// run(alpha, A, beta)
template <class T, class Run>
void check_add_scaled_identity(Pattern const& pattern, std::int64_t items, Arranged how,
                               Random& random, Run const& run,
                               std::vector<double> const& betas = {1.0, 0.0, -0.7}) {
  for (auto format : all_formats)
    for (double beta : betas) {
      SCOPED_TRACE(std::to_string(items) + " items of " + std::to_string(pattern.rows) +
                   " rows, arranged " + std::to_string(int(how)) + ", format " +
                   std::to_string(int(format)) + ", beta " + std::to_string(beta));
      Matrices<T> const m(pattern, items, how);
      InFormat<T> const a{m, format};
      m.randomise(random);
      auto const before = a.entries();
      if (beta == 0) a.fill(std::numeric_limits<T>::quiet_NaN());
      auto const outside = a.outside();
      ArrangedBatch<T> const alpha(items, 1, 1, mostly(how, random));
      alpha.randomise(random);
      bool const common = random.integer(0, 1);
      a.call([&](auto const& matrices) {
        if (common) run(0.3, matrices, beta);
        else run(numbers(alpha), matrices, beta);
      });
      a.storage().download();
      EXPECT_EQ(a.outside(), outside);
      std::size_t at = 0;
      int wrong = 0;
      a.for_each([&](std::int64_t n, int i, int j, T got) {
        Truth t;
        if (beta != 0) t.add(static_cast<long double>(T(beta)) * before[at]);
        if (i == j) t.add(common ? T(0.3) : alpha.at(n, 0, 0));
        ++at;
        if (!(std::fabs(got - t.value) <= 2 * epsilon<T> * t.size) && ++wrong < 5)
          ADD_FAILURE() << "item " << n << " (" << i << ", " << j << "): " << got << " instead of "
                        << double(t.value);
      });
    }
}

/// run(left, A, right)
template <class T, class Run>
void check_scale(Pattern const& pattern, std::int64_t items, Arranged how, Random& random,
                 Run const& run) {
  for (auto format : all_formats) {
    SCOPED_TRACE(std::to_string(items) + " items of " + std::to_string(pattern.rows) +
                 " rows, arranged " + std::to_string(int(how)) + ", format " +
                 std::to_string(int(format)));
    Matrices<T> const m(pattern, items, how);
    InFormat<T> const a{m, format};
    m.randomise(random);
    auto const before = a.entries();
    auto const outside = a.outside();
    bool const one_left = random.integer(0, 2) == 0, one_right = random.integer(0, 2) == 0;
    ArrangedBatch<T> const l(one_left ? 1 : items, pattern.rows, 1, mostly(how, random)),
        r(one_right ? 1 : items, pattern.rows, 1, mostly(how, random));
    l.randomise(random);
    r.randomise(random);
    a.call([&](auto const& matrices) {
      if (one_left && one_right) run(common(one_vector(l)), matrices, common(one_vector(r)));
      else if (one_left) run(common(one_vector(l)), matrices, vectors(r));
      else if (one_right) run(vectors(l), matrices, common(one_vector(r)));
      else run(vectors(l), matrices, vectors(r));
    });
    a.storage().download();
    EXPECT_EQ(a.outside(), outside);
    std::size_t at = 0;
    int wrong = 0;
    a.for_each([&](std::int64_t n, int i, int j, T got) {
      long double const want = static_cast<long double>(l.at(one_left ? 0 : n, i, 0)) *
                               before[at++] * r.at(one_right ? 0 : n, j, 0);
      if (!(std::fabs(got - want) <= 2 * epsilon<T> * std::fabs(want)) && ++wrong < 5)
        ADD_FAILURE() << "item " << n << " (" << i << ", " << j << "): " << got << " instead of "
                      << double(want);
    });
  }
}

/// Checks the guarantees of equilibrate for one item. `near`: it had enough sweeps to converge.
template <class T>
void expect_equilibrated(Matrices<T> const& m, std::int64_t n, ArrangedBatch<T> const& l,
                         ArrangedBatch<T> const& r, bool near = true) {
  int const rows = m.pattern.rows;
  std::vector<long double> row(std::size_t(rows), 0), column(std::size_t(rows), 0);
  for (int i = 0; i < rows; ++i) {
    for (ArrangedBatch<T> const* f : {&l, &r}) {
      int exponent = 0;
      ASSERT_EQ(std::frexp(f->at(n, i, 0), &exponent), T(0.5)) << f->at(n, i, 0);
      ASSERT_TRUE(std::isnormal(1 / f->at(n, i, 0)));
    }
    for (int j = 0; j < rows; ++j) {
      if (!std::isfinite(m.full.at(n, i, j))) continue;
      long double const x =
          std::fabs(static_cast<long double>(m.full.at(n, i, j))) * l.at(n, i, 0) * r.at(n, j, 0);
      row[std::size_t(i)] = std::max(row[std::size_t(i)], x);
      column[std::size_t(j)] = std::max(column[std::size_t(j)], x);
    }
  }
  for (int i = 0; i < rows; ++i) {
    auto const expect = [&](long double largest, T factor) {
      if (largest == 0) {
        EXPECT_EQ(factor, T(1));
      } else if (near) {
        EXPECT_GE(largest, 0.375L) << "item " << n << ", line " << i;
        EXPECT_LE(largest, 3.0L) << "item " << n << ", line " << i;
      }
    };
    expect(row[std::size_t(i)], l.at(n, i, 0));
    expect(column[std::size_t(i)], r.at(n, i, 0));
  }
}

/// Rows and columns of very different sizes.
template <class T>
void put_badly_scaled(Matrices<T> const& m, Random& random, int powers) {
  auto const some = [&] {
    std::vector<int> e;
    for (int i = 0; i < m.pattern.rows; ++i) e.push_back(random.integer(-powers, powers));
    return e;
  };
  for (std::int64_t n = 0; n < m.items; ++n) {
    auto const p = some(), q = some();
    for (int i = 0; i < m.pattern.rows; ++i) {
      auto const& row = m.pattern.columns[std::size_t(i)];
      for (std::size_t k = 0; k < row.size(); ++k)
        m.put(n, i, int(k),
              T(std::ldexp(random(),
                           p[std::size_t(i)] + q[std::size_t(row[k])] + random.integer(-3, 3))));
    }
  }
  m.upload();
}

/// run(A, left, right)
template <class T, class Run>
void check_equilibrate(Pattern const& pattern, std::int64_t items, Arranged how, Random& random,
                       Run const& run) {
  Matrices<T> const m(pattern, items, how);
  put_badly_scaled(m, random, 20);
  std::vector<T> first;
  for (auto format : all_formats) {
    SCOPED_TRACE(std::to_string(items) + " items of " + std::to_string(pattern.rows) +
                 " rows, arranged " + std::to_string(int(how)) + ", format " +
                 std::to_string(int(format)));
    InFormat<T> const a{m, format};
    auto const before = a.entries();
    ArrangedBatch<T> const l(items, pattern.rows, 1, mostly(how, random)),
        r(items, pattern.rows, 1, mostly(how, random));
    auto const outside = [](ArrangedBatch<T> const& v) {
      return v.host.extent(0) - std::size_t(v.items) * std::size_t(v.rows);
    };
    a.call([&](auto const& matrices) { run(matrices, vectors(l), vectors(r)); });
    l.download();
    r.download();
    a.storage().download();
    EXPECT_EQ(l.poisoned(), outside(l));
    EXPECT_EQ(r.poisoned(), outside(r));
    auto const after = a.entries();
    for (std::size_t k = 0; k < before.size(); ++k) ASSERT_TRUE(same_bits(before[k], after[k]));
    // The factors must be the same for every format.
    std::vector<T> all;
    for (std::int64_t n = 0; n < items; ++n) {
      if (n < 100) expect_equilibrated(m, n, l, r);
      for (int i = 0; i < pattern.rows; ++i) {
        all.push_back(l.at(n, i, 0));
        all.push_back(r.at(n, i, 0));
      }
    }
    if (first.empty()) first = all;
    EXPECT_EQ(all, first);
  }
}

/// The error of a sum of n products is n eps times their magnitudes. The error of a norm is (n / 2
/// + 2) eps.
template <class T>
void expect_sums(ArrangedBatch<T> const& x, ArrangedBatch<T> const& y,
                 ArrangedBatch<T> const& result, bool is_norm) {
  int wrong = 0;
  for (std::int64_t n = 0; n < x.items; ++n) {
    Truth t = sum_of_products(T(1), &x.at(n, 0, 0), x.row, &y.at(n, 0, 0), y.row, x.rows);
    if (is_norm) t.value = t.size = std::sqrt(t.value);
    // The last digit of a subnormal number.
    long double const least = is_norm ? std::numeric_limits<T>::denorm_min() : 0;
    T const got = result.at(n, 0, 0);
    if (!(std::fabs(got - t.value) <= (x.rows + 2) * epsilon<T> * t.size + least) && ++wrong < 5)
      ADD_FAILURE() << "item " << n << ": " << got << " instead of " << double(t.value);
  }
}

/// run_dot(x, y, result), run_norm(x, result)
template <class T, class Dot, class Norm>
void check_vector_sums(int rows, std::int64_t items, Arranged how, Random& random,
                       Dot const& run_dot, Norm const& run_norm) {
  SCOPED_TRACE(std::to_string(items) + " items of " + std::to_string(rows) + " rows, arranged " +
               std::to_string(int(how)));
  ArrangedBatch<T> const x(items, rows, 1, how), y(items, rows, 1, mostly(how, random)),
      result(items, 1, 1, mostly(how, random));
  x.randomise(random);
  y.randomise(random);
  auto const outside = result.host.extent(0) - std::size_t(items);
  run_dot(vectors(x), vectors(y), numbers(result));
  result.download();
  EXPECT_EQ(result.poisoned(), outside);
  expect_sums(x, y, result, false);
  result.fill(poison<T>());
  run_norm(vectors(x), numbers(result));
  result.download();
  EXPECT_EQ(result.poisoned(), outside);
  expect_sums(x, x, result, true);
  // The dot product of a vector with itself.
  run_dot(vectors(x), vectors(x), numbers(result));
  result.download();
  expect_sums(x, x, result, false);
}

}  // namespace Batchwork::Test

#endif

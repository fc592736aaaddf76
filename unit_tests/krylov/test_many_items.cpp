// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// multiply and solve for more than half a million small systems. A few different systems repeat, so
// that the result of every item is known.
#include "krylov/SolveCase.hpp"

namespace Batchwork::Test {
namespace {

using T = double;
/// Not a multiple of any group size of kernels, with a prime number of different systems.
constexpr std::int64_t items = (std::int64_t(1) << 19) + 1, different = 257;

/// Item n has the matrices and right-hand sides of item n % different.
struct Repeated {
  Matrices<T> a;
  ArrangedBatch<T> b;

  Repeated(Pattern const& pattern, Arranged how, Random& random)
      : a(pattern, items, how), b(items, pattern.rows, 1, how) {
    for (std::int64_t n = 0; n < different; ++n) {
      put_dominant(a, n, random, true, n % 3 == 0 ? 20 : 1.3);
      for (int i = 0; i < pattern.rows; ++i) b.at(n, i, 0) = random();
    }
    for (auto const* m : {&a.values, &a.places, &a.full, &b})
      for (std::int64_t n = different; n < items; ++n)
        for (int i = 0; i < m->rows; ++i)
          for (int j = 0; j < m->cols; ++j) m->at(n, i, j) = m->at(n % different, i, j);
    a.upload();
    b.upload();
  }
};

/// The first items must solve their systems, and all others must be bitwise the same as those.
void expect_repeated(HostLog<T> const& said, ArrangedBatch<T> const& full,
                     ArrangedBatch<T> const& b, ArrangedBatch<T> const& x, double tolerance) {
  int least = 1000, most = 0;
  for (std::int64_t n = 0; n < different; ++n) {
    ASSERT_EQ(said.reason(n), Reason::success) << "item " << n;
    expect_honest(said, n, residual_truth(full, n, x, b), tolerance);
    least = std::min(least, said.iterations(n));
    most = std::max(most, said.iterations(n));
  }
  EXPECT_LT(least, most);
  for (std::int64_t n = different; n < items; ++n) {
    std::int64_t const same = n % different;
    ASSERT_EQ(said.reason(n), Reason::success) << "item " << n;
    ASSERT_EQ(said.iterations(n), said.iterations(same)) << "item " << n;
    ASSERT_TRUE(same_bits(said.residual(n), said.residual(same))) << "item " << n;
    for (int i = 0; i < x.rows; ++i)
      ASSERT_TRUE(same_bits(x.at(n, i, 0), x.at(same, i, 0))) << "item " << n << ", row " << i;
  }
}

template <class A, class Solver, class M>
void run(Solver const& solver, M const& m, A const& a, Repeated const& r, Arranged how,
         char const* what) {
  SCOPED_TRACE(what);
  ArrangedBatch<T> const x(items, r.b.rows, 1, how);
  x.fill(T(0));
  auto const outside = x.poisoned();
  auto const log = SolveLog<T>::allocated(items);
  Kokkos::deep_copy(log.reason, poison<int>());
  solve(solver, m, a, vectors(r.b), vectors(x), log);
  x.download();
  EXPECT_EQ(x.poisoned(), outside);
  expect_repeated(HostLog<T>(log), r.a.full, r.b, x, solver.stop.tolerance);
}

TEST(ManyItems, Solve) {
  Random random(1);
  auto const stop = relative(1e-3, 100);
  {
    Repeated const r(tridiagonal(4), Arranged::item_contiguous, random);
    run(bicgstab(stop), jacobi(), r.a.csr(), r, Arranged::strided, "csr");
    run(bicgstab(stop), jacobi(), r.a.dense(), r, Arranged::item_contiguous, "dense");
  }
  Repeated const r(tridiagonal(3), Arranged::interleaved, random);
  run(bicgstab(stop), jacobi(), r.a.ell(), r, Arranged::interleaved, "ell");
  run(conjugate_gradients(stop), jacobi(), r.a.csr(), r, Arranged::interleaved, "csr, interleaved");
}

/// (2 + n % different) I minus the neighbours. On devices each system has a team.
struct Shifted {
  static constexpr int rows = 3;
  template <class Lanes, class X, class Y>
  KOKKOS_FUNCTION void operator()(Lanes const& lanes, std::int64_t n, X const& x,
                                  Y const& y) const {
    lanes.for_each(rows, [&](int i) {
      T sum = T(3 + n % different) * x(i);
      if (i > 0) sum -= x(i - 1);
      if (i + 1 < rows) sum -= x(i + 1);
      y(i) = sum;
    });
  }
};

TEST(ManyItems, SolveMatrixFree) {
  Random random(2);
  ArrangedBatch<T> const full(different, 3, 3, Arranged::item_contiguous),
      b(items, 3, 1, Arranged::item_contiguous), x(items, 3, 1, Arranged::item_contiguous);
  full.fill(T(0));
  for (std::int64_t n = 0; n < items; ++n)
    for (int i = 0; i < 3; ++i)
      b.at(n, i, 0) = n < different ? random() : b.at(n % different, i, 0);
  for (std::int64_t n = 0; n < different; ++n)
    for (int i = 0; i < 3; ++i) {
      full.at(n, i, i) = T(3 + n);
      if (i > 0) full.at(n, i, i - 1) = full.at(n, i - 1, i) = T(-1);
    }
  b.upload();
  x.fill(T(0));
  auto const log = SolveLog<T>::allocated(items);
  Kokkos::deep_copy(log.reason, poison<int>());
  auto const solver = conjugate_gradients(relative(1e-3, 100));
  solve(solver, no_preconditioner(), matrix_free(Shifted::rows, Shifted{}), vectors(b), vectors(x),
        log);
  x.download();
  expect_repeated(HostLog<T>(log), full, b, x, solver.stop.tolerance);
}

TEST(ManyItems, Multiply) {
  Random random(3);
  for (auto how : {Arranged::item_contiguous, Arranged::interleaved}) {
    Repeated const r(tridiagonal(4), how, random);
    ArrangedBatch<T> const y(items, 4, 1, how);
    auto const run = [&](auto const& a, char const* what) {
      SCOPED_TRACE(what);
      y.fill(std::numeric_limits<T>::quiet_NaN());
      multiply(a, vectors(r.b), vectors(y));
      y.download();
      // Bits can differ, because they can depend on whether an item is in a pack.
      for (std::int64_t n = 0; n < items; ++n)
        for (int i = 0; i < 4; ++i) {
          Truth const t = row_truth(r.a.full, n, i, r.b, 1);
          ASSERT_LE(std::fabs(y.at(n, i, 0) - t.value), (3 + 3) * epsilon<T> * t.size)
              << "item " << n << ", row " << i;
        }
    };
    run(r.a.csr(), "csr");
    run(r.a.ell(), "ell");
    run(r.a.dense(), "dense");
  }
}

}  // namespace
}  // namespace Batchwork::Test

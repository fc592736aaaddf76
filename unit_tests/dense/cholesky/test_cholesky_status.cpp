// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The status of every item of cholesky, solve_cholesky and solve_lower. Failures are planted in the
// first, a middle and the last item, at the first, a middle and the last pivot. The codes must be
// LAPACK's info with the reason. A failed item must have the same result as with map, and all other
// items must be bitwise the same as without the failure.
#include <functional>

#include "dense/cholesky/TriangleCase.hpp"

namespace Batchwork::Test {
namespace {

constexpr std::int64_t items = 37;

template <class T>
struct CholeskyStatus : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CholeskyStatus, Numbers);

/// A batch, and the results of the verbs.
template <class T>
struct Batch {
  using Codes = Kokkos::View<int*, Space>;
  ArrangedBatch<T> a, b, l, x;
  Codes codes{"codes", std::size_t(items)}, solve_codes{"codes", std::size_t(items)};
  std::vector<int> code, solve_code;

  Batch(int n, Arranged how)
      : a(items, n, n, how), b(items, n, 2, how), l(items, n, n, how), x(items, n, 2, how) {
    Random random(1);
    put_spd(a, random);
    b.randomise(random);
  }
  void factor_and_solve() {
    a.upload();
    b.upload();
    Batchwork::cholesky(in(a.batch()), out(l.batch()), status(codes));
    solve_cholesky(in(a.batch()), in(b.batch()), out(x.batch()), status(solve_codes));
    download();
  }
  void download() {
    l.download();
    x.download();
    auto const c = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), codes),
               s = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), solve_codes);
    code.assign(c.data(), c.data() + items);
    solve_code.assign(s.data(), s.data() + items);
  }
};

/// A copy of an output, to compare bits with.
template <class T>
std::vector<T> numbers(ArrangedBatch<T> const& m, std::int64_t n) {
  std::vector<T> r;
  for (int i = 0; i < m.rows; ++i)
    for (int j = 0; j < m.cols; ++j) r.push_back(m.at(n, i, j));
  return r;
}
template <class T>
std::vector<std::vector<T>> all_numbers(ArrangedBatch<T> const& m) {
  std::vector<std::vector<T>> r;
  for (std::int64_t n = 0; n < items; ++n) r.push_back(numbers(m, n));
  return r;
}
template <class T>
void expect_same_neighbours(ArrangedBatch<T> const& m, std::vector<std::vector<T>> const& clean,
                            std::int64_t place) {
  for (std::int64_t n = 0; n < items; ++n) {
    if (n == place) continue;
    auto const now = numbers(m, n);
    ASSERT_EQ(std::memcmp(now.data(), clean[std::size_t(n)].data(), now.size() * sizeof(T)), 0)
        << "neighbour " << n;
  }
}

template <class T>
struct Fault {
  char const* name;
  std::function<void(ArrangedBatch<T> const&, std::int64_t, int)> plant;
  Reason reason;
};

TYPED_TEST(CholeskyStatus, EveryFaultAtEveryPlace) {
  using T = TypeParam;
  constexpr T nan = std::numeric_limits<T>::quiet_NaN(), inf = std::numeric_limits<T>::infinity();
  using Matrices = ArrangedBatch<T>;
  std::vector<Fault<T>> const faults = {
      {"negative", [](Matrices const& a, std::int64_t k, int p) { a.at(k, p, p) = T(-1); },
       Reason::not_positive_definite},
      {"zero",
       [](Matrices const& a, std::int64_t k, int p) {
         for (int j = 0; j <= p; ++j) a.at(k, p, j) = T(0);
       },
       Reason::not_positive_definite},
      {"NaN", [](Matrices const& a, std::int64_t k, int p) { a.at(k, p, p) = nan; },
       Reason::not_finite},
      {"infinite", [](Matrices const& a, std::int64_t k, int p) { a.at(k, p, p) = inf; },
       Reason::not_finite},
      {"NaN below",
       [](Matrices const& a, std::int64_t k, int p) { a.at(k, p, p > 0 ? p - 1 : 0) = nan; },
       Reason::not_finite},
      {"infinite below", [](Matrices const& a, std::int64_t k, int p) { a.at(k, p, 0) = inf; },
       Reason::not_finite}};
  for (int n : {5, 40, 64, 70})
    for (auto how : {Arranged::item_contiguous, Arranged::interleaved}) {
      Batch<T> batch(n, how);
      batch.factor_and_solve();
      for (int code : batch.code) ASSERT_EQ(code, 0);
      for (int code : batch.solve_code) ASSERT_EQ(code, 0);
      auto const clean_l = all_numbers(batch.l), clean_x = all_numbers(batch.x);
      int turn = 0;
      for (auto const& fault : faults) {
        for (std::int64_t place : {std::int64_t(0), items / 2, items - 1}) {
          for (int pivot : {0, n / 2, n - 1}) {
            // For large items: each fault at each place and at each pivot, and each place with each
            // pivot, but not all combinations.
            if (++turn % 3 != 0 && n > 5) continue;
            SCOPED_TRACE(std::string(fault.name) + ", n " + std::to_string(n) + ", item " +
                         std::to_string(place) + ", pivot " + std::to_string(pivot));
            Dense const whole = item(batch.a, place);
            fault.plant(batch.a, place, pivot);
            batch.factor_and_solve();
            Dense const spoilt = item(batch.a, place);
            put(batch.a, place, whole, true);

            std::size_t const k = std::size_t(place);
            EXPECT_EQ(batch.code[k], Status::code(fault.reason, pivot + 1));
            EXPECT_EQ(batch.solve_code[k], batch.code[k]);
            if (fault.reason == Reason::not_positive_definite) {
              EXPECT_EQ(Status::info(batch.code[k]), potrf_info<T>(mirrored(spoilt)));
            }
            for (int i = 0; i < n; ++i) {
              for (int c = 0; c < 2; ++c) ASSERT_TRUE(std::isnan(batch.x.at(place, i, c)));
              for (int j = 0; j < n; ++j) {
                T const got = batch.l.at(place, i, j);
                if (j > i) {
                  ASSERT_EQ(got, T(0));
                } else if (j >= pivot) {
                  ASSERT_TRUE(std::isnan(got)) << i << " " << j;
                } else if (i < pivot) {
                  ASSERT_TRUE(same_bits(got, clean_l[k][std::size_t(i * n + j)])) << i << " " << j;
                }
              }
            }
            expect_same_neighbours(batch.l, clean_l, place);
            expect_same_neighbours(batch.x, clean_x, place);
          }
          ++turn;
        }
        ++turn;
      }
    }
}

struct Factor {
  template <class L, class A>
  KOKKOS_FUNCTION void operator()(L& l, A const& a) const {
    l = Batchwork::cholesky(a).lower();
  }
};

/// The same numbers are finite and the codes are the same as with map.
TYPED_TEST(CholeskyStatus, AsInMap) {
  using T = TypeParam;
  constexpr int n = 6;
  Batch<T> batch(n, Arranged::item_contiguous);
  Random random(3);
  for (std::int64_t k = 0; k < items; k += 2) {
    int const i = random.integer(0, n - 1), j = random.integer(0, i);
    T const bad[] = {T(-3), T(1e30), std::numeric_limits<T>::infinity(),
                     std::numeric_limits<T>::quiet_NaN()};
    batch.a.at(k, i, j) = bad[random.integer(0, 3)];
  }
  batch.factor_and_solve();
  ArrangedBatch<T> const l(items, n, n, Arranged::item_contiguous);
  Kokkos::View<int*, Space> const codes("codes", std::size_t(items));
  map(Factor{}, out(lower(extents<n, n>(l.batch()))), in(symmetric(extents<n, n>(batch.a.batch()))),
      status(codes));
  l.download();
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), codes);
  for (std::int64_t k = 0; k < items; ++k) {
    SCOPED_TRACE(k);
    EXPECT_EQ(batch.code[std::size_t(k)], host(std::size_t(k)));
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        EXPECT_EQ(std::isfinite(batch.l.at(k, i, j)), std::isfinite(l.at(k, i, j)))
            << i << " " << j << ": " << batch.l.at(k, i, j) << " and " << l.at(k, i, j);
  }
}

/// A right-hand side that is not finite, or a solution that overflows, spoils only its item, and
/// the status reports it.
TYPED_TEST(CholeskyStatus, RightHandSides) {
  using T = TypeParam;
  for (int n : {5, 40, 70}) {
    Batch<T> batch(n, Arranged::item_contiguous);
    batch.factor_and_solve();
    auto const clean = all_numbers(batch.x);
    batch.b.at(3, n / 2, 1) = std::numeric_limits<T>::quiet_NaN();
    batch.factor_and_solve();
    for (std::int64_t k = 0; k < items; ++k)
      EXPECT_EQ(batch.solve_code[std::size_t(k)], k == 3 ? Status::code(Reason::not_finite, 0) : 0);
    expect_same_neighbours(batch.x, clean, 3);
    // The other right-hand side of the item is valid.
    for (int i = 0; i < n; ++i)
      EXPECT_TRUE(same_bits(batch.x.at(3, i, 0), clean[3][std::size_t(2 * i)]));
  }
}

TYPED_TEST(CholeskyStatus, ZeroOnTheDiagonal) {
  using T = TypeParam;
  Random random(4);
  for (int n : {5, 40, 70}) {
    Batch<T> batch(n, Arranged::interleaved);
    put_lower(batch.l, random);
    for (bool turned : {false, true}) {
      auto const solve = [&] {
        batch.l.upload();
        if (turned)
          Batchwork::solve_lower(in(transposed(batch.l.batch())), in(batch.b.batch()),
                                 out(batch.x.batch()), status(batch.solve_codes));
        else
          Batchwork::solve_lower(in(batch.l.batch()), in(batch.b.batch()), out(batch.x.batch()),
                                 status(batch.solve_codes));
        batch.download();
      };
      solve();
      for (int code : batch.solve_code) ASSERT_EQ(code, 0);
      auto const clean = all_numbers(batch.x);
      for (T bad : {T(0), std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()})
        for (std::int64_t place : {std::int64_t(0), items / 2, items - 1})
          for (int pivot : {0, n / 2, n - 1}) {
            SCOPED_TRACE(std::to_string(n) + " " + std::to_string(turned) + " " +
                         std::to_string(place) + " " + std::to_string(pivot));
            T const whole = batch.l.at(place, pivot, pivot);
            batch.l.at(place, pivot, pivot) = bad;
            solve();
            batch.l.at(place, pivot, pivot) = whole;
            for (std::int64_t k = 0; k < items; ++k)
              ASSERT_EQ(batch.solve_code[std::size_t(k)],
                        k != place
                            ? 0
                            : Status::code(bad == T(0) ? Reason::breakdown : Reason::not_finite,
                                           pivot + 1));
            expect_same_neighbours(batch.x, clean, place);
            for (int i = 0; i < n; ++i) {
              bool const spoilt = turned ? i <= pivot : i >= pivot;
              ASSERT_EQ(std::isnan(batch.x.at(place, i, 0)), spoilt) << i;
            }
          }
      // With two failures the first one is reported, in any order of computation.
      T const first = batch.l.at(0, 1, 1), last = batch.l.at(0, n - 1, n - 1);
      batch.l.at(0, 1, 1) = batch.l.at(0, n - 1, n - 1) = T(0);
      solve();
      batch.l.at(0, 1, 1) = first;
      batch.l.at(0, n - 1, n - 1) = last;
      ASSERT_EQ(batch.solve_code[0], Status::code(Reason::breakdown, 2)) << n << " " << turned;
    }
  }
}

/// Codes with 64 bits, strided and compact.
TYPED_TEST(CholeskyStatus, Codes) {
  using T = TypeParam;
  Batch<T> batch(33, Arranged::item_contiguous);
  batch.a.at(20, 7, 7) = T(-1);
  batch.a.upload();
  std::int64_t const expected = Status::code(Reason::not_positive_definite, 8);
  Kokkos::View<std::int64_t**, Kokkos::LayoutRight, Space> const wide("wide", items, 3);
  Kokkos::View<int* [8], Kokkos::LayoutRight, Space> const groups("groups", 5);
  Kokkos::deep_copy(wide, -1);
  Kokkos::deep_copy(groups, -1);
  Batchwork::cholesky(in(batch.a.batch()), out(batch.l.batch()),
                      status(Kokkos::subview(wide, Kokkos::ALL, 1)));
  Batchwork::cholesky(in(batch.a.batch()), out(batch.l.batch()), status(compact(groups, items)));
  Kokkos::fence();
  auto const w = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), wide);
  auto const g = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), groups);
  for (std::size_t k = 0; k < std::size_t(items); ++k) {
    EXPECT_EQ(w(k, 0), -1);
    EXPECT_EQ(w(k, 1), k == 20 ? expected : 0);
    EXPECT_EQ(g(k / 8, k % 8), k == 20 ? expected : 0);
  }
  EXPECT_EQ(g(4, 7), -1);
}

}  // namespace
}  // namespace Batchwork::Test

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Batches of tridiagonal systems in any arrangement, chosen at run time, and their solutions in
/// long double. Properties that every solver must have: small errors, no writes outside the
/// solution, and no effect of a failed item on its neighbours.
#ifndef BATCHWORK_TEST_TRIDIAGONAL_CASE_HPP
#define BATCHWORK_TEST_TRIDIAGONAL_CASE_HPP

#include <array>
#include <cstring>
#include <limits>
#include <vector>

#include "banded/Batchwork_Tridiagonal.hpp"
#include "dense/cholesky/TriangleCase.hpp"

namespace Batchwork::Test {

inline constexpr int tridiagonal_rows[] = {
    1,  2,  3,  4,   5,   6,   7,   8,   9,    10,   11,   12,   13,   14,  15, 16,
    17, 18, 19, 20,  21,  22,  23,  24,  25,   26,   27,   28,   29,   30,  31, 32,
    33, 64, 65, 128, 144, 257, 512, 513, 1000, 1024, 1025, 2048, 2049, 4096};

/// lower, diagonal, upper, b, x.
using FiveArranged = std::array<Arranged, 5>;
constexpr FiveArranged all_of(Arranged a) { return {a, a, a, a, a}; }
inline FiveArranged some_arrangement(Random& random) {
  FiveArranged r{};
  for (auto& a : r) a = all_arranged[random.integer(0, 3)];
  return r;
}

template <class T>
struct TridiagonalData {
  std::int64_t items;
  int rows;
  ArrangedBatch<T> lower, diagonal, upper, b, x;
  Kokkos::View<int*, Space> codes;

  TridiagonalData(std::int64_t n, int m, FiveArranged const& how)
      : items(n),
        rows(m),
        lower(n, m, 1, how[0]),
        diagonal(n, m, 1, how[1]),
        upper(n, m, 1, how[2]),
        b(n, m, 1, how[3]),
        x(n, m, 1, how[4]),
        codes("codes", std::size_t(n)) {}

  /// Diagonally dominant, with either sign. Numbers that do not belong to the matrices are NaN.
  void randomise(Random& random) const {
    for (std::int64_t n = 0; n < items; ++n) {
      for (int i = 0; i < rows; ++i) {
        double const l = random(), u = random(), more = random(0.5, 2);
        lower.at(n, i, 0) = T(l);
        upper.at(n, i, 0) = T(u);
        diagonal.at(n, i, 0) =
            T((std::fabs(l) + std::fabs(u) + more) * (random.integer(0, 1) ? 1 : -1));
        b.at(n, i, 0) = T(random());
      }
      lower.at(n, 0, 0) = upper.at(n, rows - 1, 0) = std::numeric_limits<T>::quiet_NaN();
    }
    upload();
  }
  void upload() const {
    lower.upload();
    diagonal.upload();
    upper.upload();
    b.upload();
    Kokkos::deep_copy(codes, -1);
  }
  std::vector<int> download_codes() const {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), codes);
    return std::vector<int>(host.data(), host.data() + host.extent(0));
  }

  /// The Thomas algorithm in long double.
  std::vector<long double> truth(std::int64_t n) const {
    std::vector<long double> c(std::size_t(rows), 0), d(std::size_t(rows), 0);
    for (int i = 0; i < rows; ++i) {
      auto const k = std::size_t(i);
      long double const l = i > 0 ? lower.at(n, i, 0) : T(0);
      long double const pivot = diagonal.at(n, i, 0) - (i > 0 ? l * c[k - 1] : 0);
      c[k] = i + 1 < rows ? upper.at(n, i, 0) / pivot : 0;
      d[k] = (b.at(n, i, 0) - (i > 0 ? l * d[k - 1] : 0)) / pivot;
    }
    for (int i = rows - 2; i >= 0; --i)
      d[std::size_t(i)] -= c[std::size_t(i)] * d[std::size_t(i) + 1];
    return d;
  }

  /// |b - A x| <= 16 eps (|A| |x| + |b|), row by row. For diagonally dominant matrices |L| |U| <= 3
  /// |A| (Higham, Accuracy and Stability of Numerical Algorithms, theorem 9.12). This holds for any
  /// order of elimination, except for the steps of the cyclic reduction. Also |x - truth| <= 4 (n +
  /// 8) eps max|x|, because the condition number is bounded. `right` can be x. With row exchanges
  /// only the second bound holds, because errors of one row spread to others.
  void expect_solved(ArrangedBatch<T> const& right, bool dominant = true,
                     bool exchanges = false) const {
    int wrong = 0;
    for (std::int64_t n = 0; n < items && wrong < 5; ++n) {
      auto const want = truth(n);
      long double largest = 0;
      for (auto const& y : want) largest = std::max(largest, std::fabs(y));
      for (int i = 0; i < rows && wrong < 5; ++i) {
        long double rest = b.at(n, i, 0), size = std::fabs(rest);
        auto const term = [&](T a, int j) {
          long double const y = static_cast<long double>(a) * right.at(n, j, 0);
          rest -= y;
          size += std::fabs(y);
        };
        if (i > 0) term(lower.at(n, i, 0), i - 1);
        term(diagonal.at(n, i, 0), i);
        if (i + 1 < rows) term(upper.at(n, i, 0), i + 1);
        if (!exchanges && !(std::fabs(rest) <= 16 * epsilon<T> * size) && ++wrong)
          ADD_FAILURE() << "item " << n << ", row " << i << ": residual " << double(rest)
                        << " over " << double(16 * epsilon<T> * size);
        if (!dominant) continue;
        long double const error = std::fabs(right.at(n, i, 0) - want[std::size_t(i)]);
        if (!(error <= 4 * (rows + 8) * epsilon<T> * largest) && ++wrong)
          ADD_FAILURE() << "item " << n << ", row " << i << ": " << right.at(n, i, 0)
                        << " instead of " << double(want[std::size_t(i)]);
      }
    }
  }

  /// Runs call(b, x), which solves the systems and returns codes. Then solves in place, with the
  /// same results.
  template <class Call>
  void check(Call const& call, bool dominant = true, bool exchanges = false) const {
    auto const outside = x.poisoned();
    call(b, x);
    x.download();
    EXPECT_EQ(x.poisoned() + std::size_t(items) * std::size_t(rows), outside);
    expect_solved(x, dominant, exchanges);
    for (int code : download_codes()) ASSERT_EQ(code, 0);
    // The original, for comparison. The numbers around it are poisoned.
    auto const before = Kokkos::create_mirror(Kokkos::HostSpace(), b.storage);
    Kokkos::deep_copy(before, b.host);
    Kokkos::deep_copy(codes, -1);
    call(b, b);
    b.download();
    // The results must have the same bits. If x has another arrangement, another kernel may compute
    // it, and results must agree to rounding.
    bool const alike = b.item == x.item && b.row == x.row;
    int wrong = 0;
    for (std::int64_t n = 0; n < items; ++n) {
      long double largest = 0;
      for (int i = 0; i < rows; ++i)
        largest = std::max(largest, std::fabs(static_cast<long double>(x.at(n, i, 0))));
      long double const bound = alike || !dominant ? 0 : 8 * (rows + 8) * epsilon<T> * largest;
      for (int i = 0; i < rows; ++i) {
        long double const difference = static_cast<long double>(b.at(n, i, 0)) - x.at(n, i, 0);
        if (!same_bits(b.at(n, i, 0), x.at(n, i, 0)) && !(std::fabs(difference) <= bound) &&
            ++wrong < 5)
          ADD_FAILURE() << "in place, item " << n << ", row " << i;
      }
    }
    T const* const old = before.data();
    for (std::int64_t n = 0; n < items; ++n)
      for (int i = 0; i < rows; ++i) {
        T& y = b.at(n, i, 0);
        y = old[&y - b.numbers];
      }
    EXPECT_EQ(std::memcmp(b.numbers, old, before.extent(0) * sizeof(T)), 0)
        << "written outside of b";
    b.upload();
    for (int code : download_codes()) ASSERT_EQ(code, 0);
  }

  /// -x'' = 1 between zeros: x(i) = i (n + 1 - i) / 2 for i = 1 .. n. Symmetric and positive
  /// definite, but not strictly dominant. Its condition is 4 (n + 1)^2 / pi^2.
  template <class Call>
  void check_second_difference(Call const& call) const {
    lower.fill(T(-1));
    diagonal.fill(T(2));
    upper.fill(T(-1));
    b.fill(T(1));
    Kokkos::deep_copy(codes, -1);
    check(call, false);
    long double const condition = 0.41L * (rows + 1) * (rows + 1);
    long double const largest = (rows + 1) * (rows + 1) / 8.0L;
    if (condition * epsilon<T> > 1e-3L) return;
    for (std::int64_t n = 0; n < items; ++n)
      for (int i = 0; i < rows; ++i) {
        long double const want = 0.5L * (i + 1) * (rows - i);
        ASSERT_LE(std::fabs(x.at(n, i, 0) - want), 16 * epsilon<T> * condition * largest)
            << "row " << i;
      }
  }

  /// Matrices that need no pivoting, and other ones.
  enum class Kind {
    dominant_rows,
    dominant_columns,
    positive_definite,  ///< with any condition number
    graded,             ///< not dominant, with a diagonal over many orders of magnitude
    nearly_singular,    ///< second differences plus a term of 1e-3
    random,
    zero_diagonal  ///< random, with zeros on the diagonal
  };
  static constexpr Kind well_behaved[5] = {Kind::dominant_rows, Kind::dominant_columns,
                                           Kind::positive_definite, Kind::graded,
                                           Kind::nearly_singular};
  void fill(Kind kind, Random& random) const {
    auto const sign = [&] { return random.integer(0, 1) ? 1 : -1; };
    auto const m = std::size_t(rows);
    for (std::int64_t n = 0; n < items; ++n) {
      std::vector<long double> l(m), d(m), u(m);
      for (std::size_t i = 0; i < m; ++i) {
        l[i] = T(random());
        u[i] = T(random());
        d[i] = kind == Kind::zero_diagonal && random.integer(0, 2) ? 0 : random();
      }
      if (kind == Kind::dominant_rows || kind == Kind::dominant_columns) {
        for (std::size_t i = 0; i < m; ++i) {
          bool const by_rows = kind == Kind::dominant_rows;
          long double const size =
              by_rows ? std::fabs(l[i]) + std::fabs(u[i])
                      : (i > 0 ? std::fabs(u[i - 1]) : 0) + (i + 1 < m ? std::fabs(l[i + 1]) : 0);
          // Many of them barely.
          d[i] = (size * (1 + 4 * epsilon<T>)+(random.integer(0, 1) ? 0 : random(0, 2))) * sign();
          if (m == 1) d[i] = 1;
        }
      } else if (kind != Kind::random && kind != Kind::zero_diagonal) {
        // L D L', with a diagonal that is increased by more than rounding can remove.
        long double before = 0;
        for (std::size_t i = 0; i < m; ++i) {
          long double pivot = 1, factor = -1 + 1e-3 * random();
          if (kind == Kind::positive_definite) pivot = random(1e-3, 2), factor = 2 * random();
          if (kind == Kind::graded) pivot = std::pow(10, random(-2, 2)), factor = 2 * random();
          d[i] = (pivot + (i > 0 ? factor * factor * before : 0)) * (1 + 32 * epsilon<T>);
          if (i > 0) l[i] = u[i - 1] = factor * before;
          before = pivot;
        }
      }
      for (int i = 0; i < rows; ++i) {
        auto const k = std::size_t(i);
        lower.at(n, i, 0) = T(l[k]);
        diagonal.at(n, i, 0) = T(d[k]);
        upper.at(n, i, 0) = T(u[k]);
        b.at(n, i, 0) = T(random());
      }
      lower.at(n, 0, 0) = upper.at(n, rows - 1, 0) = std::numeric_limits<T>::quiet_NaN();
    }
    upload();
  }

  /// The largest |b - A x| of item n in eps, relative to |A| |x| in norms by rows, or row by row
  /// relative to the norm of x.
  struct BackwardError {
    long double norms, by_rows;
  };
  BackwardError backward_error(std::int64_t n) const {
    long double left = 0, of_a = 0, of_x = 0, by_rows = 0;
    for (int i = 0; i < rows; ++i) of_x = std::max<long double>(of_x, std::fabs(x.at(n, i, 0)));
    for (int i = 0; i < rows; ++i) {
      long double rest = b.at(n, i, 0), row = 0;
      auto const term = [&](T a, int j) {
        rest -= static_cast<long double>(a) * x.at(n, j, 0);
        row += std::fabs(static_cast<long double>(a));
      };
      if (i > 0) term(lower.at(n, i, 0), i - 1);
      term(diagonal.at(n, i, 0), i);
      if (i + 1 < rows) term(upper.at(n, i, 0), i + 1);
      // Not for NaN.
      if (!(std::fabs(rest) <= left)) left = std::fabs(rest);
      of_a = std::max(of_a, row);
      by_rows = std::max(by_rows, std::fabs(rest) / (row * of_x * epsilon<T>));
    }
    return {left / (of_a * of_x * epsilon<T>), by_rows};
  }

  /// Without a reported failure, |b - A x| <= bound eps |A| |x|. Matrices that need no pivoting
  /// must not fail. Others can report at most `inaccurate`, with a row, or that the matrix is
  /// singular. Returns the number of reported items.
  template <class Call>
  int check_accuracy(Call const& call, Kind kind, long double bound, long double by_rows,
                     bool singular_only = false) const {
    SCOPED_TRACE("kind " + std::to_string(int(kind)));
    Kokkos::deep_copy(codes, -1);
    x.fill(poison<T>());
    call(b, x);
    x.download();
    auto const found = download_codes();
    int wrong = 0, reported = 0;
    for (std::int64_t n = 0; n < items && wrong < 5; ++n) {
      int const code = found[std::size_t(n)];
      auto const error = backward_error(n);
      if (code == 0) {
        if (!(error.norms <= bound && error.by_rows <= by_rows) && ++wrong)
          ADD_FAILURE() << "item " << n << " is said to be right: " << double(error.norms)
                        << " eps, " << double(error.by_rows) << " by rows";
        continue;
      }
      ++reported;
      bool const may_be = kind == Kind::random || kind == Kind::zero_diagonal;
      bool const zero = kind == Kind::zero_diagonal && Status::reason(code) == Reason::breakdown;
      bool const inaccurate = !singular_only && Status::reason(code) == Reason::inaccurate;
      if ((!may_be || !(zero || inaccurate) || Status::info(code) < 1 ||
           Status::info(code) > rows) &&
          ++wrong)
        ADD_FAILURE() << "item " << n << ": " << to_string(Status::reason(code)) << ", row "
                      << Status::info(code) << ", " << double(error.norms) << " eps";
    }
    return reported;
  }

  /// Plants a fault that makes item `at` fail at `row`, and checks its code, its x, and the bits of
  /// all other items.
  enum class Plant {
    zero_pivot,
    nan_pivot,
    infinite_pivot,
    tiny_pivot,
    nan_b,
    nan_lower,
    nan_upper
  };
  /// With row exchanges the reported row is the row of a pivot, which can be a different row.
  template <class Call>
  void check_failure(Call const& call, std::int64_t at, int row, Plant what,
                     bool exchanges = false) const {
    check_failure(call, clean_x(call), at, row, what, exchanges);
  }
  /// The whole storage of x, if nothing is planted.
  template <class Call>
  std::vector<T> clean_x(Call const& call) const {
    call(b, x);
    x.download();
    return std::vector<T>(x.numbers, x.numbers + x.host.extent(0));
  }
  template <class Call>
  void check_failure(Call const& call, std::vector<T> const& clean, std::int64_t at, int row,
                     Plant what, bool exchanges = false) const {
    SCOPED_TRACE("item " + std::to_string(at) + ", row " + std::to_string(row) + ", planted " +
                 std::to_string(int(what)));
    constexpr T nan = std::numeric_limits<T>::quiet_NaN();
    std::array<T, 4> const kept{lower.at(at, row, 0), diagonal.at(at, row, 0), upper.at(at, row, 0),
                                b.at(at, row, 0)};
    T &l = lower.at(at, row, 0), &d = diagonal.at(at, row, 0), &u = upper.at(at, row, 0);
    int want = Status::code(Reason::not_finite, row + 1), or_want = want;
    switch (what) {
      case Plant::zero_pivot:  // a row of zeros, in which no order of elimination finds another
                               // pivot
        l = d = u = T(0);
        want = or_want = Status::code(Reason::breakdown, row + 1);
        break;
      case Plant::tiny_pivot:
        l = u = T(0);
        d = std::numeric_limits<T>::denorm_min();
        want = or_want = Status::code(Reason::breakdown, row + 1);
        break;
      case Plant::nan_pivot: d = nan; break;
      case Plant::infinite_pivot: d = std::numeric_limits<T>::infinity(); break;
      case Plant::nan_b:
        b.at(at, row, 0) = nan;
        want = or_want = Status::code(Reason::not_finite, 0);
        break;
      case Plant::nan_lower:
        l = nan;
        if (row == 0) want = or_want = 0;
        break;
      case Plant::nan_upper:  // found at this row or the next, by the order of elimination
        u = nan;
        or_want = want + 1;
        if (row + 1 == rows) want = or_want = 0;
        break;
    }
    upload();
    call(b, x);
    x.download();
    auto const found = download_codes();
    for (std::int64_t n = 0; n < items; ++n) {
      int const code = found[std::size_t(n)];
      if (n == at && exchanges) {
        EXPECT_EQ(Status::reason(code), Status::reason(want));
        EXPECT_LE(Status::info(code), rows);
        EXPECT_TRUE(Status::info(code) > 0 || Status::info(want) == 0 ||
                    Status::reason(code) == Reason::not_finite);
      } else if (n == at) EXPECT_TRUE(code == want || code == or_want) << code << " for " << want;
      else EXPECT_EQ(code, 0) << "item " << n;
    }
    for (int i = 0; i < rows && want != 0; ++i) {
      T& got = x.at(at, i, 0);
      ASSERT_TRUE(std::isnan(got)) << "row " << i;
      got = clean[std::size_t(&got - x.numbers)];
    }
    // All other numbers, and the memory around them.
    for (std::size_t k = 0;
         std::memcmp(x.numbers, clean.data(), clean.size() * sizeof(T)) != 0 && k < clean.size();
         ++k)
      ASSERT_TRUE(same_bits(x.numbers[k], clean[k])) << "number " << k;
    l = kept[0], d = kept[1], u = kept[2], b.at(at, row, 0) = kept[3];
    upload();
  }
};

}  // namespace Batchwork::Test

#endif

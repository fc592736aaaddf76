// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Patterns with one fault each, in every format with indices, and the results that
/// docs/reference/krylov promises for them. The Views have exactly the memory of a std::vector, so
/// that an address sanitizer finds every read outside of it.
#ifndef BATCHWORK_TEST_BAD_PATTERNS_CASE_HPP
#define BATCHWORK_TEST_BAD_PATTERNS_CASE_HPP

#include <limits>
#include <string>
#include <vector>

#include "krylov/SolveCase.hpp"
#include "krylov/formats/Batchwork_Dia.hpp"
#include "krylov/preconditioners/Batchwork_BlockJacobi.hpp"
#include "krylov/preconditioners/Batchwork_Ilu.hpp"
#include "krylov/preconditioners/Batchwork_Isai.hpp"

namespace Batchwork::Test {

template <class Extents, class Layout = Kokkos::LayoutRight>
using ExactView = Kokkos::View<Extents, Layout, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

/// The fault of a pattern.
enum class PatternFault {
  none,
  beyond,         ///< a column as large as the number of rows
  far,            ///< the largest integer
  negative,       ///< -1
  far_below,      ///< the smallest integer
  falling,        ///< row offsets that fall
  past_the_end,   ///< row offsets after the last column
  before_all,     ///< a negative row offset
  unsorted,       ///< two entries of a row exchanged
  twice,          ///< an entry of the row in two parts
  diagonal_twice  ///< the diagonal in two parts
};
constexpr PatternFault all_pattern_faults[] = {
    PatternFault::none,         PatternFault::beyond,        PatternFault::far,
    PatternFault::negative,     PatternFault::far_below,     PatternFault::falling,
    PatternFault::past_the_end, PatternFault::before_all,    PatternFault::unsorted,
    PatternFault::twice,        PatternFault::diagonal_twice};
constexpr bool of_offsets(PatternFault f) {
  return f == PatternFault::falling || f == PatternFault::past_the_end ||
         f == PatternFault::before_all;
}
constexpr bool of_order(PatternFault f) { return f >= PatternFault::unsorted; }

/// The matrices tridiag(-1, 4 + n, 1) with `rows` rows, for the items n = 0, 1, ..., as in `full`
/// if only the order is wrong. The fault is in one row, `row`.
template <class T>
struct BadPattern {
  static constexpr int rows = 6;
  std::int64_t items;
  PatternFault fault;
  std::vector<int> offsets{0}, columns, place_columns, diagonals;
  std::vector<T> values, places, by_diagonals, b, x, start;
  ArrangedBatch<T> full;
  int width = 4;

  BadPattern(std::int64_t n, PatternFault what, int row)
      : items(n), fault(what), full(n, rows, rows, Arranged::item_contiguous) {
    full.fill(T(0));
    struct Entry {
      int column;
      T part;  // a part of the entry's value
    };
    std::vector<std::vector<Entry>> all;
    for (int i = 0; i < rows; ++i) {
      std::vector<Entry> entries;
      for (int j = std::max(i - 1, 0); j <= std::min(i + 1, rows - 1); ++j)
        entries.push_back({j, T(1)});
      if (i == row) {
        auto& last = entries.back();
        switch (fault) {
          case PatternFault::beyond: last.column = rows; break;
          case PatternFault::far: last.column = std::numeric_limits<int>::max(); break;
          case PatternFault::negative: last.column = -1; break;
          case PatternFault::far_below: last.column = std::numeric_limits<int>::min(); break;
          case PatternFault::unsorted: std::swap(entries[0], entries[1]); break;
          case PatternFault::twice:
            last.part = T(0.25), entries.push_back({last.column, T(0.75)});
            break;
          case PatternFault::diagonal_twice: {
            auto const at = std::size_t(i > 0 ? 1 : 0);
            entries[at].part = T(0.25);
            entries.insert(entries.begin() + std::ptrdiff_t(at), {i, T(0.75)});
            break;
          }
          default: break;
        }
      }
      all.push_back(entries);
    }
    auto const number = [](std::int64_t item, int i, int j) {
      return j == i ? T(4 + item) : j > i ? T(1) : T(-1);
    };
    for (auto const& entries : all) {
      for (auto const& e : entries) columns.push_back(e.column);
      offsets.push_back(int(columns.size()));
      for (int k = 0; k < width; ++k)
        place_columns.push_back(k < int(entries.size()) ? entries[std::size_t(k)].column : -1);
    }
    // Diagonals, which have other faults.
    diagonals = {-1, 0, 1};
    std::vector<T> parts{T(1), T(1), T(1)};
    switch (fault) {
      case PatternFault::beyond: diagonals = {-1, 0, 1, rows}, parts.push_back(T(1)); break;
      case PatternFault::far:
        diagonals = {-1, 0, 1, std::numeric_limits<int>::max() - rows}, parts.push_back(T(1));
        break;
      case PatternFault::negative: diagonals = {-rows, -1, 0, 1}, parts.push_back(T(1)); break;
      case PatternFault::far_below:
        diagonals = {std::numeric_limits<int>::min(), -1, 0, 1}, parts.push_back(T(1));
        break;
      case PatternFault::unsorted: diagonals = {0, -1, 1}; break;
      case PatternFault::twice: diagonals = {-1, 0, 1, 1}, parts = {1, 1, T(0.25), T(0.75)}; break;
      case PatternFault::diagonal_twice:
        diagonals = {-1, 0, 0, 1}, parts = {1, T(0.25), T(0.75), 1};
        break;
      default: break;
    }
    for (std::int64_t item = 0; item < items; ++item) {
      for (int i = 0; i < rows; ++i) {
        auto const& entries = all[std::size_t(i)];
        for (std::size_t k = 0; k < std::size_t(width); ++k) {
          bool const there = k < entries.size();
          T const v = there ? entries[k].part * number(item, i, entries[k].column) : T(0);
          if (there) values.push_back(v);
          places.push_back(there ? v : std::numeric_limits<T>::quiet_NaN());
        }
        for (int j = std::max(i - 1, 0); j <= std::min(i + 1, rows - 1); ++j)
          full.at(item, i, j) = number(item, i, j);
        b.push_back(T(i + 1) / T(2 + item)), start.push_back(T(0.5) * T(i % 2));
      }
      for (std::size_t d = 0; d < diagonals.size(); ++d)
        for (int i = 0; i < rows; ++i)
          by_diagonals.push_back(parts[d] * number(item, 0, diagonals[d]));
    }
    switch (fault) {
      case PatternFault::falling:
        offsets[std::size_t(row) + 1] = offsets[std::size_t(row)] - 1;
        break;
      case PatternFault::past_the_end: offsets.back() += 3; break;
      case PatternFault::before_all: offsets[0] = -2; break;
      default: break;
    }
    full.upload();
    x = start;
  }

  auto view(std::vector<T>& v) const {
    return ExactView<T**>(v.data(), std::size_t(items), v.size() / std::size_t(items));
  }
  auto csr() {
    return Batchwork::csr(ExactView<int const*>(offsets.data(), offsets.size()),
                          ExactView<int const*>(columns.data(), columns.size()), view(values));
  }
  auto ell() {
    return Batchwork::ell(
        ExactView<int const**>(place_columns.data(), std::size_t(rows), std::size_t(width)),
        ExactView<T***>(places.data(), std::size_t(items), std::size_t(rows), std::size_t(width)));
  }
  auto dia() {
    return Batchwork::dia(ExactView<int const*>(diagonals.data(), diagonals.size()),
                          ExactView<T***>(by_diagonals.data(), std::size_t(items), diagonals.size(),
                                          std::size_t(rows)));
  }
  /// b and x as batches, as in the other tests.
  ArrangedBatch<T> batch(std::vector<T> const& from) const {
    ArrangedBatch<T> r(items, rows, 1, Arranged::item_contiguous);
    for (std::int64_t n = 0; n < items; ++n)
      for (int i = 0; i < rows; ++i) r.at(n, i, 0) = from[std::size_t(n * rows + i)];
    r.upload();
    return r;
  }
};

/// How a format handles a fault.
enum class Taken {
  sound,      ///< the matrix is the matrix of `full`
  unordered,  ///< the same matrix, but its columns do not increase
  another,    ///< another matrix: a negative column of ell ends its row
  invalid
};
inline Taken taken(std::string const& format, PatternFault f) {
  if (f == PatternFault::none) return Taken::sound;
  if (format == "ell")
    return of_offsets(f)                                                 ? Taken::sound
           : f == PatternFault::negative || f == PatternFault::far_below ? Taken::another
           : of_order(f)                                                 ? Taken::unordered
                                                                         : Taken::invalid;
  // Diagonals outside the matrix contain no entries. Decreasing offsets are a fault.
  if (format == "dia")
    return f == PatternFault::unsorted ? Taken::invalid
           : of_order(f)               ? Taken::unordered
                                       : Taken::sound;
  return of_order(f) ? Taken::unordered : Taken::invalid;
}

/// Runs f(format, bad, A) for each format, fault and row.
template <class T, class F>
void for_bad_patterns(std::int64_t items, F const& f) {
  for (auto const fault : all_pattern_faults)
    for (int row : {0, 2, BadPattern<T>::rows - 1}) {
      SCOPED_TRACE("fault " + std::to_string(int(fault)) + " in row " + std::to_string(row));
      BadPattern<T> bad(items, fault, row);
      f("csr", bad, bad.csr());
      f("ell", bad, bad.ell());
      f("dia", bad, bad.dia());
    }
}

/// Checks the status of the items and x, which must not change if the pattern is invalid.
/// \param rises whether the preconditioner needs increasing columns
template <class T>
void expect_taken(Taken how, bool rises, BadPattern<T> const& bad, std::vector<T> const& x,
                  std::vector<int> const& reasons, std::vector<T> const& residuals,
                  double tolerance) {
  bool const invalid = how == Taken::invalid || (how == Taken::unordered && rises);
  auto const xs = bad.batch(x), bs = bad.batch(bad.b);
  for (std::int64_t n = 0; n < bad.items; ++n) {
    auto const reason = Status::reason(reasons[std::size_t(n)]);
    if (invalid) {
      ASSERT_EQ(reason, Reason::invalid_pattern) << "item " << n << ": " << to_string(reason);
      long double squares = 0;
      for (int i = 0; i < bad.rows; ++i) {
        ASSERT_EQ(xs.at(n, i, 0), bad.start[std::size_t(n * bad.rows + i)]);
        squares += static_cast<long double>(bs.at(n, i, 0)) * bs.at(n, i, 0);
      }
      ASSERT_NEAR(double(residuals[std::size_t(n)]), double(std::sqrt(squares)),
                  double(8 * epsilon<T> * std::sqrt(squares)));
    } else if (how == Taken::another) {
      ASSERT_NE(reason, Reason::invalid_pattern) << "item " << n;
    } else {
      ASSERT_EQ(reason, Reason::success) << "item " << n << ": " << to_string(reason);
      auto const t = residual_truth(bad.full, n, xs, bs);
      ASSERT_LE(t.norm, tolerance * t.right_side * (1 + 100 * epsilon<T>)+t.rounding);
    }
  }
}

/// Runs f(name, rises, preconditioner) for each preconditioner.
template <class F>
void for_all_preconditioners(F const& f) {
  f("none", false, no_preconditioner());
  f("jacobi", false, jacobi());
  for (int rows : {1, 2, 4, 6, 32}) f("block_jacobi", false, block_jacobi(rows));
  f("ilu", true, ilu());
  f("isai", true, isai());
}

}  // namespace Batchwork::Test

#endif

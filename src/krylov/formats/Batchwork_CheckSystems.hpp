// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// check(A): checks the pattern of a batch of matrices. Kernels rely on it: an index out of range
/// is a read out of range.
#ifndef BATCHWORK_CHECKSYSTEMS_HPP
#define BATCHWORK_CHECKSYSTEMS_HPP

#include <cstdint>
#include <stdexcept>
#include <string>

#include "krylov/formats/Batchwork_Formats.hpp"

namespace Batchwork {

/// Whether check requires a diagonal entry in every row. Preconditioners divide by the diagonal; a
/// product does not need it.
enum class Diagonals {
  required,  ///< every row must store its diagonal
  optional   ///< rows may lack it: for matrices that are only multiplied by
};

namespace Impl {

/// Reports a fault of a pattern.
struct PatternFault {
  [[noreturn]] static void raise(SystemView const& of, std::string const& what) {
    throw std::invalid_argument("Batchwork::check: " + of.name() + what);
  }
  [[noreturn]] static void raise(SystemView const& of, std::int64_t row, std::string const& what) {
    raise(of, ", row " + std::to_string(row) + ": " + what);
  }
};

/// Goes through the columns of one row, one after the other.
struct RowCheck {
  SystemView const& of;
  std::int64_t row, rows;
  std::int64_t last = -1;
  bool has_diagonal = false;

  void add(std::int64_t column, std::int64_t entry) {
    std::string const here =
        "column " + std::to_string(column) + " (entry " + std::to_string(entry) + ")";
    if (column < 0 || column >= rows)
      PatternFault::raise(of, row,
                          here + " is out of range; give columns from 0 to " +
                              std::to_string(rows - 1) + ", counted from 0");
    if (column == last)
      PatternFault::raise(of, row, here + " is there twice; add the two entries up");
    if (column < last)
      PatternFault::raise(
          of, row,
          here + " comes after column " + std::to_string(last) +
              "; sort the entries of every row by column, and their values with them");
    last = column;
    has_diagonal = has_diagonal || column == row;
  }
  void end(Diagonals diagonals) const {
    if (diagonals == Diagonals::required && !has_diagonal)
      PatternFault::raise(
          of, row,
          "column " + std::to_string(row) +
              ", the diagonal, is missing; store it, as a zero if need be, or "
              "check(A, Diagonals::optional) for a matrix that is only multiplied by");
  }
};

template <class O, class C, class V>
void check_pattern(Csr<O, C, V> const& a, Diagonals diagonals) {
  auto const views = a.views();
  auto const offsets = pattern_on_host(a.row_offsets);
  auto const columns = pattern_on_host(a.columns);
  std::int64_t const rows = a.rows(), entries = a.nonzeros();
  auto const offset = [&](std::int64_t i) { return std::int64_t(offsets(std::size_t(i))); };
  if (offset(0) != 0)
    PatternFault::raise(views[0], 0,
                        "the first offset is " + std::to_string(offset(0)) + "; begin with 0");
  // All of them before any column is read: in the order of the rows an offset may be too large.
  for (std::int64_t i = 0; i < rows; ++i)
    if (offset(i + 1) < offset(i))
      PatternFault::raise(views[0], i,
                          "it goes from offset " + std::to_string(offset(i)) + " to " +
                              std::to_string(offset(i + 1)) + "; offsets must not fall");
  if (offset(rows) != entries)
    PatternFault::raise(views[0], ": the last offset is " + std::to_string(offset(rows)) +
                                      ", but " + views[1].name() + " has " +
                                      std::to_string(entries) +
                                      " column indices; give as many as the last offset says");
  for (std::int64_t i = 0; i < rows; ++i) {
    RowCheck row{views[1], i, rows};
    for (std::int64_t k = offset(i); k < offset(i + 1); ++k)
      row.add(std::int64_t(columns(std::size_t(k))), k);
    row.end(diagonals);
  }
}

template <class C, class V>
void check_pattern(Ell<C, V> const& a, Diagonals diagonals) {
  auto const views = a.views();
  if constexpr (!Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                                            typename C::memory_space>::accessible) {
    if (!a.columns.span_is_contiguous())
      PatternFault::raise(views[0],
                          " has gaps and is not on the host, so it cannot be copied there; give a "
                          "contiguous View, or check a copy on the host");
  }
  auto const columns = pattern_on_host(a.columns);
  for (std::int64_t i = 0; i < a.rows(); ++i) {
    RowCheck row{views[0], i, a.rows()};
    std::int64_t padding = -1;
    for (std::int64_t k = 0; k < a.width(); ++k) {
      auto const column = static_cast<std::int32_t>(columns(std::size_t(i), std::size_t(k)));
      if (column == -1) {
        if (padding < 0) padding = k;
        continue;
      }
      if (padding >= 0)
        PatternFault::raise(
            views[0], i,
            "entry " + std::to_string(k) + " comes after entry " + std::to_string(padding) +
                ", which is unused (-1); move unused entries to the end of the row");
      row.add(column, k);
    }
    row.end(diagonals);
  }
}

/// Formats without a pattern have nothing to check.
template <SystemMatrices A>
void check_pattern(A const&, Diagonals) {}

}  // namespace Impl

/// Checks the pattern of csr(...), ell(...) or dia(...), and the shapes of every format. Call it
/// once for a pattern: the verbs check shapes only.
///
/// ```cpp
/// auto const A = csr(row_offsets, columns, values);
/// check(A);
/// ```
///
/// \param a          the matrices; their values are not read
/// \param diagonals  Diagonals::optional for matrices that are only multiplied by
/// \throws std::invalid_argument  Views that are not allocated, shapes that differ, row offsets
///                   that fall or do not end with the extent of the View of columns, columns out
///                   of range, unsorted or in a row twice, a missing diagonal. The message names
///                   the View, the row, the column and the remedy
///
/// Copies the pattern to the host if it is elsewhere, and waits for that.
template <Impl::SystemMatrices A>
void check(A const& a, Diagonals diagonals = Diagonals::required) {
  if (auto const problem = a.problem(); !problem.empty())
    throw std::invalid_argument("Batchwork::check: " + problem);
  // Found by argument-dependent lookup beside the format.
  using Impl::check_pattern;
  check_pattern(a, diagonals);
}

}  // namespace Batchwork

#endif

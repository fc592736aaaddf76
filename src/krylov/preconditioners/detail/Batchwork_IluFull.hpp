// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// ILU(0) of nearly full patterns by the lanes of a device that share a system: column by column,
/// as a full matrix is factorised (Golub and Van Loan, Matrix Computations, 4th edition,
/// section 3.2.6, outer product LU), without the unused places. Its rows depend on each
/// other one by one, so levels would leave a row to few lanes, and a column is known to all of them
/// at once.
#ifndef BATCHWORK_ILUFULL_HPP
#define BATCHWORK_ILUFULL_HPP

#include <cstddef>
#include <cstdint>

#include "core/Batchwork_SystemLanes.hpp"
#include "krylov/formats/detail/Batchwork_AnySystems.hpp"
#include "krylov/preconditioners/Batchwork_Preconditioner.hpp"

namespace Batchwork::Impl {

/// Whether a pattern of so many places is nearly full, and of rows that a word has a bit each for.
constexpr bool suits_ilu_full(std::int64_t rows, std::int64_t places) {
  return rows > 4 && rows <= 64 && places <= rows * rows && 2 * places >= rows * rows;
}

/// The factors of an item as a full matrix by columns, which neighbouring lanes have neighbouring
/// rows of; zero where A has no entry. What the pattern says is the same for all items: the lanes
/// find it for their first one.
template <class T>
struct IluFull {
  int rows;
  T *values, *inverse;     ///< (row): of the pivot
  std::uint64_t* pattern;  ///< (row): its columns
  std::uint16_t *ends,     ///< (row): entries
      *head;               ///< whether the pattern is valid

  static constexpr std::size_t bytes(int rows) {
    std::size_t const n = std::size_t(rows);
    return sizeof(T) * (n * n + n) + 8 + sizeof(std::uint64_t) * n +
           sizeof(std::uint16_t) * (n + 4);
  }

  BATCHWORK_INLINE IluFull(int of_rows, T* memory)
      : rows(of_rows), values(memory), inverse(values + of_rows * of_rows) {
    auto const end = reinterpret_cast<std::uintptr_t>(inverse + rows);
    pattern = reinterpret_cast<std::uint64_t*>(end + (8 - end % 8) % 8);
    ends = reinterpret_cast<std::uint16_t*>(pattern + rows);
    head = ends + rows;
  }

  BATCHWORK_INLINE T& value(int i, int j) const { return values[j * rows + i]; }
  BATCHWORK_INLINE bool is_there(int i, int j) const { return (pattern[i] >> j & 1u) != 0; }
  BATCHWORK_INLINE bool is_valid() const { return head[0] != 0; }

  /// Reads the pattern. Whether it is valid, which all lanes get: columns rise.
  template <class At>
  BATCHWORK_INLINE bool take_pattern(At& at, AnySystems<T> const& a, T const* of_item) const {
    auto const lanes = lanes_at(at);
    bool sound = true;
    lanes.for_each(rows, [&](int i) {
      auto const row = a.row(of_item, i);
      std::uint64_t found = 0;
      int before = -1;
      for (int k = 0; k < row.count; ++k) {
        int const j = row.column(k);
        bool const rises = j > before && j < rows;
        sound = sound && rises;
        before = j;
        if (rises) found |= std::uint64_t(1) << j;
      }
      pattern[i] = found;
      ends[i] = std::uint16_t(row.count);
    });
    bool const valid = !any_of_system(at, !sound);
    if (lanes.rank == 0) head[0] = valid ? 1 : 0;
    return valid;
  }

  /// Copies the numbers of an item, neighbouring lanes neighbouring entries of a row, a few rows at
  /// a time.
  template <class Lanes>
  BATCHWORK_INLINE void take_numbers(Lanes const& lanes, AnySystems<T> const& a,
                                     T const* of_item) const {
    constexpr int at_once = 4;
    lanes.for_each(rows * rows, [&](int e) { values[e] = T(0); });
    lanes.sync();
    BATCHWORK_KEEP_LOOP
    for (int i0 = 0; i0 < rows; i0 += at_once) {
      BATCHWORK_KEEP_LOOP
      for (int k = lanes.rank; k < rows; k += lanes.count) {
        int j[at_once];
        T v[at_once];
        BATCHWORK_UNROLL
        for (int q = 0; q < at_once; ++q) {
          bool const has = i0 + q < rows && k < ends[i0 + q];
          j[q] = has ? a.column(i0 + q, k) : -1;
          v[q] = has ? a.number(of_item, i0 + q, k) : T(0);
        }
        BATCHWORK_UNROLL
        for (int q = 0; q < at_once; ++q)
          if (j[q] >= 0) value(i0 + q, j[q]) = v[q];
      }
    }
  }

  /// Of A the factors. What lanes have written before is seen by all.
  template <class Lanes>
  BATCHWORK_INLINE void factorise(Lanes const& lanes) const {
    BATCHWORK_KEEP_LOOP
    for (int k = 0; k < rows; ++k) {
      T const inverted = is_there(k, k) ? reciprocal_or_one(value(k, k)) : T(1);
      if (lanes.rank == k % lanes.count) inverse[k] = inverted;
      lanes.for_each(rows, [&](int i) {
        if (i > k && is_there(i, k)) take_off(i, k, inverted);
      });
      lanes.sync();
    }
  }
  /// Takes row k off row i, where that has entries.
  BATCHWORK_INLINE void take_off(int i, int k, T inverted) const {
    constexpr int at_once = 4;
    T const f = value(i, k) * inverted;
    value(i, k) = f;
    std::uint64_t const mine = pattern[i];
    BATCHWORK_KEEP_LOOP
    for (int j = k + 1; j < rows; j += at_once) {
      T u[at_once], v[at_once];
      BATCHWORK_UNROLL
      for (int q = 0; q < at_once; ++q) {
        int const c = j + q < rows ? j + q : rows - 1;
        u[q] = value(k, c);
        v[q] = value(i, c);
      }
      BATCHWORK_UNROLL
      for (int q = 0; q < at_once; ++q)
        if (j + q < rows && (mine >> (j + q) & 1u) != 0) value(i, j + q) = v[q] - f * u[q];
    }
  }

  /// w = U^-1 L^-1 w, in memory that all lanes of the system see, and have waited for.
  template <class Lanes>
  BATCHWORK_INLINE void substitute(Lanes const& lanes, T* w) const {
    BATCHWORK_KEEP_LOOP
    for (int k = 0; k + 1 < rows; ++k) {
      T const x = w[k];
      lanes.for_each(rows, [&](int i) {
        if (i > k) w[i] -= value(i, k) * x;
      });
      lanes.sync();
    }
    if (lanes.rank == (rows - 1) % lanes.count) w[rows - 1] *= inverse[rows - 1];
    lanes.sync();
    BATCHWORK_KEEP_LOOP
    for (int k = rows - 1; k > 0; --k) {
      T const x = w[k];
      lanes.for_each(k, [&](int i) {
        T const s = w[i] - value(i, k) * x;
        // Then it is complete.
        w[i] = i == k - 1 ? s * inverse[i] : s;
      });
      lanes.sync();
    }
  }
};

}  // namespace Batchwork::Impl

#endif

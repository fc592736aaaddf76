// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// ILU(0), the incomplete factorisation on the pattern of the matrix: Y. Saad, Iterative Methods for Sparse Linear Systems, 2nd
/// edition, section 10.3.2, algorithm 10.4. Lanes take the rows of a system in waves (level scheduling, section 11.6.3).
#ifndef BATCHWORK_ILU_HPP
#define BATCHWORK_ILU_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "krylov/Batchwork_AnySystems.hpp"
#include "krylov/Batchwork_Preconditioner.hpp"

namespace Batchwork {
namespace Impl {

/// ILU(0) as kernels see it.
struct IluInKernel {
  using preconditioner_of_systems = void;
  static constexpr bool needs_entries = true;
  int places = 0;  ///< of numbers in an item's factors

  /// Six indices a row: see IluFactors.
  template <class T>
  BATCHWORK_INLINE std::size_t bytes(int rows) const {
    return sizeof(T) * (std::size_t(places) + std::size_t(rows)) +
           6 * sizeof(std::int16_t) * std::size_t(rows);
  }
};

}  // namespace Impl

/// ILU(0): z = U^-1 L^-1 r, L with a unit diagonal and U having the pattern of A, with L U = A there. For csr, ell, dense, of
/// which all places are pattern, so that L U = A throughout (without pivoting), and identity. Columns rise within a row, see
/// check; where they do not the item ends as Reason::invalid_pattern. For conjugate_gradients A is to be symmetric.
///
/// A pivot that is missing in the pattern, zero, or without a finite reciprocal becomes 1, in every format alike: the row of U is
/// then not divided.
///
/// Memory of a system: as many numbers as A has places (of ell and dense those that are not there too) and one a row, with
/// twelve bytes a row: on devices in team scratch (with the letter boxes to 40,928 bytes, fewer where a multiprocessor has no room for
/// four such teams: 67 full rows of double, 636 rows of 3 entries), or else in the workspace, see workspace_numbers. On hosts a thread allocates it, once for
/// some items.
///
/// Factorised once an item; an application takes about two operations an entry, in as many waves of rows, with a wait each, as
/// there are rows that depend on each other one by one: all of them in a tridiagonal or full matrix, and few where rows are
/// numbered by colours. On devices 64 to 256 lanes share a system, which is read where it is.
struct Ilu {
  using preconditioner_of_systems = void;

  template <class Call, class A>
  void check(Call const& call, A const&) const {
    if constexpr (std::is_void_v<typename A::value_type>)
      call.fail(
          "operand 2, ilu: matrix_free has no entries; give no_preconditioner() or preconditioner(functor)");
  }
  template <class A>
  Impl::IluInKernel in_kernel(A const& a) const {
    return {int(a.nonzeros() > a.rows() ? a.nonzeros() : a.rows())};
  }
};
inline Ilu ilu() { return {}; }

namespace Impl {

/// The factors of an item, entry by entry where those of A are, and the order of its rows. A row's terms are its entries on one
/// side of the diagonal, in the order in which the rows that they multiply become known: of L from the first column on, of U
/// from the last one back. The wave of a row is how many others must be known before, one after the other.
template <class T>
struct IluFactors {
  AnySystems<T> const* of = nullptr;
  int rows = 0;
  T* values = nullptr;
  T* inverse = nullptr;  ///< (row): of the pivot
  std::int16_t *split = nullptr,
               *above = nullptr,    ///< (row): the first entry on the diagonal or above; above it
                   *end = nullptr,  ///< (row): entries
                       *lower_wave = nullptr, *upper_wave = nullptr,
               *next = nullptr;  ///< (row): terms taken so far, of the lane that the row belongs to

  BATCHWORK_INLINE void place(IluInKernel const& how, AnySystems<T> const& a, T* memory) {
    of = &a;
    rows = a.rows;
    values = memory;
    inverse = values + how.places;
    split = reinterpret_cast<std::int16_t*>(inverse + rows);
    above = split + rows;
    end = above + rows;
    lower_wave = end + rows;
    upper_wave = lower_wave + rows;
    next = upper_wave + rows;
  }

  /// Where the numbers of a row begin.
  BATCHWORK_INLINE T* row(int i) const {
    using Format = typename AnySystems<T>::Kind;
    return values + (of->kind == Format::csr        ? std::int64_t(of->offsets(i))
                     : of->kind == Format::identity ? std::int64_t(i)
                                                    : i * std::int64_t(of->width));
  }
  BATCHWORK_INLINE int column(int i, int k) const {
    using Format = typename AnySystems<T>::Kind;
    switch (of->kind) {
      case Format::csr: return of->columns[of->offsets(i) + k];
      case Format::ell: return of->columns[i * of->column_row + k * of->column_entry];
      case Format::dense: return k;
      default: return i;
    }
  }

  template <bool Upper>
  BATCHWORK_INLINE int terms(int i) const {
    return Upper ? end[i] - above[i] : split[i];
  }
  template <bool Upper>
  BATCHWORK_INLINE int entry(int i, int term) const {
    return Upper ? end[i] - 1 - term : term;
  }
  template <bool Upper>
  BATCHWORK_INLINE std::int16_t* waves() const {
    return Upper ? upper_wave : lower_wave;
  }

  /// Copies a row of the item. Whether its columns rise.
  BATCHWORK_INLINE bool take(T const* numbers, int i) const {
    auto const from = of->row(numbers, i);
    T* const to = row(i);
    int before = -1, low = 0;
    bool sound = true, has_diagonal = false;
    for (int k = 0; k < from.count; ++k) {
      int const j = from.column(k);
      sound = sound && j > before && j < rows;
      before = j;
      low += j < i ? 1 : 0;
      has_diagonal = has_diagonal || j == i;
      to[k] = from.number(k);
    }
    split[i] = std::int16_t(low);
    above[i] = std::int16_t(low + (has_diagonal ? 1 : 0));
    end[i] = std::int16_t(from.count);
    return sound;
  }

  /// Takes row j, which is done, off row i, of which entry k is in column j.
  BATCHWORK_INLINE void eliminate(int i, int k, int j) const {
    T* const mine = row(i);
    T const* const other = row(j);
    T const f = mine[k] * inverse[j];
    mine[k] = f;
    int const last = end[i], last_other = end[j];
    int p = k + 1;
    for (int q = above[j]; q < last_other; ++q) {
      int const c = column(j, q);
      while (p < last && column(i, p) < c) ++p;
      if (p == last) break;
      if (column(i, p) == c) mine[p] -= f * other[q];
    }
  }
  BATCHWORK_INLINE void invert_pivot(int i) const {
    inverse[i] = above[i] > split[i] ? reciprocal_or_one(row(i)[split[i]]) : T(1);
  }

  /// Goes through the rows of one triangle as soon as those are done that they need, and notes their waves; how many there
  /// are. Of the lower one it makes the factors.
  template <bool Upper, class At>
  BATCHWORK_INLINE int schedule(At& at) const {
    auto const lanes = lanes_at(at);
    std::int16_t* const wave = waves<Upper>();
    lanes.for_each(rows, [&](int i) {
      next[i] = 0;
      wave[i] = -1;
    });
    lanes.sync();
    int w = 0;
    for (bool more = true; more; ++w) {
      bool waits = false;
      lanes.for_each(rows, [&](int i) {
        if (wave[i] >= 0) return;
        int const all = terms<Upper>(i);
        int t = next[i];
        for (; t < all; ++t) {
          int const k = entry<Upper>(i, t), j = column(i, k);
          if (wave[j] < 0) break;
          if constexpr (!Upper) eliminate(i, k, j);
        }
        next[i] = std::int16_t(t);
        waits = waits || t < all;
      });
      // All lanes have looked before any says that a row is done.
      more = any_of_system(at, waits);
      lanes.for_each(rows, [&](int i) {
        if (wave[i] >= 0 || next[i] < terms<Upper>(i)) return;
        if constexpr (!Upper) invert_pivot(i);
        wave[i] = std::int16_t(w);
      });
      lanes.sync();
    }
    return w;
  }

  /// w = L^-1 w or U^-1 w, in memory that all lanes of the system see, each having written its rows.
  template <bool Upper, class Lanes>
  BATCHWORK_INLINE void substitute(Lanes const& lanes, int count, T* w) const {
    std::int16_t const* const wave = waves<Upper>();
    lanes.for_each(rows, [&](int i) { next[i] = 0; });
    for (int now = 0;; ++now) {
      if constexpr (Upper)
        lanes.for_each(rows, [&](int i) {
          if (wave[i] == now) w[i] *= inverse[i];
        });
      if (now + 1 >= count) break;
      lanes.sync();
      lanes.for_each(rows, [&](int i) {
        if (wave[i] <= now) return;
        int const all = terms<Upper>(i);
        T const* const mine = row(i);
        int t = next[i];
        T s = w[i];
        for (; t < all; ++t) {
          int const k = entry<Upper>(i, t), j = column(i, k);
          if (wave[j] > now) break;
          s -= mine[k] * w[j];
        }
        next[i] = std::int16_t(t);
        w[i] = s;
      });
    }
  }

  /// By one lane alone, row by row.
  BATCHWORK_INLINE void factorise_alone() const {
    for (int i = 0; i < rows; ++i) {
      for (int k = 0; k < split[i]; ++k) eliminate(i, k, column(i, k));
      invert_pivot(i);
    }
  }
  BATCHWORK_INLINE void solve_alone(T* w) const {
    for (int i = 0; i < rows; ++i) {
      T const* const mine = row(i);
      T s = w[i];
      for (int k = 0; k < split[i]; ++k) s -= mine[k] * w[column(i, k)];
      w[i] = s;
    }
    for (int i = rows - 1; i >= 0; --i) {
      T const* const mine = row(i);
      T s = w[i];
      for (int k = above[i]; k < end[i]; ++k) s -= mine[k] * w[column(i, k)];
      w[i] = s * inverse[i];
    }
  }
};

template <class Vector>
struct Prepared<Vector, IluInKernel> {
  static constexpr bool wants_diagonal = false, is_identity = false;
  static constexpr bool takes_item = true;
  using T = std::remove_cvref_t<decltype(Vector::data[0])>;
  IluFactors<T> factors;
  int lower_waves = 0, upper_waves = 0;
  bool valid = true;

  template <class At>
  BATCHWORK_INLINE Prepared(At& at, IluInKernel const& how, AnySystems<T> const& a, T* memory) {
    factors.place(how, a, memory);
    T const* const numbers = a.numbers(at.item.number);
    auto const lanes = lanes_at(at);
    bool sound = true;
    lanes.for_each(a.rows, [&](int i) { sound = factors.take(numbers, i) && sound; });
    // All lanes go the same way.
    valid = !any_of_system(at, !sound);
    if (!valid) return;
    if constexpr (works_alone<std::remove_const_t<decltype(lanes)>>) {
      factors.factorise_alone();
    } else {
      lower_waves = factors.template schedule<false>(at);
      upper_waves = factors.template schedule<true>(at);
    }
  }

  template <class At>
  BATCHWORK_INLINE void apply(At& at, Vector& z, Vector const& r) const {
    auto const lanes = lanes_at(at);
    if constexpr (works_alone<std::remove_const_t<decltype(lanes)>>) {
      at.for_each([&](int k) { z.set(k, r(k)); });
      if (valid) factors.solve_alone(z.data);
    } else {
      T* const w = at.second_box();
      at.for_each([&](int k) {
        int const i = at.row_of(k);
        if (i < at.rows) w[i] = r(k);
      });
      if (valid) {
        factors.template substitute<false>(lanes, lower_waves, w);
        lanes.sync();
        factors.template substitute<true>(lanes, upper_waves, w);
      }
      at.for_each([&](int k) {
        int const i = at.row_of(k);
        z.set(k, i < at.rows ? w[i] : T(0));
      });
    }
  }
};

}  // namespace Impl
}  // namespace Batchwork

#endif

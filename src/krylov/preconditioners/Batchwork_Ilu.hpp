// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// ILU(0), the incomplete factorisation on the pattern of the matrix: Y. Saad, Iterative Methods
/// for Sparse Linear Systems, 2nd edition, section 10.3.2, algorithm 10.4.
#ifndef BATCHWORK_ILU_HPP
#define BATCHWORK_ILU_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "krylov/formats/detail/Batchwork_AnySystems.hpp"
#include "krylov/preconditioners/Batchwork_Preconditioner.hpp"
#include "krylov/preconditioners/detail/Batchwork_IluTeam.hpp"

namespace Batchwork {

/// ILU(0): z = U^-1 L^-1 r, where L with a unit diagonal and U have the pattern of A, and L U = A
/// there. Made by ilu. For csr, ell, dia, dense and scaled_identity. With dense, L U = A
/// everywhere, without pivoting. Columns must rise within a row, see check; otherwise the item ends
/// as Reason::invalid_pattern. For conjugate_gradients A must be symmetric.
///
/// A pivot that is missing in the pattern, zero, or without a finite reciprocal becomes 1, in every
/// format.
///
/// Memory of a system: a number for each place of A (with ell, dia and dense also for unused
/// places) and one a row, 2 bytes a place and 21 a row. Where 5 to 64 rows have half of all places
/// or more: a number for every place of a full matrix and one a row, and 10 bytes a row. On devices
/// in team scratch (with the exchange to 40,928 bytes, fewer where a multiprocessor has no room for
/// four such teams: 64 full rows of double, 512 rows of 3 entries), else in the workspace, see
/// workspace_numbers. On hosts a thread allocates it, once for several items.
///
/// Factorised once for an item; an application takes about two operations an entry. On devices 8 to
/// 256 lanes share a system, read it where it is, and go level by level: as many levels as rows
/// that depend on each other one by one, few where rows are numbered by colours. Rows in chains or
/// trees take five steps for 32 of them. Nearly full patterns, which have the memory of a full
/// matrix, go column by column.
struct Ilu {
  using preconditioner_of_systems = void;

  template <class Call, class A>
  void check(Call const& call, A const&) const {
    if constexpr (std::is_void_v<typename A::value_type>)
      call.fail(
          "operand 2, ilu: matrix_free has no entries; give no_preconditioner() or "
          "preconditioner(functor)");
  }
  template <class A>
  Impl::IluInKernel in_kernel(A const& a) const {
    return {int(a.nonzeros() > a.rows() ? a.nonzeros() : a.rows()),
            Impl::suits_ilu_full(a.rows(), a.nonzeros())};
  }
};
/// ILU(0), as an argument of solve: solve(exec, bicgstab(relative(1e-8)), ilu(), A, b, x).
inline Ilu ilu() { return {}; }

namespace Impl {

/// The factors of an item on a host's thread, row by row.
template <class T>
struct IluFactors {
  AnySystems<T> const* of = nullptr;
  int rows = 0;
  T* values = nullptr;
  T* inverse = nullptr;           ///< (row): of the pivot
  std::int16_t *split = nullptr,  ///< (row): the first entry on the diagonal or above
      *above = nullptr,           ///< (row): above it
          *end = nullptr;         ///< (row): entries

  BATCHWORK_INLINE void place(IluInKernel const& how, AnySystems<T> const& a, T* memory) {
    of = &a;
    rows = a.rows;
    values = memory;
    inverse = values + how.places;
    split = reinterpret_cast<std::int16_t*>(inverse + rows);
    above = split + rows;
    end = above + rows;
  }
  /// Where the numbers of a row begin.
  BATCHWORK_INLINE T* row(int i) const { return values + of->first_place(i); }
  BATCHWORK_INLINE int column(int i, int k) const { return of->column(i, k); }

  /// Copies a row of the item. Whether its columns rise.
  BATCHWORK_INLINE bool take(T const* numbers, int i) const {
    T* const to = row(i);
    int before = -1, low = 0;
    bool sound = true, has_diagonal = false;
    auto const from = of->row(numbers, i);
    for (int k = 0; k < from.count; ++k) {
      int const j = from.column(k);
      sound = sound && j > before && j < rows;
      before = j;
      low += j < i ? 1 : 0;
      has_diagonal = has_diagonal || j == i;
      to[k] = from.number(k);
    }
    end[i] = std::int16_t(from.count);
    split[i] = std::int16_t(low);
    above[i] = std::int16_t(low + (has_diagonal ? 1 : 0));
    return sound;
  }

  /// Subtracts the finished row j from row i; entry k of row i is in column j.
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

  BATCHWORK_INLINE void factorise() const {
    for (int i = 0; i < rows; ++i) {
      for (int k = 0; k < split[i]; ++k) eliminate(i, k, column(i, k));
      invert_pivot(i);
    }
  }
  BATCHWORK_INLINE void solve(T* w) const {
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
  IluInKernel const* how;
  AnySystems<T> const* of;
  T* memory;
  bool valid = true;

  template <class At>
  BATCHWORK_INLINE Prepared(At& at, IluInKernel const& in_kernel, AnySystems<T> const& a,
                            T* of_factors)
      : how(&in_kernel), of(&a), memory(of_factors) {
    T const* const numbers = a.numbers(at.item.number);
    if constexpr (requires { at.member; }) {
      if (in_kernel.is_full) take(at, IluFull<T>(a.rows, memory), a, numbers);
      else take(at, IluTeam<T>(in_kernel, a.rows, memory), a, numbers);
      if (!valid) return;
      at.sync();
      make_ilu(at.member, at.rank, at.lanes, in_kernel, a.rows, memory, at.pattern_is_known);
    } else {
      IluFactors<T> const factors = alone();
      for (int i = 0; i < a.rows; ++i) valid = factors.take(numbers, i) && valid;
      if (valid) factors.factorise();
    }
  }
  /// The pattern, where it is not known from an item before, and the numbers.
  template <class At, class Factors>
  BATCHWORK_INLINE void take(At& at, Factors const& factors, AnySystems<T> const& a,
                             T const* numbers) {
    valid = at.pattern_is_known ? factors.is_valid() : factors.take_pattern(at, a, numbers);
    if (valid) factors.take_numbers(lanes_at(at), a, numbers);
  }
  BATCHWORK_INLINE IluFactors<T> alone() const {
    IluFactors<T> factors;
    factors.place(*how, *of, memory);
    return factors;
  }

  template <class At>
  BATCHWORK_INLINE void apply(At& at, Vector& z, Vector const& r) const {
    if constexpr (requires { at.member; }) {
      T* const w = at.second_exchange();
      at.for_each([&](int k) {
        int const i = at.row_of(k);
        if (i < at.rows) w[i] = r(k);
      });
      at.sync();
      if (valid) {
        apply_ilu(at.member, at.rank, at.lanes, *how, at.rows, memory, w);
      }
      at.for_each([&](int k) {
        int const i = at.row_of(k);
        z.set(k, i < at.rows ? w[i] : T(0));
      });
    } else {
      at.for_each([&](int k) { z.set(k, r(k)); });
      if (valid) alone().solve(z.data);
    }
  }
};

}  // namespace Impl
}  // namespace Batchwork

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// ISAI, an incomplete sparse approximate inverse on the pattern of the matrix: H. Anzt, T. K.
/// Huckle, J. Braeckle, J. Dongarra, "Incomplete sparse approximate inverses for parallel
/// preconditioning", Parallel Computing 71 (2018), 1-22. Its form for symmetric positive definite
/// matrices: L. Yu. Kolotilina, A. Yu. Yeremin, "Factorized sparse approximate inverse
/// preconditionings I", SIAM J. Matrix Anal. Appl. 14 (1993), 45-58.
#ifndef BATCHWORK_ISAI_HPP
#define BATCHWORK_ISAI_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "krylov/formats/detail/Batchwork_AnySystems.hpp"
#include "krylov/preconditioners/Batchwork_Preconditioner.hpp"

namespace Batchwork {

/// Most entries of a row in matrices for isai and spd_isai.
inline constexpr int most_entries_of_isai = 32;

namespace Impl {

/// ISAI as kernels see it.
struct IsaiInKernel {
  using preconditioner_of_systems = void;
  static constexpr bool needs_entries = true;
  /// Numbers of the local systems that are solved at once: one of the longest rows.
  static constexpr int local_numbers = most_entries_of_isai * (most_entries_of_isai + 1);
  /// Rows of all of them: they have n rows and n + 1 columns, n being 1 or more.
  static constexpr int local_rows = local_numbers / 2;
  int places = 0;  ///< of an item's numbers
  bool is_spd = false;

  static BATCHWORK_INLINE constexpr LanesWanted lanes_wanted() { return {8}; }
  /// See IsaiRows.
  template <class T>
  BATCHWORK_INLINE std::size_t bytes(int rows) const {
    std::size_t const all = std::size_t(places), n = std::size_t(rows);
    return sizeof(T) * (all + local_numbers) + sizeof(std::int32_t) * n +
           sizeof(std::uint16_t) * (all + 2 * n + local_rows + 4);
  }
};

/// The approximate inverse of an item, with entries where A has them, and its pattern, which is the
/// same for all items. In the symmetric form an entry below the diagonal belongs to L, and one
/// above it to L', so that both products use rows.
template <class T>
struct IsaiRows {
  int rows = 0;
  bool is_spd = false;
  T *values = nullptr, *local = nullptr;
  std::int32_t* first = nullptr;     ///< (row): where its entries begin
  std::uint16_t *columns = nullptr,  ///< (entry)
      *ends = nullptr,               ///< (row): entries
          *below = nullptr,         ///< (row): those to the diagonal, and a bit where that is there
              *order = nullptr,     ///< (local row): see solve_rows
                  *head = nullptr;  ///< whether the pattern is valid, and its widest row

  static constexpr int has_diagonal = 0x8000, below_bits = 0x7fff;

  IsaiRows() = default;
  BATCHWORK_INLINE IsaiRows(IsaiInKernel const& how, int of_rows, T* memory)
      : rows(of_rows), is_spd(how.is_spd), values(memory), local(memory + how.places) {
    first = reinterpret_cast<std::int32_t*>(local + IsaiInKernel::local_numbers);
    columns = reinterpret_cast<std::uint16_t*>(first + rows);
    ends = columns + how.places;
    below = ends + rows;
    order = below + rows;
    head = order + IsaiInKernel::local_rows;
  }
  BATCHWORK_INLINE int to_diagonal(int i) const { return below[i] & below_bits; }
  BATCHWORK_INLINE bool is_valid() const { return head[0] != 0; }

  // ---- the pattern
  // ---------------------------------------------------------------------------------------------

  /// Reads the pattern of a row. Whether its columns rise, and are not too many.
  BATCHWORK_INLINE bool take_row(AnySystems<T> const& a, T const* of_item, int i) const {
    int const begin = a.first_place(i);
    auto const row = a.row(of_item, i);
    int before = -1, low = 0;
    bool sound = true, diagonal = false;
    for (int k = 0; k < row.count; ++k) {
      int const j = row.column(k);
      sound = sound && j > before && j < rows;
      before = j;
      low += j <= i ? 1 : 0;
      diagonal = diagonal || j == i;
      columns[begin + k] = std::uint16_t(j);
    }
    first[i] = begin;
    ends[i] = std::uint16_t(row.count);
    below[i] = std::uint16_t(low | (diagonal ? has_diagonal : 0));
    return sound && row.count <= most_entries_of_isai;
  }
  /// The place of (i, j), or -1.
  BATCHWORK_INLINE int place_of(int i, int j) const {
    for (int k = first[i]; k < first[i] + ends[i]; ++k)
      if (columns[k] == j) return k;
    return -1;
  }
  BATCHWORK_INLINE bool is_mirrored(int i) const {
    bool mirrored = true;
    for (int k = first[i]; k < first[i] + ends[i]; ++k)
      mirrored = mirrored && place_of(columns[k], i) >= 0;
    return mirrored;
  }
  /// Whether it is valid, which all lanes get.
  template <class At>
  BATCHWORK_INLINE bool take_pattern(At& at, AnySystems<T> const& a, T const* of_item) const {
    auto const lanes = lanes_at(at);
    bool sound = true;
    int widest = 0;
    lanes.for_each(rows, [&](int i) {
      sound = take_row(a, of_item, i) && sound;
      widest = ends[i] > widest ? ends[i] : widest;
    });
    local[lanes.rank] = T(widest);
    bool valid = !any_of_system(at, !sound);
    for (int l = 0; l < lanes.count; ++l) widest = int(local[l]) > widest ? int(local[l]) : widest;
    if (valid && is_spd) {
      lanes.for_each(rows, [&](int i) { sound = is_mirrored(i) && sound; });
      valid = !any_of_system(at, !sound);
    }
    if (lanes.rank == 0) {
      head[0] = valid ? 1 : 0;
      head[1] = std::uint16_t(widest);
    }
    lanes.sync();
    return valid;
  }

  // ---- the numbers
  // ---------------------------------------------------------------------------------------------

  /// Lanes that share a row: few of short ones.
  static BATCHWORK_INLINE int lanes_of_local(int widest, int lanes) {
    int const wanted = widest <= 3 ? 1 : widest <= 8 ? 4 : widest <= 16 ? 8 : 16;
    return wanted < lanes ? wanted : lanes;
  }

  /// M(i, J) A(J, J) = e_i(J) for every row i, J being its columns; of the symmetric form those to
  /// the diagonal, and what is found divided by the root of its last number. By Gauss-Jordan
  /// elimination with pivots that stay where they are: the one of column c is in row order[c]. Some
  /// rows at once, each by some lanes; all lanes take as many turns. Whether the lane has met no
  /// system without a finite solution.
  template <class Lanes>
  BATCHWORK_INLINE bool solve_rows(Lanes const& lanes, AnySystems<T> const& a,
                                   T const* of_item) const {
    int const widest = head[1];
    if (widest == 0) return rows == 0;
    int const sharing = lanes_of_local(widest, lanes.count);
    int const most = IsaiInKernel::local_numbers / (widest * (widest + 1));
    int const groups = lanes.count / sharing, at_once = groups < most ? groups : most;
    int const group = lanes.rank / sharing, lane = lanes.rank % sharing, step = widest + 1;
    bool const takes_part = group < at_once;
    T* const b = local + (takes_part ? group : 0) * widest * step;
    std::uint16_t* const pivot_of = order + (takes_part ? group : 0) * widest;
    bool fine = true;
    BATCHWORK_KEEP_LOOP
    for (int i0 = 0; i0 < rows; i0 += at_once) {
      int const i = i0 + group;
      bool const mine = takes_part && i < rows;
      int const n = !mine ? 0 : is_spd ? to_diagonal(i) : int(ends[i]);
      std::uint16_t const* const J = columns + (mine ? first[i] : 0);
      if (mine && (below[i] & has_diagonal) == 0) fine = false;
      // Equation q has in column p the number A(J_p, J_q), and last what it shall be.
      BATCHWORK_KEEP_LOOP
      for (int p = lane; p < n; p += sharing) {
        for (int q = 0; q < n; ++q) b[q * step + p] = T(0);
        b[p * step + n] = J[p] == i ? T(1) : T(0);
        auto const row = a.row(of_item, J[p]);
        for (int k = 0, q = 0; k < row.count; ++k) {
          int const j = row.column(k);
          while (q < n && J[q] < j) ++q;
          if (q < n && J[q] == j) b[q * step + p] = row.number(k);
        }
      }
      lanes.sync();
      unsigned used = 0;
      BATCHWORK_KEEP_LOOP
      for (int c = 0; c < widest; ++c) {
        // Column c is not written to any more, and the pivot's row not in this turn.
        if (c < n) {
          int pivot = -1;
          T largest = T(0);
          for (int q = 0; q < n; ++q) {
            T const v = Kokkos::abs(b[q * step + c]);
            // Not so for NaN.
            if ((used >> q & 1u) == 0 && v > largest) {
              largest = v;
              pivot = q;
            }
          }
          if (pivot < 0) fine = false;
          pivot = pivot < 0 ? 0 : pivot;
          used |= 1u << pivot;
          if (lane == 0) pivot_of[c] = std::uint16_t(pivot);
          T const divisor = b[pivot * step + c];
          BATCHWORK_KEEP_LOOP
          for (int q = lane; q < n; q += sharing) {
            if (q == pivot) continue;
            T const f = b[q * step + c] / divisor;
            BATCHWORK_UNROLL_SOME
            for (int k = c + 1; k <= n; ++k) b[q * step + k] -= f * b[pivot * step + k];
          }
        }
        lanes.sync();
      }
      auto const solution = [&](int c) {
        T const* const row = b + pivot_of[c] * step;
        return row[n] / row[c];
      };
      T scale = T(1);
      if (is_spd && n > 0) {
        T const last = solution(n - 1);
        if (!(last > T(0))) fine = false;
        scale = T(1) / Kokkos::sqrt(last);
      }
      BATCHWORK_KEEP_LOOP
      for (int c = lane; c < n; c += sharing) {
        T const x = solution(c) * scale;
        fine = fine && is_finite(x);
        values[first[i] + c] = x;
        if (is_spd && J[c] != i) values[place_of(J[c], i)] = x;
      }
      // Of the next rows.
      lanes.sync();
    }
    return fine;
  }

  // ---- the application
  // ---------------------------------------------------------------------------------------------

  /// The sum of entries k to end of row i times numbers of w.
  BATCHWORK_INLINE T row_sum(int i, int k, int end, T const* w) const {
    T sum = T(0);
    int const begin = first[i];
    BATCHWORK_UNROLL_SOME
    for (; k < end; ++k) sum += values[begin + k] * w[columns[begin + k]];
    return sum;
  }
};

template <class Vector>
struct Prepared<Vector, IsaiInKernel> {
  static constexpr bool wants_diagonal = false, is_identity = false;
  static constexpr bool takes_item = true;
  using T = std::remove_cvref_t<decltype(Vector::data[0])>;
  IsaiRows<T> inverse;
  bool valid = true;
  bool failed = false;  ///< a local system has no solution

  template <class At>
  BATCHWORK_INLINE Prepared(At& at, IsaiInKernel const& how, AnySystems<T> const& a, T* memory)
      : inverse(how, a.rows, memory) {
    T const* const item = a.numbers(at.item.number);
    bool is_known = false;
    if constexpr (requires { at.pattern_is_known; }) is_known = at.pattern_is_known;
    valid = is_known ? inverse.is_valid() : inverse.take_pattern(at, a, item);
    if (valid) failed = any_of_system(at, !inverse.solve_rows(lanes_at(at), a, item));
  }

  /// z = M r, or L' L r. NaN where there is none: whatever the solver makes of it, x stays.
  template <class At>
  BATCHWORK_INLINE void apply(At& at, Vector& z, Vector const& r) const {
    auto const lanes = lanes_at(at);
    IsaiRows<T> const& m = inverse;
    if constexpr (works_alone<std::remove_const_t<decltype(lanes)>>) {
      for (int i = 0; i < at.rows; ++i) z.data[i] = T(0);
      for (int i = 0; i < at.rows && valid; ++i) {
        if (!m.is_spd) {
          z.data[i] = m.row_sum(i, 0, m.ends[i], r.data);
        } else {
          T const t = m.row_sum(i, 0, m.to_diagonal(i), r.data);
          for (int k = m.first[i]; k < m.first[i] + m.to_diagonal(i); ++k)
            z.data[m.columns[k]] += m.values[k] * t;
        }
        if (failed) z.data[i] = Kokkos::Experimental::quiet_NaN_v<T>;
      }
    } else {
      // What a product published in the first exchange all have read when they have waited once; it
      // is published to again without a wait, so what others read last is in the second.
      T *const w = at.second_exchange(), *const result = at.exchange;
      T* const from = m.is_spd ? result : w;
      if (m.is_spd) lanes.sync();
      at.for_each([&](int k) {
        int const i = at.row_of(k);
        if (i < at.rows) from[i] = r(k);
      });
      lanes.sync();
      // Loops that are not unrolled need fewer registers.
      if (valid) {
        T* const sums = m.is_spd ? w : result;
        lanes.for_each(at.rows, [&](int i) {
          sums[i] = m.row_sum(i, 0, m.is_spd ? m.to_diagonal(i) : int(m.ends[i]), from);
        });
        if (m.is_spd) {
          lanes.sync();
          lanes.for_each(at.rows, [&](int i) {
            result[i] = m.row_sum(i, m.to_diagonal(i) - 1, m.ends[i], w);
          });
        }
      }
      at.for_each([&](int k) {
        int const i = at.row_of(k);
        z.set(k, i >= at.rows ? T(0) : failed ? Kokkos::Experimental::quiet_NaN_v<T> : result[i]);
      });
    }
  }
};

}  // namespace Impl

/// ISAI, an incomplete sparse approximate inverse: z = M r, where M has the pattern of A and M A =
/// I there. Made by isai and spd_isai. Row i of M solves M(i, J) A(J, J) = e_i(J), J being the
/// columns of row i. For csr, ell, dia, dense and scaled_identity with at most 32 entries a row
/// (most_entries_of_isai). The kernel finds longer rows of csr, and columns that do not rise: the
/// items end as Reason::invalid_pattern.
///
/// An item ends as Reason::breakdown with Breakdown::preconditioner, unless its start meets the
/// tolerance, if a row has no diagonal or a local system has a zero pivot or numbers that are not
/// finite. Its x is unchanged, and so are other items. As in LAPACK's getrf, rounding may leave a
/// small pivot in a singular system.
///
/// Memory of a system: a number for each place of A (with ell, dia and dense also for unused
/// places) and 1056 for local systems, 2 bytes a place, 8 a row and 1 KB. On devices in team
/// scratch (with the exchange to 40,928 bytes: 2700 places of double), else in the workspace, see
/// workspace_numbers. On hosts a thread allocates it, once for several items.
///
/// Setup: n^3 operations for a row of n entries, once for an item; rows are independent of each
/// other. On devices 1 to 16 lanes have a row, as many rows at once as the lanes and the 1056
/// numbers have room for, with a wait for every column. An application is a product with a matrix
/// like A, and one wait; ilu waits for every level. On devices 8 to 256 lanes share a system, which
/// is read where it is.
struct Isai {
  using preconditioner_of_systems = void;
  bool is_spd = false;  ///< true for spd_isai, false for isai

  template <class Call, class A>
  void check(Call const& call, A const& a) const {
    std::string const name = is_spd ? "spd_isai" : "isai";
    if constexpr (std::is_void_v<typename A::value_type>) {
      call.fail(
          "operand 2, " + name +
          ": matrix_free has no entries; give no_preconditioner() or preconditioner(functor)");
    } else {
      if (a.rows() > 0 && Impl::knows_widest_row(a.systems()) &&
          a.nonzeros() > a.rows() * most_entries_of_isai)
        call.fail("operand 2, " + name + ": rows of " + std::to_string(a.nonzeros() / a.rows()) +
                  " entries, more than the limit of " + std::to_string(most_entries_of_isai) +
                  "; give block_jacobi or ilu");
    }
  }
  template <class A>
  Impl::IsaiInKernel in_kernel(A const& a) const {
    return {int(a.nonzeros() > a.rows() ? a.nonzeros() : a.rows()), is_spd};
  }
};
/// ISAI, as an argument of solve: solve(exec, bicgstab(relative(1e-8)), isai(), A, b, x).
inline Isai isai() { return {}; }

/// ISAI of symmetric positive definite matrices, for conjugate_gradients: z = L' L r, where L has
/// the pattern of A's lower triangle. M is symmetric positive definite. Row i of L is y / sqrt(y_i)
/// with A(J, J) y = e_i(J), J being the columns of row i up to the diagonal.
///
/// ```cpp
/// solve(exec, conjugate_gradients(relative(1e-8)), spd_isai(), A, b, x);
/// ```
///
/// The pattern must be symmetric, otherwise the items end as Reason::invalid_pattern. A local
/// system that is not positive definite ends its item as a singular one does. An application is two
/// products with half of the entries each. Otherwise as Isai.
inline Isai spd_isai() { return {true}; }

}  // namespace Batchwork

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// InverseRows: the kernel of inverse on devices for most matrices of up to 64 rows, whose lanes
/// hold a whole row or two in registers.
#ifndef BATCHWORK_INVERSEROWS_HPP
#define BATCHWORK_INVERSEROWS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/detail/Batchwork_Elimination.hpp"
#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_AsyncCopy.hpp"
#include "core/detail/backend/Batchwork_Barriers.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_MemoryAccess.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "dense/lu/detail/Batchwork_LuChoice.hpp"
#include "dense/lu/detail/Batchwork_LuProblem.hpp"
#include "dense/lu/detail/Batchwork_WarpsOfItem.hpp"
#include "team/detail/Batchwork_ItemTravel.hpp"
#include "team/detail/Batchwork_PivotSearch.hpp"
#include "team/detail/Batchwork_TeamKernel.hpp"
#include "view/detail/layout/Batchwork_MatrixTravel.hpp"

namespace Batchwork::Impl {

/// Inverses of matrices of up to N rows, a multiple of 8, by Gauss-Jordan elimination with row
/// pivoting, in place (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, section
/// 14.4). It takes the same pivots as LU.
///
/// Rows stay where they are. The lane with the pivot writes its row to scratch, from where all
/// others read it. In each step every number of a row moves one register towards the first, so that
/// one loop does all steps. The first register has the column of the pivot, and the last one takes
/// the column of the inverse that replaces it. One wait a step. Rows are divided by their pivots at
/// the end. Then the lane with the row of pivot k has row k of the inverse, but the columns in the
/// order of the pivots.
///
/// If two rows outgrow the registers of a lane, two warps have every other column. They alternate:
/// one finds a pivot and the multiples of its row, and the other one reads them after a barrier.
/// Where has_shuffles.
template <class T, int N>
struct InverseRows : TeamKernel<InverseRows<T, N>> {
  static_assert(N % 8 == 0 && N > 24 && N <= 64);
  static constexpr int warps = warps_of_inverse_rows<T>(N);
  static constexpr int count = warps * lanes_of_warp;                      ///< lanes of a matrix
  static constexpr int of_lane = (N + lanes_of_warp - 1) / lanes_of_warp;  ///< rows of a lane
  static constexpr int columns = N / warps;                                ///< of these
  /// Numbers that are read at once, and those from one row to the next, so that lanes that read the
  /// same place of theirs do not wait for each other; of the result, where they write one number at
  /// a time.
  static constexpr int together = 16 / int(sizeof(T)), leading = N + together,
                       leading_of_result = N + 1;
  /// Items of a team: as many neighbouring items as fill a sector of 32 bytes, or half of one for
  /// items of two warps: a multiprocessor has registers for one team of four such items, or for
  /// three teams of two.
  static constexpr int most_items = 32 / int(sizeof(T)) / warps;
  /// Where items are not near each other: two warps at least.
  static constexpr int usual_items = std::max(1, 64 / count);
  static constexpr int registers_held = of_lane * columns * int(sizeof(T)) / 4;
  static constexpr int largest_team = lanes_with_registers(registers_held + 40, 1024),
                       wanted_teams = 1;

  // While a matrix is eliminated its place has two lines for each warp, and behind them the
  // multiples of a step.
  static constexpr int of_line = columns + together, to_multiples = 2 * warps * of_line;
  /// Numbers of a matrix, or of its result; then the rows of the pivots, in the order of the
  /// columns that lanes hold, and what each warp found.
  static constexpr int item_numbers = N * leading;
  static constexpr std::size_t item_bytes = [] {
    std::size_t const bytes = item_numbers * sizeof(T) + 2 * N + 4 * warps;
    // Neighbouring items do not begin in the same bank.
    return (bytes + 63) / 128 * 128 + 64;
  }();
  static_assert(to_multiples + N <= item_numbers && item_bytes % 16 == 0);

  using Shell = TeamKernel<InverseRows>;
  using Shell::items_per_team;

  LuProblem<T> p;
  MatrixTravel of_a, of_x;

  InverseRows(LuProblem<T> const& problem, DeviceLimits const& limits) : p(problem) {
    of_a = MatrixTravel::of(p.a, p.n, p.n, true, true);
    of_x = MatrixTravel::of(p.x, p.n, p.n, true, true);
    int const most = of_a.by_items || of_x.by_items ? most_items : usual_items;
    this->add_items(most, 2, limits);
  }
  static constexpr BATCHWORK_INLINE std::size_t bytes_of_item() { return item_bytes; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    char* const scratch = this->template scratch_in<char>(member);
    auto const numbers_of = [&](int item) {
      return reinterpret_cast<T*>(scratch + std::size_t(item) * item_bytes);
    };
    std::int64_t const first = std::int64_t(member.league_rank()) * items_per_team;
    LaneOfItems here;
    here.template take_place<count>(member, items_per_team, p.items - first);
    bool const by_items = of_a.by_items || of_x.by_items;
    auto const meet = [&] {
      if (by_items || warps > 1) member.team_barrier();
      else Vendor::warp_sync(member);
    };

    int const own_a = here.item_of_share(of_a);
    fetch_matrix(here, of_a, p.a, first + own_a, numbers_of(own_a),
                 [](int i, int j) { return i * leading + j; });
    Vendor::copy_async_wait();
    meet();

    T* const numbers = numbers_of(here.item);
    Rows rows;
    rows.read(p.n, here.lane, numbers);
    std::int32_t code = invert(member, here, rows, numbers);
    wait_for_item(member, here);
    bool const finite = put_rows(rows, numbers, code != 0);
    unsigned const failed = Vendor::ballot<lanes_of_warp>(!finite, here.lane % lanes_of_warp);
    std::int32_t* const failures = reinterpret_cast<std::int32_t*>(order_in(numbers) + N);
    if (warps > 1 && here.lane % lanes_of_warp == 0) failures[rows.warp] = failed != 0 ? 1 : 0;
    meet();

    {
      int const which = here.item_of_share(of_x);
      T const* const from = numbers_of(which);
      T* const to = item_of(p.x, first + which);
      here.walk(of_x, [&](int, int i, int j) {
        store_single_numbers(of_x, to + (i * p.x.row + j * p.x.col),
                             from + (i * leading_of_result + j));
      });
    }
    if (!p.status.wanted() || here.lane != 0 || here.item >= here.there) return;
    bool any_failed = failed != 0;
    for (int w = 1; w < warps; ++w) any_failed = any_failed || failures[w] != 0;
    p.status.put(first + here.item, status_with_result(code, any_failed));
  }

 private:
  /// Behind the row of a pivot: its divisor's `inverse`, its pivot_key and where it is.
  struct alignas(16) Pivot {
    T inverse;
    std::int32_t key, row;
  };
  static_assert(sizeof(Pivot) == 16);

  /// The rows of a lane, and of its warp the candidate for the next pivot.
  struct Rows {
    T x[of_lane][columns];
    int warp, row[of_lane];
    int place[of_lane];  ///< that of its pivot, -1 while it has none, N beyond those of the matrix
    PivotReciprocal<T> divisor[of_lane];
    Pivot found;
    int slot;  ///< which of its rows it is, where the lane has it, else -1

    BATCHWORK_INLINE void read(int n, int lane, T const* numbers) {
      warp = warps == 1 ? 0 : lane / lanes_of_warp;
      BATCHWORK_UNROLL
      for (int s = 0; s < of_lane; ++s) {
        row[s] = lane % lanes_of_warp + lanes_of_warp * s;
        place[s] = row[s] < n ? -1 : N;
        divisor[s].scale = divisor[s].inverse = T(1);
        T const* const from = numbers + (row[s] < N ? row[s] : 0) * leading;
        if constexpr (warps == 1) {
          read_together(x[s], from);
        } else {
          BATCHWORK_UNROLL
          for (int j = 0; j < columns; ++j) x[s][j] = from[warps * j + warp];
        }
      }
    }
    /// In the first column.
    BATCHWORK_INLINE void search() {
      PivotSearch<of_lane, false> pivot;
      pivot.find_own([&](int s) { return place[s] < 0 ? pivot_key(x[s][0]) : -1; });
      pivot.find();
      found.key = pivot.key;
      slot = row[0] == pivot.lane ? pivot.slot : -1;
      T const mine = of_lane == 2 && pivot.slot == 1 ? x[of_lane - 1][0] : x[0][0];
      found.inverse = pivot_divisor(mine, pivot.own).inverse;
    }
    /// Less its multiple of the pivot's row. Moves: its first number is gone, and the others come
    /// nearer.
    template <bool Moves, class Between>
    BATCHWORK_INLINE void subtract(T const* line, T const (&l)[of_lane], Between const& between) {
      BATCHWORK_UNROLL
      for (int j = 0; j < columns; j += together) {
        T some[together];
        read_together(some, line + j);
        BATCHWORK_UNROLL
        for (int e = 0; e < together; ++e) {
          if (Moves && j + e == 0) continue;
          BATCHWORK_UNROLL
          for (int s = 0; s < of_lane; ++s)
            x[s][j + e - (Moves ? 1 : 0)] = x[s][j + e] - l[s] * some[e];
        }
        // The first column is there.
        if (j == 0) between();
      }
    }
  };

  static BATCHWORK_INLINE std::int16_t* order_in(T* numbers) {
    return reinterpret_cast<std::int16_t*>(numbers + item_numbers);
  }
  template <class Member>
  BATCHWORK_INLINE void wait_for_item(Member const& member, LaneOfItems const& here) const {
    Vendor::item_barrier<count>(member, here.item, here.items);
  }
  /// Behind the columns that a warp has not yet eliminated.
  BATCHWORK_INLINE int columns_left(int warp) const {
    return columns - (p.n + warps - 1 - warp) / warps;
  }

  /// \returns the status of the first pivot that is zero or not finite
  template <class Member>
  BATCHWORK_INLINE std::int32_t invert(Member const& member, LaneOfItems const& here, Rows& rows,
                                       T* numbers) const {
    std::int32_t code = 0;
    std::int16_t* const order = order_in(numbers) + rows.warp * columns + columns_left(rows.warp);
    wait_for_item(member, here);
    if (rows.warp == 0) rows.search();
    BATCHWORK_KEEP_LOOP
    for (int k = 0; k < p.n; ++k) {
      bool const finds = warps == 1 || rows.warp == (k & 1);
      T* const lines = numbers + (k & 1) * warps * of_line;
      T* const line = lines + rows.warp * of_line;
      T* const multiples = numbers + to_multiples;
      T l[of_lane];
      PivotReciprocal<T> divisor;
      Pivot pivot;
      // What becomes of the row of the pivot, and of the first column of the others.
      auto const know = [&](T const* from) {
        pivot = *reinterpret_cast<Pivot const*>(from + columns);
        divisor.scale = scale_of_pivot<T>(pivot.key);
        divisor.inverse = pivot.inverse;
        BATCHWORK_UNROLL
        for (int s = 0; s < of_lane; ++s) {
          if (rows.row[s] != pivot.row) continue;
          rows.place[s] = k;
          rows.divisor[s] = divisor;
        }
      };
      if (finds) {
        BATCHWORK_UNROLL
        for (int s = 0; s < of_lane; ++s) {
          if (rows.slot != s) continue;
          write_together(line, rows.x[s]);
          rows.found.row = rows.row[s];
          *reinterpret_cast<Pivot*>(line + columns) = rows.found;
          order[k / warps] = std::int16_t(rows.row[s]);
        }
        Vendor::warp_sync(member);
        know(line);
        BATCHWORK_UNROLL
        for (int s = 0; s < of_lane; ++s) {
          l[s] = rows.place[s] == k ? T(0) : divisor * rows.x[s][0];
          if (warps > 1 && rows.row[s] < N) multiples[rows.row[s]] = l[s];
        }
      }
      if constexpr (warps > 1) {
        wait_for_item(member, here);
        if (!finds) {
          know(lines + (1 - rows.warp) * of_line);
          BATCHWORK_UNROLL
          for (int s = 0; s < of_lane; ++s) {
            l[s] = multiples[rows.row[s] < N ? rows.row[s] : 0];
            if (rows.place[s] == k) write_together(line, rows.x[s]);
          }
          Vendor::warp_sync(member);
        }
      }
      if (code == 0 && pivot.key == 0) code = Status::code(Reason::singular, k + 1);
      if (code == 0 && pivot.key >= pivot_key(std::numeric_limits<T>::infinity()))
        code = Status::code(Reason::not_finite, k + 1);
      if (finds) {
        rows.template subtract<true>(line, l, [&] {
          if constexpr (warps == 1) rows.search();
        });
        BATCHWORK_UNROLL
        for (int s = 0; s < of_lane; ++s)
          rows.x[s][columns - 1] = rows.place[s] == k ? T(1) : -l[s];
      } else {
        rows.template subtract<false>(line, l, [&] { rows.search(); });
      }
    }
    return code;
  }

  /// \returns whether the numbers of the lane are finite
  BATCHWORK_INLINE bool put_rows(Rows const& rows, T* numbers, bool failed) const {
    std::int16_t const* const order = order_in(numbers) + rows.warp * columns;
    int const left = columns_left(rows.warp);
    bool finite = true;
    BATCHWORK_UNROLL
    for (int j = 0; j < columns; j += 4) {
      if (j + 4 <= left) continue;
      std::int16_t column[4];
      read_together(column, order + j);
      BATCHWORK_UNROLL
      for (int e = 0; e < 4; ++e) {
        if (j + e < left) continue;
        BATCHWORK_UNROLL
        for (int s = 0; s < of_lane; ++s) {
          if (rows.place[s] >= N) continue;
          T const x =
              failed ? std::numeric_limits<T>::quiet_NaN() : rows.divisor[s] * rows.x[s][j + e];
          finite = finite && is_finite(x);
          numbers[rows.place[s] * leading_of_result + column[e]] = x;
        }
      }
    }
    return finite;
  }
  /// What `t` moves at once, of numbers in scratch that are not aligned.
  static BATCHWORK_INLINE void store_single_numbers(MatrixTravel const& t, T* to, T const* from) {
    auto const some = [&]<int Numbers>() {
      T x[Numbers];
      BATCHWORK_UNROLL
      for (int e = 0; e < Numbers; ++e) x[e] = from[e];
      Vendor::store_vector(to, x);
    };
    if (t.shift == 2) some.template operator()<together>();
    else if (t.shift == 1) some.template operator()<2>();
    else *to = *from;
  }
};

}  // namespace Batchwork::Impl

#endif

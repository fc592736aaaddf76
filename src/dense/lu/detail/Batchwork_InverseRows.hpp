// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// InverseRows: the kernel of inverse on devices for matrices of up to 64 rows, whose lanes hold a whole row or two in registers.
#ifndef BATCHWORK_INVERSEROWS_HPP
#define BATCHWORK_INVERSEROWS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/detail/Batchwork_Elimination.hpp"
#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_Vendor.hpp"
#include "dense/lu/detail/Batchwork_LuProblem.hpp"
#include "dense/lu/detail/Batchwork_WarpsOfItem.hpp"
#include "view/detail/layout/Batchwork_MatrixTravel.hpp"

namespace Batchwork::Impl {

/// Inverses of matrices of up to N rows, a multiple of 8, by Gauss-Jordan elimination with row pivoting in the place of the matrix (Higham,
/// Accuracy and Stability of Numerical Algorithms, 2nd edition, section 14.4). Its pivots are those of LU.
///
/// Rows stay where they are. The lane with the pivot writes its row to scratch, from where all others read it. In each step every
/// number of a row comes one register nearer to the first, so that one loop does all steps: the first register has the column of the
/// pivot, the last one takes the column of the inverse that comes in its place. One wait a step. Rows are divided by their pivots at
/// the end.
///
/// In the end the lane with the row of pivot k has row k of the inverse, but the columns in the order of the pivots. Where has_shuffles.
template <class T, int N>
struct InverseRows {
  static_assert(N % 8 == 0 && N <= 64);
  /// Lanes of a matrix: a warp, two where two rows outgrow the registers of a lane, half of one where they suffice.
  static constexpr int count =
      N <= 16 ? 16 : N > 32 && 2 * N * int(sizeof(T)) / 4 > 200 ? 64 : lanes_of_warp;
  static constexpr int of_lane = (N + count - 1) / count;  ///< rows of a lane
  static constexpr int warps = (count + lanes_of_warp - 1) / lanes_of_warp;
  static constexpr int in_step = std::min(count, lanes_of_warp);  ///< lanes that go in step
  /// Numbers that are read at once, and those from one row to the next, so that lanes that read the same place of theirs do not
  /// wait for each other; of the result, where they write one number at a time.
  static constexpr int together = 16 / int(sizeof(T)), leading = N + together,
                       leading_of_result = N + 1;
  /// Items of a team: a sector of 32 bytes of neighbouring ones.
  static constexpr int most_items = 32 / int(sizeof(T));
  /// Where items are not near each other: two warps at least.
  static constexpr int usual_items = std::max(1, 64 / count);
  static constexpr int registers_held = of_lane * N * int(sizeof(T)) / 4;
  static constexpr int largest_team = lanes_with_registers(registers_held + 40, 1024),
                       wanted_teams = 1;

  /// Numbers of a matrix, of two lines for each warp while it is eliminated, and of the result; then the row of each pivot, and
  /// what each warp found.
  static constexpr int item_numbers = N * leading;
  static constexpr std::size_t item_bytes = [] {
    std::size_t const bytes = item_numbers * sizeof(T) + 2 * N + 4 * warps;
    // Neighbouring items do not begin in the same bank.
    return (bytes + 63) / 128 * 128 + 64;
  }();
  static_assert(2 * warps <= N && item_bytes % 16 == 0);

  LuProblem<T> p;
  int items_per_team = 1;
  MatrixTravel of_a, of_x;

  InverseRows(LuProblem<T> const& problem, DeviceLimits const& limits) : p(problem) {
    of_a = MatrixTravel::of(p.a, p.n, p.n, true, true);
    of_x = MatrixTravel::of(p.x, p.n, p.n, true, true);
    int const least = lanes_of_warp / in_step;
    int const most = std::max(least, of_a.by_items || of_x.by_items ? most_items : usual_items);
    items_per_team = least;
    while (2 * items_per_team <= most && 2 * items_per_team <= p.items) {
      items_per_team *= 2;
      if (bytes() <= limits.scratch(2, team())) continue;
      items_per_team /= 2;
      break;
    }
  }
  std::size_t bytes() const { return std::size_t(items_per_team) * item_bytes + 16; }
  int team() const { return count * items_per_team; }
  std::int64_t teams() const { return (p.items + items_per_team - 1) / items_per_team; }
  bool fits(DeviceLimits const& limits) const {
    return limits.holds(wanted_teams, team(), bytes());
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    char* const scratch = static_cast<char*>(
        member.team_scratch(0).get_shmem_aligned(int(items_per_team * item_bytes), 16));
    auto const numbers_of = [&](int item) {
      return reinterpret_cast<T*>(scratch + std::size_t(item) * item_bytes);
    };
    std::int64_t const first = std::int64_t(member.league_rank()) * items_per_team;
    LaneOfItems here;
    here.template take_place<count>(member, items_per_team, p.items - first);
    bool const by_items = of_a.by_items || of_x.by_items;
    auto const meet = [&] {
      if (by_items || warps > 1) member.team_barrier();
      else Vendor::wait_for_warp(member);
    };

    {
      int const which = here.item_of_share(of_a);
      T* const to = numbers_of(which);
      T const* const from = item_of(p.a, first + which);
      here.walk(of_a, [&](int, int i, int j) {
        fetch_numbers(of_a, to + (i * leading + j), from + (i * p.a.row + j * p.a.col));
      });
    }
    Vendor::wait_for_copies();
    meet();

    T* const numbers = numbers_of(here.item);
    std::int16_t* const order = reinterpret_cast<std::int16_t*>(numbers + item_numbers);
    std::int32_t* const failures = reinterpret_cast<std::int32_t*>(order + N);
    Rows rows;
    rows.read(p.n, here.lane, numbers);
    std::int32_t code = invert(member, here, rows, numbers, order);
    wait_for_item(member, here);
    bool const finite = put_rows(rows, numbers, order, code != 0);
    unsigned const failed = Vendor::votes_of<in_step>(!finite, here.lane % in_step);
    if (warps > 1 && here.lane % in_step == 0) failures[here.lane / in_step] = failed != 0 ? 1 : 0;
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
    // Where only a result is not finite.
    if (code == 0 && any_failed) code = Status::code(Reason::not_finite, 0);
    p.status.put(first + here.item, code);
  }

 private:
  /// Behind the row of a pivot: its divisor's `inverse`, its pivot_key and where it is.
  struct alignas(16) Pivot {
    T inverse;
    std::int32_t key, row;
  };
  static_assert(sizeof(Pivot) == 16);

  /// The rows of a lane, and of those in step the candidate for the next pivot.
  struct Rows {
    T x[of_lane][N];
    int row[of_lane];
    int place[of_lane];  ///< that of its pivot, -1 while it has none, N beyond those of the matrix
    PivotReciprocal<T> divisor[of_lane];
    Pivot found;
    int slot;  ///< which of its rows it is, where the lane has it, else -1

    BATCHWORK_INLINE void read(int n, int lane, T const* numbers) {
      BATCHWORK_UNROLL
      for (int s = 0; s < of_lane; ++s) {
        row[s] = lane + count * s;
        place[s] = row[s] < n ? -1 : N;
        divisor[s].scale = divisor[s].inverse = T(1);
        read_together(x[s], numbers + (row[s] < N ? row[s] : 0) * leading);
      }
    }
    /// In the first column. Of equal ones the first row.
    BATCHWORK_INLINE void search(int lane) {
      std::int32_t best = -1;
      int of_best = 0;
      BATCHWORK_UNROLL
      for (int s = 0; s < of_lane; ++s) {
        std::int32_t const key = place[s] < 0 ? pivot_key(x[s][0]) : -1;
        of_best = key > best ? s : of_best;
        best = key > best ? key : best;
      }
      found.key = Vendor::largest_of<in_step>(best);
      int const in_warp = lane % in_step;
      unsigned votes = Vendor::votes_of<in_step>(best == found.key, in_warp);
      if constexpr (of_lane == 2) {
        unsigned const of_first =
            Vendor::votes_of<in_step>(best == found.key && of_best == 0, in_warp);
        votes = of_first == 0 ? votes : of_first;
      }
      slot = in_warp == Vendor::lowest_bit(votes) ? of_best : -1;
      T const mine = of_lane == 2 && of_best == 1 ? x[of_lane - 1][0] : x[0][0];
      found.inverse = pivot_divisor(mine, best).inverse;
    }
  };

  template <class Member>
  BATCHWORK_INLINE void wait_for_item(Member const& member, LaneOfItems const& here) const {
    Vendor::wait_for_item<count>(member, here.item, here.items);
  }

  /// \returns the status of the first pivot that is zero or not finite
  template <class Member>
  BATCHWORK_INLINE std::int32_t invert(Member const& member, LaneOfItems const& here, Rows& rows,
                                       T* numbers, std::int16_t* order) const {
    std::int32_t code = 0;
    wait_for_item(member, here);
    rows.search(here.lane);
    BATCHWORK_KEEP_LOOP
    for (int k = 0; k < p.n; ++k) {
      T* line = numbers + (k & 1) * warps * leading;
      T* const own_line = line + here.lane / in_step * leading;
      BATCHWORK_UNROLL
      for (int s = 0; s < of_lane; ++s) {
        if (rows.slot != s) continue;
        write_together(own_line, rows.x[s]);
        rows.found.row = rows.row[s];
        *reinterpret_cast<Pivot*>(own_line + N) = rows.found;
      }
      wait_for_item(member, here);
      Pivot pivot = *reinterpret_cast<Pivot const*>(line + N);
      if constexpr (warps == 2) {
        Pivot const other = *reinterpret_cast<Pivot const*>(line + leading + N);
        line += other.key > pivot.key ? leading : 0;
        pivot = other.key > pivot.key ? other : pivot;
      }
      PivotReciprocal<T> divisor;
      divisor.scale = scale_of_pivot<T>(pivot.key);
      divisor.inverse = pivot.inverse;
      if (code == 0 && pivot.key == 0) code = Status::code(Reason::singular, k + 1);
      if (code == 0 && pivot.key >= pivot_key(std::numeric_limits<T>::infinity()))
        code = Status::code(Reason::not_finite, k + 1);
      T l[of_lane], last[of_lane];
      BATCHWORK_UNROLL
      for (int s = 0; s < of_lane; ++s) {
        bool const is_pivot = rows.row[s] == pivot.row;
        if (is_pivot) {
          rows.place[s] = k;
          rows.divisor[s] = divisor;
          order[N - p.n + k] = std::int16_t(rows.row[s]);
        }
        l[s] = is_pivot ? T(0) : divisor * rows.x[s][0];
        last[s] = is_pivot ? T(1) : -l[s];
      }
      auto const subtract = [&](int j) {
        T some[together];
        read_together(some, line + j);
        BATCHWORK_UNROLL
        for (int e = 0; e < together; ++e) {
          if (j + e == 0) continue;
          BATCHWORK_UNROLL
          for (int s = 0; s < of_lane; ++s)
            rows.x[s][j + e - 1] = rows.x[s][j + e] - l[s] * some[e];
        }
      };
      subtract(0);
      rows.search(here.lane);
      BATCHWORK_UNROLL
      for (int j = together; j < N; j += together) subtract(j);
      BATCHWORK_UNROLL
      for (int s = 0; s < of_lane; ++s) rows.x[s][N - 1] = last[s];
    }
    return code;
  }

  /// \returns whether those of the lane are finite
  BATCHWORK_INLINE bool put_rows(Rows const& rows, T* numbers, std::int16_t const* order,
                                 bool failed) const {
    bool finite = true;
    BATCHWORK_UNROLL
    for (int j = 0; j < N; j += 8) {
      if (j + 8 <= N - p.n) continue;
      std::int16_t column[8];
      read_together(column, order + j);
      BATCHWORK_UNROLL
      for (int e = 0; e < 8; ++e) {
        if (j + e < N - p.n) continue;
        BATCHWORK_UNROLL
        for (int s = 0; s < of_lane; ++s) {
          if (rows.place[s] >= N) continue;
          T const x = failed ? std::numeric_limits<T>::quiet_NaN()
                             : rows.divisor[s] * rows.x[s][j + e];
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
      Vendor::store_together(to, x);
    };
    if (t.shift == 2) some.template operator()<together>();
    else if (t.shift == 1) some.template operator()<2>();
    else *to = *from;
  }
};

}  // namespace Batchwork::Impl

#endif

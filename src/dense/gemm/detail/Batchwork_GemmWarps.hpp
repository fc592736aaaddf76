// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of a gemm on devices for items of up to 32 rows, columns and terms with unaligned
/// rows, such as 31 x 31. The numbers of an item are one run without gaps, which is copied to
/// scratch and back by units of 16 bytes, whatever its rows are; they stay as far apart as in
/// memory. A warp has an item for itself and waits for nobody: of many warps some copy while others
/// compute.
#ifndef BATCHWORK_GEMMWARPS_HPP
#define BATCHWORK_GEMMWARPS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_AsyncCopy.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_MatrixInstructions.hpp"
#include "core/detail/backend/Batchwork_MemoryAccess.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "dense/gemm/detail/Batchwork_GemmBlocking.hpp"
#include "dense/gemm/detail/Batchwork_GemmChoice.hpp"
#include "dense/gemm/detail/Batchwork_GemmProblem.hpp"
#include "team/detail/Batchwork_WarpTiles.hpp"

namespace Batchwork::Impl {

template <class T>
struct GemmWarps {
  static constexpr int size = gemm_rows_of_warp;  ///< rows, columns and terms at most
  static constexpr int wide = 16 / int(sizeof(T));
  static constexpr bool by_matrices = Vendor::multiplies_by_warps<T>;
  /// A lane's tile: rows side by side and every eighth column; of matrix instructions every eighth
  /// row and pairs of columns.
  static constexpr int lane_rows = by_matrices ? 4 : 8, lane_cols = by_matrices ? 8 : 4;
  static constexpr int warps = sizeof(T) == 4 ? 4 : 2;  ///< of a team, with an item each
  static constexpr int largest_team = warps * lanes_of_warp;
  static constexpr int wanted_teams = sizeof(T) == 4 ? 6 : 7;

  GemmProblem<T> p;
  std::int64_t columns =
      0;  ///< of all items, where they are columns of one matrix; an item then has `size` of them
  int numbers_a = 0, numbers_b = 0;  ///< of scratch, for an item
  int rounds = 1;                    ///< items of a warp

  explicit GemmWarps(GemmProblem<T> const& problem, std::int64_t concurrency) : p(problem) {
    if (p.n > size) {
      columns = p.n;
      p.items = (p.n + size - 1) / size;
      p.n = size;
      p.b.item = size * p.b.col;
      p.c.item = size * p.c.col;
    } else {
      columns = p.n * p.items;
    }
    // Lanes read, but do not use, what is beyond the last row and column.
    std::int64_t const a = (size - 1) * p.a.row + std::max<std::int64_t>(0, p.k - 1) * p.a.col + 1,
                       b = (size - 1) * p.b.col + std::max<std::int64_t>(0, p.k - 1) * p.b.row + 1;
    numbers_a = int(gemm_round_up(a + wide - 1, wide));
    numbers_b = int(gemm_round_up(std::max(b, p.m * p.n) + wide - 1, wide));
    if (p.shared_a)
      rounds = int(std::clamp<std::int64_t>(
          p.items / (warps * std::max<std::int64_t>(1, concurrency / 64)), 1, 8));
  }
  static constexpr int team() { return largest_team; }
  std::int64_t teams() const {
    return (p.items + std::int64_t(warps) * rounds - 1) / (warps * rounds);
  }
  BATCHWORK_INLINE int numbers() const {
    return (p.shared_a ? 1 : warps) * numbers_a + warps * numbers_b;
  }
  std::size_t bytes() const { return std::size_t(numbers()) * sizeof(T) + 16; }

  /// A run of numbers: how many precede the first unit of 16 bytes.
  static BATCHWORK_INLINE int shift_of(T const* x) {
    return int(reinterpret_cast<std::uintptr_t>(x) / sizeof(T) % wide);
  }
  /// Runs units(n) for the first numbers of whole units of 16 bytes of a run, and number(n) for
  /// what is before and behind them.
  template <class Units, class Number>
  static BATCHWORK_INLINE void share_run(int shift, int count, int lane, int lanes,
                                         Units const& units, Number const& number) {
    int const before = shift == 0 ? 0 : wide - shift, head = before < count ? before : count,
              end = head + (count - head) / wide * wide;
    if (lane < head) number(lane);
    BATCHWORK_KEEP_LOOP
    for (int n = head + lane * wide; n < end; n += lanes * wide) units(n);
    if (end + lane < count) number(end + lane);
  }
  static BATCHWORK_INLINE void fetch_run(T* to, T const* from, int count, int lane, int lanes) {
    share_run(
        shift_of(from), count, lane, lanes,
        [&](int n) { Vendor::copy_async<16>(to + n, from + n); },
        [&](int n) { Vendor::copy_async<int(sizeof(T))>(to + n, from + n); });
  }
  /// From scratch to C, aligned alike.
  BATCHWORK_INLINE void store_run(T* to, T const* from, int count, int lane) const {
    share_run(
        shift_of(to), count, lane, lanes_of_warp,
        [&](int n) {
          Unit<T> const u = *reinterpret_cast<Unit<T> const*>(from + n);
          T x[wide];
          BATCHWORK_UNROLL
          for (int v = 0; v < wide; ++v) x[v] = u.v[v];
          if (p.beta != T(0)) {
            BATCHWORK_UNROLL
            for (int v = 0; v < wide; ++v) x[v] += p.beta * to[n + v];
          }
          Vendor::store_vector(to + n, x);
        },
        [&](int n) { to[n] = p.beta == T(0) ? from[n] : from[n] + p.beta * to[n]; });
  }

  using Sums = T[lane_rows][lane_cols];
  static BATCHWORK_INLINE int row_of(int lane, int r) {
    return by_matrices ? lane / 4 + r * 8 : lane / 8 * lane_rows + r;
  }
  static BATCHWORK_INLINE int col_of(int lane, int c) {
    return by_matrices ? lane % 4 * 2 + c / 2 * 8 + c % 2 : lane % 8 + c * 8;
  }
  BATCHWORK_INLINE void multiply(Sums& sums, T const* a, T const* b, int lane) const {
    int const a_row = int(p.a.row), a_col = int(p.a.col), b_row = int(p.b.row),
              b_col = int(p.b.col), terms = int(p.k);
    if constexpr (by_matrices) {
      // A lane's terms are contiguous, and the next lane's terms are four numbers further: odd rows
      // then have no bank conflicts.
      int const first = lane % 4 * 4;
      a += lane / 4 * a_row + first * a_col;
      b += lane / 4 * b_col + first * b_row;
      BATCHWORK_KEEP_LOOP
      for (int k = 0; k < terms; k += 16) {
        BATCHWORK_UNROLL
        for (int s = 0; s < 4; s += Vendor::fours_at_once) {
          // What is behind the last term counts as zero on both sides.
          auto const there = [&](int f) { return k + first + s + f < terms; };
          multiply_fragments(
              sums,
              [&](int r, int f) { return there(f) ? a[r * 8 * a_row + (s + f) * a_col] : T(0); },
              [&](int c, int f) { return there(f) ? b[c * 8 * b_col + (s + f) * b_row] : T(0); });
        }
        a += 16 * a_col;
        b += 16 * b_row;
      }
    } else {
      a += row_of(lane, 0) * a_row;
      b += col_of(lane, 0) * b_col;
      BATCHWORK_KEEP_LOOP
      for (int k = 0; k < terms; ++k) {
        T x[lane_rows], y[lane_cols];
        BATCHWORK_UNROLL
        for (int r = 0; r < lane_rows; ++r) x[r] = a[r * a_row];
        BATCHWORK_UNROLL
        for (int c = 0; c < lane_cols; ++c) y[c] = b[c * 8 * b_col];
        BATCHWORK_UNROLL
        for (int r = 0; r < lane_rows; ++r) {
          BATCHWORK_UNROLL
          for (int c = 0; c < lane_cols; ++c) sums[r][c] += x[r] * y[c];
        }
        a += a_col;
        b += b_row;
      }
    }
  }
  /// To scratch, as C is in memory.
  BATCHWORK_INLINE void put(Sums const& sums, T* to, int lane, int cols) const {
    int const c_row = int(p.c.row), c_col = int(p.c.col);
    int const i = row_of(lane, 0), j = col_of(lane, 0), down = int(p.m) - i, across = cols - j;
    to += i * c_row + j * c_col;
    BATCHWORK_UNROLL
    for (int r = 0; r < lane_rows; ++r) {
      BATCHWORK_UNROLL
      for (int c = 0; c < lane_cols; ++c) {
        int const y = row_of(0, r), x = col_of(0, c);
        if (y < down && x < across) to[y * c_row + x * c_col] = p.alpha * sums[r][c];
      }
    }
  }

  template <class Member>
  BATCHWORK_INLINE void operator()(Member const& member) const {
    T* const scratch = static_cast<T*>(
        member.team_scratch(0).get_shmem_aligned(std::size_t(numbers()) * sizeof(T), 16));
    int const rank = Vendor::lane_rank(member), warp = rank / lanes_of_warp,
              lane = rank % lanes_of_warp;
    int const of_a = int(p.m * p.k);
    T* const own_a = scratch + (p.shared_a ? 0 : warp * numbers_a);
    T* const own_b = scratch + (p.shared_a ? numbers_a : warps * numbers_a) + warp * numbers_b;
    if (p.shared_a) {
      fetch_run(own_a + shift_of(p.a.data), p.a.data, of_a, rank, largest_team);
      Vendor::copy_async_wait();
      member.team_barrier();
    }
    BATCHWORK_KEEP_LOOP
    for (int round = 0; round < rounds; ++round) {
      std::int64_t const item =
          (std::int64_t(member.league_rank()) * rounds + round) * warps + warp;
      // Warps without an item go along with the others.
      bool const there = item < p.items;
      std::int64_t const left = there ? columns - item * p.n : 0;
      int const cols = int(left < p.n ? left : p.n);
      T const* const a = p.a.of_item(there ? item : 0);
      T const* const b = p.b.of_item(there ? item : 0);
      T* const c = p.c.of_item(there ? item : 0);
      if (there && !p.shared_a) fetch_run(own_a + shift_of(a), a, of_a, lane, lanes_of_warp);
      if (there) fetch_run(own_b + shift_of(b), b, int(p.k) * cols, lane, lanes_of_warp);
      Vendor::copy_async_wait();
      Vendor::warp_sync(member);
      Sums sums;
      BATCHWORK_UNROLL
      for (int r = 0; r < lane_rows; ++r) {
        BATCHWORK_UNROLL
        for (int k = 0; k < lane_cols; ++k) sums[r][k] = 0;
      }
      if (there) multiply(sums, own_a + shift_of(a), own_b + shift_of(b), lane);
      // B has been read; C takes its place.
      Vendor::warp_sync(member);
      if (there) put(sums, own_b + shift_of(c), lane, cols);
      Vendor::warp_sync(member);
      if (there) store_run(c, own_b + shift_of(c), int(p.m) * cols, lane);
      Vendor::warp_sync(member);
    }
  }
};

}  // namespace Batchwork::Impl

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// MergesOfTeam: eigenvalues and eigenvectors of a symmetric tridiagonal matrix by divide and
/// conquer, by a team of warps.
#ifndef BATCHWORK_MERGESOFTEAM_HPP
#define BATCHWORK_MERGESOFTEAM_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <limits>

#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_BitCounts.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_Quotients.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "dense/decompositions/detail/Batchwork_EigenpairMemory.hpp"
#include "dense/decompositions/detail/Batchwork_EigenpairsInScratch.hpp"
#include "team/detail/Batchwork_WarpTiles.hpp"

namespace Batchwork::Impl {

/// Of matrices up to `Tiles` tiles of rows. Leaves of up to 32 rows by implicit QL iterations, a
/// warp each. Pairs of blocks are merged (Cuppen, Numerische Mathematik 36, 1981): deflation as
/// LAPACK's laed2, roots of the secular equation by the middle way (R.-C. Li, LAPACK Working Note
/// 89, 1993), and vectors from a recomputed rank-one change (Gu and Eisenstat, SIAM J. Matrix Anal.
/// Appl. 16, 1995).
///
/// Where laed2 rotates columns of nearly equal values, this leaves them where they are: entries of
/// a run of such values contribute with fixed weights to what is kept of the run, and to what is
/// deflated from it.
template <class T, int Tiles, int Lanes, class Member>
struct MergesOfTeam : EigenpairMemory<T, Lanes, Member> {
  using Memory = EigenpairMemory<T, Lanes, Member>;
  using Memory::alive_count, Memory::pole_count, Memory::blocks, Memory::first_row;
  using Memory::array, Memory::d, Memory::e, Memory::z, Memory::tau;
  using Memory::matrix, Memory::rank, Memory::deep, Memory::tile, Memory::width, Memory::warps;
  using Memory::origin, Memory::kind, Memory::order, Memory::by_block, Memory::upper_count;
  using Memory::pole, Memory::pole_z, Memory::alive_column, Memory::run, Memory::sorted_column;
  using Memory::put_unit, Memory::sync, Memory::sum, Memory::any_of_team, Memory::shape;
  using Memory::sorted_d, Memory::length, Memory::sorted_z, Memory::weight, Memory::alive_z;
  static constexpr int rounds = 4, tiles_at_once = Tiles / rounds;
  /// What deflation neglects in a matrix of this size.
  static constexpr T negligible = T(16) * std::numeric_limits<T>::epsilon();

  BATCHWORK_INLINE explicit MergesOfTeam(Memory const& of) : Memory(of) {}

  /// Leaves first .. last - 1 of a level, rows begin .. end - 1, cut at `middle`.
  struct Block {
    int number, begin, middle, end;
  };
  BATCHWORK_INLINE Block block(int number, int level) const {
    return {number, shape.boundary(number << level),
            shape.boundary((2 * number + 1) << (level - 1)), shape.boundary((number + 1) << level)};
  }
  /// Cuts the tridiagonal matrix, takes the pieces to their eigenvectors. \returns whether
  /// iterations ended
  BATCHWORK_INLINE bool solve_leaves() const {
    int const n = shape.n, half = shape.half(), lane = rank % lanes_of_warp;
    T *const pairs_beside = array(2), *const to = blocks();
    for (int j = rank / width; j < n; j += Lanes / width)
      for (int q = rank % width; q < half / deep; q += width) {
        Unit<T> u;
        BATCHWORK_UNROLL
        for (int c = 0; c < deep; ++c) u.v[c] = T(first_row(j) + q * deep + c == j ? 1 : 0);
        put_unit(to + j * half + q * deep, u);
      }
    for (int j = rank; j < n; j += Lanes) {
      bool const ends = j + 1 == n || is_boundary(j + 1);
      T x = d()[j];
      if (j + 1 < n && ends) x -= abs(e()[j]);
      if (j > 0 && is_boundary(j)) x -= abs(e()[j - 1]);
      pairs_beside[4 * j] = x;
      pairs_beside[4 * j + 1] = ends ? T(0) : e()[j];
    }
    sync();
    WarpLanes const lanes;
    bool open = false;
    BATCHWORK_KEEP_LOOP
    for (int leaf = rank / lanes_of_warp; leaf < shape.leaves(); leaf += warps) {
      int const begin = shape.boundary(leaf), rows = shape.boundary(leaf + 1) - begin;
      EigenpairsInScratch<T, 1, WarpLanes> const pairs{lanes,
                                                       rows,
                                                       half,
                                                       lanes_of_warp,
                                                       lane,
                                                       to + begin * half + begin - first_row(begin),
                                                       pairs_beside + 4 * begin,
                                                       nullptr,
                                                       nullptr};
      open = !pairs.iterate(true) || open;
      if (lane < rows) d()[begin + lane] = pairs_beside[4 * (begin + lane)];
    }
    return !any_of_team(open);
  }
  /// Finds the values of all blocks of a level, and what their vectors are made of. \returns
  /// whether an iteration of the lane did not end
  BATCHWORK_INLINE bool prepare(int level) const {
    find_change(level);
    sync();
    sort_columns(level);
    sync();
    BATCHWORK_KEEP_LOOP
    for (int k = rank / lanes_of_warp; k < shape.leaves() >> level; k += warps)
      deflate(block(k, level));
    sync();
    bool const open = find_roots(level);
    sync();
    recompute_change(level);
    if (level == shape.levels) sort_values();
    sync();
    return open;
  }
  /// Entries of the new vector j of a block, from row 8 first_tile of the block on: combinations of
  /// the vectors that are there. Lane l has vector l / 4, and of each tile rows 2 (l % 4) and the
  /// next one.
  template <int R>
  BATCHWORK_INLINE void combine(double (&x)[R][2], Block const& b, int j, int first_tile) const {
    int const lane = rank % lanes_of_warp, begin = b.begin, half = shape.half();
    int const row0 = begin + first_tile * tile;
    bool const is_root = j - begin < pole_count()[b.number];
    int const kept = is_root ? 0 : kind()[j], joined = is_root || kept < 0 ? -1 : kept;
    T const from = is_root ? pole()[origin()[j]] : T(0), at = is_root ? tau()[j] : T(0);
    int const of_run = joined < 0 ? -1 : run()[begin + joined];
    T by(0), diagonal(0);
    if (joined > 0) {
      T const long_ = length()[begin + joined], before = length()[begin + joined - 1];
      by = alive_z()[begin + joined] / (long_ * before);
      diagonal = -before / long_;
    }
    BATCHWORK_UNROLL
    for (int t = 0; t < R; ++t) {
      BATCHWORK_UNROLL
      for (int c = 0; c < 2; ++c) {
        x[t][c] = 0.0;
        if (kept >= 0) continue;
        // Nothing changes a vector that does not take part.
        int const i = row0 + t * tile + lane % 4 * 2 + c, column = -1 - kept;
        bool const above = column < b.middle;
        if (i >= (above ? begin : b.middle) && i < (above ? b.middle : b.end))
          x[t][c] = double(blocks()[column * half + i - first_row(column)]);
      }
    }
    T square(0);
    BATCHWORK_UNROLL
    for (int part = 0; part < 2; ++part) {
      int const low = part == 0 ? begin : b.middle, high = part == 0 ? b.middle : b.end,
                upper = upper_count()[b.number], first = part == 0 ? 0 : upper,
                last = part == 0 ? upper : int(alive_count()[b.number]);
      BATCHWORK_KEEP_LOOP
      for (int i0 = first; i0 < last; i0 += 8) {
        double own[2];
        T const* y[2];
        BATCHWORK_UNROLL
        for (int f = 0; f < 2; ++f) {
          int const at_i = i0 + 4 * f + lane % 4;
          bool const there = at_i < last;
          int const i = by_block()[begin + (there ? at_i : first)], k = run()[i];
          T const divided = weight()[i] * Vendor::quotient(pole_z()[begin + k],
                                                           T((pole()[begin + k] - from) - at));
          T const joins = k == of_run && i <= begin + joined
                              ? (i == begin + joined ? diagonal : alive_z()[i] * by)
                              : T(0);
          T const share = !there ? T(0) : is_root ? divided : joins;
          square += share * share;
          own[f] = double(share);
          int const column = alive_column()[i];
          y[f] = blocks() + column * half + row0 + lane / 4 - first_row(column);
        }
        BATCHWORK_UNROLL
        for (int t = 0; t < R; ++t) {
          int const row = row0 + t * tile;
          if (row < low || row >= high) continue;
          add_product_in_double(x[t], own[0], double(y[0][t * tile]));
          if (i0 + 4 < last) add_product_in_double(x[t], own[1], double(y[1][t * tile]));
        }
      }
    }
    square += Vendor::shuffle_xor(square, 1);
    square += Vendor::shuffle_xor(square, 2);
    double const scale = is_root && square > T(0) ? double(Vendor::rsqrt(square)) : 1.0;
    BATCHWORK_UNROLL
    for (int t = 0; t < R; ++t) {
      BATCHWORK_UNROLL
      for (int c = 0; c < 2; ++c) x[t][c] *= scale;
    }
  }
  /// Replaces the vectors of a level by those of the next one, some rows at a time: these depend
  /// on the same rows only.
  BATCHWORK_INLINE void merge(int level) const {
    int const of_block = shape.tiles_of_block(level), all = of_block * (shape.leaves() >> level),
              lane = rank % lanes_of_warp;
    BATCHWORK_KEEP_LOOP
    for (int first = 0; first < of_block; first += tiles_at_once) {
      double x[rounds][tiles_at_once][2];
      auto const each = [&](int r, auto const& f) {
        int const task = rank / lanes_of_warp + r * warps;
        if (task >= all) return;
        Block const b = block(task / of_block, level);
        f(b, b.begin + task % of_block * tile + lane / 4);
      };
      BATCHWORK_UNROLL
      for (int r = 0; r < rounds; ++r)
        each(r, [&](Block const& b, int j) { combine(x[r], b, j < b.end ? j : b.end - 1, first); });
      sync();
      BATCHWORK_UNROLL
      for (int r = 0; r < rounds; ++r)
        each(r, [&](Block const& b, int j) {
          if (j >= b.end) return;
          T* const to = blocks() + j * shape.half() + b.begin - first_row(j);
          int const rows = (b.end - b.begin + tile - 1) / tile * tile;
          BATCHWORK_UNROLL
          for (int t = 0; t < tiles_at_once; ++t) {
            BATCHWORK_UNROLL
            for (int c = 0; c < 2; ++c) {
              int const i = (first + t) * tile + lane % 4 * 2 + c;
              if (i < rows) to[i] = T(x[r][t][c]);
            }
          }
        });
    }
    sync();
  }

 private:
  struct WarpLanes {
    BATCHWORK_INLINE void sync() const { Vendor::warp_sync(); }
    BATCHWORK_INLINE bool any_together(bool x) const { return Vendor::any_of_warp(x); }
  };
  BATCHWORK_INLINE bool is_boundary(int i) const {
    bool r = false;
    for (int leaf = 1; leaf < shape.leaves(); ++leaf) r = r || shape.boundary(leaf) == i;
    return r;
  }

  BATCHWORK_INLINE Block block_of(int j, int level) const {
    int number = 0;
    while (shape.boundary((number + 1) << level) <= j) ++number;
    return block(number, level);
  }
  BATCHWORK_INLINE T change_size(Block const& b) const { return T(2) * abs(e()[b.middle - 1]); }

  /// The last row of the upper vectors and the first of the lower ones, as a vector of length 1.
  BATCHWORK_INLINE void find_change(int level) const {
    for (int j = rank; j < shape.n; j += Lanes) {
      Block const b = block_of(j, level);
      bool const upper = j < b.middle;
      T const x = blocks()[j * shape.half() + (upper ? b.middle - 1 : b.middle) - first_row(j)] *
                  T(0.70710678118654752440L);
      z()[j] = upper || e()[b.middle - 1] > T(0) ? x : -x;
    }
  }
  /// Columns of a block by their values. Entries of the change that are negligible become zero.
  BATCHWORK_INLINE void sort_columns(int level) const {
    for (int j = rank; j < shape.n; j += Lanes) {
      Block const b = block_of(j, level);
      T const own = d()[j];
      int place = b.begin;
      BATCHWORK_UNROLL_SOME
      for (int i = b.begin; i < b.end; ++i) {
        T const other = d()[i];
        place += int(other < own) | (int(other == own) & int(i < j));
      }
      sorted_d()[place] = own;
      sorted_z()[place] = change_size(b) * abs(z()[j]) > negligible ? z()[j] : T(0);
      sorted_column()[place] = std::int16_t(j);
    }
  }
  /// By one warp: entries of the change that are not zero, runs of nearly equal values among them,
  /// and what is deflated, at the end of the block.
  BATCHWORK_INLINE void deflate(Block const& b) const {
    int const lane = rank % lanes_of_warp, begin = b.begin;
    unsigned const lower = (1u << lane) - 1u;
    int alive = 0, behind = b.end;
    for (int p0 = begin; p0 < b.end; p0 += lanes_of_warp) {
      int const p = p0 + lane;
      bool const there = p < b.end, lives = there && sorted_z()[p] != T(0);
      unsigned const living = Vendor::ballot(lives), dead = Vendor::ballot(there && !lives);
      if (lives) {
        int const to = begin + alive + Vendor::popcount(living & lower);
        alive_z()[to] = sorted_z()[p];
        pole()[to] = sorted_d()[p];
        alive_column()[to] = sorted_column()[p];
      } else if (there) {
        int const to = behind - 1 - Vendor::popcount(dead & lower);
        d()[to] = sorted_d()[p];
        kind()[to] = std::int16_t(-1 - sorted_column()[p]);
      }
      alive += Vendor::popcount(living);
      behind -= Vendor::popcount(dead);
    }
    Vendor::warp_sync();
    auto const joins = [&](T const& gap, T const& x, T const& y) {
      return abs(gap * x * y) <= negligible * (x * x + y * y);
    };
    bool close = false;
    for (int i = begin + lane; i + 1 < begin + alive; i += lanes_of_warp)
      close = close || joins(pole()[i + 1] - pole()[i], alive_z()[i], alive_z()[i + 1]);
    close = Vendor::any_of_warp(close);
    // A vote does not order accesses of memory.
    Vendor::warp_sync();
    if (!close) {
      for (int i = lane; i < alive; i += lanes_of_warp) {
        run()[begin + i] = std::int16_t(i);
        pole_z()[begin + i] = length()[begin + i] = alive_z()[begin + i];
      }
      if (lane == 0) pole_count()[b.number] = std::int16_t(alive);
    } else if (lane == 0) {
      int k = -1;
      T long_(0), value(0);
      for (int i = 0; i < alive; ++i) {
        T const x = alive_z()[begin + i], own = pole()[begin + i];
        if (k >= 0 && joins(own - value, long_, x)) {
          T const square = long_ * long_ + x * x, root = Kokkos::sqrt(square);
          T const share = x * x / square;
          --behind;
          d()[behind] = own + (value - own) * share;
          kind()[behind] = std::int16_t(i);
          value += (own - value) * share;
          long_ = root;
        } else {
          ++k;
          long_ = x;
          value = own;
        }
        run()[begin + i] = std::int16_t(k);
        length()[begin + i] = long_;
        pole()[begin + k] = value;
        pole_z()[begin + k] = long_;
      }
      pole_count()[b.number] = std::int16_t(k + 1);
    }
    if (lane == 0) alive_count()[b.number] = std::int16_t(alive);
    Vendor::warp_sync();
    int upper = 0;
    for (int i0 = 0; i0 < alive; i0 += lanes_of_warp) {
      int const i = begin + i0 + lane;
      bool const there = i0 + lane < alive, above = there && alive_column()[i] < b.middle;
      unsigned const votes = Vendor::ballot(above);
      int const lower_ones = lane - Vendor::popcount(votes & lower) + i0 - upper;
      if (there) {
        weight()[i] = alive_z()[i] / pole_z()[begin + run()[i]];
        by_block()[above ? begin + upper + Vendor::popcount(votes & lower)
                         : begin + alive - 1 - lower_ones] = std::int16_t(i);
      }
      upper += Vendor::popcount(votes);
    }
    if (lane == 0) upper_count()[b.number] = std::int16_t(upper);
  }

  /// The secular equation of a block: 1 / rho + sum of z_i^2 / (d_i - x), where x is `at` from the
  /// pole `from`. Sums to root r, and behind it.
  struct Secular {
    T value, slope_before, slope_behind, sizes, squares;
  };
  BATCHWORK_INLINE Secular secular(Block const& b, int poles, int r, T const& from, T const& at,
                                   T const& constant, int first, int per) const {
    T before(0), behind(0), squares(0);
    Secular s{};
    BATCHWORK_UNROLL_SOME
    for (int i = first; i < poles; i += per) {
      T const x = pole_z()[b.begin + i];
      T const ratio = Vendor::quotient(x, T((pole()[b.begin + i] - from) - at));
      T const term = x * ratio, slope = ratio * ratio;
      bool const lower = i <= r;
      before += lower ? term : T(0), behind += lower ? T(0) : term;
      s.slope_before += lower ? slope : T(0), s.slope_behind += lower ? T(0) : slope;
      squares += x * x;
    }
    before = sum(before, per), behind = sum(behind, per);
    s.slope_before = sum(s.slope_before, per), s.slope_behind = sum(s.slope_behind, per);
    s.squares = sum(squares, per);
    s.value = constant + (before + behind);
    s.sizes = behind - before;
    return s;
  }
  BATCHWORK_INLINE int lanes_of_root() const {
    int per = 1;
    while (2 * per * shape.n <= Lanes && per < width) per *= 2;
    return per;
  }
  BATCHWORK_INLINE bool find_roots(int level) const {
    constexpr T eps = std::numeric_limits<T>::epsilon() / 2;
    int const per = lanes_of_root();
    bool open = false;
    BATCHWORK_KEEP_LOOP
    for (int j0 = 0; j0 < shape.n; j0 += Lanes / per) {
      int const j = j0 + rank / per, first = rank % per;
      Block const b = block_of(j < shape.n ? j : shape.n - 1, level);
      int const r = j - b.begin, most = pole_count()[b.number];
      bool const there = j < shape.n && r < most, last = r + 1 >= most;
      int const poles = there ? most : 0;
      T const rho = change_size(b), constant = there ? T(1) / rho : T(0);
      T const lower = there ? pole()[j] : T(0);
      T const gap = there && !last ? pole()[j + 1] - lower : T(1);
      // The half in which the root is, and a first guess from its two poles.
      T at = last ? T(0.5) * rho : T(0.5) * gap;
      Secular s = secular(b, poles, r, lower, at, constant, first, per);
      bool upper = false;
      T least(0), most_at = T(0), from = lower;
      if (there && last) {
        most_at = rho * s.squares * (T(1) + T(8) * eps);
        // The other poles as they are there.
        T const x = pole_z()[j] * pole_z()[j], rest = s.value + x / at;
        at = rest * most_at > x ? x / rest : T(0.5) * most_at;
      } else if (there) {
        upper = s.value < T(0);
        T const x = pole_z()[j] * pole_z()[j], y = pole_z()[j + 1] * pole_z()[j + 1];
        T const rest = s.value + (x - y) / (T(0.5) * gap);
        T const toward = upper ? -gap : gap;
        T const own = upper ? y : x, sizes = x + y, scaled = rest * toward;
        // rest - own / at + other / (toward - at) = 0
        T const a = scaled + sizes, q = own * toward;
        T const under = a * a - T(4) * rest * q, root = Kokkos::sqrt(under > T(0) ? under : T(0));
        T const guess = a > T(0) ? T(2) * q / (a + root) : (a - root) / (T(2) * rest);
        from = upper ? pole()[j + 1] : lower;
        least = upper ? T(-0.5) * gap : T(0);
        most_at = upper ? T(0) : T(0.5) * gap;
        at = guess > least && guess < most_at ? guess : T(0.5) * (least + most_at);
      }
      bool goes_on = there;
      BATCHWORK_KEEP_LOOP
      for (int step = 0; step < 60 && Vendor::any_of_warp(goes_on); ++step) {
        s = secular(b, poles, r, from, at, constant, first, per);
        T const slope = s.slope_before + s.slope_behind;
        bool const ends =
            abs(s.value) <= eps * (T(16) * s.sizes + T(2) * constant + abs(at) * slope);
        if (!goes_on || ends) {
          goes_on = false;
          continue;
        }
        if (s.value < T(0)) least = at;
        else most_at = at;
        // The poles on both sides, from here.
        T const p = upper ? -gap - at : -at, q = upper ? -at : gap - at;
        T change;
        if (last) {
          change = s.value * p / (s.value - s.slope_before * p);
        } else {
          T const c = s.value - p * s.slope_before - q * s.slope_behind,
                  a = (p + q) * s.value - p * q * slope, g = p * q * s.value;
          T const under = a * a - T(4) * g * c, root = Kokkos::sqrt(under > T(0) ? under : T(0));
          change = a > T(0) ? T(2) * g / (a + root) : (a - root) / (T(2) * c);
        }
        if (!(s.value * change < T(0))) change = -s.value / slope;
        T next = at + change;
        // Not out of the interval, and halves of it where the others are slow.
        if (!(next > least && next < most_at) || step % 8 == 7) next = middle_of(least, most_at);
        if (abs(next - at) <= T(2) * eps * abs(at)) goes_on = false;
        at = next;
      }
      open = open || goes_on;
      if (there && first == 0) {
        tau()[j] = at;
        origin()[j] = std::int16_t(upper ? j + 1 : j);
        d()[j] = from + at;
      }
    }
    return open;
  }
  /// Of numbers of one sign.
  static BATCHWORK_INLINE T middle_of(T const& x, T const& y) { return T(0.5) * (x + y); }

  /// The change with which the roots are exact.
  BATCHWORK_INLINE void recompute_change(int level) const {
    int const per = lanes_of_root();
    BATCHWORK_KEEP_LOOP
    for (int j0 = 0; j0 < shape.n; j0 += Lanes / per) {
      int const j = j0 + rank / per;
      Block const b = block_of(j < shape.n ? j : shape.n - 1, level);
      bool const there = j < shape.n && j - b.begin < pole_count()[b.number];
      int const end = there ? b.begin + pole_count()[b.number] : b.begin;
      T const own = there ? pole()[j] : T(0);
      T product(1);
      BATCHWORK_UNROLL_SOME
      for (int i = b.begin + rank % per; i < end; i += per) {
        T const to_root = (pole()[origin()[i]] - own) + tau()[i], to_pole = pole()[i] - own;
        product *= i == j ? to_root : Vendor::quotient(to_root, to_pole);
      }
      BATCHWORK_KEEP_LOOP
      for (int step = 1; step < per; step *= 2) product *= Vendor::shuffle_xor(product, step);
      if (there && rank % per == 0) {
        T const x = Kokkos::sqrt(abs(product));
        pole_z()[j] = pole_z()[j] < T(0) ? -x : x;
      }
    }
  }
  BATCHWORK_INLINE void sort_values() const {
    int const n = shape.n;
    for (int j = rank; j < n; j += Lanes) {
      T const own = d()[j];
      int place = 0;
      BATCHWORK_UNROLL_SOME
      for (int i = 0; i < n; ++i) {
        T const other = d()[i];
        place += int(other < own) | (int(other == own) & int(i < j));
      }
      order()[j] = std::int16_t(place);
    }
  }
};

}  // namespace Batchwork::Impl

#endif

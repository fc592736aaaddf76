// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of cholesky, solve_cholesky and solve_lower on devices: a warp for an item of up to
/// 64 rows, a team for a larger one. The right-looking factorisation by groups of four columns
/// (Golub and Van Loan, Matrix Computations, 4th edition, section 4.2; LAPACK's potrf). The
/// triangle lies in scratch; what is still to be factorised is held in registers by the lanes of
/// the warp, in tiles of 8 x 8, so that only a group of columns at a time passes through scratch.
#ifndef BATCHWORK_TRIANGLETEAMS_HPP
#define BATCHWORK_TRIANGLETEAMS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_AsyncCopy.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_MemoryAccess.hpp"
#include "core/detail/backend/Batchwork_Scheduling.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "dense/cholesky/detail/Batchwork_TriangleChoice.hpp"
#include "dense/cholesky/detail/Batchwork_TriangleProblem.hpp"
#include "dense/cholesky/detail/Batchwork_TriangleScratch.hpp"
#include "team/detail/Batchwork_TeamKernel.hpp"
#include "team/detail/Batchwork_WarpTiles.hpp"
#include "view/detail/layout/Batchwork_MatrixTravel.hpp"

namespace Batchwork::Impl {

/// Instead of a number of tiles: a triangle that a team factorises in scratch, because it is too
/// large for the registers of a warp; and a triangle with which a warp only substitutes.
inline constexpr int triangle_in_scratch = 0, triangle_of_solve = -1;

/// Tiles: how many the triangle has down, which a warp holds in registers; or one of the above.
template <class T, int Tiles>
struct TriangleTeams : TeamKernel<TriangleTeams<T, Tiles>> {
  using Shell = TeamKernel<TriangleTeams>;
  using Shell::items_per_team, Shell::bytes;
  static constexpr bool in_registers = Tiles > 0, factors = Tiles != triangle_of_solve;
  /// Whether a multiprocessor has room for the teams that are wanted, whatever the device.
  static constexpr bool always_fits = in_registers;
  static constexpr bool by_warps = Tiles != triangle_in_scratch;
  static constexpr int wide = 16 / int(sizeof(T));
  /// Lanes of the team of one large item.
  static constexpr int large_team = lanes_of_large_triangle,
                       count = by_warps ? lanes_of_warp : large_team;
  /// Right-hand sides in scratch at once.
  static constexpr int most_columns = 8;
  /// Items of a team: a sector of 32 bytes of neighbouring ones, if there is room for them.
  static constexpr int most_items = [] {
    if (!by_warps) return 1;
    std::size_t const bytes =
        std::size_t(TriangleScratch{in_registers ? Tiles : 1}.item_numbers(1)) * sizeof(T);
    int r = 1;
    while (2 * r <= 32 / int(sizeof(T)) && 2 * std::size_t(r) * bytes <= scratch_of_a_team) r *= 2;
    return r;
  }();
  /// Teams that a multiprocessor is to hold at least: what the compiler fits the registers to.
  static constexpr int largest_team = by_warps ? lanes_of_warp * most_items : large_team;
  static constexpr int wanted_teams = std::max(1, (sizeof(T) == 8 ? 256 : 512) / largest_team);

  TriangleProblem<T> p;
  int tiles = Tiles;
  int chunk = 0;  ///< right-hand sides in scratch at once
  int item_numbers = 0;
  MatrixTravel of_a, of_l, of_b, of_x;

  /// As many right-hand sides at once, and items to a team, as fit into the scratch of a team. That
  /// scratch is the size that they were measured with. If an item needs more, it is what leaves
  /// room for the wanted teams, or else all that a team may have.
  TriangleTeams(TriangleProblem<T> const& problem, DeviceLimits const& limits) : p(problem) {
    if (!in_registers) tiles = (p.n + 7) / 8;
    chunk = std::min(p.columns, 1);
    item_numbers = at().item_numbers(chunk);
    std::size_t const share = limits.scratch(wanted_teams, largest_team),
                      measured = std::min(share, scratch_with_kokkos_4),
                      scratch = bytes() <= measured ? measured
                                : bytes() <= share  ? share
                                                    : limits.scratch_of_team;
    chunk = std::min(p.columns, most_columns);
    item_numbers = at().item_numbers(chunk);
    while (chunk > 1 && bytes() > scratch) {
      chunk /= 2;
      item_numbers = at().item_numbers(chunk);
    }
    set_travels();
    bool const side_by_side = of_a.by_items || (p.stores_factor && of_l.by_items);
    int const most = by_warps ? (side_by_side ? most_items : std::min(4, most_items)) : 1;
    double_items(items_per_team, most, p.items,
                 [&] { return bytes() <= std::min(scratch, scratch_of_a_team); });
  }
  /// For teams of any number of warps that share one item at a time, with at most so many bytes of
  /// scratch.
  static TriangleTeams of_one_item(TriangleProblem<T> const& problem, std::size_t scratch)
    requires(!by_warps)
  {
    TriangleTeams k;
    k.p = problem;
    k.tiles = (problem.n + 7) / 8;
    k.chunk = std::min(problem.columns, most_columns);
    while (k.chunk > 1 && std::size_t(k.at().item_numbers(k.chunk)) * sizeof(T) + 16 > scratch)
      k.chunk /= 2;
    k.item_numbers = k.at().item_numbers(k.chunk);
    k.set_travels();
    return k;
  }
  /// Known to the compiler where a warp holds the triangle.
  BATCHWORK_INLINE TriangleScratch at() const { return {in_registers ? Tiles : tiles}; }
  BATCHWORK_INLINE std::size_t bytes_of_item() const {
    return std::size_t(item_numbers) * sizeof(T);
  }

  // ---- between memory and scratch ----

  /// The item that the calling lane works on, and its rank there.
  struct LaneItem : LaneOfTiles {
    T* scratch;

    BATCHWORK_INLINE T* numbers(int which, int item_numbers_) const {
      return scratch + which * item_numbers_;
    }
  };

  /// The lower triangle, with the identity beyond its rows.
  BATCHWORK_INLINE void load_triangle(LaneItem const& here) const {
    here.walk_triangle(of_a, p.n, [&](int item, int i, int j) {
      T const* const from = item_of(p.a, here.first + item) + i * p.a.row + j * p.a.col;
      T* const to = here.numbers(item, item_numbers) + at().place(i, j);
      fetch_numbers(of_a, to, from);
    });
    T* const mine = here.numbers(here.item, item_numbers);
    int const beyond = at().rows() - p.n;
    for (int k = here.lane; k < at().rows() * beyond; k += here.lanes) {
      int const j = k / beyond, i = p.n + k % beyond;
      // Tiles begin at the diagonal.
      if (j / 8 <= i / 8) mine[at().place(i, j)] = i == j ? T(1) : T(0);
    }
  }
  /// Columns c0 .. c0 + columns - 1 of the right-hand sides, with zeros beyond their rows.
  BATCHWORK_INLINE void load_sides(LaneItem const& here, int c0, int columns) const {
    int const offset = at().numbers() + (p.forward ? 0 : chunk * at().rows());
    here.walk(of_b, [&](int item, int i, int j) {
      if (j >= columns) return;
      fetch_together<1>(here.numbers(item, item_numbers) + offset + j * at().rows() + i,
                        item_of(p.b, here.first + item) + i * p.b.row + (c0 + j) * p.b.col);
    });
    T* const mine = here.numbers(here.item, item_numbers) + offset;
    int const beyond = at().rows() - p.n;
    for (int k = here.lane; k < columns * beyond; k += here.lanes)
      mine[k / beyond * at().rows() + p.n + k % beyond] = T(0);
  }
  BATCHWORK_INLINE void store_factor(LaneItem const& here) const {
    here.walk(of_l, [&](int item, int i, int j) {
      T* const to = item_of(p.l, here.first + item) + i * p.l.row + j * p.l.col;
      T const* const from = here.numbers(item, item_numbers) + at().place(i, j);
      if (of_l.shift == 2) store_together<wide>(to, from, j <= i);
      else if (of_l.shift == 1) store_together<2>(to, from, j <= i);
      else *to = j <= i ? *from : T(0);
    });
  }
  /// Numbers of the triangle, or zeros above it.
  template <int Count>
  static BATCHWORK_INLINE void store_together(T* to, T const* from, bool there) {
    T x[Count];
    BATCHWORK_UNROLL
    for (int k = 0; k < Count; ++k) x[k] = T(0);
    if (there) read_together(x, from);
    Vendor::store_vector(to, x);
  }
  /// Whether all that the lane stored is finite.
  BATCHWORK_INLINE bool store_sides(LaneItem const& here, int c0, int columns) const {
    int const offset = at().numbers() + (p.backward ? 0 : chunk * at().rows());
    bool finite = true;
    here.walk(of_x, [&](int item, int i, int j) {
      if (j >= columns) return;
      T const x = here.numbers(item, item_numbers)[offset + j * at().rows() + i];
      item_of(p.x, here.first + item)[i * p.x.row + (c0 + j) * p.x.col] = x;
      finite = finite && is_finite(x);
    });
    return finite;
  }
  /// What the lanes that stored an item found. It overwrites the triangle, which is no longer
  /// needed.
  BATCHWORK_INLINE void leave_finite(LaneItem const& here, bool finite) const {
    int const item = of_x.by_items ? here.rank & (items_per_team - 1) : here.item;
    int const slot = of_x.by_items ? here.rank / items_per_team : here.lane;
    here.numbers(item, item_numbers)[slot] = finite ? T(0) : T(1);
  }
  BATCHWORK_INLINE bool all_finite(LaneItem const& here) const {
    bool finite = true;
    for (int k = 0; k < here.lanes; ++k)
      finite = finite && here.numbers(here.item, item_numbers)[k] == T(0);
    return finite;
  }

  // ---- computing ----

  /// The 4 x 4 triangle on the diagonal. All lanes read it, and each computes with all of it. The
  /// reciprocals of its diagonal are apart.
  struct Corner {
    T d[4][4], inverse[4];

    BATCHWORK_INLINE void read(T const* from) {
      BATCHWORK_UNROLL
      for (int m = 0; m < 4; ++m) {
        BATCHWORK_UNROLL
        for (int k = 0; k <= m; k += wide) {
          if (k == m || (m == 1 && wide == 4)) {
            for (int q = k; q <= m; ++q) d[m][q] = from[4 * m + q];
          } else {
            Unit<T> const u = *reinterpret_cast<Unit<T> const*>(from + 4 * m + k);
            BATCHWORK_UNROLL
            for (int q = 0; q < wide; ++q)
              if (k + q <= m) d[m][k + q] = u.v[q];
          }
        }
      }
    }
    BATCHWORK_INLINE void factorise(int j0, std::int32_t& code) {
      factorise_corner(d, inverse, j0, code);
    }
    BATCHWORK_INLINE void invert_diagonal(int j0, std::int32_t& code) {
      BATCHWORK_UNROLL
      for (int k = 0; k < 4; ++k) inverse[k] = diagonal_reciprocal(d[k][k], j0 + k, code);
    }
    /// The diagonal of a factor that is kept for substitutions holds the reciprocals.
    BATCHWORK_INLINE void take_reciprocals() {
      BATCHWORK_UNROLL
      for (int k = 0; k < 4; ++k) inverse[k] = d[k][k];
    }
    /// x with d x = s; a row of what is below the corner is divided by it in the same way.
    BATCHWORK_INLINE void solve(T (&x)[4]) const {
      BATCHWORK_UNROLL
      for (int k = 0; k < 4; ++k) {
        BATCHWORK_UNROLL
        for (int m = 0; m < k; ++m) x[k] -= x[m] * d[k][m];
        x[k] *= inverse[k];
      }
    }
    BATCHWORK_INLINE void solve_transposed(T (&x)[4]) const {
      BATCHWORK_UNROLL
      for (int k = 3; k >= 0; --k) {
        BATCHWORK_UNROLL
        for (int m = k + 1; m < 4; ++m) x[k] -= x[m] * d[m][k];
        x[k] *= inverse[k];
      }
    }
  };

  template <class Member>
  BATCHWORK_INLINE void wait(Member const& member) const {
    if constexpr (by_warps) Vendor::warp_sync(member);
    else member.team_barrier();
  }

  /// Group g of the factor, from what all groups before it have left of it.
  template <class Member>
  BATCHWORK_INLINE void factor_group(Member const& member, LaneItem const& here, T* triangle, int g,
                                     Corner& corner, std::int32_t& code) const {
    T* const group = triangle + at().group(g);
    corner.read(group + 16 * g);
    corner.factorise(4 * g, code);
    wait(member);
    bool const keeps_reciprocals = p.columns > 0;
    BATCHWORK_UNROLL_IF_KNOWN
    for (int i = g / 2 * 8 + here.lane; i < at().rows(); i += here.lanes) {
      T x[4];
      read_together(x, group + 4 * i);
      corner.solve(x);
      int const down = i - 4 * g;
      BATCHWORK_UNROLL
      for (int k = 0; k < 4; ++k) {
        if (down < k) x[k] = T(0);
        if (down == k && keeps_reciprocals) x[k] = corner.inverse[k];
      }
      write_together(group + 4 * i, x);
    }
  }

  /// Of the right-hand sides, the part that belongs to group g.
  BATCHWORK_INLINE void forward_group(LaneItem const& here, T* triangle, int columns, int g,
                                      Corner const& corner) const {
    T const* const group = triangle + at().group(g);
    T* const sides = triangle + at().numbers();
    for (int c = 0; c < columns; ++c) {
      T* const before = sides + c * at().rows();
      T y[4];
      read_together(y, before + 4 * g);
      corner.solve(y);
      if (here.lane == 0) write_together(before + chunk * at().rows() + 4 * g, y);
      // Rows by the lanes that have written them.
      for (int i = g / 2 * 8 + here.lane; i < at().rows(); i += here.lanes) {
        if (i < 4 * g + 4) continue;
        T x[4];
        read_together(x, group + 4 * i);
        T sum = before[i];
        BATCHWORK_UNROLL
        for (int k = 0; k < 4; ++k) sum -= x[k] * y[k];
        before[i] = sum;
      }
    }
  }
  template <class Member>
  BATCHWORK_INLINE void forward(Member const& member, LaneItem const& here, T* triangle,
                                int columns, std::int32_t& code) const {
    for (int g = 0; 4 * g < p.n; ++g) {
      Corner corner;
      corner.read(triangle + at().group(g) + 16 * g);
      if constexpr (factors) corner.take_reciprocals();
      else corner.invert_diagonal(4 * g, code);
      forward_group(here, triangle, columns, g, corner);
      wait(member);
    }
  }
  template <class Member>
  BATCHWORK_INLINE void backward(Member const& member, LaneItem const& here, T* triangle,
                                 int columns, std::int32_t& code) const {
    T* const sides = triangle + at().numbers();
    for (int g = (p.n + 3) / 4 - 1; g >= 0; --g) {
      T const* const group = triangle + at().group(g);
      Corner corner;
      corner.read(group + 16 * g);
      if constexpr (factors) {
        corner.take_reciprocals();
      } else {
        // The first place that fails is reported, and the groups come last to first.
        std::int32_t here_only = 0;
        corner.invert_diagonal(4 * g, here_only);
        if (here_only != 0) code = here_only;
      }
      for (int c = 0; c < columns; ++c) {
        T *const after = sides + c * at().rows(), *const before = after + chunk * at().rows();
        T x[4];
        read_together(x, before + 4 * g);
        corner.solve_transposed(x);
        if (here.lane == 0) write_together(after + 4 * g, x);
        for (int j = here.lane; j < 4 * g; j += here.lanes) {
          T const* const from = triangle + at().place(4 * g, j);
          T sum = before[j];
          BATCHWORK_UNROLL
          for (int k = 0; k < 4; ++k) sum -= from[4 * k] * x[k];
          before[j] = sum;
        }
      }
      wait(member);
    }
  }

  /// What group g takes from the groups after it; these are in registers.
  template <int M>
  BATCHWORK_INLINE void update_in_registers(LaneItem const& here, T (&rest)[M][2],
                                            T const* triangle, int g) const {
    T const* const group = triangle + at().group(g);
    int const first = (g + 1) / 2;  // an odd group has nothing left in its tile
    subtract_products<Tiles, Tiles, true, T>(
        here, [&](int i, int j) { return rest[i * (i + 1) / 2 + j]; }, first, Tiles,
        [&](int i) { return group + 4 * (8 * i + here.r); }, [](int) { return true; },
        [&](int k, int q, int j) { return group + 4 * (8 * k + j) + q; },
        [&](int k) { return k >= first; });
  }

  template <class Member>
  BATCHWORK_INLINE void factorise(Member const& member, LaneItem const& here, T* triangle,
                                  std::int32_t& code) const
    requires(in_registers)
  {
    constexpr int all = Tiles * (Tiles + 1) / 2;
    int const r = here.r, c = here.c;
    T rest[all][2];
    BATCHWORK_UNROLL
    for (int i = 0; i < Tiles; ++i) {
      BATCHWORK_UNROLL
      for (int j = 0; j <= i; ++j) {
        T const* const from = triangle + at().place(8 * i + r, 8 * j + 2 * c);
        rest[i * (i + 1) / 2 + j][0] = from[0];
        rest[i * (i + 1) / 2 + j][1] = from[1];
      }
    }
    wait(member);
    BATCHWORK_UNROLL
    for (int g = 0; g < 2 * Tiles; ++g) {
      if (4 * g >= p.n) break;
      if (g > 0) {
        if (c / 2 == g % 2) {
          BATCHWORK_UNROLL
          for (int i = g / 2; i < Tiles; ++i) {
            T* const to = triangle + at().group(g) + 4 * (8 * i + r) + 2 * (c % 2);
            to[0] = rest[i * (i + 1) / 2 + g / 2][0];
            to[1] = rest[i * (i + 1) / 2 + g / 2][1];
          }
        }
        wait(member);
      }
      Corner corner;
      factor_group(member, here, triangle, g, corner, code);
      if (p.forward) forward_group(here, triangle, chunk, g, corner);
      wait(member);
      update_in_registers(here, rest, triangle, g);
    }
  }

  /// A large item stays in scratch.
  template <class Member>
  BATCHWORK_INLINE void factorise(Member const& member, LaneItem const& here, T* triangle,
                                  std::int32_t& code) const
    requires(!by_warps)
  {
    int const warp = here.warp, r = here.r, c = here.c;
    for (int g = 0; 4 * g < p.n; ++g) {
      Corner corner;
      factor_group(member, here, triangle, g, corner, code);
      if (p.forward) forward_group(here, triangle, chunk, g, corner);
      wait(member);
      T const* const group = triangle + at().group(g);
      int const first = (g + 1) / 2;
      for (int i = first + warp; i < at().tiles; i += here.lanes / lanes_of_warp) {
        T x[4];
        read_together(x, group + 4 * (8 * i + r));
        for (int j = first; j <= i; ++j) {
          T y[2][4];
          read_together(y[0], group + 4 * (8 * j + 2 * c));
          read_together(y[1], group + 4 * (8 * j + 2 * c + 1));
          T* const to = triangle + at().place(8 * i + r, 8 * j + 2 * c);
          // An even group shares its first tile with itself.
          if (8 * j + 2 * c < 4 * g + 4) continue;
          T rest[2] = {to[0], to[1]};
          BATCHWORK_UNROLL
          for (int k = 0; k < 4; ++k) {
            rest[0] -= x[k] * y[0][k];
            rest[1] -= x[k] * y[1][k];
          }
          to[0] = rest[0];
          to[1] = rest[1];
        }
      }
      wait(member);
    }
  }

  template <class Member>
  BATCHWORK_INLINE LaneItem lane_item(Member const& member, T* scratch) const {
    LaneItem here;
    here.template take_tiles<count>(member, member.league_rank(), items_per_team, p.items);
    here.scratch = scratch;
    return here;
  }

  template <class Member>
  BATCHWORK_INLINE void operator()(Member const& member) const {
    T* const scratch = this->template scratch_in<T>(member);
    run(member, [&] { return lane_item(member, scratch); });
  }
  /// For one item that all lanes of a team share, a multiple of 32.
  /// \param scratch  room for item_numbers and for a number of each lane
  template <class Member>
  BATCHWORK_INLINE void run_one(Member const& member, int lanes, std::int64_t item,
                                T* scratch) const {
    run(member, [&] {
      LaneItem here;
      here.take_team(member, lanes, item, p.items);
      here.scratch = scratch;
      return here;
    });
  }

 private:
  TriangleTeams() = default;
  void set_travels() {
    of_a = MatrixTravel::of(p.a, p.n, p.n, by_warps, true);
    of_a.of_triangle(p.n);
    of_l = MatrixTravel::of(p.l, p.n, p.n, by_warps, p.stores_factor);
    of_b = MatrixTravel::of(p.b, p.n, chunk, by_warps, false);
    of_x = MatrixTravel::of(p.x, p.n, chunk, by_warps, false);
  }
  /// find() finds the calling lane's item.
  template <class Member, class Find>
  BATCHWORK_INLINE void run(Member const& member, Find const& find) const {
    LaneItem here = find();
    T* const triangle = here.numbers(here.item, item_numbers);
    bool const together = of_a.by_items || of_l.by_items || of_b.by_items || of_x.by_items;
    auto const meet = [&] {
      if (together) member.team_barrier();
      else wait(member);
    };

    std::int32_t code = 0;
    bool finite = true;
    load_triangle(here);
    for (int c0 = 0; c0 == 0 || c0 < p.columns; c0 += chunk) {
      int const columns = p.columns - c0 < chunk ? p.columns - c0 : chunk;
      load_sides(here, c0, columns);
      Vendor::copy_async_wait();
      meet();
      if constexpr (factors) {
        if (c0 == 0) {
          factorise(member, here, triangle, code);
          // Found anew, rather than kept while registers are scarce.
          here = find();
          if (p.stores_factor) {
            meet();
            store_factor(here);
          }
        } else {
          forward(member, here, triangle, columns, code);
        }
      } else if (p.forward) {
        forward(member, here, triangle, columns, code);
      }
      if (p.backward) backward(member, here, triangle, columns, code);
      if (p.columns == 0) break;
      meet();
      finite = store_sides(here, c0, columns) && finite;
      meet();
    }
    if (!p.status.wanted()) return;
    if (p.columns > 0) {
      leave_finite(here, finite);
      meet();
    }
    if (here.lane == 0 && here.item < here.there) {
      bool const failed = code == 0 && p.columns > 0 && !all_finite(here);
      p.status.put(here.first + here.item, status_with_result(code, failed));
    }
  }
};

}  // namespace Batchwork::Impl

#endif

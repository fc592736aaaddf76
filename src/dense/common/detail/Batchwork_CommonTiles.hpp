// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// CommonTiles: the right-hand sides of all items by the matrix instructions of warps, in double.
/// Each team factorises the common matrix for itself, and stays for many items.
#ifndef BATCHWORK_COMMONTILES_HPP
#define BATCHWORK_COMMONTILES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/Batchwork_Value.hpp"
#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_MemoryAccess.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "dense/common/detail/Batchwork_CommonFactors.hpp"
#include "dense/common/detail/Batchwork_CommonProblem.hpp"
#include "team/detail/Batchwork_WarpTiles.hpp"

namespace Batchwork::Impl {

/// How a lane reads its numbers of b, or writes those of x.
enum class CommonTravel { numbers, pairs_of_rows, pairs_of_columns };

/// A warp has 8 Sides columns at a time in registers. Lane 4 r + c has numbers 8 j + 2 c and
/// 8 j + 2 c + 1 of column Sides r + s, in z[j][s]. As columns of the right-hand sides are rows of
/// the products, the sums of a matrix instruction are the left factors of the next one: terms 2 c
/// and 2 c + 1 stand for c and c + 4, on both sides.
template <class T, int Tiles,
          int Sides = Tiles == 1   ? 8
                      : Tiles <= 3 ? 4
                                   : 2,
          int Team = Tiles <= 4   ? 512
                     : Tiles <= 8 ? 384
                                  : 256>
struct CommonTiles {
  static constexpr int sides = Sides;
  static constexpr int largest_team = Team, wanted_teams = 1;
  static constexpr int at_once = 8 * sides;
  using Factors = CommonFactors<Tiles>;
  using Numbers = double[Tiles][sides][2];

  CommonProblem<T> p;
  int lanes = largest_team;
  std::int64_t all_teams = 1;
  CommonTravel reads, writes;

  /// \param multiprocessors  that have a team each
  CommonTiles(CommonProblem<T> const& problem, std::int64_t multiprocessors,
              int of_team = largest_team)
      : p(problem), lanes(of_team), reads(travel_of(problem.b)), writes(travel_of(problem.x)) {
    std::int64_t const warps = lanes / lanes_of_warp;
    p.divide(at_once, multiprocessors * warps);
    all_teams = std::max(std::int64_t(1), std::min(multiprocessors, (p.units + warps - 1) / warps));
  }
  std::int64_t teams() const { return all_teams; }
  int team() const { return lanes; }
  static constexpr std::size_t bytes() { return sizeof(Factors) + 16; }
  template <class U>
  CommonTravel travel_of(Storage<U> const& s) const {
    return p.pairs_of_columns(s, p.columns, p.n) ? CommonTravel::pairs_of_columns
           : p.pairs_of_rows(s, p.columns, p.n)  ? CommonTravel::pairs_of_rows
                                                 : CommonTravel::numbers;
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    Factors& factors = Factors::in(member);
    factors.make(member, p);
    int const rank = Vendor::lane_rank(member), lane = rank % lanes_of_warp;
    std::int64_t const warps = lanes / lanes_of_warp, all = p.all_columns();
    BATCHWORK_KEEP_LOOP
    for (std::int64_t u = std::int64_t(member.league_rank()) * warps + rank / lanes_of_warp;
         u < p.units; u += all_teams * warps) {
      std::int64_t const end = (u + 1) * p.unit < all ? (u + 1) * p.unit : all;
      BATCHWORK_KEEP_LOOP
      for (std::int64_t q = u * p.unit; q < end; q += at_once) solve(factors, lane, q, end);
    }
  }

 private:
  BATCHWORK_INLINE void solve(Factors const& f, int lane, std::int64_t first,
                              std::int64_t end) const {
    std::int64_t const own = first + lane / 4 * sides;
    int const there = end - own < sides ? int(end - own) : sides;
    Numbers z;
    load(z, f, lane, own, there);
    bool const failed = f.code != 0 && p.factorises();
    if (!failed) {
      if (p.forward()) forward(z, f, lane);
      if (p.backward()) backward(z, f, lane);
    } else {
      BATCHWORK_UNROLL
      for (int j = 0; j < Tiles; ++j) {
        BATCHWORK_UNROLL
        for (int s = 0; s < sides; ++s)
          z[j][s][0] = z[j][s][1] = std::numeric_limits<double>::quiet_NaN();
      }
    }
    if (p.x.data != nullptr) store(z, lane, own, there);
    if (p.status.wanted()) put_status(z, f.code, lane, own, there);
  }

  BATCHWORK_INLINE void load(Numbers& z, Factors const& f, int lane, std::int64_t own,
                             int there) const {
    bool const moved = f.moved != 0;
    T const* from[sides];
    BATCHWORK_UNROLL
    for (int s = 0; s < sides; ++s) from[s] = s < there ? p.column(p.b, own + s) : nullptr;
    // Each way has its own loops: where ways meet, numbers are waited for.
    T raw[Tiles][sides][2];
    BATCHWORK_UNROLL
    for (int j = 0; j < Tiles; ++j) {
      BATCHWORK_UNROLL
      for (int s = 0; s < sides; ++s) raw[j][s][0] = raw[j][s][1] = T(0);
    }
    int const first_row = 2 * (lane % 4);
    if (reads == CommonTravel::pairs_of_rows && !moved) {
      BATCHWORK_UNROLL
      for (int j = 0; j < Tiles; ++j) {
        BATCHWORK_UNROLL
        for (int s = 0; s < sides; ++s)
          if (s < there && 8 * j + first_row < p.n)
            Vendor::load_vector(raw[j][s], from[s] + 8 * j + first_row);
      }
    } else if (reads == CommonTravel::pairs_of_columns && there == sides) {
      BATCHWORK_UNROLL
      for (int j = 0; j < Tiles; ++j) {
        BATCHWORK_UNROLL
        for (int e = 0; e < 2; ++e) {
          int const row = 8 * j + first_row + e;
          if (row >= p.n) continue;
          std::int64_t const at = (moved ? f.order[row] : row) * p.b.row;
          BATCHWORK_UNROLL
          for (int s = 0; s < sides; s += 2) {
            T two[2];
            Vendor::load_vector(two, from[s] + at);
            raw[j][s][e] = two[0], raw[j][s + 1][e] = two[1];
          }
        }
      }
    } else {
      BATCHWORK_UNROLL
      for (int j = 0; j < Tiles; ++j) {
        BATCHWORK_UNROLL
        for (int e = 0; e < 2; ++e) {
          int const row = 8 * j + first_row + e;
          if (row >= p.n) continue;
          std::int64_t const at = (moved ? f.order[row] : row) * p.b.row;
          BATCHWORK_UNROLL
          for (int s = 0; s < sides; ++s)
            if (s < there) raw[j][s][e] = from[s][at];
        }
      }
    }
    BATCHWORK_UNROLL
    for (int j = 0; j < Tiles; ++j) {
      BATCHWORK_UNROLL
      for (int s = 0; s < sides; ++s)
        z[j][s][0] = double(raw[j][s][0]), z[j][s][1] = double(raw[j][s][1]);
    }
  }
  BATCHWORK_INLINE void store(Numbers const& z, int lane, std::int64_t own, int there) const {
    T* to[sides];
    BATCHWORK_UNROLL
    for (int s = 0; s < sides; ++s) to[s] = s < there ? p.column(p.x, own + s) : nullptr;
    BATCHWORK_UNROLL
    for (int j = 0; j < Tiles; ++j) {
      int const row = 8 * j + 2 * (lane % 4);
      if (writes == CommonTravel::pairs_of_rows && row + 1 < p.n) {
        BATCHWORK_UNROLL
        for (int s = 0; s < sides; ++s) {
          T const two[2] = {T(z[j][s][0]), T(z[j][s][1])};
          if (s < there) Vendor::store_vector(to[s] + row, two);
        }
        continue;
      }
      BATCHWORK_UNROLL
      for (int e = 0; e < 2; ++e) {
        if (row + e >= p.n) continue;
        std::int64_t const at = (row + e) * p.x.row;
        BATCHWORK_UNROLL
        for (int s = 0; s < sides; s += 2) {
          T const two[2] = {T(z[j][s][e]), T(z[j][s + 1][e])};
          if (writes == CommonTravel::pairs_of_columns && s + 1 < there) {
            Vendor::store_vector(to[s] + at, two);
          } else {
            if (s < there) to[s][at] = two[0];
            if (s + 1 < there) to[s + 1][at] = two[1];
          }
        }
      }
    }
  }

  /// The lane's two numbers of a tile, as a right factor.
  static BATCHWORK_INLINE void tile(double (&b)[2], Factors const& f, int number, int lane) {
    read_together(b, f.numbers + number * Factors::of_tile + 2 * lane);
  }
  /// Of the columns, rows j times a tile are added to rows i.
  static BATCHWORK_INLINE void add(double (&to)[sides][2], double const (&from)[sides][2],
                                   Factors const& f, int number, int lane) {
    double left[2][sides], right[2];
    tile(right, f, number, lane);
    BATCHWORK_UNROLL
    for (int s = 0; s < sides; ++s) left[0][s] = from[s][0], left[1][s] = from[s][1];
    add_products([&](int s) { return to[s]; }, left, right);
  }
  static BATCHWORK_INLINE void multiply(double (&z)[sides][2], Factors const& f, int number,
                                        int lane) {
    double y[sides][2] = {};
    add(y, z, f, number, lane);
    BATCHWORK_UNROLL
    for (int s = 0; s < sides; ++s) z[s][0] = y[s][0], z[s][1] = y[s][1];
  }
  static BATCHWORK_INLINE void forward(Numbers& z, Factors const& f, int lane) {
    BATCHWORK_UNROLL
    for (int j = 0; j < Tiles; ++j) {
      multiply(z[j], f, Factors::inverse_of_lower(j), lane);
      BATCHWORK_UNROLL
      for (int i = j + 1; i < Tiles; ++i) add(z[i], z[j], f, Factors::tile(i, j), lane);
    }
  }
  static BATCHWORK_INLINE void backward(Numbers& z, Factors const& f, int lane) {
    BATCHWORK_UNROLL
    for (int j = Tiles - 1; j >= 0; --j) {
      multiply(z[j], f, Factors::inverse_of_upper(j), lane);
      BATCHWORK_UNROLL
      for (int i = j - 1; i >= 0; --i) add(z[i], z[j], f, Factors::tile(i, j), lane);
    }
  }

  BATCHWORK_INLINE void put_status(Numbers const& z, std::int32_t code, int lane, std::int64_t own,
                                   int there) const {
    unsigned bad = 0;
    BATCHWORK_UNROLL
    for (int s = 0; s < sides; ++s) {
      bool finite = true;
      BATCHWORK_UNROLL
      for (int j = 0; j < Tiles; ++j)
        finite = finite && is_finite(T(z[j][s][0])) && is_finite(T(z[j][s][1]));
      bad |= finite ? 0u : 1u << s;
      if (lane % 4 == 0 && s < there) p.put_status(own + s, code);
    }
    // An item's status is written before a column that is not finite replaces it.
    Vendor::warp_sync();
    if (code != 0) return;
    BATCHWORK_UNROLL
    for (int s = 0; s < sides; ++s)
      if ((bad >> s & 1) != 0 && s < there) p.put_not_finite(own + s);
  }
};

}  // namespace Batchwork::Impl

#endif

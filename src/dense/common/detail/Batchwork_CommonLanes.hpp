// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// CommonLanes: the right-hand sides of all items, each by a lane that has it in registers. All
/// lanes read the same factors from scratch. For devices without matrix instructions in double.
#ifndef BATCHWORK_COMMONLANES_HPP
#define BATCHWORK_COMMONLANES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/Batchwork_Value.hpp"
#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "dense/common/detail/Batchwork_CommonFactors.hpp"
#include "dense/common/detail/Batchwork_CommonProblem.hpp"

namespace Batchwork::Impl {

template <class T, int Tiles>
struct CommonLanes {
  static constexpr int rows = 8 * Tiles;
  static constexpr int largest_team = 256;
  static constexpr int wanted_teams = int(sizeof(T)) * Tiles <= 16   ? 4
                                      : int(sizeof(T)) * Tiles <= 32 ? 2
                                                                     : 1;
  using Factors = CommonFactors<Tiles>;
  /// The factors in T, transposed tile by tile: number (r, c) of a tile is at 8 c + r.
  struct alignas(16) Scratch {
    Factors factors;
    T numbers[Factors::tiles * Factors::of_tile];
  };

  CommonProblem<T> p;
  int lanes = largest_team;
  std::int64_t all_teams = 1;

  CommonLanes(CommonProblem<T> const& problem, std::int64_t multiprocessors,
              int of_team = largest_team)
      : p(problem), lanes(of_team) {
    std::int64_t const most = multiprocessors * wanted_teams;
    p.divide(1, most * lanes);
    // A lane has whole items, one status each.
    all_teams = std::max(std::int64_t(1), std::min(most, (p.units + lanes - 1) / lanes));
  }
  std::int64_t teams() const { return all_teams; }
  int team() const { return lanes; }
  static constexpr std::size_t bytes() { return sizeof(Scratch) + 16; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    Scratch& s = *Vendor::in_scratch(
        static_cast<Scratch*>(member.team_scratch(0).get_shmem_aligned(sizeof(Scratch), 16)));
    s.factors.make(member, p);
    int const rank = Vendor::lane_rank(member);
    BATCHWORK_KEEP_LOOP
    for (int e = rank; e < Factors::tiles * Factors::of_tile; e += lanes)
      s.numbers[e / 64 * 64 + e % 8 * 8 + e % 64 / 8] = T(s.factors.numbers[e]);
    member.team_barrier();
    std::int64_t const all = p.all_columns();
    BATCHWORK_KEEP_LOOP
    for (std::int64_t u = std::int64_t(member.league_rank()) * lanes + rank; u < p.units;
         u += all_teams * lanes) {
      std::int64_t const end = (u + 1) * p.unit < all ? (u + 1) * p.unit : all;
      BATCHWORK_KEEP_LOOP
      for (std::int64_t q = u * p.unit; q < end; ++q) solve(s, q);
    }
  }

 private:
  BATCHWORK_INLINE void solve(Scratch const& s, std::int64_t q) const {
    T z[rows];
    T const* const from = p.column(p.b, q);
    T* const to = p.column(p.x, q);
    std::int32_t const code = s.factors.code;
    bool const moved = s.factors.moved != 0, failed = code != 0 && p.factorises();
    BATCHWORK_UNROLL
    for (int i = 0; i < rows; ++i)
      z[i] = i < p.n ? from[(moved ? s.factors.order[i] : i) * p.b.row] : T(0);
    if (p.forward()) {
      BATCHWORK_UNROLL
      for (int j = 0; j < Tiles; ++j) {
        multiply(z, s, Factors::inverse_of_lower(j), j);
        BATCHWORK_UNROLL
        for (int i = j + 1; i < Tiles; ++i) add(z, s, Factors::tile(i, j), i, j);
      }
    }
    if (p.backward()) {
      BATCHWORK_UNROLL
      for (int j = Tiles - 1; j >= 0; --j) {
        multiply(z, s, Factors::inverse_of_upper(j), j);
        BATCHWORK_UNROLL
        for (int i = j - 1; i >= 0; --i) add(z, s, Factors::tile(i, j), i, j);
      }
    }
    bool finite = true;
    BATCHWORK_UNROLL
    for (int i = 0; i < rows; ++i) {
      T const x = failed ? std::numeric_limits<T>::quiet_NaN() : z[i];
      finite = finite && is_finite(x);
      if (i < p.n && p.x.data != nullptr) to[i * p.x.row] = x;
    }
    if (!p.status.wanted()) return;
    p.put_status(q, code);
    if (code == 0 && !finite) p.put_not_finite(q);
  }
  /// y += a tile times rows 8 j, ...
  BATCHWORK_INLINE void add_to(T (&y)[8], T const (&z)[rows], Scratch const& s, int number,
                               int j) const {
    constexpr int wide = 16 / int(sizeof(T));
    T const* const tile = s.numbers + number * Factors::of_tile;
    BATCHWORK_UNROLL
    for (int c = 0; c < 8; ++c) {
      if (Tiles == 1 && c == p.n) break;  // zeros follow
      BATCHWORK_UNROLL
      for (int r = 0; r < 8; r += wide) {
        T a[wide];
        read_together(a, tile + 8 * c + r);
        BATCHWORK_UNROLL
        for (int v = 0; v < wide; ++v) y[r + v] += a[v] * z[8 * j + c];
      }
    }
  }
  BATCHWORK_INLINE void add(T (&z)[rows], Scratch const& s, int number, int i, int j) const {
    T y[8];
    BATCHWORK_UNROLL
    for (int r = 0; r < 8; ++r) y[r] = z[8 * i + r];
    add_to(y, z, s, number, j);
    BATCHWORK_UNROLL
    for (int r = 0; r < 8; ++r) z[8 * i + r] = y[r];
  }
  BATCHWORK_INLINE void multiply(T (&z)[rows], Scratch const& s, int number, int j) const {
    T y[8] = {};
    add_to(y, z, s, number, j);
    BATCHWORK_UNROLL
    for (int r = 0; r < 8; ++r) z[8 * j + r] = y[r];
  }
};

}  // namespace Batchwork::Impl

#endif

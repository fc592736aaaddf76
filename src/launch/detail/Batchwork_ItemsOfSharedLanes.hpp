// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Loads and stores of items that lanes of a warp share, with extents and an arrangement known at
/// run time.
#ifndef BATCHWORK_ITEMSOFSHAREDLANES_HPP
#define BATCHWORK_ITEMSOFSHAREDLANES_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/Batchwork_LaneGrid.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_AsyncCopy.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_LaneSync.hpp"
#include "core/detail/backend/Batchwork_MemoryAccess.hpp"
#include "core/detail/backend/Batchwork_Scheduling.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "launch/detail/Batchwork_StatusTarget.hpp"
#include "view/detail/layout/Batchwork_Storage.hpp"

namespace Batchwork::Impl {

/// The items of a team where L lanes share one, with up to N x N numbers, which pass through the
/// item's exchange: number (i, j) is at i * leading + j. If the same numbers of neighbouring items
/// are adjacent in memory, the team moves its items together, otherwise each warp its own; both in
/// the order of memory. Needs whole warps.
template <class T, int L, int N, class Member>
struct ItemsOfSharedLanes {
  using Ex = Exchange<T, L, N>;
  static constexpr int items_of_warp = lanes_of_warp / L, per_unit = Ex::per_unit;

  Member const& member;
  T* scratch;
  std::int64_t begin, items;
  int per_team;

  /// Computed again at each use; otherwise values derived from it stay in registers from the first
  /// operand to the last.
  BATCHWORK_INLINE int rank() const { return Vendor::renewed(Vendor::lane_rank(member)); }
  BATCHWORK_INLINE int own() const { return rank() / L; }
  BATCHWORK_INLINE bool is_there() const { return begin + own() < items; }
  BATCHWORK_INLINE T* numbers(int slot) const { return scratch + slot * Ex::stride; }
  BATCHWORK_INLINE LaneGrid grid() const {
    int const r = rank();
    return {reinterpret_cast<char*>(numbers(r / L)), r % L, Vendor::LaneSync::of(member)};
  }

  /// Waits for the lanes that move items together, before a load into exchanges that some of them
  /// may still be using.
  BATCHWORK_INLINE void meet(bool whole_team) const {
    if (whole_team) member.team_barrier();
    else Vendor::warp_sync(member);
  }
  /// Loads a rows x cols operand into the exchanges of its items. Missing items and places outside
  /// the operand stay unchanged.
  BATCHWORK_INLINE void load(StoredItems<T const> const& from, int rows, int cols) const {
    for_pieces(from, rows, cols, [&](auto at_once, T* here, T const* there) {
      Vendor::copy_async<int(at_once * sizeof(T))>(here, there);
    });
    Vendor::copy_async_wait();
    meet(from.items_near);
  }
  /// The calling lane's lines of the loaded items: line m is line m L + lane.
  template <int Mine>
  BATCHWORK_INLINE void read_lines(T (&own)[Mine][N]) const {
    T const* const from = numbers(rank() / L) + rank() % L * Ex::leading;
    BATCHWORK_UNROLL
    for (int m = 0; m < Mine; ++m) read_together(own[m], from + m * L * Ex::leading);
  }
  /// The reverse, after all lanes have written it; afterwards the exchanges are free again.
  BATCHWORK_INLINE void store(StoredItems<T> const& to, int rows, int cols) const {
    meet(to.items_near);
    for_pieces(to, rows, cols, [&](auto at_once, T const* here, T* there) {
      T x[at_once];
      read_together(x, here);
      Vendor::store_vector(there, x);
    });
    meet(to.items_near);
  }
  BATCHWORK_INLINE void put_status(StatusTarget const& to, std::int32_t code) const {
    if (to.wanted() && is_there() && Vendor::lane_rank(member) % L == 0)
      to.put(begin + own(), code);
  }

 private:
  /// Whether rows may be carried by 16 bytes.
  template <class U>
  static BATCHWORK_INLINE bool in_units(StoredItems<U> const& of, int cols) {
    Storage<U> const& s = of.storage;
    return !of.items_near && !of.rows_near && s.width == 1 && s.col == 1 &&
           (std::int64_t(cols) | s.row | s.group) % per_unit == 0 &&
           reinterpret_cast<std::uintptr_t>(s.data) % sizeof(Unit<T>) == 0;
  }
  /// Calls body(constant number of numbers, their place in an exchange, their place in memory) for
  /// the lane's part.
  template <class U, class Body>
  BATCHWORK_INLINE void for_pieces(StoredItems<U> const& of, int rows, int cols,
                                   Body const& body) const {
    if (in_units(of, cols)) for_pieces_of<per_unit>(of, rows, cols / per_unit, body);
    else for_pieces_of<1>(of, rows, cols, body);
  }
  template <int AtOnce, class U, class Body>
  BATCHWORK_INLINE void for_pieces_of(StoredItems<U> const& of, int rows, int pieces,
                                      Body const& body) const {
    std::integral_constant<int, AtOnce> const at_once{};
    Storage<U> const& all = of.storage;
    bool const near = of.items_near, by_columns = of.rows_near;
    // Computed again at each use.
    rows = Vendor::renewed(rows), pieces = Vendor::renewed(pieces);
    int const r = rank();
    int const inner = by_columns ? rows : pieces, outer = by_columns ? pieces : rows,
              size = inner * outer;
    int slot = near ? r % per_team : r / lanes_of_warp * items_of_warp;
    int const first = near ? r / per_team : r % lanes_of_warp, step = near ? L : lanes_of_warp;
    std::int64_t const left = items - begin - slot;
    int const most = near ? 1 : items_of_warp;
    int const end = left <= 0 ? 0 : (left < most ? int(left) : most) * size;
    int const item = first / size, line = (first - item * size) / inner;
    slot += item;
    int o = line, n = first - item * size - line * inner;
    // From one turn to the next.
    int const slots = step / size, lines = (step - slots * size) / inner,
              numbers_on = step - slots * size - lines * inner;
    // The distance between pieces and between their lines: in memory, in bytes, and in the
    // exchange.
    using Bytes = std::conditional_t<std::is_const_v<U>, char const, char>;
    std::int64_t const by_row = all.row * sizeof(T), by_piece = all.col * AtOnce * sizeof(T),
                       by_item = all.group * sizeof(T);
    std::int64_t const there_n = by_columns ? by_row : by_piece,
                       there_o = by_columns ? by_piece : by_row;
    int const here_n = by_columns ? Ex::leading : AtOnce,
              here_o = by_columns ? AtOnce : Ex::leading;
    auto const place = [&] {
      return reinterpret_cast<Bytes*>(item_of(all, begin + slot)) + (o * there_o + n * there_n);
    };
    Bytes* there = place();
    int here = slot * Ex::stride + o * here_o + n * here_n;
    std::int64_t const there_on = numbers_on * there_n + lines * there_o + slots * by_item,
                       next_line = there_o - inner * there_n, next_item = by_item - outer * there_o;
    int const here_on = numbers_on * here_n + lines * here_o + slots * Ex::stride;
    // The items of groups are not equidistant.
    bool const in_groups = all.width != 1;
    BATCHWORK_KEEP_LOOP
    for (int q = first; q < end; q += step) {
      body(at_once, scratch + here, reinterpret_cast<U*>(there));
      n += numbers_on, o += lines, here += here_on, there += there_on;
      if (n >= inner) n -= inner, ++o, here += here_o - inner * here_n, there += next_line;
      bool const next = o >= outer;
      if (next) o -= outer, here += Ex::stride - outer * here_o, there += next_item;
      if (in_groups) slot += slots + (next ? 1 : 0), there = place();
    }
  }
};

/// The teams of a kernel whose lanes share items: as large as possible with room for WantedTeams of
/// them on a multiprocessor, with an exchange for each item.
template <class T, int L, int N, int WantedTeams>
struct TeamsOfSharedLanes {
  static constexpr int largest_team = 128, wanted_teams = WantedTeams;

  std::int64_t items;
  int lanes = largest_team;

  TeamsOfSharedLanes(std::int64_t count, DeviceLimits const& limits) : items(count) {
    while (lanes > lanes_of_warp && (bytes() > scratch_of_a_team || !fits(limits))) lanes /= 2;
  }
  bool fits(DeviceLimits const& limits) const { return limits.holds(wanted_teams, lanes, bytes()); }
  int team() const { return lanes; }
  BATCHWORK_INLINE std::size_t bytes_of_exchanges() const {
    return Exchange<T, L, N>::bytes * std::size_t(lanes / L);
  }
  std::size_t bytes() const { return bytes_of_exchanges() + 16; }
  std::int64_t teams() const { return (items + lanes / L - 1) / (lanes / L); }

  template <class Member>
  BATCHWORK_INLINE ItemsOfSharedLanes<T, L, N, Member> items_of(Member const& member) const {
    T* const scratch =
        static_cast<T*>(member.team_scratch(0).get_shmem_aligned(bytes_of_exchanges(), 16));
    int const per_team = lanes / L;
    return {member, scratch, std::int64_t(member.league_rank()) * per_team, items, per_team};
  }
};

}  // namespace Batchwork::Impl

#endif

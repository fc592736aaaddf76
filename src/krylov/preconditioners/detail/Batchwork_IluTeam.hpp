// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// ILU(0) by the lanes of a device that share a system: rows by levels, see RowStages.
#ifndef BATCHWORK_ILUTEAM_HPP
#define BATCHWORK_ILUTEAM_HPP

#include <cstddef>
#include <cstdint>

#include "core/Batchwork_SystemLanes.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "core/detail/backend/Batchwork_WarpReductions.hpp"
#include "krylov/formats/detail/Batchwork_AnySystems.hpp"
#include "krylov/preconditioners/Batchwork_Preconditioner.hpp"
#include "krylov/preconditioners/detail/Batchwork_IluFull.hpp"
#include "krylov/preconditioners/detail/Batchwork_RowStages.hpp"

namespace Batchwork::Impl {

/// ILU(0) as kernels see it.
struct IluInKernel {
  using preconditioner_of_systems = void;
  static constexpr bool needs_entries = true;
  int places = 0;        ///< of numbers in an item's factors
  bool is_full = false;  ///< whether lanes share it as IluFull has it

  /// What lanes do one after the other takes as long however many there are: few of them leave a
  /// multiprocessor more systems.
  static BATCHWORK_INLINE constexpr LanesWanted lanes_wanted() {
    return {least_lanes_of_stages, 128};
  }
  /// See IluTeam and IluFull.
  template <class T>
  BATCHWORK_INLINE std::size_t bytes(int rows) const {
    if (is_full) return IluFull<T>::bytes(rows);
    std::size_t const all = std::size_t(places), n = std::size_t(rows);
    return sizeof(T) * (all + n) + sizeof(std::int32_t) * n +
           sizeof(std::uint16_t) * (all + 2 * n + 2 * std::size_t(RowStages::size(rows)) + 4);
  }
};

/// The factors of an item, with entries where A has them, and data of its pattern, which are the
/// same for all items: the lanes find them for their first one. The terms of a row are its entries
/// on one side of the diagonal. Terms of L are in ascending order of columns, terms of U in
/// descending order. With rows in their natural order, the first terms are the first to be known.
template <class T>
struct IluTeam {
  int rows;
  T *values, *inverse;     ///< (row): of the pivot
  std::int32_t* first;     ///< (row): where its entries begin
  std::uint16_t *columns,  ///< (entry)
      *below,              ///< (row): entries left of the diagonal, and a bit where that is there
      *ends,               ///< (row): entries
      *head;               ///< whether the pattern is valid, and how many stages there are

  static constexpr int has_pivot = 0x8000, below_bits = 0x7fff;

  BATCHWORK_INLINE IluTeam(IluInKernel const& how, int of_rows, T* memory)
      : rows(of_rows), values(memory), inverse(values + how.places) {
    first = reinterpret_cast<std::int32_t*>(inverse + rows);
    columns = reinterpret_cast<std::uint16_t*>(first + rows);
    below = columns + how.places;
    ends = below + rows;
    head = ends + rows;
  }

  BATCHWORK_INLINE int split(int i) const { return below[i] & below_bits; }
  BATCHWORK_INLINE int above(int i) const {
    int const b = below[i];
    return (b & below_bits) + ((b & has_pivot) != 0 ? 1 : 0);
  }
  BATCHWORK_INLINE bool is_valid() const { return head[0] != 0; }

  /// Which triangle is known at run time: code for both is as long as a cache of instructions.
  BATCHWORK_INLINE RowStages stages(bool of_upper) const {
    return RowStages::at(head + 4 + (of_upper ? RowStages::size(rows) : 0), rows);
  }
  BATCHWORK_INLINE int terms(bool of_upper, int i) const {
    return of_upper ? ends[i] - above(i) : split(i);
  }
  /// Where the terms of a row are: term t at first_term + t * step.
  BATCHWORK_INLINE int first_term(bool of_upper, int i) const {
    return of_upper ? first[i] + ends[i] - 1 : first[i];
  }
  static BATCHWORK_INLINE int step(bool of_upper) { return of_upper ? -1 : 1; }
  BATCHWORK_INLINE int count(bool of_upper) const { return head[of_upper ? 2 : 1]; }

  // ---- the pattern
  // ---------------------------------------------------------------------------------------------

  /// Reads the pattern of a row. Whether its columns rise.
  BATCHWORK_INLINE bool take_row(AnySystems<T> const& a, T const* of_item, int i) const {
    int const begin = a.first_place(i);
    auto const row = a.row(of_item, i);
    int before = -1, low = 0;
    bool sound = true, has_diagonal = false;
    for (int k = 0; k < row.count; ++k) {
      int const j = row.column(k);
      sound = sound && j > before && j < rows;
      before = j;
      low += j < i ? 1 : 0;
      has_diagonal = has_diagonal || j == i;
      columns[begin + k] = std::uint16_t(j);
    }
    first[i] = begin;
    below[i] = std::uint16_t(low | (has_diagonal ? has_pivot : 0));
    ends[i] = std::uint16_t(row.count);
    return sound;
  }
  /// By one lane: the level of a row is one more than the levels of the rows that it needs.
  BATCHWORK_INLINE void find_levels(bool of_upper) const {
    std::uint16_t* const level = stages(of_upper).place;
    BATCHWORK_KEEP_LOOP
    for (int n = 0; n < rows; ++n) {
      int const i = of_upper ? rows - 1 - n : n;
      int const all = terms(of_upper, i);
      std::uint16_t const* const column = columns + first[i] + (of_upper ? above(i) : 0);
      int mine = 0;
      BATCHWORK_UNROLL_SOME
      for (int t = 0; t < all; ++t) {
        int const needed = level[column[t]] + 1;
        mine = needed > mine ? needed : mine;
      }
      level[i] = std::uint16_t(mine);
    }
  }
  /// Whether a row that is taken off row i as its term t changes nothing else of it than the pivot.
  BATCHWORK_INLINE bool changes_pivot_alone(int i, int t) const {
    int const begin = first[i], last = ends[i], k = columns[begin + t];
    int const other = first[k], last_other = ends[k];
    int p = t + 1;
    for (int q = above(k); q < last_other; ++q) {
      int const c = columns[other + q];
      while (p < last && columns[begin + p] < c) ++p;
      if (p < last && columns[begin + p] == c && c != i) return false;
    }
    return true;
  }
  template <class Lanes>
  BATCHWORK_INLINE void find_leads(Lanes const& lanes, bool of_upper) const {
    RowStages const of = stages(of_upper);
    int const all_stages = count(of_upper);
    BATCHWORK_KEEP_LOOP
    for (int s = 0, begin = 0; s < all_stages; ++s) {
      int const end = of.stages[s] & RowStages::end_bits;
      bool waits = false, branches = false, shares = end - begin > rows_of_a_stage(lanes.count);
      BATCHWORK_KEEP_LOOP
      for (int p = begin + lanes.rank; p < end; p += lanes.count) {
        int const i = of.order[p] & RowStages::row_bits, all = terms(of_upper, i);
        int t = 0;
        for (int e = first_term(of_upper, i); t < all && of.place[columns[e]] < begin;
             e += step(of_upper))
          ++t;
        of.lead[i] = std::uint16_t(t);
        shares = shares || t >= RowStages::few_terms;
        waits = waits || t < all;
        branches = branches || t + 1 < all || (!of_upper && t < all && !changes_pivot_alone(i, t));
      }
      if constexpr (Vendor::has_shuffles) {
        // Where rows wait for others of their stage, all of it is in the first warp; systems of a
        // warp have the same pattern.
        waits = Vendor::any_of_warp(waits);
        branches = Vendor::any_of_warp(branches);
        shares = Vendor::any_of_warp(shares);
        lanes.sync();
        if (lanes.rank == 0)
          of.stages[s] = std::uint16_t(end | (shares ? 0 : RowStages::by_warp) |
                                       (waits ? RowStages::has_levels : 0) |
                                       (waits && !branches ? RowStages::is_forest : 0));
      }
      begin = end;
    }
  }
  /// Reads the pattern. Whether it is valid, which all lanes get, since they go the same way.
  template <class At>
  BATCHWORK_INLINE bool take_pattern(At& at, AnySystems<T> const& a, T const* of_item) const {
    auto const lanes = lanes_at(at);
    bool sound = true;
    lanes.for_each(rows, [&](int i) { sound = take_row(a, of_item, i) && sound; });
    bool const valid = !any_of_system(at, !sound);
    if (lanes.rank == 0) head[0] = valid ? 1 : 0;
    return valid;
  }
  /// Finds the stages of both triangles, in two warps, where there are two.
  template <class Lanes>
  BATCHWORK_INLINE void find_stages(Lanes const& lanes) const {
    int const other = lanes.count > lanes_of_warp ? lanes_of_warp : 0;
    int const most = rows_of_a_stage(lanes.count);
    BATCHWORK_KEEP_LOOP
    for (int u = 0; u < 2; ++u)
      if (lanes.rank == (u == 0 ? 0 : other)) find_levels(u != 0);
    lanes.sync();
    BATCHWORK_KEEP_LOOP
    for (int u = 0; u < 2; ++u)
      lanes.for_each(rows, [&](int i) { stages(u != 0).find_place(rows, i); });
    lanes.sync();
    BATCHWORK_KEEP_LOOP
    for (int u = 0; u < 2; ++u) {
      RowStages const of = stages(u != 0);
      lanes.for_each(rows, [&](int i) { of.place[i] = of.lead[i]; });
      if (lanes.rank == (u == 0 ? 0 : other))
        head[1 + u] = std::uint16_t(of.find_stages(rows, most));
    }
    lanes.sync();
    BATCHWORK_KEEP_LOOP
    for (int u = 0; u < 2; ++u) find_leads(lanes, u != 0);
    lanes.sync();
  }

  // ---- the numbers
  // ---------------------------------------------------------------------------------------------

  /// Copies the numbers of an item, neighbouring lanes neighbouring ones.
  template <class Lanes>
  BATCHWORK_INLINE void take_numbers(Lanes const& lanes, AnySystems<T> const& a,
                                     T const* of_item) const {
    a.copy_numbers(lanes, of_item, ends, values);
  }

  /// Takes row k, which is done and which term t of row i is, off row i: its entries `mine`, mine +
  /// apart, ... Gives the number of the term in L.
  BATCHWORK_INLINE T eliminate(int i, int t, int mine, int apart) const {
    T* const of = values + first[i];
    std::uint16_t const* const column = columns + first[i];
    int const k = column[t], last = ends[i], last_other = ends[k];
    T const* const other = values + first[k];
    std::uint16_t const* const other_column = columns + first[k];
    T const f = of[t] * inverse[k];
    // Where a column should be, if both rows have the same ones; and from there to where it is.
    int p = t + 1 + mine;
    for (int q = above(k) + mine; q < last_other; q += apart) {
      int const c = other_column[q];
      p = p < last ? p : last - 1;
      while (p > t && column[p] > c) --p;
      while (p < last && column[p] < c) ++p;
      if (p < last && column[p] == c) of[p] -= f * other[q];
      p += apart;
    }
    return f;
  }
  BATCHWORK_INLINE void invert_pivot(int i) const {
    int const b = below[i];
    inverse[i] =
        (b & has_pivot) != 0 ? reciprocal_or_one(values[first[i] + (b & below_bits)]) : T(1);
  }

  /// A lane's share of a row of a stage, or of none: of the terms that stages before have found.
  struct Indices {
    bool mine;  ///< whether there is a row
    int i, terms, share, sharing;
  };
  /// Calls body(lead) for the rows of a stage, by all lanes of the system. Several may share a row;
  /// all take the same number of turns.
  template <class Lanes, class Body>
  BATCHWORK_INLINE void for_leads(Lanes const& lanes, RowStages const& of, int begin, int end,
                                  Body const& body) const {
    int const shift = shift_of_sharing(lanes.count, end - begin), sharing = 1 << shift;
    BATCHWORK_KEEP_LOOP
    for (int p0 = begin; p0 < end; p0 += lanes.count >> shift) {
      int const p = p0 + (lanes.rank >> shift);
      bool const mine = p < end;
      int const i = mine ? of.order[p] & RowStages::row_bits : 0;
      body(Indices{mine, i, mine ? int(of.lead[i]) : 0, lanes.rank & (sharing - 1), sharing});
    }
  }
  /// Subtracts finished rows from the rows of a stage.
  template <class Lanes>
  BATCHWORK_INLINE void eliminate_leads(Lanes const& lanes, int begin, int end,
                                        bool completes) const {
    for_leads(lanes, stages(false), begin, end, [&](Indices const& row) {
      int const i = row.i, all = row.terms;
      BATCHWORK_KEEP_LOOP
      for (int t = 0; Vendor::has_shuffles ? Vendor::any_of_warp(t < all) : t < all; ++t) {
        T const f = t < all ? eliminate(i, t, row.share, row.sharing) : T(0);
        if (row.sharing > 1) Vendor::warp_sync(lanes.member);
        // Which the others have read before.
        if (t < all && row.share == 0) values[first[i] + t] = f;
      }
      if (completes && row.mine && row.share == 0) invert_pivot(i);
    });
  }
  /// Where each row of a stage needs one other of it, which changes its pivot alone: pivots stay in
  /// registers.
  template <class Lanes>
  BATCHWORK_INLINE void eliminate_forest(Lanes const& lanes, StageLane const& lane, int t) const {
    RowStages const of = stages(false);
    int const i = lane.row, begin = lane.begin;
    bool const needs = lane.mine && t < split(i), has = lane.mine && (below[i] & has_pivot) != 0;
    T low = T(0), up = T(0);
    int needed = begin;  // its place
    bool is_coupled = false;
    if (needs) {
      int const k = columns[first[i] + t];
      needed = of.place[k];
      low = values[first[i] + t];
      BATCHWORK_KEEP_LOOP
      for (int q = first[k] + above(k); q < first[k] + ends[k]; ++q)
        if (columns[q] == i) {
          up = values[q];
          is_coupled = has;
        }
    }
    int const from = lane.base + needed - begin;
    T pivot = has ? values[first[i] + split(i)] : T(1);
    T f = T(0), inverted = T(1);
    BATCHWORK_KEEP_LOOP
    for (int done = begin, to = begin; done < lane.end; done = to) {
      to = lane.end_of_level(done);
      inverted = reciprocal_or_one(pivot);
      f = low * Vendor::shuffle<32>(inverted, from);
      if (is_coupled && needed >= done && needed < to) pivot -= f * up;
    }
    if (lane.mine) inverse[i] = inverted;
    if (has) values[first[i] + split(i)] = pivot;
    if (needs) values[first[i] + t] = f;
    Vendor::warp_sync(lanes.member);
  }
  /// By the first warp, the rows of a stage: the lane of a row subtracts known rows one after the
  /// other.
  template <class Lanes>
  BATCHWORK_INLINE void eliminate_by_warp(Lanes const& lanes, int begin, int end, int stage) const {
    RowStages const of = stages(false);
    StageLane const lane(lanes, of, begin, end);
    bool const is_forest = (stage & RowStages::is_forest) != 0;
    int const i = lane.row, all = lane.mine ? split(i) : 0, lead = lane.mine ? of.lead[i] : 0;
    int t = (stage & RowStages::by_warp) != 0 ? 0 : lead;
    BATCHWORK_KEEP_LOOP
    for (int done = begin; done < end;) {
      BATCHWORK_KEEP_LOOP
      for (; t < all && of.place[columns[first[i] + t]] < done; ++t)
        values[first[i] + t] = eliminate(i, t, 0, 1);
      if (is_forest) break;
      int const to = lane.end_of_level(done);
      if (lane.place >= done && lane.place < to) invert_pivot(i);
      Vendor::warp_sync(lanes.member);
      done = to;
    }
    if (is_forest) eliminate_forest(lanes, lane, lead);
  }

  /// Of A the factors. What lanes have written before is seen by all.
  template <class Lanes>
  BATCHWORK_INLINE void factorise(Lanes const& lanes) const {
    for_stages(
        lanes, false,
        [&](int begin, int end, int stage) {
          eliminate_leads(lanes, begin, end, (stage & RowStages::has_levels) == 0);
        },
        [&](int begin, int end, int stage) { eliminate_by_warp(lanes, begin, end, stage); });
  }

  /// Runs by_all(begin, end, stage) and by_warp(begin, end, stage), the first warp alone, which
  /// waits for itself at the end, for the stages of a triangle, and waits for all where one follows
  /// the other. All lanes take as many turns.
  template <class Lanes, class ByAll, class ByWarp>
  BATCHWORK_INLINE void for_stages(Lanes const& lanes, bool of_upper, ByAll const& by_all,
                                   [[maybe_unused]] ByWarp const& by_warp) const {
    std::uint16_t const* const marks = stages(of_upper).stages;
    int const all = count(of_upper);
    BATCHWORK_KEEP_LOOP
    for (int s = 0, begin = 0; s < all; ++s) {
      int const stage = marks[s], end = stage & RowStages::end_bits;
      bool const is_alone = (stage & RowStages::by_warp) != 0;
      if (!is_alone) {
        by_all(begin, end, stage);
        lanes.sync();
      }
      if constexpr (Vendor::has_shuffles) {
        if (is_alone || (stage & RowStages::has_levels) != 0) {
          if (lanes.rank < lanes_of_warp) by_warp(begin, end, stage);
          // Others wait for what follows, if they take part in it.
          bool const next_alone = s + 1 < all && (marks[s + 1] & RowStages::by_warp) != 0;
          if (!next_alone) lanes.sync();
        }
      }
      begin = end;
    }
  }

  // ---- the application
  // ---------------------------------------------------------------------------------------------

  /// Of a stage what the stages before have found, for all of its rows.
  template <class Lanes>
  BATCHWORK_INLINE void substitute_leads(Lanes const& lanes, bool of_upper, int begin, int end,
                                         bool completes, T* w) const {
    for_leads(lanes, stages(of_upper), begin, end, [&](Indices const& row) {
      T sum[1] = {lead_sum(of_upper, row.i, row.share, row.terms, row.sharing, w)};
      if (row.sharing > 1) Vendor::reduce_sum(sum, row.sharing);
      if (row.mine && row.share == 0) {
        T const x = w[row.i] - sum[0];
        w[row.i] = of_upper && completes ? x * inverse[row.i] : x;
      }
    });
  }
  /// The sum of terms t, t + apart, ... before `all` of a row.
  BATCHWORK_INLINE T lead_sum(bool of_upper, int i, int t, int all, int apart, T const* w) const {
    T sum = T(0);
    int e = first_term(of_upper, i) + t * step(of_upper);
    BATCHWORK_UNROLL_SOME
    for (; t < all; t += apart) {
      sum += values[e] * w[columns[e]];
      e += apart * step(of_upper);
    }
    return sum;
  }
  /// By the first warp, the rows of a stage. s is the result of the stages before.
  ///
  /// Where each row needs one other of the stage, by doubling how far that is (pointer jumping: J.
  /// JaJa, An Introduction to Parallel Algorithms, section 2.2). Where products of multipliers are
  /// large that would lose digits: such systems, and other stages, go level by level, the next two
  /// terms of a row being known before their turn.
  template <class Lanes>
  BATCHWORK_INLINE void substitute_by_warp(Lanes const& lanes, bool of_upper, int begin, int end,
                                           int stage, T* w) const {
    RowStages const of = stages(of_upper);
    StageLane const lane(lanes, of, begin, end);
    int const i = lane.row, all = lane.mine ? terms(of_upper, i) : 0,
              at_first = first_term(of_upper, i), apart = step(of_upper);
    int t = lane.mine ? of.lead[i] : 0;
    T s = lane.mine ? w[i] : T(0);
    if ((stage & RowStages::by_warp) != 0) s -= lead_sum(of_upper, i, 0, t, 1, w);
    T const scale = of_upper && lane.mine ? inverse[i] : T(1);
    struct Term {
      T number = T(0);
      int column = 0, place = 0;
    };
    auto const term = [&](int n) {
      Term x;
      if (n < all) {
        int const e = at_first + n * apart;
        x = {values[e], columns[e], 0};
        x.place = of.place[x.column];
      }
      return x;
    };
    Term now = term(t);
    bool goes_by_levels = true, is_known = false;
    T jumped = s * scale;
    if ((stage & RowStages::is_forest) != 0) {
      int from = lane.base + (t < all ? now.place : lane.mine ? lane.place : begin) - begin;
      T f = t < all ? -now.number * scale : T(0);
      bool grows = !(Kokkos::abs(f) <= most_growth);
      BATCHWORK_KEEP_LOOP
      for (int reach = 1; reach < end - begin; reach *= 2) {
        T const other = Vendor::shuffle<32>(jumped, from), further = Vendor::shuffle<32>(f, from);
        from = Vendor::shuffle<32>(from, from);
        // Of a row that needs none more it is zero.
        if (f != T(0)) {
          jumped += f * other;
          f *= further;
        }
        grows = grows || !(Kokkos::abs(f) <= most_growth);
      }
      unsigned const growing = Vendor::ballot(grows);
      int const count = lanes.count < lanes_of_warp ? lanes.count : lanes_of_warp;
      unsigned const of_system = count < 32 ? ((1u << count) - 1u) << lane.base : ~0u;
      goes_by_levels = growing != 0;
      // Each item's result depends on no other.
      is_known = (growing & of_system) == 0;
    }
    if (goes_by_levels) {
      Term next = term(t + 1);
      BATCHWORK_KEEP_LOOP
      for (int done = begin; done < end;) {
        while (t < all && now.place < done) {
          s -= now.number * w[now.column];
          ++t;
          now = next;
          next = term(t + 1);
        }
        int const to = lane.end_of_level(done);
        if (lane.place >= done && lane.place < to) w[i] = s * scale;
        Vendor::warp_sync(lanes.member);
        done = to;
      }
    }
    if ((stage & RowStages::is_forest) != 0) {
      if (is_known && lane.mine) w[i] = jumped;
      Vendor::warp_sync(lanes.member);
    }
  }
  static constexpr T most_growth = T(64);

  /// w = U^-1 L^-1 w, in memory that all lanes of the system see, and have waited for.
  template <class Lanes>
  BATCHWORK_INLINE void substitute(Lanes const& lanes, T* w) const {
    BATCHWORK_KEEP_LOOP
    for (int u = 0; u < 2; ++u)
      for_stages(
          lanes, u != 0,
          [&](int begin, int end, int stage) {
            substitute_leads(lanes, u != 0, begin, end, (stage & RowStages::has_levels) == 0, w);
          },
          [&](int begin, int end, int stage) {
            substitute_by_warp(lanes, u != 0, begin, end, stage, w);
          });
  }
};

/// What a kernel calls of IluTeam or IluFull, with lanes `rank` of `count` of the member's team.
template <class T, class Member>
BATCHWORK_OUT_OF_LINE void make_ilu(Member const member, int rank, int count, IluInKernel how,
                                    int rows, T* memory, bool knows_stages) {
  SystemLanes<Member> const lanes{member, rank, count};
  if (how.is_full) return IluFull<T>(rows, memory).factorise(lanes);
  IluTeam<T> const factors(how, rows, memory);
  if (!knows_stages) factors.find_stages(lanes);
  factors.factorise(lanes);
}
template <class T, class Member>
BATCHWORK_OUT_OF_LINE void apply_ilu(Member const member, int rank, int count, IluInKernel how,
                                     int rows, T* memory, T* w) {
  SystemLanes<Member> const lanes{member, rank, count};
  if (how.is_full) IluFull<T>(rows, memory).substitute(lanes, w);
  else IluTeam<T>(how, rows, memory).substitute(lanes, w);
}

}  // namespace Batchwork::Impl

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// ILU(0) by the lanes of a device that share a system: rows by levels, see RowStages.
#ifndef BATCHWORK_ILUTEAM_HPP
#define BATCHWORK_ILUTEAM_HPP

#include <cstddef>
#include <cstdint>

#include "krylov/Batchwork_AnySystems.hpp"
#include "krylov/Batchwork_Preconditioner.hpp"
#include "krylov/Batchwork_RowStages.hpp"

namespace Batchwork::Impl {

/// ILU(0) as kernels see it.
struct IluInKernel {
  using preconditioner_of_systems = void;
  static constexpr bool needs_entries = true;
  int places = 0;  ///< of numbers in an item's factors

  static BATCHWORK_INLINE constexpr int least_lanes() { return least_lanes_of_stages; }
  /// See IluTeam.
  template <class T>
  BATCHWORK_INLINE std::size_t bytes(int rows) const {
    std::size_t const all = std::size_t(places), n = std::size_t(rows);
    return sizeof(T) * (all + n) + sizeof(std::int32_t) * n +
           sizeof(std::uint16_t) * (all + 2 * n + 2 * std::size_t(RowStages::size(rows)) + 4);
  }
};

/// The factors of an item, entry by entry where those of A are, and what its pattern says, which is the same for all items: the
/// lanes find it for their first one. A row's terms are its entries on one side of the diagonal, of L from the first column
/// on, of U from the last one back, so that with rows in their natural order those come first that are known first.
template <class T>
struct IluTeam {
  int rows;
  T *values, *inverse;         ///< (row): of the pivot
  std::int32_t* first;         ///< (row): where its entries begin
  std::uint16_t *columns,      ///< (entry)
      *below,                  ///< (row): entries left of the diagonal, and a bit where that is there
      *ends,                   ///< (row): entries
      *head;                   ///< whether the pattern is valid, and how many stages there are
  RowStages lower, upper;

  static constexpr int has_pivot = 0x8000, below_bits = 0x7fff;

  BATCHWORK_INLINE IluTeam(IluInKernel const& how, int of_rows, T* memory)
      : rows(of_rows), values(memory), inverse(values + how.places) {
    first = reinterpret_cast<std::int32_t*>(inverse + rows);
    columns = reinterpret_cast<std::uint16_t*>(first + rows);
    below = columns + how.places;
    ends = below + rows;
    head = ends + rows;
    lower = RowStages::at(head + 4, rows);
    upper = RowStages::at(head + 4 + RowStages::size(rows), rows);
  }

  BATCHWORK_INLINE int split(int i) const { return below[i] & below_bits; }
  BATCHWORK_INLINE int above(int i) const {
    int const b = below[i];
    return (b & below_bits) + ((b & has_pivot) != 0 ? 1 : 0);
  }
  template <bool Upper>
  BATCHWORK_INLINE RowStages const& stages() const {
    return Upper ? upper : lower;
  }
  template <bool Upper>
  BATCHWORK_INLINE int terms(int i) const {
    return Upper ? ends[i] - above(i) : split(i);
  }
  /// Where the terms of a row are: term t at first_term + t * step.
  template <bool Upper>
  BATCHWORK_INLINE int first_term(int i) const {
    return Upper ? first[i] + ends[i] - 1 : first[i];
  }
  template <bool Upper>
  static constexpr int step = Upper ? -1 : 1;
  BATCHWORK_INLINE bool is_valid() const { return head[0] != 0; }
  template <bool Upper>
  BATCHWORK_INLINE int count() const {
    return head[Upper ? 2 : 1];
  }

  // ---- the pattern --------------------------------------------------------------------------------------------------

  /// Reads the pattern of a row. Whether its columns rise.
  BATCHWORK_INLINE bool take_pattern(AnySystems<T> const& a, T const* of_item, int i) const {
    using Format = typename AnySystems<T>::Kind;
    int const begin = a.kind == Format::csr        ? int(a.offsets(i))
                      : a.kind == Format::identity ? i
                                                   : i * a.width;
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
  /// By one lane: the level of a row is one more than those of the rows that it needs.
  template <bool Upper>
  BATCHWORK_INLINE void find_levels() const {
    std::uint16_t* const level = stages<Upper>().place;
    for (int n = 0; n < rows; ++n) {
      int const i = Upper ? rows - 1 - n : n;
      int const all = terms<Upper>(i);
      std::uint16_t const* const column = columns + (Upper ? first[i] + above(i) : first[i]);
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
  template <bool Upper, class Lanes>
  BATCHWORK_INLINE void find_leads(Lanes const& lanes) const {
    RowStages const& of = stages<Upper>();
    int const all_stages = count<Upper>();
    for (int s = 0, begin = 0; s < all_stages; ++s) {
      int const end = of.stages[s] & RowStages::end_bits;
      bool waits = false, branches = false, shares = end - begin > rows_of_a_stage(lanes.count);
      for (int p = begin + lanes.rank; p < end; p += lanes.count) {
        int const i = of.order[p] & RowStages::row_bits, all = terms<Upper>(i);
        int t = 0;
        for (int e = first_term<Upper>(i); t < all && of.place[columns[e]] < begin;
             e += step<Upper>)
          ++t;
        of.lead[i] = std::uint16_t(t);
        shares = shares || t >= RowStages::few_terms;
        waits = waits || t < all;
        branches = branches || t + 1 < all;
        if constexpr (!Upper) branches = branches || (t < all && !changes_pivot_alone(i, t));
      }
      if constexpr (Vendor::has_shuffles) {
        // Where rows wait for others of their stage, all of it is in the first warp; systems of a warp have the same pattern.
        waits = Vendor::any_in_warp(waits);
        branches = Vendor::any_in_warp(branches);
        shares = Vendor::any_in_warp(shares);
        lanes.sync();
        if (lanes.rank == 0)
          of.stages[s] =
              std::uint16_t(end | (shares ? 0 : RowStages::by_warp) |
                            (waits ? RowStages::has_levels : 0) |
                            (waits && !branches ? RowStages::is_forest : 0));
      }
      begin = end;
    }
  }
  /// All that the pattern says. Whether it is valid.
  template <class At>
  BATCHWORK_INLINE bool analyse(At& at, AnySystems<T> const& a, T const* of_item) const {
    auto const lanes = lanes_at(at);
    bool sound = true;
    lanes.for_each(rows, [&](int i) { sound = take_pattern(a, of_item, i) && sound; });
    // All lanes go the same way.
    bool const valid = !any_of_system(at, !sound);
    if (lanes.rank == 0) head[0] = valid ? 1 : 0;
    if (!valid) return false;
    // The two triangles in two warps, where there are two.
    int const other = lanes.count > lanes_of_warp ? lanes_of_warp : 0;
    if (lanes.rank == 0) find_levels<false>();
    if (lanes.rank == other) find_levels<true>();
    lanes.sync();
    lanes.for_each(rows, [&](int i) {
      lower.find_place(rows, i);
      upper.find_place(rows, i);
    });
    lanes.sync();
    lanes.for_each(rows, [&](int i) {
      lower.place[i] = lower.lead[i];
      upper.place[i] = upper.lead[i];
    });
    int const most = rows_of_a_stage(lanes.count);
    if (lanes.rank == 0) head[1] = std::uint16_t(lower.find_stages(rows, most));
    if (lanes.rank == other) head[2] = std::uint16_t(upper.find_stages(rows, most));
    lanes.sync();
    find_leads<false>(lanes);
    find_leads<true>(lanes);
    lanes.sync();
    return true;
  }

  // ---- the numbers --------------------------------------------------------------------------------------------------

  /// Copies the numbers of an item, neighbouring lanes neighbouring ones.
  template <class Lanes>
  BATCHWORK_INLINE void take_numbers(Lanes const& lanes, AnySystems<T> const& a,
                                     T const* of_item) const {
    using Format = typename AnySystems<T>::Kind;
    if (a.kind == Format::csr) {
      std::int64_t const apart = a.values.row;
      lanes.for_each(first[rows - 1] + ends[rows - 1],
                     [&](int e) { values[e] = of_item[e * apart]; });
    } else if (a.kind == Format::identity) {
      lanes.for_each(rows, [&](int i) { values[i] = a.scale; });
    } else {
      std::int64_t const row = a.values.row, col = a.values.col;
      lanes.for_each(rows * a.width, [&](int e) {
        int const i = e / a.width, k = e % a.width;
        if (k < ends[i]) values[e] = of_item[i * row + k * col];
      });
    }
  }

  /// Takes row k, which is done and which term t of row i is, off row i: its entries `mine`, mine + apart, ... Gives the number of
  /// the term in L.
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

  /// Takes off the rows of a stage those that are done before; by all lanes, of which some may share a row.
  template <class At, class Lanes>
  BATCHWORK_INLINE void eliminate_leads(At const& at, Lanes const& lanes, int begin, int end,
                                        bool completes) const {
    int const shift = shift_of_sharing(lanes.count, end - begin), sharing = 1 << shift;
    int const share = lanes.rank & (sharing - 1);
    for (int p0 = begin; p0 < end; p0 += lanes.count >> shift) {
      int const p = p0 + (lanes.rank >> shift);
      bool const mine = p < end;
      int const i = mine ? lower.order[p] & RowStages::row_bits : 0, all = mine ? lower.lead[i] : 0;
      if (sharing == 1) {
        for (int t = 0; t < all; ++t) values[first[i] + t] = eliminate(i, t, 0, 1);
      } else if constexpr (Vendor::has_shuffles) {
        for (int t = 0; Vendor::any_in_warp(t < all); ++t) {
          T f = T(0);
          if (t < all) f = eliminate(i, t, share, sharing);
          Vendor::wait_for_warp(at.member);
          // Which the others have read before.
          if (t < all && share == 0) values[first[i] + t] = f;
        }
      }
      if (completes && mine && share == 0) invert_pivot(i);
    }
  }
  /// The levels of a stage, by one warp: the lane of a row takes off it in turn what is known.
  template <class At>
  BATCHWORK_INLINE void eliminate_levels(At const& at, StageLane const& lane,
                                         int eliminated) const {
    int const i = lane.row, all = lane.mine ? split(i) : 0;
    int t = eliminated;
    lane.for_levels([&](int from, int to) {
      if (lane.place >= from && lane.place < to) invert_pivot(i);
      Vendor::wait_for_warp(at.member);
      for (; t < all && lower.place[columns[first[i] + t]] < to; ++t)
        values[first[i] + t] = eliminate(i, t, 0, 1);
    });
  }
  /// The same where each row needs one other, which changes its pivot alone: pivots stay in registers.
  template <class At>
  BATCHWORK_INLINE void eliminate_forest(At const& at, StageLane const& lane, int t) const {
    int const i = lane.row, begin = lane.begin;
    bool const needs = lane.mine && t < split(i),
               has = lane.mine && (below[i] & has_pivot) != 0;
    T low = T(0), up = T(0);
    int needed = begin;  // its place
    bool is_coupled = false;
    if (needs) {
      int const k = columns[first[i] + t];
      needed = lower.place[k];
      low = values[first[i] + t];
      for (int q = first[k] + above(k); q < first[k] + ends[k]; ++q)
        if (columns[q] == i) {
          up = values[q];
          is_coupled = has;
        }
    }
    int const from = lane.base + needed - begin;
    T pivot = has ? values[first[i] + split(i)] : T(1);
    lane.for_levels([&](int done, int to) {
      T const inverted = reciprocal_or_one(pivot);
      T const f = low * Vendor::held_by<32>(inverted, from);
      if (is_coupled && needed >= done && needed < to) pivot -= f * up;
    });
    T const inverted = reciprocal_or_one(pivot);
    T const f = low * Vendor::held_by<32>(inverted, from);
    if (lane.mine) inverse[i] = inverted;
    if (has) values[first[i] + split(i)] = pivot;
    if (needs) values[first[i] + t] = f;
    Vendor::wait_for_warp(at.member);
  }

  /// By the first warp, rows of a stage that are too few or too short for more.
  template <class At, class Lanes>
  BATCHWORK_INLINE void eliminate_by_warp(At const& at, Lanes const& lanes, int begin, int end,
                                          int stage) const {
    StageLane const lane(lanes, lower, begin, end);
    int const i = lane.row, lead = lane.mine ? lower.lead[i] : 0;
    if ((stage & RowStages::by_warp) != 0)
      for (int t = 0; t < lead; ++t) values[first[i] + t] = eliminate(i, t, 0, 1);
    if ((stage & RowStages::is_forest) != 0) eliminate_forest(at, lane, lead);
    else eliminate_levels(at, lane, lead);
  }

  /// Of A the factors. What lanes have written before is seen by all.
  template <class At>
  BATCHWORK_INLINE void factorise(At const& at) const {
    auto const lanes = lanes_at(at);
    for_stages<false>(
        lanes,
        [&](int begin, int end, int stage) {
          eliminate_leads(at, lanes, begin, end, (stage & RowStages::has_levels) == 0);
        },
        [&](int begin, int end, int stage) {
          eliminate_by_warp(at, lanes, begin, end, stage);
        });
  }

  /// Runs by_all(begin, end, stage) and by_warp(begin, end, stage), the first warp alone, which waits for itself at the end, for
  /// the stages of a triangle, and waits for all where one follows the other. All lanes take as many turns.
  template <bool Upper, class Lanes, class ByAll, class ByWarp>
  BATCHWORK_INLINE void for_stages(Lanes const& lanes, ByAll const& by_all,
                                   [[maybe_unused]] ByWarp const& by_warp) const {
    std::uint16_t const* const marks = stages<Upper>().stages;
    int const all = count<Upper>();
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
          bool const next_alone =
              s + 1 < all && (marks[s + 1] & RowStages::by_warp) != 0;
          if (!next_alone) lanes.sync();
        }
      }
      begin = end;
    }
  }

  // ---- the application ----------------------------------------------------------------------------------------------

  /// Several levels of a substitution, by one warp. The next two terms of a row are known before their turn.
  template <bool Upper, class At>
  BATCHWORK_INLINE void substitute_levels(At const& at, StageLane const& lane, int t, T s,
                                          T* w) const {
    RowStages const& of = stages<Upper>();
    struct Term {
      T number = T(0);
      int column = 0, place = 0;
    };
    int const i = lane.row, all = lane.mine ? terms<Upper>(i) : 0,
              at_first = first_term<Upper>(i);
    auto const term = [&](int n) {
      Term x;
      if (n < all) {
        int const e = at_first + n * step<Upper>;
        x = {values[e], columns[e], 0};
        x.place = of.place[x.column];
      }
      return x;
    };
    Term now = term(t), next = term(t + 1);
    T const scale = Upper && lane.mine ? inverse[i] : T(1);
    lane.for_levels([&](int from, int to) {
      if (lane.place >= from && lane.place < to) w[i] = Upper ? s * scale : s;
      Vendor::wait_for_warp(at.member);
      while (t < all && now.place < to) {
        s -= now.number * w[now.column];
        ++t;
        now = next;
        next = term(t + 1);
      }
    });
  }
  /// The same where each row needs one other, by doubling how far that is (pointer jumping: J. JaJa, An Introduction to Parallel
  /// Algorithms, section 2.2). Where products of multipliers are large that would lose digits: such systems go level by level.
  template <bool Upper, class At>
  BATCHWORK_INLINE void substitute_forest(At const& at, StageLane const& lane, int t, T before,
                                          T* w) const {
    RowStages const& of = stages<Upper>();
    int const i = lane.row;
    bool const needs = lane.mine && t < terms<Upper>(i);
    int from = lane.base + (lane.mine ? lane.place - lane.begin : 0);
    T const scale = Upper && lane.mine ? inverse[i] : T(1);
    T s = before * scale, f = T(0);
    if (needs) {
      int const e = first_term<Upper>(i) + t * step<Upper>;
      f = -values[e] * scale;
      from = lane.base + of.place[columns[e]] - lane.begin;
    }
    bool grows = !(Kokkos::abs(f) <= most_growth);
    for (int reach = 1; reach < lane.end - lane.begin; reach *= 2) {
      T const other = Vendor::held_by<32>(s, from), further = Vendor::held_by<32>(f, from);
      int const beyond = Vendor::held_by<32>(from, from);
      // A row that needs none has itself there.
      if (f != T(0)) {
        s += f * other;
        f *= further;
      }
      from = beyond;
      grows = grows || !(Kokkos::abs(f) <= most_growth);
    }
    unsigned const growing = Vendor::votes_in_warp(grows);
    if (growing != 0) {
      substitute_levels<Upper>(at, lane, t, before, w);
      // Each item's result depends on no other.
      int const lanes = at.lanes < lanes_of_warp ? at.lanes : lanes_of_warp;
      unsigned const of_system = lanes < 32 ? ((1u << lanes) - 1u) << lane.base : ~0u;
      if ((growing & of_system) == 0 && lane.mine) w[i] = s;
    } else if (lane.mine) {
      w[i] = s;
    }
    Vendor::wait_for_warp(at.member);
  }
  static constexpr T most_growth = T(64);

  /// Of a stage what the stages before have found, for all of its rows; by all lanes, of which some may share a row.
  template <bool Upper, class Lanes>
  BATCHWORK_INLINE void substitute_leads(Lanes const& lanes, int begin, int end, bool completes,
                                         T* w) const {
    RowStages const& of = stages<Upper>();
    int const shift = shift_of_sharing(lanes.count, end - begin), sharing = 1 << shift;
    int const share = lanes.rank & (sharing - 1);
    for (int p0 = begin; p0 < end; p0 += lanes.count >> shift) {
      int const p = p0 + (lanes.rank >> shift);
      bool const mine = p < end;
      int const i = mine ? of.order[p] & RowStages::row_bits : 0, all = mine ? of.lead[i] : 0;
      T sum[1] = {lead_sum<Upper>(i, share, all, sharing, w)};
      if (sharing > 1) Vendor::sum_over(sum, sharing);
      if (mine && share == 0) {
        T const x = w[i] - sum[0];
        w[i] = Upper && completes ? x * inverse[i] : x;
      }
    }
  }
  /// The sum of terms t, t + apart, ... before `all` of a row.
  template <bool Upper>
  BATCHWORK_INLINE T lead_sum(int i, int t, int all, int apart, T const* w) const {
    T sum = T(0);
    int e = first_term<Upper>(i) + t * step<Upper>;
    BATCHWORK_UNROLL_SOME
    for (; t < all; t += apart) {
      sum += values[e] * w[columns[e]];
      e += apart * step<Upper>;
    }
    return sum;
  }
  template <bool Upper, class At, class Lanes>
  BATCHWORK_INLINE void substitute_by_warp(At const& at, Lanes const& lanes, int begin, int end,
                                           int stage, T* w) const {
    RowStages const& of = stages<Upper>();
    StageLane const lane(lanes, of, begin, end);
    int const i = lane.row, lead = lane.mine ? of.lead[i] : 0;
    T s = lane.mine ? w[i] : T(0);
    if ((stage & RowStages::by_warp) != 0) s -= lead_sum<Upper>(i, 0, lead, 1, w);
    if ((stage & RowStages::is_forest) != 0) substitute_forest<Upper>(at, lane, lead, s, w);
    else substitute_levels<Upper>(at, lane, lead, s, w);
  }

  /// w = L^-1 w or U^-1 w, in memory that all lanes of the system see, and have waited for.
  template <bool Upper, class At>
  BATCHWORK_INLINE void substitute(At const& at, T* w) const {
    auto const lanes = lanes_at(at);
    for_stages<Upper>(
        lanes,
        [&](int begin, int end, int stage) {
          substitute_leads<Upper>(lanes, begin, end, (stage & RowStages::has_levels) == 0, w);
        },
        [&](int begin, int end, int stage) {
          substitute_by_warp<Upper>(at, lanes, begin, end, stage, w);
        });
  }
};

}  // namespace Batchwork::Impl

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// ColumnsOfLanes: a matrix whose columns are distributed over the lanes that share an item.
#ifndef BATCHWORK_COLUMNSOFLANES_HPP
#define BATCHWORK_COLUMNSOFLANES_HPP

#include <type_traits>

#include "core/detail/Batchwork_Elimination.hpp"
#include "core/detail/Batchwork_OneSidedJacobi.hpp"
#include "tile/types/Batchwork_Matrix.hpp"

namespace Batchwork::Impl {

/// All columns, if their number is a constant; otherwise it is an int.
template <int N>
using AllColumns = std::integral_constant<int, N>;

/// See DealtColumns. S is a Distributed by columns. Rotations and sorting leave the columns from
/// `count` on unchanged; these contain zeros, or columns of the identity in a square orthogonal
/// matrix.
template <class S, int M, int N, class Count = AllColumns<N>>
struct ColumnsOfLanes {
  using T = scalar_t<S>;
  using value_type = T;
  using Dealt = S;
  using Ex = typename S::exchange;
  using Lines = LocalLines<S, M, N>;
  static constexpr int rows = M, cols = N, mine = Lines::mine, L = S::lanes, deep = Ex::per_unit;
  static_assert(!S::by_rows);
  /// Unrolled, the steps exceed an instruction cache from about 24 rows and columns on, in float a
  /// little later, and if a lane has one column.
  static constexpr int steps_of_a_loop =
      M * (M < N ? M : N) > (sizeof(T) == 4 || mine == 1 ? 600 : 300) && L % 4 == 0 ? 4 : 0;

  T a[mine * M];
  T diagonal[mine];
  LaneGrid grid;
  [[no_unique_address]] Count count;

  template <class X>
  BATCHWORK_INLINE ColumnsOfLanes(X const& from, LaneGrid const& of, Count const& there = {})
      : grid(of), count(there) {
    auto const lines = lines_of<S, false>(from, grid);
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      diagonal[m] = T(0);
      BATCHWORK_UNROLL
      for (int i = 0; i < M; ++i) a[m * M + i] = lines.get(m, i);
    }
  }

  BATCHWORK_INLINE T& at(int m, int i) { return a[m * M + i]; }
  BATCHWORK_INLINE T const& at(int m, int i) const { return a[m * M + i]; }
  BATCHWORK_INLINE int column(int m) const { return m * L + grid.lane; }
  BATCHWORK_INLINE bool is(int m, int k) const { return m == k / L && grid.lane == k % L; }
  BATCHWORK_INLINE int columns_there() const { return count; }
  BATCHWORK_INLINE bool is_there(int m) const { return column(m) < count; }
  BATCHWORK_INLINE bool is_behind(int m, int k) const {
    return m > k / L || (m == k / L && grid.lane > k % L);
  }
  static constexpr KOKKOS_FORCEINLINE_FUNCTION int first_behind(int k) {
    return k % L == L - 1 ? k / L + 1 : k / L;
  }
  static constexpr KOKKOS_FORCEINLINE_FUNCTION int round_of(int k) { return k / L; }

  /// Numbers in the exchange, from a multiple of a unit on.
  struct Shown {
    T const* column;
    BATCHWORK_INLINE T number(int i) const { return column[i]; }
    template <class F>
    BATCHWORK_INLINE void for_each(int first, F const& f) const {
      for_each_of(first, M, f);
    }
    template <class F>
    BATCHWORK_INLINE void for_each_of(int first, int end, F const& f) const {
      // From a constant on; otherwise the compiler may keep a loop and put the lane's columns into
      // local memory.
      BATCHWORK_UNROLL
      for (int i0 = 0; i0 < M; i0 += deep) {
        if (i0 + deep <= first || i0 >= end) continue;
        Unit<T> const u = *reinterpret_cast<Unit<T> const*>(column + i0);
        BATCHWORK_UNROLL
        for (int n = 0; n < deep; ++n)
          if (i0 + n >= first && i0 + n < end) f(i0 + n, u.v[n]);
      }
    }
  };
  BATCHWORK_INLINE void begin() const { grid.sync(); }
  /// Two places are used alternately: one wait for each step.
  BATCHWORK_INLINE Shown show(int k, int first) const {
    T* const to = published(k);
    if (grid.lane == k % L) publish(to, k / L, first);
    grid.sync();
    return {to};
  }
  template <int First>
  BATCHWORK_INLINE Shown show_within(int k) const {
    T* const to = published(k);
    if (grid.lane == k % L)
      publish(to, First / L, First, [&](int i) { return i < First + steps_of_a_loop && i < k; });
    grid.sync();
    return {to};
  }

  /// See ExchangedColumns: any one of equal columns.
  template <class F>
  BATCHWORK_INLINE Shown bring_largest(int k, F const& f, T (&beside)[mine]) {
    integer_of_t<T> largest = -1;
    int place = 0;
    T moved(0);
    BATCHWORK_UNROLL
    for (int m = k / L; m < mine; ++m) {
      int const j = column(m);
      integer_of_t<T> const key = size_key(T(f(m)));
      bool const larger = j >= k && j < N && key > largest;
      largest = larger ? key : largest;
      place = larger ? j : place;
      moved = larger ? beside[m] : moved;
    }
    int const from = grid.template lane_of_largest<L>(largest);
    place = grid.template broadcast<L>(place, from);
    moved = grid.template broadcast<L>(moved, from);
    T const replaced = told(beside, k);
    bool const moves = place != k;
    T *const to = published(k), *const other = published(k + 1);
    // The broadcast numbers and the previous column have been read.
    grid.sync();
    BATCHWORK_UNROLL
    for (int m = k / L; m < mine; ++m) {
      if (column(m) == place) publish(to, m, 0);
      if (is(m, k) && moves) publish(other, m, 0);
    }
    grid.sync();
    BATCHWORK_UNROLL
    for (int m = k / L; m < mine; ++m) {
      bool const comes = is(m, k), goes = column(m) == place;
      if (!moves || !(comes || goes)) continue;
      beside[m] = comes ? moved : replaced;
      Shown{comes ? to : other}.for_each(0, [&](int i, T const& x) { at(m, i) = x; });
    }
    return {to};
  }
  BATCHWORK_INLINE T told(T const (&x)[mine], int k) const {
    return grid.template broadcast<L>(x[k / L], k % L);
  }

  struct AllShown {
    T const* base;
    BATCHWORK_INLINE Shown column(int k) const { return {base + k * Ex::leading}; }
    BATCHWORK_INLINE T diagonal(int k) const { return base[k * Ex::leading + k]; }
    template <class F>
    BATCHWORK_INLINE void for_each_above(int k, F const& f) const {
      column(k).for_each_of(0, k, f);
    }
  };
  /// All columns, unchanged.
  BATCHWORK_INLINE AllShown show_columns() const {
    return {stage_lines<S, mine, M>(Columns{*this}, grid)};
  }
  BATCHWORK_INLINE AllShown show_triangle() const {
    return {stage_lines<S, mine, M>(Triangle{*this}, grid)};
  }

  static constexpr bool parity_is_constant = false;
  /// See orthogonalise_columns. Both lanes of a pair compute its rotation.
  template <class F, class... Also>
  BATCHWORK_INLINE void rotate_neighbours(int parity, F const& rotation, Also&... also) {
    Pairs const pairs{parity, grid.lane, count};
    AllShown const all = show_columns();
    OwnRotation own[mine];
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      Shown const other = all.column(pairs.partner(m));
      T self(0), others(0), gamma(0);
      other.for_each(0, [&](int i, T const& y) {
        self += at(m, i) * at(m, i);
        others += y * y;
        gamma += at(m, i) * y;
      });
      bool const left = pairs.is_left(m), paired = pairs.is_paired(m);
      // A column without a partner is ignored.
      T const alpha = left ? self : others, beta = left ? others : self;
      auto const r = rotation(alpha, beta, paired ? gamma : T(0));
      bool const moves = r.moves && paired;
      T const sine = left ? r.sine : -r.sine;
      int const itself = column(m) < N ? column(m) : 0;
      own[m] = {moves ? sine : T(0), left ? r.half : -r.half, moves ? pairs.partner(m) : itself};
    }
    rotate(all, own);
    (also.rotate(also.show_columns(), own), ...);
  }
  /// Sorts the columns by their lengths; the columns of `also` are moved in the same way.
  template <ColumnOrder Order, class... Also>
  BATCHWORK_INLINE void sort(Also&... also) {
    using Key = integer_of_t<T>;
    T* const told = grid.template numbers<T>();
    Key own[mine];
    int rank[mine], from[mine];
    grid.sync();
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      T square(0);
      BATCHWORK_UNROLL
      for (int i = 0; i < M; ++i) square += at(m, i) * at(m, i);
      // As integers, which are ordered whatever numbers their bits mean, NaN included.
      own[m] = Order == ColumnOrder::smallest_first ? size_key(square) : -size_key(square);
      rank[m] = 0;
      if (column(m) < N) told[column(m)] = from_bits<T>(own[m]);
    }
    grid.sync();
    BATCHWORK_KEEP_LOOP
    for (int i = 0; i < count; ++i) {
      Key const other = bits(told[i]);
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m)
        rank[m] += other < own[m] || (other == own[m] && i < column(m)) ? 1 : 0;
    }
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) rank[m] = is_there(m) ? rank[m] : column(m);
    grid.sync();
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m)
      if (column(m) < N) told[rank[m]] = from_bits<T>(Key(column(m)));
    grid.sync();
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) from[m] = column(m) < N ? int(bits(told[column(m)])) : 0;
    permute(from);
    (also.permute(from), ...);
  }
  /// Own column m becomes column from[m].
  BATCHWORK_INLINE void permute(int const (&from)[mine]) {
    AllShown const all = show_columns();
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m)
      all.column(from[m]).for_each(0, [&](int i, T const& x) { at(m, i) = x; });
  }
  /// g := -a' a, by units of rows: every number that is read is used for all own columns of g.
  BATCHWORK_INLINE void put_negative_gram(ColumnsOfLanes<S, N, N, Count>& g) const {
    T const* const base = show_columns().base;
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      BATCHWORK_UNROLL
      for (int i = 0; i < N; ++i) g.at(m, i) = T(0);
    }
    BATCHWORK_KEEP_LOOP
    for (int i0 = 0; i0 < M; i0 += deep) {
      Unit<T> own[mine];
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m) {
        own[m] = Unit<T>{};
        if (column(m) < N) own[m] = unit(base + column(m) * Ex::leading + i0);
      }
      BATCHWORK_UNROLL
      for (int j = 0; j < N; ++j) {
        Unit<T> const x = unit(base + j * Ex::leading + i0);
        BATCHWORK_UNROLL
        for (int m = 0; m < mine; ++m) {
          BATCHWORK_UNROLL
          for (int n = 0; n < deep; ++n) g.at(m, j) -= x.v[n] * own[m].v[n];
        }
      }
    }
  }
  /// a := a v, by units of rows.
  BATCHWORK_INLINE void multiply(ColumnsOfLanes<S, N, N, Count> const& v) {
    show_columns();
    T* const base = grid.template numbers<T>();
    BATCHWORK_KEEP_LOOP
    for (int i0 = 0; i0 < M; i0 += deep) {
      Unit<T> own[mine];
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m) own[m] = Unit<T>{};
      BATCHWORK_UNROLL
      for (int k = 0; k < N; ++k) {
        Unit<T> const x = unit(base + k * Ex::leading + i0);
        BATCHWORK_UNROLL
        for (int m = 0; m < mine; ++m) {
          BATCHWORK_UNROLL
          for (int n = 0; n < deep; ++n) own[m].v[n] += x.v[n] * v.at(m, k);
        }
      }
      // All have read these rows.
      grid.sync();
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m)
        if (column(m) < N)
          *reinterpret_cast<Unit<T>*>(base + column(m) * Ex::leading + i0) = own[m];
    }
    grid.sync();
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m)
      if (column(m) < N)
        Shown{base + column(m) * Ex::leading}.for_each(0, [&](int i, T const& x) { at(m, i) = x; });
  }
  BATCHWORK_INLINE bool any_lane(bool m) const {
    return grid.template reduce_or<L>(m ? 1u : 0u) != 0;
  }
  BATCHWORK_INLINE bool any_item(bool m) const { return grid.lanes.any(m); }
  template <class F>
  BATCHWORK_INLINE T largest(F const& f) const {
    integer_of_t<T> key = 0;
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      auto const own = column(m) < N ? size_key(T(f(m))) : 0;
      key = own > key ? own : key;
    }
    return from_bits<T>(grid.template largest<L>(key));
  }
  template <class F>
  BATCHWORK_INLINE auto vector(F const& f) const {
    Vector<S, N> r;
    r.grid = grid;
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) r.set_local(m, 0, f(m));
    return r;
  }

  template <class F>
  BATCHWORK_INLINE std::int32_t first_status(F const& status_of) const {
    // The first column whose status is not 0, and its reason, in one number: the reasons of this
    // library are below 64.
    std::int32_t largest = 0;
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      int const j = column(m);
      std::int32_t const status = j < N ? status_of(m, j) : 0;
      std::int32_t const key =
          status == 0 ? 0 : (N - j) << 6 | std::int32_t(Status::reason(status));
      largest = key > largest ? key : largest;
    }
    largest = grid.template largest<L>(largest);
    return largest == 0 ? 0 : Status::code(Reason(largest & 63), N - (largest >> 6) + 1);
  }

  template <int R, bool IsVector>
  BATCHWORK_INLINE auto tile() const {
    Matrix<S, R, N> x;
    x.grid = grid;
    x.info = 0;
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      BATCHWORK_UNROLL
      for (int i = 0; i < R; ++i) x.set_local(m, i, at(m, i));
    }
    if constexpr (IsVector) return Vector<S, R>(x);
    else return x;
  }

  /// Own column m and its neighbour, if pairs begin with columns of that parity.
  struct Pairs {
    int parity, lane;
    [[no_unique_address]] Count count;
    BATCHWORK_INLINE bool is_left(int m) const { return ((m * L + lane) & 1) == parity; }
    BATCHWORK_INLINE int neighbour(int m) const { return m * L + lane + (is_left(m) ? 1 : -1); }
    BATCHWORK_INLINE bool is_paired(int m) const {
      return neighbour(m) >= 0 && neighbour(m) < count && m * L + lane < count;
    }
    BATCHWORK_INLINE int partner(int m) const { return is_paired(m) ? neighbour(m) : 0; }
  };
  /// A rotation from the viewpoint of one of its columns. A column that stays is its own partner; a
  /// lane without a column has any partner.
  struct OwnRotation {
    T sine, half;
    int partner;
  };
  template <class AllOf, class R>
  BATCHWORK_INLINE void rotate(AllOf const& all, R const (&own)[mine]) {
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      all.column(own[m].partner).for_each(0, [&](int i, T const& y) {
        at(m, i) = y + own[m].sine * (at(m, i) - own[m].half * y);
      });
    }
  }

  /// Writes own column m from row `first` on, for all lanes to read after the next wait.
  BATCHWORK_INLINE void publish(T* to, int m, int first) const {
    publish(to, m, first, [](int) { return false; });
  }
  /// With zeros where is_left_out(row).
  template <class F>
  BATCHWORK_INLINE void publish(T* to, int m, int first, F const& is_left_out) const {
    BATCHWORK_UNROLL
    for (int i0 = 0; i0 < M; i0 += deep) {
      if (i0 + deep <= first) continue;
      Unit<T> u;
      BATCHWORK_UNROLL
      for (int n = 0; n < deep; ++n)
        u.v[n] = i0 + n < M && !is_left_out(i0 + n) ? at(m, i0 + n) : T(0);
      *reinterpret_cast<Unit<T>*>(to + i0) = u;
    }
  }

 private:
  static BATCHWORK_INLINE Unit<T> unit(T const* from) {
    return *reinterpret_cast<Unit<T> const*>(from);
  }
  /// The places where columns are shown; two are used alternately.
  BATCHWORK_INLINE T* published(int k) const {
    return grid.template numbers<T>() + k % 2 * Ex::leading;
  }
  struct Columns {
    ColumnsOfLanes const& of;
    BATCHWORK_INLINE T get(int m, int i) const { return of.at(m, i); }
  };
  struct Triangle {
    ColumnsOfLanes const& of;
    BATCHWORK_INLINE T get(int m, int i) const {
      return i == of.column(m) ? of.diagonal[m] : of.at(m, i);
    }
  };
};

}  // namespace Batchwork::Impl

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// QrOfWarps: qr of matrices of 33 to 96 rows and columns on devices. The lanes of some warps have an item, a part of a column each, in their
/// registers.
#ifndef BATCHWORK_QROFWARPS_HPP
#define BATCHWORK_QROFWARPS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/Batchwork_Status.hpp"
#include "core/Batchwork_Value.hpp"
#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/Batchwork_Householder.hpp"
#include "core/detail/Batchwork_PowerOfTwo.hpp"
#include "dense/decompositions/detail/Batchwork_QrOfItems.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_TeamLaunch.hpp"

namespace Batchwork::Impl {

/// For matrices of up to N rows and columns, of any shape: zeros below the rows stay zeros, and change nothing of the factors. The warp
/// of a column finds its reflection, as soon as the one before has been applied to it; u stands in scratch, where all lanes read it, and
/// stays there for Q. There is one wait a step. Where has_shuffles.
template <class T, int N>
struct QrOfWarps {
  /// Lanes of a column, neighbours; they have units of 16 bytes of it in turn.
  static constexpr int parts = N <= 64 ? 2 : 4, unit = 16 / int(sizeof(T)), own = N / parts;
  /// Steps that are a loop of one text, so that all of it stays in the instruction cache; rows above the first of them are not looked at.
  static constexpr int steps_of_a_loop = N < 64 ? 8 : 16;
  static constexpr int lanes = N * parts, warps = lanes / lanes_of_warp, largest_team = lanes;
  /// As many as leave a lane registers for its numbers without a spill (CUDA 13, compute capability 9.0).
  static constexpr int wanted_teams = (sizeof(T) == 4 ? 512 : 384) / lanes;
  static_assert(N % steps_of_a_loop == 0 && steps_of_a_loop % (parts * unit) == 0 &&
                lanes % lanes_of_warp == 0);

  QrOfItems<T> p;

  explicit QrOfWarps(QrOfItems<T> const& of) : p(of) {}
  bool fits(DeviceLimits const& limits) const { return limits.holds(1, lanes, bytes()); }
  static constexpr int team() { return lanes; }
  static constexpr std::size_t bytes_of_item() { return N * N * sizeof(T) + warps * 4; }
  static constexpr std::size_t bytes() { return bytes_of_item() + 16; }
  std::int64_t teams() const { return p.items; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    T* const scratch =
        static_cast<T*>(member.team_scratch(0).get_shmem_aligned(bytes_of_item(), 16));
    Lane<Member> lane(member, scratch);
    std::int64_t const item = member.league_rank();
    T const* const from = item_of(p.a.storage, item);
    lane.set([&](int i) {
      return i < p.m && lane.column < p.n ? from[place(p.a.storage, i, lane.column)] : T(0);
    });
    T const unscale = lane.scale();
    int const count = p.m - 1 < p.n ? p.m - 1 : p.n;
    lane.template reflect<0>(count);
    lane.end(p.m);
    std::int32_t const code = lane.status(p.m < p.n ? p.m : p.n, p.n, unscale);
    // NaN is what a number of an item that failed is multiplied by.
    T const factor = code == 0 ? unscale : std::numeric_limits<T>::quiet_NaN();
    T* const to_r = item_of(p.r.storage, item);
    lane.for_each([&](int i, T const& x) {
      if (i < p.m && i < p.n && lane.column < p.n)
        to_r[place(p.r.storage, i, lane.column)] = (i < lane.column    ? x
                                                    : i == lane.column ? lane.diagonal
                                                                       : T(0)) *
                                                   factor;
    });
    if (p.columns_of_q > 0) {
      lane.set([&](int) { return T(0); });
      lane.template form_q<N - steps_of_a_loop>(count);
      T* const to_q = item_of(p.q.storage, item);
      T const one = code == 0 ? T(1) : std::numeric_limits<T>::quiet_NaN();
      lane.for_each([&](int i, T const& x) {
        if (i < p.m && lane.column < p.columns_of_q)
          to_q[place(p.q.storage, i, lane.column)] = x * one;
      });
    }
    if (lane.column == 0 && lane.part == 0 && p.status.wanted()) p.status.put(item, code);
  }

 private:
  template <class U>
  static BATCHWORK_INLINE std::int64_t place(Storage<U> const& s, int i, int j) {
    return std::int64_t(i) * s.row + std::int64_t(j) * s.col;
  }

  /// Some sums instead of one, whose additions would wait for each other.
  struct Sums {
    T some[4] = {T(0), T(0), T(0), T(0)};
    BATCHWORK_INLINE void add(int q, T const& y) { some[q % 4] += y; }
    BATCHWORK_INLINE T whole() const { return (some[0] + some[1]) + (some[2] + some[3]); }
  };
  /// A lane with its part of a column.
  template <class Member>
  struct Lane {
    Member const& member;
    T* columns;  ///< u of each reflection
    int column, part;
    T x[own];
    T diagonal = T(0);  ///< of R, in the own column

    BATCHWORK_INLINE Lane(Member const& of, T* scratch)
        : member(of),
          columns(scratch),
          column(Vendor::lane_rank(of) / parts),
          part(Vendor::lane_rank(of) % parts) {}
    BATCHWORK_INLINE int row(int q) const { return (q / unit * parts + part) * unit + q % unit; }
    /// The first own number that may be in row `first`, a multiple of steps_of_a_loop, or below.
    static constexpr int from_row(int first) { return first / parts; }
    BATCHWORK_INLINE int last_of_warp() const { return column | (lanes_of_warp / parts - 1); }
    BATCHWORK_INLINE T* shown(int k) const { return columns + k * N; }
    static BATCHWORK_INLINE T over_parts(T y) {
      BATCHWORK_UNROLL
      for (int step = 1; step < parts; step *= 2) y += Vendor::swapped(y, step);
      return y;
    }

    template <class F>
    BATCHWORK_INLINE void set(F const& f) {
      BATCHWORK_UNROLL
      for (int q = 0; q < own; ++q) x[q] = f(row(q));
    }
    template <class F>
    BATCHWORK_INLINE void for_each(F const& f) const {
      BATCHWORK_UNROLL
      for (int q = 0; q < own; ++q) f(row(q), x[q]);
    }
    /// The column times a power of two, so that no square overflows or is lost. \returns what R's numbers are multiplied by
    BATCHWORK_INLINE T scale() {
      T largest = T(0);
      BATCHWORK_UNROLL
      for (int q = 0; q < own; ++q) {
        T const size = Kokkos::abs(x[q]);
        largest = size > largest ? size : largest;
      }
      BATCHWORK_UNROLL
      for (int step = 1; step < parts; step *= 2) {
        T const other = Vendor::swapped(largest, step);
        largest = other > largest ? other : largest;
      }
      SafeScale<T> const by(largest);
      BATCHWORK_UNROLL
      for (int q = 0; q < own; ++q) x[q] *= by.down;
      return by.up;
    }
    /// f(q, number) of what stands in scratch for column k, from row First on.
    template <int First, class F>
    BATCHWORK_INLINE void for_shown(int k, F const& f) const {
      T const* const from = shown(k);
      BATCHWORK_UNROLL
      for (int q = from_row(First); q < own; q += unit) {
        T some[unit];
        read_together(some, from + row(q));
        BATCHWORK_UNROLL
        for (int e = 0; e < unit; ++e) f(q + e, some[e]);
      }
    }
    /// Whether the calling lane's warp has column k.
    BATCHWORK_INLINE bool in_warp(int k) const {
      constexpr int of_warp = lanes_of_warp / parts;
      return column / of_warp == k / of_warp;
    }

    /// The reflection of column k, one of the warp's, a row of the loop of First: u to scratch, with zeros above.
    template <int First>
    BATCHWORK_INLINE void show(int k) {
      constexpr int end = from_row(First + steps_of_a_loop);
      Sums below;
      T head = T(0);
      BATCHWORK_UNROLL
      for (int q = from_row(First); q < own; ++q) {
        bool const above = q < end && row(q) < k, on_top = q < end && row(q) == k;
        below.add(q, above || on_top ? T(0) : x[q] * x[q]);
        head = on_top ? x[q] : head;
      }
      Reflection<T> const h(over_parts(head), over_parts(below.whole()));
      if (column != k) return;
      diagonal = h.alpha;
      BATCHWORK_UNROLL
      for (int q = from_row(First); q < own; ++q) {
        bool const above = q < end && row(q) < k, on_top = q < end && row(q) == k;
        shown(k)[row(q)] = above ? T(0) : on_top ? h.top : x[q] * h.scale;
      }
    }
    /// Reflections First to `count` - 1, each applied to the columns behind it.
    template <int First>
    BATCHWORK_INLINE void reflect(int count) {
      int const end = First + steps_of_a_loop < count ? First + steps_of_a_loop : count;
      BATCHWORK_KEEP_LOOP
      for (int k = First; k < end; ++k) {
        if (in_warp(k)) show<First>(k);
        member.team_barrier();
        if (last_of_warp() <= k) continue;
        T const w = product<First>(k);
        // Of columns before it nothing is changed: u may be NaN, and R is above.
        subtract<First>(k, column > k ? w : T(0));
      }
      if constexpr (First + steps_of_a_loop < N)
        if (end < count) reflect<First + steps_of_a_loop>(count);
    }
    /// u' x of reflection k.
    template <int First>
    BATCHWORK_INLINE T product(int k) const {
      Sums w;
      for_shown<First>(k, [&](int q, T const& y) { w.add(q, y * x[q]); });
      return over_parts(w.whole());
    }
    template <int First>
    BATCHWORK_INLINE void subtract(int k, T w) {
      // Read anew: beside the own numbers there is no room for others.
      Vendor::keep_loads_behind();
      for_shown<First>(k, [&](int q, T const& y) { x[q] -= w * y; });
    }
    /// Where there is no reflection, in the last of `rows`, the diagonal is as it stands.
    BATCHWORK_INLINE void end(int rows) {
      T at = T(0);
      BATCHWORK_UNROLL
      for (int q = 0; q < own; ++q) at = row(q) == column ? x[q] : at;
      at = over_parts(at);
      if (column >= rows - 1) diagonal = at;
    }
    /// Of the first column of R, `least` x `cols`, that is not finite once it is unscaled.
    BATCHWORK_INLINE std::int32_t status(int least, int cols, T unscale) const {
      T zero = column < least ? diagonal * unscale * T(0) : T(0);
      BATCHWORK_UNROLL
      for (int q = 0; q < own; ++q)
        zero += row(q) < column && row(q) < least ? x[q] * unscale * T(0) : T(0);
      bool const fails = column < cols && zero != T(0);
      int const most = Vendor::largest_of<lanes_of_warp>(fails ? N - column : 0);
      std::int32_t* const found = reinterpret_cast<std::int32_t*>(columns + N * N);
      int const rank = column * parts + part;
      if (rank % lanes_of_warp == 0) found[rank / lanes_of_warp] = most;
      member.team_barrier();
      int all = 0;
      for (int w = 0; w < warps; ++w) all = found[w] > all ? found[w] : all;
      return all == 0 ? 0 : Status::code(Reason::not_finite, N - all + 1);
    }
    /// Own columns of Q, from reflection `count` - 1 to the first. (LAPACK's org2r.)
    template <int First>
    BATCHWORK_INLINE void form_q(int count) {
      BATCHWORK_UNROLL
      for (int q = from_row(First); q < from_row(First + steps_of_a_loop); ++q)
        x[q] = row(q) == column ? T(1) : T(0);
      int const end = First + steps_of_a_loop < count ? First + steps_of_a_loop : count;
      BATCHWORK_KEEP_LOOP
      for (int k = end - 1; k >= First; --k) {
        // Columns before it are those of the unit matrix, and have zeros where the reflection has none.
        if (last_of_warp() < k) continue;
        T const w = product<First>(k);
        subtract<First>(k, w);
      }
      if constexpr (First > 0) form_q<First - steps_of_a_loop>(count);
    }
  };
};

/// Launches the kernel for extents of up to N. \returns whether the device has room for it
template <int N, class T, class Exec>
bool launch_qr_of_some_warps(Exec const& exec, Call const& call, QrOfItems<T> const& f) {
  using Kernel = QrOfWarps<T, N>;
  Kernel const kernel(f);
  if (!kernel.fits(Vendor::device_limits(exec))) return false;
  launch_teams_that_fit<Kernel::largest_team, Kernel::wanted_teams>(
      exec, kernel_label(call.verb, call.label), kernel,
      TeamShape{kernel.teams(), kernel.team(), kernel.bytes()}, [&] {
        return LaunchWords{call.verb, "the matrices of " + call.parts[0].name(), "use fewer items"};
      });
  return true;
}
/// Launches the kernel of the smallest extent that is not below those of the matrices. \returns whether there is one, on devices whose
/// lanes have shuffles
template <class Exec, class T>
bool launch_qr_of_warps(Exec const& exec, Call const& call, QrOfItems<T> const& f) {
  if constexpr (runs_on_device<Exec> && Vendor::has_shuffles) {
    int const extent = f.m > f.n ? (f.m > f.columns_of_q ? f.m : f.columns_of_q) : f.n;
    if (extent <= 48) return launch_qr_of_some_warps<48>(exec, call, f);
    if (extent <= 64) return launch_qr_of_some_warps<64>(exec, call, f);
    if (extent <= 96) return launch_qr_of_some_warps<96>(exec, call, f);
  }
  return false;
}

}  // namespace Batchwork::Impl

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SystemTeam: what a solver's algorithm has to do with, by lanes of a device that share a system.
/// Vectors are registers: row i is number i / lanes of lane i mod lanes. What other lanes must read
/// goes through an exchange in team scratch.
#ifndef BATCHWORK_SYSTEMTEAM_HPP
#define BATCHWORK_SYSTEMTEAM_HPP

#include <cstddef>
#include <cstdint>

#include "core/detail/Batchwork_CombineInScratch.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_Scheduling.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "core/detail/backend/Batchwork_WarpReductions.hpp"
#include "krylov/base/Batchwork_SolveLog.hpp"
#include "krylov/detail/backend/Batchwork_SolverVectors.hpp"
#include "krylov/detail/backend/Batchwork_SystemSum.hpp"
#include "krylov/formats/detail/Batchwork_AnySystems.hpp"
#include "krylov/formats/detail/Batchwork_ProductSums.hpp"

namespace Batchwork::Impl {

/// Lanes of a system: a power of two to a warp, or whole warps; beyond a warp it has a team for
/// itself.
inline constexpr int largest_team_of_a_system = 256;

/// Vectors of a solver's basis that lanes have in registers beside a small matrix: as many as sums
/// at once.
inline constexpr int directions_in_registers = 8;

/// R numbers of a lane.
template <class T, int R>
struct RowNumbers {
  T data[R];
  BATCHWORK_INLINE T operator()(int r) const { return data[r]; }
  BATCHWORK_INLINE void set(int r, T x) { data[r] = x; }
};

/// Scratch of the systems of a team, in numbers of T: an exchange or two for each, and where parts
/// of sums meet.
struct SystemScratch {
  static constexpr int most_sums = 5;
  int lanes = 1;      ///< of a system
  int rows = 0;       ///< places of an exchange: lanes times rows a lane
  int systems = 1;    ///< of a team
  int wide = 2;       ///< numbers in 16 bytes
  int exchanges = 1;  ///< of a system

  BATCHWORK_INLINE constexpr int exchange_size() const { return (rows + wide - 1) / wide * wide; }
  /// Systems of a warp begin in different banks: as far apart as the numbers that their lanes write
  /// at once.
  BATCHWORK_INLINE constexpr int of_system() const {
    int const all = exchanges * exchange_size();
    int const banks = 32 * wide / 4;
    if (lanes * 2 > banks) return all;
    int const step = lanes > wide ? lanes : wide;
    int const off = (all - step) % banks;
    return all + (off == 0 ? 0 : off > 0 ? banks - off : -off);
  }
  /// Sums that lanes without shuffles add up at once: beside the exchange of 2048 rows in double
  /// there is no more scratch.
  BATCHWORK_INLINE constexpr int sums_at_once() const { return lanes > 128 ? 3 : most_sums; }
  /// Of the first of the two exchanges that they do it in.
  BATCHWORK_INLINE constexpr int of_first_sums() const { return sums_at_once() * lanes * systems; }
  /// Two alternating sets, so that one wait a sum is enough.
  BATCHWORK_INLINE constexpr int of_sums(bool shuffles) const {
    if (!shuffles)
      return of_first_sums() +
             (lanes > lanes_of_warp ? sums_at_once() * most_parts : of_first_sums());
    return 2 * most_sums * (lanes > lanes_of_warp ? largest_team_of_a_system / lanes_of_warp : 0);
  }
  constexpr std::size_t numbers(bool shuffles) const {
    return std::size_t(systems) * std::size_t(of_system()) + std::size_t(of_sums(shuffles));
  }
};

/// The vectors of one item. Where they begin is computed when they are read, which is seldom, not
/// kept in registers.
template <class T>
struct SolveItem {
  Storage<T const> const& b_of;
  Storage<T> const& x_of;
  std::int64_t number;
  bool there;  ///< or a lane without an item, which stores nothing

  BATCHWORK_INLINE T const* b() const { return item_of(b_of, Vendor::renewed(number)); }
  BATCHWORK_INLINE T* x() const { return item_of(x_of, Vendor::renewed(number)); }
};

/// Whether kernels with such a matrix take systems of any number of lanes: whether a system has a
/// warp at most is then not part of their type.
template <class Matrix>
inline constexpr bool takes_any_lanes = false;
template <class Matrix>
  requires Matrix::any_lanes
inline constexpr bool takes_any_lanes<Matrix> = true;

/// Whether a system of so many lanes has more than a warp, and so the team for itself.
template <bool Large, class Matrix>
BATCHWORK_INLINE bool is_large_system(int lanes) {
  if constexpr (takes_any_lanes<Matrix>) return lanes > lanes_of_warp;
  else return Large;
}

/// Member is Kokkos' team member; Matrix says where the matrix is, see MatrixPlacement.hpp; R rows
/// a lane at most. A large system has a team of whole warps for itself, which waits at the team's
/// barrier; small ones have part of a warp.
template <class T, int R, bool Large, class Matrix, class Member>
struct SystemTeam {
  using Scalar = T;
  using Number = T;  ///< of a system
  using Value = T;   ///< of some of its rows
  using Vector = RowNumbers<T, R>;
  static constexpr int most_warps = largest_team_of_a_system / lanes_of_warp;

  static constexpr bool has_entries = Matrix::has_entries;
  static constexpr int directions =
      Matrix::directions;  ///< of a basis, that lanes have in registers
  static constexpr bool any_lanes = takes_any_lanes<Matrix>;

  Member const& member;
  Matrix& matrix;
  SolveItem<T> const& item;
  LogPointers<T> const& log;
  SystemScratch layout;
  int rank;   ///< among the lanes of the system
  int lanes;  ///< of the system
  int rows;
  T* exchange;  ///< of the system
  T* parts;     ///< of the team
  int sum_turn = 0;
  bool pattern_is_known = false;  ///< to preconditioners, from an item that the lanes had before
  T unit = T(1);    ///< power of two that b and x are multiplied by, see begin_systems
  T factor = T(1);  ///< power of two that stands for a preconditioner where there is none

  BATCHWORK_INLINE int row_of(int r) const { return r * lanes + rank; }
  BATCHWORK_INLINE bool there() const { return item.there; }
  /// Whether the lane's rows have a pattern that cannot be used.
  BATCHWORK_INLINE bool flawed() const { return !matrix.valid; }
  /// Of the pattern, by a preconditioner.
  BATCHWORK_INLINE void expect(bool valid) { matrix.valid = matrix.valid && valid; }

  /// Runs body(r) for the lane's rows. Rows beyond the last hold zeros while the system runs.
  template <class Body>
  BATCHWORK_INLINE void for_each(Body const& body) const {
    BATCHWORK_UNROLL
    for (int r = 0; r < R; ++r) {
      if (Matrix::skips_rows && r > 0 && r * lanes >= rows) continue;
      body(r);
    }
  }
  static BATCHWORK_INLINE Vector vector() {
    Vector v;
    BATCHWORK_UNROLL
    for (int r = 0; r < R; ++r) v.data[r] = T(0);
    return v;
  }
  /// Vectors of a solver's method.
  template <int N>
  static BATCHWORK_INLINE SolverVectors<Vector, N> vectors() {
    return {};
  }
  BATCHWORK_INLINE void load(Vector& v, T const* from, std::int64_t step) const {
    for_each([&](int r) {
      int const i = row_of(r);
      v.data[r] = i < rows ? unit * from[i * step] : T(0);
    });
  }
  BATCHWORK_INLINE void load_b(Vector& v) const { load(v, item.b(), item.b_of.row); }
  BATCHWORK_INLINE void load_x(Vector& v) const { load(v, item.x(), item.x_of.row); }
  BATCHWORK_INLINE void store_x(Vector const& v, bool stores) const {
    if (!item.there || !stores) return;
    T* const to = item.x();
    T const back = T(1) / unit;
    for_each([&](int r) {
      int const i = row_of(r);
      if (i < rows) to[i * item.x_of.row] = back * v.data[r];
    });
  }
  BATCHWORK_INLINE bool keeps_history() const {
    return log.history != nullptr && rank == 0 && item.there;
  }
  BATCHWORK_INLINE void record(bool, int iteration, T norm_squared) const {
    log.record(item.number, iteration, Kokkos::sqrt(norm_squared) / unit);
  }

  BATCHWORK_INLINE bool is_large() const { return is_large_system<Large, Matrix>(lanes); }
  /// Waits for the lanes of the system; for its warp, or portably for the team.
  BATCHWORK_INLINE void sync() const {
    if (Vendor::has_shuffles && !is_large()) Vendor::warp_sync(member);
    else member.team_barrier();
  }
  /// Whether x holds for any system that goes through the same turns.
  BATCHWORK_INLINE bool any(bool x) {
    if constexpr (Vendor::has_shuffles) {
      return Large && !any_lanes ? x : Vendor::any_of_warp(x);
    } else {
      // Lanes of a system agree.
      if (is_large() || layout.systems == 1) return x;
      T* const all = sum_exchange().numbers;
      sum_turn ^= 1;
      if (rank == 0) all[member.team_rank()] = x ? T(1) : T(0);
      member.team_barrier();
      bool r = false;
      BATCHWORK_UNROLL_SOME
      for (int k = 0; k < member.team_size(); k += lanes) r = all[k] != T(0) || r;
      return r;
    }
  }

  /// The vector where all lanes of the system read it. Between two of them there is a sum, which
  /// comes after the reading.
  BATCHWORK_INLINE T const* publish(Vector const& v) {
    // A sum within a warp does not order accesses to scratch.
    if (Vendor::has_shuffles && !is_large()) sync();
    for_each([&](int r) { exchange[row_of(r)] = v.data[r]; });
    sync();
    return exchange;
  }
  BATCHWORK_INLINE T* second_exchange() const { return exchange + layout.exchange_size(); }

  /// y = A x
  BATCHWORK_INLINE void multiply(Vector& y, Vector const& x) {
    matrix.template product<PlainSum<T>>(*this, y, x);
  }
  /// The same; returns this lane's part of the sum of the squares of the sizes of the rows' sums,
  /// see BoundedSum.
  BATCHWORK_INLINE T multiply_with_bound(Vector& y, Vector const& x) {
    return matrix.template product<BoundedSum<T>>(*this, y, x);
  }
  /// Runs put(k, value, rounding) for the lane's rows of b - A x in twice the precision: the value
  /// is rounded, and the rest of its error is below `rounding`.
  template <class Put>
  BATCHWORK_INLINE void compensated_rows(Vector const& b, Vector const& x, Put const& put) {
    matrix.compensated_product(*this, x, [&](int k, CompensatedSum<T>& sum, int products) {
      sum.subtract_from(b.data[k]);
      put(k, sum.value(), sum.rounding(products + 1));
    });
  }
  /// r = b - A x in twice the precision; returns this lane's part of the sum of the squares of the
  /// rows' roundings.
  BATCHWORK_INLINE T compensated_residual(Vector& r, Vector const& b, Vector const& x) {
    T roundings = T(0);
    compensated_rows(b, x, [&](int k, T value, T rounding) {
      r.data[k] = value;
      roundings += rounding * rounding;
    });
    return roundings;
  }

  /// Sums over the rows of what the lanes have added up, the same bits in each lane.
  template <int N>
  BATCHWORK_INLINE void sum(T const (&mine)[N], T (&x)[N]) {
    static_assert(N <= SystemScratch::most_sums);
    BATCHWORK_UNROLL
    for (int n = 0; n < N; ++n) x[n] = mine[n];
    if constexpr (Vendor::has_shuffles) {
      // Whole wavefronts, where these have more than 32 lanes.
      int const together = lanes % Vendor::warp_lanes == 0 ? Vendor::warp_lanes : lanes_of_warp;
      Vendor::reduce_sum(x, is_large() ? together : lanes);
      if (is_large()) {
        T* const all = next_parts();
        int const warps = lanes / together;
        if (rank % together == 0) {
          BATCHWORK_UNROLL
          for (int n = 0; n < N; ++n) all[n * most_warps + rank / together] = x[n];
        }
        member.team_barrier();
        if (Vendor::warp_lanes > 32 && warps == 1) return;
        BATCHWORK_UNROLL
        for (int n = 0; n < N; ++n) {
          x[n] = all[n * most_warps] + all[n * most_warps + 1];
          BATCHWORK_UNROLL
          for (int w = 2; w < most_warps; ++w)
            if (w < warps) x[n] += all[n * most_warps + w];
        }
      }
    } else {
      combine<false>(mine, [&](int n, T sum) { x[n] = sum; });
    }
  }
  /// Reading them is over when the next set of parts is.
  BATCHWORK_INLINE T* next_parts() {
    sum_turn ^= 1;
    return parts + (sum_turn != 0 ? layout.of_sums(true) / 2 : 0);
  }
  /// The same without shuffles.
  BATCHWORK_INLINE SumExchange<T> sum_exchange() const {
    T* const second = parts + layout.of_first_sums();
    return {sum_turn != 0 ? second : parts, sum_turn != 0 ? parts : second};
  }
  /// Without shuffles: sums of what the lanes have added up, see SumExchange.
  template <bool Dealt, int N, class Take>
  BATCHWORK_INLINE void combine(T const (&mine)[N], Take const& take) {
    auto in = sum_exchange();
    int const at_once = Large ? layout.sums_at_once() : SystemScratch::most_sums;
    in.template combine<Dealt>(member, mine, rank, lanes, at_once, AddNumbers(), take);
    sum_turn = in.numbers == parts ? 0 : 1;
  }
};

}  // namespace Batchwork::Impl

#endif

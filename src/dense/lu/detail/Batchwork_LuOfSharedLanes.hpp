// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// LuOfSharedLanes: lu, solve_lu for several right-hand sides and determinant of matrices that some
/// lanes of a warp share, whole rows each, in their registers, as lu(tile).
#ifndef BATCHWORK_LUOFSHAREDLANES_HPP
#define BATCHWORK_LUOFSHAREDLANES_HPP

#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/Batchwork_Distributed.hpp"
#include "dense/lu/detail/Batchwork_LuProblem.hpp"
#include "launch/detail/Batchwork_ItemsOfSharedLanes.hpp"
#include "tile/Batchwork_Lu.hpp"

namespace Batchwork::Impl {

/// Teams of a multiprocessor: as were fastest (H200, CUDA 13).
template <class T, int N>
inline constexpr int teams_of_lu_lanes = N < 16 && sizeof(T) == 8 ? 3 : 4;

/// On a device, for matrices of up to N rows: the identity is beyond them.
template <class T, int N, LuTask Task>
struct LuOfSharedLanes : TeamsOfSharedLanes<T, lanes_of_lu<T>(N), N, teams_of_lu_lanes<T, N>> {
  static constexpr int L = lanes_of_lu<T>(N), mine = N / L;
  using Teams = TeamsOfSharedLanes<T, L, N, teams_of_lu_lanes<T, N>>;
  using S = Distributed<T, L, 1, N>;
  using Ex = typename S::exchange;
  static_assert(N % L == 0 && !Ex::ragged, "each lane has whole rows, and a line of the exchange");
  static_assert(Task == LuTask::factors || Task == LuTask::solutions);

  StoredItems<T const> a, b;
  StoredItems<T> x, lu;
  LuProblem<T> p;

  LuOfSharedLanes(LuProblem<T> const& of, DeviceLimits const& limits)
      : Teams(of.items, limits),
        a(of.a, of.n, of.n),
        b(of.b, of.n, of.columns),
        x(of.x, of.n, of.columns),
        lu(of.lu, of.n, of.n),
        p(of) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto const of = this->items_of(member);
    of.load(a, p.n, p.n);
    Lu<S, N> f(matrix_in(of.grid(), of.is_there() ? p.n : 0), p.n);
    // Lanes compute their places anew after each part. Otherwise all places would be in registers
    // from the first part on.
    f.factors.grid = of.grid();
    std::int32_t code = f.own;
    if constexpr (Task == LuTask::factors) {
      if (p.result == LuResult::factors) {
        put_rows(f.factors);
        of.store(lu, p.n, p.n);
        if (of.is_there()) put_order(f.factors, of.begin + of.own());
      } else {
        auto const product = f.product();
        ScaledProduct<T> found(product.factor.v);
        found.exponent = product.exponent;
        if (f.factors.grid.lane == 0 && of.is_there())
          code = p.put_determinant(of.begin + of.own(), found, code);
      }
    } else {
      bool finite = true;
      BATCHWORK_KEEP_LOOP
      for (int c0 = 0; c0 < p.columns; c0 += N) {
        int const some = p.columns - c0 < N ? p.columns - c0 : N;
        of.meet(b.items_near);
        of.load(columns_from(b, c0), p.n, some);
        f.factors.grid = of.grid();
        auto const solution = f.solve(columns_in(f.factors.grid, some));
        finite = put_columns(solution, of.grid(), some, code != 0) && finite;
        of.store(columns_from(x, c0), p.n, some);
      }
      code = status_with_result(code, of.grid().template largest<L>(finite ? 0 : 1) != 0);
    }
    of.put_status(p.status, code);
  }

 private:
  using Columns = dealt_t<S, false>;

  /// The matrix of `rows` rows that is in the exchange, with the identity beyond it; of no rows the
  /// identity.
  static BATCHWORK_INLINE Matrix<S, N, N> matrix_in(LaneGrid const& grid, int rows) {
    T const* const from = grid.template numbers<T>();
    Matrix<S, N, N> matrix;
    matrix.grid = grid;
    matrix.info = 0;
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      int const i = matrix.line(m);
      BATCHWORK_UNROLL
      for (int k0 = 0; k0 < N; k0 += Ex::per_unit) {
        Unit<T> const u = *reinterpret_cast<Unit<T> const*>(from + i * Ex::leading + k0);
        BATCHWORK_UNROLL
        for (int e = 0; e < Ex::per_unit; ++e)
          if (k0 + e < N)
            matrix.set_local(m, k0 + e, i < rows && k0 + e < rows ? u.v[e] : T(i == k0 + e));
      }
    }
    return matrix;
  }
  /// `some` columns of right-hand sides that are in the exchange, zeros beyond them.
  BATCHWORK_INLINE Matrix<Columns, N, N> columns_in(LaneGrid const& grid, int some) const {
    T const* const from = grid.template numbers<T>();
    Matrix<Columns, N, N> right;
    right.grid = grid;
    right.info = 0;
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      BATCHWORK_UNROLL
      for (int i = 0; i < N; ++i) {
        int const c = right.line(m);
        right.set_local(m, i, i < p.n && c < some ? from[i * Ex::leading + c] : T(0));
      }
    }
    return right;
  }
  /// The columns of a solution to the exchange, and whether the first `some` that the lane has are
  /// finite.
  template <class X>
  BATCHWORK_INLINE bool put_columns(X const& solution, LaneGrid const& grid, int some,
                                    bool failed) const {
    static_assert(!X::by_rows);
    T* const numbers = grid.template numbers<T>();
    grid.sync();
    bool finite = true;
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      int const c = solution.line(m);
      BATCHWORK_UNROLL
      for (int i = 0; i < N; ++i) {
        T const z = unless_failed(failed, solution.local(m, i));
        finite = finite && (i >= p.n || c >= some || is_finite(z));
        numbers[i * Ex::leading + c] = z;
      }
    }
    return finite;
  }
  template <class Factors>
  static BATCHWORK_INLINE void put_rows(Factors const& factors) {
    T* const numbers = factors.grid.template numbers<T>();
    factors.grid.sync();
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      BATCHWORK_UNROLL
      for (int k = 0; k < N; ++k) numbers[factors.line(m) * Ex::leading + k] = factors.local(m, k);
    }
  }
  template <class Factors>
  BATCHWORK_INLINE void put_order(Factors const& factors, std::int64_t item) const {
    std::int32_t* const to = item_of(p.order, item);
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m)
      if (factors.line(m) < p.n) to[std::int64_t(factors.place[m]) * p.order.row] = factors.line(m);
  }
  static BATCHWORK_INLINE T unless_failed(bool failed, T number) {
    return failed ? std::numeric_limits<T>::quiet_NaN() : number;
  }
};

}  // namespace Batchwork::Impl

#endif

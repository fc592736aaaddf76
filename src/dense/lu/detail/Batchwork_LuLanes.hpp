// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// LuOfLane: lu, solve_lu, inverse and determinant of matrices so small that a lane has one in its
/// registers, as lu(tile).
#ifndef BATCHWORK_LULANES_HPP
#define BATCHWORK_LULANES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "dense/lu/detail/Batchwork_LuProblem.hpp"
#include "launch/detail/Batchwork_LaneLaunch.hpp"
#include "tile/Batchwork_Lu.hpp"

namespace Batchwork::Impl {

/// On a host a vector is a matrix of one column: Task is not LuTask::solution there.
template <class T, int N, LuTask Task>
struct LuOfLane {
  using number = T;
  // Registers for the matrix and, if there are solutions, for columns or the vector.
  static constexpr int words =
      ((Task == LuTask::solutions ? 2 * N * N : N * N) + (Task == LuTask::solution ? N : 0)) *
      int(sizeof(T)) / 4;

  /// A vector is on its way with the matrix, unless its registers would leave a multiprocessor
  /// fewer warps.
  static constexpr bool reads_late = N == 8 && sizeof(T) == 4;

  StatusTarget status{};
  StoredItems<T const> a{}, b{};
  StoredItems<T> x{}, lu{}, log_size{};
  StoredItems<std::int32_t> order{};
  std::int64_t count = 0;
  int columns = 0;
  LuResult result = LuResult::solutions;

  explicit LuOfLane(LuProblem<T> const& p)
      : status(p.status),
        a(p.a, N, N),
        b(p.b, N, p.columns),
        x(p.x, p.result == LuResult::determinant ? 1 : N,
          p.result == LuResult::determinant ? 1 : p.columns),
        lu(p.lu, N, N),
        log_size(p.log_size, 1, 1),
        order(p.order, N, 1),
        count(p.items),
        columns(p.columns),
        result(p.result) {}
  BATCHWORK_INLINE std::int64_t items() const { return count; }
  std::size_t carried_bytes() const {
    std::size_t most = Impl::carried_bytes<N, N>(a);
    if (Task == LuTask::solution) most = std::max(most, Impl::carried_bytes<N, 1>(x));
    else if (Task != LuTask::factors) most = std::max(most, Impl::carried_bytes<N, N>(x));
    if (Task == LuTask::solutions) most = std::max(most, Impl::carried_bytes<N, N>(b));
    if (Task == LuTask::factors && result == LuResult::factors)
      most = std::max({most, Impl::carried_bytes<N, N>(lu), Impl::carried_bytes<N, 1>(order)});
    return most;
  }

  template <class Items>
  BATCHWORK_INLINE void operator()(Items const& of) const {
    using S = typename Items::value_type;
    constexpr KnownExtent<N> n;
    constexpr KnownExtent<1> one;
    Matrix<S, N, N> matrix;
    matrix.info = info_t<S>(0);
    S right[N];
    if constexpr (Task == LuTask::solution && !reads_late) of.read(b, right);
    of.template load<N, N>(a, n, n, [&](int i, int j, S const& z) { matrix.set(i, j, z); });
    Lu<S, N> const f(matrix);
    info_t<S> code = f.own;
    S const nan(std::numeric_limits<T>::quiet_NaN());
    auto const unless_failed = [&](S const& z) { return S(select(code != info_t<S>(0), nan, z)); };
    if constexpr (Task == LuTask::factors) {
      if (result == LuResult::factors) {
        of.template store<N, N>(lu, n, n, [&](int i, int j) { return f.factors.number(i, j); });
        of.template store<N, 1>(order, n, one, [&](int i, int) { return f.factors.all.order[i]; });
      } else {
        code = f.of_determinant();
        auto const product = f.product();
        bool const logs = log_size.storage.data != nullptr;
        S const found = unless_failed(logs ? product.sign() : product.value());
        of.template store<1, 1>(x, one, one, [&](int, int) { return found; });
        if (logs) {
          S const size = unless_failed(product.log_size());
          of.template store<1, 1>(log_size, one, one, [&](int, int) { return size; });
        }
        code = first_failure(code, status_of_result(found));
      }
    } else {
      S sum(T(0));  // of zeros and NaN
      if constexpr (Task == LuTask::inverses) {
        auto const inverse = f.inverse();
        of.template store<N, N>(x, n, n, [&](int i, int j) {
          S const z = unless_failed(inverse.entry(i, j));
          sum += z * S(T(0));
          return z;
        });
      } else {
        auto const put_solution = [&](S(&z)[N]) {
          Vector<S, N> side;
          side.info = info_t<S>(0);
          BATCHWORK_UNROLL_ON_DEVICE
          for (int i = 0; i < N; ++i) side.set(i, 0, z[i]);
          auto const solution = f.solve(side);
          BATCHWORK_UNROLL_ON_DEVICE
          for (int i = 0; i < N; ++i) {
            z[i] = unless_failed(solution.entry(i));
            sum += z[i] * S(T(0));
          }
        };
        if constexpr (Task == LuTask::solution) {
          if constexpr (reads_late) of.read(b, right);
          put_solution(right);
          of.template store<N, 1>(x, n, one, [&](int i, int) { return right[i]; });
        } else {
          of.template for_columns<N>(b, n, x, n, columns, put_solution);
        }
      }
      code = status_with_result(code, sum != S(T(0)));
    }
    of.put_status(status, code);
  }
};

/// \returns whether it has launched a kernel in which a lane has an item
template <LuTask Task, class Exec, class T>
bool launch_lu_lanes(Exec const& exec, Call const& call, LuProblem<T> const& p) {
  constexpr LuTask task =
      Task == LuTask::solution && !runs_on_device<Exec> ? LuTask::solutions : Task;
  return with_known_extent<extent_of_lane>(
      p.n, [&]<int N>(KnownExtent<N>) { launch_lanes(exec, call, LuOfLane<T, N, task>(p)); });
}

}  // namespace Batchwork::Impl

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// CholeskyOfLane and TriangleOfLane: cholesky, solve_cholesky, solve_lower and solve_upper on
/// devices of matrices so small that a lane has one in its registers, as cholesky(tile) and
/// solve(tile, b).
#ifndef BATCHWORK_TRIANGLELANES_HPP
#define BATCHWORK_TRIANGLELANES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "dense/cholesky/detail/Batchwork_TriangleProblem.hpp"
#include "launch/detail/Batchwork_LaneLaunch.hpp"
#include "tile/Batchwork_Cholesky.hpp"

namespace Batchwork::Impl {

/// Triangles in the order of memory. A warp that copies triangles takes the contiguous one of rows
/// and columns as the row, so that transposes are copied in the order of memory, too. They are
/// transposed in registers.
template <class U>
struct StoredTriangles {
  StoredItems<U> items{};
  bool turned = false;

  StoredTriangles() = default;
  StoredTriangles(Storage<U> s, int n) : items(s, n, n) {
    turned = !items.items_near && items.rows_near;
    if (!turned) return;
    std::swap(s.row, s.col);
    items = StoredItems<U>(s, n, n);
  }

  /// The lower triangles of a warp's items. What is above them is not asked for where each lane
  /// reads its own.
  template <int N, class S, class Items>
  BATCHWORK_INLINE void load(Items const& of, Symmetric<S, N>& a) const {
    constexpr KnownExtent<N> n;
    a.info = info_t<S>(0);
    if (turned) {
      of.template load<N, N>(items, n, n, [&](int i, int j, S const& z) {
        if (i <= j) a.set(j, i, z);
      });
    } else {
      of.template load<N, N>(items, n, n, [&](int i, int j, S const& z) {
        if (j <= i) a.set(i, j, z);
      });
    }
  }
  /// With zeros above the diagonal.
  template <int N, class Items, class L>
  BATCHWORK_INLINE void store(Items const& of, L const& l) const {
    constexpr KnownExtent<N> n;
    of.template store<N, N>(items, n, n,
                            [&](int i, int j) { return turned ? l.entry(j, i) : l.entry(i, j); });
  }
};

/// The factor of an item. As of TriangleOfLane no extent spills; of 8 rows in double they have 164
/// and 160 registers (CUDA 13, sm_90).
template <class T, int N>
struct CholeskyOfLane {
  using number = T;
  static constexpr int words = N * (N + 1) / 2 * int(sizeof(T)) / 4;

  StatusTarget status{};
  StoredTriangles<T const> a{};
  StoredTriangles<T> l{};
  std::int64_t count = 0;

  explicit CholeskyOfLane(TriangleProblem<T> const& p)
      : status(p.status), a(p.a, N), l(p.l, N), count(p.items) {}
  BATCHWORK_INLINE std::int64_t items() const { return count; }
  std::size_t carried_bytes() const {
    return std::max(Impl::carried_bytes<N, N>(a.items), Impl::carried_bytes<N, N>(l.items));
  }

  template <class Items>
  BATCHWORK_INLINE void operator()(Items const& of) const {
    Symmetric<typename Items::value_type, N> matrix;
    a.template load<N>(of, matrix);
    // From a bad pivot on all of its columns is NaN.
    auto const f = cholesky(matrix);
    l.template store<N>(of, f.factor);
    of.put_status(status, f.factor.info);
  }
};

/// Columns that a lane solves for at once: four, or as many as are 128 bytes, or fewer that divide
/// the first N more evenly; of even N they are aligned in scratch.
template <class T>
constexpr int columns_of_lane(int n) {
  int const turns = std::max((n + 3) / 4, (n * n * int(sizeof(T)) + 127) / 128),
            some = (n + turns - 1) / turns;
  return n % 2 == 0 && some % 2 == 1 ? some - 1 : some;
}

/// Solutions of all that a TriangleProblem may ask for, which is known at run time: by a factor
/// that it finds itself, or with a triangle; forward, backward, or both.
template <class T, int N>
struct TriangleOfLane {
  using number = T;
  static constexpr int at_once = columns_of_lane<T>(N);
  static constexpr int words = N * (N + 1) / 2 * int(sizeof(T)) / 4;

  StatusTarget status{};
  StoredTriangles<T const> a{};
  StoredItems<T const> b{};
  StoredItems<T> x{};
  std::int64_t count = 0;
  int columns = 0;
  bool factors = false, forward = false, backward = false;

  explicit TriangleOfLane(TriangleProblem<T> const& p)
      : status(p.status),
        a(p.a, N),
        b(p.b, N, p.columns),
        x(p.x, N, p.columns),
        count(p.items),
        columns(p.columns),
        factors(p.factors),
        forward(p.forward),
        backward(p.backward) {}
  BATCHWORK_INLINE std::int64_t items() const { return count; }
  std::size_t carried_bytes() const {
    return std::max({Impl::carried_bytes<N, N>(a.items), Impl::carried_bytes<N, N>(b),
                     Impl::carried_bytes<N, N>(x)});
  }

  template <class Items>
  BATCHWORK_INLINE void operator()(Items const& of) const {
    using S = typename Items::value_type;
    Symmetric<S, N> matrix;
    a.template load<N>(of, matrix);
    CholeskyFactor<S, N> l;
    if (factors) {
      l = cholesky(matrix).factor;
    } else {
      l.info = info_t<S>(0);
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < N; ++i) {
        BATCHWORK_UNROLL_ON_DEVICE
        for (int j = 0; j <= i; ++j) l.a[triangle_index(i, j)] = matrix.entry(i, j);
        l.inverse[i] = diagonal_reciprocal(matrix.entry(i, i), i, l.info);
      }
    }
    S sum(T(0));  // of zeros and NaN
    of.template for_some_columns<N, at_once>(b, x, columns, [&](S(&z)[N * at_once]) {
      Matrix<S, N, at_once> y;
      y.info = info_t<S>(0);
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < N; ++i) {
        BATCHWORK_UNROLL_ON_DEVICE
        for (int c = 0; c < at_once; ++c) y.set(i, c, z[i * at_once + c]);
      }
      // A reciprocal that is NaN makes all later numbers NaN; with a factor, all numbers of the
      // item.
      if (forward) y = solve(l, y);
      if (backward) y = solve(conjugate_transpose(l), y);
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < N; ++i) {
        BATCHWORK_UNROLL_ON_DEVICE
        for (int c = 0; c < at_once; ++c) {
          z[i * at_once + c] = y.entry(i, c);
          sum += y.entry(i, c) * S(T(0));
        }
      }
    });
    of.put_status(status, status_with_result(info_t<S>(l.info), sum != S(T(0))));
  }
};

/// \returns whether it has launched a kernel in which a lane has an item
template <bool Factors, class Exec, class T>
bool launch_triangle_lanes(Exec const& exec, Call const& call, TriangleProblem<T> const& p) {
  return with_known_extent<extent_of_lane>(p.n, [&]<int N>(KnownExtent<N>) {
    if constexpr (Factors) {
      if (p.stores_factor) return launch_lanes(exec, call, CholeskyOfLane<T, N>(p));
    }
    launch_lanes(exec, call, TriangleOfLane<T, N>(p));
  });
}

}  // namespace Batchwork::Impl

#endif

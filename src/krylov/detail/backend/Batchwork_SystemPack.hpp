// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SystemPack: what a solver's algorithm has to do with, by a thread of a host that solves as many
/// systems at once as a SIMD register has lanes. They have one pattern, so every number of a matrix
/// or vector is a pack, and nothing is gathered.
#ifndef BATCHWORK_SYSTEMPACK_HPP
#define BATCHWORK_SYSTEMPACK_HPP

#include <cstdint>
#include <vector>

#include "core/Batchwork_Value.hpp"
#include "core/detail/Batchwork_Lanes.hpp"
#include "krylov/base/Batchwork_SolveLog.hpp"
#include "krylov/detail/backend/Batchwork_SolverVectors.hpp"
#include "krylov/formats/detail/Batchwork_ProductSums.hpp"
#include "krylov/formats/detail/Batchwork_Systems.hpp"

namespace Batchwork::Impl {

/// The columns of all rows, one after the other, and where rows begin.
struct RowsInTurn {
  std::vector<int> begins, columns;

  template <class Item>
  RowsInTurn(Item const& item, int rows, std::int64_t nonzeros) {
    begins.reserve(std::size_t(rows) + 1);
    columns.reserve(std::size_t(nonzeros));
    begins.push_back(0);
    visit_item(item, [&](auto const& own) {
      for (int i = 0; i < rows; ++i) {
        own.for_each_entry(i, [&](int column, auto const&) { columns.push_back(column); });
        begins.push_back(int(columns.size()));
      }
    });
  }
};

template <class S>
struct PacksOfRows {
  S* data = nullptr;
  BATCHWORK_INLINE S const& operator()(int i) const { return data[i]; }
  BATCHWORK_INLINE void set(int i, S const& x) const { data[i] = x; }
};

/// Own is the number of vectors that the solver says it has.
template <class T, int Own>
struct SystemPack {
  static constexpr int W = native_width<T>;
  static constexpr bool has_entries = true;
  using Scalar = T;
  using Number = Pack<T, W>;
  using Value = Number;
  using Vector = PacksOfRows<Number>;

  RowsInTurn const& pattern;
  Storage<T const> const& b_of;
  Storage<T> const& x_of;
  LogPointers<T> const& log;
  int rows;
  std::int64_t first;     ///< item of the pack
  int count;              ///< items that it has; the other lanes repeat the last one
  Number const* entries;  ///< of the matrices
  Number* memory;         ///< for vectors
  Number* memory_end;     ///< of it
  Number unit = Number(T(1)), factor = Number(T(1));  ///< see SystemTeam

  static constexpr bool there() { return true; }
  static constexpr bool flawed() { return false; }
  static bool any(mask_t<Number> const& x) { return Impl::any(x); }
  template <class Body>
  BATCHWORK_INLINE void for_each(Body const& body) const {
    for (int i = 0; i < rows; ++i) body(i);
  }
  KOKKOS_FUNCTION Vector vector() {
    Number* const data = memory;
    memory += rows;
    if (memory > memory_end) Kokkos::abort(too_many_vectors);
    for (int i = 0; i < rows; ++i) data[i] = Number(T(0));
    return {data};
  }
  template <int N>
  KOKKOS_FUNCTION SolverVectors<Vector, N> vectors() {
    return vectors_of_method<N, Own>(*this);
  }
  std::int64_t item(int lane) const { return first + (lane < count ? lane : count - 1); }

  template <class U>
  KOKKOS_FUNCTION void load(Vector const& v, Storage<U> const& from) const {
    for (int l = 0; l < W; ++l) {
      T const* const x = item_of(from, item(l));
      T const by = unit.lane(l);
      for (int i = 0; i < rows; ++i) v.data[i].set_lane(l, by * x[i * from.row]);
    }
  }
  KOKKOS_FUNCTION void load_b(Vector const& v) const { load(v, b_of); }
  KOKKOS_FUNCTION void load_x(Vector const& v) const { load(v, x_of); }
  void store_x(Vector const& v, mask_t<Number> const& stores) const {
    for (int l = 0; l < count; ++l) {
      if (!stores.lane(l)) continue;
      T* const x = item_of(x_of, first + l);
      T const back = T(1) / unit.lane(l);
      for (int i = 0; i < rows; ++i) x[i * x_of.row] = back * v.data[i].lane(l);
    }
  }
  bool keeps_history() const { return log.history != nullptr; }
  template <class Count>
  void record(mask_t<Number> const& of, Count const& iterations, Number const& squared) const {
    for (int l = 0; l < count; ++l)
      if (of.lane(l))
        log.record(first + l, int(iterations.lane(l)),
                   Kokkos::sqrt(squared.lane(l)) / unit.lane(l));
  }

  void multiply(Vector const& y, Vector const& x) const { product<PlainSum<Number>>(y, x); }
  Number multiply_with_bound(Vector const& y, Vector const& x) const {
    return product<BoundedSum<Number>>(y, x);
  }
  /// Two sums a row at once, since additions wait for each other.
  template <class Sum>
  Number product(Vector const& y, Vector const& x) const {
    int const* const columns = pattern.columns.data();
    Number sizes(T(0));
    for (int i = 0; i < rows; ++i) {
      int k = pattern.begins[std::size_t(i)];
      int const end = pattern.begins[std::size_t(i) + 1];
      Sum even, odd;
      for (; k + 2 <= end; k += 2) {
        even.add(entries[k], x.data[columns[k]]);
        odd.add(entries[k + 1], x.data[columns[k + 1]]);
      }
      if (k < end) even.add(entries[k], x.data[columns[k]]);
      even.add(odd);
      y.data[i] = even.sum;
      sizes += even.size_squared();
    }
    return sizes;
  }
  /// See SystemTeam.
  template <class Put>
  void compensated_rows(Vector const& b, Vector const& x, Put const& put) const {
    int const* const columns = pattern.columns.data();
    for (int i = 0; i < rows; ++i) {
      int const begin = pattern.begins[std::size_t(i)], end = pattern.begins[std::size_t(i) + 1];
      Number value, rounding;
      for (int l = 0; l < W; ++l) {
        CompensatedSum<T> sum{b.data[i].lane(l)};
        for (int k = begin; k < end; ++k) sum.add(-entries[k].lane(l), x.data[columns[k]].lane(l));
        value.set_lane(l, sum.value());
        rounding.set_lane(l, sum.rounding(end - begin));
      }
      put(i, value, rounding);
    }
  }
  Number compensated_residual(Vector const& r, Vector const& b, Vector const& x) const {
    Number roundings(T(0));
    compensated_rows(b, x, [&](int i, Number const& value, Number const& rounding) {
      r.data[i] = value;
      roundings += rounding * rounding;
    });
    return roundings;
  }
  template <int N>
  static BATCHWORK_INLINE void sum(Number const (&parts)[N], Number (&sums)[N]) {
    for (int n = 0; n < N; ++n) sums[n] = parts[n];
  }
};

}  // namespace Batchwork::Impl

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SystemThread: what a solver's algorithm has to do with, by a host's thread, which has a system
/// alone. Vectors are memory; packs hold neighbouring rows.
#ifndef BATCHWORK_SYSTEMTHREAD_HPP
#define BATCHWORK_SYSTEMTHREAD_HPP

#include <cstdint>

#include "krylov/detail/backend/Batchwork_SystemTeam.hpp"
#include "krylov/formats/detail/Batchwork_MultiplyHost.hpp"

namespace Batchwork::Impl {

/// Numbers of a vector by packs of rows; beyond the last row zeros.
template <class T, int W>
struct RowPacks {
  T* data = nullptr;
  BATCHWORK_INLINE Pack<T, W> operator()(int r) const { return Pack<T, W>::load(data + r * W); }
  BATCHWORK_INLINE void set(int r, Pack<T, W> const& x) const { x.store(data + r * W); }
};

/// Own is the number of vectors that the solver says it has.
template <class T, class Item, int Own>
struct SystemThread {
  static constexpr int W = native_width<T>;
  static constexpr bool has_entries = Item::has_entries;
  using Scalar = T;
  using Number = T;
  using Value = Pack<T, W>;
  using Vector = RowPacks<T, W>;

  Item const& matrix;
  SolveItem<T> const& item;
  LogPointers<T> const& log;
  int rows;
  T* memory;                     ///< for vectors
  T* memory_end;                 ///< of it
  bool valid = true;             ///< unless a preconditioner says that the pattern cannot be used
  T unit = T(1), factor = T(1);  ///< see SystemTeam

  static constexpr int padded(int rows) { return (rows + W - 1) / W * W; }

  bool there() const { return true; }
  bool flawed() const { return !valid; }
  void expect(bool is_valid) { valid = valid && is_valid; }
  bool any(bool x) const { return x; }
  template <class Body>
  void for_each(Body const& body) const {
    for (int r = 0; r * W < rows; ++r) body(r);
  }
  KOKKOS_FUNCTION Vector vector() {
    T* const data = memory;
    memory += padded(rows);
    if (memory > memory_end) Kokkos::abort(too_many_vectors);
    for (int i = 0; i < padded(rows); ++i) data[i] = T(0);
    return {data};
  }
  template <int N>
  KOKKOS_FUNCTION SolverVectors<Vector, N> vectors() {
    return vectors_of_method<N, Own>(*this);
  }
  KOKKOS_FUNCTION void load(Vector const& v, T const* from, std::int64_t step) const {
    for (int i = 0; i < rows; ++i) v.data[i] = unit * from[i * step];
  }
  KOKKOS_FUNCTION void load_b(Vector const& v) const { load(v, item.b(), item.b_of.row); }
  KOKKOS_FUNCTION void load_x(Vector const& v) const { load(v, item.x(), item.x_of.row); }
  void store_x(Vector const& v, bool stores) const {
    if (!stores) return;
    T* const to = item.x();
    T const back = T(1) / unit;
    for (int i = 0; i < rows; ++i) to[i * item.x_of.row] = back * v.data[i];
  }
  bool keeps_history() const { return log.history != nullptr; }
  void record(bool, int iteration, T norm_squared) const {
    log.record(item.number, iteration, Kokkos::sqrt(norm_squared) / unit);
  }

  void multiply(Vector const& y, Vector const& x) const {
    apply_on_host(
        matrix, rows, [from = x.data](int j) { return from[j]; },
        [to = y.data](int i) -> T& { return to[i]; });
  }
  Value multiply_with_bound(Vector const& y, Vector const& x) const {
    T sizes = T(0);
    sum_rows_on_host<BoundedSum>(
        matrix, rows, [from = x.data](int j) { return from[j]; },
        [&](int i, BoundedSum<T> const& sum) {
          y.data[i] = sum.sum;
          sizes += sum.size_squared();
        });
    return first_lane(sizes);
  }
  /// See SystemTeam.
  template <class Put>
  void compensated_rows(Vector const& b, Vector const& x, Put const& put) const {
    visit_item(matrix, [&](auto const& own) {
      for (int i = 0; i < rows; ++i) {
        CompensatedSum<T> sum{b.data[i]};
        int products = 0;
        own.for_each_entry(i, [&](int column, T const& value) {
          sum.add(-value, x.data[column]);
          ++products;
        });
        put(i, sum.value(), sum.rounding(products));
      }
    });
  }
  Value compensated_residual(Vector const& r, Vector const& b, Vector const& x) const {
    T roundings = T(0);
    compensated_rows(b, x, [&](int i, T value, T rounding) {
      r.data[i] = value;
      roundings += rounding * rounding;
    });
    return first_lane(roundings);
  }
  /// x in one lane, zeros in the others.
  static Value first_lane(T x) {
    Value v(T(0));
    v.set_lane(0, x);
    return v;
  }
  template <int N>
  void sum(Value const (&parts)[N], T (&sums)[N]) const {
    for (int n = 0; n < N; ++n) sums[n] = sum_of_lanes(parts[n]);
  }
};

}  // namespace Batchwork::Impl

#endif

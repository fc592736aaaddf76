// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// DirectPacks: the kernel of direct solves on hosts for systems of up to 64 rows. A thread
/// eliminates as many at once as a SIMD register has numbers.
#ifndef BATCHWORK_DIRECTPACKS_HPP
#define BATCHWORK_DIRECTPACKS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/Batchwork_SystemLanes.hpp"
#include "core/detail/Batchwork_Lanes.hpp"
#include "krylov/detail/backend/Batchwork_SystemSum.hpp"
#include "krylov/direct/detail/Batchwork_DirectCondition.hpp"
#include "krylov/direct/detail/Batchwork_DirectExpand.hpp"
#include "krylov/direct/detail/Batchwork_DirectItem.hpp"
#include "krylov/direct/detail/Batchwork_DirectProblem.hpp"
#include "krylov/direct/detail/Batchwork_DirectScaling.hpp"
#include "krylov/direct/detail/Batchwork_DirectSteps.hpp"
#include "krylov/direct/detail/Batchwork_RowsOfPack.hpp"

namespace Batchwork::Impl {

/// Rows of the largest item that is eliminated in a pack: on the stack, a quarter of a megabyte
/// with registers of 64 bytes.
inline constexpr int direct_rows_in_packs = 64;

/// The layout of a pack of items in memory: the matrices, the rows in their places, and for each
/// item factors of rows, factors of columns, and the status of its elimination.
template <class T, class F>
struct PackRoom {
  static constexpr int W = native_width<F>;
  using S = Pack<F, W>;

  int n = 0;

  constexpr int leading() const { return n | 1; }
  constexpr std::size_t factors() const { return std::size_t(n) * std::size_t(leading()); }
  constexpr std::size_t to_order() const { return factors() * sizeof(S); }
  constexpr std::size_t to_scaling() const {
    return to_order() + std::size_t(n) * sizeof(info_t<S>);
  }
  constexpr std::size_t to_codes() const {
    return to_scaling() + std::size_t(2 * W * n) * sizeof(T);
  }
  constexpr std::size_t bytes() const { return (to_codes() + W * 4 + 63) / 64 * 64; }
};

/// One item of a pack, as DirectSteps has it. What follows the elimination is done item by
/// item, except the first solution of each right-hand side, which is in x already.
template <class T, class F>
struct ItemOfPack : DirectItem<T, LoneSums> {
  using Item = DirectItem<T, LoneSums>;
  using Item::p, Item::l, Item::c, Item::for_each;
  using S = Pack<F, PackRoom<T, F>::W>;

  RowsOfPack<S> const& rows;
  int lane;
  F* y;
  std::int16_t const* place;  ///< of each row, where that is asked for

  F in_place(int k, int j) const { return rows.entry(k, j).lane(lane); }
  int row_in_place(int k) const { return int(rows.order[k].lane(lane)); }
  F factor(int row, int j) const { return in_place(place[row], j); }
  void solve_plain(T* v) const {
    substitute([&](int i) { return F(v[i]); });
    for_each([&](int k) { v[k] = T(y[k]); });
  }
  void solve(bool first, T const* from, T* to) const {
    if (first) return;
    T unit = T(1);
    if constexpr (!std::is_same_v<T, F>) {
      // The range of F is smaller.
      std::int32_t key = 0;
      for_each([&](int i) { key = std::max(key, pivot_key(from[i] * l[i])); });
      unit = scale_to_one<T>(key);
    }
    substitute([&](int i) { return F(from[i] * l[i] * unit); });
    for_each([&](int k) { to[k] = T(y[k]) * c[k] / unit; });
  }

 private:
  template <class Of>
  void substitute(Of const& of) const {
    for_each([&](int k) {
      F sum = of(row_in_place(k));
      for (int j = 0; j < k; ++j) sum -= in_place(k, j) * y[j];
      y[k] = sum;
    });
    for (int k = p.n - 1; k >= 0; --k) {
      F sum = y[k];
      for (int j = k + 1; j < p.n; ++j) sum -= in_place(k, j) * y[j];
      y[k] = PivotReciprocal<F>(in_place(k, k)) * sum;
    }
  }
};

template <class T, class F, DirectTask Task>
struct DirectPacks {
  using Room = PackRoom<T, F>;
  static constexpr int W = Room::W, most_rows = direct_rows_in_packs;
  using S = Pack<F, W>;
  static constexpr bool is_mixed = !std::is_same_v<T, F>;

  DirectProblem<T> p;
  std::int64_t per_chunk;  ///< packs

  static constexpr std::int64_t packs(std::int64_t items) { return (items + W - 1) / W; }

  void operator()(std::int64_t chunk) const {
    constexpr bool keeps = Task != DirectTask::whole;
    alignas(64) char memory[keeps ? 64 : Room{most_rows}.bytes()];
    std::int64_t const begin = chunk * per_chunk, end = std::min(begin + per_chunk, packs(p.items));
    for (std::int64_t k = begin; k < end; ++k) OnePack(p, k, keeps ? p.kept.slot(k) : memory).run();
  }

 private:
  struct OnePack {
    DirectProblem<T> const& p;
    std::int64_t first;  ///< item
    int count;           ///< of items; lanes behind them repeat the last one
    Room room;
    RowsOfPack<S> rows;
    T *l, *c;  ///< the factors of lane i begin at [i * n]
    std::int32_t* codes;
    T const* numbers[W];
    LoneSums lanes;
    alignas(64) S y[most_rows];
    alignas(64) T b[W * most_rows], x[W * most_rows], r[most_rows], t[most_rows];
    F one[most_rows];
    std::int32_t keys[most_rows];
    std::int16_t place[most_rows];

    OnePack(DirectProblem<T> const& problem, std::int64_t pack, char* memory)
        : p(problem), first(pack * W), count(int(std::min<std::int64_t>(W, p.items - first))) {
      room.n = p.n;
      rows = {p.n, room.leading(), reinterpret_cast<S*>(memory),
              reinterpret_cast<info_t<S>*>(memory + room.to_order())};
      l = reinterpret_cast<T*>(memory + room.to_scaling());
      c = l + W * p.n;
      codes = reinterpret_cast<std::int32_t*>(memory + room.to_codes());
      for (int i = 0; i < W; ++i) numbers[i] = p.a.numbers(item(i));
    }
    std::int64_t item(int lane) const { return first + std::min(lane, count - 1); }

    void run() {
      bool taken[W], any_taken = false;
      for (int i = 0; i < count; ++i) any_taken = (taken[i] = p.takes(first + i)) || any_taken;
      if (!any_taken) return;
      S largest(F(0));
      if constexpr (Task != DirectTask::substitute) {
        bool const inside = expand();
        if (p.growth != nullptr) largest = largest_number(false);
        rows.begin();
        auto const info = eliminate(rows);
        for (int i = 0; i < W; ++i)
          codes[i] = inside ? std::int32_t(info.lane(i)) : Status::code(Reason::invalid_pattern, 0);
      }
      SolveResult<T> results[W];
      std::int32_t code[W];
      for (int i = 0; i < count; ++i) {
        code[i] = codes[i];
        if (code[i] != 0) results[i] = no_result<T>(code[i]);
      }
      if constexpr (Task != DirectTask::factorise) {
        for (int column = 0; column < p.columns; ++column) {
          solve_pack(column);
          for (int i = 0; i < count; ++i) {
            auto at = lane(i);
            if (code[i] == 0 && taken[i])
              solve_column(at, p, first + i, true, false, true, column, results[i], code[i]);
          }
        }
        for (int i = 0; i < count; ++i) {
          auto at = lane(i);
          if (code[i] != 0 && taken[i]) fail_columns(at, p, first + i, true, false);
        }
      }
      S const of_u = p.growth != nullptr ? largest_number(true) : S(F(1));
      for (int i = 0; i < count; ++i) {
        if (!taken[i]) continue;
        p.log.write(first + i, results[i]);
        if (p.growth != nullptr) p.growth[first + i] = T(largest.lane(i)) / T(of_u.lane(i));
        if (p.condition != nullptr)
          p.condition[first + i] = has_solution(results[i]) ? condition(i) : T(0);
      }
    }

    ItemOfPack<T, F> lane(int i) {
      int const k = i * p.n;
      return {
          {p, lanes, nullptr, numbers[i], b + k, x + k, r, t, l + k, c + k}, rows, i, one, place};
    }
    T condition(int i) {
      auto at = lane(i);
      // Its factors are lost, others are not.
      std::copy_n(at.l, p.n, r), std::copy_n(at.c, p.n, t);
      at.l = r, at.c = t;
      for (int k = 0; k < p.n; ++k) place[at.row_in_place(k)] = std::int16_t(k);
      return reciprocal_condition<T>(at, p.n);
    }

    /// The matrices, scaled by powers of two, rows and then columns (LAPACK's geequb). \returns
    /// whether columns are in range
    bool expand() {
      F* const to = reinterpret_cast<F*>(rows.a);
      int const n = p.n, leading = rows.leading;
      bool inside = true;
      if constexpr (is_mixed) {
        std::fill_n(rows.a, room.factors(), S(F(0)));
        for (int i = 0; i < W; ++i)
          inside = expand_scaled(
                       p, LoneLane(), numbers[i], l + i * n, c + i * n, keys,
                       [&](int row, int j) -> F& { return to[(row * leading + j) * W + i]; }) &&
                   inside;
      } else {
        // The largest numbers of columns.
        std::fill_n(y, n, S(F(0)));
        for (int row = 0; row < n; ++row) {
          std::fill_n(rows.a + row * leading, n, S(F(0)));
          inside = expand_row(row, to + row * leading * W) && inside;
          if (p.equilibrates) scale_row(row);
        }
        if (p.equilibrates) scale_columns();
        else std::fill_n(l, W * n, T(1)), std::fill_n(c, W * n, T(1));
      }
      return inside;
    }
    bool expand_row(int row, F* to) const {
      AnyRow<T> of[W];
      for (int i = 0; i < W; ++i) of[i] = p.a.row(numbers[i], row);
      bool inside = true;
      for (int k = 0; k < of[0].count; ++k) {
        int const j = of[0].column(k);
        if (unsigned(j) >= unsigned(p.n)) {
          inside = false;
          continue;
        }
        for (int i = 0; i < W; ++i) to[j * W + i] += F(of[i].number(k));
      }
      return inside;
    }
    /// Factors of row or column k for given largest numbers; also written to `to`.
    S factors_of(S const& most, T* to, int k) const {
      S s;
      for (int i = 0; i < W; ++i) {
        T const factor = scale_to_one<T>(pivot_key(T(most.lane(i))));
        s.set_lane(i, F(factor));
        to[i * p.n + k] = factor;
      }
      return s;
    }
    void scale_row(int i) {
      S* const row = rows.a + i * rows.leading;
      S even(F(0)), odd(F(0));
      int j = 0;
      for (; j + 2 <= p.n; j += 2)
        even = larger_size(even, S(abs(row[j]))), odd = larger_size(odd, S(abs(row[j + 1])));
      if (j < p.n) even = larger_size(even, S(abs(row[j])));
      S const factor = factors_of(larger_size(even, odd), l, i);
      for (j = 0; j < p.n; ++j) {
        row[j] = row[j] * factor;
        y[j] = larger_size(y[j], S(abs(row[j])));
      }
    }
    void scale_columns() {
      for (int j = 0; j < p.n; ++j) y[j] = factors_of(y[j], c, j);
      for (int i = 0; i < p.n; ++i) {
        S* const row = rows.a + i * rows.leading;
        for (int j = 0; j < p.n; ++j) row[j] = row[j] * y[j];
      }
    }
    /// Of the matrices, or of U.
    S largest_number(bool of_u) const {
      S most(F(0));
      for (int i = 0; i < p.n; ++i)
        for (int j = of_u ? i : 0; j < p.n; ++j) most = larger_size(most, S(abs(rows.entry(i, j))));
      return most;
    }
    /// The right-hand sides to b, their first solutions to x.
    void solve_pack(int column) {
      T units[W];
      for (int i = 0; i < W; ++i) {
        T const* const from = item_of(p.b, item(i)) + std::int64_t(column) * p.b.col;
        T *const to = b + i * p.n, *const scaled = x + i * p.n, *const factors = l + i * p.n;
        units[i] = T(1);
        std::int32_t key = 0;
        for (int k = 0; k < p.n; ++k) {
          to[k] = from[k * p.b.row];
          scaled[k] = to[k] * factors[k];
          if constexpr (is_mixed) key = std::max(key, pivot_key(scaled[k]));
        }
        if constexpr (is_mixed) units[i] = scale_to_one<T>(key);
      }
      F* const v = reinterpret_cast<F*>(y);
      for (int k = 0; k < p.n; ++k)
        for (int i = 0; i < W; ++i)
          v[k * W + i] = F(x[i * p.n + int(rows.order[k].lane(i))] * units[i]);
      rows.substitute(y);
      for (int i = 0; i < W; ++i)
        for (int k = 0; k < p.n; ++k) {
          T const s = T(v[k * W + i]) * c[i * p.n + k];
          x[i * p.n + k] = is_mixed ? s / units[i] : s;
        }
    }
  };
};

}  // namespace Batchwork::Impl

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SymbolicPacks: the kernel of direct solves by a pattern on hosts. A thread eliminates as many
/// items at once as a SIMD register has numbers, or one that is large.
#ifndef BATCHWORK_SYMBOLICPACKS_HPP
#define BATCHWORK_SYMBOLICPACKS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/detail/Batchwork_Lanes.hpp"
#include "krylov/direct/detail/Batchwork_DirectCondition.hpp"
#include "krylov/direct/detail/Batchwork_DirectItem.hpp"
#include "krylov/direct/detail/Batchwork_DirectSteps.hpp"
#include "krylov/direct/detail/Batchwork_SymbolicTeams.hpp"

namespace Batchwork::Impl {

/// Bytes of the largest pack, on the stack of a thread. An item alone is in memory that the thread
/// allocates.
inline constexpr std::size_t bytes_of_symbolic_pack = 512 * 1024;

/// One item of a pack, as DirectSteps has it, after its elimination and the first solution of a
/// right-hand side.
template <class T>
struct SymbolicItemOfPack : DirectItem<T, LoneSums> {
  using DirectItem<T, LoneSums>::l, DirectItem<T, LoneSums>::c, DirectItem<T, LoneSums>::for_each;
  static constexpr bool checks_error = true;

  SymbolicLists const& lists;
  EveryNumber<T> v;
  bool is_accurate = true;

  T& vector(int i) const { return v[std::uint32_t(lists.places.vector(i))]; }
  void substitute(ListSteps const& steps) const {
    substitute_by_lists(lists, steps, LoneLane(), v);
  }
  void solve_plain(T* to) const { in_place(to, lists.forward, lists.backward); }
  void solve_transposed(T* to) const {
    in_place(to, lists.forward_transposed, lists.backward_transposed);
  }
  void solve(bool first, T const* from, T* to) const {
    if (first) return;
    for_each([&](int i) { vector(i) = from[i] * l[i]; });
    substitute(lists.forward);
    substitute(lists.backward);
    for_each([&](int i) { to[i] = vector(i) * c[i]; });
  }

 private:
  void in_place(T* to, ListSteps const& one, ListSteps const& other) const {
    for_each([&](int i) { vector(i) = to[i]; });
    substitute(one);
    substitute(other);
    for_each([&](int i) { to[i] = vector(i); });
  }
};

template <class T, int W>
struct SymbolicPacks {
  using S = Pack<T, W>;

  SymbolicProblem<T> p;
  std::int64_t per_chunk;  ///< packs

  static constexpr std::int64_t packs(std::int64_t items) { return (items + W - 1) / W; }
  static constexpr std::size_t bytes(PlacesOfItem const& places) {
    return (std::size_t(places.count()) * W + std::size_t(4 * W + 2) * std::size_t(places.n)) *
           sizeof(T);
  }

  void operator()(std::int64_t chunk) const {
    if constexpr (W == 1) {
      auto const memory = std::unique_ptr<char[]>(new char[bytes(p.lists.places)]);
      run_chunk(chunk, memory.get());
    } else {
      alignas(64) char memory[bytes_of_symbolic_pack];
      run_chunk(chunk, memory);
    }
  }

 private:
  void run_chunk(std::int64_t chunk, char* memory) const {
    std::int64_t const begin = chunk * per_chunk,
                       end = std::min(begin + per_chunk, packs(p.of.items));
    for (std::int64_t k = begin; k < end; ++k) OnePack(p, k, memory).run();
  }

  struct OnePack {
    SymbolicProblem<T> const& problem;
    DirectProblem<T> const& p;
    SymbolicLists const& lists;
    std::int64_t first;  ///< item
    int count;           ///< of items; lanes behind them repeat the last one
    S* v;
    T *b, *x, *l, *c, *r, *t;  ///< except r and t: the numbers of lane i begin at [i * n]
    T const* numbers[W];
    LoneSums lanes;

    OnePack(SymbolicProblem<T> const& of, std::int64_t pack, char* memory)
        : problem(of),
          p(of.of),
          lists(of.lists),
          first(pack * W),
          count(int(std::min<std::int64_t>(W, p.items - first))),
          v(reinterpret_cast<S*>(memory)),
          b(reinterpret_cast<T*>(v + lists.places.count())),
          x(b + W * p.n),
          l(x + W * p.n),
          c(l + W * p.n),
          r(c + W * p.n),
          t(r + p.n) {
      for (int i = 0; i < W; ++i) numbers[i] = p.a.numbers(item(i));
    }
    std::int64_t item(int lane) const { return first + std::min(lane, count - 1); }
    T* numbers_of_pack() const { return reinterpret_cast<T*>(v); }
    S* vector() const { return v + lists.places.vector(0); }

    void run() {
      expand();
      scale();
      S const largest = p.growth != nullptr ? largest_number(lists.places.entries) : S(T(0));
      bring(0);
      int failed[W] = {};  // n - k of the first pivot that is too small
      eliminate_by_lists(lists, LoneLane(), v, S(problem.limit), [&](int k, auto const& fails) {
        if (any(fails))
          for (int i = 0; i < W; ++i)
            if (fails.lane(i)) failed[i] = std::max(failed[i], p.n - k);
      });
      SolveResult<T> results[W];
      std::int32_t code[W] = {};
      bool is_left[W] = {};
      for (int i = 0; i < count; ++i) {
        code[i] = failed[i] == 0 ? 0 : Status::code(Reason::small_pivot, p.n - failed[i] + 1);
        is_left[i] = code[i] != 0 && problem.leaves_items;
        if (code[i] != 0) results[i] = no_result<T>(code[i]);
      }
      for (int column = 0; column < p.columns; ++column) {
        if (column > 0) {
          bring(column);
          substitute_by_lists(lists, lists.forward, LoneLane(), v);
        }
        substitute_by_lists(lists, lists.backward, LoneLane(), v);
        for (int i = 0; i < W; ++i)
          for (int k = 0; k < p.n; ++k) x[i * p.n + k] = vector()[k].lane(i) * c[i * p.n + k];
        for (int i = 0; i < count; ++i) {
          if (code[i] != 0 || is_left[i]) continue;
          auto at = lane(i);
          solve_column(at, p, first + i, true, false, true, column, results[i], code[i]);
          is_left[i] = problem.leaves_items && !at.is_accurate;
        }
      }
      S const of_u = p.growth != nullptr ? largest_number(lists.of_upper) : S(T(1));
      for (int i = 0; i < count; ++i) {
        problem.note(first + i, is_left[i]);
        if (is_left[i]) continue;
        auto at = lane(i);
        if (code[i] != 0) fail_columns(at, p, first + i, true, false);
        p.log.write(first + i, results[i]);
        if (p.growth != nullptr) p.growth[first + i] = largest.lane(i) / of_u.lane(i);
        if (p.condition != nullptr)
          p.condition[first + i] = has_solution(results[i]) ? condition(i) : T(0);
      }
    }

    SymbolicItemOfPack<T> lane(int i) {
      int const k = i * p.n;
      return {{p, lanes, nullptr, numbers[i], b + k, x + k, r, t, l + k, c + k},
              lists,
              {numbers_of_pack() + i, W}};
    }
    T condition(int i) {
      auto at = lane(i);
      // Its factors are lost, others are not.
      std::copy_n(at.l, p.n, r), std::copy_n(at.c, p.n, t);
      at.l = r, at.c = t;
      return reciprocal_condition<T>(at, p.n);
    }
    void expand() const {
      std::fill_n(v, lists.places.entries, S(T(0)));
      v[lists.places.zero()] = S(T(0));
      T* const to = numbers_of_pack();
      for (int i = 0; i < p.n; ++i) {
        int const begin = lists.given_begin[i], there = lists.given_begin[i + 1] - begin;
        for (int m = 0; m < W; ++m) {
          AnyRow<T> const row = p.a.row(numbers[m], i);
          int const entries = std::min(row.count, there);
          for (int k = 0; k < entries; ++k)
            to[std::size_t(lists.given[begin + k]) * W + std::size_t(m)] += row.number(k);
        }
      }
    }
    /// Rows, then columns, times powers of two (LAPACK's geequb).
    void scale() const {
      if (!p.equilibrates) {
        std::fill_n(l, 2 * W * p.n, T(1));
        return;
      }
      auto const scaled = [&](int const* begin, std::uint16_t const* place, T* to, int k) {
        S most(T(0)), factor;
        for (int e = begin[k]; e < begin[k + 1]; ++e) most = larger_size(most, S(abs(v[place[e]])));
        for (int i = 0; i < W; ++i) {
          T const one = scale_to_one<T>(pivot_key(T(most.lane(i))));
          factor.set_lane(i, one);
          to[i * p.n + k] = one;
        }
        for (int e = begin[k]; e < begin[k + 1]; ++e) v[place[e]] = v[place[e]] * factor;
      };
      for (int i = 0; i < p.n; ++i) scaled(lists.row_begin, lists.of_row, l, i);
      for (int j = 0; j < p.n; ++j) scaled(lists.column_begin, lists.of_column, c, j);
    }
    /// A right-hand side to b, and scaled to the vector.
    void bring(int column) const {
      T* const to = reinterpret_cast<T*>(vector());
      for (int i = 0; i < W; ++i) {
        T const* const from = item_of(p.b, item(i)) + std::int64_t(column) * p.b.col;
        T *const own = b + i * p.n, *const factors = l + i * p.n;
        for (int k = 0; k < p.n; ++k) {
          own[k] = from[k * p.b.row];
          to[k * W + i] = own[k] * factors[k];
        }
      }
    }
    S largest_number(int entries) const {
      S most(T(0));
      for (int k = 0; k < entries; ++k) most = larger_size(most, S(abs(v[k])));
      return most;
    }
  };
};

}  // namespace Batchwork::Impl

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of solve on hosts: a thread has a pack of systems at a time, or one, with its vectors
/// on its stack.
#ifndef BATCHWORK_SOLVEHOST_HPP
#define BATCHWORK_SOLVEHOST_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "krylov/detail/Batchwork_SolveTeams.hpp"
#include "krylov/detail/backend/Batchwork_SystemPack.hpp"
#include "krylov/detail/backend/Batchwork_SystemThread.hpp"
#include "krylov/formats/detail/Batchwork_AnySystemsByItems.hpp"

namespace Batchwork::Impl {

/// The log of an item with an invalid pattern: x is not changed, and |b| is logged as its residual.
/// Entry i of b is b(i).
template <class T, class B>
SolveResult<T> refused(int rows, B const& b) {
  T norm = T(0);
  for (int i = 0; i < rows; ++i) norm = std::hypot(norm, b(i));
  return {0, norm, norm, Status::code(Reason::invalid_pattern, 0)};
}

template <class T, class Problem>
struct SolveHost {
  static constexpr int own_vectors = Problem::solver_type::own_vectors;
  /// Of a system in memory.
  static constexpr int vectors =
      vectors_of_solve(own_vectors) + (Problem::is_scaled ? vectors_of_scaling : 0);

  Problem p;
  std::int64_t per_chunk;
  std::int64_t nonzeros;  ///< of a system
  bool by_packs;

  /// Rows are rounded up to packs.
  template <int Rows>
  void solve_some(std::int64_t first, std::int64_t end) const {
    alignas(64) T memory[vectors * (Rows + native_width<T>)];
    constexpr bool has_storage = SolverWithStorage<decltype(p.solver)>;
    alignas(64) T own_storage[has_storage ? storage_on_stack / sizeof(T) : 1];
    SystemStorage<T> storage{own_storage};
    if constexpr (has_storage)
      if (p.solver.workspace != nullptr)
        storage.numbers = p.solver.workspace + first / per_chunk * p.solver.of_system;
    using Of = std::remove_cvref_t<decltype(p.a.item(0))>;
    using M =
        typename Problem::template prepared<typename SystemThread<T, Of, own_vectors>::Vector>;
    std::vector<T> beside(bytes_of_preconditioner<T>(p.preconditioner, p.a.rows) / sizeof(T));
    AnySystems<T> const any(p.a);
    for (std::int64_t n = first; n < end; ++n) {
      auto const item = p.item(n, true);
      Of const matrix = p.a.item(n);
      SystemThread<T, Of, own_vectors> at{matrix,   item,   p.log,
                                          p.a.rows, memory, memory + sizeof(memory) / sizeof(T)};
      auto diagonal = at.vector();
      if constexpr ((M::wants_diagonal || Problem::is_scaled) && Of::has_entries)
        visit_item(matrix, [&](auto const& own) {
          for (int i = 0; i < p.a.rows; ++i) diagonal.data[i] = diagonal_number(own, i);
        });
      solve_prepared<M>(
          at, p, diagonal,
          [&](int i, auto const& f) {
            if constexpr (Of::has_entries) matrix.for_each_entry(i, f);
          },
          any, beside.data(), storage,
          [&](auto& systems, M const& m, auto& method) {
            return solve_systems(systems, m, method, p.solver.stop);
          },
          [&](SolveResult<T> const& result, auto const&... other) {
            p.log.write(n, result);
            (p.log.write_scaled(n, other), ...);
          });
    }
  }

  /// Packs of systems are possible, where the solver and the preconditioner are written for them
  /// and matrices have entries.
  using Item = std::remove_cvref_t<decltype(p.a.item(0))>;
  static constexpr bool takes_packs = !SolverWithStorage<decltype(Problem::solver)> &&
                                      Item::has_entries &&
                                      !takes_item<decltype(Problem::preconditioner)>;

  static constexpr std::int64_t systems_of_a_pack = SystemPack<T, own_vectors>::W;
  static constexpr std::int64_t whole_packs(std::int64_t items) {
    return (items + systems_of_a_pack - 1) / systems_of_a_pack * systems_of_a_pack;
  }

  /// Puts the numbers of an item into one lane of packs, row by row: `to` and `diagonal` are this
  /// lane of the first packs. A lane that is not constant is faster written as a number.
  template <bool WithDiagonal, int W, class Own>
  static void take_lane(Own const& item, int rows, T* to, T* diagonal) {
    for (int i = 0; i < rows; ++i)
      item.for_each_entry(i, [&](int column, T const& value) {
        *to = value;
        to += W;
        if (WithDiagonal && column == i) diagonal[i * W] += value;
      });
  }

  void solve_packs(std::int64_t first, std::int64_t end) const {
    using At = SystemPack<T, own_vectors>;
    using M = typename Problem::template prepared<typename At::Vector>;
    constexpr int W = At::W;
    int const rows = p.a.rows;
    RowsInTurn const pattern(p.a.item(first), rows, nonzeros);
    using Number = typename At::Number;
    auto const entries = std::make_unique_for_overwrite<Number[]>(pattern.columns.size());
    auto const memory =
        std::make_unique_for_overwrite<Number[]>(std::size_t(vectors) * std::size_t(rows));
    for (std::int64_t n = first; n < end; n += W) {
      At at{pattern,
            p.b,
            p.x,
            p.log,
            rows,
            n,
            int(std::min<std::int64_t>(W, end - n)),
            entries.get(),
            memory.get(),
            memory.get() + std::size_t(vectors) * std::size_t(rows)};
      auto diagonal = at.vector();
      for (int l = 0; l < W; ++l)
        visit_item(p.a.item(at.item(l)), [&](auto const& own) {
          take_lane<M::wants_diagonal || Problem::is_scaled, W>(
              own, rows, reinterpret_cast<T*>(entries.get()) + l,
              reinterpret_cast<T*>(diagonal.data) + l);
        });
      solve_prepared<M>(
          at, p, diagonal,
          [&](int i, auto const& f) {
            for (int k = pattern.begins[std::size_t(i)]; k < pattern.begins[std::size_t(i) + 1];
                 ++k)
              f(pattern.columns[std::size_t(k)], entries[std::size_t(k)]);
          },
          p.a, static_cast<T*>(nullptr), SystemStorage<T>{},
          [&](auto& systems, M const& m, auto& method) {
            return solve_systems(systems, m, method, p.solver.stop);
          },
          [&](SolveResult<Number> const& result, auto const&... other) {
            for (int l = 0; l < at.count; ++l) {
              p.log.write(n + l,
                          SolveResult<T>{int(result.iterations.lane(l)), result.recurrence.lane(l),
                                         result.residual.lane(l), int(result.code.lane(l))});
              (p.log.write_scaled(n + l, other.lane(l)), ...);
            }
          });
    }
  }

  void refuse(std::int64_t first, std::int64_t end) const {
    for (std::int64_t n = first; n < end; ++n) {
      auto const item = p.item(n, true);
      p.log.write(n, refused<T>(p.a.rows, [&](int i) { return item.b()[i * p.b.row]; }));
      if constexpr (Problem::is_scaled) p.log.write_scaled(n, Kokkos::Experimental::quiet_NaN_v<T>);
    }
  }

  void operator()(std::int64_t chunk) const {
    std::int64_t const first = chunk * per_chunk;
    std::int64_t const end = first + per_chunk < p.items ? first + per_chunk : p.items;
    if (!pattern_is_in_range(p.a, nonzeros)) return refuse(first, end);
    if constexpr (takes_packs)
      if (by_packs) return solve_packs(first, end);
    if (p.a.rows <= 128) solve_some<128>(first, end);
    else solve_some<most_rows_of_a_solve>(first, end);
  }
};

}  // namespace Batchwork::Impl

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The solve of the present systems, scaled or as given, with the data that preconditioner and
/// method need of them.
#ifndef BATCHWORK_SOLVEPREPARED_HPP
#define BATCHWORK_SOLVEPREPARED_HPP

#include "krylov/detail/backend/Batchwork_SolveStorage.hpp"
#include "krylov/preconditioners/Batchwork_Preconditioner.hpp"
#include "krylov/solvers/detail/Batchwork_ScaledSystem.hpp"

namespace Batchwork::Impl {

/// Calls solve(m, method) with the preconditioner and the method set up for the systems. `at` is
/// Base, or a ScaledSystem of it.
template <class M, class Base, class At, class Problem, class A, class T, class Solve>
BATCHWORK_INLINE void with_method(Base& base, At& at, Problem const& p,
                                  typename Base::Vector const& diagonal, A const& a, T* memory,
                                  SystemStorage<T> const& storage, Solve const& solve) {
  M const m = prepare<M>(base, diagonal, p.preconditioner, a, memory);
  if constexpr (requires { m.valid; }) base.expect(m.valid);
  auto method = method_with_storage(at, p.solver, storage);
  solve(m, method);
}

/// \param p         says how: SolveProblem
/// \param diagonal  diagonal of the matrices; becomes the diagonal of the scaled ones
/// \param entries   see ScaledSystem::find_factors
/// \param a,memory  of the preconditioner, see prepare
/// \param plain     plain(at, m, method) solves systems that are not scaled
/// \param write     write(result), and write(result, other) with the norm of scaled systems
template <class M, class At, class Problem, class Entries, class A, class T, class Plain,
          class Write>
BATCHWORK_INLINE void solve_prepared(At& at, Problem const& p, typename At::Vector& diagonal,
                                     [[maybe_unused]] Entries const& entries, A const& a, T* memory,
                                     SystemStorage<T> const& storage,
                                     [[maybe_unused]] Plain const& plain, Write const& write) {
  if constexpr (Problem::is_scaled) {
    ScaledSystem<At> scaled(at, p.scale);
    scaled.find_factors(diagonal, entries);
    scaled.scale_diagonal(diagonal);
    with_method<M>(static_cast<At&>(scaled), scaled, p, diagonal, a, memory, storage,
                   [&](M const& m, auto& method) {
                     typename At::Number other;
                     auto const result = solve_scaled(scaled, scaled_preconditioner(scaled, m),
                                                      method, p.solver.stop, other);
                     write(with_failure(m, result), other);
                   });
  } else {
    with_method<M>(at, at, p, diagonal, a, memory, storage,
                   [&](M const& m, auto& method) { write(with_failure(m, plain(at, m, method))); });
  }
}

}  // namespace Batchwork::Impl

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The choice of a SolveConfiguration, which runs the kernels of SolveLaunch.
#ifndef BATCHWORK_CONFIGUREDSOLVEKERNELS_HPP
#define BATCHWORK_CONFIGUREDSOLVEKERNELS_HPP

#include <cstdint>
#include <string>
#include <type_traits>

#include "krylov/detail/Batchwork_ConfiguredSolveLaunch.hpp"

namespace Batchwork::Impl {

/// What preconditioners ask matrices for.
struct SizesOfMatrices {
  std::int64_t rows_, nonzeros_;
  std::int64_t rows() const { return rows_; }
  std::int64_t nonzeros() const { return nonzeros_; }
};

/// Calls f.operator()<SolveLaunch>(solver, preconditioner in the kernel's form), if there are such
/// kernels.
template <class T, bool Scaled, class Exec, class F>
auto with_configured_launch(SystemCall const& call, SolveConfiguration const& c,
                            SolveInput<T> const& in, F const& f) {
  using Result =
      decltype(f.template operator()<SolveLaunch<T, Bicgstab, NoPreconditioner, Scaled, Exec>>(
          Bicgstab(), NoPreconditioner()));
  return with_both(call, c, [&](auto const& solver, auto const& m) -> Result {
    using Solver = std::remove_cvref_t<decltype(solver)>;
    auto const in_kernel = preconditioner_in_kernel(m, SizesOfMatrices{in.rows, in.nonzeros});
    using InKernel = std::remove_const_t<decltype(in_kernel)>;
    if constexpr (has_kernels<set_of_solve<Solver, InKernel, Scaled>>) {
      return f.template operator()<SolveLaunch<T, Solver, InKernel, Scaled, Exec>>(solver,
                                                                                   in_kernel);
    } else {
      constexpr bool by_solver =
          set_of_solve<Solver, NoPreconditioner, Scaled> != KernelSet::solvers;
      call.fail("this libbatchwork has no " +
                std::string(by_solver ? to_string(c.solver) : to_string(c.preconditioner)) +
                "; build it with -D Batchwork_KERNELS=all, or link Batchwork::header_only");
    }
  });
}

template <class T, bool Scaled, class Exec>
void ConfiguredSolveLaunch<T, Scaled, Exec>::run(Exec const& exec, SystemCall const& call,
                                                 SolveConfiguration const& c,
                                                 ScaleOfSolve<T, Scaled> const& scale,
                                                 SolveInput<T> const& in,
                                                 GivenWorkspace<T> const& workspace) {
  with_configured_launch<T, Scaled, Exec>(
      call, c, in, [&]<class Launch>(auto const& solver, auto const& in_kernel) {
        Launch::run(exec, call, c.division, solver, in_kernel, scale, in, workspace);
      });
}

template <class T, bool Scaled, class Exec>
std::int64_t ConfiguredSolveLaunch<T, Scaled, Exec>::workspace_numbers(Exec const& exec,
                                                                       SystemCall const& call,
                                                                       SolveConfiguration const& c,
                                                                       SolveInput<T> const& in) {
  return with_configured_launch<T, Scaled, Exec>(
      call, c, in, [&]<class Launch>(auto const& solver, auto const& in_kernel) {
        return Launch::workspace_numbers(exec, call, c.division, solver, in_kernel, in);
      });
}

}  // namespace Batchwork::Impl

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// StoppingCriteria: when the iterations for a system end; Breakdown and explain_solve: why.
#ifndef BATCHWORK_STOPPING_HPP
#define BATCHWORK_STOPPING_HPP

#include <Kokkos_Core.hpp>
#include <string>
#include <type_traits>

#include "core/Batchwork_Status.hpp"
#include "core/Batchwork_Value.hpp"

namespace Batchwork {

/// What a tolerance is relative to: |b|, the residual of the start, or nothing.
enum class RelativeTo {
  right_side,  ///< |b|
  start,       ///< |b - A x_0|, x_0 being the start
  nothing      ///< the tolerance is absolute
};

/// When a system has converged, and when it is given up. Passed by value with each call.
///
/// The residual |b - A x| (2-norm) must be at most tolerance times |b|, times the residual of the
/// start, or at most the tolerance itself, as relative_to says. Made by relative, relative_to_start
/// and absolute.
struct StoppingCriteria {
  double tolerance = 1e-8;    ///< zero or more; 0 runs as far as rounding allows
  int most_iterations = 500;  ///< zero or more; 0 returns the start
  RelativeTo relative_to = RelativeTo::right_side;  ///< by default |b|
  /// How often a system begins anew from its true residual, after a breakdown or where the
  /// recurrence claimed too much; for gmres, how many cycles after each other may make the residual
  /// worse. Negative: the default of the method, 20 for gmres, 3 otherwise.
  int most_restarts = -1;
  /// A system ends as diverged if the residual of the iteration exceeds this times the residual of
  /// the start. Infinity: never. Zero: the default of the method, none for cgs, 1e5 otherwise.
  double divergence_limit = 0;
};

/// Criteria |b - A x| <= tolerance |b|. Where b is zero, x is zero after no iterations.
/// \param tolerance        zero or more
/// \param most_iterations  zero or more
inline StoppingCriteria relative(double tolerance, int most_iterations = 500) {
  return {tolerance, most_iterations, RelativeTo::right_side};
}
/// Criteria |b - A x| <= tolerance |b - A x_0|, x_0 being the start.
/// \param tolerance        zero or more
/// \param most_iterations  zero or more
inline StoppingCriteria relative_to_start(double tolerance, int most_iterations = 500) {
  return {tolerance, most_iterations, RelativeTo::start};
}
/// Criteria |b - A x| <= tolerance.
/// \param tolerance        zero or more
/// \param most_iterations  zero or more
inline StoppingCriteria absolute(double tolerance, int most_iterations = 500) {
  return {tolerance, most_iterations, RelativeTo::nothing};
}

/// The values of Status::info of a Reason::breakdown of solve.
struct Breakdown {
  static constexpr int rho = 1;    ///< the shadow residual and the residual became orthogonal
  static constexpr int omega = 2;  ///< A s was orthogonal to s, or zero
  /// The shadow residual and A p became orthogonal; in conjugate_gradients, p' A p vanished with
  /// the residual.
  static constexpr int pivot = 3;
  static constexpr int singular =
      4;  ///< gmres: the product of a direction depends on the products of the others
  static constexpr int preconditioner = 5;  ///< isai: a local system is singular
};

namespace Impl {

/// The reason of a code in a few words: "breakdown: rho vanished".
inline std::string reason_of_solve(int code) {
  std::string const words = to_string(Status::reason(code));
  if (Status::reason(code) != Reason::breakdown) return words;
  switch (Status::info(code)) {
    case Breakdown::rho: return words + ": rho vanished";
    case Breakdown::omega: return words + ": omega vanished";
    case Breakdown::pivot: return words + ": the pivot vanished";
    case Breakdown::singular: return words + ": the matrix is singular, or nearly";
    case Breakdown::preconditioner: return words + ": this item has no such preconditioner";
    default: return words;
  }
}

}  // namespace Impl

/// A status code of solve or team_solve in a sentence, on the host, with what to try:
/// "iteration limit: most_iterations were made and the tolerance is not met; allow more, or use
/// another preconditioner or direct_lu()".
/// \param code  from SolveLog::reason or SolveResult::code
/// \returns the sentence; "success" for the code 0
inline std::string explain_solve(int code) {
  std::string const words = Impl::reason_of_solve(code);
  int const info = Status::info(code);
  std::string const where = info > 0 ? " " + std::to_string(info) : "";
  switch (Status::reason(code)) {
    case Reason::stagnated:
      return words +
             ": the residual falls no further and is above the tolerance; give a larger tolerance, "
             "or use scaled(solver), another preconditioner or direct_lu()";
    case Reason::iteration_limit:
      return words +
             ": most_iterations were made and the tolerance is not met; allow more, or use another "
             "preconditioner or direct_lu()";
    case Reason::breakdown:
      switch (info) {
        case Breakdown::singular: return words + "; check the matrix, or use scaled(solver)";
        case Breakdown::preconditioner:
          return words + " (isai: a local system is singular); use jacobi() or block_jacobi(...)";
        default: return words + "; begin from another x, or use gmres(...) or direct_lu()";
      }
    case Reason::indefinite:
      return words +
             ": the matrix or the preconditioner is not positive definite; use bicgstab(...) or "
             "gmres(...)";
    case Reason::diverged:
      return words +
             ": the residual exceeded divergence_limit; use another solver or preconditioner, or "
             "direct_lu()";
    case Reason::not_finite:
      return words +
             ": A, b or the start holds NaN or infinity, or a number overflowed; check the inputs, "
             "or use scaled(solver)";
    case Reason::invalid_pattern:
      return words + ": columns or offsets are out of range or order; call check(A)";
    case Reason::out_of_range:
      return words + ": gathered(b, index) has no item of this index; call check_indices(...)";
    case Reason::singular: return words + ": pivot" + where + " is exactly zero; check the matrix";
    case Reason::small_pivot:
      return words + ": the pivot of row" + where +
             " is too small; use direct_lu(), or direct_lu(symbolic) with falls_back";
    default: return words;
  }
}

namespace Impl {

/// The criteria with the default limits of the solver, where none are given.
template <class Solver>
StoppingCriteria with_usual_limits(StoppingCriteria stop) {
  if (stop.most_restarts < 0) {
    stop.most_restarts = 3;
    if constexpr (requires { Solver::usual_restarts; }) stop.most_restarts = Solver::usual_restarts;
  }
  if (stop.divergence_limit == 0) {
    stop.divergence_limit = 1e5;
    if constexpr (requires { Solver::usual_divergence_limit; })
      stop.divergence_limit = Solver::usual_divergence_limit;
  }
  return stop;
}

/// |x|, and whether it is finite; a single instruction on devices.
template <class N>
BATCHWORK_INLINE N magnitude(N const& x) {
  if constexpr (std::is_floating_point_v<N>) return Kokkos::abs(x);
  else return abs(x);
}
template <class N>
BATCHWORK_INLINE mask_t<N> within_range(N const& x) {
  if constexpr (std::is_floating_point_v<N>) return Kokkos::isfinite(x);
  else return abs(x) < N(Kokkos::Experimental::infinity_v<scalar_t<N>>);
}

/// How far from 1, in either direction, matrices and vectors may be for squares of their products
/// to be normal numbers, also for residuals that have fallen to rounding.
template <class T>
struct FarFromOne {
  static constexpr T matrix = sizeof(T) == 4 ? T(0x1p16) : T(0x1p128);
  static constexpr T vector = sizeof(T) == 4 ? T(0x1p24) : T(0x1p192);
};
/// Whether |x| is beyond `most` or its reciprocal; or NaN.
template <class N>
BATCHWORK_INLINE mask_t<N> is_far(N const& x, scalar_t<N> most) {
  N const size = magnitude(x);
  return !((size >= N(scalar_t<N>(1) / most)) & (size <= N(most)));
}

/// The result of a solve for one item, besides x. N is the number type of one system, or a pack of
/// numbers for several systems.
template <class N>
struct SolveResult {
  info_t<N> iterations = info_t<N>(0);  ///< the number of iterations
  N recurrence = N(scalar_t<N>(0)),     ///< norm of the residual that the iteration computed
      residual = N(scalar_t<N>(0));     ///< norm of b - A x, as SolveLog::residual
  info_t<N> code = info_t<N>(0);        ///< a Status code; 0 for success

  /// Whether the residual meets the tolerance.
  BATCHWORK_INLINE bool converged() const
    requires std::is_floating_point_v<N>
  {
    return code == 0;
  }
  /// Why the system failed; Reason::success if it converged.
  BATCHWORK_INLINE Reason reason() const
    requires std::is_floating_point_v<N>
  {
    return Status::reason(code);
  }
  /// The info of the code; with Reason::breakdown a value of Breakdown.
  BATCHWORK_INLINE int info() const
    requires std::is_floating_point_v<N>
  {
    return Status::info(code);
  }
};

/// The state of the iteration of a system, or of the systems of a pack. The lanes that share a
/// system agree on it. Squares of norms are compared, which saves a root in each iteration.
template <class N>
struct Progress {
  using T = scalar_t<N>;
  using Mask = mask_t<N>;
  using Count = info_t<N>;
  N threshold_squared = N(T(0));
  N divergence_squared = N(Kokkos::Experimental::infinity_v<T>);
  N squared = N(T(0));  ///< norm of the residual, as the iteration has it, squared
  Count iterations = Count(0);
  int most_iterations = 0;
  Mask running = Mask(false);
  /// Why a method has stopped it, to be confirmed by the true residual.
  Count stopped = Count(int(Reason::success));
  Count info = Count(0);
  /// Whether squares of numbers in the first iteration may vanish or overflow.
  Mask out_of_scale = Mask(false);

  /// Stops the systems of the mask `of`, which must select at least one system, also below.
  BATCHWORK_INLINE void stop(Mask const& of, Reason why, int what = 0) {
    running = select_some(of, Mask(false), running);
    stopped = select_some(of, Count(int(why)), stopped);
    info = select_some(of, Count(what), info);
  }
  BATCHWORK_INLINE void stop(Reason why, int what = 0) { stop(Mask(true), why, what); }
  BATCHWORK_INLINE void begin_anew(Mask const& of) {
    running = select_some(of, Mask(true), running);
    stopped = select_some(of, Count(int(Reason::success)), stopped);
  }
  /// Among the systems `of`, in an iteration of a method: systems in their first iteration that are
  /// `far` from 1 and have no factor yet.
  template <class At>
  BATCHWORK_INLINE Mask meets_far(At const& at, Mask const& of, Mask const& far) {
    Mask const meets = of & far & (iterations == Count(0)) & (at.factor == N(T(1)));
    out_of_scale = out_of_scale | meets;
    return meets;
  }
  /// Ends an iteration of the systems `of`, given the squares of the norms of their residuals.
  BATCHWORK_INLINE void judge(Mask const& of, N const& norm_squared) {
    squared = select_some(of, norm_squared, squared);
    iterations = select_some(of, iterations + Count(1), iterations);
    // Without branches; of a NaN the first does not hold.
    Mask const goes_on = (norm_squared > threshold_squared) & (norm_squared < divergence_squared) &
                         (iterations < Count(most_iterations));
    running = select_some(of, goes_on, running);
  }
  BATCHWORK_INLINE void judge(N const& norm_squared) { judge(Mask(true), norm_squared); }
  /// Why it has stopped.
  BATCHWORK_INLINE Count cause() const {
    constexpr auto code = [](Reason r) { return Count(int(r)); };
    return select(stopped != code(Reason::success), stopped,
                  select(squared <= threshold_squared, code(Reason::success),
                         select(squared < divergence_squared, code(Reason::iteration_limit),
                                select(within_range(squared), code(Reason::diverged),
                                       code(Reason::not_finite)))));
  }
};

}  // namespace Impl
}  // namespace Batchwork

#endif

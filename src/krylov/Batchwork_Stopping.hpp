// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// When the iterations for a system end: tolerance, limits, and what came of it.
#ifndef BATCHWORK_STOPPING_HPP
#define BATCHWORK_STOPPING_HPP

#include <Kokkos_Core.hpp>

#include "machine/Batchwork_Held.hpp"
#include "machine/Batchwork_Status.hpp"

namespace Batchwork {

/// What a tolerance is relative to.
enum class RelativeTo { right_side, start, nothing };

/// A solver's criteria: the residual |b - A x| (2-norm) is to be at most tolerance times |b|, times that of the start, or at
/// most the tolerance. They travel by value with each call.
struct StoppingCriteria {
  double tolerance = 1e-8;
  int most_iterations = 500;
  RelativeTo relative_to = RelativeTo::right_side;
  /// How often a system begins anew from its true residual, after a breakdown or where the recurrence claimed too much.
  int most_restarts = 3;
};

/// |b - A x| <= tolerance |b|. Where b is zero so is x, after no iterations.
inline StoppingCriteria relative(double tolerance, int most_iterations = 500) {
  return {tolerance, most_iterations, RelativeTo::right_side};
}
/// |b - A x| <= tolerance |b - A x_0|.
inline StoppingCriteria relative_to_start(double tolerance, int most_iterations = 500) {
  return {tolerance, most_iterations, RelativeTo::start};
}
/// |b - A x| <= tolerance.
inline StoppingCriteria absolute(double tolerance, int most_iterations = 500) {
  return {tolerance, most_iterations, RelativeTo::nothing};
}

/// What Status::info says of a breakdown.
struct Breakdown {
  static constexpr int rho = 1;    ///< the shadow residual and the residual became orthogonal
  static constexpr int omega = 2;  ///< A s was orthogonal to s, or zero
  /// The shadow residual and A p became orthogonal; of conjugate gradients p' A p vanished with the residual.
  static constexpr int pivot = 3;
  static constexpr int singular =
      4;  ///< GMRES: a direction's product depends on those of the others
};

namespace Impl {

/// What a solver leaves of an item, beside x.
template <class T>
struct SolveResult {
  int iterations = 0;
  T recurrence = T(0), residual = T(0);
  int code = 0;
};

/// How far a system is. The lanes that share it agree. Squares of norms are compared, which saves a root an iteration.
template <class T>
struct Progress {
  static constexpr T infinite = Kokkos::Experimental::infinity_v<T>;
  T threshold_squared = T(0);
  T squared = T(0);  ///< norm of the residual, as the iteration has it, squared
  int iterations = 0;
  int most_iterations = 0;
  bool running = false;
  /// What a method has stopped it for, to be confirmed by the true residual.
  Reason stopped = Reason::success;
  int info = 0;

  BATCHWORK_INLINE void stop(Reason why, int what = 0) {
    running = false;
    stopped = why;
    info = what;
  }
  BATCHWORK_INLINE void begin_anew() {
    running = true;
    stopped = Reason::success;
  }
  /// After an iteration that left a residual of this norm, squared.
  BATCHWORK_INLINE void judge(T norm_squared) {
    squared = norm_squared;
    ++iterations;
    // Without branches; of a NaN the first does not hold.
    running = (norm_squared > threshold_squared) & (norm_squared < infinite) &
              (iterations < most_iterations);
  }
  /// Why it does not run.
  BATCHWORK_INLINE Reason cause() const {
    return stopped != Reason::success     ? stopped
           : squared <= threshold_squared ? Reason::success
           : squared < infinite           ? Reason::iteration_limit
                                          : Reason::not_finite;
  }
};

}  // namespace Impl
}  // namespace Batchwork

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// preconditioner(functor); and what preconditioners beyond Jacobi share: the numbers of their item
/// and memory besides the exchange.
#ifndef BATCHWORK_PRECONDITIONER_HPP
#define BATCHWORK_PRECONDITIONER_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/Batchwork_SystemLanes.hpp"
#include "krylov/base/Batchwork_Concepts.hpp"
#include "krylov/base/Batchwork_Stopping.hpp"
#include "krylov/detail/backend/Batchwork_SolveBudget.hpp"
#include "krylov/preconditioners/Batchwork_Jacobi.hpp"

namespace Batchwork {

/// A preconditioner computed by a functor, for matrices in any format. Made by preconditioner.
/// \tparam F  f(lanes, item, r, z) computes z = M r, called by all lanes that share the item, with
///            the rules of matrix_free: r(j) reads a number, z(i) = v is done once for every row,
///            by one lane; lanes.for_each(rows, body) distributes the rows; lanes that exchange
///            data call lanes.sync(). The call operator is a template
///
/// On devices systems are read where they are, by 64 to 256 lanes each. An iteration takes the
/// functor's own work and one more wait.
template <class F>
struct FunctorPreconditioner {
  using preconditioner_of_systems = void;
  F functor;  ///< called as f(lanes, item, r, z)
};
/// A preconditioner computed by a functor, as an argument of solve.
///
/// ```cpp
/// solve(exec, bicgstab(relative(1e-8)), preconditioner(MyInverse{rows}), A, b, x);
/// ```
///
/// \param functor  see FunctorPreconditioner. M is the same in every call of a solve; symmetric
///                 positive definite for conjugate_gradients
template <class F>
FunctorPreconditioner<F> preconditioner(F const& functor) {
  return {functor};
}

namespace Impl {

/// The lanes of a system, for work on it before or beside the solver.
template <class At>
BATCHWORK_INLINE auto lanes_at([[maybe_unused]] At const& at) {
  if constexpr (requires { at.member; }) {
    return SystemLanes<std::remove_cvref_t<decltype(at.member)>>{at.member, at.rank, at.lanes};
  } else {
    return LoneLane();
  }
}
/// Whether a single lane works on a system and has all its rows.
template <class Lanes>
inline constexpr bool works_alone = std::is_same_v<Lanes, LoneLane>;

/// Whether x holds in any lane of the system, in each of them. What lanes have written before is
/// then seen by all.
template <class At>
BATCHWORK_INLINE bool any_of_system([[maybe_unused]] At& at, bool x) {
  if constexpr (requires { at.member; }) {
    using T = typename At::Scalar;
    T const mine[1] = {x ? T(1) : T(0)};
    T all[1];
    at.sum(mine, all);
    at.sync();
    return all[0] != T(0);
  } else {
    return x;
  }
}

/// The reciprocal, or 1 where there is none that is finite and not zero.
template <class T>
BATCHWORK_INLINE T reciprocal_or_one(T x) {
  T const f = T(1) / x;
  return is_finite(f) && f != T(0) ? f : T(1);
}

/// The kernel's form of a preconditioner for these matrices; by default itself.
template <class M, class A>
auto preconditioner_in_kernel(M const& m, A const& a) {
  if constexpr (requires { m.in_kernel(a); }) return m.in_kernel(a);
  else return m;
}

template <class T, class M>
concept HasBytes = requires(M const& m) { m.template bytes<T>(1); };
template <class T, class M>
inline constexpr bool has_bytes = HasBytes<T, std::remove_const_t<M>>;

/// Bytes that a preconditioner needs for a system, besides the exchange; whole numbers of T.
template <class T, class M>
BATCHWORK_INLINE std::size_t bytes_of_preconditioner(M const& m, int rows) {
  if constexpr (has_bytes<T, M>)
    return (m.template bytes<T>(rows) + sizeof(T) - 1) / sizeof(T) * sizeof(T);
  else return 0;
}

/// Distance in numbers between the memory of two systems of a team: systems of a warp begin in
/// different banks of scratch.
template <class T, class M>
BATCHWORK_INLINE std::size_t numbers_apart_of_preconditioner(M const& m, int rows, int lanes) {
  std::size_t const n = bytes_of_preconditioner<T>(m, rows) / sizeof(T);
  constexpr std::size_t banks = 128 / sizeof(T);
  if (n == 0 || lanes >= lanes_of_warp) return n;
  return n + (std::size_t(lanes) + banks - n % banks) % banks;
}

/// Sets up the preconditioner of an item: from the item's numbers, in `memory`, if M takes_item,
/// else from its diagonal. M is Prepared<Vector, ...>; its apply(at, z, r) is called by all lanes
/// of the system with two different vectors. Between two applications there is a product or a sum,
/// so that all lanes have read the result of the first in the exchange.
template <class M, class At, class Vector, class Of, class A, class T>
BATCHWORK_INLINE M prepare(At& at, Vector const& diagonal, Of const& of, A const& a, T* memory) {
  if constexpr (requires { M::takes_item; }) return M(at, of, a, memory);
  else return M(at, diagonal);
}
/// Whether it needs the numbers of the item. Such systems are read where they are, in two kernels
/// for a solver.
template <class M>
inline constexpr bool takes_item = requires { typename M::preconditioner_of_systems; };

/// Sets the reason of a system without such a preconditioner, if M reports `failed`.
template <class M, class Result>
BATCHWORK_INLINE Result with_failure(M const& m, Result result) {
  if constexpr (requires { m.failed; })
    if (m.failed && result.code != 0)
      result.code = Status::code(Reason::breakdown, Breakdown::preconditioner);
  return result;
}

template <class M>
inline constexpr bool is_functor_preconditioner = false;
template <class F>
inline constexpr bool is_functor_preconditioner<FunctorPreconditioner<F>> = true;

/// Lanes of a system for a preconditioner that needs the matrix.
struct LanesWanted {
  int least = 2 * lanes_of_warp;  ///< a power of two
  int rows_by_twos =
      most_rows_of_a_solve;  ///< systems of more rows have as few lanes as there can be
};
template <class M>
BATCHWORK_INLINE constexpr LanesWanted lanes_wanted_by(M const& m) {
  if constexpr (requires { m.lanes_wanted(); }) return m.lanes_wanted();
  else return {};
}

/// Systems are read where they are, by a power of two of lanes with 2 rows each, or up to 8 where
/// there are no more lanes or fewer are wanted.
constexpr SolveChoice choose_preconditioned_solve(std::int64_t rows, std::int64_t width,
                                                  bool shuffles, LanesWanted const& wanted) {
  int const lanes = power_of_two_team(rows, rows > wanted.rows_by_twos ? 8 : 2, wanted.least);
  return {SolveVariant::in_place, lanes, rows_of_preconditioned(rows, lanes),
          lanes_of_a_row(width, shuffles, lanes), lanes_of_warp};
}

template <class Vector, class F>
struct Prepared<Vector, FunctorPreconditioner<F>> {
  static constexpr bool wants_diagonal = false, is_identity = false;
  static constexpr bool takes_item = true;
  F const* functor;

  template <class At, class A, class T>
  BATCHWORK_INLINE Prepared(At&, FunctorPreconditioner<F> const& of, A const&, T*)
      : functor(&of.functor) {}
  template <class At>
  BATCHWORK_INLINE void apply(At& at, Vector& z, Vector const& r) const {
    using T = typename At::Scalar;
    if constexpr (requires { at.member; }) {
      T const* const published = at.publish(r);
      T* const results = at.second_exchange();
      (*functor)(
          lanes_at(at), at.item.number, [published](int j) { return published[j]; },
          [results](int i) -> T& { return results[i]; });
      at.sync();
      at.for_each([&](int k) {
        int const i = at.row_of(k);
        z.set(k, i < at.rows ? results[i] : T(0));
      });
    } else {
      (*functor)(
          LoneLane(), at.item.number, [from = r.data](int j) { return from[j]; },
          [to = z.data](int i) -> T& { return to[i]; });
    }
  }
};

}  // namespace Impl
}  // namespace Batchwork

#endif

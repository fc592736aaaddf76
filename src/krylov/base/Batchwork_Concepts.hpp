// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The contracts between the parts of a solve, as concepts with their costs: SystemBackend,
/// SolverMethod, Preconditioner, PreparedPreconditioner, Format. Templates that take such parts
/// require them.
#ifndef BATCHWORK_CONCEPTS_HPP
#define BATCHWORK_CONCEPTS_HPP

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "core/Batchwork_SystemLanes.hpp"
#include "core/Batchwork_Value.hpp"
#include "krylov/base/Batchwork_Stopping.hpp"
#include "view/detail/layout/Batchwork_Storage.hpp"

namespace Batchwork {
namespace Impl {

/// A function object with which concepts call: it takes any arguments.
struct AnyBody {
  template <class... Args>
  BATCHWORK_INLINE void operator()(Args const&...) const {}
};

}  // namespace Impl

/// The interface that a solver sees: one system, or a pack of systems. Models: SystemTeam (lanes of
/// a device), SystemThread (one system of a host's thread), SystemPack (a pack of systems of a
/// thread), and ScaledSystem around one of them.
///
/// - Scalar: float or double
/// - Number: a number of a system (a pack where there are several); mask_t<Number>: a condition on
///   it
/// - Value: a number, or several, of its rows
/// - Vector: the rows of a vector that the caller holds: v(i) reads, v.set(i, x) writes
///
/// All lanes of a system call all functions except for_each, and take the same branches between
/// them.
///
/// Cost, for lanes of a device:
/// - a Vector takes as many registers of a lane as it has rows (twice for double), on hosts memory.
///   Vectors of a method come from at.vectors<n>(); no others are made in an iteration
/// - for_each(body): body(i) for the rows of the caller; no wait
/// - multiply(y, x): y = A x; a wait for the lanes that share the system, and one reading of the
///   matrix if it is not in registers
/// - sum(parts, sums): sums over all rows, the same bits in each lane; N numbers (5 at most) cost
///   little more than one: two waits to 32 lanes, three beyond. Between two products there is a
///   sum, which means that all have read the vector of the first
/// - any(mask): whether it holds for any system that runs in step, the only condition that all
///   lanes may branch on; a vote
/// - load_b, load_x, store_x: memory, before and after the iterations, times `unit`, a power of two
///   that begin_systems finds
/// - factor: a power of two in place of a preconditioner, if there is none
/// - multiply_with_bound and compensated_residual, if has_entries: at the ends only; the latter
///   costs six products
template <class At>
concept SystemBackend =
    requires(At& at, typename At::Vector& v, typename At::Vector const& u,
             mask_t<typename At::Number> const& some, typename At::Value const (&parts)[2],
             typename At::Number (&sums)[2]) {
      typename At::Scalar;
      { At::has_entries } -> std::convertible_to<bool>;
      { at.vector() } -> std::same_as<typename At::Vector>;
      at.for_each(Impl::AnyBody());
      at.load_b(v);
      at.load_x(v);
      at.store_x(u, some);
      at.multiply(v, u);
      at.sum(parts, sums);
      { at.any(some) } -> std::same_as<bool>;
      { at.there() } -> std::same_as<bool>;
      { at.flawed() } -> std::same_as<bool>;
      { at.keeps_history() } -> std::same_as<bool>;
      requires !At::has_entries || requires {
        { at.multiply_with_bound(v, u) } -> std::convertible_to<typename At::Value>;
        { at.compensated_residual(v, u, u) } -> std::convertible_to<typename At::Value>;
      };
    };

/// A preconditioner set up for the present systems, z = M r: Prepared<Vector, M>, made from a
/// Preconditioner.
///
/// - wants_diagonal: it is made of the diagonal, prepared(at, diagonal), and costs a Vector
/// - takes_item: it is made of the matrices and of memory of its own besides the exchange,
///   prepared(at, in_kernel, AnySystems, memory), and has `valid`: false in all lanes if the
///   pattern cannot be used
/// - is_identity: z is r, and methods leave sums out
///
/// apply(at, z, r) is called by all lanes of the system, with two different vectors, at most twice
/// an iteration. It may use both exchanges and wait, and calls neither multiply nor sum. Between
/// two applications there is one of these, so that all have read the result of the first.
template <class M, class At>
concept PreparedPreconditioner =
    requires(M const& m, At& at, typename At::Vector& z, typename At::Vector const& r) {
      { M::is_identity } -> std::convertible_to<bool>;
      { M::wants_diagonal } -> std::convertible_to<bool>;
      m.apply(at, z, r);
    };

/// The parameters of a preconditioner: a small struct that is passed by value, jacobi() for
/// instance.
///
/// Either preconditioner_of_diagonals: kernels hold the matrix as without it. Or
/// preconditioner_of_systems: systems are read where they are, by two kernels for a solver and type
/// of number. The latter have:
/// - in_kernel(a), optional: what kernels get instead, for matrices a
/// - bytes<T>(rows): memory of a system, in team scratch if it fits besides the exchange, else in
///   the workspace
/// - lanes_wanted(): lanes of a system
/// - needs_entries: it does not work with matrix_free
/// - check(call, a): refuses on the host what it cannot do
template <class M>
concept Preconditioner = requires { typename M::preconditioner_of_diagonals; } ||
                         requires { typename M::preconditioner_of_systems; };

/// An iterative method for the present systems, with a preconditioner that is set up for them.
///
/// restart(at, m, r, squared, is) begins from the residual r; squared is the square of its norm.
/// step(at, m, r, u, is) is one iteration. It changes r and u of running systems and ends with
/// is.judge(r' r) or is.stop(why). The solution is x + u; if `right` it is x + M u, so that an
/// iteration needs neither x nor M u.
///
/// Cost: the parameters say what it holds, from which registers are reckoned: `vectors`, all
/// vectors of a system except x and b, including r and u; `own_vectors`, vectors that the method
/// takes from at.vectors<own_vectors>(); `short_rows`, rows of a lane if they have three entries. A
/// step takes one or two products, an application of the preconditioner for each, and as few rounds
/// of sums as possible: products of the same vectors go into one. It calls the functions of
/// SystemBackend and PreparedPreconditioner except load_b, load_x and store_x. Numbers of a system
/// are the same in all lanes. Nothing is kept from one beginning to the next.
///
/// A method that has_cycles also has finish, load_current and put_aside, see iterate_systems.
template <class Method, class At, class M>
concept SolverMethod =
    requires(Method& method, At& at, M const& m, typename At::Vector& r, typename At::Vector& u,
             typename At::Number const& squared, Impl::Progress<typename At::Number>& is) {
      { Method::right } -> std::convertible_to<bool>;
      method.restart(at, m, r, squared, is);
      method.step(at, m, r, u, is);
      requires !requires { Method::has_cycles; } || requires {
        method.finish(at, u);
        method.load_current(at, u);
        method.put_aside(at, u, true);
      };
    };

/// Where the entries of the matrices of a batch are, in kernels: pointers and strides of the
/// pattern, which all items share. The numbers of the items, Storage `values`, are elsewhere; the
/// numbers of one item begin at `numbers`. A Format is copied with the kernel, so it is a few
/// words.
///
/// - rank: indices of a number of an item, 1 or 2
/// - has_numbers: whether anything is stored
/// - leading(rows): numbers from one first index to the next, without gaps
/// - knows_widest_row: no row has more than nonzeros / rows entries
/// - for_each_place(values, rows, i, f): f(column, place of the number from where the item begins)
///   for the entries of row i, in order
/// - row(values, numbers, rows, i): the entries of row i, none beyond the last row: count,
///   column(k), number(k), and the same as an AnyRow, any(). A new type of rows makes kernels
///   longer; where two formats share one, both take a branch for every row. Solvers call it once a
///   row and hold the result; where the matrix is read in place, once for a row and product
/// - column(rows, i, k) and number(values, numbers, rows, i, k): one entry, seldom called
/// - first_place(rows, i): the place of the first entry of row i among the `nonzeros` places of a
///   system, where factors are
/// - copy_numbers(lanes, values, numbers, rows, ends, to): copies the numbers to these places, for
///   rows of ends[i] entries
/// - diagonal_place(values, row), optional: if it is known without a search
/// - with_entries(values, numbers, f), optional: a faster way than column and number for single
///   entries
template <class F, class T>
concept Format = std::is_trivially_copyable_v<F> &&
                 requires(F const& f, Impl::Storage<T const> const& values, T const* numbers, int n,
                          T* to, std::uint16_t const* ends, LoneLane const& lane) {
                   { F::rank } -> std::convertible_to<int>;
                   { F::has_numbers } -> std::convertible_to<bool>;
                   { F::knows_widest_row } -> std::convertible_to<bool>;
                   requires std::semiregular<decltype(f.row(values, numbers, n, n))>;
                   { f.row(values, numbers, n, n).count } -> std::convertible_to<int>;
                   { f.row(values, numbers, n, n).column(n) } -> std::same_as<int>;
                   { f.row(values, numbers, n, n).number(n) } -> std::same_as<T>;
                   { f.column(n, n, n) } -> std::same_as<int>;
                   { f.number(values, numbers, n, n, n) } -> std::same_as<T>;
                   { f.first_place(n, n) } -> std::same_as<int>;
                   f.copy_numbers(lane, values, numbers, n, ends, to);
                   f.row(values, numbers, n, n).any();
                   requires !F::has_numbers || requires {
                     { f.leading(n) } -> std::same_as<int>;
                     f.for_each_place(values, n, n, Impl::AnyBody());
                   };
                 };

}  // namespace Batchwork

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The contracts between the parts of a solve, as concepts with what they cost: SystemBackend,
/// SolverMethod, Preconditioner, PreparedPreconditioner, Format. The templates that take such parts
/// ask for them.
#ifndef BATCHWORK_CONCEPTS_HPP
#define BATCHWORK_CONCEPTS_HPP

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "core/Batchwork_SystemLanes.hpp"
#include "core/Batchwork_Value.hpp"
#include "krylov/Batchwork_Stopping.hpp"
#include "view/detail/layout/Batchwork_Storage.hpp"

namespace Batchwork {
namespace Impl {

/// What concepts call with: it takes any arguments.
struct AnyBody {
  template <class... Args>
  BATCHWORK_INLINE void operator()(Args const&...) const {}
};

}  // namespace Impl

/// How a system lies, or a pack of systems, and what a method may do with it: SystemTeam (lanes of
/// a device), SystemThread (a host's thread), SystemPack (a pack of systems by a thread),
/// ScaledSystem around one of them.
///
/// Scalar is float or double; Number a number of a system (a pack where there are several),
/// mask_t<Number> what holds of it; Value a number, or some, of its rows; Vector the rows of a
/// vector that the caller has: v(i) reads, v.set(i, x) writes. All lanes of a system call all
/// functions with one exception, for_each, and go the same way between them.
///
/// Cost, of lanes of a device:
/// - a Vector is as many registers a lane as it has rows (twice, of double), on hosts memory;
/// vectors of a method come from
///   at.vectors<n>(), and no others are made in an iteration
/// - for_each(body): body(i) for the rows of the caller; no wait
/// - multiply(y, x): y = A x; a wait for the lanes that share the system, and the matrix once,
/// where that is not in registers
/// - sum(parts, sums): sums over all rows, the same bits in each lane; N numbers (5 at most) cost
/// little more than one: two waits to
///   32 lanes, three beyond. Between two products there is a sum, which says that all have read the
///   vector of the first
/// - any(mask): whether it holds of any system that goes through the same turns, what alone all may
/// branch on; a vote
/// - load_b, load_x, store_x: memory, before and after the iterations; times `unit`, a power of two
/// that begin_systems finds
/// - factor: a power of two that stands for a preconditioner where there is none
/// - multiply_with_bound and compensated_residual, where has_entries: at the ends only; the latter
/// is six times a product
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

/// z = M r for systems that are at hand, what becomes of a Preconditioner: Prepared<Vector, M>.
///
/// wants_diagonal: it is made of the diagonal, prepared(at, diagonal), and costs a Vector;
/// takes_item: of the matrices and memory of its own beside the exchange, prepared(at, in_kernel,
/// AnySystems, memory), and has `valid`, false in all lanes where the pattern cannot be used.
/// is_identity: z is r, and methods leave sums out.
///
/// apply(at, z, r) is called by all lanes of the system, r being another vector than z, twice an
/// iteration at most. It may use both exchanges and wait, and calls neither multiply nor sum;
/// between two applications there is one of these, so that all have read what the first has left.
template <class M, class At>
concept PreparedPreconditioner =
    requires(M const& m, At& at, typename At::Vector& z, typename At::Vector const& r) {
      { M::is_identity } -> std::convertible_to<bool>;
      { M::wants_diagonal } -> std::convertible_to<bool>;
      m.apply(at, z, r);
    };

/// What makes it: a small struct that travels by value, jacobi() for instance. Either
/// preconditioner_of_diagonals: kernels hold the matrix as without it. Or
/// preconditioner_of_systems: the systems are read where they are, by two kernels a solver and type
/// of number. Of these:
/// - in_kernel(a), if there is one, gives what kernels get instead, for matrices a
/// - bytes<T>(rows) of memory that a system has for it; in team scratch if it fits, beside the
/// exchange, else in the workspace
/// - lanes_wanted() of a system
/// - needs_entries: it does not work with matrix_free; check(call, a) refuses on the host what it
/// cannot do
template <class M>
concept Preconditioner = requires { typename M::preconditioner_of_diagonals; } ||
                         requires { typename M::preconditioner_of_systems; };

/// An iterative method for systems that are at hand, with a preconditioner that is prepared for
/// them.
///
/// restart(at, m, r, squared, is) begins from the residual r, whose norm has such a square.
/// step(at, m, r, u, is) is one iteration, which changes r and u of a system that is running, and
/// ends with is.judge(r' r) or is.stop(why). The solution is x + u; where `right` it is x + M u, so
/// that neither x nor M u is needed in an iteration.
///
/// Cost: what it holds is said by its parameters, from which registers are reckoned: `vectors` all
/// vectors of a system but x and b, r and u included, `own_vectors` those that the method takes
/// from at.vectors<own_vectors>(), `short_rows` rows of a lane where they have three entries. A
/// step is a product or two, an application of the preconditioner for each, and as few rounds of
/// sums as can be: products of the same vectors go into one. It calls what SystemBackend and
/// PreparedPreconditioner have, never load_b, load_x and store_x. Numbers of a system are the same
/// in all lanes; nothing is kept from one beginning to the next.
///
/// A method that has_cycles has finish, load_current and put_aside as well, see iterate_systems.
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

/// Where the entries of the matrices of a batch are, in kernels: pointers and strides to what all
/// items share. The numbers of the items, Storage `values`, are elsewhere; those of one item begin
/// at `numbers`. Copied with the kernel, so a few words.
///
/// - rank: indices that a number of an item has, 1 or 2; has_numbers: or nothing is stored.
/// leading(rows): numbers from one first
///   index to the next, where they have no gaps
/// - knows_widest_row: no row has more than nonzeros / rows entries
/// - for_each_place(values, rows, i, f): f(column, place of the number from where the item begins)
/// for the entries of row i, in order
/// - row(values, numbers, rows, i): the entries of row i, none beyond the last row: count,
/// column(k), number(k), and the same as an
///   AnyRow, any(). A type of rows that no other format has makes kernels longer; where two formats
///   have the same one, both take a branch for every row. Solvers call it once a row and hold it;
///   where the matrix is read in place, once a row and product
/// - column(rows, i, k) and number(values, numbers, rows, i, k): the same of one entry, seldom
/// - first_place(rows, i): the place of the first entry of row i among the `nonzeros` places of a
/// system, where factors are;
///   copy_numbers(lanes, values, numbers, rows, ends, to) copies them there, of rows of ends[i]
///   entries
/// - diagonal_place(values, row), if it can be said without a search; with_entries(values, numbers,
/// f), if entries one by one have a
///   faster way than column and number
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

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// eigh: eigenvalues and eigenvectors of symmetric matrices of extents known at run time, in one
/// kernel.
#ifndef BATCHWORK_EIGHVERB_HPP
#define BATCHWORK_EIGHVERB_HPP

#include <string>
#include <type_traits>

#include "dense/decompositions/detail/Batchwork_DecompositionCall.hpp"
#include "dense/decompositions/detail/Batchwork_EighLaunch.hpp"
#include "launch/Batchwork_WorkspaceNumbers.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_OperandForms.hpp"
#include "launch/detail/Batchwork_VerbCall.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"

namespace Batchwork {
namespace Impl {

/// The problem of a call, which is checked. v may be a, to be overwritten by the vectors or, in(A),
/// to be read alone.
template <class Exec, class A, class W, class V, class S>
auto eigh_problem(Call& call, A const& a_operand, W const& w_operand, V const& v_operand,
                  S const& end) {
  constexpr bool Vectors = kind_of<V> != Kind::in, Same = kind_of<V> == Kind::inout;
  auto const a = stored(a_operand);
  auto const w = stored(w_operand);
  auto const v = stored(v_operand);
  static_assert(require_decomposition_views<Exec, decltype(a), decltype(w), decltype(v)>());
  require_matrix<decltype(a)>();
  require_matrix<decltype(v)>();
  require_vector<decltype(w)>();
  using T = typename decltype(w)::value_type;

  call.add("a", Same, a);
  call.add("values", true, w);
  if constexpr (Vectors && !Same) call.add("vectors", true, v);
  EighProblem<T> f;
  f.status = status_and_workspace<Exec, T>(call, end);
  call.check({Vectors && !Same && same_numbers(v, a), 0, 2});
  call.check_square(0, a.rows, a.cols);
  require_extents(call, 1, w, a.rows, 1, "the eigenvalues");
  if constexpr (Vectors && !Same) require_extents(call, 2, v, a.rows, a.rows, "the eigenvectors");
  f.n = whole_extent(call, 0, a.rows);
  f.items = call.parts[0].d.items;
  f.a = {a.storage.as_const(), a.rows, a.cols};
  f.values = {w.storage, w.rows, 1};
  if constexpr (Vectors) {
    f.vectors = {v.storage, v.rows, v.cols};
    f.stores_vectors = true;
  }
  return f;
}

template <class Exec, class A, class W, class V, class S>
void eigh_batch(Exec const& exec, Launch<> const& how, A const& a, W const& w, V const& v,
                S const& end) {
  Call call{"eigh", {}, how.label, how.kernel};
  auto const f = eigh_problem<Exec>(call, a, w, v, end);
  using T = typename decltype(f)::number;
  EighLaunch<T, Exec>::run(exec, call, f, given_workspace<T>(end.workspace));
}

template <>
struct CallOfVerb<Verb::eigh>
    : OnOperands<CallOfVerb<Verb::eigh>, Last::workspace, Form<Kinds<Kind::in, Kind::out>, 0, 1, 0>,
                 Form<Kinds<Kind::in, Kind::out, Kind::out>, 0, 1, 2>,
                 Form<Kinds<Kind::inout, Kind::out>, 0, 1, 0>> {
  static constexpr bool takes_padding = false;
  static void run(auto const&... x) { eigh_batch(x...); }
};

}  // namespace Impl

/// The eigenvalues and eigenvectors of a batch: A_n V_n = V_n diag(values_n) for every item n, A_n
/// being N x N and symmetric.
///
/// \code
/// eigh(exec, in(A), out(values), out(V), status(codes));
/// eigh(exec, in(A), out(values));    // values alone
/// eigh(exec, inout(A), out(values)); // the vectors overwrite A
/// \endcode
///
/// The lower triangle of A is read, of transposed(A) the upper one. values(item, k) ascend. Column
/// k of V belongs to value k and has length 1; its sign is not determined. float or double. Views
/// have the item first, v(item, i, j), in LayoutLeft, LayoutRight or LayoutStride, or are
/// compact(view, n); transposed(...) around a matrix takes the transposes of its items.
///
/// Limits: N is known at run time. On devices a matrix has to fit into team scratch: on an H200
/// with Kokkos 5.2 to 224 rows in float and 159 in double, on hosts to 512 and 361. Larger items,
/// to 32767 rows, need workspace(view) with workspace_numbers<Verb::eigh>(...) elements; smaller
/// ones ignore it.
///
/// Status, for each item: 0, or a reason with an info of 0. Reason::not_finite: an entry of A is
/// NaN or infinite, or a value overflows. Reason::iteration_limit: rotations or iterations did not
/// converge; no matrix is known for which this happens. Values and vectors of such an item are NaN.
/// Other items are bitwise the same as without the failure.
///
/// One kernel, labelled Batchwork::eigh or Batchwork::eigh(label). Asynchronous, allocates nothing,
/// never fences. With 0 items nothing is launched.
///
/// Accuracy: as eigh(tile).
///
/// Cost: some 9 N^3 operations an item by tridiagonal matrices, some 3 N^3 for each of about seven
/// sweeps of rotations.
///
/// Source: Golub and Van Loan, Matrix Computations, 4th edition. Householder reflections to
/// tridiagonal form and implicit QL iterations (section 8.3); or one-sided Jacobi rotations
/// (section 8.6.3), on devices to 8 rows, beyond 224 rows, and where an item does not fit into team
/// scratch. On devices with warp shuffles lanes of a warp share an item of up to 32 rows, in float
/// of up to 64; larger ones, in double from 45 rows on, are divided: Cuppen, Numerische Mathematik
/// 36 (1981); Gu and Eisenstat, SIAM J. Matrix Anal. Appl. 16 (1995). Items of some rows less than
/// the limit, in double from 153 on an H200, take less time with a workspace; then
/// workspace_numbers is its size and least_workspace_numbers is 0. On hosts items are computed side
/// by side in packs. Within a sequence, for constant
/// extents to 32 (hosts 64), use eigh(tile).
///
/// \param exec    execution space instance; optional, as launch("label")
/// \param A       in(v): the matrices; or inout(v) for A and V
/// \param values  out(v): v(item, k)
/// \param V       out(v), optional: the eigenvectors, N x N
/// \param codes   status(codes), optional: integers of 32 or 64 bits
/// \param view    workspace(view), optional
/// \throws std::invalid_argument before the launch: matrices that are not square, extents or
///         numbers of items that differ, null Views, too few groups, Views that overlap other than
///         in place, a workspace that overlaps a View; items that are too large, without a
///         workspace or with one that is too small (the message says how many elements it needs)
template <Impl::BeginsCall First, class... Rest>
void eigh(First const& first, Rest const&... rest) {
  static_assert(Impl::Takes<Impl::CallOfVerb<Verb::eigh>, First, Rest...>,
                "Batchwork::eigh: the arguments are [exec,] [launch(\"label\"),] in(A), "
                "out(values) [, out(vectors)] [, status(codes)] [, workspace(view)] in this "
                "order, or inout(A), out(values) to store the vectors in A");
  Impl::call_verb(Impl::CallOfVerb<Verb::eigh>(), first, rest...);
}

}  // namespace Batchwork

#endif

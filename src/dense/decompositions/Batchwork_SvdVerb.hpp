// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// svd: singular values and vectors of matrices of extents known at run time, in one kernel.
#ifndef BATCHWORK_SVDVERB_HPP
#define BATCHWORK_SVDVERB_HPP

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "dense/decompositions/detail/Batchwork_DecompositionCall.hpp"
#include "dense/decompositions/detail/Batchwork_SvdLaunch.hpp"
#include "launch/Batchwork_WorkspaceNumbers.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_OperandForms.hpp"
#include "launch/detail/Batchwork_VerbCall.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"

namespace Batchwork {
namespace Impl {

/// The problem of a call, which is checked. Without vectors u and v are a, and not used.
template <class Exec, class A, class U, class W, class V, class S>
auto svd_problem(Call& call, A const& a_operand, U const& u_operand, W const& w_operand,
                 V const& v_operand, S const& end) {
  constexpr bool Vectors = kind_of<U> == Kind::out;
  auto const a = stored(a_operand);
  auto const u = stored(u_operand);
  auto const w = stored(w_operand);
  auto const v = stored(v_operand);
  static_assert(
      require_decomposition_views<Exec, decltype(a), decltype(u), decltype(w), decltype(v)>());
  require_matrix<decltype(a)>();
  require_matrix<decltype(u)>();
  require_matrix<decltype(v)>();
  require_vector<decltype(w)>();
  using T = typename decltype(w)::value_type;

  std::int64_t const least = std::min(a.rows, a.cols);
  call.add("a", false, a);
  if constexpr (Vectors) call.add("u", true, u);
  call.add("values", true, w);
  if constexpr (Vectors) call.add("v", true, v);
  SvdProblem<T> f;
  f.status = status_and_workspace<Exec, T>(call, end);
  call.check();
  require_extents(call, Vectors ? 2 : 1, w, least, 1, "the singular values");
  if constexpr (Vectors) {
    require_extents(call, 1, u, a.rows, least, "the left singular vectors");
    require_extents(call, 3, v, a.cols, least, "the right singular vectors");
  }
  f.items = call.parts[0].d.items;
  f.m = whole_extent(call, 0, std::max(a.rows, a.cols));
  f.n = whole_extent(call, 0, least);
  // A matrix with more columns than rows is decomposed as its transpose, with u and v exchanged.
  auto from = a.storage.as_const();
  bool const wide = a.rows < a.cols;
  if (wide) std::swap(from.row, from.col);
  f.a = {from, f.m, f.n};
  f.values = {w.storage, w.rows, 1};
  if constexpr (Vectors) {
    f.u = {u.storage, u.rows, u.cols};
    f.v = {v.storage, v.rows, v.cols};
    if (wide) std::swap(f.u, f.v);
    f.stores_vectors = true;
  }
  return f;
}

template <class Exec, class A, class U, class W, class V, class S>
void svd_batch(Exec const& exec, Launch<> const& how, A const& a, U const& u, W const& w,
               V const& v, S const& end) {
  constexpr bool Vectors = kind_of<U> == Kind::out;
  Call call{"svd", {}, how.label, how.kernel};
  auto const f = svd_problem<Exec>(call, a, u, w, v, end);
  using T = typename decltype(f)::number;
  constexpr auto task = Vectors ? SvdTask::vectors : SvdTask::values;
  SvdLaunch<T, task, Exec>::run(exec, call, f, given_workspace<T>(end.workspace));
}

template <>
struct CallOfVerb<Verb::svd>
    : OnOperands<CallOfVerb<Verb::svd>, Last::workspace,
                 Form<Kinds<Kind::in, Kind::out>, 0, 0, 1, 0>,
                 Form<Kinds<Kind::in, Kind::out, Kind::out, Kind::out>, 0, 1, 2, 3>> {
  static constexpr bool takes_padding = false;
  static void run(auto const&... x) { svd_batch(x...); }
};

}  // namespace Impl

/// The singular values and vectors of a batch: A_n = U_n diag(values_n) V_n' for every item n, A_n
/// being M x N; K = min(M, N).
///
/// \code
/// svd(exec, in(A), out(U), out(values), out(V), status(codes));
/// svd(exec, in(A), out(values));  // values alone
/// \endcode
///
/// values(item, k) descend, K of them. U is M x K, and V, not its transpose, is N x K. Their
/// columns are orthogonal, even where values are zero. float or double. For layouts and errors see
/// eigh. Nothing is computed in place.
///
/// Limits: M and N are known at run time. On devices a matrix, and with vectors also V (K x K), has
/// to fit into team scratch. On an H200 with Kokkos 5.2 that is square matrices to 224 rows in
/// float and 158 in double, with vectors to 159 and 112. On hosts it is 513 and 361, with vectors
/// 363 and 256. Larger items, with extents to 32767, need workspace(view) with
/// workspace_numbers<Verb::svd>(...) elements; smaller ones ignore it.
///
/// Status: as from eigh, and all results of such an item are NaN.
///
/// One kernel, labelled Batchwork::svd or Batchwork::svd(label). Asynchronous, allocates nothing,
/// never fences. With 0 items nothing is launched.
///
/// Accuracy: as svd(tile).
///
/// Cost: some (7 M + 4 N) N^2 / 2 operations an item for each sweep of rotations, M >= N. Rotations
/// alone take about seven sweeps. They take one or two if they begin with the eigenvectors of A' A,
/// which cost some 9 N^3 operations. Hosts begin so, and devices for items with 5 to 64 columns and
/// at most twice as many rows, for square ones from 9 rows on, and in double for most with 53 to
/// 224 columns.
///
/// Source: one-sided Jacobi rotations (Golub and Van Loan, Matrix Computations, 4th edition,
/// section 8.6.3). Square matrices of up to 8 rows are computed in registers, by a lane or in packs
/// of items. On devices with warp shuffles lanes of a warp share matrices of up to 32 rows. Others
/// are computed in team scratch, on hosts in packs. Within a sequence, for constant extents to 32
/// (hosts 64), use svd(tile).
///
/// \param exec    execution space instance; optional, as launch("label")
/// \param A       in(v): the matrices
/// \param U       out(v), optional together with V: the left singular vectors
/// \param values  out(v): v(item, k)
/// \param V       out(v): the right singular vectors
/// \param codes   status(codes), optional: integers of 32 or 64 bits
/// \param view    workspace(view), optional
/// \throws std::invalid_argument as eigh does, but matrices need not be square
template <Impl::BeginsCall First, class... Rest>
void svd(First const& first, Rest const&... rest) {
  static_assert(Impl::Takes<Impl::CallOfVerb<Verb::svd>, First, Rest...>,
                "Batchwork::svd: the arguments are [exec,] [launch(\"label\"),] in(A), out(U), "
                "out(values), out(V) [, status(codes)] [, workspace(view)] in this order, or "
                "in(A), out(values) for the values alone");
  Impl::call_verb(Impl::CallOfVerb<Verb::svd>(), first, rest...);
}

}  // namespace Batchwork

#endif

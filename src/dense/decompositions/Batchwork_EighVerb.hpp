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
#include "dense/decompositions/detail/Batchwork_DecompositionInWorkspace.hpp"
#include "dense/decompositions/detail/Batchwork_DecompositionLaunch.hpp"
#include "dense/decompositions/detail/Batchwork_EighByReflections.hpp"
#include "dense/decompositions/detail/Batchwork_EighLanes.hpp"
#include "dense/decompositions/detail/Batchwork_EighOfItems.hpp"
#include "dense/decompositions/detail/Batchwork_EighOfSharedLanes.hpp"
#include "dense/decompositions/detail/Batchwork_EighOfThreads.hpp"
#include "launch/Batchwork_WorkspaceNumbers.hpp"

namespace Batchwork {
namespace Impl {

/// The vectors, where they are wanted, may take the place of the matrices.
template <bool Vectors, bool Same, class Exec, class A, class W, class V, class S>
void eigh_batch(Exec const& exec, std::string const& label, A const& a_operand, W const& w_operand,
                V const& v_operand, S const& end) {
  auto const a = stored(a_operand);
  auto const w = stored(w_operand);
  auto const v = stored(v_operand);
  static_assert(require_decomposition_views<Exec, decltype(a), decltype(w), decltype(v)>());
  require_matrix<decltype(a)>();
  require_matrix<decltype(v)>();
  require_vector<decltype(w)>();
  using T = typename decltype(w)::value_type;

  Call call{"eigh", {}, label};
  call.add("a", Same, a);
  call.add("values", true, w);
  if constexpr (Vectors && !Same) call.add("vectors", true, v);
  EighOfItems<T> f;
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
  if (f.n == 0) return launch_empty_decomposition<S, T>(exec, call, f);
  if (f.items == 0) return;
  if constexpr (!S::asks) {
    if (with_known_extent<extent_of_lane>(
            f.n, [&]<int N>(KnownExtent<N>) { launch_lanes(exec, call, EighOfLane<T, N>{f}); }))
      return;
    if constexpr (runs_on_device<Exec>)
      if (launch_eigh_of_shared_lanes(exec, call, f) || launch_eigh_by_reflections(exec, call, f))
        return;
  }
  if constexpr (runs_on_device<Exec>) launch_decomposition_anywhere(exec, call, end, f);
  else launch_decomposition_anywhere(exec, call, end, EighOfThreads<T>(f));
}

struct EighOfOperands {
  template <class Exec, class How, class... O>
  void operator()(Exec const& exec, How const& how, O const&... operands) const {
    using Given = OperandsGiven<How, O...>;
    constexpr bool values = Given::template are_with_workspace<Kind::in, Kind::out>,
                   apart = Given::template are_with_workspace<Kind::in, Kind::out, Kind::out>,
                   in_place = Given::template are_with_workspace<Kind::inout, Kind::out>;
    static_assert(values || apart || in_place,
                  "Batchwork::eigh: the arguments are [exec,] [launch(\"label\"),] in(A), "
                  "out(values) [, out(vectors)] [, status(codes)] [, workspace(view)] in this "
                  "order, or inout(A), "
                  "out(values) for vectors in the place of the matrices");
    if constexpr (values)
      [&](auto const& a, auto const& w, auto const&... rest) {
        eigh_batch<false, false>(exec, label_alone(how), a, w, a, end_of_call(rest...));
      }(operands...);
    else if constexpr (apart)
      [&](auto const& a, auto const& w, auto const& v, auto const&... rest) {
        eigh_batch<true, false>(exec, label_alone(how), a, w, v, end_of_call(rest...));
      }(operands...);
    else if constexpr (in_place)
      [&](auto const& a, auto const& w, auto const&... rest) {
        eigh_batch<true, true>(exec, label_alone(how), a, w, a, end_of_call(rest...));
      }(operands...);
  }
};

template <>
struct CallOfVerb<Verb::eigh> : EighOfOperands {};

}  // namespace Impl

/// The eigenvalues and eigenvectors of a batch: A_n V_n = V_n diag(values_n) for every item n, A_n
/// being N x N and symmetric.
///
///   eigh([exec,] [launch("label"),] in(A), out(values) [, status(codes)] [, workspace(view)]) the
///   values alone eigh([exec,] [launch("label"),] in(A), out(values), out(vectors) [,
///   status(codes)] [, workspace(view)]) eigh([exec,] [launch("label"),] inout(A), out(values) [,
///   status(codes)] [, workspace(view)])     the vectors take the place of the matrices
///
/// Of A the lower triangle is read (the upper one of transposed(A)). values(item, k) are in
/// ascending order; column k of the vectors belongs to value k and has length one; its sign is not
/// determined. float or double; N is known at run time, at most what the team scratch that the
/// device has holds: one matrix of N x N numbers, on an H200 with Kokkos 5.2 224 rows in float and
/// 159 in double (on hosts 1 MB: 512 and 361). Larger items stand in workspace(view), of
/// workspace_numbers<Verb::eigh>(...) numbers; those that fit leave it alone.
///
/// The Views have the item first, v(item, i, j), in LayoutLeft, LayoutRight or LayoutStride, or are
/// compact(view, n); transposed(...) around one of matrices stands for the transposes of its items.
///
/// status(codes), if it is given, receives for each item 0, Reason::not_finite if an entry of A is
/// NaN or infinite or a value overflows, or Reason::iteration_limit if rotations or iterations did
/// not end, which has not been seen; both with an info of 0. Values and vectors of an item that
/// fails are NaN. Other items come out bitwise as without it.
///
/// One kernel on the instance `exec`, labelled Batchwork::eigh or Batchwork::eigh(label);
/// asynchronous, allocates nothing, never fences. Zero items are no launch. Errors are those of
/// eigh(tile), which is for items that are part of a longer sequence, and for extents up to 32, on
/// hosts 64, known at compile time; to 8 rows a lane, or a place in a pack of a host, has an item
/// in registers and runs it, on GPUs to 32 rows, in float to 64, lanes that share an item. By
/// Householder's reflections to tridiagonal form and implicit QL iterations (Golub and Van Loan,
/// Matrix Computations, 4th edition, section 8.3), some 9 N^3 operations; on devices to 8 rows,
/// beyond 128, and where an item does not fit team scratch by one-sided Jacobi rotations
/// (section 8.6.3), some 3 N^3 for each of about seven sweeps.
///
/// Throws std::invalid_argument before anything is launched: matrices that are not square, extents
/// or numbers of items that differ, items that are too large, where there is no workspace or one
/// without room for an item: the message says how many numbers it takes; null Views, too few
/// groups, Views that overlap other than in place, a workspace that overlaps any.
template <Impl::BeginsCall First, class... Rest>
void eigh(First const& first, Rest const&... rest) {
  Impl::call_verb(Impl::EighOfOperands(), first, rest...);
}

}  // namespace Batchwork

#endif

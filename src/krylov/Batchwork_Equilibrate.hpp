// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// equilibrate: powers of two that bring the rows and columns of a matrix near to one.
#ifndef BATCHWORK_EQUILIBRATE_HPP
#define BATCHWORK_EQUILIBRATE_HPP

#include <cstdint>

#include "krylov/Batchwork_EquilibrateItem.hpp"
#include "krylov/Batchwork_SystemVerb.hpp"

namespace Batchwork {
namespace Impl {

template <class T, class Systems>
struct EquilibrateSystems {
  using value_type = T;
  static constexpr int combined = 1;

  Systems a;
  Storage<T> left, right;
  std::int64_t nonzeros;

  int lanes() const { return multiply_lanes(a, nonzeros); }
  bool in_packs(int width) const {
    return stands_in_packs(a.values, width) && stands_in_packs(left, width) &&
           stands_in_packs(right, width);
  }

  template <class S, class Lanes>
  BATCHWORK_INLINE void run(Lanes& lanes, std::int64_t item, bool there) const {
    T const* const v = item_of(a.values, item);
    equilibrate_item<S>(
        lanes, there ? a.rows : 0, Scaling::both,
        [&](int i, auto const& f) {
          a.for_each_place(i,
                           [&](int column, std::int64_t place) { f(column, get<S>(v + place)); });
        },
        item_of(left, item), left.row, item_of(right, item), right.row);
  }
};

template <class Exec, class A, class L, class R>
void equilibrate_batch(Exec const& exec, A const& a, L const& left_arg, R const& right_arg) {
  using T = typename NumbersStored<Exec, A>::type;
  auto const left = operand_of<Exec, T, 1>(left_arg);
  auto const right = operand_of<Exec, T, 1>(right_arg);
  require_written<std::remove_const_t<decltype(left)>>();
  require_written<std::remove_const_t<decltype(right)>>();

  SystemCall const call{"equilibrate"};
  SystemView const l{"left", left.description}, r{"right", right.description};
  call.check_matrices(1, a);
  call.check_vector(2, l, left, a);
  call.check_vector(3, r, right, a);
  auto operands = operands_of(1, a, false);
  operands.push_back({2, l, true});
  operands.push_back({3, r, true});
  std::int64_t const items = check_operands(call, operands);
  if (a.rows() == 0) return;
  auto const systems = a.systems();
  launch_systems(exec, call,
                 EquilibrateSystems<T, std::remove_const_t<decltype(systems)>>{
                     systems, left.storage, right.storage, a.nonzeros()},
                 items, a.rows(), a.nonzeros());
}

}  // namespace Impl

/// Finds powers of two l_i and r_j for every item so that in diag(l) A diag(r) the largest magnitude of every row and column is
/// from 3/8 to 3, and writes them to `left` and `right`, Views v(item, row) in any layout or strided, or packed(v, n), of the
/// type of A's numbers. A, which is csr(...), ell(...) or dense(...), is not changed: scale(left, A, right) does that, without
/// rounding; then solve with diag(l) b, and multiply the result by diag(r). A symmetric matrix has equal l and r.
///
/// Zeros, infinities and NaN count as if they were not there; a row or column of nothing else has the factor one. So factors
/// are always finite and positive. They have normal inverses; where that is not enough, or 12 sweeps are not, the result is
/// less near to one.
///
/// One kernel on the instance `exec`, labelled Batchwork::equilibrate; asynchronous, allocates nothing, never fences. Zero items
/// or rows are no launch. It sweeps over A until nothing changes: five or six times for numbers that span ten powers of ten, once
/// more for twenty. The same factors on every machine. See D. Ruiz, A scaling algorithm to equilibrate both rows and columns norms in
/// matrices, RAL-TR-2001-034 (2001), of which this is the form with largest magnitudes, all roots rounded to powers of two.
///
/// Throws std::invalid_argument before anything is launched: shapes or numbers of items that differ, null Views, overlaps.
template <class Exec, Impl::SystemMatrices A, Impl::Viewish L, Impl::Viewish R>
  requires Kokkos::is_execution_space_v<Exec>
void equilibrate(Exec const& exec, A const& a, L const& left, R const& right) {
  Impl::equilibrate_batch(exec, a, left, right);
}
template <Impl::SystemMatrices A, Impl::Viewish L, Impl::Viewish R>
void equilibrate(A const& a, L const& left, R const& right) {
  equilibrate(Kokkos::DefaultExecutionSpace(), a, left, right);
}

}  // namespace Batchwork

#endif

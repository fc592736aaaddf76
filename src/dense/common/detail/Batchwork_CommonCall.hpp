// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// solve_by_common: the checks of solve_lu, solve_cholesky, solve_lower and solve_upper with
/// common(A), and their launch.
#ifndef BATCHWORK_COMMONCALL_HPP
#define BATCHWORK_COMMONCALL_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "core/detail/Batchwork_KernelSets.hpp"
#include "core/detail/backend/Batchwork_LaunchLimits.hpp"
#include "dense/common/detail/Batchwork_CommonLaunch.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_VerbCall.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"

namespace Batchwork::Impl {

/// common(view), a matrix without an item index, or common(transposed(view)).
template <class V, Structure St, bool IsCompact, int... E, BatchIndices Indices>
auto stored_common(
    Operand<Kind::common, Source<Adapted<V, St, IsCompact, E...>, Indices>> const& o) {
  static_assert(V::rank() == 2 && !IsCompact && St == Structure::general,
                "Batchwork: common(A) of a solve is a View of one matrix, A(i, j), or "
                "common(transposed(A))");
  V const& v = o.source.view;
  StoredBatch<typename V::value_type, 2, typename V::memory_space> b{
      {v.data(), 1, 0, 0, std::int64_t(v.stride(0)), std::int64_t(v.stride(1))},
      std::int64_t(v.extent(0)),
      std::int64_t(v.extent(1)),
      describe_view(v)};
  b.description.shape = std::to_string(b.rows) + "x" + std::to_string(b.cols);
  return b;
}
template <class O>
auto stored_common(TransposedOperand<O> const& t) {
  return turned(stored_common(t.operand));
}

/// b and the solutions x may be the same operand.
template <CommonMatrix Matrix, class Exec, class A, class B, class X, class S>
void solve_by_common(Exec const& exec, Launch<> const& how, std::string const& verb,
                     A const& a_operand, B const& b_operand, X const& x_operand, S const& end) {
  constexpr bool is_turned = requires { a_operand.operand; }, Same = kind_of<X> == Kind::inout;
  auto const a = stored_common(a_operand);
  auto const b = stored(b_operand);
  auto const x = stored(x_operand);
  using OfA = std::remove_const_t<decltype(a)>;
  using OfB = std::remove_const_t<decltype(b)>;
  using OfX = std::remove_const_t<decltype(x)>;
  using T = typename OfX::value_type;
  require_kernels<KernelSet::dense, Exec>();
  static_assert(!std::is_const_v<T>, "Batchwork: a const View cannot be written");
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "Batchwork: solve_lu, solve_cholesky, solve_lower and solve_upper take float or "
                "double");
  static_assert(std::is_same_v<T, std::remove_const_t<typename OfA::value_type>> &&
                    std::is_same_v<T, std::remove_const_t<typename OfB::value_type>>,
                "Batchwork: all Views of a call hold the same type of numbers; give all of them in "
                "float, or all in double");
  static_assert(OfX::tile_rank == OfB::tile_rank && OfX::tile_rank > 0,
                "Batchwork: b and x both hold vectors, v(item, row), or both several right-hand "
                "sides, v(item, row, column)");
  require_reachable<(Kokkos::SpaceAccessibility<Exec, typename OfX::memory_space>::accessible &&
                     Kokkos::SpaceAccessibility<Exec, typename OfA::memory_space>::accessible &&
                     Kokkos::SpaceAccessibility<Exec, typename OfB::memory_space>::accessible)>();

  Call call{verb, {}, how.label, how.kernel};
  call.add("common", false, a);
  call.add("b", Same, b);
  if (!Same) call.add("x", true, x);
  CommonProblem<T> p;
  p.status = status_and_workspace<Exec, T>(call, end);
  p.items = call.check({!Same && same_numbers(x, b) && x.storage.row == b.storage.row, 1, 2});
  call.check_square(0, a.rows, a.cols);
  call.check_right_hand_sides(a, b, x);
  constexpr std::int64_t many = 1 << 20;
  call.check_columns(b.cols, many, "give them as more items");
  p.a = a.storage.as_const();
  p.b = b.storage.as_const();
  p.x = x.storage;
  p.columns = b.cols;
  p.matrix = Matrix;
  // Of A' = A the upper triangle is read; the transpose of a triangle is the other one.
  constexpr bool triangle = Matrix == CommonMatrix::lower || Matrix == CommonMatrix::upper;
  if constexpr (is_turned && triangle)
    p.matrix = Matrix == CommonMatrix::lower ? CommonMatrix::upper : CommonMatrix::lower;
  auto const memory = given_workspace<T>(end.workspace);
  if (memory.asks()) {
    *memory.answer = {0, 0};
    return;
  }
  // A matrix has at most 2^20 rows, so that messages can name their number.
  call.check_size(0, a.rows, many, "an index");
  p.n = int(a.rows);
  CommonLaunch<T, Exec>::run(exec, call, p);
}

}  // namespace Batchwork::Impl

#endif

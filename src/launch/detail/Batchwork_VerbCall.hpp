// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The arguments of a verb on whole batches: [exec,] [launch("label"),] inputs, outputs [, status(codes)].
#ifndef BATCHWORK_VERBCALL_HPP
#define BATCHWORK_VERBCALL_HPP

#include <Kokkos_Core.hpp>
#include <string>

#include "launch/Batchwork_Launch.hpp"
#include "view/Batchwork_Operand.hpp"
#include "view/Batchwork_TransposedView.hpp"
#include "view/detail/layout/Batchwork_Storage.hpp"

namespace Batchwork::Impl {

/// What an argument is written around: in, out, inout, status; nothing where it is no operand.
template <class X>
inline constexpr Kind kind_of = Kind::nothing;
template <Kind K, class... Part>
inline constexpr Kind kind_of<Operand<K, Part...>> = K;
template <class O>
inline constexpr Kind kind_of<TransposedOperand<O>> = kind_of<O>;

/// What such a call begins with. Views are let in, for a message that says how they are given.
template <class X>
concept BeginsCall =
    Kokkos::is_execution_space_v<X> || is_launch<X> || kind_of<X> != Kind::nothing || Copyable<X>;

/// Whether the operands of a call are of these kinds, perhaps with a status behind them.
template <class... X>
struct OperandsGiven {
  template <Kind... Wanted>
  static constexpr bool are = [] {
    constexpr int wanted = int(sizeof...(Wanted)), given = int(sizeof...(X));
    constexpr Kind kinds[] = {Wanted..., Kind::status}, found[] = {kind_of<X>..., Kind::nothing};
    bool as_wanted = given == wanted || given == wanted + 1;
    for (int k = 0; k < given && k <= wanted; ++k) as_wanted = as_wanted && kinds[k] == found[k];
    return as_wanted;
  }();
};

/// f(exec, label, operands...), of arguments before which an instance and launch("label") may stand.
template <class F, class Exec, class First, class... Rest>
void call_on(F const& f, Exec const& exec, First const& first, Rest const&... rest) {
  if constexpr (is_launch<First>) f(exec, first.label, rest...);
  else f(exec, std::string(), first, rest...);
}
template <class F, class First, class... Rest>
void call_verb(F const& f, First const& first, Rest const&... rest) {
  if constexpr (Kokkos::is_execution_space_v<First>) call_on(f, first, rest...);
  else call_on(f, Kokkos::DefaultExecutionSpace(), first, rest...);
}

/// The batch of an operand, as verbs on whole matrices see it.
template <Kind K, class V, Structure St, bool IsCompact, int... E, BatchIndices L>
auto stored(Operand<K, Source<Adapted<V, St, IsCompact, E...>, L>> const& operand) {
  std::int64_t items = 0;
  if constexpr (IsCompact) items = operand.source.compact_items;
  return stored(Adapted<V, St, IsCompact, E...>{operand.source.view, items});
}
/// Of a transposed one: turned.
template <class O>
auto stored(TransposedOperand<O> const& operand) {
  return turned(stored(operand.operand));
}

}  // namespace Batchwork::Impl

#endif

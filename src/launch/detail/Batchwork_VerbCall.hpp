// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The arguments of a verb: [exec,] [launch("label"),] and its own, in one order.
#ifndef BATCHWORK_VERBCALL_HPP
#define BATCHWORK_VERBCALL_HPP

#include <Kokkos_Core.hpp>
#include <concepts>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "launch/Batchwork_Launch.hpp"
#include "launch/Batchwork_Workspace.hpp"
#include "view/Batchwork_Operand.hpp"
#include "view/Batchwork_TransposedView.hpp"
#include "view/detail/Batchwork_IndexedSource.hpp"
#include "view/detail/layout/Batchwork_Storage.hpp"

namespace Batchwork::Impl {

/// The kind of an argument: in, out, inout or status; nothing if it is not an operand.
template <class X>
inline constexpr Kind kind_of = Kind::nothing;
template <Kind K, class... Part>
inline constexpr Kind kind_of<Operand<K, Part...>> = K;
template <class O>
inline constexpr Kind kind_of<TransposedOperand<O>> = kind_of<O>;

/// The arguments before a verb's own: an execution space instance or launch(...).
template <class X>
concept BeforeArguments = Kokkos::is_execution_space_v<X> || is_launch<X>;
/// Neither a sequence nor an operand: one of these, or a label without launch(...).
template <class X>
concept Misplaced = BeforeArguments<X> || std::convertible_to<X, std::string>;
/// The first argument of a call on operands or Views. Verbs on operands accept Views as well, so
/// that a message can say how to pass them.
template <class X>
concept BeginsCall =
    BeforeArguments<X> || kind_of<X> != Kind::nothing || Copyable<X> || is_workspace<X>;

/// Whether an argument is a batch of items with different sizes. Calls with such arguments are
/// defined in Batchwork_RaggedCall.hpp.
template <class X>
inline constexpr bool is_ragged = false;

/// Whether indices pick the items that an argument reads: in(gathered(view, index)), and in solve
/// gathered(view, index). Calls of verbs that read items anywhere are defined in
/// Batchwork_GatheredCall.hpp.
template <class X>
inline constexpr bool is_gathered = false;
template <class A, class I>
inline constexpr bool is_gathered<Operand<Kind::in, IndexedSource<A, I, IndexedUse::read>>> = true;
template <class O>
inline constexpr bool is_gathered<TransposedOperand<O>> = is_gathered<O>;
template <class A, class I>
inline constexpr bool is_gathered<IndexedView<false, A, I>> = true;
/// Whether a verb is one on whole matrices, or solve, with so many operands before b.
template <class F>
concept ReadsItemsAnywhere = requires { F::takes_padding; } || requires { F::operands_before; };
/// Whether an argument that is not gathered is a result: an operand, or the View x of a solve.
template <class X>
inline constexpr bool is_result =
    kind_of<X> == Kind::out || kind_of<X> == Kind::inout || Copyable<X>;

/// f(exec, how, arguments...)
template <class F, class Exec, class How, class... X>
auto run_verb(F const& f, Exec const& exec, How const& how, X const&... arguments)
    -> decltype(f(exec, how, arguments...)) {
  if constexpr ((is_ragged<X> || ...)) call_ragged(f, exec, how, arguments...);
  else if constexpr (ReadsItemsAnywhere<F> && (is_gathered<X> || ...))
    call_gathered(f, exec, how, arguments...);
  else return f(exec, how, arguments...);
}
/// f(exec, how, arguments...), for arguments that may begin with an instance and launch(...).
template <class F, class Exec, class... X>
auto call_on(F const& f, Exec const& exec, X const&... arguments)
    -> decltype(run_verb(f, exec, Launch<>(), arguments...)) {
  return run_verb(f, exec, Launch<>(), arguments...);
}
template <class F, class Exec, class How, class... X>
  requires is_launch<How>
auto call_on(F const& f, Exec const& exec, How const& how, X const&... arguments)
    -> decltype(run_verb(f, exec, how, arguments...)) {
  return run_verb(f, exec, how, arguments...);
}
template <class F, class... X>
auto call_of(F const& f, X const&... arguments)
    -> decltype(call_on(f, Kokkos::DefaultExecutionSpace(), arguments...)) {
  return call_on(f, Kokkos::DefaultExecutionSpace(), arguments...);
}
template <class F, class Exec, class... X>
  requires Kokkos::is_execution_space_v<Exec>
auto call_of(F const& f, Exec const& exec, X const&... arguments)
    -> decltype(call_on(f, exec, arguments...)) {
  return call_on(f, exec, arguments...);
}

/// Whether a verb F takes such arguments in this order. A verb says the right order by a
/// static_assert; call_verb then adds no other message.
template <class F, class... X>
concept Takes = requires(F const& f, X const&... arguments) { call_of(f, arguments...); };
template <class F, class... X>
auto call_verb(F const& f, X const&... arguments) {
  if constexpr (Takes<F, X...>) return call_of(f, arguments...);
}

/// The label of a call whose verb chooses its own launch parameters, and the kernel that the caller
/// wants. The type Launch<> excludes all others except the team size, which is checked here.
inline Launch<> const& label_and_kernel(Launch<> const& how) {
  if (how.lanes_per_team != Launch<>().lanes_per_team)
    throw std::invalid_argument(
        "Batchwork: launch(\"" + how.label + "\").team_size(" + std::to_string(how.lanes_per_team) +
        ") is given to a verb that chooses its own team size; leave team_size out");
  return how;
}
/// The label alone.
inline std::string const& label_alone(Launch<> const& how) {
  refuse_kernel(how.kernel, how.label);
  return label_and_kernel(how).label;
}

/// The batch of an operand, for verbs on whole matrices.
template <Kind K, class V, Structure St, bool IsCompact, int... E, BatchIndices L>
auto stored(Operand<K, Source<Adapted<V, St, IsCompact, E...>, L>> const& operand) {
  std::int64_t items = 0;
  if constexpr (IsCompact) items = operand.source.compact_items;
  return stored(
      Adapted<V, St, IsCompact, E...>{operand.source.view, items, operand.source.reversed});
}
/// Items anywhere in memory, as the source of an operand of verbs on whole matrices.
template <class T, int Rank, class Memory>
struct ItemsAnywhere {
  StoredBatch<T, Rank, Memory> batch;
};
template <class X>
inline constexpr bool is_items_anywhere = false;
template <Kind K, class T, int Rank, class Memory>
inline constexpr bool is_items_anywhere<Operand<K, ItemsAnywhere<T, Rank, Memory>>> = true;
/// The right-hand sides of solve.
template <class X>
concept RightHandSides = Viewish<X> || is_gathered<X> || is_items_anywhere<X>;
template <Kind K, class T, int Rank, class Memory>
auto stored(Operand<K, ItemsAnywhere<T, Rank, Memory>> const& operand) {
  return operand.source.batch;
}
/// The transposed batch of a transposed operand.
template <class O>
auto stored(TransposedOperand<O> const& operand) {
  return turned(stored(operand.operand));
}

}  // namespace Batchwork::Impl

#endif

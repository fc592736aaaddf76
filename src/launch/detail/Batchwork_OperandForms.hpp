// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The declared forms of a verb on operands: in(...), out(...), inout(...), then status(codes) and
/// workspace(view).
#ifndef BATCHWORK_OPERANDFORMS_HPP
#define BATCHWORK_OPERANDFORMS_HPP

#include <cstddef>
#include <string>
#include <tuple>
#include <utility>

#include "launch/detail/Batchwork_GatheredCall.hpp"
#include "launch/detail/Batchwork_VerbCall.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"

namespace Batchwork::Impl {

/// The last optional argument after the operands. Before workspace(...) there may be status(...).
enum class Last { status, workspace };

template <Kind... K>
struct Kinds {};
/// Operands of these kinds. The parameters of the verb are the operands at the positions At, from
/// 0: an inout(...) stands for two of them, and the first operand for one that is not given.
template <class Given, int... At>
struct Form;
template <Kind... K, int... At>
struct Form<Kinds<K...>, At...> {
  static constexpr int operands = sizeof...(K);
  /// Whether arguments are these operands, optionally followed by a status, and by a workspace.
  template <Last L, class... X>
  static constexpr bool fits() {
    constexpr int all = sizeof...(X);
    constexpr Kind kinds[] = {K..., Kind::status}, found[] = {kind_of<X>..., Kind::nothing};
    constexpr bool memory[] = {false, is_workspace<X>...};
    constexpr int given = L == Last::workspace && memory[all] ? all - 1 : all;
    bool fit = given == operands || given == operands + 1;
    for (int k = 0; k < given && k <= operands; ++k) fit = fit && kinds[k] == found[k];
    return fit;
  }
  template <class Verb, class Exec, class... X>
  static auto run(Exec const& exec, Launch<> const& how, X const&... arguments) {
    auto const all = std::tie(arguments...);
    return [&]<std::size_t... E>(std::index_sequence<E...>) {
      return Verb::run(exec, how, std::get<At>(all)...,
                       end_of_call(std::get<operands + E>(all)...));
    }(std::make_index_sequence<sizeof...(X) - operands>());
  }
};

/// A verb on operands in one of these forms: Verb::run(exec, how, parameters..., end of call).
template <class Verb, Last L, class F, class... More>
struct OnOperands {
  template <class Exec, class... X>
    requires(F::template fits<L, X...>() || (More::template fits<L, X...>() || ...))
  void operator()(Exec const& exec, Launch<> const& how, X const&... arguments) const {
    if constexpr (F::template fits<L, X...>())
      F::template run<Verb>(exec, label_and_kernel(how), arguments...);
    else OnOperands<Verb, L, More...>()(exec, how, arguments...);
  }
};

}  // namespace Batchwork::Impl

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// then and on: one sequence made from several, which run one after the other on the same tiles.
#ifndef BATCHWORK_THEN_HPP
#define BATCHWORK_THEN_HPP

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/Batchwork_Tuple.hpp"

namespace Batchwork {

namespace Impl {

/// Argument number N.
template <std::size_t N, class X, class... Rest>
BATCHWORK_INLINE auto& pick(X& x, [[maybe_unused]] Rest&... rest) {
  if constexpr (N == 0) return x;
  else return pick<N - 1>(rest...);
}

/// Type number N.
template <std::size_t N, class... X>
using picked_t = std::tuple_element_t<N, std::tuple<X...>>;

/// Whether a sequence can be called with the arguments number N out of X.
template <class Sequence, class... X>
struct CalledWith {
  template <std::size_t... N>
  static constexpr bool callable() {
    if constexpr (((N < sizeof...(X)) && ...))
      return std::is_invocable_v<Sequence const&, picked_t<N, X...>...>;
    else return false;
  }
};

/// A sequence that gets only some of the tiles.
template <class Sequence, std::size_t... N>
struct On {
  Sequence sequence;

  template <class... X>
    requires(CalledWith<Sequence, X&...>::template callable<N...>())
  BATCHWORK_INLINE void operator()(X&... x) const {
    sequence(pick<N>(x...)...);
  }
};

/// Sequences that run one after the other.
template <class... Sequence>
struct Then {
  Tuple<Sequence...> parts;

  template <class... X>
    requires(std::is_invocable_v<Sequence const&, X&...> && ...)
  BATCHWORK_INLINE void operator()(X&... x) const {
    call(std::index_sequence_for<Sequence...>{}, x...);
  }

 private:
  template <std::size_t... K, class... X>
  BATCHWORK_INLINE void call(std::index_sequence<K...>, X&... x) const {
    (get<K>(parts)(x...), ...);
  }
};

}  // namespace Impl

/// Makes one sequence that calls the given ones in order, each with the tiles of all operands. A
/// sequence reads what an earlier one wrote; local<...>() operands pass results that no View has to
/// store.
/// ```cpp
/// map(then(Predict{}, Update{}), inout(x), in(f));  // one kernel
/// ```
/// \param sequences  at least one functor over tiles
/// \returns the sequence
template <class... Sequence>
auto then(Sequence const&... sequences) {
  static_assert(sizeof...(Sequence) > 0, "Batchwork::then: give at least one sequence");
  return Impl::Then<Sequence...>{{{sequences}...}};
}

/// Makes a sequence that passes only the tiles of the operands N..., in this order, to `sequence`.
/// ```cpp
/// // Predict gets x and f, Update gets x and z:
/// map(then(on<0, 1>(Predict{}), on<0, 2>(Update{})), inout(x), in(f), in(z));
/// ```
/// \tparam N  numbers of operands, counted from 0; status operands are not counted
/// \param sequence  a functor over tiles
/// \returns the sequence
template <std::size_t... N, class Sequence>
auto on(Sequence const& sequence) {
  return Impl::On<Sequence, N...>{sequence};
}

}  // namespace Batchwork

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The requirements on a sequence that is called with the tiles of its operands, reported in one
/// sentence each.
#ifndef BATCHWORK_SEQUENCE_HPP
#define BATCHWORK_SEQUENCE_HPP

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/detail/Batchwork_Macros.hpp"
#include "fused/Batchwork_Then.hpp"
#include "view/Batchwork_Operand.hpp"

namespace Batchwork::Impl {

constexpr bool is_read_only(Kind k) {
  return k == Kind::in || k == Kind::common || k == Kind::fixed || k == Kind::each ||
         k == Kind::common_each || k == Kind::table || k == Kind::item_index ||
         k == Kind::step_index;
}

/// A parameter of a sequence: the kind of its operand, and the tile.
template <Kind K, class X>
struct Parameter {
  static constexpr Kind kind = K;
  using tile = X;
  using type = std::conditional_t<is_read_only(K), X const&, X&>;
};

template <class Sequence, class... P>
inline constexpr bool is_callable = std::is_invocable_v<Sequence const&, typename P::type...>;

/// Whether parameter N binds to an rvalue: true for a copy, a constant and a forwarding reference.
template <std::size_t N, class Sequence, class... P, std::size_t... I>
constexpr bool takes_an_rvalue(std::index_sequence<I...>) {
  return std::is_invocable_v<Sequence const&,
                             std::conditional_t<I == N, typename P::tile, typename P::type>...>;
}
/// Whether the sequence can be called if its template parameters up to N are the tile types
/// themselves; not if N is a forwarding reference, whose type is X&.
template <class Sequence, class... P, std::size_t... K>
constexpr bool names_its_tiles(std::index_sequence<K...>) {
  using Tiles = std::tuple<typename P::tile...>;
  return requires(Sequence const& s) {
    s.template operator()<std::tuple_element_t<K, Tiles>...>(std::declval<typename P::type>()...);
  };
}
/// Whether assignments to parameter N are lost. In this order, so that the body of a lambda is not
/// instantiated for types with which it is not called.
template <std::size_t N, class Sequence, class... P>
constexpr bool takes_a_copy() {
  if constexpr (names_its_tiles<Sequence, P...>(std::make_index_sequence<N + 1>{}))
    return takes_an_rvalue<N, Sequence, P...>(std::index_sequence_for<P...>{});
  else return false;
}

/// How a sequence takes a parameter.
enum class Taking { nothing, copy, reference };
constexpr Taking more_of(Taking a, Taking b) { return a > b ? a : b; }

/// The parts of a sequence and the requirements on it, for a sequence that is called directly.
template <class Sequence>
struct Composition {
  /// True; otherwise a compile-time error says that it cannot be called.
  template <class... P>
  static constexpr bool require_callable() {
    constexpr bool callable = is_callable<Sequence, P...>;
    static_assert(callable,
                  "Batchwork: the sequence cannot be called with the operands' tiles. It needs one "
                  "parameter for each operand except status, in the order of the operands; its "
                  "call operator must be a const template (in a lambda: auto&); tiles that are "
                  "only read must be const, X const& x or auto const& x");
    return callable;
  }
  /// How it takes parameter N.
  template <std::size_t N, class... P>
  static constexpr Taking takes() {
    return takes_a_copy<N, Sequence, P...>() ? Taking::copy : Taking::reference;
  }
};
/// For a sequence that gets only some of the tiles.
template <class Sequence, std::size_t... I>
struct Composition<On<Sequence, I...>> {
  template <class... P>
  static constexpr bool require_callable() {
    constexpr bool there = ((I < sizeof...(P)) && ...);
    static_assert(there,
                  "Batchwork::on: the call has no such operand: on<0, 2>(sequence) counts from 0, "
                  "and does not count status");
    if constexpr (there)
      return Composition<Sequence>::template require_callable<picked_t<I, P...>...>();
    else return false;
  }
  template <std::size_t N, class... P>
  static constexpr Taking takes() {
    return takes_one<N, P...>(std::make_index_sequence<sizeof...(I)>{});
  }

 private:
  template <std::size_t N, class... P, std::size_t... K>
  static constexpr Taking takes_one(std::index_sequence<K...>) {
    Taking r = Taking::nothing;
    ((r = more_of(r, takes_as<N, I, K, P...>())), ...);
    return r;
  }
  template <std::size_t N, std::size_t Given, std::size_t K, class... P>
  static constexpr Taking takes_as() {
    if constexpr (Given == N)
      return Composition<Sequence>::template takes<K, picked_t<I, P...>...>();
    else return Taking::nothing;
  }
};
/// For several sequences: a tile that one writes may be read by others.
template <class... Sequence>
struct Composition<Then<Sequence...>> {
  template <class... P>
  static constexpr bool require_callable() {
    return (Composition<Sequence>::template require_callable<P...>() && ...);
  }
  template <std::size_t N, class... P>
  static constexpr Taking takes() {
    Taking r = Taking::nothing;
    ((r = more_of(r, Composition<Sequence>::template takes<N, P...>())), ...);
    return r;
  }
};

/// Parameter N, counted from 0, if its kind is written.
template <std::size_t N, class Sequence, class... P>
constexpr bool require_reference() {
  constexpr Kind kinds[] = {P::kind...};
  if constexpr (is_read_only(kinds[N]) || kinds[N] == Kind::nothing) {
    return true;
  } else {
    constexpr Taking taking = Composition<Sequence>::template takes<N, P...>();
    constexpr bool good = taking != Taking::copy;
    static_assert(good,
                  "Batchwork: the sequence takes an operand that it must write (out, inout, carry, "
                  "emit) by value or as a constant, so that assignments would be lost, or random "
                  "numbers, which count their calls; make the parameter a reference, Y& y or "
                  "auto& y");
    constexpr bool given =
        taking != Taking::nothing || (kinds[N] != Kind::out && kinds[N] != Kind::emit);
    static_assert(given,
                  "Batchwork::on: no sequence gets an operand that must be written (out, emit); "
                  "add its number to the on<...> of the sequence that assigns it");
    return good && given;
  }
}
template <class Sequence, class... P, std::size_t... N>
constexpr bool require_references(std::index_sequence<N...>) {
  return (require_reference<N, Sequence, P...>() && ...);
}

/// True; otherwise a compile-time error says what is wrong with the sequence.
template <class Sequence, class... P>
constexpr bool require_sequence() {
  if constexpr (Composition<Sequence>::template require_callable<P...>())
    return require_references<Sequence, P...>(std::index_sequence_for<P...>{});
  else return false;
}

}  // namespace Batchwork::Impl

#endif

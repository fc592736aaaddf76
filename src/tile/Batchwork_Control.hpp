// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// loop, repeat, iterate, where, together: repetition and conditional work in sequences, although
/// items differ.
#ifndef BATCHWORK_CONTROL_HPP
#define BATCHWORK_CONTROL_HPP

#include <type_traits>
#include <utility>

#include "core/detail/Batchwork_Tuple.hpp"
#include "tile/Batchwork_Generate.hpp"

namespace Batchwork {

namespace Impl {

template <class K>
inline constexpr bool is_integral_constant = false;
template <class I, I K>
inline constexpr bool is_integral_constant<std::integral_constant<I, K>> = true;

/// By value, because a constant cannot be referred to in device code.
template <class K>
BATCHWORK_INLINE constexpr typename K::value_type number_of_index() {
  return K::value;
}

/// A scalar or tile next to the index of a loop.
template <class X, class K>
concept BesideIndex = (ScalarTile<X> || Tile<X>) && is_integral_constant<K>;

}  // namespace Impl

// The index of a loop is a number in expressions with scalars and tiles.

/// The sum of a scalar or tile and the index of a loop.
template <class X, class K>
  requires Impl::BesideIndex<X, K>
BATCHWORK_INLINE auto operator+(X const& x, K) {
  return x + Impl::number_of_index<K>();
}
/// The sum of a scalar or tile and the index of a loop.
template <class X, class K>
  requires Impl::BesideIndex<X, K>
BATCHWORK_INLINE auto operator+(K, X const& x) {
  return Impl::number_of_index<K>() + x;
}
/// The difference of a scalar or tile and the index of a loop.
template <class X, class K>
  requires Impl::BesideIndex<X, K>
BATCHWORK_INLINE auto operator-(X const& x, K) {
  return x - Impl::number_of_index<K>();
}
/// The difference of a scalar or tile and the index of a loop.
template <class X, class K>
  requires Impl::BesideIndex<X, K>
BATCHWORK_INLINE auto operator-(K, X const& x) {
  return Impl::number_of_index<K>() - x;
}
/// The product of a scalar or tile and the index of a loop.
template <class X, class K>
  requires Impl::BesideIndex<X, K>
BATCHWORK_INLINE auto operator*(X const& x, K) {
  return x * Impl::number_of_index<K>();
}
/// The product of a scalar or tile and the index of a loop.
template <class X, class K>
  requires Impl::BesideIndex<X, K>
BATCHWORK_INLINE auto operator*(K, X const& x) {
  return Impl::number_of_index<K>() * x;
}
/// The quotient of a scalar or tile and the index of a loop.
template <class X, class K>
  requires Impl::BesideIndex<X, K>
BATCHWORK_INLINE auto operator/(X const& x, K) {
  return x / Impl::number_of_index<K>();
}
/// The quotient of a scalar or tile and the index of a loop.
template <class X, class K>
  requires Impl::BesideIndex<X, K>
BATCHWORK_INLINE auto operator/(K, X const& x) {
  return Impl::number_of_index<K>() / x;
}

/// Calls f(k) for k = 0 .. N - 1. k is a std::integral_constant<int, ...>, so it can be a template
/// argument or an index of an entry. The rounds are unrolled.
/// ```cpp
/// loop<3>([&](auto k) { total += x(k) * y(k); });
/// ```
/// \tparam N  the number of rounds
/// \param f  a functor, called with each index
template <int N, class F>
BATCHWORK_INLINE void loop(F&& f) {
  static_assert(N >= 0, "Batchwork::loop<N>(f): N must not be negative");
  [&]<int... K>(std::integer_sequence<int, K...>) {
    (static_cast<void>(f(std::integral_constant<int, K>{})), ...);
  }(std::make_integer_sequence<int, N>{});
}
/// The same for k = First .. Last - 1.
template <int First, int Last, class F>
BATCHWORK_INLINE void loop(F&& f) {
  static_assert(First <= Last,
                "Batchwork::loop<First, Last>(f): Last must not be smaller than First");
  [&]<int... K>(std::integer_sequence<int, K...>) {
    (static_cast<void>(f(std::integral_constant<int, First + K>{})), ...);
  }(std::make_integer_sequence<int, Last - First>{});
}

namespace Impl {

/// The number of rounds from an integer or from a scalar that is common to all items.
template <class Count>
BATCHWORK_INLINE int number_of_rounds(Count const& count) {
  if constexpr (is_scalar_tile<Count>) {
    constexpr bool is_common = std::is_arithmetic_v<typename Count::value_type>;
    static_assert(is_common,
                  "Batchwork::repeat: this number of rounds differs from item to item; write "
                  "iterate(most, f, x), whose mask says which items continue");
    if constexpr (is_common) return static_cast<int>(count.value);
    else return 0;
  } else {
    static_assert(std::is_integral_v<Count>,
                  "Batchwork::repeat: the number of rounds must be an integer, or a scalar common "
                  "to all items");
    return static_cast<int>(count);
  }
}

template <class X, class...>
struct FirstOf {
  using type = X;
};

/// Restores the previous x for the items that the mask excludes.
template <class M, class X>
BATCHWORK_INLINE void keep_where_not([[maybe_unused]] M const& mask, X& x, X const& before) {
  if constexpr (is_distributed_mask<M>) {
    // The lanes of an item take the same branch here, each with its part. They can still exchange
    // data.
    if (!mask.v) {
      auto const grid = grid_known_to(x);
      x = before;
      if constexpr (requires { x.value.grid; }) x.value.grid = grid;
      else if constexpr (has_grid<X>) x.grid = grid;
    }
  } else {
    using Chosen = std::remove_cvref_t<decltype(Batchwork::select(mask, x, before))>;
    // A copy of an entry of a tile is a scalar.
    constexpr bool fits = std::is_same_v<Chosen, as_scalar_t<X>>;
    static_assert(fits,
                  "Batchwork::iterate: a state is common to all items, but the mask differs "
                  "between items; start from zero(x) or another value of the item");
    if constexpr (fits) x = Batchwork::select(mask, x, before);
  }
}
template <class M, class Before, class... X, std::size_t... I>
BATCHWORK_INLINE void keep_all_where_not(M const& mask, std::index_sequence<I...>,
                                         Before const& before, X&... x) {
  (keep_where_not(mask, x, get<I>(before)), ...);
}

/// A mask that is true for all items, in the lanes that know x.
template <class M, class... X>
BATCHWORK_INLINE M mask_of_all([[maybe_unused]] X const&... x) {
  if constexpr (is_distributed_mask<M>) {
    return M(true, grid_known_to(x...));
  } else {
    return M(true);
  }
}
/// A number in the lanes that know the mask.
template <class S, class M>
BATCHWORK_INLINE S number_beside(M const& mask, scalar_t<S> x) {
  if constexpr (is_distributed<S>) return S(x, mask.grid);
  else return S(x);
}

/// Whether f takes state N by value or as a constant: then it accepts an rvalue.
template <std::size_t N, class F, class... X, std::size_t... I>
constexpr bool takes_state_alone(std::index_sequence<I...>) {
  return std::is_invocable_v<F&, std::conditional_t<I == N, X, X&>...>;
}
/// Whether f takes all states by reference; otherwise a compile-time error says that assigned
/// values would be lost.
template <class F, class... X>
constexpr bool require_states_by_reference() {
  constexpr bool good = []<std::size_t... N>(std::index_sequence<N...>) {
    return (!takes_state_alone<N, F, X...>(std::index_sequence_for<X...>()) && ...);
  }(std::index_sequence_for<X...>());
  static_assert(good,
                "Batchwork::iterate(most, f, x, ...): f takes a state by value or as a constant, "
                "so that assignments would be lost; make its parameters references, auto& x");
  return good;
}
template <class M, class... X>
constexpr bool require_mask_and_states() {
  constexpr bool masked = is_mask<M>, stated = sizeof...(X) > 0,
                 changeable = !(std::is_const_v<X> || ...);
  static_assert(masked,
                "Batchwork::iterate: f(x, ...) must return the mask of the items that continue, "
                "the result of a comparison of scalars");
  static_assert(stated,
                "Batchwork::iterate(most, f, x, ...): name the tiles and scalars that f changes, "
                "so that items that are done keep them");
  static_assert(changeable, "Batchwork::iterate(most, f, x, ...): a state that f changes is const");
  return masked && stated && changeable;
}

}  // namespace Impl

/// Calls f(k), or f(), for k = 0 .. count - 1, in a loop that is not unrolled.
/// ```cpp
/// repeat(3, [&] { w = 1.5 * w - 0.5 * b * w * w * w; });
/// ```
/// \param count  an integer, or a scalar that is common to all items
/// \param f      a functor with an int parameter or none
template <class Count, class F>
BATCHWORK_INLINE void repeat(Count const& count, F&& f) {
  int const rounds = Impl::number_of_rounds(count);
  BATCHWORK_ROLLED
  for (int k = 0; k < rounds; ++k) {
    if constexpr (std::is_invocable_v<F&, int>) f(k);
    else f();
  }
}

/// The result of iterate.
/// \tparam M  the type of the mask
/// \tparam S  the value type of the number of rounds
template <class M, class S>
struct Iterated {
  M open;            ///< true for items that would have continued after the last round
  Scalar<S> rounds;  ///< the number of rounds of each item
};

/// Repeats f until every item is done, for at most `most` rounds. In each round f changes the
/// states and returns a mask, which is true for items that continue. An item is done once its mask
/// is false: it keeps its states and status to the last bit, however many rounds other items need.
/// The loop ends when no item that runs together continues (a pack on hosts; a warp if lanes share
/// items, else one item). A comparison with NaN is false, so `error > tolerance` also ends an item
/// with NaNs.
/// ```cpp
/// auto const it = iterate(20, [&](auto& y) {
///   auto const step = (y * y - a) / (2.0 * y);
///   y = y - step;
///   return abs(step) > 1e-14 * abs(y);
/// }, y);
/// ```
/// Cost: the rounds of the slowest item that runs together. Packs also copy and select the states
/// in each round. The code of f exists once in the kernel.
/// \param most  the largest number of rounds
/// \param f     a functor that takes the states by reference and returns a mask
/// \param x     the states: tiles or scalars of the item
/// \returns an Iterated: the mask `open` of items that are not done, and the number of `rounds` of
///   each item
template <class F, class... X>
BATCHWORK_INLINE auto iterate(int most, F&& f, X&... x) {
  using M = std::remove_cvref_t<decltype(f(x...))>;
  if constexpr (Impl::require_mask_and_states<M, X...>() &&
                Impl::require_states_by_reference<F, X...>()) {
    using First = typename Impl::FirstOf<X...>::type;
    using S = typename Impl::ValueForMask<scalar_t<typename First::value_type>, M>::type;
    using T = scalar_t<S>;
    M open = Impl::mask_of_all<M>(x...);
    S rounds = Impl::number_beside<S>(open, T(0));
    S const one(T(1));
    BATCHWORK_ROLLED
    for (int k = 0; k < most; ++k) {
      if constexpr (std::is_same_v<M, bool>) {
        open = f(x...);
        rounds += one;
      } else {
        Impl::Tuple<X...> const before{{x}...};
        M const goes_on = f(x...);
        Impl::keep_all_where_not(open, std::index_sequence_for<X...>(), before, x...);
        rounds = Impl::select(open, S(rounds + one), rounds);
        open = open && goes_on;
      }
      if (!any(open)) break;
    }
    return Iterated<M, S>{open, Scalar<S>(rounds)};
  }
}

/// Combines several tiles or scalars into one result, for example of where: `auto const [a, b] =
/// together(x, y);`
/// \param x  tiles or scalars
/// \returns a tuple for a structured binding
template <class... X>
BATCHWORK_INLINE Impl::Tuple<X...> together(X const&... x) {
  return {{x}...};
}

namespace Impl {

/// The result type of select(mask, a, b), for tuples as well.
template <class M, class A, class B>
struct Chosen {
  using type = std::remove_cvref_t<decltype(Batchwork::select(
      std::declval<M const&>(), std::declval<A const&>(), std::declval<B const&>()))>;
};
template <class M, std::size_t... I, class... A, class... B>
struct Chosen<M, TupleBase<std::index_sequence<I...>, A...>,
              TupleBase<std::index_sequence<I...>, B...>> {
  using type = Tuple<typename Chosen<M, A, B>::type...>;
};

/// Converts b to the result type R of a choice that is not made.
template <class R, class M, class B>
BATCHWORK_INLINE R taken_alone([[maybe_unused]] M const& mask, B const& b) {
  if constexpr (std::is_same_v<R, B>) {
    return b;
  } else if constexpr (is_scalar_tile<R>) {
    R r(b);
    if constexpr (is_distributed_scalar<R>) r.value.grid = merge_grids(r.value.grid, mask.grid);
    return r;
  } else {
    R r;
    if constexpr (has_grid<R>) r.grid = mask.grid;
    r = b;
    return r;
  }
}
template <class R>
struct Choose {
  template <class M, class B>
  static BATCHWORK_INLINE R second(M const& mask, B const& b) {
    return taken_alone<R>(mask, b);
  }
  template <class M, class A, class B>
  static BATCHWORK_INLINE R of(M const& mask, A const& a, B const& b) {
    if constexpr (std::is_same_v<M, bool>) return mask ? taken_alone<R>(mask, a) : second(mask, b);
    else return Batchwork::select(mask, a, b);
  }
};
template <std::size_t... I, class... R>
struct Choose<TupleBase<std::index_sequence<I...>, R...>> {
  template <class M, class B>
  static BATCHWORK_INLINE Tuple<R...> second(M const& mask, B const& b) {
    return {{Choose<R>::second(mask, get<I>(b))}...};
  }
  template <class M, class A, class B>
  static BATCHWORK_INLINE Tuple<R...> of(M const& mask, A const& a, B const& b) {
    return {{Choose<R>::of(mask, get<I>(a), get<I>(b))}...};
  }
};

}  // namespace Impl

/// select(mask, f(), otherwise), where f is called only if the mask is true for an item that runs
/// together. Use it for expensive work that is rarely needed. An item whose mask is false gets
/// `otherwise` to the last bit, status included.
/// ```cpp
/// x = where(needs_solve, [&] { return solve(lu(a), b); }, x);
/// ```
/// \param mask       a comparison of scalars
/// \param f          a functor without parameters, which returns a tile, a scalar or together(...)
/// \param otherwise  the result for the other items, of the same kind
/// \returns the choice, for each item
template <class M, class F, class B>
BATCHWORK_INLINE auto where(M const& mask, F&& f, B const& otherwise) {
  static_assert(Impl::is_mask<M>,
                "Batchwork::where(mask, f, otherwise): the first must be a mask, the result of a "
                "comparison of scalars");
  using A = std::remove_cvref_t<decltype(f())>;
  using R = typename Impl::Chosen<M, A, B>::type;
  if (any(mask)) return Impl::Choose<R>::of(mask, f(), otherwise);
  return Impl::Choose<R>::second(mask, otherwise);
}

}  // namespace Batchwork

#endif

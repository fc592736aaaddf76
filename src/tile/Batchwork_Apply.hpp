// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// apply: any function of plain numbers in a sequence, for scalars and for the entries of tiles.
#ifndef BATCHWORK_APPLY_HPP
#define BATCHWORK_APPLY_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "tile/detail/Batchwork_EntryFunctions.hpp"

namespace Batchwork {

namespace Impl {

/// K tiles or scalars, by structured bindings: auto [s, c] = ...
template <class X, int K>
struct Results {
  X values[K];
  template <std::size_t I>
  BATCHWORK_INLINE X& get() & {
    return values[I];
  }
  template <std::size_t I>
  BATCHWORK_INLINE X const& get() const& {
    return values[I];
  }
  template <std::size_t I>
  BATCHWORK_INLINE X&& get() && {
    return static_cast<X&&>(values[I]);
  }
};

// ---- what a function returns
// ---------------------------------------------------------------------------------------------

/// Converts to a T and to nothing else.
template <class T>
struct Exactly {
  template <class X>
    requires std::is_same_v<X, T>
  operator X() const;
};
template <class U, class T, class Indices>
inline constexpr bool is_made_of = false;
template <class U, class T, std::size_t... I>
inline constexpr bool is_made_of<U, T, std::index_sequence<I...>> =
    requires { U{(void(I), Exactly<T>())...}; };
/// Whether U is a struct of numbers of type T and of nothing else.
template <class U, class T>
inline constexpr bool is_struct_of = [] {
  if constexpr (std::is_aggregate_v<U> && std::is_trivially_copyable_v<U> &&
                sizeof(U) % sizeof(T) == 0)
    return is_made_of<U, T, std::make_index_sequence<sizeof(U) / sizeof(T)>>;
  else return false;
}();

/// A function's result type U: its number type, how many numbers it has, and for a single one
/// whether it is a bool.
template <class U>
struct Returned {
  static constexpr bool is_double = is_struct_of<U, double>, is_float = is_struct_of<U, float>;
  using number = std::conditional_t<is_float, float, double>;
  static constexpr bool is_known = is_double || is_float, is_truth = false, is_single = false;
  static constexpr int count = is_known ? int(sizeof(U) / sizeof(number)) : 1;
  struct Array {
    number v[count];
  };
  template <class T>
  static BATCHWORK_INLINE void take(U const& u, T (&n)[count]) {
    if constexpr (is_known) {
      Array const a = Kokkos::bit_cast<Array>(u);
      BATCHWORK_UNROLL
      for (int k = 0; k < count; ++k) n[k] = static_cast<T>(a.v[k]);
    }
  }
};
template <Number U>
struct Returned<U> {
  /// An integer result becomes an integer type of scalars with the same size.
  using number = std::conditional_t<std::is_floating_point_v<U>, U,
                                    std::conditional_t<sizeof(U) == 8, std::int64_t, std::int32_t>>;
  static constexpr bool is_known = true, is_truth = std::is_same_v<U, bool>, is_single = true;
  static constexpr int count = 1;
  template <class T>
  static BATCHWORK_INLINE void take(U const& u, T (&n)[1]) {
    n[0] = static_cast<T>(u);
  }
};

// ---- calls
// ---------------------------------------------------------------------------------------------

/// The number in a lane of an operand; plain numbers are passed on unchanged.
template <class X>
struct NumberOfOperand {
  using type = scalar_t<typename X::value_type>;
};
template <Number X>
struct NumberOfOperand<X> {
  using type = X;
};
template <class X>
using number_of_operand_t = typename NumberOfOperand<X>::type;

/// Whether lanes of V hold plain numbers.
template <class V>
inline constexpr bool is_plain_value = Number<V> || is_distributed<V>;
template <class T, int W>
inline constexpr bool is_plain_value<Pack<T, W>> = true;

/// The `S` of results: with the number type of the operands, or of f's result if the operands are
/// integers.
template <class S, class U>
using applied_value_t =
    with_number_t<S,
                  std::conditional_t<holds_integers<S>, typename Returned<U>::number, scalar_t<S>>>;

/// out[k] is number k of f(v, ...), in every lane.
template <class U, Number T, int K, class F, class... V>
BATCHWORK_INLINE void call_in_lanes(T (&out)[K], F const& f, V const&... v) {
  Returned<U>::take(f(v...), out);
}
template <class U, class T, int W, int K, class F, class... V>
BATCHWORK_INLINE void call_in_lanes(Pack<T, W> (&out)[K], F const& f, V const&... v) {
  T r[K][W];
  for (int l = 0; l < W; ++l) {
    T n[K];
    Returned<U>::take(f(entry_of_pack(v, l)...), n);
    for (int k = 0; k < K; ++k) r[k][l] = n[k];
  }
  for (int k = 0; k < K; ++k) out[k] = Pack<T, W>::load(r[k]);
}
template <class U, class S, int K, class F, class... V>
  requires is_distributed<S>
BATCHWORK_INLINE void call_in_lanes(S (&out)[K], F const& f, V const&... v) {
  scalar_t<S> n[K];
  Returned<U>::take(f(value_of(v)...), n);
  BATCHWORK_UNROLL
  for (int k = 0; k < K; ++k) out[k] = S(n[k]);
}

/// The value of a scalar, or a plain number.
template <class X>
BATCHWORK_INLINE auto operand_value(X const& x) {
  if constexpr (Number<X>) return x;
  else return x.value;
}

template <class U, class F, class... X>
BATCHWORK_INLINE auto apply_to_scalars(F const& f, X const&... x) {
  using S0 = value_of_operands_t<X...>;
  constexpr int K = Returned<U>::count;
  using S = applied_value_t<S0, U>;
  S out[K];
  call_in_lanes<U>(out, f, operand_value(x)...);
  Results<Scalar<S>, K> r;
  BATCHWORK_UNROLL
  for (int k = 0; k < K; ++k) {
    if constexpr (is_distributed<S>) out[k].grid = grid_known_to(x...);
    r.values[k] = Scalar<S>(out[k], info_in_lanes_of<S>(info_of_operands<S0>(x...)));
  }
  return r;
}

template <class F, class... V, class S>
BATCHWORK_INLINE auto truths_in_lanes([[maybe_unused]] S const& like, F const& f, V const&... v) {
  if constexpr (Number<S>) {
    return bool(f(v...));
  } else if constexpr (is_distributed<S>) {
    return mask_t<S>(f(value_of(v)...), like.grid);
  } else {
    mask_t<S> m(false);
    for (int l = 0; l < S::width; ++l) m.set_lane(l, f(entry_of_pack(v, l)...));
    return m;
  }
}
template <class F, class... X>
BATCHWORK_INLINE auto ask_of_scalars(F const& f, X const&... x) {
  using S = value_of_operands_t<X...>;
  S like(scalar_t<S>(0));
  if constexpr (is_distributed<S>) like.grid = grid_known_to(x...);
  return truths_in_lanes(like, f, operand_value(x)...);
}

/// The lanes' own entries. Lanes without a row or column do not call f, which need not be defined
/// for their contents.
template <class U, class R, int K, class F, class... Lines>
BATCHWORK_INLINE void apply_to_lines(R (&r)[K], F const& f, Lines const&... lines) {
  using T = typename R::T;
  BATCHWORK_UNROLL
  for (int m = 0; m < R::mine; ++m) {
    BATCHWORK_UNROLL
    for (int k = 0; k < R::length; ++k) {
      T n[K] = {};
      int const line = r[0].line(m);
      if (line < R::count && (R::structure != Structure::symmetric || k <= line))
        Returned<U>::take(f(lines.get(m, k)...), n);
      BATCHWORK_UNROLL
      for (int p = 0; p < K; ++p) r[p].set_local(m, k, n[p]);
    }
  }
}
/// Tiles, and scalars or numbers beside them.
template <class U, class R, int K, class F, class... X>
BATCHWORK_INLINE void apply_to_entries(R (&r)[K], F const& f, LaneGrid const& of_scalars,
                                       X const&... x) {
  using S = typename R::value_type;
  if constexpr (is_distributed_tile<R>) {
    struct GridOfScalars {
      LaneGrid grid;
    };
    LaneGrid const grid = grid_of(GridOfScalars{of_scalars}, x...);
    BATCHWORK_UNROLL
    for (int p = 0; p < K; ++p) r[p].grid = grid;
    if constexpr (R::structure == Structure::symmetric)
      apply_to_lines<U>(r, f, lower_lines_of<S>(x, grid)...);
    else apply_to_lines<U>(r, f, lines_of<S, R::by_rows>(x, grid)...);
  } else {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < R::rows; ++i) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int j = 0; j < R::cols; ++j) {
        if (R::skips(i, j)) continue;
        S out[K];
        call_in_lanes<U>(out, f, x.entry(i, j)...);
        BATCHWORK_UNROLL
        for (int p = 0; p < K; ++p) r[p].set(i, j, out[p]);
      }
    }
  }
}
template <class U, class F, class... X>
BATCHWORK_INLINE auto apply_to_tiles(F const& f, X const&... x) {
  using Among = TilesAmong<X...>;
  static_assert(Among::are_equal,
                "Batchwork::apply: a function of several tiles works entry by entry, but their "
                "extents differ");
  using S0 = value_of_operands_t<X...>;
  constexpr int K = Returned<U>::count;
  using S = applied_value_t<dealt_value_t<S0, X...>, U>;
  using R = function_tile_t<S, false, X...>;
  Results<R, K> r;
  apply_to_entries<U>(r.values, f, grid_known_to(x...), as_entries<Among>(x)...);
  BATCHWORK_UNROLL
  for (int k = 0; k < K; ++k) r.values[k].info = info_in_lanes_of<S>(info_of_operands<S0>(x...));
  return r;
}

/// Whether f and its operands fit together; otherwise a compile-time error says why not.
template <class F, class... X>
constexpr bool require_applicable() {
  using S = value_of_operands_t<X...>;
  if constexpr (!is_plain_value<S>) {
    static_assert(is_plain_value<S>,
                  "Batchwork::apply: its function takes plain real numbers, neither complex ones "
                  "nor numbers with derivatives; pass real(x), imag(x) or value_of(x)");
    return false;
  } else if constexpr (!std::is_invocable_v<F const&, number_of_operand_t<X>...>) {
    static_assert(std::is_invocable_v<F const&, number_of_operand_t<X>...>,
                  "Batchwork::apply: the function cannot be called with one plain number for each "
                  "operand, float or double like the items; its call operator must be const, and "
                  "an overloaded function must be wrapped in a lambda");
    return false;
  } else {
    using U = std::remove_cvref_t<std::invoke_result_t<F const&, number_of_operand_t<X>...>>;
    static_assert(Returned<U>::is_known,
                  "Batchwork::apply: the function must return a number, a bool, or a struct of "
                  "numbers of one type, all float or all double");
    constexpr bool has_place = !Returned<U>::is_truth || TilesAmong<X...>::count == 0;
    static_assert(has_place,
                  "Batchwork::apply: a function that returns bool takes scalars and gives a mask; "
                  "for the entries of a tile return 0.0 or 1.0");
    return Returned<U>::is_known && has_place;
  }
}

}  // namespace Impl

/// Applies f, a function of plain numbers, to scalars, or to tiles entry by entry. All tiles have
/// the same extents; some operands may be plain numbers. f is called once for each item and entry
/// with the number type of the items, float or double; plain numbers are passed to it unchanged.
///
/// The result follows the return type of f. A number gives a scalar or a tile; a symmetric tile
/// stays symmetric, other results are general tiles. A bool gives a mask (scalars only). A struct
/// of K numbers, all float or all double, gives K scalars or tiles. The status of a result is the
/// first failure of the operands.
/// ```cpp
/// auto const [s, c] = apply(SinCos{}, x);  // SinCos returns struct { double s, c; }
/// ```
/// Packs call f lane by lane, so its cost is the cost of f for each item. A last pack that is not
/// full calls it for copies of the last item.
/// \param f  a functor with a const call operator, callable on devices if the sequence runs there
/// \param x  scalars, tiles of one extent, or plain numbers
/// \returns a scalar, a tile, a mask, or several results for a structured binding
template <class F, class... X>
  requires Impl::FunctionOperands<X...>
BATCHWORK_INLINE auto apply(F const& f, X const&... x) {
  if constexpr (Impl::require_applicable<F, X...>()) {
    using U = std::remove_cvref_t<std::invoke_result_t<F const&, Impl::number_of_operand_t<X>...>>;
    if constexpr (Impl::Returned<U>::is_truth) {
      return Impl::ask_of_scalars(f, x...);
    } else {
      auto r = [&] {
        if constexpr (Impl::TilesAmong<X...>::count == 0) return Impl::apply_to_scalars<U>(f, x...);
        else return Impl::apply_to_tiles<U>(f, x...);
      }();
      if constexpr (Impl::Returned<U>::is_single) return r.values[0];
      else return r;
    }
  }
}

}  // namespace Batchwork

template <class X, int K>
struct std::tuple_size<Batchwork::Impl::Results<X, K>>
    : std::integral_constant<std::size_t, std::size_t(K)> {};
template <std::size_t I, class X, int K>
struct std::tuple_element<I, Batchwork::Impl::Results<X, K>> {
  using type = X;
};

#endif

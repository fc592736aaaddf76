// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Functions of scalars, and of the entries of tiles; some operands may be plain numbers, or
/// scalars next to tiles.
#ifndef BATCHWORK_ENTRYFUNCTIONS_HPP
#define BATCHWORK_ENTRYFUNCTIONS_HPP

#include "core/detail/Batchwork_DualFunctions.hpp"
#include "core/detail/Batchwork_Functions.hpp"
#include "tile/types/Batchwork_Sum.hpp"

namespace Batchwork::Impl {

// ---- operands
// ---------------------------------------------------------------------------------------------

/// Several operands, at least one of which is a scalar or a tile; others may be plain numbers.
template <class... X>
concept FunctionOperands = ((ScalarOrTile<X> || Number<X>) && ...) && (ScalarOrTile<X> || ...);

/// The common S of operands; void for a plain number.
template <class X>
struct ValueOfOperand {
  using type = typename X::value_type;
};
template <Number X>
struct ValueOfOperand<X> {
  using type = void;
};
template <class... V>
struct PromoteAll {
  using type = void;
};
template <class V, class... More>
struct PromoteAll<V, More...> {
  using rest = typename PromoteAll<More...>::type;
  using type = typename std::conditional_t<
      std::is_void_v<V>, std::type_identity<rest>,
      std::conditional_t<std::is_void_v<rest>, std::type_identity<V>,
                         Promote<std::conditional_t<std::is_void_v<V>, rest, V>,
                                 std::conditional_t<std::is_void_v<rest>, V, rest>>>>::type;
};
template <class... X>
using value_of_operands_t = typename PromoteAll<typename ValueOfOperand<X>::type...>::type;

/// The first failure of operands.
template <class S>
BATCHWORK_INLINE info_t<S> info_of_operands() {
  return info_t<S>(0);
}
template <class S, class X, class... More>
BATCHWORK_INLINE info_t<S> info_of_operands([[maybe_unused]] X const& x, More const&... more) {
  if constexpr (Number<X>) {
    return info_of_operands<S>(more...);
  } else if constexpr ((Number<More> && ...)) {
    return info_in_lanes_of<S>(x.info);
  } else {
    return first_failure(info_in_lanes_of<S>(x.info), info_of_operands<S>(more...));
  }
}

// ---- tiles among them
// ---------------------------------------------------------------------------------------------

template <class X>
inline constexpr bool is_symmetric_or_diagonal = [] {
  if constexpr (Tile<X>)
    return structure_of<X> == Structure::symmetric || structure_of<X> == Structure::diagonal;
  else return true;
}();

/// The common properties of the tiles among some operands.
template <class... X>
struct TilesAmong;
template <>
struct TilesAmong<> {
  static constexpr int rows = 0, cols = 0, count = 0;
  static constexpr bool is_vector = false, are_equal = true;
  static constexpr Structure structure = Structure::general;
};
template <class X, class... More>
struct TilesAmong<X, More...> : TilesAmong<More...> {};
template <Tile X, class... More>
struct TilesAmong<X, More...> {
  using rest = TilesAmong<More...>;
  static constexpr int rows = rows_of<X>, cols = cols_of<X>, count = rest::count + 1;
  static constexpr bool is_vector = std::remove_cvref_t<X>::is_vector || rest::is_vector;
  static constexpr bool are_equal =
      rest::are_equal && (rest::count == 0 || (rest::rows == rows && rest::cols == cols));
  static constexpr Structure structure = structure_of<X>;
};

/// The structure of a result: a single tile keeps its own if f(0) = 0. A symmetric one stays
/// symmetric by any function.
template <bool KeepsZero, class... X>
constexpr Structure structure_of_function() {
  using Among = TilesAmong<X...>;
  if constexpr (sizeof...(X) == 1 && (KeepsZero || Among::structure == Structure::symmetric))
    return Among::structure;
  else return (is_symmetric_or_diagonal<X> && ...) ? Structure::symmetric : Structure::general;
}

/// The tile of a function of operands, with values of S.
template <class S, bool KeepsZero, class... X>
using function_tile_t =
    tile_of_t<S, TilesAmong<X...>::rows, TilesAmong<X...>::cols,
              structure_of_function<KeepsZero, X...>(), TilesAmong<X...>::is_vector>;

/// A number as a tile with the extents of the other operands.
template <class V, int M, int N>
struct Repeated {
  using value_type = V;
  static constexpr int rows = M;
  static constexpr int cols = N;
  static constexpr Structure structure = Structure::symmetric;
  static constexpr bool is_vector = false;
  V value;
  int info = 0;
  BATCHWORK_INLINE V const& entry(int, int) const { return value; }
};

/// The S of a result where some operands are tiles.
template <class X>
using dealt_operand_t = std::conditional_t<Tile<X>, X, Repeated<float, 1, 1>>;
template <class S, class... X>
using dealt_value_t = deal_together_t<S, dealt_operand_t<X>...>;

/// An operand for functions of entries: a tile unchanged, a number or scalar as Repeated. If lanes
/// share an item, all of them know the number of a scalar.
template <class Among, Tile X>
BATCHWORK_INLINE X const& as_entries(X const& x) {
  return x;
}
template <class Among, Number X>
BATCHWORK_INLINE auto as_entries(X const& x) {
  return Repeated<X, Among::rows, Among::cols>{x};
}
template <class Among, ScalarTile X>
BATCHWORK_INLINE auto as_entries(X const& x) {
  using V = typename X::value_type;
  if constexpr (is_distributed<V>)
    return Repeated<scalar_t<V>, Among::rows, Among::cols>{x.value.v};
  else return Repeated<V, Among::rows, Among::cols>{x.value};
}

// ---- functions of S
// ---------------------------------------------------------------------------------------------

/// f of entries that are first converted to S. If lanes share an item, each lane calls it with
/// plain numbers.
template <class S, class F>
struct OfEntries {
  F f;
  LaneGrid grid{};
  template <class... E>
  BATCHWORK_INLINE auto operator()(E const&... e) const {
    if constexpr (is_distributed<S>) return f(static_cast<scalar_t<S>>(e)...);
    else return f(to_value<S>(e)...);
  }
};

template <class F, class... X>
BATCHWORK_INLINE auto function_of(F const& f, X const&... x) {
  using S0 = value_of_operands_t<X...>;
  using Among = TilesAmong<X...>;
  if constexpr (Among::count == 0) {
    auto const value = [](auto const& y) {
      if constexpr (Number<std::remove_cvref_t<decltype(y)>>) return to_value<S0>(y);
      else return S0(y.value);
    };
    return Scalar<S0>(f(value(x)...), info_of_operands<S0>(x...));
  } else {
    static_assert(
        Among::are_equal,
        "Batchwork: a function of several tiles works entry by entry, but their extents differ");
    using S = dealt_value_t<S0, X...>;
    using R = function_tile_t<S, F::keeps_zero, X...>;
    R r = entrywise<R>(OfEntries<S, F>{f, grid_known_to(x...)}, as_entries<Among>(x)...);
    r.info = info_of_operands<S>(x...);
    return r;
  }
}

/// The size of an entry, also of a complex one.
struct SizeOf {
  template <class A>
  BATCHWORK_INLINE auto operator()(A const& a) const {
    return abs(a);
  }
};

/// Whether the operands are real numbers; otherwise a compile-time error says what to write.
template <class... X>
constexpr bool require_real_numbers() {
  using S = value_of_operands_t<X...>;
  constexpr bool real = !is_complex<S> && std::is_floating_point_v<scalar_t<S>>;
  static_assert(real,
                "Batchwork: sin, pow and similar functions take real numbers; for complex numbers "
                "apply them to abs(x), real(x) or imag(x), for integers to as<double>(x)");
  return real;
}
/// The function object F for real operands; otherwise the first operand, which is never used.
template <class F, class X, class... More>
BATCHWORK_INLINE auto real_function_of(X const& x, More const&... more) {
  if constexpr (require_real_numbers<X, More...>()) return function_of(F{}, x, more...);
  else return x;
}

}  // namespace Batchwork::Impl

#endif

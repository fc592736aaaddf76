// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// dispatch: a size known at run time chooses among code for sizes known at compile time.
#ifndef BATCHWORK_DISPATCH_HPP
#define BATCHWORK_DISPATCH_HPP

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace Batchwork {

namespace Impl {

template <class R, int First, int... Rest, class F, class Other>
R dispatch_to(std::int64_t n, F const& f, Other const& other) {
  if (n == First) return f(std::integral_constant<int, First>());
  if constexpr (sizeof...(Rest) > 0) return dispatch_to<R, Rest...>(n, f, other);
  else return other(n);
}

}  // namespace Impl

/// Calls f with the one of these sizes that n is, as a constant: f(std::integral_constant<int, N>).
/// So sequences, whose extents are constants, serve programs that know their sizes at run time.
/// Each size is compiled.
/// ```cpp
/// dispatch<2, 3, 6>(a.extent(1), [&](auto n) {
///   map(Step{}, inout(extents<n>(x)), in(extents<n, n>(a)));
/// });
/// ```
/// \tparam Size  the first size
/// \tparam Sizes  more of them
/// \param n  a size
/// \param f  called for one size on the host. It returns the same type for all sizes
/// \returns what f returns
/// \throws std::invalid_argument if n is none of the sizes
template <int Size, int... Sizes, class F>
auto dispatch(std::int64_t n, F const& f) {
  using R = decltype(f(std::integral_constant<int, Size>()));
  return Impl::dispatch_to<R, Size, Sizes...>(n, f, [](std::int64_t other) -> R {
    std::string list = std::to_string(Size);
    ((list += ", " + std::to_string(Sizes)), ...);
    throw std::invalid_argument("Batchwork::dispatch: the size is " + std::to_string(other) +
                                ", but only " + list +
                                " are compiled; add it to the list, or give a function for other "
                                "sizes as last argument");
  });
}
/// The same with a function for all other sizes: other(n). Verbs take any size.
/// ```cpp
/// dispatch<2, 3, 6>(a.extent(1), by_sequence, [&](auto) { solve_lu(in(a), inout(x)); });
/// ```
/// \tparam Size   the first size
/// \tparam Sizes  more of them
/// \param n      a size
/// \param f      called for one size on the host. It returns the same type for all sizes
/// \param other  called with n, a std::int64_t, if n is none of the sizes. Its result is as f's
/// \returns what is returned by f or other
template <int Size, int... Sizes, class F, class Other>
auto dispatch(std::int64_t n, F const& f, Other const& other) {
  using R = decltype(f(std::integral_constant<int, Size>()));
  return Impl::dispatch_to<R, Size, Sizes...>(n, f, other);
}

}  // namespace Batchwork

#endif

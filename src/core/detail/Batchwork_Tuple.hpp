// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A tuple for device code (std::tuple is host code for nvcc): an aggregate, elements constructed
/// in place.
#ifndef BATCHWORK_TUPLE_HPP
#define BATCHWORK_TUPLE_HPP

#include <cstddef>
#include <type_traits>
#include <utility>

#include "core/detail/Batchwork_Macros.hpp"

namespace Batchwork::Impl {

template <std::size_t I, class T>
struct Slot {
  T value;
};

template <class Indices, class... T>
struct TupleBase;
template <std::size_t... I, class... T>
struct TupleBase<std::index_sequence<I...>, T...> : Slot<I, T>... {};

template <class... T>
using Tuple = TupleBase<std::index_sequence_for<T...>, T...>;

template <std::size_t I, class T>
BATCHWORK_INLINE T& get(Slot<I, T>& s) {
  return s.value;
}
template <std::size_t I, class T>
BATCHWORK_INLINE T const& get(Slot<I, T> const& s) {
  return s.value;
}

template <std::size_t I, class T>
BATCHWORK_INLINE T&& get(Slot<I, T>&& s) {
  return static_cast<T&&>(s.value);
}

template <std::size_t I, class T>
T type_of_slot(Slot<I, T> const&);

}  // namespace Batchwork::Impl

/// auto const [a, b] = tuple.
template <std::size_t... I, class... T>
struct std::tuple_size<Batchwork::Impl::TupleBase<std::index_sequence<I...>, T...>>
    : std::integral_constant<std::size_t, sizeof...(T)> {};
template <std::size_t K, std::size_t... I, class... T>
struct std::tuple_element<K, Batchwork::Impl::TupleBase<std::index_sequence<I...>, T...>> {
  using type = decltype(Batchwork::Impl::type_of_slot<K>(
      std::declval<Batchwork::Impl::TupleBase<std::index_sequence<I...>, T...> const&>()));
};

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A vector for every item as an operand, or one for all of them.
#ifndef BATCHWORK_VECTORORCOMMON_HPP
#define BATCHWORK_VECTORORCOMMON_HPP

#include "krylov/verbs/detail/Batchwork_SystemVerb.hpp"

namespace Batchwork::Impl {

/// A vector v(item, row), or common(v) of v(row).
template <class X>
inline constexpr bool is_common_vector = false;
template <class V, int... E>
inline constexpr bool is_common_vector<Operand<
    Kind::common, Source<Adapted<V, Structure::general, false, E...>, BatchIndices::none>>> =
    V::rank() == 1;
template <class X>
concept VectorOrCommon = Viewish<X> || is_common_vector<X>;

template <class Exec, class T, class A, class X>
ItemVector<T> factors_of(SystemCall& call, int position, char const* role, A const& a, X const& x) {
  if constexpr (Viewish<X>) {
    auto const s = operand_of<Exec, T, 1>(x);
    call.add_vector(position, role, s, a);
    return {s.storage.as_const()};
  } else {
    // Read as the numbers of so many items.
    auto s = operand_of<Exec, T, 0>(x.source.view);
    s.rows = s.description.items;
    s.description.items = -1;
    call.add_vector(position, role, s, a);
    return {{s.storage.data, 1, 0, 0, s.storage.group, 0}, true};
  }
}

}  // namespace Batchwork::Impl

#endif

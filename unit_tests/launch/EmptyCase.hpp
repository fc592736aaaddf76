// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Shared code of the tests of empty extents: poisoned outputs, and checks of the outputs after the
/// call.
#ifndef BATCHWORK_TEST_EMPTY_CASE_HPP
#define BATCHWORK_TEST_EMPTY_CASE_HPP

#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {

/// Numbers of items: none, one, and several packs plus a partial one.
inline constexpr int items_of_empties[] = {0, 1, 37};

template <class T>
using Matrices3 = Kokkos::View<T***, Space>;
template <class T>
using Vectors2 = Kokkos::View<T**, Space>;
template <class T>
using Numbers1 = Kokkos::View<T*, Space>;

template <class View>
View poisoned(View const& v) {
  Kokkos::deep_copy(v, poison<typename View::non_const_value_type>());
  return v;
}
template <class T>
Matrices3<T> matrices(int items, int m, int n) {
  return poisoned(Matrices3<T>("m", std::size_t(items), std::size_t(m), std::size_t(n)));
}
template <class T>
Vectors2<T> vectors(int items, int n) {
  return poisoned(Vectors2<T>("v", std::size_t(items), std::size_t(n)));
}
template <class T>
Numbers1<T> numbers(int items) {
  return poisoned(Numbers1<T>("n", std::size_t(items)));
}

/// Checks that all numbers of a View with one to three indices are want(item, i, j).
template <class View, class Want>
void expect_all(View const& view, Want const& want, std::string const& what) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  for (std::size_t n = 0; n < host.extent(0); ++n)
    for (std::size_t i = 0; i < host.extent(1); ++i)
      for (std::size_t j = 0; j < host.extent(2); ++j) {
        auto const found = [&] {
          if constexpr (View::rank() == 1) return host(n);
          else if constexpr (View::rank() == 2) return host(n, i);
          else return host(n, i, j);
        }();
        ASSERT_EQ(found, want(int(n), int(i), int(j)))
            << what << ": item " << n << ", number (" << i << ", " << j << ")";
      }
}
template <class View>
void expect_number(View const& view, double want, std::string const& what) {
  expect_all(view, [&](int, int, int) { return typename View::non_const_value_type(want); }, what);
}

}  // namespace Batchwork::Test

#endif

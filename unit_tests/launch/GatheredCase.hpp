// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Items that verbs on whole matrices and solve pick by indices, and what they must do with indices
/// out of range.
#ifndef BATCHWORK_TEST_GATHEREDCASE_HPP
#define BATCHWORK_TEST_GATHEREDCASE_HPP

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "dense/cholesky/TriangleCase.hpp"

namespace Batchwork::Test {

/// Some matrices (of one column: vectors) in a View, and on the host.
template <class T, class Layout, int Rank = 2>
struct PickedBatch {
  static auto made(std::int64_t n, int m, int k) {
    if constexpr (Rank == 2)
      return Kokkos::View<T***, Layout, Space>("items", std::size_t(n), std::size_t(m),
                                               std::size_t(k));
    else return Kokkos::View<T**, Layout, Space>("vectors", std::size_t(n), std::size_t(m));
  }
  using View = decltype(made(0, 0, 0));
  View view;
  typename View::host_mirror_type host;

  PickedBatch(std::int64_t n, int rows, int cols = 1)
      : view(made(n, rows, cols)), host(Kokkos::create_mirror_view(view)) {
    Kokkos::deep_copy(view, T(-77.125));
    Kokkos::deep_copy(host, T(-77.125));
  }
  std::int64_t items() const { return std::int64_t(view.extent(0)); }
  T& at(std::int64_t n, int i, int j = 0) const {
    if constexpr (Rank == 2) return host(std::size_t(n), std::size_t(i), std::size_t(j));
    else return host(std::size_t(n), std::size_t(i));
  }
  Dense item(std::int64_t n) const {
    return make_dense(int(view.extent(1)), Rank == 2 ? int(view.extent(2)) : 1,
                      [&](int i, int j) { return at(n, i, j); });
  }
  template <class F>
  void fill(F const& f) {
    for (std::int64_t n = 0; n < items(); ++n) {
      Dense const x = f(int(view.extent(1)), Rank == 2 ? int(view.extent(2)) : 1);
      for (int i = 0; i < x.rows; ++i)
        for (int j = 0; j < x.cols; ++j) at(n, i, j) = static_cast<T>(x(i, j));
    }
    Kokkos::deep_copy(view, host);
  }
  void randomise(Random& random) {
    fill([&](int m, int k) { return make_dense(m, k, [&](int, int) { return random(); }); });
  }
  void download() const { Kokkos::deep_copy(host, view); }
  bool is_spoilt(std::int64_t n) const {
    Dense const x = item(n);
    for (long double const v : x.a)
      if (!std::isnan(v)) return false;
    return true;
  }
  /// The bits of item n are the same.
  bool same_item(PickedBatch const& other, std::int64_t n) const {
    Dense const x = item(n), y = other.item(n);
    for (std::size_t k = 0; k < x.a.size(); ++k)
      if (!same_bits(static_cast<T>(x.a[k]), static_cast<T>(y.a[k]))) return false;
    return true;
  }
};

/// Random indices with repetitions into `extent` items. In the first, a middle and the last item
/// `planted` puts indices out of range.
template <class I = int>
struct PickedIndex {
  Kokkos::View<I*, Space> view;
  typename Kokkos::View<I*, Space>::host_mirror_type host;
  std::int64_t extent;

  PickedIndex(std::int64_t items, std::int64_t of, Random& random, bool planted = false)
      : view("index", std::size_t(items)), host(Kokkos::create_mirror_view(view)), extent(of) {
    for (std::size_t n = 0; n < std::size_t(items); ++n)
      host(n) = static_cast<I>(random.integer(0, int(of) - 1));
    if (planted) plant();
    else Kokkos::deep_copy(view, host);
  }
  void plant() const {
    std::size_t const items = host.extent(0);
    host(0) = static_cast<I>(-1);
    host(items / 2) = static_cast<I>(extent);
    host(items - 1) = std::numeric_limits<I>::max();
    Kokkos::deep_copy(view, host);
  }
  /// -1 for an index out of range.
  std::int64_t operator()(std::int64_t n) const {
    I const k = host(std::size_t(n));
    return k >= 0 && std::uint64_t(k) < std::uint64_t(extent) ? std::int64_t(k) : -1;
  }
};

inline Kokkos::View<std::int64_t*, Space> memory_for(std::int64_t items) {
  return Kokkos::View<std::int64_t*, Space>("memory", std::size_t(items));
}
inline constexpr int picked_out_of_range = Status::code(Reason::out_of_range, 0);

/// Codes of the items, poisoned.
struct PickedCodes {
  Kokkos::View<int*, Space> view;
  explicit PickedCodes(std::int64_t items) : view("codes", std::size_t(items)) {
    Kokkos::deep_copy(view, -5);
  }
  void expect(std::int64_t n, bool there) const {
    auto const h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
    EXPECT_EQ(h(std::size_t(n)), there ? 0 : picked_out_of_range) << n;
  }
};

}  // namespace Batchwork::Test

#endif

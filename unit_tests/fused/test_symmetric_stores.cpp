// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Results that are declared symmetric must be stored bitwise symmetric: all extents, and every
// operation with a symmetric result. Compiled for map on the default execution space, and again
// with light threads as the lanes of a device.
#if defined(BATCHWORK_THREADS_AS_LANES)
#include "fused/MapByLanes.hpp"
#endif
#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {
namespace {

/// Covariances of a filter: a prediction, an update, and their sum. h is the matrix of the
/// observations.
struct Covariances {
  template <class X, class Y, class Z, class P, class F, class Q, class H>
  KOKKOS_FUNCTION void operator()(X& predicted, Y& updated, Z& sum, P const& p, F const& f,
                                  Q const& q, H const& h) const {
    predicted = congruence(f, p, q);
    auto const hp = h * predicted;
    auto const l = cholesky(congruence(h, predicted, q));
    updated = downdate(predicted, solve(l.lower(), hp));
    sum = p + congruence(f, p);
  }
};
/// Products of two factors whose result is symmetric by construction, or is declared symmetric.
struct Products {
  template <class X, class Y, class Z, class P, class A>
  KOKKOS_FUNCTION void operator()(X& squares, Y& product, Z& taken, P const& p, A const& a) const {
    squares = gram(a);
    product = symmetric_product(a * p, transpose(a), p);
    taken = a * p;
  }
};

template <class T, class Layout, int N>
struct SymmetricStores {
  using Batch = BatchIn<T, Layout, N, N>;
  static constexpr std::int64_t n = 7;
  Batch p{n}, a{n}, x{n}, y{n}, z{n};
  Common<T, N, N> f, q, h;

  explicit SymmetricStores(Random& random)
      : f(noise(random, 1)), q(random_spd<T>(random, N)), h(noise(random, 0.5)) {
    p.fill([&](std::int64_t) { return random_spd<T>(random, N); });
    a.randomise(random, -1, 1);
  }
  static Dense noise(Random& random, double size) {
    return make_dense(N, N, [&](int i, int j) {
      return static_cast<long double>(T((i == j) + size * random.normal() / N));
    });
  }
  void expect_symmetric(char const* what) {
    int number = 0;
    for (Batch* of : {&x, &y, &z}) {
      ++number;
      of->download();
      EXPECT_EQ(of->poisoned(), of->outside());
      for (std::int64_t k = 0; k < n; ++k)
        for (int i = 0; i < N; ++i)
          for (int j = 0; j < i; ++j) {
            ASSERT_TRUE(std::isfinite(of->at(k, i, j)));
            ASSERT_TRUE(same_bits(of->at(k, i, j), of->at(k, j, i)))
                << what << ", result " << number << ", item " << k << ", (" << i << ", " << j
                << "): " << of->at(k, i, j) << " and " << of->at(k, j, i);
          }
    }
  }
  template <class Run>
  void check(Run const& run) {
    SCOPED_TRACE(std::to_string(N) + " rows");
    auto const to = [](Batch& b) { return Impl::resolve(out(symmetric(b.view()))); };
    auto const of = Impl::resolve(in(symmetric(p.const_view())));
    run(Covariances{}, to(x), to(y), to(z), of, Impl::resolve(common(f.view)),
        Impl::resolve(common(symmetric(q.view))), Impl::resolve(common(h.view)));
    expect_symmetric("covariances");
    run(Products{}, to(x), to(y), to(z), of, Impl::resolve(in(a.const_view())));
    expect_symmetric("products");
  }
};

template <class T, int N>
void check_extent(Random& random) {
  using Layout = std::conditional_t<N % 2 == 0, Left, Right>;
  SymmetricStores<T, Layout, N> stores(random);
#if defined(BATCHWORK_THREADS_AS_LANES)
  auto const by_lanes = [&]<int L, class How>() {
    SCOPED_TRACE(std::to_string(L) + " lanes an item");
    stores.check([](auto const& sequence, auto const&... operands) {
      map_by_lanes<L, How>(128, decltype(stores)::n, sequence, operands...);
    });
  };
  constexpr int lanes = Impl::lanes_per_item<T>(N);
  by_lanes.template operator()<lanes, Division<(N % 2 != 0 && lanes > 1)>>();
  // If a warp has an item, symmetric tiles of double are blocks for matrix instructions.
  if constexpr (sizeof(T) == 8 && N > 12) by_lanes.template operator()<32, Division<true>>();
#else
  stores.check([](auto const& sequence, auto const&... operands) { map(sequence, operands...); });
#endif
}
/// Every extent in one type, a third of them in float.
template <int... K>
void check_extents(std::integer_sequence<int, K...>) {
  Random random(1);
  (check_extent<std::conditional_t<K % 3 == 2, float, double>, K + 1>(random), ...);
}
TEST(SymmetricStores, OfEveryExtent) { check_extents(std::make_integer_sequence<int, 32>()); }

/// The other extents at which the number of lanes of an item changes.
template <class T, int... N>
void check_these() {
  Random random(2);
  (check_extent<T, N>(random), ...);
}
TEST(SymmetricStores, WhereLanesChange) {
  check_these<float, 1, 10, 13, 19, 25, 32>();
  check_these<double, 12, 24>();
}

}  // namespace
}  // namespace Batchwork::Test

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The code that docs/start shows and no example contains.
#include <Batchwork.hpp>
#include <cstdio>

namespace doc_start {

using namespace Batchwork;

struct Scale {
  template <class Y, class A, class X>
  KOKKOS_FUNCTION void operator()(Y& y, A const& a, X const& x) const {
    y = a * x;
  }
};

struct Invert {
  template <class X, class A>
  KOKKOS_FUNCTION void operator()(X& x, A const& a) const {
    x = cholesky(a).solve(identity<A::rows>(a));
  }
};

void scale(Kokkos::View<double* [3]> y, Kokkos::View<double*> a, Kokkos::View<double* [3]> x) {
  map(Scale{}, out(y), in(a), in(x));
}

void invert(int items, Kokkos::View<double* [6][6], Kokkos::HostSpace> measured) {
  Kokkos::View<double* [6][6]> A("A", items), X("X", items);
  Kokkos::View<int*> codes("codes", items);
  auto const host_A = Kokkos::create_mirror_view(A);
  for (int n = 0; n < items; ++n)
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) host_A(n, i, j) = measured(n, i, j);
  Kokkos::deep_copy(A, host_A);

  map(Invert{}, out(X), in(symmetric(A)), status(codes));  // returns at once

  auto const host_X = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), X);  // waits
  std::printf("%g\n", host_X(0, 0, 0));

  map(launch("invert", lanes<4>), Invert{}, out(X), in(symmetric(A)));
}

void padded(int items) {
  Kokkos::View<double* [6][6], Kokkos::LayoutLeft> A(Kokkos::view_alloc("A", Kokkos::AllowPadding),
                                                     items);
}

void on_two_instances(Kokkos::View<double* [6][6]> A, Kokkos::View<double* [6][6]> X,
                      Kokkos::View<double* [6][6]> B, Kokkos::View<double* [6][6]> Y) {
  auto const instances =
      Kokkos::Experimental::partition_space(Kokkos::DefaultExecutionSpace(), 1, 1);
  map(instances[0], Invert{}, out(X), in(symmetric(A)));
  map(instances[1], Invert{}, out(Y), in(symmetric(B)));
  instances[0].fence();  // X is ready
}

}  // namespace doc_start

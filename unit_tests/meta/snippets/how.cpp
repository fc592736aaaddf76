// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Code of docs/guides/what_can_go_wrong.md and docs/reference/status.md.
#include <Batchwork.hpp>
#include <cstdio>
#include <stdexcept>

namespace doc_how {

using namespace Batchwork;

using Matrices = Kokkos::View<double***, Kokkos::DefaultExecutionSpace::memory_space>;
using Vectors = Kokkos::View<double**, Kokkos::DefaultExecutionSpace::memory_space>;
using Scalars = Kokkos::View<double*, Kokkos::DefaultExecutionSpace::memory_space>;
using Codes = Kokkos::View<int*, Kokkos::DefaultExecutionSpace::memory_space>;

/// Prints what it cannot divide by.
struct Ratio {
  template <class Y, class A, class B>
  KOKKOS_FUNCTION void operator()(Y& y, A const& a, B const& b) const {
    y = select(b > 0.0, a / b, 0.0);
    print(!(b > 0.0), "b", b);
  }
};

inline void divide(Codes const& codes, Scalars const& y, Scalars const& a, Scalars const& b) {
  map(launch("ratio"), Ratio(), out(y), in(a), in(b), status(codes));
}

inline void report(Codes const& codes) {
  int const n = int(codes.extent(0));
  auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), codes);
  int failed = 0;
  for (int i = 0; i < n; ++i) {
    if (found(i) == 0 || ++failed > 10) continue;
    std::printf("item %d: %s, info %d\n", i, to_string(Status::reason(found(i))),
                Status::info(found(i)));
  }
  std::printf("%d of %d items failed\n", failed, n);
}

inline void solve_and_look(Matrices const& a, Vectors const& b, Vectors const& x) {
  Codes const codes("codes", a.extent(0));
  solve_lu(in(a), in(b), out(x), status(codes));
  report(codes);
}

inline void refused(Matrices const& a, Vectors const& b, Vectors const& x) {
  try {
    solve_lu(in(a), in(b), out(x));
  } catch (std::invalid_argument const& error) {
    std::printf("%s\n", error.what());
  }
}

}  // namespace doc_how

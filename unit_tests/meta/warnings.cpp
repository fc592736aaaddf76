// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A user's code. The test `warnings` compiles it with -O3 -Wall -Wextra -Werror, and with
// Batchwork's folders as system folders. Compilers also warn about code that they inline from
// system headers. The code is not run.
#include <Batchwork_Dense.hpp>
#include <Batchwork_Map.hpp>

namespace {

using Right = Kokkos::LayoutRight;
using Left = Kokkos::LayoutLeft;
template <class L>
using Matrices = Kokkos::View<double* [8][3], L>;

struct Update {
  template <class PNew, class P, class F, class R>
  KOKKOS_FUNCTION void operator()(PNew& p_new, P const& p, F const& f, R const& r) const {
    using namespace Batchwork;
    auto const prior = congruence(f, p, r);
    auto const y = solve(cholesky(prior).lower(), f * p);
    p_new = downdate(p, y);
  }
};
struct Smooth {
  template <class Level, class Z, class Smoothed>
  KOKKOS_FUNCTION void operator()(Level& level, Z const& z, Smoothed& smoothed) const {
    level += 0.5 * (z - level);
    smoothed = level;
  }
};

}  // namespace

void copies(Matrices<Right> const& right, Matrices<Left> const& left,
            Kokkos::View<double***, Left> const& any,
            Kokkos::View<float* [4][4][8], Right> const& groups,
            Kokkos::View<float* [4][4], Left> const& floats) {
  using namespace Batchwork;
  copy(left, right);
  copy(right, left);
  copy(right, right);
  copy(any, right);
  copy(any, transposed(any));
  pack(compact(groups, 100), floats);
  unpack(floats, compact(groups, 100));
}

void fused(Kokkos::View<double* [6][6]> const& P, Kokkos::View<double* [6][6]> const& P_new,
           Kokkos::View<double[6][6]> const& F, Kokkos::View<double[6][6]> const& R,
           Kokkos::View<double**> const& z, Kokkos::View<double**> const& smoothed,
           Kokkos::View<double*> const& level, Kokkos::View<int*> const& codes) {
  using namespace Batchwork;
  map(Update{}, out(symmetric(P_new)), in(symmetric(P)), common(F), common(symmetric(R)),
      status(codes));
  scan(100, Smooth{}, carry(level), each(z), emit(smoothed));
}

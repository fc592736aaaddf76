// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every scaling, with the stopping test in either norm.
#include "krylov/ScaledCase.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct SolveScaled : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SolveScaled, Numbers);

TYPED_TEST(SolveScaled, EveryScalingInBothNorms) {
  using T = TypeParam;
  Random random(11);
  bool const single = sizeof(T) == 4;
  auto const stop = relative(single ? 1e-4 : 1e-9, 200);
  double const orders = single ? 8 : 12;
  Tally in_scaled, in_unscaled;
  for (int const rows : {1, 5, 21})
    for (double const share : {0.0, 0.5, 1.0}) {
      Systems<T> const s(19, rows, share * orders, (1 - share) * orders, random);
      for (auto const scaling : {Scaling::both, Scaling::rows, Scaling::columns}) {
        RowFactors<T> const factors(s.a, scaling);
        auto const factor = [&](std::int64_t n, int i) { return factors.left.at(n, i, 0); };
        for (auto const norm : {TestNorm::unscaled, TestNorm::scaled}) {
          bool const unscaled = norm == TestNorm::unscaled;
          auto const with = [&](auto const& solver, auto const& m, T start, char const* name) {
            auto const how = scaled(solver, scaling, norm);
            auto const A = dense(s.a.batch());
            FencedWorkspace<T> const memory(workspace_numbers(Space(), how, m, A, s.a.items));
            Tally const t = expect_true(how, memory, m, A, s.a, s.b, unscaled, factor, start,
                                        std::string(name) + ", " + std::to_string(rows) +
                                            " rows, " + std::to_string(share) + ", scaling " +
                                            std::to_string(int(scaling)));
            if (scaling != Scaling::both) return;
            Tally& sum = unscaled ? in_unscaled : in_scaled;
            sum.converged += t.converged;
            sum.all += t.all;
            sum.at_rounding += t.at_rounding;
          };
          with(bicgstab(stop), no_preconditioner(), T(0), "bicgstab");
          with(bicgstab(stop), jacobi(), T(1), "bicgstab, jacobi");
          with(gmres(20, stop), no_preconditioner(), T(1), "gmres");
          with(gmres(20, stop), ilu(), T(0), "gmres, ilu");
        }
      }
    }
  // After scaling they are well conditioned, so all converge. In the user's norm the others are
  // limited by rounding.
  EXPECT_EQ(in_scaled.converged, in_scaled.all);
  EXPECT_GE(in_unscaled.converged, in_unscaled.all * 3 / 4);
  EXPECT_EQ(in_unscaled.converged + in_unscaled.at_rounding, in_unscaled.all);
}

}  // namespace
}  // namespace Batchwork::Test

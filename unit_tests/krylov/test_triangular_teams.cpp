// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The device kernel of solve_triangular, run on the host by teams of threads.
#include "krylov/TriangularCase.hpp"
#include "support/HostTeams.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct TriangularOnTeams : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TriangularOnTeams, Numbers);

/// Runs the device kernel with teams of host threads. 0 lanes: the default number.
struct ByTeams {
  int lanes;
  template <class T, class A, class B, class X, class C>
  void operator()(Triangle triangle, A const& a, B const& b, X const& x, C const& codes,
                  std::int64_t items) const {
    using Work = Impl::TriangularSystems<T>;
    using Kernel = Impl::SystemTeams<Work>;
    Impl::StatusTarget const target{codes.data(), nullptr, 1, 1, 0};
    Work const work{Impl::AnySystems<T>(a.systems()),
                    Impl::stored(b).storage.as_const(),
                    Impl::stored(x).storage,
                    target,
                    is_upper(triangle),
                    is_unit(triangle),
                    a.nonzeros()};
    Kernel const kernel{work, items, lanes > 0 ? lanes : work.lanes()};
    int const team = 32;
    auto const per_team = team / kernel.lanes;
    run_teams(kernel, int((items + per_team - 1) / per_team), team,
              Kernel::scratch_size(team) + 16);
  }
};

TYPED_TEST(TriangularOnTeams, AllFormats) {
  using T = TypeParam;
  Random random(2);
  for (int rows : {1, 9, 20})
    for (int lanes : {0, 1, 4, 32}) {
      auto const how = all_arranged[random.integer(0, 3)];
      auto const triangle = triangles[random.integer(0, 3)];
      SCOPED_TRACE(std::to_string(rows) + " rows, " + std::to_string(lanes) + " lanes, arranged " +
                   std::to_string(int(how)) + ", triangle " + std::to_string(int(triangle)));
      Matrices<T> const a(solvable_pattern(random, rows, 0.4, false), 5, how);
      put_triangular(a, random);
      check_solve(ByTeams{lanes}, triangle, a.csr(), a.full, how, lanes == 4, random);
      check_solve(ByTeams{lanes}, triangle, a.ell(), a.full, how, false, random);
      check_solve(ByTeams{lanes}, triangle, a.dense(), a.full, how, false, random);
    }
}

}  // namespace
}  // namespace Batchwork::Test

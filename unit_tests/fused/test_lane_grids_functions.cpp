// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Eigenpairs, singular values, functions and updates of matrices that lanes share. They use no
// feature of lanes that test_lane_grids_decompositions.cpp does not test.
#include "fused/MapByLanes.hpp"
#include "tile/EighCase.hpp"
#include "tile/ExpmCase.hpp"
#include "tile/QrCase.hpp"
#include "tile/RankUpdateCase.hpp"
#include "tile/SpdFunctionsCase.hpp"
#include "tile/StackedQrCase.hpp"
#include "tile/SvdCase.hpp"

namespace Batchwork::Test {
namespace {

/// With so many rows and columns that steps are loops.
TEST(LaneGrids, ReflectionsInLoops) {
  expect_qr<float, Right, 32, 32, 3>(5, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<16>(64, 5, sequence, Impl::resolve(operands)...);
  });
  expect_qr<double, Left, 21, 17, 2>(9, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<8>(32, 9, sequence, Impl::resolve(operands)...);
  });
  expect_qr<double, Right, 19, 27, 1>(3, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<32>(64, 3, sequence, Impl::resolve(operands)...);
  });
  expect_least_squares<float, Left, 30, 26, 2>(
      5, [](auto const& sequence, auto const&... operands) {
        map_by_lanes<8>(32, 5, sequence, Impl::resolve(operands)...);
      });
}

/// A triangle and the matrix below it, column by column.
TEST(LaneGrids, StackedColumns) {
  expect_stacked_r<double, Left, 5, 3, 4>(23, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<2>(32, 23, sequence, Impl::resolve(operands)...);
  });
  expect_stacked_r<float, Right, 4, 9, 6>(21, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<8>(64, 21, sequence, Impl::resolve(operands)...);
  });
  expect_stacked_array<double, Left, 3, 2, 5, 6>(
      11, [](auto const& sequence, auto const&... operands) {
        map_by_lanes<4>(32, 11, sequence, Impl::resolve(operands)...);
      });
  expect_stacked_array<float, Right, 3, 3, 4, 2>(
      11, [](auto const& sequence, auto const&... operands) {
        map_by_lanes<32>(64, 11, sequence, Impl::resolve(operands)...);
      });
}
TEST(LaneGrids, RanksAddedAndTakenOff) {
  expect_rank_update<double, Left, 5, 2>(23, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<2>(32, 23, sequence, Impl::resolve(operands)...);
  });
  expect_rank_update<float, Right, 9, 1>(21, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<8>(64, 21, sequence, Impl::resolve(operands)...);
  });
  expect_rank_downdate<double, Right, 6, 3>(19, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<4>(32, 19, sequence, Impl::resolve(operands)...);
  });
  expect_rank_downdate<float, Left, 7, 1>(19, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<32>(64, 19, sequence, Impl::resolve(operands)...);
  });
  expect_updates_of_cholesky<double, Left, 6, 2>(
      11, [](auto const& sequence, auto const&... operands) {
        map_by_lanes<8>(32, 11, sequence, Impl::resolve(operands)...);
      });
  // A factor in blocks of 8 x 8, as matrix instructions have them.
  expect_updates_of_cholesky<double, Left, 16, 3>(
      5, [](auto const& sequence, auto const&... operands) {
        map_by_lanes<32, Division<true>>(64, 5, sequence, Impl::resolve(operands)...);
      });
}

/// Reflections and QL iterations: one column a lane, several, lanes without one, several items a
/// warp.
TEST(LaneGrids, TridiagonalEigenpairs) {
  expect_eigh<float, Left, 16>(
      27,
      [](auto const& sequence, auto const&... operands) {
        map_by_lanes<4>(64, 27, sequence, Impl::resolve(operands)...);
      },
      true);
  expect_eigh<double, Right, 13>(
      27,
      [](auto const& sequence, auto const&... operands) {
        map_by_lanes<8>(32, 27, sequence, Impl::resolve(operands)...);
      },
      true);
  expect_eigh<double, Left, 32>(
      14,
      [](auto const& sequence, auto const&... operands) {
        map_by_lanes<32>(32, 14, sequence, Impl::resolve(operands)...);
      },
      true);
  expect_eigh<float, Right, 31>(
      27,
      [](auto const& sequence, auto const&... operands) {
        map_by_lanes<16>(64, 27, sequence, Impl::resolve(operands)...);
      },
      true);
  // The two vectors of the tridiagonal matrix, stored after the lines.
  expect_eigh<double, Left, 10>(
      27,
      [](auto const& sequence, auto const&... operands) {
        map_by_lanes<2>(32, 27, sequence, Impl::resolve(operands)...);
      },
      true);
  expect_eigh<double, Right, 12>(
      27,
      [](auto const& sequence, auto const&... operands) {
        map_by_lanes<4>(64, 27, sequence, Impl::resolve(operands)...);
      },
      true);
}

/// If lanes share an item, the default method for eigenpairs is reflections and QL iterations.
template <class T, int N>
void expect_way_of_eigh(bool by_ql) {
  using Value = Distributed<T, Impl::lanes_per_item<T>(N), 1, N>;
  EXPECT_EQ((Impl::finds_eigenpairs_by_ql<Impl::dealt_t<Value, false>, N>), by_ql) << N;
}
TEST(LaneGrids, WayOfEigenpairs) {
  expect_way_of_eigh<double, 8>(true);
  expect_way_of_eigh<double, 9>(true);
  expect_way_of_eigh<double, 10>(true);
  expect_way_of_eigh<double, 11>(true);
  expect_way_of_eigh<double, 12>(true);
  expect_way_of_eigh<double, 13>(true);
  expect_way_of_eigh<double, 24>(true);
  expect_way_of_eigh<double, 32>(true);
  expect_way_of_eigh<float, 11>(true);
  expect_way_of_eigh<float, 16>(true);
  expect_way_of_eigh<float, 32>(true);
}

TEST(LaneGrids, SingularValues) {
  expect_svd<double, Left, 5, 3>(21, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<2>(32, 21, sequence, Impl::resolve(operands)...);
  });
  expect_svd<float, Right, 3, 7>(21, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<4>(64, 21, sequence, Impl::resolve(operands)...);
  });
  expect_use_of_svd<double, Left, 6, 5>(11, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<16>(64, 11, sequence, Impl::resolve(operands)...);
  });
}

/// Items of a warp that need 0 to 8 squarings.
TEST(LaneGrids, Exponentials) {
  expect_expm<double, Left, 5>(27, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<2>(32, 27, sequence, Impl::resolve(operands)...);
  });
  expect_expm<float, Right, 9>(27, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<8>(64, 27, sequence, Impl::resolve(operands)...);
  });
  expect_expm<double, Left, 6>(27, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<32>(64, 27, sequence, Impl::resolve(operands)...);
  });
}

TEST(LaneGrids, FunctionsOfEigenvalues) {
  expect_spd_functions<double, Left, 5>(23, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<2>(32, 23, sequence, Impl::resolve(operands)...);
  });
  expect_spd_functions<float, Right, 9>(23, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<8>(64, 23, sequence, Impl::resolve(operands)...);
  });
  expect_spd_functions<double, Left, 6>(23, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<32>(64, 23, sequence, Impl::resolve(operands)...);
  });
}

}  // namespace
}  // namespace Batchwork::Test

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Factorisations and functions of matrices that lanes share.
#include "fused/MapByLanes.hpp"
#include "tile/BlocksCase.hpp"
#include "tile/EighCase.hpp"
#include "tile/ExpmCase.hpp"
#include "tile/LdltCase.hpp"
#include "tile/LuCase.hpp"
#include "tile/PivotedQrCase.hpp"
#include "tile/QrCase.hpp"
#include "tile/RankUpdateCase.hpp"
#include "tile/SpdFunctionsCase.hpp"
#include "tile/StackedQrCase.hpp"
#include "tile/SvdCase.hpp"

namespace Batchwork::Test {
namespace {

/// One row a lane, several, and lanes without one.
TEST(LaneGrids, Elimination) {
  expect_lu<double, Left, 5, 3>(13, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<2>(32, 13, sequence, Impl::resolve(operands)...);
  });
  expect_lu<float, Right, 9, 9>(13, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<8>(64, 13, sequence, Impl::resolve(operands)...);
  });
  expect_lu<double, Left, 11, 2>(7, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<32>(64, 7, sequence, Impl::resolve(operands)...);
  });
}

/// One column a lane, several, and lanes without one.
TEST(LaneGrids, Reflections) {
  expect_qr<double, Left, 5, 3, 2>(13, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<2>(32, 13, sequence, Impl::resolve(operands)...);
  });
  expect_qr<double, Right, 4, 7, 3>(13, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<4>(32, 13, sequence, Impl::resolve(operands)...);
  });
  expect_qr<float, Right, 9, 9, 9>(13, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<8>(64, 13, sequence, Impl::resolve(operands)...);
  });
  expect_qr<double, Left, 11, 6, 1>(11, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<32>(64, 11, sequence, Impl::resolve(operands)...);
  });
  expect_least_squares<float, Left, 9, 5, 2>(13, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<4>(32, 13, sequence, Impl::resolve(operands)...);
  });
  expect_least_squares<double, Right, 7, 7, 8>(
      13, [](auto const& sequence, auto const&... operands) {
        map_by_lanes<16>(64, 13, sequence, Impl::resolve(operands)...);
      });
}

/// Of so many rows and columns that steps are loops.
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

/// Columns that are exchanged in a lane, and between lanes.
TEST(LaneGrids, ExchangedColumns) {
  expect_pivoted_qr<double, Left, 5, 3>(33, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<2>(32, 33, sequence, Impl::resolve(operands)...);
  });
  expect_pivoted_qr<float, Right, 4, 9>(23, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<4>(32, 23, sequence, Impl::resolve(operands)...);
  });
  expect_pivoted_qr<double, Left, 7, 7>(13, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<32>(64, 13, sequence, Impl::resolve(operands)...);
  });
  expect_shortest_solutions<float, Left, 9, 5, 2>(
      13, [](auto const& sequence, auto const&... operands) {
        map_by_lanes<4>(32, 13, sequence, Impl::resolve(operands)...);
      });
  expect_shortest_solutions<double, Right, 6, 10, 3>(
      17, [](auto const& sequence, auto const&... operands) {
        map_by_lanes<8>(64, 17, sequence, Impl::resolve(operands)...);
      });
}

/// A triangle and what stands below it, column by column.
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

/// Neighbouring columns in neighbouring lanes, in the last and the first; an odd number of them.
TEST(LaneGrids, RotationsOfColumns) {
  expect_eigh<double, Left, 5>(27, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<2>(32, 27, sequence, Impl::resolve(operands)...);
  });
  expect_eigh<float, Right, 9>(27, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<8>(64, 27, sequence, Impl::resolve(operands)...);
  });
  expect_eigh<double, Left, 6>(27, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<32>(64, 27, sequence, Impl::resolve(operands)...);
  });
}

/// Reflections and QL iterations: one column a lane, several, lanes without one, several items a warp.
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
  // The two vectors of the tridiagonal matrix behind the lines.
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

/// By default reflections and QL iterations find the eigenpairs from 9 rows on; below, and in double to 8, rotations do.
template <class T, int N>
void expect_way_of_eigh(bool by_ql) {
  using Value = Distributed<T, Impl::lanes_per_item<T>(N), 1, N>;
  EXPECT_EQ((Impl::finds_eigenpairs_by_ql<Impl::dealt_t<Value, false>, N>), by_ql) << N;
}
TEST(LaneGrids, WayOfEigenpairs) {
  expect_way_of_eigh<double, 8>(false);
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

/// Where the steps of qr are loops.
template <class T, int L, int M, int N>
inline constexpr int steps_of_qr =
    Impl::ColumnsOfLanes<Impl::dealt_t<Distributed<T, L, 1, (M > N ? M : N)>, false>, M,
                         N>::steps_of_a_loop;
TEST(LaneGrids, StepsOfReflections) {
  EXPECT_EQ((steps_of_qr<double, 16, 17, 17>), 0);
  EXPECT_EQ((steps_of_qr<double, 16, 18, 18>), 4);
  EXPECT_EQ((steps_of_qr<double, 32, 32, 32>), 4);
  // One column a lane.
  EXPECT_EQ((steps_of_qr<double, 32, 32, 16>), 0);
  EXPECT_EQ((steps_of_qr<float, 8, 24, 24>), 0);
  EXPECT_EQ((steps_of_qr<float, 16, 25, 25>), 4);
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

/// Items of a warp that take different pivots.
TEST(LaneGrids, SymmetricElimination) {
  expect_ldlt<double, Left, 2, 1>(29, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<2>(32, 29, sequence, Impl::resolve(operands)...);
  });
  expect_ldlt<double, Left, 5, 3>(29, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<2>(32, 29, sequence, Impl::resolve(operands)...);
  });
  expect_ldlt<float, Right, 9, 9>(29, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<8>(64, 29, sequence, Impl::resolve(operands)...);
  });
  expect_ldlt<double, Left, 11, 2>(29, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<32>(64, 29, sequence, Impl::resolve(operands)...);
  });
  // A bit for each row is all of a word.
  expect_ldlt<double, Right, 32, 1>(29, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<32>(64, 29, sequence, Impl::resolve(operands)...);
  });
}

/// Items of a warp that are squared 0 to 8 times.
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

TEST(LaneGrids, Blocks) {
  expect_blocks<double, Left>(11, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<4>(32, 11, sequence, Impl::resolve(operands)...);
  });
  expect_blocks<float, Right>(11, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<16>(64, 11, sequence, Impl::resolve(operands)...);
  });
}

}  // namespace
}  // namespace Batchwork::Test

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Factorisations of matrices that lanes share.
#include "fused/MapByLanes.hpp"
#include "tile/BlocksCase.hpp"
#include "tile/DeterminantCase.hpp"
#include "tile/EighCase.hpp"
#include "tile/LdltCase.hpp"
#include "tile/LuCase.hpp"
#include "tile/PivotedQrCase.hpp"
#include "tile/QrCase.hpp"

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

TEST(LaneGrids, DeterminantsWhosePartsAreBeyondTheRange) {
  expect_known_determinants<double, Left, 5>(37, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<2>(32, 37, sequence, Impl::resolve(operands)...);
  });
  expect_known_determinants<float, Right, 9>(37, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<8>(64, 37, sequence, Impl::resolve(operands)...);
  });
  expect_known_determinants<double, Left, 11>(
      37, [](auto const& sequence, auto const&... operands) {
        map_by_lanes<32>(64, 37, sequence, Impl::resolve(operands)...);
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

/// Sizes for which the steps of qr are loops.
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

/// Items of a warp with different pivots.
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

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Which lanes run the items of a call: on a device, how many share an item, how they exchange
/// numbers and which operands they stage; on a host, the width of packs. Also the limits of a call.
#ifndef BATCHWORK_GROUPDIVISION_HPP
#define BATCHWORK_GROUPDIVISION_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/Batchwork_Complex.hpp"
#include "core/Batchwork_Distributed.hpp"
#include "core/Batchwork_Value.hpp"
#include "core/detail/Batchwork_CopyGroup.hpp"
#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/Batchwork_Lanes.hpp"
#include "core/detail/backend/Batchwork_AsyncCopy.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_LaunchLimits.hpp"
#include "core/detail/backend/Batchwork_MatrixInstructions.hpp"
#include "fused/detail/Batchwork_Stage.hpp"
#include "launch/detail/Batchwork_Check.hpp"
#include "tile/detail/shared/Batchwork_Fragments.hpp"
#include "tile/types/Batchwork_Tile.hpp"
#include "view/Batchwork_Operand.hpp"
#include "view/detail/Batchwork_Bound.hpp"
#include "view/detail/layout/Batchwork_IndexedLocation.hpp"
#include "view/detail/loaders/Batchwork_GridTransfer.hpp"

namespace Batchwork::Impl {

/// The bytes of the exchange of an item that lanes share, for numbers of every type among the
/// operands.
template <class S>
inline constexpr std::size_t bytes_of_exchange = 0;
template <class S>
  requires is_distributed<S>
inline constexpr std::size_t bytes_of_exchange<S> = S::exchange::bytes;
/// The size of the numbers of an operand that lanes may exchange; 0 if it has none.
template <class B>
constexpr std::size_t number_bytes_of() {
  if constexpr (requires { typename B::number; }) return sizeof(typename B::number);
  else if constexpr (std::is_void_v<typename B::scalar>) return 0;
  else if constexpr (std::is_same_v<typename B::scalar, bool>) return sizeof(bool);
  else return sizeof(scalar_t<typename B::scalar>);
}
template <class LanesT, class... B>
inline constexpr std::size_t exchange_bytes_of_item = [] {
  if constexpr (on_device_lanes<LanesT>)
    return ((number_bytes_of<B>() == 8) || ...)
               ? bytes_of_exchange<typename LanesT::template value<double>>
               : bytes_of_exchange<typename LanesT::template value<float>>;
  else return std::size_t(0);
}();

/// Whether numbers are real, or complex, rather than integers or truths.
template <class S>
inline constexpr bool is_no_integer = !std::is_void_v<S> && !std::is_integral_v<S>;

/// The scalar type that determines the width of packs: that of the first operand of real numbers,
/// or of the first operand of integers if there is none.
template <class... S>
struct FirstScalar {
  using type = double;
};
template <class S, class... Rest>
struct FirstScalar<S, Rest...> {
  using type = S;
};
template <class S, class... Rest>
  requires std::is_integral_v<S>
struct FirstScalar<S, Rest...> {
  using own = std::conditional_t<std::is_same_v<S, bool>, std::int32_t, S>;
  using type = typename std::conditional_t<(is_no_integer<Rest> || ...), FirstScalar<Rest...>,
                                           std::type_identity<own>>::type;
};
template <class... Rest>
struct FirstScalar<void, Rest...> {
  using type = typename FirstScalar<Rest...>::type;
};

/// The default launch parameters of a call.
struct DefaultHow {
  static constexpr int width = 0, lanes = 0;
  using division = Division<>;
};

template <class B>
struct ShapeSeen {
  using type = typename decltype(B::loc)::shape;
};
template <class B>
  requires requires { typename B::Sh; }
struct ShapeSeen<B> {
  using type = typename B::Sh;
};

/// The largest extent among the tiles of a call.
template <class B>
constexpr int largest_extent_of() {
  if constexpr (requires { typename B::scalar; } && !std::is_void_v<typename B::scalar>) {
    if constexpr (B::kind == Kind::carry) {
      return largest_extent_of<decltype(B::start)>();
    } else {
      using Sh = typename ShapeSeen<B>::type;
      return Sh::rows > Sh::cols ? Sh::rows : Sh::cols;
    }
  } else if constexpr (B::kind == Kind::table) {
    return B::Sh::rows > B::Sh::cols ? B::Sh::rows : B::Sh::cols;
  } else {
    return 1;
  }
}
template <class... B>
inline constexpr int largest_extent_in = [] {
  int r = 1;
  ((r = largest_extent_of<B>() > r ? largest_extent_of<B>() : r), ...);
  return r;
}();

/// Bytes of the numbers of a fixed operand.
template <class B>
constexpr std::size_t fixed_bytes_of() {
  if constexpr (B::kind == Kind::fixed) return sizeof(B);
  else return 0;
}

/// The bytes that a copy group needs to fetch an operand of its next items; 0 if the operand is not
/// read or not copied that way.
template <int L, int CopyGroupLanes, class B>
constexpr std::size_t ahead_bytes_of() {
  if constexpr (L > 1 && Vendor::has_async_copies &&
                (B::kind == Kind::in || B::kind == Kind::inout)) {
    using Loc = decltype(B::loc);
    if constexpr (Loc::shape::rank > 0 && !is_indexed<Loc>)
      return GridTransfer<Loc, L, CopyGroupLanes>::bytes;
  }
  return 0;
}

/// The operands of a call that are staged in so many bytes of scratch. Fixed ones come first,
/// because lanes that read numbers of different rows of the arguments at once are served one after
/// the other. Room for all, if there is enough.
template <class Lanes, class... B>
constexpr std::uint64_t operands_staged_in(std::size_t available) {
  static_assert(sizeof...(B) <= 64, "Batchwork: a call takes at most 64 operands");
  using Staged = Stage<Lanes, B...>;
  if constexpr (Staged::bytes == 0) {
    return ~std::uint64_t(0);
  } else {
    if (Staged::bytes <= available) return ~std::uint64_t(0);
    constexpr int count = int(sizeof...(B));
    constexpr std::size_t bytes[] = {Staged::template bytes_of<B, Lanes>()...};
    constexpr bool fixed[] = {(fixed_bytes_of<B>() > 0)...};
    return staged_operands<count>(bytes, fixed, available);
  }
}

/// 1 if operand B of a map is an item's symmetric matrix that is large enough for blocks; -1 if it
/// is another matrix of an item, or one of a time loop; else 0.
template <class B>
constexpr int symmetric_of_item() {
  if constexpr (B::kind == Kind::carry || B::kind == Kind::each || B::kind == Kind::each_inout ||
                B::kind == Kind::emit) {
    return -1;
  } else if constexpr (B::kind == Kind::local) {
    return B::Sh::rank < 2 ? 0 : -1;
  } else if constexpr (B::kind == Kind::in || B::kind == Kind::out || B::kind == Kind::inout) {
    using Sh = typename decltype(B::loc)::shape;
    if (Sh::rank < 2) return 0;
    return Sh::structure == Structure::symmetric && Sh::rows >= least_extent_of_fragments ? 1 : -1;
  } else {
    return 0;
  }
}
/// Whether the same numbers of neighbouring items are adjacent in memory.
template <class B>
constexpr bool has_items_side_by_side() {
  if constexpr (requires { decltype(B::loc)::lanes_are_neighbours; })
    return decltype(B::loc)::lanes_are_neighbours;
  else return false;
}

/// Whether a warp shares an item in blocks by default: if all matrices of items are symmetric and
/// large.
template <class T, class... B>
inline constexpr bool takes_fragments =
    Vendor::chains_matrices<T> && ((symmetric_of_item<B>() == 1) || ...) &&
    ((symmetric_of_item<B>() >= 0) && ...);

template <class T>
inline constexpr bool holds_double =
    std::is_same_v<T, double> || std::is_same_v<T, Complex<double>>;

/// The largest extent of tiles on a device if an operand holds complex numbers, because a lane then
/// holds a whole item.
inline constexpr int largest_complex_extent = 10;

/// The lanes on a device: those given, or GridLanes if several share an item, as many as suit its
/// number types; the larger type counts, because its exchange is the largest. Common operands that
/// would leave too little scratch for the exchange of a copy group are read through the cache.
template <int L, class How, class DeviceLanes, class... B>
struct DividedLanes {
  using T = std::conditional_t<((number_bytes_of<B>() == 8) || ...), double, float>;
  static constexpr bool has_reals = (is_no_integer<typename B::scalar> || ...);
  using Real = std::conditional_t<
      !has_reals, T, std::conditional_t<(holds_double<typename B::scalar> || ...), double, float>>;
  static constexpr int extent = largest_extent_in<B...>;
  /// Items of complex numbers are not shared.
  static constexpr bool complex = (is_complex<typename B::scalar> || ...);
  static constexpr bool in_blocks = L == 0 && std::is_same_v<How, Division<>> &&
                                    extent <= largest_extent_of_fragments &&
                                    takes_fragments<Real, B...>;
  using Way = std::conditional_t<in_blocks, DivisionInBlocks<teams_of_fragments(extent)>, How>;
  static constexpr int lanes = complex     ? 1
                               : L > 0     ? L
                               : in_blocks ? 32
                                           : lanes_per_item<Real>(extent);
  static constexpr std::size_t exchange = Exchange<T, lanes, extent>::bytes;
  static constexpr std::size_t available = Way::scratch;
  static constexpr int usual_group = copy_group_lanes(lanes, exchange, available);
  static constexpr std::size_t items_of_sector = 32 / sizeof(T);
  /// Twice as many lanes if those of the usual group have half a sector of neighbouring items and
  /// the common operands still fit beside their exchange.
  static constexpr bool halves_sectors =
      usual_group < 128 && usual_group / lanes < int(items_of_sector) &&
      (has_items_side_by_side<B>() || ...) &&
      exchange * items_of_sector +
              Stage<GridLanes<lanes, extent, true, 2 * usual_group, Way>, B...>::bytes <=
          available;
  static constexpr int copy_group = halves_sectors ? 2 * usual_group : usual_group;
  using staging = GridLanes<lanes, extent, true, copy_group, Way>;
  static constexpr std::size_t exchanged = exchange * std::size_t(copy_group / lanes);
  // If not all operands are staged, fetching ahead has priority.
  static constexpr std::size_t left = exchanged < available ? available - exchanged : 0,
                               ahead =
                                   (std::size_t(0) + ... + ahead_bytes_of<lanes, copy_group, B>());
  static constexpr bool all = Stage<staging, B...>::bytes <= left;
  static constexpr std::uint64_t staged = operands_staged_in<staging, B...>(
      !all && ahead <= exchanged && ahead <= left ? left - ahead : left);
  static constexpr std::size_t fixed = (std::size_t(0) + ... + fixed_bytes_of<B>());
  using alone = std::conditional_t<(fixed > Vendor::fast_argument_bytes), StagingFixed<DeviceLanes>,
                                   DeviceLanes>;
  using type = std::conditional_t<
      lanes == 1, alone,
      std::conditional_t<
          staged == ~std::uint64_t(0), staging,
          std::conditional_t<staged == 0, GridLanes<lanes, extent, false, copy_group, Way>,
                             GridLanesStagingSome<lanes, extent, copy_group, Way, staged>>>>;
};
template <int L, class DeviceLanes, class... B>
using DeviceLanesOf = DividedLanes<L, Division<>, DeviceLanes, B...>;

/// True; otherwise a compile-time error explains the limits for complex numbers.
template <bool OnDevice, class How, class... B>
constexpr bool require_whole_items() {
  constexpr bool good = !OnDevice || !(is_complex<typename B::scalar> || ...) ||
                        (largest_extent_in<B...> <= largest_complex_extent && How::lanes <= 1);
  static_assert(good,
                "Batchwork: lanes of a device do not share items of complex numbers; use extents "
                "of at most 10, and no launch(lanes<n>) with n > 1");
  return good;
}

/// The numbers of a call's largest matrix that one of 32 lanes holds: whole rows or whole columns,
/// whichever are more.
template <class B>
constexpr int numbers_of_lane() {
  if constexpr (requires { typename B::scalar; } && !std::is_void_v<typename B::scalar>) {
    if constexpr (B::kind == Kind::carry) {
      return numbers_of_lane<decltype(B::start)>();
    } else {
      using Sh = typename ShapeSeen<B>::type;
      if (Sh::rank < 2) return 1;
      constexpr int rows = (Sh::rows + 31) / 32 * Sh::cols, cols = (Sh::cols + 31) / 32 * Sh::rows;
      return (rows > cols ? rows : cols) * int(sizeof(typename B::scalar) / sizeof(float));
    }
  } else {
    return 1;
  }
}
/// In words of 4 bytes, out of the 255 registers of a lane: 48 x 48 in double. Larger matrices
/// would be kept in memory.
inline constexpr int most_words_of_lane = 192;

/// True; otherwise a compile-time error explains the limits for extents over 32.
template <bool OnDevice, class How, class... B>
constexpr bool require_lanes_for_large() {
  constexpr bool large = OnDevice && largest_extent_in<B...> > 32;
  constexpr bool shared = !large || How::lanes == 0 || How::lanes == 32;
  static_assert(shared,
                "Batchwork: with an extent over 32, 32 lanes of a device share each item; write "
                "launch(lanes<32>) or leave lanes<n> out");
  constexpr bool held = !large || ((numbers_of_lane<B>() <= most_words_of_lane) && ...);
  static_assert(held,
                "Batchwork: on devices the matrices of a sequence have extents up to 48 x 48 in "
                "double and 64 x 64 in float (larger whole matrices: the verbs gemm, cholesky, "
                "solve_cholesky, solve_lu and inverse)");
  return shared && held;
}

template <class Exec, class How, class DeviceLanes, class... B>
using lanes_of =
    lanes_for<Exec, typename FirstScalar<typename B::scalar...>::type, How::width,
              typename DividedLanes<How::lanes, typename How::division, DeviceLanes, B...>::type>;

/// Requirements on the operands of every verb.
template <class Exec, class... O>
constexpr void require_one_launch() {
  static_assert((std::size_t(0) + ... + fixed_bytes_of<bound_t<O>>()) <= Vendor::fixed_bytes<Exec>,
                "Batchwork: fixed operands hold more than a launch can carry on this execution "
                "space; use common(view)");
  static_assert((int(O::kind == Kind::status) + ... + 0) <= 1,
                "Batchwork: one status operand per call; leave out the others");
  require_accessible<Exec, O...>();
}

}  // namespace Batchwork::Impl

#endif

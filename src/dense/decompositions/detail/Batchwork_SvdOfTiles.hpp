// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SvdOfTiles: svd of matrices on a device, each by some warps.
#ifndef BATCHWORK_SVDOFTILES_HPP
#define BATCHWORK_SVDOFTILES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "core/detail/Batchwork_PowerOfTwo.hpp"
#include "core/detail/backend/Batchwork_LaunchLimits.hpp"
#include "dense/decompositions/detail/Batchwork_DecompositionInWorkspace.hpp"
#include "dense/decompositions/detail/Batchwork_EigenpairsOfTeam.hpp"
#include "dense/decompositions/detail/Batchwork_RotationTiles.hpp"
#include "dense/decompositions/detail/Batchwork_SvdChoice.hpp"
#include "dense/decompositions/detail/Batchwork_SvdOfItems.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"

namespace Batchwork::Impl {

/// See RotationTiles. A team has an item at a time. With Tiles > 0, for 9 to 8 Tiles columns,
/// rotations begin with the eigenvectors of a' a, see begins_svd_by_eigenvectors: a' a comes to the
/// place of v, and then to that of a, which is read once more after its eigenvectors are in v. Of
/// an item that scratch cannot hold, for as many teams, v stands in a slot of a workspace, of a
/// larger one both do.
template <class T, int Tiles, int Lanes, int Teams = 1>
struct SvdOfTiles {
  static constexpr int largest_team = Lanes, wanted_teams = Teams;
  static constexpr bool begins = Tiles > 0;
  template <class Member>
  using Rotations = RotationTiles<ColumnsInMemory<T, ColumnLanes<Member>>>;

  SvdOfItems<T> f;
  EigenpairShape<T> shape;
  WorkspaceSlots<T> slots{};
  int warps, turning, right_leading;  ///< turning: warps that have blocks
  bool one_in_slot = false, all_in_slot = false;

  SvdOfTiles(SvdOfItems<T> const& of, DeviceLimits const& limits)
      : f(of),
        shape(of.n),
        warps(begins ? Lanes / lanes_of_warp
                     : std::min(Rotations<int>::warps(of.n), Lanes / lanes_of_warp)),
        turning(std::min(Rotations<int>::warps(of.n), warps)),
        right_leading(Rotations<int>::leading(of.n)) {
    f.leading = Rotations<int>::leading(f.m);
    if (fits(limits)) return;
    one_in_slot = has_two();
    if ((one_in_slot && fits(limits)) || Teams > 1) return;
    all_in_slot = true;
    // Of a wide item; on devices with little scratch.
    while (!begins && warps > 1 && !fits(limits)) turning = --warps;
  }
  bool fits(DeviceLimits const& limits) const { return limits.holds(Teams, team(), bytes()); }
  static bool takes(SvdOfItems<T> const& f) {
    return !begins || (f.n > 8 && f.n <= 8 * Tiles && EigenpairsOfTeam < T, begins ? Tiles : 8,
                       Lanes, int > ::fits(EigenpairShape<T>(f.n)));
  }
  bool in_scratch() const { return !one_in_slot && !all_in_slot; }
  BATCHWORK_INLINE bool has_two() const { return begins || f.stores_vectors; }
  BATCHWORK_INLINE std::int64_t numbers_of_columns(int leading) const {
    return std::int64_t(leading) * Rotations<int>::stored(f.n);
  }
  BATCHWORK_INLINE int numbers_of_gram() const { return (shape.matrix_numbers() + 3) / 4 * 4; }
  /// The numbers beside a' a, and those that the whole numbers beside it take.
  BATCHWORK_INLINE std::int64_t numbers_of_pairs() const {
    return shape.memory().numbers + (shape.memory().indices * 2 + int(sizeof(T)) - 1) / sizeof(T);
  }
  /// Of both places of columns the first is where a is at the end.
  BATCHWORK_INLINE std::int64_t numbers_of_first() const {
    std::int64_t const of_a =
                           numbers_of_columns(f.leading) + (all_in_slot ? 0 : numbers_of_turns()),
                       of_pairs = numbers_of_gram() + numbers_of_pairs();
    return begins && of_pairs > of_a ? (of_pairs + 3) / 4 * 4 : of_a;
  }
  BATCHWORK_INLINE std::int64_t numbers_of_second() const {
    return !has_two() ? 0 : numbers_of_columns(begins ? f.leading : right_leading);
  }
  BATCHWORK_INLINE ItemMemory memory() const {
    return {numbers_of_first() + f.beside() + (one_in_slot ? 0 : numbers_of_second()), f.n};
  }
  BATCHWORK_INLINE std::size_t bytes_of_item() const { return memory().template bytes<T>(0); }
  BATCHWORK_INLINE std::size_t bytes_of_second() const {
    return one_in_slot ? std::size_t(numbers_of_second()) * sizeof(T) : 0;
  }
  std::size_t bytes_of_slot() const {
    return bytes_of_second() + (all_in_slot ? bytes_of_item() : 0);
  }
  /// The products of rotations are always in scratch.
  BATCHWORK_INLINE int numbers_of_turns() const { return turning * Rotations<int>::turn_numbers; }
  BATCHWORK_INLINE std::size_t bytes_of_found() const {
    return ItemMemory::whole(std::size_t(ColumnLanes<int>::found_numbers(team())) * 8);
  }
  BATCHWORK_INLINE std::size_t bytes_of_scratch() const {
    return bytes_of_found() +
           (all_in_slot ? std::size_t(numbers_of_turns()) * sizeof(T) : bytes_of_item());
  }
  std::size_t bytes() const { return bytes_of_scratch() + 16; }
  BATCHWORK_INLINE int team() const { return lanes_of_warp * warps; }
  std::int64_t teams() const { return in_scratch() ? f.items : std::min(slots.count, f.items); }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    char* const found =
        static_cast<char*>(member.team_scratch(0).get_shmem_aligned(bytes_of_scratch(), 16));
    char* const slot = one_in_slot || all_in_slot ? slots.slot(member.league_rank()) : nullptr;
    char* const beside = found + bytes_of_found();
    char* const own = all_in_slot ? slot + bytes_of_second() : beside;
    char* const turns =
        all_in_slot ? beside : own + std::size_t(numbers_of_columns(f.leading)) * sizeof(T);
    BATCHWORK_KEEP_LOOP
    for (std::int64_t item = member.league_rank(); item < f.items; item += member.league_size()) {
      decompose(ItemOfTeamInWorkspace<T, Member>{{member, own, bytes_of_item(), memory(), item,
                                                  f.items, 1, team(), lanes_of_warp},
                                                 reinterpret_cast<std::int64_t*>(found)},
                reinterpret_cast<T*>(slot), reinterpret_cast<T*>(turns));
      // The next item overwrites this one.
      member.team_barrier();
    }
  }

 private:
  template <class Items>
  BATCHWORK_INLINE void decompose(Items const& items, T* slot, T* turns) const {
    using Rotating = RotationTiles<ColumnsInMemory<T, typename Items::Lanes>>;
    T *const first = items.numbers(0), *const rest = first + numbers_of_first(),
             *const second = one_in_slot ? slot : rest + f.beside();
    SvdPlace<T> const place{first, has_two() ? second : nullptr, rest, right_leading};
    f.decompose(
        items, [&](int) { return place; },
        [&](auto& a, auto& right, T const& largest, T*) {
          Rotating::clear_padding(a);
          bool has_begun = false;
          if constexpr (begins) {
            if (is_finite(largest)) {
              a.lanes.sync();
              int const rank = a.lanes.rank, count = a.lanes.count, apart = shape.leading();
              Rotating(a, right, turns).put_gram(second, apart);
              a.lanes.sync();
              T size(0);
              for (int j = rank; j < f.n; j += count)
                size = larger_size(size, second[j * apart + j]);
              UnitScale<T> const by(a.lanes.largest(size));
              for (int i = rank; i < f.n * apart; i += count)
                first[i] = second[i] * by.first * by.second;
              a.lanes.sync();
              T* const pair_numbers = first + numbers_of_gram();
              EigenpairsOfTeam<T, Tiles, Lanes, std::remove_cvref_t<decltype(items.member)>> const
                  pairs(items.member, shape, first, pair_numbers,
                        reinterpret_cast<std::int16_t*>(pair_numbers + shape.memory().numbers));
              has_begun = pairs.find();
              if (has_begun)
                pairs.vectors([&](int k, int i, T const& x) {
                  second[(f.n - 1 - k) * right_leading + i] = x;
                });
              a.lanes.sync();
              UnitScale<T> const scale(largest);
              items.load(f.a, f.m, f.n, [&](int, int i, int j, T const& x) {
                first[j * f.leading + i] = x * scale.first * scale.second;
              });
              Rotating::clear_padding(a);
              if (has_begun) {
                Rotating::clear_padding(right);
                a.lanes.sync();
                Rotating(a, right, turns).template multiply_by_vectors<Tiles>();
              }
            }
          }
          if (!has_begun && right.a != nullptr) right.set_unit(), Rotating::clear_padding(right);
          return false;
        },
        [&](auto const& a, auto right, T*) {
          if (!f.stores_vectors) right.a = nullptr;
          return Rotating(a, right, turns).orthogonalise();
        });
  }
};

template <class Kernel, class T, class Exec>
bool launch_svd_of_some_tiles(Exec const& exec, Call const& call,
                              GivenWorkspace<T> const& workspace, SvdOfItems<T> const& f) {
  DeviceLimits const limits = Vendor::device_limits(exec);
  Kernel kernel(f, limits);
  if (!Kernel::takes(f) || !kernel.fits(limits)) return false;
  auto const launch = [&] {
    launch_kernel(exec, kernel_label(call.verb, call.label), kernel,
                  [&] { return matrices_do_not_fit(call, "use smaller matrices"); });
  };
  if (kernel.in_scratch()) {
    if (!workspace.asks()) launch();
    return true;
  }
  // Rotations alone, or of pairs, need less scratch, and serve where there is no workspace.
  DecompositionTeams<SvdOfItems<T>, true> const rotations(f, limits);
  bool const is_needed = !rotations.fits(limits);
  if (!is_needed && !workspace.asks() &&
      workspace.count < WorkspaceSlots<T>::numbers(1, kernel.bytes_of_slot()))
    return false;
  launch_in_workspace<T>(call, workspace,
                         {item_needs_more(call, rotations.bytes(), limits.scratch_of_team),
                          kernel.bytes_of_slot(), slots_at_once(exec, f.items, kernel.team())},
                         [&](WorkspaceSlots<T> const& slots) {
                           kernel.slots = slots;
                           launch();
                         });
  if (workspace.asks() && !is_needed) workspace.answer->least = 0;
  return true;
}

/// Launches it on devices whose lanes have shuffles for more than 32 rows, in the workspace of the
/// call where an item does not fit into scratch. \returns whether it does, or answers how large a
/// workspace is needed
template <class T, class Exec>
bool launch_svd_of_tiles(Exec const& exec, Call const& call, GivenWorkspace<T> const& workspace,
                         SvdOfItems<T> const& f) {
  if constexpr (runs_on_device<Exec> && Vendor::has_shuffles) {
    if (f.m <= columns_of_warp || svd_warps_are_faster<T>(f.m, f.n)) return false;
    bool done = false;
    auto const launch = [&]<int Tiles, int Lanes, int Teams>(SvdTilesChoice const& c) {
      if (!done && c == SvdTilesChoice{Tiles, Lanes, Teams})
        done =
            launch_svd_of_some_tiles<SvdOfTiles<T, Tiles, Lanes, Teams>>(exec, call, workspace, f);
    };
    constexpr bool begins = Vendor::chains_matrices<double>;
    for (SvdTilesChoice const& c : choose_svd_tiles<T>(f.n, begins)) {
      if constexpr (begins) {
        if constexpr (sizeof(T) == 8) {
          launch.template operator()<8, 128, 1>(c);
          launch.template operator()<13, 256, 2>(c);
        } else {
          launch.template operator()<12, 128, 3>(c);
          launch.template operator()<16, 256, 2>(c);
        }
        launch.template operator()<16, 256, 1>(c);
        launch.template operator()<28, 256, 1>(c);
      }
      launch.template operator()<0, 512, 1>(c);
    }
    return done;
  } else {
    return false;
  }
}

}  // namespace Batchwork::Impl

#endif

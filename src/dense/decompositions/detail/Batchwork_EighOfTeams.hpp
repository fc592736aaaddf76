// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// EighOfTeams: eigh of matrices in a device's team scratch, a team of warps an item.
#ifndef BATCHWORK_EIGHOFTEAMS_HPP
#define BATCHWORK_EIGHOFTEAMS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/detail/Batchwork_PowerOfTwo.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_LaunchLimits.hpp"
#include "dense/decompositions/detail/Batchwork_DecompositionLaunch.hpp"
#include "dense/decompositions/detail/Batchwork_EigenpairsOfTeam.hpp"
#include "dense/decompositions/detail/Batchwork_EighOfItems.hpp"

namespace Batchwork::Impl {

/// On a device, with `Lanes` lanes a team, for matrices of up to `Tiles` tiles of eight rows.
template <class T, int Tiles, int Lanes, int Teams>
struct EighOfTeams {
  static constexpr int largest_team = Lanes, wanted_teams = Teams;

  EighOfItems<T> f;
  EigenpairShape<T> shape;

  explicit EighOfTeams(EighOfItems<T> const& of) : f(of), shape(of.n) { f.leading = shape.leading(); }
  bool fits(DeviceLimits const& limits) const {
    return EigenpairsOfTeam<T, Tiles, Lanes, int>::fits(shape) && bytes() <= limits.scratch_of_team;
  }
  BATCHWORK_INLINE std::size_t bytes_of_item() const {
    return shape.memory().template bytes<T>(ColumnLanes<int>::found_numbers(Lanes));
  }
  std::size_t bytes() const { return bytes_of_item() + 16; }
  int team() const { return Lanes; }
  std::int64_t teams() const { return f.items; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    constexpr T nan = std::numeric_limits<T>::quiet_NaN();
    char* const scratch =
        static_cast<char*>(member.team_scratch(0).get_shmem_aligned(bytes_of_item(), 16));
    std::int64_t const item = member.league_rank();
    ItemsOfTeam<T, Member> const of{member,  scratch, bytes_of_item(), shape.memory(), item,
                                    f.items, 1,       Lanes,           1};
    int const n = f.n, apart = f.leading;
    T* const own = of.numbers(0);
    of.load(f.a, n, n, [&](int, int i, int j, T const& x) {
      if (i < j) return;
      own[j * apart + i] = x;
      own[i * apart + j] = x;
    });
    auto const lanes = of.lanes();
    for (int j = lanes.rank; j < n; j += Lanes)
      for (int i = n; i < apart; ++i) own[j * apart + i] = T(0);
    of.meet();
    T size(0);
    for (int i = lanes.rank; i < n * apart; i += Lanes) size = larger_size(size, abs(own[i]));
    size = lanes.largest(size);
    UnitScale<T> const scale(size);
    for (int i = lanes.rank; i < n * apart; i += Lanes)
      own[i] = own[i] * scale.first * scale.second;
    of.meet();
    EigenpairsOfTeam<T, Tiles, Lanes, Member> const pairs(member, shape, own, of.indices(0));
    bool const ends = !is_finite(size) || pairs.find();
    std::int32_t code = rotation_status(size, !ends, T(0));
    auto const value = [&](T const& x) { return x * scale.second_back * scale.first_back; };
    if (code == 0) {
      T extreme(0);
      pairs.values([&](int, T const& x) { extreme = larger_size(extreme, abs(value(x))); });
      if (!is_finite(lanes.largest(extreme))) code = Status::code(Reason::not_finite, 0);
    }
    if (code != 0) {
      of.store(f.values, n, 1, [&](int, int, int) { return nan; });
      if (f.stores_vectors) of.store(f.vectors, n, n, [&](int, int, int) { return nan; });
    } else {
      auto const& to = f.values.storage;
      pairs.values(
          [&](int k, T const& x) { item_of(to, item)[std::int64_t(k) * to.row] = value(x); });
      if (f.stores_vectors) {
        auto const& v = f.vectors.storage;
        T* const first = item_of(v, item);
        pairs.vectors([&](int k, int i, T const& x) {
          first[std::int64_t(i) * v.row + std::int64_t(k) * v.col] = x;
        });
      }
    }
    of.put_status(f.status, code);
  }
};

}  // namespace Batchwork::Impl

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What the calls of decompositions check of their operands.
#ifndef BATCHWORK_DECOMPOSITIONCALL_HPP
#define BATCHWORK_DECOMPOSITIONCALL_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "core/detail/Batchwork_KernelSets.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_VerbCall.hpp"

namespace Batchwork::Impl {

template <class Batch>
constexpr void require_vector() {
  static_assert(Batch::tile_rank == 1,
                "Batchwork: eigenvalues and singular values need a View v(item, k), or "
                "compact(view, n) of a View v(group, k, lane)");
}
template <class Exec, class First, class... Others>
constexpr bool require_decomposition_views() {
  using T = std::remove_const_t<typename First::value_type>;
  require_kernels<KernelSet::dense, Exec>();
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "Batchwork: decompositions take float or double");
  static_assert((std::is_same_v<T, std::remove_const_t<typename Others::value_type>> && ...),
                "Batchwork: all Views of a call hold the same type of numbers; give all of them in "
                "float, or all in double");
  return require_reachable<(
      Kokkos::SpaceAccessibility<Exec, typename First::memory_space>::accessible &&
      (Kokkos::SpaceAccessibility<Exec, typename Others::memory_space>::accessible && ...))>();
}

/// Refuses an operand that has not these extents, of what it `holds`.
template <class Batch>
void require_extents(Call const& call, std::size_t place, Batch const& x, std::int64_t rows,
                     std::int64_t cols, std::string const& holds) {
  if (x.rows == rows && x.cols == cols) return;
  call.fail(call.parts[place].name() + " does not hold " + holds + " of " + call.parts[0].name() +
            "; give a View with items of " + std::to_string(rows) +
            (Batch::tile_rank == 2 ? "x" + std::to_string(cols) : ""));
}
/// An extent of operand `place`: places of columns are kept in 16 bits.
inline int whole_extent(Call const& call, std::size_t place, std::int64_t n) {
  constexpr std::int64_t most = 32767;
  call.check_size(place, n, most, "indices of 16 bits");
  return int(n);
}

}  // namespace Batchwork::Impl

#endif

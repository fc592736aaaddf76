// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// check_indices: finds indices out of range before they are used.
#ifndef BATCHWORK_CHECK_INDICES_HPP
#define BATCHWORK_CHECK_INDICES_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "launch/detail/Batchwork_Check.hpp"
#include "launch/detail/Batchwork_IndexPositions.hpp"
#include "view/Batchwork_Adaptors.hpp"
#include "view/detail/layout/Batchwork_Storage.hpp"

namespace Batchwork {
namespace Impl {

/// The first position of an index out of range.
template <class I>
struct FirstOutOfRange {
  IndexPositions<I> index;
  std::int64_t extent;
  KOKKOS_FUNCTION void operator()(std::int64_t q, std::int64_t& first) const {
    if (!index.is_in_range(q, extent) && q < first) first = q;
  }
};
/// An index, brought to the host.
template <class I>
struct IndexAt {
  IndexPositions<I> index;
  std::int64_t at;
  KOKKOS_FUNCTION void operator()(std::int64_t, I& value) const { value += index.at(at); }
};

/// As check_indices, in the name of a verb.
template <class Batch>
void refuse_indices_out_of_range(std::string const& verb, Batch const& index, std::int64_t extent) {
  using I = std::remove_const_t<typename Batch::value_type>;
  using Exec = typename Batch::memory_space::execution_space;
  Part const part{1, "index", false, index.description};
  CallChecks<>::parts(verb, std::vector<Part>(1, part), {});
  if (extent < 0)
    refuse_call(verb, "extent is " + std::to_string(extent) +
                          "; give the number of items of the View that the indices pick from");
  // A kernel of another instance may still write the indices.
  Kokkos::fence("Batchwork::" + verb + ": indices");
  IndexPositions<I> const positions(index);
  std::int64_t first = positions.count;
  Kokkos::parallel_reduce(
      "Batchwork::check_indices",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, positions.count),
      FirstOutOfRange<I>{positions, extent}, Kokkos::Min<std::int64_t>(first));
  if (first >= positions.count) return;
  I value = 0;
  Kokkos::parallel_reduce("Batchwork::check_indices: value",
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, 1),
                          IndexAt<I>{positions, first}, value);
  std::int64_t const item = first / positions.per_item(), r = first % positions.per_item();
  std::string where = std::to_string(item);
  if (Batch::tile_rank == 1) where += ", " + std::to_string(r);
  if (Batch::tile_rank == 2)
    where += ", " + std::to_string(r / positions.cols) + ", " + std::to_string(r % positions.cols);
  refuse_call(verb, view_name("index", index.description, "") + " is " + std::to_string(value) +
                        " at (" + where + "), but indices must be at least 0 and less than " +
                        std::to_string(extent) + ", the extent of the View that they pick from");
}

}  // namespace Impl

/// Finds out whether all indices of gathered(view, index) or scattered(view, index) are in range.
/// Waits for all kernels, reads the indices on the device, and waits for the result. Kernels check
/// their indices too: this is for data that come from outside the program, once, before they are
/// used.
/// ```cpp
/// check_indices(node, std::int64_t(x.extent(0)));
/// ```
/// \param index   a View of integers, or an adapted one: index(item), index(item, k) or
///   index(item, i, j)
/// \param extent  the number of items of the View that they pick from
/// \throws std::invalid_argument  naming the first index that is negative or not less than extent
template <Impl::Viewish I>
void check_indices(I const& index, std::int64_t extent) {
  auto const batch = Impl::stored(index);
  using Number = std::remove_const_t<typename decltype(batch)::value_type>;
  static_assert(std::is_integral_v<Number> && !std::is_same_v<Number, bool>,
                "Batchwork::check_indices: the View must hold integers");
  Impl::refuse_indices_out_of_range("check_indices", batch, extent);
}

}  // namespace Batchwork

#endif

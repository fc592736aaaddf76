// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// scatter_plan and scatter_add: sums of numbers with equal indices in a fixed order, so that every
/// run gives the same bits.
#ifndef BATCHWORK_SCATTER_ADD_HPP
#define BATCHWORK_SCATTER_ADD_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "fused/Batchwork_CheckIndices.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_Check.hpp"
#include "launch/detail/Batchwork_IndexPositions.hpp"
#include "launch/detail/Batchwork_RangeLaunch.hpp"
#include "launch/detail/Batchwork_VerbCall.hpp"
#include "view/Batchwork_Adaptors.hpp"
#include "view/detail/layout/Batchwork_Storage.hpp"

namespace Batchwork {

/// The indices of a scattered sum, sorted once. Made by scatter_plan; copies share its memory.
/// \tparam Memory  the memory space of the indices
template <class Memory>
struct ScatterPlan {
  std::int64_t extent = 0;  ///< the number of items of the View to which is added
  /// The largest number of indices that are equal: at most 1 if all differ, as out(scattered(...))
  /// needs.
  std::int64_t most = 0;
  std::int64_t items = 0, rows = 1, cols = 1;  ///< the extents of the index View
  int index_rank = 0;                          ///< the number of its indices behind the item
  /// Item k of the View gets the positions begins(k) .. begins(k + 1) - 1.
  Kokkos::View<std::int64_t*, Memory> begins;
  /// Position (item * rows + i) * cols + j is that of index(item, i, j). Ascending for each item of
  /// the View.
  Kokkos::View<std::uint32_t*, Memory> positions;
};

/// Sorts the indices of a scattered sum for scatter_add. It allocates memory, waits for the device
/// and sorts on the host. Time and memory grow with the number of indices and targets. Make it once
/// for a mesh.
/// ```cpp
/// auto const plan = scatter_plan(node, std::int64_t(f.extent(0)));
/// ```
/// \param index   a View of integers, or an adapted one: index(item), index(item, k) or
///   index(item, i, j); at most 2^32 - 1 indices
/// \param extent  the number of items of the View to which is added
/// \returns the plan, a ScatterPlan
/// \throws std::invalid_argument  if an index is out of range, or the View has too many indices
template <Impl::Viewish V>
auto scatter_plan(V const& index, std::int64_t extent) {
  auto const batch = Impl::stored(index);
  using Batch = std::remove_const_t<decltype(batch)>;
  using I = std::remove_const_t<typename Batch::value_type>;
  using Memory = typename Batch::memory_space;
  static_assert(std::is_integral_v<I> && !std::is_same_v<I, bool>,
                "Batchwork::scatter_plan: the View must hold integers");
  Impl::refuse_indices_out_of_range("scatter_plan", batch, extent);
  Impl::IndexPositions<I> const all(batch);
  if (all.count > std::int64_t(std::numeric_limits<std::uint32_t>::max()))
    Impl::refuse_call(
        "scatter_plan",
        Impl::view_name("index", batch.description, "") +
            " has more than 2^32 - 1 indices; make a plan for each part of the items");
  auto const n = static_cast<std::size_t>(all.count), targets = static_cast<std::size_t>(extent);
  auto const wide = Impl::widened_indices("Batchwork::scatter_plan: indices", batch);
  auto const to = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), wide);
  ScatterPlan<Memory> plan;
  plan.items = batch.description.items;
  plan.rows = batch.rows, plan.cols = batch.cols, plan.index_rank = Batch::tile_rank;
  plan.extent = extent;
  plan.begins = decltype(plan.begins)(
      Kokkos::view_alloc("Batchwork::scatter_plan: begins", Kokkos::WithoutInitializing),
      targets + 1);
  plan.positions = decltype(plan.positions)(
      Kokkos::view_alloc("Batchwork::scatter_plan: positions", Kokkos::WithoutInitializing), n);
  auto const begins = Kokkos::create_mirror_view(plan.begins);
  auto const positions = Kokkos::create_mirror_view(plan.positions);
  // A counting sort keeps equal indices in the order of their positions.
  std::vector<std::int64_t> next(targets + 1, 0);
  for (std::size_t q = 0; q < n; ++q) ++next[std::size_t(to(q)) + 1];
  for (std::size_t k = 0; k < targets; ++k) {
    if (next[k + 1] > plan.most) plan.most = next[k + 1];
    next[k + 1] += next[k];
  }
  for (std::size_t k = 0; k <= targets; ++k) begins(k) = next[k];
  for (std::size_t q = 0; q < n; ++q)
    positions(std::size_t(next[std::size_t(to(q))]++)) = static_cast<std::uint32_t>(q);
  Kokkos::deep_copy(plan.begins, begins);
  Kokkos::deep_copy(plan.positions, positions);
  return plan;
}

namespace Impl {

/// Adds to one number of a View what its contributions hold, in the order of the plan.
template <class T>
struct AddSorted {
  std::int64_t const* begins;
  std::uint32_t const* positions;
  Storage<T const> from;
  Storage<T> to;
  std::int64_t extent, cols, entries;  ///< columns and numbers of an item of the View
  std::int64_t index_rows, index_cols;
  int index_rank;
  bool items_near;  ///< neighbouring threads have neighbouring items of the View
  bool even;        ///< number e of position q is at q * step + e * from.col
  std::int64_t step;

  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    std::int64_t const k = items_near ? n % extent : n / entries,
                       e = items_near ? n / extent : n % entries, i = e / cols, j = e - i * cols;
    T* const place = item_of(to, k) + i * to.row + j * to.col;
    T sum = *place;
    std::int64_t const end = begins[k + 1];
    for (std::int64_t s = begins[k]; s < end; ++s) {
      std::int64_t const q = positions[s];
      if (even) {
        sum += from.data[q * step + (index_rank == 0 ? i * from.row + j * from.col : i * from.col)];
      } else {
        std::int64_t const per_item = index_rows * index_cols, item = q / per_item,
                           r = q - item * per_item, a = r / index_cols, b = r - a * index_cols;
        sum += item_of(from, item)[index_rank == 0   ? i * from.row + j * from.col
                                   : index_rank == 1 ? a * from.row + i * from.col
                                                     : a * from.row + b * from.col];
      }
    }
    *place = sum;
  }
};

struct ScatterAddCall {
  template <class Exec, class Memory, Viewish C, Viewish V>
  void operator()(Exec const& exec, Launch<> const& how, ScatterPlan<Memory> const& plan,
                  C const& contributions, V const& view) const {
    auto const from = stored(contributions);
    auto const to = stored(view);
    using From = std::remove_const_t<decltype(from)>;
    using To = std::remove_const_t<decltype(to)>;
    using T = typename To::value_type;
    static_assert(!std::is_const_v<T> &&
                      std::is_same_v<std::remove_const_t<typename From::value_type>, T> &&
                      std::is_arithmetic_v<T>,
                  "Batchwork::scatter_add: the contributions and the View must hold the same type "
                  "of real numbers or integers, and the View must not be const");
    static_assert(From::tile_rank >= To::tile_rank,
                  "Batchwork::scatter_add: the indices of the contributions are the item, those of "
                  "the index View behind it and those of the View behind its item");
    require_reachable<Kokkos::SpaceAccessibility<Exec, Memory>::accessible &&
                      Kokkos::SpaceAccessibility<Exec, typename From::memory_space>::accessible &&
                      Kokkos::SpaceAccessibility<Exec, typename To::memory_space>::accessible>();
    std::string const& label = label_alone(how);
    Part c{2, "contributions", false, from.description}, v{3, "view", true, to.description};
    std::int64_t const held = to.description.items;
    v.d.items = -1;
    CallChecks<>::parts("scatter_add", {c, v}, {});
    auto const refuse = [&](Part const& part, std::string const& what) {
      refuse_call("scatter_add", part.name() + " " + what);
    };
    if (held != plan.extent)
      refuse(v, "has " + std::to_string(held) + " items, but the plan is for " +
                    std::to_string(plan.extent) + "; make a plan for this View");
    // The extents that the contributions must have behind the item.
    std::int64_t want[4] = {plan.rows, plan.cols, 0, 0};
    want[plan.index_rank] = to.rows, want[plan.index_rank + 1] = to.cols;
    int const rank = plan.index_rank + To::tile_rank;
    bool const fits = rank == From::tile_rank && from.description.items == plan.items &&
                      (rank < 1 || from.rows == want[0]) && (rank < 2 || from.cols == want[1]);
    if (!fits)
      refuse(c, "does not fit: it must be (" + std::to_string(plan.items) +
                    (rank > 0 ? ", " + std::to_string(want[0]) : "") +
                    (rank > 1 ? ", " + std::to_string(want[1]) : "") + (rank > 2 ? ", ..." : "") +
                    "): the item, the indices of the plan behind it, and those of the View");
    std::int64_t const entries = to.rows * to.cols;
    if (plan.extent * entries == 0) return;
    AddSorted<T> f;
    f.begins = plan.begins.data(), f.positions = plan.positions.data();
    auto const& s = from.storage;
    f.from = s.as_const();
    f.to = to.storage;
    f.extent = plan.extent, f.cols = to.cols, f.entries = entries;
    f.index_rows = plan.rows, f.index_cols = plan.cols, f.index_rank = plan.index_rank;
    f.items_near = items_are_near(to.storage, to.rows, to.cols);
    f.step = plan.index_rank == 0 ? s.group : plan.index_rank == 1 ? s.row : s.col;
    f.even = s.width == 1 && (plan.index_rank == 0 || s.group == plan.rows * s.row) &&
             (plan.index_rank < 2 || s.row == plan.cols * s.col);
    launch_range(exec, kernel_label("scatter_add", label), plan.extent * entries, f);
  }
};

}  // namespace Impl

/// Adds contributions to the items of a View that indices name, in a fixed order:
///
/// ```text
/// scatter_add([exec,] [launch("label"),] plan, contributions, view)
/// ```
///
/// For every index of the plan, view(index(item, ...), ...) += contributions(item, ..., ...). Each
/// item of the View gets its numbers one after the other, in the order of the items of the plan.
/// Every run, backend and number of threads gives the same bits. It reads the contributions once.
/// add(scattered(view, index)) needs no memory for them, but its sums of reals depend on the order
/// in which threads add.
/// ```cpp
/// auto const plan = scatter_plan(node, std::int64_t(f.extent(0)));  // once
/// map(Forces{}, out(forces), in(gathered(x, node)));                // forces(element, k, j)
/// scatter_add(plan, forces, f);                                     // f(node, j)
/// ```
/// \param plan           scatter_plan(index, extent)
/// \param contributions  a View, or an adapted one, of reals or integers; its indices are the item,
///   those of the index View behind the item, and those of `view` behind its item
/// \param view           a View, or an adapted one, with as many items as the plan has targets
/// \throws std::invalid_argument  before the launch: extents that do not fit the plan, Views that
///   are null or overlap
///
/// One kernel on `exec`, labelled Batchwork::scatter_add or Batchwork::scatter_add(label);
/// asynchronous, allocates nothing, never fences. A plan for no items launches nothing.
template <class... X>
void scatter_add(X const&... arguments) {
  static_assert(Impl::Takes<Impl::ScatterAddCall, X...>,
                "Batchwork::scatter_add: the arguments are [exec,] [launch(\"label\"),] plan, "
                "contributions, view in this order");
  Impl::call_verb(Impl::ScatterAddCall(), arguments...);
}

}  // namespace Batchwork

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Ragged operands: ragged(plan, values, offsets) is a batch of items with different sizes, for map
/// and for verbs on whole matrices.
#ifndef BATCHWORK_RAGGED_HPP
#define BATCHWORK_RAGGED_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "launch/Batchwork_RaggedPlan.hpp"
#include "launch/detail/Batchwork_IndexPositions.hpp"
#include "launch/detail/Batchwork_RaggedCall.hpp"
#include "view/Batchwork_Operand.hpp"

namespace Batchwork {

namespace Impl {

/// Numbers of an item: `count` of them from `begin` on.
struct RaggedRange {
  std::int64_t begin, count, item;
};

/// Which two items share numbers, in words; empty if none do.
inline std::string shared_by_items(std::vector<RaggedRange> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](RaggedRange const& x, RaggedRange const& y) {
    return x.begin != y.begin ? x.begin < y.begin : x.item < y.item;
  });
  for (std::size_t k = 1; k < ranges.size(); ++k)
    if (ranges[k].begin < ranges[k - 1].begin + ranges[k - 1].count)
      return "items " + std::to_string(ranges[k - 1].item) + " and " +
             std::to_string(ranges[k].item) + " share numbers";
  return "";
}

template <int... D, class Plan, class V>
auto make_ragged(Plan const& plan, V const& values, std::int64_t const* offsets, bool by_columns) {
  using Memory = typename decltype(plan.parts->size_there)::memory_space;
  static_assert(
      sizeof...(D) <= 2,
      "Batchwork::ragged: give two sizes for matrices, one for vectors, none for numbers");
  static_assert(((D >= 0 && D < RaggedClass::most_sizes) && ...),
                "Batchwork::ragged: sizes are 0, 1 or 2, the second index of the plan's sizes");
  static_assert(Kokkos::is_view_v<V> && V::rank() == 1,
                "Batchwork::ragged: the values are a View with one index");
  static_assert(
      std::is_same_v<typename V::memory_space, Memory>,
      "Batchwork::ragged: the values and the sizes of the plan must be in the same memory "
      "space; deep_copy one of them there first");
  auto const& p = *plan.parts;
  Description const d = describe_view(values);
  std::string const name = view_name("values", d, "");
  auto const refuse = [](std::string const& what) { refuse_call("ragged", what); };
  using R = Ragged<Plan, V, D...>;
  if (!d.problem.empty()) refuse(name + ": " + d.problem);
  if (!d.contiguous) refuse(name + " has gaps; give a contiguous View");
  if (sizeof...(D) > 0 && R::sizes > p.sizes)
    refuse("the operand uses size " + std::to_string(R::sizes - 1) +
           ", but items of the plan have " + std::to_string(p.sizes) +
           "; give ragged_plan a View of sizes(item, d)");
  R r{};
  r.plan = plan, r.values = values, r.by_columns = by_columns;

  std::int64_t const extent = std::int64_t(values.extent(0));
  std::vector<RaggedRange> ranges;
  for (std::int64_t n = 0; n < plan.items; ++n) {
    std::int64_t count = 1;
    ((count *= p.size[std::size_t(n * p.sizes + D)]), ...);
    std::int64_t const begin = offsets == nullptr ? n : offsets[n];
    if (count == 0) continue;
    if (begin < 0 || begin > extent - count)
      refuse("item " + std::to_string(n) + " has " + std::to_string(count) +
             " numbers from offset " + std::to_string(begin) + " on, but " + name + " has " +
             std::to_string(extent) + "; give offsets of items that are inside the View");
    ranges.push_back({begin, count, n});
  }
  r.overlap = shared_by_items(std::move(ranges));
  std::vector<std::int64_t> begins = p.item_at;
  if (offsets != nullptr)
    for (auto& b : begins) b = offsets[b];
  r.begins_there = copy_of<Memory>("Batchwork::ragged: offsets", begins);

  std::int64_t most = 0;
  for (auto const& segment : p.segments)
    most = std::max(most, segment.count * r.rows_of(segment) * r.cols_of(segment));
  r.packed = decltype(r.packed)(
      Kokkos::view_alloc("Batchwork::ragged: items", Kokkos::WithoutInitializing),
      std::size_t(most));
  return r;
}

}  // namespace Impl

/// A batch of items with different sizes in one array, as the operand of a verb: in(r), out(r) or
/// inout(r). It may be used for many calls, one after the other; it owns memory in which parts of
/// the batch have equal sizes, so calls on several execution space instances must not overlap.
///
/// - ragged<R, C>(plan, values, offsets): an item is a matrix of size R times size C of the plan,
///   row by row;
/// - ragged<R>(plan, values, offsets): a vector of size R of the plan;
/// - ragged<>(plan, values): a number, values(item).
///
/// Items may be anywhere in `values`, with gaps between them, which are neither read nor written.
/// ```cpp
/// auto const plan = ragged_plan(rows);
/// auto const A = ragged<0, 0>(plan, a, begins_a);
/// auto const x = ragged<0>(plan, b, begins_b);
/// solve_cholesky(exec, in(A), inout(x), status(codes));
/// ```
/// \tparam D  the sizes of the plan that are the extents of an item: 0, 1 or 2
/// \param plan     ragged_plan(sizes)
/// \param values   a contiguous View with one index
/// \param offsets  a View of integers with one index: where each item begins in `values`. It may
///   have one more entry than there are items, which is ignored
/// \param layout   Kokkos::LayoutRight for matrices row by row, LayoutLeft for columns one after
///   the other. So ragged<C, R>(..., Kokkos::LayoutLeft()) are the transposes of matrices that are
///   stored row by row
/// \returns the argument of in, out or inout
/// \throws std::invalid_argument  naming the item that is not inside `values`, or a View that does
///   not fit
template <int... D, class Memory, int... Sizes, class V, Impl::Viewish I,
          class Layout = Kokkos::LayoutRight>
auto ragged(RaggedPlan<Memory, Sizes...> const& plan, V const& values, I const& offsets,
            Layout const& = Layout()) {
  auto const batch = Impl::stored(offsets);
  using Number = std::remove_const_t<typename decltype(batch)::value_type>;
  static_assert(decltype(batch)::tile_rank == 0 && std::is_integral_v<Number>,
                "Batchwork::ragged: the offsets are a View of integers with one index");
  static_assert(
      std::is_same_v<Layout, Kokkos::LayoutRight> || std::is_same_v<Layout, Kokkos::LayoutLeft>,
      "Batchwork::ragged: the layout of matrices is Kokkos::LayoutRight or LayoutLeft");
  auto const& d = batch.description;
  if (!d.problem.empty())
    Impl::refuse_call("ragged", Impl::view_name("offsets", d, "") + ": " + d.problem);
  if (d.items != plan.items && d.items != plan.items + 1)
    Impl::refuse_call("ragged", Impl::view_name("offsets", d, "") + " has " +
                                    std::to_string(d.items) + " entries, but the plan has " +
                                    std::to_string(plan.items) +
                                    " items; give one offset for each, and one more if you like");
  Kokkos::fence("Batchwork::ragged: offsets");
  auto const wide = Kokkos::create_mirror_view_and_copy(
      Kokkos::HostSpace(), Impl::widened_indices("Batchwork::ragged: offsets", batch));
  return Impl::make_ragged<D...>(plan, values, wide.data(),
                                 std::is_same_v<Layout, Kokkos::LayoutLeft>);
}
/// The same for one number of each item: ragged<>(plan, values) is values(item).
template <int... D, class Memory, int... Sizes, class V>
auto ragged(RaggedPlan<Memory, Sizes...> const& plan, V const& values) {
  static_assert(sizeof...(D) == 0,
                "Batchwork::ragged: vectors and matrices need offsets: ragged<...>(plan, values, "
                "offsets)");
  return Impl::make_ragged<>(plan, values, nullptr, false);
}

/// An input of items of different sizes; see ragged.
template <class Plan, class V, int... D>
auto in(Impl::Ragged<Plan, V, D...> const& r) {
  return Impl::Operand<Impl::Kind::in, Impl::Ragged<Plan, V, D...>>{r};
}
/// An output of items of different sizes; see ragged.
template <class Plan, class V, int... D>
auto out(Impl::Ragged<Plan, V, D...> const& r) {
  return Impl::Operand<Impl::Kind::out, Impl::Ragged<Plan, V, D...>>{r};
}
/// An input and output of items of different sizes; see ragged.
template <class Plan, class V, int... D>
auto inout(Impl::Ragged<Plan, V, D...> const& r) {
  return Impl::Operand<Impl::Kind::inout, Impl::Ragged<Plan, V, D...>>{r};
}

}  // namespace Batchwork

#endif

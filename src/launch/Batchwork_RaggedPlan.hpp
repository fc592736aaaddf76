// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// ragged_plan: sorts items of different sizes into classes of equal sizes.
#ifndef BATCHWORK_RAGGED_PLAN_HPP
#define BATCHWORK_RAGGED_PLAN_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/detail/Batchwork_Lanes.hpp"
#include "launch/detail/Batchwork_Check.hpp"
#include "launch/detail/Batchwork_IndexPositions.hpp"
#include "launch/detail/Batchwork_SizeClasses.hpp"
#include "view/Batchwork_Adaptors.hpp"
#include "view/detail/layout/Batchwork_Storage.hpp"

namespace Batchwork {

/// How ragged_plan may enlarge items: padding::identity allows that matrices are extended by rows
/// and columns of the identity, other operands by zeros. With padding::none all items of a class
/// have the same sizes.
enum class Padding { identity, none };

/// Items of a ragged batch that a verb computes together.
struct RaggedClass {
  static constexpr int most_sizes = 3;
  std::array<std::int64_t, most_sizes> size{};  ///< to which its items are padded
  std::int64_t items = 0;
};

namespace Impl {

/// Items of one class that are neighbours in the order of a plan.
struct RaggedSegment {
  std::int64_t first, count;
  std::int64_t size[RaggedClass::most_sizes];
  bool is_padded;  ///< an item is smaller
};

/// What the copies of a plan share.
template <class Memory>
struct RaggedParts {
  int sizes = 1;           ///< the number of sizes of an item
  bool is_padded = false;  ///< an item is smaller than its class
  std::vector<RaggedClass> classes;
  std::vector<RaggedSegment> segments;
  std::vector<std::int64_t> size;     ///< size[item * sizes + d]
  std::vector<std::int64_t> item_at;  ///< of each place in the order
  /// For each two sizes, the first item in which they differ although those of its class do not.
  std::vector<std::int64_t> of_unequal_sizes;
  // Copies for kernels.
  Kokkos::View<std::int64_t*, Memory> size_there;
  Kokkos::View<std::int64_t*, Memory> item_at_there;
  Kokkos::View<std::int32_t*, Memory> codes;  ///< the status of a segment's items
};

/// Memory for a vector, and a copy of it.
template <class Memory, class T>
Kokkos::View<T*, Memory> copy_of(std::string const& label, std::vector<T> const& from) {
  Kokkos::View<T*, Memory> const to(Kokkos::view_alloc(label, Kokkos::WithoutInitializing),
                                    from.size());
  Kokkos::deep_copy(to, Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                            from.data(), from.size()));
  return to;
}

}  // namespace Impl

/// The items of a ragged batch, sorted into classes of equal sizes. Made by ragged_plan; copies
/// share its memory.
/// \tparam Memory  the memory space of the sizes
/// \tparam Sizes   the sizes of classes, if they are constants
template <class Memory, int... Sizes>
struct RaggedPlan {
  static constexpr bool has_constants = sizeof...(Sizes) > 0;
  std::int64_t items = 0;
  std::shared_ptr<Impl::RaggedParts<Memory> const> parts;

  /// The classes, those with the largest sizes first.
  std::vector<RaggedClass> const& classes() const { return parts->classes; }
};

namespace Impl {

/// The sizes of classes for one of the sizes of items: to[n] for size n.
template <int... Sizes>
std::vector<std::int64_t> sizes_of_classes(std::vector<std::int64_t> const& count, Padding padding,
                                           double launch) {
  if constexpr (sizeof...(Sizes) > 0) {
    std::vector<std::int64_t> to(count.size(), 0);
    constexpr int list[] = {Sizes...};
    for (std::size_t n = 1; n < to.size(); ++n)
      to[n] = *std::lower_bound(std::begin(list), std::end(list), int(n));
    return to;
  } else {
    return padded_sizes(count, padding == Padding::none ? 0 : launch);
  }
}

/// The largest number of numbers that an item has in a matrix.
inline std::int64_t numbers_of_item(std::array<std::int64_t, RaggedClass::most_sizes> const& size) {
  std::int64_t each = 1;
  for (auto const a : size)
    for (auto const b : size) each = std::max(each, a * b);
  return each;
}

/// The largest size of an item.
template <int... Sizes>
inline constexpr std::int64_t largest_size = std::int64_t(1) << 20;
template <int First, int... Sizes>
inline constexpr std::int64_t largest_size<First, Sizes...> = std::max({First, Sizes...});

template <int... Sizes, class Batch>
auto make_ragged_plan(Batch const& batch, Padding padding) {
  using Memory = typename Batch::memory_space;
  using Exec = typename Memory::execution_space;
  static_assert(Batch::tile_rank <= 1 && std::is_integral_v<typename Batch::value_type>,
                "Batchwork::ragged_plan: the sizes are a View of integers, sizes(item) or "
                "sizes(item, d)");
  constexpr int list[] = {0, Sizes...};
  static_assert(std::is_sorted(std::begin(list), std::end(list)) && list[0] == 0,
                "Batchwork::ragged_plan: give positive sizes in ascending order");
  std::string const name = view_name("sizes", batch.description, "");
  if (!batch.description.problem.empty())
    refuse_call("ragged_plan", name + ": " + batch.description.problem);
  if (batch.rows < 1 || batch.rows > RaggedClass::most_sizes)
    refuse_call("ragged_plan", name + " has " + std::to_string(batch.rows) +
                                   " sizes for each item; give 1 to 3 of them");
  std::int64_t const items = batch.description.items;
  if (items > std::int64_t(std::numeric_limits<std::uint32_t>::max()))
    refuse_call("ragged_plan",
                name + " has more than 2^32 - 1 items; make a plan for each part of the items");
  Kokkos::fence("Batchwork::ragged_plan: sizes");
  auto const parts = std::make_shared<RaggedParts<Memory>>();
  auto& p = *parts;
  p.sizes = int(batch.rows);
  p.size_there = widened_indices("Batchwork::ragged_plan: sizes", batch);
  auto const mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), p.size_there);
  p.size.assign(mirror.data(), mirror.data() + mirror.size());

  std::vector<std::int64_t> to[RaggedClass::most_sizes];
  // A launch costs as much as reading so many numbers. Each class of one size is divided by the
  // classes of the others.
  std::int64_t const threads = runs_on_device<Exec> ? 0 : Exec().concurrency();
  double launch = runs_on_device<Exec> ? 1e6 : 4e3 * double(threads);
  for (int d = 0; d < p.sizes; ++d) {
    std::vector<std::int64_t> count(1, 0);
    for (std::int64_t n = 0; n < items; ++n) {
      std::int64_t const size = p.size[std::size_t(n * p.sizes + d)];
      if (size < 0 || size > largest_size<Sizes...>)
        refuse_call("ragged_plan",
                    name + " is " + std::to_string(size) + " for item " + std::to_string(n) +
                        ", but sizes must be at least 0 and at most " +
                        std::to_string(largest_size<Sizes...>) +
                        (sizeof...(Sizes) > 0 ? "; give ragged_plan a larger size" : ""));
      if (std::size_t(size) >= count.size()) count.resize(std::size_t(size) + 1, 0);
      ++count[std::size_t(size)];
    }
    to[d] = sizes_of_classes<Sizes...>(count, padding, launch);
    std::vector<std::int64_t> distinct = to[d];
    std::sort(distinct.begin(), distinct.end());
    launch *= double(std::unique(distinct.begin(), distinct.end()) - distinct.begin());
  }

  // A counting sort by the sizes of classes, the largest first, keeps the order within a class.
  auto const class_of = [&](std::int64_t n) {
    std::array<std::int64_t, RaggedClass::most_sizes> size{};
    for (int d = 0; d < p.sizes; ++d) {
      std::int64_t const own = p.size[std::size_t(n * p.sizes + d)];
      size[std::size_t(d)] = to[d][std::size_t(own)];
      p.is_padded = p.is_padded || size[std::size_t(d)] != own;
    }
    return size;
  };
  auto const are_hidden = [&](std::int64_t n, int d, int e) {
    auto const at = std::size_t(n * p.sizes);
    auto const size = class_of(n);
    return size[std::size_t(d)] == size[std::size_t(e)] &&
           p.size[at + std::size_t(d)] != p.size[at + std::size_t(e)];
  };
  for (int d = 0; d < p.sizes; ++d)
    for (int e = 0; e < d; ++e) {
      std::int64_t n = 0;
      while (n < items && !are_hidden(n, d, e)) ++n;
      if (n < items) p.of_unequal_sizes.push_back(n);
    }
  std::map<std::array<std::int64_t, RaggedClass::most_sizes>, std::int64_t, std::greater<>> place;
  for (std::int64_t n = 0; n < items; ++n) ++place[class_of(n)];
  std::int64_t next = 0;
  for (auto& [size, first] : place) {
    p.classes.push_back({size, first});
    first = std::exchange(next, next + first);
  }
  p.item_at.resize(std::size_t(items));
  for (std::int64_t n = 0; n < items; ++n) p.item_at[std::size_t(place[class_of(n)]++)] = n;

  // Classes are divided into segments, so that copies in equal sizes need little memory.
  std::int64_t const most =
      runs_on_device<Exec> ? std::int64_t(1) << 25 : (std::int64_t(1) << 16) * threads;
  std::int64_t first = 0, longest = 0;
  for (auto const& c : p.classes)
    for (std::int64_t left = c.items; left > 0;) {
      std::int64_t const fit = std::max(most / numbers_of_item(c.size), std::int64_t(1));
      RaggedSegment s{first, std::min(fit, left), {}, false};
      for (int d = 0; d < RaggedClass::most_sizes; ++d) s.size[d] = c.size[std::size_t(d)];
      for (std::int64_t k = first; k < first + s.count; ++k)
        for (int d = 0; d < p.sizes; ++d)
          s.is_padded = s.is_padded ||
                        p.size[std::size_t(p.item_at[std::size_t(k)] * p.sizes + d)] != s.size[d];
      p.segments.push_back(s);
      first += s.count, left -= s.count, longest = std::max(longest, s.count);
    }
  p.item_at_there = copy_of<Memory>("Batchwork::ragged_plan: items", p.item_at);
  p.codes =
      Kokkos::View<std::int32_t*, Memory>("Batchwork::ragged_plan: codes", std::size_t(longest));
  return RaggedPlan<Memory, Sizes...>{items, parts};
}

}  // namespace Impl

/// Sorts the items of a ragged batch into classes of equal sizes, for verbs on ragged operands. An
/// item has one to three sizes, such as the rows of its matrix, or rows and columns. Without a list
/// of sizes the sizes of classes are chosen: they minimise the estimated time of copies,
/// factorisations and launches. So frequent sizes get a class of their own, and rare ones are
/// padded to the next size. It allocates memory, waits for all kernels and sorts on the host. Make
/// a plan once for many calls.
/// ```cpp
/// Kokkos::View<int*> rows("rows", items);
/// auto const plan = ragged_plan(rows);
/// auto const A = ragged<0, 0>(plan, values, begins);  // square matrices of rows(item) rows
/// cholesky(exec, inout(A), status(codes));
/// ```
/// \param sizes    a View of integers: sizes(item), or sizes(item, d) for d below 1, 2 or 3. 0 is
///   allowed; sizes are at most 2^20, the limits of verbs hold too
/// \param padding  Padding::none for verbs that take no padded items: qr, least_squares, eigh, svd
/// \returns the plan, a RaggedPlan
/// \throws std::invalid_argument  naming the first item whose size is out of range
template <Impl::Viewish V>
auto ragged_plan(V const& sizes, Padding padding = Padding::identity) {
  return Impl::make_ragged_plan<>(Impl::stored(sizes), padding);
}
/// The same with the sizes of classes as constants, as map needs them: every size of an item is
/// padded to the next in the list. The sequence of map is compiled for each of them, or for each
/// combination if the operands of the call use several sizes. The plan owns memory for the codes of
/// a status, so calls of map with a status and one plan must not overlap on two instances.
/// ```cpp
/// auto const plan = ragged_plan<2, 4, 8, 16, 32>(rows);
/// ```
/// \tparam Size   the smallest size of a class
/// \tparam Sizes  more of them, in ascending order
/// \param sizes  a View of integers, as above; no size is larger than the last of the list
/// \returns the plan, a RaggedPlan
/// \throws std::invalid_argument  naming the first item whose size is out of range
template <int Size, int... Sizes, Impl::Viewish V>
auto ragged_plan(V const& sizes) {
  return Impl::make_ragged_plan<Size, Sizes...>(Impl::stored(sizes), Padding::identity);
}

}  // namespace Batchwork

#endif

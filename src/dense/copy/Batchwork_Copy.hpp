// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// copy, pack, unpack: a batch to another layout, unchanged or transposed item by item, in one
/// kernel.
#ifndef BATCHWORK_COPY_HPP
#define BATCHWORK_COPY_HPP

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>

#include "dense/copy/detail/Batchwork_CopyRuns.hpp"
#include "dense/copy/detail/Batchwork_CopyTiles.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_VerbCall.hpp"

namespace Batchwork {
namespace Impl {

/// Whether the arguments of a copy are compact, whatever else is said about them.
template <class X>
inline constexpr bool is_compact = false;
template <class V, Structure St, int... E>
inline constexpr bool is_compact<Adapted<V, St, true, E...>> = true;
template <class A>
inline constexpr bool is_compact<TransposedView<A>> = is_compact<A>;

/// Launches kernel for its tiles, with so many bytes of team scratch.
template <class Exec, class Kernel>
void launch_copy(Exec const& exec, std::string const& verb, std::string const& label,
                 Kernel const& kernel, std::size_t bytes) {
  if constexpr (runs_on_device<Exec>) {
    launch_teams<int(Kernel::lanes), Kernel::wanted_teams>(
        exec, label, kernel, {kernel.tiles, int(Kernel::lanes), bytes},
        [&] { return LaunchWords{verb, "copies of so many items", "copy them in several calls"}; });
  } else {
    using Index = Kokkos::IndexType<std::int64_t>;
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Index>(exec, 0, kernel.tiles), kernel);
  }
}

/// Bytes of a tile where a multiprocessor is to hold the teams that are wanted. What aligning them
/// may take comes on top.
template <class Kernel>
int stage_of_copy(DeviceLimits const& limits) {
  std::size_t const share = limits.scratch(Kernel::wanted_teams, int(Kernel::lanes));
  return int(std::min(std::size_t(Kernel::stage_bytes), share > 16 ? share - 16 : 0));
}

template <class Exec, Copyable To, Copyable From>
void copy_batch(Exec const& exec, std::string const& verb, Launch<> const& how, To const& to_arg,
                From const& from_arg) {
  auto const to = stored(to_arg);
  auto const from = stored(from_arg);
  using T = typename decltype(to)::value_type;
  static_assert(!std::is_const_v<T>, "Batchwork::copy: a const View cannot be written");
  static_assert(std::is_same_v<T, std::remove_const_t<typename decltype(from)::value_type>>,
                "Batchwork::copy: both Views must hold the same type of numbers");
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 16,
                "Batchwork::copy: numbers must be trivially copyable and of at most 16 bytes");
  static_assert(decltype(to)::tile_rank == decltype(from)::tile_rank,
                "Batchwork::copy: both Views must hold matrices, or both vectors, or both scalars");
  require_reachable<(
      Kokkos::SpaceAccessibility<Exec, typename decltype(to)::memory_space>::accessible &&
      Kokkos::SpaceAccessibility<Exec, typename decltype(from)::memory_space>::accessible)>();

  Call call{verb, {}, label_alone(how)};
  call.add("to", true, to);
  call.add("from", false, from);
  if (call.parts[0].d.problem.empty() && call.parts[1].d.problem.empty() &&
      to.description.shape != from.description.shape)
    call.fail(call.parts[1].name() + " gives items of " + from.description.shape + ", but " +
              call.parts[0].name() + " takes items of " + to.description.shape +
              "; give both the same extents, or transposed(view) for transposes");
  std::int64_t const items = call.check();

  std::string const label = kernel_label(verb, call.label);
  if (items == 0 || to.rows == 0 || to.cols == 0) return;
  CopyProblem<T> const p{to.storage, from.storage.as_const(), items, to.rows, to.cols};
  CopyRuns<T> const runs(p);
  // On hosts a run has to pay for finding it.
  bool const in_runs = runs.tiles > 0 && (runs_on_device<Exec> || runs.run_bytes() >= 256);
  if (in_runs) {
    launch_copy(exec, verb, label, runs, 0);
  } else if constexpr (runs_on_device<Exec>) {
    CopyTiles<T> const tiled(p, stage_of_copy<CopyTiles<T>>(Vendor::device_limits(exec)));
    launch_copy(exec, verb, label, tiled, std::size_t(tiled.stage) + 16);
  } else {
    launch_copy(exec, verb, label, CopyTiles<T>(p), 0);
  }
}

enum class CopyVerb { copy, pack, unpack };
/// One of them of its arguments.
template <CopyVerb Verb>
struct CopyOfArguments {
  template <class Exec, Copyable To, Copyable From>
  void operator()(Exec const& exec, Launch<> const& how, To const& to, From const& from) const {
    if constexpr (Verb == CopyVerb::pack)
      static_assert(
          is_compact<To> && !is_compact<From>,
          "Batchwork::pack copies from a View to compact(view, n); use copy for other pairs");
    if constexpr (Verb == CopyVerb::unpack)
      static_assert(
          !is_compact<To> && is_compact<From>,
          "Batchwork::unpack copies from compact(view, n) to a View; use copy for other pairs");
    constexpr char const* names[] = {"copy", "pack", "unpack"};
    copy_batch(exec, names[int(Verb)], how, to, from);
  }
  template <class... X>
  void operator()(X const&...) const {
    static_assert(any_order<X...>,
                  "Batchwork: the arguments of copy, pack and unpack are [exec,] "
                  "[launch(\"label\"),] to, from in this order");
  }
};

}  // namespace Impl

/// Copies a batch to another layout, or transposes every matrix: to(n, i, j) = from(n, i, j) for
/// every item n.
///
/// \code
/// copy(exec, interleaved, item_contiguous);              // another layout
/// copy(exec, interleaved, transposed(item_contiguous));  // the transpose of every item
/// copy(launch("label"), to, from);                       // a name for profiles
/// \endcode
///
/// Both sides are Views with the item first, in LayoutLeft, LayoutRight or LayoutStride, or
/// compact(view, n) with groups of any width. transposed(...) around one side transposes its items,
/// so that one side holds N x M and the other M x N. Matrices, vectors and scalars have any
/// extents. Numbers have any trivially copyable type of at most 16 bytes.
///
/// One kernel, labelled Batchwork::copy or Batchwork::copy(label). Asynchronous, allocates nothing,
/// never fences. With 0 items nothing is launched. Slots of the last group that belong to no item
/// keep their values.
///
/// Cost: every number is read once and written once. Where both sides have neighbours in the same
/// direction, numbers go straight across. Otherwise tiles are transposed in team scratch (on hosts
/// in the first-level cache), so that both sides are accessed by whole cache lines.
///
/// \param exec   execution space instance; optional, as launch("label")
/// \param to     View or adaptor: written
/// \param from   View or adaptor: read; shares no elements with `to`
/// \throws std::invalid_argument before the launch: different numbers of items or extents, null
///         Views, too few groups, Views that overlap
template <Impl::BeginsCall First, class... Rest>
void copy(First const& first, Rest const&... rest) {
  Impl::call_verb(Impl::CopyOfArguments<Impl::CopyVerb::copy>(), first, rest...);
}

/// copy from a View into groups of items.
///
/// \code
/// pack(exec, compact(groups, items), item_contiguous);
/// \endcode
///
/// \param exec  execution space instance; optional, as launch("label")
/// \param to    compact(view, n): written
/// \param from  a View that is not compact: read
/// \throws std::invalid_argument as copy does
template <Impl::BeginsCall First, class... Rest>
void pack(First const& first, Rest const&... rest) {
  Impl::call_verb(Impl::CopyOfArguments<Impl::CopyVerb::pack>(), first, rest...);
}

/// copy from groups of items into a View.
///
/// \code
/// unpack(exec, item_contiguous, compact(groups, items));
/// \endcode
///
/// \param exec  execution space instance; optional, as launch("label")
/// \param to    a View that is not compact: written
/// \param from  compact(view, n): read
/// \throws std::invalid_argument as copy does
template <Impl::BeginsCall First, class... Rest>
void unpack(First const& first, Rest const&... rest) {
  Impl::call_verb(Impl::CopyOfArguments<Impl::CopyVerb::unpack>(), first, rest...);
}

}  // namespace Batchwork

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// copy, pack, unpack: a batch to another layout, unchanged or transposed item by item, in one
/// kernel.
#ifndef BATCHWORK_COPY_HPP
#define BATCHWORK_COPY_HPP

#include <cstdint>
#include <string>
#include <type_traits>

#include "core/detail/Batchwork_KernelSets.hpp"
#include "dense/copy/detail/Batchwork_CopyKernels.hpp"
#include "dense/copy/detail/Batchwork_CopyLaunch.hpp"
#include "dense/copy/detail/Batchwork_CopyPicked.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_GatheredCall.hpp"
#include "launch/detail/Batchwork_RangeLaunch.hpp"
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

/// True, or the compiler says what does not fit.
template <class Exec, class To, class From>
constexpr bool require_copy() {
  using T = typename To::value_type;
  static_assert(!std::is_const_v<T>, "Batchwork::copy: a const View cannot be written");
  static_assert(std::is_same_v<T, std::remove_const_t<typename From::value_type>>,
                "Batchwork::copy: both Views must hold the same type of numbers");
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 16,
                "Batchwork::copy: numbers must be trivially copyable and of at most 16 bytes");
  static_assert(To::tile_rank == From::tile_rank,
                "Batchwork::copy: both Views must hold matrices, or both vectors, or both scalars");
  return require_reachable<(
      Kokkos::SpaceAccessibility<Exec, typename To::memory_space>::accessible &&
      Kokkos::SpaceAccessibility<Exec, typename From::memory_space>::accessible)>();
}
/// Adds both to the call.
template <class To, class From>
void add_copied(Call& call, To const& to, From const& from) {
  call.add("to", true, to);
  call.add("from", false, from);
  if (call.parts[0].d.problem.empty() && call.parts[1].d.problem.empty() &&
      to.description.shape != from.description.shape)
    call.fail(call.parts[1].name() + " gives items of " + from.description.shape + ", but " +
              call.parts[0].name() + " takes items of " + to.description.shape +
              "; give both the same extents, or transposed(view) for transposes");
}

template <class Exec, Copyable To, Copyable From>
void copy_batch(Exec const& exec, std::string const& verb, Launch<> const& how, To const& to_arg,
                From const& from_arg) {
  auto const to = stored(to_arg);
  auto const from = stored(from_arg);
  using T = typename decltype(to)::value_type;
  static_assert(
      require_copy<Exec, std::remove_const_t<decltype(to)>, std::remove_const_t<decltype(from)>>());
  Call call{verb, {}, label_alone(how)};
  add_copied(call, to, from);
  std::int64_t const items = call.check();

  std::string const label = kernel_label(verb, call.label);
  if (items == 0 || to.rows == 0 || to.cols == 0) return;
  CopyProblem<T> const p{to.storage, from.storage.as_const(), items, to.rows, to.cols};
  using Word = CopyWordOf<T>;
  if constexpr (kernels_are_in_headers || std::is_void_v<Word>) {
    copy_by_kernel(exec, verb, label, p);
  } else {
    static_assert(require_kernels<KernelSet::dense, Exec>());
    CopyLaunch<Word, Exec>::run(exec, verb, label, p.template in_words<Word>());
  }
}

/// From items that indices pick.
template <class Exec, Copyable To, class A, class I>
void copy_gathered(Exec const& exec, Launch<> const& how, To const& to_arg,
                   IndexedView<false, A, I> const& from_arg) {
  auto const to = stored(to_arg);
  auto const source = in(from_arg).source;
  Gathered<Exec, std::remove_const_t<decltype(source)>> const picked(source);
  auto const from = stored(picked.operand());
  using T = typename decltype(to)::value_type;
  static_assert(
      require_copy<Exec, std::remove_const_t<decltype(to)>, std::remove_const_t<decltype(from)>>());
  static_assert(std::is_arithmetic_v<T> || is_kokkos_complex<T>,
                "Batchwork::copy: gathered(view, index) is for numbers");
  Call call{"copy", {}, label_alone(how)};
  add_copied(call, to, from);
  picked.check(call.parts, 2);
  std::int64_t const items = call.check();
  if (items == 0 || to.rows == 0 || to.cols == 0) return;
  CopyPicked const kernel(
      CopyProblem<T>{to.storage, picked.batch.storage.as_const(), items, to.rows, to.cols},
      picked.picked, runs_on_device<Exec>);
  launch_range(exec, kernel_label("copy", call.label), kernel.count(), kernel);
}

enum class CopyVerb { copy, pack, unpack };
template <CopyVerb Verb>
struct CopyCall {
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
  template <class Exec, Copyable To, class A, class I>
    requires(Verb == CopyVerb::copy)
  void operator()(Exec const& exec, Launch<> const& how, To const& to,
                  IndexedView<false, A, I> const& from) const {
    copy_gathered(exec, how, to, from);
  }
};
template <CopyVerb Verb, class... X>
void call_copy(X const&... arguments) {
  static_assert(Takes<CopyCall<Verb>, X...>,
                "Batchwork: the arguments of copy, pack and unpack are [exec,] "
                "[launch(\"label\"),] to, from in this order");
  call_verb(CopyCall<Verb>(), arguments...);
}

}  // namespace Impl

/// Copies a batch to another layout, or transposes every matrix: to(n, i, j) = from(n, i, j) for
/// every item n.
///
/// \code
/// copy(exec, interleaved, item_contiguous);              // another layout
/// copy(exec, interleaved, transposed(item_contiguous));  // the transpose of every item
/// copy(launch("label"), to, from);                       // a name for profiles
/// copy(exec, to, gathered(from, index));                 // to(n) = from(index(n))
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
/// \param from   View or adaptor: read; shares no elements with `to`. Or gathered(view, index),
///               of which items with an index out of range become NaN, or 0 for integers
/// \throws std::invalid_argument before the launch: different numbers of items or extents, null
///         Views, too few groups, Views that overlap
template <Impl::BeginsCall First, class... Rest>
void copy(First const& first, Rest const&... rest) {
  Impl::call_copy<Impl::CopyVerb::copy>(first, rest...);
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
  Impl::call_copy<Impl::CopyVerb::pack>(first, rest...);
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
  Impl::call_copy<Impl::CopyVerb::unpack>(first, rest...);
}

}  // namespace Batchwork

#endif

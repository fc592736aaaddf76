// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A call of a verb on whole matrices, or of solve, with gathered operands: a kernel finds where
/// the items begin, the verb reads them there, and a kernel spoils the results of items with an
/// index out of range.
#ifndef BATCHWORK_GATHERED_CALL_HPP
#define BATCHWORK_GATHERED_CALL_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/Batchwork_Status.hpp"
#include "core/detail/Batchwork_IndexRange.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/Batchwork_Tuple.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_RangeLaunch.hpp"
#include "launch/detail/Batchwork_VerbCall.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"
#include "view/Batchwork_Indexed.hpp"

namespace Batchwork::Impl {

/// The item of a View that an index picks.
template <class I>
struct PickedItem {
  Storage<I const> index;
  std::int64_t extent;

  /// -1 for an index out of range.
  BATCHWORK_INLINE std::int64_t of(std::int64_t item) const {
    return index_or_none(*item_of(index, item), extent);
  }
};

/// Finds where the picked items begin. The first item stands for one that does not exist.
template <class T, class I>
struct FindPicked {
  PickedItem<I> picked;
  Storage<T const> from;
  std::int64_t* begins;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    std::int64_t const k = picked.of(item);
    begins[item] = item_of(from, k < 0 ? 0 : k) - from.data;
  }
};

/// Results of a verb that an item without data must not keep.
template <class T>
struct SpoiltNumbers {
  Storage<T> to;
  std::int64_t rows, cols;

  BATCHWORK_INLINE void spoil(std::int64_t item) const {
    T* const of = item_of(to, item);
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < cols; ++j) of[i * to.row + j * to.col] = missing_number<T>();
  }
};
struct SpoiltStatus {
  StatusTarget codes;

  BATCHWORK_INLINE void spoil(std::int64_t item) const { codes.put(item, out_of_range_code); }
};

template <class Picked, class Results>
struct SpoilItems;
template <class OfPicked, class... Picked, class OfResults, class... Results>
struct SpoilItems<TupleBase<OfPicked, Picked...>, TupleBase<OfResults, Results...>> {
  TupleBase<OfPicked, Picked...> picked;
  TupleBase<OfResults, Results...> results;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const { spoil(item, OfPicked(), OfResults()); }
  template <std::size_t... P, std::size_t... R>
  BATCHWORK_INLINE void spoil(std::int64_t item, std::index_sequence<P...>,
                              std::index_sequence<R...>) const {
    bool const there = ((get<P>(picked).of(item) >= 0) && ...);
    if (!there) (get<R>(results).spoil(item), ...);
  }
};

/// What a call does with an argument that is not gathered: most are not written. Logs of solves
/// specialise it.
template <class X>
struct ResultOf {
  template <class Exec>
  static auto spoilt([[maybe_unused]] X const& x) {
    if constexpr (is_status_operand<X>) {
      Call unused{"gathered", {}};
      return std::make_tuple(SpoiltStatus{status_target<Exec>(unused, x)});
    } else if constexpr (is_result<X>) {
      auto const b = stored(x);
      using T = typename std::remove_const_t<decltype(b)>::value_type;
      return std::make_tuple(SpoiltNumbers<T>{b.storage, b.rows, b.cols});
    } else {
      return std::tuple<>();
    }
  }
};

/// The indices of a gathered operand, and the memory for where its items begin.
template <class Exec, class Src>
struct Gathered {
  using V = typename Src::view_type;
  using Memory = typename V::memory_space;
  using Value = typename V::value_type;
  using T = typename Src::T;
  using Index = typename Src::Index;
  static_assert(Src::index_rank == 0,
                "Batchwork: verbs on whole matrices and solve take gathered(view, index) with one "
                "index for each item, index(item); for index(item, k) copy the items first: "
                "map(Copy{}, out(b), in(gathered(a, index)))");

  StoredBatch<Value, Src::tile_rank, Memory> batch;
  Description of_index;
  PickedItem<Index> picked;
  Kokkos::View<std::int64_t*, Memory> begins;

  explicit Gathered(Src const& s)
      : batch(stored(Operand<Kind::in, typename Src::ViewSource>{s.source})), begins(s.begins) {
    auto const index = stored(Operand<Kind::in, typename Src::IndexSource>{s.index});
    using OfIndex = std::remove_const_t<decltype(index)>;
    require_reachable<(
        Kokkos::SpaceAccessibility<Exec, Memory>::accessible &&
        Kokkos::SpaceAccessibility<Exec, typename OfIndex::memory_space>::accessible)>();
    of_index = index.description;
    of_index.shape.clear();
    picked = PickedItem<Index>{index.storage.as_const(), batch.description.items};
  }
  std::int64_t items() const { return of_index.items; }
  bool has_memory() const { return begins.data() != nullptr; }

  void check(std::vector<Part>& parts, int position) const {
    parts.push_back({position, "index", false, of_index});
    if (!of_index.problem.empty()) return;
    Part view{position, "in", false, batch.description};
    if (items() > 0 && view.d.items == 0 && view.d.problem.empty())
      refuse_call("gathered", view.name() + " has no items, but its index has " +
                                  std::to_string(items()) + "; give a View with items");
    if (!has_memory()) return;
    parts.push_back({position, "memory", true, describe_view(begins)});
    if (std::int64_t(begins.extent(0)) < items())
      refuse_call("gathered", parts.back().name() + " is for " + std::to_string(begins.extent(0)) +
                                  " items, but the index has " + std::to_string(items()) +
                                  "; give a number for each item");
  }
  void allocate() {
    begins = decltype(begins)(
        Kokkos::view_alloc("Batchwork::gathered: begins", Kokkos::WithoutInitializing),
        std::size_t(items()));
  }
  void find(Exec const& exec, std::string const& label) const {
    if (items() > 0)
      launch_range(exec, kernel_label("gathered", label), items(),
                   FindPicked<T, Index>{picked, batch.storage.as_const(), begins.data()});
  }
  auto operand() const {
    auto b = batch;
    b.storage = items_anywhere<Value>(b.storage.data, begins.data(), b.storage.row, b.storage.col);
    b.description.items = items();
    return Operand<Kind::in, ItemsAnywhere<Value, Src::tile_rank, Memory>>{{b}};
  }
};

/// An argument with what it needs: a gathered one becomes an operand of items anywhere.
template <class Exec, class X>
struct GatheredArgument {
  static constexpr bool is = false;
  static constexpr bool counts = kind_of<X> != Kind::nothing || Copyable<X>;
  X const& argument;
  int position = 0;

  explicit GatheredArgument(X const& x) : argument(x) {}
  void check(std::vector<Part>& parts) const {
    constexpr Kind k = kind_of<X>;
    if constexpr (is_status_operand<X> || is_result<X>)
      parts.push_back(
          {position, k == Kind::nothing ? "x" : role_of(k), true, stored(argument).description});
  }
  X const& given() const { return argument; }
  std::tuple<> picked() const { return {}; }
  auto spoilt() const { return ResultOf<X>::template spoilt<Exec>(argument); }
};
template <class Exec, class X>
  requires is_gathered<X>
struct GatheredArgument<Exec, X> {
  static constexpr bool is = true;
  static decltype(auto) source_of(X const& x) {
    if constexpr (requires { x.operand; }) return (x.operand.source);
    else return (x.source);
  }
  Gathered<Exec, std::remove_cvref_t<decltype(source_of(std::declval<X const&>()))>> gathered;
  static constexpr bool counts = true;
  int position = 0;

  explicit GatheredArgument(X const& x) : gathered(source_of(x)) {}
  void check(std::vector<Part>& parts) const { gathered.check(parts, position); }
  auto given() const {
    auto const o = gathered.operand();
    if constexpr (requires(X const& x) { x.operand; })
      return TransposedOperand<std::remove_const_t<decltype(o)>>{o};
    else return o;
  }
  auto picked() const { return std::make_tuple(gathered.picked); }
  std::tuple<> spoilt() const { return {}; }
};
/// As an argument of solve, without in(...).
template <class Exec, class A, class I>
struct GatheredArgument<Exec, IndexedView<false, A, I>>
    : GatheredArgument<Exec, decltype(in(std::declval<IndexedView<false, A, I>>()))> {
  explicit GatheredArgument(IndexedView<false, A, I> const& v)
      : GatheredArgument<Exec, decltype(in(v))>(in(v)) {}
};

/// Waits at the end of a call that has allocated memory for its kernels.
template <class Exec>
struct WaitAtEnd {
  Exec const& exec;
  bool wanted;
  ~WaitAtEnd() {
    if (wanted) exec.fence("Batchwork::gathered: end of a call that allocates");
  }
};

template <class... X>
Tuple<X...> tuple_for_kernels(std::tuple<X...> const& t) {
  return std::apply([](X const&... x) { return Tuple<X...>{{x}...}; }, t);
}

/// In messages operands and Views are counted, after so many before.
template <class F>
inline constexpr int operands_before = 0;
template <class F>
  requires requires { F::operands_before; }
inline constexpr int operands_before<F> = F::operands_before;

template <class F, class Exec, class How, class... G>
void call_with_gathered(F const& f, Exec const& exec, How const& how, bool asks, G... arguments) {
  std::vector<Part> parts;
  int position = operands_before<F>;
  ((arguments.position = G::counts ? ++position : 0), ...);
  (arguments.check(parts), ...);
  CallChecks<>::parts("gathered", parts, {false, 0, 0, "give a View of its own"});
  if (asks) return f(exec, how, arguments.given()...);
  bool allocates = false;
  std::int64_t items = 0;
  auto const prepare = [&](auto& x) {
    if constexpr (std::remove_cvref_t<decltype(x)>::is) {
      items = x.gathered.items();
      if (!x.gathered.has_memory() && items > 0) allocates = true, x.gathered.allocate();
    }
  };
  (prepare(arguments), ...);
  WaitAtEnd<Exec> const wait{exec, allocates};
  auto const find = [&](auto const& x) {
    if constexpr (std::remove_cvref_t<decltype(x)>::is) x.gathered.find(exec, how.label);
  };
  (find(arguments), ...);
  f(exec, how, arguments.given()...);
  auto const picked = tuple_for_kernels(std::tuple_cat(arguments.picked()...));
  auto const spoilt = tuple_for_kernels(std::tuple_cat(arguments.spoilt()...));
  using Spoil =
      SpoilItems<std::remove_const_t<decltype(picked)>, std::remove_const_t<decltype(spoilt)>>;
  if (items > 0)
    launch_range(exec, kernel_label("gathered", how.label), items, Spoil{picked, spoilt});
}

template <class F, class Exec, class How, class... X>
void call_gathered(F const& f, Exec const& exec, How const& how, X const&... x) {
  call_with_gathered(f, exec, how, (std::is_same_v<X, WorkspaceQuestion> || ...),
                     GatheredArgument<Exec, X>(x)...);
}

}  // namespace Batchwork::Impl

#endif

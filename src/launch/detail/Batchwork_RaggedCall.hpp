// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A call of a verb with ragged operands: copies to equal sizes, a call for each class, copies
/// back.
#ifndef BATCHWORK_RAGGED_CALL_HPP
#define BATCHWORK_RAGGED_CALL_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/Batchwork_Dispatch.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/Batchwork_RaggedPlan.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_RaggedCopy.hpp"
#include "launch/detail/Batchwork_RangeLaunch.hpp"
#include "launch/detail/Batchwork_VerbCall.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"

namespace Batchwork::Impl {

/// The number of its first size, of its second: -1 if there is none.
template <int... D>
inline constexpr int first_of = -1;
template <int D, int... Rest>
inline constexpr int first_of<D, Rest...> = D;
template <int... D>
inline constexpr int second_of = -1;
template <int D, int E>
inline constexpr int second_of<D, E> = E;

/// Values of different sizes and the memory for them in equal sizes.
template <class Plan, class V, int... D>
struct Ragged;
template <class Memory, int... Sizes, class V, int... D>
struct Ragged<RaggedPlan<Memory, Sizes...>, V, D...> {
  using Plan = RaggedPlan<Memory, Sizes...>;
  using T = typename V::non_const_value_type;
  static constexpr int rank = int(sizeof...(D)), row_size = first_of<D...>,
                       col_size = second_of<D...>, sizes = std::max({0, D...}) + 1;

  Plan plan;
  V values;
  bool by_columns = false;
  std::string overlap;                               ///< which items share numbers
  Kokkos::View<std::int64_t*, Memory> begins_there;  ///< of each place in the order of the plan
  Kokkos::View<T*, Memory> packed;                   ///< for a segment in equal sizes

  std::int64_t rows_of(RaggedSegment const& s) const {
    return row_size < 0 ? 1 : s.size[row_size < 0 ? 0 : row_size];
  }
  std::int64_t cols_of(RaggedSegment const& s) const {
    return col_size < 0 ? 1 : s.size[col_size < 0 ? 0 : col_size];
  }
  RaggedPlaces places(RaggedSegment const& segment) const {
    auto const& p = *plan.parts;
    RaggedPlaces r{};
    r.item_at = p.item_at_there.data() + segment.first;
    r.begins = begins_there.data() + segment.first;
    r.sizes = p.size_there.data();
    r.sizes_of_item = p.sizes;
    r.rows_at = row_size;
    r.cols_at = col_size;
    r.all_rows = int(rows_of(segment));
    r.all_cols = int(cols_of(segment));
    r.by_columns = by_columns;
    return r;
  }
  /// The operand of a segment where the user has it. No item of the segment may be padded.
  template <Kind K>
  auto in_place(RaggedSegment const& segment) const {
    using Value = typename V::value_type;
    std::int64_t const rows = rows_of(segment), cols = cols_of(segment);
    StoredBatch<Value, rank, Memory> b{
        items_anywhere<Value>(values.data(), begins_there.data() + segment.first,
                              by_columns ? 1 : cols, by_columns ? rows : 1),
        rows, cols, describe_view(values)};
    b.description.items = segment.count;
    b.description.shape =
        rank == 0 ? "scalar" : std::to_string(rows) + (rank == 2 ? "x" + std::to_string(cols) : "");
    return Operand<K, ItemsAnywhere<Value, rank, Memory>>{{b}};
  }
  /// The operand of a segment in equal sizes, which may be constants.
  template <Kind K, class... N>
  auto in_equal_sizes(RaggedSegment const& segment) const {
    T* const data = packed.data();
    auto const count = std::size_t(segment.count);
    [[maybe_unused]] auto const rows = std::size_t(rows_of(segment)),
                                cols = std::size_t(cols_of(segment));
    using Unmanaged = Kokkos::MemoryUnmanaged;
    using Right = Kokkos::LayoutRight;
    if constexpr (rank == 0) {
      return operand_of<K>(Kokkos::View<T*, Right, Memory, Unmanaged>(data, count));
    } else if constexpr (sizeof...(N) == 0 && rank == 1) {
      return operand_of<K>(Kokkos::View<T**, Right, Memory, Unmanaged>(data, count, rows));
    } else if constexpr (sizeof...(N) == 0) {
      return operand_of<K>(Kokkos::View<T***, Right, Memory, Unmanaged>(data, count, rows, cols));
    } else if constexpr (rank == 1) {
      constexpr int R = std::tuple_element_t<std::size_t(row_size), std::tuple<N...>>::value;
      return operand_of<K>(Kokkos::View<T* [R], Right, Memory, Unmanaged>(data, count));
    } else {
      constexpr int R = std::tuple_element_t<std::size_t(row_size), std::tuple<N...>>::value,
                    C = std::tuple_element_t<std::size_t(col_size), std::tuple<N...>>::value;
      return operand_of<K>(Kokkos::View<T* [R][C], Right, Memory, Unmanaged>(data, count));
    }
  }
  template <Kind K, class W>
  static auto operand_of(W const& view) {
    return make_operand<K, BatchIndices::item>(view);
  }
};

template <Kind K, class Plan, class V, int... D>
inline constexpr bool is_ragged<Operand<K, Ragged<Plan, V, D...>>> = true;

/// The number of sizes that an argument uses.
template <class X>
constexpr int sizes_used() {
  if constexpr (is_ragged<X>) return decltype(X::source)::sizes;
  else return 0;
}

/// The kinds of operands that have no item index, or whose place is known.
template <class X>
constexpr bool may_join_ragged() {
  constexpr Kind k = kind_of<X>;
  if constexpr (is_ragged<X>) return true;
  else
    return !std::is_same_v<X, WorkspaceQuestion> && k != Kind::in && k != Kind::out &&
           k != Kind::inout && k != Kind::item_mask && k != Kind::item_index && k != Kind::random;
}

/// Whether the result for an item stays the same if its matrices are padded by the identity.
template <class F>
concept TakesPadding = requires { requires F::takes_padding; };
/// Whether a verb takes ragged operands.
template <class F>
concept TakesRagged = requires { F::takes_padding; } || requires { F::needs_constants; };
/// Whether a verb needs extents that are constants.
template <class F>
concept NeedsConstants = requires { requires F::needs_constants; };

/// f(N...) with D sizes of a segment as constants.
template <int D, int... Sizes, class F, class... N>
void with_constants(std::int64_t const* size, F const& f, N const&... n) {
  if constexpr (int(sizeof...(N)) == D) f(n...);
  else
    dispatch<Sizes...>(size[sizeof...(N)],
                       [&](auto const m) { with_constants<D, Sizes...>(size, f, n..., m); });
}

/// What all parts of a ragged call use.
template <class Exec, class Memory>
struct RaggedRun {
  Exec const& exec;
  RaggedParts<Memory> const& parts;
  std::string const& label;
  StatusTarget codes;

  /// Copies the items of a segment to equal sizes.
  template <class X>
  void pack(RaggedSegment const& segment, X const& x) const {
    if constexpr (is_ragged<X> && kind_of<X> != Kind::out) {
      using T = typename decltype(x.source)::T;
      PackRagged<Exec, T> const f{x.source.places(segment), x.source.values.data(),
                                  x.source.packed.data()};
      launch_range(exec, kernel_label("pack_ragged", label), segment.count * f.lanes, f);
    }
  }
  /// The reverse.
  template <class X>
  void unpack(RaggedSegment const& segment, X const& x) const {
    if constexpr (is_ragged<X> && kind_of<X> != Kind::in) {
      using T = typename decltype(x.source)::T;
      UnpackRagged<Exec, T> const f{x.source.places(segment), x.source.packed.data(),
                                    x.source.values.data()};
      launch_range(exec, kernel_label("unpack_ragged", label), segment.count * f.lanes, f);
    }
  }
  /// An argument for a segment, a ragged one where the user has it. Status codes are written to
  /// their places.
  template <class X>
  auto in_place(RaggedSegment const& segment, X const& x) const {
    if constexpr (is_ragged<X>) {
      return x.source.template in_place<X::kind>(segment);
    } else if constexpr (is_status_operand<X>) {
      auto batch = stored(x);
      using Batch = std::remove_const_t<decltype(batch)>;
      batch.description.items = segment.count;
      batch.storage =
          items_anywhere(batch.storage.data, parts.item_at_there.data() + segment.first, 0, 0);
      return Operand<Kind::status,
                     ItemsAnywhere<typename Batch::value_type, 0, typename Batch::memory_space>>{
          {batch}};
    } else {
      return x;
    }
  }
  /// An argument for a segment, a ragged one in equal sizes.
  template <class... N, class X>
  auto in_equal_sizes(RaggedSegment const& segment, X const& x) const {
    if constexpr (is_ragged<X>) return x.source.template in_equal_sizes<X::kind, N...>(segment);
    else return in_place(segment, x);
  }
  /// The same for a sequence, whose status codes go to memory of the plan.
  template <class... N, class X>
  auto in_tiles(RaggedSegment const& segment, X const& x) const {
    if constexpr (is_status_operand<X>)
      return make_operand<Kind::status, BatchIndices::item>(codes_of(segment));
    else return in_equal_sizes<N...>(segment, x);
  }
  auto codes_of(RaggedSegment const& segment) const {
    return Kokkos::View<std::int32_t*, Memory, Kokkos::MemoryUnmanaged>(parts.codes.data(),
                                                                        std::size_t(segment.count));
  }
  void unpack_codes(RaggedSegment const& segment) const {
    if (!codes.wanted()) return;
    UnpackCodes const f{parts.item_at_there.data() + segment.first, parts.codes.data(), codes};
    launch_range(exec, kernel_label("unpack_ragged", label), segment.count, f);
  }

  template <int... Sizes, class F, class How, class... X>
  void run(F const& f, How const& how, RaggedSegment const& segment, X const&... x) const {
    if constexpr (NeedsConstants<F>) {
      constexpr int used = std::max({1, sizes_used<X>()...});
      bool const has_tiles =
          std::all_of(segment.size, segment.size + used, [](std::int64_t n) { return n > 0; });
      if (has_tiles) {
        (pack(segment, x), ...);
        with_constants<used, Sizes...>(segment.size, [&](auto const... n) {
          f(exec, how, in_tiles<decltype(n)...>(segment, x)...);
        });
        (unpack(segment, x), ...);
      } else if (codes.wanted()) {
        Kokkos::deep_copy(exec, codes_of(segment), 0);
      }
      unpack_codes(segment);
    } else if (segment.is_padded) {
      (pack(segment, x), ...);
      f(exec, how, in_equal_sizes(segment, x)...);
      (unpack(segment, x), ...);
    } else {
      f(exec, how, in_place(segment, x)...);
    }
  }
  /// Padding may hide that extents of an item do not agree. So a verb on whole matrices checks its
  /// operands for such items too: a call without items checks and launches nothing.
  template <class F, class How, class... X>
  void check_unpadded(F const& f, How const& how, X const&... x) const {
    for (std::int64_t const n : parts.of_unequal_sizes) {
      RaggedSegment none{0, 0, {}, false};
      for (int d = 0; d < parts.sizes; ++d)
        none.size[d] = parts.size[std::size_t(n * parts.sizes + d)];
      try {
        run<>(f, how, none, x...);
      } catch (std::invalid_argument const& e) {
        refuse_call("ragged", "item " + std::to_string(n) + " does not fit the verb: " + e.what());
      }
    }
  }
};

/// The Views of a ragged call, for checks.
struct RaggedViews {
  std::vector<Part> parts;
  std::vector<void const*> begins;
  int position = 0;

  template <class X>
  void add(X const& x) {
    if constexpr (is_operand<X>) ++position;
    if constexpr (is_ragged<X>) {
      constexpr bool written = X::kind != Kind::in;
      static_assert(!written || !std::is_const_v<typename decltype(x.source.values)::value_type>,
                    "Batchwork: the values of a ragged operand that is written are const; pass a "
                    "View of non-const numbers");
      parts.push_back({position, role_of(X::kind), written, describe_view(x.source.values)});
      begins.push_back(x.source.begins_there.data());
      if (written && !x.source.overlap.empty())
        refuse_call("ragged", parts.back().name() + " is written, but " + x.source.overlap +
                                  "; give each item numbers of its own");
    }
  }
  /// In place, an item is read before it is written: both are copies of one operand. Other shared
  /// numbers are refused.
  void refuse_overlaps() const {
    for (std::size_t a = 0; a < parts.size(); ++a)
      for (std::size_t b = 0; b < parts.size(); ++b) {
        auto const &x = parts[a], &y = parts[b];
        bool const share = x.d.begin < y.d.end && y.d.begin < x.d.end,
                   in_place = !y.writes && x.d.begin == y.d.begin && begins[a] == begins[b];
        if (a == b || !x.writes || !share || in_place) continue;
        refuse_call("ragged", x.name() + " is written and shares numbers with " + y.name() +
                                  "; give a View of its own");
      }
  }
};

/// The plan of the first ragged operand.
template <class X, class... Rest>
auto const& plan_of(X const& x, Rest const&... rest) {
  if constexpr (is_ragged<X>) return x.source.plan;
  else return plan_of(rest...);
}

template <class F, class Exec, class How, class Memory, int... Sizes, class... X>
void call_with_plan(F const& f, Exec const& exec, How const& how,
                    RaggedPlan<Memory, Sizes...> const& plan, X const&... x) {
  static_assert((may_join_ragged<X>() && ...),
                "Batchwork: a call with a ragged operand has only such operands: in, out or "
                "inout(ragged<...>(plan, values, offsets)), next to common, table and status; one "
                "number for each item is ragged<>(plan, values)");
  static_assert(NeedsConstants<F> ||
                    ((kind_of<X> == Kind::nothing || is_ragged<X> || is_status_operand<X>) && ...),
                "Batchwork: on whole matrices all operands are ragged; common(...) is for map");
  require_reachable<Kokkos::SpaceAccessibility<Exec, Memory>::accessible>();
  auto const same_plan = [&](auto const& argument) {
    if constexpr (is_ragged<std::remove_cvref_t<decltype(argument)>>)
      return argument.source.plan.parts == plan.parts;
    else return true;
  };
  if (!(same_plan(x) && ...))
    refuse_call("ragged",
                "the operands of the call have different plans; make all of them with one");
  if (plan.parts->is_padded && !TakesPadding<F> && !NeedsConstants<F>)
    refuse_call("ragged",
                "the plan pads items, but the results of this verb would change; make the plan "
                "with ragged_plan(sizes, Padding::none)");
  RaggedViews views;
  (views.add(x), ...);
  views.refuse_overlaps();
  RaggedRun<Exec, Memory> run{exec, *plan.parts, how.label, {}};
  auto const find_status = [&](auto const& argument) {
    if constexpr (is_status_operand<std::remove_cvref_t<decltype(argument)>>) {
      Call call{"ragged", {}};
      run.codes = status_target<Exec>(call, argument, views.position);
      auto const& part = call.parts[0];
      if (!part.d.problem.empty()) call.fail(part.name() + ": " + part.d.problem);
      // Kernels on whole matrices write codes to data[item].
      if (!NeedsConstants<F> && (run.codes.width != 1 || run.codes.group != 1))
        call.fail(part.name() + " has gaps; give a contiguous View");
      if (part.d.items != plan.items)
        call.fail(part.name() + " has " + std::to_string(part.d.items) +
                  " items, but the plan has " + std::to_string(plan.items) +
                  "; give a View of as many");
    }
  };
  (find_status(x), ...);
  if constexpr (!NeedsConstants<F>) run.check_unpadded(f, how, x...);
  for (auto const& segment : plan.parts->segments)
    run.template run<Sizes...>(f, how, segment, x...);
}

/// A verb with ragged operands.
template <class F, class Exec, class How, class... X>
void call_ragged(F const& f, Exec const& exec, How const& how, X const&... x) {
  auto const& plan = plan_of(x...);
  constexpr bool constants = std::remove_cvref_t<decltype(plan)>::has_constants;
  static_assert(TakesRagged<F>,
                "Batchwork: ragged operands are for map and for verbs on whole matrices; this verb "
                "takes Views of equal sizes");
  static_assert(constants || !NeedsConstants<F>,
                "Batchwork::map: a sequence needs sizes that are constants; make the plan with "
                "ragged_plan<2, 4, 8, 16, 32>(sizes)");
  if constexpr (TakesRagged<F> && (constants || !NeedsConstants<F>))
    call_with_plan(f, exec, how, plan, x...);
}

}  // namespace Batchwork::Impl

#endif

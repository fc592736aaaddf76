// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// team_scan: a scan that is prepared on the host and called inside the user's own TeamPolicy
/// kernel. The verb scan launches one.
#ifndef BATCHWORK_TEAM_SCAN_HPP
#define BATCHWORK_TEAM_SCAN_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/detail/Batchwork_Lanes.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/Batchwork_Tuple.hpp"
#include "core/detail/backend/Batchwork_Scheduling.hpp"
#include "fused/Batchwork_TeamMap.hpp"
#include "fused/detail/Batchwork_Group.hpp"
#include "fused/detail/Batchwork_GroupDivision.hpp"
#include "fused/detail/Batchwork_Operands.hpp"
#include "launch/detail/Batchwork_Check.hpp"
#include "view/Batchwork_Operand.hpp"
#include "view/Batchwork_Steps.hpp"
#include "view/detail/Batchwork_Bound.hpp"
#include "view/detail/loaders/Batchwork_Prefetch.hpp"

namespace Batchwork {

namespace Impl {

/// Keeps carries in registers over all steps, reads `each` operands one step ahead, and stores
/// `emit` operands.
template <class Sequence, class LanesT, class... B>
struct ScanGroup : GroupBase<ScanGroup<Sequence, LanesT, B...>, LanesT, B...> {
  using sequence_type = Sequence;
  using Base = GroupBase<ScanGroup<Sequence, LanesT, B...>, LanesT, B...>;
  using Ops = typename Base::Ops;
  using arguments = typename Ops::arguments;
  using status_code = typename Ops::status_code;

  Sequence sequence;
  std::int64_t steps;

  static constexpr bool is_each(Kind k) {
    return k == Kind::each || k == Kind::each_inout || k == Kind::common_each;
  }
  template <std::size_t I>
  static constexpr Kind kind = Ops::template bound<I>::kind;

  /// Devices read one step ahead, so that a step does not wait for memory. On hosts the caches do
  /// that.
  static constexpr bool reads_ahead = on_device_lanes<LanesT>;

  template <std::size_t I>
  BATCHWORK_INLINE void advance(arguments& now, arguments& next, auto const& items,
                                std::int64_t t) const {
    if constexpr (is_each(kind<I>)) {
      if constexpr (reads_ahead) {
        get<I>(now) = get<I>(next);
        std::int64_t const ahead = t + 1 < steps ? t + 1 : t;
        get<I>(next) = this->operands.template load<I>(items, ahead, nullptr);
      } else {
        get<I>(now) = this->operands.template load<I>(items, t, nullptr);
      }
    } else if constexpr (kind<I> == Kind::step_index) {
      get<I>(now) = get<I>(this->operands.bounds).at(t);
    } else if constexpr (kind<I> == Kind::random) {
      get<I>(now) = get<I>(now).at(get<I>(this->operands.bounds).step(t));
    }
    if constexpr (fetches_ahead<LanesT>) prefetch<I>(items, t);
  }
  template <std::size_t I>
  BATCHWORK_INLINE void prefetch(auto const& items, std::int64_t t) const {
    std::int64_t const ahead = t + steps_fetched_ahead;
    if constexpr (kind<I> == Kind::each || kind<I> == Kind::each_inout || kind<I> == Kind::emit)
      if (ahead < steps)
        prefetch_tiles<kind<I> != Kind::each>(get<I>(this->operands.bounds).loc, items, ahead);
  }
  template <std::size_t I>
  BATCHWORK_INLINE void read_first(arguments& next, auto const& items) const {
    if constexpr (is_each(kind<I>) && reads_ahead)
      get<I>(next) = this->operands.template load<I>(items, 0, nullptr);
  }
  /// The tiles that exist during all steps; the others are filled step by step. `out` is stored
  /// even if there are no steps.
  template <std::size_t I>
  BATCHWORK_INLINE auto start(auto const& items, char const* base) const {
    using X = typename Argument<typename Ops::template bound<I>, LanesT>::type;
    if constexpr (is_each(kind<I>)) return X{};
    else if constexpr (kind<I> == Kind::out) return zero_tile<X>(items);
    else return this->operands.template load<I>(items, 0, base);
  }
  template <std::size_t I>
  BATCHWORK_INLINE void emit(auto const& items, std::int64_t t, arguments& args, status_code& code,
                             status_code& bad) const {
    if constexpr (kind<I> == Kind::emit || kind<I> == Kind::each_inout)
      this->operands.template store_one<I>(items, t, get<I>(args), code, bad);
  }
  template <std::size_t I>
  BATCHWORK_INLINE void finish(auto const& items, arguments& args, status_code& code,
                               status_code& bad) const {
    constexpr Kind k = kind<I>;
    if constexpr (k == Kind::out || k == Kind::inout || k == Kind::carry)
      this->operands.template store_one<I>(items, 0, get<I>(args), code, bad);
  }

  template <std::size_t... I>
  BATCHWORK_INLINE void run_items(auto const& items, char const* base,
                                  std::index_sequence<I...>) const {
    arguments args{{start<I>(items, base)}...};
    arguments next;
    status_code code(0), bad(0);
    if (steps > 0) (read_first<I>(next, items), ...);
    for (std::int64_t t = 0; t < steps; ++t) {
      if constexpr (LanesT::stages_fixed) Vendor::compiler_barrier();
      (advance<I>(args, next, items, t), ...);
      this->call(sequence, args);
      (emit<I>(items, t, args, code, bad), ...);
    }
    (finish<I>(items, args, code, bad), ...);
    if constexpr (Ops::has_status)
      (this->operands.template store_status<I>(items, first_failure(code, bad)), ...);
  }
};

/// The lanes of a scan. On hosts a backward scan prefetches.
template <class Lanes, bool Backward>
using lanes_of_scan =
    std::conditional_t<Backward && !on_device_lanes<Lanes>, FetchingAhead<Lanes>, Lanes>;

template <class Exec, class How, bool Backward = false, class Sequence, class... O>
auto make_scan_group(std::int64_t steps, Sequence const& sequence, O const&... operands) {
  require_one_launch<Exec, O...>();
  [[maybe_unused]] constexpr bool whole =
      require_whole_items<runs_on_device<Exec>, How, bound_t<O>...>() &&
      require_lanes_for_large<runs_on_device<Exec>, How, bound_t<O>...>();
  using L = lanes_of_scan<lanes_of<Exec, How, OneLaneStaging, bound_t<O>...>, Backward>;
  using Group = ScanGroup<Sequence, L, bound_t<O>...>;
  [[maybe_unused]] constexpr bool fits = Group::template fits<Sequence>();
  return Group{{typename Group::Ops{{{bind(operands)}...}}}, sequence, steps};
}

}  // namespace Impl

/// Prepares a scan for a kernel on Exec, as team_map does for a map.
/// ```cpp
/// auto const run = team_scan<Exec>(steps, Step{}, carry(x, x), each(u));
/// // in the kernel, for the items first .. last - 1:
/// run(member, first, last);
/// ```
/// \tparam Exec  the execution space of the kernel
/// \param steps     as for scan
/// \param sequence  one step over tiles
/// \param operands  as for scan
/// \returns an object to be copied into the kernel; see team_map
/// \throws std::invalid_argument as scan does
template <class Exec, Impl::StepsOfScan Steps, class Sequence, class... O>
auto team_scan(Steps const& steps, Sequence const& sequence, O const&... operands) {
  auto const which = Impl::as_steps(steps);
  Impl::check("team_scan", which, Impl::resolve(operands)...);
  auto group = Impl::make_scan_group<Exec, Impl::DefaultHow, Impl::is_backward<Steps>>(
      which.count(), sequence, Impl::placed(Impl::resolve(operands), which)...);
  return Impl::TeamGroup<decltype(group)>{group};
}

}  // namespace Batchwork

#endif

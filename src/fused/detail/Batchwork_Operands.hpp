// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Operands: the operands of a call inside the kernel, and what all verbs do with them. They stage
/// and load them, store results, and merge the status of items.
#ifndef BATCHWORK_OPERANDS_HPP
#define BATCHWORK_OPERANDS_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/Batchwork_Distributed.hpp"
#include "core/Batchwork_Pack.hpp"
#include "core/Batchwork_Status.hpp"
#include "core/Batchwork_Value.hpp"
#include "core/detail/Batchwork_Lanes.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/Batchwork_Tuple.hpp"
#include "core/detail/backend/Batchwork_AsyncCopy.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "fused/detail/Batchwork_Stage.hpp"
#include "tile/types/Batchwork_Tile.hpp"
#include "tile/types/detail/Batchwork_LocalLines.hpp"
#include "tile/types/detail/Batchwork_TileTraits.hpp"
#include "view/Batchwork_Operand.hpp"
#include "view/detail/Batchwork_Bound.hpp"
#include "view/detail/layout/Batchwork_IndexedLocation.hpp"

namespace Batchwork::Impl {

/// The tile of one operand, in the calling lanes.
template <class B, class Lanes>
struct Argument {
  using type = typename B::template tile<Lanes>;
};
template <Kind K, class Loc, class Lanes>
  requires(!is_parameter(K))
struct Argument<Bound<K, Loc>, Lanes> {
  using type = Nothing;
};

/// The tiles of all operands, in order.
template <class Lanes, class Indices, class... B>
struct ArgumentsOf;
template <class Lanes, std::size_t... I, class... B>
struct ArgumentsOf<Lanes, std::index_sequence<I...>, B...> {
  using type = Tuple<typename Argument<B, lanes_of_operand<Lanes, I>>::type...>;
};

/// Positions of the operands that are parameters of the sequence.
template <class... B>
struct Parameters {
  static constexpr std::size_t count = (std::size_t(is_parameter(B::kind)) + ... + 0);
  template <std::size_t N>
  static constexpr std::size_t position() {
    constexpr bool of_sequence[] = {is_parameter(B::kind)..., false};
    std::size_t seen = 0;
    for (std::size_t k = 0; k < sizeof...(B); ++k) {
      if (of_sequence[k]) {
        if (seen == N) return k;
        ++seen;
      }
    }
    return sizeof...(B);
  }
};

/// True if every stored number of a tile is finite.
template <class X>
BATCHWORK_INLINE auto all_finite(X const& x) {
  if constexpr (is_integer_number<scalar_t<typename X::value_type>>) {
    return true;
  } else if constexpr (is_scalar_tile<X>) {
    return is_finite(x.value);
  } else if constexpr (is_fragments<X>) {
    return x.all_finite();
  } else if constexpr (is_distributed_tile<X>) {
    using T = typename X::T;
    T sum(0);
    BATCHWORK_UNROLL
    for (int m = 0; m < X::mine; ++m) {
      BATCHWORK_UNROLL
      for (int k = 0; k < X::length; ++k) {
        // Only the lower triangle of a symmetric tile is stored.
        if (x.line(m) < X::count && !(X::structure == Structure::symmetric && k > x.line(m)))
          sum += x.local(m, k) - x.local(m, k);
      }
    }
    return x.grid.template sum<X::lanes>(sum) == T(0);
  } else {
    using S = value_t<X>;
    S sum(scalar_t<S>(0));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < X::rows; ++i) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int j = 0; j < X::cols; ++j) {
        if (!X::skips(i, j)) sum += x.entry(i, j) - x.entry(i, j);
      }
    }
    return sum == S(scalar_t<S>(0));
  }
}

/// Converts status codes and masks between numbers of different sizes, for calls that mix float and
/// double.
template <class Code, class I>
BATCHWORK_INLINE Code as_code(I const& a) {
  if constexpr (std::is_same_v<Code, I>) {
    return a;
  } else {
    Code r(0);
    for (int l = 0; l < Code::width; ++l) r.set_lane(l, a.lane(l));
    return r;
  }
}
template <class Code, class M>
BATCHWORK_INLINE Code select_code(M const& mask, Code const& a, Code const& b) {
  if constexpr (requires { select(mask, a, b); }) {
    return select(mask, a, b);
  } else {
    Code r(0);
    for (int l = 0; l < Code::width; ++l) r.set_lane(l, mask.lane(l) ? a.lane(l) : b.lane(l));
    return r;
  }
}

/// A tile of undefined numbers. It is a separate function because in a larger one GCC 12 copies the
/// returned tile and warns that it reads undefined numbers.
template <class X>
BATCHWORK_INLINE X undefined_tile() {
  X x;
  return x;
}

/// A tile that the sequence assigns. On a host a large one is not zeroed first, which would cost a
/// pass over the cache; on a device zeros cost nothing. It may be assigned entry by entry: then its
/// status is merged, and zeros must remain in blocks beyond the tile and in lanes above a diagonal.
template <class X>
BATCHWORK_INLINE X assigned_later([[maybe_unused]] auto const& items) {
  if constexpr (is_distributed_mask<X>) {
    return X(false, items.grid);
  } else if constexpr (has_grid<X>) {
    X x;
    x.grid = items.grid;
    x.info = 0;
    if constexpr (is_fragments<X>) {
      BATCHWORK_UNROLL
      for (int n = 0; n < X::down * X::across; ++n) x.c[n][0] = 0, x.c[n][1] = 0;
    } else if constexpr (X::structure == Structure::lower) {
      BATCHWORK_UNROLL
      for (int k = 0; k < X::mine * X::length; ++k) x.a[k] = 0;
    }
    return x;
  }
#if !defined(__CUDACC__) && !defined(__HIPCC__) && !defined(BATCHWORK_DEVICE_PASS)
  if constexpr (sizeof(X) > 256) {
    X x = undefined_tile<X>();
    x.info = decltype(x.info)(0);
    return x;
  }
#endif
  return X{};
}

/// A tile of zeros, with no failure.
template <class X>
BATCHWORK_INLINE X zero_tile([[maybe_unused]] auto const& items) {
  X x{};
  if constexpr (has_grid<X>) x.grid = items.grid;
  else if constexpr (is_distributed_scalar<X>) x.value.grid = items.grid;
  else if constexpr (is_distributed_mask<X>) x.grid = items.grid;
  return x;
}

/// The operands of a call and the parts that all verbs share: staging, loading, storing, status.
template <class LanesT, class... B>
struct Operands {
  using lanes = LanesT;
  using stage = Stage<LanesT, B...>;
  using parameters = Parameters<B...>;
  using indices = std::index_sequence_for<B...>;
  using arguments = typename ArgumentsOf<LanesT, indices, B...>::type;
  template <std::size_t I>
  using operand_lanes = lanes_of_operand<LanesT, I>;
  static constexpr bool has_status = ((B::kind == Kind::status) || ...);
  static constexpr bool has_mask = ((B::kind == Kind::item_mask) || ...);
  static constexpr bool has_sums = (adds_to_view<B>() || ...);

  template <std::size_t I>
  using bound = std::remove_cvref_t<decltype(get<I>(std::declval<Tuple<B...> const&>()))>;

  /// The status codes of the items in the calling lanes.
  using status_code =
      std::conditional_t<on_device_lanes<LanesT>, std::int32_t, Pack<std::int64_t, LanesT::width>>;

  Tuple<B...> bounds;

  /// Whether one thread of a host runs all items, for operands that are added to Views.
  template <std::size_t... I>
  void set_alone([[maybe_unused]] bool alone, std::index_sequence<I...>) {
    (
        [&] {
          if constexpr (adds_to_view<bound<I>>()) get<I>(bounds).loc.alone = alone;
        }(),
        ...);
  }

  /// Whether the item takes part in the call.
  BATCHWORK_INLINE bool takes(std::int64_t item) const {
    if constexpr (has_mask) return takes(item, indices{});
    else return true;
  }
  template <std::size_t... I>
  BATCHWORK_INLINE bool takes(std::int64_t item, std::index_sequence<I...>) const {
    return (takes_one<I>(item) && ...);
  }
  template <std::size_t I>
  BATCHWORK_INLINE bool takes_one([[maybe_unused]] std::int64_t item) const {
    if constexpr (bound<I>::kind == Kind::item_mask) return get<I>(bounds).takes(item);
    else return true;
  }

  // ---- staging ----
  template <std::size_t I, class Member>
  BATCHWORK_INLINE void stage_one(Member const& member, char* base) const {
    if constexpr (bound<I>::template staged<operand_lanes<I>> > 0) {
      auto* to = reinterpret_cast<typename bound<I>::scalar*>(base + stage::offset(I));
      auto const& b = get<I>(bounds);
      Vendor::for_each_lane(member, int(bound<I>::template staged<operand_lanes<I>>),
                            [&](int k) { stage_number<operand_lanes<I>>(b, k, to + k); });
    }
  }
  template <std::size_t I>
  BATCHWORK_INLINE void stage_one(char* base) const {
    if constexpr (bound<I>::template staged<operand_lanes<I>> > 0) {
      auto* to = reinterpret_cast<typename bound<I>::scalar*>(base + stage::offset(I));
      for (int k = 0; k < bound<I>::template staged<operand_lanes<I>>; ++k)
        to[k] = staged_number<operand_lanes<I>>(get<I>(bounds), k);
    }
  }
  template <class... Where, std::size_t... I>
  BATCHWORK_INLINE void stage_all(std::index_sequence<I...>, Where&&... where) const {
    (stage_one<I>(where...), ...);
  }
  /// All lanes of a device team stage into its scratch, followed by a team barrier.
  template <class Member>
  BATCHWORK_INLINE char* stage_by_team(Member const& member) const {
    // A copy of the scratch handle: the space is the team's own again after the call.
    auto scratch = member.team_scratch(0);
    std::size_t const bytes = stage::bytes;
    int const alignment = int(stage::align);
    char* base = static_cast<char*>(scratch.get_shmem_aligned(bytes, alignment));
    stage_all(indices{}, member, base);
    Vendor::copy_async_wait();
    member.team_barrier();
    return base;
  }
  /// By a host thread, onto its stack.
  BATCHWORK_INLINE void stage_by_thread(char* base) const { stage_all(indices{}, base); }

  // ---- loading ----
  template <std::size_t I>
  BATCHWORK_INLINE auto load(auto const& items, std::int64_t time, char const* base) const {
    constexpr Kind k = bound<I>::kind;
    auto const& b = get<I>(bounds);
    if constexpr (k == Kind::in || k == Kind::inout || k == Kind::each || k == Kind::each_inout) {
      return b.template load<operand_lanes<I>>(items, time);
    } else if constexpr (k == Kind::common) {
      return b.template read<operand_lanes<I>>(
          reinterpret_cast<typename bound<I>::scalar const*>(base + stage::offset(I)));
    } else if constexpr (k == Kind::fixed) {
      return b.template read<operand_lanes<I>>(
          reinterpret_cast<typename bound<I>::scalar const*>(base + stage::offset(I)));
    } else if constexpr (k == Kind::common_each) {
      return b.template load<operand_lanes<I>>(time);
    } else if constexpr (k == Kind::table) {
      return typename bound<I>::template tile<operand_lanes<I>>{b.loc};
    } else if constexpr (k == Kind::item_index) {
      return b.template load<operand_lanes<I>>(items);
    } else if constexpr (k == Kind::random) {
      return b.template load<operand_lanes<I>>(items, time);
    } else if constexpr (k == Kind::step_index) {
      return b.at(time);
    } else if constexpr (k == Kind::carry) {
      return b.template load<operand_lanes<I>>(
          items, reinterpret_cast<typename bound<I>::scalar const*>(base + stage::offset(I)));
    } else if constexpr (adds_to_view<bound<I>>()) {
      return zero_tile<typename Argument<bound<I>, LanesT>::type>(items);
    } else {
      return assigned_later<typename Argument<bound<I>, LanesT>::type>(items);
    }
  }

  // ---- storing ----
  /// Stores the operands of the given kinds and merges the tiles' status into `code`.
  template <std::size_t I, class Code>
  BATCHWORK_INLINE void store_one(auto const& items, std::int64_t time, auto& x, Code& code,
                                  Code& bad) const {
    if constexpr (has_grid<std::remove_cvref_t<decltype(x)>>) x.grid = items.grid;
    auto const& b = get<I>(bounds);
    auto const put = [&](auto const& target, auto const& y) {
      if constexpr (is_of_indices<std::remove_cvref_t<decltype(target)>>()) {
        [[maybe_unused]] auto const found = target.template store<LanesT>(items, time, y);
        if constexpr (has_status)
          code = first_failure(first_failure(code, as_code<Code>(y.info)), as_code<Code>(found));
      } else {
        target.template store<LanesT>(items, time, y);
      }
      if constexpr (has_status && !is_mask<std::remove_cvref_t<decltype(y)>>) {
        code = first_failure(code, as_code<Code>(y.info));
        bad = select_code(all_finite(y), bad, Code(Status::code(Reason::not_finite, 0)));
      }
    };
    if constexpr (bound<I>::kind == Kind::carry) {
      if constexpr (decltype(b.end)::kind != Kind::nothing) {
        if constexpr (is_log_sum<std::remove_cvref_t<decltype(x)>>) {
          put(b.end, x.value());
        } else {
          // Stored as by an assignment to a tile of the end's type.
          using X = std::remove_cvref_t<decltype(x)>;
          using End = typename decltype(b.end)::template tile<LanesT>;
          if constexpr (std::is_same_v<X, End>) put(b.end, x);
          else put(b.end, End(x));
        }
      } else if constexpr (has_status && !is_mask<std::remove_cvref_t<decltype(x)>>) {
        code = first_failure(code, as_code<Code>(x.info));
      }
    } else {
      put(b, x);
    }
  }
  template <std::size_t I, class Code>
  BATCHWORK_INLINE void store_status(auto const& items, Code const& code) const {
    if constexpr (bound<I>::kind == Kind::status) get<I>(bounds).store(items, code);
  }
};

}  // namespace Batchwork::Impl

#endif

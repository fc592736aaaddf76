// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Group: a sequence and its operands, ready to run on some items inside a kernel. The verbs launch
/// one; a user's own TeamPolicy kernel can call one.
#ifndef BATCHWORK_GROUP_HPP
#define BATCHWORK_GROUP_HPP

#include "core/detail/Batchwork_Tuple.hpp"
#include "core/detail/backend/Batchwork_Vendor.hpp"
#include "fused/detail/Batchwork_Sequence.hpp"
#include "launch/detail/Batchwork_Check.hpp"
#include "view/detail/Batchwork_Bound.hpp"

namespace Batchwork::Impl {

/// The positions of a call's common operands in the stage: in order, each on a 16-byte boundary.
template <class Lanes, class... B>
struct Stage {
  static constexpr std::size_t align = 16;
  template <class X, class LanesOfX>
  static constexpr std::size_t bytes_of() {
    if constexpr (X::template staged<LanesOfX> > 0)
      return (X::template staged<LanesOfX> * sizeof(typename X::scalar) + align - 1) / align *
             align;
    else return 0;
  }
  template <std::size_t... I>
  static constexpr std::size_t offset(std::size_t n, std::index_sequence<I...>) {
    constexpr std::size_t sizes[] = {bytes_of<B, lanes_of_operand<Lanes, I>>()..., 0};
    std::size_t sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += sizes[k];
    return sum;
  }
  static constexpr std::size_t offset(std::size_t n) {
    return offset(n, std::index_sequence_for<B...>{});
  }
  static constexpr std::size_t bytes = offset(sizeof...(B));
};

/// On a device: many copies in flight at once.
template <class Lanes, class B, class T>
BATCHWORK_INLINE void stage_number(B const& b, int k, T* to) {
  if constexpr (B::kind == Kind::carry) {
    stage_number<Lanes>(b.start, k, to);
  } else if constexpr (requires { b.template where<Lanes>(k); }) {
    auto const* const from = b.template where<Lanes>(k);
    if (from == nullptr) *to = T(scalar_t<T>(0));
    else Vendor::copy_async<int(sizeof(T))>(to, from);
  } else {
    *to = b.template number<Lanes>(k);
  }
}
template <class Lanes, class B>
BATCHWORK_INLINE auto staged_number(B const& b, int k) {
  if constexpr (B::kind == Kind::carry) return b.start.template number<Lanes>(k);
  else return b.template number<Lanes>(k);
}

/// The tile of one operand, in the calling lanes.
template <class B, class Lanes>
struct Argument {
  using type = typename B::template tile<Lanes>;
};
template <class Loc, class Lanes>
struct Argument<Bound<Kind::status, Loc>, Lanes> {
  using type = Nothing;
};

/// The tiles of all operands, in order.
template <class Lanes, class Indices, class... B>
struct ArgumentsOf;
template <class Lanes, std::size_t... I, class... B>
struct ArgumentsOf<Lanes, std::index_sequence<I...>, B...> {
  using type = Tuple<typename Argument<B, lanes_of_operand<Lanes, I>>::type...>;
};

/// Positions of the operands that are parameters of the sequence: all but status.
template <class... B>
struct Parameters {
  static constexpr std::size_t count = (std::size_t(B::kind != Kind::status) + ... + 0);
  template <std::size_t N>
  static constexpr std::size_t position() {
    constexpr bool is_parameter[] = {(B::kind != Kind::status)..., false};
    std::size_t seen = 0;
    for (std::size_t k = 0; k < sizeof...(B); ++k) {
      if (is_parameter[k]) {
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

  template <std::size_t I>
  using bound = std::remove_cvref_t<decltype(get<I>(std::declval<Tuple<B...> const&>()))>;

  /// The status codes of the items in the calling lanes.
  using status_code =
      std::conditional_t<on_device_lanes<LanesT>, std::int32_t, Pack<std::int64_t, LanesT::width>>;

  Tuple<B...> bounds;

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
    Vendor::wait_for_copies();
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
    } else if constexpr (k == Kind::step_index) {
      return b.at(time);
    } else if constexpr (k == Kind::carry) {
      return b.template load<operand_lanes<I>>(
          items, reinterpret_cast<typename bound<I>::scalar const*>(base + stage::offset(I)));
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
      target.template store<LanesT>(items, time, y);
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

/// The bytes of the exchange of an item that lanes share, for numbers of every type among the
/// operands.
template <class S>
inline constexpr std::size_t bytes_of_exchange = 0;
template <class S>
  requires is_distributed<S>
inline constexpr std::size_t bytes_of_exchange<S> = S::exchange::bytes;
/// The size of the numbers of an operand that lanes may exchange; 0 if it has none.
template <class B>
constexpr std::size_t number_bytes_of() {
  if constexpr (requires { typename B::number; }) return sizeof(typename B::number);
  else if constexpr (std::is_void_v<typename B::scalar>) return 0;
  else if constexpr (std::is_same_v<typename B::scalar, bool>) return sizeof(bool);
  else return sizeof(scalar_t<typename B::scalar>);
}
template <class LanesT, class... B>
inline constexpr std::size_t exchange_bytes_of_item = [] {
  if constexpr (on_device_lanes<LanesT>)
    return ((number_bytes_of<B>() == 8) || ...)
               ? bytes_of_exchange<typename LanesT::template value<double>>
               : bytes_of_exchange<typename LanesT::template value<float>>;
  else return std::size_t(0);
}();

/// The common part of map and scan: how a group runs on a device team and on a host thread. Derived
/// provides run_items(items, stage, indices).
template <class Derived, class LanesT, class... B>
struct GroupBase {
  using lanes = LanesT;
  using Ops = Operands<LanesT, B...>;
  static constexpr bool on_device = on_device_lanes<LanesT>;
  Ops operands;

  /// Bytes of team scratch; hosts stage on the stack.
  static constexpr std::size_t scratch_size(int team) {
    return (on_device ? Ops::stage::bytes : 0) + exchange_bytes(team);
  }

  // ---- lanes that share items ----
  static constexpr int lanes_per_item = LanesT::lanes_per_item;
  static constexpr std::size_t item_bytes = exchange_bytes_of_item<LanesT, B...>;
  static constexpr int copy_group_items = LanesT::copy_group_lanes / lanes_per_item;
  /// The number of grids of lanes, including those of the last copy group and the remaining lanes.
  static constexpr int grids_of(int team) {
    return (team + LanesT::copy_group_lanes - 1) / LanesT::copy_group_lanes * copy_group_items;
  }
  /// The grids that compute. An incomplete last warp does not, because it could not give the same
  /// bits as the others.
  static constexpr KOKKOS_FUNCTION int grids_in(int team) {
    return (team > lanes_of_warp ? team / lanes_of_warp * lanes_of_warp : team) / lanes_per_item;
  }
  static constexpr std::size_t exchange_bytes(int team) {
    return lanes_per_item == 1
               ? 0
               : (item_bytes * std::size_t(copy_group_items) + Derived::fetched_by_copy_group()) *
                     std::size_t(grids_of(team) / copy_group_items);
  }
  /// As many items as the team has grids, from `first` on, repeated every `step` items.
  template <class Member>
  BATCHWORK_INLINE void run_grids(Member const& member, std::int64_t first, std::int64_t last,
                                  std::int64_t step) const {
    char* base = nullptr;
    if constexpr (Ops::stage::bytes > 0) base = operands.stage_by_team(member);
    constexpr int L = lanes_per_item, together = copy_group_items;
    int const rank = Vendor::lane_rank(member), team = Vendor::lane_count(member);
    int const mine = rank / L, grids = grids_in(team);
    if (grids == 0)
      Kokkos::abort("Batchwork: a team has fewer lanes than share an item; make the team larger");
    if (last <= first) return;
    auto scratch = member.team_scratch(0);
    // After the stage, which the call has taken from its own copy of the scratch handle.
    std::size_t const bytes = Ops::stage::bytes + exchange_bytes(team);
    char* const exchange =
        static_cast<char*>(scratch.get_shmem_aligned(bytes, int(Ops::stage::align))) +
        Ops::stage::bytes;
    // The exchanges of a copy group's items, followed by the buffers into which all copy groups
    // fetch ahead.
    int const copy_group = mine / together, head = copy_group * together;
    GridItem<LanesT::copy_group_lanes> item;
    item.exchange = exchange + item_bytes * std::size_t(head);
    item.item_bytes = int(item_bytes);
    item.place = mine - head;
    item.grid =
        LaneGrid{exchange + item_bytes * std::size_t(mine), rank % L, Vendor::LaneSync::of(member)};
    item.ahead.buffer = exchange + item_bytes * std::size_t(grids_of(team)) +
                        Derived::fetched_by_copy_group() * std::size_t(copy_group);
    // Remaining lanes repeat the work of another grid, because they must not diverge.
    bool const whole = mine < grids, all_there = head + together <= grids;
    auto const copy_group_at = [&](std::int64_t at) {
      if (all_there && at + head + together <= last)
        return CopyGroup{rank - head * L, together, 0, at + head};
      return CopyGroup{rank % L, 1, item.place, whole && at + mine < last ? at + mine : last - 1};
    };
    self().fetch_first(item, copy_group_at(first));
    for (std::int64_t at = first; at < last; at += step) {
      bool const present = whole && at + mine < last;
      item.first = present ? at + mine : last - 1;
      item.count = present ? 1 : 0;
      // Otherwise the places of all numbers of an item stay in registers from one item to the next.
      item.grid.lane = Vendor::renewed(rank % L);
      item.copy_group = copy_group_at(at);
      item.ahead.more = at + step < last;
      item.ahead.next = copy_group_at(at + step);
      self().run_items(item, base, typename Ops::indices{});
    }
  }

  BATCHWORK_INLINE Derived const& self() const { return static_cast<Derived const&>(*this); }

  template <std::size_t I>
  static BATCHWORK_INLINE auto& argument(typename Ops::arguments& args) {
    if constexpr (is_read_only(Ops::template bound<I>::kind)) return std::as_const(get<I>(args));
    else return get<I>(args);
  }
  template <std::size_t P>
  using parameter = Parameter<
      Ops::template bound<Ops::parameters::template position<P>()>::kind,
      typename Argument<typename Ops::template bound<Ops::parameters::template position<P>()>,
                        lanes_of_operand<LanesT, Ops::parameters::template position<P>()>>::type>;
  template <class Sequence, std::size_t... P>
  static BATCHWORK_INLINE void call(Sequence const& sequence, typename Ops::arguments& args,
                                    std::index_sequence<P...>) {
    if constexpr (is_callable<Sequence, parameter<P>...>)
      sequence(argument<Ops::parameters::template position<P>()>(args)...);
  }
  template <class Sequence, std::size_t... P>
  static constexpr bool require_sequence_of(std::index_sequence<P...>) {
    return require_sequence<Sequence, parameter<P>...>();
  }
  /// True; otherwise a compile-time error says what is wrong with the sequence.
  template <class Sequence>
  static constexpr bool fits() {
    return require_sequence_of<Sequence>(std::make_index_sequence<Ops::parameters::count>{});
  }
  /// One parameter per operand, status excepted.
  template <class Sequence>
  static BATCHWORK_INLINE void call(Sequence const& sequence, typename Ops::arguments& args) {
    call(sequence, args, std::make_index_sequence<Ops::parameters::count>{});
  }

  /// All lanes of a device team call it; it stages first. It ends without synchronisation.
  template <class Member>
  BATCHWORK_INLINE void run(Member const& member, std::int64_t first, std::int64_t last) const {
    if constexpr (lanes_per_item > 1) {
      run_grids(member, first, last, grids_in(Vendor::lane_count(member)));
    } else {
      char* base = nullptr;
      if constexpr (Ops::stage::bytes > 0) base = operands.stage_by_team(member);
      Vendor::for_each_lane(member, int(last - first), [&](int k) {
        // Otherwise so many numbers would be read once, before the loop, and spilled.
        if constexpr (LanesT::stages_fixed) Vendor::forget_loads();
        self().run_items(Items{first + k, 1}, base, typename Ops::indices{});
      });
    }
  }

  /// The bytes that a copy group fetches ahead, and the first fetch: none by default.
  static constexpr std::size_t fetched_by_copy_group() { return 0; }
  BATCHWORK_INLINE void fetch_first(auto const&, CopyGroup const&) const {}

  /// The additional team scratch, in bytes per lane, of the verb's own kernel.
  static constexpr std::size_t fetch_bytes = 0;
  /// As run, in the verb's own kernel.
  template <class Member>
  BATCHWORK_INLINE void run_alone(Member const& member, std::int64_t first,
                                  std::int64_t last) const {
    run(member, first, last);
  }

  /// One host thread: packs, with the common operands on its stack.
  BATCHWORK_INLINE void run_chunk(std::int64_t first, std::int64_t last) const {
    constexpr int W = LanesT::width;
    alignas(64) char base[Ops::stage::bytes + 1];
    operands.stage_by_thread(base);
    for (std::int64_t item = first; item < last; item += W) {
      int const count = last - item < W ? int(last - item) : W;
      self().run_items(Items{item, count}, base, typename Ops::indices{});
    }
  }
};

/// A group as a user's kernel calls it.
template <class Group>
struct TeamGroup {
  Group group;

  /// The level-0 team scratch to request with Kokkos::PerTeam(...), in addition to the kernel's
  /// own. With a vector length above 1, `lanes` is team size times vector length.
  static constexpr std::size_t scratch_size(int lanes) {
    return Group::scratch_size(lanes) > 0 ? Group::scratch_size(lanes) + Group::Ops::stage::align
                                          : 0;
  }

  /// Runs on the items first .. last - 1. All threads of the team must call it, outside nested
  /// ranges, with the same arguments. It sees what the team wrote before, and the team sees
  /// afterwards what it wrote. Lanes are the linear ranks over team size times vector length; on
  /// hosts each thread takes one pack at a time.
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member, std::int64_t first,
                                  std::int64_t last) const {
    member.team_barrier();
    if constexpr (Group::on_device) {
      group.run(member, first, last);
    } else {
      constexpr int W = Group::lanes::width;
      std::int64_t const packs = (last - first + W - 1) / W;
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, packs), [&](std::int64_t k) {
        std::int64_t const item = first + k * W;
        group.run_chunk(item, item + W < last ? item + W : last);
      });
    }
    member.team_barrier();
  }
};

/// Whether numbers are real, or complex, rather than integers or truths.
template <class S>
inline constexpr bool is_no_integer = !std::is_void_v<S> && !std::is_integral_v<S>;

/// The scalar type that determines the width of packs: that of the first operand of real numbers,
/// or of the first operand of integers if there is none.
template <class... S>
struct FirstScalar {
  using type = double;
};
template <class S, class... Rest>
struct FirstScalar<S, Rest...> {
  using type = S;
};
template <class S, class... Rest>
  requires std::is_integral_v<S>
struct FirstScalar<S, Rest...> {
  using own = std::conditional_t<std::is_same_v<S, bool>, std::int32_t, S>;
  using type = typename std::conditional_t<(is_no_integer<Rest> || ...), FirstScalar<Rest...>,
                                           std::type_identity<own>>::type;
};
template <class... Rest>
struct FirstScalar<void, Rest...> {
  using type = typename FirstScalar<Rest...>::type;
};

/// The default launch parameters of a call.
struct DefaultHow {
  static constexpr int width = 0, lanes = 0;
  using division = Division<>;
};

template <class B>
struct ShapeSeen {
  using type = typename decltype(B::loc)::shape;
};
template <class B>
  requires requires { typename B::Sh; }
struct ShapeSeen<B> {
  using type = typename B::Sh;
};

/// The largest extent among the tiles of a call.
template <class B>
constexpr int largest_extent_of() {
  if constexpr (requires { typename B::scalar; } && !std::is_void_v<typename B::scalar>) {
    if constexpr (B::kind == Kind::carry) {
      return largest_extent_of<decltype(B::start)>();
    } else {
      using Sh = typename ShapeSeen<B>::type;
      return Sh::rows > Sh::cols ? Sh::rows : Sh::cols;
    }
  } else if constexpr (B::kind == Kind::table) {
    return B::Sh::rows > B::Sh::cols ? B::Sh::rows : B::Sh::cols;
  } else {
    return 1;
  }
}
template <class... B>
inline constexpr int largest_extent_in = [] {
  int r = 1;
  ((r = largest_extent_of<B>() > r ? largest_extent_of<B>() : r), ...);
  return r;
}();

/// Bytes of the numbers of a fixed operand.
template <class B>
constexpr std::size_t fixed_bytes_of() {
  if constexpr (B::kind == Kind::fixed) return sizeof(B);
  else return 0;
}

/// The bytes that a copy group needs to fetch an operand of its next items; 0 if the operand is not
/// read or not copied that way.
template <int L, int CopyGroupLanes, class B>
constexpr std::size_t ahead_bytes_of() {
  if constexpr (L > 1 && Vendor::copies_asynchronously &&
                (B::kind == Kind::in || B::kind == Kind::inout)) {
    using Loc = decltype(B::loc);
    if constexpr (Loc::shape::rank > 0) return GridTransfer<Loc, L, CopyGroupLanes>::bytes;
  }
  return 0;
}

/// The operands of a call that are staged in so many bytes of scratch. Fixed ones come first,
/// because lanes that read numbers of different rows of the arguments at once are served one after
/// the other. Room for all, if there is enough.
template <class Lanes, class... B>
constexpr std::uint64_t operands_staged_in(std::size_t available) {
  static_assert(sizeof...(B) <= 64, "Batchwork: a call takes at most 64 operands");
  using Staged = Stage<Lanes, B...>;
  if constexpr (Staged::bytes == 0) {
    return ~std::uint64_t(0);
  } else {
    if (Staged::bytes <= available) return ~std::uint64_t(0);
    constexpr int count = int(sizeof...(B));
    constexpr std::size_t bytes[] = {Staged::template bytes_of<B, Lanes>()...};
    constexpr bool fixed[] = {(fixed_bytes_of<B>() > 0)...};
    return staged_operands<count>(bytes, fixed, available);
  }
}

/// 1 if operand B of a map is an item's symmetric matrix that is large enough for blocks; -1 if it
/// is another matrix of an item, or one of a time loop; else 0.
template <class B>
constexpr int symmetric_of_item() {
  if constexpr (B::kind == Kind::carry || B::kind == Kind::each || B::kind == Kind::each_inout ||
                B::kind == Kind::emit) {
    return -1;
  } else if constexpr (B::kind == Kind::local) {
    return B::Sh::rank < 2 ? 0 : -1;
  } else if constexpr (B::kind == Kind::in || B::kind == Kind::out || B::kind == Kind::inout) {
    using Sh = typename decltype(B::loc)::shape;
    if (Sh::rank < 2) return 0;
    return Sh::structure == Structure::symmetric && Sh::rows >= least_extent_of_fragments ? 1 : -1;
  } else {
    return 0;
  }
}
/// Whether the same numbers of neighbouring items are adjacent in memory.
template <class B>
constexpr bool has_items_side_by_side() {
  if constexpr (requires { decltype(B::loc)::lanes_are_neighbours; })
    return decltype(B::loc)::lanes_are_neighbours;
  else return false;
}

/// Whether a warp shares an item in blocks by default: if all matrices of items are symmetric and
/// large.
template <class T, class... B>
inline constexpr bool takes_fragments =
    Vendor::chains_matrices<T> && ((symmetric_of_item<B>() == 1) || ...) &&
    ((symmetric_of_item<B>() >= 0) && ...);

template <class T>
inline constexpr bool holds_double =
    std::is_same_v<T, double> || std::is_same_v<T, Complex<double>>;

/// The largest extent of tiles on a device if an operand holds complex numbers, because a lane then
/// holds a whole item.
inline constexpr int largest_complex_extent = 10;

/// The lanes on a device: those given, or GridLanes if several share an item, as many as suit its
/// number types; the larger type counts, because its exchange is the largest. Common operands that
/// would leave too little scratch for the exchange of a copy group are read through the cache.
template <int L, class How, class DeviceLanes, class... B>
struct DividedLanes {
  using T = std::conditional_t<((number_bytes_of<B>() == 8) || ...), double, float>;
  static constexpr bool has_reals = (is_no_integer<typename B::scalar> || ...);
  using Real = std::conditional_t<
      !has_reals, T, std::conditional_t<(holds_double<typename B::scalar> || ...), double, float>>;
  static constexpr int extent = largest_extent_in<B...>;
  /// Items of complex numbers are not shared.
  static constexpr bool complex = (is_complex<typename B::scalar> || ...);
  static constexpr bool in_blocks = L == 0 && std::is_same_v<How, Division<>> &&
                                    extent <= largest_extent_of_fragments &&
                                    takes_fragments<Real, B...>;
  using Way = std::conditional_t<in_blocks, DivisionInBlocks<teams_of_fragments(extent)>, How>;
  static constexpr int lanes = complex     ? 1
                               : L > 0     ? L
                               : in_blocks ? 32
                                           : lanes_per_item<Real>(extent);
  static constexpr std::size_t exchange = Exchange<T, lanes, extent>::bytes;
  static constexpr std::size_t available = Way::scratch;
  static constexpr int usual_group = copy_group_lanes(lanes, exchange, available);
  static constexpr std::size_t items_of_sector = 32 / sizeof(T);
  /// Twice as many lanes if those of the usual group have half a sector of neighbouring items and
  /// the common operands still fit beside their exchange.
  static constexpr bool halves_sectors =
      usual_group < 128 && usual_group / lanes < int(items_of_sector) &&
      (has_items_side_by_side<B>() || ...) &&
      exchange * items_of_sector +
              Stage<GridLanes<lanes, extent, true, 2 * usual_group, Way>, B...>::bytes <=
          available;
  static constexpr int copy_group = halves_sectors ? 2 * usual_group : usual_group;
  using staging = GridLanes<lanes, extent, true, copy_group, Way>;
  static constexpr std::size_t exchanged = exchange * std::size_t(copy_group / lanes);
  // If not all operands are staged, fetching ahead has priority.
  static constexpr std::size_t left = exchanged < available ? available - exchanged : 0,
                               ahead =
                                   (std::size_t(0) + ... + ahead_bytes_of<lanes, copy_group, B>());
  static constexpr bool all = Stage<staging, B...>::bytes <= left;
  static constexpr std::uint64_t staged = operands_staged_in<staging, B...>(
      !all && ahead <= exchanged && ahead <= left ? left - ahead : left);
  static constexpr std::size_t fixed = (std::size_t(0) + ... + fixed_bytes_of<B>());
  using alone = std::conditional_t<(fixed > Vendor::fast_argument_bytes), StagingFixed<DeviceLanes>,
                                   DeviceLanes>;
  using type = std::conditional_t<
      lanes == 1, alone,
      std::conditional_t<
          staged == ~std::uint64_t(0), staging,
          std::conditional_t<staged == 0, GridLanes<lanes, extent, false, copy_group, Way>,
                             GridLanesStagingSome<lanes, extent, copy_group, Way, staged>>>>;
};
template <int L, class DeviceLanes, class... B>
using DeviceLanesOf = DividedLanes<L, Division<>, DeviceLanes, B...>;

/// True; otherwise a compile-time error explains the limits for complex numbers.
template <bool OnDevice, class How, class... B>
constexpr bool require_whole_items() {
  constexpr bool good = !OnDevice || !(is_complex<typename B::scalar> || ...) ||
                        (largest_extent_in<B...> <= largest_complex_extent && How::lanes <= 1);
  static_assert(good,
                "Batchwork: lanes of a device do not share items of complex numbers; use extents "
                "of at most 10, and no launch(lanes<n>) with n > 1");
  return good;
}

/// The numbers of a call's largest matrix that one of 32 lanes holds: whole rows or whole columns,
/// whichever are more.
template <class B>
constexpr int numbers_of_lane() {
  if constexpr (requires { typename B::scalar; } && !std::is_void_v<typename B::scalar>) {
    if constexpr (B::kind == Kind::carry) {
      return numbers_of_lane<decltype(B::start)>();
    } else {
      using Sh = typename ShapeSeen<B>::type;
      if (Sh::rank < 2) return 1;
      constexpr int rows = (Sh::rows + 31) / 32 * Sh::cols, cols = (Sh::cols + 31) / 32 * Sh::rows;
      return (rows > cols ? rows : cols) * int(sizeof(typename B::scalar) / sizeof(float));
    }
  } else {
    return 1;
  }
}
/// In words of 4 bytes, out of the 255 registers of a lane: 48 x 48 in double. Larger matrices
/// would be kept in memory.
inline constexpr int most_words_of_lane = 192;

/// True; otherwise a compile-time error explains the limits for extents over 32.
template <bool OnDevice, class How, class... B>
constexpr bool require_lanes_for_large() {
  constexpr bool large = OnDevice && largest_extent_in<B...> > 32;
  constexpr bool shared = !large || How::lanes == 0 || How::lanes == 32;
  static_assert(shared,
                "Batchwork: with an extent over 32, 32 lanes of a device share each item; write "
                "launch(lanes<32>) or leave lanes<n> out");
  constexpr bool held = !large || ((numbers_of_lane<B>() <= most_words_of_lane) && ...);
  static_assert(held,
                "Batchwork: on devices the matrices of a sequence have extents up to 48 x 48 in "
                "double and 64 x 64 in float (larger whole matrices: the verbs gemm, cholesky, "
                "solve_cholesky, solve_lu and inverse)");
  return shared && held;
}

template <class Exec, class How, class DeviceLanes, class... B>
using lanes_of =
    lanes_for<Exec, typename FirstScalar<typename B::scalar...>::type, How::width,
              typename DividedLanes<How::lanes, typename How::division, DeviceLanes, B...>::type>;

/// Requirements on the operands of every verb.
template <class Exec, class... O>
constexpr void require_one_launch() {
  static_assert((std::size_t(0) + ... + fixed_bytes_of<bound_t<O>>()) <= Vendor::fixed_bytes<Exec>,
                "Batchwork: fixed operands hold more than a launch can carry on this execution "
                "space; use common(view)");
  static_assert((int(O::kind == Kind::status) + ... + 0) <= 1,
                "Batchwork: one status operand per call; leave out the others");
  require_accessible<Exec, O...>();
}

}  // namespace Batchwork::Impl

#endif

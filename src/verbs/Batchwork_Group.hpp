// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Group: a sequence and its operands, ready to run on some items inside a kernel. The verbs launch one; a user's own
/// TeamPolicy kernel can call one.
#ifndef BATCHWORK_GROUP_HPP
#define BATCHWORK_GROUP_HPP

#include "machine/Batchwork_Tuple.hpp"
#include "machine/Batchwork_Vendor.hpp"
#include "operand/Batchwork_Bound.hpp"
#include "operand/Batchwork_Check.hpp"

namespace Batchwork::Impl {

/// Where the common operands of a call stand in the stage: in order, each on a 16-byte boundary.
template <class Lanes, class... B>
struct Stage {
  static constexpr std::size_t align = 16;
  template <class X>
  static constexpr std::size_t bytes_of() {
    if constexpr (X::template staged<Lanes> > 0)
      return (X::template staged<Lanes> * sizeof(typename X::scalar) + align - 1) / align * align;
    else return 0;
  }
  static constexpr std::size_t offset(std::size_t n) {
    constexpr std::size_t sizes[] = {bytes_of<B>()..., 0};
    std::size_t sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += sizes[k];
    return sum;
  }
  static constexpr std::size_t bytes = offset(sizeof...(B));
};

template <class B>
BATCHWORK_INLINE auto staged_number(B const& b, int k) {
  if constexpr (B::kind == Kind::carry) return b.start.number(k);
  else return b.number(k);
}

/// The tile of one operand, in the lanes at hand.
template <class B, class Lanes>
struct Argument {
  using type = typename B::template tile<Lanes>;
};
template <class Loc, class Lanes>
struct Argument<Bound<Kind::status, Loc>, Lanes> {
  using type = Nothing;
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

constexpr bool is_read_only(Kind k) {
  return k == Kind::in || k == Kind::common || k == Kind::fixed || k == Kind::each ||
         k == Kind::common_each;
}

/// True where every stored number of a tile is finite.
template <class X>
BATCHWORK_INLINE auto all_finite(X const& x) {
  if constexpr (requires { x.value; }) {
    return is_finite(x.value);
  } else {
    using S = held_t<X>;
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

/// Status codes and truths of numbers of one size as those of another, where a call mixes float and double.
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

/// A tile that the sequence assigns. On a host a large one is not zeroed first, which would be a pass over the cache; on
/// a device the zeros cost nothing.
template <class X>
BATCHWORK_INLINE X assigned_later() {
#if !defined(__CUDACC__) && !defined(__HIPCC__) && !defined(BATCHWORK_DEVICE_PASS)
  if constexpr (sizeof(X) > 256) {
    X x;
    return x;
  }
#endif
  return X{};
}

/// The operands of a call and what is common to all verbs: staging, loading, storing, the status.
template <class LanesT, class... B>
struct Operands {
  using lanes = LanesT;
  using stage = Stage<LanesT, B...>;
  using parameters = Parameters<B...>;
  using indices = std::index_sequence_for<B...>;
  using arguments = Tuple<typename Argument<B, LanesT>::type...>;
  static constexpr bool has_status = ((B::kind == Kind::status) || ...);

  template <std::size_t I>
  using bound = std::remove_cvref_t<decltype(get<I>(std::declval<Tuple<B...> const&>()))>;

  /// Status codes of the items in the lanes at hand.
  using status_code =
      std::conditional_t<on_device_lanes<LanesT>, std::int32_t, Pack<std::int64_t, LanesT::width>>;

  Tuple<B...> bounds;

  // ---- staging ----
  template <std::size_t I, class Member>
  BATCHWORK_INLINE void stage_one(Member const& member, char* base) const {
    if constexpr (bound<I>::template staged<LanesT> > 0) {
      auto* to = reinterpret_cast<typename bound<I>::scalar*>(base + stage::offset(I));
      auto const& b = get<I>(bounds);
      Vendor::for_each_lane(member, int(bound<I>::template staged<LanesT>),
                            [&](int k) { to[k] = staged_number(b, k); });
    }
  }
  template <std::size_t I>
  BATCHWORK_INLINE void stage_one(char* base) const {
    if constexpr (bound<I>::template staged<LanesT> > 0) {
      auto* to = reinterpret_cast<typename bound<I>::scalar*>(base + stage::offset(I));
      for (int k = 0; k < bound<I>::template staged<LanesT>; ++k)
        to[k] = staged_number(get<I>(bounds), k);
    }
  }
  template <class... Where, std::size_t... I>
  BATCHWORK_INLINE void stage_all(std::index_sequence<I...>, Where&&... where) const {
    (stage_one<I>(where...), ...);
  }
  /// By all lanes of a device team, into its scratch; the one team barrier of a call.
  template <class Member>
  BATCHWORK_INLINE char* stage_by_team(Member const& member) const {
    // A copy of the scratch handle: the space is the team's own again after the call.
    auto scratch = member.team_scratch(0);
    std::size_t const bytes = stage::bytes;
    int const alignment = int(stage::align);
    char* base = static_cast<char*>(scratch.get_shmem_aligned(bytes, alignment));
    stage_all(indices{}, member, base);
    member.team_barrier();
    return base;
  }
  /// By a host thread, onto its stack.
  BATCHWORK_INLINE void stage_by_thread(char* base) const { stage_all(indices{}, base); }

  // ---- loading ----
  template <std::size_t I>
  BATCHWORK_INLINE auto load(Items items, std::int64_t time, char const* base) const {
    constexpr Kind k = bound<I>::kind;
    auto const& b = get<I>(bounds);
    if constexpr (k == Kind::in || k == Kind::inout || k == Kind::each) {
      return b.template load<LanesT>(items, time);
    } else if constexpr (k == Kind::common) {
      return b.template read<LanesT>(
          reinterpret_cast<typename bound<I>::scalar const*>(base + stage::offset(I)));
    } else if constexpr (k == Kind::fixed) {
      return b.read();
    } else if constexpr (k == Kind::common_each) {
      return b.load(time);
    } else if constexpr (k == Kind::carry) {
      return b.template load<LanesT>(
          items, reinterpret_cast<typename bound<I>::scalar const*>(base + stage::offset(I)));
    } else {
      return assigned_later<typename Argument<bound<I>, LanesT>::type>();
    }
  }

  // ---- storing ----
  /// Stores what the kinds in question write, and merges the tiles' status into `code`.
  template <std::size_t I, class Code>
  BATCHWORK_INLINE void store_one(Items items, std::int64_t time, auto const& x, Code& code,
                                  Code& bad) const {
    auto const& b = get<I>(bounds);
    auto const put = [&](auto const& target, auto const& y) {
      target.template store<LanesT>(items, time, y);
      if constexpr (has_status) {
        code = first_failure(code, as_code<Code>(y.info));
        bad = select_code(all_finite(y), bad, Code(Status::code(Reason::not_finite, 0)));
      }
    };
    if constexpr (bound<I>::kind == Kind::carry) {
      if constexpr (decltype(b.end)::kind != Kind::nothing) {
        if constexpr (requires { x.product; }) put(b.end, x.value());
        else put(b.end, x);
      } else if constexpr (has_status) {
        code = first_failure(code, as_code<Code>(x.info));
      }
    } else {
      put(b, x);
    }
  }
  template <std::size_t I, class Code>
  BATCHWORK_INLINE void store_status(Items items, Code const& code) const {
    if constexpr (bound<I>::kind == Kind::status) get<I>(bounds).store(items, code);
  }
};

/// What map and scan share: how a group runs on a device team and on a host thread.
/// Derived gives run_items(items, stage, indices).
template <class Derived, class LanesT, class... B>
struct GroupBase {
  using lanes = LanesT;
  using Ops = Operands<LanesT, B...>;
  static constexpr bool on_device = on_device_lanes<LanesT>;
  Ops operands;

  /// Bytes of team scratch; hosts stage on the stack.
  static constexpr std::size_t scratch_size(int) { return on_device ? Ops::stage::bytes : 0; }

  BATCHWORK_INLINE Derived const& self() const { return static_cast<Derived const&>(*this); }

  template <std::size_t I>
  static BATCHWORK_INLINE auto& argument(typename Ops::arguments& args) {
    if constexpr (is_read_only(Ops::template bound<I>::kind)) return std::as_const(get<I>(args));
    else return get<I>(args);
  }
  template <class Sequence, std::size_t... P>
  static BATCHWORK_INLINE void call(Sequence const& sequence, typename Ops::arguments& args,
                                    std::index_sequence<P...>) {
    sequence(argument<Ops::parameters::template position<P>()>(args)...);
  }
  /// One parameter per operand, status excepted.
  template <class Sequence>
  static BATCHWORK_INLINE void call(Sequence const& sequence, typename Ops::arguments& args) {
    call(sequence, args, std::make_index_sequence<Ops::parameters::count>{});
  }

  /// All lanes of a device team; stages first. On return nothing is synchronised.
  template <class Member>
  BATCHWORK_INLINE void run(Member const& member, std::int64_t first, std::int64_t last) const {
    char* base = nullptr;
    if constexpr (Ops::stage::bytes > 0) base = operands.stage_by_team(member);
    Vendor::for_each_lane(member, int(last - first), [&](int k) {
      self().run_items(Items{first + k, 1}, base, typename Ops::indices{});
    });
  }

  /// Bytes of team scratch per lane that the verb's own kernel has beside.
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

  /// Bytes of level-0 team scratch to ask for, beside the kernel's own: Kokkos::PerTeam(...).
  static constexpr std::size_t scratch_size(int team_size) {
    return Group::scratch_size(team_size) > 0
               ? Group::scratch_size(team_size) + Group::Ops::stage::align
               : 0;
  }

  /// Runs on the items first .. last - 1. Called by all threads of the team, outside nested ranges, with the same
  /// arguments. What the team wrote before is seen, and what this writes is seen by the team after. Lanes are the
  /// linear ranks over team size times vector length; on the host each thread takes one pack at a time.
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

/// The scalar type that decides the width of packs: the first operand's that has one.
template <class... S>
struct FirstScalar {
  using type = double;
};
template <class S, class... Rest>
struct FirstScalar<S, Rest...> {
  using type = S;
};
template <class... Rest>
struct FirstScalar<void, Rest...> {
  using type = typename FirstScalar<Rest...>::type;
};

template <class Exec, int W, class DeviceLanes, class... B>
using lanes_of = lanes_for<Exec, typename FirstScalar<typename B::scalar...>::type, W, DeviceLanes>;

template <class... O>
constexpr std::size_t fixed_bytes() {
  return (std::size_t(0) + ... + []() -> std::size_t {
    if constexpr (O::kind == Kind::fixed)
      return sizeof(typename std::remove_cvref_t<decltype(O::source)>);
    else return 0;
  }());
}

/// What holds for the operands of every verb.
template <class Exec, class... O>
constexpr void require_one_launch() {
  static_assert(fixed_bytes<O...>() <= 2048,
                "Batchwork: fixed operands hold more than 2 KB in all; use common(view)");
  static_assert((int(O::kind == Kind::status) + ... + 0) <= 1,
                "Batchwork: one status operand per call");
  require_accessible<Exec, O...>();
}

}  // namespace Batchwork::Impl

#endif

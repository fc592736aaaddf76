// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Bound: an operand inside the kernel. It has pointers and strides only, and loads and stores
/// tiles.
#ifndef BATCHWORK_BOUND_HPP
#define BATCHWORK_BOUND_HPP

#include "tile/Batchwork_LogSum.hpp"
#include "tile/Batchwork_Random.hpp"
#include "tile/detail/shared/Batchwork_Fragments.hpp"
#include "view/Batchwork_Operand.hpp"
#include "view/Batchwork_Table.hpp"

namespace Batchwork::Impl {

/// The value type in tiles for the numbers at a location.
template <class Loc>
using number_at = number_of_t<std::remove_const_t<typename Loc::value_type>>;

/// The type of nothing() in a sequence and of its entries.
struct Nothing {
  template <class X>
  BATCHWORK_INLINE Nothing& operator=(X const&) {
    return *this;
  }
  template <class X>
  BATCHWORK_INLINE Nothing& operator+=(X const&) {
    return *this;
  }
  template <class X>
  BATCHWORK_INLINE Nothing& operator-=(X const&) {
    return *this;
  }
  template <class X>
  BATCHWORK_INLINE Nothing& operator*=(X const&) {
    return *this;
  }
  template <class X>
  BATCHWORK_INLINE Nothing& operator/=(X const&) {
    return *this;
  }
  template <class... I>
  BATCHWORK_INLINE Nothing operator()(I...) const {
    return {};
  }
};

template <Kind K, class... Part>
struct Bound;

/// The tile of an operand with an item index. A symmetric tile that is only read is held whole if
/// that saves exchanges, or in the layout of matrix instructions; one that is only written, in the
/// layout of their results.
template <Kind K, class Sh, class S>
struct TileOfOperand {
  using type = typename Sh::template tile<S>;
};
template <class Sh, class S>
  requires(is_distributed<S> && Sh::rank == 2 && Sh::structure == Structure::symmetric)
struct TileOfOperand<Kind::in, Sh, S> {
  using whole = std::conditional_t<S::whole, WholeSymmetric<S, Sh::rows>, Symmetric<S, Sh::rows>>;
  using type =
      std::conditional_t<makes_fragments<S>,
                         Fragments<S, Sh::rows, Sh::rows, Structure::symmetric, true>, whole>;
};
template <class Sh, class S>
  requires(makes_fragments<S> && Sh::rank == 2 && Sh::structure == Structure::symmetric)
struct TileOfOperand<Kind::inout, Sh, S> : TileOfOperand<Kind::in, Sh, S> {};
template <class Sh, class S>
  requires(is_distributed<S> && Sh::rank == 2 && Sh::structure == Structure::symmetric)
struct TileOfOperand<Kind::out, Sh, S> {
  using type = std::conditional_t<makes_fragments<S>,
                                  Fragments<S, Sh::rows, Sh::rows, Structure::symmetric, false>,
                                  Symmetric<S, Sh::rows>>;
};

/// The kinds of operands with one tile for each item (and step).
constexpr bool is_of_items(Kind k) {
  return k == Kind::in || k == Kind::out || k == Kind::inout || k == Kind::each ||
         k == Kind::each_inout || k == Kind::emit;
}
/// Whether a View holds bools.
template <class Loc>
inline constexpr bool holds_truths =
    std::is_same_v<std::remove_const_t<typename Loc::value_type>, bool>;

/// A bool of each item in a sequence: a mask, the type of comparisons of integers.
template <class Lanes>
using truth_t = decltype(mask_of_integers(
    std::declval<mask_t<typename Lanes::template value<std::int32_t>> const&>()));

/// The tile of a number common to all items.
template <class T>
using common_scalar_t = std::conditional_t<std::is_same_v<T, bool>, bool, Scalar<T>>;

/// A location of bools, one for each item.
template <class Loc>
struct Truths : Loc {};

/// in, out, inout, each, emit of bools: a mask, which has no status.
template <Kind K, class Loc>
  requires(is_of_items(K))
struct Bound<K, Truths<Loc>> {
  static constexpr Kind kind = K;
  using scalar = bool;
  template <class Lanes>
  static constexpr int staged = 0;
  Truths<Loc> loc;

  template <class Lanes>
  using tile = truth_t<Lanes>;

  template <class Lanes>
  BATCHWORK_INLINE tile<Lanes> load(auto const& items, std::int64_t time) const {
    if constexpr (requires(tile<Lanes>& x) { x.set_lane(0, true); }) {
      tile<Lanes> r;
      for (int k = 0; k < Lanes::width; ++k) r.set_lane(k, *loc.at(items.item_of_lane(k), time));
      return r;
    } else if constexpr (requires { items.grid; }) {
      return tile<Lanes>(*loc.at(items.first, time), items.grid);
    } else {
      return tile<Lanes>(*loc.at(items.first, time));
    }
  }
  template <class Lanes>
  BATCHWORK_INLINE void store(auto const& items, std::int64_t time, tile<Lanes> const& x) const {
    if constexpr (requires { x.lane(0); }) {
      for (int k = 0; k < items.count; ++k) *loc.at(items.item_of_lane(k), time) = x.lane(k);
    } else if constexpr (requires { items.grid; }) {
      if (items.count > 0 && items.grid.lane == 0) *loc.at(items.first, time) = x.v;
    } else {
      if (items.count > 0) *loc.at(items.first, time) = x;
    }
  }
};

/// in, out, inout, each, inout(each), emit: one tile per item (and step).
template <Kind K, class Loc>
  requires(is_of_items(K))
struct Bound<K, Loc> {
  static constexpr Kind kind = K;
  using scalar = number_at<Loc>;
  template <class Lanes>
  static constexpr int staged = 0;  ///< numbers to be staged
  Loc loc;

  template <class Lanes>
  using value = typename Lanes::template value<scalar>;
  template <class Lanes>
  using tile = typename TileOfOperand<K, typename Loc::shape, value<Lanes>>::type;

  template <class Lanes>
  BATCHWORK_INLINE tile<Lanes> load(auto const& items, std::int64_t time) const {
    return load_tile<value<Lanes>, tile<Lanes>>(loc, items, time);
  }
  template <class Lanes, class X>
  BATCHWORK_INLINE void store(auto const& items, std::int64_t time, X const& x) const {
    store_tile<value<Lanes>>(loc, items, time, x);
  }
};

/// The numbers of one staged common operand, and the tile that reads them. If lanes share an item,
/// rows begin on whole units, so that they are read by 16 bytes.
template <class Lanes, class T, class Sh>
struct StagedAs {
  static constexpr int leading = Sh::rank < 2 || Lanes::lanes_per_item == 1 ? Sh::cols
                                 : makes_fragments<typename Lanes::template value<T>>
                                     ? fragments_leading<T>(Sh::cols)
                                     : staged_leading<T>(Sh::cols);
  static constexpr int size = Sh::rank == 0 ? 1 : Sh::rank == 1 ? Sh::rows : Sh::rows * leading;
  using tile =
      std::conditional_t<Sh::rank == 0, Scalar<T>,
                         Staged<T, Sh::rows, Sh::cols, Sh::structure, Sh::is_vector, leading>>;
};

/// common: staged once for each team and read there, or read from the View itself.
template <class Loc>
struct Bound<Kind::common, Loc> {
  static constexpr Kind kind = Kind::common;
  using Sh = typename Loc::shape;
  using scalar = number_at<Loc>;
  template <class Lanes>
  static constexpr bool is_staged = Lanes::stages && !holds_truths<Loc>;
  template <class Lanes>
  static constexpr int staged = is_staged<Lanes> ? StagedAs<Lanes, scalar, Sh>::size : 0;
  Loc loc;

  using direct_tile = std::conditional_t<Sh::rank == 0, common_scalar_t<scalar>, Direct<Loc>>;

  template <class Lanes>
  using tile =
      std::conditional_t<is_staged<Lanes>, typename StagedAs<Lanes, scalar, Sh>::tile, direct_tile>;

  /// The address in the View of number k of the staged tile, or nullptr for a zero. A symmetric
  /// tile is mirrored from its lower triangle.
  template <class Lanes>
  BATCHWORK_INLINE typename Loc::value_type const* where(int k) const {
    constexpr int leading = StagedAs<Lanes, scalar, Sh>::leading;
    int i = Sh::rank == 2 ? k / leading : k;
    int j = Sh::rank == 2 ? k % leading : 0;
    if (j >= Sh::cols) return nullptr;
    if (Sh::structure == Structure::symmetric && j > i) {
      int const t = i;
      i = j;
      j = t;
    }
    if (Sh::structure == Structure::lower && j > i) return nullptr;
    return loc.at(0, 0) + loc.offset(i, j);
  }
  template <class Lanes>
  BATCHWORK_INLINE scalar number(int k) const {
    auto const* const p = where<Lanes>(k);
    return p == nullptr ? scalar(scalar_t<scalar>(0)) : scalar(*p);
  }
  template <class Lanes>
  BATCHWORK_INLINE tile<Lanes> read(scalar const* stage) const {
    if constexpr (Sh::rank == 0) return tile<Lanes>(is_staged<Lanes> ? *stage : scalar(*loc.data));
    else if constexpr (Lanes::stages) return tile<Lanes>{stage};
    else return tile<Lanes>{loc};
  }
};

/// common(fixed(value)): read from the launch's arguments. It is staged if lanes share an item,
/// because they read numbers of different rows at once, and if there are too many numbers to be
/// read fast as constants.
template <class F>
struct Bound<Kind::fixed, F> {
  static constexpr Kind kind = Kind::fixed;
  using Sh = typename F::shape;
  using scalar = typename F::value_type;
  template <class Lanes>
  static constexpr bool is_shared = Lanes::lanes_per_item > 1 && Lanes::stages;
  template <class Lanes>
  static constexpr bool is_staged = is_shared<Lanes> || Lanes::stages_fixed;
  template <class Lanes>
  static constexpr int staged =
      is_staged<Lanes> && Sh::rank > 0 ? StagedAs<Lanes, scalar, Sh>::size : 0;
  using tile_in_place =
      std::conditional_t<Sh::rank == 0, common_scalar_t<scalar>,
                         Staged<scalar, Sh::rows, Sh::cols, Sh::structure, Sh::is_vector>>;
  F value;

  template <class Lanes>
  using staged_fixed = StagedFixed<scalar, Sh::rows, Sh::cols, Sh::structure, Sh::is_vector,
                                   StagedAs<Lanes, scalar, Sh>::leading>;
  template <class Lanes>
  using tile =
      std::conditional_t<is_shared<Lanes> && (Sh::rank > 0), staged_fixed<Lanes>, tile_in_place>;
  template <class Lanes>
  BATCHWORK_INLINE scalar number(int k) const {
    constexpr int leading = StagedAs<Lanes, scalar, Sh>::leading;
    if constexpr (Sh::rank < 2) return value.values[k];
    else
      return k % leading < Sh::cols ? value.values[k / leading * Sh::cols + k % leading]
                                    : scalar(scalar_t<scalar>(0));
  }
  template <class Lanes>
  BATCHWORK_INLINE tile<Lanes> read([[maybe_unused]] scalar const* stage) const {
    if constexpr (Sh::rank == 0) return tile<Lanes>(value.values[0]);
    else if constexpr (is_shared<Lanes>) return tile<Lanes>(stage, value.values);
    else if constexpr (is_staged<Lanes>) return tile<Lanes>{stage};
    else return tile<Lanes>{value.values};
  }
};

/// common(each(v)): one tile per step, the same for all items, so of plain numbers.
template <class Loc>
struct Bound<Kind::common_each, Loc> {
  static constexpr Kind kind = Kind::common_each;
  using scalar = number_at<Loc>;
  template <class Lanes>
  static constexpr int staged = 0;
  Loc loc;

  /// Lanes that share an item read it in place, because none of them holds all of it.
  template <class Lanes>
  static constexpr bool is_direct = Lanes::lanes_per_item > 1 && Loc::shape::rank > 0;
  template <class Lanes>
  using tile = std::conditional_t<holds_truths<Loc>, bool,
                                  std::conditional_t<is_direct<Lanes>, Direct<Loc>,
                                                     typename Loc::shape::template tile<scalar>>>;
  template <class Lanes>
  BATCHWORK_INLINE tile<Lanes> load(std::int64_t time) const {
    if constexpr (holds_truths<Loc>) {
      return *loc.at(0, time);
    } else if constexpr (is_direct<Lanes>) {
      Loc at = loc;
      at.data = loc.at(0, time);
      return tile<Lanes>{at};
    } else {
      return load_tile<scalar>(loc, Items{0, 1}, time);
    }
  }
};

/// The type of the weight of logarithms; bool has none.
template <class T>
struct LogWeight {
  using type = scalar_t<T>;
};
template <>
struct LogWeight<bool> {
  using type = float;
};
template <class T>
using log_weight_t = typename LogWeight<T>::type;

/// carry: loaded before the first step, stored after the last.
template <class Start, class End, class IsLog>
struct Bound<Kind::carry, Start, End, IsLog> {
  static constexpr Kind kind = Kind::carry;
  using scalar = typename Start::scalar;
  template <class Lanes>
  static constexpr int staged = Start::template staged<Lanes>;
  static_assert(!IsLog::value || std::is_floating_point_v<scalar>,
                "Batchwork::log_sum: the View must hold float or double");
  Start start;
  End end;
  log_weight_t<scalar> log_weight;

  template <class Lanes>
  using value = typename Lanes::template value<scalar>;
  template <class Tile0, class Lanes>
  struct Rebound {
    using type = typename Tile0::template rebind<value<Lanes>>;
  };
  template <class S0, class Lanes>
  struct Rebound<Scalar<S0>, Lanes> {
    using type = Scalar<value<Lanes>>;
  };
  template <class Tile0, class Lanes>
    requires is_mask<Tile0>
  struct Rebound<Tile0, Lanes> {
    using type = truth_t<Lanes>;
  };
  template <class Lanes>
  using plain = typename Rebound<typename Start::template tile<Lanes>, Lanes>::type;
  template <class Lanes>
  using tile = std::conditional_t<IsLog::value, LogSum<value<Lanes>>, plain<Lanes>>;

  template <class Lanes>
  BATCHWORK_INLINE plain<Lanes> load_plain(auto const& items, scalar const* stage) const {
    if constexpr (Start::kind == Kind::in) {
      return start.template load<Lanes>(items, 0);
    } else if constexpr (has_grid<plain<Lanes>>) {
      plain<Lanes> r;
      r.grid = items.grid;
      r = start.template read<Lanes>(stage);
      return r;
    } else {
      plain<Lanes> r(start.template read<Lanes>(stage));
      if constexpr (is_distributed_scalar<plain<Lanes>>) r.value.grid = items.grid;
      else if constexpr (is_distributed_mask<plain<Lanes>>) r.grid = items.grid;
      return r;
    }
  }
  template <class Lanes>
  BATCHWORK_INLINE tile<Lanes> load(auto const& items, scalar const* stage) const {
    if constexpr (IsLog::value) return tile<Lanes>(load_plain<Lanes>(items, stage), log_weight);
    else return load_plain<Lanes>(items, stage);
  }
};

/// Where a status is written only if the View holds no failure: of the second kernel of a verb.
template <class Loc>
struct KeptFailures : Loc {};
template <class Loc>
inline constexpr bool keeps_failures = false;
template <class Loc>
inline constexpr bool keeps_failures<KeptFailures<Loc>> = true;

/// status: an integer per item.
template <class Loc>
struct Bound<Kind::status, Loc> {
  static constexpr Kind kind = Kind::status;
  using scalar = void;
  template <class Lanes>
  static constexpr int staged = 0;
  Loc loc;

  template <class I>
  BATCHWORK_INLINE void store(auto const& items, I const& code) const {
    if constexpr (std::is_integral_v<I>) {
      if (items.count == 0) return;
      if constexpr (requires { items.grid; })
        if (items.grid.lane != 0) return;
      put(*loc.at(items.first, 0), code);
    } else {
      for (int k = 0; k < items.count; ++k) put(*loc.at(items.item_of_lane(k), 0), code.lane(k));
    }
  }

 private:
  template <class To, class I>
  static BATCHWORK_INLINE void put(To& to, I const& code) {
    if constexpr (keeps_failures<Loc>)
      if (to != To(0)) return;
    to = static_cast<To>(code);
  }
};

/// item_mask: whether an item takes part.
template <class Loc>
struct Bound<Kind::item_mask, Loc> {
  static constexpr Kind kind = Kind::item_mask;
  using scalar = void;
  template <class Lanes>
  static constexpr int staged = 0;
  Loc loc;

  BATCHWORK_INLINE bool takes(std::int64_t item) const {
    return static_cast<bool>(*loc.at(item, 0));
  }
};

/// local: nothing is bound but the type.
template <class T, class Shape>
struct Bound<Kind::local, T, Shape> {
  static constexpr Kind kind = Kind::local;
  using Sh = Shape;
  using scalar = number_of_t<T>;
  template <class Lanes>
  static constexpr int staged = 0;
  template <class Lanes>
  using tile = typename Sh::template tile<typename Lanes::template value<scalar>>;
};

template <>
struct Bound<Kind::nothing> {
  static constexpr Kind kind = Kind::nothing;
  using scalar = void;
  template <class Lanes>
  static constexpr int staged = 0;
  template <class Lanes>
  using tile = Nothing;
};

/// table: where it is.
template <class Loc>
struct Bound<Kind::table, Loc> {
  static constexpr Kind kind = Kind::table;
  using scalar = void;
  using number = typename Loc::value_type;
  using Sh = typename Loc::shape;
  template <class Lanes>
  static constexpr int staged = 0;
  template <class Lanes>
  using tile = Table<Loc>;
  Loc loc;
};

/// item_index: the numbers of the items in the calling lanes; lanes without an item repeat the last
/// one.
template <>
struct Bound<Kind::item_index> {
  static constexpr Kind kind = Kind::item_index;
  using scalar = void;
  using number = std::int64_t;
  template <class Lanes>
  static constexpr int staged = 0;
  template <class Lanes>
  using value = typename Lanes::template value<number>;
  template <class Lanes>
  using tile = Scalar<value<Lanes>>;

  template <class Lanes>
  BATCHWORK_INLINE tile<Lanes> load(auto const& items) const {
    value<Lanes> r;
    if constexpr (is_distributed<value<Lanes>>) {
      r = value<Lanes>(items.first, items.grid);
    } else if constexpr (Lanes::width > 1) {
      for (int k = 0; k < Lanes::width; ++k) r.set_lane(k, items.item_of_lane(k));
    } else {
      r = value<Lanes>(std::int64_t(items.first));
    }
    return tile<Lanes>(r);
  }
};

/// step_index: first + t stride at step t.
template <>
struct Bound<Kind::step_index> {
  static constexpr Kind kind = Kind::step_index;
  using scalar = void;
  using number = std::int64_t;
  template <class Lanes>
  static constexpr int staged = 0;
  template <class Lanes>
  using tile = Scalar<number>;
  std::int64_t first = 0, stride = 1;

  BATCHWORK_INLINE Scalar<number> at(std::int64_t t) const {
    return Scalar<number>(first + t * stride);
  }
};

/// random: the numbers of the items in the calling lanes, at a step of a scan.
template <class T>
struct Bound<Kind::random, T> {
  static constexpr Kind kind = Kind::random;
  using scalar = void;
  using number = T;
  template <class Lanes>
  static constexpr int staged = 0;
  template <class Lanes>
  using tile = RandomNumbers<typename Lanes::template value<T>>;
  std::uint64_t seed;
  std::int64_t first_item;
  std::int64_t first_step, stride;
  std::uint32_t stream;

  BATCHWORK_INLINE std::int64_t step(std::int64_t time) const { return first_step + time * stride; }
  template <class Lanes>
  BATCHWORK_INLINE tile<Lanes> load(auto const& items, std::int64_t time) const {
    tile<Lanes> r;
    if constexpr (requires { r.grid = items.grid; }) r.grid = items.grid;
    r.counter.key = PhiloxKey(seed);
    r.counter.stream = stream;
    for (int k = 0; k < tile<Lanes>::width; ++k) {
      if constexpr (Lanes::width > 1)
        r.counter.set_item(k, first_item + std::int64_t(items.item_of_lane(k)));
      else r.counter.set_item(k, first_item + std::int64_t(items.first));
      r.counter.set_step(k, step(time));
    }
    return r;
  }
};

template <Kind K, class Src>
auto bind(Operand<K, Src> const& o) {
  if constexpr (K == Kind::fixed) {
    return Bound<K, Src>{o.source};
  } else {
    using Loc = typename Src::location;
    if constexpr (is_of_items(K) && holds_truths<Loc>)
      return Bound<K, Truths<Loc>>{Truths<Loc>{o.source.locate()}};
    else return Bound<K, Loc>{o.source.locate()};
  }
}
template <Kind K>
auto bind(Operand<K> const&) {
  return Bound<K>{};
}
inline auto bind(Operand<Kind::step_index> const& o) {
  return Bound<Kind::step_index>{o.steps.at(0), o.steps.backward ? -1 : 1};
}
template <class T>
auto bind(Operand<Kind::random, T> const& o) {
  return Bound<Kind::random, T>{o.seed, o.first_item, o.steps.at(0), o.steps.backward ? -1 : 1,
                                o.stream};
}
template <class T, class Sh>
auto bind(Operand<Kind::local, T, Sh> const&) {
  return Bound<Kind::local, T, Sh>{};
}
template <class B>
struct ShapeOf {
  using type = typename B::Sh;
};
template <Kind K, class Loc>
  requires(K == Kind::in || K == Kind::out)
struct ShapeOf<Bound<K, Loc>> {
  using type = typename Loc::shape;
};
template <class B>
using shape_of_t = typename ShapeOf<B>::type;

template <class Start, class End, class IsLog>
auto bind(Operand<Kind::carry, Start, End, IsLog> const& o) {
  auto s = bind(o.start);
  auto e = bind(o.end);
  using scalar = typename decltype(s)::scalar;
  if constexpr (!std::is_void_v<typename decltype(e)::scalar>) {
    static_assert(
        std::is_same_v<scalar, typename decltype(e)::scalar>,
        "Batchwork::carry: start and end have different number types; give both the same");
    using A = shape_of_t<decltype(s)>;
    using B = shape_of_t<decltype(e)>;
    static_assert(
        A::rows == B::rows && A::cols == B::cols && A::is_vector == B::is_vector,
        "Batchwork::carry: start and end have different shapes; give both the same extents");
  }
  return Bound<Kind::carry, decltype(s), decltype(e), IsLog>{
      s, e, static_cast<log_weight_t<scalar>>(o.log_weight)};
}

template <class O>
using bound_t = decltype(bind(std::declval<O const&>()));

}  // namespace Batchwork::Impl

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// How a View takes part in a verb: in, out, inout, common, each, carry, emit, status; and local,
/// which has no View. Operands are made on the host and stand in the order of the sequence's
/// parameters.
#ifndef BATCHWORK_OPERAND_HPP
#define BATCHWORK_OPERAND_HPP

#include "view/detail/Batchwork_Source.hpp"
#include "view/detail/Batchwork_TableSource.hpp"

namespace Batchwork {

namespace Impl {

enum class Kind {
  in,
  out,
  inout,
  common,
  fixed,
  each,
  common_each,
  carry,
  emit,
  status,
  nothing,
  table,
  item_index,
  step_index,
  each_inout,
  local
};
/// Whether an operand has no View and no value: it is known from the call alone.
constexpr bool has_no_view(Kind k) {
  return k == Kind::nothing || k == Kind::item_index || k == Kind::step_index;
}
/// Kinds that a scan alone has.
constexpr bool is_of_scan(Kind k) {
  return k == Kind::each || k == Kind::each_inout || k == Kind::common_each || k == Kind::carry ||
         k == Kind::emit || k == Kind::step_index;
}

template <Kind K, class... Part>
struct Operand;

/// An operand made of one source.
template <Kind K, class Src>
struct Operand<K, Src> {
  static constexpr Kind kind = K;
  Src source;
};
/// A carry: where it starts, where its last value goes (Operand<Kind::nothing> if nowhere), and
/// whether the tile is a LogSum with the given weight.
template <class Start, class End, class IsLog>
struct Operand<Kind::carry, Start, End, IsLog> {
  static constexpr Kind kind = Kind::carry;
  Start start;
  End end;
  double log_weight;
};
template <Kind K>
  requires(has_no_view(K))
struct Operand<K> {
  static constexpr Kind kind = K;
};
/// The number of the step: which steps the scan runs is known at the call.
template <>
struct Operand<Kind::step_index> {
  static constexpr Kind kind = Kind::step_index;
  Steps steps{0};
};
/// A tile of such a shape that no View belongs to.
template <class T, class Sh>
struct Operand<Kind::local, T, Sh> {
  static constexpr Kind kind = Kind::local;
  using number = T;
  using shape = Sh;
};

template <class X>
inline constexpr bool is_operand = false;
template <Kind K, class... P>
inline constexpr bool is_operand<Operand<K, P...>> = true;

template <Kind K, BatchIndices L, class V>
auto make_operand(V const& view) {
  using Src = Source<decltype(adapted(view)), L>;
  return Operand<K, Src>{Src(adapted(view))};
}

/// An operand with a time index, and which of the View's steps it has.
template <Kind K, BatchIndices L, class V>
auto make_timed_operand(V const& view, Pace const& pace) {
  auto o = make_operand<K, L>(view);
  o.source.pace = pace;
  return o;
}

/// each(view): whether v(item, time, ...) or v(time, ...) is meant is known only when it is used.
template <class A>
struct EachOf {
  A view;
  Pace pace;
};
template <class A>
inline constexpr bool is_operand<EachOf<A>> = true;

/// A view whose numbers are logarithms, carried as LogSum.
template <class V>
struct LogView {
  V view;
  double weight;
};
template <class X>
inline constexpr bool is_log_view = false;
template <class V>
inline constexpr bool is_log_view<LogView<V>> = true;

}  // namespace Impl

/// v(item, ...), read.
template <Impl::Viewish V>
auto in(V const& view) {
  return Impl::make_operand<Impl::Kind::in, Impl::BatchIndices::item>(view);
}
/// v(item, ...), written; the sequence must assign it.
template <Impl::Viewish V>
auto out(V const& view) {
  static_assert(!std::is_const_v<typename decltype(Impl::adapted(view))::view_type::value_type>,
                "Batchwork::out: the View is const");
  return Impl::make_operand<Impl::Kind::out, Impl::BatchIndices::item>(view);
}
/// v(item, ...), read before and written after.
template <Impl::Viewish V>
auto inout(V const& view) {
  static_assert(!std::is_const_v<typename decltype(Impl::adapted(view))::view_type::value_type>,
                "Batchwork::inout: the View is const");
  return Impl::make_operand<Impl::Kind::inout, Impl::BatchIndices::item>(view);
}
/// v(...), one for all items, staged on the device.
template <Impl::Viewish V>
auto common(V const& view) {
  return Impl::make_operand<Impl::Kind::common, Impl::BatchIndices::none>(view);
}
/// A fixed value, one for all items.
template <class T, class Sh>
auto common(Impl::Fixed<T, Sh> const& value) {
  return Impl::Operand<Impl::Kind::fixed, Impl::Fixed<T, Sh>>{value};
}
/// v(item, time, ...), read at every step of a scan. Behind the View may stand lag<k> or lag(k),
/// and stride<k> or stride(k): at step t it is v(item, stride t - lag, ...) then.
template <Impl::Viewish V, class... Words>
auto each(V const& view, Words const&... words) {
  return Impl::EachOf<decltype(Impl::adapted(view))>{Impl::adapted(view), Impl::pace_of(words...)};
}
/// common(each(v)): v(time, ...), read at every step and the same for all items.
template <class A>
auto common(Impl::EachOf<A> const& e) {
  return Impl::make_timed_operand<Impl::Kind::common_each, Impl::BatchIndices::time>(e.view,
                                                                                     e.pace);
}
/// inout(each(v)): v(item, time, ...), read before every step of a scan and written after it.
template <class A>
auto inout(Impl::EachOf<A> const& e) {
  static_assert(!std::is_const_v<typename A::view_type::value_type>,
                "Batchwork::inout: the View is const");
  return Impl::make_timed_operand<Impl::Kind::each_inout, Impl::BatchIndices::item_time>(e.view,
                                                                                         e.pace);
}
/// v(item, time, ...), written at every step of a scan. What may stand behind the View is that of
/// each; no two steps write the same place.
template <Impl::Viewish V, class... Words>
auto emit(V const& view, Words const&... words) {
  static_assert(!std::is_const_v<typename decltype(Impl::adapted(view))::view_type::value_type>,
                "Batchwork::emit: the View is const");
  return Impl::make_timed_operand<Impl::Kind::emit, Impl::BatchIndices::item_time>(
      view, Impl::pace_of(words...));
}
/// An integer View over the items: receives the first failure of each item, or 0. See Status.
template <Impl::Viewish V>
auto status(V const& view) {
  using View = typename decltype(Impl::adapted(view))::view_type;
  static_assert(
      std::is_integral_v<typename View::value_type> && sizeof(typename View::value_type) >= 4,
      "Batchwork::status: the View must hold integers of 32 or 64 bits");
  auto const operand = Impl::make_operand<Impl::Kind::status, Impl::BatchIndices::item>(view);
  static_assert(decltype(operand.source)::tile_rank == 0,
                "Batchwork::status: the View has one index, the item");
  return operand;
}

/// A place in a sequence's parameter list that no View belongs to: whatever the sequence assigns is
/// dropped.
inline auto nothing() { return Impl::Operand<Impl::Kind::nothing>{}; }

/// The number of the item, from 0 on, as a Scalar of std::int64_t.
inline auto item_index() { return Impl::Operand<Impl::Kind::item_index>{}; }
/// The number of the step of a scan, the t of each(view), as a Scalar of std::int64_t that is
/// common to all items.
inline auto step_index() { return Impl::Operand<Impl::Kind::step_index>{}; }

/// A View that is common to all items and read at indices that the sequence computes: t(k) is v(k,
/// ...), t(j, k) is v(j, k, ...). A View has as many of these indices as it has run-time extents,
/// one at least; its others are those of the tile. An item with an index beyond them fails with
/// Reason::out_of_range and gets NaN, of integers 0.
template <Impl::Viewish V>
auto table(V const& view) {
  using Src = Impl::TableSource<decltype(Impl::adapted(view))>;
  return Impl::Operand<Impl::Kind::table, Src>{Src(Impl::adapted(view))};
}
/// The same.
template <class Src>
auto common(Impl::Operand<Impl::Kind::table, Src> const& t) {
  return t;
}

/// local<T, M, N>(), local<T, N>(), local<T>(): a matrix, a vector or a scalar that no View belongs
/// to. The sequence assigns it before it reads it; it stays in registers, and hands over from one
/// sequence of then(...) to the next. Its status is looked at where something is made of it that is
/// stored.
template <class T, int... E>
auto local() {
  static_assert(sizeof...(E) <= 2,
                "Batchwork::local: two extents for a matrix, one for a vector, none for a scalar");
  using Sh = typename Impl::ShapeFromExtents<int(sizeof...(E)), E...>::type;
  static_assert(((E > 0 && E <= Impl::largest_extent) && ...),
                "Batchwork::local: an extent is not positive, or over the limit of 64");
  return Impl::Operand<Impl::Kind::local, T, Sh>{};
}
/// symmetric(local<T, N, N>()), lower(local<T, N, N>()), diagonal(local<T, N>()): one with
/// structure.
template <class T, class Sh>
auto symmetric(Impl::Operand<Impl::Kind::local, T, Sh> const&) {
  using New = typename Impl::Restructured<Sh, Structure::symmetric>::type;
  return Impl::Operand<Impl::Kind::local, T, New>{};
}
template <class T, class Sh>
auto lower(Impl::Operand<Impl::Kind::local, T, Sh> const&) {
  using New = typename Impl::Restructured<Sh, Structure::lower>::type;
  return Impl::Operand<Impl::Kind::local, T, New>{};
}
template <class T, class Sh>
auto diagonal(Impl::Operand<Impl::Kind::local, T, Sh> const&) {
  using New = typename Impl::Restructured<Sh, Structure::diagonal>::type;
  return Impl::Operand<Impl::Kind::local, T, New>{};
}

/// log_sum(view, weight), in carry(...): the View's numbers are weight times sums of logarithms;
/// the sequence gets a LogSum, to which logarithms are added at the price of a multiplication.
template <Impl::Viewish V>
auto log_sum(V const& view, double weight = 1) {
  return Impl::LogView<V>{view, weight};
}

namespace Impl {

template <class X>
auto carry_start(X const& start) {
  if constexpr (is_operand<X>) {
    static_assert(X::kind == Kind::common || X::kind == Kind::fixed,
                  "Batchwork::carry: the start is a View over the items or common(...)");
    return start;
  } else if constexpr (is_log_view<X>) {
    return in(start.view);
  } else {
    return in(start);
  }
}
template <class X>
auto const& carry_view(X const& x) {
  if constexpr (is_log_view<X>) return x.view;
  else return x;
}
template <class Start, class End>
double log_weight(Start const& start, End const& end) {
  if constexpr (is_log_view<End>) return end.weight;
  else if constexpr (is_log_view<Start>) return start.weight;
  else return 1;
}

/// T of a View of Kokkos::complex<T>, else what the View holds.
template <class T>
struct RealOfView {
  using type = T;
};
template <class T>
struct RealOfView<Kokkos::complex<T>> {
  using type = T;
};
template <class T>
using real_of_view_t = typename RealOfView<T>::type;

/// Whether the Views of an operand hold numbers that tiles hold.
template <class X>
constexpr bool holds_numbers() {
  if constexpr (X::kind == Kind::carry) {
    return holds_numbers<decltype(X::start)>() && holds_numbers<decltype(X::end)>();
  } else if constexpr (X::kind == Kind::status || has_no_view(X::kind) || X::kind == Kind::fixed) {
    return true;
  } else if constexpr (X::kind == Kind::local) {
    using T = real_of_view_t<typename X::number>;
    return std::is_same_v<T, float> || std::is_same_v<T, double> || is_integer_number<T>;
  } else {
    using Numbers = typename decltype(X::source)::T;
    constexpr bool is_table = X::kind == Kind::table;
    using T = std::conditional_t<is_table, Numbers, real_of_view_t<Numbers>>;
    return std::is_same_v<T, float> || std::is_same_v<T, double> || is_integer_number<T> ||
           (std::is_same_v<T, bool> && !is_table);
  }
}
/// Whether they hold integers or truths, as what tiles of such do not have: a bool is one an item,
/// a structure is of real numbers.
template <class X>
constexpr bool holds_shapeless_numbers() {
  if constexpr (X::kind == Kind::carry) {
    return holds_shapeless_numbers<decltype(X::start)>() &&
           holds_shapeless_numbers<decltype(X::end)>();
  } else if constexpr (X::kind == Kind::status || has_no_view(X::kind) || X::kind == Kind::fixed ||
                       X::kind == Kind::table || X::kind == Kind::local) {
    return true;
  } else {
    using Source = decltype(X::source);
    using T = typename Source::T;
    if constexpr (!std::is_integral_v<T>) return true;
    else if constexpr (std::is_same_v<T, bool>) return Source::tile_rank == 0;
    else return Source::shape::structure == Structure::general;
  }
}
/// Whether they hold complex numbers, and whether as symmetric matrices.
template <class X>
constexpr bool holds_complex_numbers() {
  if constexpr (X::kind == Kind::carry) {
    return holds_complex_numbers<decltype(X::start)>() || holds_complex_numbers<decltype(X::end)>();
  } else if constexpr (X::kind == Kind::status || has_no_view(X::kind)) {
    return false;
  } else if constexpr (X::kind == Kind::local) {
    return is_kokkos_complex<typename X::number>;
  } else if constexpr (X::kind == Kind::fixed) {
    return is_complex<typename decltype(X::source)::value_type>;
  } else {
    return is_kokkos_complex<typename decltype(X::source)::T>;
  }
}
template <class X>
constexpr bool holds_symmetric_tiles() {
  if constexpr (X::kind == Kind::carry)
    return holds_symmetric_tiles<decltype(X::start)>() || holds_symmetric_tiles<decltype(X::end)>();
  else if constexpr (has_no_view(X::kind) || X::kind == Kind::table) return false;
  else if constexpr (X::kind == Kind::local) return X::shape::structure == Structure::symmetric;
  else return decltype(X::source)::shape::structure == Structure::symmetric;
}

/// Operands as the verbs use them; in the place of what is refused nothing(), so that the compiler
/// says no more.
template <class X>
auto resolve(X const& x) {
  if constexpr (!is_operand<X>) {
    static_assert(is_operand<X>,
                  "Batchwork: the arguments after the sequence are operands: in(view), out(view), "
                  "...; exec and launch(...) stand before it");
    return nothing();
  } else if constexpr (!holds_numbers<X>()) {
    static_assert(
        holds_numbers<X>(),
        "Batchwork: an operand's View holds numbers that are none of float, double, std::int32_t, "
        "std::int64_t and, but for tables, bool and Kokkos::complex; copy them into a View of "
        "such");
    return nothing();
  } else if constexpr (!holds_shapeless_numbers<X>()) {
    static_assert(
        holds_shapeless_numbers<X>(),
        "Batchwork: a View of bool has one for each item, and symmetric, lower and diagonal are of "
        "real numbers; pass a View of integers as it is");
    return nothing();
  } else if constexpr (holds_complex_numbers<X>() && holds_symmetric_tiles<X>()) {
    static_assert(
        !holds_complex_numbers<X>(),
        "Batchwork: symmetric(view) is of real numbers; pass a View of complex ones as it "
        "is: cholesky(a) reads the lower triangle of a Hermitian a");
    return nothing();
  } else {
    return x;
  }
}
template <class A>
auto resolve(EachOf<A> const& e) {
  return resolve(make_timed_operand<Kind::each, BatchIndices::item_time>(e.view, e.pace));
}

/// The operand in a scan of these steps.
template <class O>
O placed(O operand, Steps const& steps) {
  if constexpr (requires { operand.source.steps; }) operand.source.steps = steps;
  else if constexpr (requires { operand.steps; }) operand.steps = steps;
  return operand;
}

}  // namespace Impl

/// The state from step to step, starting at v(item, ...) or at common(...); the sequence gets it as
/// a mutable tile.
template <class Start>
auto carry(Start const& start) {
  auto s = Impl::carry_start(start);
  using IsLog = std::bool_constant<Impl::is_log_view<Start>>;
  using End = Impl::Operand<Impl::Kind::nothing>;
  return Impl::Operand<Impl::Kind::carry, decltype(s), End, IsLog>{
      s, {}, Impl::log_weight(start, 0)};
}
/// Likewise, and the value after the last step is stored in end(item, ...), which may be the View
/// it started from; as by an assignment to a tile of end's structure, if start has another: of a
/// symmetric or lower end the lower triangle counts.
template <class Start, class End>
auto carry(Start const& start, End const& end) {
  auto s = Impl::carry_start(start);
  auto e = out(Impl::carry_view(end));
  using IsLog = std::bool_constant<Impl::is_log_view<Start> || Impl::is_log_view<End>>;
  return Impl::Operand<Impl::Kind::carry, decltype(s), decltype(e), IsLog>{
      s, e, Impl::log_weight(start, end)};
}

}  // namespace Batchwork

#endif

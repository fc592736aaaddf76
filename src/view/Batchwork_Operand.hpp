// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Operands tell a verb how each View takes part: in, out, inout, common, each, carry, emit, table,
/// status; local makes a tile without a View. Operands are made on the host and are passed in the
/// order of the sequence's parameters.
#ifndef BATCHWORK_OPERAND_HPP
#define BATCHWORK_OPERAND_HPP

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "view/Batchwork_Steps.hpp"
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
  item_mask,
  nothing,
  table,
  item_index,
  step_index,
  each_inout,
  local,
  random
};
/// Whether an operand has neither View nor value, so that it is known from the call alone.
constexpr bool has_no_view(Kind k) {
  return k == Kind::nothing || k == Kind::item_index || k == Kind::step_index || k == Kind::random;
}
/// Whether the sequence gets a tile of the operand.
constexpr bool is_parameter(Kind k) { return k != Kind::status && k != Kind::item_mask; }
/// Whether a kind of operand exists in scans only.
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
/// A carry: its start, the destination of its last value (Operand<Kind::nothing> if there is none),
/// and whether the tile is a LogSum with the given weight.
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
/// The number of the step. The steps that a scan runs are known when it is called.
template <>
struct Operand<Kind::step_index> {
  static constexpr Kind kind = Kind::step_index;
  Steps steps{0};
};
/// Random numbers of type T.
template <class T>
struct Operand<Kind::random, T> {
  static constexpr Kind kind = Kind::random;
  std::uint64_t seed;
  std::uint32_t stream;
  std::int64_t first_item;
  Steps steps{0};
};
/// A tile with this shape that has no View.
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

/// An operand with a time index, with the steps of the View that it uses.
template <Kind K, BatchIndices L, class V>
auto make_timed_operand(V const& view, Pace const& pace) {
  auto o = make_operand<K, L>(view);
  o.source.pace = pace;
  return o;
}

/// each(view): indexed v(item, time, ...), or v(time, ...) inside common(...), which is known only
/// when it is used.
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

/// An input: the sequence reads v(item, ...).
/// ```cpp
/// map(Predict{}, in(a), inout(x));
/// ```
/// \param view  a View, or an adapted one; the item is its first index
/// \returns the operand
template <Impl::Viewish V>
auto in(V const& view) {
  return Impl::make_operand<Impl::Kind::in, Impl::BatchIndices::item>(view);
}
/// An output: v(item, ...) is stored after the sequence, which must assign it.
/// \param view  a View that is not const, or an adapted one; the item is its first index
/// \returns the operand
template <Impl::Viewish V>
auto out(V const& view) {
  static_assert(!std::is_const_v<typename decltype(Impl::adapted(view))::view_type::value_type>,
                "Batchwork::out: the View is const; pass a View of non-const numbers");
  return Impl::make_operand<Impl::Kind::out, Impl::BatchIndices::item>(view);
}
/// An input and output: v(item, ...) is read before the sequence and stored after it.
/// \param view  a View that is not const, or an adapted one; the item is its first index
/// \returns the operand
template <Impl::Viewish V>
auto inout(V const& view) {
  static_assert(!std::is_const_v<typename decltype(Impl::adapted(view))::view_type::value_type>,
                "Batchwork::inout: the View is const; pass a View of non-const numbers");
  return Impl::make_operand<Impl::Kind::inout, Impl::BatchIndices::item>(view);
}
/// An input common to all items: the sequence reads v(...), which has no item index. On devices it
/// may be staged in team scratch.
/// ```cpp
/// map(Predict{}, inout(x), common(f));
/// ```
/// \param view  a View, or an adapted one
/// \returns the operand
template <Impl::Viewish V>
auto common(V const& view) {
  return Impl::make_operand<Impl::Kind::common, Impl::BatchIndices::none>(view);
}
/// An input common to all items whose value is copied into the launch: common(fixed(x)).
/// \param value  fixed(x)
/// \returns the operand
template <class T, class Sh>
auto common(Impl::Fixed<T, Sh> const& value) {
  return Impl::Operand<Impl::Kind::fixed, Impl::Fixed<T, Sh>>{value};
}
/// An input of a scan: at step t the sequence reads v(item, t, ...). With lag(k) and stride(m)
/// after the View it reads v(item, m t - k, ...).
/// ```cpp
/// scan(steps, Step{}, carry(x), each(z), each(z, lag<1>));
/// ```
/// \param view   a View, or an adapted one; item and time are its first two indices
/// \param words  lag<k> or lag(k), and stride<k> or stride(k), each at most once
/// \returns the operand
template <Impl::Viewish V, class... Words>
auto each(V const& view, Words const&... words) {
  return Impl::EachOf<decltype(Impl::adapted(view))>{Impl::adapted(view), Impl::pace_of(words...)};
}
/// An input of a scan that is common to all items: at step t the sequence reads v(t, ...).
/// \param e  each(view)
/// \returns the operand
template <class A>
auto common(Impl::EachOf<A> const& e) {
  return Impl::make_timed_operand<Impl::Kind::common_each, Impl::BatchIndices::time>(e.view,
                                                                                     e.pace);
}
/// An input and output of a scan: v(item, t, ...) is read before step t and stored after it.
/// \param e  each(view)
/// \returns the operand
template <class A>
auto inout(Impl::EachOf<A> const& e) {
  static_assert(!std::is_const_v<typename A::view_type::value_type>,
                "Batchwork::inout: the View is const; pass a View of non-const numbers");
  return Impl::make_timed_operand<Impl::Kind::each_inout, Impl::BatchIndices::item_time>(e.view,
                                                                                         e.pace);
}
/// An output of a scan: v(item, t, ...) is stored after step t. It takes lag and stride as `each`
/// does; no two steps may write the same element.
/// ```cpp
/// scan(steps, Step{}, carry(x), each(z), emit(means));
/// ```
/// \param view   a View that is not const, or an adapted one; item and time are its first two
///   indices
/// \param words  lag<k> or lag(k), and stride<k> or stride(k), each at most once
/// \returns the operand
template <Impl::Viewish V, class... Words>
auto emit(V const& view, Words const&... words) {
  static_assert(!std::is_const_v<typename decltype(Impl::adapted(view))::view_type::value_type>,
                "Batchwork::emit: the View is const; pass a View of non-const numbers");
  return Impl::make_timed_operand<Impl::Kind::emit, Impl::BatchIndices::item_time>(
      view, Impl::pace_of(words...));
}
/// Stores the status of each item: 0, or a code with the Reason and the info of its first failure;
/// see Status. It is no parameter of the sequence.
/// ```cpp
/// Kokkos::View<int*> codes("codes", items);
/// map(Update{}, inout(x), in(z), status(codes));
/// ```
/// \param view  a View with one index, the item, of integers of 32 or 64 bits
/// \returns the operand
template <Impl::Viewish V>
auto status(V const& view) {
  using View = typename decltype(Impl::adapted(view))::view_type;
  static_assert(
      std::is_integral_v<typename View::value_type> && sizeof(typename View::value_type) >= 4,
      "Batchwork::status: the View must hold integers of 32 or 64 bits");
  auto const operand = Impl::make_operand<Impl::Kind::status, Impl::BatchIndices::item>(view);
  static_assert(decltype(operand.source)::tile_rank == 0,
                "Batchwork::status: the View must have one index, the item");
  return operand;
}

/// A parameter of the sequence without a View: whatever the sequence assigns to it is dropped.
inline auto nothing() { return Impl::Operand<Impl::Kind::nothing>{}; }

/// The number of the item, counted from 0, as a Scalar of std::int64_t.
inline auto item_index() { return Impl::Operand<Impl::Kind::item_index>{}; }
/// The number t of the step of a scan, as a Scalar of std::int64_t that is common to all items.
inline auto step_index() { return Impl::Operand<Impl::Kind::step_index>{}; }

/// Random numbers in the sequence, which takes them by reference: `uniform<3>(r)`, `normal<2,
/// 2>(r)`, `integers(r, 6)`. Every call in the sequence gives new numbers; the same call of map or
/// scan gives the same numbers again. So give each call, as each step of a time loop around it, a
/// stream of its own. Streams of a seed are independent, as are seeds.
/// ```cpp
/// map(Kick{}, inout(x), random(seed, step));                // doubles
/// scan(steps, Walk{}, carry(x, x), random<float>(seed));    // floats
/// ```
/// \tparam T  float or double
/// \param seed        any number
/// \param stream      0 to 2^32 - 1
/// \param first_item  the number of the call's first item in a larger batch, up to 2^40 - 1
/// \returns the operand, a RandomNumbers in the sequence
/// \throws std::invalid_argument if stream or first_item is out of range
template <class T = double>
auto random(std::uint64_t seed, std::int64_t stream = 0, std::int64_t first_item = 0) {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "Batchwork::random<T>: T must be float or double");
  if (stream < 0 || stream >> 32 != 0)
    throw std::invalid_argument("Batchwork::random: stream is " + std::to_string(stream) +
                                "; give one from 0 to 2^32 - 1");
  if (first_item < 0 || first_item >> 40 != 0)
    throw std::invalid_argument("Batchwork::random: first_item is " + std::to_string(first_item) +
                                "; give one from 0 to 2^40 - 1");
  return Impl::Operand<Impl::Kind::random, T>{seed, static_cast<std::uint32_t>(stream), first_item};
}

/// A View common to all items that the sequence reads at indices it computes: t(k) is v(k, ...),
/// t(j, k) is v(j, k, ...). The run-time extents of the View, one or two, are these indices; its
/// other extents are those of the tile. An index out of range fails the item with
/// Reason::out_of_range and gives NaN, or 0 for integers.
/// ```cpp
/// Kokkos::View<double*[3]> rates("rates", n);  // t(k) is a vector of three numbers
/// map(Lookup{}, in(index), table(rates), out(y));
/// ```
/// \param view  a View, or an adapted one, of real numbers or integers
/// \returns the operand, a Table in the sequence
template <Impl::Viewish V>
auto table(V const& view) {
  using Src = Impl::TableSource<decltype(Impl::adapted(view))>;
  return Impl::Operand<Impl::Kind::table, Src>{Src(Impl::adapted(view))};
}
/// The same as table(view).
template <class Src>
auto common(Impl::Operand<Impl::Kind::table, Src> const& t) {
  return t;
}

/// A tile without a View: a matrix local<T, M, N>(), a vector local<T, N>() or a scalar local<T>().
/// It stays in registers and passes results from one sequence of then(...) to the next. The
/// sequence must assign it before reading it. Its status is recorded only in tiles that are
/// computed from it and stored.
/// ```cpp
/// map(then(Predict{}, on<0, 2>(Update{})), inout(x), in(f), local<double, 3>());
/// ```
/// \tparam T  float, double, Kokkos::complex of these, std::int32_t or std::int64_t
/// \tparam E  the extents, at most 64
/// \returns the operand
template <class T, int... E>
auto local() {
  static_assert(
      sizeof...(E) <= 2,
      "Batchwork::local: give two extents for a matrix, one for a vector, none for a scalar");
  using Sh = typename Impl::ShapeFromExtents<int(sizeof...(E)), E...>::type;
  static_assert(((E > 0 && E <= Impl::largest_extent) && ...),
                "Batchwork::local: an extent is not positive, or over the limit of 64");
  return Impl::Operand<Impl::Kind::local, T, Sh>{};
}
/// A local symmetric matrix: symmetric(local<T, N, N>()).
template <class T, class Sh>
auto symmetric(Impl::Operand<Impl::Kind::local, T, Sh> const&) {
  using New = typename Impl::Restructured<Sh, Structure::symmetric>::type;
  return Impl::Operand<Impl::Kind::local, T, New>{};
}
/// A local lower triangular matrix: lower(local<T, N, N>()).
template <class T, class Sh>
auto lower(Impl::Operand<Impl::Kind::local, T, Sh> const&) {
  using New = typename Impl::Restructured<Sh, Structure::lower>::type;
  return Impl::Operand<Impl::Kind::local, T, New>{};
}
/// A local diagonal matrix: diagonal(local<T, N>()).
template <class T, class Sh>
auto diagonal(Impl::Operand<Impl::Kind::local, T, Sh> const&) {
  using New = typename Impl::Restructured<Sh, Structure::diagonal>::type;
  return Impl::Operand<Impl::Kind::local, T, New>{};
}

/// In carry(...): the View's numbers are `weight` times a sum of logarithms. The sequence gets a
/// LogSum, to which it adds a logarithm at the cost of a multiplication.
/// ```cpp
/// scan(steps, Step{}, carry(common(fixed(0.0)), log_sum(likelihood, -0.5)), each(z));
/// ```
/// \param view    a View of numbers, one for each item
/// \param weight  the factor of the logarithms
template <Impl::Viewish V>
auto log_sum(V const& view, double weight = 1) {
  return Impl::LogView<V>{view, weight};
}

namespace Impl {

/// A View, or one with indices, as the start or the end of a carry.
template <class X>
auto carry_from(X const& start) {
  return in(start);
}
template <class X>
auto carry_to(X const& end) {
  return out(end);
}

template <class X>
auto carry_start(X const& start) {
  if constexpr (is_operand<X>) {
    static_assert(X::kind == Kind::common || X::kind == Kind::fixed,
                  "Batchwork::carry: the start must be a View with the item as its first index, or "
                  "common(...)");
    return start;
  } else if constexpr (is_log_view<X>) {
    return carry_from(start.view);
  } else {
    return carry_from(start);
  }
}
template <class X>
auto const& carry_view(X const& x) {
  if constexpr (is_log_view<X>) return x.view;
  else return x;
}
/// (Unqualified, so that the overload for indices is found, which is declared later.)
template <class X>
auto carry_end(X const& end) {
  return carry_to(carry_view(end));
}
template <class Start, class End>
double log_weight(Start const& start, End const& end) {
  if constexpr (is_log_view<End>) return end.weight;
  else if constexpr (is_log_view<Start>) return start.weight;
  else return 1;
}

/// T for a View of Kokkos::complex<T>, else the View's value type.
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
  } else if constexpr (!is_parameter(X::kind) || has_no_view(X::kind) || X::kind == Kind::fixed) {
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
/// Whether an operand's integers or bools have a supported shape: one bool for each item, integers
/// without a structure.
template <class X>
constexpr bool holds_shapeless_numbers() {
  if constexpr (X::kind == Kind::carry) {
    return holds_shapeless_numbers<decltype(X::start)>() &&
           holds_shapeless_numbers<decltype(X::end)>();
  } else if constexpr (!is_parameter(X::kind) || has_no_view(X::kind) || X::kind == Kind::fixed ||
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
  } else if constexpr (!is_parameter(X::kind) || has_no_view(X::kind)) {
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

/// Checks an operand before a verb uses it. A refused operand is replaced by nothing(), so that the
/// compiler reports no further errors.
template <class X>
auto resolve(X const& x) {
  if constexpr (!is_operand<X>) {
    static_assert(is_operand<X>,
                  "Batchwork: the arguments after the sequence are operands, such as in(view) and "
                  "out(view); exec and launch(...) come before the sequence");
    return nothing();
  } else if constexpr (!holds_numbers<X>()) {
    static_assert(holds_numbers<X>(),
                  "Batchwork: the View of an operand must hold float, double, std::int32_t, "
                  "std::int64_t, bool or Kokkos::complex (a table neither bool nor complex); copy "
                  "the data into such a View");
    return nothing();
  } else if constexpr (!holds_shapeless_numbers<X>()) {
    static_assert(holds_shapeless_numbers<X>(),
                  "Batchwork: a View of bool must hold one for each item, and symmetric, lower and "
                  "diagonal take real numbers; pass a View of integers without a structure");
    return nothing();
  } else if constexpr (holds_complex_numbers<X>() && holds_symmetric_tiles<X>()) {
    static_assert(!holds_complex_numbers<X>(),
                  "Batchwork: symmetric(view) takes real numbers; pass a View of complex ones "
                  "without it: cholesky(a) reads the lower triangle of a Hermitian a");
    return nothing();
  } else {
    return x;
  }
}
template <class A>
auto resolve(EachOf<A> const& e) {
  return resolve(make_timed_operand<Kind::each, BatchIndices::item_time>(e.view, e.pace));
}

/// The operand for a scan over these steps.
template <class O>
O placed(O operand, Steps const& steps) {
  if constexpr (requires { operand.source.steps; }) operand.source.steps = steps;
  else if constexpr (requires { operand.steps; }) operand.steps = steps;
  return operand;
}

}  // namespace Impl

/// A state that a scan keeps from step to step, starting at v(item, ...) or at common(...). The
/// sequence gets a mutable tile. The last value is dropped.
/// ```cpp
/// scan(steps, Step{}, carry(x), each(z));
/// ```
/// \param start  a View with the item as its first index, common(...) or log_sum(...)
/// \returns the operand
template <class Start>
auto carry(Start const& start) {
  auto s = Impl::carry_start(start);
  using IsLog = std::bool_constant<Impl::is_log_view<Start>>;
  using End = Impl::Operand<Impl::Kind::nothing>;
  return Impl::Operand<Impl::Kind::carry, decltype(s), End, IsLog>{
      s, {}, Impl::log_weight(start, 0)};
}
/// The same, and the value after the last step is stored in end(item, ...). If the structure of
/// `end` differs from that of `start`, the value is stored as by an assignment: the lower triangle
/// for a symmetric or lower `end`.
/// ```cpp
/// scan(steps, Step{}, carry(x, x), each(z));  // in place
/// ```
/// \param start  a View with the item as its first index, common(...) or log_sum(...)
/// \param end    a View with the item as its first index, which may be the same as `start`
/// \returns the operand
template <class Start, class End>
auto carry(Start const& start, End const& end) {
  auto s = Impl::carry_start(start);
  auto e = Impl::carry_end(end);
  using IsLog = std::bool_constant<Impl::is_log_view<Start> || Impl::is_log_view<End>>;
  return Impl::Operand<Impl::Kind::carry, decltype(s), decltype(e), IsLog>{
      s, e, Impl::log_weight(start, end)};
}

}  // namespace Batchwork

#endif

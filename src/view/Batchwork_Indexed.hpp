// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Indexed operands: gathered(view, index) reads items of a View that indices pick, such as the
/// nodes of an element; scattered(view, index) writes them or adds to them.
#ifndef BATCHWORK_INDEXED_HPP
#define BATCHWORK_INDEXED_HPP

#include <type_traits>

#include "view/Batchwork_Adaptors.hpp"
#include "view/Batchwork_Operand.hpp"
#include "view/Batchwork_TransposedView.hpp"
#include "view/detail/Batchwork_BoundIndexed.hpp"
#include "view/detail/Batchwork_IndexedSource.hpp"

namespace Batchwork {

/// Picks items of a View, to read them: in(gathered(view, index)). The items of the call are those
/// of `index`; the indices of the tile are those of `index` behind the item, followed by those of
/// `view` behind its item.
///
/// | index | view | tile |
/// | --- | --- | --- |
/// | index(item) | view(n, ...) | the tile view(index(item), ...) |
/// | index(item, k) | view(n) | a vector: view(index(item, k)) |
/// | index(item, k) | view(n, j) | a matrix of K rows: view(index(item, k), j) |
/// | index(item, k) | view(n, i, j) | K matrices, see Tiles: x[k] is view(index(item, k), ...) |
/// | index(item, i, j) | view(n) | a matrix: view(index(item, i, j)) |
///
/// With an index out of range no memory outside the View is read: the tile is NaN, or 0 for
/// integers, and its status Reason::out_of_range.
/// ```cpp
/// Kokkos::View<double*[3]> x("nodes", nodes);
/// Kokkos::View<int*[8]> node("element to node", elements);
/// map(Volume{}, out(v), in(gathered(x, node)));  // a matrix of 8 rows for each element
/// ```
/// \param view   a View of numbers, or an adapted one; its first index is the one picked
/// \param index  a View of integers of any size, or an adapted one; its first index is the item
/// \returns the argument of in(...)
template <Impl::Viewish V, Impl::Viewish I>
auto gathered(V const& view, I const& index) {
  return Impl::IndexedView<false, decltype(Impl::adapted(view)), decltype(Impl::adapted(index))>{
      Impl::adapted(view), Impl::adapted(index)};
}
/// The same with memory, for verbs on whole matrices and for the right-hand sides of solve. Items
/// have one index each, index(item), and any extents. One kernel writes to `memory` where they
/// begin, and the verb reads them there. An item with an index out of range gets the status
/// Reason::out_of_range from a last kernel, and NaN as its results, or 0 for integers. With memory
/// such a call is asynchronous and allocates nothing. Without it the call allocates 8 bytes for
/// each item, and waits at its end.
/// ```cpp
/// Kokkos::View<std::int64_t*> memory("memory", index.extent(0));
/// solve_cholesky(exec, in(gathered(A, index, memory)), in(b), out(x), status(codes));
/// ```
/// \param view    a View of numbers, or an adapted one
/// \param index   a View of integers of any size, index(item)
/// \param memory  a contiguous View of std::int64_t in the memory space of `view`, with a number
///                for each item at least. Calls that may overlap need memory of their own
/// \returns the argument of in(...), of transposed(...), or of solve
template <Impl::Viewish V, Impl::Viewish I, class Memory>
auto gathered(V const& view, I const& index, Memory const& memory) {
  auto g = gathered(view, index);
  static_assert(std::is_convertible_v<Memory, typename decltype(g)::Begins>,
                "Batchwork::gathered: the memory is a Kokkos::View<std::int64_t*> in the memory "
                "space of the View");
  g.begins = memory;
  return g;
}
/// The transposes of gathered matrices, for verbs on whole matrices.
/// \param v  gathered(view, index)
/// \returns the argument of in(...)
template <class A, class I>
auto transposed(Impl::IndexedView<false, A, I> const& v) {
  return Impl::TransposedView<Impl::IndexedView<false, A, I>>{v};
}

/// Picks items of a View, to write them: out(scattered(view, index)) or
/// inout(scattered(view, index)), or to add to them: add(scattered(view, index)). Tiles as for
/// gathered, but no Tiles. Nothing is written at an index out of range; the item's status is
/// Reason::out_of_range. With out and inout all indices of a call must differ, else it is undefined
/// which item is stored; add takes equal indices.
/// ```cpp
/// map(Stress{}, out(scattered(s, place)), in(e));
/// ```
/// \param view   a View of numbers that are not const, or an adapted one
/// \param index  a View of integers of any size, or an adapted one; its first index is the item
/// \returns the argument of out(...), inout(...) or add(...)
template <Impl::Viewish V, Impl::Viewish I>
auto scattered(V const& view, I const& index) {
  return Impl::IndexedView<true, decltype(Impl::adapted(view)), decltype(Impl::adapted(index))>{
      Impl::adapted(view), Impl::adapted(index)};
}

namespace Impl {

template <Kind K, IndexedUse Use, bool Scattered, class A, class I>
auto indexed_operand(IndexedView<Scattered, A, I> const& v) {
  constexpr bool reads = Use == IndexedUse::read;
  static_assert(Scattered != reads,
                "Batchwork: write in(gathered(view, index)) to read, and out, inout or "
                "add(scattered(view, index)) to write");
  static_assert(reads || !std::is_const_v<typename A::view_type::value_type>,
                "Batchwork::scattered: the View is const; pass a View of non-const numbers");
  using Src = IndexedSource<A, I, Use>;
  return Operand<K, Src>{
      Src{typename Src::ViewSource(v.view), typename Src::IndexSource(v.index), v.begins}};
}

/// The start and the end of a carry.
template <bool Scattered, class A, class I>
auto carry_from(IndexedView<Scattered, A, I> const& v) {
  return indexed_operand<Kind::in, IndexedUse::read>(v);
}
template <bool Scattered, class A, class I>
auto carry_to(IndexedView<Scattered, A, I> const& v) {
  return indexed_operand<Kind::out, IndexedUse::write>(v);
}

/// Verbs that read items anywhere replace gathered operands before: see call_gathered.
template <Kind K, class A, class I, IndexedUse Use>
auto stored(Operand<K, IndexedSource<A, I, Use>> const& operand) {
  static_assert(sizeof(A) == 0,
                "Batchwork: verbs on whole matrices read in(gathered(view, index)) and write no "
                "scattered items, and verbs on bands take neither; copy the items before, "
                "map(Copy{}, out(b), in(gathered(a, index))), or afterwards, map(Copy{}, "
                "out(scattered(a, index)), in(b))");
  return stored(operand.source.source.view);
}
/// Not the source of a copy.
template <class A, class I>
auto stored(TransposedView<IndexedView<false, A, I>> const& t) {
  static_assert(
      sizeof(A) == 0,
      "Batchwork::copy: the source is gathered(view, index), not its transposes; transpose "
      "the result, copy(transposed(to), gathered(view, index))");
  return stored(TransposedView<A>{t.view.view});
}

}  // namespace Impl

/// An input that indices pick; see gathered.
template <bool Scattered, class A, class I>
auto in(Impl::IndexedView<Scattered, A, I> const& v) {
  return Impl::indexed_operand<Impl::Kind::in, Impl::IndexedUse::read>(v);
}
/// An input of transposed matrices that indices pick.
template <class A, class I>
auto in(Impl::TransposedView<Impl::IndexedView<false, A, I>> const& t) {
  return Impl::TransposedOperand<decltype(in(t.view))>{in(t.view)};
}
/// An output that indices place; see scattered.
template <bool Scattered, class A, class I>
auto out(Impl::IndexedView<Scattered, A, I> const& v) {
  return Impl::indexed_operand<Impl::Kind::out, Impl::IndexedUse::write>(v);
}
/// An input and output that indices pick; see scattered.
template <bool Scattered, class A, class I>
auto inout(Impl::IndexedView<Scattered, A, I> const& v) {
  return Impl::indexed_operand<Impl::Kind::inout, Impl::IndexedUse::update>(v);
}
/// A sum at places that indices pick. The tile is zero before the sequence (in a scan, before the
/// first step). Afterwards it is added to the View by atomic additions, so that items may have
/// equal indices. The order of the additions is not fixed: sums of reals may differ in the last
/// bits from run to run. scatter_add gives the same bits on every run. With one thread no atomics
/// are used: threads of your program must not add to the same View at the same time.
/// ```cpp
/// Kokkos::View<int*[24][24]> place("places of the entries in the values", elements);
/// map(Stiffness{}, add(scattered(values, place)), in(gathered(x, node)));
/// ```
/// \param v  scattered(view, index)
/// \returns the operand
template <bool Scattered, class A, class I>
auto add(Impl::IndexedView<Scattered, A, I> const& v) {
  return Impl::indexed_operand<Impl::Kind::out, Impl::IndexedUse::add>(v);
}

}  // namespace Batchwork

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// dot and norm: one number for every item, from the vectors of a batch.
#ifndef BATCHWORK_VECTORSUMS_HPP
#define BATCHWORK_VECTORSUMS_HPP

#include <cstdint>
#include <type_traits>

#include "core/Batchwork_Pack.hpp"
#include "core/detail/Batchwork_Lanes.hpp"
#include "krylov/verbs/detail/Batchwork_SystemVerb.hpp"

namespace Batchwork {
namespace Impl {

/// The sum of products.
template <class T>
struct DotSum {
  static constexpr int sums = 1;

  template <class S>
  static BATCHWORK_INLINE void add(S (&s)[sums], S const& x, S const& y) {
    s[0] += x * y;
  }
  template <class S>
  static BATCHWORK_INLINE S result(S const (&s)[sums]) {
    return s[0];
  }
};

/// The root of a sum of squares. Squares leave the range at half of its exponents; so, after Blue
/// (1978), besides the sum there is one for large and one for small numbers, which are multiplied
/// by a power of two before. All three are computed always, because that costs less than to choose;
/// the result is taken from the one that is exact to rounding.
template <class T>
struct NormSum {
  static constexpr int sums = 3;
  static constexpr bool wide = std::is_same_v<T, double>;
  static constexpr T up = wide ? T(0x1p600) : T(0x1p100f);
  static constexpr T down = wide ? T(0x1p-600) : T(0x1p-80f);
  /// Below, small numbers may be missing from the plain sum; above, it may be infinite.
  static constexpr T least = wide ? T(0x1p-900) : T(0x1p-80f);
  static constexpr T most = wide ? T(0x1p1000) : T(0x1p100f);

  template <class S>
  static BATCHWORK_INLINE void add(S (&s)[sums], S const& x, S const&) {
    S const small = x * S(up), large = x * S(down);
    s[0] += x * x;
    s[1] += small * small;
    s[2] += large * large;
  }
  template <class S>
  static BATCHWORK_INLINE S result(S const (&s)[sums]) {
    S const root = sqrt(select(s[0] < S(least), s[1], select(s[0] > S(most), s[2], s[0])));
    S const one(T(1));
    // A NaN is neither below nor above.
    return root *
           select(s[0] < S(least), S(T(1) / up), select(s[0] > S(most), S(T(1) / down), one));
  }
};

/// Sum over the rows of x(i) and y(i), result of the sums.
template <class T, class Sum>
struct VectorSums {
  using value_type = T;
  static constexpr int combined = Sum::sums;

  Storage<T const> x, y;
  Storage<T> to;
  int rows;

  int lanes() const { return has_items_side_by_side(x) ? 1 : lanes_per_system(rows, 0); }
  bool in_packs(int width) const {
    return stands_in_packs(x, width) && stands_in_packs(y, width) && stands_in_packs(to, width);
  }

  /// One item of a thread with rows that are neighbours in memory: two packs of rows at once, since
  /// each waits for its last addition.
  BATCHWORK_INLINE T by_packs_of_rows(T const* xs, T const* ys) const {
    constexpr int W = native_width<T>;
    using S = Pack<T, W>;
    S s[Sum::sums], other[Sum::sums];
    for (int q = 0; q < Sum::sums; ++q) s[q] = other[q] = S(T(0));
    int i = 0;
    for (; i + 2 * W <= rows; i += 2 * W) {
      Sum::add(s, S::load(xs + i), S::load(ys + i));
      Sum::add(other, S::load(xs + i + W), S::load(ys + i + W));
    }
    T sums[Sum::sums];
    for (int q = 0; q < Sum::sums; ++q) sums[q] = sum_of_lanes(s[q] + other[q]);
    for (; i < rows; ++i) Sum::add(sums, xs[i], ys[i]);
    return Sum::result(sums);
  }

  template <class S, class Lanes>
  BATCHWORK_INLINE void run(Lanes& lanes, std::int64_t item, bool there) const {
    T const *const xs = item_of(x, item), *const ys = item_of(y, item);
    if constexpr (std::is_same_v<Lanes, LoneSums> && std::is_same_v<S, T>) {
      if (x.row == 1 && y.row == 1) {
        put(item_of(to, item), by_packs_of_rows(xs, ys));
        return;
      }
    }
    S s[Sum::sums];
    for (int q = 0; q < Sum::sums; ++q) s[q] = S(T(0));
    lanes.for_each(there ? rows : 0,
                   [&](int i) { Sum::add(s, get<S>(xs + i * x.row), get<S>(ys + i * y.row)); });
    lanes.sum(s);
    if (there && lanes.rank == 0) put(item_of(to, item), Sum::result(s));
  }
};

/// y may be x.
template <template <class> class Sum, class Exec, class X, class Y, class R>
void sum_vectors(Exec const& exec, SystemCall call, X const& x_arg, Y const& y_arg,
                 R const& result_arg, int at_y, int at_result) {
  using T = std::remove_const_t<typename stored_t<X>::value_type>;
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "Batchwork: dot and norm take float or double");
  auto const x = operand_of<Exec, T, 1>(x_arg);
  auto const y = operand_of<Exec, T, 1>(y_arg);
  auto const result = operand_of<Exec, T, 0>(result_arg);
  require_written<std::remove_const_t<decltype(result)>>();

  SystemView const vx{"x", x.description};
  call.add(at_result, "result", result.description, true);
  call.add(1, vx.role, vx.d);
  call.add(at_y, "y", y.description);
  std::int64_t const items = call.check();
  if (y.rows != x.rows)
    call.fail(call.parts[2].name() + " holds " + std::to_string(y.rows) + " numbers an item, but " +
              call.parts[1].name() + " holds " + std::to_string(x.rows) +
              "; give vectors (item, row) of as many");
  if (auto const problem = size_problem(vx, x.rows); !problem.empty())
    call.fail("operand 1, " + problem);
  launch_systems(exec, call,
                 VectorSums<T, Sum<T>>{x.storage.as_const(), y.storage.as_const(), result.storage,
                                       int(x.rows)},
                 items, x.rows, x.rows);
}

/// dot of its arguments.
struct DotOfArguments {
  template <class Exec, Viewish X, Viewish Y, Viewish R>
  void operator()(Exec const& exec, Launch<> const& how, X const& x, Y const& y,
                  R const& result) const {
    sum_vectors<DotSum>(exec, {"dot", label_alone(how)}, x, y, result, 2, 3);
  }
  template <class... X>
  void operator()(X const&...) const {
    static_assert(any_order<X...>,
                  "Batchwork::dot: the arguments are [exec,] [launch(\"label\"),] x, y, result in "
                  "this order");
  }
};
/// norm of its arguments.
struct NormOfArguments {
  template <class Exec, Viewish X, Viewish R>
  void operator()(Exec const& exec, Launch<> const& how, X const& x, R const& result) const {
    sum_vectors<NormSum>(exec, {"norm", label_alone(how)}, x, x, result, 1, 2);
  }
  template <class... X>
  void operator()(X const&...) const {
    static_assert(
        any_order<X...>,
        "Batchwork::norm: the arguments are [exec,] [launch(\"label\"),] x, result in this order");
  }
};

}  // namespace Impl

/// The dot product of vectors: result(n) = x_n' y_n for every item n.
///
/// ```text
/// dot([exec,] [launch("label"),] x, y, result)
/// ```
///
/// \param x       View x(item, row) in any layout or strided, or compact(x, n); float or double
/// \param y       View as x; may be the same View
/// \param result  View result(item), or compact; written
/// \throws std::invalid_argument  before the launch: extents that differ, Views that are not
///                allocated or overlap
///
/// One kernel on `exec`, labelled Batchwork::dot or Batchwork::dot(label); asynchronous, allocates
/// nothing, never fences. Zero items are no launch. Without rows the result is zero. Sums are in
/// the type of the numbers, in an order that is the same in every call. A NaN stays in its item.
template <Impl::BeginsCall First, class... Rest>
void dot(First const& first, Rest const&... rest) {
  Impl::call_verb(Impl::DotOfArguments(), first, rest...);
}

/// The Euclidean norm of vectors: result(n) = |x_n| for every item n.
///
/// ```text
/// norm([exec,] [launch("label"),] x, result)
/// ```
///
/// \param x       View x(item, row), as for dot
/// \param result  View result(item), or compact; written
/// \throws std::invalid_argument  as dot
///
/// One kernel, labelled Batchwork::norm, otherwise as dot. It neither overflows nor underflows
/// unless the norm itself does (J. L. Blue, A portable Fortran program to find the Euclidean norm
/// of a vector, ACM TOMS 4, 1978). Infinite numbers give infinity, a NaN gives NaN.
template <Impl::BeginsCall First, class... Rest>
void norm(First const& first, Rest const&... rest) {
  Impl::call_verb(Impl::NormOfArguments(), first, rest...);
}

}  // namespace Batchwork

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// solve_triangular: substitution with a triangle of every matrix of a batch.
#ifndef BATCHWORK_SOLVETRIANGULAR_HPP
#define BATCHWORK_SOLVETRIANGULAR_HPP

#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "krylov/formats/detail/Batchwork_AnySystems.hpp"
#include "krylov/verbs/detail/Batchwork_SystemVerb.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_EmptyItems.hpp"

namespace Batchwork {

/// A triangle of a matrix with its diagonal. In a unit triangle the diagonal is 1, whatever is
/// stored.
enum class Triangle {
  lower,       ///< the lower triangle, with its diagonal
  unit_lower,  ///< the lower triangle, with ones on the diagonal
  upper,       ///< the upper triangle, with its diagonal
  unit_upper   ///< the upper triangle, with ones on the diagonal
};

namespace Impl {

template <class T>
struct TriangularSystems {
  using value_type = T;
  /// Sums of a row: the terms, and the number on its diagonal.
  static constexpr int combined = 2;

  AnySystems<T> a;
  Storage<T const> b;
  Storage<T> x;
  StatusTarget status;
  bool upper, unit;
  std::int64_t nonzeros;

  /// Lanes that share the entries of a row, at least four each: part of a warp, since they wait for
  /// each other in every row.
  int lanes() const {
    if (has_items_side_by_side(a.values)) return 1;
    int n = 1;
    while (n < lanes_of_warp && std::int64_t(4) * n * a.rows < nonzeros) n *= 2;
    return n;
  }
  bool in_packs(int width) const {
    return stands_in_packs(a.values, width) && stands_in_packs(b, width) &&
           stands_in_packs(x, width);
  }

  template <class S, class Lanes>
  BATCHWORK_INLINE void run(Lanes& lanes, std::int64_t item, bool there) const {
    T const* const numbers = a.numbers(item);
    T const* const right = item_of(b, item);
    T* const to = item_of(x, item);
    info_t<S> info(0);
    // What is added to it is zero, or NaN.
    S flaw(T(0));
    for (int step = 0; step < a.rows; ++step) {
      int const i = upper ? a.rows - 1 - step : step;
      S s[combined] = {S(T(0)), S(T(0))};
      if (there) {
        auto const row = a.row(numbers, i);
        for (int k = lanes.rank; k < row.count; k += lanes.count) {
          int const j = row.column(k);
          if (j == i) s[1] += get<S>(row.place(k));
          else if ((j > i) == upper) s[0] += get<S>(row.place(k)) * get<S>(to + j * x.row);
        }
      }
      lanes.sum(s);
      if (there && lanes.rank == 0) {
        S const d = unit ? S(T(1)) : s[1];
        S const y = (get<S>(right + i * b.row) - s[0]) / d;
        S const value = select(d == S(T(0)), S(std::numeric_limits<T>::quiet_NaN()), y);
        put(to + i * x.row, value);
        info_t<S> const none(0), zero = make_info<S>(Reason::breakdown, i + 1),
                                 wrong = make_info<S>(Reason::not_finite, i + 1);
        info_t<S> const now = select(d == S(T(0)), zero, select(is_finite(d), none, wrong));
        info = upper ? first_failure(now, info) : first_failure(info, now);
        flaw += value - value;
      }
      // The row is there for all before the next one.
      lanes.sync();
    }
    if (!there || lanes.rank != 0 || !status.wanted()) return;
    info_t<S> const none(0), result = make_info<S>(Reason::not_finite, 0);
    info = first_failure(info, select(flaw == S(T(0)), none, result));
    if constexpr (std::is_same_v<S, T>) {
      status.put(item, info);
    } else {
      for (int l = 0; l < ValueTraits<S>::width; ++l)
        status.put(item + l, std::int32_t(info.lane(l)));
    }
  }
};

template <class Exec, class A, class B, class X, class C>
void solve_triangular_batch(Exec const& exec, std::string const& label, Triangle triangle,
                            A const& a, B const& b_arg, X const& x_arg, C const& codes) {
  using T = typename NumbersStored<Exec, A>::type;
  auto const b = operand_of<Exec, T, 1>(b_arg);
  auto const x = operand_of<Exec, T, 1>(x_arg);
  require_written<std::remove_const_t<decltype(x)>>();
  SystemCall call("solve_triangular", label);
  call.check_matrices(2, a);
  call.add_vector(3, "b", b, a);
  call.add_vector(4, "x", x, a, true);
  call.add_matrices(2, a);
  StatusTarget const status = status_target<Exec>(call, codes, 5);
  std::int64_t const items = call.check({same_numbers(x, b) && x.storage.row == b.storage.row, 0, 1,
                                         "x may be b, the same View, else give a View of its own"});
  if (a.rows() == 0) return launch_empty_items<T>(exec, call, status, items);
  launch_systems(
      exec, call,
      TriangularSystems<T>{AnySystems<T>(a.systems()), b.storage.as_const(), x.storage, status,
                           triangle == Triangle::upper || triangle == Triangle::unit_upper,
                           triangle == Triangle::unit_lower || triangle == Triangle::unit_upper,
                           a.nonzeros()},
      items, a.rows(), a.nonzeros());
}

/// solve_triangular of its arguments.
struct SolveTriangularOfArguments {
  template <class Exec, SystemMatrices A, Viewish B, Viewish X, StatusOrNone S = NoStatus>
  void operator()(Exec const& exec, Launch<> const& how, Triangle const& triangle, A const& a,
                  B const& b, X const& x, S const& codes = {}) const {
    solve_triangular_batch(exec, label_alone(how), triangle, a, b, x, codes);
  }
  template <class... X>
  void operator()(X const&...) const {
    static_assert(any_order<X...>,
                  "Batchwork::solve_triangular: the arguments are [exec,] [launch(\"label\"),] "
                  "triangle, A, b, x [, status(codes)] in this order");
  }
};

}  // namespace Impl

/// Solves L_n x_n = b_n or U_n x_n = b_n for every item n, L and U being triangles of A.
///
/// ```text
/// solve_triangular([exec,] [launch("label"),] triangle, A, b, x [, status(codes)])
/// ```
///
/// ```cpp
/// solve_triangular(exec, Triangle::unit_lower, A, b, x, status(codes));
/// solve_triangular(exec, Triangle::upper, A, x, x);  // in place
/// ```
///
/// \param triangle  Triangle::lower, unit_lower, upper or unit_upper
/// \param A         csr, ell, dia or dense; entries on the other side of the diagonal are not used.
///                  Entries of a row may have any order; entries of one column are added up
/// \param b         View b(item, row) in any layout or strided, or compact(b, n); float or double
/// \param x         View as b, written; may be the View b itself
/// \param codes     status(codes) with a View codes(item); may be left out. 0, or a reason with the
///                  smallest 1-based row: Reason::breakdown for a diagonal number that is zero or
///                  missing, Reason::not_finite for one that is NaN or infinite (LAPACK's trtrs).
///                  not_finite with info 0 if only a number of x is not finite
/// \throws std::invalid_argument  before the launch: extents that differ, Views that are not
///                  allocated or overlap other than in place. Patterns are not read: see check
///
/// A zero or missing diagonal makes its number of x NaN, and numbers computed from it, in every
/// format. Other items get the same bits as without it.
///
/// One kernel on `exec`, labelled Batchwork::solve_triangular or
/// Batchwork::solve_triangular(label); asynchronous, allocates nothing, never fences. Zero items
/// are no launch. Without rows the status is 0. Two operations an entry and a division a row, row
/// by row (Y. Saad, Iterative Methods for Sparse Linear Systems, 2nd edition, section 11.6). On
/// devices up to 32 lanes share the entries of a row, one lane where rows are short or items are
/// side by side in memory; on hosts a thread has an item, or a pack of them. For dense triangles
/// with several right-hand sides see solve_lower.
template <class... X>
void solve_triangular(X const&... arguments) {
  Impl::call_verb(Impl::SolveTriangularOfArguments(), arguments...);
}

}  // namespace Batchwork

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Elimination of a symmetric matrix with Bunch-Kaufman pivots: the arithmetic of a step, and all
/// steps over a matrix whose rows and columns are exchanged.
#ifndef BATCHWORK_SYMMETRICELIMINATION_HPP
#define BATCHWORK_SYMMETRICELIMINATION_HPP

#include "core/detail/Batchwork_Householder.hpp"
#include "core/detail/backend/Batchwork_Quotients.hpp"

namespace Batchwork::Impl {

/// A symmetric matrix with both triangles, all columns in one lane or pack, which
/// `eliminate_symmetric` replaces by its factors; see DealtColumns.
/// - exchange(p, r): exchanges columns p and r, and rows p and r as far as they are still used. p
///   is common to all items, r is separate for each. Items with r = p are unchanged to the bit.
/// - shown_at(x, m): the entry of a shown column x in the row with the number of own column m
/// - kind[m]: for own column m, 0 for a 1 x 1 pivot, 1 and 2 for the first and second column of a
///   pair
/// - any_item(mask): whether the mask is true for any item that runs together; all callers may
///   branch on it
template <class C>
concept SymmetricColumns = DealtColumns<C> && requires(C a, C const c, int p, int m) {
  a.exchange(p, info_t<typename C::value_type>{});
  c.shown_at(c.show(p, p), m);
  a.kind[m];
  c.any_item(mask_t<typename C::value_type>(true));
};

/// The pivot of an item is chosen by comparing |a(k, k)| with this fraction of the largest entry
/// beside it. (1 + sqrt(17)) / 8 bounds the growth of two 1 x 1 steps by that of one 2 x 2 step.
template <class T>
inline constexpr T pivot_share = T(0.6403882032022076);

/// The entries of D in a row. kind: 0 for a 1 x 1 pivot, 1 and 2 for the first and second row of a
/// pair; d on the diagonal and, in a pair, e off the diagonal and `partner` on the other diagonal.
template <class S>
struct RowOfD {
  S kind, d, e, partner;
};

/// The divisor for the pivot `head`, or for the pair [head e; e next] where `pair` is true. The
/// pair is e [u 1; 1 v] with the larger e; its inverse is [v -1; -1 u] / (e (u v - 1)), and |u v|
/// is at most the square of pivot_share.
template <class S>
struct SymmetricPivot {
  PivotReciprocal<S> divisor;
  S u, v, t;

  /// by: the divisor for the pivot, or for e.
  template <class Mask>
  BATCHWORK_INLINE SymmetricPivot(PivotReciprocal<S> const& by, Mask const& pair, S const& head,
                                  S const& next)
      : divisor(by) {
    S const one(scalar_t<S>(1));
    u = divisor * head;
    v = divisor * next;
    t = Vendor::reciprocal(S(select(pair, S(u * v - one), one)));
  }
  /// The entries of L in the two columns of a pair, from the numbers c and d of these columns
  /// divided by e.
  BATCHWORK_INLINE S first(S const& c, S const& d) const { return t * (v * c - d); }
  BATCHWORK_INLINE S second(S const& c, S const& d) const { return t * (u * d - c); }
};

/// 0, or the reason why the pivot k, or the pair that begins with it, cannot be a divisor.
template <class S, class Mask>
BATCHWORK_INLINE info_t<S> symmetric_pivot_status(Mask const& pair, S const& head, S const& e,
                                                  S const& next, int k) {
  Mask const finite = is_finite(head) && is_finite(e) && is_finite(next);
  info_t<S> const of_pair = select(finite, info_t<S>(0), make_info<S>(Reason::not_finite, k + 1));
  return select(pair, of_pair, pivot_status(head, k));
}

/// Moves the pivot of step k to place k, or a pair to places k and k + 1. Returns a mask of the
/// items that take a pair; `behind` is true for items whose pair already includes column k.
template <SymmetricColumns C, class Mask>
BATCHWORK_INLINE Mask choose_symmetric_pivot(C& a, int k, Mask const& behind) {
  using S = typename C::value_type;
  using T = scalar_t<S>;
  using Info = info_t<S>;
  using Integer = integer_of_t<T>;
  S const share(pivot_share<T>);
  a.begin();
  S head(T(0)), largest(T(0));
  Info place(static_cast<Integer>(k + 1));
  a.show(k, k).for_each(k, [&](int i, S const& xi) {
    if (i == k) {
      head = xi;
      return;
    }
    auto const more = size_key(xi) > size_key(largest);
    largest = select(more, S(abs(xi)), largest);
    place = select(more, Info(static_cast<Integer>(i)), place);
  });
  Mask const small = !behind && !(abs(head) >= share * largest);
  if (!a.any_item(small)) return Mask(false);
  a.exchange(k + 1, select(small, place, Info(static_cast<Integer>(k + 1))));
  a.begin();
  // The row of the largest entry, without its diagonal entry.
  S next(T(0)), beside = largest;
  a.show(k + 1, k + 1).for_each(k + 1, [&](int i, S const& yi) {
    if (i == k + 1) next = yi;
    else beside = larger_size(beside, S(abs(yi)));
  });
  Mask const kept = abs(head) >= share * largest * (largest / beside);
  Mask const other = small && !kept && abs(next) >= share * beside;
  if (a.any_item(other))
    a.exchange(k, select(other, Info(static_cast<Integer>(k + 1)), Info(static_cast<Integer>(k))));
  return small && !kept && !other;
}

/// Step k: subtracts the contributions of the pivots from the columns after k, or after k + 1 where
/// `pair` is true. Does nothing if column k is the second one of a pair (`behind`). Returns the
/// status of the pivots.
template <SymmetricColumns C, class Mask>
BATCHWORK_INLINE auto subtract_symmetric(C& a, int k, Mask const& pair, Mask const& behind) {
  using S = typename C::value_type;
  using T = scalar_t<S>;
  using Info = info_t<S>;
  S const zero(T(0)), one(T(1));
  a.begin();
  auto const x = a.show(k, k);
  S const head = x.column[k];
  if (k + 1 == C::rows) return Info(select(behind, Info(0), pivot_status(head, k)));
  bool const any_pair = a.any_item(pair);
  S l[C::mine];
  if (!any_pair) {
    auto const divisor = pivot_divisor(head);
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = C::first_behind(k); m < C::mine; ++m) {
      Mask const active = !behind && a.is_behind(m, k);
      S const share = divisor * S(a.shown_at(x, m));
      l[m] = select(active, share, zero);
      a.at(m, k) = select(active, share, a.at(m, k));
    }
    x.for_each(k + 1, [&](int i, S const& xi) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int m = C::first_behind(k); m < C::mine; ++m) a.at(m, i) -= l[m] * xi;
    });
    return Info(select(behind, Info(0), pivot_status(head, k)));
  }
  auto const y = a.show(k + 1, k + 1);
  S const e = x.column[k + 1], next = y.column[k + 1];
  SymmetricPivot<S> const pivot(pivot_divisor(S(select(pair, e, head))), pair, head, next);
  S second[C::mine];
  BATCHWORK_UNROLL_ON_DEVICE
  for (int m = C::first_behind(k); m < C::mine; ++m) {
    Mask const next_to = pair && a.is(m, k + 1);
    Mask const active = !behind && a.is_behind(m, k) && !next_to, both = active && pair;
    S const c = pivot.divisor * S(a.shown_at(x, m)), d = pivot.divisor * S(a.shown_at(y, m));
    l[m] = select(active, select(both, pivot.first(c, d), c), zero);
    second[m] = select(both, pivot.second(c, d), zero);
    // The off-diagonal entry of a pair is the same number in both columns.
    a.at(m, k) = select(next_to, e, select(active, l[m], a.at(m, k)));
    a.diagonal[m] = select(next_to, head, a.diagonal[m]);
    a.kind[m] = select(next_to, S(T(2)), a.kind[m]);
  }
  BATCHWORK_UNROLL_ON_DEVICE
  for (int m = C::round_of(k); m <= C::round_of(k); ++m) {
    Mask const own = pair && a.is(m, k);
    a.diagonal[m] = select(own, next, a.diagonal[m]);
    a.kind[m] = select(own, one, a.kind[m]);
  }
  x.for_each(k + 1, [&](int i, S const& xi) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = C::first_behind(k); m < C::mine; ++m) a.at(m, i) -= l[m] * xi;
  });
  y.for_each(k + 1, [&](int i, S const& yi) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = C::first_behind(k); m < C::mine; ++m) {
      Mask const both = pair && a.is_behind(m, k) && !a.is(m, k + 1);
      S const less = i == k + 1 ? second[m] : S(a.at(m, i) - second[m] * yi);
      a.at(m, i) = select(both, less, a.at(m, i));
    }
  });
  return Info(select(behind, Info(0), symmetric_pivot_status(pair, head, e, next, k)));
}

/// Replaces a by L and D of P a P' = L D L'. Row i of L, without its diagonal of ones, is stored in
/// column i above the diagonal, D on the diagonal. For a pair of columns k, k + 1 the off-diagonal
/// entry is stored at (k + 1, k) and (k, k + 1), where L is zero, and `diagonal` of either has the
/// diagonal entry of the other. Items take steps together; items with a pair do nothing in its
/// second step. Returns 0, or the status of the first pivot that is zero (Reason::singular;
/// LAPACK's info of sytrf) or not finite. The elimination continues after a zero, below which all
/// entries are zero. (Bunch and Kaufman, Math. Comp. 31 (1977), 163-179; Golub and Van Loan, Matrix
/// Computations, 4th edition, section 4.4.4.)
template <SymmetricColumns C>
BATCHWORK_INLINE auto eliminate_symmetric(C& a) {
  using S = typename C::value_type;
  using Mask = mask_t<S>;
  info_t<S> info(0);
  Mask behind(false);
  BATCHWORK_UNROLL_ON_DEVICE
  for (int k = 0; k < C::rows; ++k) {
    Mask pair(false);
    if (k + 1 < C::rows) pair = choose_symmetric_pivot(a, k, behind);
    info = first_failure(info, subtract_symmetric(a, k, pair, behind));
    behind = pair;
  }
  return info;
}

}  // namespace Batchwork::Impl

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The element of a block of time with factors of its covariances. F. Yaghoobi, A. Corenflos, S.
/// Hassan and S. Särkkä, Parallel square-root statistical linear regression for inference in
/// nonlinear state space models, SIAM J. Sci. Comput. 2025, arXiv 2207.00426.
#ifndef BATCHWORK_SQUARE_ROOT_BLOCK_ELEMENT_HPP
#define BATCHWORK_SQUARE_ROOT_BLOCK_ELEMENT_HPP

#include <cstdint>

#include "kalman/Batchwork_SquareRoot.hpp"
#include "kalman/detail/Batchwork_BlockElement.hpp"

namespace Batchwork::Impl {

/// Rotates [r y; b v] into [r y; 0 rest], r upper triangular. Rotations keep a row of zeros, where
/// reflections would leave rounding errors, which look like observations of an unknown state.
template <class R, class Y, class B, class V>
BATCHWORK_INLINE void rotate_stacked(R& r, Y& y, B& b, V& v) {
  using S = typename R::value_type;
  for_each_stacked_column(r, b, [&](int k, S const& first_head, auto const& x) {
    S head = first_head;
    x.for_each(0, [&](int c, S const& xc) {
      RowRotation<S> const rotation(head, xc);
      BATCHWORK_UNROLL_ON_DEVICE
      for (int m = R::first_behind(k); m < R::mine; ++m) {
        // Columns before k are ignored.
        S rk = r.at(m, k), bc = b.at(m, c);
        rotation.apply(rk, bc);
        r.at(m, k) = r.is_behind(m, k) ? rk : r.at(m, k);
        b.at(m, c) = r.is_behind(m, k) ? bc : b.at(m, c);
      }
      BATCHWORK_UNROLL_ON_DEVICE
      for (int m = 0; m < Y::mine; ++m) rotation.apply(y.at(m, k), v.at(m, c));
    });
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = 0; m < R::mine; ++m) r.at(m, k) = r.is(m, k) ? head : r.at(m, k);
  });
}

/// Lets the observation o enter an element whose block it ends. The element has the factor c of its
/// covariance, and its observations as N of unit variance: eta = j' x + noise for the state x
/// before the block, j lower triangular. In the paper eta is j times this one, which loses digits.
template <Kalman::Data D, class E, class O, class H, class R>
BATCHWORK_INLINE void observe_element(E const& e, O const& o, H const& h, R const& r) {
  using C = std::remove_cvref_t<decltype(e.c)>;
  using S = value_t<C>;
  constexpr int N = C::rows, M = O::rows;
  Vector<S, M> u = o - h * e.b;
  Matrix<S, M, N> w = h * e.a;
  auto const k = observe_factor<D>(e.c, o, h, r, u, w);
  e.b = e.b + transpose(k.gain) * u;
  e.a = e.a - transpose(k.gain) * w;
  auto const grid = grid_of(e.c, u);
  auto root = columns_of<S, N, N>(transpose(e.j), grid);
  auto seen = columns_of<S, N, 1>(e.eta, grid);
  auto below = columns_of<S, M, N>(w, grid);
  auto beside = columns_of<S, M, 1>(u, grid);
  rotate_stacked(root, seen, below, beside);
  e.j = transpose(tile_of_columns(root, merge_info<S>(e.j.info, w.info)));
  e.eta = tile_of_columns(seen, merge_info<S>(e.eta.info, u.info));
}

/// The motion f with noise of the factor g ends the block of an element.
template <class E, class F, class G>
BATCHWORK_INLINE void move_element(E const& e, F const& f, G const& g) {
  e.b = f * e.b;
  e.c = lower_factor(f * e.c, g);
  e.a = f * e.a;
}

/// One step of the element of a block, a sequence for scan. The carry q of a noise that does not
/// vary with time holds its factor after the first step.
template <Kalman::Order O, Kalman::Data D, bool QIsCarry>
struct SquareRootElementStep {
  template <class A, class B, class C, class Eta, class J, class Z, class F, class Q, class H,
            class R, class I>
  KOKKOS_FUNCTION void operator()(A& a, B& b, C& c, Eta& eta, J& j, Z const& z, F const& f, Q& q,
                                  H const& h, R const& r, I const& t) const {
    BlockElement const e{a, b, c, eta, j};
    if constexpr (QIsCarry) {
      if (t.value == 0) put(q, Kalman::covariance_factor(q));
    }
    auto const go = [&] {
      if constexpr (QIsCarry) move_element(e, as_matrix(f), as_matrix(q));
      else move_element(e, as_matrix(f), Kalman::covariance_factor(q));
    };
    if constexpr (O == Kalman::Order::predict_first) go();
    observe_element<D>(e, as_vector(z), as_observation_matrix<C::rows>(h), as_matrix(r));
    if constexpr (O == Kalman::Order::update_first) go();
  }
};

/// Stores the element of a block without steps after which the state is the start, whatever the
/// state before: a sequence for scan.
struct StartBlock {
  template <class A, class B, class C, class X, class P>
  KOKKOS_FUNCTION void operator()(A& a, B& b, C& c, X const& x, P const& p) const {
    a = zero<C::rows, C::rows>(b);
    b = as_vector(x);
    c = Kalman::covariance_factor(p);
  }
};
/// A sequence for a scan of no steps, which stores the starts of carries.
struct NoStep {
  template <class... X>
  KOKKOS_FUNCTION void operator()(X&...) const {}
};

/// The square-root form of a filter in blocks: c and j are lower triangular factors.
struct SquareRootBlocks {
  static constexpr Structure structure = Structure::lower;
  template <Kalman::Order O, Kalman::Data D, bool QIsCarry>
  using Element = SquareRootElementStep<O, D, QIsCarry>;

  /// The carry p of a start becomes its factor in the first step.
  template <class P, class I>
  static BATCHWORK_INLINE void start(P& p, I const& t) {
    if (t.value == 0) put(p, Kalman::covariance_factor(p));
  }
  /// The state with mean x and factor l after the block of e.
  template <class X, class L, class E>
  static BATCHWORK_INLINE void advance(X& x, L& l, E const& e) {
    Nothing none;
    update_factor<Kalman::Data::complete>(x, l, none, e.eta, transpose(e.j),
                                          identity<scalar_t<value_t<L>>, L::rows>());
    x = e.a * x + e.b;
    l = lower_factor(e.a * l, e.c);
  }
  /// Replaces first by the element of both blocks, `first` before `second`.
  template <class E, class Second>
  static BATCHWORK_INLINE void append(E const& first, Second const& second) {
    using C = std::remove_cvref_t<decltype(first.c)>;
    observe_element<Kalman::Data::complete>(first, second.eta, transpose(second.j),
                                            identity<scalar_t<value_t<C>>, C::rows>());
    move_element(first, second.a, second.c);
    first.b = first.b + second.b;
  }
};

/// A step of the filter in a block: the carry l is a factor before and after it, until the last of
/// `steps` steps, which leaves a covariance. A factor of q is found in step `first`.
template <Kalman::Order O, Kalman::Data D, bool QIsCarry>
struct SquareRootBlockStep {
  std::int64_t first, steps;

  template <class X, class L, class Ll, class Z, class F, class Q, class H, class R, class PM,
            class PC, class FM, class FC, class FF, class I>
  KOKKOS_FUNCTION void operator()(X& x, L& l, Ll& loglik, Z const& z, F const& f, Q& q, H const& h,
                                  R const& r, PM& predicted_mean, PC& predicted_covariance,
                                  FM& filtered_mean, FC& filtered_covariance, FF& filtered_factor,
                                  I const& t) const {
    if constexpr (QIsCarry) {
      if (t.value == first) put(q, Kalman::covariance_factor(q));
    }
    Kalman::SquareRootStep<O, D, QIsCarry>{0}(x, l, loglik, q, Inside{}, z, f, h, r, predicted_mean,
                                              predicted_covariance, filtered_mean,
                                              filtered_covariance, filtered_factor);
    if (t.value + 1 == steps) put_covariance(l, l);
  }

 private:
  /// The index of a step that is neither the first nor the last.
  struct Inside {
    static constexpr std::int64_t value = 1;
  };
};

}  // namespace Batchwork::Impl

#endif

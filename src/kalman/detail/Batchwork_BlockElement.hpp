// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The element of a block of time: all that a filter must know about it. Elements are combined by
/// an associative operation, so blocks can be filtered in parallel. S. Särkkä and Á. F.
/// García-Fernández, Temporal parallelization of Bayesian smoothers, IEEE Transactions on Automatic
/// Control 66, 2021, 299-306, section IV.
#ifndef BATCHWORK_BLOCK_ELEMENT_HPP
#define BATCHWORK_BLOCK_ELEMENT_HPP

#include "kalman/detail/Batchwork_Correction.hpp"
#include "tile/Batchwork_Lu.hpp"

namespace Batchwork::Impl {

/// With the state x before a block, the state after it is N(a x + b, c) given the block's
/// observations. Their likelihood as a function of x is exp(eta' x - x' j x / 2) times a constant.
template <class A, class B, class C, class Eta, class J>
struct BlockElement {
  A& a;      ///< N x N
  B& b;      ///< N
  C& c;      ///< N x N, symmetric
  Eta& eta;  ///< N
  J& j;      ///< N x N, symmetric
};
template <class A, class B, class C, class Eta, class J>
BlockElement(A&, B&, C&, Eta&, J&) -> BlockElement<A, B, C, Eta, J>;

/// One step of the element of a block, a sequence for scan. A filter that knows the state before
/// the block carries b and c; a is the derivative of its mean with respect to that state.
template <Kalman::Order O, Kalman::Data D>
struct ElementStep {
  template <class A, class B, class C, class Eta, class J, class Z, class F, class Q, class H,
            class R, class I>
  KOKKOS_FUNCTION void operator()(A& a, B& b, C& c, Eta& eta, J& j, Z const& z, F const& f,
                                  Q const& q, H const& h, R const& r, I const&) const {
    constexpr int N = C::rows;
    auto const& fm = as_matrix(f);
    auto const& qm = as_matrix(q);
    auto const move = [&] {
      b = fm * b;
      c = congruence(fm, c, qm);
      a = fm * a;
    };
    if constexpr (O == Kalman::Order::predict_first) move();
    observe(a, b, c, eta, j, as_vector(z), as_observation_matrix<N>(h), as_matrix(r));
    if constexpr (O == Kalman::Order::update_first) move();
  }

 private:
  template <class A, class B, class C, class Eta, class J, class Z, class H, class R>
  static BATCHWORK_INLINE void observe(A& a, B& b, C& c, Eta& eta, J& j, Z const& z, H const& h,
                                       R const& r) {
    auto const g = h * c;
    auto const k = correction<D>(z, z - h * b, g, symmetric_product(g, transpose(h), r), r);
    auto w = h * a;
    if constexpr (D == Kalman::Data::may_be_missing)
      skip_missing_rows(w, missing_entries<value_t<C>>(z));
    auto const e = solve(k.factor.lower(), w);
    eta = eta + transpose(e) * k.u;
    j = symmetric_product(transpose(e), e, j);
    b = b + transpose(k.y) * k.u;
    a = a - transpose(k.y) * e;
    c = downdate(c, k.y);
  }
};

/// The covariance form of a filter in blocks.
struct CovarianceBlocks {
  static constexpr Structure structure = Structure::symmetric;
  template <Kalman::Order O, Kalman::Data D, bool>
  using Element = ElementStep<O, D>;

  /// The carry p of a start is what advance() takes.
  template <class P, class I>
  static BATCHWORK_INLINE void start(P&, I const&) {}
  /// The state (x, p) after the block of e. 3 N^3 + 2/3 N^3 operations.
  template <class X, class P, class E>
  static BATCHWORK_INLINE void advance(X& x, P& p, E const& e) {
    constexpr int N = P::rows;
    using T = scalar_t<value_t<P>>;
    // (1 + p j)^-1 is the effect of the block's observations.
    auto const seen = lu(identity<T, N>() + p * e.j);
    X const mean = seen.solve(x + p * e.eta);
    P const covariance(seen.solve(p * identity<T, N>()));
    x = e.a * mean + e.b;
    p = congruence(e.a, covariance, e.c);
  }

  /// Replaces first by the element of both blocks, `first` before `second`.
  template <class E, class Second>
  static BATCHWORK_INLINE void append(E const& first, Second const& second) {
    using C = std::remove_cvref_t<decltype(first.c)>;
    constexpr int N = C::rows;
    using T = scalar_t<value_t<C>>;
    auto const seen = lu(identity<T, N>() + first.c * second.j);
    auto const a = seen.solve(first.a);
    auto const b = seen.solve(first.b + first.c * second.eta);
    C const c(seen.solve(first.c * identity<T, N>()));
    first.eta = first.eta + transpose(a) * (second.eta - second.j * first.b);
    first.j = symmetric_product(transpose(a) * second.j, first.a, first.j);
    first.a = second.a * a;
    first.b = second.a * b + second.b;
    first.c = congruence(second.a, c, second.c);
  }
};

/// Appends the element of the next block, a sequence for scan.
template <class Form>
struct AppendBlock {
  template <class A, class B, class C, class Eta, class J, class A2, class B2, class C2, class Eta2,
            class J2>
  KOKKOS_FUNCTION void operator()(A& a, B& b, C& c, Eta& eta, J& j, A2 const& a2, B2 const& b2,
                                  C2 const& c2, Eta2 const& eta2, J2 const& j2) const {
    Form::append(BlockElement{a, b, c, eta, j}, BlockElement{a2, b2, c2, eta2, j2});
  }
};

/// Stores the state before a block and moves it behind the block, a sequence for scan.
template <class Form, bool FromStart>
struct AdvanceBlock {
  template <class X, class P, class Mean, class Cov, class A, class B, class C, class Eta, class J,
            class I>
  KOKKOS_FUNCTION void operator()(X& x, P& p, Mean& mean, Cov& covariance, A const& a, B const& b,
                                  C const& c, Eta const& eta, J const& j, I const& t) const {
    if constexpr (FromStart) Form::start(p, t);
    auto xs = as_vector(x);
    auto ps = as_matrix(p);
    mean = xs;
    covariance = ps;
    Form::advance(xs, ps, BlockElement{a, b, c, eta, j});
    put(x, xs);
    put(p, ps);
  }
};

}  // namespace Batchwork::Impl

#endif

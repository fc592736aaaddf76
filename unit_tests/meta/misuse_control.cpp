// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Misuse of loops, choices and derivatives that must not compile, and its error messages; see
// misuse.cpp.
#include <Batchwork_Map.hpp>

#if defined(BATCHWORK_PUT_RIGHT)
#define WRONG_OR_RIGHT(wrong, right) right
#else
#define WRONG_OR_RIGHT(wrong, right) wrong
#endif

namespace {

namespace B = Batchwork;

// Tiles as the lanes of a host have them.
using S = B::Pack<double, 4>;
using M3 = B::Matrix<S, 3, 3>;
using V3 = B::Vector<S, 3>;
using X = B::Scalar<S>;

}  // namespace

// says: Batchwork::iterate: f(x, ...) must return the mask of the items that continue
void rounds_without_a_mask(X& x) {
  (void)B::iterate(9, [](X& y) { return WRONG_OR_RIGHT(y, y > 1.0); }, x);
}

// says: Batchwork::iterate(most, f, x, ...): name the tiles and scalars that f changes
void rounds_without_a_state(X& x) {
  auto const more = [&](auto&...) { return x > 1.0; };
  (void)more;
  WRONG_OR_RIGHT((void)B::iterate(9, more), (void)B::iterate(9, more, x));
}

// says: Batchwork::iterate: a state is common to all items, but the mask differs between items
void rounds_of_what_is_common(X const& x) {
  auto sum = WRONG_OR_RIGHT(B::Scalar(0.0), 0.0 * x);
  (void)B::iterate(9, [&](auto& y) { return x > y; }, sum);
}

// says: Batchwork::repeat: this number of rounds differs from item to item
void rounds_that_differ(X const& x, B::Scalar<double> const& common) {
  (void)x, (void)common;
  B::repeat(WRONG_OR_RIGHT(x, common), [] {});
}

// says: Batchwork::where(mask, f, otherwise): the first must be a mask
X where_a_number(X const& x) {
  return B::where(WRONG_OR_RIGHT(1, x > 1.0), [&] { return sqrt(x); }, x);
}

// says: Batchwork::gradient(f, x): f(x) must be a scalar
void gradient_of_a_vector(V3 const& v) {
  (void)B::gradient([](auto const& x) { return WRONG_OR_RIGHT(2 * x, dot(x, x)); }, v);
}

// says: Batchwork::jacobian(f, x): f(x) must be a scalar or a vector
void jacobian_of_a_matrix(V3 const& v) {
  (void)B::jacobian([](auto const& x) { return WRONG_OR_RIGHT(outer(x, x), dot(x, x) * x); }, v);
}

// says: Batchwork: numbers with derivatives in different numbers of directions are combined
void directions_that_differ(X const& x) {
  (void)(B::variable<2>(x, 0) * B::variable<WRONG_OR_RIGHT(3, 2)>(x, 1));
}

// says: Batchwork: this operation has no derivatives
void derivatives_of_eigenvalues(M3 const& a) {
  (void)B::derivative(
      [&](auto const& t) {
        return WRONG_OR_RIGHT(B::element(eigh(symmetric(t * a)).values(), 0),
                              log_det(cholesky(symmetric(t * a))));
      },
      B::Scalar<S>(B::element(a, 0, 0)));
}

// says: Batchwork::apply: its function takes plain real numbers
void derivatives_of_a_plain_function(X const& x) {
  (void)B::derivative(
      [](auto const& t) {
        return WRONG_OR_RIGHT(B::apply([](double y) { return y * y; }, t), square(t));
      },
      x);
}

// says: Batchwork: a scalar or tile without derivatives is assigned one that has them
void derivatives_lost(V3& y, V3 const& x) {
  y = WRONG_OR_RIGHT(2 * variables(x), value_of(2 * variables(x)));
}

// says: start it as zero(x), where x has derivatives
void derivatives_of_a_sum(X const& x) {
  (void)B::derivative(
      [&](auto const& t) {
        auto sum = WRONG_OR_RIGHT(0 * x, 0 * t);
        sum = sum + t * t;
        return sum;
      },
      x);
}

// says: derivatives are taken with respect to real numbers that have no derivatives yet
void second_derivatives(X const& x) { (void)B::variable<1>(WRONG_OR_RIGHT(B::variable<1>(x), x)); }

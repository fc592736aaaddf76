// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Misuse of entries, scalars and numbers that must not compile, and its error messages; see
// misuse.cpp.
#include <Batchwork_Map.hpp>
#include <cmath>
#include <cstdio>
#include <iostream>

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
using L3 = B::Lower<S, 3>;
using D3 = B::Diagonal<S, 3>;
using X = B::Scalar<S>;
// A compiler says a sentence once for the same types, so that these differ below.
using One = std::integral_constant<int, 1>;
using Two = std::integral_constant<int, 2>;

}  // namespace

// says: this assigns to a temporary scalar and would be lost
void element_that_is_assigned(M3& a, X const& x) { WRONG_OR_RIGHT(element(a, 0, 1), a(0, 1)) = x; }

// says: this assigns to a temporary scalar and would be lost
void element_that_takes_on(V3& v) { WRONG_OR_RIGHT(element(v, 0), v(0)) += 1; }

// says: this assigns to a temporary scalar and would be lost
void entry_of_a_constant(V3& v, V3 const& c) {
  WRONG_OR_RIGHT(c, v)(1) = 2.0;
  (void)c;
}

// says: this assigns to a temporary scalar and would be lost
void entry_of_a_result(V3& v, V3 const& c) {
  WRONG_OR_RIGHT((v + c)(1), v(1)) -= 2.0f;
  (void)c;
}

// says: this assigns to a temporary tile and would be lost
void block_that_is_assigned(M3& a, B::Matrix<S, 2, 2> const& b) {
  WRONG_OR_RIGHT((B::block<2, 2>(a, 0, 0) = b), assign_block(a, 0, 0, b));
}

// says: this assigns to a temporary tile and would be lost
void row_that_takes_on(M3& a, B::Matrix<S, 1, 3> const& b) {
  WRONG_OR_RIGHT(row(a, 0) += b, assign_block(a, 0, 0, b));
}

// says: this assigns to a temporary tile and would be lost
void column_that_is_multiplied(V3& v, M3 const& a) {
  WRONG_OR_RIGHT(column(a, 0), v) *= 2;
  (void)a, (void)v;
}

// says: this assigns to a temporary tile and would be lost
void transpose_that_is_assigned(M3& a, M3 const& b) {
  WRONG_OR_RIGHT(transpose(a), a) = WRONG_OR_RIGHT(b, transpose(b));
}

// says: an entry above the diagonal of a Lower tile, or off the diagonal of a Diagonal one
void above_the_diagonal(L3& l, X const& x) {
  l(WRONG_OR_RIGHT(One(), Two()), WRONG_OR_RIGHT(Two(), One())) = x;
}

// says: an entry above the diagonal of a Lower tile, or off the diagonal of a Diagonal one
void beside_the_diagonal(D3& d, X const& x) { d(One(), WRONG_OR_RIGHT(Two(), One())) += x; }

// says: an index of an entry is beyond the tile
void beyond_the_tile(V3& v) { v(WRONG_OR_RIGHT((std::integral_constant<int, 3>()), Two())) = 1; }

// says: an entry of a matrix has two indices, a(i, j), an entry of a vector has one, v(i)
X one_index_of_a_matrix(M3 const& a) { return WRONG_OR_RIGHT(a(1), a(1, 1)); }

// says: the indices of an entry must be integers common to all items
X index_of_items(V3 const& v, X const& k) {
  return WRONG_OR_RIGHT(v(k), select(k == 0, v(0), v(1)));
}

// says: an entry can be assigned only a number or a scalar that its tile can hold
void number_of_items_in_a_common_tile(X const& x) {
  auto v = WRONG_OR_RIGHT((B::zero<double, 3>()), (B::zero<3>(x)));
  v(0) = x;
}

// says: this scalar cannot hold the result
X sum_in_a_common_scalar(V3 const& v) {
  auto s = WRONG_OR_RIGHT(B::Scalar(0), zero(v));
  s += v(0);
  return s + v(1);
}

// says: a plain number cannot hold a number for each item
X sum_in_a_number(V3 const& v) {
  WRONG_OR_RIGHT(double s = 0, auto s = zero(v));
  s += v(0);
  return v(1) + s;
}

// says: a number is not added to a tile
V3 number_added(V3 const& x) { return x + WRONG_OR_RIGHT(1.0, B::ones<3>(x)); }

// says: a number is not added to a tile
M3 scalar_subtracted(M3 const& a, X const& x) {
  return WRONG_OR_RIGHT(x, x * B::identity<3>(a)) - a;
}

// says: Batchwork::select: one choice is a tile and the other a number
V3 number_chosen(V3 const& v, X const& x) {
  return select(x > 0.0, v, WRONG_OR_RIGHT(0, B::zero<3>(v)));
}

// says: write sqrt(x) without std::
X root_of_std(X const& x) { return X(WRONG_OR_RIGHT(std::sqrt, sqrt)(x)); }

// says: write sqrt(x) without std::
auto root_of_kokkos(B::Vector<B::Pack<float, 8>, 3>& v) {
  return B::Scalar<B::Pack<float, 8>>(WRONG_OR_RIGHT(Kokkos::sqrt, sqrt)(v(0)));
}

// says: auto y = x instead of double y = x
X as_double(X const& x) {
  WRONG_OR_RIGHT(double, auto) y(x);
  return X(y);
}

// says: select(mask, a, b) instead of a branch
X if_it_is_not_zero(X const& x) {
#if defined(BATCHWORK_PUT_RIGHT)
  return select(x != 0, 1 / x, x);
#else
  if (x) return 1 / x;
  return x;
#endif
}

// says: which printf and << do not print
void printed(X const& x) { WRONG_OR_RIGHT(printf("%g", x), std::printf("%g", x.value.lane(0))); }

// says: which printf and << do not print
void streamed(V3& v) { std::cout << WRONG_OR_RIGHT(v(0), v(0).value.lane(0)); }

// says: which printf and << do not print
void streamed_tile(M3 const& a) { std::cout << WRONG_OR_RIGHT(a, a(0, 0).value.lane(0)); }

// says: complex numbers have no order
void least_of_complex(B::Vector<B::Complex<S>, 3> const& v) {
  (void)minimum(WRONG_OR_RIGHT(v, real(v)));
}

// ---- as before: numbers and conversions that stay what they are ---------------------------------

static_assert(std::is_same_v<decltype(std::declval<X>() + 1.0), X>);
static_assert(std::is_same_v<decltype(2 * std::declval<X>()), X>);
static_assert(std::is_same_v<decltype(std::declval<X>() < 1), B::mask_t<S>>);
static_assert(std::is_same_v<decltype(true ? std::declval<X const&>() : 0.0), X const>);
static_assert(std::is_same_v<decltype(true ? std::declval<V3&>()(0) : 0), B::Entry<V3>>);
static_assert(!std::is_convertible_v<X, double> && !std::is_convertible_v<X, bool>);

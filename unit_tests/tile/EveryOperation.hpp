// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A call of every operation in the tables `| operation |` of docs/reference, with the words of the
/// table, for every type of numbers that it supports. Results are put into an identity that holds
/// for them, and its residual is reported. The test documented_operations compares the words with
/// the tables, test_every_operation runs the calls, and cuda_objects compiles them.
#ifndef BATCHWORK_TEST_EVERY_OPERATION_HPP
#define BATCHWORK_TEST_EVERY_OPERATION_HPP

#include "Batchwork_Map.hpp"

namespace Batchwork::Test {

/// The relative difference of two tiles or scalars.
template <class X, class Y>
KOKKOS_INLINE_FUNCTION auto off(X const& x, Y const& y) {
  return max_abs(x - y) / (1 + max_abs(y));
}
template <class X, class Y>
KOKKOS_INLINE_FUNCTION auto scalar_off(X const& x, Y const& y) {
  return abs(x - y) / (1 + abs(y));
}
/// The argument of cholesky; for complex numbers a general tile.
template <class H>
KOKKOS_INLINE_FUNCTION auto hermitian(H const& h) {
  if constexpr (Impl::is_complex<value_t<H>>) return h;
  else return symmetric(h);
}

/// The number of rows for `count` scalars, eight in each row of a tile.
constexpr int rows_of_eight(int count) { return (count + 7) / 8; }
template <int Count, class X>
KOKKOS_INLINE_FUNCTION auto listed(X const (&x)[Count]) {
  return generate<rows_of_eight(Count), 8>(
      [&](int i, int j) { return x[8 * i + j < Count ? 8 * i + j : 0]; });
}

/// Parts, sums, products and norms. a, c: N x N; b: N.
struct PartsOfTiles {
  static constexpr char const* documented[] = {
      "a + b",
      "a - b",
      "-a",
      "c * a",
      "a / c",
      "a * b",
      "identity<N>(x)",
      "transpose(x)",
      "block<M, N>(a, i, j)",
      "block<N>(v, i)",
      "row(a, i)",
      "column(a, j)",
      "diagonal_of(a)",
      "assign_block(a, i, j, b)",
      "as_diagonal(v)",
      "outer(u, v)",
      "cross(u, v)",
      "kron(a, b)",
      "hadamard(a, b)",
      "dot(a, b)",
      "dot(u, v)",
      "norm2(a)",
      "trace(a)",
      "norm1(a)",
      "norm_inf(a)",
      "max_abs(a)",
      "conjugate_transpose(x)",
      "conj(x)",
      "real(x)",
      "imag(x)",
      "as_complex(re, im)",
      "abs(x)",
      "generate<M, N>(f)",
      "element(x, i, j)",
      "select(mask, a, b)",
      "fail_where(mask, reason, x)",
      "any(mask), all(mask), isfinite",
  };
  static constexpr int count = int(sizeof(documented) / sizeof(documented[0]));

  template <class R, class A, class B, class C>
  KOKKOS_FUNCTION void operator()(R& r, A const& a, B const& b, C const& c) const {
    constexpr int N = A::rows;
    auto const last = element(a, N - 1, N - 1);
    auto const size = abs(last);
    auto assigned = c;
    assign_block(assigned, N - 1, 0, block<1, 1>(a, 0, N - 1));
    auto const three = [](auto const& of) {
      return generate<3>([&](int k) { return element(of, k < N ? k : 0) * (k + 1); });
    };
    auto const u = three(b), v = three(column(a, 0));
    auto const is_smaller = size < 2 * size + 1;
    auto const parts = as_complex(real(a), imag(a));
    auto const both = any(is_smaller) && all(isfinite(size));
    Scalar<real_t<value_t<A>>> const left[count] = {
        off((a + c) - c, a),
        off((a - c) + c, a),
        max_abs(-a + a),
        off(2 * a, a + a),
        off((2 * a) / 2, a),
        off((a * c) * b, a * (c * b)),
        off(identity<N>(a) * c, c),
        off(transpose(a * c), transpose(c) * transpose(a)),
        scalar_off(element(block<1, 1>(a, N - 1, 0), 0, 0), element(a, N - 1, 0)),
        scalar_off(element(block<1>(b, N - 1), 0), element(b, N - 1)),
        scalar_off(element(row(a, N - 1), 0, 0), element(a, N - 1, 0)),
        scalar_off(element(column(a, 0), N - 1), element(a, N - 1, 0)),
        scalar_off(element(diagonal_of(a), N - 1), last),
        scalar_off(element(assigned, N - 1, 0), element(a, 0, N - 1)),
        off(as_diagonal(b) * column(a, 0), hadamard(b, column(a, 0))),
        off(outer(b, column(a, 0)), b * transpose(column(a, 0))),
        max_abs(transpose(u) * cross(u, v)) / (1 + max_abs(u) * max_abs(u) * max_abs(v)),
        off(kron(b, row(a, 0)), b * row(a, 0)),
        off(hadamard(a, outer(b, b)), as_diagonal(b) * a * as_diagonal(b)),
        scalar_off(dot(b, b), element(conjugate_transpose(b) * b, 0)),
        scalar_off(dot(b, column(a, 0)), conj(dot(column(a, 0), b))),
        scalar_off(norm2(b) * norm2(b), real(dot(b, b))),
        scalar_off(trace(a * c), trace(c * a)),
        scalar_off(norm1(a), norm_inf(transpose(a))),
        scalar_off(norm_inf(a), norm1(transpose(a))),
        scalar_off(max_abs(b), norm_inf(b)),
        off(conjugate_transpose(a), transpose(conj(a))),
        off(conj(conj(a)), a),
        off(real(a + conj(a)), 2 * real(a)),
        max_abs(imag(a) + imag(conj(a))),
        off(parts - a, 0 * parts),
        scalar_off(size * size, real(conj(last) * last)),
        off(generate<N, N>([&](int i, int j) { return element(a, j, i); }), transpose(a)),
        scalar_off(element(a * c, N - 1, N - 1), element(row(a, N - 1) * column(c, N - 1), 0)),
        off(select(is_smaller, a, c), a),
        off(fail_where(!is_smaller, Reason::not_finite, a), a),
        both ? 0 * size : size + 1,
    };
    r = listed<count>(left);
  }
};

/// Entries, constants, and reductions over all entries of a tile.
struct EntriesOfTiles {
  static constexpr char const* documented[] = {
      "a(i, j)",
      "v(i)",
      "a(i, j) = x",
      "zero<M, N>(x)",
      "zero<N>(x)",
      "zero(x)",
      "ones<M, N>(x)",
      "constant<M, N>(c, x)",
      "constant<M, N>(c)",
      "sum(a)",
      "prod(a)",
      "all_of(a, f)",
      "any_of(a, f)",
      "all_of(a, b, f)",
      "any_of(a, b, f)",
      "generate_symmetric<N>(f)",
      "generate_lower<N>(f)",
      "stack(a, b)",
      "beside(a, b)",
      "a *= c",
      "a /= c",
  };
  static constexpr int count = int(sizeof(documented) / sizeof(documented[0]));

  template <class R, class A, class B, class C>
  KOKKOS_FUNCTION void operator()(R& r, A const& a, B const& b, C const& c) const {
    constexpr int N = A::rows;
    auto d = zero<N, N>(a);
    auto total = zero(a), product = ones(b);
    for (int i = 0; i < N; ++i) {
      product *= b(i);
      for (int j = 0; j < N; ++j) {
        d(i, j) = a(j, i);
        total += a(i, j);
      }
    }
    auto const is_there = [](auto const& x) { return abs(x) >= 0.0; };
    auto const is_less = [](auto const& x, auto const& y) { return abs(x) < abs(x) + abs(y) - 1; };
    auto const size = abs(a(0, 0));
    auto const no = 0 * size, yes = no + 1;
    auto grown = a;
    grown *= 2;
    grown /= 4;
    auto const triangle = generate_lower<N>([&](int i, int j) { return a(i, j); });
    Scalar<real_t<value_t<A>>> const left[count] = {
        scalar_off(a(N - 1, 0), element(a, N - 1, 0)),
        scalar_off(b(N - 1), element(b, N - 1)),
        off(d, transpose(a)),
        max_abs(zero<N, N>(a)),
        off(zero<N>(b) + b, b),
        scalar_off(zero(a) + total, total),
        off(ones<N, N>(a) * as_diagonal(b), ones<N>(b) * transpose(b)),
        off(constant<N, N>(a(0, 0), a), a(0, 0) * ones<N, N>(a)),
        off(constant<N, N>(a(0, 0)), a(0, 0) * ones<N, N>(a)),
        scalar_off(sum(a), total),
        scalar_off(prod(b), product),
        select(all_of(a, is_there), no, yes),
        select(any_of(a, is_there), no, yes),
        select(all_of(a, 0 * c, is_less), yes, no),
        select(any_of(a, 0 * c, is_less), yes, no),
        off(generate_symmetric<N>([&](int i, int j) { return abs(a(i, j)); }),
            generate<N, N>([&](int i, int j) { return abs(a(i < j ? j : i, i < j ? i : j)); })),
        off(triangle, generate<N, N>([&](int i, int j) { return j <= i ? a(i, j) : zero(a); })),
        off(block<N, N>(stack(c, a), N, 0), a),
        off(block<N, 1>(beside(a, c), 0, N), column(c, 0)),
        off(grown, a / 2),
        off(4 * grown, a + a),
    };
    r = listed<count>(left);
  }
};

/// Factorisations that every type of numbers supports.
struct SolvesOfTiles {
  static constexpr char const* documented[] = {
      "cholesky(a)",
      "cholesky(a).lower()",
      "cholesky(a).solve(b)",
      "cholesky(a).log_det()",
      "lu(a)",
      "lu(a).solve(b)",
      "lu(a).determinant()",
      "lu(a).inverse()",
      "lu(a).lower()",
      "lu(a).upper()",
      "lu(a).permute(b)",
      "solve(t, b)",
      "solve(d, b)",
      "solve(cholesky(a), b)",
      "solve(lu(a), b)",
      "inverse(lu(a))",
      "determinant(lu(a))",
      "lu(a).log_abs_determinant()",
      "lu(a).sign()",
      "solve(a, b)",
      "inverse(a)",
      "determinant(a)",
      "qr(a)",
      "qr(a).r()",
      "qr(a).q()",
      "qr(a).full_q()",
      "qr(a).apply_q(b)",
      "qr(a).apply_qt(b)",
      "qr(a).solve(b)",
      "log_det(cholesky(a))",
  };
  static constexpr int count = int(sizeof(documented) / sizeof(documented[0]));

  template <class R, class A, class B, class C>
  KOKKOS_FUNCTION void operator()(R& r, A const& a, B const& b, C const& c) const {
    constexpr int N = A::rows;
    auto const one = identity<N>(a);
    auto const h = hermitian(a * conjugate_transpose(a) + one);
    auto const l = cholesky(h);
    auto const t = l.lower();
    auto const d = as_diagonal(diagonal_of(a));
    auto const f = lu(a);
    auto const q = qr(a);
    auto const logs = lu(h).log_abs_determinant();
    auto const of_l = off(t * conjugate_transpose(t), h),
               of_lu = off(f.lower() * f.upper(), f.permute(a)), of_qr = off(q.q() * q.r(), a);
    Scalar<real_t<value_t<A>>> const left[count] = {
        of_l,
        of_l,
        off(h * l.solve(b), b),
        scalar_off(l.log_det(), logs),
        of_lu,
        off(a * f.solve(b), b),
        scalar_off(f.determinant() * determinant(c), determinant(a * c)),
        off(a * f.inverse(), one + 0 * a),
        of_lu,
        of_lu,
        of_lu,
        off(t * solve(t, b), b) + off(transpose(t) * solve(transpose(t), b), b),
        off(d * solve(d, b), b),
        off(h * solve(l, b), b),
        off(a * solve(f, b), b),
        off(inverse(f) * a, one + 0 * a),
        scalar_off(determinant(f), f.determinant()),
        scalar_off(exp(f.log_abs_determinant()), abs(f.determinant())),
        scalar_off(f.sign() * abs(f.determinant()), f.determinant()),
        off(a * solve(a, b), b),
        off(inverse(a) * a, one + 0 * a),
        scalar_off(determinant(a), f.determinant()),
        of_qr,
        of_qr,
        of_qr,
        off(q.full_q() * q.r(), a),
        off(q.apply_q(q.apply_qt(b)), b),
        off(q.apply_qt(b), conjugate_transpose(q.full_q()) * b),
        off(a * q.solve(b), b),
        scalar_off(log_det(l), logs),
    };
    r = listed<count>(left);
  }
};

/// Operations that only real numbers have: symmetric products, and factors of symmetric tiles.
struct SymmetricTiles {
  static constexpr char const* documented[] = {
      "congruence(f, p)",
      "congruence(f, p, q)",
      "symmetric_product(a, b)",
      "symmetric_product(a, b, c)",
      "gram(y)",
      "downdate(p, y)",
      "symmetric(x)",
      "norm_frobenius(a)",
      "rank_update(l, v)",
      "rank_downdate(l, v)",
      "ldlt(a)",
      "ldlt(a).solve(b)",
      "ldlt(a).determinant()",
      "ldlt(a).log_abs_determinant()",
      "ldlt(a).sign()",
      "ldlt(a).negative_eigenvalues()",
      "ldlt(a).inverse()",
      "ldlt(a).lower()",
      "ldlt(a).d()",
      "ldlt(a).permute(b)",
      "solve(ldlt(a), b)",
      "inverse(ldlt(a))",
      "determinant(ldlt(a))",
      "expm(a)",
      "sqrt_spd(a)",
      "log_spd(a)",
      "sqrt log exp min max isnan",
      "minimum(a)",
      "maximum(a)",
      "minimum_index(a)",
      "maximum_index(a)",
  };
  static constexpr int count = int(sizeof(documented) / sizeof(documented[0]));

  template <class R, class A, class B, class C>
  KOKKOS_FUNCTION void operator()(R& r, A const& a, B const& b, C const& c) const {
    constexpr int N = A::rows;
    auto const one = identity<N>(a);
    auto const p = symmetric(a * transpose(a) + one), q = symmetric(c * transpose(c) + one);
    auto const f = ldlt(p);
    auto const of_f = off(f.lower() * f.d() * transpose(f.lower()),
                          f.permute(transpose(f.permute(Matrix<value_t<A>, N, N>(p)))));
    auto const l = cholesky(p).lower();
    auto const up = rank_update(l, b);
    auto const root = sqrt_spd(p), log_p = log_spd(p);
    auto const size = norm1(a);
    Scalar<value_t<A>> const left[count] = {
        off(congruence(a, p), a * p * transpose(a)),
        off(congruence(a, p, q), a * p * transpose(a) + q),
        off(symmetric_product(a, transpose(a)), a * transpose(a)),
        off(symmetric_product(a, transpose(a), q), a * transpose(a) + q),
        off(gram(a), transpose(a) * a),
        off(downdate(p, a), p - transpose(a) * a),
        off(symmetric(a) - transpose(symmetric(a)), 0 * a),
        scalar_off(norm_frobenius(a) * norm_frobenius(a), trace(a * transpose(a))),
        off(up * transpose(up), p + b * transpose(b)),
        off(rank_downdate(up, b), l),
        of_f,
        off(p * f.solve(b), b),
        scalar_off(f.determinant(), determinant(a * transpose(a) + one)),
        scalar_off(f.log_abs_determinant(), log_det(cholesky(p))),
        scalar_off(f.sign(), size / size),
        scalar_off(f.negative_eigenvalues(), 0 * size),
        off(p * f.inverse(), one + 0 * a),
        of_f,
        of_f,
        of_f,
        off(p * solve(f, b), b),
        off(inverse(f) * p, one + 0 * a),
        scalar_off(determinant(f), f.determinant()),
        off(expm(log_p), p),
        off(root * root, p),
        off(log_spd(root) + log_spd(root), log_p),
        scalar_off(max(exp(log(sqrt(size) * sqrt(size))), min(size, size / 2)),
                   select(isnan(size), 0 * size, size)),
        scalar_off(minimum(a), -maximum(-a)),
        scalar_off(max(maximum(a), -minimum(a)), max_abs(a)),
        scalar_off(minimum_index(a), maximum_index(-a)),
        scalar_off(maximum_index(block<1>(b, 0)), 0 * size),
    };
    r = listed<count>(left);
  }
};

/// Orthogonal decompositions of real tiles.
struct DecompositionsOfTiles {
  static constexpr char const* documented[] = {
      "pivoted_qr(a)",
      "pivoted_qr(a).solve(b, t)",
      "pivoted_qr(a).permute(b)",
      "pivoted_qr(a).rank(t)",
      "stacked_r(a, b)",
      "stacked_r(a, b, c)",
      "eigh(a)",
      "eigh(a).values()",
      "eigh(a).vectors()",
      "svd(a)",
      "svd(a).u()",
      "svd(a).singular_values()",
      "svd(a).v()",
      "svd(a).rank(t)",
      "svd(a).condition()",
      "svd(a).pinv(t)",
      "svd(a).solve(b, t)",
      "singular_values(a)",
      "rank(a)",
      "condition(a)",
      "pinv(a)",
  };
  static constexpr int count = int(sizeof(documented) / sizeof(documented[0]));

  template <class R, class A, class B, class C>
  KOKKOS_FUNCTION void operator()(R& r, A const& a, B const& b, C const& c) const {
    constexpr int N = A::rows;
    auto const one = identity<N>(a);
    auto const t = scalar_t<value_t<A>>(1e-4);
    auto const p = symmetric(a * transpose(a) + one);
    auto const f = pivoted_qr(a);
    auto const e = eigh(p);
    auto const s = svd(a);
    auto const sigma = s.singular_values();
    auto const condition_of = element(sigma, 0) / element(sigma, N - 1);
    auto const size = norm1(a), ranks = N * (size / size);
    auto const of_f = off(f.q() * f.r(), transpose(f.permute(transpose(a)))),
               of_e = off(p * e.vectors(), e.vectors() * as_diagonal(e.values())),
               of_s = off(s.u() * as_diagonal(sigma) * transpose(s.v()), a);
    auto const two = stacked_r(a, c);
    auto const three = stacked_r(a, row(c, 0), block<1, 1>(c, 0, 0));
    Scalar<value_t<A>> const left[count] = {
        of_f,
        off(a * f.solve(b, t), b),
        of_f,
        scalar_off(f.rank(t), ranks),
        off(gram(two), gram(a) + gram(c)),
        off(block<N, N>(transpose(three) * three, 0, 0), gram(a) + gram(row(c, 0))),
        of_e,
        of_e,
        off(gram(e.vectors()), one + 0 * a),
        of_s,
        off(gram(s.u()), one + 0 * a),
        of_s,
        off(gram(s.v()), one + 0 * a),
        scalar_off(s.rank(t), ranks),
        scalar_off(s.condition(), condition_of),
        off(s.pinv(t) * a, one + 0 * a),
        off(a * s.solve(b, t), b),
        off(singular_values(a), sigma),
        scalar_off(rank(a), ranks),
        scalar_off(condition(a), condition_of),
        off(pinv(a) * a, one + 0 * a),
    };
    r = listed<count>(left);
  }
};

struct WeightedSum {
  KOKKOS_FUNCTION double operator()(double x, double y, int weight) const { return x + weight * y; }
};

/// Functions of real numbers, entry by entry.
struct FunctionsOfTiles {
  static constexpr char const* documented[] = {
      "sin(x)",
      "cos(x)",
      "tan(x)",
      "asin(x)",
      "acos(x)",
      "atan(x)",
      "atan2(y, x)",
      "sinh(x)",
      "cosh(x)",
      "tanh(x)",
      "asinh(x)",
      "acosh(x)",
      "atanh(x)",
      "exp(x)",
      "exp2(x)",
      "expm1(x)",
      "log(x)",
      "log2(x)",
      "log10(x)",
      "log1p(x)",
      "pow(x, y)",
      "pow(x, n)",
      "sqrt(x)",
      "cbrt(x)",
      "hypot(x, y)",
      "square(x)",
      "erf(x)",
      "erfc(x)",
      "tgamma(x)",
      "lgamma(x)",
      "abs(x)",
      "fabs(x)",
      "sign(x)",
      "copysign(x, y)",
      "floor(x)",
      "ceil(x)",
      "trunc(x)",
      "round(x)",
      "fmod(x, y)",
      "clamp(x, low, high)",
      "lerp(a, b, t)",
      "apply(f, a, b)",
      "print(mask, name, x)",
  };
  static constexpr int count = int(sizeof(documented) / sizeof(documented[0]));

  template <class R, class A, class B, class C>
  KOKKOS_FUNCTION void operator()(R& r, A const& a, B const&, C const&) const {
    // Entries are less than 1/2 and not zero.
    auto const x = a / (2 * max_abs(a) + 1);
    auto const size = abs(x), one = exp(0 * x);
    auto const first = element(x, 0, 0);
    print(first > 1, "first", first);
    Scalar<value_t<A>> const left[count] = {
        off(asin(sin(x)), x),
        off(square(sin(x)) + square(cos(x)), one),
        off(atan(tan(x)), x),
        off(sin(asin(x)), x),
        off(cos(acos(x)), x),
        off(tan(atan(x)), x),
        off(atan2(sin(x), cos(x)), x),
        off(asinh(sinh(x)), x),
        off(square(cosh(x)) - square(sinh(x)), one),
        off(atanh(tanh(x)), x),
        off(sinh(asinh(x)), x),
        off(cosh(acosh(one + size)), one + size),
        off(tanh(atanh(x)), x),
        off(log(exp(x)), x),
        off(log2(exp2(x)), x),
        off(expm1(x) + one, exp(x)),
        off(exp(log(one + size)), one + size),
        off(exp2(log2(one + size)), one + size),
        off(log10(pow(10, x)), x),
        off(log1p(size), log(one + size)),
        off(pow(size, 1.5), hadamard(size, sqrt(size))),
        off(pow(x, 3), hadamard(x, square(x))),
        off(square(sqrt(size)), size),
        off(pow(cbrt(x), 3), x),
        off(square(hypot(x, 2)), square(x) + 4 * one),
        off(square(x), hadamard(x, x)),
        off(erf(x) + erfc(x), one),
        off(erfc(-x), one + erf(x)),
        off(tgamma(2 * one + size), hadamard(one + size, tgamma(one + size))),
        off(lgamma(one + size), log(tgamma(one + size))),
        off(hadamard(sign(x), abs(x)), x),
        off(fabs(x), size),
        off(hadamard(sign(x), x), size),
        off(copysign(one, x), sign(x)),
        off(floor(4 * x), -ceil(-4 * x)),
        off(ceil(4 * x) - floor(4 * x), one),
        off(trunc(4 * x), copysign(floor(4 * size), x)),
        off(round(4 * x), copysign(floor(4 * size + one / 2), x)),
        off(fmod(x, 0.25), x - trunc(4 * x) / 4),
        off(clamp(x, -1, 1), x),
        off(lerp(x, 3 * x, 0.5), 2 * x),
        off(apply(WeightedSum(), x, size, 2), x + 2 * size),
        scalar_off(sin(first), element(sin(x), 0, 0)),
    };
    r = listed<count>(left);
  }
};

/// Loops, choices and derivatives.
struct RoundsAndDerivatives {
  static constexpr char const* documented[] = {
      "loop<N>(f)",
      "repeat(count, f)",
      "iterate(most, f, x)",
      "where(mask, f, b)",
      "together(a, b)",
      "jacobian(f, x)",
      "value_and_jacobian(f, x)",
      "gradient(f, x)",
      "value_and_gradient(f, x)",
      "derivative(f, x)",
      "value_and_derivative(f, x)",
      "variable<N>(x, i)",
      "variables<N>(v, first)",
      "value_of(y)",
      "derivative_of(y, k)",
      "derivatives_of(y)",
  };
  static constexpr int count = int(sizeof(documented) / sizeof(documented[0]));

  template <class R, class A, class B, class C>
  KOKKOS_FUNCTION void operator()(R& r, A const& a, B const& b, C const& c) const {
    constexpr int N = A::rows;
    auto const last = element(a, N - 1, N - 1);
    auto looped = 0 * last;
    loop<N>([&](auto k) { looped += element(block<1>(b, k), 0) * k; });
    auto const weights = generate<N>([&](int i) { return 0 * last + i; });
    auto repeated = 1 * b;
    repeat(3, [&](int k) { repeated = (k + 1) * (a * repeated); });
    auto halved = abs(last) + 8;
    auto const ended = iterate(
        9,
        [](auto& x) {
          x = x / 2;
          return x >= 1;
        },
        halved);
    auto const is_smaller = last < last + 1;
    auto const [twice, thrice] =
        where(is_smaller, [&] { return together(2 * a, 3 * b); }, together(a, b));
    auto const quadratic = [&](auto const& x) { return a * x + dot(x, x) * b; };
    auto const square_of = [&](auto const& x) { return dot(x, a * x); };
    auto const cube = [](auto const& x) { return x * x * x; };
    auto const of_quadratic = a + 2 * outer(b, b);
    auto const of_square = a * b + transpose(a) * b;
    auto const [y, j] = value_and_jacobian(quadratic, b);
    auto const [z, g] = value_and_gradient(square_of, b);
    auto const [w, d] = value_and_derivative(cube, last);
    auto const t = variable<2>(last, 1);
    auto const v = a + (t - last) * c;
    auto const u = variables<N + 1>(b, 1);
    Scalar<real_t<value_t<A>>> const left[count] = {
        scalar_off(looped, dot(b, weights)),
        off(repeated, 6 * (a * (a * (a * b)))),
        select(ended.open || !(halved < 1) || !(ended.rounds > 3), 1 + abs(last), 0 * last),
        off(twice, 2 * a),
        off(thrice, 3 * b),
        off(jacobian(quadratic, b), of_quadratic),
        off(j, of_quadratic) + off(y, a * b + dot(b, b) * b),
        off(gradient(square_of, b), of_square),
        off(g, of_square) + scalar_off(z, dot(b, a * b)),
        scalar_off(derivative(cube, last), 3 * last * last),
        scalar_off(d, 3 * last * last) + scalar_off(w, last * last * last),
        scalar_off(derivative_of(t * t, 1), 2 * last) + abs(derivative_of(t, 0)),
        off(block<N, N>(derivatives_of(u), 0, 1), identity<N>(a) + 0 * a),
        off(value_of(inverse(v)), inverse(a)),
        off(derivative_of(inverse(v), 1), -(inverse(a) * c * inverse(a))),
        off(derivatives_of(dot(u, u)), generate<N + 1>([&](int i) {
              return i == 0 ? 0 * last : 2 * element(b, i > 0 ? i - 1 : 0);
            })),
    };
    r = listed<count>(left);
  }
};

}  // namespace Batchwork::Test

#endif

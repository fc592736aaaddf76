// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Parts of tiles, tiles composed of parts, and norms, exactly, with whole numbers. Tests run map,
/// or device kernels on threads of a host.
#ifndef BATCHWORK_TEST_BLOCKS_CASE_HPP
#define BATCHWORK_TEST_BLOCKS_CASE_HPP

#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {

/// a is 4 x 6, s symmetric 4 x 4, u and v have three numbers, w has four, k is 2 x 3.
struct TakeApart {
  template <class B, class BS, class BT, class BV, class R, class C, class D, class DM, class P,
            class A, class S, class W>
  KOKKOS_FUNCTION void operator()(B& of_general, BS& of_symmetric, BT& of_transpose, BV& of_vector,
                                  R& of_row, C& of_column, D& on_diagonal, DM& diagonal, P& put,
                                  A const& a, S const& s, W const& w) const {
    of_general = block<2, 3>(a, 1, 3);
    of_symmetric = block<3, 2>(s, 0, 2);
    of_transpose = block<3, 2>(transpose(a), 3, 1);
    of_vector = block<2>(w, 1);
    of_row = row(a, 2);
    of_column = column(a, 4);
    on_diagonal = diagonal_of(a);
    diagonal = as_diagonal(w) * a;
    auto x = a + a;
    assign_block(x, 2, 1, block<2, 3>(a, 0, 0));
    put = x;
  }
};
struct PutTogether {
  template <class O, class X, class K, class H, class HS, class N1, class NI, class NF, class MA,
            class A, class S, class U, class V, class W, class P>
  KOKKOS_FUNCTION void operator()(O& of_outer, X& of_cross, K& of_kron, H& product, HS& squares,
                                  N1& by_columns, NI& by_rows, NF& frobenius, MA& largest,
                                  A const& a, S const& s, U const& u, V const& v, W const& w,
                                  P const& p) const {
    of_outer = outer(w, u);
    of_cross = cross(u, v);
    of_kron = kron(p, block<2, 2>(a, 0, 1));
    product = hadamard(a, a + a);
    squares = hadamard(s, s);
    by_columns = norm1(a) + norm1(s);
    by_rows = norm_inf(a) + norm_inf(s);
    frobenius = norm_frobenius(a);
    largest = max_abs(a);
  }
};

template <class T, class Layout, class Run>
void expect_blocks(std::int64_t n, Run const& run) {
  Random random(107);
  BatchIn<T, Layout, 4, 6> a(n), scaled(n), put(n), product(n);
  BatchIn<T, Layout, 4, 4> s(n), squares(n);
  BatchIn<T, Layout, 3> u(n), v(n), of_cross(n);
  BatchIn<T, Layout, 4> w(n), of_column(n), on_diagonal(n);
  BatchIn<T, Layout, 2, 3> p(n), of_general(n);
  BatchIn<T, Layout, 3, 2> of_symmetric(n), of_transpose(n);
  BatchIn<T, Layout, 2> of_vector(n);
  BatchIn<T, Layout, 1, 6> of_row(n);
  BatchIn<T, Layout, 4, 3> of_outer(n);
  BatchIn<T, Layout, 4, 6> of_kron(n);
  BatchIn<T, Left> by_columns(n), by_rows(n), frobenius(n), largest(n);
  a.fill_exactly(random), s.fill_exactly(random), u.fill_exactly(random), v.fill_exactly(random);
  w.fill_exactly(random), p.fill_exactly(random);
  run(TakeApart{}, out(of_general.view()), out(of_symmetric.view()), out(of_transpose.view()),
      out(of_vector.view()), out(of_row.view()), out(of_column.view()), out(on_diagonal.view()),
      out(scaled.view()), out(put.view()), in(a.view()), in(symmetric(s.view())), in(w.view()));
  run(PutTogether{}, out(of_outer.view()), out(of_cross.view()), out(of_kron.view()),
      out(product.view()), out(symmetric(squares.view())), out(by_columns.view()),
      out(by_rows.view()), out(frobenius.view()), out(largest.view()), in(a.view()),
      in(symmetric(s.view())), in(u.view()), in(v.view()), in(w.view()), in(p.view()));
  auto const fetch = [](auto&... x) { (x.download(), ...); };
  fetch(of_general, of_symmetric, of_transpose, of_vector, of_row, of_column, on_diagonal, scaled,
        put, of_outer, of_cross, of_kron, product, squares, by_columns, by_rows, frobenius,
        largest);
  for (std::int64_t k = 0; k < n; ++k) {
    SCOPED_TRACE("item " + std::to_string(k));
    Dense const ak = a.dense(k), sk = mirrored(s.dense(k)), uk = u.dense(k), vk = v.dense(k),
                wk = w.dense(k), pk = p.dense(k);
    auto const is = [&](auto const& got, auto entry, char const* what) {
      Dense const x = got.dense(k);
      EXPECT_TRUE(equal(x, make_dense(x.rows, x.cols, entry))) << what;
    };
    is(of_general, [&](int i, int j) { return ak(1 + i, 3 + j); }, "block");
    is(of_symmetric, [&](int i, int j) { return sk(i, 2 + j); }, "block of a symmetric tile");
    is(of_transpose, [&](int i, int j) { return ak(1 + j, 3 + i); }, "block of a transpose");
    is(of_vector, [&](int i, int) { return wk(1 + i); }, "block of a vector");
    is(of_row, [&](int, int j) { return ak(2, j); }, "row");
    is(of_column, [&](int i, int) { return ak(i, 4); }, "column");
    is(on_diagonal, [&](int i, int) { return ak(i, i); }, "diagonal_of");
    is(scaled, [&](int i, int j) { return wk(i) * ak(i, j); }, "as_diagonal");
    is(
        put,
        [&](int i, int j) { return i >= 2 && j >= 1 && j < 4 ? ak(i - 2, j - 1) : 2 * ak(i, j); },
        "assign_block");
    is(of_outer, [&](int i, int j) { return wk(i) * uk(j); }, "outer");
    is(
        of_cross,
        [&](int i, int) {
          int const x = (i + 1) % 3, y = (i + 2) % 3;
          return uk(x) * vk(y) - uk(y) * vk(x);
        },
        "cross");
    is(of_kron, [&](int i, int j) { return pk(i / 2, j / 2) * ak(i % 2, 1 + j % 2); }, "kron");
    is(product, [&](int i, int j) { return 2 * ak(i, j) * ak(i, j); }, "hadamard");
    EXPECT_TRUE(equal(mirrored(squares.dense(k)),
                      make_dense(4, 4, [&](int i, int j) { return sk(i, j) * sk(i, j); })));
    long double most = 0;
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 6; ++j) most = std::max(most, std::fabs(ak(i, j)));
    EXPECT_EQ(by_columns.at(k), T(norm1(ak) + norm1(sk)));
    EXPECT_EQ(by_rows.at(k), T(norm1(transpose(ak)) + norm1(sk)));
    EXPECT_NEAR(double(frobenius.at(k)), double(std::sqrt(dot(ak, ak))),
                double(tolerance<T>(4, std::sqrt(dot(ak, ak)))));
    EXPECT_EQ(largest.at(k), T(most));
  }
  EXPECT_EQ(put.poisoned(), put.outside());
}

}  // namespace Batchwork::Test

#endif

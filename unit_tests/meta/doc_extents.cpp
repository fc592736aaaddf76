// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The example of docs/reference/extents.md: an analysis of ensembles with 40 variables, compared
// with loops over entries.
#include <gtest/gtest.h>

#include <Batchwork.hpp>
#include <Kokkos_Core.hpp>
#include <cmath>

namespace {

constexpr int variables = 40, seen = 20, members = 24, items = 37;

struct EnsembleAnalysis {
  template <class X, class P, class E, class Before, class Y, class H, class R>
  KOKKOS_FUNCTION void operator()(X& x, P& p_new, E const& e, Before const& before, Y const& y,
                                  H const& h, R const& r) const {
    using namespace Batchwork;
    auto const p = gram(e) / (members - 1);             // e' e / (members - 1), 40 x 40
    auto const factor = cholesky(congruence(h, p, r));  // of h p h' + r, 20 x 20
    auto const hp = h * p;
    x = before + transpose(hp) * solve(factor, y - h * before);
    p_new = downdate(p, solve(factor.lower(), hp));
  }
};

using Anomalies = Kokkos::View<double* [members][variables]>;
using Covariances = Kokkos::View<double* [variables][variables]>;
using States = Kokkos::View<double* [variables]>;
using Seen = Kokkos::View<double* [seen]>;
using Operator = Kokkos::View<double[seen][variables]>;
using Errors = Kokkos::View<double[seen][seen]>;

void analyse(States x, Covariances P, Anomalies E, States before, Seen y, Operator H, Errors R) {
  using namespace Batchwork;
  map(EnsembleAnalysis{}, out(x), out(symmetric(P)), in(E), in(before), in(y), common(H),
      common(symmetric(R)));
}

double some(int k, int i, int j) { return std::sin(1.0 + 7.3 * k + 3.7 * i + 1.9 * j * (i + 1)); }

TEST(DocExtents, EnsembleAnalysis) {
  States x("x", items), before("before", items);
  Covariances P("P", items);
  Anomalies E("E", items);
  Seen y("y", items);
  Operator H("H");
  Errors R("R");
  auto const e = Kokkos::create_mirror_view(E);
  auto const b = Kokkos::create_mirror_view(before);
  auto const z = Kokkos::create_mirror_view(y);
  auto const h = Kokkos::create_mirror_view(H);
  auto const r = Kokkos::create_mirror_view(R);
  for (int k = 0; k < items; ++k) {
    for (int m = 0; m < members; ++m)
      for (int j = 0; j < variables; ++j) e(k, m, j) = some(k, m, j);
    for (int j = 0; j < variables; ++j) b(k, j) = some(k, 50, j);
    for (int i = 0; i < seen; ++i) z(k, i) = some(k, 51, i);
  }
  for (int i = 0; i < seen; ++i) {
    for (int j = 0; j < variables; ++j) h(i, j) = j == 2 * i ? 1 : 0;  // every second variable
    for (int j = 0; j < seen; ++j) r(i, j) = i == j ? 0.5 : 0;
  }
  Kokkos::deep_copy(E, e), Kokkos::deep_copy(before, b), Kokkos::deep_copy(y, z);
  Kokkos::deep_copy(H, h), Kokkos::deep_copy(R, r);
  analyse(x, P, E, before, y, H, R);
  auto const got_x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  auto const got_p = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), P);

  // By one observation after the other, which gives the same where their errors are independent.
  for (int k = 0; k < items; ++k) {
    static long double p[variables][variables], state[variables], gain[variables];
    for (int i = 0; i < variables; ++i) {
      state[i] = b(k, i);
      for (int j = 0; j < variables; ++j) {
        p[i][j] = 0;
        for (int m = 0; m < members; ++m)
          p[i][j] += static_cast<long double>(e(k, m, i)) * e(k, m, j) / (members - 1);
      }
    }
    for (int o = 0; o < seen; ++o) {
      int const at = 2 * o;
      for (int i = 0; i < variables; ++i) gain[i] = p[i][at] / (p[at][at] + 0.5L);
      long double const miss = z(k, o) - state[at];
      long double row[variables];
      for (int j = 0; j < variables; ++j) row[j] = p[at][j];
      for (int i = 0; i < variables; ++i) {
        state[i] += gain[i] * miss;
        for (int j = 0; j < variables; ++j) p[i][j] -= gain[i] * row[j];
      }
    }
    for (int i = 0; i < variables; ++i) {
      EXPECT_NEAR(got_x(k, i), double(state[i]), 1e-11) << k << " " << i;
      for (int j = 0; j < variables; ++j)
        EXPECT_NEAR(got_p(k, i, j), double(p[i][j]), 1e-11) << k << " " << i << " " << j;
    }
  }
}

}  // namespace

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Complex numbers in every kind of operand: scan with carry, each, common(each), emit and status;
// team_map; compact groups with another width than the packs; real and complex Views in one call.
#include "support/ComplexDense.hpp"

namespace Batchwork::Test {
namespace {

/// x' = w x + g z, with the conjugate of x' as output.
struct Recursion {
  template <class X, class W, class Z, class G, class Y, class S>
  KOKKOS_FUNCTION void operator()(X& x, W const& w, Z const& z, G const& g, Y& y, S& size) const {
    x = w * x + g * z;
    y = conj(x);
    size = norm2(x);
  }
};

template <class T, class Layout>
void expect_recursion(std::int64_t n, std::int64_t steps) {
  Random random(7);
  ComplexBatchIn<T, Layout, 3> start(n), end(n);
  SeriesIn<Kokkos::complex<T>, Layout, 3> z(n, steps), y(n, steps);
  BatchIn<T, Layout> size(n);
  BatchIn<int, Left> codes(n);
  fill_complex(start, [&](std::int64_t) { return random_complex<T>(random, 3, 1); });
  fill_complex(z, [&](std::int64_t) { return random_complex<T>(random, 3, 1); });
  // One item of z has a NaN at the last step: its neighbours do not see it.
  std::int64_t const bad = n / 2;
  if (n > 1) {
    z.at_time(bad, steps - 1, 1) = Kokkos::complex<T>(0, std::numeric_limits<T>::quiet_NaN());
    z.upload();
  }
  ComplexDense const w = random_complex<T>(random, 3, 3);
  auto const fixed_w = fixed(Matrix<Complex<T>, 3, 3>(generate<3, 3>(
      [&](int i, int j) { return Kokkos::complex<T>(T(w(i, j).real()), T(w(i, j).imag())); })));
  Kokkos::View<Kokkos::complex<T>*, Space> const g("g", std::size_t(steps));
  auto const host_g = Kokkos::create_mirror(Kokkos::HostSpace(), g);
  for (std::int64_t t = 0; t < steps; ++t)
    host_g(std::size_t(t)) = Kokkos::complex<T>(T(0.5), T(t) / 8);
  Kokkos::deep_copy(g, host_g);
  scan(steps, Recursion{}, carry(start.const_view(), end.view()), common(fixed_w), each(z.view()),
       common(each(g)), emit(y.view()), out(size.view()), status(codes.view()));
  end.download(), y.download(), size.download(), codes.download();
  for (std::int64_t k = 0; k < n; ++k) {
    SCOPED_TRACE("item " + std::to_string(k) + " of " + std::to_string(n));
    if (n > 1 && k == bad) {
      EXPECT_EQ(Status::reason(codes.at(k)), Reason::not_finite);
      continue;
    }
    EXPECT_EQ(codes.at(k), 0);
    ComplexDense x = complex_dense(start, k);
    Dense bound = sizes(x);
    for (std::int64_t t = 0; t < steps; ++t) {
      LongComplex const gt(0.5L, static_cast<long double>(t) / 8);
      ComplexDense const zt = complex_dense(z, k, t);
      x = w * x + gt * zt;
      bound = sizes(w) * bound + std::abs(gt) * sizes(zt);
      EXPECT_TRUE(near(transpose(adjoint(complex_dense(y, k, t))), x,
                       tolerance<T>(int(8 * (t + 1)), 1) * bound));
    }
    Dense const allowed = tolerance<T>(int(8 * (steps + 1)), 1) * bound;
    EXPECT_TRUE(near(complex_dense(end, k), x, allowed));
    if (steps > 0) {
      long double square = 0;
      for (int i = 0; i < 3; ++i) square += std::norm(x(i));
      EXPECT_NEAR(double(size.at(k)), double(std::sqrt(square)), double(2 * norm1(allowed)));
    }
  }
  EXPECT_EQ(end.poisoned(), end.outside());
}

TEST(ComplexOperands, Scan) {
  expect_recursion<double, Left>(1, 3);
  expect_recursion<double, Right>(13, 4);
  expect_recursion<float, CompactBy<4>>(19, 2);
  expect_recursion<float, Strided>(18, 3);
}

struct Apply {
  template <class Y, class A, class X, class S>
  KOKKOS_FUNCTION void operator()(Y& y, A const& a, X const& x, S const& s) const {
    y += solve(conjugate_transpose(a), s * x);
  }
};
template <class Group>
struct ByTeams {
  Group group;
  std::int64_t items;
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    std::int64_t const first = member.league_rank() * 10, last = first + 10;
    group(member, first, last < items ? last : items);
  }
};
/// a is lower triangular, s real.
template <class T, class Layout, class Run>
void expect_apply(std::int64_t n, Run const& run) {
  Random random(11);
  ComplexBatchIn<T, Layout, 4, 4> a(n);
  ComplexBatchIn<T, Layout, 4> x(n), y(n);
  BatchIn<T, Layout> s(n);
  fill_complex(a, [&](std::int64_t) {
    ComplexDense l = random_complex<T>(random, 4, 4);
    for (int i = 0; i < 4; ++i) l(i, i) = LongComplex(0, i % 2 ? 2 : -2);
    // Entries above the diagonal are not read.
    for (int i = 0; i < 4; ++i)
      for (int j = i + 1; j < 4; ++j) l(i, j) = LongComplex(poison<T>(), poison<T>());
    return l;
  });
  fill_complex(x, [&](std::int64_t) { return random_complex<T>(random, 4, 1); });
  ComplexDense const y0 = random_complex<T>(random, 4, 1);
  fill_complex(y, [&](std::int64_t) { return y0; });
  s.randomise(random);
  run(Apply{}, inout(y.view()), in(lower(a.const_view())), in(x.view()), in(s.view()));
  y.download();
  for (std::int64_t k = 0; k < n; ++k) {
    ComplexDense const lk = make_complex(4, 4, [&](int i, int j) {
      auto const v = a.at(k, i, j);
      return j <= i ? LongComplex(v.real(), v.imag()) : LongComplex(0);
    });
    ComplexDense const z = complex_dense(y, k) - y0;
    EXPECT_TRUE(near(adjoint(lk) * z, LongComplex(s.at(k)) * complex_dense(x, k),
                     tolerance<T>(24, 1) * (transpose(sizes(lk)) * (sizes(z) + sizes(y0)))))
        << "item " << k << " of " << n;
  }
  EXPECT_EQ(y.poisoned(), y.outside());
}
TEST(ComplexOperands, Widths) {
  auto const four = [](auto const&... x) { map(launch(width<4>), x...); };
  auto const two = [](auto const&... x) { map(launch(width<2>), x...); };
  for (int n : {0, 1, 3, 4, 5, 17}) expect_apply<double, CompactBy<2>>(n, four);
  expect_apply<float, CompactBy<8>>(23, four);
  expect_apply<double, Left>(9, two);
}
TEST(ComplexOperands, TeamMap) {
  auto const by_teams = [](auto const&... arguments) {
    auto const group = team_map<Kokkos::DefaultExecutionSpace>(arguments...);
    Kokkos::TeamPolicy<> policy(3, 1);
    policy.set_scratch_size(0, Kokkos::PerTeam(int(group.scratch_size(1))));
    Kokkos::parallel_for(policy, ByTeams<std::remove_cvref_t<decltype(group)>>{group, 27});
  };
  expect_apply<double, Left>(27, by_teams);
}

}  // namespace
}  // namespace Batchwork::Test

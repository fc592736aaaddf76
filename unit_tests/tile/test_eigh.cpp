// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// eigh: eigenvalues and eigenvectors of symmetric tiles.
#include "EighCase.hpp"

namespace Batchwork::Test {
namespace {

template <class T_, int N_, class Layout_ = Left>
struct CaseOfEigh {
  using T = T_;
  using Layout = Layout_;
  static constexpr int N = N_;
};
template <class C>
class EighOf : public ::testing::Test {};
using CasesOfEigh =
    ::testing::Types<CaseOfEigh<double, 1>, CaseOfEigh<double, 2>, CaseOfEigh<double, 3, Right>,
                     CaseOfEigh<double, 6>, CaseOfEigh<double, 9, Right>, CaseOfEigh<float, 3>,
                     CaseOfEigh<float, 4, Right>, CaseOfEigh<float, 7>>;
TYPED_TEST_SUITE(EighOf, CasesOfEigh);
TYPED_TEST(EighOf, ResidualAndOrthogonality) {
  expect_eigh<typename TypeParam::T, typename TypeParam::Layout, TypeParam::N>(
      103, [](auto const&... arguments) { map(arguments...); });
}

/// The lower triangle of a general tile, and a matrix common to all items.
struct EighOfOthers {
  template <class W, class V, class A, class C>
  KOKKOS_FUNCTION void operator()(W& of_general, V& of_common, A const& a, C const& c) const {
    of_general = eigh(a).values();
    of_common = eigh(c).vectors();
  }
};
TEST(Eigh, GeneralAndCommonTiles) {
  constexpr std::int64_t n = 19;
  Random random(113);
  BatchIn<double, Left, 5, 5> a(n), v(n);
  BatchIn<double, Left, 5> w(n), again(n);
  BatchIn<double, Left, 5, 5> vectors(n);
  a.randomise(random);
  Dense const c = mirrored(random_dense<double>(random, 5, 5));
  Common<double, 5, 5> const common_c(c);
  map(EighOfOthers{}, out(w.view()), out(v.view()), in(a.view()), common(common_c.view));
  w.download(), v.download();
  map(FactorByEigh{}, out(again.view()), out(vectors.view()), in(symmetric(a.view())));
  again.download();
  for (std::int64_t k = 0; k < n; ++k) {
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(same_bits(w.at(k, i), again.at(k, i)));
    Dense const vk = v.dense(k), d = transpose(vk) * c * vk;
    EXPECT_TRUE(near(d, diagonal_part(d), Dense(5, 5, tolerance<double>(50, norm1(c)))));
  }
}

}  // namespace
}  // namespace Batchwork::Test

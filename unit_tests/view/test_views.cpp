// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// All kinds of Views: run-time extents, every kind of subview, other layouts for common operands,
// structures, fixed values, float and double in one call. The data are whole numbers, so that every
// result is exact.
#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {
namespace {

using Range = Kokkos::pair<std::size_t, std::size_t>;

struct Copy {
  template <class O, class X>
  KOKKOS_FUNCTION void operator()(O& o, X const& x) const {
    o = x;
  }
};

/// Item k of a View of rank 3 (or 2, or 1) on the host.
template <class V>
Dense item(V const& v, std::size_t k) {
  if constexpr (V::rank() == 3) {
    return make_dense(int(v.extent(1)), int(v.extent(2)), [&](int i, int j) { return v(k, i, j); });
  } else if constexpr (V::rank() == 2) {
    return make_dense(int(v.extent(1)), 1, [&](int i, int) { return v(k, i); });
  } else {
    return make_dense(1, 1, [&](int, int) { return v(k); });
  }
}

/// A View filled with numbers that encode their index.
template <class V>
auto numbered(V const& v) {
  auto const h = Kokkos::create_mirror(Kokkos::HostSpace(), v);
  for (std::size_t k = 0; k < h.span(); ++k)
    h.data()[k] = static_cast<typename V::value_type>(k % 9973);
  Kokkos::deep_copy(v, h);
  return h;
}

/// Copies a subview, which `cut` makes of a View, through map in both directions, for matrices of M
/// x N.
template <int M, int N, class View, class Cut>
void check_matrices(View const& storage, Cut const& cut, char const* what) {
  using T = typename View::value_type;
  auto const host = numbered(storage);
  auto const part = cut(storage);
  auto const host_part = cut(host);
  std::int64_t const n = std::int64_t(part.extent(0));
  BatchIn<T, Left, M, N> got(n);
  map(Copy{}, out(got.view()), in(extents<M, N>(part)));
  got.download();
  for (std::int64_t k = 0; k < n; ++k)
    ASSERT_TRUE(equal(got.dense(k), item(host_part, std::size_t(k)))) << what << ", item " << k;

  // Copy back: numbers outside the subview must not change.
  for (std::int64_t k = 0; k < n; ++k)
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) {
        got.at(k, i, j) = -got.at(k, i, j) - 1;
        host_part(std::size_t(k), std::size_t(i), std::size_t(j)) = got.at(k, i, j);
      }
  got.upload();
  map(Copy{}, out(extents<M, N>(part)), in(got.view()));
  auto const after = Kokkos::create_mirror(Kokkos::HostSpace(), storage);
  Kokkos::fence();
  Kokkos::deep_copy(after, storage);
  for (std::size_t k = 0; k < host.span(); ++k)
    ASSERT_EQ(after.data()[k], host.data()[k]) << what << ", number " << k;
}

template <class Layout>
class Views : public ::testing::Test {};
using Layouts = ::testing::Types<Kokkos::LayoutLeft, Kokkos::LayoutRight>;
TYPED_TEST_SUITE(Views, Layouts);

TYPED_TEST(Views, RunTimeExtentsAndSubviewsOfEveryKind) {
  using L = TypeParam;
  using V3 = Kokkos::View<double***, L, Space>;
  using V4 = Kokkos::View<double****, L, Space>;
  auto const all = Kokkos::ALL;
  constexpr std::size_t n = 35;
  check_matrices<3, 2>(V3("v", n, 3, 2), [&](auto const& v) { return v; }, "run-time extents");
  check_matrices<3, 2>(
      V3("v", n + 3, 3, 2),
      [&](auto const& v) { return Kokkos::subview(v, Range(1, n + 1), all, all); }, "items");
  check_matrices<3, 2>(
      V3("v", n, 5, 2), [&](auto const& v) { return Kokkos::subview(v, all, Range(1, 4), all); },
      "rows");
  check_matrices<3, 2>(
      V3("v", n, 3, 4), [&](auto const& v) { return Kokkos::subview(v, all, all, Range(2, 4)); },
      "columns");
  check_matrices<2, 2>(
      V3("v", n + 1, 4, 5),
      [&](auto const& v) { return Kokkos::subview(v, Range(1, n + 1), Range(1, 3), Range(3, 5)); },
      "items, rows and columns");
  check_matrices<3, 2>(
      V4("v", n, 4, 3, 2), [&](auto const& v) { return Kokkos::subview(v, all, 2, all, all); },
      "one step of a series");
  check_matrices<3, 2>(
      V4("v", 4, n, 3, 2), [&](auto const& v) { return Kokkos::subview(v, 1, all, all, all); },
      "one of several batches");
  check_matrices<3, 2>(
      V4("v", n, 3, 2, 3), [&](auto const& v) { return Kokkos::subview(v, all, all, all, 1); },
      "one of interleaved batches");
}

/// Strides can be arbitrary: larger for earlier indices, or not.
TEST(Views, ExplicitStrides) {
  constexpr std::size_t n = 21;
  using Storage = Kokkos::View<double*, Space>;
  auto const with = [](Kokkos::LayoutStride const& strides) {
    return [strides](auto const& v) {
      using MemorySpace = typename std::remove_cvref_t<decltype(v)>::memory_space;
      using Part =
          Kokkos::View<double* [2][3], Kokkos::LayoutStride, MemorySpace, Kokkos::MemoryUnmanaged>;
      return Part(v.data(), strides);
    };
  };
  check_matrices<2, 3>(Storage("v", 12 * n), with(Kokkos::LayoutStride(n, 2, 2, 2 * n, 3, 4 * n)),
                       "strides 2, 2n, 4n");
  check_matrices<2, 3>(Storage("v", 7 * n), with(Kokkos::LayoutStride(n, 7, 2, 1, 3, 2)),
                       "column-major items with a gap");
  check_matrices<2, 3>(Storage("v", 6 * n), with(Kokkos::LayoutStride(n, 1, 2, 3 * n, 3, n)),
                       "interleaved, row by row");
}

struct Vectors {
  template <class O, class X, class C, class S>
  KOKKOS_FUNCTION void operator()(O& o, X const& column, C const& c, S const& s) const {
    o = s * column + c;
  }
};

/// Columns of matrices as vectors, entries of matrices as scalars, a row of a common matrix as a
/// vector.
TYPED_TEST(Views, ColumnsAndEntriesAsOperands) {
  using L = TypeParam;
  auto const all = Kokkos::ALL;
  constexpr std::size_t n = 35;
  Kokkos::View<double* [3][4], L, Space> const v("v", n);
  Kokkos::View<double[2][3], L, Space> const c("c");
  auto const hv = numbered(v);
  auto const hc = numbered(c);
  BatchIn<double, Left, 3> got(std::int64_t{n});
  map(Vectors{}, out(got.view()), in(extents<3>(Kokkos::subview(v, all, all, 2))),
      common(extents<3>(Kokkos::subview(c, 1, all))), in(Kokkos::subview(v, all, 1, 3)));
  got.download();
  for (std::size_t k = 0; k < n; ++k)
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(got.at(std::int64_t(k), i), hv(k, 1, 3) * hv(k, i, 2) + hc(1, i)) << k << ", " << i;
}

/// extents and compact in either order, structures of compact Views, and their const versions.
TEST(Views, AdaptorsCombine) {
  constexpr int W = 4;
  constexpr std::int64_t n = 10;  // the last group has two items
  Random random(131);
  Kokkos::View<float*** [W], Kokkos::LayoutRight, Space> const v("v", 3, 2, 2);
  Kokkos::View<float const*** [W], Kokkos::LayoutRight, Space> const cv = v;
  auto const hv = numbered(v);
  BatchIn<float, Left, 2, 2> first(n), second(n), sym(n), low(n);
  map(Copy{}, out(first.view()), in(compact(extents<2, 2>(cv), n)));
  map(Copy{}, out(second.view()), in(extents<2, 2>(compact(v, n))));
  map(Copy{}, out(sym.view()), in(symmetric(extents<2, 2>(compact(cv, n)))));
  map(Copy{}, out(low.view()), in(compact(lower(extents<2, 2>(v)), n)));
  first.download(), second.download(), sym.download(), low.download();
  for (std::int64_t k = 0; k < n; ++k) {
    Dense const want = make_dense(2, 2, [&](int i, int j) { return hv(k / W, i, j, k % W); });
    EXPECT_TRUE(equal(first.dense(k), want)) << k;
    EXPECT_TRUE(equal(second.dense(k), want)) << k;
    EXPECT_TRUE(equal(sym.dense(k), mirrored(want))) << k;
    EXPECT_TRUE(equal(low.dense(k), lower_triangle(want))) << k;
  }
}

/// Groups that do not match the packs of a host: a pack begins inside a group, or groups are
/// smaller than packs. Memory after the last item of a group is not the next item.
template <int PW>
struct Grouped {
  static constexpr std::int64_t n = 5 * PW + PW / 2;
  using View = Kokkos::View<double* [3][PW], Kokkos::LayoutRight, Space>;
  View from{"from", (n + PW - 1) / PW}, to{"to", (n + PW - 1) / PW};
  typename View::host_mirror_type numbers = numbered(from);

  void check(std::int64_t first) const {
    auto const got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), to);
    for (std::int64_t k = 0; k < n; ++k)
      for (int i = 0; i < 3; ++i)
        EXPECT_EQ(got(k / PW, i, k % PW), k < first ? -1 : numbers(k / PW, i, k % PW))
            << "item " << k << " from " << first;
    Kokkos::deep_copy(to, -1.0);
  }
};
template <class Group>
struct FromItem {
  Group group;
  std::int64_t first, last;
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    group(member, first, last);
  }
};
template <int PW>
void check_groups() {
  SCOPED_TRACE("groups of " + std::to_string(PW));
  Grouped<PW> const v;
  Kokkos::deep_copy(v.to, -1.0);
  auto const group = team_map<Space>(Copy{}, out(compact(v.to, v.n)), in(compact(v.from, v.n)));
  for (std::int64_t first = 0; first < PW + 2; ++first) {
    Kokkos::TeamPolicy<Space> policy(1, 1);
    policy.set_scratch_size(0, Kokkos::PerTeam(int(group.scratch_size(1))));
    Kokkos::parallel_for(policy, FromItem<decltype(group)>{group, first, v.n});
    v.check(first);
  }
  map(launch(width<2>), Copy{}, out(compact(v.to, v.n)), in(compact(v.from, v.n)));
  v.check(0);
}
TEST(Views, PacksThatGroupsDoNotFit) {
  check_groups<1>();
  check_groups<3>();
  check_groups<8>();
}

/// Structured operands in every layout: only the triangle or diagonal is read, and all entries are
/// written.
template <class Layout>
class Structures : public ::testing::Test {};
using StructureLayouts = ::testing::Types<Left, Right, CompactBy<8>, Strided>;
TYPED_TEST_SUITE(Structures, StructureLayouts);

struct Structured {
  template <class S, class L, class D, class U, class A, class B, class C>
  KOKKOS_FUNCTION void operator()(S& s, L& l, D& d, U& updated, A const& a, B const& b,
                                  C const& c) const {
    s = a - c;
    l = b + c;
    d = c + c;
    updated = updated + a;
  }
};

TYPED_TEST(Structures, SymmetricLowerDiagonalReadWrittenUpdated) {
  using L = TypeParam;
  constexpr int N = 3;
  constexpr std::int64_t n = 29;
  Random random(137);
  BatchIn<double, L, N, N> a(n), b(n), s(n), l(n), u(n);
  BatchIn<double, L, N> c(n), d(n);
  auto const triangle = [&](std::int64_t) {
    return make_dense(N, N, [&](int i, int j) {
      return j <= i ? double(random.integer(-4, 4)) : poison<double>();
    });
  };
  a.fill(triangle), b.fill(triangle), u.fill(triangle), c.fill_exactly(random);
  std::vector<Dense> u0;
  for (std::int64_t k = 0; k < n; ++k) u0.push_back(mirrored(u.dense(k)));
  map(Structured{}, out(symmetric(s.view())), out(lower(l.view())), out(diagonal(d.view())),
      inout(symmetric(u.view())), in(symmetric(a.const_view())), in(lower(b.view())),
      in(diagonal(c.const_view())));
  s.download(), l.download(), d.download(), u.download();
  for (std::int64_t k = 0; k < n; ++k) {
    Dense const ck = c.dense(k),
                diag = make_dense(N, N, [&](int i, int j) { return i == j ? ck(i) : 0.0L; });
    EXPECT_TRUE(equal(s.dense(k), mirrored(a.dense(k)) - diag)) << k;
    EXPECT_TRUE(equal(l.dense(k), lower_triangle(b.dense(k)) + diag)) << k;
    EXPECT_TRUE(equal(d.dense(k), 2 * ck)) << k;
    EXPECT_TRUE(equal(u.dense(k), u0[std::size_t(k)] + mirrored(a.dense(k)))) << k;
  }
  EXPECT_EQ(s.poisoned(), s.outside());
  EXPECT_EQ(l.poisoned(), l.outside());
  EXPECT_EQ(d.poisoned(), d.outside());
  EXPECT_EQ(u.poisoned(), u.outside());
}

struct FixedSums {
  template <class O, class V, class S, class G, class Y, class L, class D, class U, class I,
            class C, class X>
  KOKKOS_FUNCTION void operator()(O& o, V& v, S& s, G const& g, Y const& y, L const& l, D const& d,
                                  U const& u, I const& one, C const& c, X const& x) const {
    o = g + 2 * y + 4 * l + 8 * d + 16 * u + 32 * one;
    v = c + x;
    s = trace(one) + element(c, 1);
  }
};

/// Tiles of every structure, a vector and a number, as values that are passed with the launch.
TEST(Fixed, EveryStructure) {
  constexpr int N = 2;
  using T = double;
  constexpr std::int64_t n = 13;
  Matrix<T, N, N> m;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) m.set(i, j, T(1 + 2 * i + j));
  m.info = 0;
  Vector<T, N> c;
  c.set(0, 0, 5), c.set(1, 0, -6), c.info = 0;
  Lower<T, N> const l(m);
  BatchIn<T, Left, N, N> o(n);
  BatchIn<T, Left, N> v(n), x(n);
  BatchIn<T, Left> s(n);
  Random random(139);
  x.fill_exactly(random);
  map(FixedSums{}, out(o.view()), out(v.view()), out(s.view()), common(fixed(m)),
      common(fixed(Symmetric<T, N>(m))), common(fixed(l)), common(fixed(Diagonal<T, N>(m))),
      common(fixed(transpose(l))), common(fixed(identity<T, N>())), common(fixed(c)), in(x.view()));
  o.download(), v.download(), s.download();
  Dense const g = make_dense(N, N, [&](int i, int j) { return m.entry(i, j); });
  Dense const want = g + 2 * mirrored(g) + 4 * lower_triangle(g) + 8 * diagonal_part(g) +
                     16 * transpose(lower_triangle(g)) + 32 * eye(N);
  for (std::int64_t k = 0; k < n; ++k) {
    EXPECT_TRUE(equal(o.dense(k), want)) << k;
    EXPECT_EQ(v.at(k, 0), 5 + x.at(k, 0));
    EXPECT_EQ(v.at(k, 1), -6 + x.at(k, 1));
    EXPECT_EQ(s.at(k), -4);
  }
}

struct TwoPrecisions {
  template <class D, class F, class A, class B, class C>
  KOKKOS_FUNCTION void operator()(D& d, F& f, A const& a, B const& b, C const& c) const {
    d = a * c;
    f = b + b;
  }
};

/// Operands in float and in double in one call. The first operand determines the width of packs.
/// The status reports items that fail in either precision.
TEST(Views, FloatAndDoubleInOneCall) {
  constexpr std::int64_t n = 37;
  Random random(149);
  BatchIn<double, Left, 3> d(n), a(n);
  BatchIn<float, Left, 2> f(n), b(n);
  BatchIn<std::int64_t, Left> st(n);
  a.fill_exactly(random), b.fill_exactly(random);
  b.at(7, 1) = std::numeric_limits<float>::quiet_NaN(), b.upload();
  a.at(11, 0) = std::numeric_limits<double>::infinity(), a.upload();
  map(TwoPrecisions{}, out(d.view()), out(f.view()), in(a.view()), in(b.view()), common(fixed(3.0)),
      status(st.view()));
  d.download(), f.download(), st.download();
  for (std::int64_t k = 0; k < n; ++k) {
    EXPECT_EQ(Status::reason(st.at(k)), k == 7 || k == 11 ? Reason::not_finite : Reason::success)
        << k;
    EXPECT_EQ(d.at(k, 0), 3 * a.at(k, 0)) << k;
    EXPECT_EQ(d.at(k, 2), 3 * a.at(k, 2)) << k;
    if (k != 7) {
      EXPECT_EQ(f.at(k, 1), 2 * b.at(k, 1)) << k;
    }
    EXPECT_EQ(f.at(k, 0), 2 * b.at(k, 0)) << k;
  }
}

}  // namespace
}  // namespace Batchwork::Test

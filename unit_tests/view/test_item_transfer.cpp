// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loading and storing item-contiguous tiles, number by number. Hosts transpose the items of a pack
// in registers. Extents smaller than, equal to and larger than the width of a pack, and not
// multiples of it; a partial last pack; numbers outside the items must not change.
#include <gtest/gtest.h>

#include <Batchwork_Map.hpp>
#include <cmath>
#include <limits>

namespace {

using namespace Batchwork;
using Exec = Kokkos::DefaultExecutionSpace;

struct Assign {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    y = x;
  }
};

template <class T>
T number(std::size_t n, std::size_t i, std::size_t j) {
  return T(1 + 100 * double(n) + 10 * double(i) + double(j));
}
template <class T>
bool same(T x, T y) {
  return x == y || (std::isnan(x) && std::isnan(y));
}

/// Items of Rows x Cols numbers. `read(i, j)` says which numbers are loaded, and `stored(i, j)`
/// which number is written. Copies from item 1 of a View to item 2 of another one, with one item
/// before and one after it.
template <class T, int Rows, int Cols, class AsOperand, class Read, class Stored>
void transfer(AsOperand const& as_operand, Read const& read, Stored const& stored) {
  using View = Kokkos::View<T* [Rows][Cols], Kokkos::LayoutRight>;
  T const nan = std::numeric_limits<T>::quiet_NaN();
  for (std::size_t items : {1, 3, 4, 8, 21}) {
    View const x("x", items + 2), y("y", items + 2);
    auto const hx = Kokkos::create_mirror_view(x);
    for (std::size_t n = 0; n < items + 2; ++n)
      for (std::size_t i = 0; i < Rows; ++i)
        for (std::size_t j = 0; j < Cols; ++j)
          hx(n, i, j) = read(i, j) && n > 0 && n <= items ? number<T>(n - 1, i, j) : nan;
    Kokkos::deep_copy(x, hx);
    Kokkos::deep_copy(y, T(-1));
    using Inner =
        Kokkos::View<T* [Rows][Cols], Kokkos::LayoutRight, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Inner const from(x.data() + Rows * Cols, items), to(y.data() + Rows * Cols, items);
    map(Exec(), Assign{}, out(as_operand(to)), in(as_operand(from)));
    auto const hy = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
    int wrong = 0;
    for (std::size_t n = 0; n < items + 2; ++n)
      for (std::size_t i = 0; i < Rows; ++i)
        for (std::size_t j = 0; j < Cols; ++j) {
          T const want = n == 0 || n > items ? T(-1) : stored(n - 1, i, j);
          wrong += same(hy(n, i, j), want) ? 0 : 1;
        }
    EXPECT_EQ(wrong, 0) << Rows << "x" << Cols << ", " << items << " items";
  }
}

template <class T, int Rows, int Cols>
void general() {
  transfer<T, Rows, Cols>(
      [](auto const& v) { return v; }, [](std::size_t, std::size_t) { return true; },
      [](std::size_t n, std::size_t i, std::size_t j) { return number<T>(n, i, j); });
}
template <class T, int N>
void structured() {
  auto const lower_part = [](std::size_t i, std::size_t j) { return j <= i; };
  transfer<T, N, N>([](auto const& v) { return symmetric(v); }, lower_part,
                    [](std::size_t n, std::size_t i, std::size_t j) {
                      return j <= i ? number<T>(n, i, j) : number<T>(n, j, i);
                    });
  transfer<T, N, N>([](auto const& v) { return lower(v); }, lower_part,
                    [](std::size_t n, std::size_t i, std::size_t j) {
                      return j <= i ? number<T>(n, i, j) : T(0);
                    });
}

TEST(ItemTransfer, GeneralMatrices) {
  general<double, 1, 3>();
  general<double, 2, 2>();
  general<double, 3, 3>();
  general<double, 5, 7>();
  general<float, 3, 3>();
  general<float, 4, 6>();
}
TEST(ItemTransfer, Triangles) {
  structured<double, 3>();
  structured<float, 6>();
}

struct Shift {
  template <class X, class Z, class Y>
  KOKKOS_FUNCTION void operator()(X& x, Z const& z, Y& y) const {
    y = x;
    x = z;
  }
};
TEST(ItemTransfer, VectorsOfSteps) {
  constexpr std::size_t N = 5, items = 6, steps = 3;
  Kokkos::View<double** [N], Kokkos::LayoutRight> const z("z", items, steps), y("y", items, steps);
  Kokkos::View<double* [N], Kokkos::LayoutRight> const x("x", items);
  auto const hz = Kokkos::create_mirror_view(z);
  for (std::size_t n = 0; n < items; ++n)
    for (std::size_t t = 0; t < steps; ++t)
      for (std::size_t i = 0; i < N; ++i) hz(n, t, i) = number<double>(n, t, i);
  Kokkos::deep_copy(z, hz);
  scan(Exec(), steps, Shift{}, carry(x, x), each(z), emit(y));
  auto const hy = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  auto const hx = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  for (std::size_t n = 0; n < items; ++n)
    for (std::size_t i = 0; i < N; ++i) {
      EXPECT_EQ(hx(n, i), number<double>(n, steps - 1, i));
      for (std::size_t t = 0; t < steps; ++t)
        EXPECT_EQ(hy(n, t, i), t == 0 ? 0 : number<double>(n, t - 1, i));
    }
}

}  // namespace

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Systems in other units: (2^j A) x = 2^k b over the range of normal numbers must take the same
// iterations as A x = b and end for the same reason. x must be 2^(k - j) times as large, bit for
// bit. Every solver with every preconditioner, and the other verbs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "Batchwork_Banded.hpp"
#include "Batchwork_Krylov.hpp"
#include "support/Batchwork_TestSupport.hpp"
#include "support/Random.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct SolveScales : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SolveScales, Numbers);

/// Tridiagonal systems, and the results of verbs for them in units of a power of two.
template <class T>
struct InUnits {
  using Vectors = Kokkos::View<T**, Kokkos::LayoutRight, Space>;
  using OnHost = Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::HostSpace>;
  static constexpr int rows = 12, items = 9, nonzeros = 3 * rows - 2;
  static constexpr int most = std::numeric_limits<T>::max_exponent;
  static constexpr int farthest = sizeof(T) == 4 ? 96 : 960, step = farthest / 6;
  Kokkos::View<int*, Space> offsets{"offsets", rows + 1}, columns{"columns", nonzeros};
  Vectors values{"values", items, nonzeros}, b{"b", items, rows}, x{"x", items, rows};
  OnHost a_1{"a", items, nonzeros}, a_2{"a in units", items, nonzeros};
  OnHost b_1{"b", items, rows}, b_2{"b in units", items, rows};

  explicit InUnits(bool symmetric) {
    Random random(3);
    auto const begins = Kokkos::create_mirror_view(offsets);
    auto const to = Kokkos::create_mirror_view(columns);
    int k = 0;
    for (int i = 0; i < rows; ++i) {
      begins(std::size_t(i)) = k;
      for (int j = std::max(0, i - 1); j <= std::min(rows - 1, i + 1); ++j, ++k) {
        to(std::size_t(k)) = j;
        for (std::size_t n = 0; n < items; ++n)
          a_1(n, std::size_t(k)) = T(j == i      ? 2.5 + 0.2 * random()
                                     : symmetric ? -1
                                     : j < i     ? -1.2 + 0.3 * random()
                                                 : -0.6 + 0.3 * random());
      }
      for (std::size_t n = 0; n < items; ++n) b_1(n, std::size_t(i)) = T(random());
    }
    begins(rows) = k;
    Kokkos::deep_copy(offsets, begins);
    Kokkos::deep_copy(columns, to);
  }
  auto matrices() const { return csr(offsets, columns, values); }
  void put(int of_a, int of_b) const {
    for (std::size_t n = 0; n < items; ++n) {
      for (std::size_t k = 0; k < nonzeros; ++k) a_2(n, k) = std::ldexp(a_1(n, k), of_a);
      for (std::size_t i = 0; i < rows; ++i) b_2(n, i) = std::ldexp(b_1(n, i), of_b);
    }
    Kokkos::deep_copy(values, a_2);
    Kokkos::deep_copy(b, b_2);
    Kokkos::deep_copy(x, T(0));
  }
  /// Multiplies x by a power of two.
  std::vector<T> solution(int by) const {
    auto const on_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
    std::vector<T> all;
    for (std::size_t n = 0; n < items; ++n)
      for (std::size_t i = 0; i < rows; ++i) all.push_back(std::ldexp(on_host(n, i), by));
    return all;
  }
  /// Whether results near 2^e and all intermediate values in double are normal numbers.
  static bool is_normal(int e) { return std::abs(e) <= most - 30; }

  /// Calls body(j, k) for the units of A up to 2^of_a, and the units of b for which x is in range.
  template <class Body>
  static void for_units(int of_a, Body const& body) {
    for (int j = -of_a; j <= of_a; j += step)
      for (int k = -farthest; k <= farthest; k += step)
        if (is_normal(k - j)) body(j, k);
  }
};

struct Said {
  std::vector<int> iterations, codes;
  std::vector<double> residuals;
};
bool operator==(Said const& a, Said const& b) {
  return a.iterations == b.iterations && a.codes == b.codes && a.residuals == b.residuals;
}

/// The same matrices as a functor. On hosts a thread has a system and its masks are plain bool, as
/// on devices.
template <class T>
struct TridiagonalProduct {
  T const* values;
  template <class Lanes, class X, class Y>
  KOKKOS_FUNCTION void operator()(Lanes const& lanes, std::int64_t item, X const& x,
                                  Y const& y) const {
    constexpr int rows = InUnits<T>::rows;
    T const* const a = values + item * InUnits<T>::nonzeros;
    lanes.for_each(rows, [&](int i) {
      T sum = a[3 * i] * x(i);
      if (i > 0) sum += a[3 * i - 1] * x(i - 1);
      if (i + 1 < rows) sum += a[3 * i + 1] * x(i + 1);
      y(i) = sum;
    });
  }
};

/// \param of_a units of the matrix up to 2^of_a
/// \param format returns the argument for the matrices of solve
template <class T, class Solver, class M, class Format>
void expect_same(InUnits<T> const& systems, Solver const& solver, M const& m, char const* what,
                 int of_a, Format const& format) {
  SCOPED_TRACE(what);
  auto const log = SolveLog<T>::allocated(systems.items);
  auto const solved = [&](int j, int k) {
    systems.put(j, k);
    auto const a = format();
    Kokkos::View<T*, Space> const memory("memory",
                                         workspace_numbers<T>(solver, m, a, systems.items));
    solve(solver, m, a, systems.b, systems.x, log, workspace(memory));
    Said said;
    for (auto const& outcome : outcomes(log)) {
      said.iterations.push_back(outcome.iterations);
      said.codes.push_back(outcome.code);
      // For a residual that is a normal number in the units of b.
      if (std::abs(k) < systems.most * 3 / 4)
        said.residuals.push_back(std::ldexp(double(outcome.residual), -k));
    }
    return said;
  };
  Said const first = solved(0, 0);
  auto const x = systems.solution(0);
  for (int const code : first.codes) ASSERT_EQ(code, 0) << explain_solve(code);
  systems.for_units(of_a, [&](int j, int k) {
    Said said = solved(j, k);
    if (said.residuals.empty()) said.residuals = first.residuals;
    EXPECT_EQ(said.codes, first.codes)
        << "A 2^" << j << ", b 2^" << k << ": " << explain_solve(said.codes[0]);
    EXPECT_TRUE(said == first) << "A 2^" << j << ", b 2^" << k;
    EXPECT_EQ(systems.solution(j - k), x) << "A 2^" << j << ", b 2^" << k;
  });
}
template <class T, class Solver, class M>
void expect_same(InUnits<T> const& systems, Solver const& solver, M const& m, char const* what,
                 int of_a = InUnits<T>::farthest) {
  expect_same(systems, solver, m, what, of_a, [&] { return systems.matrices(); });
}
template <class T, class Solver>
void expect_same_with_all(Solver const& solver, bool symmetric, bool also_without = true) {
  using Systems = InUnits<T>;
  Systems const systems(symmetric);
  // p' A p and r' M r have the size of A or of its inverse, times the square of a residual.
  int const reach = symmetric ? Systems::farthest - Systems::step : Systems::farthest;
  expect_same(systems, solver, no_preconditioner(), "none", also_without ? reach : 0);
  expect_same(systems, solver, jacobi(), "jacobi", reach);
  expect_same(systems, solver, block_jacobi(3), "block_jacobi", reach);
  expect_same(systems, solver, ilu(), "ilu", reach);
  if (symmetric) expect_same(systems, solver, spd_isai(), "spd_isai", reach);
  else expect_same(systems, solver, isai(), "isai", reach);
}
template <class T>
StoppingCriteria usual_criteria() {
  return relative(sizeof(T) == 4 ? 1e-4 : 1e-9, 200);
}

TYPED_TEST(SolveScales, Gmres) {
  expect_same_with_all<TypeParam>(gmres(5, usual_criteria<TypeParam>()), false);
}
TYPED_TEST(SolveScales, Bicgstab) {
  expect_same_with_all<TypeParam>(bicgstab(usual_criteria<TypeParam>()), false);
}
TYPED_TEST(SolveScales, Cgs) {
  expect_same_with_all<TypeParam>(cgs(usual_criteria<TypeParam>()), false);
}
TYPED_TEST(SolveScales, ConjugateGradients) {
  expect_same_with_all<TypeParam>(conjugate_gradients(usual_criteria<TypeParam>()), true);
}
/// Without a preconditioner, the matrix itself must be near omega.
TYPED_TEST(SolveScales, Richardson) {
  auto stop = usual_criteria<TypeParam>();
  stop.most_iterations = 1000;
  expect_same_with_all<TypeParam>(richardson(stop, 0.4), false, false);
}

TYPED_TEST(SolveScales, ByThreads) {
  using T = TypeParam;
  InUnits<T> const systems(false);
  auto const stop = usual_criteria<T>();
  auto const expect = [&](auto const& solver, char const* what) {
    expect_same(systems, solver, no_preconditioner(), what, InUnits<T>::farthest, [&] {
      return matrix_free(systems.rows, TridiagonalProduct<T>{systems.values.data()});
    });
  };
  expect(bicgstab(stop), "bicgstab");
  expect(cgs(stop), "cgs");
  expect(gmres(5, stop), "gmres");
}

TYPED_TEST(SolveScales, DirectLu) {
  using T = TypeParam;
  InUnits<T> const systems(false);
  auto const log = SolveLog<T>::allocated(systems.items);
  auto const solved = [&](int j, int k) {
    systems.put(j, k);
    solve(direct_lu(relative(sizeof(T) == 4 ? 1e-5 : 1e-12)), systems.matrices(), systems.b,
          systems.x, log);
    for (auto const& outcome : outcomes(log))
      EXPECT_TRUE(outcome.converged()) << "A 2^" << j << ", b 2^" << k << ": " << outcome.text();
    return systems.solution(j - k);
  };
  auto const x = solved(0, 0);
  systems.for_units(systems.farthest, [&](int j, int k) {
    EXPECT_EQ(solved(j, k), x) << "A 2^" << j << ", b 2^" << k;
  });
}

/// The pattern identifies the lower triangle, the upper one and the bands.
TYPED_TEST(SolveScales, Triangles) {
  using T = TypeParam;
  InUnits<T> const systems(false);
  for (auto const triangle : {Triangle::lower, Triangle::upper}) {
    auto const solved = [&](int j, int k) {
      systems.put(j, k);
      solve_triangular(triangle, systems.matrices(), systems.b, systems.x);
      Kokkos::fence();
      return systems.solution(j - k);
    };
    auto const x = solved(0, 0);
    systems.for_units(systems.farthest, [&](int j, int k) {
      EXPECT_EQ(solved(j, k), x) << "A 2^" << j << ", b 2^" << k;
    });
  }
}

TYPED_TEST(SolveScales, Tridiagonal) {
  using T = TypeParam;
  using Systems = InUnits<T>;
  Systems const systems(false);
  typename Systems::Vectors const lower("lower", systems.items, systems.rows),
      diagonal("diagonal", systems.items, systems.rows),
      upper("upper", systems.items, systems.rows);
  auto const put_bands = [&] {
    auto const l = Kokkos::create_mirror(lower), d = Kokkos::create_mirror(diagonal),
               u = Kokkos::create_mirror(upper);
    for (std::size_t n = 0; n < systems.items; ++n)
      for (std::size_t i = 0, k = 0; i < systems.rows; ++i) {
        l(n, i) = i > 0 ? systems.a_2(n, k++) : T(0);
        d(n, i) = systems.a_2(n, k++);
        u(n, i) = i + 1 < systems.rows ? systems.a_2(n, k++) : T(0);
      }
    Kokkos::deep_copy(lower, l);
    Kokkos::deep_copy(diagonal, d);
    Kokkos::deep_copy(upper, u);
  };
  auto const solved = [&](int j, int k, auto const&... pivoting) {
    systems.put(j, k);
    put_bands();
    solve_tridiagonal(lower, diagonal, upper, systems.b, systems.x, pivoting...);
    Kokkos::fence();
    return systems.solution(j - k);
  };
  auto const x = solved(0, 0), pivoted = solved(0, 0, partial_pivoting());
  systems.for_units(systems.farthest, [&](int j, int k) {
    EXPECT_EQ(solved(j, k), x) << "A 2^" << j << ", b 2^" << k;
    EXPECT_EQ(solved(j, k, partial_pivoting()), pivoted) << "A 2^" << j << ", b 2^" << k;
  });
}

TYPED_TEST(SolveScales, ProductsAndSums) {
  using T = TypeParam;
  InUnits<T> const systems(false);
  Kokkos::View<T*, Space> const sums("sums", systems.items);
  auto const numbers = [&](int by) {
    auto const on_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums);
    std::vector<T> all;
    for (std::size_t n = 0; n < systems.items; ++n) all.push_back(std::ldexp(on_host(n), by));
    return all;
  };
  auto const product = [&](int j, int k) {
    systems.put(j, k);
    multiply(systems.matrices(), systems.b, systems.x);
    Kokkos::fence();
    return systems.solution(-j - k);
  };
  auto const length = [&](int k) {
    systems.put(0, k);
    Batchwork::norm(systems.b, sums);
    Kokkos::fence();
    return numbers(-k);
  };
  auto const dotted = [&](int j, int k) {
    systems.put(0, j);
    Kokkos::View<T**, Kokkos::LayoutRight, Space> const other("other", systems.items, systems.rows);
    Kokkos::deep_copy(other, systems.b);
    systems.put(0, k);
    Batchwork::dot(other, systems.b, sums);
    Kokkos::fence();
    return numbers(-j - k);
  };
  auto const y = product(0, 0), lengths = length(0), dots = dotted(0, 0);
  systems.for_units(systems.farthest, [&](int j, int k) {
    if (!systems.is_normal(j + k)) return;
    EXPECT_EQ(product(j, k), y) << "A 2^" << j << ", x 2^" << k;
    EXPECT_EQ(dotted(j, k), dots) << "x 2^" << j << ", y 2^" << k;
  });
  // Sums of squares have three ranges, whose roots can round differently.
  systems.for_units(0, [&](int, int k) {
    auto const now = length(k);
    for (std::size_t n = 0; n < lengths.size(); ++n)
      EXPECT_NEAR(now[n], lengths[n], 4 * std::numeric_limits<T>::epsilon() * lengths[n])
          << "x 2^" << k;
  });
}

}  // namespace
}  // namespace Batchwork::Test

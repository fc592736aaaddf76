// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Units do not matter. Inputs multiplied by a power of two give the results of the original inputs,
// multiplied by a power of two, if the inputs are well conditioned. This holds over the whole range
// in which inputs, results and LAPACK's intermediate values are normal numbers. Results agree bit
// for bit, except at the ends of the range, where reciprocals or small entries lose digits.
#include <functional>
#include <type_traits>

#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct DenseScales : ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(DenseScales, Types);

constexpr int items = 5;

template <class T, class Layout>
using Items = Kokkos::View<T***, Layout, Space>;

/// Entry (i, j) of the items. No entry is much smaller than the others.
enum class Filled { general, spd, lower, upper, sides };
template <class T>
T entry_of(Random& random, Filled filled, int n, int i, int j) {
  double const noise = 0.25 * random.normal() / std::sqrt(double(n));
  double const x = std::copysign(std::max(std::fabs(noise), 0x1p-10), noise);
  switch (filled) {
    // Needs row exchanges.
    case Filled::general: return T(x + (j == n - 1 - i ? 2 : 0));
    case Filled::spd: return T(x + (i == j ? 2 : 0));
    case Filled::lower: return T(j > i ? 0 : x + (i == j ? 2 : 0));
    case Filled::upper: return T(j < i ? 0 : x + (i == j ? 2 : 0));
    default: return T(std::copysign(0.5 + std::fabs(noise), noise));
  }
}
/// A batch multiplied by 2^k, with the same k for all items.
template <class T, class Layout>
Items<T, Layout> filled_with(Filled filled, unsigned seed, int m, int n, int k) {
  Random random(seed);
  Items<T, Layout> const v("v", items, std::size_t(m), std::size_t(n));
  auto const host = Kokkos::create_mirror_view(v);
  for (std::size_t q = 0; q < std::size_t(items); ++q)
    for (std::size_t i = 0; i < std::size_t(m); ++i)
      for (std::size_t j = 0; j < std::size_t(n); ++j) {
        host(q, i, j) = std::ldexp(entry_of<T>(random, filled, std::max(m, n), int(i), int(j)), k);
        if (filled == Filled::spd && j < i) host(q, j, i) = host(q, i, j);
      }
  Kokkos::deep_copy(v, host);
  return v;
}

/// A result that must be the result for k = 0 multiplied by 2^exponent.
template <class T>
struct Result {
  std::vector<T> numbers;
  int exponent;
};
template <class T>
using Results = std::vector<Result<T>>;

template <class View>
auto result_of(View const& v, int exponent) {
  using T = typename View::non_const_value_type;
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v);
  Result<T> r{{}, exponent};
  for (std::size_t q = 0; q < host.extent(0); ++q)
    for (std::size_t i = 0; i < host.extent(1); ++i)
      for (std::size_t j = 0; j < host.extent(2); ++j) {
        if constexpr (View::rank() == 1) r.numbers.push_back(host(q));
        else if constexpr (View::rank() == 2) r.numbers.push_back(host(q, i));
        else r.numbers.push_back(host(q, i, j));
      }
  return r;
}

/// The powers of two that are normal numbers, minus the range of entries and results of size one.
template <class T>
inline constexpr int lowest = std::numeric_limits<T>::min_exponent + 12;
template <class T>
inline constexpr int highest = std::numeric_limits<T>::max_exponent - 4;

std::vector<int> powers(int from, int to, int step) {
  std::vector<int> all{from, from + 4, to - 4, to};
  for (int part = 1; part < 5; ++part) all.push_back(from + (to - from) * part / 5);
  for (int& k : all) k = k / step * step;
  return all;
}

/// run(k, codes) gives Results for k in [from, to].
template <class T>
void check_powers(std::string const& what, int n, int from, int to,
                  std::function<Results<T>(int, Kokkos::View<int*, Space>)> const& run,
                  int step = 1) {
  Kokkos::View<int*, Space> const codes("codes", items);
  auto const checked = [&](int k) {
    Kokkos::deep_copy(codes, 0);
    auto const r = run(k, codes);
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), codes);
    for (std::size_t q = 0; q < std::size_t(items); ++q)
      EXPECT_EQ(host(q), 0) << what << " of " << n << " rows times 2^" << k << ", item " << q;
    return r;
  };
  Results<T> const want = checked(0);
  int const digits = std::numeric_limits<T>::digits;
  for (int k : powers(from, to, step)) {
    Results<T> const found = checked(k);
    for (std::size_t r = 0; r < want.size(); ++r) {
      long double worst = 0, largest = 0;
      for (std::size_t q = 0; q < want[r].numbers.size(); ++q) {
        long double const x = want[r].numbers[q],
                          y = std::ldexp((long double)(found[r].numbers[q]), -found[r].exponent);
        largest = std::max(largest, std::fabs(x));
        worst = std::fabs(x - y) <= worst ? worst : std::fabs(x - y);  // NaN counts as the worst
      }
      bool const inside = std::abs(found[r].exponent) < highest<T> - 4 && k >= lowest<T> + digits &&
                          k <= highest<T> - 4 && found[r].exponent >= lowest<T> + digits;
      ASSERT_TRUE(worst <= (inside ? 0 : 8 * n * epsilon<T> * largest))
          << what << " of " << n << " rows times 2^" << k << ", result " << r << ": off by "
          << double(worst / epsilon<T>) << " eps";
    }
  }
}

template <class T, class Layout>
struct Verbs {
  using Batch = Items<T, Layout>;
  static Batch filled(Filled how, unsigned seed, int m, int n, int k) {
    return filled_with<T, Layout>(how, seed, m, n, k);
  }
  static Batch empty(int m, int n) { return Batch("v", items, std::size_t(m), std::size_t(n)); }
  static auto numbers(int n) {
    return Kokkos::View<T**, Layout, Space>("v", items, std::size_t(n));
  }

  static constexpr int low = lowest<T>, high = highest<T>, half = high / 2;

  static void products(int n) {
    auto const product = [n](int ka, int kb) {
      auto const a = filled(Filled::general, 1, n, n, ka), b = filled(Filled::sides, 2, n, n, kb),
                 c = empty(n, n);
      gemm(1, in(a), in(b), 0, out(c));
      return Results<T>{result_of(c, ka + kb)};
    };
    check_powers<T>("gemm, A", n, low, high - 8, [&](int k, auto) { return product(k, 0); });
    check_powers<T>("gemm, A and B", n, low / 2, half - 4,
                    [&](int k, auto) { return product(k, k); });
    check_powers<T>("gemm, A and its inverse", n, low, high,
                    [&](int k, auto) { return product(k, -k); });
  }
  static void factors(int n) {
    check_powers<T>(
        "cholesky", n, low, high,
        [n](int k, auto codes) {
          auto const a = filled(Filled::spd, 3, n, n, k), l = empty(n, n);
          Batchwork::cholesky(in(a), out(l), status(codes));
          return Results<T>{result_of(l, k / 2)};
        },
        2);
    check_powers<T>("lu", n, low, high, [n](int k, auto codes) {
      auto const a = filled(Filled::general, 4, n, n, k), f = empty(n, n);
      Kokkos::View<int**, Space> const rows("rows", items, std::size_t(n));
      lu(in(a), out(f), out(rows), status(codes));
      // U is scaled, L is not.
      auto u = result_of(f, k), l = u;
      l.exponent = 0;
      for (std::size_t q = 0; q < u.numbers.size(); ++q) {
        bool const below = int(q) % n < int(q) / n % n;
        (below ? u : l).numbers[q] = T(0);
      }
      return Results<T>{u, l};
    });
    check_powers<T>("inverse", n, -high, std::min(-low, high), [n](int k, auto codes) {
      auto const a = filled(Filled::general, 5, n, n, k), x = empty(n, n);
      Batchwork::inverse(in(a), out(x), status(codes));
      return Results<T>{result_of(x, -k)};
    });
  }
  /// solve(a, b, x, status) with matrices multiplied by 2^k, and right-hand sides unchanged,
  /// multiplied by 2^k, and by 2^(k / 2).
  template <class Solve>
  static void solves(std::string const& what, Filled how, int m, int n, int columns,
                     Solve const& solve) {
    auto const run = [=](int k, int of_b, auto codes) {
      auto const a = filled(how, 6, m, n, k), b = filled(Filled::sides, 7, m, columns, of_b),
                 x = empty(n, columns);
      solve(a, b, x, status(codes));
      return Results<T>{result_of(x, of_b - k)};
    };
    std::string const of = what + ", " + std::to_string(columns) + " columns";
    int const rows = std::max(m, n);
    check_powers<T>(
        of, rows, -high, std::min(-low, high), [=](int k, auto codes) { return run(k, 0, codes); },
        2);
    check_powers<T>(
        of + " times 2^k", rows, low, high, [=](int k, auto codes) { return run(k, k, codes); }, 2);
    check_powers<T>(
        of + " times 2^(k/2)", rows, low, high,
        [=](int k, auto codes) { return run(k, k / 2, codes); }, 4);
  }
  static void all_solves(int n) {
    for (int columns : {1, 3}) {
      solves("solve_cholesky", Filled::spd, n, n, columns,
             [](auto a, auto b, auto x, auto s) { solve_cholesky(in(a), in(b), out(x), s); });
      solves("solve_lower", Filled::lower, n, n, columns, [](auto a, auto b, auto x, auto s) {
        Batchwork::solve_lower(in(a), in(b), out(x), s);
      });
      solves("solve_upper", Filled::upper, n, n, columns, [](auto a, auto b, auto x, auto s) {
        Batchwork::solve_upper(in(a), in(b), out(x), s);
      });
      solves("solve_lu", Filled::general, n, n, columns,
             [](auto a, auto b, auto x, auto s) { solve_lu(in(a), in(b), out(x), s); });
      for (int m : {n, n + 3})
        solves("least_squares", Filled::general, m, n, columns,
               [](auto a, auto b, auto x, auto s) { least_squares(in(a), in(b), out(x), s); });
    }
  }
  static void decompositions(int m, int n) {
    int const k0 = std::min(m, n);
    check_powers<T>("qr", std::max(m, n), low, high - 4, [=](int k, auto codes) {
      auto const a = filled(Filled::general, 8, m, n, k), q = empty(m, k0), r = empty(k0, n);
      qr(in(a), out(q), out(r), status(codes));
      return Results<T>{result_of(q, 0), result_of(r, k)};
    });
    check_powers<T>("svd", std::max(m, n), low, high - 4, [=](int k, auto codes) {
      auto const a = filled(Filled::general, 9, m, n, k), u = empty(m, k0), v = empty(n, k0);
      auto const w = numbers(k0), only = numbers(k0);
      svd(in(a), out(u), out(w), out(v), status(codes));
      svd(in(a), out(only));
      return Results<T>{result_of(u, 0), result_of(w, k), result_of(v, 0), result_of(only, k)};
    });
    if (m != n) return;
    check_powers<T>("eigh", n, low, high - 4, [=](int k, auto codes) {
      auto const a = filled(Filled::spd, 10, n, n, k), v = empty(n, n);
      auto const w = numbers(n), only = numbers(n);
      eigh(in(a), out(w), out(v), status(codes));
      eigh(in(a), out(only));
      return Results<T>{result_of(w, k), result_of(v, 0), result_of(only, k)};
    });
  }
  static void tridiagonal(int n) {
    auto const run = [n](int k, int of_b, auto codes, auto... option) {
      auto const bands = filled(Filled::sides, 11, 4, n, 0);
      auto const band = [&](int which, double add, int power) {
        auto const v = numbers(n);
        auto const from = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), bands);
        auto const to = Kokkos::create_mirror_view(v);
        for (std::size_t q = 0; q < std::size_t(items); ++q)
          for (std::size_t i = 0; i < std::size_t(n); ++i)
            to(q, i) = std::ldexp(T(double(from(q, std::size_t(which), i)) + add), power);
        Kokkos::deep_copy(v, to);
        return v;
      };
      auto const x = numbers(n);
      solve_tridiagonal(band(0, 0, k), band(1, 4, k), band(2, 0, k), band(3, 0, of_b), x, option...,
                        status(codes));
      return Results<T>{result_of(x, of_b - k)};
    };
    auto const both = [&](std::string const& what, auto... option) {
      check_powers<T>(
          what, n, -high + 4, std::min(-low, high - 4),
          [=](int k, auto codes) { return run(k, 0, codes, option...); }, 2);
      check_powers<T>(
          what + ", b times 2^k", n, low, high - 4,
          [=](int k, auto codes) { return run(k, k, codes, option...); }, 2);
    };
    both("solve_tridiagonal");
    both("solve_tridiagonal with exchanges", partial_pivoting());
  }
};
/// Calls f(Verbs, n). For odd n items are item-contiguous.
template <class T, class F>
void for_sizes(std::initializer_list<int> sizes, F const& f) {
  for (int n : sizes) {
    if (n % 2 != 0) f(Verbs<T, Kokkos::LayoutLeft>(), n);
    else f(Verbs<T, Kokkos::LayoutRight>(), n);
  }
}

TYPED_TEST(DenseScales, Products) {
  for_sizes<TypeParam>({1, 2, 3, 5, 8, 16, 33, 70}, [](auto verbs, int n) { verbs.products(n); });
}
TYPED_TEST(DenseScales, Factors) {
  for_sizes<TypeParam>({1, 2, 3, 4, 5, 6, 7, 8, 9, 24, 33, 65, 130},
                       [](auto verbs, int n) { verbs.factors(n); });
}
TYPED_TEST(DenseScales, Solves) {
  for_sizes<TypeParam>({1, 2, 3, 4, 5, 6, 7, 8, 9, 24, 33, 65},
                       [](auto verbs, int n) { verbs.all_solves(n); });
}
TYPED_TEST(DenseScales, Decompositions) {
  for_sizes<TypeParam>({1, 2, 3, 4, 5, 6, 7, 8, 9, 24, 33}, [](auto verbs, int n) {
    for (int more : {0, 2}) verbs.decompositions(n + more, n);
  });
  Verbs<TypeParam, Kokkos::LayoutRight>::decompositions(5, 8);
}
TYPED_TEST(DenseScales, Tridiagonal) {
  for_sizes<TypeParam>({1, 2, 7, 33, 130, 600}, [](auto verbs, int n) { verbs.tridiagonal(n); });
}

/// A result that is not finite is not a success: the eigenvalue, and singular value, 2 c of [[c,
/// c], [c, c]] overflows.
template <class T>
void check_overflow(int n) {
  T const large = std::numeric_limits<T>::max() / T(1.05);
  Items<T, Kokkos::LayoutRight> const a("a", 3, std::size_t(n), std::size_t(n)),
      v = a, u("u", 3, std::size_t(n), std::size_t(n)), w("w", 3, std::size_t(n), std::size_t(n));
  auto const host = Kokkos::create_mirror_view(a);
  for (std::size_t q = 0; q < 3; ++q)
    for (std::size_t i = 0; i < std::size_t(n); ++i)
      for (std::size_t j = 0; j < std::size_t(n); ++j)
        // The second item has a value that is not finite. The others have large ones that are.
        host(q, i, j) = q == 1   ? (q + i + j > 0 && n > 1 && i < 2 && j < 2 ? large
                                    : i == j                                 ? T(1)
                                                                             : T(0))
                        : i == j ? large * T(i % 2 == 0 ? 1 : -0.5)
                                 : T(0);
  Kokkos::deep_copy(a, host);
  Kokkos::View<T**, Space> const values("values", 3, std::size_t(n));
  Kokkos::View<int*, Space> const codes("codes", 3);
  auto const expect = [&](std::string const& what) {
    auto const c = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), codes);
    auto const x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), values);
    for (std::size_t q = 0; q < 3; ++q) {
      bool const overflows = q == 1 && n > 1;
      EXPECT_EQ(c(q), overflows ? Status::code(Reason::not_finite, 0) : 0)
          << what << ", " << n << " rows, item " << q;
      for (std::size_t i = 0; i < std::size_t(n); ++i)
        EXPECT_EQ(std::isnan(x(q, i)), overflows) << what << ", " << n << " rows, item " << q;
    }
  };
  eigh(in(a), out(values), status(codes));
  expect("eigh, values");
  eigh(in(a), out(values), out(u), status(codes));
  expect("eigh");
  svd(in(a), out(values), status(codes));
  expect("svd, values");
  svd(in(a), out(u), out(values), out(w), status(codes));
  expect("svd");
}
TYPED_TEST(DenseScales, ValuesThatOverflow) {
  for (int n : {1, 2, 3, 5, 8, 9, 17, 33, 70}) check_overflow<TypeParam>(n);
}

struct EigenvaluesOfTiles {
  template <class X, class A>
  KOKKOS_FUNCTION void operator()(X& x, A const& a) const {
    x = eigh(a).values();
  }
};
struct SingularValuesOfTiles {
  template <class X, class A>
  KOKKOS_FUNCTION void operator()(X& x, A const& a) const {
    x = svd(a).singular_values();
  }
};
TYPED_TEST(DenseScales, ValuesOfTilesThatOverflow) {
  using T = TypeParam;
  T const large = std::numeric_limits<T>::max() / T(1.05);
  auto const check = [&]<int N>(std::integral_constant<int, N>) {
    Kokkos::View<T* [N][N], Space> const a("a", 9);
    Kokkos::View<T* [N], Space> const x("x", 9);
    Kokkos::View<int*, Space> const codes("codes", 9);
    auto const host = Kokkos::create_mirror_view(a);
    for (std::size_t q = 0; q < 9; ++q)
      for (std::size_t i = 0; i < std::size_t(N); ++i)
        for (std::size_t j = 0; j < std::size_t(N); ++j)
          host(q, i, j) = i == j || (q == 4 && i < 2 && j < 2) ? large : T(0);
    Kokkos::deep_copy(a, host);
    auto const expect = [&] {
      auto const c = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), codes);
      for (std::size_t q = 0; q < 9; ++q)
        EXPECT_EQ(c(q), q == 4 ? Status::code(Reason::not_finite, 0) : 0)
            << N << " rows, item " << q;
    };
    map(EigenvaluesOfTiles{}, out(x), in(a), status(codes));
    expect();
    map(SingularValuesOfTiles{}, out(x), in(a), status(codes));
    expect();
  };
  check(std::integral_constant<int, 2>()), check(std::integral_constant<int, 3>());
  check(std::integral_constant<int, 9>());
}

}  // namespace
}  // namespace Batchwork::Test

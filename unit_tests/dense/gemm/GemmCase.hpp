// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A product of a batch in any arrangement, its result in long double, and the comparison. The
/// arrangement is chosen at run time, so that many of them need few instantiations.
#ifndef BATCHWORK_TEST_GEMM_CASE_HPP
#define BATCHWORK_TEST_GEMM_CASE_HPP

#include <array>

#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {

enum class Arranged { item_contiguous, by_columns, interleaved, strided };
inline constexpr Arranged all_arranged[] = {Arranged::item_contiguous, Arranged::by_columns,
                                            Arranged::interleaved, Arranged::strided};
enum class Shared { none, a, b };

struct GemmCase {
  std::int64_t items = 3;
  int m = 1, n = 1, k = 1;
  Shared shared = Shared::none;
  bool turn_a = false, turn_b = false, turn_c = false;
  std::array<Arranged, 3> arranged{};
  double alpha = 1, beta = 0;
  bool reads_c = false;  ///< C is inout; then, with a beta of zero, full of NaN

  std::string text() const {
    std::string s = std::to_string(items) + " items, " + std::to_string(m) + "x" +
                    std::to_string(k) + " by " + std::to_string(k) + "x" + std::to_string(n) +
                    ", shared " + std::to_string(int(shared)) + ", turned " +
                    std::to_string(turn_a) + std::to_string(turn_b) + std::to_string(turn_c) +
                    ", arranged ";
    for (auto a : arranged) s += std::to_string(int(a));
    return s + ", alpha " + std::to_string(alpha) + ", beta " + std::to_string(beta) +
           (reads_c ? ", inout" : ", out");
  }
};

/// Matrices in an arrangement, or matrices without an item index. The memory between and around
/// them is poisoned.
template <class T>
struct ArrangedBatch {
  using Batch = Kokkos::View<T***, Kokkos::LayoutStride, Space, Kokkos::MemoryUnmanaged>;
  using Single = Kokkos::View<T**, Kokkos::LayoutStride, Space, Kokkos::MemoryUnmanaged>;

  std::int64_t items, item, row, col, begin;
  int rows, cols;
  Kokkos::View<T*, Space> storage;
  using Mirror = decltype(Kokkos::create_mirror(Kokkos::HostSpace(),
                                                std::declval<Kokkos::View<T*, Space> const&>()));
  Mirror host;
  T* numbers;  ///< the numbers of `host`, because access through a View is slow at -O0

  ArrangedBatch(std::int64_t items_, int rows_, int cols_, Arranged how)
      : items(items_), rows(rows_), cols(cols_) {
    std::int64_t const r = rows, c = cols;
    begin = 0;
    std::int64_t size = items * r * c;
    switch (how) {
      case Arranged::item_contiguous: item = r * c, row = c, col = 1; break;
      case Arranged::by_columns: item = r * c, row = 1, col = r; break;
      case Arranged::interleaved: item = 1, row = items, col = items * r; break;
      case Arranged::strided:  // item by item, row by row, with gaps everywhere
        col = 2, row = 2 * c + 1, item = row * r + 3, begin = 1;
        size = begin + items * item;
        break;
    }
    storage = Kokkos::View<T*, Space>(Kokkos::view_alloc("matrices", Kokkos::WithoutInitializing),
                                      std::size_t(size));
    host = Kokkos::create_mirror(
        Kokkos::view_alloc(Kokkos::HostSpace(), Kokkos::WithoutInitializing), storage);
    numbers = host.data();
    T const p = poison<T>();
    for (std::int64_t k = 0; k < size; ++k) numbers[k] = p;
    upload();
  }
  void upload() const { Kokkos::deep_copy(storage, host); }
  void download() const {
    Kokkos::fence("Batchwork::Test: results");
    Kokkos::deep_copy(host, storage);
  }
  T& at(std::int64_t n, int i, int j) const {
    return numbers[begin + n * item + i * row + j * col];
  }
  T* data() const { return storage.data() + begin; }
  Batch batch() const {
    return Batch(data(),
                 Kokkos::LayoutStride(std::size_t(items), std::size_t(item), std::size_t(rows),
                                      std::size_t(row), std::size_t(cols), std::size_t(col)));
  }
  Single single() const {
    return Single(data(), Kokkos::LayoutStride(std::size_t(rows), std::size_t(row),
                                               std::size_t(cols), std::size_t(col)));
  }
  void randomise(Random& random) const {
    for (std::int64_t n = 0; n < items; ++n)
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < cols; ++j) at(n, i, j) = T(random());
    upload();
  }
  void fill(T x) const {
    for (std::int64_t n = 0; n < items; ++n)
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < cols; ++j) at(n, i, j) = x;
    upload();
  }
  /// The number of poisoned numbers in the storage.
  std::size_t poisoned() const {
    std::size_t count = 0;
    T const p = poison<T>();
    for (std::size_t k = 0, size = host.extent(0); k < size; ++k) count += numbers[k] == p;
    return count;
  }
};

/// The operands of a case.
template <class T>
struct GemmData {
  GemmCase what;
  ArrangedBatch<T> a, b, c;

  static ArrangedBatch<T> make(GemmCase const& g, int which, int rows, int cols, bool turned) {
    bool const shared =
        (which == 0 && g.shared == Shared::a) || (which == 1 && g.shared == Shared::b);
    return {shared ? 1 : g.items, turned ? cols : rows, turned ? rows : cols,
            g.arranged[std::size_t(which)]};
  }
  GemmData(GemmCase const& g, Random& random)
      : what(g),
        a(make(g, 0, g.m, g.k, g.turn_a)),
        b(make(g, 1, g.k, g.n, g.turn_b)),
        c(make(g, 2, g.m, g.n, g.turn_c)) {
    a.randomise(random);
    b.randomise(random);
    if (g.reads_c && g.beta == 0) c.fill(std::numeric_limits<T>::quiet_NaN());
    else if (g.reads_c) c.randomise(random);
  }

  /// Runs `call`, which computes C, and compares every number with the reference. The error of
  /// alpha times a sum of K products, plus beta C, is at most (K + 3) eps times the sum of the
  /// magnitudes. No other memory may change.
  template <class Call>
  void check(Call const& call) const {
    SCOPED_TRACE(what.text());
    std::size_t const outside =
        c.host.extent(0) - std::size_t(what.items) * std::size_t(what.m) * std::size_t(what.n);
    auto const before = Kokkos::create_mirror(Kokkos::HostSpace(), c.storage);
    Kokkos::deep_copy(before, c.host);
    call();
    c.download();
    EXPECT_EQ(c.poisoned(), outside);
    int wrong = 0;
    for (std::int64_t n = 0; n < what.items; ++n) {
      std::int64_t const na = what.shared == Shared::a ? 0 : n,
                         nb = what.shared == Shared::b ? 0 : n;
      for (int i = 0; i < what.m; ++i) {
        for (int j = 0; j < what.n; ++j) {
          Truth t;
          if (what.alpha != 0 && what.k > 0)
            t = sum_of_products(T(what.alpha), &(what.turn_a ? a.at(na, 0, i) : a.at(na, i, 0)),
                                what.turn_a ? a.row : a.col,
                                &(what.turn_b ? b.at(nb, j, 0) : b.at(nb, 0, j)),
                                what.turn_b ? b.col : b.row, what.k);
          T const& got = what.turn_c ? c.at(n, j, i) : c.at(n, i, j);
          if (what.beta != 0)
            t.add(static_cast<long double>(T(what.beta)) * before.data()[&got - c.numbers]);
          if (!(std::fabs(got - t.value) <= (what.k + 3) * epsilon<T> * t.size)) {
            if (++wrong > 5) return;
            ADD_FAILURE() << "item " << n << " (" << i << ", " << j << "): " << got
                          << " instead of " << t.value;
          }
        }
      }
    }
  }
};

/// A random case with a number of items and sizes.
inline GemmCase some_case(Random& random, std::int64_t items, int m, int n, int k) {
  GemmCase g;
  g.items = items;
  g.m = m;
  g.n = n;
  g.k = k;
  g.shared = Shared(random.integer(0, 2));
  g.turn_a = random.integer(0, 1);
  g.turn_b = random.integer(0, 1);
  g.turn_c = random.integer(0, 3) == 0;
  // Usually all are equal.
  auto const first = all_arranged[random.integer(0, 3)];
  bool const alike = random.integer(0, 2) > 0;
  for (auto& x : g.arranged) x = alike ? first : all_arranged[random.integer(0, 3)];
  double const factors[] = {0, 1, -0.7, 1};
  g.alpha = factors[random.integer(random.integer(0, 4) == 0 ? 0 : 1, 3)];
  g.reads_c = random.integer(0, 1);
  g.beta = g.reads_c ? factors[random.integer(0, 3)] : 0;
  return g;
}

inline constexpr int gemm_sizes[] = {1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 32, 33, 64, 65, 100};

}  // namespace Batchwork::Test

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The device kernels of eigh, svd, qr and least_squares, run on the host by teams of threads.
// Compiled a second time with warps of 32 lanes.
#include "EighVerbCase.hpp"
#include "SvdVerbCase.hpp"
#include "dense/UnitsCase.hpp"
#include "support/Batchwork_Devices.hpp"
#include "support/HostTeams.hpp"
#include "support/LaneTeams.hpp"
#include "support/SlotsOfTest.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
Impl::StoredItems<T> items_of(ArrangedBatch<T> const& m) {
  return {{m.data(), 1, m.item, 0, m.row, m.col}, m.rows, m.cols};
}
template <class T>
Impl::StoredItems<T const> items_read(ArrangedBatch<T> const& m) {
  return {{m.data(), 1, m.item, 0, m.row, m.col}, m.rows, m.cols};
}
template <class T>
Impl::StoredItems<T const> items_turned(ArrangedBatch<T> const& m) {
  return {{m.data(), 1, m.item, 0, m.col, m.row}, m.cols, m.rows};
}

/// Runs the kernel with several lanes an item, and the kernel with one lane an item, on the same
/// input.
template <bool Large>
struct Teams {
  template <class F>
  void operator()(F const& f) const {
    auto const limits = h200_with_kokkos_4();
    Impl::DecompositionTeams<F, Large> const kernel(f, limits);
    ASSERT_TRUE(kernel.fits(limits));
    ASSERT_LE(kernel.team(), kernel.largest_team);
    run_teams(kernel, int(kernel.teams()), kernel.team(), kernel.bytes());
  }
};
/// By reflections and iterations, with C columns for each lane; svd continues with rotations.
template <int C>
struct Reflections {
  template <class T>
  void operator()(Impl::EighOfItems<T> const& f) const {
    run(Impl::EighByReflections<T, C>(f, limits));
  }
  template <class T>
  void operator()(Impl::SvdOfItems<T> const& f) const {
    run(Impl::SvdByReflections<T, C>(f, limits));
  }

 private:
  Impl::DeviceLimits limits = h200_with_kokkos_5();
  template <class Kernel>
  void run(Kernel const& kernel) const {
    ASSERT_TRUE(kernel.fits(limits));
    ASSERT_LE(kernel.team(), kernel.largest_team);
    run_teams(kernel, int(kernel.teams()), kernel.team(), kernel.bytes());
  }
};
template <int N>
struct Lanes {
  template <class T>
  void operator()(Impl::EighOfItems<T> const& f) const {
    run_lanes(Impl::EighOfLane<T, N>{f});
  }
  template <class T>
  void operator()(Impl::SvdOfItems<T> const& f) const {
    if (f.stores_vectors) run_lanes(Impl::SvdOfLane<T, N, true>{f});
    else run_lanes(Impl::SvdOfLane<T, N, false>{f});
  }
  template <class T>
  void operator()(Impl::QrOfItems<T> const& f) const {
    run_lanes(Impl::QrOfLane<T, N>{f});
  }
  template <class T>
  void operator()(Impl::LeastSquaresOfItems<T> const& f) const {
    run_lanes(Impl::LeastSquaresOfLane<T, N>{f});
  }
};

/// With lanes that share items, for extents up to N.
template <int N>
struct SharedLanes {
  template <class T>
  void operator()(Impl::QrOfItems<T> const& f) const {
    run_kernel<Impl::QrOfSharedLanes<T, N>>(f);
  }
  template <class T>
  void operator()(Impl::EighOfItems<T> const& f) const {
    run_kernel<Impl::EighOfSharedLanes<T, N>>(f);
  }
  template <class T>
  void operator()(Impl::SvdOfItems<T> const& f) const {
    if (f.stores_vectors) run_kernel<Impl::SvdOfSharedLanes<T, N, true>>(f);
    else run_kernel<Impl::SvdOfSharedLanes<T, N, false>>(f);
  }
  template <class Kernel, class F>
  void run_kernel(F const& f) const {
    if constexpr (Impl::Vendor::has_shuffles) {
      auto const limits = h200_with_kokkos_4();
      Kernel const kernel(f, limits);
      ASSERT_TRUE(kernel.fits(limits));
      ASSERT_LE(kernel.team(), kernel.largest_team);
      run_teams(kernel, int(kernel.teams()), kernel.team(), kernel.bytes());
    }
  }
};

/// In tiles that are distributed over several warps, for extents up to 8 Tiles.
template <int Tiles>
struct InTiles {
  template <class T>
  void operator()(Impl::QrOfItems<T> const& f) const {
    if constexpr (Impl::Vendor::has_shuffles) {
      auto const limits = h200_with_kokkos_5();
      Impl::QrOfTiles<T, Tiles> const kernel(f, limits);
      ASSERT_TRUE(kernel.fits(limits));
      ASSERT_LE(kernel.team(), kernel.largest_team);
      run_teams(kernel, int(kernel.teams()), kernel.team(), kernel.bytes());
    }
  }
};

/// By panels of reflections, in scratch; or, with Slots of a workspace and scratch for few columns,
/// in both.
template <int Slots = 0>
struct ByPanels {
  template <class T>
  void operator()(Impl::QrOfItems<T> const& f) const {
    run_kernel<Impl::QrByPanels<T, Slots == 0>, T>(f);
  }
  template <class T>
  void operator()(Impl::LeastSquaresOfItems<T> const& f) const {
    run_kernel<Impl::LeastSquaresByPanels<T, Slots == 0>, T>(f);
  }
  template <class Kernel, class T, class F>
  void run_kernel(F const& f) const {
    if constexpr (Impl::Vendor::has_shuffles) {
      auto limits = h200_with_kokkos_5();
      if (Slots > 0) limits.scratch_of_team = 12000;
      Kernel kernel(f, limits);
      SlotsOfTest<T> const memory(Slots > 0 ? Slots : 1, kernel.bytes_of_item());
      if (Slots > 0) kernel.slots = memory.slots;
      ASSERT_TRUE(kernel.fits(limits));
      ASSERT_LE(kernel.team(), kernel.largest_team);
      run_teams(kernel, int(kernel.teams()), kernel.team(), kernel.bytes());
      ASSERT_TRUE(memory.fenced());
    }
  }
};

/// With a workspace of this many slots.
template <int Slots>
struct InWorkspace {
  template <class F>
  void operator()(F const& f) const {
    Impl::DecompositionTeamsInWorkspace<F> kernel(f, h200_with_kokkos_4());
    SlotsOfTest<typename F::number> const memory(Slots, kernel.bytes_of_item());
    kernel.slots = memory.slots;
    ASSERT_LE(kernel.team(), kernel.largest_team);
    ASSERT_EQ(kernel.teams(), std::min(std::int64_t(Slots), f.items));
    run_teams(kernel, int(kernel.teams()), kernel.team(), kernel.bytes());
    ASSERT_TRUE(memory.fenced());
  }
};

/// By rotations of blocks of columns. They begin with eigenvectors if Tiles > 0. An item that does
/// not fit into so many bytes of scratch is in one of three slots of a workspace.
template <int Tiles, int Lanes, std::size_t Scratch = 206824>
struct Blocks {
  template <class T>
  void operator()(Impl::SvdOfItems<T> const& f) const {
    if constexpr (Impl::Vendor::has_shuffles) {
      auto limits = h200_with_kokkos_5();
      limits.scratch_of_team = Scratch;
      using Kernel = Impl::SvdOfTiles<T, Tiles, Lanes>;
      Kernel kernel(f, limits);
      ASSERT_TRUE(Kernel::takes(f));
      ASSERT_LE(kernel.bytes(), limits.scratch_of_team);
      ASSERT_LE(kernel.team(), kernel.largest_team);
      ASSERT_EQ(kernel.in_scratch(), Scratch == 206824);
      SlotsOfTest<T> const memory(3, std::max(kernel.bytes_of_slot(), std::size_t(64)));
      kernel.slots = memory.slots;
      run_teams(kernel, int(kernel.teams()), kernel.team(), kernel.bytes());
      ASSERT_TRUE(memory.fenced());
    }
  }
};

template <class How, class F>
void run(F f, ArrangedBatch<int> const* codes, std::int64_t items) {
  if (codes) {
    f.status.narrow = codes->data();
    f.status.group = codes->item;
  }
  f.items = items;
  How()(f);
}
template <class T, class How>
void check_eigh_teams(int n, std::int64_t items, Arranged how, Random& random) {
  check_eigh<T>(n, items, how, random,
                [&](auto const& a, auto const& w, auto const& v, auto const& codes) {
                  Impl::EighOfItems<T> f;
                  f.a = items_read(a), f.values = items_of(w), f.vectors = items_of(v);
                  f.n = n;
                  f.stores_vectors = true;
                  run<How>(f, &codes, items);
                });
}
/// Units do not matter, and a value that overflows is a failure.
template <class T, class How>
void check_eigh_units(int n) {
  SCOPED_TRACE(n);
  constexpr std::int64_t items = 3;
  auto const matrix = [&](int cols) { return ArrangedBatch<T>(items, n, cols, Arranged::strided); };
  auto const find = [&](auto const& a, auto const& w, auto const& v, auto const& codes) {
    Impl::EighOfItems<T> f;
    f.a = items_read(a), f.values = items_of(w), f.vectors = items_of(v);
    f.n = n;
    f.stores_vectors = true;
    run<How>(f, &codes, items);
    codes.download();
  };
  ArrangedBatch<int> const codes(items, 1, 1, Arranged::item_contiguous);
  auto const a = matrix(n), w = matrix(1), v = matrix(n), w0 = matrix(1), v0 = matrix(n);
  fill_units(a, Filling::symmetric, 1, 0);
  find(a, w0, v0, codes);
  for (int k : powers_of_units<T>()) {
    fill_units(a, Filling::symmetric, 1, k);
    find(a, w, v, codes);
    for (std::int64_t q = 0; q < items; ++q) ASSERT_EQ(codes.at(q, 0, 0), 0);
    expect_in_units(w0, w, k, k, "eigenvalues"), expect_in_units(v0, v, k, 0, "eigenvectors");
  }
  if (n < 2) return;
  T const large = std::numeric_limits<T>::max() / T(1.05);
  for (std::int64_t q = 0; q < items; ++q)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        a.at(q, i, j) = i == j || (q == 1 && i < 2 && j < 2) ? large : T(0);
  a.upload();
  find(a, w, v, codes), w.download();
  for (std::int64_t q = 0; q < items; ++q) {
    ASSERT_EQ(codes.at(q, 0, 0), q == 1 ? Status::code(Reason::not_finite, 0) : 0);
    for (int i = 0; i < n; ++i) ASSERT_EQ(std::isnan(w.at(q, i, 0)), q == 1);
  }
}
template <class T, class How>
void check_svd_units(int m, int n) {
  SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n));
  constexpr std::int64_t items = 3;
  auto const matrix = [&](int rows, int cols) {
    return ArrangedBatch<T>(items, rows, cols, Arranged::strided);
  };
  ArrangedBatch<int> const codes(items, 1, 1, Arranged::item_contiguous);
  auto const find = [&](auto const& a, auto const& u, auto const& w, auto const& v) {
    Impl::SvdOfItems<T> f;
    f.a = items_read(a), f.values = items_of(w), f.u = items_of(u), f.v = items_of(v);
    f.m = m, f.n = n;
    f.stores_vectors = true;
    run<How>(f, &codes, items);
    codes.download();
  };
  auto const a = matrix(m, n), u = matrix(m, n), w = matrix(n, 1), v = matrix(n, n),
             u0 = matrix(m, n), w0 = matrix(n, 1), v0 = matrix(n, n);
  fill_units(a, Filling::general, 2, 0);
  find(a, u0, w0, v0);
  for (int k : powers_of_units<T>()) {
    fill_units(a, Filling::general, 2, k);
    find(a, u, w, v);
    for (std::int64_t q = 0; q < items; ++q) ASSERT_EQ(codes.at(q, 0, 0), 0);
    expect_in_units(w0, w, k, k, "singular values");
    expect_in_units(u0, u, k, 0, "U"), expect_in_units(v0, v, k, 0, "V");
  }
  if (n < 2) return;
  T const large = std::numeric_limits<T>::max() / T(1.05);
  for (std::int64_t q = 0; q < items; ++q)
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j)
        a.at(q, i, j) = i == j || (q == 1 && i < 2 && j < 2) ? large : T(0);
  a.upload();
  find(a, u, w, v), w.download();
  for (std::int64_t q = 0; q < items; ++q) {
    ASSERT_EQ(codes.at(q, 0, 0), q == 1 ? Status::code(Reason::not_finite, 0) : 0);
    for (int i = 0; i < n; ++i) ASSERT_EQ(std::isnan(w.at(q, i, 0)), q == 1);
  }
}
template <class T, class How>
void check_qr_units(int m, int n) {
  SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n));
  constexpr std::int64_t items = 3;
  auto const matrix = [&](int rows, int cols) {
    return ArrangedBatch<T>(items, rows, cols, Arranged::strided);
  };
  ArrangedBatch<int> const codes(items, 1, 1, Arranged::item_contiguous);
  auto const find = [&](auto const& a, auto const& q, auto const& r) {
    Impl::QrOfItems<T> f;
    f.a = items_read(a), f.q = items_of(q), f.r = items_of(r);
    f.m = m, f.n = n, f.columns_of_q = n;
    run<How>(f, &codes, items);
    codes.download();
  };
  auto const a = matrix(m, n), q = matrix(m, n), r = matrix(n, n), q0 = matrix(m, n),
             r0 = matrix(n, n);
  fill_units(a, Filling::general, 3, 0);
  find(a, q0, r0);
  for (int k : powers_of_units<T>()) {
    fill_units(a, Filling::general, 3, k);
    find(a, q, r);
    for (std::int64_t item = 0; item < items; ++item) ASSERT_EQ(codes.at(item, 0, 0), 0);
    expect_in_units(q0, q, k, 0, "Q"), expect_in_units(r0, r, k, k, "R");
  }
}

template <class T, class How>
void check_least_squares_units(int m, int n) {
  SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n));
  constexpr std::int64_t items = 3;
  auto const matrix = [&](int rows, int cols) {
    return ArrangedBatch<T>(items, rows, cols, Arranged::strided);
  };
  ArrangedBatch<int> const codes(items, 1, 1, Arranged::item_contiguous);
  auto const find = [&](auto const& a, auto const& b, auto const& x) {
    Impl::LeastSquaresOfItems<T> f;
    f.a = m < n ? items_turned(a) : items_read(a);
    f.b = items_read(b), f.x = items_of(x);
    f.m = std::max(m, n), f.n = std::min(m, n), f.columns = b.cols;
    f.shortest = m < n;
    run<How>(f, &codes, items);
    codes.download();
  };
  auto const a = matrix(m, n), b = matrix(m, 2), x = matrix(n, 2), x0 = matrix(n, 2);
  fill_units(a, Filling::general, 4, 0), fill_units(b, Filling::upper, 5, 0);
  find(a, b, x0);
  for (int k : powers_of_units<T>()) {
    fill_units(a, Filling::general, 4, k), fill_units(b, Filling::upper, 5, k);
    find(a, b, x);
    for (std::int64_t item = 0; item < items; ++item) ASSERT_EQ(codes.at(item, 0, 0), 0);
    expect_in_units(x0, x, k, 0, "solutions");
  }
}

template <class T, class How>
void check_svd_teams(int m, int n, std::int64_t items, Arranged how, Random& random) {
  auto const of = [&](auto const& a, auto const& w) {
    Impl::SvdOfItems<T> f;
    f.a = m < n ? items_turned(a) : items_read(a), f.values = items_of(w);
    f.m = std::max(m, n), f.n = std::min(m, n);
    return f;
  };
  check_svd<T>(
      m, n, items, how, random,
      [&](auto const& a, auto const& u, auto const& w, auto const& v, auto const& codes) {
        auto f = of(a, w);
        f.u = items_of(m < n ? v : u), f.v = items_of(m < n ? u : v);
        f.stores_vectors = true;
        run<How>(f, &codes, items);
      },
      [&](auto const& a, auto const& w) { run<How>(of(a, w), nullptr, items); });
}
template <class T, class How>
void check_qr_teams(int m, int n, bool full, std::int64_t items, Arranged how, Random& random) {
  check_qr<T>(m, n, full ? m : std::min(m, n), items, how, random,
              [&](auto const& a, auto const& q, auto const& r, auto const& codes) {
                Impl::QrOfItems<T> f;
                f.a = items_read(a), f.q = items_of(q), f.r = items_of(r);
                f.m = m, f.n = n, f.columns_of_q = q.cols;
                run<How>(f, &codes, items);
              });
}
template <class T, class How>
void check_least_squares_teams(int m, int n, int columns, std::int64_t items, Arranged how,
                               Random& random) {
  check_least_squares<T>(m, n, columns, items, how, random,
                         [&](auto const& a, auto const& b, auto const& x, auto const& codes) {
                           Impl::LeastSquaresOfItems<T> f;
                           f.a = m < n ? items_turned(a) : items_read(a);
                           f.b = items_read(b), f.x = items_of(x);
                           f.m = std::max(m, n), f.n = std::min(m, n), f.columns = columns;
                           f.shortest = m < n;
                           run<How>(f, &codes, items);
                         });
}

TEST(DecompositionTeams, SmallItems) {
  Random random(4);
  check_eigh_teams<double, Teams<false>>(1, 5, Arranged::item_contiguous, random);
  check_eigh_teams<double, Teams<false>>(5, 27, Arranged::interleaved, random);
  check_eigh_teams<float, Teams<false>>(12, 13, Arranged::by_columns, random);
  check_svd_teams<float, Teams<false>>(5, 3, 21, Arranged::interleaved, random);
  check_svd_teams<double, Teams<false>>(6, 9, 10, Arranged::strided, random);
  check_qr_teams<double, Teams<false>>(3, 3, false, 21, Arranged::item_contiguous, random);
  check_qr_teams<float, Teams<false>>(9, 4, true, 11, Arranged::interleaved, random);
  check_qr_teams<float, Teams<false>>(4, 9, false, 11, Arranged::by_columns, random);
  check_least_squares_teams<double, Teams<false>>(7, 4, 3, 11, Arranged::item_contiguous, random);
  check_least_squares_teams<double, Teams<false>>(4, 7, 10, 11, Arranged::interleaved, random);
}
TEST(DecompositionTeams, EigenpairsByReflections) {
  Random random(14);
  check_eigh_teams<double, Reflections<2>>(3, 29, Arranged::interleaved, random);
  check_eigh_teams<float, Reflections<2>>(9, 27, Arranged::item_contiguous, random);
  check_eigh_teams<double, Reflections<2>>(16, 15, Arranged::strided, random);
  check_eigh_teams<double, Reflections<2>>(31, 14, Arranged::by_columns, random);
  check_eigh_teams<float, Reflections<2>>(45, 13, Arranged::interleaved, random);
  check_eigh_teams<double, Reflections<4>>(69, 5, Arranged::item_contiguous, random);
  check_eigh_teams<float, Reflections<4>>(34, 13, Arranged::item_contiguous, random);
}
TEST(DecompositionTeams, SingularValuesFromEigenvectors) {
  Random random(15);
  check_svd_teams<double, Reflections<2>>(5, 5, 29, Arranged::interleaved, random);
  check_svd_teams<float, Reflections<2>>(9, 14, 27, Arranged::item_contiguous, random);
  check_svd_teams<double, Reflections<2>>(16, 16, 15, Arranged::strided, random);
  check_svd_teams<float, Reflections<2>>(31, 27, 14, Arranged::by_columns, random);
  check_svd_teams<float, Reflections<2>>(45, 45, 13, Arranged::interleaved, random);
  check_svd_teams<double, Reflections<2>>(34, 40, 5, Arranged::item_contiguous, random);
}
TEST(DecompositionTeams, SingularValuesOfBlocks) {
  Random random(17);
  if constexpr (Impl::Vendor::has_shuffles) {
    check_svd_teams<double, Blocks<0, 512>>(35, 17, 6, Arranged::interleaved, random);
    check_svd_teams<float, Blocks<0, 512>>(18, 34, 6, Arranged::item_contiguous, random);
    check_svd_teams<float, Blocks<0, 512>>(34, 3, 6, Arranged::by_columns, random);
    check_svd_teams<double, Blocks<8, 128>>(33, 30, 6, Arranged::strided, random);
    check_svd_teams<float, Blocks<8, 128>>(36, 30, 6, Arranged::by_columns, random);
    // One matrix in scratch, and none.
    check_svd_teams<double, Blocks<8, 128, 9000>>(36, 12, 6, Arranged::item_contiguous, random);
    check_svd_teams<double, Blocks<8, 128, 4000>>(36, 12, 6, Arranged::interleaved, random);
    check_svd_teams<float, Blocks<0, 512, 2500>>(36, 12, 6, Arranged::interleaved, random);
  }
}
TEST(DecompositionTeams, LargeItems) {
  Random random(5);
  check_eigh_teams<float, Teams<true>>(11, 4, Arranged::item_contiguous, random);
  check_svd_teams<double, Teams<true>>(10, 7, 4, Arranged::interleaved, random);
  check_qr_teams<double, Teams<true>>(12, 9, true, 3, Arranged::item_contiguous, random);
  check_least_squares_teams<float, Teams<true>>(8, 11, 2, 3, Arranged::by_columns, random);
}

TEST(DecompositionTeams, AnItemOfEachLane) {
  Random random(7);
  for (auto how : all_arranged) {
    check_eigh_teams<double, Lanes<3>>(3, 33, how, random);
    check_eigh_teams<float, Lanes<8>>(8, 31, how, random);
    check_svd_teams<double, Lanes<4>>(4, 4, 40, how, random);
    check_svd_teams<float, Lanes<7>>(7, 7, 32, how, random);
    check_qr_teams<float, Lanes<8>>(8, 8, false, 33, how, random);
    check_qr_teams<double, Lanes<7>>(7, 4, true, 31, how, random);
    check_qr_teams<double, Lanes<6>>(3, 6, false, 40, how, random);
    check_least_squares_teams<float, Lanes<8>>(8, 5, 11, 33, how, random);
    check_least_squares_teams<double, Lanes<5>>(3, 5, 2, 31, how, random);
  }
  check_eigh_teams<double, Lanes<1>>(1, 70, Arranged::item_contiguous, random);
  check_svd_teams<double, Lanes<1>>(1, 1, 2, Arranged::interleaved, random);
  check_qr_teams<float, Lanes<2>>(2, 1, true, 1, Arranged::strided, random);
  check_eigh_teams<double, Lanes<7>>(7, 257, Arranged::interleaved, random);
}

/// Every arrangement; shapes that fill the extent of the kernel and others; a partial last team and
/// a partial last warp.
TEST(DecompositionTeams, ItemsThatLanesShare) {
  if (!Impl::Vendor::has_shuffles) return;
  Random random(8);
  for (auto how : all_arranged) {
    check_qr_teams<float, SharedLanes<12>>(12, 12, false, 13, how, random);
    check_qr_teams<float, SharedLanes<12>>(9, 4, true, 10, how, random);
    check_qr_teams<double, SharedLanes<12>>(5, 8, false, 11, how, random);
    check_qr_teams<double, SharedLanes<24>>(24, 19, false, 10, how, random);
  }
  check_qr_teams<float, SharedLanes<16>>(16, 16, false, 35, Arranged::item_contiguous, random);
  check_qr_teams<float, SharedLanes<16>>(3, 14, false, 11, Arranged::interleaved, random);
  check_qr_teams<double, SharedLanes<16>>(16, 12, false, 21, Arranged::item_contiguous, random);
  check_qr_teams<double, SharedLanes<16>>(13, 1, true, 10, Arranged::by_columns, random);
  check_qr_teams<float, SharedLanes<24>>(20, 24, false, 11, Arranged::item_contiguous, random);
  check_qr_teams<float, SharedLanes<32>>(32, 32, false, 11, Arranged::item_contiguous, random);
  check_qr_teams<double, SharedLanes<32>>(32, 32, false, 10, Arranged::interleaved, random);
  check_qr_teams<double, SharedLanes<32>>(31, 27, true, 10, Arranged::strided, random);
  // With so many items that columns after those of others are not finite.
  check_qr_teams<double, SharedLanes<24>>(17, 5, false, 33, Arranged::item_contiguous, random);
}
/// The same with at least as many items as there are kinds of matrices. Zeros of a matrix must not
/// be confused with zeros outside of it.
TEST(DecompositionTeams, EigenvaluesWhereLanesShare) {
  if (!Impl::Vendor::has_shuffles) return;
  Random random(18);
  for (auto how : all_arranged) {
    check_eigh_teams<double, SharedLanes<12>>(9, 29, how, random);
    check_svd_teams<float, SharedLanes<12>>(11, 9, 29, how, random);
  }
  check_svd_teams<double, SharedLanes<12>>(6, 5, 29, Arranged::strided, random);
  check_svd_teams<float, SharedLanes<32>>(17, 32, 27, Arranged::interleaved, random);
  check_eigh_teams<float, SharedLanes<12>>(12, 37, Arranged::interleaved, random);
  check_eigh_teams<double, SharedLanes<16>>(13, 27, Arranged::item_contiguous, random);
  check_eigh_teams<float, SharedLanes<24>>(17, 27, Arranged::strided, random);
  check_eigh_teams<double, SharedLanes<24>>(24, 29, Arranged::item_contiguous, random);
  check_eigh_teams<double, SharedLanes<32>>(31, 27, Arranged::by_columns, random);
  check_eigh_teams<float, SharedLanes<48>>(33, 27, Arranged::by_columns, random);
  check_eigh_teams<float, SharedLanes<64>>(64, 27, Arranged::item_contiguous, random);
  check_svd_teams<double, SharedLanes<16>>(10, 15, 29, Arranged::item_contiguous, random);
  check_svd_teams<double, SharedLanes<24>>(24, 21, 27, Arranged::interleaved, random);
  check_svd_teams<float, SharedLanes<32>>(32, 32, 27, Arranged::item_contiguous, random);
  // A caller may want these kernels for smaller and for narrow matrices.
  check_eigh_teams<float, SharedLanes<12>>(1, 5, Arranged::item_contiguous, random);
  check_eigh_teams<double, SharedLanes<12>>(3, 13, Arranged::interleaved, random);
  check_svd_teams<double, SharedLanes<12>>(5, 5, 13, Arranged::item_contiguous, random);
  check_svd_teams<float, SharedLanes<24>>(20, 5, 13, Arranged::by_columns, random);
}
/// One to 24 panels, with a last panel of one to four columns, an odd number of panels, and columns
/// after the last panel; thin and full Q.
TEST(DecompositionTeams, ItemsInTiles) {
  if (!Impl::Vendor::has_shuffles) return;
  Random random(9);
  check_qr_teams<double, InTiles<8>>(64, 64, false, 3, Arranged::item_contiguous, random);
  check_qr_teams<float, InTiles<8>>(61, 50, true, 3, Arranged::interleaved, random);
  check_qr_teams<double, InTiles<8>>(50, 63, false, 3, Arranged::by_columns, random);
  check_qr_teams<double, InTiles<6>>(48, 33, false, 5, Arranged::strided, random);
  check_qr_teams<float, InTiles<6>>(37, 37, false, 3, Arranged::by_columns, random);
  check_qr_teams<double, InTiles<6>>(7, 5, true, 10, Arranged::interleaved, random);
  check_qr_teams<double, InTiles<12>>(96, 80, false, 2, Arranged::item_contiguous, random);
  check_qr_teams<float, InTiles<12>>(65, 96, false, 2, Arranged::item_contiguous, random);
  for (auto how : all_arranged) {
    check_qr_teams<float, InTiles<6>>(41, 1, true, 6, how, random);
    check_qr_teams<double, InTiles<6>>(9, 46, false, 7, how, random);
  }
  check_qr_teams<float, InTiles<6>>(1, 48, false, 3, Arranged::interleaved, random);
  check_qr_teams<float, InTiles<6>>(36, 36, false, 9, Arranged::item_contiguous, random);
  check_qr_teams<double, InTiles<6>>(35, 34, true, 3, Arranged::item_contiguous, random);
  // With so many items that columns after those of others are not finite.
  check_qr_teams<double, InTiles<6>>(17, 5, false, 33, Arranged::interleaved, random);
  check_qr_teams<float, InTiles<6>>(12, 20, false, 63, Arranged::item_contiguous, random);
}
/// Only R, and Q in the memory of A.
template <class How>
void check_qr_in_place(int m, int n, int items, Arranged how, Random& random) {
  ArrangedBatch<float> const a(items, m, n, how), q(items, m, n, how), r(items, n, n, how),
      alone(items, n, n, how), in_place(items, n, n, how);
  a.randomise(random);
  auto const factor = [&](auto const& to, bool apart) {
    Impl::QrOfItems<float> f;
    f.a = items_read(a), f.q = items_of(apart ? q : a), f.r = items_of(to);
    f.m = m, f.n = n, f.columns_of_q = n;
    return f;
  };
  run<How>(factor(r, true), nullptr, items);
  auto without = factor(alone, true);
  without.q = {}, without.columns_of_q = 0;
  run<How>(without, nullptr, items);
  run<How>(factor(in_place, false), nullptr, items);
  a.download(), q.download(), r.download(), alone.download(), in_place.download();
  for (int k = 0; k < items; ++k) {
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        ASSERT_TRUE(same_bits(alone.at(k, i, j), r.at(k, i, j)));
        ASSERT_TRUE(same_bits(in_place.at(k, i, j), r.at(k, i, j)));
      }
      for (int i = 0; i < m; ++i) ASSERT_TRUE(same_bits(a.at(k, i, j), q.at(k, i, j)));
    }
  }
  expect_only_items(a), expect_only_items(alone);
}
TEST(DecompositionTeams, ItemsThatLanesShareInPlace) {
  if (!Impl::Vendor::has_shuffles) return;
  Random random(9);
  for (auto how : {Arranged::item_contiguous, Arranged::interleaved}) {
    check_qr_in_place<SharedLanes<24>>(20, 17, 5, how, random);
    check_qr_in_place<InTiles<6>>(40, 37, 5, how, random);
    check_qr_in_place<ByPanels<>>(18, 17, 5, how, random);
  }
}

/// Columns before and behind the one that fails in its panel; one warp finds reflections, or
/// several, with rows in registers and beyond.
TEST(DecompositionTeams, ItemsByPanels) {
  if (!Impl::Vendor::has_shuffles) return;
  Random random(16);
  check_qr_teams<double, ByPanels<>>(12, 12, false, 35, Arranged::item_contiguous, random);
  check_qr_teams<float, ByPanels<>>(12, 10, true, 35, Arranged::by_columns, random);
  check_qr_teams<double, ByPanels<>>(33, 20, true, 10, Arranged::interleaved, random);
  check_qr_teams<float, ByPanels<>>(20, 37, false, 10, Arranged::strided, random);
  check_qr_teams<double, ByPanels<>>(21, 64, false, 10, Arranged::by_columns, random);
  check_qr_teams<float, ByPanels<>>(70, 1, true, 10, Arranged::item_contiguous, random);
  check_qr_teams<double, ByPanels<>>(1, 41, true, 10, Arranged::interleaved, random);
  check_qr_teams<double, ByPanels<>>(140, 17, false, 2, Arranged::item_contiguous, random);
  check_qr_teams<double, ByPanels<3>>(40, 37, true, 10, Arranged::item_contiguous, random);
  check_qr_teams<float, ByPanels<1>>(2200, 10, false, 1, Arranged::by_columns, random);
  check_least_squares_teams<double, ByPanels<>>(37, 20, 3, 10, Arranged::by_columns, random);
  check_least_squares_teams<float, ByPanels<>>(37, 20, 3, 10, Arranged::interleaved, random);
  check_least_squares_teams<double, ByPanels<>>(20, 37, 20, 10, Arranged::strided, random);
  check_least_squares_teams<float, ByPanels<>>(20, 37, 1, 10, Arranged::item_contiguous, random);
  check_least_squares_teams<double, ByPanels<2>>(33, 41, 2, 10, Arranged::interleaved, random);
  check_least_squares_teams<float, ByPanels<3>>(41, 33, 17, 10, Arranged::by_columns, random);
}

/// Fewer slots than items, with a partial last round, and items that fail in a team.
TEST(DecompositionTeams, ItemsInAWorkspace) {
  Random random(6);
  check_eigh_teams<float, InWorkspace<5>>(4, 13, Arranged::interleaved, random);
  check_eigh_teams<double, InWorkspace<1>>(5, 2, Arranged::item_contiguous, random);
  check_svd_teams<float, InWorkspace<4>>(5, 3, 10, Arranged::by_columns, random);
  check_svd_teams<double, InWorkspace<2>>(3, 5, 3, Arranged::strided, random);
  check_qr_teams<float, InWorkspace<3>>(9, 5, true, 10, Arranged::item_contiguous, random);
  check_qr_teams<double, InWorkspace<7>>(5, 9, false, 3, Arranged::interleaved, random);
  check_least_squares_teams<float, InWorkspace<3>>(7, 4, 10, 10, Arranged::by_columns, random);
  check_least_squares_teams<double, InWorkspace<2>>(5, 8, 2, 3, Arranged::interleaved, random);
}
/// More columns than a team has groups, and more rows than a group processes in one pass.
TEST(DecompositionTeams, LargeItemsInAWorkspace) {
  if (!Impl::Vendor::has_shuffles) return;
  Random random(7);
  check_qr_teams<double, InWorkspace<1>>(70, 33, false, 1, Arranged::item_contiguous, random);
  check_svd_teams<float, InWorkspace<1>>(300, 4, 1, Arranged::by_columns, random);
}

/// The documented limits for an H200 with Kokkos 5.2: these sizes fit, and one more row does not.
TEST(DecompositionTeams, LargestItems) {
  if (!Impl::Vendor::has_shuffles) return;
  Impl::DeviceLimits limits = h200_with_kokkos_4();
  limits.scratch_of_team = 206824;
  auto const fits = [&](auto f) {
    f.items = 1000;
    return Impl::DecompositionTeams<decltype(f), true>(f, limits).fits(limits);
  };
  auto const eigh = [&]<class T>(T, int n) {
    Impl::EighOfItems<T> f;
    f.n = n;
    return fits(f);
  };
  auto const svd = [&]<class T>(T, int n) {
    Impl::SvdOfItems<T> f;
    f.m = f.n = n;
    f.stores_vectors = true;
    return fits(f);
  };
  auto const singular_values = [&]<class T>(T, int n) {
    Impl::SvdOfItems<T> f;
    f.m = f.n = n;
    return fits(f);
  };
  auto const qr = [&]<class T>(T, int n) {
    Impl::QrOfItems<T> f;
    f.m = f.n = f.columns_of_q = n;
    return fits(f);
  };
  auto const most = [](auto const& fit, auto number) {
    int n = 1;
    while (fit(number, n + 1)) ++n;
    return n;
  };
  EXPECT_EQ(most(eigh, 1.0f), 224);
  EXPECT_EQ(most(eigh, 1.0), 159);
  EXPECT_EQ(most(svd, 1.0f), 159);
  EXPECT_EQ(most(svd, 1.0), 112);
  EXPECT_EQ(most(singular_values, 1.0f), 224);
  EXPECT_EQ(most(singular_values, 1.0), 158);
  EXPECT_EQ(most(qr, 1.0f), 224);
  EXPECT_EQ(most(qr, 1.0), 159);
  auto const by_panels = [&]<class T>(T, int n) {
    Impl::QrOfItems<T> f;
    f.m = f.n = f.columns_of_q = n;
    return Impl::QrByPanels<T, true>(f, limits).fits(limits);
  };
  EXPECT_EQ(most(by_panels, 1.0f), 216);
  EXPECT_EQ(most(by_panels, 1.0), 152);
}

TEST(DecompositionsTeams, Units) {
  check_eigh_units<float, Lanes<1>>(1), check_eigh_units<double, Lanes<5>>(5);
  check_eigh_units<float, Lanes<8>>(8), check_eigh_units<double, Teams<false>>(9);
  check_eigh_units<float, Teams<true>>(19), check_eigh_units<double, InWorkspace<2>>(9);
  check_svd_units<float, Lanes<1>>(1, 1), check_svd_units<double, Lanes<5>>(5, 5);
  check_svd_units<float, Lanes<8>>(8, 8), check_svd_units<double, Teams<false>>(11, 9);
  check_svd_units<float, Teams<true>>(19, 12), check_svd_units<double, InWorkspace<2>>(9, 7);
  check_qr_units<float, Lanes<1>>(1, 1), check_qr_units<double, Lanes<5>>(5, 4);
  check_qr_units<float, Lanes<8>>(8, 8), check_qr_units<double, Teams<false>>(11, 9);
  check_qr_units<float, Teams<true>>(19, 12), check_qr_units<double, InWorkspace<2>>(9, 7);
  check_least_squares_units<float, Lanes<8>>(8, 5),
      check_least_squares_units<double, Lanes<5>>(3, 5);
  check_least_squares_units<double, Teams<false>>(11, 9);
  check_least_squares_units<float, Teams<true>>(12, 19);
  check_least_squares_units<double, InWorkspace<2>>(9, 7);
  if constexpr (Impl::Vendor::has_shuffles) {
    check_eigh_units<float, SharedLanes<12>>(9), check_eigh_units<double, SharedLanes<24>>(21);
    check_eigh_units<float, Reflections<2>>(19), check_eigh_units<double, Reflections<4>>(70);
    check_svd_units<float, SharedLanes<12>>(11, 9),
        check_svd_units<double, SharedLanes<24>>(21, 20);
    check_svd_units<float, Reflections<2>>(19, 17);
    check_svd_units<float, Blocks<0, 512>>(34, 9), check_svd_units<double, Blocks<8, 128>>(35, 10);
    check_qr_units<float, SharedLanes<12>>(11, 9), check_qr_units<double, SharedLanes<24>>(21, 20);
    check_qr_units<float, InTiles<6>>(39, 33), check_qr_units<double, InTiles<6>>(39, 39);
    check_qr_units<float, ByPanels<>>(19, 12), check_qr_units<double, ByPanels<1>>(19, 17);
    check_least_squares_units<float, ByPanels<>>(19, 12);
    check_least_squares_units<double, ByPanels<1>>(12, 19);
  }
}

}  // namespace
}  // namespace Batchwork::Test

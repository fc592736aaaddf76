// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Batches of a few numbers that are so far apart in memory that their offsets exceed 2^31 numbers.
#ifndef BATCHWORK_TEST_FAR_COPY_HPP
#define BATCHWORK_TEST_FAR_COPY_HPP

#include <exception>
#include <vector>

#include "dense/gemm/GemmCase.hpp"

namespace Batchwork::Test {

/// What is far apart in memory: items, which are contiguous themselves; or the columns of matrices
/// and entries of vectors, with adjacent items.
enum class Apart { items, numbers };

/// A copy of a batch whose last number is at least 2^31 numbers after the first. The memory is not
/// initialised, so that hosts provide only the pages that are used. Packs and units of 16 bytes fit
/// into the gaps.
template <class T>
struct FarCopy {
  static constexpr std::int64_t reach = std::int64_t(1) << 31;
  static std::int64_t step(std::int64_t count) { return (reach / (count - 1) + 63) / 64 * 64; }

  ArrangedBatch<T> const& near;
  std::int64_t item, row, col = 1;
  Kokkos::View<T*, Space> storage;

  FarCopy(ArrangedBatch<T> const& of, Apart apart) : near(of) {
    if (apart == Apart::items) {
      item = step(near.items);
      row = near.cols;
    } else {
      item = 1;
      row = near.cols == 1 ? step(near.rows) : (near.items + 63) / 64 * 64;
      if (near.cols > 1) col = step(near.cols);
    }
    std::int64_t const last =
        (near.items - 1) * item + (near.rows - 1) * row + (near.cols - 1) * col;
    EXPECT_GE(last, reach);
    storage = Kokkos::View<T*, Space>(Kokkos::view_alloc(Kokkos::WithoutInitializing, "far"),
                                      std::size_t(last + 1));
    move(true);
  }

  using Matrices = typename ArrangedBatch<T>::Batch;
  using Vectors = Kokkos::View<T**, Kokkos::LayoutStride, Space, Kokkos::MemoryUnmanaged>;
  Matrices batch() const {
    return Matrices(storage.data(), Kokkos::LayoutStride(std::size_t(near.items), std::size_t(item),
                                                         std::size_t(near.rows), std::size_t(row),
                                                         std::size_t(near.cols), std::size_t(col)));
  }
  Vectors vectors() const {
    return Vectors(storage.data(), Kokkos::LayoutStride(std::size_t(near.items), std::size_t(item),
                                                        std::size_t(near.rows), std::size_t(row)));
  }
  /// Copies the results back to the batch, and to the host.
  void fetch() const {
    move(false);
    near.download();
  }

  /// Computes offsets in 64 bits, without a View.
  struct Move {
    T *near, *far;
    std::int64_t rows, cols, near_item, near_row, near_col, far_item, far_row, far_col;
    bool outward;
    KOKKOS_FUNCTION void operator()(std::int64_t k) const {
      std::int64_t const n = k / (rows * cols), i = k / cols % rows, j = k % cols;
      T& x = near[n * near_item + i * near_row + j * near_col];
      T& y = far[n * far_item + i * far_row + j * far_col];
      if (outward) y = x;
      else x = y;
    }
  };

 private:
  void move(bool outward) const {
    Kokkos::parallel_for("Batchwork::Test: far",
                         Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
                             0, near.items * near.rows * near.cols),
                         Move{near.data(), storage.data(), near.rows, near.cols, near.item,
                              near.row, near.col, item, row, col, outward});
    Kokkos::fence();
  }
};

/// Says why there is not enough memory for this many far copies; empty if there is enough.
template <class T>
std::string no_room_for_far(int copies) {
  std::size_t const size = std::size_t(FarCopy<T>::reach) + (1 << 20);
  try {
    std::vector<Kokkos::View<T*, Space>> all;
    for (int k = 0; k < copies; ++k)
      all.emplace_back(Kokkos::view_alloc(Kokkos::WithoutInitializing, "far"), size);
  } catch (std::exception const& e) {
    return std::to_string(copies) + " allocations of " + std::to_string(size * sizeof(T)) +
           " bytes cannot be had: " + e.what();
  }
  return "";
}

}  // namespace Batchwork::Test

#endif

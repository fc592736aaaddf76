// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Items of different sizes in one array, in any order and with gaps of poison between them.
#ifndef BATCHWORK_TEST_RAGGED_CASE_HPP
#define BATCHWORK_TEST_RAGGED_CASE_HPP

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "dense/cholesky/TriangleCase.hpp"

namespace Batchwork::Test {

/// The sizes of items: item n has size(n, d).
struct RaggedSizes {
  int per_item = 1;
  std::vector<int> numbers;

  std::int64_t items() const { return std::int64_t(numbers.size()) / per_item; }
  int operator()(std::int64_t n, int d = 0) const {
    return d < 0 ? 1 : numbers[std::size_t(n * per_item + d)];
  }
  /// sizes(item, d), or sizes(item) if there is one for each.
  template <class I = int>
  Kokkos::View<I**, Space> view() const {
    Kokkos::View<I**, Space> const v("sizes", std::size_t(items()), std::size_t(per_item));
    auto const h = Kokkos::create_mirror_view(v);
    for (std::int64_t n = 0; n < items(); ++n)
      for (int d = 0; d < per_item; ++d)
        h(std::size_t(n), std::size_t(d)) = static_cast<I>((*this)(n, d));
    Kokkos::deep_copy(v, h);
    return v;
  }
};
/// `most` is the largest size. Sizes 0, 1 and `most` occur.
inline RaggedSizes uniform_sizes(Random& random, std::int64_t items, int most, int per_item = 1) {
  RaggedSizes s{per_item, {}};
  for (std::int64_t k = 0; k < items * per_item; ++k) s.numbers.push_back(random.integer(0, most));
  for (std::size_t d = 0; d < std::size_t(per_item) && items > 2; ++d)
    s.numbers[d] = most, s.numbers[std::size_t(per_item) + d] = 1;
  return s;
}
/// Many small items and few large ones.
inline RaggedSizes power_law_sizes(Random& random, std::int64_t items, int most) {
  RaggedSizes s;
  for (std::int64_t k = 0; k < items; ++k)
    s.numbers.push_back(std::min(most, int(std::pow(random(0.001, 1.0), -2.0))));
  s.numbers[std::size_t(items / 2)] = most;
  return s;
}

/// Items with size R times size C (-1 is for an extent of 1), rows or columns one after the other.
template <class T, class I = std::int64_t>
class RaggedArray {
 public:
  RaggedArray(RaggedSizes const& sizes, int r, int c, bool by_columns, Random& random)
      : sizes_(sizes), r_(r), c_(c), by_columns_(by_columns) {
    auto const n = std::size_t(sizes.items());
    offsets_ = Kokkos::View<I*, Space>("offsets", n);
    auto const h = Kokkos::create_mirror_view(offsets_);
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t(0));
    for (std::size_t k = n; k > 1; --k)
      std::swap(order[k - 1], order[std::size_t(random.integer(0, int(k) - 1))]);
    begin_.resize(n);
    std::int64_t at = 0;
    for (std::size_t const k : order) {
      at += random.integer(0, 3);
      begin_[k] = at;
      h(k) = static_cast<I>(at);
      at += rows(std::int64_t(k)) * cols(std::int64_t(k));
    }
    at += 2;
    Kokkos::deep_copy(offsets_, h);
    view_ = Kokkos::View<T*, Space>("values", std::size_t(at));
    host_.assign(std::size_t(at), static_cast<T>(-77.125));
  }
  std::int64_t items() const { return sizes_.items(); }
  int rows(std::int64_t n) const { return sizes_(n, r_); }
  int cols(std::int64_t n) const { return sizes_(n, c_); }
  T& at(std::int64_t n, int i, int j = 0) {
    std::int64_t const k =
        by_columns_ ? i + std::int64_t(j) * rows(n) : std::int64_t(i) * cols(n) + j;
    return host_[std::size_t(begin_[std::size_t(n)] + k)];
  }
  Dense item(std::int64_t n) {
    return make_dense(rows(n), cols(n), [&](int i, int j) { return at(n, i, j); });
  }
  void put(std::int64_t n, Dense const& x) {
    for (int i = 0; i < x.rows; ++i)
      for (int j = 0; j < x.cols; ++j) at(n, i, j) = static_cast<T>(x(i, j));
  }
  void randomise(Random& random) {
    for (std::int64_t n = 0; n < items(); ++n)
      for (int i = 0; i < rows(n); ++i)
        for (int j = 0; j < cols(n); ++j) at(n, i, j) = static_cast<T>(random());
  }
  void upload() {
    Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const h(host_.data(),
                                                                         host_.size());
    Kokkos::deep_copy(view_, h);
  }
  /// Also checks that the numbers between items have kept their bits.
  void download() {
    auto const before = host_;
    Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const h(host_.data(),
                                                                         host_.size());
    Kokkos::deep_copy(h, view_);
    std::vector<bool> owned(host_.size(), false);
    for (std::int64_t n = 0; n < items(); ++n)
      for (int k = 0; k < rows(n) * cols(n); ++k)
        owned[std::size_t(begin_[std::size_t(n)] + k)] = true;
    for (std::size_t k = 0; k < host_.size(); ++k) {
      if (!owned[k]) {
        ASSERT_EQ(std::memcmp(&host_[k], &before[k], sizeof(T)), 0) << "a gap, at " << k;
      }
    }
  }
  std::vector<T> numbers(std::int64_t n) {
    auto const first = host_.begin() + begin_[std::size_t(n)];
    return std::vector<T>(first, first + rows(n) * cols(n));
  }
  Kokkos::View<T*, Space> view() const { return view_; }
  Kokkos::View<I*, Space> offsets() const { return offsets_; }

 private:
  RaggedSizes sizes_;
  int r_, c_;
  bool by_columns_;
  std::vector<std::int64_t> begin_;
  std::vector<T> host_;
  Kokkos::View<T*, Space> view_;
  Kokkos::View<I*, Space> offsets_;
};

/// A ragged operand of an array by rows, or by columns.
template <int... D, class Plan, class T, class I>
auto ragged_of(Plan const& plan, RaggedArray<T, I> const& a) {
  return ragged<D...>(plan, a.view(), a.offsets());
}
template <int... D, class Plan, class T, class I>
auto ragged_by_columns(Plan const& plan, RaggedArray<T, I> const& a) {
  return ragged<D...>(plan, a.view(), a.offsets(), Kokkos::LayoutLeft());
}

/// Codes of the items, poisoned.
template <class Code = int>
struct RaggedCodes {
  Kokkos::View<Code*, Space> view;
  explicit RaggedCodes(std::int64_t items) : view("codes", std::size_t(items)) {
    Kokkos::deep_copy(view, Code(-5));
  }
  std::vector<Code> host() const {
    auto const h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
    return std::vector<Code>(h.data(), h.data() + h.size());
  }
};

}  // namespace Batchwork::Test

#endif

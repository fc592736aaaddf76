// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Shared code of the unit tests: random data, linear algebra in long double as the independent
/// reference, LAPACK if it was found, tolerances, poison, and batches in every layout.
#ifndef BATCHWORK_TEST_SUPPORT_HPP
#define BATCHWORK_TEST_SUPPORT_HPP

#include <gtest/gtest.h>

#include <Batchwork.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "support/Dense.hpp"
#include "support/Random.hpp"

namespace Batchwork::Test {

using Space = Kokkos::DefaultExecutionSpace;

#if defined(BATCHWORK_TEST_LANES)
/// map with the number of lanes per item that the test program is compiled for.
template <class Sequence, class... O>
  requires(!Kokkos::is_execution_space_v<Sequence>)
void map(Sequence const& sequence, O const&... operands) {
  Batchwork::map(launch(lanes<BATCHWORK_TEST_LANES>), sequence, operands...);
}
#endif

/// A number of items that exceeds the limit of some dimensions of a device's grid, and is not a
/// multiple of the pack width. Hosts have no such limit.
inline constexpr int beyond_a_grid = Impl::runs_on_device<Space> ? 65537 : 2049;

template <class T>
inline constexpr long double epsilon = static_cast<long double>(std::numeric_limits<T>::epsilon());

// ---- poison -------------------------------------------------------------------------------------

/// The value of outputs before a verb runs: a number that no test computes. Unlike NaN it is equal
/// to itself, so that tests can search for it.
template <class T>
constexpr T poison() {
  if constexpr (std::is_floating_point_v<T>) return T(-7.0L * (1LL << 60));
  else if constexpr (std::is_integral_v<T>) return T(-559038737);
  else return T(poison<typename T::value_type>(), poison<typename T::value_type>());
}

// ---- LAPACK -------------------------------------------------------------------------------------

#if defined(BATCHWORK_HAVE_LAPACK)
extern "C" {
void spotrf_(char const*, int const*, float*, int const*, int*);
void dpotrf_(char const*, int const*, double*, int const*, int*);
void sgetrf_(int const*, int const*, float*, int const*, int*, int*);
void dgetrf_(int const*, int const*, double*, int const*, int*, int*);
void ssytrf_(char const*, int const*, float*, int const*, int*, float*, int const*, int*);
void dsytrf_(char const*, int const*, double*, int const*, int*, double*, int const*, int*);
void dgesvd_(char const*, char const*, int const*, int const*, double*, int const*, double*,
             double*, int const*, double*, int const*, double*, int const*, int*);
void dgeqp3_(int const*, int const*, double*, int const*, int*, double*, double*, int const*, int*);
void dtpqrt_(int const*, int const*, int const*, int const*, double*, int const*, double*,
             int const*, double*, int const*, double*, int*);
void dsyev_(char const*, char const*, int const*, double*, int const*, double*, double*, int const*,
            int*);
void strtrs_(char const*, char const*, char const*, int const*, int const*, float const*,
             int const*, float*, int const*, int*);
void dtrtrs_(char const*, char const*, char const*, int const*, int const*, double const*,
             int const*, double*, int const*, int*);
}

namespace Lapack {

/// A copy in T, column-major as in Fortran.
template <class T>
std::vector<T> columns(Dense const& x) {
  std::vector<T> r;
  for (int j = 0; j < x.cols; ++j)
    for (int i = 0; i < x.rows; ++i) r.push_back(static_cast<T>(x(i, j)));
  return r;
}
template <class T>
Dense from_columns(int m, int n, std::vector<T> const& v) {
  return make_dense(
      m, n, [&](int i, int j) { return v[std::size_t(j) * std::size_t(m) + std::size_t(i)]; });
}

/// The lower factor from potrf in precision T. `info` is set to the info of potrf.
template <class T>
Dense potrf(Dense const& a, int* info) {
  int const n = a.rows;
  auto v = columns<T>(a);
  if constexpr (std::is_same_v<T, float>) spotrf_("L", &n, v.data(), &n, info);
  else dpotrf_("L", &n, v.data(), &n, info);
  return lower_triangle(from_columns(n, n, v));
}
/// The info of an elimination with partial pivoting in precision T.
template <class T>
int getrf_info(Dense const& a) {
  int const n = a.rows;
  int info = 0;
  auto v = columns<T>(a);
  std::vector<int> pivots(std::size_t(n), 0);
  if constexpr (std::is_same_v<T, float>) sgetrf_(&n, &n, v.data(), &n, pivots.data(), &info);
  else dgetrf_(&n, &n, v.data(), &n, pivots.data(), &info);
  return info;
}
/// The info of an elimination of a symmetric matrix with the pivots of Bunch and Kaufman in
/// precision T.
template <class T>
int sytrf_info(Dense const& a) {
  int const n = a.rows, work = 8 * n;
  int info = 0;
  auto v = columns<T>(a);
  std::vector<int> pivots(std::size_t(n), 0);
  std::vector<T> space(static_cast<std::size_t>(work));
  if constexpr (std::is_same_v<T, float>)
    ssytrf_("L", &n, v.data(), &n, pivots.data(), space.data(), &work, &info);
  else dsytrf_("L", &n, v.data(), &n, pivots.data(), space.data(), &work, &info);
  return info;
}
/// The eigenvalues of a symmetric matrix from dsyev, smallest first.
inline std::vector<double> eigenvalues(Dense const& a) {
  int const n = a.rows, work = 8 * n;
  int info = 0;
  auto v = columns<double>(a);
  std::vector<double> values(static_cast<std::size_t>(n)), space(static_cast<std::size_t>(work));
  dsyev_("N", "L", &n, v.data(), &n, values.data(), space.data(), &work, &info);
  EXPECT_EQ(info, 0);
  return values;
}
/// The singular values of a matrix from dgesvd, largest first.
inline std::vector<double> singular_values(Dense const& a) {
  int const m = a.rows, n = a.cols, one = 1, work = 16 * (m + n);
  int info = 0;
  auto v = columns<double>(a);
  std::vector<double> values(static_cast<std::size_t>(std::min(m, n))),
      space(static_cast<std::size_t>(work));
  double none = 0;
  dgesvd_("N", "N", &m, &n, v.data(), &m, values.data(), &none, &one, &none, &one, space.data(),
          &work, &info);
  EXPECT_EQ(info, 0);
  return values;
}
/// R of a from dgeqp3. The test expects that dgeqp3 chooses the columns in the given order.
inline Dense geqp3(Dense const& a, Dense const& order) {
  int const m = a.rows, n = a.cols, k = std::min(m, n), work = 64 * (n + 1);
  int info = 0;
  auto v = columns<double>(a);
  std::vector<int> pivots(static_cast<std::size_t>(n), 0);
  std::vector<double> tau(static_cast<std::size_t>(k)), space(static_cast<std::size_t>(work));
  dgeqp3_(&m, &n, v.data(), &m, pivots.data(), tau.data(), space.data(), &work, &info);
  EXPECT_EQ(info, 0);
  for (int j = 0; j < n; ++j) EXPECT_EQ(pivots[std::size_t(j)], int(order(j)) + 1) << j;
  Dense const all = from_columns(m, n, v);
  return make_dense(k, n, [&](int i, int j) { return i <= j ? all(i, j) : 0.0L; });
}
/// R of the upper triangle a above b, from dtpqrt.
inline Dense tpqrt(Dense const& a, Dense const& b) {
  int const m = b.rows, n = a.cols, none = 0, one = 1;
  int info = 0;
  auto u = columns<double>(a), v = columns<double>(b);
  std::vector<double> t(static_cast<std::size_t>(n)), space(static_cast<std::size_t>(n));
  dtpqrt_(&m, &n, &none, &one, u.data(), &n, v.data(), &m, t.data(), &one, space.data(), &info);
  EXPECT_EQ(info, 0);
  return from_columns(n, n, u);
}
/// Solves l x = b, or l' x = b, with trtrs in precision T.
template <class T>
Dense trtrs(Dense const& l, Dense const& b, bool transposed) {
  int const n = l.rows, c = b.cols;
  int info = 0;
  auto const v = columns<T>(l);
  auto x = columns<T>(b);
  char const* t = transposed ? "T" : "N";
  if constexpr (std::is_same_v<T, float>)
    strtrs_("L", t, "N", &n, &c, v.data(), &n, x.data(), &n, &info);
  else dtrtrs_("L", t, "N", &n, &c, v.data(), &n, x.data(), &n, &info);
  EXPECT_EQ(info, 0);
  return from_columns(n, c, x);
}

}  // namespace Lapack
#endif

/// The info of a Cholesky factorisation: from LAPACK in precision T if LAPACK was found, otherwise
/// computed in long double.
template <class T>
int potrf_info(Dense const& a) {
  int info = 0;
#if defined(BATCHWORK_HAVE_LAPACK)
  Lapack::potrf<T>(a, &info);
#else
  cholesky(a, &info);
#endif
  return info;
}

// ---- random matrices, rounded to T so that the truth starts from the same numbers ---------------

template <class T>
Dense random_dense(Random& random, int m, int n) {
  return make_dense(m, n, [&](int, int) { return static_cast<T>(random()); });
}
/// Symmetric positive definite with a moderate condition number.
template <class T>
Dense random_spd(Random& random, int n) {
  Dense const b = random_dense<T>(random, n, n);
  Dense const a = times_transpose(b) + 0.5L * eye(n);
  return mirrored(make_dense(n, n, [&](int i, int j) { return static_cast<T>(a(i, j)); }));
}
/// Lower triangular; the diagonal entries have magnitudes between 1 and 2.
template <class T>
Dense random_lower(Random& random, int n) {
  return make_dense(n, n, [&](int i, int j) {
    if (j > i) return T(0);
    T const x = static_cast<T>(random());
    return j < i ? x : (x < T(0) ? x - T(1) : x + T(1));
  });
}

// ---- tolerances ---------------------------------------------------------------------------------

/// A bound for the error of n rounded operations on numbers of magnitude `scale`, amplified by a
/// condition number: four times n eps |scale| cond. The factor covers the constants of algorithms.
template <class T>
long double tolerance(int n, long double scale, long double cond = 1) {
  return 4 * static_cast<long double>(n) * epsilon<T> * std::fabs(scale) * cond;
}

/// Entry by entry |x - want| <= tol, with an n x m matrix tol; NaN never passes.
template <class Got>
::testing::AssertionResult near(Got const& got, Dense const& want, Dense const& tol) {
  for (int i = 0; i < want.rows; ++i)
    for (int j = 0; j < want.cols; ++j) {
      long double const x = static_cast<long double>(got(i, j));
      if (!(std::fabs(x - want(i, j)) <= tol(i, j)))
        return ::testing::AssertionFailure()
               << "entry (" << i << ", " << j << ") is " << double(x) << ", should be "
               << double(want(i, j)) << ", error " << double(std::fabs(x - want(i, j))) << " over "
               << double(tol(i, j));
    }
  return ::testing::AssertionSuccess();
}
template <class Got>
::testing::AssertionResult near(Got const& got, Dense const& want, long double tol) {
  return near(got, want, Dense(want.rows, want.cols, tol));
}
template <class Got>
::testing::AssertionResult equal(Got const& got, Dense const& want) {
  return near(got, want, 0.0L);
}
/// Whether two results have the same bits, as neighbours of a failed item must have.
template <class T>
bool same_bits(T const& a, T const& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

// ---- data types of Views ------------------------------------------------------------------------

/// Base with the static extents E: WithExtents<double*, 6, 6> is double*[6][6].
template <class Base, int... E>
struct WithExtents {
  using type = Base;
};
template <class Base, int First, int... Rest>
struct WithExtents<Base, First, Rest...> {
  using type = typename WithExtents<Base, Rest...>::type[First];
};
/// T with `Stars` run-time extents and then the static ones.
template <class T, int Stars, int... E>
struct DataType {
  using type = typename DataType<T*, Stars - 1, E...>::type;
};
template <class T, int... E>
struct DataType<T, 0, E...> {
  using type = typename WithExtents<T, E...>::type;
};

// ---- layouts ------------------------------------------------------------------------------------
// Each layout makes the whole allocation ("storage"). From the storage, or from a host mirror of
// it, it makes the View of the batch ("part"). Timed Views have a step index after the item index.

/// Interleaved: item fastest.
struct Left {
  static constexpr int lanes = 0;
  template <class T, bool Timed, int... E>
  static auto storage(std::int64_t n, std::int64_t steps) {
    using View =
        Kokkos::View<typename DataType<T, 1 + int(Timed), E...>::type, Kokkos::LayoutLeft, Space>;
    if constexpr (Timed) return View("left", std::size_t(n), std::size_t(steps));
    else return View("left", std::size_t(n));
  }
  template <bool Timed, int... E, class View>
  static auto part(View const& v, std::int64_t, std::int64_t) {
    return v;
  }
  template <int... E, class View>
  static auto adapt(View const& v, std::int64_t) {
    return v;
  }
};

/// Item-contiguous: the numbers of an item are adjacent.
struct Right {
  static constexpr int lanes = 0;
  template <class T, bool Timed, int... E>
  static auto storage(std::int64_t n, std::int64_t steps) {
    using View =
        Kokkos::View<typename DataType<T, 1 + int(Timed), E...>::type, Kokkos::LayoutRight, Space>;
    if constexpr (Timed) return View("right", std::size_t(n), std::size_t(steps));
    else return View("right", std::size_t(n));
  }
  template <bool Timed, int... E, class View>
  static auto part(View const& v, std::int64_t, std::int64_t) {
    return v;
  }
  template <int... E, class View>
  static auto adapt(View const& v, std::int64_t) {
    return v;
  }
};

/// Groups of W items. Lanes after the last item are padding. There is one more group than needed.
template <int W>
struct CompactBy {
  static constexpr int lanes = W;
  template <class T, bool Timed, int... E>
  static auto storage(std::int64_t n, std::int64_t steps) {
    using View = Kokkos::View<typename DataType<T, 1 + int(Timed), E..., W>::type,
                              Kokkos::LayoutRight, Space>;
    std::size_t const groups = std::size_t((n + W - 1) / W + 1);
    if constexpr (Timed) return View("compact", groups, std::size_t(steps));
    else return View("compact", groups);
  }
  template <bool Timed, int... E, class View>
  static auto part(View const& v, std::int64_t, std::int64_t) {
    return v;
  }
  template <int... E, class View>
  static auto adapt(View const& v, std::int64_t n) {
    return compact(v, n);
  }
};

/// Items 1 .. n of a larger LayoutLeft View: the start is not aligned, and the stride between
/// entries is larger than n.
struct LeftPart {
  static constexpr int lanes = 0;
  template <class T, bool Timed, int... E>
  static auto storage(std::int64_t n, std::int64_t steps) {
    return Left::storage<T, Timed, E...>(n + 2, steps);
  }
  template <bool Timed, int... E, class View>
  static auto part(View const& v, std::int64_t n, std::int64_t) {
    return subview_of<Timed, E...>(v,
                                   Kokkos::pair<std::size_t, std::size_t>(1, std::size_t(n) + 1));
  }
  template <int... E, class View>
  static auto adapt(View const& v, std::int64_t) {
    if constexpr (sizeof...(E) > 0) return extents<E...>(v);
    else return v;
  }
  template <bool Timed, int... E, class View, class Range>
  static auto subview_of(View const& v, Range const& items) {
    auto const all = Kokkos::ALL;
    constexpr int rank = int(Timed) + int(sizeof...(E));
    if constexpr (rank == 0) return Kokkos::subview(v, items);
    else if constexpr (rank == 1) return Kokkos::subview(v, items, all);
    else if constexpr (rank == 2) return Kokkos::subview(v, items, all, all);
    else return Kokkos::subview(v, items, all, all, all);
  }
};

/// Items 1 .. n of a larger LayoutRight View.
struct RightPart {
  static constexpr int lanes = 0;
  template <class T, bool Timed, int... E>
  static auto storage(std::int64_t n, std::int64_t steps) {
    return Right::storage<T, Timed, E...>(n + 2, steps);
  }
  template <bool Timed, int... E, class View>
  static auto part(View const& v, std::int64_t n, std::int64_t steps) {
    return LeftPart::part<Timed, E...>(v, n, steps);
  }
  template <int... E, class View>
  static auto adapt(View const& v, std::int64_t n) {
    return LeftPart::adapt<E...>(v, n);
  }
};

/// A block from the middle of a larger View with an additional last index: no numbers are adjacent
/// or aligned.
struct Strided {
  static constexpr int lanes = 0;
  template <class T, bool Timed, int... E>
  static auto storage(std::int64_t n, std::int64_t steps) {
    using View = Kokkos::View<typename DataType<T, 2 + int(Timed) + int(sizeof...(E))>::type,
                              Kokkos::LayoutRight, Space>;
    if constexpr (Timed)
      return View("strided", std::size_t(n) + 2, std::size_t(steps) + 2, std::size_t(E + 1)..., 2u);
    else return View("strided", std::size_t(n) + 2, std::size_t(E + 1)..., 2u);
  }
  template <bool Timed, int... E, class View>
  static auto part(View const& v, std::int64_t n, std::int64_t steps) {
    using Range = Kokkos::pair<std::size_t, std::size_t>;
    Range const items(1, std::size_t(n) + 1), times(1, std::size_t(steps) + 1);
    if constexpr (Timed)
      return Kokkos::subview(v, items, times, Range(1, std::size_t(E) + 1)..., 1);
    else return Kokkos::subview(v, items, Range(1, std::size_t(E) + 1)..., 1);
  }
  template <int... E, class View>
  static auto adapt(View const& v, std::int64_t n) {
    return LeftPart::adapt<E...>(v, n);
  }
};

// ---- numbers on the host and on the device -----------------------------------------------------
// Whole allocations are copied, by one kernel for each type of numbers. A kernel for each type of
// View would dominate the compile time of many tests.

template <class T, class Place>
using NumbersIn = Kokkos::View<T*, Kokkos::LayoutRight, Place, Kokkos::MemoryUnmanaged>;
template <class T>
void copy_numbers(T* device, T const* host, std::size_t count) {
  Kokkos::deep_copy(NumbersIn<T, Space::memory_space>(device, count),
                    NumbersIn<T const, Kokkos::HostSpace>(host, count));
}
template <class T>
void read_numbers(T* host, T const* device, std::size_t count) {
  Kokkos::deep_copy(NumbersIn<T, Kokkos::HostSpace>(host, count),
                    NumbersIn<T const, Space::memory_space>(device, count));
}

/// Numbers on the host. Copies share them, as copies of a View do.
template <class T>
class Numbers {
 public:
  Numbers(std::size_t count, T const& x) : numbers_(new T[count]), count_(count) {
    T* const p = data();
    for (std::size_t k = 0; k < count; ++k) p[k] = x;
  }
  T* data() const { return numbers_.get(); }
  std::size_t size() const { return count_; }

 private:
  std::shared_ptr<T[]> numbers_;
  std::size_t count_;
};

// ---- batches ------------------------------------------------------------------------------------

/// A batch of scalars (no E), vectors (one) or matrices (two) of T in a layout, on the device, with
/// a mirror on the host. Its whole storage is poisoned at first.
template <class T, class Layout, bool Timed, int... E>
class BatchOf {
 public:
  static constexpr int rank = int(sizeof...(E));
  static constexpr int extent(int k) {
    constexpr int e[] = {E..., 1, 1};
    return e[k];
  }
  static constexpr int rows = extent(0);
  static constexpr int cols = rank == 2 ? extent(1) : 1;

  explicit BatchOf(std::int64_t n, std::int64_t steps = 1)
      : items_(n),
        steps_(steps),
        storage_(Layout::template storage<T, Timed, E...>(n, steps)),
        part_(Layout::template part<Timed, E...>(storage_, n, steps)),
        host_(storage_.span(), poison<T>()),
        first_(part_.data() - storage_.data()) {
    std::size_t strides[Part::rank() + 1];
    part_.stride(strides);
    for (int k = 0; k < int(Part::rank()); ++k) strides_[k] = std::ptrdiff_t(strides[k]);
    upload();
  }

  std::int64_t items() const { return items_; }
  std::int64_t steps() const { return steps_; }

  /// The View with the adaptor that its layout needs, for in(...) and out(...).
  auto view() const { return Layout::template adapt<E...>(part_, items_); }
  /// The View as a View of const.
  auto const_view() const {
    typename decltype(part_)::const_type const v = part_;
    return Layout::template adapt<E...>(v, items_);
  }

  T& at(std::int64_t item, int i = 0, int j = 0) const { return at_time(item, 0, i, j); }
  T& at_time(std::int64_t item, [[maybe_unused]] std::int64_t t, [[maybe_unused]] int i = 0,
             [[maybe_unused]] int j = 0) const {
    constexpr int first = int(Timed), lanes = Layout::lanes;
    std::ptrdiff_t q = first_ + std::ptrdiff_t(item / (lanes > 0 ? lanes : 1)) * strides_[0];
    if constexpr (Timed) q += std::ptrdiff_t(t) * strides_[1];
    if constexpr (rank >= 1) q += i * strides_[1 + first];
    if constexpr (rank == 2) q += j * strides_[2 + first];
    if constexpr (lanes > 0) q += std::ptrdiff_t(item % lanes);
    return host_.data()[q];
  }

  /// One item (and step) of the mirror.
  Dense dense(std::int64_t item, std::int64_t t = 0) const {
    return make_dense(rows, cols, [&](int i, int j) { return at_time(item, t, i, j); });
  }
  void put(std::int64_t item, Dense const& x, std::int64_t t = 0) const {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < cols; ++j) at_time(item, t, i, j) = static_cast<T>(x(i, j));
  }
  /// Fills with whole numbers from -limit to limit. Sums and products of a few of them are exact in
  /// any order.
  BatchOf& fill_exactly(Random& random, int limit = 4) {
    for (std::int64_t k = 0; k < items_; ++k)
      for (std::int64_t t = 0; t < steps_; ++t)
        for (int i = 0; i < rows; ++i)
          for (int j = 0; j < cols; ++j)
            at_time(k, t, i, j) = static_cast<T>(random.integer(-limit, limit));
    upload();
    return *this;
  }
  /// Fills with random numbers, and copies to the device.
  BatchOf& randomise(Random& random, double a = -1, double b = 1) {
    for (std::int64_t k = 0; k < items_; ++k)
      for (std::int64_t t = 0; t < steps_; ++t)
        for (int i = 0; i < rows; ++i)
          for (int j = 0; j < cols; ++j) at_time(k, t, i, j) = static_cast<T>(random(a, b));
    upload();
    return *this;
  }
  /// Fills item by item with f(item), which returns a Dense.
  template <class F>
  BatchOf& fill(F const& f) {
    for (std::int64_t k = 0; k < items_; ++k) put(k, f(k));
    upload();
    return *this;
  }

  void upload() const { copy_numbers(storage_.data(), host_.data(), host_.size()); }
  /// Waits for the device, then copies the whole storage to the mirror.
  void download() const {
    Kokkos::fence("Batchwork::Test: results");
    read_numbers(host_.data(), storage_.data(), host_.size());
  }

  /// The number of poisoned numbers in the whole storage. After the batch is written, these are the
  /// padding lanes and the neighbours of a subview.
  std::size_t poisoned() const {
    std::size_t count = 0;
    T const* p = host_.data();
    for (std::size_t k = 0; k < host_.size(); ++k) count += p[k] == poison<T>();
    return count;
  }
  /// The number of numbers in the storage that do not belong to the batch.
  std::size_t outside() const {
    return host_.size() -
           std::size_t(items_) * std::size_t(steps_) * std::size_t(rows) * std::size_t(cols);
  }

 private:
  using Storage = decltype(Layout::template storage<T, Timed, E...>(0, 0));
  using Part = decltype(Layout::template part<Timed, E...>(std::declval<Storage const&>(), 0, 0));

  std::int64_t items_, steps_;
  Storage storage_;
  Part part_;
  Numbers<T> host_;  ///< the whole storage
  std::ptrdiff_t first_, strides_[6] = {};
};

template <class T, class Layout, int... E>
using BatchIn = BatchOf<T, Layout, false, E...>;
/// A batch with a step index after the item index, for each and emit.
template <class T, class Layout, int... E>
using SeriesIn = BatchOf<T, Layout, true, E...>;

/// A tile that is common to all items (E: none, one or two extents), with a mirror on the host.
template <class T, class LayoutT, int... E>
struct CommonIn {
  using View = Kokkos::View<typename DataType<T, 0, E...>::type, LayoutT, Space>;
  static constexpr int rank = int(sizeof...(E));
  static constexpr int rows = BatchOf<T, Left, false, E...>::rows;
  static constexpr int cols = BatchOf<T, Left, false, E...>::cols;
  View view;
  Numbers<T> host;
  std::ptrdiff_t strides[3] = {};

  explicit CommonIn(Dense const& x) : view("common"), host(view.span(), T(0)) {
    std::size_t all[rank + 1];
    view.stride(all);
    for (int k = 0; k < rank; ++k) strides[k] = std::ptrdiff_t(all[k]);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < cols; ++j) at(i, j) = static_cast<T>(x(i, j));
    copy_numbers(view.data(), host.data(), host.size());
  }
  T& at([[maybe_unused]] int i, [[maybe_unused]] int j) const {
    std::ptrdiff_t q = 0;
    if constexpr (rank >= 1) q += i * strides[0];
    if constexpr (rank == 2) q += j * strides[1];
    return host.data()[q];
  }
  Dense dense() const {
    return make_dense(rows, cols, [&](int i, int j) { return at(i, j); });
  }
};
template <class T, int... E>
using Common = CommonIn<T, Kokkos::LayoutRight, E...>;

}  // namespace Batchwork::Test

#endif

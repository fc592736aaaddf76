// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// dia: matrices by diagonals. Everything about the format is in this file: the Views of users,
/// what kernels see, the product on hosts, and check.
#ifndef BATCHWORK_DIA_HPP
#define BATCHWORK_DIA_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "core/Batchwork_Pack.hpp"
#include "core/detail/Batchwork_Lanes.hpp"
#include "krylov/formats/Batchwork_CheckSystems.hpp"
#include "krylov/formats/Batchwork_Formats.hpp"
#include "krylov/formats/detail/Batchwork_ProductSums.hpp"
#include "krylov/formats/detail/Batchwork_Systems.hpp"

namespace Batchwork {
namespace Impl {

/// Diagonals, a Format: the number of row i and column i + offsets[d] is numbers[d * values.row + i
/// * values.col].
struct DiaLayout {
  static constexpr int rank = 2;
  static constexpr bool has_numbers = true, knows_widest_row = true;
  std::int32_t const* offsets = nullptr;
  int count = 0;

  static int leading(int rows) { return rows; }
  template <class T, class F>
  BATCHWORK_INLINE void for_each_place(Storage<T const> const& values, int rows, int row,
                                       F const& f) const {
    for (int d = 0; d < count; ++d) {
      int const j = row + offsets[d];
      if (unsigned(j) < unsigned(rows)) f(j, d * values.row + row * values.col);
    }
  }
  /// Offsets rise, so the diagonals of a row follow each other.
  template <class T>
  BATCHWORK_INLINE EllRow<T> row(Storage<T const> const& values, T const* numbers, int rows,
                                 int i) const {
    int first = 0, end = 0;
    BATCHWORK_KEEP_LOOP
    for (int d = 0; d < count; ++d) {
      int const j = i + offsets[d];
      first += j < 0 ? 1 : 0;
      end += j < rows ? 1 : 0;
    }
    if (i >= rows || end < first) return {};
    return {numbers + (first * values.row + i * values.col),
            values.row,
            offsets + first,
            1,
            end - first,
            i};
  }
  BATCHWORK_INLINE int first_of_row(int i) const {
    int d = 0;
    while (d < count && i + offsets[d] < 0) ++d;
    return d;
  }
  BATCHWORK_INLINE int column(int, int i, int k) const { return i + offsets[first_of_row(i) + k]; }
  template <class T>
  BATCHWORK_INLINE T number(Storage<T const> const& values, T const* numbers, int, int i,
                            int k) const {
    int const d = first_of_row(i) + k;
    return numbers[d * values.row + i * values.col];
  }
  BATCHWORK_INLINE int first_place(int, int i) const { return i * count; }
  template <class Lanes, class T>
  BATCHWORK_INLINE void copy_numbers(Lanes const& lanes, Storage<T const> const& values,
                                     T const* numbers, int rows, std::uint16_t const* ends,
                                     T* to) const {
    lanes.for_each(rows * count, [&](int e) {
      int const k = e / rows, i = e % rows;
      if (k < ends[i]) to[i * count + k] = number(values, numbers, rows, i, k);
    });
  }
};
template <class T>
using DiaSystems = PatternSystems<T, DiaLayout>;

/// See AnySystems: the diagonals of a row follow each other where offsets do not fall; places
/// beyond the matrix hold no entries.
inline bool is_in_range(DiaLayout const& of, int, std::int64_t) {
  bool rising = true;
  for (int d = 1; d < of.count; ++d) rising = rising && of.offsets[d - 1] <= of.offsets[d];
  return rising;
}

/// The product on a host's thread: packs of neighbouring rows, with numbers side by side, and no
/// gathers.
template <template <class> class Sum, class T, class X, class Put>
void sum_rows_on_host(PatternItem<DiaSystems<T>> const& item, int rows, X const& x,
                      Put const& put) {
  constexpr int W = native_width<T>;
  auto const& of = item.of.layout;
  auto const& values = item.of.values;
  int i = 0;
  for (; values.col == 1 && i + W <= rows; i += W) {
    Sum<Pack<T, W>> sums;
    for (int d = 0; d < of.count; ++d) {
      int const j = i + of.offsets[d];
      if (j <= -W || j >= rows) continue;
      T const* const from = item.numbers + d * values.row + i;
      Pack<T, W> numbers(T(0)), xs(T(0));
      bool const inside = j >= 0 && j + W <= rows;
      if (inside) numbers = Pack<T, W>::load(from);
      for (int l = 0; l < W; ++l) {
        if (unsigned(j + l) >= unsigned(rows)) continue;
        xs.set_lane(l, x(j + l));
        if (!inside) numbers.set_lane(l, from[l]);
      }
      sums.add(numbers, xs);
    }
    for (int l = 0; l < W; ++l) put(i + l, lane_of_sum(sums, l));
  }
  for (; i < rows; ++i) put(i, row_sum<Sum>(item, i, x));
}

template <class V>
std::string offsets_problem(SystemView const& view, V const& offsets) {
  if (!view.d.problem.empty()) return view.name() + ": " + view.d.problem;
  if (offsets.extent(0) > 1 && offsets.stride(0) != 1)
    return view.name() + " has gaps; give a contiguous View";
  return "";
}

template <class Offsets, class Values>
struct Dia {
  using systems_of_a_batch = void;
  using value_type = std::remove_const_t<typename stored_t<Values>::value_type>;
  using pattern_memory = typename Offsets::memory_space;
  template <class Exec>
  static constexpr bool reachable =
      reaches<Exec, pattern_memory> && reaches<Exec, typename stored_t<Values>::memory_space>;
  Offsets offsets;  ///< (diagonal): column less row
  Values values;    ///< (item, diagonal, row)

  /// Rows of a matrix.
  std::int64_t rows() const { return stored(values).cols; }
  /// Stored diagonals.
  std::int64_t diagonals() const { return std::int64_t(offsets.extent(0)); }
  /// Number of items.
  std::int64_t items() const { return stored(values).description.items; }
  /// Places of a matrix, also those beyond its edge.
  std::int64_t nonzeros() const { return rows() * diagonals(); }

  std::vector<SystemView> views() const {
    return {{"dia offsets", describe_view(offsets)}, {"dia values", stored(values).description}};
  }
  std::string problem() const {
    auto const v = views();
    if (auto const p = offsets_problem(v[0], offsets); !p.empty()) return p;
    if (auto const p = view_problem(v); !p.empty()) return p;
    if (auto const p = size_problem(v[1], rows()); !p.empty()) return p;
    if (stored(values).rows != diagonals())
      return v[1].name() + " holds " + v[1].d.shape + " numbers an item, but " + v[0].name() +
             " has " + std::to_string(diagonals()) +
             " offsets; give a line for each of them, (diagonal, row)";
    if (rows() > 0 && diagonals() > 2 * rows() - 1)
      return v[0].name() + " has " + std::to_string(diagonals()) + " offsets, but matrices of " +
             std::to_string(rows()) + " rows have " + std::to_string(2 * rows() - 1) +
             " diagonals at most";
    return "";
  }
  DiaSystems<value_type> systems() const {
    return {
        {index_data(offsets), int(diagonals())}, stored(values).storage.as_const(), int(rows())};
  }
  std::vector<std::vector<std::int64_t>> columns_by_rows() const {
    auto const o = pattern_on_host(offsets);
    std::vector<std::vector<std::int64_t>> r(static_cast<std::size_t>(rows()));
    for (std::int64_t i = 0; i < rows(); ++i)
      for (std::size_t d = 0; d < o.extent(0); ++d)
        if (std::int64_t const j = i + static_cast<std::int32_t>(o(d)); j >= 0 && j < rows())
          r[std::size_t(i)].push_back(j);
    return r;
  }
};

/// Diagonals without numbers, for matrices that a kernel has made.
template <class T, class Offsets>
struct DiaPattern {
  using pattern_of_a_team = void;
  using value_type = T;
  template <class Exec>
  static constexpr bool reachable = reaches<Exec, typename Offsets::memory_space>;
  Offsets offsets;          ///< (diagonal): column less row
  std::int64_t extent = 0;  ///< rows of a matrix

  /// Rows of a matrix.
  std::int64_t rows() const { return extent; }
  /// Places of a matrix, also those beyond its edge.
  std::int64_t nonzeros() const { return extent * std::int64_t(offsets.extent(0)); }
  std::string problem() const {
    SystemView const v{"dia_pattern offsets", describe_view(offsets)};
    if (extent < 0 || extent > most_rows)
      return v.name() + " for " + std::to_string(extent) + " rows; give from 0 to " +
             std::to_string(most_rows);
    return offsets_problem(v, offsets);
  }
  DiaSystems<T> systems() const {
    return {{index_data(offsets), int(offsets.extent(0))}, {}, int(extent)};
  }
};

template <class O, class V>
void check_pattern(Dia<O, V> const& a, Diagonals diagonals) {
  auto const view = a.views()[0];
  auto const offsets = pattern_on_host(a.offsets);
  bool has_main = false;
  std::int64_t last = -a.rows();
  for (std::size_t d = 0; d < offsets.extent(0); ++d) {
    auto const offset = static_cast<std::int32_t>(offsets(d));
    std::string const here =
        ", diagonal " + std::to_string(d) + ": offset " + std::to_string(offset);
    if (offset <= -a.rows() || offset >= a.rows())
      PatternFault::raise(view, here + " is out of range; give offsets from " +
                                    std::to_string(1 - a.rows()) + " to " +
                                    std::to_string(a.rows() - 1) +
                                    ", column less row: above the diagonal they are positive");
    if (offset == last && d > 0)
      PatternFault::raise(view, here + " is there twice; add the two diagonals up");
    if (offset < last)
      PatternFault::raise(view, here + " comes after offset " + std::to_string(last) +
                                    "; sort the offsets, and the lines of the values with them");
    last = offset;
    has_main = has_main || offset == 0;
  }
  if (diagonals == Diagonals::required && !has_main && a.rows() > 0)
    PatternFault::raise(view,
                        " has no offset 0, the diagonal; store it, as zeros if need be, or "
                        "check(A, Diagonals::optional) for a matrix that is only multiplied by");
}

template <class Offsets>
constexpr void require_offsets() {
  static_assert(Offsets::rank() == 1,
                "Batchwork: the offsets of diagonals have one index: all items share them");
  static_assert(std::is_integral_v<typename Offsets::value_type> &&
                    std::is_signed_v<typename Offsets::value_type> &&
                    sizeof(typename Offsets::value_type) == 4,
                "Batchwork: the offsets of diagonals are signed integers of 32 bits");
}

}  // namespace Impl

/// Sparse matrices by diagonals: values(item, d, i) is in row i, column i + offsets(d). All items
/// share the offsets.
///
/// ```cpp
/// // offsets -1, 0, 1: a tridiagonal matrix
/// auto const A = dia(offsets, values);
/// ```
///
/// \param offsets  contiguous View of signed 32-bit integers, column less row, rising: 0 is the
///                 diagonal, 1 the one above it
/// \param values   View v(item, diagonal, row) in any layout or strided, or compact(v, n); float or
///                 double. Fastest with rows side by side. Values beyond the ends of a diagonal are
///                 not read
///
/// This is the diagonal storage of SPARSKIT and Intel MKL (Saad, Iterative Methods for Sparse
/// Linear Systems, 2003, section 3.4). The band storage of LAPACK and scipy.sparse.dia_array count
/// by columns instead. No index is read for an entry; solvers read the offsets once for every row.
/// A place is stored for every row of every diagonal, as in ell.
/// \returns        matrices A as from csr, with the Views A.offsets and A.values. A.diagonals() is
/// the
///                 number of stored diagonals; A.nonzeros() counts places beyond the matrix, too
template <class Offsets, Impl::Viewish Values>
  requires Kokkos::is_view_v<Offsets>
auto dia(Offsets const& offsets, Values const& values) {
  Impl::require_offsets<Offsets>();
  Impl::require_numbers<Values>();
  static_assert(Impl::stored_t<Values>::tile_rank == 2,
                "Batchwork::dia: the values are v(item, diagonal, row), or compact(view, n) of "
                "(group, diagonal, row, lane)");
  return Impl::Dia<Offsets, Values>{offsets, values};
}

/// The pattern of dia without numbers, for team_solve: the kernel gives a View v(diagonal, row), or
/// a pointer to diagonal after diagonal of `rows` numbers each.
/// \tparam T       float or double
/// \param offsets  as in dia
/// \param rows     number of rows
template <class T, class Offsets>
  requires Kokkos::is_view_v<Offsets>
auto dia_pattern(Offsets const& offsets, std::int64_t rows) {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "Batchwork: the matrices hold float or double");
  Impl::require_offsets<Offsets>();
  return Impl::DiaPattern<T, Offsets>{offsets, rows};
}

}  // namespace Batchwork

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// csr, ell, dense, scaled_identity, matrix_free: the matrices of a batch of systems, over Views,
/// without a copy. The pattern is stored once, the numbers for each item.
#ifndef BATCHWORK_FORMATS_HPP
#define BATCHWORK_FORMATS_HPP

#include <Kokkos_Core.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "krylov/base/detail/Batchwork_SystemCall.hpp"
#include "krylov/formats/detail/Batchwork_Systems.hpp"
#include "view/detail/layout/Batchwork_Storage.hpp"

namespace Batchwork {
namespace Impl {

inline constexpr std::int64_t most_rows = std::numeric_limits<std::int32_t>::max() - 1;

/// The first problem of the Views, each taken alone.
inline std::string view_problem(std::vector<SystemView> const& views) {
  for (auto const& v : views)
    if (!v.d.problem.empty()) return v.name() + ": " + v.d.problem;
  return "";
}
inline std::string size_problem(SystemView const& of, std::int64_t rows) {
  if (rows <= most_rows) return "";
  return of.name() + " has " + std::to_string(rows) + " rows, more than the limit of " +
         std::to_string(most_rows) + "; give smaller systems";
}

template <class V>
constexpr void require_column_indices() {
  static_assert(Kokkos::is_view_v<V>, "Batchwork: the column indices are in a Kokkos::View");
  static_assert(std::is_integral_v<typename V::value_type> && sizeof(typename V::value_type) == 4,
                "Batchwork: column indices are integers of 32 bits");
}
template <class V>
std::int32_t const* index_data(V const& columns) {
  return reinterpret_cast<std::int32_t const*>(columns.data());
}

/// The numbers of a format as given: a View, compact(view, n), extents<...>(view); for dense also
/// transposed(...).
template <class V>
using stored_t = std::remove_cvref_t<decltype(stored(std::declval<V const&>()))>;
template <class V>
constexpr void require_numbers() {
  using T = std::remove_const_t<typename stored_t<V>::value_type>;
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "Batchwork: the matrices hold float or double");
}
template <class Exec, class Memory>
inline constexpr bool reaches = Kokkos::SpaceAccessibility<Exec, Memory>::accessible;

/// A View of indices, copied to the host if it is not there.
template <class V>
auto pattern_on_host(V const& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

template <class Offsets, class Columns, class Values>
struct Csr {
  using systems_of_a_batch = void;
  using value_type = std::remove_const_t<typename stored_t<Values>::value_type>;
  using pattern_memory = typename Columns::memory_space;
  template <class Exec>
  static constexpr bool reachable = reaches<Exec, typename Offsets::memory_space> &&
                                    reaches<Exec, typename Columns::memory_space> &&
                                    reaches<Exec, typename stored_t<Values>::memory_space>;
  Offsets row_offsets;                  ///< (row): the first entry of each row, and their number
  Columns columns;                      ///< (entry): the column of each entry
  Values values;                        ///< (item, entry)
  std::int64_t columns_of_matrix = -1;  ///< if the pattern itself says

  /// Rows of a matrix.
  std::int64_t rows() const {
    return row_offsets.extent(0) == 0 ? 0 : std::int64_t(row_offsets.extent(0)) - 1;
  }
  /// Number of items.
  std::int64_t items() const { return stored(values).description.items; }
  /// Entries of the pattern.
  std::int64_t nonzeros() const { return stored(values).rows; }

  std::vector<SystemView> views() const {
    return {{"csr row offsets", describe_view(row_offsets)},
            {"csr columns", describe_view(columns)},
            {"csr values", stored(values).description}};
  }
  std::string problem() const {
    auto const v = views();
    if (auto const p = view_problem(v); !p.empty()) return p;
    if (row_offsets.extent(0) == 0)
      return v[0].name() + " is empty; give one offset more than there are rows";
    if (auto const p = size_problem(v[0], rows()); !p.empty()) return p;
    if (columns_of_matrix >= 0 && columns_of_matrix != rows())
      return v[0].name() + " belongs to a matrix of " + std::to_string(rows()) + " rows and " +
             std::to_string(columns_of_matrix) + " columns; give square matrices";
    if (row_offsets.extent(0) > 1 && row_offsets.stride(0) != 1)
      return v[0].name() + " has gaps; give a contiguous View";
    if (columns.extent(0) > 1 && columns.stride(0) != 1)
      return v[1].name() + " has gaps; give a contiguous View";
    if (std::int64_t(columns.extent(0)) != nonzeros())
      return v[2].name() + " holds " + std::to_string(nonzeros()) + " numbers an item, but " +
             v[1].name() + " has " + std::to_string(columns.extent(0)) +
             " column indices; give one for each number";
    return "";
  }
  CsrSystems<value_type> systems() const {
    return {{index_data(columns), {row_offsets.data(), sizeof(typename Offsets::value_type) == 8}},
            stored(values).storage.as_const(),
            int(rows())};
  }
  /// On the host.
  std::vector<std::vector<std::int64_t>> columns_by_rows() const {
    auto const o = pattern_on_host(row_offsets);
    auto const c = pattern_on_host(columns);
    std::vector<std::vector<std::int64_t>> r(static_cast<std::size_t>(rows()));
    for (std::size_t i = 0; i < r.size(); ++i)
      for (auto k = o(i); k < o(i + 1); ++k) r[i].push_back(std::int64_t(c(std::size_t(k))));
    return r;
  }
};

template <class Columns, class Values>
struct Ell {
  using systems_of_a_batch = void;
  using value_type = std::remove_const_t<typename stored_t<Values>::value_type>;
  using pattern_memory = typename Columns::memory_space;
  template <class Exec>
  static constexpr bool reachable = reaches<Exec, typename Columns::memory_space> &&
                                    reaches<Exec, typename stored_t<Values>::memory_space>;
  Columns columns;  ///< (row, place): the column; negative in unused places
  Values values;    ///< (item, row, place)

  /// Rows of a matrix.
  std::int64_t rows() const { return std::int64_t(columns.extent(0)); }
  /// Places of a row.
  std::int64_t width() const { return std::int64_t(columns.extent(1)); }
  /// Number of items.
  std::int64_t items() const { return stored(values).description.items; }
  /// Places of a matrix, used or not.
  std::int64_t nonzeros() const { return rows() * width(); }

  std::vector<SystemView> views() const {
    return {{"ell columns", describe_view(columns)}, {"ell values", stored(values).description}};
  }
  std::string problem() const {
    auto const v = views();
    if (auto const p = view_problem(v); !p.empty()) return p;
    if (auto const p = size_problem(v[0], rows()); !p.empty()) return p;
    auto const s = stored(values);
    if (s.rows != rows() || s.cols != width())
      return v[1].name() + " holds " + s.description.shape + " numbers an item, but " +
             v[0].name() + " has column indices for " + std::to_string(rows()) + "x" +
             std::to_string(width()) + "; give one for each number, (row, entry)";
    return "";
  }
  EllSystems<value_type> systems() const {
    return {{index_data(columns), std::int64_t(columns.stride(0)), std::int64_t(columns.stride(1)),
             int(width())},
            stored(values).storage.as_const(),
            int(rows())};
  }
  /// On the host.
  std::vector<std::vector<std::int64_t>> columns_by_rows() const {
    auto const c = pattern_on_host(columns);
    std::vector<std::vector<std::int64_t>> r(static_cast<std::size_t>(rows()));
    for (std::size_t i = 0; i < r.size(); ++i)
      for (std::size_t k = 0; k < std::size_t(width()); ++k)
        if (auto const j = static_cast<std::int32_t>(c(i, k)); j >= 0) r[i].push_back(j);
    return r;
  }
};

template <class Values>
struct DenseMatrices {
  using systems_of_a_batch = void;
  using value_type = std::remove_const_t<typename stored_t<Values>::value_type>;
  template <class Exec>
  static constexpr bool reachable = reaches<Exec, typename stored_t<Values>::memory_space>;
  Values values;  ///< (item, row, column)

  /// Rows of a matrix.
  std::int64_t rows() const { return stored(values).rows; }
  /// Number of items.
  std::int64_t items() const { return stored(values).description.items; }
  /// Numbers of a matrix: the square of its rows.
  std::int64_t nonzeros() const { return rows() * rows(); }

  std::vector<SystemView> views() const { return {{"dense values", stored(values).description}}; }
  std::string problem() const {
    auto const v = views();
    if (auto const p = view_problem(v); !p.empty()) return p;
    if (stored(values).cols != rows())
      return v[0].name() + " holds matrices of " + v[0].d.shape + "; give square matrices";
    return size_problem(v[0], rows());
  }
  DenseSystems<value_type> systems() const {
    return {{}, stored(values).storage.as_const(), int(rows())};
  }
};

/// Matrices without Views and for any number of items.
struct NoViews {
  using systems_of_a_batch = void;
  template <class Exec>
  static constexpr bool reachable = true;
  std::int64_t extent = 0;  ///< rows of a matrix

  /// Rows of a matrix.
  std::int64_t rows() const { return extent; }
  /// -1: any number of items.
  std::int64_t items() const { return -1; }
  /// 0: no number is stored.
  std::int64_t nonzeros() const { return 0; }
  std::vector<SystemView> views() const { return {}; }
  std::string problem_of(std::string const& format) const {
    if (extent >= 0 && extent <= most_rows) return "";
    return format + " of " + std::to_string(extent) + " rows; give from 0 to " +
           std::to_string(most_rows);
  }
};

template <class T>
struct IdentityMatrices : NoViews {
  using value_type = T;
  T scale = T(1);  ///< the number on the diagonal

  std::string problem() const { return problem_of("scaled_identity"); }
  ScaledIdentitySystems<T> systems() const { return {int(extent), scale}; }
};

template <class F>
struct MatrixFree : NoViews {
  using value_type = void;  // the type of the vectors
  F functor;                ///< computes y = A x, see matrix_free

  std::string problem() const { return problem_of("matrix_free"); }
  MatrixFreeSystems<F> systems() const { return {int(extent), functor}; }
};

/// The result of csr, ell, dia, dense, scaled_identity, matrix_free, or an AnyMatrices.
template <class A>
concept SystemMatrices = requires { typename A::systems_of_a_batch; };

/// The pattern of a KokkosSparse::CrsMatrix, or of a Kokkos graph of compressed rows.
template <class G>
concept CompressedGraph = requires(G const& g) {
  g.row_map.extent(0);
  g.entries.extent(0);
};
template <class M>
concept CompressedMatrix = CompressedGraph<M> || requires(M const& m) {
  requires CompressedGraph<std::remove_cvref_t<decltype(m.graph)>>;
};

}  // namespace Impl

/// Sparse matrices in compressed rows. All items share the pattern: row i has the entries k from
/// row_offsets(i) to row_offsets(i + 1) - 1, values(item, k) in column columns(k).
///
/// ```cpp
/// auto const A = csr(row_offsets, columns, values);
/// check(A);  // once for a pattern
/// solve(exec, bicgstab(relative(1e-8)), jacobi(), A, b, x);
/// ```
///
/// \param row_offsets  contiguous View of 32- or 64-bit integers, one more than there are rows
/// \param columns      contiguous View of 32-bit integers, counted from 0, rising within a row
/// \param values       View v(item, k) in any layout or strided, or compact(v, n); float or double
/// \returns            matrices A for solve, multiply and the other verbs; Views are held, not
/// copied.
///                     A.rows(), A.items() and A.nonzeros() are the extents; A.row_offsets,
///                     A.columns and A.values the Views
template <class Offsets, class Columns, Impl::Viewish Values>
  requires(Kokkos::is_view_v<Offsets> && Kokkos::is_view_v<Columns>)
auto csr(Offsets const& row_offsets, Columns const& columns, Values const& values) {
  static_assert(Offsets::rank() == 1 && Columns::rank() == 1,
                "Batchwork::csr: row offsets and columns have one index: all items share them");
  using O = typename Offsets::value_type;
  static_assert(std::is_integral_v<O> && (sizeof(O) == 4 || sizeof(O) == 8),
                "Batchwork::csr: row offsets are integers of 32 or 64 bits");
  Impl::require_column_indices<Columns>();
  Impl::require_numbers<Values>();
  static_assert(Impl::stored_t<Values>::tile_rank == 1,
                "Batchwork::csr: the values are v(item, entry), or compact(view, n) of (group, "
                "entry, lane)");
  return Impl::Csr<Offsets, Columns, Values>{row_offsets, columns, values};
}

/// Sparse matrices in compressed rows with the pattern of a KokkosSparse::CrsMatrix, or of its
/// graph.
/// \param matrix  gives the pattern only; its own values are not used
/// \param values  View v(item, k), or compact(v, n); float or double
template <Impl::CompressedMatrix M, Impl::Viewish Values>
auto csr(M const& matrix, Values const& values) {
  if constexpr (Impl::CompressedGraph<M>) {
    return csr(matrix.row_map, matrix.entries, values);
  } else {
    auto a = csr(matrix.graph.row_map, matrix.graph.entries, values);
    if constexpr (requires { matrix.numCols(); })
      a.columns_of_matrix = std::int64_t(matrix.numCols());
    return a;
  }
}

/// Sparse matrices with as many places in every row: values(item, i, k) is in row i, column
/// columns(i, k). All items share the pattern.
/// \param columns  View of 32-bit integers (row, place). A row with fewer entries ends with columns
///                 of -1 (with unsigned indices the largest number); their values are not read
/// \param values   View v(item, row, place), or compact(v, n); float or double. Fastest where the
///                 rows of an item are neighbours: LayoutStride with i fastest, or, if items are,
///                 LayoutLeft
/// \returns        matrices A as from csr, with the Views A.columns and A.values. A.width() is the
///                 number of places of a row; A.nonzeros() counts unused places, too
template <class Columns, Impl::Viewish Values>
  requires Kokkos::is_view_v<Columns>
auto ell(Columns const& columns, Values const& values) {
  static_assert(Columns::rank() == 2,
                "Batchwork::ell: the columns have two indices, (row, entry): all items share them");
  Impl::require_column_indices<Columns>();
  Impl::require_numbers<Values>();
  static_assert(Impl::stored_t<Values>::tile_rank == 2,
                "Batchwork::ell: the values are v(item, row, entry), or compact(view, n) of "
                "(group, row, entry, lane)");
  return Impl::Ell<Columns, Values>{columns, values};
}

/// Dense square matrices.
/// \param values  View v(item, i, j) in any layout or strided, compact(v, n), or transposed(...) of
///                these; float or double
/// \returns       matrices A as from csr, with the View A.values. A.nonzeros() is rows^2
template <Impl::Copyable Values>
auto dense(Values const& values) {
  Impl::require_numbers<Values>();
  static_assert(Impl::stored_t<Values>::tile_rank == 2,
                "Batchwork::dense: the values are v(item, row, column), or compact(view, n) of "
                "(group, row, column, lane)");
  return Impl::DenseMatrices<Values>{values};
}

/// scale times the identity, for any number of items. Nothing is stored.
/// \param rows   number of rows
/// \param scale  float or double, which is the type of the matrices
/// \returns      matrices A as from csr, without Views: A.items() is -1 and A.nonzeros() is 0.
///               A.scale is the number on the diagonal
template <std::floating_point T = double>
auto scaled_identity(std::int64_t rows, T scale = T(1)) {
  return Impl::IdentityMatrices<T>{{rows}, scale};
}

/// Matrices that are applied by a functor, for any number of items.
///
/// ```cpp
/// template <class Lanes, class X, class Y>
/// KOKKOS_FUNCTION void operator()(Lanes const& lanes, std::int64_t item, X const& x,
///                                 Y const& y) const {
///   lanes.for_each(rows, [&](int i) { y(i) = 2 * x(i); });
/// }
/// ```
///
/// \param rows     number of rows
/// \param functor  f(lanes, item, x, y) computes y = A x for that item, called by all lanes that
///                 share it. x(j) reads a number. y(i) = v is done once for every row, by one lane.
///                 lanes.for_each(rows, body) distributes the rows. Lanes that exchange data in
///                 another way all call lanes.sync(). The call operator is a template, because its
///                 arguments have other types in every kernel
/// \returns        matrices A as from csr, without Views: A.items() is -1 and A.nonzeros() is 0.
///                 A.functor is a copy of the functor
template <class F>
auto matrix_free(std::int64_t rows, F const& functor) {
  return Impl::MatrixFree<F>{{rows}, functor};
}

}  // namespace Batchwork

#endif

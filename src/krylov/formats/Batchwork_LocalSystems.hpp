// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// csr_pattern, ell_pattern, dense_pattern: patterns without numbers, for matrices that a kernel
/// has made itself; and the numbers and vectors of one item in such a kernel.
#ifndef BATCHWORK_LOCALSYSTEMS_HPP
#define BATCHWORK_LOCALSYSTEMS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "krylov/formats/Batchwork_AnyMatrices.hpp"
#include "krylov/formats/Batchwork_Formats.hpp"

namespace Batchwork {
namespace Impl {

template <class T>
constexpr void require_number() {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "Batchwork: the matrices hold float or double");
}

template <class T, class Offsets, class Columns>
struct CsrPattern {
  using pattern_of_a_team = void;
  using value_type = T;
  template <class Exec>
  static constexpr bool reachable = reaches<Exec, typename Offsets::memory_space> &&
                                    reaches<Exec, typename Columns::memory_space>;
  Offsets row_offsets;
  Columns columns;

  std::int64_t rows() const {
    return row_offsets.extent(0) == 0 ? 0 : std::int64_t(row_offsets.extent(0)) - 1;
  }
  std::int64_t nonzeros() const { return std::int64_t(columns.extent(0)); }
  std::string problem() const {
    std::vector<SystemView> const v{{"csr_pattern row offsets", describe_view(row_offsets)},
                                    {"csr_pattern columns", describe_view(columns)}};
    if (auto const p = view_problem(v); !p.empty()) return p;
    if (row_offsets.extent(0) == 0)
      return v[0].name() + " is empty; give one offset more than there are rows";
    if (auto const p = size_problem(v[0], rows()); !p.empty()) return p;
    for (int k = 0; k < 2; ++k) {
      bool const gaps = k == 0 ? row_offsets.extent(0) > 1 && row_offsets.stride(0) != 1
                               : columns.extent(0) > 1 && columns.stride(0) != 1;
      if (gaps) return v[std::size_t(k)].name() + " has gaps; give a contiguous View";
    }
    return "";
  }
  CsrSystems<T> systems() const {
    return {{index_data(columns), {row_offsets.data(), sizeof(typename Offsets::value_type) == 8}},
            {},
            int(rows())};
  }
};

template <class T, class Columns>
struct EllPattern {
  using pattern_of_a_team = void;
  using value_type = T;
  template <class Exec>
  static constexpr bool reachable = reaches<Exec, typename Columns::memory_space>;
  Columns columns;

  std::int64_t rows() const { return std::int64_t(columns.extent(0)); }
  std::int64_t nonzeros() const { return rows() * std::int64_t(columns.extent(1)); }
  std::string problem() const {
    SystemView const v{"ell_pattern columns", describe_view(columns)};
    if (auto const p = view_problem({v}); !p.empty()) return p;
    return size_problem(v, rows());
  }
  EllSystems<T> systems() const {
    return {{index_data(columns), std::int64_t(columns.stride(0)), std::int64_t(columns.stride(1)),
             int(columns.extent(1))},
            {},
            int(rows())};
  }
};

template <class T>
struct DensePattern {
  using pattern_of_a_team = void;
  using value_type = T;
  template <class Exec>
  static constexpr bool reachable = true;
  std::int64_t extent = 0;

  std::int64_t rows() const { return extent; }
  std::int64_t nonzeros() const { return extent * extent; }
  std::string problem() const {
    if (extent >= 0 && extent <= most_rows) return "";
    return "dense_pattern of " + std::to_string(extent) + " rows; give from 0 to " +
           std::to_string(most_rows);
  }
  DenseSystems<T> systems() const { return {{}, {}, int(extent)}; }
};

/// A pattern without numbers, which team_solve takes besides the formats.
template <class A>
concept TeamPattern = requires { typename A::pattern_of_a_team; };

/// Number of indices of the numbers of an item in a format, which a kernel's own numbers must have,
/// too. -1: the format stores no numbers; 0: it is known at run time.
template <class Systems>
inline constexpr int rank_of_numbers = -1;
template <class T, class Layout>
inline constexpr int rank_of_numbers<PatternSystems<T, Layout>> = Layout::rank;
template <class T>
inline constexpr int rank_of_numbers<AnySystemsByItems<T>> = 0;

/// The systems with the numbers that a kernel gives for its item: a View without an item index, or
/// a pointer to numbers without gaps, lines of `width` one after the other.
template <int Rank, class Systems, class V>
BATCHWORK_INLINE Systems with_numbers(Systems systems, int width, V const& v) {
  static_assert(
      Rank > 0,
      "Batchwork::team_solve: scaled_identity and matrices in a format known at run time take "
      "the number of an item");
  auto& to = systems.values;
  to.width = 1;
  to.group = to.lane = 0;
  if constexpr (std::is_pointer_v<V>) {
    to.data = v;
    to.row = Rank == 1 ? 1 : width;
    to.col = 1;
  } else {
    static_assert(V::rank() == Rank,
                  "Batchwork::team_solve: an item's own numbers are a View of (entry) for csr, of "
                  "(row, entry) for ell, of (row, column) for dense, of (diagonal, row) for dia, "
                  "or a pointer");
    to.data = v.data();
    to.row = std::int64_t(v.stride(0));
    to.col = 0;
    if constexpr (Rank == 2) to.col = std::int64_t(v.stride(1));
  }
  return systems;
}

/// Number i of a kernel's vector: v(i), or v[i] of a pointer.
template <class V>
BATCHWORK_INLINE decltype(auto) number_of(V const& v, int i) {
  if constexpr (requires { v(i); }) return v(i);
  else return (v[i]);
}
/// Requires memory of the whole team for an item's own numbers and the solution.
template <class Of, class X>
constexpr BATCHWORK_INLINE void require_memory_of_team() {
  static_assert(!std::is_array_v<Of> && !std::is_array_v<X>,
                "Batchwork::team_solve: an item's own numbers and x are memory that the whole "
                "team sees, a View or a pointer, into team scratch for instance; a local array "
                "belongs to one thread");
}

}  // namespace Impl

/// The pattern of csr without numbers, for team_solve: the kernel gives the numbers with each call,
/// as a View v(k) or a pointer, in team scratch for instance.
/// \tparam T           float or double
/// \param row_offsets  as in csr
/// \param columns      as in csr
template <class T, class Offsets, class Columns>
  requires(Kokkos::is_view_v<Offsets> && Kokkos::is_view_v<Columns>)
auto csr_pattern(Offsets const& row_offsets, Columns const& columns) {
  Impl::require_number<T>();
  static_assert(Offsets::rank() == 1 && Columns::rank() == 1,
                "Batchwork::csr_pattern: row offsets and columns have one index");
  using O = typename Offsets::value_type;
  static_assert(std::is_integral_v<O> && (sizeof(O) == 4 || sizeof(O) == 8),
                "Batchwork::csr_pattern: row offsets are integers of 32 or 64 bits");
  Impl::require_column_indices<Columns>();
  return Impl::CsrPattern<T, Offsets, Columns>{row_offsets, columns};
}

/// The pattern of ell without numbers, for team_solve: the kernel gives a View v(row, place), or a
/// pointer to the places of row after row.
/// \tparam T       float or double
/// \param columns  as in ell
template <class T, class Columns>
  requires Kokkos::is_view_v<Columns>
auto ell_pattern(Columns const& columns) {
  Impl::require_number<T>();
  static_assert(Columns::rank() == 2,
                "Batchwork::ell_pattern: the columns have two indices, (row, entry)");
  Impl::require_column_indices<Columns>();
  return Impl::EllPattern<T, Columns>{columns};
}

/// Full matrices without numbers, for team_solve: the kernel gives a View v(row, column), or a
/// pointer to row after row.
/// \tparam T    float or double
/// \param rows  number of rows
template <class T>
auto dense_pattern(std::int64_t rows) {
  Impl::require_number<T>();
  return Impl::DensePattern<T>{rows};
}

}  // namespace Batchwork

#endif

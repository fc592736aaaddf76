// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Source: one View as an operand on the host: shape, arrangement, label, and the checks that need
/// no other operand. A verb makes the Location for the kernel from it.
#ifndef BATCHWORK_SOURCE_HPP
#define BATCHWORK_SOURCE_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "core/detail/Batchwork_KernelSets.hpp"
#include "view/Batchwork_Adaptors.hpp"
#include "view/Batchwork_Steps.hpp"
#include "view/detail/loaders/Batchwork_Transfer.hpp"

namespace Batchwork::Impl {

/// The indices of a View before those of the tile.
enum class BatchIndices { none, item, time, item_time };

constexpr bool has_item(BatchIndices l) {
  return l == BatchIndices::item || l == BatchIndices::item_time;
}
constexpr bool has_time(BatchIndices l) {
  return l == BatchIndices::time || l == BatchIndices::item_time;
}
constexpr int count_of(BatchIndices l) { return int(has_item(l)) + int(has_time(l)); }

/// The properties of an operand's View that messages and checks need.
struct Description {
  std::string label;
  std::string shape;        ///< the shape of the tile
  std::string extents;      ///< the extents of the View, such as (1000, 6, 6)
  std::int64_t items = -1;  ///< -1: there is no item index
  std::int64_t steps = -1;  ///< -1: there is no time index
  char const* begin = nullptr;
  char const* end = nullptr;
  bool contiguous = true;
  bool null = false;    ///< it has no memory and is not Unmanaged
  std::string problem;  ///< the problem of this View alone, or empty

  // For a View with a time index: the steps of it that a scan touches, and their positions.
  Pace pace{};
  bool reversed = false;
  int time_index = -1;
  std::int64_t strides[8] = {};
  std::int64_t bytes_of_number = 0;

  /// The step of the View at step t of a scan.
  std::int64_t step_at(std::int64_t t) const {
    return reversed ? saturated(steps - 1 - pace.at(t)) : pace.at(t);
  }
};

inline constexpr char const* null_problem = "it is null; allocate it before the call";
inline constexpr char const* reversed_problem =
    "reversed(view) is for Views with a time index: use it in each, emit or common(each(view))";

/// Text about Views, which is compiled once. (A class template, so that headers may define it too.)
template <class Unused = void>
struct DescriptionText {
  /// The extents of a View, such as (1000, 6, 6).
  static std::string of_extents(std::int64_t const* extents, int rank);
  /// The problem of n items in so many groups of a compact View, or an empty string.
  static std::string compact_problem(std::int64_t n, std::int64_t groups, std::int64_t width);
};
inline std::string compact_problem(std::int64_t n, std::int64_t groups, std::int64_t width) {
  return DescriptionText<>::compact_problem(n, groups, width);
}

/// Label, extents and memory of any View.
template <class View>
Description describe_view(View const& view) {
  Description d;
  d.label = view.label();
  constexpr int rank = int(View::rank());
  std::int64_t extents[rank + 1] = {};
  bool empty = false;  // by the extents: size() of a null View is zero
  for (int r = 0; r < rank; ++r) {
    extents[r] = std::int64_t(view.extent(r));
    empty = empty || extents[r] == 0;
  }
  d.extents = DescriptionText<>::of_extents(extents, rank);
  d.begin = reinterpret_cast<char const*>(view.data());
  d.end = d.begin != nullptr ? d.begin + view.span() * sizeof(typename View::value_type) : nullptr;
  d.contiguous = view.span_is_contiguous();
  // Kokkos allocates memory for Views, even of zero numbers. The memory of an Unmanaged View
  // belongs to the user, and may be a null pointer for zero numbers.
  d.null = view.data() == nullptr && !View::memory_traits::is_unmanaged;
  if (!empty && view.data() == nullptr) d.problem = null_problem;
  return d;
}

/// Static extent r of the last dimensions of a View's data type, or 0.
template <class View>
constexpr int static_extent_from_end(int from_end) {
  using D = typename View::data_type;
  constexpr int n = int(std::rank_v<D>);
  int e[9] = {};
  if constexpr (n > 0) e[0] = int(std::extent_v<D, 0>);
  if constexpr (n > 1) e[1] = int(std::extent_v<D, 1>);
  if constexpr (n > 2) e[2] = int(std::extent_v<D, 2>);
  if constexpr (n > 3) e[3] = int(std::extent_v<D, 3>);
  if constexpr (n > 4) e[4] = int(std::extent_v<D, 4>);
  return from_end < n ? e[n - 1 - from_end] : 0;
}

template <class Adapt, BatchIndices Indices>
struct Source;

template <class V, Structure St, bool IsCompact, int... E, BatchIndices Indices>
struct Source<Adapted<V, St, IsCompact, E...>, Indices> {
  using view_type = V;
  using value_type = typename V::value_type;  // const for a const View
  using T = std::remove_const_t<value_type>;
  static constexpr int lead = count_of(Indices);
  static constexpr int view_rank = int(V::rank());
  static constexpr int tile_rank = view_rank - lead - int(IsCompact);

  static_assert(
      tile_rank >= 0 && tile_rank <= 2,
      "Batchwork: the View's rank does not fit the operand: matrices have two indices, vectors "
      "one, scalars "
      "none, after the item and time indices (and before the lane index of compact storage)");
  static_assert(sizeof...(E) == 0 || int(sizeof...(E)) == tile_rank,
                "Batchwork: extents<...>(view) must give as many extents as the tile has indices");

  static constexpr int static_extent(int k) {
    if constexpr (sizeof...(E) > 0) {
      constexpr int given[] = {E...};
      return given[k];
    } else {
      return static_extent_from_end<V>(tile_rank - 1 - k + int(IsCompact));
    }
  }
  static constexpr bool is_compact = IsCompact;
  static constexpr int compact_width = IsCompact ? static_extent_from_end<V>(0) : 0;
  static constexpr bool extents_known() {
    for (int k = 0; k < tile_rank; ++k)
      if (static_extent(k) <= 0) return false;
    return true;
  }
  static_assert(!IsCompact || has_item(Indices),
                "Batchwork::compact: only operands with an item index can be compact");

  static constexpr auto make_shape() {
    if constexpr (tile_rank == 0) return typename ShapeFromExtents<0>::type{};
    else if constexpr (tile_rank == 1)
      return typename ShapeFromExtents<1, static_extent(0)>::type{};
    else return typename ShapeFromExtents<2, static_extent(0), static_extent(1)>::type{};
  }
  using shape = typename Restructured<decltype(make_shape()), St>::type;

  /// The requirements of tiles on a View. Verbs without tiles (gemm, cholesky) take any extents and
  /// do not call this.
  static constexpr void require_tile() {
    static_assert(!IsCompact || compact_width > 0,
                  "Batchwork::compact: the lane extent must be static, as in "
                  "View<double*[6][6][8], LayoutRight>");
    static_assert(
        extents_known(),
        "Batchwork: the tile's extents must be known at compile time: use a View with static "
        "extents (View<double*[6][6]>) or extents<6, 6>(view); a View (item, time, ...) is "
        "each(view) or emit(view), in a scan");
    static_assert(
        shape::rows <= largest_extent && shape::cols <= largest_extent,
        "Batchwork: an extent of the tile is over the limit of 64 (larger whole matrices: "
        "the verbs gemm, cholesky, solve_cholesky, solve_lower, lu, solve_lu, inverse, "
        "qr, eigh and svd)");
  }

  using layout = typename V::array_layout;
  static constexpr bool left = std::is_same_v<layout, Kokkos::LayoutLeft>;
  static constexpr bool right = std::is_same_v<layout, Kokkos::LayoutRight>;
  static_assert(!IsCompact || right, "Batchwork::compact: the View must be LayoutRight");
  static constexpr bool items_adjacent = left || (right && view_rank == 1);
  static constexpr Arrangement arrangement =
      IsCompact                               ? Arrangement::compact
      : (items_adjacent && has_item(Indices)) ? Arrangement::interleaved
      : (right && has_item(Indices))          ? Arrangement::item_contiguous
      : (right && lead == 0)                  ? Arrangement::matrix_rows
      : (left && lead == 0)                   ? Arrangement::matrix_columns
                                              : Arrangement::strided;
  using location = Location<value_type, shape, arrangement, compact_width>;

  V view;
  std::int64_t compact_items;
  bool reversed;
  Pace pace{};
  Steps steps{0};  ///< the steps of the scan: its start and direction

  explicit Source(Adapted<V, St, IsCompact, E...> const& a)
      : view(a.view), compact_items(a.compact_items), reversed(a.reversed) {}
  /// The same View, said to be something else.
  template <class Adapt>
  explicit Source(Source<Adapt, Indices> const& s)
      : view(s.view),
        compact_items(s.compact_items),
        reversed(s.reversed),
        pace(s.pace),
        steps(s.steps) {}

  static constexpr int time_index = has_time(Indices) ? int(has_item(Indices)) : -1;

  Description describe() const {
    require_tile();
    Description d = describe_view(view);
    d.shape = shape::text();
    if (has_item(Indices)) d.items = IsCompact ? compact_items : std::int64_t(view.extent(0));
    if constexpr (has_time(Indices)) {
      d.steps = std::int64_t(view.extent(std::size_t(time_index)));
      d.pace = pace;
      d.reversed = reversed;
      d.time_index = time_index;
      for (int k = 0; k < view_rank; ++k) d.strides[k] = stride(k);
      d.bytes_of_number = std::int64_t(sizeof(T));
    } else if (reversed) {
      d.problem = reversed_problem;
    }
    if (!d.problem.empty()) return d;
    for (int k = 0; k < tile_rank; ++k) {
      if (int(view.extent(lead + k)) != static_extent(k)) {
        d.problem = "the View's own extents differ from the " + shape::text() +
                    " given by extents<...>; give the extents the View has";
      }
    }
    // Kernels assume that an item's numbers are adjacent if the layout's name says so. Padding and
    // some subviews violate that, and newer Kokkos versions still call them LayoutRight.
    bool gaps = false;
    if constexpr (arrangement == Arrangement::matrix_columns && tile_rank == 2)
      gaps = stride(1) != static_extent(0);
    if constexpr (tile_rank == 2 && (arrangement == Arrangement::item_contiguous || IsCompact ||
                                     arrangement == Arrangement::matrix_rows))
      gaps = stride(lead) != static_extent(1) * (IsCompact ? compact_width : 1);
    if constexpr (IsCompact && tile_rank > 0)
      gaps = gaps || stride(lead + tile_rank - 1) != compact_width;
    if (gaps && d.begin != nullptr && d.problem.empty())
      d.problem =
          "there are gaps between an item's numbers (padding, or a subview); pass it as a View "
          "with LayoutStride, or allocate it without Kokkos::AllowPadding";
    if constexpr (IsCompact) {
      std::string const few =
          compact_problem(compact_items, std::int64_t(view.extent(0)), compact_width);
      if (!few.empty()) d.problem = few;
    }
    return d;
  }

  /// A stride, or 0 for an index the View does not have.
  std::int64_t stride(int r) const {
    if (r < 0 || r >= view_rank) return 0;
    std::int64_t s[9] = {};
    for (int k = 0; k < view_rank; ++k) s[k] = std::int64_t(view.stride(k));
    return s[r];
  }

  /// The step of the View at which the scan begins, and the distance to its next one in steps of
  /// the View.
  struct Walk {
    std::int64_t begin = 0, by = 1;
  };
  Walk walk() const {
    Walk w;
    if constexpr (has_time(Indices)) {
      std::int64_t const all = std::int64_t(view.extent(std::size_t(time_index)));
      std::int64_t const at = pace.at(steps.at(0));
      w.begin = reversed ? all - 1 - at : at;
      w.by = reversed != steps.backward ? -saturated(pace.stride) : saturated(pace.stride);
      // Checked earlier: only a scan without steps begins outside the View, and only a scan with a
      // single step has a larger distance than the View has steps.
      if (w.begin < 0 || w.begin >= all) w.begin = 0;
      if (w.by >= all || -w.by >= all) w.by = w.by < 0 ? -1 : 1;
    }
    return w;
  }

  location locate() const {
    require_tile();
    [[maybe_unused]] Walk const w = walk();
    value_type* data = view.data();
    if constexpr (has_time(Indices)) data += w.begin * stride(time_index);
    [[maybe_unused]] std::int64_t const time = w.by * stride(time_index);
    // Also right for negative strides: the numbers of bytes wrap at a multiple of 16.
    auto const on_units = [&](auto... strides) {
      return reinterpret_cast<std::uintptr_t>(data) % 16 == 0 &&
             ((std::uintptr_t(strides) * sizeof(T) % 16 == 0) && ...);
    };
    if constexpr (arrangement == Arrangement::interleaved) {
      std::int64_t const entry_stride = stride(tile_rank > 0 ? lead : -1);
      return {data, time, entry_stride, on_units(time, entry_stride)};
    } else if constexpr (arrangement == Arrangement::item_contiguous) {
      std::int64_t const item = stride(0);
      return {data, time, item, on_units(item, time)};
    } else if constexpr (is_single(arrangement)) {
      return {data};
    } else if constexpr (arrangement == Arrangement::compact) {
      std::int64_t const group = stride(0);
      return {data, time, group, on_units(time, group, compact_width)};
    } else {
      return {data, time, has_item(Indices) ? stride(0) : 0, stride(tile_rank > 0 ? lead : -1),
              stride(tile_rank > 1 ? lead + 1 : -1)};
    }
  }
};

}  // namespace Batchwork::Impl

#if defined(BATCHWORK_KERNELS_IN_HEADERS)
#include "view/detail/Batchwork_DescriptionText.hpp"
#endif

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Table: common data that a sequence reads at indices it computes for each item.
#ifndef BATCHWORK_TABLE_HPP
#define BATCHWORK_TABLE_HPP

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "tile/types/Batchwork_Structured.hpp"
#include "view/detail/Batchwork_TableSource.hpp"

namespace Batchwork {

namespace Impl {

/// True; otherwise a compile-time error explains the indices of a table.
template <bool Good>
constexpr bool require_table_index() {
  static_assert(Good,
                "Batchwork: a table is read at as many integers as its View has run-time extents: "
                "t(k), or t(j, k); convert a real number, t(to_integer<std::int32_t>(x))");
  return Good;
}

/// An index of a table as a scalar.
template <class S>
BATCHWORK_INLINE Scalar<S> table_index(Scalar<S> const& k) {
  return k;
}
template <std::integral I>
BATCHWORK_INLINE Scalar<std::int64_t> table_index(I k) {
  return Scalar<std::int64_t>(static_cast<std::int64_t>(k));
}
/// Whether X is an index, or a scalar made from one. Overloads are used because nvcc fails with the
/// equivalent concept.
template <class S>
std::bool_constant<holds_integers<S>> table_index_test(Scalar<S> const&);
template <std::integral I>
std::true_type table_index_test(I);
std::false_type table_index_test(...);
template <class X>
inline constexpr bool is_table_index = decltype(table_index_test(std::declval<X const&>()))::value;

/// True where k is an index below the extent.
template <class S>
BATCHWORK_INLINE auto is_index(S const& k, std::int64_t extent) {
  using I = scalar_t<S>;
  constexpr std::int64_t most = std::numeric_limits<I>::max();
  std::int64_t const last = extent - 1;
  return k >= S(I(0)) && k <= S(static_cast<I>(last < most ? last : most));
}

/// The offset from the first number at which each lane of S reads a table.
template <class S>
struct TableOffsets {
  static constexpr int width = ValueTraits<S>::width;
  std::int64_t o[width] = {};

  template <class X>
  BATCHWORK_INLINE void add(X const& k, std::int64_t stride) {
    for (int l = 0; l < width; ++l) {
      if constexpr (is_distributed<X>) o[l] += k.v * stride;
      else o[l] += entry_of_pack(k, l) * stride;
    }
  }
};

}  // namespace Impl

/// table(view) inside a sequence. A read costs one load for each lane and each number of the tile.
/// An index out of range reads no memory: its item gets NaN, or 0 for integers, and the status
/// Reason::out_of_range.
template <class Loc>
struct Table {
  using T = typename Loc::value_type;
  using Sh = typename Loc::shape;
  Loc loc;

  /// Reads the number or tile at index k, or at indices j and k.
  /// ```cpp
  /// y = rates(k) * x;
  /// ```
  /// \param k  as many integer scalars or plain integers as the View has run-time extents
  /// \returns a Scalar, Vector or Matrix with the View's type of numbers
  template <class... K>
  BATCHWORK_INLINE auto operator()(K const&... k) const {
    constexpr bool good =
        sizeof...(K) == std::size_t(Loc::indices) && (Impl::is_table_index<K> && ...);
    if constexpr (Impl::require_table_index<good>()) return read(Impl::table_index(k)...);
    else return Scalar<T>(T(0));
  }

 private:
  template <class S>
  BATCHWORK_INLINE auto read(Scalar<S> const& k) const {
    Impl::TableOffsets<S> at;
    auto const there = Impl::is_index(k.value, loc.extent[0]);
    at.add(Impl::select(there, k.value, S(scalar_t<S>(0))), loc.stride[0]);
    return tile_at<S>(at, there, k.value, k.info);
  }
  template <class SJ, class SK>
  BATCHWORK_INLINE auto read(Scalar<SJ> const& j, Scalar<SK> const& k) const {
    using S = promote_t<SJ, SK>;
    Impl::TableOffsets<S> at;
    S const row = Impl::to_value<S>(j.value), col = Impl::to_value<S>(k.value);
    auto const there = Impl::is_index(row, loc.extent[0]) && Impl::is_index(col, loc.extent[1]);
    S const zero(scalar_t<S>(0));
    at.add(Impl::select(there, row, zero), loc.stride[0]);
    at.add(Impl::select(there, col, zero), loc.stride[1]);
    return tile_at<S>(at, there, Impl::by_bits<Impl::BitOperation::plus>(row, col),
                      Impl::merge_info<S>(j.info, k.info));
  }

  BATCHWORK_INLINE bool is_empty() const {
    bool empty = false;
    for (int n = 0; n < Loc::indices; ++n) empty = empty || loc.extent[n] == 0;
    return empty;
  }
  static constexpr KOKKOS_FORCEINLINE_FUNCTION T missing() {
    if constexpr (std::is_floating_point_v<T>) return std::numeric_limits<T>::quiet_NaN();
    else return T(0);
  }
  /// Number (i, j) of the tile that each lane reads.
  template <class SV, class S, class M>
  BATCHWORK_INLINE SV numbers(Impl::TableOffsets<S> const& at, M const& there, bool empty, int i,
                              int j) const {
    std::int64_t const entry = i * loc.row + j * loc.col;
    SV r(missing());
    if (!empty) {
      for (int l = 0; l < at.width; ++l) {
        T const x = loc.data[at.o[l] + entry];
        if constexpr (Impl::is_distributed<SV>) r.v = x;
        else Impl::set_entry_of_pack(r, l, x);
      }
      r = Impl::select(there, r, SV(missing()));
    }
    return r;
  }
  /// `like` identifies the lanes.
  template <class S, class M>
  BATCHWORK_INLINE auto tile_at(Impl::TableOffsets<S> const& at, M const& there, S const& like,
                                info_t<S> const& before) const {
    using SV = Impl::with_number_t<S, T>;
    using R = typename Sh::template tile<SV>;
    bool const empty = is_empty();
    R r;
    if constexpr (Impl::is_scalar_tile<R>) {
      r.value = numbers<SV>(at, there, empty, 0, 0);
      if constexpr (Impl::is_distributed<SV>) r.value.grid = like.grid;
    } else if constexpr (Impl::is_distributed<SV>) {
      r.grid = like.grid;
      BATCHWORK_UNROLL
      for (int m = 0; m < R::mine; ++m) {
        int const own = r.line(m), last = R::count - 1, i = own < last ? own : last;
        BATCHWORK_UNROLL
        for (int n = 0; n < R::length; ++n)
          r.set_local(m, n,
                      numbers<SV>(at, there, empty, R::by_rows ? i : n, R::by_rows ? n : i).v);
      }
    } else {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < R::rows; ++i) {
        BATCHWORK_UNROLL_ON_DEVICE
        for (int j = 0; j < R::cols; ++j) r.set(i, j, numbers<SV>(at, there, empty, i, j));
      }
    }
    using Info = info_t<typename R::value_type>;
    Info const failure = Impl::select(
        there, Info(0), Impl::make_info<typename R::value_type>(Reason::out_of_range, 0));
    r.info = Impl::first_failure(Impl::info_in_lanes_of<typename R::value_type>(before), failure);
    return r;
  }
};

}  // namespace Batchwork

#endif

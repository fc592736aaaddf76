// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// print: prints tiles, scalars and masks from a sequence, on hosts and devices.
#ifndef BATCHWORK_PRINT_HPP
#define BATCHWORK_PRINT_HPP

#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>

#include "tile/detail/Batchwork_EntryFunctions.hpp"

namespace Batchwork {

namespace Impl {

/// The printable types: tiles, scalars, and masks as 0 or 1.
template <class X>
struct Printed {
  using number = bool;
  static constexpr int rows = 1, cols = 1, lanes = 1;
  static constexpr bool has_rows = false, has_entries = false;
};
template <class I, int W>
struct Printed<PackMask<I, W>> : Printed<bool> {
  static constexpr int lanes = W;
};
template <ScalarTile X>
struct Printed<X> : Printed<bool> {
  using number = scalar_t<typename X::value_type>;
  static constexpr int lanes = ValueTraits<typename X::value_type>::width;
};
template <Tile X>
struct Printed<X> {
  using number = scalar_t<value_t<X>>;
  static constexpr int rows = rows_of<X>, cols = cols_of<X>;
  static constexpr int lanes = ValueTraits<value_t<X>>::width;
  static constexpr bool has_rows = !X::is_vector, has_entries = true;
};

/// Entry (i, j) in all lanes, and its number, or that of a mask, in one of them.
template <class X>
BATCHWORK_INLINE auto printed_entry(X const& x, [[maybe_unused]] int i, [[maybe_unused]] int j) {
  if constexpr (Tile<X>) return x.entry(i, j);
  else if constexpr (ScalarTile<X>) return x.value;
  else return x;
}
template <class E>
BATCHWORK_INLINE auto printed_number(E const& e, [[maybe_unused]] int l) {
  if constexpr (requires { e.lane(l); }) return e.lane(l);
  else if constexpr (requires { e.grid; }) return e.v;
  else return e;
}
/// The status of an item; a mask has none.
template <class X>
BATCHWORK_INLINE std::int64_t printed_status([[maybe_unused]] X const& x, [[maybe_unused]] int l) {
  if constexpr (requires { x.info; }) return std::int64_t(printed_number(x.info, l));
  else return 0;
}

// ---- hosts: an item by one call, its rows as lines
// ---------------------------------------------------------------------------------------------

template <class N>
void add_number(std::string& text, N x) {
  char digits[40];
  if constexpr (std::is_floating_point_v<N>)
    std::snprintf(digits, sizeof(digits), sizeof(N) == 4 ? " %.8g" : " %.15g", double(x));
  else std::snprintf(digits, sizeof(digits), " %lld", static_cast<long long>(x));
  text += digits;
}
template <class N>
void print_on_host(char const* name, int rows, int cols, bool has_rows, N const* x,
                   std::int64_t status) {
  std::string text;
  for (int i = 0; i < (has_rows ? rows : 1); ++i) {
    text += name;
    if (has_rows) text += "(" + std::to_string(i) + ", :)";
    text += " =";
    int const count = has_rows ? cols : rows * cols;
    for (int j = 0; j < count; ++j) add_number(text, x[i * cols + j]);
    text += "\n";
  }
  if (status != 0)
    text += std::string(name) + " has failed: " + to_string(Status::reason(status)) + ", info " +
            std::to_string(Status::info(status)) + "\n";
  std::fputs(text.c_str(), stdout);
}

// ---- devices: an entry by one call, since lines of several calls would mix
// ------------------------------------------

template <class X, class N>
BATCHWORK_INLINE void print_on_device(char const* name, int i, int j, N x) {
  using P = Printed<X>;
  if constexpr (!std::is_floating_point_v<N>) {
    auto const n = static_cast<long long>(x);
    if constexpr (P::has_rows) Kokkos::printf("%s(%d, %d) = %lld\n", name, i, j, n);
    else if constexpr (P::has_entries) Kokkos::printf("%s(%d) = %lld\n", name, i, n);
    else Kokkos::printf("%s = %lld\n", name, n);
  } else if constexpr (sizeof(N) == 4) {
    if constexpr (P::has_rows) Kokkos::printf("%s(%d, %d) = %.8g\n", name, i, j, double(x));
    else if constexpr (P::has_entries) Kokkos::printf("%s(%d) = %.8g\n", name, i, double(x));
    else Kokkos::printf("%s = %.8g\n", name, double(x));
  } else {
    if constexpr (P::has_rows) Kokkos::printf("%s(%d, %d) = %.15g\n", name, i, j, double(x));
    else if constexpr (P::has_entries) Kokkos::printf("%s(%d) = %.15g\n", name, i, double(x));
    else Kokkos::printf("%s = %.15g\n", name, double(x));
  }
}

template <class M, class X>
BATCHWORK_INLINE void print_where(M const& mask, char const* name, X const& x) {
  using P = Printed<X>;
  // If lanes share an item, the first one prints.
  LaneGrid const grid = grid_known_to(x, mask);
#if defined(BATCHWORK_DEVICE_PASS)
  bool const prints = printed_number(mask, 0) && grid.lane == 0;
  BATCHWORK_UNROLL
  for (int i = 0; i < P::rows; ++i) {
    BATCHWORK_UNROLL
    for (int j = 0; j < P::cols; ++j) {
      // By all lanes, because they exchange the entry.
      auto const n = printed_number(printed_entry(x, i, j), 0);
      if (prints) print_on_device<X>(name, i, j, n);
    }
  }
  std::int64_t const status = printed_status(x, 0);
  if (prints && status != 0)
    Kokkos::printf("%s has failed: reason %d, info %d\n", name, int(Status::reason(status)),
                   Status::info(status));
#else
  constexpr int lanes = Printed<M>::lanes > P::lanes ? Printed<M>::lanes : P::lanes;
  typename P::number n[lanes][P::rows * P::cols];
  for (int i = 0; i < P::rows; ++i)
    for (int j = 0; j < P::cols; ++j) {
      auto const e = printed_entry(x, i, j);
      for (int l = 0; l < lanes; ++l) n[l][i * P::cols + j] = printed_number(e, l);
    }
  for (int l = 0; l < lanes; ++l)
    if (printed_number(mask, l) && grid.lane == 0)
      print_on_host(name, P::rows, P::cols, P::has_rows, n[l], printed_status(x, l));
#endif
}

template <class X>
concept Printable = ScalarOrTile<X> || is_mask<X>;

template <class X>
constexpr bool require_printable() {
  if constexpr (ScalarOrTile<X>) {
    constexpr bool plain = std::is_arithmetic_v<decltype(printed_number(
        printed_entry(std::declval<X const&>(), 0, 0), 0))>;
    static_assert(plain,
                  "Batchwork: print takes plain real numbers; of complex ones print real(x) and "
                  "imag(x), of numbers with derivatives value_of(x)");
    return plain;
  } else {
    return true;
  }
}

}  // namespace Impl

/// Prints a tile, a scalar or a mask with its name, for the items whose mask is true. For
/// debugging. Hosts print a line for each row, all of an item by one call; devices print a line for
/// each entry with Kokkos::printf. A failed item is marked as failed. If lanes share an item, one
/// of them prints. All lanes must call it, so do not put it behind a branch.
/// ```cpp
/// print(isnan(x), "x", x);  // only items with NaN
/// ```
/// \param mask  a comparison of scalars
/// \param name  the text before the numbers
/// \param x     a tile of real numbers, a scalar or a mask
template <class M, class X>
  requires(Impl::is_mask<M> && Impl::Printable<X>)
BATCHWORK_INLINE void print(M const& mask, char const* name, X const& x) {
  if constexpr (Impl::require_printable<X>()) Impl::print_where(mask, name, x);
}
/// The same for all items. Lanes beyond the last item of a batch print that item again.
template <Impl::Printable X>
BATCHWORK_INLINE void print(char const* name, X const& x) {
  print(true, name, x);
}

}  // namespace Batchwork

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Substitution with triangles whose rows the lanes of a warp have, for one vector.
#ifndef BATCHWORK_SUBSTITUTION_HPP
#define BATCHWORK_SUBSTITUTION_HPP

#include <cstdint>

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"

namespace Batchwork::Impl {

/// Slots rows of each lane of a warp: next to each other if Adjacent, else lane l has rows l,
/// 32 + l, ...
template <int Slots, bool Adjacent>
struct RowsOfWarp {
  static BATCHWORK_INLINE int row(int lane, int slot) {
    return Adjacent ? Slots * lane + slot : lane + lanes_of_warp * slot;
  }
  static BATCHWORK_INLINE int slot(int row) { return Adjacent ? row % Slots : row / lanes_of_warp; }
  static BATCHWORK_INLINE int lane(int row) { return Adjacent ? row / Slots : row % lanes_of_warp; }

  /// of(slot), for a slot that is not a constant.
  template <class Of>
  static BATCHWORK_INLINE auto of_slot([[maybe_unused]] int slot, Of const& of) {
    auto x = of(Slots - 1);
    BATCHWORK_UNROLL
    for (int s = Slots - 2; s >= 0; --s) x = slot == s ? of(s) : x;
    return x;
  }
  /// The number of a row, for all lanes.
  template <class T>
  static BATCHWORK_INLINE T of_row(int row, T const (&x)[Slots]) {
    return Vendor::shuffle<lanes_of_warp>(of_slot(slot(row), [&](int s) { return x[s]; }),
                                          lane(row));
  }

  /// y with L y = y for the unit triangle L of n rows, of which row order[k] has place k. place: of
  /// the lane's rows, -1 where none is. read(s, k, l): four numbers of row s from column k on.
  template <class T, class Read>
  static BATCHWORK_INLINE void forward(int n, std::int16_t const* order, T (&y)[Slots],
                                       int const (&place)[Slots], Read const& read) {
    BATCHWORK_KEEP_LOOP
    for (int k0 = 0; k0 < n; k0 += 4) {
      T l[Slots][4];
      BATCHWORK_UNROLL
      for (int s = 0; s < Slots; ++s) read(s, k0, l[s]);
      BATCHWORK_UNROLL
      for (int q = 0; q < 4; ++q) {
        T const known = of_row(order[k0 + q], y);
        BATCHWORK_UNROLL
        for (int s = 0; s < Slots; ++s) y[s] = place[s] > k0 + q ? y[s] - l[s][q] * known : y[s];
      }
    }
  }
  /// The same with U, of whose diagonal there are the divisors of the lane's rows. put(k, x) gets
  /// the solution, in each lane. Filled: what is beyond the rows is the identity.
  template <bool Filled, class T, class Divisor, class Read, class Put>
  static BATCHWORK_INLINE void backward(int n, std::int16_t const* order, T (&y)[Slots],
                                        int const (&place)[Slots], Divisor const (&divisor)[Slots],
                                        Read const& read, Put const& put) {
    BATCHWORK_KEEP_LOOP
    for (int k0 = (n - 1) / 4 * 4; k0 >= 0; k0 -= 4) {
      T u[Slots][4];
      BATCHWORK_UNROLL
      for (int s = 0; s < Slots; ++s) read(s, k0, u[s]);
      BATCHWORK_UNROLL
      for (int q = 3; q >= 0; --q) {
        int const k = k0 + q;
        T x[Slots];
        BATCHWORK_UNROLL
        for (int s = 0; s < Slots; ++s) x[s] = divisor[s] * y[s];
        T const known = of_row(order[k], x);
        BATCHWORK_UNROLL
        for (int s = 0; s < Slots; ++s)
          y[s] = place[s] < k && (Filled || k < n) ? y[s] - u[s][q] * known : y[s];
        put(k, known);
      }
    }
  }
};

}  // namespace Batchwork::Impl

#endif

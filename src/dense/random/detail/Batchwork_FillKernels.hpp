// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernels of fill_random.
///
/// A block of random bits gives 4 floats or 2 doubles. They are the numbers of so many adjacent i
/// with the same other indices. So a lane stores 16 bytes at once where i is the fastest index, and
/// adjacent lanes store adjacent numbers where another one is.
#ifndef BATCHWORK_FILLKERNELS_HPP
#define BATCHWORK_FILLKERNELS_HPP

#include <bit>
#include <cstdint>
#include <string>

#include "core/detail/Batchwork_Lanes.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/Batchwork_RandomBlock.hpp"
#include "core/detail/backend/Batchwork_MemoryAccess.hpp"
#include "dense/random/detail/Batchwork_FillLaunch.hpp"
#include "dense/random/detail/Batchwork_FillProblem.hpp"
#include "launch/detail/Batchwork_RangeLaunch.hpp"

namespace Batchwork::Impl {

/// Division by a number that is known at run time: below 2^31 by a multiplication with the
/// reciprocal rounded up, Granlund and Montgomery, "Division by invariant integers using
/// multiplication" (1994), theorem 4.2.
struct FillDivisor {
  std::int64_t divisor = 1;
  std::uint64_t factor = 0;
  int shift = 0;
  bool exact = false;  ///< all dividends are below 2^31

  FillDivisor() = default;
  FillDivisor(std::int64_t d, std::int64_t dividends) : divisor(d) {
    exact = d > 1 && dividends <= std::int64_t(1) << 31;
    if (!exact) return;
    shift = 31 + std::bit_width(static_cast<std::uint64_t>(d - 1));
    factor = (std::uint64_t(1) << shift) / static_cast<std::uint64_t>(d) + 1;
  }
  BATCHWORK_INLINE std::int64_t quotient(std::int64_t n) const {
    if (divisor == 1) return n;
    if (exact) return static_cast<std::int64_t>((static_cast<std::uint64_t>(n) * factor) >> shift);
    return n / divisor;
  }
};

/// W blocks side by side: one on devices, a register of them on hosts. V holds a number of each.
/// Adjacent: there is no other index than i, and its numbers are adjacent.
template <class V, bool Normal, bool Adjacent>
struct FillKernel {
  using T = scalar_t<V>;
  static constexpr int width = ValueTraits<V>::width;
  static constexpr int per = numbers_in_block<T>;
  /// Blocks that a lane of a device has: enough work to be worth a lane.
  static constexpr int rounds = width == 1 ? 4 : 1;

  FillProblem<T> p;
  std::int64_t groups, in_item, units;
  bool down;  ///< i is the fastest index
  FillDivisor by_fastest, by_extent[FillProblem<T>::most];
  T first, scale;

  explicit FillKernel(FillProblem<T> const& problem)
      : p(problem),
        groups((p.items + per - 1) / per),
        in_item(p.in_item()),
        units((groups * in_item + width * rounds - 1) / (width * rounds)),
        down(true),
        first(static_cast<T>(p.distribution.first)),
        scale(static_cast<T>(p.distribution.scale)) {
    for (int k = 0; k < p.indices; ++k) {
      down = down && p.stride < p.strides[k];
      by_extent[k] = FillDivisor(p.extent[k], in_item);
    }
    by_fastest = FillDivisor(down ? groups : in_item, groups * in_item);
  }

  /// The block at position t of the order in which they are stored.
  struct At {
    std::int64_t group, place;
  };
  BATCHWORK_INLINE At at(std::int64_t t) const {
    if constexpr (Adjacent) return {t, 0};
    std::int64_t const slow = by_fastest.quotient(t), fast = t - slow * by_fastest.divisor;
    return down ? At{fast, slow} : At{slow, fast};
  }
  BATCHWORK_INLINE T* address(At const& b) const {
    if constexpr (Adjacent) return p.data + b.group * per;
    std::int64_t offset = b.group * per * p.stride, rest = b.place;
    BATCHWORK_KEEP_LOOP
    for (int k = p.indices - 1; k > 0; --k) {
      std::int64_t const q = by_extent[k].quotient(rest);
      offset += (rest - q * p.extent[k]) * p.strides[k];
      rest = q;
    }
    if (p.indices > 0) offset += rest * p.strides[0];
    return p.data + offset;
  }

  BATCHWORK_INLINE void fill(std::int64_t t) const {
    std::int64_t const last = groups * in_item - 1;
    At of[width];
    RandomCounter<width> counter;
    counter.key = p.key;
    counter.stream = p.stream;
    for (int l = 0; l < width; ++l) {
      of[l] = at(t + l < last ? t + l : last);
      counter.set_item(
          l, p.first_block + (Adjacent ? of[l].group : of[l].group * in_item + of[l].place));
      counter.set_step(l, 0);
    }
    V x[per];
    if constexpr (Normal) normal_numbers(counter.bits(0), x);
    else uniform_numbers(counter.bits(0), x);
    BATCHWORK_UNROLL
    for (int k = 0; k < per; ++k) x[k] = V(first) + V(scale) * x[k];
    // All are adjacent.
    if constexpr (width > 1) {
      At const &a = of[0], &b = of[width - 1];
      if ((Adjacent || (down && p.stride == 1)) && a.place == b.place &&
          b.group - a.group == width - 1 && (b.group + 1) * per <= p.items) {
        T* const to = address(a);
        for (int l = 0; l < width; ++l)
          for (int k = 0; k < per; ++k) to[l * per + k] = entry_of_pack(x[k], l);
        return;
      }
    }
    for (int l = 0; l < width && t + l <= last; ++l) store(of[l], x, l);
  }
  BATCHWORK_INLINE void store(At const& b, V const (&x)[per], int l) const {
    T* const to = address(b);
    std::int64_t const left = p.items - b.group * per;
    if constexpr (width == 1) {
      if ((Adjacent || p.stride == 1) && left >= per &&
          reinterpret_cast<std::uintptr_t>(to) % 16 == 0) {
        Vendor::store_vector<T, per>(to, x);
        return;
      }
    }
    BATCHWORK_UNROLL
    for (int k = 0; k < per; ++k)
      if (k < left) to[Adjacent ? k : k * p.stride] = entry_of_pack(x[k], l);
  }

  KOKKOS_FUNCTION void operator()(std::int64_t unit) const {
    if constexpr (width > 1) {
      fill(unit * width);
    } else {
      std::int64_t const blocks = groups * in_item;
      BATCHWORK_UNROLL
      for (int n = 0; n < rounds; ++n)
        if (unit + n * units < blocks) fill(unit + n * units);
    }
  }
};

template <class T, class Exec>
void FillLaunch<T, Exec>::run(Exec const& exec, std::string const& label, FillProblem<T> const& p) {
  // A register of 32-bit words on hosts.
  using V = std::conditional_t<runs_on_device<Exec>, T, Pack<T, native_width<float>>>;
  auto const launch = [&](auto const& kernel) { launch_range(exec, label, kernel.units, kernel); };
  bool const adjacent = p.indices == 0 && p.stride == 1;
  if (p.distribution.normal) {
    if (adjacent) launch(FillKernel<V, true, true>(p));
    else launch(FillKernel<V, true, false>(p));
  } else {
    if (adjacent) launch(FillKernel<V, false, true>(p));
    else launch(FillKernel<V, false, false>(p));
  }
}

}  // namespace Batchwork::Impl

#endif

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernels that can run a call, as a <Verb>Choice.hpp lists them. Such a header includes no
/// kernel and needs no device.
#ifndef BATCHWORK_KERNELCHOICE_HPP
#define BATCHWORK_KERNELCHOICE_HPP

#include "launch/Batchwork_KernelKind.hpp"

namespace Batchwork::Impl {

/// The largest extents for which verbs have a kernel with an item in each lane, or in each place of
/// a host's pack. Larger items would not stay in the registers of a device.
inline constexpr int extent_of_lane = 8;

/// A kernel, the extent that it is compiled for, and the lanes that share an item; 0 where these
/// are found at run time.
struct KernelChoice {
  KernelKind kind = KernelKind::fastest;
  int extent = 0, lanes = 0;

  friend constexpr bool operator==(KernelChoice const&, KernelChoice const&) = default;
};

/// The kernels that can run a call, the fastest first. The next one runs where a device has too
/// little scratch for one.
template <class Choice = KernelChoice>
struct Candidates {
  Choice all[8] = {};
  int count = 0;

  constexpr void add(Choice const& c) { all[count++] = c; }
  constexpr Choice const* begin() const { return all; }
  constexpr Choice const* end() const { return all + count; }
};

/// The smallest of some ascending extents that is n or more; 0 if there is none.
template <int Count>
constexpr int extent_from(int const (&extents)[Count], int n) {
  for (int extent : extents)
    if (n <= extent) return extent;
  return 0;
}

}  // namespace Batchwork::Impl

#endif

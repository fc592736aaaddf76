// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SystemVerbLaunch: launches the kernels of add_scaled_identity, equilibrate, scale,
/// solve_triangular, dot and norm.
#ifndef BATCHWORK_SYSTEMVERBLAUNCH_HPP
#define BATCHWORK_SYSTEMVERBLAUNCH_HPP

#include <cstdint>

#include "core/detail/Batchwork_KernelSets.hpp"
#include "krylov/base/detail/Batchwork_SystemCall.hpp"
#include "krylov/formats/detail/Batchwork_AnySystems.hpp"
#include "krylov/verbs/detail/Batchwork_ItemVectors.hpp"
#include "launch/detail/Batchwork_StatusTarget.hpp"
#include "view/detail/layout/Batchwork_Storage.hpp"

namespace Batchwork::Impl {

/// Of the matrices of a call: in any format, for so many items.
template <class T>
struct SystemsOfCall {
  AnySystems<T> a;
  std::int64_t nonzeros;  ///< of a system
  std::int64_t items;
};
template <class T, class A>
SystemsOfCall<T> systems_of_call(A const& a, std::int64_t items) {
  return {AnySystems<T>(a.systems()), a.nonzeros(), items};
}

/// Each launches the kernel of a checked call, if there are items.
template <class T, class Exec>
struct SystemVerbLaunch {
  static void add_scaled_identity(Exec const& exec, SystemCall const& call,
                                  SystemsOfCall<T> const& of, Storage<T> const& numbers,
                                  ItemNumber<T> const& alpha, T beta);
  static void equilibrate(Exec const& exec, SystemCall const& call, SystemsOfCall<T> const& of,
                          Storage<T> const& left, Storage<T> const& right);
  static void scale(Exec const& exec, SystemCall const& call, SystemsOfCall<T> const& of,
                    Storage<T> const& numbers, ItemVector<T> const& left,
                    ItemVector<T> const& right);
  /// \param unit  whether ones stand on the diagonal
  static void solve_triangular(Exec const& exec, SystemCall const& call, SystemsOfCall<T> const& of,
                               Storage<T const> const& b, Storage<T> const& x,
                               StatusTarget const& status, bool upper, bool unit);
  static void dot(Exec const& exec, SystemCall const& call, std::int64_t items, std::int64_t rows,
                  Storage<T const> const& x, Storage<T const> const& y, Storage<T> const& result);
  static void norm(Exec const& exec, SystemCall const& call, std::int64_t items, std::int64_t rows,
                   Storage<T const> const& x, Storage<T> const& result);
};

}  // namespace Batchwork::Impl

#if defined(BATCHWORK_KERNELS_IN_HEADERS)
#include "krylov/verbs/detail/Batchwork_SystemVerbKernels.hpp"
#endif

#endif

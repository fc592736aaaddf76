// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernels of the verbs on systems, except multiply.
#ifndef BATCHWORK_SYSTEMVERBKERNELS_HPP
#define BATCHWORK_SYSTEMVERBKERNELS_HPP

#include <cstdint>

#include "krylov/formats/detail/Batchwork_OwnFormat.hpp"
#include "krylov/verbs/detail/Batchwork_AddScaledIdentityKernel.hpp"
#include "krylov/verbs/detail/Batchwork_EquilibrateKernel.hpp"
#include "krylov/verbs/detail/Batchwork_ScaleKernel.hpp"
#include "krylov/verbs/detail/Batchwork_SystemKernels.hpp"
#include "krylov/verbs/detail/Batchwork_SystemVerbLaunch.hpp"
#include "krylov/verbs/detail/Batchwork_TriangularKernel.hpp"
#include "krylov/verbs/detail/Batchwork_VectorSumsKernel.hpp"

namespace Batchwork::Impl {

/// Launches Work<T, Systems>, made by make(systems) of the systems in their own format.
template <class T, class Exec, class Make>
void launch_in_own_format(Exec const& exec, SystemCall const& call, SystemsOfCall<T> const& of,
                          Make const& make) {
  with_own_format(of.a, [&]<class Systems>(Systems const& a) {
    if constexpr (Systems::has_pattern)
      launch_systems(exec, call, make(a), of.items, of.a.rows, of.nonzeros);
  });
}

template <class T, class Exec>
void SystemVerbLaunch<T, Exec>::add_scaled_identity(Exec const& exec, SystemCall const& call,
                                                    SystemsOfCall<T> const& of,
                                                    Storage<T> const& numbers,
                                                    ItemNumber<T> const& alpha, T beta) {
  launch_in_own_format(exec, call, of, [&]<class Systems>(Systems const& a) {
    return AddScaledIdentity<T, Systems>{a, numbers, alpha, beta, of.nonzeros};
  });
}
template <class T, class Exec>
void SystemVerbLaunch<T, Exec>::equilibrate(Exec const& exec, SystemCall const& call,
                                            SystemsOfCall<T> const& of, Storage<T> const& left,
                                            Storage<T> const& right) {
  launch_in_own_format(exec, call, of, [&]<class Systems>(Systems const& a) {
    return EquilibrateSystems<T, Systems>{a, left, right, of.nonzeros};
  });
}
template <class T, class Exec>
void SystemVerbLaunch<T, Exec>::scale(Exec const& exec, SystemCall const& call,
                                      SystemsOfCall<T> const& of, Storage<T> const& numbers,
                                      ItemVector<T> const& left, ItemVector<T> const& right) {
  launch_in_own_format(exec, call, of, [&]<class Systems>(Systems const& a) {
    return ScaleSystems<T, Systems>{a, numbers, left, right, of.nonzeros};
  });
}
template <class T, class Exec>
void SystemVerbLaunch<T, Exec>::solve_triangular(Exec const& exec, SystemCall const& call,
                                                 SystemsOfCall<T> const& of,
                                                 Storage<T const> const& b, Storage<T> const& x,
                                                 StatusTarget const& status, bool upper,
                                                 bool unit) {
  launch_systems(exec, call, TriangularSystems<T>{of.a, b, x, status, upper, unit, of.nonzeros},
                 of.items, of.a.rows, of.nonzeros);
}
template <class T, class Exec>
void SystemVerbLaunch<T, Exec>::dot(Exec const& exec, SystemCall const& call, std::int64_t items,
                                    std::int64_t rows, Storage<T const> const& x,
                                    Storage<T const> const& y, Storage<T> const& result) {
  launch_systems(exec, call, VectorSums<T, DotSum<T>>{x, y, result, int(rows)}, items, rows, rows);
}
template <class T, class Exec>
void SystemVerbLaunch<T, Exec>::norm(Exec const& exec, SystemCall const& call, std::int64_t items,
                                     std::int64_t rows, Storage<T const> const& x,
                                     Storage<T> const& result) {
  launch_systems(exec, call, VectorSums<T, NormSum<T>>{x, x, result, int(rows)}, items, rows, rows);
}

}  // namespace Batchwork::Impl

#endif

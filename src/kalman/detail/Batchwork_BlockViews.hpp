// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Views and operands of blocks of time, and the results that blocks have in common.
#ifndef BATCHWORK_BLOCK_VIEWS_HPP
#define BATCHWORK_BLOCK_VIEWS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

#include "kalman/Batchwork_ParallelInTime.hpp"
#include "kalman/detail/Batchwork_FilterOperands.hpp"
#include "view/detail/Batchwork_BlockSource.hpp"

namespace Batchwork::Impl {

/// Entries first, first + item_step, .. as items, each followed by `steps` steps at a distance.
/// The extents are template parameters, because nvcc takes types that differ only in constants of a
/// function template for the same type.
template <class T, int N, class Space>
using StridedVectors =
    Kokkos::View<T** [N], Kokkos::LayoutStride, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
template <class T, int N, class Space>
using StridedMatrices =
    Kokkos::View<T** [N][N], Kokkos::LayoutStride, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

struct Picked {
  std::int64_t first, items, item_step, steps = 1, step = 1;
};
template <class T, int N, class Space, class V>
auto picked(V const& v, Picked const& p) {
  auto const n = [](std::int64_t x) { return std::size_t(x); };
  auto* const first = v.data() + p.first * std::int64_t(v.stride(0));
  std::size_t const item = n(p.item_step) * n(v.stride(0)), step = n(p.step) * n(v.stride(0));
  if constexpr (V::rank() == 2)
    return StridedVectors<T, N, Space>(
        first, Kokkos::LayoutStride(n(p.items), item, n(p.steps), step, n(N), n(v.stride(1))));
  else
    return StridedMatrices<T, N, Space>(
        first, Kokkos::LayoutStride(n(p.items), item, n(p.steps), step, n(N), n(v.stride(1)), n(N),
                                    n(v.stride(2))));
}

/// Operands that the kernels of blocks have in common. Covariances are symmetric, their factors
/// lower triangular.
template <class T, int N, class Space, Structure OfCovariance>
struct BlockViews {
  template <class V>
  static auto at(V const& v, Picked const& p) {
    return picked<T, N, Space>(v, p);
  }
  template <class V>
  static auto steps(V const& v, Picked const& p) {
    return resolve(each(at(v, p)));
  }
  template <class V>
  static auto covariance(V const& v) {
    if constexpr (OfCovariance == Structure::symmetric) return symmetric(v);
    else return lower(v);
  }
  template <class V>
  static auto covariance_steps(V const& v, Picked const& p) {
    return resolve(each(covariance(at(v, p))));
  }
  /// The first step of each item: vectors, or covariances.
  template <class V>
  static auto first_step(V const& v, Picked const& p) {
    auto const all = at(v, p);
    if constexpr (V::rank() == 2)
      return extents<N>(Kokkos::subview(all, Kokkos::ALL, 0, Kokkos::ALL));
    else
      return covariance(
          extents<N, N>(Kokkos::subview(all, Kokkos::ALL, 0, Kokkos::ALL, Kokkos::ALL)));
  }
  static auto zeros() { return common(Fixed<T, Shape<N, 1, Structure::general, 1>>{}); }
  static auto no_covariance() { return common(Fixed<T, Shape<N, N, OfCovariance, 2>>{}); }
  static auto unit() {
    return common(fixed(generate<N, N>([](int i, int j) { return i == j ? T(1) : T(0); })));
  }
};

/// Adds the log-likelihoods of the blocks of a series and takes the first failure: the first in
/// time, or, after a smoother, the last in time, unless the code has the failure of its filter.
template <bool Backward, class T, class Space, class LogLikelihood, class Codes>
struct JoinBlocks {
  Kokkos::View<T*, Space> parts;
  Kokkos::View<std::int32_t*, Space> codes;
  std::int64_t series, blocks;
  LogLikelihood log_likelihood;
  Codes code;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    std::int64_t const s = member.league_rank();
    auto const place = [&](std::int64_t b) {
      return b < blocks ? s * blocks + b : series * blocks + s;
    };
    if constexpr (!is_nothing<LogLikelihood>) {
      T sum(0);
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(member, blocks + 1),
          [&](std::int64_t b, T& x) { x += parts(place(b)); }, sum);
      Kokkos::single(Kokkos::PerTeam(member), [&] { log_likelihood(s) = sum; });
    }
    if constexpr (!is_nothing<Codes>) {
      std::int64_t first = 0;
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(member, blocks + 1),
          [&](std::int64_t b, std::int64_t& x) {
            std::int64_t const order = Backward ? blocks - b : b;
            if (codes(place(b)) != 0 && order < x) x = order;
          },
          Kokkos::Min<std::int64_t>(first));
      Kokkos::single(Kokkos::PerTeam(member), [&] {
        using Code = typename Codes::value_type;
        if (Backward && code(s) != Code(0)) return;
        code(s) = first <= blocks ? Code(codes(place(Backward ? blocks - first : first))) : Code(0);
      });
    }
  }
};

/// The View of an output with one number for each series.
template <class O>
auto view_of_output(O const& o) {
  if constexpr (is_without<O>) return Nothing{};
  else return o.source.view;
}
template <bool Backward, class Exec, class T, class Space, class LogLikelihood, class Status>
void join_blocks(std::string const& label, Exec const& exec, TimeCut const& cut,
                 Kokkos::View<T*, Space> const& parts,
                 Kokkos::View<std::int32_t*, Space> const& codes, LogLikelihood const& likelihood,
                 Status const& status) {
  using ToLikelihood = decltype(view_of_output(likelihood));
  using ToStatus = decltype(view_of_output(status));
  if constexpr (!is_nothing<ToLikelihood> || !is_nothing<ToStatus>)
    Kokkos::parallel_for(label, Kokkos::TeamPolicy<Exec>(exec, int(cut.series), Kokkos::AUTO),
                         JoinBlocks<Backward, T, Space, ToLikelihood, ToStatus>{
                             parts, codes, cut.series, cut.blocks, view_of_output(likelihood),
                             view_of_output(status)});
}

}  // namespace Batchwork::Impl

#endif

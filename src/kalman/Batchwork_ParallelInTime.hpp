// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// parallel_in_time: few long series are cut into blocks of time, which are filtered in parallel.
#ifndef BATCHWORK_PARALLEL_IN_TIME_HPP
#define BATCHWORK_PARALLEL_IN_TIME_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "core/detail/Batchwork_Lanes.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "kalman/Batchwork_State.hpp"

namespace Batchwork {

namespace Impl {

/// How series are cut: into groups * per_group blocks of `length` steps. The rest of the steps
/// follows, at least one, from which a smoother starts.
struct BlockPlan {
  std::int64_t groups = 1, per_group = 1, length = 0;

  constexpr std::int64_t blocks() const { return groups * per_group; }
};

/// The plan for a machine that computes so many series at once. One block means that cutting does
/// not pay: it takes three times the operations of the filter.
///
/// Steps that run one after the other: 2 length in the blocks, groups + 2 per_group between them,
/// and the rest. About length = steps^(1/3) is best, but more blocks than the machine computes in
/// `rounds` rounds gain nothing. The rest, up to a block, runs when the blocks have ended, so
/// machines that compute few series at once need several rounds.
inline BlockPlan block_plan(std::int64_t series, std::int64_t steps, std::int64_t at_once,
                            std::int64_t rounds) {
  BlockPlan best{1, 1, steps};
  if (series < 1 || steps < 1 || 3 * series >= at_once) return best;
  double const full =
      double(series) * double(steps) / double(std::max<std::int64_t>(rounds * at_once, 1));
  auto const wanted = std::int64_t(std::ceil(std::max(std::cbrt(double(steps)), full)));
  if (steps / wanted < 6) return best;
  std::int64_t least = steps;
  for (std::int64_t length = wanted; length <= wanted + std::min<std::int64_t>(wanted / 4, 64) + 2;
       ++length) {
    auto const root = std::int64_t(std::sqrt(double(steps / length)));
    for (std::int64_t per = std::max<std::int64_t>(root / 2, 1); per <= root; ++per) {
      BlockPlan const plan{(steps - 1) / length / per, per, length};
      std::int64_t const cost = 2 * length + plan.groups + 2 * per + steps - plan.blocks() * length;
      if (plan.groups > 0 && cost < least) least = cost, best = plan;
    }
  }
  return best;
}

/// The plan for about so many blocks.
inline BlockPlan block_plan_of(std::int64_t steps, std::int64_t blocks) {
  blocks = std::min(blocks, steps - 1);
  if (blocks < 2) return {1, 1, steps};
  auto const per = std::int64_t(std::sqrt(double(blocks)));
  return {blocks / per, per, (steps - 1) / (blocks / per * per)};
}

/// The numbers of series that are computed at once on an instance.
template <class T, class Exec>
std::int64_t series_at_once(Exec const& exec) {
  // A device holds a quarter of the lanes of small kernels, because a filter takes many registers.
  if constexpr (runs_on_device<Exec>) return std::int64_t(exec.concurrency()) / 4;
  else return std::int64_t(exec.concurrency()) * native_width<T>;
}

/// Means and covariances of n states, in a Space.
template <class T, int N, class Space>
struct BlockStates {
  Kokkos::View<T* [N], Space> mean;
  Kokkos::View<T* [N][N], Space> covariance;

  template <class Allocate>
  BlockStates(Allocate const& allocate, std::size_t n)
      : mean(allocate("mean"), n), covariance(allocate("covariance"), n) {}
};
/// The elements of n blocks; see BlockElement.
template <class T, int N, class Space>
struct BlockElements {
  Kokkos::View<T* [N][N], Space> a;
  Kokkos::View<T* [N], Space> b;
  Kokkos::View<T* [N][N], Space> c;
  Kokkos::View<T* [N], Space> eta;
  Kokkos::View<T* [N][N], Space> j;

  template <class Allocate>
  BlockElements(Allocate const& allocate, std::size_t n)
      : a(allocate("A"), n),
        b(allocate("b"), n),
        c(allocate("C"), n),
        eta(allocate("eta"), n),
        j(allocate("J"), n) {}
};

template <class Blocks, class Form>
struct BlockFilter;
template <class Blocks, class Form>
struct BlockSmoother;

}  // namespace Impl

namespace Kalman {

/// The workspace of parallel_in_time, allocated by its constructor: about 4 N^2 + 3 N numbers for
/// each block. It may be reused by any number of calls, one after the other, and must live until
/// their kernels have ended.
///
/// ```cpp
/// Kalman::TimeBlocks<double, 4> blocks(1, 1'000'000);  // 4 states, 1 series of a million steps
/// ```
///
/// \tparam T type of the numbers
/// \tparam N number of states
/// \tparam Space memory space of the kernels
template <class T, int N, class Space = Kokkos::DefaultExecutionSpace::memory_space>
class TimeBlocks {
 public:
  using scalar = T;                 ///< the type of the numbers: float or double
  static constexpr int states = N;  ///< number of states

  /// Chooses the blocks and allocates the workspace.
  ///
  /// \param series number of series
  /// \param steps  number of time steps
  TimeBlocks(std::int64_t series, std::int64_t steps)
      : TimeBlocks(typename Space::execution_space(), series, steps) {}

  /// Chooses the blocks for an instance and allocates the workspace on its device.
  ///
  /// \param exec   execution space instance
  /// \param series number of series
  /// \param steps  number of time steps
  template <class Exec>
    requires Kokkos::is_execution_space_v<Exec>
  TimeBlocks(Exec const& exec, std::int64_t series, std::int64_t steps)
      : TimeBlocks(exec, series, steps,
                   Impl::block_plan(series, steps, Impl::series_at_once<T>(exec),
                                    Impl::runs_on_device<Exec> ? 1 : 8)) {}

  /// Allocates the workspace for a number of blocks.
  ///
  /// \param exec   execution space instance
  /// \param series number of series
  /// \param steps  number of time steps
  /// \param blocks number of blocks of each series, at least 1; slightly fewer are made, so that
  ///   groups of blocks are equally large
  template <class Exec>
    requires Kokkos::is_execution_space_v<Exec>
  TimeBlocks(Exec const& exec, std::int64_t series, std::int64_t steps, std::int64_t blocks)
      : TimeBlocks(exec, series, steps, Impl::block_plan_of(steps, blocks)) {}

  /// The number of series.
  std::int64_t series() const { return series_; }
  /// The number of time steps.
  std::int64_t steps() const { return steps_; }
  /// The number of blocks of each series; 1 if the filter runs as without blocks, because there are
  /// enough series or too few steps.
  std::int64_t blocks() const { return plan_.blocks(); }
  /// The number of time steps of a block.
  std::int64_t length() const { return plan_.length; }

 private:
  template <class Exec>
  TimeBlocks(Exec const& exec, std::int64_t series, std::int64_t steps, Impl::BlockPlan const& plan)
      : series_(series),
        steps_(steps),
        plan_(plan),
        elements_(allocation(exec), plan.blocks() > 1 ? std::size_t(series * plan.blocks()) : 0),
        group_elements_(allocation(exec),
                        plan.blocks() > 1 ? std::size_t(series * plan.groups) : 0),
        states_(allocation(exec), elements_.b.extent(0)),
        group_states_(allocation(exec), group_elements_.b.extent(0)),
        log_likelihood_(allocation(exec)("log-likelihood"),
                        elements_.b.extent(0) + std::size_t(series)),
        codes_(allocation(exec)("codes"), elements_.b.extent(0) + std::size_t(series)) {}

  template <class Exec>
  static auto allocation(Exec const& exec) {
    return [&exec](std::string const& what) {
      return Kokkos::view_alloc("Batchwork::Kalman::TimeBlocks::" + what,
                                Kokkos::WithoutInitializing, exec);
    };
  }

  template <class, class>
  friend struct Impl::BlockFilter;
  template <class, class>
  friend struct Impl::BlockSmoother;

  std::int64_t series_, steps_;
  Impl::BlockPlan plan_;
  Impl::BlockElements<T, N, Space> elements_, group_elements_;
  Impl::BlockStates<T, N, Space> states_, group_states_;
  // Those of the blocks, then those of the steps behind them.
  Kokkos::View<T*, Space> log_likelihood_;
  Kokkos::View<std::int32_t*, Space> codes_;
};

/// The promise of parallel_in_time(blocks).
///
/// \tparam B a TimeBlocks
template <class B>
struct ParallelInTime {
  static constexpr Data data = Data::may_be_missing;  ///< a NaN is a missing observation
  B blocks;                                           ///< the workspace; shares its Views
};

/// Cuts each series into blocks of time, which are filtered in parallel: for few long series.
/// Means, covariances and log-likelihood are those of the filter without it, up to rounding errors.
///
/// ```cpp
/// Kalman::TimeBlocks<double, 4> blocks(series, steps);
/// Kalman::filter(steps, model, Kalman::start(x0, P0), z, results,
///                Kalman::parallel_in_time(blocks));
/// ```
///
/// Seven kernels, nine with square_root(), find the states before all blocks and filter the blocks.
/// Together they take about three times the operations of the filter: 9 N^3 + 6 M N^2 + 4 M^2 N for
/// a step, and 12 N^3 for a block. If the workspace has one block, the filter runs as without it.
///
/// With square_root() all of this is done with factors, and no covariance is formed: 8 N^3 + 13 M
/// N^2 + 7 M^2 N for a step, and about 25 N^3 for a block. The observations of a block become N
/// observations of unit variance of the state before it. (F. Yaghoobi, A. Corenflos, S. Hassan and
/// S. Särkkä, arXiv 2207.00426.)
///
/// R must be positive definite, also where P alone would make the covariance of the innovations
/// positive. Otherwise a series may fail as not_finite. (S. Särkkä and Á. F.
/// García-Fernández, Temporal parallelization of Bayesian smoothers, IEEE Transactions on Automatic
/// Control 66, 2021.)
///
/// \param blocks workspace, which must live until the kernels have ended
/// \returns the argument `promise` of Kalman::filter
template <class T, int N, class Space>
auto parallel_in_time(TimeBlocks<T, N, Space> const& blocks) {
  return ParallelInTime<TimeBlocks<T, N, Space>>{blocks};
}

}  // namespace Kalman
}  // namespace Batchwork

#endif

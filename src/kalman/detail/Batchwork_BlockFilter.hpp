// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// BlockFilter: the kernels of a filter that is parallel in time.
#ifndef BATCHWORK_BLOCK_FILTER_HPP
#define BATCHWORK_BLOCK_FILTER_HPP

#include <utility>

#include "fused/Batchwork_Scan.hpp"
#include "kalman/Batchwork_Step.hpp"
#include "kalman/detail/Batchwork_BlockElement.hpp"
#include "kalman/detail/Batchwork_BlockViews.hpp"
#include "view/detail/Batchwork_BlockSource.hpp"

namespace Batchwork::Impl {

/// The filter of a model with a start, for the series z, in blocks of time.
template <class T, int N, class Space>
struct BlockFilter<Kalman::TimeBlocks<T, N, Space>> {
  using Views = BlockViews<T, N, Space>;
  static constexpr char const* name = "Kalman::filter";
  Kalman::TimeBlocks<T, N, Space> const& w;

  /// All operands were checked before.
  template <Kalman::Data D, class Exec, class How, class M, class S, class Z, class Re>
  void run(Exec const& exec, How const& how, M const& m, S const& start, Z const& z,
           Re const& re) const {
    TimeCut const cut{w.series_, w.blocks(), w.length()};
    find_elements<S::order, D>(exec, how, cut, m, z);
    find_states(exec, launch(how.label), start);

    auto const& x = w.states_;
    std::int64_t const items = cut.items();
    filter<S::order, D, Re>(
        exec, how, Steps(0, cut.length, false), Part(0, items), in(x.mean), out(x.mean),
        in(symmetric(x.covariance)), out(symmetric(x.covariance)), of_blocks(z, cut),
        of_blocks(m.f, cut), of_blocks(m.q, cut), of_blocks(m.h, cut), of_blocks(m.r, cut),
        of_blocks(re.predicted_mean_, cut), of_blocks(re.predicted_covariance_, cut),
        of_blocks(re.filtered_mean_, cut), of_blocks(re.filtered_covariance_, cut));
    // The rest of the steps.
    Picked const last{cut.blocks - 1, cut.series, cut.blocks};
    filter<S::order, D, Re>(exec, how, Steps(cut.blocks * cut.length, w.steps(), false),
                            Part(items, items + cut.series),
                            first_step_for<decltype(re.last_mean_)>(x.mean, last), re.last_mean_,
                            first_step_for<decltype(re.last_covariance_)>(x.covariance, last),
                            re.last_covariance_, z, m.f, m.q, m.h, m.r, re.predicted_mean_,
                            re.predicted_covariance_, re.filtered_mean_, re.filtered_covariance_);
    join_blocks<false>(kernel_label(name, how.label), exec, cut, w.log_likelihood_, w.codes_,
                       re.log_likelihood_, re.status_);
  }

 private:
  using Part = std::pair<std::int64_t, std::int64_t>;

  template <Kalman::Order O, Kalman::Data D, class Exec, class How, class M, class Z>
  void find_elements(Exec const& exec, How const& how, TimeCut const& cut, M const& m,
                     Z const& z) const {
    auto const& e = w.elements_;
    auto const zeros = Views::zeros();
    auto const none = Views::no_covariance();
    launch_scan(name, exec, how, cut.length, ElementStep<O, D>{}, carry(Views::unit(), e.a),
                carry(zeros, e.b), carry(none, symmetric(e.c)), carry(zeros, e.eta),
                carry(none, symmetric(e.j)), of_blocks(z, cut), of_blocks(m.f, cut),
                of_blocks(m.q, cut), of_blocks(m.h, cut), of_blocks(m.r, cut));
  }

  /// The states before all blocks: first those before groups of blocks.
  template <class Exec, class How, class S>
  void find_states(Exec const& exec, How const& how, S const& start) const {
    std::int64_t const groups = w.plan_.groups, per = w.plan_.per_group;
    Picked const members{0, w.series_ * groups, per, per, 1}, all{0, w.series_, groups, groups, 1};
    auto const& e = w.elements_;
    auto const& g = w.group_elements_;
    auto const zeros = Views::zeros();
    auto const none = Views::no_covariance();
    launch_scan(name, exec, how, per, AppendBlock{}, carry(Views::unit(), g.a), carry(zeros, g.b),
                carry(none, symmetric(g.c)), carry(zeros, g.eta), carry(none, symmetric(g.j)),
                Views::steps(e.a, members), Views::steps(e.b, members),
                Views::symmetric_steps(e.c, members), Views::steps(e.eta, members),
                Views::symmetric_steps(e.j, members));
    auto const advance_blocks = [&](auto const& mean, auto const& covariance, auto const& elements,
                                    auto const& states, Picked const& p) {
      launch_scan(name, exec, how, p.steps, AdvanceBlock{}, carry_operand(mean, nothing()),
                  carry_operand(covariance, nothing()), emit(Views::at(states.mean, p)),
                  emit(symmetric(Views::at(states.covariance, p))), Views::steps(elements.a, p),
                  Views::steps(elements.b, p), Views::symmetric_steps(elements.c, p),
                  Views::steps(elements.eta, p), Views::symmetric_steps(elements.j, p));
    };
    auto const& y = w.group_states_;
    advance_blocks(start.mean, start.covariance, g, y, all);
    advance_blocks(in(y.mean), in(symmetric(y.covariance)), e, w.states_, members);
  }

  /// Filters the items of a part: all blocks, or what follows them.
  template <Kalman::Order O, Kalman::Data D, class Re, class Exec, class How, class X, class LX,
            class P, class LP, class... Rest>
  void filter(Exec const& exec, How const& how, Steps const& steps, Part const& part, X const& mean,
              LX const& last_mean, P const& covariance, LP const& last_covariance,
              Rest const&... operands) const {
    auto const codes = [&] {
      if constexpr (is_without<decltype(Re::status_)>) return nothing();
      else return Batchwork::status(Kokkos::subview(w.codes_, part));
    }();
    auto const sum = [&] {
      if constexpr (is_without<decltype(Re::log_likelihood_)>) return nothing();
      else return out(Kokkos::subview(w.log_likelihood_, part));
    }();
    scan_as(name, exec, how, steps, Kalman::Step<O, D>{}, codes, carry_operand(mean, last_mean),
            carry_operand(covariance, last_covariance), likelihood_operand<T>(sum), operands...);
  }

  /// The states that follow the blocks as the start of a carry with this end, which may be a number
  /// if N is 1.
  template <class End, class V>
  static auto first_step_for(V const& v, Picked const& p) {
    if constexpr (is_number<End>() && V::rank() == 2)
      return in(Kokkos::subview(Views::at(v, p), Kokkos::ALL, 0, 0));
    else if constexpr (is_number<End>())
      return in(Kokkos::subview(Views::at(v, p), Kokkos::ALL, 0, 0, 0));
    else return in(Views::first_step(v, p));
  }
  template <class End>
  static constexpr bool is_number() {
    if constexpr (is_without<End>) return false;
    else return decltype(bound_t<End>::loc)::shape::rank == 0;
  }
};

}  // namespace Batchwork::Impl

#endif

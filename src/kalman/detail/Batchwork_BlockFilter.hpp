// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// BlockFilter: the kernels of a filter that is parallel in time.
#ifndef BATCHWORK_BLOCK_FILTER_HPP
#define BATCHWORK_BLOCK_FILTER_HPP

#include <utility>

#include "fused/Batchwork_Scan.hpp"
#include "kalman/Batchwork_Model.hpp"
#include "kalman/Batchwork_Step.hpp"
#include "kalman/detail/Batchwork_BlockViews.hpp"
#include "kalman/detail/Batchwork_SquareRootBlockElement.hpp"
#include "view/detail/Batchwork_BlockSource.hpp"

namespace Batchwork::Impl {

/// The filter of a model with a start, for the series z, in blocks of time.
///
/// \tparam Form CovarianceBlocks or SquareRootBlocks
template <class T, int N, class Space, class Form>
struct BlockFilter<Kalman::TimeBlocks<T, N, Space>, Form> {
  using Views = BlockViews<T, N, Space, Form::structure>;
  static constexpr bool root = Form::structure == Structure::lower;
  static constexpr char const* name = "Kalman::filter";
  Kalman::TimeBlocks<T, N, Space> const& w;

  /// All operands were checked before.
  template <Kalman::Data D, class Exec, class How, class M, class S, class Z, class Re>
  void run(Exec const& exec, How const& how, M const& m, S const& start, Z const& z,
           Re const& re) const {
    TimeCut const cut{w.series_, w.blocks(), w.length()};
    if constexpr (root) begin_elements(exec, launch(how.label), start);
    find_elements<S::order, D>(exec, how, cut, m, z);
    find_states(exec, launch(how.label), start);

    auto const& x = w.states_;
    std::int64_t const items = cut.items();
    filter<S::order, D, Re>(
        exec, how, Steps(0, cut.length, false), Part(0, items), in(x.mean), out(x.mean),
        in(Views::covariance(x.covariance)), out(Views::covariance(x.covariance)), -1,
        of_blocks(re.more_.filtered_factor, cut), of_blocks(z, cut), of_blocks(m.f, cut),
        noise(of_blocks(triangle(m.q), cut)), of_blocks(m.h, cut), of_blocks(m.r, cut),
        of_blocks(re.predicted_mean_, cut), of_blocks(re.predicted_covariance_, cut),
        of_blocks(re.filtered_mean_, cut), of_blocks(re.filtered_covariance_, cut));
    // The rest of the steps.
    Picked const last{cut.blocks - 1, cut.series, cut.blocks};
    filter<S::order, D, Re>(exec, how, Steps(cut.blocks * cut.length, w.steps(), false),
                            Part(items, items + cut.series),
                            first_step_for<decltype(re.last_mean_)>(x.mean, last), re.last_mean_,
                            first_step_for<decltype(re.last_covariance_)>(x.covariance, last),
                            re.last_covariance_, w.steps(), re.more_.filtered_factor, z, m.f,
                            noise(triangle(m.q)), m.h, m.r, re.predicted_mean_,
                            re.predicted_covariance_, re.filtered_mean_, re.filtered_covariance_);
    join_blocks<false>(kernel_label(name, how.label), exec, cut, w.log_likelihood_, w.codes_,
                       re.log_likelihood_, re.status_);
  }

 private:
  using Part = std::pair<std::int64_t, std::int64_t>;

  /// The elements before their first step. That of the first block of a series knows the start, so
  /// that no element meets a variance that the observations of a block make much smaller.
  template <class Exec, class How, class S>
  void begin_elements(Exec const& exec, How const& how, S const& start) const {
    auto const& e = w.elements_;
    launch_scan(name, exec, how, 0, NoStep{}, carry(Views::unit(), e.a), carry(Views::zeros(), e.b),
                carry(Views::no_covariance(), Views::covariance(e.c)));
    Picked const firsts{0, w.series_, w.blocks()};
    launch_scan(name, exec, how, 1, StartBlock{}, emit(Views::at(e.a, firsts)),
                emit(Views::at(e.b, firsts)), emit(Views::covariance(Views::at(e.c, firsts))),
                start.mean, start.covariance);
  }

  template <Kalman::Order O, Kalman::Data D, class Exec, class How, class M, class Z>
  void find_elements(Exec const& exec, How const& how, TimeCut const& cut, M const& m,
                     Z const& z) const {
    auto const& e = w.elements_;
    auto const zeros = Views::zeros();
    auto const none = Views::no_covariance();
    launch_scan(name, exec, how, cut.length,
                typename Form::template Element<O, D, !varies_with_time<decltype(m.q)>>{},
                begun(Views::unit(), e.a), begun(zeros, e.b), begun(none, Views::covariance(e.c)),
                carry(zeros, e.eta), carry(none, Views::covariance(e.j)), of_blocks(z, cut),
                of_blocks(m.f, cut), noise(of_blocks(triangle(m.q), cut)), of_blocks(m.h, cut),
                of_blocks(m.r, cut), step_index());
  }

  /// The carry of a part of an element, which begins with a value, unless begin_elements() ran.
  template <class Value, class V>
  static auto begun(Value const& value, V const& v) {
    if constexpr (root) return carry(v, v);
    else return carry(value, v);
  }
  /// A covariance that a square-root filter replaces by its factor.
  template <class O>
  static auto triangle(O const& o) {
    if constexpr (root) return as_lower_triangle(o);
    else return o;
  }
  /// Q of a scan. A square-root filter carries it, unless it varies with time.
  template <class Q>
  static auto noise(Q const& q) {
    if constexpr (root && !varies_with_time<Q>) return carry_operand(q, nothing());
    else return q;
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
    launch_scan(name, exec, how, per, AppendBlock<Form>{}, carry(Views::unit(), g.a),
                carry(zeros, g.b), carry(none, Views::covariance(g.c)), carry(zeros, g.eta),
                carry(none, Views::covariance(g.j)), Views::steps(e.a, members),
                Views::steps(e.b, members), Views::covariance_steps(e.c, members),
                Views::steps(e.eta, members), Views::covariance_steps(e.j, members));
    auto const advance_blocks = [&](auto const& sequence, auto const& mean, auto const& covariance,
                                    auto const& elements, auto const& states, Picked const& p) {
      launch_scan(name, exec, how, p.steps, sequence, carry_operand(mean, nothing()),
                  carry_operand(covariance, nothing()), emit(Views::at(states.mean, p)),
                  emit(Views::covariance(Views::at(states.covariance, p))),
                  Views::steps(elements.a, p), Views::steps(elements.b, p),
                  Views::covariance_steps(elements.c, p), Views::steps(elements.eta, p),
                  Views::covariance_steps(elements.j, p), step_index());
    };
    auto const& y = w.group_states_;
    advance_blocks(AdvanceBlock<Form, true>{}, start.mean, triangle(start.covariance), g, y, all);
    advance_blocks(AdvanceBlock<Form, false>{}, in(y.mean), in(Views::covariance(y.covariance)), e,
                   w.states_, members);
  }

  /// Filters the items of a part: all blocks, or what follows them up to the step `end`. `factor`
  /// is the result filtered_factor.
  template <Kalman::Order O, Kalman::Data D, class Re, class Exec, class How, class X, class LX,
            class P, class LP, class FF, class Z, class F, class Q, class... Rest>
  void filter(Exec const& exec, How const& how, Steps const& steps, Part const& part, X const& mean,
              LX const& last_mean, P const& covariance, LP const& last_covariance, std::int64_t end,
              FF const& factor, Z const& z, F const& f, Q const& q, Rest const&... operands) const {
    auto const codes = [&] {
      if constexpr (is_without<decltype(Re::status_)>) return nothing();
      else return Batchwork::status(Kokkos::subview(w.codes_, part));
    }();
    auto const sum = [&] {
      if constexpr (is_without<decltype(Re::log_likelihood_)>) return nothing();
      else return out(Kokkos::subview(w.log_likelihood_, part));
    }();
    auto const go = [&](auto const& sequence, auto const&... more) {
      scan_as(name, exec, how, steps, sequence, codes, carry_operand(mean, last_mean),
              carry_operand(covariance, last_covariance), likelihood_operand<T>(sum), z, f, q,
              operands..., more...);
    };
    if constexpr (root)
      go(SquareRootBlockStep<O, D, Q::kind == Kind::carry>{steps.first, end}, factor, step_index());
    else go(Kalman::Step<O, D>{});
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

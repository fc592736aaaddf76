// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// BlockSmoother: the backward kernels of a smoother that is parallel in time. S. Särkkä and Á. F.
/// García-Fernández, Temporal parallelization of Bayesian smoothers, IEEE Transactions on Automatic
/// Control 66, 2021, section IV-B.
#ifndef BATCHWORK_BLOCK_SMOOTHER_HPP
#define BATCHWORK_BLOCK_SMOOTHER_HPP

#include "kalman/Batchwork_Filter.hpp"
#include "kalman/detail/Batchwork_BlockViews.hpp"
#include "kalman/detail/Batchwork_SmoothSequence.hpp"

namespace Batchwork::Impl {

/// One step of the element of a block, a sequence for a backward scan: given the state x behind the
/// block, the smoothed state at its first time is N(a x + b, c).
template <class Form>
struct SmoothElementStep {
  template <class A, class B, class C, class M, class P, class F, class Q>
  KOKKOS_FUNCTION void operator()(A& a, B& b, C& c, M const& mean, P const& covariance, F const& f,
                                  Q const& q) const {
    Form().extend(a, b, c, as_vector(mean), as_matrix(covariance), as_matrix(f), as_matrix(q));
  }
};

/// The element of a block and all later ones of its group, a sequence for a backward scan.
template <class Form>
struct PrependBlock {
  template <class A, class B, class C, class A1, class B1, class C1>
  KOKKOS_FUNCTION void operator()(A& a, B& b, C& c, A1 const& a1, B1 const& b1,
                                  C1 const& c1) const {
    a = a1 * a;
    b = a1 * b + b1;
    c = Form().through(a1, c, c1);
  }
};

/// Stores the smoothed state behind a block and moves it to the block's first time, a sequence for
/// a backward scan.
template <class Form>
struct RetreatBlock {
  template <class X, class P, class Mean, class Cov, class A, class B, class C>
  KOKKOS_FUNCTION void operator()(X& x, P& p, Mean& mean, Cov& covariance, A const& a, B const& b,
                                  C const& c) const {
    mean = x;
    covariance = p;
    x = a * x + b;
    p = Form().through(a, p, c);
  }
};

/// The backward kernels.
///
/// \tparam Form CovarianceSmoother or SquareRootSmoother
template <class T, int N, class Space, class Form>
struct BlockSmoother<Kalman::TimeBlocks<T, N, Space>, Form> {
  using Views = BlockViews<T, N, Space, Form::structure>;
  static constexpr char const* name = "Kalman::smooth";
  Kalman::TimeBlocks<T, N, Space> const& w;

  /// All operands were checked before. mean and covariance are the filtered ones, which are
  /// overwritten if smoothed_mean and smoothed_covariance are nothing(). next_f and
  /// next_q are those of SmoothSequence.
  template <Kalman::Order O, class Exec, class How, class NextF, class NextQ, class F, class Q,
            class M, class C, class SM, class SC, class L, class Status>
  void run(Exec const& exec, How const& how, NextF const& next_f, NextQ const& next_q, F const& f,
           Q const& q, M const& mean, C const& covariance, SM const& smoothed_mean,
           SC const& smoothed_covariance, L const& lag_one, Status const& status) const {
    TimeCut const cut{w.series_, w.blocks(), w.length(), true};
    std::int64_t const groups = w.plan_.groups, per = w.plan_.per_group, items = cut.items();
    Picked const members{0, w.series_ * groups, per, per, 1}, all{0, w.series_, groups, groups, 1},
        last{cut.blocks - 1, w.series_, cut.blocks};
    auto const& x = w.states_;
    auto const& y = w.group_states_;
    auto const& e = w.elements_;
    auto const& g = w.group_elements_;
    auto const zeros = Views::zeros();
    auto const none = Views::no_covariance();
    auto const unit = Views::unit();
    auto const smooth = [&](Steps const& steps, std::int64_t last_step, std::int64_t first_code,
                            std::int64_t codes, auto const& mean_carry,
                            auto const& covariance_carry, auto const&... operands) {
      BackwardSteps const back(steps.first, steps.last, true);
      SmoothSequence<Form> const sequence{last_step, {}};
      if constexpr (Status::kind == Kind::nothing)
        launch_scan<true>(name, exec, how, back, sequence, mean_carry, covariance_carry,
                          operands...);
      else
        launch_scan<true>(name, exec, how, back, sequence, mean_carry, covariance_carry,
                          operands...,
                          Batchwork::status(Kokkos::subview(
                              w.codes_, std::pair(first_code, first_code + codes))));
    };
    auto const no_carry = nothing();

    // What follows the blocks: at least the last step.
    smooth(Steps(cut.blocks * cut.length, w.steps(), false), w.steps(), items, w.series_,
           carry_operand(zeros, out(Views::first_step(x.mean, last))),
           carry_operand(none, out(Views::first_step(x.covariance, last))), next_f, next_q,
           step_index(), no_carry, no_carry, mean, covariance, f, q, smoothed_mean,
           smoothed_covariance, lag_one);

    auto const move = of_blocks(to_the_next<O>(f), cut);
    auto const noise = of_blocks(to_the_next<O>(q), cut);
    launch_scan<true>(
        name, exec, how, backward(cut.length), SmoothElementStep<Form>{}, carry(unit, e.a),
        carry_operand(zeros, out(e.b)), carry_operand(none, out(Views::covariance(e.c))),
        of_blocks(only_read(mean), cut), of_blocks(only_read(covariance), cut), move, noise);
    auto const plain = launch(how.label);
    launch_scan<true>(name, exec, plain, backward(per), PrependBlock<Form>{}, carry(unit, g.a),
                      carry_operand(zeros, out(g.b)),
                      carry_operand(none, out(Views::covariance(g.c))), Views::steps(e.a, members),
                      Views::steps(e.b, members), Views::covariance_steps(e.c, members));
    auto const retreat = [&](auto const& from_mean, auto const& from_covariance,
                             auto const& elements, auto const& states, Picked const& p) {
      launch_scan<true>(name, exec, plain, backward(p.steps), RetreatBlock<Form>{},
                        carry_operand(from_mean, nothing()),
                        carry_operand(from_covariance, nothing()), emit(Views::at(states.mean, p)),
                        emit(Views::covariance(Views::at(states.covariance, p))),
                        Views::steps(elements.a, p), Views::steps(elements.b, p),
                        Views::covariance_steps(elements.c, p));
    };
    retreat(in(Views::first_step(x.mean, last)), in(Views::first_step(x.covariance, last)), g, y,
            all);
    retreat(in(y.mean), in(Views::covariance(y.covariance)), e, x, members);

    smooth(Steps(0, cut.length, false), -1, 0, items, carry_operand(in(x.mean), nothing()),
           carry_operand(in(Views::covariance(x.covariance)), nothing()), no_carry, no_carry,
           step_index(), no_carry, no_carry, of_blocks(mean, cut), of_blocks(covariance, cut), move,
           noise, of_blocks(smoothed_mean, cut), of_blocks(smoothed_covariance, cut),
           of_blocks(lag_one, cut));
    join_blocks<true>(kernel_label(name, how.label), exec, cut, w.log_likelihood_, w.codes_,
                      nothing(), status);
  }

 private:
  template <class Src>
  static auto only_read(Operand<Kind::each_inout, Src> const& o) {
    return Operand<Kind::each, Src>{o.source};
  }
  template <class Src>
  static auto only_read(Operand<Kind::each, Src> const& o) {
    return o;
  }
};

}  // namespace Batchwork::Impl

#endif

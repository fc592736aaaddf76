// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The steps that a scan runs, and the step of a View that an operand uses at each of them. On the
/// host these become a pointer and a stride.
#ifndef BATCHWORK_STEPS_HPP
#define BATCHWORK_STEPS_HPP

#include <concepts>
#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>

namespace Batchwork {

namespace Impl {

/// The steps first .. last - 1 of a scan, forwards or backwards. A number n means the steps 0 .. n
/// - 1.
struct Steps {
  std::int64_t first = 0, last = 0;
  bool backward = false;

  constexpr Steps(std::int64_t count) : last(count) {}
  constexpr Steps(std::int64_t from, std::int64_t to, bool turned)
      : first(from), last(to), backward(turned) {}

  constexpr std::int64_t count() const { return last - first; }
  /// The step that the kernel runs in iteration k.
  constexpr std::int64_t at(std::int64_t k) const { return backward ? last - 1 - k : first + k; }
};

/// The steps of backward(...). Hosts have a separate kernel for them, which prefetches the next
/// step.
struct BackwardSteps : Steps {
  using Steps::Steps;
};

/// The types that a scan takes as its steps.
template <class X>
concept StepsOfScan = std::convertible_to<X, std::int64_t> || std::derived_from<X, Steps>;
template <StepsOfScan X>
constexpr Steps as_steps(X const& x) {
  if constexpr (std::derived_from<X, Steps>) return x;
  else return Steps(static_cast<std::int64_t>(x));
}

template <class X>
inline constexpr bool is_backward = std::is_same_v<X, BackwardSteps>;

/// Steps beyond this number are out of range for every View.
inline constexpr std::int64_t no_step = std::int64_t(1) << 62;

constexpr std::int64_t saturated(std::int64_t x) {
  return x > no_step ? no_step : x < -no_step ? -no_step : x;
}
constexpr std::int64_t saturated_product(std::int64_t a, std::int64_t b) {
  a = saturated(a), b = saturated(b);
  if (a == 0 || b == 0) return 0;
  std::int64_t const size_of_a = a < 0 ? -a : a, size_of_b = b < 0 ? -b : b;
  if (size_of_a > no_step / size_of_b) return (a < 0) == (b < 0) ? no_step : -no_step;
  return a * b;
}

/// At step t of a scan an operand uses step stride * t - lag of its View.
struct Pace {
  std::int64_t stride = 1, lag = 0;

  constexpr std::int64_t at(std::int64_t t) const {
    return saturated(saturated_product(stride, t) - saturated(lag));
  }
  constexpr bool is_plain() const { return stride == 1 && lag == 0; }
  std::string text() const {
    std::string const s = stride != 1 ? "stride " + std::to_string(stride) : "",
                      l = lag != 0 ? "lag " + std::to_string(lag) : "";
    return s + (s.empty() || l.empty() ? "" : ", ") + l;
  }
};

struct Lag {
  std::int64_t steps;
};
struct Stride {
  std::int64_t factor;
};

/// The words after the View in each and emit: a Lag or a Stride, or a function that returns one,
/// such as lag<1>.
template <class X>
constexpr auto pace_word(X const& x) {
  if constexpr (std::is_function_v<X>) return x();
  else return x;
}
template <class X, class Word>
constexpr bool is_pace_word() {
  if constexpr (std::is_same_v<X, Lag() noexcept> || std::is_same_v<X, Lag>)
    return std::is_same_v<Word, Lag>;
  else if constexpr (std::is_same_v<X, Stride() noexcept> || std::is_same_v<X, Stride>)
    return std::is_same_v<Word, Stride>;
  else return false;
}
constexpr void set_pace(Pace& p, Lag const& l) { p.lag = l.steps; }
constexpr void set_pace(Pace& p, Stride const& s) { p.stride = s.factor; }

template <class... Word>
constexpr Pace pace_of(Word const&... words) {
  constexpr int lags = (int(is_pace_word<Word, Lag>()) + ... + 0),
                strides = (int(is_pace_word<Word, Stride>()) + ... + 0);
  constexpr bool good = lags <= 1 && strides <= 1 && lags + strides == int(sizeof...(Word));
  static_assert(good,
                "Batchwork: after the View each and emit take lag<k> or lag(k), and stride<k> or "
                "stride(k), each at most once");
  Pace p;
  if constexpr (good) (set_pace(p, pace_word(words)), ...);
  return p;
}

/// Steps lowest, lowest + by, .., highest of a View.
struct StepsTouched {
  std::int64_t lowest, highest, by;
};
/// Whether the two sets have a step in common.
constexpr bool meet(StepsTouched x, StepsTouched y) {
  if (x.by < y.by) {
    auto const z = x;
    x = y, y = z;
  }
  std::int64_t const high = x.highest < y.highest ? x.highest : y.highest;
  std::int64_t k = x.lowest;
  if (k < y.lowest) k += (y.lowest - k + x.by - 1) / x.by * x.by;
  // The pattern of remainders repeats after y.by / gcd steps, so no further step has to be tested.
  for (std::int64_t n = y.by / std::gcd(x.by, y.by); n > 0 && k <= high; --n, k += x.by)
    if ((k - y.lowest) % y.by == 0) return true;
  return false;
}

}  // namespace Impl

/// The steps first .. last - 1 of a scan, instead of a number of steps. Operands use the same steps
/// of their Views: `each(v)` reads v(item, t, ...) at step t.
/// ```cpp
/// scan(range(1, steps), Step{}, carry(x), each(z), each(z, lag<1>));
/// ```
/// \param first  the first step
/// \param last   one past the last step
inline Impl::Steps range(std::int64_t first, std::int64_t last) { return {first, last, false}; }

/// Runs the steps of a scan from the last to the first: backward(n) is n - 1 .. 0,
/// backward(range(first, last)) is last - 1 .. first. Operands use the same steps of their Views as
/// forwards. On devices the kernel is the same in both directions.
/// ```cpp
/// scan(backward(steps), Smooth{}, carry(x), each(filtered), emit(smoothed));
/// ```
/// \param steps  a number of steps, or range(first, last)
template <Impl::StepsOfScan X>
Impl::BackwardSteps backward(X const& steps) {
  static_assert(!std::is_same_v<X, Impl::BackwardSteps>,
                "Batchwork::backward: the steps run backwards already");
  auto const s = Impl::as_steps(steps);
  return {s.first, s.last, true};
}

/// In each(v, lag(k)) or emit(v, lag(k)): step t uses v(item, t - k, ...), in either direction of
/// the scan. A negative k means a later step.
/// \param k  the lag in steps
inline Impl::Lag lag(std::int64_t k) { return {k}; }
/// lag<k>: the same with a constant, in each(v, lag<1>).
template <std::int64_t K>
constexpr Impl::Lag lag() noexcept {
  return {K};
}
/// In each(v, stride(k)) or emit(v, stride(k)): step t uses v(item, k t, ...), and with a lag
/// v(item, k t - lag, ...).
/// \param k  the stride in steps
inline Impl::Stride stride(std::int64_t k) { return {k}; }
/// stride<k>: the same with a constant, in each(v, stride<2>).
template <std::int64_t K>
constexpr Impl::Stride stride() noexcept {
  return {K};
}

}  // namespace Batchwork

#endif

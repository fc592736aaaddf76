// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Which steps a scan runs, and in which order; and which step of a View an operand reads or writes
/// at each of them. All of it becomes a pointer and a stride on the host.
#ifndef BATCHWORK_STEPS_HPP
#define BATCHWORK_STEPS_HPP

#include <concepts>
#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>

namespace Batchwork {

namespace Impl {

/// The steps first .. last - 1 of a scan, in this order or from the last to the first. A number n
/// is the steps 0 .. n - 1.
struct Steps {
  std::int64_t first = 0, last = 0;
  bool backward = false;

  constexpr Steps(std::int64_t count) : last(count) {}
  constexpr Steps(std::int64_t from, std::int64_t to, bool turned)
      : first(from), last(to), backward(turned) {}

  constexpr std::int64_t count() const { return last - first; }
  /// The step that the kernel runs as its number k.
  constexpr std::int64_t at(std::int64_t k) const { return backward ? last - 1 - k : first + k; }
};

/// Those of backward(...): hosts have a kernel of their own for them, which asks for the memory of
/// the next step.
struct BackwardSteps : Steps {
  using Steps::Steps;
};

/// What a scan may be given as its steps.
template <class X>
concept StepsOfScan = std::convertible_to<X, std::int64_t> || std::derived_from<X, Steps>;
template <StepsOfScan X>
constexpr Steps as_steps(X const& x) {
  if constexpr (std::derived_from<X, Steps>) return x;
  else return Steps(static_cast<std::int64_t>(x));
}

template <class X>
inline constexpr bool is_backward = std::is_same_v<X, BackwardSteps>;

/// Numbers beyond this one mean no step that memory could have.
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

/// At step t of a scan an operand has step stride * t - lag of its View.
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

/// What stands behind the View in each and emit: a Lag or a Stride, or a function that gives one,
/// as the name lag<1> is.
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
                "Batchwork: behind the View each and emit take lag<k> or lag(k), and stride<k> or "
                "stride(k), each of them once");
  Pace p;
  if constexpr (good) (set_pace(p, pace_word(words)), ...);
  return p;
}

/// Steps lowest, lowest + by, .., highest of a View.
struct StepsTouched {
  std::int64_t lowest, highest, by;
};
/// Whether two such sets have a step in common.
constexpr bool meet(StepsTouched x, StepsTouched y) {
  if (x.by < y.by) {
    auto const z = x;
    x = y, y = z;
  }
  std::int64_t const high = x.highest < y.highest ? x.highest : y.highest;
  std::int64_t k = x.lowest;
  if (k < y.lowest) k += (y.lowest - k + x.by - 1) / x.by * x.by;
  // Where the first y.by / gcd of them are none of the other, no further one is.
  for (std::int64_t n = y.by / std::gcd(x.by, y.by); n > 0 && k <= high; --n, k += x.by)
    if ((k - y.lowest) % y.by == 0) return true;
  return false;
}

}  // namespace Impl

/// The steps first .. last - 1 of a scan, in place of their number: scan(range(1, n), ...).
/// Operands have the Views' own steps, so that step t of an `each` is v(item, t, ...).
inline Impl::Steps range(std::int64_t first, std::int64_t last) { return {first, last, false}; }

/// Steps from the last to the first: backward(n) is n - 1 .. 0, backward(range(first, last)) is
/// last - 1 .. first. Operands have the same steps of their Views as forwards; on devices the
/// kernel is the same one.
template <Impl::StepsOfScan X>
Impl::BackwardSteps backward(X const& steps) {
  static_assert(!std::is_same_v<X, Impl::BackwardSteps>,
                "Batchwork::backward: the steps run backwards already");
  auto const s = Impl::as_steps(steps);
  return {s.first, s.last, true};
}

/// lag(k), in each(v, lag(k)): v(item, t - k, ...) at step t, in whichever direction the scan runs;
/// of a negative k a later step.
inline Impl::Lag lag(std::int64_t k) { return {k}; }
/// lag<k>: the same.
template <std::int64_t K>
constexpr Impl::Lag lag() noexcept {
  return {K};
}
/// stride(k), in each(v, stride(k)): v(item, k t, ...) at step t; with a lag, v(item, k t - lag,
/// ...).
inline Impl::Stride stride(std::int64_t k) { return {k}; }
/// stride<k>: the same.
template <std::int64_t K>
constexpr Impl::Stride stride() noexcept {
  return {K};
}

}  // namespace Batchwork

#endif

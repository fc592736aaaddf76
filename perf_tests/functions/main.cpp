// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a call of an ordinary function costs on one core of a host: of one number by the C++
// library, and of a pack of the SIMD register's width. Calls do not wait for each other, numbers
// come from the first cache. per_call is of a pack, not of each of its numbers.
#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

#include "../common/Machine.hpp"
#include "core/detail/Batchwork_Functions.hpp"
#include "core/detail/Batchwork_Lanes.hpp"

namespace BatchworkPerf {
namespace {

namespace I = Batchwork::Impl;

template <class S>
S load(Batchwork::scalar_t<S> const* p) {
  if constexpr (I::Number<S>) return *p;
  else return S::load(p);
}
template <class T, class S>
void store(T* p, S const& x) {
  if constexpr (I::Number<S>) *p = x;
  else x.store(p);
}

template <class S, class F, int Arguments>
void run_of(benchmark::State& state, double low, double high) {
  using T = Batchwork::scalar_t<S>;
  constexpr int n = 1024, width = Batchwork::Impl::ValueTraits<S>::width;
  std::mt19937 random(17);
  std::uniform_real_distribution<double> some(low, high);
  std::vector<T> x(n), y(n), z(n);
  for (T& number : x) number = T(some(random));
  for (T& number : y) number = T(some(random));
  F const f{};
  for ([[maybe_unused]] auto _ : state) {
    for (std::size_t k = 0; k < n; k += width) {
      if constexpr (Arguments == 1) store(&z[k], f(load<S>(&x[k])));
      else store(&z[k], f(load<S>(&x[k]), load<S>(&y[k])));
    }
    benchmark::DoNotOptimize(z.data());
    benchmark::ClobberMemory();
  }
  using Counter = benchmark::Counter;
  state.counters["per_call"] =
      Counter(double(n) / width, Counter::kIsIterationInvariantRate | Counter::kInvert);
}

template <class F, int Arguments = 1>
void add(char const* name, double low, double high) {
  auto const add_of = [&]<class S>(S const&, char const* type) {
    benchmark::RegisterBenchmark(
        ("functions/" + std::string(name) + "/" + type).c_str(),
        [=](benchmark::State& s) { run_of<S, F, Arguments>(s, low, high); })
        ->MinTime(0.05);
  };
  if constexpr (!on_device) {
    add_of(double(), "double");
    add_of(Batchwork::Pack<double, I::native_width<double>>(), "pack_of_double");
    add_of(float(), "float");
    add_of(Batchwork::Pack<float, I::native_width<float>>(), "pack_of_float");
  }
}

void register_all() {
  add<I::Sqrt>("sqrt", 0, 10);
  add<I::Exp>("exp", -20, 20);
  add<I::Exp2>("exp2", -20, 20);
  add<I::Expm1>("expm1", -2, 2);
  add<I::Log>("log", 0.01, 10);
  add<I::Log2>("log2", 0.01, 10);
  add<I::Log10>("log10", 0.01, 10);
  add<I::Log1p>("log1p", -0.9, 3);
  add<I::Sin>("sin", -10, 10);
  add<I::Cos>("cos", -10, 10);
  add<I::Tan>("tan", -10, 10);
  add<I::Asin>("asin", -1, 1);
  add<I::Acos>("acos", -1, 1);
  add<I::Atan>("atan", -10, 10);
  add<I::Atan2, 2>("atan2", -10, 10);
  add<I::Sinh>("sinh", -10, 10);
  add<I::Cosh>("cosh", -10, 10);
  add<I::Tanh>("tanh", -5, 5);
  add<I::Asinh>("asinh", -10, 10);
  add<I::Acosh>("acosh", 1, 10);
  add<I::Atanh>("atanh", -1, 1);
  add<I::Pow, 2>("pow", 0, 10);
  add<I::Cbrt>("cbrt", -10, 10);
  add<I::Hypot, 2>("hypot", -10, 10);
  add<I::Erf>("erf", -3, 3);
  add<I::Erfc>("erfc", -3, 10);
  add<I::Tgamma>("tgamma", 0.5, 10);
  add<I::Lgamma>("lgamma", 0.5, 10);
  add<I::Fmod, 2>("fmod", -10, 10);
  add<I::Floor>("floor", -10, 10);
  add<I::Round>("round", -10, 10);
  add<I::Copysign, 2>("copysign", -10, 10);
  add<I::Sign>("sign", -10, 10);
}

}  // namespace
}  // namespace BatchworkPerf

int main(int argc, char** argv) {
  return BatchworkPerf::run(argc, argv, BatchworkPerf::register_all);
}

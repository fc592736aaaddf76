// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// fill_random: random numbers in a View, in one kernel.
#ifndef BATCHWORK_FILLRANDOM_HPP
#define BATCHWORK_FILLRANDOM_HPP

#include <Kokkos_Core.hpp>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "core/detail/Batchwork_KernelSets.hpp"
#include "dense/random/detail/Batchwork_FillLaunch.hpp"
#include "dense/random/detail/Batchwork_FillProblem.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_Check.hpp"
#include "launch/detail/Batchwork_VerbCall.hpp"
#include "view/Batchwork_Operand.hpp"

namespace Batchwork {
namespace Impl {

struct FillRandomCall {
  template <class Exec, class Seed, class View>
    requires Kokkos::is_view_v<View>
  void operator()(Exec const& exec, Launch<> const& how, Operand<Kind::random, Seed> const& numbers,
                  Distribution const& distribution, View const& x) const {
    using Number = typename View::non_const_value_type;
    using T = real_of_view_t<Number>;
    static_assert(!std::is_const_v<typename View::value_type>,
                  "Batchwork::fill_random: the View is const; pass a View of non-const numbers");
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                  "Batchwork::fill_random: the View must hold float, double or Kokkos::complex of "
                  "these");
    require_reachable<Kokkos::SpaceAccessibility<Exec, typename View::memory_space>::accessible>();
    std::string const label = kernel_label("fill_random", label_alone(how));
    Part const part{3, "x", true, describe_view(x)};
    if (part.d.null || !part.d.problem.empty())
      refuse_call("fill_random", part.name() + ": " + null_problem);
    if (x.size() == 0) return;
    constexpr int parts = int(sizeof(Number) / sizeof(T)), rank = int(View::rank());
    FillProblem<T> p{};
    p.data = reinterpret_cast<T*>(x.data());
    p.items = 1;
    for (int k = 0; k < rank; ++k) {
      std::int64_t const n = std::int64_t(x.extent(std::size_t(k))),
                         distance = std::int64_t(x.stride(std::size_t(k))) * parts;
      if (k == 0) p.items = n, p.stride = distance;
      else p.add(n, distance);
    }
    p.add(parts, 1);
    p.key = PhiloxKey(numbers.seed);
    p.stream = numbers.stream;
    p.first_block = numbers.first_item;
    p.distribution = distribution;
    static_assert(require_kernels<KernelSet::dense, Exec>());
    FillLaunch<T, Exec>::run(exec, label, p);
  }
};

/// The distribution with these parameters, which are finite.
inline Distribution distribution(char const* name, bool normal, double first, double scale) {
  if (!std::isfinite(first) || !std::isfinite(scale))
    throw std::invalid_argument("Batchwork::" + std::string(name) +
                                ": a parameter of the distribution is not finite");
  return {normal, first, scale};
}

}  // namespace Impl

/// For fill_random: uniform numbers least + (most - least) u, with u in [0, 1) as from uniform(r).
/// `most` itself occurs by rounding only.
/// \param least, most  the ends of the interval
/// \throws std::invalid_argument if one is not finite
inline Impl::Distribution uniform(double least, double most) {
  return Impl::distribution("uniform", false, least, most - least);
}
/// For fill_random: normal numbers mean + deviation z, with z as from normal(r).
/// \param mean       their mean
/// \param deviation  their standard deviation
/// \throws std::invalid_argument if one is not finite
inline Impl::Distribution normal(double mean, double deviation) {
  return Impl::distribution("normal", true, mean, deviation);
}

/// Fills a View with independent random numbers, in one kernel.
///
/// ```text
/// fill_random([exec,] [launch("label"),] random(seed, stream), uniform(a, b), x)
/// fill_random([exec,] [launch("label"),] random(seed, stream), normal(mean, deviation), x)
/// ```
///
/// ```cpp
/// Kokkos::View<float**> x("x", n, 3);
/// fill_random(exec, random(2026), uniform(-1.0, 1.0), x);
/// ```
///
/// The numbers are the same with every backend and in every layout; normal numbers up to the
/// rounding of log and sqrt. With P = 4 for float and 2 for double, x(i, j) is entry i % P of the
/// numbers uniform<P>(r) or normal<P>(r) of item first_item + (i / P) J + j. Here j counts the J
/// combinations of the other indices row by row. The real and the imaginary part of a complex
/// number are two such numbers. A sequence that uses the same seed and stream has the same numbers.
///
/// \param numbers       random(seed, stream); its type of numbers does not matter
/// \param distribution  uniform(a, b) or normal(mean, deviation)
/// \param x             View of float, double or Kokkos::complex, of any layout and of up to 8
///                      indices
/// \throws std::invalid_argument  before the launch: the View has no memory
///
/// The method is that of uniform(r) and normal(r). One kernel on `exec`, labelled
/// Batchwork::fill_random or Batchwork::fill_random(label); asynchronous, allocates nothing, never
/// fences. A View without numbers is no launch.
template <class... X>
void fill_random(X const&... arguments) {
  static_assert(Impl::Takes<Impl::FillRandomCall, X...>,
                "Batchwork::fill_random: the arguments are [exec,] [launch(\"label\"),] "
                "random(seed, stream), uniform(a, b) or normal(mean, deviation), and a View, in "
                "this order");
  Impl::call_verb(Impl::FillRandomCall(), arguments...);
}

}  // namespace Batchwork

#endif

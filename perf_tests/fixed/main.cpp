// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Fixed operands by their bytes: y = M_1 x + M_2 x + ... of 16 x 16 matrices in float, read from
// the launch's arguments, staged in team scratch, and from Views. Where the first is no longer the
// fastest is Vendor::fast_argument_bytes. On devices.
#include <benchmark/benchmark.h>

#include <Batchwork.hpp>
#include <cmath>
#include <string>
#include <utility>

#include "../common/Report.hpp"

namespace BatchworkPerf {
namespace {

namespace B = Batchwork;
using T = float;
constexpr int N = 16;
using Tile = B::Matrix<T, N, N>;
using Vectors = Kokkos::View<T* [N], Kokkos::LayoutLeft, Memory>;
enum class From { arguments, scratch, view };

struct SumOfProducts {
  template <class Y, class X, class... M>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x, M const&... m) const {
    y = ((m * x) + ...);
  }
};

/// k + 1 times the identity.
inline Tile tile(int k) { return Tile(T(k + 1) * B::identity<T, N>()); }
/// Of a template, as the rest: hosts compile nothing of it, and a plain function would be unused
/// there.
template <From F>
auto operand_from(int k) {
  if constexpr (F == From::view) {
    Kokkos::View<T[N][N], Memory> const m("M");
    auto const host = Kokkos::create_mirror_view(m);
    for (std::size_t i = 0; i < N; ++i) host(i, i) = T(k + 1);
    Kokkos::deep_copy(m, host);
    return B::common(m);
  } else {
    return B::common(B::fixed(tile(k)));
  }
}

template <From F, std::size_t... K>
void run_of(benchmark::State& state, std::index_sequence<K...>) {
  constexpr std::size_t count = sizeof...(K);
  std::size_t const items = std::size_t(1) << 22;
  Vectors const x(Kokkos::view_alloc("x", Kokkos::WithoutInitializing), items),
      y(Kokkos::view_alloc("y", Kokkos::WithoutInitializing), items);
  Kokkos::deep_copy(x, T(0.5));
  using Lanes = std::conditional_t<F == From::scratch, B::StagingFixed<B::OneLane>, B::OneLane>;
  auto const group_of = [](auto const&... operands) {
    using Group = B::Impl::MapGroup<SumOfProducts, Lanes,
                                    B::Impl::bound_t<std::remove_cvref_t<decltype(operands)>>...>;
    return Group{{typename Group::Ops{{{B::Impl::bind(operands)}...}}}, SumOfProducts{}};
  };
  Exec const exec;
  // Views live as long as their operands.
  auto const launch_with = [&](auto const&... operands) {
    auto const group = group_of(operands...);
    auto const launch = [&] {
      B::Impl::launch_group(exec, B::launch(), "map", group, std::int64_t(items));
    };
    Sample sample;
    for ([[maybe_unused]] auto _ : state) sample = measure(launch);
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
    double const truth = 0.5 * double(count * (count + 1) / 2);
    double error = 0;
    for (std::size_t i = 0; i < N; ++i)
      error = std::max(error, std::fabs(double(host(items - 1, i)) - truth) / truth);
    Work const work{std::int64_t(items), 1, double(items) * 2 * N * sizeof(T),
                    double(items) * 2 * N * N * double(count)};
    report<T>(state, work, sample, error);
  };
  launch_with(B::Impl::resolve(B::out(y)), B::Impl::resolve(B::in(x)),
              B::Impl::resolve(operand_from<F>(int(K)))...);
}

template <std::size_t Count>
void add() {
  constexpr std::size_t bytes = Count * sizeof(T) * N * N;
  auto const add_from = []<From F>(char const* from) {
    if constexpr (F == From::view || bytes <= B::Impl::Vendor::fixed_bytes<Exec>)
      benchmark::RegisterBenchmark(
          ("fixed/" + std::string(from) + "/" + std::to_string(bytes)).c_str(),
          [](benchmark::State& s) { run_of<F>(s, std::make_index_sequence<Count>()); })
          ->UseManualTime()
          ->Iterations(1)
          ->Unit(benchmark::kMicrosecond);
  };
  add_from.template operator()<From::arguments>("arguments");
  add_from.template operator()<From::scratch>("scratch");
  add_from.template operator()<From::view>("view");
}

/// A template, so that hosts, which have neither of the two, compile nothing of it.
template <bool Device>
void register_on() {
  if constexpr (Device) {
    add<1>();
    add<2>();
    add<3>();
    add<4>();
    add<8>();
    add<12>();
  }
}
void register_all() { register_on<on_device>(); }

}  // namespace
}  // namespace BatchworkPerf

int main(int argc, char** argv) {
  return BatchworkPerf::run(argc, argv, BatchworkPerf::register_all);
}

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The device kernels of add_scaled_identity, scale, equilibrate, dot and norm, run on the host by
// teams of threads, with the default number of lanes and with others.
#include "krylov/VerbsCase.hpp"
#include "support/HostTeams.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct VerbsOnTeams : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(VerbsOnTeams, Numbers);

template <class Work>
void run_work(Work const& work, std::int64_t items, int lanes) {
  using Kernel = Impl::SystemTeams<Work>;
  Kernel const kernel{work, items, lanes > 0 ? lanes : work.lanes()};
  std::size_t const scratch = Kernel::scratch_size(Kernel::largest_team);
  run_teams(kernel, int(kernel.teams()), Kernel::largest_team, scratch > 0 ? scratch + 16 : 0);
}

/// The verbs with this number of lanes; 0: the default.
template <class T>
struct OnTeams {
  int lanes;
  std::int64_t items;

  auto add() const {
    return [*this](auto const& alpha, auto const& a, double beta) {
      auto const systems = a.systems();
      Impl::ItemNumber<T> added;
      if constexpr (Kokkos::is_view_v<std::remove_cvref_t<decltype(alpha)>>)
        added = {Impl::stored(alpha).storage.as_const(), false};
      else added.value = T(alpha);
      run_work(
          Impl::AddScaledIdentity<T, std::remove_const_t<decltype(systems)>>{
              systems, Impl::numbers_of(a), added, T(beta), a.nonzeros()},
          items, lanes);
    };
  }
  auto scale() const {
    return [*this](auto const& l, auto const& a, auto const& r) {
      auto const systems = a.systems();
      Impl::SystemCall call("scale");
      auto const left = Impl::factors_of<Space, T>(call, 1, "left", a, l);
      auto const right = Impl::factors_of<Space, T>(call, 3, "right", a, r);
      run_work(
          Impl::ScaleSystems<T, std::remove_const_t<decltype(systems)>>{
              systems, Impl::numbers_of(a), left, right, a.nonzeros()},
          items, lanes);
    };
  }
  auto equilibrate() const {
    return [*this](auto const& a, auto const& l, auto const& r) {
      auto const systems = a.systems();
      run_work(
          Impl::EquilibrateSystems<T, std::remove_const_t<decltype(systems)>>{
              systems, Impl::stored(l).storage, Impl::stored(r).storage, a.nonzeros()},
          items, lanes);
    };
  }
  template <template <class> class Sum>
  auto sums() const {
    return [*this](auto const& x, auto const& y, auto const& to) {
      auto const s = Impl::stored(x);
      run_work(Impl::VectorSums<T, Sum<T>>{s.storage.as_const(), Impl::stored(y).storage.as_const(),
                                           Impl::stored(to).storage, int(s.rows)},
               items, lanes);
    };
  }
};

/// With the default number of lanes and with others, so that teams have partial last groups.
template <class F>
void for_some_lanes(Random& random, F const& f) {
  for (int lanes : {0, 1 << random.integer(0, 7)}) {
    SCOPED_TRACE(std::to_string(lanes) + " lanes");
    f(lanes);
  }
}

TYPED_TEST(VerbsOnTeams, AllFormats) {
  using T = TypeParam;
  Random random(1);
  for (int rows : {1, 5, 22, 70})
    for (auto how : all_arranged)
      for_some_lanes(random, [&](int lanes) {
        std::int64_t const items = rows < 10 && lanes < 32 ? 33 : 3;
        OnTeams<T> const on{lanes, items};
        auto const p = random_pattern(random, rows);
        double const betas[] = {1, 0, -0.7};
        check_add_scaled_identity<T>(p, items, how, random, on.add(),
                                     {betas[random.integer(0, 2)]});
        check_scale<T>(p, items, how, random, on.scale());
        check_equilibrate<T>(p, items, how, random, on.equilibrate());
      });
}

TYPED_TEST(VerbsOnTeams, Sums) {
  using T = TypeParam;
  Random random(2);
  for (int rows : {1, 5, 22, 70, 300})
    for (auto how : all_arranged)
      for_some_lanes(random, [&](int lanes) {
        std::int64_t const items = rows < 10 && lanes < 32 ? 33 : 3;
        OnTeams<T> const on{lanes, items};
        auto const dot = on.template sums<Impl::DotSum>();
        auto const norm = on.template sums<Impl::NormSum>();
        check_vector_sums<T>(rows, items, how, random, dot,
                             [&](auto const& x, auto const& to) { norm(x, x, to); });
      });
}

/// The factors must be the same for any number of lanes, and on the host.
TYPED_TEST(VerbsOnTeams, FactorsDoNotDependOnLanes) {
  using T = TypeParam;
  Random random(3);
  for (auto how : all_arranged) {
    Matrices<T> const m(random_pattern(random, 37), 5, how);
    put_badly_scaled(m, random, 15);
    m.put(2, 36, 0, std::numeric_limits<T>::quiet_NaN());
    m.upload();
    ArrangedBatch<T> const l(5, 37, 1, how), r(5, 37, 1, how), l0(5, 37, 1, how), r0(5, 37, 1, how);
    equilibrate(m.csr(), vectors(l0), vectors(r0));
    l0.download();
    r0.download();
    for (int lanes = 1; lanes <= 128; lanes *= 2) {
      OnTeams<T>{lanes, 5}.equilibrate()(m.csr(), vectors(l), vectors(r));
      l.download();
      r.download();
      for (std::int64_t n = 0; n < 5; ++n)
        for (int i = 0; i < 37; ++i) {
          ASSERT_EQ(l.at(n, i, 0), l0.at(n, i, 0)) << lanes;
          ASSERT_EQ(r.at(n, i, 0), r0.at(n, i, 0)) << lanes;
        }
    }
  }
}

}  // namespace
}  // namespace Batchwork::Test

// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// team_map and team_scan inside a user's own TeamPolicy kernel: any team size and vector length,
// any first item, several calls in one kernel, the user's work before and after, and the user's own
// scratch memory. The results must be correct and bitwise the same as those of the verbs.
#include <iostream>

#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {
namespace {

#if defined(BATCHWORK_TEST_EXTENT)
constexpr int N = BATCHWORK_TEST_EXTENT;
#else
constexpr int N = 3;
#endif
constexpr int table_size = 37;  // numbers in the user's own scratch
constexpr std::int64_t steps = 6;

struct Solve {
  template <class X, class A, class B, class C>
  KOKKOS_FUNCTION void operator()(X& x, A const& a, B const& b, C const& shift) const {
    x = solve(cholesky(a + shift), b);
  }
};
struct Mix {
  template <class Y, class X, class C, class D>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x, C const& c, D const& factor) const {
    y = factor * (c * x) + y;
  }
};
struct Follow {
  template <class S, class Z, class C>
  KOKKOS_FUNCTION void operator()(S& state, Z const& z, C const& c) const {
    state = c * state + z;
  }
};

/// Ranges of items, one for each team: empty, a single item, ragged, and never multiples of a pack
/// or a group. Together they contain all items.
std::vector<std::int64_t> const bounds = {0, 0, 3, 4, 4, 21, 57, 58, 300, 307, 307, 436, 441};
std::int64_t const items = bounds.back();
std::int64_t const teams = std::int64_t(bounds.size()) - 1;

using Bounds = Kokkos::View<std::int64_t*, Space>;
template <class T>
using Vectors = Kokkos::View<T* [N], Kokkos::LayoutLeft, Space>;

/// The user's kernel: prepares the right-hand sides, calls the library three times, and uses what
/// came out.
template <class T, class Update, class Again, class Filter>
struct OwnKernel {
  using Scratch = Kokkos::View<T*, typename Space::scratch_memory_space,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Update update;
  Again again;
  Filter filter;
  Bounds ranges;
  Vectors<T> raw, b, x, y, state;
  Kokkos::View<T*, Space> sum;

  std::size_t scratch_size(int team_size) const {
    std::size_t most = update.scratch_size(team_size);
    if (again.scratch_size(team_size) > most) most = again.scratch_size(team_size);
    if (filter.scratch_size(team_size) > most) most = filter.scratch_size(team_size);
    return most + Scratch::shmem_size(table_size);
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    std::int64_t const first = ranges(member.league_rank()),
                       last = ranges(member.league_rank() + 1);
    int const n = int(last - first);
    int const numbers = table_size;  // ranges take references, which device code has to copies only
    Scratch table(member.team_scratch(0), numbers);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, numbers),
                         [&](int k) { table(k) = T(k) / T(8); });
    // Written in reverse order, so that these numbers are written by other lanes than those that
    // read them.
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, n), [&](int k) {
      std::int64_t const item = last - 1 - k;
      for (int i = 0; i < N; ++i) b(item, i) = T(2) * raw(item, i);
    });
    update(member, first, last);
    // Reads x in reverse order, without a barrier in the user's code.
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, n), [&](int k) {
      std::int64_t const item = last - 1 - k;
      for (int i = 0; i < N; ++i) y(item, i) = x(item, i) + T(1);
    });
    again(member, first, last);
    filter(member, first, last);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, n), [&](int k) {
      std::int64_t const item = last - 1 - k;
      sum(item) = y(item, 0) + state(item, 1) + table(int(item % table_size));
    });
  }
};

template <class T>
struct Data {
  BatchIn<T, Left, N, N> a{items};
  BatchIn<T, Left, N> raw{items}, b{items}, x{items}, y{items}, state{items};
  BatchIn<T, Left> sum{items};
  SeriesIn<T, Left, N> z{items, steps};
  BatchIn<int, Left> codes{items};
  Common<T, N, N> shift, mixing, transition;
  Bounds ranges{"ranges", bounds.size()};

  explicit Data(Random random = Random(8))
      : shift(eye(N)),
        mixing(random_dense<T>(random, N, N)),
        transition(random_lower<T>(random, N)) {
    a.fill([&](std::int64_t) { return random_spd<T>(random, N); });
    a.at(0, 1, 1) = T(-50);  // failures, which must affect only their own items
    a.at(58, 0, 0) = T(-50);
    a.at(items - 1, 2, 2) = std::numeric_limits<T>::quiet_NaN();
    a.upload();
    raw.randomise(random);
    z.randomise(random);
    auto const h = Kokkos::create_mirror(ranges);
    for (std::size_t k = 0; k < bounds.size(); ++k) h(k) = bounds[k];
    Kokkos::deep_copy(ranges, h);
  }
  T factor() const { return T(0.75); }

  /// The operands, passed to the object made from them.
  template <class Make>
  auto solve(Make const& make) const {
    return make(Solve{}, out(x.view()), in(symmetric(a.view())), in(b.view()),
                common(symmetric(shift.view)), status(codes.view()));
  }
  template <class Make>
  auto mix(Make const& make) const {
    return make(Mix{}, inout(y.view()), in(x.view()), common(mixing.view), common(fixed(factor())));
  }
  template <class Make>
  auto follow(Make const& make) const {
    return make(Follow{}, carry(x.view(), state.view()), each(z.view()), common(transition.view));
  }
};

/// The two ways to run the same operands.
struct Verb {
  template <class... A>
  void operator()(A const&... a) const {
    map(a...);
  }
};
struct VerbScan {
  template <class... A>
  void operator()(A const&... a) const {
    scan(steps, a...);
  }
};
struct InKernel {
  template <class... A>
  auto operator()(A const&... a) const {
    return team_map<Space>(a...);
  }
};
struct InKernelScan {
  template <class... A>
  auto operator()(A const&... a) const {
    return team_scan<Space>(steps, a...);
  }
};

/// The reference: the same work with a separate kernel for each part.
template <class T>
void run_with_verbs(Data<T>& d) {
  d.raw.download();
  for (std::int64_t k = 0; k < items; ++k)
    for (int i = 0; i < N; ++i) d.b.at(k, i) = T(2) * d.raw.at(k, i);
  d.b.upload();
  d.solve(Verb{});
  d.x.download();
  for (std::int64_t k = 0; k < items; ++k)
    for (int i = 0; i < N; ++i) d.y.at(k, i) = d.x.at(k, i) + T(1);
  d.y.upload();
  d.mix(Verb{});
  d.follow(VerbScan{});
  d.y.download(), d.state.download();
  for (std::int64_t k = 0; k < items; ++k)
    d.sum.at(k) = (d.y.at(k, 0) + d.state.at(k, 1)) + T(int(k % table_size)) / T(8);
  d.codes.download();
}

/// Compares the results of the verbs with long double.
template <class T>
void expect_truth(Data<T> const& d) {
  Dense const shift = d.shift.dense(), mixing = d.mixing.dense(), c = d.transition.dense();
  Dense const ones(N, 1, 1.0L);
  long double const factor = d.factor();
  for (std::int64_t k = 0; k < items; ++k) {
    if (d.codes.at(k) != 0) continue;
    Dense const a = d.a.dense(k) + shift, x = d.x.dense(k);
    Dense const true_x = solve_spd(a, 2 * d.raw.dense(k));
    ASSERT_TRUE(near(x, true_x, tolerance<T>(N + 1, norm1(true_x), condition_spd(a)))) << k;
    Dense const y_size = factor * (abs(mixing) * abs(x)) + abs(x) + ones;
    ASSERT_TRUE(
        near(d.y.dense(k), factor * (mixing * x) + x + ones, tolerance<T>(N + 3, 1) * y_size))
        << k;
    Dense state = x, size = abs(x);
    for (std::int64_t t = 0; t < steps; ++t) {
      Dense const z = d.z.dense(k, t);
      state = c * state + z;
      size = abs(c) * size + abs(z);
    }
    ASSERT_TRUE(near(d.state.dense(k), state, tolerance<T>(int(steps) * (N + 1), 1) * size)) << k;
  }
}

constexpr int team_sizes[] = {1, 2, 20, 32, 96, 256}, vector_lengths[] = {1, 4, 32};

/// Lanes of a team as the library counts them: the portable way has one for each thread, however
/// long its vectors.
int lanes_of(int team_size, int vector_length) {
  return Impl::Vendor::has_shuffles ? team_size * vector_length : team_size;
}

/// The number of the combinations below that fit on CUDA, where teams have the lanes and scratch
/// memory of the device. Kokkos does not refuse these. 0 on devices for which the number is not
/// known.
template <class Kernel>
int combinations([[maybe_unused]] Kernel const& kernel, [[maybe_unused]] int least_lanes) {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<Space, Kokkos::Cuda>) {
    auto const limits = Impl::Vendor::device_limits(Space());
    int n = 0;
    for (int const team_size : team_sizes)
      for (int const vector_length : vector_lengths) {
        int const lanes = lanes_of(team_size, vector_length);
        if (lanes >= least_lanes && team_size * vector_length <= limits.lanes_of_team &&
            kernel.scratch_size(lanes) <= limits.scratch_of_team)
          ++n;
      }
    return n;
  }
#endif
  return 0;
}

template <class T>
class InKernelOf : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(InKernelOf, Reals);

TYPED_TEST(InKernelOf, AnyTeamAnyRangeSameBitsAsTheVerbs) {
  using T = TypeParam;
  using Policy = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<1024, 1>>;
  Data<T> want;
  run_with_verbs(want);
  for (std::int64_t k = 0; k < items; ++k) {
    int const code = k == 0           ? Status::code(Reason::not_positive_definite, 2)
                     : k == 58        ? Status::code(Reason::not_positive_definite, 1)
                     : k == items - 1 ? Status::code(Reason::not_finite, 3)
                                      : 0;
    ASSERT_EQ(want.codes.at(k), code) << k;
    ASSERT_EQ(std::isnan(want.sum.at(k)), code != 0) << k;
  }
  ASSERT_NO_FATAL_FAILURE(expect_truth(want));

  int ran = 0, known = 0;
  for (int const team_size : team_sizes) {
    for (int const vector_length : vector_lengths) {
      Data<T> got;
      auto const update = got.solve(InKernel{});
      auto const again = got.mix(InKernel{});
      auto const filter = got.follow(InKernelScan{});
      OwnKernel<T, std::remove_const_t<decltype(update)>, std::remove_const_t<decltype(again)>,
                std::remove_const_t<decltype(filter)>>
          kernel{update,       again,        filter,       got.ranges,       got.raw.view(),
                 got.b.view(), got.x.view(), got.y.view(), got.state.view(), got.sum.view()};
      known = combinations(kernel, Impl::lanes_per_item<T>(N));
      std::string const what = "team size " + std::to_string(team_size) + ", vector length " +
                               std::to_string(vector_length);
      if (vector_length > Policy::vector_length_max()) {
        std::cout << "  not run: " << what << " (vector lengths end at "
                  << Policy::vector_length_max() << ")\n";
        continue;
      }
      int const lanes =
          Impl::runs_on_device<Space> ? lanes_of(team_size, vector_length) : team_size;
      int const scratch = int(kernel.scratch_size(lanes));
      if (Impl::runs_on_device<Space> && (lanes < Impl::lanes_per_item<T>(N) ||
                                          scratch > Policy(int(teams), 1, 1).scratch_size_max(0))) {
        std::cout << "  not run: " << what
                  << " (too few lanes for an item, or too little scratch)\n";
        continue;
      }
      Policy ask(int(teams), Kokkos::AUTO, vector_length);
      ask.set_scratch_size(0, Kokkos::PerTeam(scratch));
      int const most = ask.team_size_max(kernel, Kokkos::ParallelForTag());
      if (team_size > most) {
        std::cout << "  not run: " << what << " (teams end at " << most << ")\n";
        continue;
      }
      SCOPED_TRACE(what);
      Policy policy(int(teams), team_size, vector_length);
      policy.set_scratch_size(0, Kokkos::PerTeam(scratch));
      Kokkos::parallel_for("a kernel of the user's", policy, kernel);
      ++ran;
      got.x.download(), got.y.download(), got.state.download(), got.sum.download(),
          got.codes.download();
      for (std::int64_t k = 0; k < items; ++k) {
        ASSERT_EQ(got.codes.at(k), want.codes.at(k)) << "item " << k;
        bool const failed = want.codes.at(k) != 0;  // one NaN is as good as another
        for (int i = 0; i < N; ++i) {
          if (failed) {
            ASSERT_TRUE(std::isnan(got.x.at(k, i)) && std::isnan(got.y.at(k, i)) &&
                        std::isnan(got.state.at(k, i)));
          } else {
            ASSERT_TRUE(same_bits(got.x.at(k, i), want.x.at(k, i))) << "item " << k;
            ASSERT_TRUE(same_bits(got.y.at(k, i), want.y.at(k, i))) << "item " << k;
            ASSERT_TRUE(same_bits(got.state.at(k, i), want.state.at(k, i))) << "item " << k;
          }
        }
        if (!failed) {
          ASSERT_TRUE(same_bits(got.sum.at(k), want.sum.at(k))) << "item " << k;
        }
      }
    }
  }
  std::cout << "  " << ran << " combinations of team size and vector length ran on "
            << Space::name() << "\n";
  if (known > 0) EXPECT_EQ(ran, known);
  else EXPECT_GE(ran, Impl::runs_on_device<Space> ? 1 : 3);  // a thread with every vector length
}

/// One team has all items, which are many more than its lanes.
template <class Update>
struct OneTeam {
  Update update;
  std::int64_t n;
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    update(member, 0, n);
  }
};

TYPED_TEST(InKernelOf, OneTeamForTheWholeBatch) {
  using T = TypeParam;
  Data<T> want, got;
  run_with_verbs(want);
  for (std::int64_t k = 0; k < items; ++k)
    for (int i = 0; i < N; ++i) got.b.at(k, i) = T(2) * got.raw.at(k, i);
  got.b.upload();
  auto const update = got.solve(InKernel{});
  OneTeam<std::remove_const_t<decltype(update)>> const kernel{update, items};
  Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<256, 1>> policy(
      1, Impl::runs_on_device<Space> ? 64 : 1);
  policy.set_scratch_size(0, Kokkos::PerTeam(int(update.scratch_size(64))));
  Kokkos::parallel_for("a kernel of the user's", policy, kernel);
  got.x.download(), got.codes.download();
  for (std::int64_t k = 0; k < items; ++k) {
    ASSERT_EQ(got.codes.at(k), want.codes.at(k)) << k;
    for (int i = 0; want.codes.at(k) == 0 && i < N; ++i)
      ASSERT_TRUE(same_bits(got.x.at(k, i), want.x.at(k, i))) << k;
  }
}

TEST(InKernel, ScratchSizeIsKnownBeforehand) {
  Data<double> const d;
  auto const update = d.solve(InKernel{});
  // The same size computed from types only, for a policy that is made once.
  auto const x = out(d.x.view());
  auto const a = in(symmetric(d.a.view()));
  auto const b = in(d.b.view());
  auto const c = common(symmetric(d.shift.view));
  auto const s = status(d.codes.view());
  std::size_t const size =
      scratch_size<Space, Solve, decltype(x), decltype(a), decltype(b), decltype(c), decltype(s)>(
          64);
  EXPECT_EQ(size, update.scratch_size(64));
  // A lane that has an item alone reads common operands through the cache; hosts stage them on
  // the stack.
  bool const shared = Impl::runs_on_device<Space> && Impl::lanes_per_item<double>(N) > 1;
  EXPECT_EQ(size > 0, shared);
}

}  // namespace
}  // namespace Batchwork::Test

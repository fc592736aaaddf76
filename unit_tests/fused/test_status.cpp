// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The status of every item: each Reason on the first, a middle and the last item of a batch with a
// partial last group. The results of a failed item must be NaN, and its code LAPACK's info with the
// reason. All other items must be bitwise the same as without the failure. (Reason::incomplete_data
// is tested with Kalman::filter.)
#include <array>
#include <functional>

#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {
namespace {

constexpr int N = 5;
constexpr std::int64_t items = 261;  // not a multiple of any pack's or team's number of items
std::array<std::int64_t, 3> const places = {0, 130, items - 1};

struct Solve {
  template <class X, class L, class A, class B>
  KOKKOS_FUNCTION void operator()(X& x, L& log_determinant, A const& a, B const& b) const {
    auto c = cholesky(a);
    x = solve(c, b);
    log_determinant = c.log_det();
  }
};

/// The outputs of one call.
template <class T, class I = int>
struct Outcome {
  std::vector<T> x, log_det;
  std::vector<I> codes;

  bool same_item(Outcome const& o, std::int64_t k) const {
    std::size_t const i = std::size_t(k);
    return std::memcmp(&x[i * N], &o.x[i * N], N * sizeof(T)) == 0 &&
           same_bits(log_det[i], o.log_det[i]);
  }
};

template <class T>
struct Problem {
  BatchIn<T, Left, N, N> a{items};
  BatchIn<T, Left, N> b{items};

  Problem() {
    Random random(5);
    a.fill([&](std::int64_t) { return random_spd<T>(random, N); });
    b.randomise(random);
  }

  /// Solves all items; with_status false leaves the status operand out.
  template <class I = int>
  Outcome<T, I> solve(bool with_status = true) const {
    a.upload();
    b.upload();
    BatchIn<T, Left, N> x(items);
    BatchIn<T, Left> log_det(items);
    BatchIn<I, Left> codes(items);
    auto const spd = symmetric(a.view());
    if (with_status)
      map(Solve{}, out(x.view()), out(log_det.view()), in(spd), in(b.view()), status(codes.view()));
    else map(Solve{}, out(x.view()), out(log_det.view()), in(spd), in(b.view()));
    x.download(), log_det.download(), codes.download();
    Outcome<T, I> r;
    for (std::int64_t k = 0; k < items; ++k) {
      for (int i = 0; i < N; ++i) r.x.push_back(x.at(k, i));
      r.log_det.push_back(log_det.at(k));
      r.codes.push_back(codes.at(k));
    }
    return r;
  }
};

/// One way to spoil an item: the planted fault, and the status that must result.
template <class T>
struct Fault {
  char const* name;
  std::function<void(Problem<T>&, std::int64_t)> plant;
  Reason reason;
  int info;
};

template <class T>
std::vector<Fault<T>> faults() {
  constexpr T nan = std::numeric_limits<T>::quiet_NaN(), inf = std::numeric_limits<T>::infinity();
  std::vector<Fault<T>> r;
  for (int p = 0; p < N; ++p) {
    r.push_back({"negative pivot", [p](Problem<T>& q, std::int64_t k) { q.a.at(k, p, p) = T(-1); },
                 Reason::not_positive_definite, p + 1});
    r.push_back({"zero pivot",
                 [p](Problem<T>& q, std::int64_t k) {
                   for (int i = 0; i < N; ++i) q.a.at(k, p, i) = q.a.at(k, i, p) = T(0);
                 },
                 Reason::not_positive_definite, p + 1});
    r.push_back({"NaN on the diagonal",
                 [=](Problem<T>& q, std::int64_t k) { q.a.at(k, p, p) = nan; }, Reason::not_finite,
                 p + 1});
    r.push_back({"infinity on the diagonal",
                 [=](Problem<T>& q, std::int64_t k) { q.a.at(k, p, p) = inf; }, Reason::not_finite,
                 p + 1});
    r.push_back({"minus infinity on the diagonal",
                 [=](Problem<T>& q, std::int64_t k) { q.a.at(k, p, p) = -inf; }, Reason::not_finite,
                 p + 1});
    if (p > 0) {
      r.push_back({"NaN below the diagonal",
                   [=](Problem<T>& q, std::int64_t k) { q.a.at(k, p, p - 1) = nan; },
                   Reason::not_finite, p + 1});
      r.push_back({"infinity below the diagonal",
                   [=](Problem<T>& q, std::int64_t k) { q.a.at(k, p, 0) = inf; },
                   Reason::not_finite, p + 1});
    }
  }
  return r;
}

template <class T>
class StatusOf : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(StatusOf, Reals);

TYPED_TEST(StatusOf, EveryFaultAtEveryPlace) {
  using T = TypeParam;
  Problem<T> p;
  auto const clean = p.solve();
  for (std::int64_t k = 0; k < items; ++k) ASSERT_EQ(clean.codes[std::size_t(k)], 0) << k;
  for (auto const& fault : faults<T>()) {
    for (std::int64_t const place : places) {
      SCOPED_TRACE(std::string(fault.name) + ", info " + std::to_string(fault.info) + ", item " +
                   std::to_string(place));
      Dense const whole = p.a.dense(place);
      fault.plant(p, place);
      int const lapack = potrf_info<T>(mirrored(p.a.dense(place)));
      auto const got = p.solve();
      p.a.put(place, whole);

      int const code = got.codes[std::size_t(place)];
      EXPECT_EQ(Status::reason(code), fault.reason) << to_string(Status::reason(code));
      EXPECT_EQ(Status::info(code), fault.info);
      EXPECT_EQ(code, Status::code(fault.reason, fault.info));
      if (fault.reason == Reason::not_positive_definite) {  // of NaN and infinity LAPACKs differ
        EXPECT_EQ(Status::info(code), lapack);
      }
      for (int i = 0; i < N; ++i)
        EXPECT_TRUE(std::isnan(got.x[std::size_t(place * N + i)]))
            << "x(" << i << ") is " << got.x[std::size_t(place * N + i)];
      EXPECT_TRUE(std::isnan(got.log_det[std::size_t(place)])) << got.log_det[std::size_t(place)];
      for (std::int64_t k = 0; k < items; ++k) {
        if (k == place) continue;
        ASSERT_TRUE(got.same_item(clean, k)) << "neighbour " << k << " changed";
        ASSERT_EQ(got.codes[std::size_t(k)], 0) << "neighbour " << k;
      }
    }
  }
}

TYPED_TEST(StatusOf, ResultThatIsNotFiniteHasInfoZero) {
  using T = TypeParam;
  Problem<T> p;
  auto const clean = p.solve();
  for (T const planted :
       {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()}) {
    for (std::int64_t const place : places) {
      SCOPED_TRACE(place);
      T const whole = p.b.at(place, 2);
      p.b.at(place, 2) = planted;
      auto const got = p.solve();
      p.b.at(place, 2) = whole;
      EXPECT_EQ(got.codes[std::size_t(place)], Status::code(Reason::not_finite, 0));
      for (int i = 0; i < N; ++i) EXPECT_FALSE(std::isfinite(got.x[std::size_t(place * N + i)]));
      // Results that do not depend on the right-hand side do not change.
      EXPECT_TRUE(same_bits(got.log_det[std::size_t(place)], clean.log_det[std::size_t(place)]));
      for (std::int64_t k = 0; k < items; ++k) {
        if (k == place) continue;
        ASSERT_TRUE(got.same_item(clean, k)) << "neighbour " << k << " changed";
        ASSERT_EQ(got.codes[std::size_t(k)], 0) << "neighbour " << k;
      }
    }
  }
}

TYPED_TEST(StatusOf, AllPlacesAtOnceAndOtherIntegers) {
  using T = TypeParam;
  Problem<T> p;
  auto const clean = p.solve();
  p.a.at(places[0], 1, 1) = T(-1);
  p.a.at(places[1], 3, 3) = std::numeric_limits<T>::quiet_NaN();
  p.b.at(places[2], 0) = std::numeric_limits<T>::quiet_NaN();
  auto const check = [&](auto const& got) {
    for (std::int64_t k = 0; k < items; ++k) {
      std::int64_t const code = std::int64_t(got.codes[std::size_t(k)]);
      if (k == places[0]) EXPECT_EQ(code, Status::code(Reason::not_positive_definite, 2));
      else if (k == places[1]) EXPECT_EQ(code, Status::code(Reason::not_finite, 4));
      else if (k == places[2]) EXPECT_EQ(code, Status::code(Reason::not_finite, 0));
      else ASSERT_EQ(code, 0) << k;  // over the poison
    }
  };
  auto const narrow = p.template solve<int>();
  check(narrow);
  auto const wide = p.template solve<long>();
  check(wide);
  // Without a status operand the results are the same, also for failed items.
  auto const silent = p.solve(false);
  for (std::int64_t k = 0; k < items; ++k) {
    EXPECT_EQ(silent.codes[std::size_t(k)], poison<int>()) << "nothing is recorded";
    if (k != places[0] && k != places[1] && k != places[2]) {
      ASSERT_TRUE(silent.same_item(clean, k)) << k;
    } else {
      for (int i = 0; i < N; ++i) EXPECT_TRUE(std::isnan(silent.x[std::size_t(k * N + i)])) << k;
    }
  }
}

// ---- the common operands' own failure -----------------------------------------------------------

TYPED_TEST(StatusOf, AFailureOfACommonOperandIsEveryItemsFailure) {
  using T = TypeParam;
  Problem<T> p;
  Dense bad = eye(N);
  bad(2, 2) = -1;
  Common<T, N, N> a(bad);
  BatchIn<T, Left, N> x(items);
  BatchIn<T, Left> log_det(items);
  BatchIn<int, Left> codes(items);
  map(Solve{}, out(x.view()), out(log_det.view()), common(symmetric(a.view)), in(p.b.view()),
      status(codes.view()));
  x.download(), codes.download();
  for (std::int64_t k = 0; k < items; ++k) {
    ASSERT_EQ(codes.at(k), Status::code(Reason::not_positive_definite, 3)) << k;
    ASSERT_TRUE(std::isnan(x.at(k, 4))) << k;
  }
}

// ---- float and double in one call ---------------------------------------------------------------

struct SolveBoth {
  template <class X, class Y, class A, class B>
  KOKKOS_FUNCTION void operator()(X& x, Y& y, A const& a, B const& b) const {
    x = trace(cholesky(a).lower());
    y = trace(cholesky(b).lower());
  }
};

template <class First, class Second>
void mixed_call() {
  Random random(9);
  BatchIn<First, Left, 3, 3> a(items);
  BatchIn<Second, Left, 3, 3> b(items);
  a.fill([&](std::int64_t) { return random_spd<First>(random, 3); });
  b.fill([&](std::int64_t) { return random_spd<Second>(random, 3); });
  BatchIn<First, Left> x0(items), x(items);
  BatchIn<Second, Left> y0(items), y(items);
  BatchIn<int, Left> codes(items);
  auto const run = [&](auto& u, auto& v) {
    a.upload(), b.upload();
    map(SolveBoth{}, out(u.view()), out(v.view()), in(symmetric(a.view())), in(symmetric(b.view())),
        status(codes.view()));
    u.download(), v.download(), codes.download();
  };
  run(x0, y0);
  for (std::int64_t k = 0; k < items; ++k) ASSERT_EQ(codes.at(k), 0) << k;
  a.at(0, 0, 0) = First(-1);          // the first operand's item fails,
  b.at(130, 1, 1) = Second(-1);       // the second's,
  a.at(items - 1, 2, 2) = First(-1);  // and both: the earlier operand's failure counts
  b.at(items - 1, 0, 0) = std::numeric_limits<Second>::quiet_NaN();
  b.at(77, 2, 2) = std::numeric_limits<Second>::quiet_NaN();
  run(x, y);
  for (std::int64_t k = 0; k < items; ++k) {
    int want = 0;
    if (k == 0) want = Status::code(Reason::not_positive_definite, 1);
    if (k == 77) want = Status::code(Reason::not_finite, 3);
    if (k == 130) want = Status::code(Reason::not_positive_definite, 2);
    if (k == items - 1) want = Status::code(Reason::not_positive_definite, 3);
    ASSERT_EQ(codes.at(k), want) << k;
    if (k == 0 || k == items - 1) ASSERT_TRUE(std::isnan(x.at(k))) << k;
    else ASSERT_TRUE(same_bits(x.at(k), x0.at(k))) << k;
    if (k == 77 || k == 130 || k == items - 1) ASSERT_TRUE(std::isnan(y.at(k))) << k;
    else ASSERT_TRUE(same_bits(y.at(k), y0.at(k))) << k;
  }
}
TEST(Status, DoubleThenFloat) { mixed_call<double, float>(); }
TEST(Status, FloatThenDouble) { mixed_call<float, double>(); }

// ---- scan ---------------------------------------------------------------------------------------

/// A failure poisons the state from its step on.
struct SolveAgain {
  template <class S, class A, class E>
  KOKKOS_FUNCTION void operator()(S& state, A const& a, E& e) const {
    state = solve(cholesky(a), state);
    e = state;
  }
};
/// A failure that is visible only in emitted values.
struct SolveApart {
  template <class S, class A, class E>
  KOKKOS_FUNCTION void operator()(S& state, A const& a, E& e) const {
    e = solve(cholesky(a), state);
    state = state + state;
  }
};

constexpr std::int64_t steps = 9;

template <class T>
struct Series {
  BatchIn<T, Left, 3> start{items}, end{items};
  SeriesIn<T, Left, 3, 3> a{items, steps};
  SeriesIn<T, Left, 3> e{items, steps};
  BatchIn<int, Left> codes{items};

  Series() {
    Random random(3);
    start.randomise(random);
    for (std::int64_t k = 0; k < items; ++k)
      for (std::int64_t t = 0; t < steps; ++t) a.put(k, random_spd<T>(random, 3), t);
  }
  template <class Sequence>
  void run(Sequence const& sequence) {
    a.upload();
    Kokkos::deep_copy(end.view(), poison<T>());
    Kokkos::deep_copy(e.view(), poison<T>());
    Kokkos::deep_copy(codes.view(), poison<int>());
    scan(steps, sequence, carry(start.view(), end.view()), each(symmetric(a.view())),
         emit(e.view()), status(codes.view()));
    end.download(), e.download(), codes.download();
  }
};

TYPED_TEST(StatusOf, AFailureAtAMiddleStepSticks) {
  using T = TypeParam;
  for (bool const apart : {false, true}) {
    Series<T> clean, spoilt;
    // The second failure of an item comes later and must not be reported.
    for (std::int64_t const place : places) {
      spoilt.a.at_time(place, 4, 1, 1) = T(-1);
      spoilt.a.at_time(place, 6, 2, 2) = std::numeric_limits<T>::quiet_NaN();
    }
    if (apart) clean.run(SolveApart{}), spoilt.run(SolveApart{});
    else clean.run(SolveAgain{}), spoilt.run(SolveAgain{});
    for (std::int64_t k = 0; k < items; ++k) {
      bool const failed = k == places[0] || k == places[1] || k == places[2];
      ASSERT_EQ(clean.codes.at(k), 0) << k;
      ASSERT_EQ(spoilt.codes.at(k), failed ? Status::code(Reason::not_positive_definite, 2) : 0)
          << k;
      for (int i = 0; i < 3; ++i) {
        for (std::int64_t t = 0; t < steps; ++t) {
          bool const nan = failed && (apart ? t == 4 || t == 6 : t >= 4);
          T const got = spoilt.e.at_time(k, t, i);
          if (nan) ASSERT_TRUE(std::isnan(got)) << k << ", step " << t << ": " << got;
          else ASSERT_TRUE(same_bits(got, clean.e.at_time(k, t, i))) << k << ", step " << t;
        }
        if (failed && !apart) ASSERT_TRUE(std::isnan(spoilt.end.at(k, i))) << k;
        else ASSERT_TRUE(same_bits(spoilt.end.at(k, i), clean.end.at(k, i))) << k;
      }
    }
  }
}

struct AddLog {
  template <class L, class X>
  KOKKOS_FUNCTION void operator()(L& sum, X const& x) const {
    sum.add_log(x);
  }
};

TYPED_TEST(StatusOf, TheLogarithmOfANegativeNumber) {
  using T = TypeParam;
  SeriesIn<T, Left> x(items, steps);
  BatchIn<T, Left> sum(items);
  BatchIn<int, Left> codes(items);
  Random random(4);
  x.randomise(random, 0.5, 2);
  for (std::int64_t const place : places) x.at_time(place, 5) = T(-1);
  x.upload();
  scan(steps, AddLog{}, carry(common(fixed(T(0))), log_sum(sum.view())), each(x.view()),
       status(codes.view()));
  sum.download(), codes.download();
  for (std::int64_t k = 0; k < items; ++k) {
    bool const failed = k == places[0] || k == places[1] || k == places[2];
    ASSERT_EQ(codes.at(k), failed ? Status::code(Reason::not_finite, 0) : 0) << k;
    ASSERT_EQ(std::isnan(sum.at(k)), failed) << k;
  }
}

// ---- the codes themselves -----------------------------------------------------------------------

/// A user's failure in an item whose factorisation has failed already, and a selection between a
/// failed tile and a valid one.
struct FailAndChoose {
  template <class X, class Y, class V, class A, class M>
  KOKKOS_FUNCTION void operator()(X& failed_twice, Y& chosen, V& chosen_vector, A const& a,
                                  M const& which) const {
    auto const twice = fail_where(which > -10.0, Reason::not_finite,
                                  fail_where(which > 0.5, Reason::incomplete_data, which));
    failed_twice = twice;
    auto const marked = fail_where(which > -10.0, Reason::incomplete_data, a);
    chosen = select(which > 0.0, a, marked);
    chosen_vector = select(which < 0.0, marked, a);
  }
};

TEST(Status, FirstFailureStaysAndSelectTakesTheChosenSide) {
  constexpr std::int64_t n = 37;
  BatchIn<double, Left> which(n), twice(n);
  BatchIn<double, Left, 2, 2> a(n), chosen(n), other(n);
  BatchIn<int, Left> codes(n);
  Random random(3);
  a.randomise(random);
  which.fill([](std::int64_t k) { return make_dense(1, 1, [&](int, int) { return k % 3 - 1; }); });
  for (bool const of_choice : {false, true}) {
    // A call records the first failure among its operands: one kind at a time.
    if (of_choice)
      map(FailAndChoose{}, nothing(), out(chosen.view()), out(other.view()), in(a.view()),
          in(which.view()), status(codes.view()));
    else
      map(FailAndChoose{}, out(twice.view()), nothing(), nothing(), in(a.view()), in(which.view()),
          status(codes.view()));
    codes.download();
    for (std::int64_t k = 0; k < n; ++k) {
      double const w = double(k % 3 - 1);
      Reason want = w > 0.5 ? Reason::incomplete_data : Reason::not_finite;
      // `chosen` is the marked tile to zero, `other` below zero.
      if (of_choice) want = w > 0 ? Reason::success : Reason::incomplete_data;
      EXPECT_EQ(Status::reason(codes.at(k)), want) << k << (of_choice ? ", chosen" : ", twice");
    }
  }
}

TEST(Status, ReasonsAndInfosStandApart) {
  for (Reason const reason :
       {Reason::not_positive_definite, Reason::not_finite, Reason::incomplete_data}) {
    EXPECT_STRNE(to_string(reason), "unknown");
    for (int const info : {0, 1, 32, 2000}) {
      std::int32_t const code = Status::code(reason, info);
      EXPECT_GT(code, 0);
      EXPECT_EQ(Status::reason(code), reason);
      EXPECT_EQ(Status::info(code), info);
    }
  }
  EXPECT_EQ(Status::code(Reason::success, 0), 0);
  EXPECT_EQ(Status::reason(0), Reason::success);
}

}  // namespace
}  // namespace Batchwork::Test
